"""``exactnn run`` of a weighted pushdown automaton: the weight of a word, summed over all runs, without a network."""

import time
from collections.abc import Sequence
from math import inf
from typing import Any

import click
from gmpy2 import mpq

from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, Number, counted
from exactnn.automata import NondeterministicStack, WeightedPushdownAutomaton, as_word
from exactnn.cli.printing import emit, emit_fields, emit_json, fits, number_text, shortened
from exactnn.cli.program import LIMIT_REACHED
from exactnn.errors import OptionError, UnsupportedArithmeticError
from exactnn.machine_files import MachineFile
from exactnn.markup import printable
from exactnn.outcome import Outcome
from exactnn.version import __version__

__all__ = ["run_pushdown"]

ENDS = "The whole word was read: its weight is the sum over all runs."


def run_pushdown(
    file: MachineFile,
    automaton: WeightedPushdownAutomaton,
    word: str,
    arithmetic: Arithmetic | EnclosingArithmetic,
    *,
    seconds: float | None,
    of_networks: Sequence[str],
    as_json: bool,
) -> int:
    """Print the weight of a word, exactly or in a format; return the exit code.

    Parameters
    ----------
    of_networks : sequence of str
        The options that were given and are of networks only.

    Raises
    ------
    OptionError
        If there is such an option.
    UnsupportedArithmeticError
        If the arithmetic is neither exact nor a float format.
    """
    if of_networks:
        raise OptionError(f"{of_networks[0]}: {file.name} is run by its definition, and not as a network: leave it out")
    symbols = as_word(word, automaton.input_symbols)
    begin = time.monotonic()
    end = inf if seconds is None else begin + seconds
    outcome, steps, stack = Outcome.COMPLETED, 0, None
    try:
        for stack in automaton.path(symbols, arithmetic=arithmetic):
            steps = stack.steps
            if steps < len(symbols) and time.monotonic() >= end:
                outcome = Outcome.TIME_LIMIT
                break
    except KeyboardInterrupt:
        outcome = Outcome.INTERRUPTED
    except OptionError:
        raise UnsupportedArithmeticError(
            f"weights are not summed in {arithmetic}: give exact, rational or a float format"
        ) from None
    weight = automaton.final_weight(stack) if stack is not None and outcome is Outcome.COMPLETED else None
    record = {
        "machine": file.name,
        "word": word,
        "arithmetic": str(arithmetic),
        "outcome": str(outcome),
        "steps": steps,
        "weight": None if weight is None else _text(weight),
        "seconds": time.monotonic() - begin,
        "exactnn": __version__,
    }
    if as_json:
        emit_json(record | {"weights": _weights(stack)})
    else:
        _report(record, len(symbols), outcome, weight, stack)
    return LIMIT_REACHED if outcome.cut_short else 0


def _report(
    record: dict[str, Any], length: int, outcome: Outcome, weight: Number | None, stack: NondeterministicStack | None
) -> None:
    emit_fields(
        {
            "machine": shortened(record["machine"], 60),
            "word": f"{shortened(record['word'], 60) or 'the empty word'} (length {length})",
            "arithmetic": record["arithmetic"],
            "outcome": f"{outcome}: {ENDS if weight is not None else outcome.sentence}",
            "steps": counted(record["steps"], "symbol"),
            "weight": "" if weight is None else shortened(number_text(weight), 200),
            "time": f"{record['seconds']:.3g} s",
        }
    )
    if stack is not None and len(stack.weights) <= MOST_PRINTED and fits(table := stack.as_table()):
        click.echo()
        emit(table)


MOST_PRINTED = 32
"""States and tops whose weights are printed."""


def _weights(stack: NondeterministicStack | None) -> list[list[str]]:
    """Return the states and tops after the last symbol with their weights."""
    found = {} if stack is None else stack.weights
    return [[printable(str(state)), printable(str(top)), _text(weight)] for (state, top), weight in found.items()]


def _text(number: Number) -> str:
    """Return a number in full: a fraction, or nan and infinities."""
    return str(number) if isinstance(number, float) and not abs(number) < inf else str(mpq(number))
