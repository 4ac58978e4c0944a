"""What machines with halting states share: which states end a run, and how they look."""

from exactnn.automata.drawn import DrawnMachine
from exactnn.automata.transitions import State
from exactnn.markup import Node

__all__ = ["HaltingMachine"]


class HaltingMachine(DrawnMachine):
    """A machine that halts when it enters a state that accepts, rejects or says nothing; it may lack any of them."""

    __slots__ = ()

    accept_state: State | None
    reject_state: State | None
    halt_state: State | None

    @property
    def halting_states(self) -> tuple[State, ...]:
        """The states that end a run: those of accept, reject and halt that the machine has."""
        return tuple(q for q in (self.accept_state, self.reject_state, self.halt_state) if q is not None)

    def _node(self, state: State) -> Node:
        rejects = self.reject_state is not None and state == self.reject_state
        return Node(name=str(state), double=state in self.halting_states and not rejects, dashed=rejects)

    def _role(self, state: State) -> str:
        roles = {self.accept_state: "accepts", self.reject_state: "rejects", self.halt_state: "halts"}
        return roles[state] if state in self.halting_states else ""
