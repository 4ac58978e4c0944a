"""Certificates of long runs: the macro machine's edges, the rules, and the path that they were taken in.

What is written here is checked by `exactnn.certificates`, which shares no code with the engine.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gmpy2 import mpq

from exactnn.arithmetic import Enclosure, Tower, exact_text, tower_to_json
from exactnn.errors import OptionError
from exactnn.networks import Input, Network
from exactnn.networks.network_file import network_to_json
from exactnn.outcome import Outcome
from exactnn.simulation.executor import NO_LIMIT, Output, State, advance_by, is_basic
from exactnn.simulation.positional.closed_sets import ClosedSet
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.forms import Form
from exactnn.simulation.positional.growth import Closed
from exactnn.simulation.positional.induction import Induction
from exactnn.simulation.positional.macro import Macro, MacroForm
from exactnn.simulation.positional.macro_machine import (
    Edge,
    EdgeKey,
    MacroMachine,
    MacroState,
    MacroStretch,
    Stacks,
)
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.positional.rows import LIVE
from exactnn.simulation.positional.rules import Rule
from exactnn.simulation.rational import RationalExecutor

__all__ = ["certificate_of"]

FIRST_STEPS = 1 << 12
"""Steps that are looked at before the limb length is chosen."""
ONCE = Form({(): mpq(1)})
MOST_SINGLE = 1 << 12
"""Rounds of a rule that are written down one by one."""
SLICE_SECONDS, MOST_SECONDS = 1.0, 600.0
"""How long a slice of the path may take that is written down, and the path."""
MOST_OUTLINES = 1 << 12
"""Outlines of a closed set at most; one is looked for where rules do not prove in a slice that a run never ends."""
MOVES = 0, 1 << 4, 1 << 8, 1 << 12
"""How many moves lie before the first search for a closed set, and then between one search and the next."""


def certificate_of(network: Network, inputs: list[Input], eos_steps: int, outcome: Outcome) -> dict[str, Any]:
    """Return a certificate that `network` on a word gives its verdict after exactly `eos_steps` EOS steps, or never.

    Parameters
    ----------
    network : Network
    inputs : list
        The word, as the network's circuit reads it.
    eos_steps : int
    outcome : Outcome
        The verdict, or "proven non-halting".

    Raises
    ------
    OptionError
        If macro steps cannot take this network from the end of the word to its verdict.
    """
    if not is_basic(network):
        raise OptionError("it has activations other than identity, ReLU, SLU and Heaviside")
    values = _after_word(network, inputs)
    without_limit = outcome is Outcome.NON_HALTING or isinstance(eos_steps, Tower)
    most = NO_LIMIT if without_limit else eos_steps
    radix, eos, never = radix_of(network), network.eos, outcome is Outcome.NON_HALTING
    macro = None if radix is None or eos is None else _macro(DirectEngine(network, radix), values, eos, most)
    form = None if macro is None or eos is None else _macro_form(macro, values, eos, most)
    if macro is None or eos is None or form is None:
        raise OptionError("the state is not a few long numbers of which a step reads the leading digits")

    said = None if never else eos_steps
    found, left = _by_rules(form, most, said, SLICE_SECONDS if never else MOST_SECONDS)
    if found is None and never:
        found = _by_closed_set(macro.short_forms(values, eos))
        if found is None:
            found, left = _by_rules(form, most, said, MOST_SECONDS)
    if found is None:
        raise OptionError(left or "the run has too many different steps to be written down")
    return _Writer(network, found.path, found.begin).written(network.written(inputs), found.steps, outcome)


class _Found(NamedTuple):
    """A path from a state to its end, or to a proof that there is none, after so many steps."""

    path: "_Path"
    begin: MacroForm
    steps: int


def _by_rules(form: MacroForm, most: int, said: int | None, seconds: float) -> tuple[_Found | None, str | None]:
    """Return a path by edges and rules, to the verdict after the steps that are said, or for ever; or why not."""
    path = _Path(form.runner.machine)
    stretch, steps = path.to_end(form, most, seconds)
    ended = stretch.endless if said is None else stretch.decided and steps == said
    return (_Found(path, form, steps), None) if ended else (None, stretch.left)


def _by_closed_set(forms: Iterable[MacroForm]) -> _Found | None:
    """Return the path that needs the fewest edges to a closed set, if there is one."""
    found = []
    for form in forms:
        path = _Path(form.runner.machine)
        steps = path.to_closed_set(form)
        if steps is not None:
            found.append(_Found(path, form, steps))
    return min(found, key=lambda it: len(it.path.used), default=None)


def _after_word(network: Network, inputs: list[Input]) -> tuple[mpq, ...]:
    executor = RationalExecutor(network)
    state: State = executor.start()
    for symbol in inputs:
        state = advance_by(executor, state, symbol, 1).state
    return executor.values(state)


def _macro(direct: DirectEngine, values: tuple[mpq, ...], given: Input, limit: int) -> Macro | None:
    """Return macro mode, if a state has numbers for it."""
    loaded = direct.load(values)
    if loaded is None:
        return None
    direct.advance(loaded, given, min(limit, FIRST_STEPS), until_decided=True)  # shows by how much digits move
    return Macro.of_engine(direct, without_end=True)


def _macro_form(macro: Macro, values: tuple[mpq, ...], given: Input, limit: int) -> MacroForm | None:
    """Return the state in macro mode, with limbs of the length that gets furthest."""
    best = macro.best(values, given, limit)
    if best is not None:
        return best
    forms = (macro.form(values, given, limb) for limb in macro.limbs(values, given))
    return next((form for form in forms if form is not None), None)


class _Path(Induction):
    """A run that writes its path down: the edges in the order of their first use, and legs of the path."""

    def __init__(self, machine: MacroMachine) -> None:
        super().__init__(machine)
        self.used: dict[EdgeKey, None] = {}
        self.legs: list[list[Any]] = []
        self.written: list[dict[str, Any]] = []
        self._rule_numbers: dict[int, int] = {}

    def to_end(self, form: MacroForm, most: int, seconds: float) -> tuple[MacroStretch, int]:
        """Go on until the run ends, can no longer, or some time is over; return the last stretch, and all steps.

        It is done in slices, since the steps of one are a short sum even where those of all have thousands of powers.
        """
        state, stacks, steps = form.state, form.stacks, 0
        deadline, before = time.perf_counter() + seconds, set[Any]()
        while True:
            left = most if most is NO_LIMIT else most - steps
            stretch = self.run(state, stacks, left, SLICE_SECONDS, without_end=True)
            state, stacks, steps = stretch.state, stretch.stacks, steps + stretch.steps
            ended = stretch.decided or stretch.endless or stretch.left is not None
            if ended or not stretch.steps or time.perf_counter() > deadline:
                return stretch, steps
            if (state, stacks) in before:
                return stretch._replace(left="its states come again, which no rule proves"), steps
            before.add((state, stacks))

    def to_closed_set(self, form: MacroForm) -> int | None:
        """Go on until the run is in a closed set; return the steps until then, or None if that does not come soon."""
        state, stacks, steps = form.state, form.stacks, 0
        for moves in MOVES:
            stretch = self.run(state, stacks, NO_LIMIT, SLICE_SECONDS, moves, without_end=True)
            state, stacks, steps = stretch.state, stretch.stacks, steps + stretch.steps
            if stretch.endless:
                return steps
            found = ClosedSet(self.machine)
            if stretch.left is None and found.holds(state, stacks, MOST_OUTLINES):
                self.used.update(found.edges)
                self.legs.append(["closed"])
                return steps
        return None

    def took_edges(self, keys: Sequence[EdgeKey]) -> None:
        """Write edges down."""
        self.used.update(dict.fromkeys(keys))
        _count_edges(self.legs, len(keys))

    def took_rule(self, rule: Rule, lengths: Sequence[int], rounds: int | None) -> None:
        """Write rounds of a rule down, by the form that says how many they are."""
        if rounds is None:
            self.legs.append(["rule", self._rule_number(rule), None])
            return
        ends = rule.ends(lengths, rounds) if rule.closed is not None and rounds >= rule.closed.first else []
        count, *_ = ends[0] if ends else (ONCE,)
        if count == ONCE and rounds > MOST_SINGLE:
            raise OptionError("a rule is used many times in a row that is not known in closed form")
        self.legs += [self._use(rule, count)] * (rounds if count == ONCE else 1)

    def _use(self, rule: Rule, count: Form) -> list[Any]:
        """Return a rule with the number of a count, which is written down with the rule."""
        number, form = self._rule_number(rule), _form(count)
        counts = self.written[number]["counts"]
        if form not in counts:
            counts.append(form)
        return ["rule", number, counts.index(form)]

    def _rule_number(self, rule: Rule) -> int:
        """Return the number of a rule in the certificate, after the rules that it uses."""
        found = self._rule_numbers.get(id(rule))
        if found is None:
            moves: list[list[Any]] = []
            counts = iter(rule.counts)
            for move in rule.moves:
                if isinstance(move, Rule):
                    moves.append(self._use(move, next(counts)))
                else:
                    self.used.setdefault(move)
                    _count_edges(moves, 1)
            found = self._rule_numbers[id(rule)] = len(self.written)
            self.written.append({
                "state": rule.state,
                "stacks": [
                    [[limb, hex(length)] if length else [limb] for limb, length in pattern.entries]
                    for pattern in rule.stacks
                ],
                "whole": [pattern.whole for pattern in rule.stacks],
                "moves": moves,
                "counts": [],
                "many": _closed(rule.closed),
            })  # fmt: skip
        return found


def _count_edges(legs: list[list[Any]], count: int) -> None:
    if legs and legs[-1][0] == "edges":
        legs[-1][1] += count
    else:
        legs.append(["edges", count])


class _Writer:
    """Writes what a path says as JSON data; its states are numbered as they come up."""

    def __init__(self, network: Network, path: _Path, begin: MacroForm) -> None:
        self.network = network
        self.path = path
        self.begin = begin
        self.machine = begin.runner.machine
        self._numbers: dict[int, int] = {}

    def written(self, word: tuple[object, ...], eos_steps: int, outcome: Outcome) -> dict[str, Any]:
        """Return the certificate."""
        begin = {"eos_steps": 0, "state": self._state(self.begin.state), "stacks": _stacks(self.begin.stacks)}
        edges = [self._edge(*key, self.machine.edges[key]) for key in self.path.used]
        rules = [rule | {"state": self._state(rule["state"])} for rule in self.path.written]
        return {
            "format": "exactnn certificate",
            "version": 3,
            "network": network_to_json(self.network),
            "word": [str(symbol) for symbol in word],
            "base": self.machine.radix.base,
            "limb": self.machine.radix.limb,
            "states": [self._described(self.machine.states[state]) for state in self._numbers],
            "edges": edges,
            "rules": rules,
            "begin": begin,
            "path": self.path.legs,
            "end": {"eos_steps": _steps(eos_steps), "outcome": str(outcome)},
        }

    def _state(self, number: int) -> int:
        return self._numbers.setdefault(number, len(self._numbers))

    def _edge(self, state: int, limb: int, last: bool, edge: Edge) -> dict[str, Any]:
        return {
            "state": self._state(state),
            "limb": limb,
            "last": last,
            "steps": edge.steps,
            "target": self._state(edge.target),
            "pushes": [list(push) for push in edge.pushes],
            "clears": list(edge.clears),
            "outputs": [[_text(output), count] for output, count in edge.outputs],
        }

    def _described(self, state: MacroState) -> dict[str, Any]:
        heads = iter(state.heads)
        values: list[Any] = []
        for status in state.statuses:
            if status < LIVE:
                values.append(str(int(status)))
            else:
                head = next(heads)
                values.append([hex(head.head), head.places, head.sign, head.stack])
        return {"values": values, "wanted": state.wanted}


def _form(form: Form) -> list[list[Any]]:
    return [[exact_text(value), list(unknowns)] for unknowns, value in form.key]


def _closed(closed: Closed | None) -> dict[str, Any] | None:
    if closed is None:
        return None
    lengths = [_form(form) for form in closed.lengths]
    return {"first": closed.first, "bases": list(closed.bases), "lengths": lengths, "steps": _form(closed.steps)}


def _steps(steps: int) -> object:
    return tower_to_json(steps) if isinstance(steps, Tower) else hex(steps)


def _stacks(stacks: Stacks) -> list[list[list[Any]]]:
    return [[[limb, hex(count)] for limb, count in reversed(runs)] for runs in stacks]


def _text(output: Output) -> Any:
    assert not isinstance(output, tuple | float | Enclosure)
    return exact_text(output)
