"""Comparing what a machine file promises with what the direct interpreter finds."""

from exactnn.automata import Machine, StackConfiguration, TapeConfiguration, TuringMachine, Word, interpret
from exactnn.errors import shown
from exactnn.machine_files.machine_file import Expectation
from exactnn.outcome import Outcome

__all__ = ["disagreements", "written_tape"]


def disagreements(machine: Machine, expectation: Expectation, *, max_seconds: float | None = None) -> list[str] | None:
    """Return what a direct run of `machine` says otherwise than `expectation`, in words; nothing if all agrees.

    A run is stopped one move after the expected number of steps, if that is given. Where it is not over after
    `max_seconds`, nothing is known, and None is returned.

    Examples
    --------
    >>> from exactnn.machine_files import load_file
    >>> beaver = load_file("bb2")
    >>> disagreements(beaver.machine, beaver.expectations[0])
    []
    """
    limit = expectation.steps
    if limit is not None and expectation.outcome is not Outcome.STEP_LIMIT:
        limit += 1
    run = interpret(machine, expectation.word, max_steps=limit, max_seconds=max_seconds)
    if run.outcome is Outcome.TIME_LIMIT:
        return None
    found: dict[str, object] = {"outcome": run.outcome.value, "steps": run.steps}
    expected: dict[str, object] = {"outcome": expectation.outcome.value, "steps": expectation.steps}
    if isinstance(machine, TuringMachine) and isinstance(run.configuration, TapeConfiguration):
        tape = written_tape(machine, run.configuration)
        found |= {"nonblank": sum(symbol != machine.blank_symbol for symbol in tape), "tape": tape}
        expected |= {"nonblank": expectation.nonblank, "tape": expectation.tape}
    if isinstance(run.configuration, StackConfiguration):
        found["stack"], expected["stack"] = run.configuration.stacks[0], expectation.stack
    return [
        f"{what} is {shown(found[what])}, expected {shown(value)}"
        for what, value in expected.items()
        if value is not None and value != found[what]
    ]


def written_tape(machine: TuringMachine, configuration: TapeConfiguration) -> Word:
    """Return the cells of the tape from the first to the last one that is not blank.

    >>> from exactnn.machine_files import load
    >>> beaver = load("bb2")
    >>> written_tape(beaver, interpret(beaver).configuration)
    ('1', '1', '1', '1')
    """
    tape = configuration.tape
    filled = [i for i, symbol in enumerate(tape) if symbol != machine.blank_symbol]
    return tape[filled[0] : filled[-1] + 1] if filled else ()
