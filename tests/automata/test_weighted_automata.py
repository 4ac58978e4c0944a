"""Weighted automata: values are products of matrices; least sizes and equality against plain definitions."""

from fractions import Fraction
from itertools import permutations, product
from math import prod
from random import Random

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import WeightedAutomaton, compare_weighted, minimal_weighted
from exactnn.automata.weighted_decisions import _ForwardSpace
from exactnn.errors import (
    ConstructionError,
    MachineError,
    MachineFileError,
    NetworkError,
    OptionError,
    WordError,
)
from exactnn.linear_algebra import primes, reduced_rows
from exactnn.linear_algebra import rank as plain_rank
from exactnn.machine_files import write_yaml
from exactnn.strategies import dfas

COUNT = WeightedAutomaton(
    input_symbols="ab", initial=[1, 0], final=[0, 1], transitions={"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]}
)
SIGN = WeightedAutomaton(input_symbols="ab", initial=[1], final=[1], transitions={"a": [[-1]], "b": [[1]]})
BINARY = WeightedAutomaton(
    input_symbols="01", initial=[1, 0], final=[0, 1], transitions={"0": [[1, 0], [0, 2]], "1": [[1, 1], [0, 2]]}
)
NUMBERS = st.builds(Fraction, st.integers(-3, 3), st.integers(1, 3))


@st.composite
def automata(draw, most=4, symbols="ab", numbers=NUMBERS):
    size = draw(st.integers(0, most))
    row = st.lists(numbers, min_size=size, max_size=size)
    return WeightedAutomaton(
        input_symbols=symbols,
        initial=draw(row),
        final=draw(row),
        transitions={a: [draw(row) for _ in range(size)] for a in symbols},
    )


def words(symbols, most):
    return ["".join(word) for length in range(most + 1) for word in product(symbols, repeat=length)]


def plain_value(automaton, word):
    """The value by its definition: the sum over all paths."""
    total = mpq(0)
    states = range(automaton.size)
    for path in product(states, repeat=len(word) + 1):
        weight = automaton.initial[path[0]] * automaton.final[path[-1]]
        for i, symbol in enumerate(word):
            weight *= automaton.transitions[symbol][path[i]][path[i + 1]]
        total += weight
    return total


def hankel(automaton, most):
    """The block of the Hankel matrix of words up to a length."""
    some = words(automaton.input_symbols, most)
    return tuple(tuple(automaton.value(u + v) for v in some) for u in some)


@given(automata(most=3), st.sampled_from(words("ab", 4)))
def test_a_value_is_the_sum_over_all_paths(automaton, word):
    assert automaton.value(word) == plain_value(automaton, word)


@given(automata(), automata(), NUMBERS)
def test_sums_products_and_reversal(first, second, factor):
    for word in words("ab", 3):
        x, y = first.value(word), second.value(word)
        assert (first + second).value(word) == x + y
        assert (first - second).value(word) == x - y
        assert (first * second).value(word) == x * y
        assert (factor * first).value(word) == (first * factor).value(word) == x * mpq(factor)
        assert first.reversed().value(word) == first.value(word[::-1])
        assert first.trimmed().value(word) == x
    assert (first + second).size == first.size + second.size
    assert (first * second).size == first.size * second.size


@given(automata())
def test_the_least_size_is_the_rank_of_the_hankel_matrix(automaton):
    least = minimal_weighted(automaton)
    assert least.size == plain_rank(hankel(automaton, max(0, automaton.size - 1)))
    assert compare_weighted(automaton, least).equal
    assert all(automaton.value(word) == least.value(word) for word in words("ab", 4))


@settings(max_examples=30)
@given(automata(most=3), automata(most=3), st.booleans())
def test_equality_is_that_of_all_words_shorter_than_the_bound(first, second, same):
    second = first + second - second if same else second
    found = compare_weighted(first, second)
    bound = min(found.bound, 6)
    different = [word for word in words("ab", bound - 1) if first.value(word) != second.value(word)]
    assert found.bound == first.size + second.size
    if found.equal:
        assert not different
    else:
        assert len(found.witness) < found.bound
        assert found.values == (first.value(found.witness), second.value(found.witness))
        assert found.values[0] != found.values[1]
        assert not different or len(different[0]) == len(found.witness)
        assert len(found.witness) < bound or not different


@pytest.mark.parametrize("n", range(1, 5))
@pytest.mark.parametrize("m", range(1, 5))
def test_the_bound_is_attained(n, m):
    """The weights 1/prod(x - y) make all divided differences of 1, x, x², ... but the last vanish."""
    poles = range(1, n + m + 1)
    weights = [Fraction(1, prod(x - y for y in poles if y != x)) for x in poles]

    def sums(some, sign):
        return WeightedAutomaton(
            input_symbols="a",
            initial=[1] * len(some),
            final=[sign * weights[x - 1] for x in some],
            transitions={"a": [[x if x == y else 0 for y in some] for x in some]},
        )

    found = compare_weighted(sums(poles[:n], 1), sums(poles[n:], -1))
    assert len(found.witness) == n + m - 1 == found.bound - 1


def test_counts_signs_and_binary_numbers():
    assert [minimal_weighted(automaton).size for automaton in (COUNT, SIGN, COUNT * COUNT, BINARY)] == [2, 1, 3, 2]
    assert (COUNT * COUNT).size == 4
    assert (COUNT * COUNT).value("aabaa") == 16
    assert BINARY.value("101101") == 45
    assert minimal_weighted(SIGN + SIGN).size == 1
    assert minimal_weighted(COUNT - COUNT).size == 0


RANKS = {
    "tomita-1": (1, 2), "tomita-2": (2, 3), "tomita-3": (4, 5), "tomita-4": (3, 4), "tomita-5": (4, 4),
    "tomita-6": (3, 3), "tomita-7": (4, 5), "parity": (2, 1), "divisible-by-3": (3, 3),
    "divisible-by-7": (7, 7),
}  # fmt: skip
"""Least sizes of the 0/1 function of a language, and of the one that is 1 and -1."""


@pytest.mark.parametrize("name", RANKS)
def test_languages(name):
    dfa = xn.load(name)
    both = [WeightedAutomaton.from_dfa(dfa, rejected=rejected) for rejected in (0, -1)]
    assert tuple(minimal_weighted(automaton).size for automaton in both) == RANKS[name]
    for word in words(dfa.input_symbols, 4):
        accepted = xn.interpret(dfa, word).verdict == "accept"
        assert [automaton.value(word) for automaton in both] == [int(accepted), 1 if accepted else -1]


def generated(generators):
    """The group that permutations generate."""
    group, new = set(), [tuple(range(len(generators[0])))]
    while new:
        element = new.pop()
        if element not in group:
            group.add(element)
            new += [tuple(g[i] for i in element) for g in generators]
    return sorted(group)


def even(permutation):
    return sum(x > y for i, x in enumerate(permutation) for y in permutation[i:]) % 2 == 0


GROUPS = {
    "S3": ([(1, 0, 2), (1, 2, 0)], 6, 3, 5),
    "A5": ([(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)], 60, 5, 17),
}
"""Generators; the ranks of [w = e], of [0 goes to 0], and of the number of fixed points: sums of squares of degrees."""


@pytest.mark.parametrize("name", GROUPS)
def test_word_problems_of_groups(name):
    generators, *ranks = GROUPS[name]
    group, points = generated(generators), range(len(generators[0]))
    assert group == sorted(p for p in permutations(points) if name == "S3" or even(p))
    number = {element: i for i, element in enumerate(group)}

    def matrix(size, image):
        return [[int(image(i) == j) for j in range(size)] for i in range(size)]

    def first(size):
        return [int(i == 0) for i in range(size)]

    symbols = "ab"
    regular = {
        a: matrix(len(group), lambda i, g=g: number[tuple(g[x] for x in group[i])])
        for a, g in zip(symbols, generators, strict=True)
    }
    identity = [int(element == tuple(points)) for element in group]
    word_problem = WeightedAutomaton(input_symbols=symbols, initial=identity, final=identity, transitions=regular)
    moves = {a: matrix(len(points), lambda i, g=g: g[i]) for a, g in zip(symbols, generators, strict=True)}
    goes_home = WeightedAutomaton(
        input_symbols=symbols, initial=first(len(points)), final=first(len(points)), transitions=moves
    )
    fixed = WeightedAutomaton(input_symbols=symbols, initial=[], final=[], transitions={a: [] for a in symbols})
    for point in points:
        one = [int(i == point) for i in points]
        fixed = fixed + WeightedAutomaton(input_symbols=symbols, initial=one, final=one, transitions=moves)
    assert [minimal_weighted(automaton).size for automaton in (word_problem, goes_home, fixed)] == ranks
    if name == "S3":
        signs = {a: [[1 if even(g) else -1]] for a, g in zip(symbols, generators, strict=True)}
        assert minimal_weighted(
            WeightedAutomaton(input_symbols=symbols, initial=[1], final=[1], transitions=signs)
        ).size == 1  # fmt: skip


@given(automata(), st.sampled_from(words("ab", 5)))
def test_from_an_automaton_to_a_network_and_back(automaton, word):
    if not automaton.size:
        with pytest.raises(ConstructionError, match="no states"):
            xn.compile(automaton)
        return
    built = xn.compile(automaton)
    run = xn.run(built, word)
    assert (run.outputs[-1] if word else run.initial_output) == automaton.value(word)
    assert built.decode(run.final_state) == automaton.forward(word)
    assert built.encode(automaton.forward(word)) == automaton.forward(word)
    with pytest.raises(ConstructionError, match="weights has"):
        built.encode((*automaton.initial, 1))
    with pytest.raises(ConstructionError, match="'minsky' does not compile a WeightedAutomaton"):
        xn.compile(automaton, construction="minsky")
    assert str(automaton.size) in repr(built)
    assert built.as_table().rows
    again = xn.to_weighted(built)
    assert again.transitions == automaton.transitions
    assert (again.initial, again.final) == (automaton.initial, automaton.final)


@st.composite
def linear_networks(draw):
    n, m = draw(st.integers(1, 3)), draw(st.integers(1, 2))

    def vector(size):
        return draw(st.lists(NUMBERS, min_size=size, max_size=size))

    def matrix(height, width):
        return [vector(width) for _ in range(height)]

    layers = [
        draw(st.sampled_from([
            xn.SimpleRNNLayer(V=matrix(n, n), W=matrix(n, 2), b=vector(n), s=vector(n), activation="identity"),
            xn.SecondOrderRNNLayer(A=[matrix(n, 2) for _ in range(n)], U=matrix(n, n), V=matrix(n, 2), b=vector(n),
                                   s=vector(n)),
        ]))
    ]  # fmt: skip
    if draw(st.booleans()):
        layers.append(
            xn.SimpleRNNLayer(V=matrix(m, m), W=matrix(m, n), b=vector(m), s=vector(m), activation="identity")
        )
    top = layers[-1].hidden_size
    return xn.StackedRNN(layers, readout_weight=vector(top), readout_bias=draw(NUMBERS), alphabet="ab")


@given(linear_networks())
def test_a_linear_network_is_an_automaton(network):
    automaton = xn.to_weighted(network)
    assert xn.equivalent(automaton, network).equal
    assert automaton.size in (network.neurons, network.neurons + 1)
    for word in words("ab", 3):
        run = xn.run(network, word)
        assert automaton.value(word) == (run.outputs[-1] if word else run.initial_output)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (xn.minsky(xn.load("parity")), "has the activation relu"),
        (xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1]), "has to read symbols"),
        (
            xn.StackedRNN(
                [xn.SecondOrderRNNLayer(A=[[[1]]], s=[1]), xn.SecondOrderRNNLayer(A=[[[1]]], s=[1])],
                readout_weight=[1],
                alphabet="a",
            ),
            "unit 'h2\\[0\\]' of stacked RNN multiplies two numbers that depend on the state",
        ),
        (3, "3 is no network"),
    ],
)
def test_what_is_not_linear_is_refused(network, message):
    with pytest.raises(NetworkError, match=message):
        xn.to_weighted(network)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"initial": [1]}, "final has 2 entries, not 1"),
        ({"transitions": {"a": [[1, 1], [0, 1]]}}, "transitions has no matrix for 'b'"),
        ({"transitions": {"a": [[1]], "b": [[1]]}}, r"transitions\['a'\] has 1 rows, not 2"),
        ({"transitions": {**COUNT.transitions, "c": [[1, 0], [0, 1]]}}, "a matrix for 'c', which is no input symbol"),
        ({"transitions": 3}, "transitions is 3: give a mapping"),
        ({"final": [0, float("nan")]}, r"final\[1\]: .*nan"),
        ({"input_symbols": ["a", 1]}, "input symbol 1 is not a string"),
        ({"initial": [0] * 1_000_000, "final": [0] * 1_000_000}, "more than 10,000,000 entries"),
        ({"initial": 7}, "initial is 7"),
    ],
)  # fmt: skip
def test_what_is_no_automaton_is_refused_in_a_line(change, message):
    given = {"input_symbols": "ab", "initial": [1, 0], "final": [0, 1], "transitions": COUNT.transitions}
    with pytest.raises(MachineError, match=message) as refused:
        WeightedAutomaton(**(given | change))
    assert "\n" not in str(refused.value)


def test_automata_of_all_kinds_are_compared_by_their_values():
    odd = xn.load("parity")
    weighted = WeightedAutomaton.from_dfa(odd)
    assert xn.equivalent(weighted, odd).equal
    sign = WeightedAutomaton(input_symbols="01", initial=[1], final=[1], transitions={"0": [[1]], "1": [[-1]]})
    found = xn.equivalent(odd, sign)
    assert (found.equal, found.witness, found.labels, found.bound) == (False, (), (0, 1), -1)
    half = WeightedAutomaton(input_symbols="01", initial=["1/2"], final=[1], transitions={"0": [[1]], "1": [[1]]})
    assert xn.equivalent(weighted, half + mpq(-1, 2) * sign).equal
    with pytest.raises(OptionError, match="gives words values"):
        xn.equivalent(odd, sign, by="acceptance")
    with pytest.raises(OptionError, match="gives words no values"):
        xn.equivalent(xn.load("anbn"), sign)
    with pytest.raises(OptionError, match="reads EOS"):
        xn.equivalent(xn.siegelmann_sontag(xn.load("anbn")), sign)


def test_networks_that_are_not_linear_are_compared_by_value_too():
    parity = xn.load("parity")
    sign = xn.load("sign-of-parity")
    assert xn.equivalent(xn.minsky(parity), WeightedAutomaton.from_dfa(parity)).equal
    found = xn.equivalent(xn.minsky(parity), sign)
    assert (found.equal, found.witness, found.labels) == (False, (), (0, 1))
    assert xn.equivalent((xn.compile(sign), xn.FLOAT8_E4M3), sign).equal
    counting = xn.load("counting")
    found = xn.equivalent(counting, (xn.compile(counting), xn.FLOAT8_E4M3))
    assert (found.witness, found.labels, found.bound) == (("a",) * 17, (17, 16), 16)
    nothing = WeightedAutomaton(input_symbols="01", initial=[], transitions={"0": [], "1": []}, final=[])
    assert xn.equivalent(xn.minsky(parity), nothing).witness == ("1",)


def test_linear_networks_are_decided():
    def network(scale, **options):
        return xn.SecondOrderRNN(
            A=[[["9/10", "1/2"]]], V=[[1, 0]], s=[scale], readout_weight=[scale], alphabet="ab", **options
        )

    one, two = network(1), network("-1")
    assert xn.equivalent(one, network(1)).equal
    found = xn.equivalent(one, two)
    assert (found.equal, found.witness, found.labels) == (False, ("a",), (mpq(19, 10), mpq(-1, 10)))
    assert xn.equivalent(one, one, by="value").equal
    simple = xn.SimpleRNN(weight_hh=[[2]], weight_ih=[[0]], bias=[0], s=[1], readout_weight=[1], alphabet="a",
                          activation="identity")  # fmt: skip
    half = xn.SimpleRNN(weight_hh=[[2]], weight_ih=[[0]], bias=[0], s=["1/2"], readout_weight=[1], alphabet="a",
                        activation="identity")  # fmt: skip
    assert xn.equivalent(simple, half, by="value").labels == (1, mpq(1, 2))
    assert xn.equivalent(simple, half, max_length=20).equal is None  # verdicts: both are above 0 for ever


def test_other_symbols_are_refused():
    with pytest.raises(WordError, match="'c'"):
        COUNT.value("abc")
    with pytest.raises(MachineError, match="give the same"):
        COUNT + BINARY
    with pytest.raises(TypeError):
        COUNT * "x"


def test_words_may_be_longer_than_calls_are_deep():
    space = _ForwardSpace(SIGN, next(primes()))
    assert space.weights(("a",) * 5001) == (-1,)


def test_a_long_line_of_states():
    """A delay of 150 steps in a line of 200 states; the rest cannot be told apart."""
    size, delay = 200, 150
    automaton = WeightedAutomaton(
        input_symbols="a",
        initial=[int(i == 0) for i in range(size)],
        final=[int(i == delay) for i in range(size)],
        transitions={"a": [[int(j == i + 1) for j in range(size)] for i in range(size)]},
    )
    least = minimal_weighted(automaton)
    assert least.size == delay + 1
    assert [least.value("a" * n) for n in (delay - 1, delay, delay + 1)] == [0, 1, 0]


def test_prime_denominators_and_dependence_modulo_a_prime_only():
    """The first prime divides a denominator; then it makes two rows dependent that are not."""
    prime = next(primes())
    for entry, size in ((mpq(1, prime), 2), (mpq(prime), 2)):
        automaton = WeightedAutomaton(
            input_symbols="a", initial=[1, 0], final=[0, 1], transitions={"a": [[1, entry], [0, 1]]}
        )
        assert minimal_weighted(automaton).size == size
        assert compare_weighted(automaton, minimal_weighted(automaton)).equal
        zero = WeightedAutomaton(input_symbols="a", initial=[], final=[], transitions={"a": []})
        assert compare_weighted(automaton, zero).witness == ("a",)


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), max_size=5))
def test_reduced_rows_are_those_of_elimination(rows):
    matrix = [tuple(mpq(x) for x in row) for row in rows]
    reduced, columns = reduced_rows(matrix)
    assert len(reduced) == len(columns) == plain_rank(tuple(matrix))
    assert plain_rank((*matrix, *reduced)) == len(reduced)
    for i, (row, column) in enumerate(zip(reduced, columns, strict=True)):
        assert row[column] == 1
        assert not any(row[:column])
        assert not any(other[column] for j, other in enumerate(reduced) if j != i)


@pytest.mark.parametrize("multiple", [1, -3])
def test_automata_that_are_equal_modulo_the_first_primes_are_told_apart(multiple):
    several = primes()
    beyond = multiple * next(several) * next(several)

    def constant(value):
        return WeightedAutomaton(input_symbols="ab", initial=[value], final=[1], transitions={"a": [[1]], "b": [[2]]})

    assert compare_weighted(constant(1), constant(1)).equal
    found = compare_weighted(constant(1), constant(1 + beyond))
    assert (found.equal, found.witness, found.values) == (False, (), (1, 1 + beyond))
    with_step = WeightedAutomaton(
        input_symbols="ab", initial=[1], final=[1], transitions={"a": [[1]], "b": [[2 + beyond]]}
    )
    assert compare_weighted(constant(1), with_step).witness == ("b",)
    assert minimal_weighted(constant(1) + constant(1 + beyond)).size == 1
    assert minimal_weighted(constant(1) + with_step).size == 2


@given(dfas(max_states=4))
def test_from_a_dfa_to_values_and_back(dfa):
    """The network of the weighted automaton has finitely many states, which are those of the minimal automaton."""
    automaton = WeightedAutomaton.from_dfa(dfa)
    found = xn.extract_state_machine(xn.compile(automaton), xn.EXACT)
    assert found.complete
    machine = found.automaton
    back = xn.DFA(
        states=machine.states, input_symbols=machine.input_symbols, transitions=machine.transitions,
        initial_state=machine.initial_state, final_states=[q for q in machine.states if machine.outputs[q] == "1"],
    )  # fmt: skip
    assert xn.equivalent(back, dfa).equal
    assert compare_weighted(automaton, WeightedAutomaton.from_dfa(back)).equal
    moore = WeightedAutomaton.from_moore_machine(machine)
    assert compare_weighted(automaton, moore).equal


def test_primes_in_denominators_are_passed_over():
    several = primes()
    one, two = next(several), next(several)
    for begin, step, end in ((mpq(1, one), 1, 1), (1, mpq(1, two), 1), (1, 1, mpq(1, one * two))):
        automaton = WeightedAutomaton(input_symbols="a", initial=[begin], transitions={"a": [[step]]}, final=[end])
        assert compare_weighted(automaton, automaton).equal
        assert xn.equivalent(automaton, 2 * automaton).witness == ()
        assert minimal_weighted(automaton + automaton).size == 1


def test_long_weights_are_compared_over_the_rationals():
    random = Random(1)

    def row():
        return [mpq(random.getrandbits(3000) + 1, random.getrandbits(3000) | 1) for _ in range(3)]

    automaton = WeightedAutomaton(
        input_symbols="ab", initial=row(), transitions={a: [row() for _ in range(3)] for a in "ab"}, final=row()
    )
    assert compare_weighted(automaton, automaton.reversed().reversed()).equal
    other = automaton + mpq(1, 2**9000) * automaton
    assert compare_weighted(automaton, other).witness == ()


def chain(length):
    """1 on a^(length - 1), else 0."""
    steps = [[int(j == i + 1) for j in range(length)] for i in range(length)]
    return WeightedAutomaton(
        input_symbols="a", initial=[1] + [0] * (length - 1), transitions={"a": steps}, final=[0] * (length - 1) + [1]
    )


def test_limits_of_a_comparison_of_values():
    found = xn.equivalent(chain(10), 0 * chain(10), max_length=3)
    assert (found.equal, found.bound, found.witness) == (None, 3, None)
    assert "more than 3 symbols" in found.reason
    assert xn.equivalent(chain(10), 0 * chain(10), max_length=9).witness == ("a",) * 9
    assert xn.equivalent(chain(10), chain(10), max_length=3).equal
    with pytest.raises(OptionError, match="max_seconds"):
        xn.equivalent(COUNT, COUNT, max_seconds="y")


def test_acceptance_of_linear_networks_is_no_matter_of_values():
    """A network that gives outputs accepts no word, whatever the outputs."""
    one, two = xn.compile(COUNT), xn.compile(2 * COUNT)
    assert xn.equivalent(one, two, by="acceptance", max_length=4).equal is not False
    assert xn.equivalent(one, two).equal is False


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: list(COUNT.path("ac")), WordError, "'c'"),
        (lambda: list(COUNT.path(None)), WordError, "None"),
        (lambda: WeightedAutomaton.from_dfa(None), MachineError, "no DFA"),
        (lambda: WeightedAutomaton.from_moore_machine(xn.load("parity")), MachineError, "from_dfa"),
        (lambda: write_yaml(COUNT), MachineFileError, "MachineFile"),
        (lambda: COUNT.on_states([5]), MachineError, "kept is .5."),
        (lambda: COUNT.on_states("a"), MachineError, "'a'"),
        (lambda: COUNT.on_states([0, 0]), MachineError, "different numbers"),
        (lambda: xn.hankel_rank(COUNT, 1, input_symbols="xy"), OptionError, "leave them out"),
    ],
)
def test_wrong_arguments_are_refused_in_a_line(call, error, message):
    with pytest.raises(error, match=message) as refused:
        call()
    assert "\n" not in str(refused.value)
