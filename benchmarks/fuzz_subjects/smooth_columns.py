"""Many smooth units at once, with numbers of every size, in every format: roundings that one in ten thousand shows."""

import random

from gmpy2 import mpq
from hypothesis import strategies as st

import exactnn as xn
from exactnn.networks import Activation, Circuit, Unit
from fuzz_subjects.formats import ANY_FIXED, ANY_FLOAT, FORMATS, Format, compared_formats, same_as_emulated
from fuzz_subjects.random_networks import SMOOTH
from fuzz_subjects.subject import Subject

__all__ = ["SMOOTH_COLUMNS"]

UNITS, STEPS = 150, 10

Case = tuple[int, Activation, int, Format]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """The seed of a column, its activation and the size of its numbers, and a format."""
    activation = draw(st.sampled_from(SMOOTH))
    return draw(st.integers(0, 10**9)), activation, draw(st.integers(-12, 4)), draw(compared_formats(arithmetic))


def column(seed: int, activation: Activation, most: int) -> xn.Network:
    """Return a network of units that read themselves only, with numbers of 53 bits, at most 2**most."""
    rng = random.Random(seed)

    def number() -> mpq:
        return rng.choice((1, -1)) * mpq(rng.getrandbits(53), 1 << 53) * mpq(2) ** rng.randint(most - 4, most)

    units = tuple(
        Unit(name=f"h[{i}]", bias=number(), linear=((i, number()),), activation=activation) for i in range(UNITS)
    )
    circuit = Circuit(state_size=UNITS, input_size=0, layers=(units,), next_state=range(UNITS, 2 * UNITS))
    readout = (Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),)
    return xn.Network(circuit=circuit, initial_state=[number() for _ in range(UNITS)], readout=readout)


def check(arithmetic: str, case: Case) -> None:
    seed, activation, most, format = case
    try:
        same_as_emulated(column(seed, activation, most), ((),) * STEPS, format)
    except AssertionError as error:
        raise AssertionError(f"{case}: {error}") from error


SMOOTH_COLUMNS = Subject(cases=cases, check=check, arithmetics=(*FORMATS, ANY_FLOAT, ANY_FIXED))
