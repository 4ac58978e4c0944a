"""The bytes of a model file, no pickle among them, and tensors as exact numbers."""

import os
import re
from collections.abc import Iterator, Mapping

import numpy as np
from gmpy2 import mpq

from exactnn.errors import NetworkFileError, NumberError, reason_of, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.options import file_path

__all__ = [
    "MOST_PARAMETERS",
    "SIZE_LIMIT",
    "Doubles",
    "Tensors",
    "as_doubles",
    "exact_rows",
    "exact_values",
    "read_model",
]


# --- The bytes of a model file, of a bounded size, and no pickle.

SIZE_LIMIT = 256 * 2**20
"""Largest model file that is read, in bytes."""

_PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


def read_model(path: str | os.PathLike[str], wanted: str) -> bytes:
    """Return the bytes of a file; `wanted` says in errors what it should be.

    Raises
    ------
    NetworkFileError
        If it is missing, no regular file, too large, empty, or a pickle (alone or in a zip archive, as torch saves it).
    """
    source = file_path("path", path, error=NetworkFileError)
    where = shown(str(path), limit=1000)
    try:
        if source.exists() and not source.is_file():
            raise NetworkFileError(f"{where} is not a regular file: give {wanted}")
        with source.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError, TypeError) as error:
        raise NetworkFileError(f"cannot read {where}: {reason_of(error)}: give {wanted}") from None
    if len(data) > SIZE_LIMIT:
        raise NetworkFileError(f"{where} has more than {SIZE_LIMIT} bytes, the most that are read")
    if data.startswith(_PICKLES) and data[8:9] != b"{":  # where the header of a safetensors file of that length begins
        raise NetworkFileError(
            f"{where} is a pickle, which runs code when it is read, and is not read: load it where you trust it and "
            "save its state_dict() with safetensors.torch.save_file, or give the module to exactnn.from_torch"
        )
    return data


# --- Tensors of trained networks as exact numbers: a finite float is the dyadic rational that it is.
#
# The tensors of a file are a dictionary of named arrays of floats. Whoever reads them takes what it needs by name, and
# in the end there must be none left.

MOST_PARAMETERS = 4_000_000
"""Numbers of a trained network that are read: about a gigabyte as exact rationals in a circuit."""

_KINDS = ("float16", "float32", "float64")

Doubles = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def as_doubles(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], name: str) -> Doubles:
    """Return an array of floats as float64, which has room for every float16, bfloat16 and float32.

    Raises
    ------
    NetworkFileError
        If its entries are no such floats.
    NumberError
        If one is infinite or not a number.

    Examples
    --------
    >>> as_doubles(np.array([0.1], dtype=np.float32), "bias")[0] == 0.1
    np.False_
    """
    if array.dtype.name not in _KINDS:
        raise NetworkFileError(
            f"tensor {shown(name)} is of type {array.dtype.name}: weights are floats of 8 to 64 bits"
        )
    with np.errstate(invalid="ignore"):  # a signalling NaN, which is refused below
        doubles = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    wrong = np.argwhere(~np.isfinite(doubles))
    if len(wrong):
        place = [int(index) for index in wrong[0]]
        raise NumberError(f"{name}{place} is {doubles[tuple(place)]}: a weight is a finite number")
    return doubles


def exact_values(array: Doubles) -> Vector:
    """Return a vector exactly.

    >>> exact_values(np.array([0.5, -3.0]))
    (mpq(1,2), mpq(-3,1))
    """
    return tuple(map(mpq, array.tolist()))


def exact_rows(array: Doubles) -> Matrix:
    """Return a matrix exactly, row by row.

    >>> exact_rows(np.array([[0.5, 2.0]]))
    ((mpq(1,2), mpq(2,1)),)
    """
    return tuple(tuple(map(mpq, row)) for row in array.tolist())


class Tensors:
    """Named tensors, taken one by one.

    Parameters
    ----------
    arrays : mapping from name to array of floats
    source : str
        Where they come from, for errors.

    Raises
    ------
    NetworkFileError
        If a name is no text.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]], source: str) -> None:
        self.source = source
        self._arrays = dict(arrays)
        self._taken: set[str] = set()
        self._numbers = 0

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def take(self, name: str, shape: tuple[int | None, ...]) -> Doubles:
        """Return a tensor of the shape asked for, where None is any size of at least 1.

        Raises
        ------
        NetworkFileError
            If there is no such tensor, its shape is another, or there are too many numbers.
        NumberError
            If an entry is infinite or not a number.
        """
        if name not in self._arrays:
            there = ", ".join(sorted(self._arrays)[:12]) or "none"
            near = next((other for other in self._arrays if other.endswith(f".{name}")), None)
            hint = f"did you mean {shown(near)}? " if near is not None else self.made_of(name)
            raise NetworkFileError(
                f"{self.source} has no tensor {shown(name)}: {hint}there are {shown(there, limit=300)}"
            )
        array = self._arrays[name]
        if array.dtype.hasobject:  # what a reader has put in the place of a tensor that it cannot read
            raise NetworkFileError(
                f"{self.source}: tensor {shown(name)} is of a type that is not read: weights are floats of 8 to 64 bits"
            )
        fits = array.ndim == len(shape) and all(
            have == want if want is not None else have > 0 for have, want in zip(array.shape, shape, strict=True)
        )
        if not fits:
            wanted = " by ".join("any" if size is None else str(size) for size in shape)
            raise NetworkFileError(
                f"{self.source}: tensor {shown(name)} is {_shape(array.shape)}, where {wanted} is expected"
            )
        self.count(array.size, name)
        self._taken.add(name)
        return as_doubles(array, name)

    def count(self, numbers: int, name: str) -> None:
        """Count numbers; raises NetworkFileError if they are too many together."""
        self._numbers += numbers
        if self._numbers > MOST_PARAMETERS:
            raise NetworkFileError(
                f"{self.source} has more than {MOST_PARAMETERS:,} parameters with {shown(name)}: this is the most "
                "that is read"
            )

    def has(self, name: str) -> bool:
        """Return whether a tensor is there that need not be; raises NetworkFileError if torch makes it of others."""
        if name not in self and (parts := self.made_of(name)):
            raise NetworkFileError(f"{self.source} has no tensor {shown(name)}: {parts}it is read then")
        return name in self

    def made_of(self, name: str) -> str:
        """Return what to do where a tensor is there in the parts of which torch makes it; "" where it is not.

        Of a name without a dot the parts may be below any.
        """
        where, _, last = map(re.escape, name.rpartition("."))
        below = rf"{where}\." if where else r"(.*\.)?"
        part = re.compile(rf"{below}(parametrizations\.)?{last}(_orig|_mask|_g|_v|\.original\d*)")
        parts = sorted(filter(part.fullmatch, self._arrays))
        if not parts:
            return ""
        return (
            f"torch makes it of {shown(', '.join(parts[:4]), limit=200)}: make that permanent, by "
            "torch.nn.utils.prune.remove, remove_weight_norm or parametrize.remove_parametrizations; "
        )

    def pass_over(self, name: str) -> None:
        """Count a tensor as taken that the network does not have."""
        self._taken.add(name)

    def check_all_taken(self, hint: str) -> None:
        """Raise NetworkFileError if there are tensors that nobody took; `hint` says what to do."""
        left = sorted(set(self._arrays) - self._taken)
        if left:
            raise NetworkFileError(
                f"{self.source} has tensors that would be left out, {shown(', '.join(left), limit=300)}: {hint}"
            )


def _shape(sizes: tuple[int, ...]) -> str:
    return " by ".join(map(str, sizes)) if sizes else "a single number"
