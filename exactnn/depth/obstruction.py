"""Why no affine network has parity: what every affine function of one-hot words satisfies."""

from dataclasses import dataclass
from itertools import product
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL
from exactnn.automata import Symbol
from exactnn.depth.slopes import showing_all
from exactnn.errors import OptionError, shown
from exactnn.markup import Table, Tabular
from exactnn.networks import Network, Runnable, Unit, network_of
from exactnn.options import entries
from exactnn.simulation import run

__all__ = ["AffineObstruction", "affine_obstruction"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AffineObstruction(Tabular):
    """The second difference of a network over two symbols: f(aa) - f(ab) - f(ba) + f(bb).

    Parameters
    ----------
    symbols : pair of str
    values : tuple of four mpq
        The outputs after aa, ab, ba, bb.
    sources : tuple of str
        The units whose second difference is not 0 though that of all they read is: products, and activations that the
        four words take to different pieces. Without one of them every unit is affine in the inputs, and so the output.
    """

    symbols: tuple[Symbol, Symbol]
    values: tuple[mpq, mpq, mpq, mpq]
    sources: tuple[str, ...]

    @property
    def difference(self) -> mpq:
        """f(aa) - f(ab) - f(ba) + f(bb); it is 0 for every network whose output is affine in the inputs."""
        return _second_difference(self.values)

    @property
    def is_affine(self) -> bool:
        """Whether the difference is 0, as that of every affine function; (-1) to the number of b has 4."""
        return not self.difference

    def __repr__(self) -> str:
        by = f", by {', '.join(self.sources)}" if self.sources else ""
        return f"<AffineObstruction: the second difference is {self.difference}{by}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        words = ("".join(word) for word in product(self.symbols, repeat=2))
        fields = {f"f({word})": str(value) for word, value in zip(words, self.values, strict=True)}
        proves = (
            "an affine network gives this; parity, with the difference 4, does not"
            if self.is_affine
            else "no network that is affine in its inputs, of any depth, has these values"
        )
        fields |= {"difference": str(self.difference), "so": proves, "by": ", ".join(self.sources) or "no unit"}
        return Table.of_fields("affine obstruction", fields)


def affine_obstruction(network: Runnable, symbols: str | tuple[Symbol, Symbol] | None = None) -> AffineObstruction:
    """Return f(aa) - f(ab) - f(ba) + f(bb) for two symbols of a network, and so whether it can be affine in its inputs.

    Every network of linear layers, however deep, is affine in the one-hot vectors that it reads: its difference is 0.
    So is that of ReLU layers in which no unit is on one side of its kink for some of the four words, and on the other
    side for others. Parity, as (-1) to the number of b, has the difference 4: no such network computes it, or anything
    of which it is an affine function.

    Parameters
    ----------
    network : Network or Construction
        It reads symbols, and has one output.
    symbols : two symbols, optional
        By default the first two of its alphabet.

    Raises
    ------
    OptionError
        If it reads vectors, has several outputs, or there are no two symbols.

    Examples
    --------
    One second-order unit, which b multiplies by -1, is not affine, and has parity:

    >>> from exactnn.networks import SecondOrderRNN
    >>> found = affine_obstruction(SecondOrderRNN(A=[[[1, -1]]], s=[1], readout_weight=[1], alphabet="ab"))
    >>> found.difference, found.sources
    (mpq(4,1), ('h[0]',))
    """
    core = network_of(network)
    known = core.input_symbols
    if known is None or not core.scalar_output:
        raise OptionError(f"{core.name} has to read symbols and to have one output: give alphabet= and a vector")
    pair = tuple(known[:2]) if symbols is None else tuple(entries("symbols", symbols))
    if len(pair) != 2 or pair[0] == pair[1]:
        raise OptionError(f"symbols={shown(symbols)}: give two different symbols of {shown(known)}")
    whole = showing_all(core)
    runs = [run(whole, list(word), arithmetic=RATIONAL, max_steps=2, record="all") for word in product(pair, repeat=2)]
    states = zip(*(found.final_state[core.circuit.state_size :] for found in runs), strict=True)
    values: Any = tuple(found.outputs[-1] for found in runs)
    unlike = [bool(_second_difference(four)) for four in (*states, values)]
    return AffineObstruction(symbols=pair, values=values, sources=_sources(core, unlike))


def _second_difference(values: tuple[mpq, ...]) -> mpq:
    same, one, other, twice = values
    return same - one - other + twice


def _sources(network: Network, unlike: list[bool]) -> tuple[str, ...]:
    """Return the units with a second difference whose registers have none; after one step no state has any.

    ``unlike`` says which units of the second step have one, by layer, then the sums of all units, then the output.
    """
    circuit = network.circuit
    registers = [False] * (circuit.state_size + circuit.input_size) + unlike[: circuit.units]
    state = [registers[register] for register in circuit.next_state]
    inner = [(unit, registers) for layer in circuit.layers for unit in layer]
    units = [*inner, *((unit, state) for unit in network.readout)]
    own = [*unlike[: circuit.units], unlike[-1]]
    return tuple(
        unit.name for (unit, read), is_unlike in zip(units, own, strict=True) if is_unlike and not _reads(unit, read)
    )


def _reads(unit: Unit, unlike: list[bool]) -> bool:
    linear = any(unlike[register] for register, _ in unit.linear)
    return linear or any(unlike[first] or unlike[second] for first, second, _ in unit.bilinear)
