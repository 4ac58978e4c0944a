"""A machine with what its file promises of runs, and whether the machine keeps it."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.automata import (
    DFA,
    CounterMachine,
    Machine,
    StackConfiguration,
    StackMachine,
    Symbol,
    TapeConfiguration,
    Transducer,
    TuringMachine,
    ValuedMachine,
    Word,
    interpret,
)
from exactnn.errors import shown
from exactnn.machine_files.fields import FaultList, Field, ListNode, Node, choice, fields, number, text, texts, word
from exactnn.machine_files.weighted_automaton import weight
from exactnn.outcome import Outcome, Verdict

__all__ = ["Expectation", "MachineFile", "disagreements", "expectations", "tag_fault", "tags", "written_tape"]


# --- A machine together with what its file says of it: a title, where it comes from and what it should do.
#
# It is not a run: :mod:`exactnn.machine_files.machine_file` compares expectations with the direct interpreter.


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a machine does on one word, as its file promises.

    Parameters
    ----------
    word : tuple of str
        The input word.
    outcome : Outcome
        How the run ends. ``Outcome.STEP_LIMIT`` says that the machine still runs after `steps` moves.
    steps : int, optional
        The number of moves; the one that enters the halting state counts.
    nonblank : int, optional
        The number of cells that are not blank at the end.
    tape : tuple of str, optional
        The cells from the first to the last that is not blank, at the end.
    stack : tuple of str, optional
        The first stack of a stack machine at the end, from its top.
    value : mpq, optional
        What a weighted automaton, or a weighted pushdown automaton, gives the word.
    output : str, optional
        What a Moore or a Mealy machine gives after the last symbol, as text.

    Examples
    --------
    >>> Expectation(word=("a", "b"), outcome=Outcome.ACCEPTED).verdict
    <Verdict.ACCEPT: 'accept'>
    """

    word: Word
    outcome: Outcome
    steps: int | None = None
    nonblank: int | None = None
    tape: Word | None = None
    stack: Word | None = None
    value: mpq | None = None
    output: str | None = None

    @property
    def verdict(self) -> Verdict | None:
        """Accept, reject, or None where the outcome is neither."""
        return self.outcome.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFile:
    """The contents of one machine file.

    Parameters
    ----------
    machine : Machine
    name : str
        The name in the file, or the file's own name without its ending.
    title : str
        One line for lists; empty where the file has none.
    description : str
        A few sentences; empty where the file has none.
    source : str
        The bibliographic source of the machine; empty where the file has none.
    tags : tuple of str
        Short words for what it is: its class of languages, and the benchmarks that it is of.
    expectations : tuple of Expectation
        Runs whose results are known.
    sample_input : tuple of str, optional
        The word that the file proposes to try.
    format : str
        The format that it was read as, by its name in :data:`~exactnn.machine_files.FORMATS`.
    notes : tuple of str
        A sentence for each thing that the machine does otherwise than the program whose file it is, or that the file
        does not say and was assumed.
    """

    machine: Machine
    name: str
    title: str = ""
    description: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    sample_input: Word | None = None
    format: str = "YAML"
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> tuple[Word, ...]:
        """The words that are expected to be accepted, or to make the machine halt, by length."""
        passing = (Outcome.ACCEPTED, Outcome.HALTED)
        words = dict.fromkeys(it.word for it in self.expectations if it.outcome in passing)
        return tuple(sorted(words, key=lambda word: (len(word), word)))


# --- Reading the ``tags:`` of a machine file.

_TAG = re.compile("[a-z0-9]+(?:-[a-z0-9]+)*")
_MOST_TAGS, _LONGEST_TAG = 20, 40


def tags(field: Field | None, faults: FaultList) -> tuple[str, ...]:
    """Return the tags of a file; what is no tag is a fault."""
    found = texts(field, faults) if field is not None else None
    if field is None or found is None:
        return ()
    if fault := tag_fault(found):
        faults.add(field.line, f"'tags:' {fault}")
    return tuple(found)


def tag_fault(found: object) -> str:
    """Return what is wrong with tags, and what to do about it; "" if nothing is.

    >>> tag_fault(["regular", "star-free"]), tag_fault(["Star free"])
    ('', "has 'Star free': a tag is a word of small letters, digits and hyphens, such as star-free")
    """
    if not isinstance(found, list | tuple):
        return f"is {shown(found)}: give a tuple of words"
    if len(found) > _MOST_TAGS:
        return f"has {len(found)} entries: at most {_MOST_TAGS} can be read"
    for tag in found:
        if not isinstance(tag, str) or len(tag) > _LONGEST_TAG or not _TAG.fullmatch(tag):
            return f"has {shown(tag)}: a tag is a word of small letters, digits and hyphens, such as star-free"
    return ""


# --- Reading the ``expect:`` list of a machine file.

_MAX = 1000
_KEYS = ("word", "verdict", "outcome", "value", "output", "steps", "nonblank", "tape", "stack")
_VERDICTS = {"accept": Outcome.ACCEPTED, "reject": Outcome.REJECTED}
_OUTCOMES = {str(o): o for o in (Outcome.ACCEPTED, Outcome.REJECTED, Outcome.HALTED, Outcome.STEP_LIMIT)}


def expectations(field: Field | None, machine: Machine, faults: FaultList) -> tuple[Expectation, ...]:
    """Return the expectations of a file; each fault names the line of its entry."""
    if field is None:
        return ()
    if not isinstance(field.node, ListNode):
        faults.add(field.line, "'expect:' is a list: write '- {word: ab, verdict: accept}' lines")
        return ()
    if len(field.node.items) > _MAX:
        faults.add(field.line, f"'expect:' has {len(field.node.items)} entries: at most {_MAX} can be read")
        return ()
    found = (_expectation(node, machine, faults) for node in field.node.items)
    return tuple(expectation for expectation in found if expectation is not None)


def _expectation(node: Node, machine: Machine, faults: FaultList) -> Expectation | None:
    found = fields(node, _KEYS, faults, "an expectation")
    if "word" not in found:
        faults.add(node.line, "an expectation needs 'word:': write '' for the empty word")
        return None
    tape_symbols: Collection[Symbol] = machine.tape_symbols if isinstance(machine, TuringMachine) else ()
    stack_symbols: Collection[Symbol] = machine.stack_symbols if isinstance(machine, StackMachine) else ()
    for key in ("nonblank", "tape", "stack"):
        if key in found and not (stack_symbols if key == "stack" else tape_symbols):
            what = "stacks" if key == "stack" else "a tape"
            faults.add(found[key].line, f"'{key}:' of a machine without {what}: remove it")
            return None
    weighted = isinstance(machine, ValuedMachine)
    wanted = "value" if weighted else "output" if isinstance(machine, Transducer) else "verdict"
    for key in ("value", "output", "verdict", "outcome"):
        if key in found and key != wanted and (key, wanted) != ("outcome", "verdict"):
            gives = {"value": "words values", "output": "outputs", "verdict": "no values"}[wanted]
            what = f"gives {gives}: write '{wanted}:'"
            faults.add(found[key].line, f"'{key}:' of a machine that {what}")
            return None
    if weighted and "steps" in found:
        faults.add(found["steps"].line, "'steps:' of a weighted automaton, which makes one for each symbol: remove it")
        return None
    read = word(found["word"], machine.input_symbols, faults)
    tape = word(found["tape"], tape_symbols, faults) if "tape" in found else None
    stack = word(found["stack"], stack_symbols, faults) if "stack" in found else None
    steps = number(found["steps"], faults) if "steps" in found else None
    nonblank = number(found["nonblank"], faults) if "nonblank" in found else None
    value = weight(found["value"].node, "'value:'", faults) if "value" in found else None
    output = text(found["output"], faults) if "output" in found else None
    outcome = _outcome(found, node, machine, faults)
    if outcome is Outcome.STEP_LIMIT and steps is None:
        faults.add(node.line, "'outcome: step limit' needs 'steps:': how many moves the machine makes without halting")
    if read is None or outcome is None:
        return None
    return Expectation(
        word=read,
        outcome=outcome,
        steps=steps,
        nonblank=nonblank,
        tape=tape,
        stack=stack,
        value=value,
        output=output,
    )


def _outcome(found: Mapping[str, Field], node: Node, machine: Machine, faults: FaultList) -> Outcome | None:
    """Return the outcome that is written; without one a machine that gives no verdict is expected to halt."""
    if "verdict" in found and "outcome" in found:
        faults.add(found["verdict"].line, "both 'verdict:' and 'outcome:': keep one")
        return None
    if "verdict" in found:
        return _VERDICTS.get(choice(found["verdict"], _VERDICTS, faults) or "")
    if "outcome" in found:
        return _OUTCOMES.get(choice(found["outcome"], _OUTCOMES, faults) or "")
    if isinstance(machine, ValuedMachine):
        if "value" in found:
            return Outcome.COMPLETED
        faults.add(node.line, "an expectation needs 'value:', the number that the word is given")
        return None
    if isinstance(machine, Transducer):
        if "output" in found:
            return Outcome.COMPLETED
        faults.add(node.line, "an expectation needs 'output:', what the machine gives after the last symbol")
        return None
    if isinstance(machine, DFA | CounterMachine) or machine.halt_state is None:
        faults.add(node.line, "an expectation needs 'verdict: accept', 'verdict: reject' or 'outcome: step limit'")
        return None
    return Outcome.HALTED


# --- Comparing what a machine file promises with what the direct interpreter finds.


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
    found["value"], expected["value"] = run.value, expectation.value
    found["output"], expected["output"] = None if run.output is None else str(run.output), expectation.output
    if isinstance(machine, TuringMachine) and isinstance(run.configuration, TapeConfiguration):
        tape = written_tape(machine, run.configuration)
        found |= {"nonblank": sum(symbol != machine.blank_symbol for symbol in tape), "tape": tape}
        expected |= {"nonblank": expectation.nonblank, "tape": expectation.tape}
    if isinstance(run.configuration, StackConfiguration):
        found["stack"], expected["stack"] = run.configuration.stacks[0], expectation.stack
    return [
        f"{what} is {_shown(found[what])}, expected {_shown(value)}"
        for what, value in expected.items()
        if value is not None and value != found[what]
    ]


def _shown(value: object) -> str:
    return short_text(value) if isinstance(value, mpq) else shown(value)


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
