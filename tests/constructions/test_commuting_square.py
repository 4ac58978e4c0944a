"""The simulation theorem as a commuting square: decode(step(encode(c))) = next(c), for any configuration c.

Not only those that a run meets: the tapes and states are drawn at random.
"""

import random

import pytest
from every_construction import OF_DFAS, OF_TURING_MACHINES, every
from hypothesis import given
from hypothesis import strategies as st
from seeded_machines import batch, in_relu, next_configuration, random_configuration, random_words, reachable
from strategies import dfas, tape_configurations, turing_machines

from exactnn.arithmetic import RATIONAL
from exactnn.automata import configurations, tape_configuration
from exactnn.constructions import siegelmann_sontag, siegelmann_sontag_book
from exactnn.errors import ConstructionError, OptionError
from exactnn.networks import EOS
from exactnn.simulation import advance_by, executor_for

CONSTRUCTIONS = every([*OF_TURING_MACHINES, in_relu])
STEPS = 5


class Square:
    """The two ways from a configuration to the next ones, counted."""

    def __init__(self, construction):
        self.construction = construction
        self.executor = executor_for(construction.network, RATIONAL)
        self.eos = construction.network.alphabet.index(EOS)
        self.tried = self.checked = 0

    def check(self, configuration):
        machine = self.construction.machine
        self.tried += 1
        try:
            state = self.construction.encode(configuration)
        except ConstructionError:
            return
        self.checked += 1
        assert self.construction.decode(state) == configuration
        verdicts = {machine.accept_state: 1, machine.halt_state: 1, machine.reject_state: -1}
        verdicts.pop(None, None)
        for _ in range(STEPS):  # some units are not decoded, but show in the steps after
            configuration = next_configuration(machine, configuration)
            segment = advance_by(self.executor, state, self.eos, self.construction.steps_per_move)
            assert self.construction.decode(segment.state) == configuration
            assert segment.outputs[-1][0] == verdicts.get(configuration.state, 0)
            if configuration.state in machine.halting_states:
                return
            state = segment.state


@pytest.mark.mostly_slow(quick=6)
@CONSTRUCTIONS
@pytest.mark.parametrize("number", range(4))
def test_configurations_of_seeded_machines(compiled, number):
    tried = checked = 0
    for rng, machine in batch(100 + number):
        square = Square(compiled(machine))
        working = [q for q in reachable(machine) if q in machine.transitions]
        for _ in range(25):
            square.check(random_configuration(rng, machine, working))
        tried, checked = tried + square.tried, checked + square.checked
    assert tried >= 300
    assert checked >= 0.9 * tried


@st.composite
def machines_and_configurations(draw):
    machine = draw(turing_machines())
    working = [q for q in reachable(machine) if q in machine.transitions]
    return machine, draw(tape_configurations(machine, states=working))


@CONSTRUCTIONS
@given(pair=machines_and_configurations())
def test_configurations_of_drawn_machines(compiled, pair):
    machine, configuration = pair
    Square(compiled(machine)).check(configuration)


@CONSTRUCTIONS
def test_every_configuration_that_a_run_meets_after_its_first_can_be_encoded(compiled):
    for rng, machine in batch(200):
        construction = compiled(machine)
        for word in random_words(rng, machine):
            path = configurations(machine, word)
            next(path)
            for configuration, _ in zip(path, range(20), strict=False):
                assert construction.decode(construction.encode(configuration)) == configuration


@pytest.mark.mostly_slow(quick=6, slow=5)
@every([siegelmann_sontag, in_relu, siegelmann_sontag_book])
@pytest.mark.parametrize("base", [4, 5, 7, 10, 64])
def test_in_other_bases(compiled, base):
    rng = random.Random(base)
    checked = 0
    for _, machine in batch(300):
        if len(machine.tape_symbols) == 2 and len(machine.states) <= 5:
            if machine.tape == "semi_infinite" and base < 5 and compiled is not siegelmann_sontag_book:
                continue  # its bottom marker needs one more digit
            square = Square(compiled(machine, base=base))
            working = [q for q in reachable(machine) if q in machine.transitions]
            for _ in range(10):
                square.check(random_configuration(rng, machine, working))
            checked += square.checked
    assert checked >= 10


def full_configuration(rng, machine, states):
    """Return a configuration whose tape is full of the last symbols, which have the largest digits."""
    cells = machine.tape_symbols[-2:] + machine.tape_symbols[-1:] * 4
    left, right = (rng.choices(cells, k=rng.randint(3, 12)) for _ in "lr")
    return tape_configuration(machine, rng.choice(states), left, rng.choice(machine.tape_symbols), right)


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("compiled", [siegelmann_sontag, in_relu])
@pytest.mark.parametrize("number", range(2))
def test_in_the_least_base_that_the_symbols_allow(number, compiled):
    checked = 0
    for rng, machine in batch(310 + number):
        least = 2 * len(machine.tape_symbols) + (1 if machine.tape == "semi_infinite" else -1)
        square = Square(compiled(machine, base=least))
        working = [q for q in reachable(machine) if q in machine.transitions]
        for _ in range(40):
            square.check(full_configuration(rng, machine, working))
        checked += square.checked
        with pytest.raises(OptionError):
            compiled(machine, base=least - 1)
    assert checked >= 400


@every(OF_DFAS)
@given(dfa=dfas(), data=st.data())
def test_the_square_of_automata(compiled, dfa, data):
    construction = compiled(dfa)
    executor = executor_for(construction.network, RATIONAL)
    state, symbol = data.draw(st.sampled_from(dfa.states)), data.draw(st.sampled_from(dfa.input_symbols))
    try:
        encoded = construction.encode(state)
    except ConstructionError:
        targets = {q for row in dfa.transitions.values() for q in row.values()}
        assert state not in {dfa.initial_state, *targets}
        return
    assert construction.decode(encoded) == state
    number = construction.network.alphabet.index(symbol)
    segment = advance_by(executor, encoded, number, construction.steps_per_move)
    following = dfa.transitions[state][symbol]
    assert construction.decode(segment.state) == following
    accepted = segment.outputs[-1][0] > construction.network.decision.threshold
    assert accepted == (following in dfa.final_states)
