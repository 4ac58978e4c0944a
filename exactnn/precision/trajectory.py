"""The states of a run as curves: chosen components of the state after every step, in several arithmetics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import EXACT, Arithmetic, counted, value_text
from exactnn.errors import OptionError, shown
from exactnn.markup import MOST_ROWS, Entry, Table, Tabular, named
from exactnn.networks import Network
from exactnn.options import listed
from exactnn.simulation import Runnable, whole_run
from exactnn.simulation.runnable import network_of

__all__ = ["Trajectory", "trajectory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory(Tabular):
    """Components of the state of one run.

    Parameters
    ----------
    name : str
        Of the network.
    word : str or tuple
    arithmetic : Arithmetic
    components : tuple of str
        Names of the state components, such as "c[0]".
    values : tuple of tuples
        Entry t has the components after t steps, 0 the initial state: numbers as the trace of a run has them.
    """

    name: str
    word: Any
    arithmetic: Arithmetic
    components: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    @property
    def steps(self) -> int:
        """How many steps there were."""
        return len(self.values) - 1

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the components after each step."""
        shown = self.values[:MOST_ROWS]
        return Table(
            title=f"{self.name} in {self.arithmetic}",
            heading=("step", *self.components),
            rows=tuple((step, *map(_entry, values)) for step, values in enumerate(shown)),
            more=len(self.values) - len(shown),
        )

    def __repr__(self) -> str:
        parts = f"{counted(len(self.components), 'component')}, {counted(self.steps, 'step')}"
        return f"<Trajectory of {named(self.name)} in {self.arithmetic}: {parts}>"


def _entry(value: Any) -> Entry:
    return Entry(value_text(value), told=value_text(value, limit=200))


def trajectory(
    network: Network | Runnable,
    word: str | Sequence[object],
    arithmetic: Arithmetic = EXACT,
    *,
    components: str | Sequence[str] = "",
    max_steps: int | None = None,
) -> Trajectory:
    """Run `network` on a word and return components of its state after every step.

    Parameters
    ----------
    network : Network or Construction
    word : str or sequence
    arithmetic : Arithmetic
    components : str or sequence of str
        The names, or what the names begin with: "c" are the cell states of an LSTM of one layer, "h" hidden states.
        All components by default.
    max_steps : int, optional

    Raises
    ------
    OptionError
        If there is no such component; otherwise as :func:`exactnn.run`.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> parts = {"V": [[1]], "W": [[1, -1]], "b": [0], "s": [0]}
    >>> counter = SimpleRNN(**parts, readout_weight=[1], activation="identity", alphabet="ab")
    >>> [str(value) for (value,) in trajectory(counter, "aaabb").values]
    ['0', '1', '2', '3', '2', '1']
    """
    names = network_of(network).circuit.state_names
    chosen = _chosen(names, components)
    trace = whole_run(network, word, arithmetic=arithmetic, max_steps=max_steps, record="all").trace
    return Trajectory(
        name=network_of(network).name,
        word=word if isinstance(word, str) else tuple(word),
        arithmetic=arithmetic,
        components=tuple(names[index] for index in chosen),
        values=tuple(tuple(state[index] for index in chosen) for state in trace.states),
    )


def _chosen(names: Sequence[str], components: str | Sequence[str]) -> list[int]:
    """Return the places of the components, in the order of the state."""
    if isinstance(components, str):
        chosen = [index for index, name in enumerate(names) if name.startswith(components)]
    else:
        wanted = listed("components", components, "how names begin, or a collection of names")
        unknown = [name for name in wanted if not isinstance(name, str) or name not in names]
        if unknown:
            raise OptionError(f"component {shown(unknown[0])}: the network has {', '.join(names[:20])}")
        chosen = [index for index, name in enumerate(names) if name in wanted]
    if not chosen:
        raise OptionError(f"components={shown(components)}: the network has {', '.join(names[:20])}")
    return chosen
