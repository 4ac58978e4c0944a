"""Synthetic tasks: the network of each computes its formula, and its degree says what it needs."""

from itertools import product
from math import comb

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.depth import SYNTHETIC_TASKS
from exactnn.errors import ConstructionError, NetworkError, OptionError
from exactnn.strategies import rationals

LAGS = {"copy": 8, "power": 1, "temporal product": 1}


def expected(name, word, t, i, lag):
    """The formulas again, one number at a time."""

    def x(step):
        return word[step][i] if step >= 0 else 0

    match name:
        case "copy":
            return x(t - lag)
        case "power":
            return x(t - lag) ** 2
        case "temporal product":
            return x(t) * x(t - lag)
    found = mpq(1)
    for step in range(t + 1):
        found *= x(step) if name != "parity" else 1 - 2 * x(step)
    return found


@pytest.mark.parametrize("name", SYNTHETIC_TASKS)
@given(st.data(), st.integers(1, 3), st.integers(1, 4))
def test_the_network_computes_the_formula(name, data, size, lag):
    has_lag = name in LAGS
    task = xn.synthetic_task(name, size=size, lag=lag if has_lag else None)
    word = data.draw(st.lists(st.lists(rationals(largest=3), min_size=size, max_size=size), max_size=8))
    outputs = list(xn.run(task.network, word).outputs)
    assert outputs == list(task.targets(word))
    assert outputs == [tuple(expected(name, word, t, i, lag) for i in range(size)) for t in range(len(word))]


@pytest.mark.parametrize("name", SYNTHETIC_TASKS)
def test_without_options(name):
    """As the paper has them: five numbers, a lag of eight for the copy."""
    task = xn.synthetic_task(name)
    assert (task.size, task.lag) == (5, LAGS.get(name, 0))
    assert str(task.lag) in task.formula or not task.lag
    word = [[(3 * t + i) % 5 - 2 for i in range(5)] for t in range(16)]
    assert list(xn.run(task.network, word).outputs) == list(task.targets(word))


@pytest.mark.parametrize(
    ("name", "degrees"),
    [
        ("copy", [1] * 5),
        ("power", [2] * 5),
        ("temporal product", [2] * 5),
        ("state-tracking product", [1, 2, 3, 4, 5]),
        ("parity", [1, 2, 3, 4, 5]),
    ],
)
def test_degrees_tell_what_no_linear_network_computes(name, degrees):
    """A linear network of any depth has degree 1; one second-order layer has t at most after t steps."""
    lag = {"lag": 1} if name in LAGS else {}
    network = xn.synthetic_task(name, size=1, **lag).network
    scalar = xn.Network(circuit=network.circuit, initial_state=network.initial_state, readout=network.readout)
    layers = len(network.circuit.layers)
    first = 2 if name in ("copy", "power", "temporal product") else 1
    found = [xn.polynomial_degree(scalar, t).degree for t in range(first, first + 5)]
    assert found == degrees
    assert all(d <= comb(t + layers - 1, layers) for t, d in enumerate(found, first))


def test_a_square_of_one_input_takes_two_layers():
    """One second-order layer multiplies what was read at different steps: its outputs are affine in each input."""
    for name, degree in (("power", 2), ("temporal product", 1), ("state-tracking product", 1), ("parity", 1)):
        lag = {"lag": 1} if name in LAGS else {}
        network = xn.synthetic_task(name, size=1, **lag).network
        scalar = xn.Network(circuit=network.circuit, initial_state=network.initial_state, readout=network.readout)
        assert max(xn.polynomial_degree(scalar, 4, input=k).degree for k in range(1, 5)) == degree


@pytest.mark.parametrize(("size", "lag"), list(product([1, 2], [1, 3])))
def test_the_copy_is_the_delay_of_one_layer(size, lag):
    network = xn.synthetic_task("copy", size=size, lag=lag).network
    assert network.neurons == size * (lag + 1)
    with pytest.raises(ConstructionError):
        xn.delay(lag, units=size * (lag + 1) - 1, layers=1, inputs=size)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "adding"}, "name='adding': give one of 'copy'"),
        ({"name": "copy", "size": 0}, "size=0"),
        ({"name": "copy", "lag": 0}, "lag=0"),
        ({"name": "parity", "lag": 2}, "has none"),
        ({"name": "power", "size": 90, "lag": 90}, "units: at most 100"),
    ],
)
def test_wrong_tasks_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        xn.synthetic_task(**options)
    with pytest.raises(NetworkError, match="entries"):
        xn.synthetic_task("parity").targets([[1]])
