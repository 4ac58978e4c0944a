"""docs/cells.md has every squashing and every layer."""

from pathlib import Path

import pytest

import exactnn
from exactnn import networks
from exactnn.networks import SQUASHINGS, RecurrentLayer

PAGE = Path(exactnn.__file__).parent.parent / "docs" / "cells.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the docs are not there")
def test_it_is_complete():
    text = PAGE.read_text(encoding="utf-8")
    values = (getattr(networks, name) for name in networks.__all__)
    layers = [value.__name__ for value in values if isinstance(value, type) and issubclass(value, RecurrentLayer)]
    assert len(layers) > 4
    for name in (*SQUASHINGS, *layers):
        assert f"`{name}`" in text or name == "RecurrentLayer", f"{name} is not in docs/cells.md: enter it in its table"
