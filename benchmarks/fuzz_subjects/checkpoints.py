"""Runs with a checkpoint file: stopped and resumed they are the run in one go, and no other run takes the file up.

A run is stopped by its limit or by Ctrl-C, wherever that strikes. Another run is one on another word, of the same
length or not, of another network, in another arithmetic, or with another record.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import exactnn as xn
from exactnn.errors import CheckpointError, UnsupportedArithmeticError
from fuzz_subjects.formats import ANY_FIXED, ANY_FLOAT, FORMATS
from fuzz_subjects.stopped_runs import OTHERS, Case, cases
from fuzz_subjects.subject import Subject

__all__ = ["CHECKPOINTS"]


def progress_of(run: xn.Run) -> str:
    """Return what a run is at, bit for bit."""
    counts = (run.steps, run.eos_steps, run.machine_steps, run.outside_at, run.word)
    outputs = (run.initial_output, list(run.outputs), run.outputs.runs)
    return repr((counts, outputs, run.trace.steps, tuple(run.trace), run.final_state))


def everything(run: xn.Run) -> str:
    """Return what two runs must agree in."""
    return repr((run.outcome, run.verdict, run.cycle)) + progress_of(run)


def interrupting(step: int) -> Callable[[int], None]:
    def progress(steps: int) -> None:
        if steps >= step:
            raise KeyboardInterrupt

    return progress


def check(arithmetic: str, case: Case) -> None:
    try:
        whole = case.run()
    except UnsupportedArithmeticError:
        return
    with TemporaryDirectory() as folder:
        file = Path(folder, "run.checkpoint")
        done = check_stops(case, file)
        found = case.go_on(file)
        assert found.resumed_from == done, f"{case}: resumed from {found.resumed_from}, not {done}"
        assert everything(found) == everything(whole), f"{case}: {everything(found)}, not {everything(whole)}"
        for what, options in other_runs(case):
            check_refused(case, file, what, options)
        again = case.go_on(file)
        assert (again.resumed_from, everything(again)) == (whole.steps, everything(whole)), f"{case}: {again!r}"


def check_stops(case: Case, file: Path) -> int | None:
    """Run with a file up to each stop; return at which step the file is."""
    done = None
    for stop, by_hand in case.stops:
        at = (done or 0) + max(1, stop) if by_hand else min(max(done or 0, stop), case.limit)
        run = case.go_on(file, **({"progress": interrupting(at)} if by_hand else {"max_steps": at}))
        interrupted = run.outcome is xn.Outcome.INTERRUPTED
        expected = case.run(max_steps=run.steps if interrupted else case.limit if by_hand else at)
        seen = progress_of if interrupted else everything
        told = f"{case}: stopped at {at}"
        assert by_hand or not interrupted, f"{told}: {run!r}"
        assert run.resumed_from == done, f"{told}: resumed from {run.resumed_from}, not {done}"
        assert seen(run) == seen(expected), f"{told}: {seen(run)}, not {seen(expected)}"
        done = run.steps
    return done


def other_runs(case: Case) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what another run has another of, and the options of that run."""
    yield from (("word", {"word": word}) for word in case.other_words)
    state = case.network.initial_state
    if state:
        yield "network", {"network": replace(case.network, initial_state=(state[0] + 1, *state[1:]))}
    yield "arithmetic", {"arithmetic": case.other_arithmetic}
    yield "record option", {"record": case.other_record}


def check_refused(case: Case, file: Path, what: str, options: dict[str, Any]) -> None:
    """Check that a run of something else does not go on from a file, and leaves it alone."""
    content, told = file.read_bytes(), f"{case}: the file of a run with another {what}, {options}"
    message = "(none)"
    try:
        case.run(checkpoint=file, **options)
    except UnsupportedArithmeticError:
        return
    except CheckpointError as error:
        message = str(error)
    assert f"another {what}" in message, f"{told} is refused with {message}"
    assert file.read_bytes() == content, f"{told} was changed"
    assert [path.name for path in file.parent.iterdir()] == [file.name], f"{told}: there are more files"


CHECKPOINTS = Subject(cases=cases, check=check, arithmetics=(*OTHERS, *FORMATS, ANY_FLOAT, ANY_FIXED))
