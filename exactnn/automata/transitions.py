"""An immutable, hashable, picklable mapping: the transition table of every machine, and what else values map."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from exactnn.errors import printed

__all__ = ["State", "Transitions", "ordered"]

State = Hashable
K = TypeVar("K", bound=Hashable)
V = TypeVar("V", covariant=True)


class Transitions(Mapping[K, V]):
    """A mapping that cannot be changed and keeps its order.

    >>> table = Transitions({"q": Transitions({"a": "q"})})
    >>> table["q"]["a"], hash(table) == hash(Transitions(dict(table)))
    ('q', True)
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[K, V]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, key: K) -> V:
        return self._entries[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(frozenset(self._entries.items()))

    def __repr__(self) -> str:
        return repr(self._entries)


def ordered(values: Iterable[K]) -> tuple[K, ...]:
    """Return `values` without repetitions, in their order; sets, which have none, are sorted by text.

    >>> ordered({"q1", "q0"}), ordered(["b", "a", "b"])
    (('q0', 'q1'), ('b', 'a'))
    """
    if isinstance(values, (set, frozenset)):
        values = sorted(values, key=lambda value: (printed(value) or "", printed(value, repr) or ""))
    return tuple(dict.fromkeys(values))
