"""Is there a unitary network of some size with the outputs of the memoryless one on some words? An SMT solver decides.

This is a cross-check of :mod:`exactnn.contraction.lower_bounds.unitary`: the solver is told what a network is, and
nothing of the argument. It needs z3. :mod:`exactnn.contraction.lower_bounds.smt_cells` asks a smaller question.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product as tuples
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, ExactNumber, counted
from exactnn.contraction.contractivity import elman
from exactnn.contraction.lower_bounds.relu_witness import relu_witness
from exactnn.errors import CertificateError, MissingExtraError, OptionError, shown
from exactnn.interrupts import loaded
from exactnn.linear_algebra import dot, is_isometry
from exactnn.networks import Network, SimpleRNN
from exactnn.options import listed, seconds, whole_number
from exactnn.simulation import whole_run

__all__ = ["SolverAnswer", "smt_lower_bound", "z3_module"]

MOST_UNKNOWN = 100
"""Inputs or states: the solver has an unknown for each pair of them, and gives up long before."""

ONE = mpq(1)

Word = tuple[tuple[mpq, ...], ...]
Words = Sequence[Sequence[Sequence[ExactNumber]]]
Terms = list[Any]
Rows = list[Terms]


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverAnswer:
    """Whether a unitary ReLU network with so many states has the outputs ReLU(x) after each input of some words.

    Parameters
    ----------
    inputs, states : int
    words : tuple of words
    possible : bool or None
        False: the solver found that no such network exists, with whatever real weights; so none has these outputs on
        all words. True: there is one, for these words; on others its outputs may differ. None: not decided.
    network : Network or None
        One that has them, with rational weights: its matrix is orthogonal, and it was run on every word, exactly. None
        if there is none, or the solver's has irrational algebraic weights: then only the solver has checked it.
    reason : str
        Why it is not decided; "" if it is.
    """

    inputs: int
    states: int
    words: tuple[Word, ...]
    possible: bool | None
    network: Network | None
    reason: str

    def __str__(self) -> str:
        claim = (
            f"unitary ReLU network with {counted(self.states, 'state')} has the outputs of ReLU of "
            f"{counted(self.inputs, 'input')} on {counted(len(self.words), 'word')}"
        )
        if self.possible is None:
            return f"not decided whether a {claim}: {self.reason}"
        if not self.possible:
            return f"impossible: no {claim}"
        return f"possible: a {claim}{'' if self.network else ' (with irrational weights; checked by the solver only)'}"

    def __repr__(self) -> str:
        return f"<SolverAnswer {self}>"


def smt_lower_bound(inputs: int, states: int, *, words: Words | None = None, max_seconds: float = 60) -> SolverAnswer:
    """Ask whether a unitary network with m `states` has the outputs of ``relu_witness(n)`` on finitely many words.

    Parameters
    ----------
    inputs : int
        n.
    states : int
        m.
    words : sequence of words, optional
        Of vectors of n exact numbers. Unless given, the (n + 1)² words of two of the inputs (1, ..., 1) and
        (1, ..., 1) + eᵢ.
    max_seconds : float
        Time for the solver.

    Raises
    ------
    OptionError
        If a number is out of range, there is no word, or a word has other vectors.
    MissingExtraError
        If z3 is not installed.

    Notes
    -----
    The unknowns are U with UᵀU = I, F, b, C, c and the start state h, all real, and the state after each prefix of a
    word: ``hᵢ ≥ 0``, ``hᵢ ≥ pᵢ``, and hᵢ is 0 or pᵢ, for what goes into the unit, ``p = U h + F x + b``. Outputs are
    compared after each input, not before the first. Nothing is lost by three simplifications. U h + b, for the start
    state h, is an unknown v of its own, as U has an inverse. Units may change places, so that b is ascending. For
    m = 1, U is ±1, and for m = 2 a rotation, or a rotation with its second column reversed.

    An answer "impossible" is as good as the solver z3, which gives no proof that is checked here. It decides
    n = 1 in much less than a second, m = 1 and m = 2; n = 2 with m = 2 or m = 3 it does not within minutes. The
    theorem itself needs no solver.

    References
    ----------
    L. de Moura and N. Bjørner, "Z3: an efficient SMT solver", TACAS 2008; D. Jovanović and L. de Moura, "Solving
    non-linear arithmetic", IJCAR 2012.

    Examples
    --------
    >>> print(smt_lower_bound(1, 1))
    impossible: no unitary ReLU network with 1 state has the outputs of ReLU of 1 input on 4 words
    >>> print(smt_lower_bound(1, 2))
    possible: a unitary ReLU network with 2 states has the outputs of ReLU of 1 input on 4 words
    """
    inputs, states = (
        whole_number(name, number, 1, MOST_UNKNOWN) for name, number in (("inputs", inputs), ("states", states))
    )
    max_seconds = seconds("max_seconds", max_seconds)
    read = _words(inputs, words)
    deadline = time.monotonic() + max_seconds
    reason = ""
    for unknowns in _cases(inputs, states):
        solver = z3_module().Solver()
        solver.set("timeout", milliseconds(deadline - time.monotonic()))
        solver.add(unknowns.constraints(read))
        answer = str(solver.check())
        if answer == "sat":
            network = unknowns.network(solver.model())
            _check(solver, network, read)
            return _answer(inputs, states, read, possible=True, network=network)
        if answer != "unsat":
            reason = f"z3 ended with {solver.reason_unknown()!r}, of {max_seconds} seconds"
    return _answer(inputs, states, read, possible=None if reason else False, reason=reason)


def _answer(
    inputs: int,
    states: int,
    words: tuple[Word, ...],
    *,
    possible: bool | None,
    network: Network | None = None,
    reason: str = "",
) -> SolverAnswer:
    return SolverAnswer(inputs=inputs, states=states, words=words, possible=possible, network=network, reason=reason)


def milliseconds(seconds: float) -> int:
    """Return what is left of a time limit as z3 takes it; it has 32 bits for it.

    >>> milliseconds(1.5), milliseconds(-1), milliseconds(float("inf"))
    (1500, 1, 4294967295)
    """
    return max(1, int(min(1000 * seconds, 2**32 - 1)))


def z3_module() -> Any:
    """Return the module z3; raises MissingExtraError if it is not installed."""
    try:
        return loaded("z3")
    except ImportError:
        raise MissingExtraError('the SMT cross-check needs z3: pip install "exactnn[smt]"') from None


def _words(inputs: int, words: Words | None) -> tuple[Word, ...]:
    """Return the words, as exact numbers."""
    if words is None:
        ones = (ONE,) * inputs
        frame = [ones, *(tuple(ONE + (i == j) for j in range(inputs)) for i in range(inputs))]
        return tuple(tuples(frame, repeat=2))
    network = relu_witness(inputs)
    given = listed("words", words, "a sequence of words, each a sequence of vectors")
    read = tuple(tuple(x for x in network.inputs(word) if isinstance(x, tuple)) for word in given)
    if not any(read):
        raise OptionError(f"words={shown(words)}: give at least one word with an input")
    return read


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unknowns:
    """The unknown weights, as terms of the solver; `first` is U h + b for the start state h."""

    U: Rows
    F: Rows
    C: Rows
    b: Terms
    c: Terms
    first: Terms
    orthogonal: Terms

    def constraints(self, words: Sequence[Word]) -> Terms:
        """Return that the weights are a unitary network's, with the outputs ReLU(x) after each prefix of each word."""
        z3 = z3_module()
        found = [*self.orthogonal, *(low <= high for low, high in zip(self.b, self.b[1:], strict=False))]
        states: dict[Word, Terms] = {}
        for prefix in dict.fromkeys(word[: t + 1] for word in words for t in range(len(word))):
            state = [z3.Real(f"state{len(states)}[{i}]") for i in range(len(self.b))]
            for i, entry in enumerate(state):
                into = self._driven(i, prefix, states)
                found += [entry >= 0, entry >= into, z3.Or(entry == 0, entry == into)]
            for row, constant, x in zip(self.C, self.c, prefix[-1], strict=True):
                found.append(_sum(row, state) + constant == _real(max(x, mpq(0))))
            states[prefix] = state
        return found

    def _driven(self, unit: int, prefix: Word, states: dict[Word, Terms]) -> Any:
        """Return what goes into a unit at the last input of a prefix."""
        driven = _sum(self.F[unit], [_real(x) for x in prefix[-1]])
        if len(prefix) == 1:
            return self.first[unit] + driven
        return _sum(self.U[unit], states[prefix[:-1]]) + driven + self.b[unit]

    def network(self, model: Any) -> Network | None:
        """Return the network of a model; None if a weight is irrational."""
        vectors, matrices = (self.b, self.c, self.first), (self.U, self.F, self.C)
        terms = [term for row in (*vectors, *(row for rows in matrices for row in rows)) for term in row]
        values = {term.get_id(): model.eval(term, model_completion=True) for term in terms}
        if not all(map(z3_module().is_rational_value, values.values())):
            return None

        def numbers(row: Terms) -> list[mpq]:
            return [mpq(values[term.get_id()].as_string()) for term in row]

        b, c, first = map(numbers, vectors)
        U, F, C = ([numbers(row) for row in rows] for rows in matrices)
        before = [x - y for x, y in zip(first, b, strict=True)]
        start = [dot(column, before) for column in zip(*U, strict=True)]
        return SimpleRNN(V=U, W=F, b=b, s=start, readout_weight=C, readout_bias=c, name="solver's network")


def _cases(inputs: int, states: int) -> Iterator[_Unknowns]:
    """Yield the unknowns, for each form that an orthogonal matrix of this size may have."""
    z3 = z3_module()

    def vector(name: str, size: int) -> Terms:
        return [z3.Real(f"{name}[{i}]") for i in range(size)]

    def matrix(name: str, rows: int, columns: int) -> Rows:
        return [vector(f"{name}[{i}]", columns) for i in range(rows)]

    for U, orthogonal in _orthogonal(states, matrix):
        yield _Unknowns(
            U=U,
            F=matrix("F", states, inputs),
            C=matrix("C", inputs, states),
            b=vector("b", states),
            c=vector("c", inputs),
            first=vector("v", states),
            orthogonal=orthogonal,
        )


def _orthogonal(size: int, matrix: Any) -> Iterator[tuple[Rows, Terms]]:
    """Yield the forms of an orthogonal matrix, and what its unknowns satisfy."""
    if size == 1:
        yield from (([[_real(sign)]], []) for sign in (ONE, -ONE))
        return
    U = matrix("U", size, size)
    columns = list(zip(*U, strict=True))
    yield U, [_sum(columns[i], columns[j]) == int(i == j) for i in range(size) for j in range(i + 1)]


def _sum(first: Sequence[Any], second: Sequence[Any]) -> Any:
    return z3_module().Sum([x * y for x, y in zip(first, second, strict=True)])


def _real(number: mpq) -> Any:
    return z3_module().RealVal(f"{number.numerator}/{number.denominator}")


def _check(solver: Any, network: Network | None, words: Sequence[Word]) -> None:
    """Check a model of the solver: in plain rationals if its weights are rational, else by the solver's evaluation."""
    if network is None:
        model, true = solver.model(), z3_module().is_true
        if not all(true(model.eval(term, model_completion=True)) for term in solver.assertions()):
            raise CertificateError("the solver's model does not satisfy what it was asked for")
        return
    if not is_isometry(elman(network).V, (ONE,) * network.neurons):
        raise CertificateError("the recurrent matrix of the solver's network is not orthogonal")
    for word in words:
        wanted = [tuple(max(x, mpq(0)) for x in vector) for vector in word]
        if whole_run(network, word, arithmetic=RATIONAL).outputs[:] != wanted:
            raise CertificateError(f"the outputs of the solver's network on the word {shown(word)} are others")
