"""Which states of a tape machine halt, with which verdict, and what an undefined transition means.

The rules are those of turingmachine.io, with keys to say otherwise: a state with an empty row halts; one named
``accept`` accepts, one named ``reject`` rejects, any other is the halt state.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from exactnn.errors import shown
from exactnn.machine_files.faults import FaultList
from exactnn.machine_files.fields import Field, choice, text

__all__ = ["Halting", "fresh", "halting_states", "policy", "sink"]

_ROLES = ("accept state", "reject state", "halt state")


@dataclass(slots=True)
class Halting:
    """The halting states of a machine; a state may be added to them while the machine is completed."""

    accept: str | None = None
    reject: str | None = None
    halt: str | None = None

    @property
    def states(self) -> tuple[str, ...]:
        """Those that there are."""
        return tuple(q for q in (self.accept, self.reject, self.halt) if q is not None)


def halting_states(keys: Mapping[str, Field], empty_rows: Mapping[str, int], faults: FaultList) -> Halting:
    """Return the halting states that the keys name and that the empty rows show.

    Parameters
    ----------
    keys : mapping
        The keys of the document.
    empty_rows : mapping state -> line
        The states whose row in the table is empty.
    """
    named = {role: text(keys[role], faults) for role in _ROLES if role in keys}
    halting = Halting(named.get("accept state"), named.get("reject state"), named.get("halt state"))
    rest = {q: line for q, line in empty_rows.items() if q not in halting.states}
    if halting.halt is None:
        if halting.accept is None and rest.pop("accept", None) is not None:
            halting.accept = "accept"
        if halting.reject is None and rest.pop("reject", None) is not None:
            halting.reject = "reject"
    if len(rest) == 1 and not halting.states:
        halting.halt = rest.popitem()[0]
    missing = "reject state" if halting.accept is not None and halting.reject is None else "halt state"
    for q, line in rest.items():
        faults.add(
            line, f"state {shown(q)} has an empty row, and nothing says how it halts: add {_remedy(halting, missing)}"
        )
    _check_roles(keys, halting, faults)
    return halting


def _remedy(halting: Halting, missing: str) -> str:
    if len(halting.states) < (1 if missing == "halt state" else 2):
        return f"a line '{missing}: NAME' with one state, and lead the others there"
    return "rules to it, or lead its transitions to a halting state that has a name"


def _check_roles(keys: Mapping[str, Field], halting: Halting, faults: FaultList) -> None:
    line = next((keys[role].line for role in _ROLES if role in keys), keys["table"].line)
    if halting.accept is not None and halting.accept == halting.reject:
        faults.add(line, f"accept state and reject state are both {shown(halting.accept)}: name two states")
    if halting.halt is not None and len(halting.states) > 1:
        faults.add(line, "a machine with a halt state gives no verdict: drop it, or drop accept and reject state")


def policy(keys: Mapping[str, Field], faults: FaultList) -> str:
    """Return what an undefined transition means: "error", "reject", "halt", or "turingmachine.io".

    The last one holds for a file that neither says its kind nor what is undefined: reject where there is an
    accept state, and halt elsewhere.
    """
    if "undefined" in keys:
        return choice(keys["undefined"], ("reject", "halt", "error"), faults) or "error"
    return "error" if "kind" in keys else "turingmachine.io"


def sink(undefined: str, taken: Collection[str], halting: Halting, faults: FaultList, line: int) -> str:
    """Return the state that undefined transitions enter ("reject" or "halt"), adding it where there is none."""
    if undefined == "reject":
        if halting.halt is not None:
            faults.add(line, "'undefined: reject' in a machine with a halt state: write 'undefined: halt'")
        halting.reject = halting.reject if halting.reject is not None else fresh("reject", taken)
        return halting.reject
    if halting.accept is not None or halting.reject is not None:
        faults.add(line, "'undefined: halt' in a machine with verdicts: write 'undefined: reject'")
    halting.halt = halting.halt if halting.halt is not None else fresh("halt", taken)
    return halting.halt


def fresh(name: str, taken: Collection[str]) -> str:
    """Return `name`, with primes where a state has it already.

    >>> fresh("halt", ["q0", "halt"])
    "halt'"
    """
    while name in taken:
        name += "'"
    return name
