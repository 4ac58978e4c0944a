"""The checker that users may read and copy, `docs/certificate_checker.py`, loaded as the file that it is."""

import importlib.util
import json
import sys
from pathlib import Path

PATH = Path(__file__).parents[2] / "docs" / "certificate_checker.py"
_spec = importlib.util.spec_from_file_location("certificate_checker", PATH)
sys.path.append(str(PATH.parent))  # where it finds `certificate_towers.py`, as a program does that is run there
checker = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(checker)


def second(data, *, work=10**6):
    """Return (outcome, EOS steps) that it proves with so many small steps, or None if it refuses."""
    checker.MOST_WORK = work
    try:
        return checker.check(json.dumps(data))
    except (checker.NotProvenError, RecursionError):  # what is nested too deeply cannot be written
        return None
