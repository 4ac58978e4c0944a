"""The exception tree. Every error that exactnn raises on purpose is an :class:`ExactnnError`.

::

    ExactnnError
    ├── MachineError            a machine definition is not valid
    │   └── MachineFileError    a machine file is not valid (faults carry line numbers)
    ├── WordError               a word does not fit its alphabet or input size
    ├── NumberError             a parameter is not an exact number
    │   ├── DigitLimitError     more digits of a real are needed than may be read
    │   ├── BitLimitError       the enclosures of a number have become too wide to go on
    │   └── SizeLimitError      numbers would become longer than memory, or an option, allows
    ├── NetworkError            a network definition is not valid
    │   └── NetworkFileError    a network file is not valid
    ├── ConstructionError       no construction fits, or a state cannot be encoded
    ├── UnsupportedArithmeticError  an arithmetic cannot run a network
    ├── OptionError             an option of a call is out of range
    ├── TimeLimitError          the time for a comparison was over before it had a result
    ├── CheckpointError         a checkpoint file cannot be written, or is not one of this run
    ├── CampaignError           the executor of a campaign is gone, or does not fit
    ├── CertificateError        a certificate of a run cannot be read or written, or is wrong
    ├── ShadowError             a check of a run within itself failed: a bug in exactnn
    └── MissingExtraError       an optional dependency is not installed

A message shows the value, says what is wrong with it and what to do. What is *not* an error: rejecting a
word, reaching a step limit, leaving a domain. Those are outcomes of a run.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from numbers import Rational
from operator import index

__all__ = [
    "BitLimitError",
    "CampaignError",
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
    "SizeLimitError",
    "TimeLimitError",
    "UnsupportedArithmeticError",
    "WordError",
    "printed",
    "reason_of",
    "shown",
]


LONGEST_BITS = 14_000
"""Bits of a number that is printed: Python refuses to from 4300 digits on."""

DEEPEST = 30
"""Containers within containers that are shown."""

_BRACKETS: dict[type, Sequence[str]] = {
    list: "[]",
    tuple: "()",
    dict: "{}",
    set: "{}",
    frozenset: ("frozenset({", "})"),
}

MOST_FAULTS = 50
"""How many faults the message of a MachineError shows; its `faults` has all."""


def shown(value: object, *, limit: int = 60) -> str:
    """Return ``repr(value)`` cut to `limit` characters, safe for any object: its repr may raise, or be long to make.

    >>> shown("a" * 100, limit=12), shown([10**6] * 10**6, limit=12), shown(10**5000)
    ("'aaaaaaaa...", '[1000000,...', '<int too long to print>')
    """
    text = ""
    for piece in _pieces(value, limit, DEEPEST):
        text += piece
        if len(text) > limit:
            break
    text = " ".join(text.splitlines())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def printed(value: object, text_of: Callable[[object], str] = str) -> str | None:
    """Return ``str(value)``, or its repr; None where there is none: it raises, or is a number of too many digits.

    >>> printed(3), printed(10**5000)
    ('3', None)
    """
    try:
        if isinstance(value, Rational) and _bits(value) > LONGEST_BITS:
            return None
        return str.__str__(text_of(value))
    except Exception:  # the code of others may raise anything
        return None


def reason_of(error: BaseException) -> str:
    """Return what went wrong: of an error of the operating system what that says, without its number and the file.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "words.txt")), reason_of(ValueError("no words"))
    ('No such file or directory', 'no words')
    """
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _bits(value: Rational) -> int:
    return max(index(part).bit_length() for part in (value.numerator, value.denominator))


def _pieces(value: object, limit: int, depth: int) -> Iterator[str]:
    """Yield the repr of a value piece by piece: of a list of millions no more is made than is shown."""
    kind = type(value)
    if kind in (str, bytes) and isinstance(value, str | bytes):
        yield repr(value[:limit])
    elif kind not in _BRACKETS or not isinstance(value, Collection):
        text = printed(value, repr)
        why = "too long to print" if issubclass(kind, Rational) else "that cannot be printed"
        yield f"<{kind.__name__} {why}>" if text is None else text
    elif not value or not depth:
        yield "..." if value else repr(value)
    else:
        before, after = _BRACKETS[kind]
        for place, entry in enumerate(value):
            yield ", " if place else before
            yield from _pieces(entry, limit, depth - 1)
            if isinstance(value, dict):
                yield ": "
                yield from _pieces(value[entry], limit, depth - 1)
        yield ",)" if kind is tuple and len(value) == 1 else after


class ExactnnError(Exception):
    """Base of all errors that exactnn raises on purpose."""


class MachineError(ExactnnError):
    """A machine definition is not valid; `faults` lists everything that is wrong with it.

    The message is one line and shows the first faults only, if there are many.
    """

    def __init__(self, subject: object, faults: Sequence[str]) -> None:
        self.subject = subject if isinstance(subject, str) else shown(subject)
        self.faults = tuple(faults)
        text = "; ".join(self.faults[:MOST_FAULTS])
        if len(self.faults) > MOST_FAULTS:
            text += f"; and {len(self.faults) - MOST_FAULTS} more faults"
        super().__init__(" ".join(f"{self.subject}: {text}".splitlines()))

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
    """An enclosure is too wide: its bounds are beyond what exponents may be, or do not tell what was asked."""


class SizeLimitError(NumberError):
    """Numbers would become longer than they may be; none of them was made."""


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


class SlowFormatsWarning(UserWarning):
    """Formats run without compiled code, since numba is not installed."""


class UnreadModuleWarning(UserWarning):
    """A model that is read has parts without weights, such as a ReLU; where its `forward` uses them is not known."""


class LargeNetworkWarning(UserWarning):
    """The network that is being built has very many weights: it takes seconds, and much memory."""


class TimeLimitError(ExactnnError):
    """The time for a comparison was over before it had a result."""


class CheckpointError(ExactnnError):
    """A checkpoint file cannot be read or written, or belongs to another run; what is there is left alone."""


class CampaignError(ExactnnError):
    """The executor of a campaign is gone, or its workers run another version; what was done is kept."""


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
