"""A Turing machine on a tape of numbered cells, as plainly as can be; and machines at random that go to and fro on it.

Of machines drawn evenly few do anything for long: most halt, stay in a few cells, or run away.
"""

from collections import defaultdict
from random import Random

import exactnn as xn
from exactnn.automata import TapeConfiguration, tape_configuration

__all__ = ["PlainTape", "swinging_machine"]

SWING, SWINGS, LOOK, TRIES = 4, 10, 1000, 60
"""Cells of a swing, how many a machine makes at least in so many moves, and how many machines are tried."""


class PlainTape:
    """A machine with its tape, from a configuration on."""

    def __init__(self, machine: xn.TuringMachine, begun: TapeConfiguration) -> None:
        self.machine, self.state, self.head = machine, begun.state, 0
        self.cells = defaultdict(lambda: machine.blank_symbol)
        self.cells |= {0: begun.scanned} | {-1 - i: a for i, a in enumerate(begun.left)}
        self.cells |= {1 + i: a for i, a in enumerate(begun.right)}

    def advance(self, moves: int) -> int:
        """Make so many moves, or those up to halting; return how many."""
        rules, cells = self.machine.transitions, self.cells
        for done in range(moves):
            if self.state not in rules:
                return done
            rule = rules[self.state][cells[self.head]]
            cells[self.head] = rule.written
            self.head += 1 if rule.move == "R" else -1
            self.state = rule.next_state
        return moves

    @property
    def halted(self) -> bool:
        return self.state not in self.machine.transitions

    @property
    def configuration(self) -> TapeConfiguration:
        left = [self.cells[i] for i in range(self.head - 1, min(self.cells) - 1, -1)]
        right = [self.cells[i] for i in range(self.head + 1, max(self.cells) + 1)]
        return tape_configuration(self.machine, self.state, left, self.cells[self.head], right)


def swinging_machine(seed: int, states: int, symbols: int, tape: tuple[str, str, str]) -> xn.TuringMachine:
    """Return the first machine at random that goes to and fro on a tape: what is left of the head, at it, and right."""
    random = Random(f"{seed} {tape}")  # cases that differ in the tape only would be much alike
    for _ in range(TRIES):
        machine = xn.load(_text(random, states, symbols))
        left, scanned, right = tape
        if _swings(PlainTape(machine, tape_configuration(machine, "A", left, scanned, right))) >= SWINGS:
            break
    return machine


def _text(random: Random, states: int, symbols: int) -> str:
    """Return a machine drawn evenly, but for entries that halt, which are rare."""
    names, halting = "ABCDE"[:states], 0.5 / (states * symbols)

    def entry() -> str:
        parts = "0123"[:symbols], "LR", names
        return "---" if random.random() < halting else "".join(map(random.choice, parts))

    return "_".join("".join(entry() for _ in range(symbols)) for _ in range(states))


def _swings(tape: PlainTape) -> int:
    """Return how often the head turns and then goes some cells the other way."""
    count, ahead, farthest = 0, 1, tape.head
    for _ in range(LOOK):
        if not tape.advance(1):
            return 0
        if (tape.head - farthest) * ahead > 0:
            farthest = tape.head
        elif (farthest - tape.head) * ahead >= SWING:
            count, ahead, farthest = count + 1, -ahead, tape.head
    return count
