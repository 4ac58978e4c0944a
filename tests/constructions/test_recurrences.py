"""Word problems, parity, flip-flop, bounded Dyck and star-free languages as linear recurrences."""

import random
from itertools import product

import pytest
from every_executor import check_every_executor
from hypothesis import given
from hypothesis import strategies as st
from strategies import dfas

import exactnn as xn
from exactnn.arithmetic import NAMED_FORMATS
from exactnn.automata import LOST, cycles_of, least_rational_size, swaps_of, then
from exactnn.constructions.recurrences.word_problem import root_of_one
from exactnn.errors import ConstructionError, MachineError, OptionError
from exactnn.simulation import advance_by, executor_for

GROUPS = ["S3", "S4", "A4", "A5", "S5", "Z5", "Z6", "D4"]
NETS = {
    **{f"swaps {name}": lambda name=name: xn.word_problem(name) for name in GROUPS},
    **{f"matrices {name}": lambda name=name: xn.word_problem(name, "permutation") for name in ("S3", "A5")},
    "signs": lambda: xn.word_problem(["(1 2)", "(3 4)", "(1 2)(3 4)"], "diagonal"),
    "quarter turns": lambda: xn.word_problem("Z4", "rotation"),
    "parity": xn.parity_unit,
    "flip-flop": lambda: xn.flip_flop(3),
    "dyck 1 2": lambda: xn.bounded_dyck(1, 2),
    "dyck 2 3": xn.bounded_dyck,
    "dyck 3 2": lambda: xn.bounded_dyck(3, 2),
}
EVERY = pytest.mark.parametrize("name", NETS)


def check_square(net, arithmetic=xn.RATIONAL):
    """decode(step(encode(q))) = next(q), and the verdict, for every state and symbol."""
    executor, machine = executor_for(net.network, arithmetic), net.machine
    for state in machine.states:
        encoded = net.encode(state)
        assert net.decode(encoded) == state
        for number, symbol in enumerate(machine.input_symbols):
            segment = advance_by(executor, encoded, number, 1)
            following = machine.transitions[state][symbol]
            assert net.decode(segment.state) == following
            above = segment.outputs[-1][0] > net.network.decision.threshold
            assert above == (following in machine.final_states)


@EVERY
def test_the_square(name):
    check_square(NETS[name]())


@pytest.mark.parametrize("name", ["swaps S3", "signs", "parity", "flip-flop", "dyck 1 2"])
def test_it_is_the_automaton_in_formats(name):
    """Extraction proves it for words of any length."""
    net = NETS[name]()
    for format in (xn.FLOAT4_E2M1, xn.BFLOAT16):
        assert xn.equivalent((net, format), net.machine).equal is True, format


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NETS if not name.startswith("dyck")])
def test_it_is_the_automaton_in_every_format(name):
    net = NETS[name]()
    for format in NAMED_FORMATS.values():
        assert xn.equivalent((net, format), net.machine).equal is True, format


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dyck 1 2", "dyck 2 3", "dyck 3 2"])
def test_it_is_the_automaton_on_many_words(name):
    """These have more states, in a format, than an extraction goes through in a short while."""
    net, rng = NETS[name](), random.Random(5)
    words = [rng.choices(net.machine.input_symbols, k=rng.randint(0, 40)) for _ in range(200)]
    for format in NAMED_FORMATS.values():
        for word in words:
            assert xn.run(net, word, arithmetic=format).accepted == net.machine.accepts(word), (format, word)


@pytest.mark.slow
@EVERY
def test_every_executor_runs_it(name):
    net = NETS[name]()
    check_every_executor(net.network, random.Random(name).choices(net.machine.input_symbols, k=3))


def test_the_sizes():
    """Units, weights and layers of the published cells; the whole matrix has five rows."""
    sizes = {"A5": (204, 380, 17), "S5": (51, 102, 5)}
    for name, size in sizes.items():
        circuit = xn.word_problem(name).network.circuit
        assert (circuit.units, circuit.weights, len(circuit.layers)) == size
    one_row = xn.DeltaNet(
        K=[[int(j == a) - int(j == a + 1) for a in range(4)] for j in range(5)],
        beta=[1] * 4, S=[[0, 1, 2, 3, 4]], readout_weight=[1] * 5, alphabet="abcd",
    )  # fmt: skip
    assert (one_row.circuit.units, one_row.circuit.weights, len(one_row.circuit.layers)) == (15, 30, 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["S5", "A5"])
@pytest.mark.parametrize("format", [xn.FLOAT8_E4M3, xn.BFLOAT16, xn.FLOAT32])
def test_long_words(name, format):
    net = xn.word_problem(name)
    group = xn.PermutationGroup(name)
    word = random.Random(1).choices(group.symbols, k=2000)
    result = xn.run(net, word, arithmetic=format)
    assert net.decode(result.final_state) == group.printed(group.product(word))


def test_how_many_swaps():
    """Elements by the least number of reflections, breadth first: places less cycles."""
    counts = {"S3": [1, 3, 2], "S4": [1, 6, 11, 6], "S5": [1, 10, 35, 50, 24], "A5": [1, 0, 35, 0, 24]}
    for name, expected in counts.items():
        group = xn.PermutationGroup(name)
        least = least_swaps(group.degree)
        found = [0] * len(expected)
        for element in group.elements:
            swaps = swaps_of(element)
            assert len(swaps) == least[element]
            found[len(swaps)] += 1
            back = group.identity
            for first, second in swaps:
                back = then(back, tuple({first: second, second: first}.get(i, i) for i in range(group.degree)))
            assert back == element
        assert found == expected


def least_swaps(degree):
    swaps = [tuple({i: j, j: i}.get(k, k) for k in range(degree)) for i in range(degree) for j in range(i)]
    found = {tuple(range(degree)): 0}
    for element in (waiting := list(found)):
        for swap in swaps:
            if (following := then(element, swap)) not in found:
                found[following] = found[element] + 1
                waiting.append(following)
    return found


def test_sizes_of_rational_matrices():
    assert [k for k in range(1, 40) if least_rational_size(k) <= 2] == [1, 2, 3, 4, 6]
    assert [k for k in range(1, 40) if least_rational_size(k) <= 4] == [1, 2, 3, 4, 5, 6, 8, 10, 12]
    assert [least_rational_size(k) for k in (2, 5, 30)] == [1, 4, 6]


def test_orders_of_two_by_two_matrices():
    """All integer matrices with entries from -3 to 3."""
    orders = set()
    for a, b, c, d in product(range(-3, 4), repeat=4):
        x = (1, 0, 0, 1)
        for power in range(1, 13):
            x = (x[0] * a + x[1] * c, x[0] * b + x[1] * d, x[2] * a + x[3] * c, x[2] * b + x[3] * d)
            if x == (1, 0, 0, 1):
                orders.add(power)
                break
    assert orders == {1, 2, 3, 4, 6}


def test_names_of_groups():
    assert [xn.PermutationGroup(name).order for name in ("S1", "S4", "A3", "A4", "A5", "A6", "Z7", "C7", "D6")] == [
        1, 24, 3, 12, 60, 360, 7, 7, 12,
    ]  # fmt: skip
    assert xn.PermutationGroup(["(123)", [(1, 2)]]).order == 6
    assert xn.PermutationGroup("(1 2 3)(4 5)").order == 6
    group = xn.PermutationGroup("S4")
    assert all(group.element(group.printed(element)) == element for element in group.elements)
    assert cycles_of(group.product("ab")) == [(0, 2, 1)]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("Q8", "there is no group 'Q8'"), ("S0", "no group"), ("S12", "more than 50,000"), ([], "generators is"),
        (["(1 2"], "no permutation"), (["(1 1)"], "no permutation"), ([3], "no permutation"), (7, "generators is 7"),
        (["(1 2000)"], "moves the place 2000"),
    ],
)  # fmt: skip
def test_what_are_no_groups(given, told):
    with pytest.raises(MachineError, match=told):
        xn.PermutationGroup(given)


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        (("S3", "diagonal"), ConstructionError, "S3 has no diagonal network: a b is not b a"),
        (("Z3", "diagonal"), ConstructionError, r"a = \(1 2 3\) has order 3"),
        (("S3", "rotation"), ConstructionError, "is not cyclic"),
        (("S3", "gru"), OptionError, "gru"),
        (("Z60", "permutation"), ConstructionError, "moves 60 places"),
    ],
)
def test_what_has_no_network(arguments, error, told):
    with pytest.raises(error, match=told):
        xn.word_problem(*arguments)


def test_rounded_roots():
    assert root_of_one(1, 5, xn.FLOAT16) == (
        xn.FLOAT16.nearest(root_of_one(1, 5, None)[0]),
        root_of_one(1, 5, xn.FLOAT16)[1],
    )
    for order in (3, 5, 7, 12):
        for power in range(order):
            x, y = root_of_one(power, order, None)
            assert abs(x * x + y * y - 1) < 1e-80


def test_a_state_that_is_lost():
    nan = float("nan")
    for net, state in (
        (xn.parity_unit(), (nan,)),
        (xn.flip_flop(), (nan,)),
        (xn.word_problem("Z5", "rotation"), (0, 0)),
    ):
        assert net.decode(state) is LOST
    assert xn.word_problem("S3").decode((1,) * 9) is LOST
    assert xn.bounded_dyck().decode((2, 1, 0, 0, 0)) is LOST


@pytest.mark.slow
def test_every_short_word():
    for net, length, count in (
        (xn.flip_flop(3), 8, 87_381),
        (xn.bounded_dyck(1, 2), 12, 8_191),
    ):
        seen = 0
        executor = executor_for(net.network, xn.RATIONAL)
        level = [(executor.start(), net.machine.initial_state)]
        for n in range(length + 1):
            for state, q in level:
                above = executor.output(state) > net.network.decision.threshold
                assert above == (q in net.machine.final_states)
                seen += 1
            if n < length:
                level = [
                    (advance_by(executor, state, a, 1).state, net.machine.transitions[q][symbol])
                    for state, q in level for a, symbol in enumerate(net.machine.input_symbols)
                ]  # fmt: skip
        assert seen == count


# --- Star-free languages.


def aperiodic(dfa):
    """Whether no element of the monoid has a period, by powers."""
    size = len(dfa.states)
    number = {q: i for i, q in enumerate(dfa.states)}
    letters = [tuple(number[dfa.transitions[q][a]] for q in dfa.states) for a in dfa.input_symbols]
    found = {tuple(range(size))}
    for element in (waiting := list(found)):
        for letter in letters:
            if (following := tuple(letter[i] for i in element)) not in found:
                found.add(following)
                waiting.append(following)

    def power(element, n):
        result = tuple(range(size))
        for _ in range(n):
            result = tuple(element[i] for i in result)
        return result

    return all(power(element, size) == power(element, size + 1) for element in found)


@given(dfa=dfas())
def test_star_free_is_what_is_aperiodic(dfa):
    if aperiodic(dfa):
        net = xn.star_free(dfa)
        check_square(net)
    else:
        with pytest.raises(ConstructionError, match="is not aperiodic: the word"):
            xn.star_free(dfa)


@st.composite
def monotone_automata(draw):
    """Automata whose letters keep the order of the states have no groups."""
    size = draw(st.integers(2, 5))
    rows = draw(
        st.lists(st.lists(st.integers(0, size - 1), min_size=size, max_size=size).map(sorted), min_size=1, max_size=3)
    )
    letters = "abc"[: len(rows)]
    return xn.DFA(
        states=range(size), input_symbols=letters, initial_state=draw(st.integers(0, size - 1)),
        final_states=draw(st.sets(st.integers(0, size - 1))),
        transitions={q: {a: rows[i][q] for i, a in enumerate(letters)} for q in range(size)},
    )  # fmt: skip


@given(dfa=monotone_automata(), data=st.data())
def test_star_free_on_larger_automata(dfa, data):
    net = xn.star_free(dfa)
    check_square(net)
    word = data.draw(st.lists(st.sampled_from(dfa.input_symbols), max_size=20))
    result = xn.run(net, word, arithmetic=xn.RATIONAL, record="all")
    assert all(value in (0, 1) for state in result.trace for value in state)
    assert bool(result.verdict) == dfa.accepts(word)


# --- Rotations in formats: what rounding makes of a group of five.


def first_wrong(net, format):
    """Return after how many equal letters the state is decoded wrongly first, or None where states come round."""
    executor = executor_for(net.network, format)
    symbol, element, state = net.machine.input_symbols[0], net.machine.initial_state, executor.start()
    seen, steps = set(), 0
    while (element, executor.values(state)) not in seen:
        seen.add((element, executor.values(state)))
        if net.decode(executor.values(state)) != element:
            return steps
        state = advance_by(executor, state, 0, 1).state
        element, steps = net.machine.transitions[element][symbol], steps + 1
    return None


@pytest.mark.parametrize(
    ("format", "rounded", "exact"),
    [(xn.FLOAT8_E5M2, 33, 56), (xn.FLOAT8_E4M3, 38, 83), (xn.BFLOAT16, None, None), (xn.FLOAT16, None, None)],
)
def test_where_a_rounded_rotation_leaves_its_group(format, rounded, exact):
    assert first_wrong(xn.word_problem("Z5", "rotation"), format) == rounded
    if exact is not None:
        assert first_wrong(xn.word_problem("Z5", "rotation", weights=format), xn.RATIONAL) == exact
