"""Certificates as files: versioned JSON of bounded size."""

import json
import os
from pathlib import Path
from typing import Any

from exactnn.certificates.certificate_reader import check_header
from exactnn.errors import CertificateError, reason_of, shown
from exactnn.files import write_file
from exactnn.options import file_path

__all__ = ["SIZE_LIMIT", "load_certificate", "save_certificate"]

SIZE_LIMIT = 64 * 2**20
"""Largest certificate file that is read, in bytes."""


def save_certificate(certificate: dict[str, Any], path: str | os.PathLike[str], *, replace: bool = True) -> None:
    """Write `certificate` to `path` as JSON; a file that is there is replaced in one step.

    Parameters
    ----------
    certificate : dict
    path : str or path
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    CertificateError
        If it is no certificate, or the file cannot be written.
    """
    try:
        text = json.dumps(check_header(certificate), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"cannot write {_name(path)}: {shown(str(error))}: give JSON data") from None
    write_file(path, text.encode("ascii"), error=CertificateError, replace=replace)


def load_certificate(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a certificate that :func:`save_certificate` wrote; whether it is true, `check_certificate` says.

    Raises
    ------
    CertificateError
        If the file is missing, too large, or no JSON that says it is a certificate.
    """
    source = file_path("path", path, error=CertificateError)
    try:
        data = json.loads(_text(source), object_pairs_hook=_unique)
        return check_header(data)
    except CertificateError as error:
        raise CertificateError(f"{_name(path)}: {error}") from None
    except UnicodeDecodeError as error:
        raise CertificateError(f"{_name(path)} is not UTF-8 text: byte {error.start}") from None
    except OSError as error:
        raise CertificateError(f"cannot read {_name(path)}: {reason_of(error)}: give a certificate file") from None
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"{_name(path)} is no certificate: {shown(str(error))}") from None


def _text(source: Path) -> str:
    if source.exists() and not source.is_file():
        raise CertificateError("this is not a regular file: give a certificate file (.json)")
    size = source.stat().st_size
    if size > SIZE_LIMIT:
        raise CertificateError(f"the file has {size} bytes; certificates of up to {SIZE_LIMIT} are read")
    return source.read_text(encoding="utf-8")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise CertificateError(f"a key is given twice among {shown(sorted(key for key, _ in pairs))}")
    return entries


def _name(path: object) -> str:
    """Return a path for a message, whole: its end names the file."""
    return shown(str(path), limit=1000)
