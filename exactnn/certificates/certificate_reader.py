"""How a certificate is read from JSON data.

The data come from a stranger: every field is checked, every size is bounded. Whether it is true is asked elsewhere.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from gmpy2 import mpq

from exactnn.arithmetic import exact, tower_from_json
from exactnn.certificates.certificate import (
    STACKS,
    Begin,
    Certificate,
    Closed,
    Edge,
    Edges,
    End,
    Head,
    Leg,
    MacroState,
    Many,
    Move,
    Rounds,
    Rule,
)
from exactnn.certificates.lengths import Length, length_of
from exactnn.errors import CertificateError, ExactnnError, NumberError, shown
from exactnn.networks.network_file import network_from_json
from exactnn.outcome import Outcome

__all__ = ["FORMAT", "certificate_from_json", "check_header"]

FORMAT = "exactnn certificate"
FORMATS = (FORMAT, "exactnn automaton certificate")
"""What a certificate file may say it is: of a run, or of an extracted automaton, which is read elsewhere."""
VERSIONS = {FORMATS[0]: 3, FORMATS[1]: 1}
"""The version of each that is read."""

LARGEST_BITS = 1 << 20
"""Bits of any whole number in a certificate."""
LARGEST_UNIT_BITS = 1 << 8
LARGEST_SCALE_BITS = 1 << 10
"""Of base**places."""
LARGEST_COUNT = 10**18
"""Of steps or edges that are taken one by one; how many really are, the budget says."""
LARGEST_BASE, MOST_BASES = 1 << 32, 16
"""Of lengths that grow by factors in each of many rounds."""
MOST_PUSHES = 1 << 12
MOST_RUNS = 64
"""Runs on the stacks of a rule."""

T = TypeVar("T")
_HEXADECIMAL = re.compile(r"-?0[xX][0-9a-fA-F]+")
_VERDICTS = (Outcome.HALTED, Outcome.ACCEPTED, Outcome.REJECTED, Outcome.NON_HALTING)


def check_header(data: object, formats: Sequence[str] = FORMATS) -> dict[str, Any]:
    """Return `data` if it says that it is a certificate of this version; raises CertificateError otherwise."""
    if not isinstance(data, dict):
        raise CertificateError(
            f"{shown(data)} is no certificate: give what exactnn.load_certificate reads, or run.certificate of a "
            "certified run"
        )
    if data.get("format") not in formats:
        known = " or ".join(map(repr, formats))
        raise CertificateError(f'this is no certificate: "format" is {shown(data.get("format"))}, and must be {known}')
    version = VERSIONS[data["format"]]
    if type(data.get("version")) is not int or data["version"] != version:
        raise CertificateError(
            f'"version" is {shown(data.get("version"))}; this exactnn reads version {version}: write the file again'
        )
    return data


def certificate_from_json(data: object) -> Certificate:
    """Return the certificate that JSON `data` describes.

    Raises
    ------
    CertificateError
        If it describes none: a field is missing, of another kind, or out of range.

    Examples
    --------
    >>> certificate_from_json({"format": "exactnn certificate", "version": 2})
    Traceback (most recent call last):
    ...
    exactnn.errors.CertificateError: "version" is 2; this exactnn reads version 3: write the file again
    """
    try:
        return _Reader(check_header(data, (FORMAT,))).certificate()
    except CertificateError:
        raise
    except ExactnnError as error:
        raise CertificateError(f"this is no certificate: {error}") from None
    except RecursionError:
        raise CertificateError("this is no certificate: its data are nested too deeply") from None


class _Reader:
    """Reads the parts of a certificate; indices are checked against the numbers of states and rules."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.network = network_from_json(data.get("network"))
        self.base = _integer(data.get("base"), "base", 2)
        self.limb = _integer(data.get("limb"), "limb", 1, LARGEST_UNIT_BITS)
        if self.base.bit_length() * self.limb > LARGEST_UNIT_BITS:
            raise CertificateError(f"base {shown(self.base)} with limbs of {self.limb} digits: give fewer digits")
        self.unit = self.base**self.limb
        self.states = len(_list(data.get("states"), "states"))
        self.rules = len(_list(data.get("rules"), "rules"))

    def certificate(self) -> Certificate:
        """Return the whole certificate."""
        data = self.data
        if not self.network.decision.protocol.reads_eos:
            raise CertificateError(f"the network's protocol is {self.network.decision.protocol!s}: it reads no EOS")
        word = _list(data.get("word"), "word")
        if not all(isinstance(symbol, str) for symbol in word):
            raise CertificateError(f"the word is {shown(word)}, not a list of symbols")
        symbols = [symbol for symbol in self.network.inputs(word) if isinstance(symbol, int)]
        edges = _entries(data.get("edges"), "edge", self._edge)
        rules = _entries(data.get("rules"), "rule", self._rule)
        begin, path = self._begin(data.get("begin")), _entries(data.get("path"), "path", self._leg)
        return Certificate(
            network=self.network, word=tuple(word), symbols=tuple(symbols), base=self.base,
            limb=self.limb, unit=self.unit,
            states=_entries(data.get("states"), "state", self._state), edges=edges, rules=rules, begin=begin, path=path,
            end=_end(data.get("end")),
        )  # fmt: skip

    def _state(self, entry: object, where: str) -> MacroState:
        fields = _object(entry, where)
        values = _entries(fields.get("values"), f"{where}: value", self._value)
        if len(values) != self.network.neurons:
            raise CertificateError(f"{where} has {len(values)} values, the network {self.network.neurons} neurons")
        state = MacroState(values, self._stack(fields.get("wanted"), f"{where}: wanted", -1))
        if state.wanted >= 0 and state.wanted not in state.stacks:
            raise CertificateError(f"{where} wants a limb of stack {state.wanted}, which no head refers to")
        return state

    def _value(self, entry: object, where: str) -> int | Head:
        if entry == "0" or entry == "1":
            return int(entry)
        head, places, sign, stack = _list(entry, where, 4)
        if type(sign) is not int or sign not in (1, -1):
            raise CertificateError(f"{where}: the sign is {shown(sign)}, not 1 or -1")
        most_places = LARGEST_SCALE_BITS // self.base.bit_length()
        return Head(
            _integer(head, where, -(1 << LARGEST_UNIT_BITS), 1 << LARGEST_UNIT_BITS),
            _integer(places, where, -most_places, most_places),
            sign,
            self._stack(stack, where, -1),
        )

    def _edge(self, entry: object, where: str) -> Edge:
        fields = _object(entry, where)
        last = fields.get("last")
        if not isinstance(last, bool):
            raise CertificateError(f'{where}: "last" is {shown(last)}, neither true nor false')
        pushes = _entries(fields.get("pushes"), f"{where}: push", self._push)
        if len(pushes) > MOST_PUSHES:
            raise CertificateError(f"{where} has {len(pushes)} pushes: at most {MOST_PUSHES} are read")
        return Edge(
            state=_index(fields.get("state"), where, self.states),
            limb=_index(fields.get("limb"), where, self.unit),
            last=last,
            steps=_integer(fields.get("steps"), f"{where}: steps", 0, LARGEST_COUNT),
            target=_index(fields.get("target"), where, self.states),
            pushes=pushes,
            clears=_entries(fields.get("clears"), f"{where}: clear", self._stack),
            outputs=_entries(fields.get("outputs"), f"{where}: output", _output),
        )

    def _push(self, entry: object, where: str) -> tuple[int, int]:
        stack, limb = _list(entry, where, 2)
        return self._stack(stack, where), _index(limb, where, self.unit)

    def _rule(self, entry: object, where: str) -> Rule:
        fields = _object(entry, where)

        def run(entry: object, where: str) -> tuple[int, int]:
            limb, *length = _list(entry, where) or [None]
            if len(length) > 1:
                raise CertificateError(f"{where} is {shown(entry)}: write [limb] or [limb, length]")
            known = _integer(length[0], f"{where}: length", 1) if length else 0
            return _index(limb, where, self.unit), known

        given = fields.get("stacks")
        stacks = self._stacks(given, where, run)
        if sum(map(len, stacks)) > MOST_RUNS:
            raise CertificateError(f"{where} has {sum(map(len, stacks))} runs of limbs: at most {MOST_RUNS} are read")
        state = _index(fields.get("state"), where, self.states)
        unknowns = sum(not length for entries in stacks for _, length in entries)
        whole = _list(fields.get("whole"), f"{where}: whole", len(_list(given, where)))
        if not all(isinstance(flag, bool) for flag in whole):
            raise CertificateError(f"{where}: whole is {shown(whole)}, not a list of true and false")
        number = int(where.rpartition(" ")[2])
        moves = _entries(fields.get("moves"), f"{where}: move", lambda move, at: self._move(move, at, number))
        counts = _entries(fields.get("counts"), f"{where}: count", lambda form, at: _form(form, at, unknowns))
        flags, many = tuple(whole) + (True,) * (STACKS - len(whole)), fields.get("many")
        return Rule(
            state, stacks, flags, moves, counts, None if many is None else _many(many, f"{where}: many", unknowns)
        )

    def _begin(self, entry: object) -> Begin:
        fields = _object(entry, "begin")

        def run(entry: object, where: str) -> tuple[int, int]:
            limb, length = _list(entry, where, 2)
            return _index(limb, where, self.unit), _integer(length, f"{where}: length", 1)

        return Begin(
            _integer(fields.get("eos_steps"), "begin: eos_steps", 0, LARGEST_COUNT),
            _index(fields.get("state"), "begin: state", self.states),
            self._stacks(fields.get("stacks"), "begin", run),
        )

    def _leg(self, entry: object, where: str) -> Leg:
        """Return a piece of the path."""
        kind, *numbers = _list(entry, where) or [None]
        if kind == "closed" and not numbers:
            return Closed()
        return self._move(entry, where, self.rules)

    def _move(self, entry: object, where: str, rules: int) -> Move:
        """Return a piece of the path, or of the round of a rule, where so many rules may be used."""
        kind, *numbers = _list(entry, where) or [None]
        if kind == "edges" and len(numbers) == 1:
            return Edges(_integer(numbers[0], f"{where}: edges", 1, LARGEST_COUNT))
        if kind == "rule" and len(numbers) == 2:
            rule, count = _index(numbers[0], where, rules), numbers[1]
            return Rounds(rule, None if count is None else _integer(count, f"{where}: count", 0, LARGEST_COUNT))
        raise CertificateError(
            f'{where} is {shown(entry)}: write ["edges", n], ["rule", index, count], or in the path also '
            '["rule", index, null] for ever, or ["closed"]'
        )

    def _stack(self, value: object, where: str, least: int = 0) -> int:
        return _integer(value, f"{where}: stack", least, STACKS - 1)

    def _stacks(self, value: object, where: str, run: Callable[[object, str], T]) -> tuple[tuple[T, ...], ...]:
        stacks = _list(value, f"{where}: stacks")
        if len(stacks) > STACKS:
            raise CertificateError(f"{where} has {len(stacks)} stacks: at most {STACKS} are read")
        given = tuple(_entries(stack, f"{where}: stack {i}: run", run) for i, stack in enumerate(stacks))
        return given + ((),) * (STACKS - len(given))


def _many(entry: object, where: str, unknowns: int) -> Many:
    fields = _object(entry, where)
    bases = _entries(fields.get("bases"), f"{where}: base", lambda base, at: _integer(base, at, 2, LARGEST_BASE))
    if len(bases) > MOST_BASES:
        raise CertificateError(f"{where} has {len(bases)} bases: at most {MOST_BASES} are read")
    known = unknowns + 1 + len(bases)
    lengths = _entries(fields.get("lengths"), f"{where}: length", lambda form, at: _form(form, at, known))
    if len(lengths) != unknowns:
        raise CertificateError(f"{where} has {len(lengths)} lengths, the rule {unknowns} open runs")
    first = _integer(fields.get("first"), f"{where}: first", 0, MOST_RUNS)
    return Many(first, bases, lengths, _form(fields.get("steps"), f"{where}: steps", known))


def _form(entry: object, where: str, unknowns: int) -> Length:
    """Return a form in so many unknowns, which is written as a list of [coefficient, unknowns]."""
    terms: dict[tuple[int, ...], mpq] = {}
    for i, term in enumerate(_list(entry, where)):
        value, names = _list(term, f"{where}: term {i}", 2)
        monomial = tuple(sorted(_index(name, f"{where}: term {i}", unknowns) for name in _list(names, where)))
        if monomial in terms:
            raise CertificateError(f"{where}: term {i} has the unknowns of one before")
        terms[monomial] = _fraction(value, f"{where}: term {i}")
    return length_of(terms.pop((), mpq(0)), terms)


def _end(entry: object) -> End:
    fields = _object(entry, "end")
    outcome = fields.get("outcome")
    if not isinstance(outcome, str) or outcome not in _VERDICTS:
        raise CertificateError(f"end: the outcome is {shown(outcome)}, none of {', '.join(_VERDICTS)}")
    steps = fields.get("eos_steps")
    if isinstance(steps, list):
        return End(_tower(steps), Outcome(outcome))
    return End(_integer(steps, "end: eos_steps", 0), Outcome(outcome))


def _tower(sums: object) -> int:
    """Return a number of steps that is given as sums of powers; for the type checker it is an int."""

    def fraction(value: object) -> mpq:
        found = _fraction(value, "end: eos_steps")
        if found.denominator.bit_length() > LARGEST_SCALE_BITS:
            raise CertificateError(
                f"end: eos_steps: {shown(value)} has a denominator of over {LARGEST_SCALE_BITS} bits"
            )
        return found

    try:
        found = tower_from_json(
            sums,
            fraction,
            lambda value: _integer(value, "end: eos_steps: exponent", 0),
        )
        if found < 0:
            raise CertificateError("end: eos_steps is negative")
    except NumberError as error:
        raise CertificateError(f"end: eos_steps: {error}") from None
    return cast(int, found)


def _output(entry: object, where: str) -> tuple[mpq, int]:
    text, count = _list(entry, where, 2)
    return _fraction(text, where), _integer(count, where, 1, LARGEST_COUNT)


def _fraction(text: object, where: str) -> mpq:
    if not isinstance(text, str):
        raise CertificateError(f'{where}: {shown(text)} is not a number written as text, such as "0x0"')
    if len(text) > LARGEST_BITS // 2:
        raise CertificateError(f"{where}: a number of {len(text)} characters: at most {LARGEST_BITS // 2} are read")
    return exact(text)


def _entries(value: object, what: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
    return tuple(read(entry, f"{what} {i}") for i, entry in enumerate(_list(value, f"the list of each {what}")))


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CertificateError(f"{where} is {shown(value)}, not an object with fields")
    return value


def _list(value: object, where: str, length: int | None = None) -> Sequence[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        size = "" if length is None else f" of {length} entries"
        raise CertificateError(f"{where} is {shown(value)}, not a list{size}")
    return value


def _index(value: object, where: str, size: int) -> int:
    return _integer(value, where, 0, size - 1)


def _integer(value: object, where: str, least: int, most: int | None = None) -> int:
    """Return a whole number, plain or as hexadecimal text, if it is in the range."""
    if isinstance(value, str) and len(value) <= LARGEST_BITS // 4 + 3 and _HEXADECIMAL.fullmatch(value):
        number = int(value, 16)
    elif type(value) is int:
        number = value
    else:
        raise CertificateError(f'{where} is {shown(value)}, not a whole number, plain or as text such as "0x1f"')
    if number < least or (most is not None and number > most) or number.bit_length() > LARGEST_BITS:
        top = f"2^{LARGEST_BITS}" if most is None else shown(most)
        raise CertificateError(f"{where}: {shown(number)} is out of range: give a number from {least} to {top}")
    return number
