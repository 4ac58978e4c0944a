"""The direct interpreter of a step: its expressions evaluated in plain rationals, with every claim checked."""

from collections.abc import Mapping, Sequence

from gmpy2 import mpq

from exactnn.automata import as_word
from exactnn.constructions.steps.expression import Atom, Clipped, Expression, Known, Read, Register
from exactnn.constructions.steps.step import Step, atoms, require_step
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.networks import EOS

__all__ = ["evaluate", "step_outputs", "step_states"]

ZERO, ONE = mpq(0), mpq(1)


def step_outputs(step: Step, word: str | Sequence[str], *, eos_steps: int = 0) -> list[mpq]:
    """Return the output before the first symbol of a word and after each one, and after so many EOS symbols.

    Raises
    ------
    WordError
        If a symbol is not among the step's.
    OptionError
        If `eos_steps` is no whole number of at least 0, or the step has no EOS to read.
    ConstructionError
        If something does not lie where the step claims.
    """
    states = step_states(step, word, eos_steps=eos_steps)
    return [_sum(step.output, dict[Atom, mpq](state.items())) for state in states]


def step_states(step: Step, word: str | Sequence[str], *, eos_steps: int = 0) -> list[dict[Register, mpq]]:
    """Return the registers before the first symbol of a word and after each one, and after so many EOS symbols."""
    require_step(step)
    if not isinstance(eos_steps, int) or isinstance(eos_steps, bool) or eos_steps < 0:
        raise OptionError(f"eos_steps={shown(eos_steps)}: give a whole number of at least 0")
    if eos_steps and EOS not in step.symbols:
        raise OptionError(f"eos_steps={eos_steps}: step {shown(step.name)} does not read {EOS}; leave it out")
    symbols = as_word(word, [a for a in step.symbols if a != EOS])
    states = [{register: register.start for register, _ in step.rows}]
    order = atoms([value for _, value in step.rows], alternatives=True)
    for symbol in [*symbols, *[EOS] * eos_steps]:
        values = evaluate(order, states[-1], symbol)
        states.append({register: _sum(value, values) for register, value in step.rows})
        for register, number in states[-1].items():
            _check(number, register)
    return states


def evaluate(order: Sequence[Atom], state: Mapping[Register, mpq], symbol: str) -> dict[Atom, mpq]:
    """Return the values of atoms, given with the inner ones first."""
    values: dict[Atom, mpq] = {}
    for atom in order:
        if isinstance(atom, Register):
            values[atom] = state[atom]
        elif isinstance(atom, Read):
            values[atom] = mpq(atom.symbol == symbol)
        else:
            number = _sum(atom.argument, values)
            if isinstance(atom, Known):
                _check(number, atom)
                _check_alternatives(atom, values)
            elif isinstance(atom, Clipped):
                number = max(ZERO, number)
                number = min(ONE, number) if atom.saturates else number
            values[atom] = number
    return values


def _sum(value: Expression, values: Mapping[Atom, mpq]) -> mpq:
    return sum((weight * values[atom] for atom, weight in value.terms), value.constant)


def _check_alternatives(atom: Known, values: Mapping[Atom, mpq]) -> None:
    if atom.alternatives is not None and (number := _sum(atom.alternatives, values)) > ONE:
        raise ConstructionError(
            f"{shown(str(atom))}: {number} of its conditions are 1 at once, {shown(str(atom.alternatives))}: "
            "write them so that at most one is"
        )


def _check(number: mpq, atom: Register | Known) -> None:
    if number not in atom.domain:
        raise ConstructionError(f"{shown(str(atom))} is {number}, which is not in {atom.domain} as the step claims")
