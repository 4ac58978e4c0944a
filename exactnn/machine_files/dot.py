"""Writing a machine as a graph in Graphviz' DOT language, to be drawn by ``dot`` and its relatives."""

from exactnn.automata import Drawn, Machine, kind_of
from exactnn.errors import MachineError, shown
from exactnn.markup import dot_text

__all__ = ["write_dot"]


def write_dot(machine: Drawn) -> str:
    """Return `machine` as DOT text: a node for each state, an arrow for each pair of states with transitions.

    A double circle is a final state, or the halting state of a Turing machine that accepts or gives no verdict; its
    reject state is dashed. Of a counter machine it is a state with which words are accepted, whatever the counters. A
    state of a Moore machine is written as state / output. A Turing machine's arrow has a line
    ``read / written, move`` for each transition, a counter machine's ``read [mask] / updates``. In a weighted automaton
    every arrow has a weight, that into a state with which words begin too unless it is 1, and a state with which they
    end is written as state / weight. A weighted pushdown automaton's arrow has a line ``symbol, top / action / weight``
    for each action, the weight unless it is 1, and a state with which words end is written with its tops. The attribute
    ``comment`` says which kind of machine it is: :func:`~exactnn.machine_files.read_dot` reads DFAs, Moore and Mealy
    machines back.

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
      comment="dfa";
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
        kind, remedy = (
            type(machine).__name__,
            "give a DFA, a weighted automaton or a Moore, counter, stack or Turing machine",
        )
        raise MachineError(shown(machine), [f"no graph of a {kind}: {remedy}"])
    text = dot_text(machine.graph())
    if not isinstance(machine, Machine):
        return text
    heading, mark, rest = text.partition("];\n  start ")
    return f'{heading}];\n  comment="{kind_of(machine)}";\n  start {rest}' if mark else text
