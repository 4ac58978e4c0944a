"""Every unitary candidate with fewer than 2n states is refuted by a word, and 2n states are enough."""

import dataclasses
from fractions import Fraction
from importlib import import_module

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.contraction import (
    activation_cell,
    contractivity,
    elman,
    refute_unitary_candidate,
    relu_witness,
    smt_cell_lower_bound,
    smt_lower_bound,
    unitary,
)
from exactnn.errors import CertificateError, ConstructionError, OptionError, WordError
from exactnn.linear_algebra import characteristic_polynomial, identity, is_isometry, product, rank
from exactnn.networks import SimpleRNN
from exactnn.simulation import run

SMALL = st.builds(mpq, st.integers(-3, 3), st.integers(1, 3))


def matrices(rows, columns, entries=SMALL):
    return st.lists(st.lists(entries, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def orthogonal(draw, size):
    """Products of reflections along rational vectors, up to signs: every rational orthogonal matrix is one."""
    matrix = identity(size)
    for vector in draw(matrices(draw(st.integers(0, size)), size)):
        length = sum(x * x for x in vector)
        if length:
            mirror = [[(i == j) - 2 * x * y / length for j, y in enumerate(vector)] for i, x in enumerate(vector)]
            matrix = product(matrix, tuple(map(tuple, mirror)))
    assert is_isometry(matrix, (mpq(1),) * size)
    return matrix


@st.composite
def candidates(draw, *, states, recurrent=orthogonal):
    """Networks with `states(n)` states; some read their input as the witness does, which makes identities hold."""
    n = draw(st.integers(1, 3))
    m = draw(states(n))
    plain = [[mpq(i == j) for j in range(n)] for i in range(m)]
    F = draw(st.one_of(matrices(m, n), st.just(plain)))
    C = draw(st.one_of(matrices(n, m), st.just([list(column) for column in zip(*plain, strict=True)])))
    vectors = st.one_of(st.just([0] * m), st.lists(SMALL, min_size=m, max_size=m))
    c = draw(st.one_of(st.just([0] * n), st.lists(SMALL, min_size=n, max_size=n)))
    return SimpleRNN(V=draw(recurrent(m)), W=F, b=draw(vectors), s=draw(vectors), readout_weight=C, readout_bias=c)


def fewer(n):
    return st.integers(1, 2 * n - 1)


def fraction(x):
    return Fraction(int(mpq(x).numerator), int(mpq(x).denominator))


def combined(weights, values, constant):
    return sum((fraction(w) * x for w, x in zip(weights, values, strict=True)), fraction(constant))


def plain_outputs(network, word):
    """Run a simple ReLU network in fractions, written once more."""
    matrices = elman(network)
    state = [fraction(x) for x in matrices.s]
    outputs = []
    for vector in word:
        inputs = [fraction(x) for x in vector]
        driven = [combined(row, inputs, bias) for row, bias in zip(matrices.W, matrices.b, strict=True)]
        state = [max(Fraction(0), combined(row, state, 0) + x) for row, x in zip(matrices.V, driven, strict=True)]
        outputs.append(
            tuple(sum((fraction(w) * state[r] for r, w in u.linear), fraction(u.bias)) for u in network.readout)
        )
    return outputs


@given(candidates(states=fewer), st.sampled_from((mpq(1), mpq(1, 7), mpq(100))))
def test_a_candidate_with_fewer_states_is_refuted_by_a_word_within_the_bound(candidate, bound):
    found = refute_unitary_candidate(candidate, input_bound=bound)
    assert found.too_small
    assert found.refuted
    assert found.nullity == 0
    assert 1 <= len(found.word) <= 2
    assert all(abs(x) <= bound for vector in found.word for x in vector)
    assert all(x > 0 for vector in found.word for x in vector)
    assert plain_outputs(candidate, found.word)[-1] == found.found
    assert found.expected == found.word[-1] != found.found
    assert found.cells[0].failing


@given(candidates(states=lambda n: st.integers(1, 2 * n + 2), recurrent=lambda m: matrices(m, m)))
def test_only_the_dimension_of_the_kernel_counts(candidate):
    """A recurrent matrix of any kind: m + dim ker U < 2n is refuted, and where the identities hold, so do the ranks."""
    found = refute_unitary_candidate(candidate)
    n, m = found.inputs, candidate.neurons
    assert found.refuted or not found.too_small
    assert found.nullity == m - rank(elman(candidate).V)
    argument = found.cells[0]
    assert argument.kernel == m - argument.read
    assert argument.moved >= argument.driven - found.nullity
    if not argument.failing:
        assert (argument.driven, argument.read) == (n, n)
        assert argument.moved <= argument.kernel
    if found.refuted:
        assert plain_outputs(candidate, found.word)[-1] == found.found != found.expected


@given(candidates(states=lambda n: st.integers(1, 2 * n + 1)), st.data())
def test_a_cell_is_one(candidate, data):
    """Everywhere between its words, the units that are on are the same, and the states are the affine functions."""
    matrices = elman(candidate)
    n = len(matrices.W[0])
    signs = data.draw(st.lists(st.sampled_from((1, -1)), min_size=2 * n, max_size=2 * n))
    cell = activation_cell(matrices, (mpq(2),) * n, signs)
    words = [[x for vector in word for x in vector] for word in cell.words()]
    assert rank([[*word, mpq(1)] for word in words]) == 2 * n + 1
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(words), max_size=len(words)))
    middle = [sum(w * word[i] for w, word in zip(weights, words, strict=True)) / sum(weights) for i in range(2 * n)]
    for point in [*words, middle]:
        assert all(0 < sign * x <= 2 for sign, x in zip(signs, point, strict=True))
        states = run(candidate, [point[:n], point[n:]], record="all").trace
        for step, active, affine in (
            (1, cell.first_active, cell.first_state),
            (2, cell.second_active, cell.second_state),
        ):
            state = states[step]
            assert tuple(x > 0 for x in state) == active
            assert tuple(sum(a * x for a, x in zip(row, [*point, 1], strict=True)) for row in affine) == tuple(state)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_unitary_twin_of_the_witness_has_2n_states_and_no_difference(n):
    witness = relu_witness(n)
    assert contractivity(witness).contractive
    twin = unitary(witness, input_bound=2)
    found = refute_unitary_candidate(twin, max_cells=4**n)
    assert twin.network.neurons == 2 * n
    assert not found.refuted
    assert not found.too_small
    assert len(found.cells) == 4**n
    assert all(not argument.failing for argument in found.cells)
    assert (found.cells[0].driven, found.cells[0].moved, found.cells[0].kernel) == (n, n, n)


def swap(n, bias):
    """The network with the matrix that changes the places of two halves; the second is held at 0."""
    one, no = identity(n), [[0] * n] * n
    return SimpleRNN(
        V=[*([*a, *b] for a, b in zip(no, one, strict=True)), *([*a, *b] for a, b in zip(one, no, strict=True))],
        W=[*one, *no],
        b=[0] * n + [bias] * n,
        s=[0] * 2 * n,
        readout_weight=[[*a, *b] for a, b in zip(one, no, strict=True)],
    )


@pytest.mark.parametrize("n", [1, 2])
def test_the_swap_attains_2n(n):
    assert not refute_unitary_candidate(swap(n, -1), input_bound=1, max_cells=4**n).refuted
    started = refute_unitary_candidate(swap(n, 1), input_bound=1)
    assert started.refuted
    assert not started.too_small


def test_two_inputs_say_nothing_of_longer_words():
    """With a bias that does not hold its unit at 0, the swap goes wrong at the third step; nothing else was claimed."""
    network = swap(1, "-1/3")
    assert not refute_unitary_candidate(network, input_bound=1, max_cells=4).refuted
    assert plain_outputs(network, [[1], [0], [0]]) == [(1,), (0,), (Fraction(2, 3),)]


def test_a_larger_candidate_may_be_wrong_for_negative_inputs_only():
    absolute = SimpleRNN(
        V=[[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]],
        W=[[1], [-1], [0], [0]],
        b=[0, 0, -9, -9],
        s=[0] * 4,
        readout_weight=[1, 1, 0, 0],
    )
    found = refute_unitary_candidate(absolute, input_bound=2)
    assert not found.cells[0].failing
    assert found.refuted
    assert found.word[-1][0] < 0
    assert (found.expected, found.found) == ((0,), (-found.word[-1][0],))


def test_the_witness_itself_escapes_since_its_matrix_is_zero():
    found = refute_unitary_candidate(relu_witness(2), max_cells=16)
    assert found.nullity == 2
    assert not found.refuted


def test_a_comparison_is_checked_again():
    found = refute_unitary_candidate(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1]))
    found.check()
    for wrong in (
        dataclasses.replace(found, word=None),
        dataclasses.replace(found, found=found.expected),
        dataclasses.replace(found, word=((mpq(1, 2),),)),
    ):
        with pytest.raises(CertificateError):
            wrong.check()


def test_wrong_candidates():
    def network(**changes):
        return SimpleRNN(**{"V": [[1]], "W": [[1]], "b": [0], "s": [0], "readout_weight": [1], **changes})

    for candidate, message in (
        (network(activation="slu"), "activation slu"),
        (network(alphabet="a"), "reads symbols"),
        (network(W=[[1, 1]]), "2 inputs and 1 outputs"),
    ):
        with pytest.raises(ConstructionError, match=message):
            refute_unitary_candidate(candidate)
    with pytest.raises(OptionError, match="input_bound is 0"):
        refute_unitary_candidate(network(), input_bound=0)
    with pytest.raises(OptionError, match="max_cells=0"):
        refute_unitary_candidate(network(), max_cells=0)
    with pytest.raises(OptionError, match="right only for inputs up to"):
        refute_unitary_candidate(unitary(relu_witness(1), input_bound=1), input_bound=2)
    for size in (0, -1, True, "2"):
        with pytest.raises(OptionError, match="size="):
            relu_witness(size)


@given(st.integers(1, 4).flatmap(lambda m: matrices(m, m)))
def test_rank_and_characteristic_polynomial_agree_with_determinants(matrix):
    """By expansion along rows, which shares nothing with elimination or traces."""

    def determinant(rows):
        if not rows:
            return mpq(1)
        minors = ([row[:j] + row[j + 1 :] for row in rows[1:]] for j in range(len(rows)))
        return sum((-1) ** j * x * determinant(minor) for j, (x, minor) in enumerate(zip(rows[0], minors, strict=True)))

    size = len(matrix)
    polynomial = characteristic_polynomial(tuple(map(tuple, matrix)))
    assert (rank(matrix) == size) == bool(determinant(matrix))
    for value in range(size + 1):
        shifted = [[value * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(matrix)]
        assert determinant(shifted) == sum(p * value**k for k, p in enumerate(polynomial))


@given(st.integers(0, 3), st.integers(1, 4), st.integers(1, 4), st.data())
def test_rank_of_a_product_of_thin_matrices(inner, rows, columns, data):
    if inner:
        first, second = data.draw(matrices(rows, inner)), data.draw(matrices(inner, columns))
        assert rank(product(first, second)) <= min(rank(first), rank(second)) <= inner
    assert rank([[mpq(0)] * columns] * rows) == 0
    assert rank(identity(rows)) == rows


z3 = pytest.importorskip("z3")
smt = import_module("exactnn.contraction.lower_bounds.smt")


def test_the_solver_finds_no_network_with_one_state_and_one_with_two():
    assert smt_lower_bound(1, 1).possible is False
    assert smt_lower_bound(2, 1).possible is False
    answer = smt_lower_bound(1, 2)
    assert answer.possible is True
    assert is_isometry(elman(answer.network).V, (mpq(1), mpq(1)))
    for word in answer.words:
        assert plain_outputs(answer.network, word) == [tuple(max(x, 0) for x in vector) for vector in word]


def test_the_solver_and_the_argument_agree():
    for inputs, states, possible in ((1, 1, False), (1, 2, True), (2, 1, False), (2, 2, False)):
        assert smt_cell_lower_bound(inputs, states).possible is possible
        assert possible == (states >= 2 * inputs)


def test_one_input_tells_nothing_and_two_words_are_not_enough():
    """The words matter: one state is enough for some, which shows that the solver's "no" is of these words."""
    assert smt_lower_bound(1, 1, words=[[1], [2], [5]]).possible is True
    assert smt_lower_bound(1, 1, words=[[1, 1]]).possible is True


def test_irrational_weights_make_no_network():
    """A model with the weight √2: the solver checks it by its own evaluation, and the answer says so."""
    (unknowns, *_) = smt._cases(1, 1)
    words = smt._words(1, [[1]])
    solver = z3.Solver()
    solver.add(*unknowns.constraints(words), unknowns.F[0][0] ** 2 == 2)
    assert str(solver.check()) == "sat"
    assert unknowns.network(solver.model()) is None
    smt._check(solver, None, words)
    answer = smt.SolverAnswer(inputs=1, states=1, words=words, possible=True, network=None, reason="")
    assert "irrational weights; checked by the solver only" in str(answer)


def test_a_model_is_checked():
    wrong = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[[1]])
    with pytest.raises(CertificateError, match="outputs"):
        smt._check(None, wrong, smt._words(1, None))
    with pytest.raises(CertificateError, match="orthogonal"):
        smt._check(None, relu_witness(1), smt._words(1, None))


def test_a_limit_of_time_is_not_an_answer():
    answer = smt_lower_bound(2, 3, max_seconds=0.5)
    assert answer.possible is None
    assert "not decided" in str(answer)
    cells = smt_cell_lower_bound(2, 3, max_seconds=0.5)
    assert cells.possible is None
    assert "not decided" in str(cells)


def test_wrong_questions():
    for call in (smt_lower_bound, smt_cell_lower_bound):
        with pytest.raises(OptionError, match="inputs=0"):
            call(0, 1)
        with pytest.raises(OptionError, match="states=True"):
            call(1, True)
        with pytest.raises(OptionError, match="max_seconds=-1"):
            call(1, 1, max_seconds=-1)
    with pytest.raises(OptionError, match="at least one word"):
        smt_lower_bound(1, 1, words=[[]])
    with pytest.raises(WordError):
        smt_lower_bound(2, 1, words=[[1]])
