"""A step on forms is the step on numbers, for all unknowns inside (0, 1); without unknowns it is the plain step."""

import contextlib
import dataclasses

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from shuttle import shuttle

from exactnn.certificates.affine_step import ONE, AffineStepper, constant
from exactnn.errors import CertificateError
from exactnn.networks import Activation, Circuit, Unit
from exactnn.simulation.rational import RationalExecutor
from tests.strategies import networks, rationals

UNKNOWNS = 3
INSIDE = st.builds(lambda p, q: mpq(p, p + q), st.integers(1, 1000), st.integers(1, 1000))


def forms():
    coefficients = st.dictionaries(st.sampled_from((ONE, *range(UNKNOWNS))), rationals(), max_size=2)
    return coefficients.map(lambda form: {key: x for key, x in form.items() if x})


def value(form, inside):
    return sum((x if key == ONE else x * inside[key] for key, x in form.items()), mpq(0))


@given(networks(), st.data())
def test_a_step_on_forms_is_right_for_all_unknowns(network, data):
    stepper, reference = AffineStepper(network), RationalExecutor(network)
    state = [data.draw(forms()) for _ in range(network.neurons)]
    symbol = data.draw(st.integers(-1, network.circuit.input_size - 1))
    with contextlib.suppress(CertificateError):
        after = stepper.step(state, symbol)
        for _ in range(4):
            inside = [data.draw(INSIDE) for _ in range(UNKNOWNS)]
            numbers = tuple(value(form, inside) for form in state)
            assert tuple(value(form, inside) for form in after) == reference.step(numbers, symbol)
        if network.scalar_output:
            assert stepper.output(after) == reference.output(reference.step(numbers, symbol))


@given(networks(), st.data())
def test_a_step_on_numbers_is_never_refused(network, data):
    stepper, reference = AffineStepper(network), RationalExecutor(network)
    numbers = tuple(data.draw(rationals()) for _ in range(network.neurons))
    symbol = data.draw(st.integers(-1, network.circuit.input_size - 1))
    assert stepper.step([constant(x) for x in numbers], symbol) == [
        constant(x) for x in reference.step(numbers, symbol)
    ]
    if network.scalar_output:
        assert stepper.output([constant(x) for x in numbers]) == reference.output(numbers)


def activated(activation, form):
    unit = Unit(name="u", bias=form.get(ONE, 0), linear=tuple((k, x) for k, x in form.items() if k != ONE))
    unit = dataclasses.replace(unit, activation=activation)
    network = shuttle()
    circuit = Circuit(state_size=4, input_size=2, layers=((unit,),), next_state=(6, 6, 6, 6))
    stepper = AffineStepper(dataclasses.replace(network, circuit=circuit))
    return stepper.step([{i: mpq(1)} for i in range(4)], 0)[0]


T, MINUS = {0: mpq(1)}, {0: mpq(-1)}


@pytest.mark.parametrize(
    ("activation", "form", "result"),
    [
        ("identity", {ONE: mpq(-3), 0: mpq(7)}, {ONE: mpq(-3), 0: mpq(7)}),
        ("relu", T, T),
        ("relu", MINUS, {}),
        ("relu", {ONE: mpq(-1), 0: mpq(1)}, {}),
        ("relu", {ONE: mpq(1), 0: mpq(-1)}, {ONE: mpq(1), 0: mpq(-1)}),
        ("relu", {ONE: mpq(-1, 2), 0: mpq(1)}, None),
        ("slu", T, T),
        ("slu", {ONE: mpq(1), 0: mpq(-1)}, {ONE: mpq(1), 0: mpq(-1)}),
        ("slu", {ONE: mpq(1), 0: mpq(1)}, {ONE: mpq(1)}),
        ("slu", {0: mpq(2)}, None),
        ("slu", {ONE: mpq(-1), 0: mpq(1)}, {}),
        ("slu", {0: mpq(1, 2), 1: mpq(1, 2)}, {0: mpq(1, 2), 1: mpq(1, 2)}),
        ("slu", {0: mpq(1, 2), 1: mpq(-1, 2)}, None),
        ("heaviside", T, {ONE: mpq(1)}),
        ("heaviside", {}, {}),
        ("heaviside", MINUS, {}),
        ("heaviside", {ONE: mpq(1), 0: mpq(-1)}, {ONE: mpq(1)}),
        ("heaviside", {ONE: mpq(1), 0: mpq(-1), 1: mpq(-1, 10**9)}, None),
        ("heaviside", {ONE: mpq(-1, 10**9), 0: mpq(1)}, None),
    ],
)
def test_the_branch_of_an_activation(activation, form, result):
    if result is None:
        with pytest.raises(CertificateError, match="depends on limbs further down"):
            activated(Activation(activation), form)
    else:
        assert activated(Activation(activation), form) == result


def test_a_product_of_two_unknown_numbers_is_refused():
    unit = Unit(name="u", bias=0, bilinear=((0, 1, 1), (0, 0, -1)))
    circuit = Circuit(state_size=4, input_size=2, layers=((unit,),), next_state=(6, 6, 6, 6))
    stepper = AffineStepper(dataclasses.replace(shuttle(), circuit=circuit))
    with pytest.raises(CertificateError, match="multiplies two numbers"):
        stepper.step([{0: mpq(1)}, {1: mpq(1)}, {}, {}], 0)
    assert stepper.step([constant(mpq(3)), constant(mpq(5)), {}, {}], 0)[0] == constant(mpq(6))


def test_an_output_that_depends_on_a_tail_is_refused():
    network = shuttle()
    readout = dataclasses.replace(network.readout[0], activation=Activation.IDENTITY)
    stepper = AffineStepper(dataclasses.replace(network, readout=(readout,)))
    with pytest.raises(CertificateError, match="output 'halted' depends"):
        stepper.output([{}, {}, {}, {0: mpq(1)}])


def steps(stepper, state, count):
    for _ in range(count):
        state = stepper.step(state, 0)


def test_numbers_that_square_themselves_do_not_fill_the_memory():
    unit = Unit(name="u", bias=0, bilinear=((0, 0, 1),))
    circuit = Circuit(state_size=4, input_size=2, layers=((unit,),), next_state=(6, 6, 6, 6))
    stepper = AffineStepper(dataclasses.replace(shuttle(), circuit=circuit))
    state = [constant(mpq(2, 3))] * 4
    with pytest.raises(CertificateError, match="bits together"):
        steps(stepper, state, 40)
