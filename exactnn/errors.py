"""The exception tree. Every error that exactnn raises on purpose is an :class:`ExactnnError`.

::

    ExactnnError
    ├── MachineError            a machine definition is not valid
    │   └── MachineFileError    a machine file is not valid (faults carry line numbers)
    ├── WordError               a word does not fit its alphabet or input size
    ├── NumberError             a parameter is not an exact number
    │   ├── DigitLimitError     more digits of a real are needed than may be read
    │   └── BitLimitError       the enclosures of a number have become too wide to go on
    ├── NetworkError            a network definition is not valid
    │   └── NetworkFileError    a network file is not valid
    ├── ConstructionError       no construction fits, or a state cannot be encoded
    ├── UnsupportedArithmeticError  an arithmetic cannot run a network
    ├── OptionError             an option of a call is out of range
    ├── CheckpointError         a checkpoint file cannot be written, or is not one of this run
    ├── CertificateError        a certificate of a run cannot be read or written, or is wrong
    ├── ShadowError             a check of a run within itself failed: a bug in exactnn
    └── MissingExtraError       an optional dependency is not installed

A message shows the value, says what is wrong with it and what to do. What is *not* an error: rejecting a
word, reaching a step limit, leaving a domain. Those are outcomes of a run.
"""

from collections.abc import Sequence
from operator import index
from typing import SupportsIndex

__all__ = [
    "BitLimitError",
    "CertificateError",
    "CheckpointError",
    "ConstructionError",
    "DigitLimitError",
    "ExactnnError",
    "MachineError",
    "MachineFileError",
    "MissingExtraError",
    "NetworkError",
    "NetworkFileError",
    "NumberError",
    "OptionError",
    "ShadowError",
    "UnsupportedArithmeticError",
    "WordError",
    "shown",
    "step_limit",
]


MOST_FAULTS = 50
"""How many faults the message of a MachineError shows; its `faults` has all."""


def shown(value: object, *, limit: int = 60) -> str:
    """Return ``repr(value)`` cut to `limit` characters, safe for integers of any size.

    >>> shown("a" * 100, limit=12)
    "'aaaaaaaa..."
    """
    try:
        text = repr(value)
    except ValueError:  # str() of a huge int: Python refuses beyond its digit limit
        text = f"<{type(value).__name__} too long to print>"
    text = " ".join(text.splitlines())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def step_limit(max_steps: object) -> int | None:
    """Return a limit of steps as an int, or None for no limit; raises OptionError for anything else.

    >>> step_limit(5), step_limit(None)
    (5, None)
    """
    if max_steps is None:
        return None
    if isinstance(max_steps, SupportsIndex) and not isinstance(max_steps, bool) and index(max_steps) >= 0:
        return index(max_steps)
    raise OptionError(f"max_steps={shown(max_steps)}: give a whole number of at least 0, or None for no limit")


class ExactnnError(Exception):
    """Base of all errors that exactnn raises on purpose."""


class MachineError(ExactnnError):
    """A machine definition is not valid; `faults` lists everything that is wrong with it.

    The message is one line and shows the first faults only, if there are many.
    """

    def __init__(self, subject: str, faults: Sequence[str]) -> None:
        self.subject = subject
        self.faults = tuple(faults)
        text = "; ".join(self.faults[:MOST_FAULTS])
        if len(self.faults) > MOST_FAULTS:
            text += f"; and {len(self.faults) - MOST_FAULTS} more faults"
        super().__init__(" ".join(f"{subject}: {text}".splitlines()))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.subject, self.faults)


class MachineFileError(MachineError):
    """A machine file is not valid; every fault begins with its line number."""


class WordError(ExactnnError):
    """A word has a symbol outside the alphabet, or an input vector of the wrong size."""


class NumberError(ExactnnError):
    """A parameter is not an exact finite number."""


class DigitLimitError(NumberError):
    """A comparison needs more digits of a lazily refined real than may be read."""


class BitLimitError(NumberError):
    """An enclosure of a number has become so wide that its bounds are beyond what exponents may be."""


class NetworkError(ExactnnError):
    """A network definition is not valid (shapes, registers, names)."""


class NetworkFileError(NetworkError):
    """A network file cannot be read."""


class ConstructionError(ExactnnError):
    """No construction fits the machine, or a configuration has no place in the network."""


class UnsupportedArithmeticError(ExactnnError):
    """An arithmetic cannot run this network; the message says which one would do."""


class OptionError(ExactnnError):
    """An option of a call is out of range."""


class PrecisionWarning(UserWarning):
    """A run in an arithmetic that rounds is longer than it is known to be right for."""


class CheckpointError(ExactnnError):
    """A checkpoint file cannot be read or written, or belongs to another run; what is there is left alone."""


class CertificateError(ExactnnError):
    """A certificate of a run cannot be read or written, or what it says is wrong or cannot be proven."""


class ShadowError(ExactnnError, RuntimeError):
    """A run does not agree with its check in other arithmetic: a bug in exactnn, or a defect of the machine."""

    def __init__(self, network: str, first: int, last: int, what: str) -> None:
        self.network, self.first, self.last, self.what = network, first, last, what
        super().__init__(
            f"network {shown(network)}, checked steps {first} to {last}: {what}. The run is wrong or its check is, and "
            "that is a bug in exactnn: please report it, with the network (exactnn.save_network) and the word"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.network, self.first, self.last, self.what)


class MissingExtraError(ExactnnError):
    """An optional dependency is not installed; the message gives the pip command."""
