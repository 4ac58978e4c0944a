"""Automata without groups as stacks of gates that are 0 or 1: each unit is kept or set, by what is below it.

The state of the automaton is enclosed by sets, from all states down to one: each is a largest image inside the one
before, an image being what some word makes of all states, or a single state. Which one it is, units of its height
indicate. A letter moves the enclosing sets; where a set goes onto the next one and could come back, the place inside
stays what it is, since the automaton has no groups, and else the place is that of the image, which what is above knows.
This is the holonomy decomposition, in which only resets are left.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.automata import DFA, LOST, Symbol, word_text
from exactnn.constructions.construction import Codec, Configuration, Construction, require_machine
from exactnn.constructions.gated_step import Next, Row, gated_network
from exactnn.constructions.stack_numbers import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.networks import Activation, Network
from exactnn.simulation import Values

__all__ = ["star_free"]

MOST_ELEMENTS = 20_000
MOST_SETS = 500

Image = frozenset[int]
Chain = tuple[tuple[Image, int], ...]
"""The enclosing sets of two states or more, and for each the number of the place inside where the state is."""


def star_free(dfa: DFA | str) -> Construction:
    """Return a stack of linear recurrences with gates 0 and 1 that is a star-free automaton.

    Every number of the state is 0 or 1, so that it is right in every format that has -1, 0 and 1.

    Parameters
    ----------
    dfa : DFA, or what :func:`exactnn.load` makes one of
        An automaton without groups: no word moves some of its states in a circle of two or more. Its language is
        star-free then, and the minimal automaton of every star-free language is one (Schutzenberger).

    Raises
    ------
    ConstructionError
        If it is no DFA; if there is a group: the message has a shortest word that moves states in a circle, and the
        circle; or if there are more than 20,000 maps or 500 sets to look at.

    References
    ----------
    O. Maler, "On the Krohn-Rhodes cascaded decomposition theorem", 2010; Y. Sarrof, Y. Veitsman and M. Hahn, "The
    expressive capacity of state space models: a formal language perspective", 2024, arXiv:2405.17394. The units are
    ours.

    Examples
    --------
    >>> ab = DFA(states="xyz", input_symbols="ab", initial_state="x", final_states="x", name="(ab)*",
    ...          transitions={"x": {"a": "y", "b": "z"}, "y": {"a": "z", "b": "x"}, "z": {"a": "z", "b": "z"}})
    >>> from exactnn.simulation import run
    >>> net = star_free(ab)
    >>> [run(net, word).verdict.value for word in ("", "abab", "aba", "abba")]
    ['accept', 'accept', 'reject', 'reject']
    >>> from exactnn.machine_files import load
    >>> star_free(load("parity"))
    Traceback (most recent call last):
    ...
    exactnn.errors.ConstructionError: parity is not aperiodic: the word 1 moves even -> odd -> even, ...
    """
    dfa = require_machine(dfa, DFA, "star_free")
    tower = _Tower(dfa)
    return Construction(
        name="star_free",
        machine=dfa,
        network=tower.network(),
        codec=_TowerCodec(tower),
        steps_per_move=1,
        set_up=(0, 0),
        claim="After w the output is 1 if the automaton accepts w and 0 if it rejects, for every w, in every format "
        f"that has -1, 0 and 1: {len(tower.levels)} layers of units that are kept or set.",
        citation="The decomposition is that of Krohn and Rhodes, in the form of O. Maler, On the Krohn-Rhodes cascaded "
        "decomposition theorem, 2010; the network is exactnn's own",
        weight_field="Z",
    )


class _Tower:
    """The images of an automaton, their places, and the rows of the network's step."""

    def __init__(self, dfa: DFA) -> None:
        self.dfa = dfa
        self.states = dfa.states
        number = {q: i for i, q in enumerate(dfa.states)}
        self.letters = {a: tuple(number[dfa.transitions[q][a]] for q in dfa.states) for a in dfa.input_symbols}
        every = frozenset(range(len(dfa.states)))
        self.images = {every, *(frozenset([i]) for i in every), *_images(dfa, self.letters)}
        if len(self.images) > MOST_SETS:
            raise ConstructionError(
                f"{dfa.name} has {len(self.images):,} images of its states: at most {MOST_SETS} are taken"
            )
        self.top = every
        self.heights: dict[Image, int] = {}
        self.places = self._all_places()
        self.levels = sorted({self.height(image) for image in self.images} - {0}, reverse=True)

    def moved(self, image: Image, letter: Symbol) -> Image:
        """Return what a letter makes of a set."""
        return frozenset(self.letters[letter][i] for i in image)

    def height(self, image: Image) -> int:
        """Return how many sets there are one below the other, the smaller one inside an image of the larger."""
        if len(image) == 1:
            return 0
        if image not in self.heights:
            alike = self._alike(image)
            below = {self.moved(one, a) for one in alike for a in self.letters}
            below |= {other for one in alike for other in self.images if other < one}
            found = 1 + max(map(self.height, below - alike.keys()), default=0)
            self.heights |= dict.fromkeys(alike, found)
        return self.heights[image]

    def _alike(self, image: Image) -> dict[Image, Mapping[int, int]]:
        """Return the sets that words lead to from one and back, each with the map of a word that leads there."""
        return {other: onto for other, onto in self._onto(image).items() if image in self._onto(other)}

    def _all_places(self) -> dict[Image, tuple[Image, ...]]:
        """Return the largest images inside each one, in the same order wherever one goes onto the other and back."""
        places: dict[Image, tuple[Image, ...]] = {}
        for image in sorted(self.images, key=sorted):
            if image in places or len(image) < 2:
                continue
            inside = [other for other in self.images if other < image]
            largest = [one for one in inside if not any(one < other for other in inside)]
            for other, onto in self._alike(image).items():
                places[other] = tuple(frozenset(onto[i] for i in one) for one in sorted(largest, key=sorted))
        return places

    def _onto(self, image: Image) -> dict[Image, Mapping[int, int]]:
        """Return the images of the same size that words make of one, each with the map of one such word."""
        found: dict[Image, Mapping[int, int]] = {image: {i: i for i in image}}
        for reached in (waiting := [image]):
            for letter in self.letters.values():
                following = {i: letter[j] for i, j in found[reached].items()}
                target = frozenset(following.values())
                if len(target) == len(image) and target not in found:
                    found[target] = following
                    waiting.append(target)
        return found

    def chain(self, state: int) -> Chain:
        """Return sets that enclose a state, by the first place that does."""
        found, image = [], self.top
        while len(image) > 1:
            place = next(k for k, inside in enumerate(self.places[image]) if state in inside)
            found.append((image, place))
            image = self.places[image][place]
        return tuple(found)

    def at(self, level: int) -> list[Image]:
        """Return which sets may be the smallest known one before the units of a level: none higher than it."""
        above = [other for other in self.levels if other > level]
        if not above:
            return [self.top]
        last = above[-1]
        kept = [image for image in self.at(last) if self.height(image) < last]
        inside = [place for image in self.at(last) if self.height(image) == last for place in self.places[image]]
        return sorted({*kept, *inside}, key=lambda image: (-len(image), sorted(image)))

    def known(self, chain: Chain, level: int) -> Image:
        """Return the smallest set of a chain before the units of a level."""
        image = self.top
        for enclosing, place in chain:
            if self.height(enclosing) > level:
                image = self.places[enclosing][place]
        return image

    def values(self, state: int) -> dict[Hashable, int]:
        """Return the values of all numbers of the network's state, in their order."""
        chain = self.chain(state)
        place_of = {self.height(image): place for image, place in chain}
        found: dict[Hashable, int] = {}
        for level in self.levels:
            if level != self.levels[0]:
                found |= {("in", level, image): int(image == self.known(chain, level)) for image in self.at(level)}
            count = max(len(self.places[image]) for image in self.places if self.height(image) == level)
            found |= {("place", level, k): int(place_of.get(level) == k) for k in range(count)}
        return found | {("in", 0, image): int(image == frozenset([state])) for image in self.at(0)}

    def network(self) -> Network:
        """Return the network: for each level what is kept or set, and then which sets are inside."""
        number = {q: i for i, q in enumerate(self.states)}
        layers: list[dict[Hashable, Row]] = []
        for level in self.levels:
            layers += self._layers(level)
        named = {key: _renamed(key) for key in self.values(0)}
        state = {named[key]: value for key, value in self.values(number[self.dfa.initial_state]).items()}
        final = {number[q] for q in self.dfa.final_states}
        output: dict[Any, int] = {(_renamed(("in", 0, image)),): 1 for image in self.at(0) if final.issuperset(image)}
        return gated_network(
            state=state,
            inputs={("letter", a): a for a in self.dfa.input_symbols},
            layers=layers or [{Next(key): Row(Activation.IDENTITY, {(): 1}) for key in state}],
            output=output or {(): 0},
            name=f"star_free({self.dfa.name})",
        )

    def _layers(self, level: int) -> list[dict[Hashable, Row]]:
        """Return the layers of a level: images, pairs of image and new set, gates, places, and the new sets inside."""
        linear, first = Activation.IDENTITY, level == self.levels[0]

        def old(image: Image) -> tuple[Hashable, ...]:
            return () if first else (_renamed(("in", level, image)),)

        def new(image: Image) -> tuple[Hashable, ...]:
            return () if first else (Next(_renamed(("in", level, image))),)

        moved: dict[Image, dict[Any, int]] = {}
        for image in self.at(level):
            for a in self.letters:
                moved.setdefault(self.moved(image, a), {})[(*old(image), ("letter", a))] = 1
        images: dict[Hashable, Row] = {
            ("moved", level, _text(image)): Row(linear, terms) for image, terms in moved.items()
        }
        targets = [image for image in self.at(level) if self.height(image) == level]
        kept: dict[Any, int] = {(*new(image),): 1 for image in self.at(level) if self.height(image) < level}
        count = sum(isinstance(key, tuple) and key[:2] == ("place", level) for key in self.values(0))
        sets: dict[int, dict[Any, int]] = {k: {} for k in range(count)}
        for target in targets:
            for image in moved:
                if not image <= target:
                    continue
                both = (("moved", level, _text(image)), *new(target))
                if image == target:
                    kept[both] = 1
                else:
                    k = next(k for k, inside in enumerate(self.places[target]) if image <= inside)
                    sets[k][both] = 1
        gates: dict[Hashable, Row] = {("keep", level): Row(linear, kept)}
        gates |= {("set", level, k): Row(linear, terms) for k, terms in sets.items()}
        places: dict[Hashable, Row] = {
            Next(_renamed(("place", level, k))): Row(
                linear, {(("set", level, k),): 1, (("keep", level), _renamed(("place", level, k))): 1}
            )
            for k in range(count)
        }
        below = next((other for other in self.levels if other < level), 0)
        inside: dict[Image, dict[Any, int]] = {image: {} for image in self.at(below)}
        for image in self.at(level):
            if self.height(image) < level:
                inside[image][(*new(image),)] = 1
            else:
                for k, place in enumerate(self.places[image]):
                    inside[place][(*new(image), Next(_renamed(("place", level, k))))] = 1
        following: dict[Hashable, Row] = {
            Next(_renamed(("in", below, image))): Row(linear, terms) for image, terms in inside.items()
        }
        return [images, gates, places, following]


def _text(image: Image) -> tuple[int, ...]:
    return tuple(sorted(image))


def _renamed(key: Any) -> tuple[Hashable, ...]:
    """Return the key of a unit, in which a set is a tuple of its numbers."""
    return tuple(_text(part) if isinstance(part, frozenset) else part for part in key)


@dataclass(frozen=True, slots=True)
class _TowerCodec(Codec):
    """Reads which state is left inside all sets."""

    tower: _Tower

    def encode(self, configuration: Configuration) -> Values:
        if configuration not in self.tower.states:
            raise ConstructionError(f"{shown(configuration)} is not a state of {self.tower.dfa.name}")
        return tuple(map(mpq, self.tower.values(self.tower.states.index(configuration)).values()))

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        values = readable(list(self.tower.values(0)), state)
        present = [image for image in self.tower.at(0) if values.get(("in", 0, image), mpq(0)) > HALF]
        if len(present) != 1:
            return LOST
        (number,) = present[0]
        return self.tower.states[number]


def _images(dfa: DFA, letters: Mapping[Symbol, tuple[int, ...]]) -> set[Image]:
    """Return what words make of all states; raises ConstructionError if one moves some of them in a circle."""
    identity = tuple(range(len(dfa.states)))
    found: dict[tuple[int, ...], tuple[Symbol, ...]] = {identity: ()}
    for element in (waiting := [identity]):
        for a, letter in letters.items():
            following = tuple(letter[i] for i in element)
            if following in found:
                continue
            found[following] = (*found[element], a)
            waiting.append(following)
            if (circle := _circle(following)) is not None:
                names = [str(dfa.states[i]) for i in (*circle, circle[0])]
                raise ConstructionError(
                    f"{dfa.name} is not aperiodic: the word {word_text(found[following])} moves {' -> '.join(names)}, "
                    f"a circle of {len(circle)}, which gates 0 and 1 cannot do; give a minimal automaton of a "
                    "star-free language"
                )
            if len(found) > MOST_ELEMENTS:
                raise ConstructionError(
                    f"{dfa.name} has more than {MOST_ELEMENTS:,} maps of its states: give a smaller automaton"
                )
    return {frozenset(element) for element in found}


def _circle(element: tuple[int, ...]) -> list[int] | None:
    """Return states that a map moves in a circle of two or more; None if there are none."""
    for i in range(len(element)):
        seen, j = [], i
        while j not in seen:
            seen.append(j)
            j = element[j]
        if len(seen) - seen.index(j) > 1:
            return seen[seen.index(j) :]
    return None
