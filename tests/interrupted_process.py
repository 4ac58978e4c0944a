"""A process of its own that gets Ctrl-C in its first calls, and has to give right results after it.

`interrupted` starts one, as `python interrupted_process.py SUBJECT`, and sends the signal. The process calls the
subject until the signal comes, then once more, and says how the first calls ended and what the last one gave.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INTERRUPTED = ("KeyboardInterrupt", "told in the result")
"""How calls may end that got the signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the calls that got the signal ended, what the call after them gave, and what came on standard error."""

    first: str
    again: object
    stderr: str


def interrupted(subject: str, seconds: float, cache: Path | None = None, *, patience: float = 600) -> Ending:
    """Start a process for `subject`, send it SIGINT `seconds` after its first line, and return what it told.

    Compiled code is in `cache`, by default where it always is.
    """
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)}
    process = subprocess.Popen(
        [sys.executable, __file__, subject],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment if cache is None else environment | {"NUMBA_CACHE_DIR": str(cache)},
        start_new_session=True,  # the Ctrl-C of who runs this is not its own
    )
    assert process.stdout is not None
    try:
        process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=patience)
    finally:
        process.kill()
    told = json.loads(stdout) if stdout else {"first": f"exit code {process.returncode}", "again": None}
    return Ending(first=told["first"], again=told["again"], stderr=stderr)


def _run(xn: Any) -> Iterator[tuple[bool, object]]:
    palindromes, beaver = (xn.compile(xn.load(name)) for name in ("palindrome", "bb5"))
    for arithmetic in (xn.FLOAT32, xn.FLOAT64):
        run = xn.run(palindromes, "abba" * 3, arithmetic=arithmetic)
        yield run.outcome is not xn.Outcome.INTERRUPTED, [str(run.outcome), run.steps]
    run = xn.run(beaver)
    yield run.outcome is not xn.Outcome.INTERRUPTED, [str(run.outcome), run.steps]


def _collapse(xn: Any) -> Iterator[tuple[bool, object]]:
    network = xn.compile(xn.load("palindrome"))
    table = xn.collapse(network, ["abba" * n for n in range(1, 4)], [xn.FLOAT32, xn.FLOAT64])
    yield table.complete, [[d.verdict is not None and d.steps for d in row.divergences] for row in table.rows]


def _extract(xn: Any) -> Iterator[tuple[bool, object]]:
    found = xn.extract_state_machine(xn.compile(xn.load("parity")), xn.FLOAT64)
    yield found.complete, [found.states, found.complete and len(found.minimal.states)]


def _threshold(xn: Any) -> Iterator[tuple[bool, object]]:
    found = xn.precision_threshold(xn.compile(xn.load("palindrome")), "abba")
    yield found.complete, [found.least, list(found.failing)]


def _certify(xn: Any) -> Iterator[tuple[bool, object]]:
    run = xn.run(xn.compile(xn.load("bb4")), certify=True)
    told = run.outcome is not xn.Outcome.INTERRUPTED and "interrupted" not in run.engine
    yield told, told and [str(run.outcome), run.steps, xn.check_certificate(run.certificate).eos_steps]


def _sweep(xn: Any) -> Iterator[tuple[bool, object]]:
    table = xn.verdict_sweep(xn.compile(xn.load("palindrome")), range(6), [xn.FLOAT16, xn.FLOAT64])
    yield table.complete, [entry.wrong for entry in table.lengths]


def _compare(xn: Any) -> Iterator[tuple[bool, object]]:
    found = xn.equivalent(xn.compile(xn.load("parity")), xn.load("parity"))
    yield found.equal is not None, found.equal


SUBJECTS: dict[str, Callable[[Any], Iterator[tuple[bool, object]]]] = {
    "run": _run,
    "collapse": _collapse,
    "extract": _extract,
    "threshold": _threshold,
    "certify": _certify,
    "sweep": _sweep,
    "compare": _compare,
}


def _called(subject: str) -> tuple[bool, list[object]]:
    """Return whether a call came to its end, and what it gave."""
    import exactnn

    summary = []
    for complete, told in SUBJECTS[subject](exactnn):
        if not complete:
            return False, []
        summary.append(told)
    return True, summary


def _main(subject: str) -> None:
    presses = []

    def press(number: int, frame: object) -> None:
        presses.append(number)
        raise KeyboardInterrupt

    def until_pressed() -> str:
        try:
            while _called(subject)[0]:
                if presses:
                    return "as if nothing had happened"
            return "told in the result" if presses else "incomplete, without a signal"
        except KeyboardInterrupt:
            return "KeyboardInterrupt"
        except BaseException as error:
            return f"{type(error).__name__}: {error}"

    signal.signal(signal.SIGINT, press)
    print("begun", flush=True)
    first = until_pressed()
    try:
        again: object = _called(subject)
    except BaseException as error:
        again = f"{type(error).__name__}: {error}"
    print(json.dumps({"first": first, "again": again}), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1])
