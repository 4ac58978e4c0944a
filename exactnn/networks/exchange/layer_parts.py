"""The tensors of one trained linear layer, taken by name, and the tables that they make of the tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.errors import NetworkFileError, OptionError, shown
from exactnn.linear_algebra import Matrix
from exactnn.networks.exchange.layer_settings import Settings
from exactnn.networks.exchange.tensors import Tensors, exact_rows, exact_values
from exactnn.networks.exchange.token_tables import Number, Numbers, plus, product
from exactnn.networks.layer import RecurrentLayer

__all__ = ["LinearLayer", "Parts", "each", "split"]

MOST_PRODUCTS = 1 << 24
"""Products of numbers for the tables of all tokens: a minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearLayer:
    """A trained linear layer: the layer of a network, and what a readout of it has to be multiplied with.

    Attributes
    ----------
    layer : RecurrentLayer
    after : matrix or None
        Linear maps above the recurrence, as one.
    beyond : str or None
        Why a readout is no linear function of what the layer gives; None if it is one.
    scaled : bool
        Whether outputs are those of the model only to a positive number, so that a readout must have no bias.
    reads_vectors : bool
        Whether it reads the vectors themselves, and not one-hot vectors of the tokens.
    """

    layer: RecurrentLayer
    after: Matrix | None = None
    beyond: str | None = None
    scaled: bool = False
    reads_vectors: bool = False


class Parts:
    """The tensors of one layer, and the tables that they make of the tokens."""

    def __init__(self, tensors: Tensors, where: str, vectors: Matrix | None, settings: Settings) -> None:
        self.tensors, self.where, self.settings = tensors, where, settings
        self.vectors = vectors
        self._products = 0

    def __contains__(self, name: str) -> bool:
        return self.where + name in self.tensors

    def refused(self, name: str, why: str) -> NetworkFileError:
        """Return the error that says what a tensor is or does that cannot be read."""
        return NetworkFileError(f"{self.tensors.source}: tensor {shown(self.where + name)} {why}")

    def matrix(self, name: str, height: int | None = None, width: int | None = None) -> Matrix:
        """Return a matrix exactly; None is any size."""
        return exact_rows(self.tensors.take(self.where + name, (height, width)))

    def vector(self, name: str, size: int | None = None) -> Sequence[mpq]:
        """Return a vector exactly; None is any size."""
        return exact_values(self.tensors.take(self.where + name, (size,)))

    @property
    def tokens(self) -> Matrix:
        """The vectors of the tokens, one in each row; raises OptionError if there is no embedding."""
        if self.vectors is None:
            raise OptionError(
                "embedding is not given: this layer is no linear function of the vectors that it reads, only of what "
                "it makes of each token; name the embedding, or cut one of the vectors that occur"
            )
        return self.vectors

    def projected(self, name: str, height: int | None = None) -> list[Numbers]:
        """Return a linear layer of each token, exactly; with its bias, if it has one."""
        weight = self.matrix(f"{name}.weight", height, len(self.tokens[0]))
        return self.mapped(weight, self.tokens, self._bias(name, len(weight)))

    def _bias(self, name: str, size: int) -> Sequence[mpq] | None:
        return self.vector(f"{name}.bias", size) if f"{name}.bias" in self else None

    def mapped(self, weight: Matrix, columns: Sequence[Sequence[Number]], bias: Any = None) -> list[Numbers]:
        """Return a matrix times each column, and a bias; raises NetworkFileError if that takes too long."""
        self._products += len(weight) * len(weight[0]) * len(columns)
        if self._products > MOST_PRODUCTS:
            raise NetworkFileError(
                f"{self.tensors.source}: tables of {len(columns):,} tokens take more than {MOST_PRODUCTS:,} products: "
                "keep the rows of the embedding that occur"
            )
        found = [product(weight, column) for column in columns]
        return found if bias is None else [plus(column, bias) for column in found]

    def convolved(self, name: str, columns: list[Numbers]) -> list[Numbers]:
        """Return what a short convolution makes of each token; it must see no other token."""
        size = len(columns[0])
        weight = self.tensors.take(f"{self.where}{name}.weight", (size, 1, None))
        if np.any(weight[:, :, :-1]):
            raise self.refused(
                f"{name}.weight",
                f"mixes {weight.shape[2]} tokens under a SiLU, which no table of one token holds: train with "
                "conv_size=1 or without short convolutions",
            )
        last = exact_values(weight[:, 0, -1])
        bias = self._bias(name, size) or [mpq(0)] * size
        return [[w * x + b for w, x, b in zip(last, column, bias, strict=True)] for column in columns]

    def after(self, *names: str) -> None:
        """Take tensors above the recurrence that the network does not have."""
        for name in names:
            if name in self:
                self.tensors.pass_over(self.where + name)


def each(function: Callable[[Number], Number], columns: list[Numbers]) -> list[Numbers]:
    """Return a function of each number."""
    return [[function(x) for x in column] for column in columns]


def split(columns: list[Numbers], pieces: int) -> list[list[Numbers]]:
    """Return columns cut into equal pieces."""
    size = len(columns[0]) // pieces
    return [[column[k * size : (k + 1) * size] for column in columns] for k in range(pieces)]
