"""Writing a machine file as YAML, so that reading it back gives an equal machine.

Every text that could be taken for something else is put in double quotes with escapes. States are written by
their names: a state that is not a string comes back as one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.automata import (
    DFA,
    CounterMachine,
    Machine,
    Mask,
    MealyMachine,
    MooreMachine,
    MultiTapeTuringMachine,
    PushdownAutomaton,
    Rule,
    StackMachine,
    State,
    Symbol,
    TuringMachine,
    WeightedAutomaton,
    WeightedPushdownAutomaton,
    Word,
    fresh,
    kind_of,
)
from exactnn.errors import MachineFileError, shown
from exactnn.machine_files.machine_file import Expectation, MachineFile, tag_fault

__all__ = ["write_yaml"]

_PLAIN = re.compile("[A-Za-z0-9][A-Za-z0-9_-]*")
_LONG_KEY = 400
_EMPTY_WORDS = ("null", "~")


def write_yaml(machine_file: MachineFile) -> str:
    """Return `machine_file` as YAML text.

    Raises
    ------
    MachineFileError
        If a name holds half a surrogate pair, which is not text, or a tag is none.

    Examples
    --------
    >>> from exactnn.machine_files import load_file
    >>> print(write_yaml(load_file("bb2")))
    kind: turing_machine
    name: bb2
    title: "Busy beaver with 2 states and 2 symbols"
    description: "Halts after 6 steps with 4 ones on the tape; no 2-state machine does more of either."
    source: "T. Rado, On non-computable functions, Bell System Technical Journal 41, 1962"
    tags: [busy-beaver]
    tape: two_way_infinite
    blank: 0
    tape symbols: [0, 1]
    input symbols: []
    start state: A
    halt state: Z
    table:
      A: {0: {write: 1, R: B}, 1: {L: B}}
      B: {0: {write: 1, L: A}, 1: {R: Z}}
      Z: {}
    expect:
      - {word: "", outcome: halted, steps: 6, nonblank: 4, tape: 1111}
    <BLANKLINE>
    """
    if not isinstance(machine_file, MachineFile):
        raise MachineFileError(shown(machine_file), ["it is no MachineFile: give MachineFile(machine=..., name=...)"])
    machine = machine_file.machine
    lines = [f"kind: {kind_of(machine)}", f"name: {_text(machine.name)}"]
    for key in ("title", "description", "source"):
        if value := getattr(machine_file, key):
            lines.append(f"{key}: {_text(value)}")
    if fault := tag_fault(machine_file.tags):
        raise MachineFileError(shown(machine.name), [f"'tags' {fault}"])
    if machine_file.tags:
        lines.append(f"tags: {_list(machine_file.tags)}")
    lines += _described(machine)
    if machine_file.sample_input is not None:
        lines.append(f"input: {_word(machine_file.sample_input, machine.input_symbols)}")
    if machine_file.expectations:
        lines.append("expect:")
        lines += (f"  - {_expectation(expectation, machine)}" for expectation in machine_file.expectations)
    text = "\n".join(lines) + "\n"
    if re.search("[\ud800-\udfff]", text):
        raise MachineFileError(shown(machine.name), ["a name holds half a surrogate pair: rename it"])
    return text


def _described(machine: Machine) -> Iterator[str]:
    """Return the lines of what the machine is."""
    match machine:
        case DFA():
            return _automaton(machine)
        case MooreMachine() | MealyMachine():
            return _transducer(machine)
        case MultiTapeTuringMachine():
            remedy = "exactnn.machine_files.write_jflap writes one"
            raise MachineFileError(shown(machine.name), [f"YAML has no kind for machines of several tapes: {remedy}"])
        case TuringMachine():
            return _tape_machine(machine)
        case PushdownAutomaton():
            return _pushdown_automaton(machine)
        case StackMachine():
            return _stack_machine(machine)
        case CounterMachine():
            return _counter_machine(machine)
        case WeightedAutomaton():
            return _weighted_automaton(machine)
        case WeightedPushdownAutomaton():
            return _weighted_pushdown_automaton(machine)
        case _:
            assert_never(machine)


def _tape_machine(machine: TuringMachine) -> Iterator[str]:
    yield f"tape: {machine.tape}"
    yield f"blank: {_text(machine.blank_symbol)}"
    yield f"tape symbols: {_list(machine.tape_symbols)}"
    yield f"input symbols: {_list(machine.input_symbols)}"
    yield from _states(machine)
    yield "table:"
    for q in machine.states:
        row = {} if q in machine.halting_states else machine.transitions[q]
        yield _row(q, [(a, _instruction(q, a, row[a])) for a in machine.tape_symbols if a in row])


def _stack_machine(machine: StackMachine) -> Iterator[str]:
    empty, any_top = (fresh(mark, machine.stack_symbols) for mark in ("_", "."))
    yield f"stacks: {machine.stacks}"
    yield f"stack symbols: {_list(machine.stack_symbols)}"
    yield f"input symbols: {_list(machine.input_symbols)}"
    yield f"empty: {_text(empty)}"
    yield f"any: {_text(any_top)}"
    yield from _states(machine)
    yield "table:"
    for q in machine.states:
        halts = q in machine.halting_states
        yield f"  {_key(q)}:{' {}' if halts else ''}"
        for reading, rule in {} if halts else machine.transitions[q].items():
            done = _list(" ".join(operation) for operation in rule.operations)
            yield f"    ? {_list(top or empty for top in reading)}\n    : {{do: {done}, go: {_text(rule.next_state)}}}"


def _pushdown_automaton(machine: PushdownAutomaton) -> Iterator[str]:
    yield f"states: {_list(machine.control_states)}"
    yield f"stack symbols: {_list(machine.pushed_symbols)}"
    yield f"input symbols: {_list(machine.input_symbols)}"
    yield f"start state: {_text(machine.first_state)}"
    yield f"start stack: {_text(machine.initial_stack_symbol)}"
    yield f"final states: {_list(machine.final_states)}"
    yield f"accepts by: {machine.acceptance}"
    rules = [(q, r, rule) for q, row in machine.control.items() for r, rule in row.items()]
    yield "transitions:" if rules else "transitions: []"
    for q, reading, rule in rules:
        parts = [*map(_text, (q, *reading, rule.next_state)), _list(rule.pushed)]
        yield f"  - [{', '.join(parts)}]"


def _counter_machine(machine: CounterMachine) -> Iterator[str]:
    yield f"counters: {machine.counters}"
    yield f"any: {_text(fresh('.', machine.input_symbols))}"
    yield f"input symbols: {_list(machine.input_symbols)}"
    yield f"start state: {_text(machine.initial_state)}"
    yield "accept:" if machine.acceptance else "accept: {}"
    for q in machine.states:
        if accepted := [_tests(mask) for state, mask in machine.acceptance if state == q]:
            yield f"  {_key(q)}: {_list(accepted)}"
    yield "table:"
    for q in machine.states:
        yield f"  {_key(q)}:"
        for a, cells in machine.transitions.get(q, {}).items():
            for mask, rule in cells.items():
                done = f"{{do: {_list(rule.updates)}, go: {_text(rule.next_state)}}}"
                yield f"    ? {_list((a, _tests(mask)))}\n    : {done}"


def _weighted_automaton(machine: WeightedAutomaton) -> Iterator[str]:
    yield f"input symbols: {_list(machine.input_symbols)}"
    yield f"initial: {_numbers(machine.initial)}"
    yield f"final: {_numbers(machine.final)}"
    yield "transitions:" if machine.input_symbols else "transitions: {}"
    for a in machine.input_symbols:
        yield f"  {_key(a)}: [{', '.join(map(_numbers, machine.transitions[a]))}]"


def _weighted_pushdown_automaton(machine: WeightedPushdownAutomaton) -> Iterator[str]:
    yield f"states: {_list(machine.states)}"
    yield f"stack symbols: {_list(machine.stack_symbols)}"
    yield f"input symbols: {_list(machine.input_symbols)}"
    for action in ("push", "replace", "pop"):
        if by_symbol := getattr(machine, action):
            yield f"{action}:"
            for a, weights in by_symbol.items():
                yield f"  {_key(a)}:{'' if weights else ' []'}"
                yield from (f"    - {_weighted_row(key, exact(weight))}" for key, weight in weights.items())
    yield "final:" if machine.final else "final: []"
    yield from (f"  - {_weighted_row(pair, weight)}" for pair, weight in machine.final.items())


def _weighted_row(names: Iterable[object], weight: mpq) -> str:
    """Return names with a weight, which is left out where it is 1."""
    return f"[{', '.join([*map(_text, names), *([] if weight == 1 else [str(weight)])])}]"


def _numbers(row: Iterable[mpq]) -> str:
    return f"[{', '.join(map(str, row))}]"


def _tests(mask: Mask) -> str:
    return "".join(map(str, mask))


def _states(machine: TuringMachine | StackMachine) -> Iterator[str]:
    yield f"start state: {_text(machine.initial_state)}"
    for role in ("accept", "reject", "halt"):
        if (state := getattr(machine, f"{role}_state")) is not None:
            yield f"{role} state: {_text(state)}"


def _automaton(machine: DFA) -> Iterator[str]:
    yield f"input symbols: {_list(machine.input_symbols)}"
    yield f"start state: {_text(machine.initial_state)}"
    yield f"final states: {_list(machine.final_states)}"
    yield "table:"
    for q in machine.states:
        yield _row(q, [(a, _text(machine.transitions[q][a])) for a in machine.input_symbols])


def _transducer(machine: MooreMachine | MealyMachine) -> Iterator[str]:
    outputs = machine.outputs.values() if isinstance(machine, MooreMachine) else _values(machine)
    if any(not isinstance(output, str) for output in outputs):
        raise MachineFileError(shown(machine.name), ["it has outputs that are no text: make them text"])
    yield f"input symbols: {_list(machine.input_symbols)}"
    yield f"start state: {_text(machine.initial_state)}"
    if isinstance(machine, MooreMachine):
        yield "outputs:"
        yield from (f"  {_key(q)}: {_text(output)}" for q, output in machine.outputs.items())
    yield "table:"
    for q in machine.states:
        row: Mapping[Symbol, State] = machine.transitions.get(q, {})
        cells = [(a, _text(row[a])) for a in machine.input_symbols]
        if isinstance(machine, MealyMachine):
            cells = [(a, f"[{target}, {_text(machine.outputs[q][a])}]") for a, target in cells]
        yield _row(q, cells)


def _values(machine: MealyMachine) -> Iterator[object]:
    return (output for row in machine.outputs.values() for output in row.values())


def _row(state: State, cells: Iterable[tuple[Symbol, str]]) -> str:
    row = ", ".join(f"{_key(symbol)}: {entry}" for symbol, entry in cells)
    return f"  {_key(state)}: {{{row}}}"


def _instruction(state: State, read: Symbol, rule: Rule) -> str:
    written = "" if rule.written == read else f"write: {_text(rule.written)}, "
    if rule.next_state == state:
        return f"{{{written}{rule.move}}}" if written else rule.move
    return f"{{{written}{rule.move}: {_text(rule.next_state)}}}"


def _expectation(expectation: Expectation, machine: Machine) -> str:
    says = f"outcome: {expectation.outcome}" if expectation.value is None else f"value: {expectation.value}"
    if expectation.output is not None:
        says = f"output: {_text(expectation.output)}"
    parts = [f"word: {_word(expectation.word, machine.input_symbols)}", says]
    parts += [
        f"{key}: {getattr(expectation, key)}" for key in ("steps", "nonblank") if getattr(expectation, key) is not None
    ]
    if expectation.tape is not None and isinstance(machine, TuringMachine):
        parts.append(f"tape: {_word(expectation.tape, machine.tape_symbols)}")
    if expectation.stack is not None and isinstance(machine, StackMachine):
        parts.append(f"stack: {_word(expectation.stack, machine.stack_symbols)}")
    return "{" + ", ".join(parts) + "}"


def _word(word: Word, alphabet: Iterable[Symbol]) -> str:
    return _text("".join(word)) if all(len(symbol) == 1 for symbol in alphabet) else _list(word)


def _list(names: Iterable[object]) -> str:
    return f"[{', '.join(map(_text, names))}]"


def _key(name: object) -> str:
    """Return a name as a key; YAML wants one that is too long for a line behind a question mark."""
    text = _text(name)
    return f"? {text}\n  " if len(text) > _LONG_KEY else text


def _text(name: object) -> str:
    """Return a name as a YAML scalar: plain where that is safe, otherwise in double quotes."""
    text = str(name)
    if _PLAIN.fullmatch(text) and text not in _EMPTY_WORDS:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if " " <= character <= "~":
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return character
    return f"\\U{code:08x}"
