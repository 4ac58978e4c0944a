"""Turing machines by what they do on scanned symbols, one for each tape, as several formats write them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from exactnn.automata import MultiTapeTuringMachine, State, Symbol, TapeKind, TuringMachine

__all__ = ["STAYS", "STOPS", "Result", "Scanned", "ScannedTable"]

Scanned = tuple[Symbol, ...]
Result = tuple[State, Scanned, tuple[str, ...]]
"""The next state, what is written and how the heads move."""

STAYS = "a move that stays is one move to the right and one back, so it counts twice ({} rules)"
STOPS = "where nothing fits the machine rejects, and the move into the reject state counts"


@dataclass(slots=True, kw_only=True)
class ScannedTable:
    """What a file says of a Turing machine that accepts in its final states and rejects where nothing fits.

    A single state without rules that is neither final nor initial is its reject state, unless the file names one.
    """

    states: Sequence[State]
    input_symbols: Sequence[Symbol]
    tape_symbols: Sequence[Symbol]
    tapes: int
    initial_state: State
    blank_symbol: Symbol
    final_states: Sequence[State]
    tape: TapeKind
    name: str
    reject_state: State | None = None
    rules: dict[State, dict[Scanned, Result]] = field(default_factory=dict)

    def too_large(self, most: int) -> bool:
        """Whether there are no tapes, more than five, or a table of more than `most` entries."""
        return not 1 <= self.tapes <= 5 or len(self.states) * len(self.tape_symbols) ** self.tapes > most

    def machine(self) -> tuple[TuringMachine | MultiTapeTuringMachine, list[str]]:
        """Return the machine, and a sentence for each thing that it does otherwise.

        Raises
        ------
        MachineError
            With all faults of the definition.
        """
        known = (*self.final_states, self.initial_state)
        dead = [q for q in self.states if not self.rules.get(q) and q not in known]
        reject = self.reject_state if self.reject_state is not None or len(dead) != 1 else dead[0]
        rows = {q: row for q, row in self.rules.items() if row}
        combinations = len(self.tape_symbols) ** self.tapes
        working = [q for q in self.states if q not in (*self.final_states, reject)]
        notes = [STOPS] if any(len(rows.get(q, {})) < combinations for q in working) else []
        if self.tapes > 1:
            return (
                MultiTapeTuringMachine(
                    states=self.states,
                    input_symbols=self.input_symbols,
                    tape_symbols=self.tape_symbols,
                    tapes=self.tapes,
                    transitions=rows,
                    initial_state=self.initial_state,
                    blank_symbol=self.blank_symbol,
                    reject_state=reject,
                    final_states=self.final_states,
                    undefined="reject",
                    tape=self.tape,
                    name=self.name,
                ),
                notes,
            )
        if stays := sum(moves == ("S",) for row in rows.values() for _, _, moves in row.values()):
            notes.append(STAYS.format(stays))
        made = TuringMachine(
            states=self.states,
            input_symbols=self.input_symbols,
            tape_symbols=self.tape_symbols,
            transitions={q: {r[0]: (p, w[0], m[0]) for r, (p, w, m) in row.items()} for q, row in rows.items()},
            initial_state=self.initial_state,
            blank_symbol=self.blank_symbol,
            reject_state=reject,
            final_states=self.final_states,
            undefined="reject",
            tape=self.tape,
            name=self.name,
        )
        return made, notes
