"""An erratum: what a source says, the counterexample that is run, and what is true."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import RATIONAL, ExactNumber, exact, short_text
from exactnn.automata import TuringMachine
from exactnn.files import Data, data_rows
from exactnn.markup import Entry as Shown
from exactnn.markup import Table, Tabular
from exactnn.networks import Network
from exactnn.simulation import advance_by, executor_for

__all__ = ["Entry", "Errata", "Erratum", "Outcomes", "entry", "eos_outputs", "numbers_text", "two_state_machine"]


# --- What entries of the ledger share: outputs under EOS, and machines written as rules.


def eos_outputs(network: Network, count: int) -> str:
    """Return f(EOS), f(EOS EOS), ...: the outputs after the empty word, also those after a verdict."""
    assert network.eos is not None
    executor = executor_for(network, RATIONAL)
    segment = advance_by(executor, executor.start(), network.eos, count)
    return numbers_text(*(output for output, times in segment.outputs for _ in range(times)))


def numbers_text(*values: ExactNumber) -> str:
    """Return exact numbers as text.

    >>> numbers_text("1/2", 0)
    '1/2, 0'
    """
    return ", ".join(short_text(exact(value)) for value in values)


def two_state_machine(rules: str) -> TuringMachine:
    """Return the machine on a semi-infinite tape with states q0 and q1 and these rules; what they leave open rejects.

    >>> two_state_machine("q0,_→A,a,R").transitions["q0"]["_"].next_state
    'A'
    """
    table: dict[Hashable, dict[str, tuple[Hashable, str, str]]] = {
        q: {"_": ("R", "a", "R"), "a": ("R", "a", "R")} for q in ("q0", "q1")
    }
    for rule in rules.split("; "):
        (state, symbol), (target, written, move) = (side.split(",") for side in rule.split("→"))
        table[state][symbol] = (target, written, move)
    return TuringMachine(
        states=["q0", "q1", "A", "R"],
        input_symbols=["a"],
        tape_symbols=["_", "a"],
        transitions=table,
        initial_state="q0",
        blank_symbol="_",
        accept_state="A",
        reject_state="R",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """What a counterexample gave when it was run: by the statement as it stands, and corrected."""

    literal: str
    corrected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum(Tabular):
    """A statement of a source that was run, and what came out.

    Parameters
    ----------
    id : str
        As in `docs/sources.md`: "E1", "E2", ...
    title : str
    where : str
        The source, and the place in it.
    statement : str
        What it says.
    counterexample : str
        The smallest one known.
    literal_outcome : str
        What the statement gives there, run just now.
    corrected_outcome : str
        What the corrected one gives.
    correction : str
        What holds instead, in a sentence.
    """

    id: str
    title: str
    where: str
    statement: str
    counterexample: str
    literal_outcome: str
    corrected_outcome: str
    correction: str

    def fields(self) -> dict[str, str]:
        """Return its parts by what they are called where they are shown."""
        return {
            "where": self.where,
            "it says": self.statement,
            "counterexample": self.counterexample,
            "as it stands": self.literal_outcome,
            "corrected": self.corrected_outcome,
            "what holds": self.correction,
        }

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        marks = {"as it stands": "wrong", "corrected": "right"}
        fields = {name: Shown(text, mark=marks.get(name, "")) for name, text in self.fields().items()}
        return Table.of_fields(f"{self.id}: {self.title}", fields)

    def __repr__(self) -> str:
        return f"<Erratum {self.id}: {self.title}>"


class Errata(Data, Tabular, tuple[Erratum, ...]):
    """A tuple of errata, which notebooks and terminals show as a table."""

    __slots__ = ()

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each entry, with its fields."""
        return data_rows(self)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        return Table(
            heading=("id", "erratum", "as it stands", "corrected", "where"),
            rows=tuple(
                (
                    erratum.id,
                    Shown(erratum.title, told=erratum.statement),
                    Shown(erratum.literal_outcome, told=erratum.counterexample, mark="wrong"),
                    Shown(erratum.corrected_outcome, told=erratum.correction, mark="right"),
                    erratum.where,
                )
                for erratum in self
            ),
            longest=1000,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An erratum that has not been run yet: its words, and the function that runs its counterexample."""

    id: str
    title: str
    where: str
    statement: str
    counterexample: str
    correction: str
    outcomes: Callable[[], Outcomes]

    def run(self) -> Erratum:
        """Run the counterexample, by the statement as it stands and corrected."""
        outcomes = self.outcomes()
        return Erratum(
            id=self.id,
            title=self.title,
            where=self.where,
            statement=self.statement,
            counterexample=self.counterexample,
            literal_outcome=outcomes.literal,
            corrected_outcome=outcomes.corrected,
            correction=self.correction,
        )


def entry(
    *, id: str, title: str, where: str, statement: str, counterexample: str, correction: str
) -> Callable[[Callable[[], Outcomes]], Entry]:
    """Return a decorator that makes a function of outcomes an entry of the ledger.

    Examples
    --------
    >>> @entry(id="E0", title="a sum", where="nowhere", statement="1 + 1 = 3", counterexample="1 and 1",
    ...        correction="The sum is 2.")
    ... def sum_of_ones():
    ...     return Outcomes(literal="3", corrected=str(1 + 1))
    >>> sum_of_ones.run().corrected_outcome
    '2'
    """

    def decorate(outcomes: Callable[[], Outcomes]) -> Entry:
        return Entry(
            id=id,
            title=title,
            where=where,
            statement=statement,
            counterexample=counterexample,
            correction=correction,
            outcomes=outcomes,
        )

    return decorate
