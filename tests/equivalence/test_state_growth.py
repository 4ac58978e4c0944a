"""How many states words of each length lead to: against all words one by one, formulas, limits and wrong input."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic.named import ARITHMETICS
from exactnn.equivalence import extract_state_machine, state_growth_record, state_growth_rows
from exactnn.equivalence.state_growth import state_growth
from exactnn.errors import NetworkError, OptionError, UnsupportedArithmeticError
from exactnn.networks import EOS, Circuit, Network, Protocol
from tests.plain_circuit import Plain, bits, rounding
from tests.strategies import dfas, networks

SMALL = xn.FixedPoint(integer_bits=6, fraction_bits=4)


def symbols_of(network):
    return tuple(a for a in network.alphabet if a != EOS)


def words_of(network, length):
    return product(symbols_of(network), repeat=length)


def levels_by_words(plain, length, identity):
    """Return the set of states after all words of each length, in plain Python."""

    def after(word):
        state = plain.start()
        for symbol in word:
            state = plain.step(state, plain.one_hot(symbol))
        return identity(state)

    return [{after(word) for word in words_of(plain.network, n)} for n in range(length + 1)]


def rows_of_hankel(say, network, length, continuations):
    """Return for each length the distinct rows of what is said of words with continuations, and those up to it."""
    endings = [v for k in range(continuations + 1) for v in words_of(network, k)]
    rows = [{tuple(say(w + v) for v in endings) for w in words_of(network, n)} for n in range(length + 1)]
    return [(len(level), len(set().union(*rows[: n + 1]))) for n, level in enumerate(rows)]


def counts(growth):
    return [(row.states, row.states_up_to) for row in growth.rows]


def classes(growth):
    return [(row.classes, row.classes_up_to) for row in growth.rows]


def counted(levels):
    return [(len(level), len(set().union(*levels[: n + 1]))) for n, level in enumerate(levels)]


@st.composite
def readers(draw, protocols):
    """Networks that read symbols."""
    network = draw(networks(protocols=protocols))
    return (
        replace(network, alphabet=tuple("abc"[: network.circuit.input_size])) if network.alphabet is None else network
    )


@given(readers((Protocol.OUTPUTS, Protocol.END_OF_WORD)))
def test_exact_states_and_classes_are_those_of_all_words(network):
    plain = Plain(network, Fraction)

    def said(word):
        outcome, _, outputs = plain.run(word, len(word))
        return outputs[-1] if network.decision.protocol is Protocol.OUTPUTS else outcome

    for arithmetic in (xn.EXACT, xn.RATIONAL):
        growth = state_growth(network, [arithmetic], max_length=3, continuations=1).of(arithmetic)
        assert counts(growth) == counted(levels_by_words(plain, 3, tuple))
        assert classes(growth) == rows_of_hankel(said, network, 3, 1)
        assert growth.complete


@given(readers((Protocol.OUTPUTS,)))
def test_states_in_float32_are_those_of_all_words_bit_for_bit(network):
    growth = state_growth(network, [xn.FLOAT32], max_length=3).of(xn.FLOAT32)
    assert counts(growth) == counted(levels_by_words(Plain(network, rounding(xn.FLOAT32)), 3, bits))


@pytest.mark.parametrize("arithmetic", [xn.FLOAT8_E4M3, xn.FLOAT16, SMALL])
@pytest.mark.parametrize("network", [xn.scalar_stack(), xn.gated_counter(), xn.vector_stack("01")])
def test_states_and_classes_in_formats_are_those_of_runs_of_all_words(network, arithmetic):
    runs = {w: xn.run(network, w, arithmetic=arithmetic, record="all") for n in range(6) for w in words_of(network, n)}
    growth = state_growth(network, [arithmetic], max_length=4, continuations=1).of(arithmetic)
    levels = [{bits(tuple(runs[w].trace[-1])) for w in words_of(network, n)} for n in range(5)]
    assert counts(growth) == counted(levels)
    assert classes(growth) == rows_of_hankel(lambda w: runs[w].outcome, network, 4, 1)


@pytest.mark.parametrize("arithmetic", [xn.EXACT, xn.FLOAT8_E4M3, xn.FLOAT16])
def test_classes_with_eos_are_those_of_runs_of_all_words(arithmetic):
    network = xn.compile(xn.load("anbn")).network
    # A run that does not end within 1000 steps never does, on words as short as these.
    said = cache(lambda word: xn.run(network, word, arithmetic=arithmetic, max_steps=1000).outcome)
    growth = state_growth(network, [arithmetic], max_length=4, continuations=2).of(arithmetic)
    assert classes(growth) == rows_of_hankel(said, network, 4, 2)


@given(dfas())
def test_minsky_networks_are_saturated_and_need_as_many_states_as_the_minimal_automaton(dfa):
    network = xn.minsky(dfa)
    found = extract_state_machine(network, xn.EXACT)
    growth = state_growth(network, [xn.EXACT], max_length=40, continuations=10).of(xn.EXACT)
    last = growth.rows[-1]
    assert (last.states_up_to, last.classes_up_to) == (found.states, len(found.minimal.states))
    totals = [row.states_up_to for row in growth.rows]
    assert growth.saturated_from == totals.index(totals[-1])


@pytest.mark.parametrize("arithmetic", [xn.EXACT, xn.FLOAT16, xn.BFLOAT16, xn.FLOAT8_E4M3])
def test_parity_has_five_states_and_needs_two_in_every_arithmetic(arithmetic):
    growth = state_growth(xn.compile(xn.load("parity")), [arithmetic], max_length=6, continuations=2).of(arithmetic)
    assert counts(growth) == [(1, 1), (2, 3), *[(4, 5)] * 5]
    assert classes(growth) == [(1, 1), *[(2, 2)] * 6]
    assert growth.saturated_from == 2


def test_the_gated_counter_has_linearly_many_states():
    """Before a b: n a's. After, c = n - 2j for j b's, from 1 on, right if it is not below 0; wrong for every j."""
    rows = state_growth(xn.gated_counter(), [xn.EXACT], max_length=200).of(xn.EXACT).rows
    assert [row.states for row in rows] == [1, *(1 + n // 2 + n for n in range(1, 201))]
    assert [row.states_up_to for row in rows] == [1, *(4 * n - 1 for n in range(1, 201))]
    assert (rows[200].bits, rows[200].bits_up_to, rows[200].words) == (9, 10, 2**200)


def test_the_fractional_counter_has_linearly_many_states():
    growth = state_growth(xn.fractional_counter(), [xn.EXACT, xn.FLOAT16], max_length=100)
    exact, rounded = growth.arithmetics
    assert [row.states_up_to for row in exact.rows] == [1, *(3 * n for n in range(1, 101))]
    assert exact.saturated_from is None
    assert (rounded.saturated_from, rounded.rows[-1].states_up_to) == (13, 38)


@pytest.mark.parametrize("arithmetic", [xn.BFLOAT16, xn.FLOAT8_E4M3, xn.FLOAT8_E5M2])
def test_counters_count_alike_until_the_format_is_full(arithmetic):
    most = 2**arithmetic.precision
    exact, rounded = state_growth(xn.gated_counter(), [xn.EXACT, arithmetic], max_length=2 * most).arithmetics
    alike = [a == b for a, b in zip(exact.rows, rounded.rows, strict=True)]
    assert all(alike[: most + 1])
    assert not alike[most + 2]
    assert rounded.saturated_from == most + 2


def test_the_scalar_stack_has_exactly_two_to_the_n_new_stacks_for_each_length():
    """A stack of m bits is found after m symbols, unmarked; after m + 1, marked; after m + 2, marked and wrong."""
    rows = state_growth(xn.scalar_stack(), [xn.EXACT], max_length=12).of(xn.EXACT).rows
    totals = [row.states_up_to for row in rows]
    assert totals == [1, *(2 ** (n + 1) - 1 + 2**n - 1 + 2 ** (n - 1) - 1 for n in range(1, 13))]


@pytest.mark.parametrize("name", ["palindrome", "anbn"])
def test_a_compiled_stack_machine_keeps_the_whole_word(name):
    rows = state_growth(xn.compile(xn.load(name)), [xn.EXACT], max_length=10).of(xn.EXACT).rows
    assert [(row.states, row.states_up_to) for row in rows] == [(2**n, 2 ** (n + 1) - 1) for n in range(11)]
    assert [row.words for row in rows] == [row.states for row in rows]


@pytest.mark.parametrize("arithmetic", [xn.FLOAT8_E4M3, xn.FLOAT8_E5M2, xn.BFLOAT16, xn.FLOAT16, SMALL])
@pytest.mark.parametrize("network", [xn.scalar_stack(), xn.vector_stack("01", base=4)])
def test_stacks_in_formats_are_finite_automata_of_as_many_states_as_extraction_finds(network, arithmetic):
    growth = state_growth(network, [arithmetic], max_length=100, continuations=100).of(arithmetic)
    found = extract_state_machine(network, arithmetic)
    assert growth.saturated_from is not None
    assert growth.rows[-1].states_up_to == found.states
    assert growth.rows[-1].classes_up_to == len(found.minimal.states)
    assert len(growth.rows) == 101


def test_networks_for_one_language_need_the_same_though_they_have_other_states():
    made = (xn.compile(xn.load("anbn")), xn.gated_counter(), xn.fractional_counter())
    found = [state_growth(net, [xn.EXACT], max_length=5, continuations=4).of(xn.EXACT) for net in made]
    assert classes(found[0]) == classes(found[1]) == classes(found[2])
    assert classes(found[0])[:5] == [(1, 1), (2, 3), (3, 5), (3, 7), (4, 9)]
    assert counts(found[0]) != counts(found[1]) != counts(found[2])


def tables_of_the_docs():
    """Return the rows of the tables in docs/state_growth.md, as lists of cells."""
    text = (Path(xn.__file__).parent.parent / "docs" / "state_growth.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]
    return [row for row in rows if row[0] != "network"]


def network_of_the_docs(name):
    made = {"gated_counter()": xn.gated_counter, "fractional_counter()": xn.fractional_counter,
            "scalar_stack()": xn.scalar_stack}  # fmt: skip
    return made[name]() if name in made else xn.compile(xn.load(name.split('"')[1]))


@pytest.mark.mostly_slow(quick=7, slow=6)
@pytest.mark.parametrize("row", [row for row in tables_of_the_docs() if len(row) == 11], ids="-".join)
def test_the_table_of_the_docs_is_what_is_counted(row):
    network, arithmetic = network_of_the_docs(row[0].strip("`")), ARITHMETICS[row[1]]
    growth = state_growth(network, [arithmetic], max_length=max(14, int(row[9] or 0) + 5)).of(arithmetic)
    assert [row.states for row in growth.rows[:13:2]] == [int(cell) for cell in row[2:9]]
    saturated = ("", "") if growth.saturated_from is None else (growth.saturated_from, growth.rows[-1].states_up_to)
    assert [str(cell) for cell in saturated] == row[9:]


@pytest.mark.mostly_slow(quick=2, slow=2)
@pytest.mark.parametrize("row", [row for row in tables_of_the_docs() if len(row) == 9], ids="-".join)
def test_the_classes_of_the_docs_are_what_is_counted(row):
    network = network_of_the_docs(row[0].strip("`"))
    growth = state_growth(network, [xn.EXACT], max_length=6, continuations=4).of(xn.EXACT)
    assert [getattr(found, row[1]) for found in growth.rows] == [int(cell) for cell in row[2:]]


def test_the_docs_have_tables():
    assert [len(row) for row in tables_of_the_docs()] == [11] * 24 + [9] * 6


def test_a_limit_of_states_leaves_whole_levels():
    growth = state_growth(xn.scalar_stack(), [xn.EXACT, xn.FLOAT8_E4M3], max_length=20, max_states=100)
    exact, rounded = growth.arithmetics
    assert [row.states_up_to for row in exact.rows] == [1, 4, 11, 25, 53]
    assert (exact.complete, exact.reason) == (False, "the limit of 100 states was reached")
    assert exact.saturated_from is None
    assert rounded.complete
    assert len(rounded.rows) == 21


def test_at_a_limit_classes_are_there_as_far_as_continuations_were_read():
    full = state_growth(xn.scalar_stack(), [xn.EXACT], max_length=4, continuations=2).of(xn.EXACT)
    cut = state_growth(xn.scalar_stack(), [xn.EXACT], max_length=20, continuations=2, max_states=100).of(xn.EXACT)
    assert classes(cut) == [*classes(full)[:3], (None, None), (None, None)]


def test_one_state_of_room_is_enough_for_the_empty_word():
    growth = state_growth(xn.gated_counter(), [xn.EXACT], max_length=5, continuations=0, max_states=1).of(xn.EXACT)
    assert [(row.states, row.classes) for row in growth.rows] == [(1, 1)]
    assert growth.reason == "the limit of 1 states was reached"


def test_a_limit_of_time_or_memory_ends_the_search():
    growth = state_growth(xn.scalar_stack(), [xn.EXACT], max_length=10**6, max_seconds=0.2, max_states=2**30)
    assert growth.arithmetics[0].reason == "the limit of 0.2 seconds was reached"
    assert growth.arithmetics[0].rows[3].states_up_to == 25
    small = state_growth(xn.scalar_stack(), [xn.EXACT], max_length=10**6, max_bytes=10**6).arithmetics[0]
    assert small.reason == "the limit of 1,000,000 bytes was reached"
    kept = state_growth(xn.scalar_stack(), [xn.FLOAT8_E4M3], max_length=10**6, continuations=1, max_bytes=10**6)
    assert kept.arithmetics[0].reason == "the limit of 1,000,000 bytes was reached"
    assert kept.arithmetics[0].saturated_from == 6


def test_what_does_not_end_has_no_classes():
    network = xn.compile(xn.load("anbn"))
    growth = state_growth(network, [xn.EXACT], max_length=4, continuations=1, max_steps=20).of(xn.EXACT)
    assert classes(growth)[0] == (1, 1)
    assert classes(growth)[-1] == (None, None)
    assert growth.reason == "what is said of some words is not known within the limits"
    assert counts(growth)[-1] == (16, 31)


@pytest.mark.parametrize("reached", [1, 10])
def test_ctrl_c_gives_what_there_is(reached):
    calls = []

    def interrupting(length, states):
        calls.append((length, states))
        if len(calls) == reached:
            raise KeyboardInterrupt

    growth = state_growth(xn.gated_counter(), [xn.EXACT, xn.FLOAT16], max_length=9, progress=interrupting)
    (exact,) = growth.arithmetics
    assert exact.reason == "it was interrupted"
    assert counts(exact) == counted(levels_by_words(Plain(xn.gated_counter(), Fraction), calls[-1][0], tuple))
    assert calls[-1] == (exact.rows[-1].length, exact.rows[-1].states_up_to)


@pytest.mark.parametrize("calls", [1, 2])
def test_ctrl_c_while_states_are_told_apart(calls):
    """The last level is that of 5 symbols: the first look there is at labels, the next at a round of classes."""
    left = [calls]

    def interrupting(length, states):
        left[0] -= length == 5
        if not left[0]:
            raise KeyboardInterrupt

    growth = state_growth(xn.gated_counter(), [xn.EXACT] * 2, max_length=3, continuations=2, progress=interrupting)
    (exact,) = growth.arithmetics
    assert exact.reason == "it was interrupted"
    assert classes(exact) == [(None, None)] * 4


def test_continuations_without_end_are_those_up_to_the_number_of_states():
    growth = state_growth(xn.scalar_stack(), [xn.FLOAT8_E4M3], max_length=8, continuations=10**12).of(xn.FLOAT8_E4M3)
    minimal = extract_state_machine(xn.scalar_stack(), xn.FLOAT8_E4M3).minimal
    assert growth.rows[-1].classes_up_to == len(minimal.states)


def test_an_arithmetic_that_is_refused_costs_no_time():
    narrow = xn.FixedPoint(integer_bits=1, fraction_bits=4)
    with pytest.raises(UnsupportedArithmeticError, match="beyond the numbers of"):
        state_growth(xn.scalar_stack(), [xn.EXACT, narrow], max_length=10**6)


def test_a_network_of_nothing_has_one_state():
    circuit = Circuit(state_size=0, input_size=0, layers=(), next_state=())
    network = Network(circuit=circuit, initial_state=(), readout=(), alphabet=(), scalar_output=False)
    growth = state_growth(network, [xn.EXACT, xn.FLOAT16], max_length=1, continuations=1)
    assert [counts(found) for found in growth.arithmetics] == [[(1, 1), (0, 1)]] * 2


def test_without_symbols_there_is_the_empty_word_only():
    dead = xn.SimpleRNN(V=[[1]], W=[[1]], b=[1], s=[0], readout_weight=[1], alphabet=(EOS,))
    growth = state_growth(dead, [xn.EXACT], max_length=2).of(xn.EXACT)
    assert [(row.words, row.states, row.states_up_to, row.bits) for row in growth.rows] == [
        (1, 1, 1, 0), (0, 0, 1, 0), (0, 0, 1, 0)
    ]  # fmt: skip
    assert growth.saturated_from == 0


def test_zero_and_minus_zero_are_two_states_and_one_output():
    """Rounded down, 1 - 1 is -0."""
    down = replace(xn.FLOAT16, rounding=xn.Rounding.DOWN, name="")
    network = xn.SimpleRNN(V=[[0]], W=[[-1, 1]], b=[1], s=[0], readout_weight=[1], activation="identity")
    network = replace(network, alphabet=("a", "b"))
    _, row = state_growth(network, [down], max_length=1, continuations=0).of(down).rows
    assert (row.states_up_to, row.classes_up_to) == (3, 2)


def test_rows_and_records_hold_no_floats_and_words_of_any_number():
    growth = state_growth(xn.compile(xn.load("parity")), [xn.EXACT, xn.FLOAT16], max_length=15_000)
    rows = state_growth_rows(growth)
    assert len(rows) == 2 * 15_001
    assert gmpy2.mpz(rows[-1]["words"]) == 2**15_000
    assert not any(isinstance(value, float) for row in rows for value in row.values())
    small = state_growth(xn.gated_counter(), [xn.EXACT, xn.FLOAT8_E4M3], max_length=20, continuations=1)
    record = json.loads(json.dumps(state_growth_record(small)))
    assert record["arithmetics"]["float8_e4m3"]["saturated_from"] == 18
    assert [row["states"] for row in record["arithmetics"]["exact"]["rows"]][:4] == [1, 2, 4, 5]
    rounded = [row for row in state_growth_rows(small) if row["arithmetic"] == "float8_e4m3"]
    assert [row["length"] for row in rounded if row["saturated"]] == [18, 19, 20]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": -1}, "max_length=-1: give a whole number from 0 to 1000000"),
        ({"max_length": True}, "max_length=True"),
        ({"max_length": 2.0}, "max_length=2.0"),
        ({"continuations": -1}, "continuations=-1"),
        ({"continuations": "3"}, "continuations='3'"),
        ({"max_steps": -1}, "max_steps=-1"),
        ({"max_states": 0}, "max_states=0"),
        ({"max_bytes": 0}, "max_bytes=0"),
        ({"max_seconds": -1}, "max_seconds=-1"),
    ],
)
def test_wrong_numbers(options, message):
    with pytest.raises(OptionError, match=message):
        state_growth(xn.gated_counter(), [xn.EXACT], **({"max_length": 3} | options))


@pytest.mark.parametrize("arithmetics", [[], "exct", xn.CERTIFIED, None, ["exct"], [xn.EXACT, None]])
def test_wrong_arithmetics(arithmetics):
    with pytest.raises(OptionError, match="arithmetic"):
        state_growth(xn.gated_counter(), arithmetics, max_length=3)


def test_wrong_networks():
    vectors = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(OptionError, match="takes vectors"):
        state_growth(vectors, [xn.EXACT], max_length=3)
    with pytest.raises(NetworkError, match="no network"):
        state_growth(3, [xn.EXACT], max_length=3)
    random = replace(xn.FLOAT16, rounding=xn.Rounding.STOCHASTIC, name="")
    with pytest.raises(UnsupportedArithmeticError, match="random"):
        state_growth(xn.gated_counter(), [xn.EXACT, random], max_length=3)


def test_a_growth_without_the_arithmetic():
    growth = state_growth(xn.gated_counter(), [xn.EXACT, xn.FLOAT16], max_length=3)
    with pytest.raises(OptionError, match="is not in this growth of states: there are exact, float16"):
        growth.of(xn.FLOAT32)
