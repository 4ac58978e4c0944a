"""Small LSTMs with hard gates that count: each a counter machine in a few memory cells, for words of any length.

Gates are clipped to [0, 1] and candidates to [-1, 1], and all that they are applied to are whole numbers; so every gate
is open or shut. Counters stop at zero: a unit that counts down opens its input gate only if its hidden state, the
clipped count, is not zero. Then the hidden state is 0 or 1 too, a zero test that the other gates can add up.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product

from gmpy2 import mpq

from exactnn.automata import CounterMachine, CounterUpdate, Mask, State, Symbol, masks
from exactnn.constructions.affine import Affine, symbol, var
from exactnn.constructions.construction import Construction, reject_reserved
from exactnn.constructions.counters.lstm_counter import FlagCodec, Gates, gate_parameters
from exactnn.errors import OptionError, shown
from exactnn.networks import LSTM
from exactnn.options import entries

__all__ = ["lstm_anbn", "lstm_anbn_then_any", "lstm_anbncn", "lstm_shuffle_dyck"]

OPEN: Gates = {"i": 1, "f": 1, "g": 1, "o": 1}
"""A unit that adds 1 in every step, but for the gates that it has otherwise."""

WEISS = (
    "G. Weiss, Y. Goldberg and E. Yahav, On the practical computational power of finite precision RNNs for language "
    "recognition, ACL 2018"
)
MERRILL = "W. Merrill et al., A formal hierarchy of RNN architectures, ACL 2020"

Move = Callable[[State, Symbol, Mask], State]


def lstm_anbn() -> Construction:
    """Return the LSTM of 3 memory cells for {a^n b^n : n >= 0}.

    ``count`` has what is left of the a's, ``seen`` whether there was a b, ``wrong`` how often an a came after a b or
    a b without an a. Accepted is ``count = wrong = 0``.

    References
    ----------
    G. Weiss, Y. Goldberg and E. Yahav, "On the practical computational power of finite precision RNNs for language
    recognition", ACL 2018. The weights are ours.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = lstm_anbn()
    >>> [run(net, word).verdict.value for word in ("", "aabb", "aab", "abb", "abab")]
    ['accept', 'accept', 'reject', 'reject', 'reject']
    >>> str(net.decode(run(net, "aaaab").final_state))
    'bs: 3'
    """
    a, b, count, seen = symbol("a"), symbol("b"), var("count"), var("seen")

    def move(state: State, read: Symbol, mask: Mask) -> State:
        if state == "wrong" or (read == "a" and state == "bs") or (read == "b" and not mask[0]):
            return "wrong"
        return "as" if read == "a" else "bs"

    return _construction(
        name="lstm_anbn",
        units={
            "count": _counter("count", a, b),
            "seen": _flag(b),
            "wrong": {"i": b + seen, "g": 2 * a + b - count},
        },
        readout={"count": -1, "wrong": -1},
        bias=mpq(1, 2),
        machine=_machine("a^n b^n", "ab", [{"a": 1, "b": -1}], move, "as", [("as", (0,)), ("bs", (0,))]),
        counters=["count"],
        signs={"wrong": ["wrong"], "bs": ["seen"], "as": []},
        flags={"wrong": ["wrong", "seen"], "bs": ["seen"], "as": []},
        language="of the form a^n b^n with n >= 0",
        citation=WEISS,
    )


def lstm_anbn_then_any() -> Construction:
    """Return the LSTM of 5 memory cells for {a^n b^n w : n >= 1, w any word of a's and b's}.

    These are the words that begin with a word a^n b^n, n >= 1; for them a machine must stop counting when its counter
    is zero again, which depends on the counter and not on the symbol. ``done`` is set in the step after that, and
    stays; ``wrong`` says that an a came too early or that there was none at the beginning; ``started`` that a symbol
    was read.

    References
    ----------
    W. Merrill et al., "A formal hierarchy of RNN architectures", ACL 2020: the language tells LSTMs from QRNNs with
    saturated gates. The weights are ours.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> [run(lstm_anbn_then_any(), word).verdict.value for word in ("ab", "aabbab", "", "aab", "ba", "aaba")]
    ['accept', 'accept', 'reject', 'reject', 'reject', 'reject']
    """
    a, b = symbol("a"), symbol("b")
    count, seen, wrong, done, started = map(var, ("count", "seen", "wrong", "done", "started"))

    def move(state: State, read: Symbol, mask: Mask) -> State:
        if state == "done" or (state == "bs" and not mask[0]):
            return "done"
        if state == "wrong" or (state, read) in {("start", "b"), ("bs", "a")} or (state == "start" and mask[0]):
            return "wrong"
        return "as" if read == "a" else "bs"

    everything: list[tuple[State, Mask]] = [("done", mask) for mask in masks(1)]
    return _construction(
        name="lstm_anbn_then_any",
        units={
            "count": _counter("count", a, b),
            "seen": _flag(b),
            "wrong": {"i": 2 * a + b + seen + count - 3 * started, "g": b + count},
            "done": {"i": seen - count, "f": 1 - seen + count, "g": 1 - wrong + done},
            "started": {"f": 0},
        },
        readout={"count": -1, "seen": 1, "wrong": -2, "done": 4},
        bias=mpq(-1, 2),
        machine=_machine("a^n b^n w", "ab", [{"a": 1, "b": -1}], move, "start", [*everything, ("bs", (0,))]),
        counters=["count"],
        signs={"done": ["done"], "wrong": ["wrong"], "bs": ["seen"], "as": ["started"], "start": []},
        flags={
            "done": ["done", "seen", "started"],
            "wrong": ["wrong", "started"],
            "bs": ["seen", "started"],
            "as": ["started"],
            "start": [],
        },
        language="of the form a^n b^n w with n >= 1 and any w",
        citation=MERRILL,
    )


def lstm_anbncn() -> Construction:
    """Return the LSTM of 7 memory cells for {a^n b^n c^n : n >= 0}.

    Two counters, a's less b's and b's less c's; two flags, for a b or c and for a c; three units that say what is
    wrong: the order, a b without an a, a c without a b.

    References
    ----------
    G. Weiss, Y. Goldberg and E. Yahav, "On the practical computational power of finite precision RNNs for language
    recognition", ACL 2018. The weights are ours.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> [run(lstm_anbncn(), word).verdict.value for word in ("", "aabbcc", "aabbc", "abcabc")]
    ['accept', 'accept', 'reject', 'reject']
    """
    a, b, c = map(symbol, "abc")
    first, second, after_a, after_b = map(var, ("a - b", "b - c", "after a", "after b"))
    phases = {"a": 0, "b": 1, "c": 2}

    def move(state: State, read: Symbol, mask: Mask) -> State:
        order = ["as", "bs", "cs", "wrong"].index(str(state)) > phases[read]
        missing = read != "a" and not mask[phases[read] - 1]
        return "wrong" if order or missing else f"{read}s"

    return _construction(
        name="lstm_anbncn",
        units={
            "a - b": _counter("a - b", a, b),
            "b - c": _counter("b - c", b, c),
            "after a": _flag(b + c),
            "after b": _flag(c),
            "order": {"i": after_a + after_b - b - 2 * c},
            "b missing a": {"i": b - first},
            "c missing b": {"i": c - second},
        },
        readout=dict.fromkeys(("a - b", "b - c", "order", "b missing a", "c missing b"), -1),
        bias=mpq(1, 2),
        machine=_machine(
            "a^n b^n c^n",
            "abc",
            [{"a": 1, "b": -1}, {"b": 1, "c": -1}],
            move,
            "as",
            [(q, (0, 0)) for q in ("as", "bs", "cs")],
        ),
        counters=["a - b", "b - c"],
        signs={"wrong": ["order", "b missing a", "c missing b"], "cs": ["after b"], "bs": ["after a"], "as": []},
        flags={"wrong": ["order"], "cs": ["after b", "after a"], "bs": ["after a"], "as": []},
        language="of the form a^n b^n c^n with n >= 0",
        citation=WEISS,
    )


def lstm_shuffle_dyck(pairs: Iterable[str] = ("()",)) -> Construction:
    """Return the LSTM of 2 k memory cells for the shuffle of k Dyck languages; with one pair it is Dyck-1.

    Brackets of each kind are balanced by themselves: of "([)]" both kinds are. A unit counts the open brackets of a
    kind, another the closing ones that close nothing.

    Parameters
    ----------
    pairs : iterable of str
        An opening and a closing symbol each; all different.

    Raises
    ------
    OptionError
        If `pairs` is not of this form.

    References
    ----------
    S. Bhattamishra, K. Ahuja and N. Goyal, "On the ability and limitations of transformers to recognize formal
    languages", EMNLP 2020 (shuffle-Dyck as counter languages). The weights are ours.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> both = lstm_shuffle_dyck(["()", "[]"])
    >>> both.network.neurons // 2, [run(both, word).verdict.value for word in ("([)]", "([)", ")(")]
    (4, ['accept', 'reject', 'reject'])
    """
    found = _brackets(pairs)
    alphabet = [a for pair in found for a in pair]

    def move(state: State, read: Symbol, mask: Mask) -> State:
        kind, closes = divmod(alphabet.index(read), 2)
        return "wrong" if state == "wrong" or (closes and not mask[kind]) else "balanced"

    units: dict[Hashable, Gates] = {}
    for first, last in found:
        units[first] = _counter(first, symbol(first), symbol(last))
        units[last] = {"i": symbol(last) - var(first)}
    return _construction(
        name="lstm_shuffle_dyck",
        units=units,
        readout=dict.fromkeys(alphabet, -1),
        bias=mpq(1, 2),
        machine=_machine(
            f"shuffle-Dyck of {' '.join(map(''.join, found))}",
            alphabet,
            [{first: 1, last: -1} for first, last in found],
            move,
            "balanced",
            [("balanced", (0,) * len(found))],
        ),
        counters=[first for first, _ in found],
        signs={"wrong": [last for _, last in found], "balanced": []},
        flags={"wrong": [found[0][1]], "balanced": []},
        language="in which brackets of each kind are balanced by themselves",
        citation="S. Bhattamishra, K. Ahuja and N. Goyal, On the ability and limitations of transformers to recognize "
        "formal languages, EMNLP 2020 (the language); the weights are this project's",
    )


def _brackets(pairs: object) -> tuple[tuple[Symbol, Symbol], ...]:
    given = entries("pairs", pairs) if isinstance(pairs, Iterable) else []
    symbols = [a for pair in given if isinstance(pair, str) for a in pair]
    if not given or len(set(symbols)) < 2 * len(given) or any(len(pair) != 2 for pair in given):
        raise OptionError(f"pairs={shown(pairs)}: give texts of two symbols, all different, as '()' and '[]'")
    return tuple((pair[0], pair[1]) for pair in given)


def _counter(name: Hashable, up: Affine, down: Affine) -> Gates:
    """Return the gates of a unit that counts, and stops at zero."""
    return {"i": up + var(name), "g": up - down}


def _flag(read: Affine) -> Gates:
    """Return the gates of a unit that is 1 from the first of these symbols on."""
    return {"i": read, "f": 1 - read}


def _machine(
    name: str,
    alphabet: Sequence[Symbol],
    steps: Sequence[Mapping[Symbol, int]],
    move: Move,
    initial_state: State,
    acceptance: Iterable[tuple[State, Mask]],
) -> CounterMachine:
    """Return the counter machine that such a network is: its counters stop at zero, whatever the state."""
    reached: dict[State, None] = {initial_state: None}
    rules: dict[State, dict[Symbol, dict[Mask, tuple[State, tuple[CounterUpdate, ...]]]]] = {}
    for state in iter(lambda: next((q for q in reached if q not in rules), None), None):
        rules[state] = {a: {} for a in alphabet}
        for a, mask in product(alphabet, masks(len(steps))):
            updates = tuple(step.get(a, 0) if mask[j] else max(0, step.get(a, 0)) for j, step in enumerate(steps))
            rules[state][a][mask] = (move(state, a, mask), updates)
            reached[rules[state][a][mask][0]] = None
    return CounterMachine(
        states=list(reached),
        input_symbols=alphabet,
        counters=len(steps),
        transitions=rules,
        initial_state=initial_state,
        acceptance=acceptance,
        name=name,
    )


def _construction(
    *,
    name: str,
    units: Mapping[Hashable, Gates],
    readout: Mapping[Hashable, int],
    bias: mpq,
    machine: CounterMachine,
    counters: Sequence[Hashable],
    signs: Mapping[State, Sequence[Hashable]],
    flags: Mapping[State, Sequence[Hashable]],
    language: str,
    citation: str,
) -> Construction:
    reject_reserved(machine.input_symbols)
    V, W, b = gate_parameters(units, machine.input_symbols, OPEN)
    network = LSTM(
        V=V,
        W=W,
        b=b,
        readout_weight=[readout.get(unit, 0) for unit in units],
        readout_bias=bias,
        gate="slu",
        candidate="hard_tanh",
        output="hard_tanh",
        alphabet=machine.input_symbols,
        name=name,
    )
    return Construction(
        name=name,
        machine=machine,
        network=network,
        codec=FlagCodec(machine, tuple(units), counters, signs=signs, flags=flags),
        steps_per_move=1,
        set_up=(0, 0),
        claim=f"An LSTM of {len(units)} memory cells with hard gates: the output after w is above 0 if w is "
        f"{language}, and below 0 if not, for every word w.",
        citation=citation,
        weight_field="Q",
    )
