"""Configurations and words as text for people: tapes are cut at their ends."""

from collections.abc import Sequence

from exactnn.automata.configuration import TapeConfiguration
from exactnn.automata.stack_configuration import StackConfiguration
from exactnn.markup import printable

__all__ = ["NOT_CUT", "configuration_text", "word_text"]

NOT_CUT = (False, False)


def word_text(word: Sequence[object]) -> str:
    """Return a word: its symbols, with spaces between them if one has several characters; vectors with commas.

    >>> word_text("ab"), word_text(("a", "bc")), word_text(((1, 0), (0, 1))), word_text(())
    ('ab', 'a bc', '1,0 0,1', '(empty)')
    """
    symbols = [",".join(map(str, symbol)) if isinstance(symbol, tuple) else str(symbol) for symbol in word]
    joint = "" if all(isinstance(symbol, str) and len(symbol) == 1 for symbol in word) else " "
    return joint.join(symbols) if symbols else "(empty)"


def configuration_text(configuration: object, *, reach: int | None = None, cut: tuple[bool, bool] = NOT_CUT) -> str:
    """Return a configuration as text, at most `reach` cells on either side of the head.

    Parameters
    ----------
    configuration : object
    reach : int, optional
    cut : pair of bool
        Whether the tape goes on beyond the cells of `configuration`, to the left and to the right. The first of them
        says of stacks whether the longest go on.

    Examples
    --------
    >>> tape = TapeConfiguration(state="q", left=("b", "a"), scanned="c", right=("d", "e"))
    >>> configuration_text(tape), configuration_text(tape, reach=1), configuration_text(tape, cut=(True, False))
    ('q: a b [c] d e', 'q: … b [c] d …', 'q: … a b [c] d e')
    """
    if isinstance(configuration, StackConfiguration):
        return _stacks_text(configuration, reach, cut[0])
    if not isinstance(configuration, TapeConfiguration):
        return str(configuration)
    cells = [*reversed(configuration.left[:reach]), f"[{configuration.scanned}]", *configuration.right[:reach]]
    before, after = (reach is not None and len(side) > reach for side in (configuration.left, configuration.right))
    dots = ["…" * (before or cut[0]), "…" * (after or cut[1])]
    return printable(" ".join(filter(None, [f"{configuration.state}:", dots[0], *cells, dots[1]])))


def _stacks_text(configuration: StackConfiguration, reach: int | None, cut: bool) -> str:
    """Return the state and at most `reach` symbols of each stack, with dots where there are more."""
    longest = max(map(len, configuration.stacks))
    texts = []
    for stack in configuration.stacks:
        more = (reach is not None and len(stack) > reach) or (cut and len(stack) == longest)
        texts.append(" ".join([*stack[:reach], *["…"] * more]) or "(empty)")
    return printable(f"{configuration.state}: " + " | ".join(texts))
