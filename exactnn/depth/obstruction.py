"""Why no affine network has parity: what every affine function of one-hot words satisfies."""

from dataclasses import dataclass
from itertools import product

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL
from exactnn.automata import Symbol
from exactnn.errors import OptionError, shown
from exactnn.markup import Table, Tabular
from exactnn.options import entries
from exactnn.simulation import Runnable, network_of, run

__all__ = ["AffineObstruction", "affine_obstruction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AffineObstruction(Tabular):
    """The second difference of a network over two symbols: f(aa) - f(ab) - f(ba) + f(bb).

    Parameters
    ----------
    symbols : pair of str
    values : tuple of four mpq
        The outputs after aa, ab, ba, bb.
    """

    symbols: tuple[Symbol, Symbol]
    values: tuple[mpq, mpq, mpq, mpq]

    @property
    def difference(self) -> mpq:
        """f(aa) - f(ab) - f(ba) + f(bb); it is 0 for every network whose output is affine in the inputs."""
        same, one, other, twice = self.values
        return same - one - other + twice

    @property
    def is_affine(self) -> bool:
        """Whether the difference is 0, as that of every affine function; (-1) to the number of b has 4."""
        return not self.difference

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        words = ("".join(word) for word in product(self.symbols, repeat=2))
        fields = {f"f({word})": str(value) for word, value in zip(words, self.values, strict=True)}
        proves = (
            "an affine network gives this; parity, with the difference 4, does not"
            if self.is_affine
            else "no network that is affine in its inputs, of any depth, has these values"
        )
        return Table.of_fields("affine obstruction", fields | {"difference": str(self.difference), "so": proves})


def affine_obstruction(network: Runnable, symbols: str | tuple[Symbol, Symbol] | None = None) -> AffineObstruction:
    """Return f(aa) - f(ab) - f(ba) + f(bb) for two symbols of a network, and so whether it can be affine in its inputs.

    Every network of linear layers, however deep, is affine in the one-hot vectors that it reads: its difference is 0.
    Parity, as (-1) to the number of b, has the difference 4: no such network computes it, or anything of which it is
    an affine function.

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
    >>> affine_obstruction(SecondOrderRNN(A=[[[1, -1]]], s=[1], readout_weight=[1], alphabet="ab")).difference
    mpq(4,1)
    """
    core = network_of(network)
    known = core.input_symbols
    if known is None or not core.scalar_output:
        raise OptionError(f"{core.name} has to read symbols and to have one output: give alphabet= and a vector")
    pair = tuple(known[:2]) if symbols is None else tuple(entries("symbols", symbols))
    if len(pair) != 2 or pair[0] == pair[1]:
        raise OptionError(f"symbols={shown(symbols)}: give two different symbols of {shown(known)}")
    values = [run(core, list(word), arithmetic=RATIONAL, max_steps=2).outputs[-1] for word in product(pair, repeat=2)]
    return AffineObstruction(symbols=pair, values=tuple(values))  # type: ignore[arg-type]
