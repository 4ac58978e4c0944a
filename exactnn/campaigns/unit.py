"""A unit of work: what it computes depends on nothing but what its key is made of."""

import json
import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from io import BytesIO
from typing import Any, ClassVar

from exactnn.errors import OptionError, shown

__all__ = ["OfSubject", "Unit", "digest_of_subject", "json_line", "key_of"]

LONGEST_IDENTITY = 1 << 20
"""Characters as JSON; some hundred are usual."""
_SCALARS = (str, int, float, bool, type(None))


class Unit(ABC):
    """A piece of work for one thread, of 0.01 to 60 seconds.

    A subclass is a frozen dataclass on the top level of a module, since units are pickled. `run` must be pure: the row
    is the same on every machine, whenever it is made. A field is text, a number, a bool, None or a tuple of such; a
    subclass with other fields has an `identity` of its own. What is large, such as a network, is no field: it is the
    subject of the campaign. A store keeps the rows of each subject apart, by the digest of all of it.

    Class attributes: `version` is raised when `run` computes something else than before. `names_subject` says that
    the fields name what of the subject the row depends on, such as the digest of a network: then campaigns share rows
    whose subjects differ in something else.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from exactnn.campaigns import Campaign
    >>> @dataclass(frozen=True)
    ... class Square(Unit):
    ...     number: int
    ...
    ...     def run(self, subject):
    ...         return {"square": self.number**2}
    >>> Square(3).identity
    {'kind': 'Square', 'version': 1, 'number': 3}
    >>> Square(3).key.hex()[:12]
    'e76eeb7b3b6a'
    """

    version: ClassVar[int] = 1
    names_subject: ClassVar[bool] = False

    @property
    def identity(self) -> dict[str, Any]:
        """All that the row depends on, as JSON data; raises OptionError if a field is something else."""
        if not is_dataclass(self):
            raise OptionError(f"{type(self).__name__} is no dataclass, and has no identity of its own: make it one")
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in values.items():
            if not _is_plain(value):
                raise OptionError(
                    f"{type(self).__name__} has {name}={shown(value)}: a unit has fields of text, whole numbers, "
                    "floats, bools, None and tuples of them, or an identity of its own"
                )
        return {"kind": type(self).__name__, "version": self.version, **values}

    @property
    def key(self) -> bytes:
        """SHA-256 of the identity: what has the same key is the same work."""
        return key_of(self.identity)

    @abstractmethod
    def run(self, subject: Any) -> Any:
        """Return the row: JSON data."""

    def details(self, subject: Any, row: Any) -> Iterable[Any]:
        """Return rows of the Parquet part of this unit, JSON data; they are asked for right after `run` gave its row.

        By default that row alone. A subclass may tell more, such as a row for each word.
        """
        return (row,)


@dataclass(frozen=True)
class OfSubject(Unit):
    """A unit whose fields do not say which subject it works on, with the digest of that."""

    unit: Unit
    subject: str

    @property
    def identity(self) -> dict[str, Any]:
        """That of the unit, and the digest."""
        return {**self.unit.identity, "subject digest": self.subject}  # no field has such a name

    def run(self, subject: Any) -> Any:
        """Return the row of the unit."""
        return self.unit.run(subject)

    def details(self, subject: Any, row: Any) -> Iterable[Any]:
        """Return the details of the unit."""
        return self.unit.details(subject, row)


class _Canonical(pickle.Pickler):
    """What is equal is written alike: nothing says which parts are the same object, and sets are in order."""

    def persistent_id(self, value: Any) -> Any:
        return ("set", sorted(map(digest_of_subject, value))) if isinstance(value, set | frozenset) else None


def digest_of_subject(subject: object) -> str:
    """Return a digest of what can be pickled, the same in every process.

    >>> digest_of_subject({"a", "b"}) == digest_of_subject({"b", "a"}) != digest_of_subject({"a"})
    True
    """
    for fast in (True, False):  # what holds itself has no end the fast way
        stream = BytesIO()
        pickler = _Canonical(stream, protocol=5)
        pickler.fast = fast
        try:
            pickler.dump(subject)
        except (RecursionError, ValueError):
            continue
        break
    return sha256(stream.getvalue()).hexdigest()


def key_of(identity: Mapping[str, Any]) -> bytes:
    """Return the key of a unit with this identity; raises OptionError if it cannot be written as JSON, or is long."""
    try:
        line = json_line(identity)
    except (RecursionError, TypeError, ValueError) as error:
        raise OptionError(f"the identity of a unit cannot be written as JSON: {error}") from None
    if len(line) > LONGEST_IDENTITY:
        raise OptionError(
            f"the identity of a unit has {len(line):,} characters, and {LONGEST_IDENTITY:,} are the most: "
            "make what is large the subject of the campaign, and its digest a field"
        )
    return sha256(line.encode("ascii")).digest()


def _is_plain(value: object) -> bool:
    try:
        return all(map(_is_plain, value)) if isinstance(value, tuple) else isinstance(value, _SCALARS)
    except RecursionError:
        return False


def json_line(value: object) -> str:
    """Return JSON data as text, the same for the same data.

    >>> json_line({"b": (1, None), "a": 0.5})
    '{"a":0.5,"b":[1,null]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
