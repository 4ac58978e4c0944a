"""The final state of a run, whose long numbers are written out when somebody asks for them."""

import copy
import gc
import pickle
import weakref

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.simulation.executor import Later
from exactnn.simulation.positional import modes
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.positional.mode_state import later_written_out
from exactnn.size_limit import SizeLimit

HALF = "ab" * 350
RUNS = {
    "direct": (lambda: xn.compile("mirror-stacks", "layered_stacks").network, f"{HALF}#{HALF[::-1]}", None),
    "read in the unfolded network": (lambda: xn.compile("anbn-stacks", "real_time_stacks").network, "a" * 300, None),
    "on EOS in the unfolded network": (lambda: xn.compile("anbn-stacks", "real_time_stacks").network, "a" * 40, 300),
    "on EOS in the fused network": (lambda: xn.compile("palindrome", "siegelmann_sontag").network, "ab" * 40, 2000),
    "by rules": (lambda: xn.compile("bb5").network, "", None),
    "in rationals": (lambda: xn.compile("parity").network, "010", None),
}


def state_after(executor, steps):
    """The state after so many steps on EOS, one by one or in blocks."""
    state = executor.start()
    while steps:
        segment = executor.advance(state, executor.network.eos, steps, until_decided=True)
        state, steps = segment.state, steps - segment.steps
    return executor.values(state)


@pytest.fixture(params=RUNS, ids=list(RUNS))
def run(request):
    """A run whose final state nobody has asked for, of a network that had one before, and the state as it is."""
    make, word, steps = RUNS[request.param]
    network = make()
    xn.run(network, word, max_steps=steps)
    found = xn.run(network, word, max_steps=steps)
    if found.steps > 10**6:
        return found, state_after(ExactExecutor(network, macro=False), found.steps)
    return found, xn.run(network, word, xn.RATIONAL, max_steps=found.steps).final_state


def test_it_is_what_it_was_when_the_run_ended(run):
    found, expected = run
    xn.run(found.network, found.word[: len(found.word) // 2], max_steps=100)  # another one goes on with what is kept
    assert found.final_state == expected
    assert found.final_state is found.final_state


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))])
def test_a_copy_of_a_run_has_it_too(run, copied):
    found, expected = run
    again = copied(found)
    assert again.final_state == expected
    assert again == found


def test_a_run_keeps_nothing_of_what_ran_it(monkeypatch):
    made = []
    whole = modes.Modes.__init__

    def init(self, *arguments, **options):
        whole(self, *arguments, **options)
        made.append(weakref.ref(self))

    monkeypatch.setattr(modes.Modes, "__init__", init)
    network = xn.compile("anbn-stacks", "real_time_stacks").network
    xn.run(network, "a" * 700)
    runs = [xn.run(network, "a" * 700) for _ in range(3)]
    gc.collect()
    assert len(made) == 4
    assert not any(one() for one in made)
    for run in runs:
        held = run._final_state._compute.__closure__
        arenas = [cell.cell_contents.func.__self__.arena for cell in held if hasattr(cell.cell_contents, "func")]
        assert [arena.capacity for arena in arenas] == [arena.top for arena in arenas] != []


def test_numbers_without_room_stay_numerals():
    network = xn.compile("mirror-stacks", "layered_stacks").network
    xn.run(network, "ab" * 2000, max_steps=4000)
    expected = xn.run(network, "ab" * 2000, max_steps=4000).final_state
    run = xn.run(network, "ab" * 2000, max_steps=4000)
    (numbers,) = run._final_state._compute.args and [run._final_state._compute.func(SizeLimit(100))]
    assert any(isinstance(number, xn.Numeral) for number in numbers)
    assert [n.rational() if isinstance(n, xn.Numeral) else n for n in numbers] == list(expected)


def test_it_is_computed_once_and_not_before():
    asked = []
    later = Later(lambda: asked.append(1) or (1, 2))
    assert asked == []
    assert later() == later() == (1, 2)
    assert asked == [1]


def test_what_raises_may_be_asked_for_again():
    answers = [KeyboardInterrupt(), (3,)]

    def compute():
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    later = Later(compute)
    with pytest.raises(KeyboardInterrupt):
        later()
    assert later() == (3,)
    assert later != Later.known((4,))
    assert later != (3,)


@pytest.mark.parametrize(("runs", "at_once"), [(((1, 10**5), (0, 10**5)), False), (((1, 1), (0, 1)) * 500, True)])
def test_numerals_are_held_where_they_are_shorter_than_their_digits(runs, at_once):
    numeral = xn.Numeral(base=2, limb_digits=4, head=0, places=0, sign=1, runs=(*runs, (1, 1)))
    held = later_written_out((mpq(1), numeral), SizeLimit())
    assert (held.func is tuple) == at_once
    assert held() == (1, numeral.rational())
