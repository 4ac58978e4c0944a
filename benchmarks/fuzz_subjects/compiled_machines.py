"""Every construction on machines of its kind: the interpreter's configurations, and every executor on its network.

In exact arithmetic every difference is a fault: of a construction, an interpreter or an executor. In formats the
compiled executor is compared with what the format means; that the format is wrong about the machine is no fault.
"""

from functools import partial

from hypothesis import strategies as st

import exactnn as xn
from exactnn.constructions import CONSTRUCTIONS, compile
from exactnn.strategies import machines_of_kind, words
from exactnn.testing import Rules, assert_same_run, compare, compiler, disagreement_text
from fuzz_subjects.formats import ANY_FLOAT, FORMATS, STEPS, Format, compared_formats, same_as_emulated
from fuzz_subjects.subject import Subject

__all__ = ["COMPILED_MACHINES"]

EXACT = {"exact": xn.EXACT, "rational": xn.RATIONAL}
SMALL = {"real_time_stacks": (3, 2)}
"""Most states and symbols where networks grow quickly with them."""

Case = tuple[object, tuple[object, ...], Format | None]


@st.composite
def cases(draw: st.DrawFn, name: str, arithmetic: str) -> Case:
    """A machine of the kind that a construction takes, a word, and a format."""
    states, symbols = SMALL.get(name, (4, 3))
    machine = draw(machines_of_kind(CONSTRUCTIONS[name], max_states=states, max_symbols=symbols, shuffled=True))
    lengths = (0, 1, 3) if machine.input_symbols else (0,)
    shortest = draw(st.sampled_from(lengths))  # of networks that read no EOS, the empty word is no step
    word = draw(words(machine.input_symbols, min_size=shortest, max_size=6))
    return machine, word, None if arithmetic in EXACT else draw(compared_formats(arithmetic))


def check(name: str, arithmetic: str, case: Case) -> None:
    machine, word, format = case
    if format is None:
        check_exact(name, arithmetic, machine, word)
    else:
        same_as_emulated(compile(machine, name).network, word, format)


def check_exact(name: str, arithmetic: str, machine: object, word: tuple[object, ...]) -> None:
    found = compare(compiler(name), machine, word, Rules(arithmetic=EXACT[arithmetic], by="configuration"))
    if found is not None:
        raise AssertionError(disagreement_text(found))
    if arithmetic == "exact":
        assert_same_run(compile(machine, name), word, xn.EXACT, xn.RATIONAL, max_steps=2 * STEPS)


COMPILED_MACHINES = {
    name: Subject(cases=partial(cases, name), check=partial(check, name), arithmetics=(*EXACT, *FORMATS, ANY_FLOAT))
    for name in CONSTRUCTIONS
}
