"""Unitary twins of contractive networks: an orthogonal matrix, and state by state what the original does.

The original is run by the plain circuit of the tests, in fractions. Some words go beyond the bound, where a twin is not
to answer.
"""

from functools import partial
from itertools import takewhile

from gmpy2 import mpq
from hypothesis import strategies as st
from plain_circuit import Plain, fraction

import exactnn as xn
from exactnn.contraction import FORMS, UnitaryTwin, elman
from exactnn.errors import ExactnnError
from exactnn.strategies import contractive_networks
from fuzz_subjects.subject import Subject

__all__ = ["UNITARY_TWINS"]

ARITHMETICS = {"exact": xn.EXACT, "rational": xn.RATIONAL}
BOUNDS = (mpq(1), mpq(0), mpq(1, 3), mpq(5))

Word = tuple[object, ...]
Bounds = tuple[mpq, ...] | None
Case = tuple[xn.Network, str, Bounds, mpq, Word]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """A network, the form of its twin, the input bounds and the room; and a word, of which little is out of bounds."""
    form = draw(st.sampled_from(tuple(FORMS)))
    network = draw(contractive_networks(max_size=4 if form == "2n" else 3, max_inputs=3))
    room = draw(st.sampled_from((mpq(2), mpq(1), mpq(17, 5))))
    if network.alphabet is not None:
        return network, form, None, room, tuple(draw(st.lists(st.sampled_from(network.alphabet), max_size=10)))
    width = network.circuit.input_size
    bounds = tuple(draw(st.sampled_from(BOUNDS)) for _ in range(width))
    word = draw(st.lists(st.tuples(*(steps_to(bound) for bound in bounds)), max_size=10))
    if word and draw(st.integers(0, 4)) == 4:
        at, place = draw(st.integers(0, len(word) - 1)), draw(st.integers(0, width - 1))
        beyond = draw(st.sampled_from((1, -1))) * (bounds[place] + draw(st.sampled_from((mpq(1, 1000), mpq(100)))))
        word[at] = (*word[at][:place], beyond, *word[at][place + 1 :])
    return network, form, bounds, room, tuple(word)


def steps_to(bound: mpq) -> st.SearchStrategy[mpq]:
    """Numbers up to a bound, itself and its negative among them."""
    return st.integers(-6, 6).map(lambda k: bound * mpq(k, 6))


def check(arithmetic: str, case: Case) -> None:
    network, form, bounds, room, word = case
    told = f"{form} twin of {elman(network)}, bounds {bounds}, room {room}"
    try:
        twin = xn.unitary(network, input_bound=bounds, form=form, room=room)
    except ExactnnError as error:  # a contractive network has one, and it is proven before it is returned
        raise AssertionError(f"{told}: {error}") from error
    check_matrix(network, twin, told)
    check_run(network, twin, word, bounds, arithmetic, f"{told}, on {word} in {arithmetic}")


def check_matrix(network: xn.Network, twin: UnitaryTwin, told: str) -> None:
    """Compare NᵀDN with D, which makes √D N √D⁻¹ orthogonal; and what the twin has of the original."""
    original, found, form = elman(network), elman(twin.network), twin.certificate.form
    size, whole = original.size, range(found.size)
    assert all(d > 0 for d in form), f"{told}: D is {form}"
    for i in whole:
        for j in whole:
            entry = sum(d * row[i] * row[j] for d, row in zip(form, found.V, strict=True))
            assert entry == (form[i] if i == j else 0), f"{told}: entry {i}, {j} of N'DN is {entry}, D is {form}"
    if twin.form != "2n":
        assert set(form) == {1}, f"{told}: not orthogonal, D is {form}"
    most = {"2n": 2 * size, "5n": 5 * size, "2n+3": 2 * size + 3}
    assert size <= found.size <= most[twin.form], f"{told}: {found.size} states"
    block = tuple(row[:size] for row in found.V[:size])
    kept = (block, found.W[:size], found.b[:size], found.s[:size])
    assert kept == (original.V, original.W, original.b, original.s), f"{told}: it has {kept} of the original"


def is_inside(bounds: tuple[mpq, ...], vector: tuple[mpq, ...]) -> bool:
    return all(abs(x) <= bound for x, bound in zip(vector, bounds, strict=True))


def check_run(network: xn.Network, twin: UnitaryTwin, word: Word, bounds: Bounds, arithmetic: str, told: str) -> None:
    """Compare outputs, states and the end of a run with those of the original, as far as the word is within bounds."""
    inside = word if bounds is None else tuple(takewhile(partial(is_inside, bounds), word))
    _, states, outputs = Plain(network, fraction).run(inside, len(inside))
    run = xn.run(twin, word, arithmetic=ARITHMETICS[arithmetic], record="all")
    outside = len(inside) < len(word)
    assert run.steps == len(inside), f"{told}: {run!r}"
    assert (run.outcome is xn.Outcome.OUT_OF_DOMAIN) == outside, f"{told}: {run!r}"
    assert run.outside_at == (len(inside) + 1 if outside else None), f"{told}: out of domain at {run.outside_at}"
    held = (0,) * (twin.network.neurons - network.neurons)
    for step, (state, output, values) in enumerate(zip(states, outputs, run.trace, strict=True)):
        assert values == (*state, *held), f"{told}: state {values} after {step} steps, not {state}"
        assert twin.decode(values) == state, f"{told}: {values} is read as {twin.decode(values)}"
        found = run.outputs[step - 1] if step else run.initial_output
        assert found == output, f"{told}: output {found} after {step} steps, not {output}"


UNITARY_TWINS = Subject(cases=cases, check=check, arithmetics=tuple(ARITHMETICS))
