"""How much memory this process may take, as far as the system says so."""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from exactnn.interrupts import loaded

__all__ = ["cgroup_limits", "machine_memory", "unused_memory"]

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


def _process_limits() -> dict[str, int]:
    """Return the limits of the process's address space and of its data, those that there are."""
    try:
        resource = loaded("resource")
    except ImportError:  # there is none of them on Windows
        return {}
    soft = {name: resource.getrlimit(getattr(resource, name))[0] for name in _STATM}
    return {name: limit for name, limit in soft.items() if limit != resource.RLIM_INFINITY}
