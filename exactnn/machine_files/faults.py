"""Collecting the faults of a machine file, so that all of them are reported at once with their lines."""

from exactnn.errors import MachineFileError

__all__ = ["FaultList"]


class FaultList:
    """The faults found so far in one file.

    Parameters
    ----------
    subject : str
        The file in words: it begins the message.

    Examples
    --------
    >>> faults = FaultList("machine file 'm.yaml'")
    >>> faults.add(7, "no table")
    >>> faults.add(2, "the blank is missing")
    >>> faults.raise_any()
    Traceback (most recent call last):
    ...
    exactnn.errors.MachineFileError: machine file 'm.yaml': line 2: the blank is missing; line 7: no table
    """

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self._faults: dict[tuple[int, str], None] = {}

    def __bool__(self) -> bool:
        return bool(self._faults)

    def add(self, line: int, fault: str) -> None:
        """Note a fault at a line, counted from 1."""
        self._faults[line, " ".join(fault.split())] = None

    def error(self) -> MachineFileError:
        """Return the error that lists all faults in the order of their lines."""
        faults = sorted(self._faults, key=lambda fault: fault[0])
        return MachineFileError(self.subject, [f"line {line}: {fault}" for line, fault in faults])

    def raise_any(self) -> None:
        """Raise the error if there is a fault."""
        if self._faults:
            raise self.error()
