"""What M names: a machine with its file and its construction, or a network file; WORD, or the words of a table."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactnn.automata import Word, as_word, is_word_family, numbers_for, word_of_family
from exactnn.cli.printing import shortened
from exactnn.constructions import NETWORKS, Construction, compile
from exactnn.errors import NetworkFileError, OptionError, WordError, reason_of, shown
from exactnn.machine_files import MachineFile, load_file
from exactnn.networks import Network, names_network, network_named, network_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Case",
    "Subject",
    "cases_of",
    "load_subject",
    "named_subject",
    "number_range",
    "picture_title",
    "word_from_text",
    "word_or_file",
]

_WORD_FILES = (".txt", ".npy", ".npz")
LARGEST_WORD_FILE = 1 << 28
"""Bytes."""

MOST_WORDS = 100_000
MOST_SYMBOLS = 10**7
"""Of all words together: each is run several times, and kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A network to run, and what is known of where it comes from."""

    name: str
    network: Network
    file: MachineFile | None = None
    construction: Construction | None = None

    @property
    def runnable(self) -> Network | Construction:
        """What `run` takes: the construction if there is one, since it can count the machine's moves."""
        return self.network if self.construction is None else self.construction

    @property
    def origin(self) -> dict[str, str | None]:
        """What it was loaded from, and the construction that made the network, as JSON data."""
        return {"machine": self.name, "construction": self.construction.name if self.construction else None}

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of the network as JSON data."""
        return {"neurons": self.network.neurons, "weights": self.network.circuit.weights}


def load_subject(source: str, construction: str | None, file: MachineFile | None = None) -> Subject:
    """Return the network `source`, or the machine `source` compiled; `file` is what it names, if that was read.

    Raises
    ------
    ExactnnError
        If there is no such machine, network or file, it is not valid, or the construction does not fit.
    """
    if names_network(source):
        return named_subject(source, construction)
    file = load_file(source) if file is None else file
    compiled = compile(file.machine, construction=construction)
    return Subject(name=file.name, network=compiled.network, file=file, construction=compiled)


def named_subject(source: str, construction: str | None) -> Subject:
    """Return the network of a name or in the file `source`, which takes no construction any more."""
    if construction is not None:
        raise OptionError(f"--construction {shown(construction)}: {shown(source)} is a network already, leave it out")
    try:
        found = network_named(source)
    except NetworkFileError as error:
        if Path(source).suffix.lower() == ".json":
            raise
        raise NetworkFileError(f"{error}; 'exactnn import' has options for models") from None
    network = network_of(found)
    made = found if isinstance(found, Construction) else None
    return Subject(name=source if source in NETWORKS else network.name, network=network, construction=made)


def word_from_text(network: Network, text: str) -> tuple[object, ...]:
    """Return the word that `text` is for `network`: symbols of its alphabet, or vectors such as ``1,0 1/2,3``.

    Raises
    ------
    WordError
        If it does not fit the alphabet, or an entry is not a number.
    """
    if network.input_symbols is not None:
        return as_word(text, network.input_symbols)
    word = tuple(tuple(vector.split(",")) for vector in text.split())
    if any(not entry for vector in word for entry in vector):
        raise WordError(f"word {shown(text)} has an empty entry: write vectors such as '1,0 1/2,3'")
    try:
        network.inputs(word)
    except WordError as error:
        raise WordError(f"{error}; a word is vectors such as '1,0 1/2,3', or a file .npy with an array") from None
    return word


def word_or_file(network: Network, text: str) -> tuple[object, ...]:
    """Return the word that `text` is for `network`, or the only one in the file that it names.

    Raises
    ------
    WordError, OptionError
        If it does not fit, or the file cannot be read or has more words than one.
    """
    if not _names_file(network, text):
        return word_from_text(network, text)
    cases = list(_cases_of_file(network, text))
    if len(cases) > 1:
        raise OptionError(f"{shown(text)} has {len(cases)} words, and one is run here; 'exactnn check' takes many")
    return cases[0].word


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One word of the table, with the pattern and the n that it comes from, if it does."""

    text: str
    word: tuple[object, ...]
    pattern: str | None = None
    n: int | None = None

    @property
    def label(self) -> str:
        """The word for people: its pattern with n, or itself, cut where it is long."""
        if self.pattern is None:
            return shortened(self.text, 24) or "(empty)"
        return f"{shortened(self.pattern)}, n = {self.n}"


def number_range(text: str) -> range:
    """Return the numbers that ``first:last`` or ``first:last:step`` means, the last included.

    Raises
    ------
    OptionError
        If it means none.

    Examples
    --------
    >>> list(number_range("1:9:4")), list(number_range("7"))
    ([1, 5, 9], [7])
    """
    parts = text.split(":")
    if not 1 <= len(parts) <= 3 or not all(p.isascii() and p.isdecimal() and len(p) <= 9 for p in parts):
        raise OptionError(f"range {shown(text)}: write first:last or first:last:step, such as 1:40 or 10:200:10")
    first, last, step = (int(parts[0]), int(parts[1 if len(parts) > 1 else 0]), int(parts[2]) if len(parts) > 2 else 1)
    if not step or last < first:
        raise OptionError(f"range {shown(text)} is empty: the last n is at least the first, the step at least 1")
    numbers = range(first, last + 1, step)
    if len(numbers) > MOST_WORDS:
        raise OptionError(f"range {shown(text)} gives {len(numbers)} words: at most {MOST_WORDS}, give a larger step")
    return numbers


def cases_of(subject: Subject, texts: Sequence[str], n: str) -> list[Case]:
    """Return the cases that the arguments name; without any, the words that the machine's file expects to pass.

    Raises
    ------
    WordError, OptionError
        If a word or pattern does not fit, or there are no words.
    """
    numbers = number_range(n)
    if texts:
        return _within_memory(case for text in texts for case in _cases(subject, text, numbers))
    found = [] if subject.file is None else _own(subject, subject.file.passed)
    if not found:
        raise OptionError(f"{shown(subject.name)} names no words of its own: give some, or a pattern such as 'a^n b^n'")
    return found


def _within_memory(cases: Iterable[Case]) -> list[Case]:
    found = []
    symbols = 0
    for case in cases:
        found.append(case)
        symbols += len(case.word)
        if symbols > MOST_SYMBOLS:
            raise OptionError(f"the words have more than {MOST_SYMBOLS} symbols together: give a smaller --n")
    return found


def _names_file(network: Network, text: str) -> bool:
    """Whether a text names a file of words; an input symbol does not."""
    return Path(text).suffix.lower() in _WORD_FILES and text not in (network.input_symbols or ())


def _cases(subject: Subject, text: str, numbers: range) -> Iterator[Case]:
    network = subject.network
    if _names_file(network, text):
        yield from _cases_of_file(network, text)
        return
    if not is_word_family(text, network.input_symbols):
        yield Case(text=text, word=word_from_text(network, text))
        return
    for number in numbers_for(text, numbers):
        word = word_of_family(text, number)
        yield Case(text=word, word=word_from_text(network, word), pattern=text, n=number)


def _cases_of_file(network: Network, path: str) -> Iterator[Case]:
    """Yield the words of a file: lines of text, or an array of numbers.

    Raises
    ------
    OptionError
        If it cannot be read, is too large, or has no words.
    """
    file = f"{shown(path, limit=1000)}"
    try:
        if Path(path).stat().st_size > LARGEST_WORD_FILE:
            raise OptionError(f"{file} is too large: files of words of up to {LARGEST_WORD_FILE} bytes are read")
        if path.lower().endswith((".npy", ".npz")):
            yield from _cases_of_array(network, file, _array(path))
            return
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise OptionError(f"{file} cannot be read: {reason_of(error)}") from None
    if not text:
        raise OptionError(f"{file} has no words: write one in each line")
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            word = word_from_text(network, line)
        except WordError as error:
            raise WordError(f"{file}, line {number}: {error}") from None
        yield Case(text=line, word=word)


def _array(path: str) -> "NDArray[Any]":
    """Return the array in a file; raises ValueError or OSError if there is none, whatever numpy raises."""
    import numpy as np

    try:
        found = np.load(path, allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # of a damaged head many kinds
        raise ValueError(f"{type(error).__name__}: {error}") from None
    if not isinstance(found, np.ndarray):
        raise ValueError("it has several arrays, as .npz: save the one with the words by numpy.save")
    return found


def _cases_of_array(network: Network, file: str, array: "NDArray[Any]") -> Iterator[Case]:
    size = network.circuit.input_size
    if network.input_symbols is not None:
        raise OptionError(
            f"{file} has numbers, and {network.name} reads symbols: write the words as .txt, one in each line"
        )
    if array.dtype.kind not in "fiu" or array.ndim not in (2, 3) or array.shape[-1] != size or not len(array):
        raise OptionError(
            f"{file} has an array of {array.dtype}, shape {array.shape}: give words by steps by {size} numbers, "
            f"or steps by {size} of one word"
        )
    for number, word in enumerate(array if array.ndim == 3 else array[None]):
        yield Case(text=f"word {number}", word=tuple(map(tuple, word.tolist())))


def _own(subject: Subject, words: Sequence[Word]) -> list[Case]:
    join = "" if all(len(a) == 1 for a in subject.network.input_symbols or ()) else " "
    return [Case(text=join.join(word), word=word) for word in words]


def picture_title(subject: Subject, cases: Sequence[Case]) -> str:
    """Return what a picture of these words is called: the machine, and the pattern if all words come from one."""
    patterns = {case.pattern for case in cases}
    family = patterns.pop() if len(patterns) == 1 else None
    return shortened(subject.name, 40) + (f" on {shortened(family)}" if family else "")
