"""The bytes of a model file, of a bounded size, and no pickle."""

import os

from exactnn.errors import NetworkFileError, shown
from exactnn.options import file_path

__all__ = ["SIZE_LIMIT", "read_model"]

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
        what = error.strerror if isinstance(error, OSError) else error
        raise NetworkFileError(f"cannot read {where}: {what}: give {wanted}") from None
    if len(data) > SIZE_LIMIT:
        raise NetworkFileError(f"{where} has more than {SIZE_LIMIT} bytes, the most that are read")
    if data.startswith(_PICKLES) and data[8:9] != b"{":  # where the header of a safetensors file of that length begins
        raise NetworkFileError(
            f"{where} is a pickle, which runs code when it is read, and is not read: load it where you trust it and "
            "save its state_dict() with safetensors.torch.save_file, or give the module to exactnn.from_torch"
        )
    return data
