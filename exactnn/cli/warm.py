"""``exactnn warm``: compile the kernels ahead, for images, clusters and the impatient."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click
import numpy as np

from exactnn.cli.printing import part_progress
from exactnn.constructions import Construction, compile, lstm_anbn
from exactnn.equivalence import equivalent, extract_state_machine, state_growth
from exactnn.errors import MissingExtraError
from exactnn.networks import Network
from exactnn.networks.exchange import from_torch
from exactnn.notices import at_once, listening
from exactnn.precision import check_format, collapse, first_divergence, precision_threshold, verdict_sweep
from exactnn.simulation import run
from exactnn.simulation.machine_words import MachineWordExecutor
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.with_numba import has_numba

__all__ = ["command"]

FORMATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3", "p40e10", "p100e10", "q8.24", "q32.64")
"""Of each way in which numbers are kept: native ones, those that float64 holds, longer ones, integers of both sizes."""
WORDS = ("", "a", "abba", "abab")


def _smooth() -> Network:
    """Return a small LSTM with all smooth units."""
    weights = {"weight_ih_l0": (4, 1), "weight_hh_l0": (4, 1), "out.weight": (2, 1)}
    return from_torch({name: np.full(shape, 0.5) for name, shape in weights.items()}, readout="out")


def _dense() -> Network:
    """Return a small trained network without smooth units, all of whose weights are there."""
    weights = {"weight_ih_l0": (2, 1), "weight_hh_l0": (2, 2), "out.weight": (1, 2)}
    parts = {name: np.full(shape, 0.5) for name, shape in weights.items()}
    return from_torch(parts, nonlinearity="relu", readout="out", alphabet="a")


def _minimal(network: Construction, name: str) -> object:
    return extract_state_machine(network, name, max_states=500).minimal


def _in_machine_words() -> None:
    executor = MachineWordExecutor(compile("parity").network)
    executor.advance(executor.start(), 0, 1, until_decided=False)


def _in_blocks() -> None:
    network = compile("bb5").network
    assert network.eos is not None
    executor = ExactExecutor(network, warm_up=0, macro=False, block_pace=1)
    executor.advance(executor.start(), network.eos, 1000, until_decided=False)


def _work() -> list[Callable[[], Any]]:
    """Return what is run: together it asks for the kernels of every command."""
    palindrome, smooth, dense, short = compile("palindrome"), _smooth(), _dense(), [[[1]], [[1], [0]]]
    exact: list[Callable[[], Any]] = [
        partial(run, palindrome, "abba"),
        partial(run, "bb4"),
        partial(run, "bb5"),
        partial(run, palindrome, "ab" * 600),
        _in_blocks,
        partial(run, lstm_anbn(), "aabb"),
        partial(run, compile("mirror-stacks", "layered_stacks"), "abba" * 200 + "#"),
        _in_machine_words,
    ]
    in_formats = [
        work
        for name in FORMATS
        for work in (
            partial(run, palindrome, "abba", name),
            partial(collapse, palindrome, WORDS, [name]),
            partial(first_divergence, palindrome, "abba", name),
            partial(first_divergence, dense, "aaa", name),
            partial(check_format, smooth, short, [name]),
        )
    ]
    automata = [partial(_minimal, palindrome, name) for name in FORMATS[:5]]
    states = partial(state_growth, lstm_anbn(), ["exact"], max_length=2)
    thresholds = partial(precision_threshold, palindrome, WORDS)
    sweep = partial(verdict_sweep, palindrome, [2], FORMATS[:5], words=4)
    return [
        *exact,
        *in_formats,
        *automata,
        states,
        thresholds,
        sweep,
        partial(equivalent, "parity", ("parity", "float8_e4m3")),
    ]


@click.command("warm")
def command() -> None:
    """Compile the kernels ahead, so that later commands do not wait for them.

    A kernel is compiled for each kind of number; those of the common kinds are, others still when they are asked for.

    What is compiled is kept in the package's folder, or where NUMBA_CACHE_DIR says. A second call has nothing to do.
    Call it when an image is built, on every kind of node of a cluster, and after an update.
    """
    if not has_numba():
        raise MissingExtraError("there is nothing to compile, since numba is not installed: formats run without it")
    compiled: list[str] = []
    with at_once(), listening(compiled.append), part_progress("parts") as progress:
        parts = _work()
        for done, part in enumerate(parts):
            progress(done, len(parts))
            part()
    click.echo(f"{len(compiled)} kernels were compiled" if compiled else "all kernels were compiled before")
