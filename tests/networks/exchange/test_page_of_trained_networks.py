"""docs/trained_networks.md has every function and operator."""

from pathlib import Path

import pytest

import exactnn
from exactnn.networks import exchange
from exactnn.networks.exchange.layer_settings import SETTINGS
from exactnn.networks.exchange.linear_layers import LINEAR_CELLS
from exactnn.networks.exchange.onnx_cells import GATES as ONNX_GATES
from exactnn.networks.exchange.onnx_streams import OPERATORS
from exactnn.networks.exchange.safetensors_file import OPTIONS
from exactnn.networks.exchange.torch_parameters import GATES

PAGE = Path(exactnn.__file__).parent.parent / "docs" / "trained_networks.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not there")


def test_it_is_complete():
    text = PAGE.read_text(encoding="utf-8")
    for name in (*exchange.__all__, *OPTIONS, *(set(OPERATORS) - {"Cast", "Shape"})):
        assert f"`{name}`" in text, name
    for cell in LINEAR_CELLS:
        assert f'| `"{cell}"` | ' in text
    for name in SETTINGS:
        assert f"`{name}`" in text, name
    for cell, gates in GATES.items():
        assert f"| {cell} | {', '.join(gates)} | " in text
        letters = {"g": "c", "n": "h", "h": "i"}  # ONNX calls them otherwise
        assert f"| {', '.join(letters.get(gate, gate) for gate in ONNX_GATES[cell])} | " in text
