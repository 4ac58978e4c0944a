"""Writing a machine as a graph in Graphviz' DOT language, to be drawn by ``dot`` and its relatives."""

from collections.abc import Iterator

from exactnn.automata import DFA, CounterMachine, MooreMachine, StackMachine, State, Symbol, TuringMachine
from exactnn.errors import MachineError, shown

__all__ = ["write_dot"]


Drawn = DFA | MooreMachine | CounterMachine | StackMachine | TuringMachine
"""What has a graph."""


def write_dot(machine: Drawn) -> str:
    """Return `machine` as DOT text: a node for each state, an arrow for each pair of states with transitions.

    A double circle is a final state, or the halting state of a Turing machine that accepts or gives no verdict; its
    reject state is dashed. Of a counter machine it is a state with which words are accepted, whatever the counters. A
    state of a Moore machine is written as state / output. A Turing machine's arrow has a line
    ``read / written, move`` for each transition, a counter machine's ``read [mask] / updates``.

    Raises
    ------
    MachineError
        If it is none of these machines.

    Notes
    -----
    States and transitions come in the order of the machine, so that equal machines give equal text. Names are text
    whatever they hold: nothing in them is taken for markup; characters that cannot be printed are written as escapes.

    References
    ----------
    The DOT language, https://graphviz.org/doc/info/lang.html; escapes in labels,
    https://graphviz.org/docs/attr-types/escString.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> print(write_dot(load("parity")))
    digraph "parity" {
      rankdir=LR;
      node [shape=circle];
      start [shape=point, label=""];
      q0 [label="even"];
      q1 [label="odd", shape=doublecircle];
      start -> q0;
      q0 -> q0 [label="0"];
      q0 -> q1 [label="1"];
      q1 -> q1 [label="0"];
      q1 -> q0 [label="1"];
    }
    <BLANKLINE>
    """
    if not isinstance(machine, Drawn):
        remedy = "give a DFA, a MooreMachine, a CounterMachine, a StackMachine or a TuringMachine"
        kind = type(machine).__name__
        raise MachineError(shown(machine), [f"no graph of a {kind}: {remedy}"])
    node = {state: f"q{i}" for i, state in enumerate(machine.states)}
    lines = [f"digraph {_text(machine.name)} {{", "  rankdir=LR;", "  node [shape=circle];"]
    lines.append('  start [shape=point, label=""];')
    lines += (f"  {node[state]} [{_looks(machine, state)}];" for state in machine.states)
    lines.append(f"  start -> {node[machine.initial_state]};")
    for state in machine.states:
        for target, label in _arrows(machine, state):
            lines.append(f"  {node[state]} -> {node[target]} [label={label}];")
    return "\n".join(lines) + "\n}\n"


def _looks(machine: Drawn, state: State) -> str:
    """Return the attributes of a state's node."""
    if isinstance(machine, MooreMachine):
        return f"label={_text(f'{state} / {machine.outputs[state]}')}"
    label = f"label={_text(state)}"
    if isinstance(machine, TuringMachine | StackMachine):
        if state not in machine.halting_states:
            return label
        return f"{label}, {'style=dashed' if state == machine.reject_state else 'shape=doublecircle'}"
    if isinstance(machine, CounterMachine):
        return f"{label}, shape=doublecircle" if any(q == state for q, _ in machine.acceptance) else label
    return f"{label}, shape=doublecircle" if state in machine.final_states else label


def _arrows(machine: Drawn, state: State) -> Iterator[tuple[State, str]]:
    """Yield each state that another leads to, with the label of all transitions there."""
    found: dict[State, list[str]] = {}
    if isinstance(machine, TuringMachine):
        rules = {} if state in machine.halting_states else machine.transitions[state]
        for a in machine.tape_symbols if rules else ():
            rule = rules[a]
            found.setdefault(rule.next_state, []).append(f"{_symbol(a)} / {_symbol(rule.written)}, {rule.move}")
        yield from ((target, _text(*labels)) for target, labels in found.items())
        return
    if isinstance(machine, StackMachine):
        for reading, done in machine.transitions.get(state, {}).items():
            tops = ", ".join(_symbol(top) if top else "ε" for top in reading)
            operations = ", ".join(
                " ".join([operation[0], *map(_symbol, operation[1:])]) for operation in done.operations
            )
            found.setdefault(done.next_state, []).append(f"{tops} / {operations}")
        yield from ((target, _text(*labels)) for target, labels in found.items())
        return
    if isinstance(machine, CounterMachine):
        for a in machine.input_symbols:
            for mask, move in machine.transitions[state][a].items():
                tests, updates = "".join(map(str, mask)), ", ".join(map(str, move.updates))
                found.setdefault(move.next_state, []).append(f"{_symbol(a)} [{tests}] / {updates}")
        yield from ((target, _text(*labels)) for target, labels in found.items())
        return
    for a in machine.input_symbols:
        found.setdefault(machine.transitions[state][a], []).append(_symbol(a))
    yield from ((target, _text(", ".join(labels))) for target, labels in found.items())


def _symbol(symbol: Symbol) -> str:
    """Return a symbol as it is, in quotes where it could not be told from what stands around it."""
    return repr(symbol) if not symbol.isprintable() or set(symbol) & set(" ,/'") else symbol


def _text(*lines: object) -> str:
    """Return lines as one quoted string that Graphviz prints as they are, in the middle of each line.

    >>> _text('say "\\\\N"', "&amp;")
    '"say \\\\"\\\\\\\\N\\\\"\\\\n&amp;amp;"'
    """
    return '"' + "\\n".join("".join(map(_escaped, str(line))) for line in lines) + '"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "&": "&amp;"}


def _escaped(character: str) -> str:
    if character.isprintable():
        return _ESCAPES.get(character, character)
    return "\\\\" + character.encode("unicode_escape", "backslashreplace").decode()[1:]
