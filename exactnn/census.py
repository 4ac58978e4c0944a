"""A census of small Turing machines: which of all machines of n states and m symbols halt on the blank tape.

The tree normal form (A. Brady 1983; the name is that of H. Marxen and J. Buntrock) has one machine for all that differ
in names of states and symbols, in direction, or in rules that are never reached. It begins with the machine without
rules. A machine that comes to a rule that it has not got halts there, and its children have that rule in all ways: the
first move is to the right, and of states and symbols that no rule names yet there is only the next one.

Each machine of the tree is decided (`exactnn.automata.decide_halting`), and runs as a network, exactly: the network
must halt at the same step, or not at all within the steps of the proof.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from math import perm
from random import Random
from typing import Any

from exactnn.arithmetic import count_text, counted
from exactnn.automata.halting import Halting, Table, halting_of
from exactnn.automata.turing_machine import TuringMachine
from exactnn.campaigns import Campaign, Unit
from exactnn.constructions import siegelmann_sontag
from exactnn.errors import CheckpointError, OptionError, ShadowError, shown
from exactnn.files import DataTable
from exactnn.markup import Entry
from exactnn.markup import Table as ShownTable
from exactnn.options import callback, whole_number
from exactnn.outcome import Outcome
from exactnn.simulation import run

__all__ = ["HaltingCensus", "Subtree", "halting_census"]

MOST_RULES = 12
"""States times symbols at most: the tree of 6 states and 2 symbols has some 10^10 machines already."""
SMALL, UNITS, MANY_UNITS = 8, 2000, 200_000
"""Subtrees at least, if there are as many: of a tree of so few rules, and of a larger one. One takes seconds."""
MOST_OPEN = 1000
"""Machines that are not decided, of a unit, that are named."""
KINDS = ("halts", "cycle", "translated cycle", "closed set", "open")


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltingCensus(DataTable):
    """How many machines of the tree normal form halt, do not halt for which reason, or are open.

    Parameters
    ----------
    states, symbols : int
    max_steps : int
        Steps that a machine was run at most.
    halts, cycles, translated_cycles, closed_sets, open : int
        Machines that halt; that are proven not to, by each kind of proof; and that are not decided.
    longest : int
        Steps of the longest run that halts.
    champion : str
        A machine that takes so many, the first in the alphabet: as text of bbchallenge.org, where a rule that it has
        not got is ---.
    all_halting : int or None
        How many of all (2(n + 1)m)^(nm) machines of n states and m symbols halt, in which every rule is given, also
        those that are never reached, and may lead into the halting state. T. Radó's count. None if not all subtrees
        are counted.
    open_machines : tuple of str
        Those that are not decided, as far as they are named: at most 1000 of a unit.
    units, all_units : int
        Subtrees that are counted here, and all. Fewer of a sample, or if it was interrupted.
    failed : tuple of str
        Subtrees that could not be counted, and why. One whose network does something else than its machine shows a bug
        in exactnn.
    """

    states: int
    symbols: int
    max_steps: int
    halts: int
    cycles: int
    translated_cycles: int
    closed_sets: int
    open: int
    longest: int
    champion: str
    all_halting: int | None
    open_machines: tuple[str, ...]
    units: int
    all_units: int
    failed: tuple[str, ...]

    @property
    def machines(self) -> int:
        """Machines of the tree that are counted here."""
        return self.halts + self.cycles + self.translated_cycles + self.closed_sets + self.open

    @property
    def counts(self) -> dict[str, int]:
        """Machines by kind, as they are called in tables."""
        numbers = (self.halts, self.cycles, self.translated_cycles, self.closed_sets, self.open)
        return dict(zip(KINDS, numbers, strict=True))

    @property
    def complete(self) -> bool:
        """Whether all of the tree is counted here; open machines may have children still."""
        return self.units == self.all_units

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each kind of machine: how many there are."""
        return [{"kind": kind, "machines": count} for kind, count in self.counts.items()]

    def as_table(self) -> ShownTable:
        """Return what notebooks and terminals show: a row for each kind."""
        marks = {"halts": "right", "open": "unsure"}
        rows = tuple((Entry(kind, mark=marks.get(kind, "")), self.counts[kind]) for kind in KINDS)
        notes = [f"longest run that halts: {count_text(self.longest)} steps, {self.champion}"]
        if self.all_halting is not None and not self.open:
            notes.append(f"of all machines with all rules, {count_text(self.all_halting)} halt")
        if not self.complete:
            notes.append(f"{self.units:,} of {self.all_units:,} subtrees are counted")
        notes += self.failed[:3]
        title = f"{counted(self.states, 'state')}, {counted(self.symbols, 'symbol')}: {self.machines:,} machines"
        return ShownTable(title=title, heading=("kind", "machines"), rows=rows, note="\n".join(notes))

    def __repr__(self) -> str:
        kinds = ", ".join(f"{kind} {self.counts[kind]:,}" for kind in KINDS)
        part = "" if self.complete else f", {self.units:,} of {self.all_units:,} subtrees"
        return (
            f"<HaltingCensus of {self.states} states and {self.symbols} symbols, {self.machines:,} machines: {kinds}; "
            f"longest {self.longest:,} steps{part}>"
        )


@dataclass(frozen=True)
class Subtree(Unit):
    """A machine of the tree with all that is below it, or alone.

    Parameters
    ----------
    machine : str
        As text of bbchallenge.org.
    states, symbols, max_steps : int
    alone : bool
    """

    machine: str
    states: int
    symbols: int
    max_steps: int
    alone: bool

    def run(self, subject: object) -> dict[str, Any]:
        """Return the counts of a subtree."""
        counts, todo = Counter(dict.fromkeys(KINDS, 0)), [_table_of_text(self.machine, self.states, self.symbols)]
        undecided: list[str] = []
        best, halting = (0, ""), 0
        while todo:
            table = todo.pop()
            found = halting_of(table, self.symbols, self.max_steps)
            text = _text(table, self.symbols)
            _run_network(table, self.symbols, found, text)
            if found.halts:
                counts["halts"] += 1
                best = min(best, (-found.steps, text))
                halting += _represented(table, self.states, self.symbols)
                todo += [] if self.alone else _children(table, self.states, self.symbols, found)
            else:
                counts[found.proof or "open"] += 1
                if found.proof is None and len(undecided) < MOST_OPEN:
                    undecided.append(text)
        return {
            "counts": counts, "longest": -best[0], "champion": best[1], "all_halting": str(halting), "open": undecided,
        }  # fmt: skip


def halting_census(
    states: int,
    symbols: int = 2,
    *,
    max_steps: int = 1000,
    sample: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> HaltingCensus:
    """Decide for every Turing machine of some size, up to names, whether it halts on the blank tape.

    Parameters
    ----------
    states : int
        Without the halting state.
    symbols : int
        Blank included.
    max_steps : int
        Steps that a machine is run. With fewer than the longest run that halts takes, machines stay open, and with them
        all that is below them in the tree.
    sample : int, optional
        Count so many subtrees only, drawn at random, for what is too large.
    seed : int
        Which subtrees are drawn.
    executor : concurrent.futures.Executor, optional
        Where the subtrees are counted; one after the other in this process without one.
    store : str or path, optional
        Keep what is done in this file, a ledger of :mod:`exactnn.campaigns`, and go on from there.
    progress : callable, optional
        Called with the subtrees that are done, and all of them.

    Raises
    ------
    OptionError
        If an option is out of range: there are at most 12 rules.
    CheckpointError, CampaignError
        As :meth:`exactnn.campaigns.Campaign.run`.

    References
    ----------
    T. Radó, "On non-computable functions", Bell System Technical Journal 41, 1962. A. H. Brady, "The determination of
    the value of Rado's noncomputable function Σ(k) for four-state Turing machines", Mathematics of Computation 40,
    1983. The bbchallenge collaboration, "Determination of the fifth Busy Beaver value", 2025, arXiv 2509.12337.

    Examples
    --------
    >>> census = halting_census(2)
    >>> census.machines, census.counts["halts"], census.longest, census.all_halting
    (61, 19, 6, 9784)
    """
    states, symbols = whole_number("states", states, 1), whole_number("symbols", symbols, 2)
    if states * symbols > MOST_RULES:
        sizes = f"states={shown(states)}, symbols={shown(symbols)}"
        raise OptionError(f"{sizes}: give at most {MOST_RULES} rules, states times symbols")
    max_steps = whole_number("max_steps", max_steps, 1, 10**6)
    drawn = None if sample is None else whole_number("sample", sample, 1, otherwise="None")
    seed = whole_number("seed", seed, None)
    callback("progress", progress)
    units = _units(states, symbols, max_steps)
    chosen = units
    if drawn is not None and drawn < len(units):
        chosen = Random(seed).sample(units, drawn)
    told = None if progress is None else lambda done: progress(done, len(chosen))
    found = Campaign(chosen, _sound_rows).run(executor=executor, store=store, progress=told)
    counts, best, halting, undecided = Counter(dict.fromkeys(KINDS, 0)), (0, ""), 0, []
    for row in found.result:
        counts.update(row["counts"])
        best = min(best, (-row["longest"], row["champion"]))
        halting += int(row["all_halting"])
        undecided += row["open"]
    whole = len(found.result) == len(units)
    return HaltingCensus(
        states=states, symbols=symbols, max_steps=max_steps, halts=counts["halts"], cycles=counts["cycle"],
        translated_cycles=counts["translated cycle"], closed_sets=counts["closed set"], open=counts["open"],
        longest=-best[0], champion=best[1], all_halting=halting if whole else None, open_machines=tuple(undecided),
        units=len(found.result), all_units=len(units),
        failed=tuple(f"{failure.unit}: {failure.error}" for failure in found.failed),
    )  # fmt: skip


def _sound_rows(pairs: Iterable[tuple[Subtree, Any]]) -> list[dict[str, Any]]:
    """Return the rows; raises CheckpointError if a store has one that no unit made."""
    rows = [row for _, row in pairs]
    for row in rows:
        if not _is_sound(row):
            raise CheckpointError(f"the store is damaged at {shown(row)}: delete the file to begin anew")
    return rows


def _is_sound(row: Any) -> bool:
    if not isinstance(row, dict) or row.keys() != {"counts", "longest", "champion", "all_halting", "open"}:
        return False
    counts, named = row["counts"], row["open"]
    return (
        isinstance(counts, dict)
        and counts.keys() == set(KINDS)
        and all(type(number) is int and number >= 0 for number in (*counts.values(), row["longest"]))
        and isinstance(row["champion"], str)
        and isinstance(row["all_halting"], str)
        and row["all_halting"].isdecimal()
        and len(row["all_halting"]) < 1000
        and isinstance(named, list)
        and all(isinstance(text, str) for text in named)
    )


def _units(states: int, symbols: int, max_steps: int) -> list[Subtree]:
    """Return the tree in parts: the machines above, and the subtrees below them."""
    wanted = UNITS if states * symbols <= SMALL else MANY_UNITS
    above: list[Table] = []
    below: list[Table] = [(None,) * (states * symbols)]
    while below and len(above) + len(below) < wanted:
        inner = [(table, halting_of(table, symbols, max_steps)) for table in below]
        above += below
        below = [child for table, found in inner if found.halts for child in _children(table, states, symbols, found)]
    return [
        Subtree(_text(table, symbols), states, symbols, max_steps, alone)
        for tables, alone in ((above, True), (below, False))
        for table in tables
    ]


def _children(table: Table, states: int, symbols: int, found: Halting) -> Iterator[Table]:
    """Yield the machines that have the rule that a halting one has not got."""
    place = found.undefined
    rules = [rule for rule in table if rule is not None]
    if place is None or len(rules) == len(table) - 1:  # one with all rules never halts
        return
    moves = (1, -1) if rules else (1,)
    for written in range(min(symbols, 2 + max((rule[0] for rule in rules), default=0))):
        for move in moves:
            for state in range(min(states, 2 + max((rule[2] for rule in rules), default=0))):
                yield (*table[:place], (written, move, state), *table[place + 1 :])


def _represented(table: Table, states: int, symbols: int) -> int:
    """Return how many machines with all rules a halting one of the tree stands for.

    The rule that it comes to leads into the halting state, whatever it writes and wherever it moves; the other rules
    that it has not got are never reached. States but the first and symbols but the blank may have any names, and all
    moves may be mirrored.
    """
    rules = [rule for rule in table if rule is not None]
    named_states, named_symbols = (1 + max((rule[i] for rule in rules), default=0) for i in (2, 0))
    unused = len(table) - len(rules) - 1
    names = perm(states - 1, named_states - 1) * perm(symbols - 1, named_symbols - 1)
    count: int = 2 * symbols * (2 * (states + 1) * symbols) ** unused * names
    return 2 * count if rules else count


def _run_network(table: Table, symbols: int, found: Halting, text: str) -> None:
    """Run the network of a machine for as many steps; raises ShadowError unless it does what the machine does."""
    done = run(siegelmann_sontag(_machine(table, symbols, text)), "", max_steps=found.steps)
    if found.halts:
        agrees = (done.outcome, done.machine_steps) == (Outcome.HALTED, found.steps)
    else:
        agrees = done.outcome in (Outcome.STEP_LIMIT, Outcome.NON_HALTING)
    if not agrees:
        what = f"the machine has {found}, the network {done.outcome} after {done.machine_steps} steps of the machine"
        raise ShadowError(text, 0, found.steps, what)


def _machine(table: Table, symbols: int, text: str) -> TuringMachine:
    states = [chr(ord("A") + n) for n in range(len(table) // symbols)]
    names = [str(n) for n in range(symbols)]
    rules = [
        ("Z", "1", "R") if rule is None else (states[rule[2]], names[rule[0]], "R" if rule[1] > 0 else "L")
        for rule in table
    ]
    return TuringMachine(
        states=[*states, "Z"], input_symbols=[], tape_symbols=names, blank_symbol="0", initial_state="A",
        halt_state="Z", tape="two_way_infinite", name=text,
        transitions={
            state: dict(zip(names, rules[n * symbols : (n + 1) * symbols], strict=True))
            for n, state in enumerate(states)
        },
    )  # fmt: skip


def _text(table: Table, symbols: int) -> str:
    """Return a table as text of bbchallenge.org."""
    cells = [
        "---" if rule is None else f"{rule[0]}{'R' if rule[1] > 0 else 'L'}{chr(ord('A') + rule[2])}" for rule in table
    ]
    return "_".join("".join(cells[n : n + symbols]) for n in range(0, len(cells), symbols))


def _table_of_text(text: str, states: int, symbols: int) -> Table:
    cells = text.replace("_", "")
    rules = [cells[3 * n : 3 * n + 3] for n in range(states * symbols)]
    return tuple(
        None if cell == "---" else (int(cell[0]), 1 if cell[1] == "R" else -1, ord(cell[2]) - ord("A"))
        for cell in rules
    )
