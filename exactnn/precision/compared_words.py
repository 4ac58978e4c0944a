"""Which words are compared where none are given: those that the file of a machine expects to pass."""

import os
from typing import Any

from exactnn.errors import OptionError, shown
from exactnn.machine_files import load_file
from exactnn.networks import AnyNetwork, names_network

__all__ = ["WORDS", "given_or_own"]

WORDS = "a sequence of words, such as ['a', 'ab'], or a pattern, such as 'a^n b^n'"
"""What is to be given."""


def given_or_own(network: AnyNetwork, words: Any) -> Any:
    """Return `words`, or for None those that the file of the machine that `network` names expects to pass.

    Raises
    ------
    OptionError
        If there are none.

    Examples
    --------
    >>> ["".join(word) for word in given_or_own("anbn", None)]
    ['', 'ab', 'aaabbb', 'aaaaaaaaaabbbbbbbbbb']
    """
    if words is not None:
        return words
    named = isinstance(network, str | os.PathLike) and not names_network(network)
    own = load_file(network).passed if named else ()  # type: ignore[arg-type]
    if not own:
        raise OptionError(f"{shown(network)} names no words of its own: give {WORDS}")
    return own
