"""Any language as a network: the list of its words is a real number in the start state, lazily refined.

The network simulates the machine of `automata/listed_language.py`, a tape and a stack that is only popped. The stack
holds the whole list: a vector of reals, one for each symbol. All weights are rational; the start state is not.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import DigitCount, DigitStream, LazyNumber, LazyReal, counted
from exactnn.automata import LOST, LanguageSource, ListConfiguration, ListedLanguage, ListState, Symbol
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import Phase, require_state
from exactnn.constructions.gated_step import GatedRule, add_gated_rule, state_component
from exactnn.constructions.layered_network import START, fold
from exactnn.constructions.stack_numbers import HALF, as_state, read_vector, readable, write_vector
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.markup import Table, Tabular, named
from exactnn.networks import EOS, Decision, Protocol, RealNetwork
from exactnn.options import whole_number
from exactnn.simulation import Values

__all__ = ["LanguageInAWeight", "language_in_a_weight"]

CONTROLS: tuple[Hashable, ...] = (Phase.LOAD, *(ListState[name] for name in ListState.__members__))
"""The states of the network."""

Stack = Mapping[Hashable, Affine]

COMPARES = (ListState.EQUAL, ListState.UNEQUAL)


class ListMark(Enum):
    """What stacks hold besides letters; no letter of an alphabet can be one."""

    BOTTOM = "$"
    SEPARATOR = "#"
    END = "!"

    def __str__(self) -> str:
        return self.value


class ListCodec:
    """Reads and writes states of the network.

    Parameters
    ----------
    letters : tuple of str
    base : int
    rules : sequence of GatedRule
    forms : mapping component -> Affine
        The components of the step's state over the units.
    units : sequence of hashable
    listed : mapping symbol -> LazyReal
        The real of each symbol of the list.
    """

    def __init__(
        self,
        letters: tuple[Symbol, ...],
        base: int,
        rules: Sequence[GatedRule],
        forms: Mapping[Hashable, Affine],
        units: Sequence[Hashable],
        listed: Mapping[Hashable, LazyReal],
    ) -> None:
        self._letters = letters
        self._base = base
        self._rules = rules
        self._forms = forms
        self._units = units
        self._listed = listed

    def decode(self, state: Values, cells: int | None) -> ListConfiguration:
        """Return the configuration that `state` stands for."""
        units = _readable(self._units, state)
        active = [q for q in CONTROLS if self._forms[state_component(q)].at(units) > HALF]
        left, right = (self._word(stack, units, cells) for stack in ("left", "right"))
        name = str(active[0]) if len(active) == 1 else LOST
        return ListConfiguration(state=name, left=left, right=right, listed=self._popped(units))

    def encode(self, configuration: ListConfiguration) -> Values:
        """Return a state that stands for `configuration`."""
        if not isinstance(configuration, ListConfiguration) or configuration.listed is None:
            raise ConstructionError(f"{shown(configuration)} is no configuration of a list machine with its place")
        if unknown := [a for a in (*configuration.left, *configuration.right) if a not in self._letters]:
            raise ConstructionError(f"symbol {shown(unknown[0])} is unknown to the network")
        entered = [i for i, rule in enumerate(self._rules) if str(rule.target) == configuration.state]
        if not entered:
            raise ConstructionError(f"state {shown(configuration.state)} is unknown to the network")
        self._draw(configuration.listed)
        number = entered[0]
        values: dict[Hashable, mpq | LazyNumber] = {}
        values["rule", number, state_component(self._rules[number].target)] = mpq(1)
        symbols = (*self._letters, ListMark.BOTTOM)
        for stack, word in (("left", configuration.left), ("right", configuration.right)):
            content = write_vector((*word, ListMark.BOTTOM), symbols, self._base)
            values |= {("rule", number, (stack, a)): value for a, value in content.items()}
        for a, real in self._listed.items():
            rest = LazyNumber(constant=mpq(0), terms=((real, configuration.listed, mpq(1)),))
            values["rule", number, ("list", a)] = rest
        return as_state(self._units, values)

    def _draw(self, digits: int) -> None:
        stream = next(iter(self._listed.values())).stream
        if digits < 0 or (digits > 0 and stream.at(digits - 1) is None):
            raise ConstructionError(f"{shown(digits)} digits cannot be popped: {stream.name} has {stream.drawn}")

    def _word(self, stack: str, units: Mapping[Hashable, Any], cells: int | None) -> tuple[Symbol, ...]:
        values = {a: self._forms[stack, a].at(units) for a in (*self._letters, ListMark.BOTTOM)}
        symbols = read_vector(values, self._base, ListMark.BOTTOM, cells)
        return tuple(a for a in symbols if isinstance(a, Symbol))

    def _popped(self, units: Mapping[Hashable, Any]) -> int | None:
        """Return how many digits of the list the stack no longer has, or None if it is no rest of the list."""
        reals = list(self._listed.values())
        count = DigitCount()
        drawn = reals[0].stream.drawn
        count.tail(reals[0], 0, drawn + reals[0].stream.ended)
        found = [_after(self._forms["list", a].at(units), count) for a in self._listed]
        for popped in self._places(drawn, {c for _, coefficients in found for c in coefficients}):
            rest = (LazyNumber(constant=mpq(0), terms=((real, popped, mpq(1)),)) for real in reals)
            if [_after(number, count) for number in rest] == found:
                return popped
        return None

    def _places(self, drawn: int, coefficients: set[mpq]) -> Iterable[int]:
        """Return where the rest of the list may begin: base^-k times what follows is k digits before that."""
        if not coefficients:
            # All is rational: the list has ended, or these are no reals.
            return range(drawn, -1, -1) if next(iter(self._listed.values())).stream.ended else ()
        popped, coefficient = drawn, coefficients.pop()
        while coefficient < 1 and popped > 0:
            popped, coefficient = popped - 1, coefficient * self._base
        return [popped]


def _after(number: mpq | LazyNumber, count: DigitCount) -> tuple[mpq, tuple[mpq, ...]]:
    """Return a number as a constant and coefficients of what follows the digits of `count`: equal if it is the same."""
    if isinstance(number, LazyNumber):
        number = LazyNumber(constant=number.constant, terms=number.terms, count=count).rewritten()
    if isinstance(number, LazyNumber):
        return number.constant, tuple(coefficient for _, _, coefficient in number.terms)
    return number, ()


def _readable(units: Iterable[Hashable], values: Iterable[Any]) -> dict[Hashable, Any]:
    """Return the units that are not zero with exact values, lazily refined ones as they are."""
    pairs = list(zip(units, values, strict=True))
    lazy = {unit: value for unit, value in pairs if isinstance(value, LazyNumber)}
    rest = [(unit, value) for unit, value in pairs if unit not in lazy]
    return lazy | readable([unit for unit, _ in rest], [value for _, value in rest])


BOTTOM, SEPARATOR, END = ListMark.BOTTOM, ListMark.SEPARATOR, ListMark.END


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageInAWeight(Tabular):
    """A network that decides a language whose list of words is real numbers in its start state.

    Parameters
    ----------
    language : ListedLanguage
    network : RealNetwork
    codec : ListCodec
    halting_time : str
        The number T of EOS symbols until the verdict, as a formula.
    digits : str
        The number of digits that are read until then, as a formula.
    claim, citation, weight_field : str
        As for a `Construction`. The weights are rational; the field is that of the start state.
    """

    language: ListedLanguage
    network: RealNetwork
    codec: ListCodec = field(compare=False)
    halting_time: str = "T(w) = 2|w| + 3 + S(2|u| + 2), or |w| + 3 + S(2|u| + 2) where the list ends"
    digits: str = "|w| + 1 + S(|u| + 1), or 1 + S(|u| + 1) where the list ends"
    claim: str = (
        "f(w EOS^t) is 0 for 0 < t < T, and from T on 1 if w is in the language and -1 if it is not; S sums over the "
        "words u that are read to their end before the one that decides."
    )
    citation: str = "Siegelmann and Sontag, Theoretical Computer Science 131, 1994; textbook form, corrected"
    weight_field: str = "R"

    @property
    def name(self) -> str:
        """Name of the construction."""
        return "language_in_a_weight"

    def encode(self, configuration: ListConfiguration) -> Values:
        """Return a network state that stands for `configuration`; see :meth:`Construction.encode`."""
        return self.codec.encode(configuration)

    def decode(self, state: Values, *, cells: int | None = None) -> ListConfiguration:
        """Return the configuration that a network state stands for; see :meth:`Construction.decode`."""
        require_state(state, self.network)
        return self.codec.decode(state, cells)

    def set_up_steps(self, word_length: int) -> int:
        """Return the number of network steps before the machine's first move."""
        return 2 * word_length + 2

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Return how many moves the machine has made after `steps` network steps on a word of that length."""
        return max(0, steps - self.set_up_steps(word_length))

    def __repr__(self) -> str:
        return f"<{named(self.name)} of {named(self.language.name)}: {counted(self.network.neurons, 'neuron')}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        fields = {
            "language": self.language.name,
            "network": f"{counted(self.network.neurons, 'neuron')}, start state in {self.weight_field}",
            "verdict": self.halting_time,
            "digits that are read": self.digits,
            "claim": self.claim,
            "source": self.citation,
        }
        return Table.of_fields(self.name, fields)


def language_in_a_weight(
    language: ListedLanguage | LanguageSource,
    alphabet: str | Sequence[Symbol] | None = None,
    *,
    base: int = 4,
    patience: float | None = None,
) -> LanguageInAWeight:
    """Return the network of Theorem 4.7, corrected: it decides any language, listed in its start state.

    The list u1 # u2 # ... of the words in order of length, with an end marker if it is finite, is a vector of real
    numbers, one for each symbol. A run reads as many digits of it as its comparisons need: `Run.digits`.

    Parameters
    ----------
    language : ListedLanguage, predicate, collection or iterator of words
        As :class:`exactnn.automata.ListedLanguage` takes it. A predicate must have infinitely many words, since it
        cannot tell that there are no more.
    alphabet : str or sequence of str
        Not if `language` is a ListedLanguage, which has one.
    base : int
        Base of the stacks, at least 4: a gate that tests two tops has the margin (b-3)/b.
    patience : float, optional
        Seconds that a digit of the list may take, which are those of the search for the next word; a run that waits for
        longer raises a NumberError.

    Raises
    ------
    OptionError
        If `alphabet` is missing, or there are two, or the base is below 4.
    WordError
        If the alphabet is none.

    Notes
    -----
    With n letters the network has 6n + 15 + n + (3n + 6) (2n^2 + 5n + 5) units. It is a simple RNN with ReLU and
    rational weights; only n + 2 numbers of its start state are real. (In the textbook, whose start state is a weight of
    a unit that is 1 at the start, these are weights.)

    What is corrected in the text: the weights are said to be rational, which no network for an undecidable language can
    be: there are countably many; the list has an end marker, without which the machine never rejects beyond a
    finite list; after a mismatch the lengths are compared on, so that the listed word is known to be longer.

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "Analog computation via neural networks", *Theoretical Computer Science* 131,
    1994; textbook form: `docs/sources.md`.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> doubled = language_in_a_weight(lambda w: w[: len(w) // 2] * 2 == w, "ab")
    >>> for word in ("", "aa", "ab"):
    ...     result = run(doubled, word)
    ...     print(result.verdict, result.eos_steps, result.digits)
    accept 3 1
    accept 9 4
    reject 21 10
    """
    listed = _listed_language(language, alphabet)
    base = whole_number("base", base, 4)
    letters = listed.alphabet
    rules = list(_rules(letters, base))
    hidden: dict[Hashable, Affine] = {("listed", a): Affine({}) for a in (*letters, SEPARATOR, END)}
    emitted: dict[Hashable, list[Affine]] = {("list", a): [var(("listed", a))] for a in (*letters, SEPARATOR, END)}
    for number, rule in enumerate(rules):
        add_gated_rule(number, rule, base, hidden, emitted)
    for q in (ListState.ACCEPT, ListState.REJECT):
        hidden["latch", q] = var(state_component(q))
        emitted[state_component(q)].append(var(("latch", q)))
    template, forms = fold(
        hidden=hidden,
        emission={component: total(emitted.get(component, [])) for component in _components(letters)},
        start=_start(base),
        readout=var(state_component(ListState.ACCEPT)) - var(state_component(ListState.REJECT)),
        alphabet=(*letters, EOS),
        decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1, 2)),
        name=f"language_in_a_weight({listed.name})",
    )
    units = [START, *hidden]
    reals = _reals(listed, base, patience)
    network = RealNetwork(
        template=template, reals=tuple((units.index(("listed", a)), real) for a, real in reals.items())
    )
    return LanguageInAWeight(
        language=listed, network=network, codec=ListCodec(letters, base, rules, forms, units, reals)
    )


def _listed_language(language: Any, alphabet: Any) -> ListedLanguage:
    if isinstance(language, ListedLanguage):
        if alphabet is not None:
            raise OptionError(f"alphabet={shown(alphabet)}: the listed language has one: leave it out")
        return language
    if alphabet is None:
        raise OptionError("alphabet is missing: give the symbols of the language, such as 'ab'")
    return ListedLanguage(language, alphabet)


def _reals(listed: ListedLanguage, base: int, patience: float | None) -> dict[Hashable, LazyReal]:
    """Return the number of each symbol of the list: sum of (b-1)/b^i over its places i."""
    symbols = (*listed.alphabet, SEPARATOR, END)
    stream = DigitStream(listed.digits(), base=len(symbols), name=f"the list of {listed.name}", patience=patience)
    return {
        a: LazyReal(stream=stream, base=base, values=tuple((base - 1) * (a == other) for other in symbols))
        for a in symbols
    }


def _components(letters: tuple[Symbol, ...]) -> list[Hashable]:
    """Return the components of the step's state."""
    return [
        *(state_component(q) for q in CONTROLS),
        *((stack, a) for stack in ("left", "right") for a in (*letters, BOTTOM)),
        *(("list", a) for a in (*letters, SEPARATOR, END)),
    ]


def _start(base: int) -> dict[Hashable, mpq]:
    top = mpq(base - 1, base)
    return {state_component(Phase.LOAD): mpq(1), ("left", BOTTOM): top, ("right", BOTTOM): top}


def _rules(letters: tuple[Symbol, ...], base: int) -> Iterator[GatedRule]:
    """Yield the rules of the step: loading, rewinding, and the comparison."""
    tape, listed = (*letters, BOTTOM), (*letters, SEPARATOR, END)
    left, right, rest = (
        {a: var((stack, a)) for a in symbols} for stack, symbols in (("left", tape), ("right", tape), ("list", listed))
    )

    def push(stack: Stack, pushed: Mapping[Hashable, Affine | int]) -> Stack:
        return {a: (form + (base - 1) * pushed.get(a, 0)) / base for a, form in stack.items()}

    def pop(stack: Stack, top: Hashable) -> Stack:
        return {a: base * form - (base - 1) * (a == top) for a, form in stack.items()}

    def rule(
        source: Hashable,
        tops: Mapping[str, Hashable],
        target: Hashable,
        *,
        left: Stack = left,
        right: Stack = right,
        rest: Stack = rest,
        reads: str = "",
    ) -> GatedRule:
        values: dict[Hashable, Affine] = {}
        for name, stack in (("left", left), ("right", right), ("list", rest)):
            values |= {(name, a): form for a, form in stack.items()}
        return GatedRule(source=source, tops=tops, target=target, values=values, reads=reads)

    yield rule(Phase.LOAD, {}, Phase.LOAD, left=push(left, {a: symbol(a) for a in letters}), reads="word")
    yield rule(Phase.LOAD, {}, ListState.REWIND, reads="EOS")
    for c in letters:
        yield rule(ListState.REWIND, {"left": c}, ListState.REWIND, left=pop(left, c), right=push(right, {c: 1}))
    yield rule(ListState.REWIND, {"left": BOTTOM}, ListState.EQUAL)
    for q in COMPARES:
        found = ListState.ACCEPT if q is ListState.EQUAL else ListState.REWIND
        yield rule(q, {"list": END}, ListState.REJECT)
        yield rule(q, {"right": BOTTOM, "list": SEPARATOR}, found, rest=pop(rest, SEPARATOR))
        for c in letters:
            yield rule(q, {"right": BOTTOM, "list": c}, ListState.REJECT)
            yield rule(q, {"right": c, "list": SEPARATOR}, ListState.REWIND, rest=pop(rest, SEPARATOR))
            for d in letters:
                yield rule(
                    q,
                    {"right": c, "list": d},
                    q if c == d else ListState.UNEQUAL,
                    left=push(left, {c: 1}),
                    right=pop(right, c),
                    rest=pop(rest, d),
                )
