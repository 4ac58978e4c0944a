"""Reading the ``expect:`` list of a machine file."""

from collections.abc import Collection, Mapping

from exactnn.automata import DFA, CounterMachine, Machine, StackMachine, Symbol, TuringMachine
from exactnn.machine_files.faults import FaultList
from exactnn.machine_files.fields import Field, choice, fields, number, word
from exactnn.machine_files.machine_file import Expectation
from exactnn.machine_files.yaml_nodes import ListNode, Node
from exactnn.outcome import Outcome

__all__ = ["expectations"]

_MAX = 1000
_KEYS = ("word", "verdict", "outcome", "steps", "nonblank", "tape", "stack")
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
    read = word(found["word"], machine.input_symbols, faults)
    tape = word(found["tape"], tape_symbols, faults) if "tape" in found else None
    stack = word(found["stack"], stack_symbols, faults) if "stack" in found else None
    steps = number(found["steps"], faults) if "steps" in found else None
    nonblank = number(found["nonblank"], faults) if "nonblank" in found else None
    outcome = _outcome(found, node, machine, faults)
    if outcome is Outcome.STEP_LIMIT and steps is None:
        faults.add(node.line, "'outcome: step limit' needs 'steps:': how many moves the machine makes without halting")
    if read is None or outcome is None:
        return None
    return Expectation(word=read, outcome=outcome, steps=steps, nonblank=nonblank, tape=tape, stack=stack)


def _outcome(found: Mapping[str, Field], node: Node, machine: Machine, faults: FaultList) -> Outcome | None:
    """Return the outcome that is written; without one a machine that gives no verdict is expected to halt."""
    if "verdict" in found and "outcome" in found:
        faults.add(found["verdict"].line, "both 'verdict:' and 'outcome:': keep one")
        return None
    if "verdict" in found:
        return _VERDICTS.get(choice(found["verdict"], _VERDICTS, faults) or "")
    if "outcome" in found:
        return _OUTCOMES.get(choice(found["outcome"], _OUTCOMES, faults) or "")
    if isinstance(machine, DFA | CounterMachine) or machine.halt_state is None:
        faults.add(node.line, "an expectation needs 'verdict: accept', 'verdict: reject' or 'outcome: step limit'")
        return None
    return Outcome.HALTED
