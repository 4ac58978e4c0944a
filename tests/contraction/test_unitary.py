from dataclasses import replace

import numpy as np
import pytest
from contractive_networks import contractive_networks, inputs_of
from gmpy2 import mpq
from hypothesis import example, given
from hypothesis import strategies as st

from exactnn import (
    BFLOAT16,
    EXACT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    RATIONAL,
    Outcome,
    SimpleRNN,
    load_network,
    run,
    save_network,
    unitary,
)
from exactnn.contraction import ball_check, elman
from exactnn.errors import CertificateError, ConstructionError, ExactnnError, OptionError
from exactnn.linear_algebra import identity, ldl, product, transposed

FORMS = ("2n", "5n", "2n+3")
forms = st.sampled_from(FORMS)


def scalar(w, **changes):
    given = {"V": [[w]], "W": [[1]], "b": [0], "s": [0], "readout_weight": [1]} | changes
    return SimpleRNN(**given)


def orthogonal_within(twin):
    """Whether U = √D N √D⁻¹ is orthogonal: NᵀDN = D, multiplied otherwise than in the library's check."""
    matrix, form = elman(twin.network).V, twin.certificate.form
    scaled = tuple(tuple(d * entry for entry in row) for row, d in zip(matrix, form, strict=True))
    wanted = tuple(tuple(d if i == j else mpq(0) for j in range(len(form))) for i, d in enumerate(form))
    return product(transposed(matrix), scaled) == wanted


@given(contractive_networks(reads="vectors"), forms, st.data())
def test_the_twin_is_orthogonal_and_has_the_same_outputs(network, form, data):
    bound = data.draw(st.sampled_from((mpq(0), mpq(1, 3), mpq(5))))
    word = data.draw(inputs_of(network, bound=mpq(bound)))
    twin = unitary(network, input_bound=bound, form=form)
    size = network.neurons
    assert orthogonal_within(twin)
    assert tuple(row[:size] for row in elman(twin.network).V[:size]) == elman(network).V
    expected = run(network, word, arithmetic=RATIONAL)
    for arithmetic in (RATIONAL, EXACT):
        found = run(twin, word, arithmetic=arithmetic, record="all")
        assert found.outcome is Outcome.COMPLETED
        assert found.outputs[:] == expected.outputs[:]
        assert found.initial_output == expected.initial_output
        assert all(not any(state[size:]) for state in found.trace.states)
        assert twin.decode(found.final_state) == expected.final_state


@given(contractive_networks(reads="symbols"), forms, st.data())
def test_networks_that_read_symbols_need_no_bound(network, form, data):
    word = data.draw(inputs_of(network))
    twin = unitary(network, form=form)
    assert run(twin, word).verdict == run(network, word).verdict
    assert run(twin, word).outputs[:] == run(network, word).outputs[:]


@given(contractive_networks(max_size=5, reads="vectors"), forms)
def test_numbers_of_states(network, form):
    twin = unitary(network, input_bound=1, form=form)
    n, m = network.neurons, twin.network.neurons
    assert {"2n": m == 2 * n, "5n": n <= m <= 5 * n, "2n+3": m == 2 * n + 3}[form]
    assert (not twin.certificate.radicands) == (set(twin.certificate.form) == {1})
    if form != "2n":
        matrix = elman(twin.network).V
        assert product(transposed(matrix), matrix) == product(matrix, transposed(matrix)) == identity(m)
        assert twin.weight_field == "Q"


@pytest.mark.parametrize(("w", "states"), [("3/5", 2), ("1/3", 3), ("1/2", 4), ("3/4", 5), (0, 2), ("5/13", 2)])
def test_one_state_takes_as_many_as_its_squares(w, states):
    """The least number: 1 - w² is a sum of so many rational squares, and of no fewer."""
    assert unitary(scalar(w), input_bound=1, form="5n").network.neurons == states


@given(contractive_networks(max_size=4, reads="vectors"))
def test_balls_agree(network):
    twin = unitary(network, input_bound=1)
    found = ball_check(twin, bits=256)
    assert found.defect < mpq(1, 2**180)
    block = elman(network).V
    for i, row in enumerate(block):
        for j, entry in enumerate(row):
            assert abs(entry - found.midpoints[i][j]) <= found.radii[i][j]
    for i, pivot in enumerate(twin.certificate.form[len(block) :]):  # the first column: √dᵢ Lᵀ
        entry, middle, radius = (x[len(block) + i][0] for x in (elman(twin.network).V, found.midpoints, found.radii))
        low, high = sorted((abs(middle) - radius, abs(middle) + radius))
        assert max(low, 0) ** 2 <= pivot * entry**2 <= high**2


@given(contractive_networks(max_size=3, reads="vectors"), st.integers(0, 5), st.data())
def test_a_word_beyond_the_bound_is_out_of_domain(network, position, data):
    width = network.circuit.input_size
    inside = data.draw(inputs_of(network, bound=mpq(2), max_size=5))
    word = [*inside[:position], (mpq(2),) * (width - 1) + (mpq(-201, 100),), *inside[position:]]
    at = len(inside[:position])
    twin = unitary(network, input_bound=2)
    for arithmetic in (RATIONAL, EXACT, FLOAT32, FLOAT16):
        found = run(twin, word, arithmetic=arithmetic)
        assert (found.outcome, found.steps, found.outside_at) == (Outcome.OUT_OF_DOMAIN, at, at + 1)
        assert found.verdict is None
        assert found.outputs[:] == run(twin, word[:at], arithmetic=arithmetic).outputs[:]
    assert run(twin, word, max_steps=at).outcome is Outcome.OUT_OF_DOMAIN
    if at:
        assert run(twin, word, max_steps=at - 1).outcome is Outcome.STEP_LIMIT


def test_the_guard_is_what_keeps_the_answer_right():
    """Beyond the bound the further unit becomes positive: w = 3/5, bound 3, then an input of 4, then others of 0."""
    network = scalar("3/5")
    twin = unitary(network, input_bound=3, room=1)
    word = [4, 4, 4, 4, 0, 0, 0]
    assert run(twin, word).outside_at == 1
    unguarded = run(replace(twin.network, input_bounds=None), word, record="all")
    assert any(state[1] > 0 for state in unguarded.trace.states)
    assert unguarded.outputs[:] != run(network, word).outputs[:]


@given(contractive_networks(max_size=3, reads="vectors"), forms, st.data())
def test_floats_round_both_alike(network, form, data):
    """The further units are 0 in floats too, and adding zeros changes no sum."""
    word = data.draw(inputs_of(network, bound=mpq(1)))
    twin = unitary(network, input_bound=1, form=form)
    for arithmetic in (FLOAT64, FLOAT32, BFLOAT16):
        computed, expected = (run(net, word, arithmetic=arithmetic) for net in (twin, network))
        assert twin.decode(computed.final_state) == expected.final_state
        assert computed.outputs[:] == expected.outputs[:]


@given(contractive_networks(max_size=3, reads="vectors"), st.data())
def test_a_twin_survives_its_file(tmp_path_factory, network, data):
    path = tmp_path_factory.mktemp("twin") / "twin.json"
    twin = unitary(network, input_bound=data.draw(st.sampled_from((0, mpq(7, 3)))))
    save_network(twin.network, path)
    again = load_network(path)
    assert again == twin.network
    twin.certificate.check(network, again)


@given(contractive_networks(max_size=3, reads="vectors"))
def test_a_twin_of_a_twin_is_refused(network):
    twin = unitary(network, input_bound=1, form="5n")
    with pytest.raises(ConstructionError, match="exactly 1"):
        unitary(twin.network, input_bound=1)


def test_each_refusal_says_why():
    with pytest.raises(ConstructionError, match=r"not contractive.*above 1 \(pivot 1 of I - V'V is -3\)"):
        unitary(scalar(2), input_bound=1)
    shear = SimpleRNN(V=[["1/2", "3/4"], [0, "1/2"]], W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, 0])
    with pytest.raises(ConstructionError, match=r"exactly 1 \(pivot 2 of I - V'V is 0\)"):
        unitary(shear, input_bound=1)
    with pytest.raises(ConstructionError, match="activation slu"):
        unitary(scalar("1/2", activation="slu"), input_bound=1)
    with pytest.raises(OptionError, match="input_bound is missing"):
        unitary(scalar("1/2"))
    with pytest.raises(OptionError, match="at least 0"):
        unitary(scalar("1/2"), input_bound=-1)
    with pytest.raises(OptionError, match="give one number, or 1"):
        unitary(scalar("1/2"), input_bound=[1, 2])
    with pytest.raises(OptionError, match="not a number"):
        unitary(scalar("1/2"), input_bound="one")
    with pytest.raises(OptionError, match="give one of '2n', '5n', '2n\\+3'"):
        unitary(scalar("1/2"), input_bound=1, form="3n")
    for room in (0, "99/100", "x", None):
        with pytest.raises(OptionError, match=r"room=.*at least 1"):
            unitary(scalar("1/2"), input_bound=1, room=room)
    with pytest.raises(OptionError, match="give one of"):
        unitary(scalar("1/2"), input_bound=1, form=["2n"])
    for wrong in (b"3", {3}, {3: 1}, np.array(True), None):
        with pytest.raises(OptionError, match=r"not an exact number|is missing"):
            unitary(scalar("1/2"), input_bound=wrong)
    for wrong in ([], [1, 2]):
        with pytest.raises(OptionError, match="give one number, or 1"):
            unitary(scalar("1/2", alphabet="a"), input_bound=wrong)
    with pytest.raises(OptionError, match="one-hot"):
        unitary(scalar("1/2", alphabet="a"), input_bound="1/2")
    with pytest.raises(OptionError, match="right only for inputs up to 1"):
        unitary(replace(scalar("1/2"), input_bounds=(mpq(1),)), input_bound=2)


@pytest.mark.parametrize(
    "network",
    [
        SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1]),
        SimpleRNN(V=[[0, 0], [0, 0]], W=[[0], [0]], b=[0, 0], s=[0, 0], readout_weight=[1, 1]),
        SimpleRNN(V=[["-999/1000"]], W=[[1]], b=[-5], s=[7], readout_weight=[0]),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_the_edges(network, form):
    twin = unitary(network, input_bound=10, form=form)
    assert orthogonal_within(twin)
    word = [10, -10, 10, 10, 0]
    assert run(twin, word).outputs[:] == run(network, word).outputs[:]


def test_the_form_of_the_twin_comes_from_the_pivots():
    network = SimpleRNN(V=[["1/2", 0], [0, "3/5"]], W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, 1])
    twin = unitary(network, input_bound=1)
    assert twin.certificate.form == (1, 1, mpq(3, 4), 1)
    assert twin.weight_field == "Q(√(3/4))"
    assert ldl(((mpq(3, 4), mpq(0)), (mpq(0), mpq(16, 25)))).pivots == (mpq(3, 4), mpq(16, 25))


@given(contractive_networks(max_size=3, reads="vectors"), st.integers(0, 4), st.integers(1, 50))
@example(scalar("3/5"), 0, 1)
def test_a_changed_twin_is_no_twin(network, what, change):
    twin = unitary(network, input_bound=1, form="5n")
    delta = mpq(change, 7)
    changed = {
        0: lambda net: with_unit(net, -1, bias=net.circuit.layers[0][-1].bias + 10**6 * delta),
        1: lambda net: with_unit(net, 0, bias=net.circuit.layers[0][0].bias + delta),
        2: lambda net: replace(net, input_bounds=tuple(bound + delta for bound in net.input_bounds)),
        3: lambda net: replace(net, initial_state=(*net.initial_state[:-1], net.initial_state[-1] + delta)),
        4: lambda net: with_unit(net, 0, linear=((0, delta), *net.circuit.layers[0][0].linear)),
    }[what](twin.network)
    with pytest.raises(CertificateError):
        twin.certificate.check(network, changed)


def test_vectors_without_a_bound_are_no_twins_inputs():
    """The ball for one-hot inputs says nothing of a network that reads any vector."""
    network = scalar("3/5")
    twin = unitary(network, input_bound=1)
    unbounded, certificate = replace(twin.network, input_bounds=None), replace(twin.certificate, input_bounds=None)
    assert run(unbounded, [100, 100, 0]).outputs[:] != run(network, [100, 100, 0]).outputs[:]
    with pytest.raises(CertificateError, match="nothing bounds the inputs"):
        certificate.check(network, unbounded)


def test_the_original_answers_wherever_the_twin_does():
    network = scalar("3/5")
    twin = unitary(network, input_bound=1)
    twin.certificate.check(replace(network, input_bounds=(mpq(2),)), twin.network)
    with pytest.raises(CertificateError, match="smaller input bounds"):
        twin.certificate.check(replace(network, input_bounds=(mpq(1, 2),)), twin.network)


def test_a_certificate_in_floats_is_read_exactly():
    """1/9 + 8/9 is 1 in floats, although the float nearest to 8/9 is another number."""
    network = scalar("1/3")
    twin = unitary(network, input_bound=1)
    with pytest.raises(CertificateError, match="preserve the form"):
        replace(twin.certificate, form=(1.0, 8 / 9)).check(network, twin.network)
    assert replace(twin.certificate.ball, rate=0.5).rate == mpq(1, 2)


def with_unit(network, index, **changes):
    layer = list(network.circuit.layers[0])
    layer[index] = replace(layer[index], **changes)
    return replace(network, circuit=replace(network.circuit, layers=(tuple(layer),)))


def test_what_is_no_twin_and_no_state():
    twin = unitary(scalar("3/5"), input_bound=3)
    twin.certificate.check(twin.original, twin)
    with pytest.raises(OptionError, match="is no unitary twin"):
        ball_check(twin.network)
    with pytest.raises(ExactnnError, match="is no network"):
        twin.certificate.check(3, twin)
    for state in (1, [1, 2]):
        with pytest.raises(ConstructionError):
            twin.encode(state)
    assert twin.encode(["1/2"]) == (mpq(1, 2), 0)
