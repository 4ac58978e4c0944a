"""Limits of the size of numbers, from the machine's memory: what is foreseen to be larger is refused."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from gmpy2 import lcm, mpq, mpz

from exactnn.errors import SizeLimitError
from exactnn.interrupts import loaded
from exactnn.options import whole_number

__all__ = [
    "KEPT",
    "LARGEST",
    "SizeLimit",
    "bits_of",
    "cgroup_limits",
    "common_denominator",
    "default_max_bits",
    "machine_memory",
    "unused_memory",
]


# --- How much memory this process may take, as far as the system says so.

UNKNOWN = 1 << 32
"""Bytes that are reckoned with where the system does not say."""


def machine_memory() -> int:
    """Return the bytes of memory that there are for this process.

    That is the least of the machine's memory, the limits of the process's control groups (containers) and those of
    ``ulimit -v`` and ``ulimit -d``; what is free just now plays no part, so that a run does not depend on it.
    """
    return min([_installed(), *_process_limits().values()])


def unused_memory() -> int | None:
    """Return how many bytes ``ulimit -v`` and ``ulimit -d`` leave just now, after libraries and all else; None if they
    are not set, or the system does not say what is used.
    """
    limits = _process_limits()
    if not limits:
        return None
    try:
        used = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except OSError:
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    return min(limit - page * int(used[_STATM[name]]) for name, limit in limits.items())


@cache
def _installed() -> int:
    """Return the machine's memory, or less if a control group has less."""
    with suppress(AttributeError, ValueError, OSError):  # some systems have no such question, or no answer
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        if pages > 0 and size > 0:
            return min([pages * size, *cgroup_limits()])
    return UNKNOWN


def cgroup_limits(groups: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")) -> Iterator[int]:
    """Yield the memory limits of the control groups that a process is in, of version 2 and of version 1.

    Parameters
    ----------
    groups : Path
        The file that names the process's groups.
    mounted : Path
        Where the groups are; a container sees its own as the root, whatever they are called outside.
    """
    try:
        lines = groups.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if not controllers:
            yield from _limits_along(name, (mounted, mounted / "unified"), "memory.max")
        elif "memory" in controllers.split(","):
            yield from _limits_along(name, (mounted / "memory",), "memory.limit_in_bytes")


def _limits_along(name: str, roots: tuple[Path, ...], file: str) -> Iterator[int]:
    """Yield the limits of a group and of all groups that it is in."""
    parts = [part for part in name.split("/") if part and part != ".."]
    for root in roots:
        for length in range(len(parts) + 1):
            with suppress(OSError, ValueError):  # no such file, or "max"
                yield int(root.joinpath(*parts[:length], file).read_text(encoding="ascii"))


_STATM = {"RLIMIT_AS": 0, "RLIMIT_DATA": 5}
"""Limits of a process, and where /proc/self/statm says how much of them is used."""


@cache
def _limits() -> tuple[Any, list[tuple[str, int]], int]:
    """Return what asks for a limit of the process, those of `_STATM` with their numbers, and what says "no limit"."""
    try:
        resource: Any = loaded("resource")
    except ImportError:  # on Windows
        return None, [], 0
    return resource.getrlimit, [(name, getattr(resource, name)) for name in _STATM], resource.RLIM_INFINITY


def _process_limits() -> dict[str, int]:
    """Return the limits of the process's address space and of its data, those that there are."""
    getrlimit, names, no_limit = _limits()
    found = {}
    for name, number in names:
        soft, _ = getrlimit(number)
        if soft != no_limit:
            found[name] = soft
    return found


# --- How many bits the numbers of a computation may have together: what would be more is refused before it is made.
#
# GMP ends the program where memory ends, and no Python code can catch that. But how long a sum or a product may become
# is known before it is computed.

PART = 64
"""Numbers may take one part in so many of the memory: to divide them, GMP takes several times as much besides, and
before a product of longer ones is there nobody wants to wait.
"""

SPARE = 12
"""How many times the memory of numbers must be unused before they are made: for them, and to compute with them."""

KEPT = 32
"""Numbers that are kept are not computed with any more: they may take half of the memory, and count one part in so
many.
"""

LARGEST = 10**18
"""A number of bits that is written as it is."""

REMEDY = "(max_bits of exactnn.run)"

OBJECT = 1024
"""Bits that the shortest number takes where it is kept."""
SHORT = 100
"""Bytes below which a number surely has less than half of those bits."""


def default_max_bits() -> int:
    """Return how many bits numbers may have together where nobody says: so many that they fill 1/64 of the memory."""
    return 8 * machine_memory() // PART


def bits_of(value: mpq) -> int:
    """Return the bits of the numerator and the denominator.

    >>> bits_of(mpq(-5, 8))
    7
    """
    return value.numerator.bit_length() + value.denominator.bit_length()


class SizeLimit:
    """A limit of bits, and how much of it is taken by numbers that are kept.

    Parameters
    ----------
    most : int, optional
        The most bits that numbers may have together, numerators and denominators; by default
        :func:`default_max_bits`.

    Raises
    ------
    OptionError
        If `most` is no whole number of at least 1.

    Examples
    --------
    >>> limit = SizeLimit(1000)
    >>> limit.refuse(1000)
    >>> limit.refuse(1001)
    Traceback (most recent call last):
        ...
    exactnn.errors.SizeLimitError: the next numbers may have 1,001 bits together, beyond 1,000 (max_bits of exactnn.run)
    """

    __slots__ = ("_kept", "is_given", "most")

    def __init__(self, most: int | None = None) -> None:
        self.most = default_max_bits() if most is None else _checked(most)
        self.is_given = most is not None
        self._kept = 0

    @property
    def room(self) -> int:
        """How many bits there are left to compute with; where ``ulimit -v`` is set, no more than is not used yet."""
        room, unused = self.most - self._kept // KEPT, unused_memory()
        return room if unused is None else min(room, 8 * unused // SPARE)

    def keep(self, numbers: Iterable[object], times: int = 1) -> None:
        """Take note of numbers that stay, so many times: each of their bits counts 1/32.

        Raises
        ------
        SizeLimitError
            If there is no room left to compute with.
        """
        self._kept += times * sum(map(_bits_kept, numbers))
        if self._kept > KEPT * self.most:
            raise SizeLimitError(
                f"the numbers that are kept have about {_counted(self._kept)} bits together, 1/32 of them beyond "
                f"{_counted(self.most)} {REMEDY}"
            )

    def refuse(self, bits: int) -> None:
        """Raise SizeLimitError if there is no room for so many bits."""
        room = self.room
        if bits <= room:
            return
        reason = f"{_counted(self.most)} {REMEDY}"
        if bits <= self.most - self._kept // KEPT:
            reason = f"{_counted(max(0, room))}, for which ulimit leaves memory"
        kept = f", besides {_counted(self._kept)} that are kept" if self._kept else ""
        raise SizeLimitError(f"the next numbers may have {_counted(bits)} bits together{kept}, beyond {reason}")

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Refuse nothing for a while but what ``ulimit`` leaves no memory for: steps that were taken before had room.

        >>> limit = SizeLimit(1000)
        >>> with limit.lifted():
        ...     limit.refuse(10**6)
        """
        most, self.most = self.most, LARGEST
        try:
            yield
        finally:
            self.most = most

    def refuse_longer(self, rows: Sequence[Sequence[mpq]], times: int) -> None:
        """Raise SizeLimitError if there is no room for a matrix whose numbers are so many times as long.

        One after the other is computed: the rest is kept.
        """
        longest = 8 * max((max(map(mpq.__sizeof__, row)) for row in rows if row), default=0)
        self.refuse(times * longest * (1 + sum(map(len, rows)) // KEPT))


def _checked(most: object) -> int:
    return whole_number("max_bits", most, least=1, otherwise="None for what memory allows")


def _bits_kept(value: Any) -> int:
    """Return how many bits of memory a number takes, about; floats take none that GMP would need."""
    if isinstance(value, mpq):  # how much was allocated for it depends on what was there before: it only saves time
        return OBJECT if value.__sizeof__() < SHORT else max(OBJECT, bits_of(value) + OBJECT // 2)
    if isinstance(value, float):
        return 0
    return sum(map(_bits_kept, value)) if isinstance(value, Iterable) else OBJECT  # an enclosure has two bounds


def common_denominator(values: Iterable[mpq], limit: SizeLimit, count: int = 1) -> mpz:
    """Return the least common denominator, if `count` numbers of that length have room.

    Raises
    ------
    SizeLimitError
        If they have not.

    Examples
    --------
    >>> common_denominator([mpq(1, 4), mpq(1, 6)], SizeLimit())
    mpz(12)
    """
    common = mpz(1)
    for denominator in dict.fromkeys([value.denominator for value in values]):  # there are few
        if denominator != 1 and common % denominator:
            limit.refuse(count * (common.bit_length() + denominator.bit_length()))
            common = lcm(common, denominator)
    return common


def _counted(bits: int) -> str:
    """Return a number of bits for people; there may be more than Python prints."""
    return f"{bits:,}" if bits < LARGEST else f"more than {LARGEST:,}"
