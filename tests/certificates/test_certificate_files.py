"""A certificate file is data from a stranger."""

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shuttle import certificate

import exactnn
import exactnn as xn
from exactnn.certificates.certificate_file import SIZE_LIMIT
from exactnn.errors import CertificateError
from tests.promptness import promptly

TEXT = json.dumps(certificate(4))

TEXTS = {
    "empty": "",
    "no json": "machine:",
    "a list": "[]",
    "a network": json.dumps(certificate(4)["network"]),
    "a later version": TEXT.replace('"version": 3', '"version": 4', 1),
    "version as truth": TEXT.replace('"version": 3', '"version": true', 1),
    "utf-16": TEXT.encode("utf-16"),
    "not utf-8": b'{"format": "\xff"}',
    "deep lists": "[" * 200_000,
    "deep inside": TEXT[:-1] + ', "x": ' + "[" * 200_000 + "]" * 200_000 + "}",
    "key twice": TEXT[:-1] + ', "word": []}',
    "a number beyond the digit limit": TEXT[:-1] + f', "x": 1{"0" * 5000}}}',
}


def load_text(folder, text):
    path = folder / "c.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return xn.load_certificate(path)


@pytest.mark.parametrize("case", TEXTS)
def test_hostile_texts(tmp_path, case):
    with pytest.raises(CertificateError, match=r"c\.json") as caught:
        load_text(tmp_path, TEXTS[case])
    assert len(str(caught.value)) < 1500


@given(st.integers(0, len(TEXT) - 1))
def test_a_truncated_file(tmp_path_factory, length):
    with pytest.raises(CertificateError):
        load_text(tmp_path_factory.mktemp("truncated"), TEXT[:length])


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "missing.json", "nul\0.json"):
        with pytest.raises(CertificateError):
            xn.load_certificate(path)


def test_files_that_cannot_be_written(tmp_path):
    for data, path in (
        (certificate(4), tmp_path / "no" / "such.json"),
        (certificate(4), tmp_path),
        ({"format": "other"}, tmp_path / "c.json"),
        ({**certificate(4), "word": {1}}, tmp_path / "c.json"),
        (certificate(4), "nul\0.json"),
    ):
        with pytest.raises(CertificateError):
            xn.save_certificate(data, path)
    assert list(tmp_path.iterdir()) == []


def test_a_huge_file_is_refused_by_its_size_without_being_read(tmp_path):
    path = tmp_path / "c.json"
    with path.open("wb") as file:
        file.truncate(2**40)  # sparse: a terabyte that takes no space
    with promptly(), pytest.raises(CertificateError, match=f"{2**40} bytes; certificates of up to {SIZE_LIMIT}"):
        xn.load_certificate(path)


def test_the_checker_is_independent_of_every_executor():
    """It is to be read and believed by itself: it imports networks and numbers, and nothing that runs a network."""
    for path in (Path(exactnn.__file__).parent / "certificates").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert name.partition(".")[0] not in ("numpy", "numba")
                assert not name.startswith(("exactnn.simulation", "exactnn.constructions", "exactnn.precision"))
