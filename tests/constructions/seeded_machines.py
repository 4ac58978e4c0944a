"""Turing machines at random but the same in every run, and a move of a machine by its definition."""

import random

from strategies import HALTING

from exactnn.automata import TuringMachine, tape_configuration
from exactnn.constructions import siegelmann_sontag

SIZES = ((1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3), (4, 3), (1, 4), (2, 4), (2, 3), (3, 2), (1, 5))
"""(working states, tape symbols) of the machines of one batch; with one or two halting states they have 2 to 6."""


def random_machine(rng, states, symbols):
    """Return a total machine; halting states are entered by about one rule in seven."""
    working = [f"q{i}" for i in range(states)]
    letters = "abcd"[: symbols - 1]
    halting = rng.choice(HALTING)
    targets = working * 6 + list(halting.values()) * len(working)
    return TuringMachine(
        states=[*working, *halting.values()],
        input_symbols=[a for a in letters if rng.random() < 0.7],
        tape_symbols="_" + letters,
        transitions={
            q: {a: (rng.choice(targets), rng.choice("_" + letters), rng.choice("LR")) for a in "_" + letters}
            for q in working
        },
        initial_state="q0",
        blank_symbol="_",
        tape=rng.choice(["semi_infinite", "two_way_infinite"]),
        **halting,
    )


def batch(number):
    """Return (rng, machine) pairs, one for each of SIZES and a larger one now and then."""
    sizes = SIZES if number % 6 else (*SIZES, (4, 4), (3, 5))
    for i, size in enumerate(sizes):
        rng = random.Random(1000 * number + i)
        yield rng, random_machine(rng, *size)


def random_words(rng, machine):
    """Return the empty word and, where there is an alphabet, two more."""
    if not machine.input_symbols:
        return [()]
    return [(), *(tuple(rng.choices(machine.input_symbols, k=rng.randint(1, 4))) for _ in range(2))]


def random_configuration(rng, machine, states):
    """Return a configuration of any of `states` on any tape, reachable or not."""
    left, right = (rng.choices(machine.tape_symbols, k=rng.randint(0, 5)) for _ in "lr")
    return tape_configuration(machine, rng.choice(states), left, rng.choice(machine.tape_symbols), right)


def reachable(machine):
    """Return the states that the initial state leads to, itself included."""
    found = [machine.initial_state]
    for q in found:
        for rule in machine.transitions.get(q, {}).values():
            if rule.next_state not in found:
                found.append(rule.next_state)
    return found


def next_configuration(machine, configuration):
    """Return the configuration after one move: a numbered tape, written and moved on."""
    cells = dict(enumerate(configuration.tape))
    head = len(configuration.left)
    state, cells[head], move = machine.transitions[configuration.state][configuration.scanned]
    head += 1 if move == "R" else -1
    if machine.tape == "semi_infinite":
        head = max(head, 0)
    first, last = min(head, 0), max(head, *cells)
    tape = [cells.get(i, machine.blank_symbol) for i in range(first, last + 1)]
    position = head - first
    return tape_configuration(machine, state, tape[:position][::-1], tape[position], tape[position + 1 :])


def in_relu(machine, **options):
    """Return the real-time construction with ReLU units only."""
    return siegelmann_sontag(machine, activation="relu", **options)
