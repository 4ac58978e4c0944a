"""Who takes the next plain steps: races by a simulated clock, of executors that take whatever a step takes."""

from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.simulation.common_denominator import Numerators
from exactnn.simulation.flint_matrix import Column
from exactnn.simulation.race import IN_INTEGERS, IN_LOWEST_TERMS, IN_MATRICES, Contender, Race, Record
from exactnn.simulation.short_run import FIRST_SECONDS

NETWORK = xn.compile("bb5").network
GUESSES = {tuple: IN_LOWEST_TERMS, Numerators: IN_INTEGERS, Column: IN_MATRICES}
SIZE = len(NETWORK.circuit.layers) + 1, NETWORK.circuit.weights


class Takes(NamedTuple):
    """What an executor takes: so many times what is guessed, the first step longer than others, and to convert."""

    times: float
    preparing: float
    converting: float


class Clock:
    """Runs of one network, in each of which the first step leads to a denominator of some bits, and others to more.

    If they are `flat`, long numbers are so few that a step takes no longer for them.
    """

    def __init__(self, taken: dict[type, Takes], bits: int, growth: int, flat: bool) -> None:
        self.taken, self.bits, self.growth, self.flat = taken, bits, growth, flat
        self.record = Record()
        self.prepared: set[type] = {tuple}

    def step(self, form: type, number: int) -> float:
        """Return the seconds of a step."""
        bits = 0 if self.flat else self.bits + self.growth * number
        return self.taken[form].times * GUESSES[form].seconds(*SIZE, bits)

    def run(self, steps: int) -> tuple[float, dict[type, int]]:
        """Return the seconds of a run, and the steps that each executor took."""
        contenders = {
            form: Contender(self.record, NETWORK, False, lambda: None, form, guess, self.taken[form].preparing)
            for form, guess in GUESSES.items()
        }
        held, seconds, counted, race = tuple, 0.0, dict.fromkeys(GUESSES, 0), None
        for number in range(steps):
            bits = self.bits + self.growth * number
            if seconds < FIRST_SECONDS:
                seconds += self.step(tuple, number)
                counted[tuple] += 1
                self.record.took(self.step(tuple, number))
                continue
            if race is None:
                if not contenders[tuple].speed.tried:
                    contenders[tuple].saw(seconds / number, bits)
                race = Race(self.record, contenders, bits)
            turn = race.turn
            takes, took = self.taken[turn.form], self.step(turn.form, number)
            counted[turn.form] += 1
            if held is not turn.form:
                held = turn.form
                turn.converting += takes.converting
                seconds += takes.converting
            seconds += took
            if turn.form not in self.prepared:  # such a step is not counted, as the first one on an input
                self.prepared.add(turn.form)
                seconds += takes.preparing
                continue
            turn.seconds, turn.steps, turn.left = turn.seconds + took, turn.steps + 1, turn.left - 1
            self.record.took(took)
            if turn.is_over and race.judge(bits):
                race.go_on(bits)
        return seconds, counted

    def best(self, steps: int) -> float:
        """Return the seconds of a run by whoever is the fastest of them alone."""
        return min(
            takes.preparing + takes.converting * (form is not tuple) + sum(self.step(form, n) for n in range(steps))
            for form, takes in self.taken.items()
        )


@st.composite
def clocks(draw, bits=(1, 60, 2000)):
    """Three executors, each up to twice as fast or as slow as is guessed."""
    taken = {
        form: Takes(
            2 ** draw(st.floats(-1, 1)),
            0.0 if form is tuple else draw(st.sampled_from([0, 1e-4, 2e-3])),
            draw(st.sampled_from([0, 1e-5, 1e-4])),
        )
        for form in GUESSES
    }
    return Clock(taken, draw(st.sampled_from(bits)), draw(st.sampled_from([0, 1, 10])), draw(st.booleans()))


@settings(max_examples=200, deadline=None)
@given(clocks(), st.sampled_from([300, 3000]))
def test_a_long_run_takes_little_longer_than_by_the_best_alone(clock, steps):
    seconds, _ = clock.run(steps)
    assert seconds < 1.3 * clock.best(steps) + 0.02


@settings(max_examples=100, deadline=None)
@given(clocks(bits=(1, 60)), st.sampled_from([(200, 20), (100, 40), (20, 300)]))
def test_short_runs_learn_from_each_other(clock, size):
    """Trials that no run is long enough to finish tell something, too."""
    runs, steps = size
    seconds = sum(clock.run(steps)[0] for _ in range(runs))
    first_steps = runs * (FIRST_SECONDS + clock.step(tuple, 0))
    assert seconds < 1.3 * runs * clock.best(steps) + first_steps + 0.02


def test_a_trial_that_a_run_did_not_finish_is_no_lost_one():
    """Integers take a thirtieth of the time, and each run ends before they have shown it for sure."""
    taken = {tuple: Takes(1.8, 0, 1e-5), Numerators: Takes(1.5, 2e-3, 0), Column: Takes(2, 2e-3, 1e-5)}
    clock = Clock(taken, bits=2000, growth=10, flat=False)
    counted = [clock.run(30)[1] for _ in range(20)]
    assert all(found[tuple] <= 2 for found in counted)
