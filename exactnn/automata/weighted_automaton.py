"""Weighted automata over the rationals: the value of a word is a product of matrices."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.automata.alphabet import Symbol, as_word
from exactnn.automata.dfa import DFA, MooreMachine
from exactnn.automata.drawn import Drawn, shown_symbol
from exactnn.automata.integer_weights import weights_after
from exactnn.automata.transitions import Transitions
from exactnn.automata.validation import collected, name_faults, symbol_faults
from exactnn.errors import ExactnnError, MachineError, NumberError, shown
from exactnn.linear_algebra import Matrix, Vector, kronecker, row_times, transposed
from exactnn.markup import MOST_ROWS, Arrow, Graph, Node, Table
from exactnn.matrices import exact_entry, exact_matrix, exact_vector
from exactnn.options import mapped

__all__ = ["MOST_ENTRIES", "WeightedAutomaton", "require_weighted"]

MOST_ENTRIES = 10_000_000
"""Entries of all matrices together: beyond, they are refused before one is made."""

ZERO, ONE = mpq(0), mpq(1)


@dataclass(frozen=True, slots=True, init=False)
class WeightedAutomaton(Drawn):
    """A weighted automaton: the value of the word w₁ … w_T is ``initial · A(w₁) … A(w_T) · final``.

    Parameters
    ----------
    input_symbols : iterable of str
        The alphabet.
    initial : vector of length n
        The weight with which each state begins.
    transitions : mapping symbol -> matrix (n by n)
        ``transitions[a][i][j]`` is the weight of the step from state i to state j on the symbol a.
    final : vector of length n
        The weight with which each state ends.
    name : str, optional
        A name for reports.

    Raises
    ------
    MachineError
        If sizes do not fit, a symbol has no matrix, an entry is no exact number (a float is taken as exactly what it
        is), or there are more than ten million entries.

    References
    ----------
    M. P. Schützenberger, "On the definition of a family of automata", *Information and Control* 4, 1961, pp. 245-270.

    Examples
    --------
    The number of a's: the second state holds how many there were.

    >>> count = WeightedAutomaton(input_symbols="ab", initial=[1, 0], final=[0, 1],
    ...     transitions={"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
    >>> count.value("aabaa")
    mpq(4,1)
    >>> (count * count + 3 * count).value("aabaa")
    mpq(28,1)
    """

    input_symbols: tuple[Symbol, ...]
    initial: Vector
    transitions: Transitions[Symbol, Matrix]
    final: Vector
    name: str

    def __init__(
        self,
        *,
        input_symbols: Iterable[Symbol],
        initial: Sequence[ExactNumber],
        transitions: Mapping[Symbol, Sequence[Sequence[ExactNumber]]],
        final: Sequence[ExactNumber],
        name: str = "weighted automaton",
    ) -> None:
        fill = object.__setattr__
        faults: list[str] = []
        symbols = collected("input_symbols", input_symbols, faults)
        faults += [*name_faults({}, (), name), *symbol_faults(symbols, "input symbol")]
        if faults:
            raise MachineError(name, faults)
        fill(self, "name", name)
        try:
            size = len(start := exact_vector(initial, "initial"))
            if size * size * len(symbols) > MOST_ENTRIES:
                raise MachineError(
                    name, [f"{size:,} states and {len(symbols):,} symbols make more than {MOST_ENTRIES:,} entries"]
                )
            fill(self, "input_symbols", symbols)
            fill(self, "initial", start)
            fill(self, "final", exact_vector(final, "final", size=size))
            fill(self, "transitions", Transitions(_matrices(transitions, symbols, size)))
        except MachineError:
            raise
        except ExactnnError as error:
            raise MachineError(name, [str(error)]) from None

    @classmethod
    def from_dfa(
        cls, dfa: DFA, *, accepted: ExactNumber = 1, rejected: ExactNumber = 0, name: str = ""
    ) -> "WeightedAutomaton":
        """Return the automaton whose value is `accepted` on the words of a language and `rejected` on all others.

        >>> odd = DFA(states=[0, 1], input_symbols="a", transitions={0: {"a": 1}, 1: {"a": 0}},
        ...           initial_state=0, final_states=[1])
        >>> WeightedAutomaton.from_dfa(odd, rejected=-1).value("aaa")
        mpq(1,1)
        """
        if not isinstance(dfa, DFA):
            raise MachineError(dfa, ["it is no DFA: give one"])
        finals = set(dfa.final_states)
        return cls._of_states(dfa, [accepted if state in finals else rejected for state in dfa.states], name)

    @classmethod
    def from_moore_machine(
        cls, machine: MooreMachine, *, value: Callable[[Any], ExactNumber] = exact, name: str = ""
    ) -> "WeightedAutomaton":
        """Return the automaton whose value on a word is that of the output after it, by default the output itself.

        >>> count = MooreMachine(states=[0, 1], input_symbols="a", transitions={0: {"a": 1}, 1: {"a": 1}},
        ...                      initial_state=0, outputs={0: 0, 1: "1/2"})
        >>> WeightedAutomaton.from_moore_machine(count).value("aaa")
        mpq(1,2)
        """
        if not isinstance(machine, MooreMachine):
            raise MachineError(machine, ["it is no Moore machine: give one, or a DFA to from_dfa"])
        return cls._of_states(machine, [value(machine.outputs[state]) for state in machine.states], name)

    @classmethod
    def _of_states(cls, machine: DFA | MooreMachine, final: Sequence[ExactNumber], name: str) -> "WeightedAutomaton":
        number = {state: i for i, state in enumerate(machine.states)}
        size = len(number)
        if size * size * len(machine.input_symbols) > MOST_ENTRIES:
            fault = f"{size:,} states make matrices of more than {MOST_ENTRIES:,} entries"
            raise MachineError(machine.name, [fault])
        return cls(
            input_symbols=machine.input_symbols,
            initial=_unit(number[machine.initial_state], size),
            transitions={
                symbol: [_unit(number[machine.transitions[state][symbol]], size) for state in machine.states]
                for symbol in machine.input_symbols
            },
            final=final,
            name=name or machine.name,
        )

    @property
    def size(self) -> int:
        """How many states it has."""
        return len(self.initial)

    @property
    def states(self) -> tuple[int, ...]:
        """The numbers of its states."""
        return tuple(range(self.size))

    def forward(self, word: str | Sequence[Symbol]) -> Vector:
        """Return the weights of the states after a word: ``initial · A(w₁) … A(w_T)``.

        Raises
        ------
        WordError
            If the word has a symbol outside the alphabet.
        SizeLimitError
            If the numbers may be too long for the memory.
        """
        numerators, denominator = weights_after(self.initial, self.transitions, as_word(word, self.input_symbols))
        return tuple(mpq(x, denominator) for x in numerators)

    def value(self, word: str | Sequence[Symbol] = "") -> mpq:
        """Return the value of a word, exactly.

        Raises
        ------
        WordError
            If the word has a symbol outside the alphabet.
        SizeLimitError
            If the numbers may be too long for the memory.
        """
        numerators, denominator = weights_after(self.initial, self.transitions, as_word(word, self.input_symbols))
        return sum((x * y for x, y in zip(numerators, self.final, strict=True)), ZERO) / denominator

    def path(self, word: str | Sequence[Symbol]) -> Iterator[Vector]:
        """Yield the weights of the states before the word, and after each of its symbols.

        Raises
        ------
        WordError
            If the word has a symbol outside the alphabet.
        """
        weights = self.initial
        yield weights
        for symbol in as_word(word, self.input_symbols):
            weights = row_times(weights, self.transitions[symbol])
            yield weights

    def __add__(self, other: "WeightedAutomaton") -> "WeightedAutomaton":
        """Return the automaton whose values are the sums; its size is the sum of the sizes."""
        if not isinstance(other, WeightedAutomaton):
            return NotImplemented
        symbols = self._symbols_with(other)
        before, after = (ZERO,) * self.size, (ZERO,) * other.size
        return self._made(
            f"{self.name} + {other.name}",
            symbols,
            self.initial + other.initial,
            {
                a: tuple(row + after for row in self.transitions[a])
                + tuple(before + row for row in other.transitions[a])
                for a in symbols
            },
            self.final + other.final,
        )

    def __mul__(self, other: object) -> "WeightedAutomaton":
        """Return the automaton whose values are the products (Hadamard), or each value times a number."""
        if not isinstance(other, WeightedAutomaton):
            try:
                factor = exact_entry(other, "the factor")
            except NumberError:
                return NotImplemented
            initial = tuple(factor * x for x in self.initial)
            return self._made(f"{factor} · {self.name}", self.input_symbols, initial, self.transitions, self.final)
        symbols = self._symbols_with(other)
        if (self.size * other.size) ** 2 * len(symbols) > MOST_ENTRIES:
            raise MachineError(self.name, [f"the product with {other.name} has more than {MOST_ENTRIES:,} entries"])
        return self._made(
            f"{self.name} · {other.name}",
            symbols,
            kronecker((self.initial,), (other.initial,))[0],
            {a: kronecker(self.transitions[a], other.transitions[a]) for a in symbols},
            kronecker((self.final,), (other.final,))[0],
        )

    __rmul__ = __mul__

    def __neg__(self) -> "WeightedAutomaton":
        """Return the automaton of the negative values."""
        return -1 * self

    def __sub__(self, other: "WeightedAutomaton") -> "WeightedAutomaton":
        """Return the automaton of the differences."""
        return self + -other if isinstance(other, WeightedAutomaton) else NotImplemented

    def reversed(self) -> "WeightedAutomaton":
        """Return the automaton that gives each word what this one gives the word read backwards."""
        backwards = {a: transposed(matrix) if matrix else () for a, matrix in self.transitions.items()}
        return self._made(f"{self.name} reversed", self.input_symbols, self.final, backwards, self.initial)

    def trimmed(self) -> "WeightedAutomaton":
        """Return it without states that no weight reaches, or from which none leads to an end: the same values."""
        ahead = _reached(self.initial, list(self.transitions.values()))
        back = _reached(self.final, [transposed(matrix) if matrix else () for matrix in self.transitions.values()])
        return self.on_states(sorted(ahead & back))

    def on_states(self, kept: Sequence[int]) -> "WeightedAutomaton":
        """Return it with these states only, given by their numbers.

        Raises
        ------
        MachineError
            If one is the number of no state, or is there twice.
        """
        if len(set(kept)) < len(kept) or not set(kept) <= set(self.states):
            raise MachineError(self.name, [f"kept is {shown(kept)}: give different numbers below {self.size}"])
        return self._made(
            self.name,
            self.input_symbols,
            tuple(self.initial[i] for i in kept),
            {a: tuple(tuple(matrix[i][j] for j in kept) for i in kept) for a, matrix in self.transitions.items()},
            tuple(self.final[i] for i in kept),
        )

    def renamed(self, name: str) -> "WeightedAutomaton":
        """Return the same automaton under another name."""
        return self._made(name, self.input_symbols, self.initial, self.transitions, self.final)

    def _symbols_with(self, other: "WeightedAutomaton") -> tuple[Symbol, ...]:
        if set(self.input_symbols) != set(other.input_symbols):
            raise MachineError(
                self.name,
                [f"it reads {shown(self.input_symbols)}, {other.name} {shown(other.input_symbols)}: give the same"],
            )
        return self.input_symbols

    @staticmethod
    def _made(
        name: str, symbols: tuple[Symbol, ...], initial: Vector, transitions: Mapping[Symbol, Matrix], final: Vector
    ) -> "WeightedAutomaton":
        return WeightedAutomaton(
            input_symbols=symbols, initial=initial, transitions=transitions, final=final, name=name
        )

    def __repr__(self) -> str:
        return f"<{self.name}: {self.size} states, {len(self.input_symbols)} symbols>"

    def graph(self) -> Graph:
        """Return it as a graph: a node for each state, an arrow for each pair of states with a weight between them.

        A state with which words end is written as state / weight. One with which they begin has an arrow from outside,
        with its weight unless that is 1; any other arrow has a line ``symbol / weight`` for each symbol.
        """
        return Graph(
            title=self.name,
            nodes=tuple(
                Node(name=f"{i} / {weight}" if weight else str(i), double=bool(weight))
                for i, weight in enumerate(self.final)
            ),
            arrows=tuple(self._arrows()),
            starts=tuple((i, "" if weight == 1 else str(weight)) for i, weight in enumerate(self.initial) if weight),
        )

    def _arrows(self) -> Iterator[Arrow]:
        for i in self.states:
            found: dict[int, list[str]] = {}
            for a in self.input_symbols:
                for j, weight in enumerate(self.transitions[a][i]):
                    if weight:
                        found.setdefault(j, []).append(f"{shown_symbol(a)} / {weight}")
            for j, lines in sorted(found.items()):
                yield Arrow(source=i, target=j, lines=tuple(lines))

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: a row for each state, with where its weight goes."""
        rows = tuple(
            (
                i,
                str(self.initial[i]),
                *(_combination(self.transitions[a][i]) for a in self.input_symbols),
                str(self.final[i]),
            )
            for i in range(min(self.size, MOST_ROWS))
        )
        return Table(
            title=self.name,
            heading=("state", "begins with", *self.input_symbols, "ends with"),
            rows=rows,
            note="each entry of a symbol: weight → next state",
            more=max(0, self.size - MOST_ROWS),
        )


def require_weighted(*automata: object) -> None:
    """Raise MachineError unless all are weighted automata."""
    for automaton in automata:
        if not isinstance(automaton, WeightedAutomaton):
            raise MachineError(automaton, ["it is no weighted automaton: give a WeightedAutomaton"])


def _matrices(given: object, symbols: tuple[Symbol, ...], size: int) -> dict[Symbol, Matrix]:
    if not isinstance(given, Mapping):
        raise NumberError(f"transitions is {shown(given)}: give a mapping from each symbol to a matrix")
    matrices = mapped("transitions", given)
    if missing := [symbol for symbol in symbols if symbol not in matrices]:
        raise NumberError(f"transitions has no matrix for {shown(missing[0])}: give one for each input symbol")
    if unknown := [symbol for symbol in matrices if symbol not in symbols]:
        raise NumberError(f"transitions has a matrix for {shown(unknown[0])}, which is no input symbol")
    return {a: exact_matrix(matrices[a], f"transitions[{a!r}]", height=size, width=size) for a in symbols}


def _unit(place: int, size: int) -> Vector:
    return (ZERO,) * place + (ONE,) + (ZERO,) * (size - place - 1)


def _reached(begin: Vector, matrices: Sequence[Matrix]) -> set[int]:
    """Return the states to which entries that are not 0 lead from those of `begin`."""
    found = {i for i, weight in enumerate(begin) if weight}
    new = list(found)
    while new:
        state = new.pop()
        following = {j for matrix in matrices for j, weight in enumerate(matrix[state]) if weight} - found
        found |= following
        new += following
    return found


def _combination(row: Vector) -> str:
    """Return the weights of a row, each with its state.

    >>> _combination((mpq(1, 2), mpq(0), mpq(1)))
    '1/2 → 0, 1 → 2'
    """
    return ", ".join(f"{weight} → {j}" for j, weight in enumerate(row) if weight) or "nothing"
