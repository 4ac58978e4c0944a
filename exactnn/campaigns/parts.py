"""Parquet parts: a file for each unit, with all that it has to tell, written by the worker that ran it.

A part is put in its place in one step, and has the same bytes whoever writes it, so that nobody has to be asked.
"""

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from exactnn.campaigns.flat import flat_row, one_typed
from exactnn.campaigns.unit import Unit, json_line
from exactnn.errors import CampaignError, MissingExtraError, OptionError, shown
from exactnn.files import made_folder, table_bytes, write_file
from exactnn.interrupts import loaded

__all__ = ["parts_folder", "parts_there", "write_part"]


def parts_folder(keep: str | os.PathLike[str]) -> str:
    """Return the path of a folder for parts, which is made if it is not there.

    Raises
    ------
    OptionError
        If it cannot be made.
    MissingExtraError
        If polars is not installed, which writes Parquet files.
    """
    try:
        loaded("polars")
    except ImportError:
        raise MissingExtraError('Parquet parts need polars: pip install "exactnn[tables]"') from None
    return str(made_folder("keep", keep, error=OptionError))


def _name(unit: Unit) -> str:
    return f"{re.sub(r'[^A-Za-z0-9_]+', '-', str(unit.identity['kind']))[:50]}-{unit.key.hex()}.parquet"


def parts_there(folder: str, units: Iterable[Unit]) -> set[bytes]:
    """Return the keys of the units whose parts are there."""
    there = set(os.listdir(folder))
    return {unit.key for unit in units if _name(unit) in there}


def write_part(folder: str, unit: Unit, rows: Iterable[Any]) -> None:
    """Write the part of a unit; raises CampaignError if that cannot be done, since that is no fault of the unit."""
    identity = json.loads(json_line(unit.identity))
    content = table_bytes(one_typed([flat_row(identity, json.loads(json_line(row))) for row in rows]), ".parquet")
    path = Path(folder, _name(unit))
    write_file(path, content, error=CampaignError, subject=f"part {shown(str(path), limit=1000)} cannot be written")
