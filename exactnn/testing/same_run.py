"""Two arithmetics on one word: whether a network computes the same numbers in both."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactnn.arithmetic import AnyArithmetic, Arithmetic, Numeral, arithmetic_of, arithmetic_to_json, value_text
from exactnn.errors import ExactnnError
from exactnn.networks import AnyNetwork, Network, Protocol, Runnable, network_of, runnable_of
from exactnn.networks.network_file import network_to_json
from exactnn.simulation import Run, whole_run

__all__ = ["assert_same_run"]

MOST_CHARACTERS = 20_000
"""Of a network in a command that shows the difference again."""


@dataclass(frozen=True, slots=True)
class _Difference:
    """The first step whose states or outputs differ, where, and both values; or only how the runs end."""

    step: int
    place: str
    values: tuple[object, object]
    one: Run
    other: Run


def assert_same_run(
    network: AnyNetwork,
    word: str | Sequence[object],
    arithmetic_a: AnyArithmetic,
    arithmetic_b: AnyArithmetic,
    *,
    max_steps: int = 1000,
) -> None:
    """Raise AssertionError if a network on a word does not compute the same in two arithmetics, step by step.

    Compared are all states as numbers (NaN is NaN), all outputs and how the run ends.

    Parameters
    ----------
    network : Network, Construction, machine or name of a machine
    word : str or sequence
    arithmetic_a, arithmetic_b : Arithmetic
    max_steps : int
        Network steps, the word's included.

    Raises
    ------
    AssertionError
        With the shortest part of the word from its beginning on which they differ, the first step and the neuron or
        output, both values, both configurations where they can be decoded, and a command that shows it again.
    ExactnnError
        As :func:`exactnn.run`.

    Examples
    --------
    >>> import exactnn as xn
    >>> halves = xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> assert_same_run(halves, [1, 1, 1], xn.EXACT, xn.FLOAT8_E4M3)
    >>> assert_same_run(halves, [1, 1, 1, 1, 1, 1], xn.EXACT, xn.FLOAT8_E4M3)
    Traceback (most recent call last):
    ...
    AssertionError: simple RNN: exact and float8_e4m3 differ
    word      1 1 1 1 1, length 5
    step      5, neuron 0
    exact     31/16
    float8_e4m3 2.0
    ...
    """
    given: Network | Runnable = runnable_of(network)
    core = network_of(given)
    arithmetic_a = arithmetic_of(arithmetic_a, "arithmetic_a")
    arithmetic_b = arithmetic_of(arithmetic_b, "arithmetic_b")
    full = core.written(core.inputs(word))
    found = _difference(given, full, arithmetic_a, arithmetic_b, max_steps)
    if found is None:
        return
    # Without EOS all states of a shorter word are those of this one, which are the same up to the step that was found.
    first = found.step if core.decision.protocol is Protocol.OUTPUTS else 0
    for size in range(min(first, len(full)), len(full)):
        shorter = _difference(given, full[:size], arithmetic_a, arithmetic_b, max_steps)
        if shorter is not None:
            found = shorter
            break
    raise AssertionError(_text(given, found, max_steps))


def _difference(
    network: Network | Runnable, word: Sequence[object], a: Arithmetic, b: Arithmetic, max_steps: int
) -> _Difference | None:
    one, other = (whole_run(network, word, arithmetic=x, max_steps=max_steps, record="all") for x in (a, b))
    for (step, place, x), (_, _, y) in zip(_values(one), _values(other), strict=False):
        if not _same(x, y):
            return _Difference(step, place, (x, y), one, other)
    if (one.outcome, one.steps) != (other.outcome, other.steps):
        return _Difference(min(one.steps, other.steps), "", (one.outcome, other.outcome), one, other)
    return None


def _values(one: Run) -> Iterator[tuple[int, str, object]]:
    """Yield every number of a run, with its step and what it is: the states, and after each the output."""
    outputs = iter(one.outputs)
    for step, state in enumerate(one.trace):
        yield from ((step, f"neuron {i}", value) for i, value in enumerate(state))
        if step:
            output = next(outputs, ())
            several = output if isinstance(output, tuple) else (output,)
            yield from ((step, "output" if several is not output else f"output {i}", y) for i, y in enumerate(several))


def _same(x: object, y: object) -> bool:
    left, right = (value.rational() if isinstance(value, Numeral) else value for value in (x, y))
    return bool(left == right) or (left != left and right != right)


def _text(network: Network | Runnable, found: _Difference, max_steps: int) -> str:
    core = network_of(network)
    runs = (found.one, found.other)
    word = " ".join(_symbol_text(symbol) for symbol in found.one.word) or "(empty)"
    lines = [
        f"{core.name}: {found.one.arithmetic} and {found.other.arithmetic} differ",
        f"word      {word}, length {len(found.one.word)}",
        f"step      {found.step}{', ' * bool(found.place)}{found.place}",
    ]
    for one, value in zip(runs, found.values, strict=True):
        lines.append(f"{one.arithmetic!s:9} {value_text(value)}")
    lines += [f"decoded   {text}" for one in runs if (text := _decoded(network, one, found.step)) is not None]
    return "\n".join([*lines, *_replay_lines(core, found, max_steps)])


def _symbol_text(symbol: object) -> str:
    return ",".join(map(value_text, symbol)) if isinstance(symbol, tuple) else str(symbol)


def _decoded(network: Network | Runnable, one: Run, step: int) -> str | None:
    if isinstance(network, Network):
        return None
    try:
        return str(network.decode(one.trace[step], cells=100))[:200]
    except ExactnnError:
        return None


def _replay_lines(network: Network, found: _Difference, max_steps: int) -> list[str]:
    """Return a command with the network in it, or that it is too long for that."""
    data = json.dumps(network_to_json(network))
    if len(data) > MOST_CHARACTERS:
        return ["no command shows it again: the network is too long for a message, save it with exactnn.save_network"]
    word = [[str(x) for x in symbol] if isinstance(symbol, tuple) else symbol for symbol in found.one.word]
    formats = [json.dumps(json.dumps(arithmetic_to_json(one.arithmetic))) for one in (found.one, found.other)]
    return [
        "replay with:",
        "python - <<'END'",
        "import json",
        "from exactnn.arithmetic import arithmetic_from_json",
        "from exactnn.networks.network_file import network_from_json",
        "from exactnn.testing import assert_same_run",
        f"network = network_from_json(json.loads({data!r}))",
        f"a, b = (arithmetic_from_json(json.loads(text)) for text in ({', '.join(formats)}))",
        f"assert_same_run(network, {word!r}, a, b, max_steps={max_steps!r})",
        "END",
    ]
