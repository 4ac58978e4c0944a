"""Step circuits of any shape."""

from collections.abc import Sequence

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.networks import PIECEWISE_LINEAR, Activation, Circuit, Unit
from exactnn.strategies.bounds import check_bounds, check_choices, check_strategies
from exactnn.strategies.numbers import rationals

__all__ = ["circuits", "units"]


def circuits(
    *,
    weights: st.SearchStrategy[mpq] | None = None,
    activations: Sequence[Activation] = PIECEWISE_LINEAR,
    max_state: int = 4,
    min_input: int = 0,
    max_input: int = 3,
    max_layers: int = 3,
    max_units: int = 3,
) -> st.SearchStrategy[Circuit]:
    """Circuits with linear and second-order terms, and states that copy any register; they shrink to nothing at all.

    Parameters
    ----------
    weights : strategy of rationals, optional
        Of weights and biases.
    activations : sequence of Activation
        By default those that exact arithmetic computes.
    max_state, min_input, max_input : int
        Sizes of state and input.
    max_layers, max_units : int
        Layers, and units in each.

    Raises
    ------
    OptionError
        If a bound is negative, a layer may have no unit, or `weights` is no strategy.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(circuits(), lambda circuit: circuit.units == 1)
    Circuit(state_size=0, input_size=0, layers=((Unit(name='u0.0', bias=mpq(0,1), linear=(), bilinear=(), \
activation=<Activation.IDENTITY: 'identity'>),),), next_state=())
    """
    check_bounds(0, max_state=max_state, min_input=min_input, max_layers=max_layers)
    check_bounds(min_input, max_input=max_input)
    check_bounds(1, max_units=max_units)
    check_choices(tuple(Activation), activations=activations)
    check_strategies(weights=weights)
    weight = rationals() if weights is None else weights
    return _circuits(weight, tuple(activations), max_state, (min_input, max_input), max_layers, max_units)


@st.composite
def _circuits(
    draw: st.DrawFn,
    weight: st.SearchStrategy[mpq],
    activations: tuple[Activation, ...],
    max_state: int,
    inputs: tuple[int, int],
    max_layers: int,
    max_units: int,
) -> Circuit:
    state_size, input_size = draw(st.integers(0, max_state)), draw(st.integers(*inputs))
    available = state_size + input_size
    layers = []
    for number in range(draw(st.integers(0, max_layers))):
        count = draw(st.integers(1, max_units))
        layers.append(tuple(draw(units(f"u{number}.{i}", available, weight, activations)) for i in range(count)))
        available += count
    register = st.integers(0, max(0, available - 1))
    return Circuit(
        state_size=state_size,
        input_size=input_size,
        layers=tuple(layers),
        next_state=tuple(draw(register) for _ in range(state_size)),
    )


@st.composite
def units(
    draw: st.DrawFn,
    name: str,
    available: int,
    weight: st.SearchStrategy[mpq],
    activations: Sequence[Activation] = PIECEWISE_LINEAR,
) -> Unit:
    """Units that read some of the first `available` registers."""
    register = st.integers(0, available - 1)
    return Unit(
        name=name,
        bias=draw(weight),
        linear=tuple(draw(st.lists(st.tuples(register, weight), max_size=3))) if available else (),
        bilinear=tuple(draw(st.lists(st.tuples(register, register, weight), max_size=2))) if available else (),
        activation=draw(st.sampled_from(tuple(activations))),
    )
