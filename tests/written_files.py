"""Every kind of file that the package writes: two contents, a small and a larger one, and how to save and to read it.

Who adds a writer enters it here: a test of the house looks for modules that write and have no kind. The tests in
`tests/files/` and `benchmarks/torn_reads.py` write and read them all.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np

import exactnn as xn
from exactnn.certificates import load_certificate, save_certificate
from exactnn.cli.output_files import save_text
from exactnn.errors import CertificateError, CheckpointError, ExactnnError, NetworkFileError, OptionError
from exactnn.machine_files import MachineFile, load_file, write_dot, write_yaml
from exactnn.networks.exchange import load_safetensors, save_safetensors, to_onnx
from exactnn.outcome import Outcome
from exactnn.plots import cantor_stack_film, save_picture, tape_player
from exactnn.plots.page import save_page
from exactnn.plots.picture_file import new_figure
from exactnn.precision import save_collapse
from exactnn.simulation.checkpoint import Checkpoint
from exactnn.testing import Disagreement, Rules, load_replay, save_replay
from tests.certificates.shuttle import certificate

__all__ = ["KINDS", "Kind", "contents_of", "expected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of file.

    Parameters
    ----------
    ending : str
    contents : callable
        Gives the two contents.
    save : callable
        Writes a content to a path; with `replace=False` only where there is none, if `can_keep`.
    load : callable
        Reads a file, and raises an error if it is damaged.
    error : class of errors
    module : str
        Which module of the package writes it.
    needs : str
        A package that must be installed.
    """

    ending: str
    contents: Callable[[], tuple[Any, Any]]
    save: Callable[..., object]
    load: Callable[[Path], object]
    error: type[ExactnnError]
    module: str
    needs: str = "exactnn"
    can_keep: bool = True


def _network(units: int) -> xn.Network:
    weights = [[f"{i + 1}/{j + 2}" for j in range(units)] for i in range(units)]
    vector = [0] * units
    return xn.SimpleRNN(V=weights, W=[[1]] * units, b=vector, s=vector, readout_weight=[1] * units, name=f"{units}")


def _stack(units: int) -> xn.Network:
    """Return a network that torch's cells can be."""
    tensors = {"weight_ih_l0": np.ones((units, 1)), "weight_hh_l0": np.full((units, units), 0.5)}
    return xn.from_torch(tensors)


def _certificates() -> tuple[dict[str, Any], dict[str, Any]]:
    return certificate(4), certificate(12) | {"word": ["a"] * 10_000}


def _tables() -> tuple[xn.Collapse, xn.Collapse]:
    thirds = xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    return xn.collapse(thirds, [[0]], [xn.FLOAT16]), xn.collapse(thirds, [[1] * n for n in range(9)], [xn.FLOAT16])


def _figures() -> tuple[Any, Any]:
    from matplotlib.lines import Line2D

    figures = new_figure(1, 1), new_figure(1, 1)
    figures[1].add_artist(Line2D([0, 1], [0, 1]))  # no text, whose fonts take time
    return figures


def _disagreements() -> tuple[Disagreement, Disagreement]:
    return tuple(
        Disagreement(
            machine=xn.load("anbn"), word=tuple("ab" * length), construction="minsky", rules=Rules(),
            expected=Outcome.ACCEPTED, moves=0, found="rejected", steps=0,
        )
        for length in (1, 500)
    )  # fmt: skip


def _save_checkpoint(data: list[int], path: Path) -> None:
    packed = SimpleNamespace(pack=lambda progress: progress.data)
    Checkpoint(path, 0, {"network": "one"}, packed).write(SimpleNamespace(steps=len(data), data=data))


def _load_checkpoint(path: Path) -> object:
    packed = SimpleNamespace(unpack=lambda data: SimpleNamespace(steps=len(data), data=data))
    return Checkpoint(path, 0, {"network": "one"}, packed).read()


def _save_text(text: str, path: Path, *, replace: bool = True) -> None:
    save_text("-o", path, text, force=replace)


def _machine_texts() -> tuple[str, str]:
    return tuple(write_yaml(MachineFile(machine=xn.load(name), name=name)) for name in ("parity", "bb5"))


def _graphs() -> tuple[str, str]:
    return tuple(write_dot(load_file(name).machine) for name in ("parity", "bb5"))


def _table(ending: str, load: Callable[[Path], object], needs: str = "exactnn") -> Kind:
    return Kind(
        ending=ending, contents=_tables, save=save_collapse, load=load, error=OptionError,
        module="exactnn.precision.collapse_file", needs=needs,
    )  # fmt: skip


def _picture(ending: str, first: bytes, last: bytes) -> Kind:
    def load(path: Path) -> None:
        content = path.read_bytes()
        assert content.startswith(first)
        assert content.endswith(last)

    return Kind(
        ending=ending, contents=_figures, save=save_picture, load=load, error=OptionError,
        module="exactnn.plots.picture_file", needs="matplotlib",
    )  # fmt: skip


def _pages() -> tuple[str, str]:
    tapes = xn.space_time("bb2", "", "float32"), xn.space_time("palindrome", "abba", "float32")
    return tuple(tape_player(found) for found in tapes)


def _stacks_of_bits() -> tuple[str, str]:
    return "0", "0110"


def _save_film(bits: str, path: Path, **options: bool) -> None:
    cantor_stack_film(xn.CantorStack(), bits, path=path, precisions=[8], per_second=1, **options)


def _load_film(path: Path) -> None:
    content = path.read_bytes()
    assert content.startswith(b"GIF89a")
    assert content.endswith(b";")


def _load_page(path: Path) -> None:
    content = path.read_bytes()
    assert content.startswith(b"<!doctype html>")
    assert content.endswith(b"</html>\n")


def _load_onnx(path: Path) -> None:
    import onnx

    onnx.checker.check_model(onnx.load(path))


def _load_parquet(path: Path) -> object:
    import polars

    return polars.read_parquet(path)


KINDS = {
    "network": Kind(
        ending=".json", contents=lambda: (_network(1), _network(25)), save=xn.save_network, load=xn.load_network,
        error=NetworkFileError, module="exactnn.networks.network_file",
    ),
    "certificate": Kind(
        ending=".json", contents=_certificates, save=save_certificate, load=load_certificate,
        error=CertificateError, module="exactnn.certificates.certificate_file",
    ),
    "ONNX": Kind(
        ending=".onnx", contents=lambda: (_stack(1), _stack(25)), save=to_onnx, load=_load_onnx,
        error=NetworkFileError, module="exactnn.networks.exchange.onnx_export", needs="onnx",
    ),
    "safetensors": Kind(
        ending=".safetensors", contents=lambda: (_stack(1), _stack(12)), save=save_safetensors, load=load_safetensors,
        error=NetworkFileError, module="exactnn.networks.exchange.safetensors_file", needs="safetensors",
    ),
    "table as CSV": _table(".csv", Path.read_bytes),
    "table as JSON": _table(".json", lambda path: json.loads(path.read_bytes())),
    "table as Parquet": _table(".parquet", _load_parquet, "polars"),
    "picture as PNG": _picture(".png", b"\x89PNG", b"IEND\xaeB`\x82"),
    "picture as SVG": _picture(".svg", b"<?xml", b"</svg>\n"),
    "picture as PDF": _picture(".pdf", b"%PDF", b"%%EOF\n"),
    "film": Kind(
        ending=".gif", contents=_stacks_of_bits, save=_save_film, load=_load_film, error=OptionError,
        module="exactnn.plots.film_file", needs="matplotlib",
    ),
    "page": Kind(
        ending=".html", contents=_pages, save=save_page, load=_load_page, error=OptionError,
        module="exactnn.plots.page",
    ),
    "replay file": Kind(
        ending=".yaml", contents=_disagreements, save=save_replay, load=load_replay,
        error=OptionError, module="exactnn.testing.replay_file",
    ),
    "machine file": Kind(
        ending=".yaml", contents=_machine_texts, save=_save_text, load=lambda path: load_file(str(path)),
        error=OptionError, module="exactnn.cli.output_files",
    ),
    "graph": Kind(
        ending=".dot", contents=_graphs, save=_save_text, load=Path.read_bytes,
        error=OptionError, module="exactnn.cli.output_files",
    ),
    "checkpoint": Kind(
        ending=".ckpt", contents=lambda: ([1], [1] * 20_000), save=_save_checkpoint, load=_load_checkpoint,
        error=CheckpointError, module="exactnn.simulation.checkpoint", can_keep=False,
    ),
}  # fmt: skip


@cache
def contents_of(name: str) -> tuple[Any, Any]:
    """Return the two contents of a kind of file."""
    return KINDS[name].contents()


@cache
def expected(name: str) -> tuple[bytes, bytes]:
    """Return the bytes of the two files of a kind."""
    kind = KINDS[name]
    with TemporaryDirectory() as folder:
        path = Path(folder, f"file{kind.ending}")
        found = []
        for content in contents_of(name):
            kind.save(content, path)
            kind.load(path)
            found.append(path.read_bytes())
    return found[0], found[1]
