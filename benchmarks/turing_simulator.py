"""A Turing machine run directly on an array of cells, as fast as it goes: the baseline for exact runs of networks.

Three loops, all compiled by numba, none with a bounds check: they are called for no more steps than the head has
cells left on either side, and the tape grows in between.

* `plain`: a look-up a step by state and symbol, as one writes it down.
* `table`: one look-up a step in a table of packed entries. The cell ahead is fetched while the entry is, so that a
  step waits for one of the two only. Its time does not depend on what is on the tape.
* `branches`: source text made for the machine, a branch for each state and symbol and a loop for each rule that stays
  in its state. Fastest where branches are predictable, as in sweeps over long runs.

Measured: nanoseconds a step on machines of the zoo, best of several rounds, checked against the published counts.

    python benchmarks/turing_simulator.py
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table

import exactnn as xn
from exactnn.automata import tape_configuration

__all__ = ["LOOPS", "Simulation", "Simulator"]

ROUNDS = 5

MARGIN = 2
"""Cells at either end of the array that the head never reaches: the loops read one cell ahead."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """Where a machine is after some steps: its state and head by number, its tape as an array of symbol numbers."""

    machine: xn.TuringMachine
    steps: int
    number: int
    head: int
    tape: np.ndarray

    @property
    def state(self) -> object:
        """The state."""
        return _states(self.machine)[self.number]

    @property
    def halted(self) -> bool:
        """Whether the state is a halting one."""
        return self.state in self.machine.halting_states

    @property
    def nonblank(self) -> int:
        """Number of cells that are not blank."""
        return int(np.count_nonzero(self.tape))

    @property
    def configuration(self) -> xn.TapeConfiguration:
        """The same as a configuration of the machine."""
        symbols = _symbols(self.machine)
        used = np.flatnonzero(self.tape)
        low, high = (int(used[0]), int(used[-1])) if len(used) else (self.head, self.head)
        left = [symbols[a] for a in self.tape[low : max(low, self.head)][::-1]]
        right = [symbols[a] for a in self.tape[self.head + 1 : high + 1]]
        return tape_configuration(self.machine, self.state, left, symbols[self.tape[self.head]], right)


class Simulator:
    """A machine on a two-way infinite tape with its loop, compiled when this is made."""

    def __init__(self, machine: xn.TuringMachine, loop: str = "branches") -> None:
        assert machine.tape == "two_way_infinite", machine.tape
        self.machine = machine
        self._running = len(machine.states) - len(machine.halting_states)
        self._loop = LOOPS[loop](machine)
        self._loop(np.zeros(2 * MARGIN + 1, np.uint8), MARGIN, 0, 0)

    def run(self, configuration: xn.TapeConfiguration | None = None, max_steps: int = 1 << 62) -> Simulation:
        """Run from `configuration`, or from the empty tape, until the machine halts, or for `max_steps` steps."""
        return self.advance(self.start(configuration), max_steps)

    def start(self, configuration: xn.TapeConfiguration | None = None) -> Simulation:
        """Return where the machine begins, with the head in the middle of an array that is long enough for a while."""
        machine = self.machine
        if configuration is None:
            blank = machine.blank_symbol
            configuration = xn.TapeConfiguration(state=machine.initial_state, left=(), scanned=blank, right=())
        number = {a: i for i, a in enumerate(_symbols(machine))}
        cells = [number[a] for a in configuration.tape]
        head = max(1 << 18, 2 * len(cells))
        tape = np.zeros(2 * head, np.uint8)
        first = head - len(configuration.left)
        tape[first : first + len(cells)] = cells
        return Simulation(machine, 0, _states(machine).index(configuration.state), head, tape)

    def advance(self, begin: Simulation, max_steps: int) -> Simulation:
        """Go on from `begin`, which stays as it is."""
        tape, head, number = begin.tape.copy(), begin.head, begin.number
        steps = 0
        while steps < max_steps and number < self._running:
            room = min(head, len(tape) - 1 - head) - MARGIN
            if room < len(tape) // 8:
                tape, head = _grown(tape, head)
                continue
            done, head, number = self._loop(tape, head, number, min(room, max_steps - steps))
            steps += done
        return Simulation(self.machine, begin.steps + steps, number, head, tape)


def _states(machine: xn.TuringMachine) -> list[object]:
    """Return the states in the order of their numbers: the halting ones last."""
    halting = machine.halting_states
    return [q for q in machine.states if q not in halting] + list(halting)


def _symbols(machine: xn.TuringMachine) -> list[str]:
    """Return the symbols in the order of their numbers: the blank first."""
    return [machine.blank_symbol] + [a for a in machine.tape_symbols if a != machine.blank_symbol]


def _rules(machine: xn.TuringMachine) -> Iterator[list[tuple[int, int, int]]]:
    """Yield for every state that runs its rules by symbol: what is written, -1 or 1, the next state's number."""
    states, symbols = _states(machine), _symbols(machine)
    for q in states[: len(states) - len(machine.halting_states)]:
        rules = [machine.transitions[q][a] for a in symbols]
        yield [(symbols.index(r.written), 1 if r.move == "R" else -1, states.index(r.next_state)) for r in rules]


def _grown(tape: np.ndarray, head: int) -> tuple[np.ndarray, int]:
    """Return the tape in the middle of one three times as long."""
    longer = np.zeros(3 * len(tape), np.uint8)
    longer[len(tape) : 2 * len(tape)] = tape
    return longer, head + len(tape)


def _plain_loop(machine: xn.TuringMachine) -> Callable[..., tuple[int, int, int]]:
    """Return the loop over entries of next state, direction and what is written."""
    width = len(_symbols(machine))
    entries = [state << 9 | (move > 0) << 8 | written for rules in _rules(machine) for written, move, state in rules]
    table, halting = np.array(entries, np.int64), len(entries) // width

    def run(tape: np.ndarray, head: int, state: int, count: int) -> tuple[int, int, int]:
        return _step_plainly(table, tape, head, state, width, halting, count)

    return run


@njit
def _step_plainly(
    table: np.ndarray, tape: np.ndarray, head: int, state: int, width: int, halting: int, count: int
) -> tuple[int, int, int]:
    steps = 0
    while steps < count:
        entry = table[np.uint64(state * width + tape[np.uint64(head)])]
        tape[np.uint64(head)] = entry & 0xFF
        head += ((entry >> 8) & 1) * 2 - 1
        state = entry >> 9
        steps += 1
        if state >= halting:
            break
    return steps, head, state


def _table_loop(machine: xn.TuringMachine) -> Callable[..., tuple[int, int, int]]:
    """Return the loop over packed entries: 1 or -1 in the high half, then the next row, then what is written."""
    width = len(_symbols(machine))
    entries = [
        (move << 32) + ((state * width) << 8 | written) for rules in _rules(machine) for written, move, state in rules
    ]
    table, halting = np.array(entries, np.int64), len(entries)

    def run(tape: np.ndarray, head: int, state: int, count: int) -> tuple[int, int, int]:
        steps, head, row = _look_up(table, tape, head, state * width, halting, count)
        return steps, head, row // width

    return run


@njit
def _look_up(
    table: np.ndarray, tape: np.ndarray, head: int, row: int, halting: int, count: int
) -> tuple[int, int, int]:
    steps = 0
    direction = np.intp(1)
    symbol, ahead, behind = np.intp(tape[head]), np.intp(tape[head + 1]), np.intp(tape[head - 1])
    while steps < count:
        entry = np.intp(table[np.uint64(row + symbol)])
        written, move = entry & np.intp(0xFF), entry >> np.intp(32)
        tape[np.uint64(head)] = np.uint8(written)
        head += move
        symbol = ahead if move == direction else behind
        behind, direction = written, move
        ahead = np.intp(tape[np.uint64(head + move)])
        row = (entry >> np.intp(8)) & np.intp(0xFFFFFF)
        steps += 1
        if row >= halting:
            break
    return steps, head, row


def _branch_loop(machine: xn.TuringMachine) -> Callable[..., tuple[int, int, int]]:
    """Return the loop made for this machine."""
    lines = ["def loop(tape, head, state, count):", "    steps = 0", "    while steps < count:"]
    rules = list(_rules(machine))
    for q, row in enumerate(rules):
        lines += [f"        {'elif' if q else 'if'} state == {q}:"]
        lines += _staying(q, row)
        lines += _leaving(row, len(rules))
    lines += ["    return steps, head, state"]
    space: dict[str, Any] = {"one": np.uint64(1)}
    exec("\n".join(lines), space)
    loop = njit(space["loop"])

    def run(tape: np.ndarray, head: int, state: int, count: int) -> tuple[int, int, int]:
        steps, end, last = loop(tape, np.uint64(head), state, count)
        return int(steps), int(end), int(last)

    return run


def _staying(state: int, rules: list[tuple[int, int, int]]) -> list[str]:
    """Return a loop for each rule that stays in its state; they are left with a step to do, or with none left."""
    lines = []
    for symbol, rule in enumerate(rules):
        if rule[2] == state:
            lines += [f"            while tape[head] == {symbol} and steps < count:"]
            lines += _move(symbol, *rule[:2])
            lines += ["                steps += 1"]
    return [*lines, "            if steps == count: break"] if lines else []


def _leaving(rules: list[tuple[int, int, int]], halting: int) -> list[str]:
    """Return a branch for each symbol."""
    lines = ["            steps += 1"]
    for symbol, (written, move, state) in enumerate(rules):
        word = "else:" if symbol == len(rules) - 1 > 0 else f"{'elif' if symbol else 'if'} tape[head] == {symbol}:"
        lines += [f"            {word}", *_move(symbol, written, move), f"                state = {state}"]
        if state >= halting:
            lines += ["                break"]
    return lines


def _move(symbol: int, written: int, move: int) -> list[str]:
    write = [f"                tape[head] = {written}"] if written != symbol else []
    return [*write, f"                head {'+' if move > 0 else '-'}= one"]


LOOPS: dict[str, Callable[[xn.TuringMachine], Callable[..., tuple[int, int, int]]]] = {
    "plain": _plain_loop,
    "table": _table_loop,
    "branches": _branch_loop,
}


def _measure(name: str, steps: int, nonblank: int, loop: str) -> float:
    """Return seconds of a whole run, the shortest of several, after checking it."""
    simulator = Simulator(xn.load(name), loop)
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        end = simulator.run()
        times.append(time.perf_counter() - began)
        assert (end.halted, end.steps, end.nonblank) == (True, steps, nonblank), end
    return min(times)


def main() -> None:
    """Print the table."""
    table = Table(title="Direct simulation, ns a step")
    for column in ("machine", "steps", "nonblank", *LOOPS):
        table.add_column(column, justify="right")
    for name, steps, nonblank in (("bb5", 47_176_870, 4098), ("bb2x4", 3_932_964, 2050)):
        figures = [f"{_measure(name, steps, nonblank, loop) / steps * 1e9:.2f}" for loop in LOOPS]
        table.add_row(name, f"{steps:,}", str(nonblank), *figures)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
