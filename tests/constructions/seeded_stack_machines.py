"""Stack machines at random but the same in every run."""

import random
from itertools import product

from strategies import HALTING

from exactnn.automata import EMPTY, KEEP, POP, StackConfiguration, StackMachine, push

SIZES = ((1, 1, 1), (2, 1, 2), (3, 1, 2), (1, 2, 1), (2, 2, 1), (1, 2, 2), (2, 2, 2), (3, 1, 3), (1, 1, 4), (3, 2, 1))
"""(working states, stacks, stack symbols) of the machines of one batch."""


def random_machine(rng, states, stacks, symbols):
    """Return a total machine; halting states are entered by about one rule in seven."""
    working = [f"q{i}" for i in range(states)]
    letters = "abcd"[:symbols]
    halting = rng.choice(HALTING)
    targets = working * 6 + list(halting.values()) * len(working)
    operations = [KEEP, POP, *map(push, letters)]
    return StackMachine(
        states=[*working, *halting.values()],
        input_symbols=[a for a in letters if rng.random() < 0.8],
        stack_symbols=letters,
        stacks=stacks,
        transitions={
            q: {
                reading: (rng.choice(targets), [rng.choice(operations) for _ in range(stacks)])
                for reading in product((*letters, EMPTY), repeat=stacks)
            }
            for q in working
        },
        initial_state="q0",
        **halting,
    )


def batch(number):
    """Return (rng, machine) pairs, one for each of SIZES, and with every fifth batch one with three stacks."""
    for i, size in enumerate(SIZES if number % 5 else (*SIZES, (1, 3, 1))):
        rng = random.Random(1000 * number + i)
        yield rng, random_machine(rng, *size)


def random_words(rng, machine):
    """Return the empty word and, where there is an alphabet, two more."""
    if not machine.input_symbols:
        return [()]
    return [(), *(tuple(rng.choices(machine.input_symbols, k=rng.randint(1, 4))) for _ in range(2))]


def random_configuration(rng, machine, states):
    """Return a configuration of any of `states` with any stacks, reachable or not."""
    stacks = (tuple(rng.choices(machine.stack_symbols, k=rng.randint(0, 5))) for _ in range(machine.stacks))
    return StackConfiguration(state=rng.choice(states), stacks=tuple(stacks))


def reachable(machine):
    """Return the states that the initial state leads to, itself included."""
    found = [machine.initial_state]
    for q in found:
        for rule in machine.transitions.get(q, {}).values():
            if rule.next_state not in found:
                found.append(rule.next_state)
    return found


def next_configuration(machine, configuration):
    """Return the configuration after one move, from the definition."""
    reading = tuple(stack[0] if stack else EMPTY for stack in configuration.stacks)
    state, operations = machine.transitions[configuration.state][reading]
    done = {"keep": lambda stack, _: stack, "pop": lambda stack, _: stack[1:], "push": lambda stack, a: (*a, *stack)}
    stacks = (done[o[0]](stack, o[1:]) for stack, o in zip(configuration.stacks, operations, strict=True))
    return StackConfiguration(state=state, stacks=tuple(stacks))
