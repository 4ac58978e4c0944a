"""What the campaign draws and what must hold of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

__all__ = ["Subject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Something of the library that is fuzzed.

    Parameters
    ----------
    cases : callable
        The strategy of the cases in an arithmetic, given by its name.
    check : callable
        Takes the name of an arithmetic and a case, and raises AssertionError if something differs that must not.
    arithmetics : sequence of str
        In which the subject is fuzzed.
    """

    cases: Callable[[str], st.SearchStrategy[Any]]
    check: Callable[[str, Any], None]
    arithmetics: Sequence[str] = ("exact",)
