"""A step on forms is the step on numbers, for all unknowns inside (0, 1); without unknowns it is the plain step."""

import contextlib
import dataclasses

import gmpy2
import pytest
from gmpy2 import mpq, mpz
from hypothesis import given
from hypothesis import strategies as st
from shuttle import shuttle

from exactnn.certificates.edge_check import AffineStepper
from exactnn.certificates.forms import ONE, Form, Scale
from exactnn.errors import CertificateError
from exactnn.networks import Activation, Circuit, Unit
from exactnn.simulation.rational import RationalExecutor
from exactnn.work import Work
from tests.strategies import networks, rationals

UNKNOWNS = 3
INSIDE = st.builds(lambda p, q: mpq(p, p + q), st.integers(1, 1000), st.integers(1, 1000))


def coefficients():
    return st.dictionaries(st.sampled_from((ONE, *range(UNKNOWNS))), rationals(), max_size=2)


def stepper_for(network, numbers=()):
    """A stepper whose scale has the denominators of these numbers too."""
    scale = Scale.of(network, 2, Work())
    more = gmpy2.lcm(scale.scale, *(mpq(x).denominator for x in numbers))
    return AffineStepper(network, Scale(more, 2, scale.work))


def form(scale, parts):
    """Return the form with these coefficients."""
    return scale.sum([(*scale.factor(mpq(x)), Form(0, {key: mpz(1)})) for key, x in parts.items()])


def value(scale, form, inside):
    """Return the number that a form is if its unknowns have these values."""
    total = sum((x * (1 if key == ONE else inside[key]) for key, x in form.parts.items()), mpq(0))
    return total / mpq(scale.scale) ** form.places


@given(networks(), st.data())
def test_a_step_on_forms_is_right_for_all_unknowns(network, data):
    reference = RationalExecutor(network)
    drawn = [data.draw(coefficients()) for _ in range(network.neurons)]
    stepper = stepper_for(network, [x for parts in drawn for x in parts.values()])
    state = [form(stepper.scale, parts) for parts in drawn]
    symbol = data.draw(st.integers(-1, network.circuit.input_size - 1))
    with contextlib.suppress(CertificateError):
        after = stepper.step(state, symbol)
        for _ in range(4):
            inside = [data.draw(INSIDE) for _ in range(UNKNOWNS)]
            numbers = tuple(value(stepper.scale, x, inside) for x in state)
            assert tuple(value(stepper.scale, x, inside) for x in after) == reference.step(numbers, symbol)
        if network.scalar_output:
            assert stepper.output(after) == reference.output(reference.step(numbers, symbol))


@given(networks(), st.data())
def test_a_step_on_numbers_is_never_refused(network, data):
    numbers = tuple(data.draw(rationals()) for _ in range(network.neurons))
    stepper, reference = stepper_for(network, numbers), RationalExecutor(network)
    state = [stepper.scale.constant(x) for x in numbers]
    symbol = data.draw(st.integers(-1, network.circuit.input_size - 1))
    after = stepper.step(state, symbol)
    assert [stepper.scale.number(x) for x in after] == list(reference.step(numbers, symbol))
    if network.scalar_output:
        assert stepper.output(state) == reference.output(numbers)


@given(st.lists(st.tuples(rationals(), coefficients()), max_size=4), st.integers(0, 9))
def test_a_form_is_written_in_one_way(terms, lifted):
    """Whatever sum it comes from, in whatever order and with whatever common factors."""
    numbers = [x for factor, parts in terms for x in (factor, *parts.values())]
    scale = Scale(gmpy2.lcm(6, *(x.denominator for x in numbers)), 2, Work())
    factors = [(*scale.factor(factor), form(scale, parts)) for factor, parts in terms]
    total = scale.sum(factors)
    assert all(total.parts.values())
    assert total.places == 0 or any(x % scale.scale for x in total.parts.values())
    again = [(factor * scale.scale**lifted, places + lifted, x) for factor, places, x in reversed(factors)]
    assert scale.sum(again) == total
    added = {key: sum(c * parts.get(key, 0) for c, parts in terms) for key in (ONE, *range(UNKNOWNS))}
    inside = [mpq(1, 2 + i) for i in range(UNKNOWNS)]
    assert value(scale, total, inside) == sum(x * (1 if key == ONE else inside[key]) for key, x in added.items())


def activated(activation, parts):
    unit = Unit(name="u", bias=parts.get(ONE, 0), linear=tuple((k, x) for k, x in parts.items() if k != ONE))
    unit = dataclasses.replace(unit, activation=activation)
    network = shuttle()
    circuit = Circuit(state_size=4, input_size=2, layers=((unit,),), next_state=(6, 6, 6, 6))
    stepper = stepper_for(dataclasses.replace(network, circuit=circuit))
    return stepper.scale, stepper.step([form(stepper.scale, {i: 1}) for i in range(4)], 0)[0]


T, MINUS = {0: mpq(1)}, {0: mpq(-1)}


@pytest.mark.parametrize(
    ("activation", "parts", "result"),
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
def test_the_branch_of_an_activation(activation, parts, result):
    if result is None:
        with pytest.raises(CertificateError, match="depends on limbs further down"):
            activated(Activation.named(activation), parts)
    else:
        scale, found = activated(Activation.named(activation), parts)
        assert found == form(scale, result)


def with_unit(**fields):
    """A stepper of a network whose state is one unit, four times."""
    unit = Unit(name="u", bias=0, **fields)
    circuit = Circuit(state_size=4, input_size=2, layers=((unit,),), next_state=(6, 6, 6, 6))
    return stepper_for(dataclasses.replace(shuttle(), circuit=circuit), [mpq(2, 3)])


def test_a_product_of_two_unknown_numbers_is_refused():
    stepper = with_unit(bilinear=((0, 1, 1), (0, 0, -1)))
    state = [form(stepper.scale, parts) for parts in ({0: 1}, {1: 1}, {}, {})]
    with pytest.raises(CertificateError, match="multiplies two numbers"):
        stepper.step(state, 0)
    state = [stepper.scale.constant(mpq(x)) for x in (3, 5, 0, 0)]
    assert stepper.step(state, 0)[0] == stepper.scale.constant(mpq(6))


def test_an_output_that_depends_on_a_tail_is_refused():
    network = shuttle()
    readout = dataclasses.replace(network.readout[0], activation=Activation.IDENTITY)
    stepper = stepper_for(dataclasses.replace(network, readout=(readout,)))
    with pytest.raises(CertificateError, match="output 'halted' depends"):
        stepper.output([form(stepper.scale, parts) for parts in ({}, {}, {}, {0: 1})])


def steps(stepper, state, count):
    for _ in range(count):
        state = stepper.step(state, 0)


@pytest.mark.parametrize("start", [mpq(2, 3), mpq(2), mpq(1, 6)])
def test_numbers_that_square_themselves_do_not_fill_the_memory(start):
    stepper = with_unit(bilinear=((0, 0, 1),))
    with pytest.raises(CertificateError, match="bits together"):
        steps(stepper, [stepper.scale.constant(start)] * 4, 40)
