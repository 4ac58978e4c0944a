"""Numbers as ranges of those that were tried."""

from collections.abc import Sequence

__all__ = ["ranges_of"]


def ranges_of(chosen: Sequence[int], tried: Sequence[int]) -> str:
    """Return numbers as ranges of those that were tried, in ascending order.

    >>> ranges_of([2, 3, 4, 7], range(2, 9))
    '2-4, 7'
    """
    place = {p: i for i, p in enumerate(tried)}
    parts: list[list[int]] = []
    for p in chosen:
        if parts and place[p] == place[parts[-1][-1]] + 1:
            parts[-1].append(p)
        else:
            parts.append([p])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
