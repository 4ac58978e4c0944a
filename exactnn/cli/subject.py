"""What M names: a machine, with its file and its construction, or a network file."""

from dataclasses import dataclass
from pathlib import Path

from exactnn.automata import as_word, is_word_family
from exactnn.constructions import Construction, compile
from exactnn.errors import OptionError, WordError, shown
from exactnn.machine_files import MachineFile, load_file
from exactnn.networks import Network, load_network
from exactnn.networks.network_file import FORMAT

__all__ = ["Subject", "is_network_file", "load_subject", "network_from_file", "word_from_text"]

_MODELS = (".onnx", ".safetensors", ".pt", ".pth")


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


def is_network_file(source: str) -> bool:
    """Whether `source` is the path of a network file, by its ending or by how the file begins.

    Raises
    ------
    OptionError
        If it is a model of another program, which must be imported first.

    Examples
    --------
    >>> is_network_file("parity.json"), is_network_file("parity")
    (True, False)
    """
    if source.lower().endswith(".json"):
        return True
    if source.lower().endswith(_MODELS):
        raise OptionError(f"{shown(source)} is a model of another program: 'exactnn import FILE -o NET.json' reads it")
    try:
        if not Path(source).is_file():
            return False
        with Path(source).open("rb") as file:
            return file.read(64).startswith(b'{"format": "' + FORMAT.encode())
    except (OSError, ValueError):
        return False


def load_subject(source: str, construction: str | None) -> Subject:
    """Return the network file `source`, or the machine `source` compiled.

    Raises
    ------
    ExactnnError
        If there is no such machine or file, it is not valid, or the construction does not fit.
    """
    if is_network_file(source):
        network = network_from_file(source, construction)
        return Subject(name=network.name, network=network)
    file = load_file(source)
    compiled = compile(file.machine, construction=construction)
    return Subject(name=file.name, network=compiled.network, file=file, construction=compiled)


def network_from_file(source: str, construction: str | None) -> Network:
    """Return the network in the file `source`, which takes no construction any more."""
    if construction is not None:
        raise OptionError(f"--construction {shown(construction)}: {shown(source)} is a network already, leave it out")
    return load_network(source)


def word_from_text(network: Network, text: str) -> tuple[object, ...]:
    """Return the word that `text` is for `network`: symbols of its alphabet, or vectors such as ``1,0 1/2,3``.

    Raises
    ------
    WordError
        If it does not fit the alphabet, or an entry is not a number.
    """
    if network.input_symbols is not None:
        try:
            return as_word(text, network.input_symbols)
        except WordError as error:
            if not is_word_family(text):
                raise
            raise WordError(f"{error}; patterns with ^ are for exactnn collapse and exactnn threshold") from None
    word = tuple(tuple(vector.split(",")) for vector in text.split())
    if any(not entry for vector in word for entry in vector):
        raise WordError(f"word {shown(text)} has an empty entry: write vectors such as '1,0 1/2,3'")
    network.inputs(word)
    return word
