"""A step written as expressions: what each register becomes, and the output; its direct interpreter and its network."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gmpy2 import mpq

from exactnn.automata import as_word
from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.stack_numbers import HALF
from exactnn.constructions.steps.expression import (
    Atom,
    Clipped,
    Expression,
    Known,
    Operand,
    Read,
    Register,
    alternative,
    as_expression,
)
from exactnn.constructions.steps.registers import Choice, StackVector
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol, Unit, affine_unit
from exactnn.options import whole_number

__all__ = ["Held", "Step", "Value", "step_network", "step_outputs", "step_states"]

Held = Expression | StackVector | Choice
Value = Operand | StackVector | Mapping[Hashable, Operand]

ZERO, ONE = mpq(0), mpq(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step: its alphabet, what its registers become, and its output.

    Parameters
    ----------
    symbols : sequence of str
        What words are made of; with "EOS" among them the protocol is that of intermediate steps, else a word is
        accepted if the output after it is above 1/2.
    next : mapping register -> value
        Of a number or a bit an expression; of a stack a stack; of a choice one of its values, or a condition for each.
    output : Expression
        A sum over registers.
    name : str

    Raises
    ------
    ConstructionError
        If a value may lie outside of its register's domain, a register that is read is not kept, or a symbol that is
        read is not in the alphabet.

    Examples
    --------
    >>> from exactnn.constructions.steps import and_, bit, either, not_, read, step_outputs
    >>> odd = bit("odd")
    >>> flips = either(and_(odd, not_(read("1"))), and_(not_(odd), read("1")))
    >>> parity = Step(symbols="01", next={odd: flips}, output=odd, name="parity")
    >>> [str(y) for y in step_outputs(parity, "0110")]
    ['0', '0', '1', '0', '0']
    """

    symbols: Sequence[str]
    next: Mapping[Held, Value] = field(repr=False, compare=False)
    output: Expression
    name: str = "step"
    rows: tuple[tuple[Register, Expression], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.next, Mapping):
            raise ConstructionError(f"next={shown(self.next)}: give a mapping of registers to their next values")
        if not isinstance(self.symbols, Iterable) or not all(isinstance(a, str) for a in self.symbols):
            raise ConstructionError(f"symbols={shown(self.symbols)}: give a collection of strings")
        fill = object.__setattr__
        fill(self, "symbols", tuple(self.symbols))
        if twice := [a for a, count in Counter(self.symbols).items() if count > 1]:
            raise ConstructionError(f"symbols={shown(self.symbols)}: {shown(twice[0])} is there twice; give it once")
        fill(self, "output", as_expression(self.output))
        fill(self, "rows", tuple(row for held, value in self.next.items() for row in _rows(held, value)))
        registers = [register for register, _ in self.rows]
        if len(set(registers)) != len(registers):
            raise ConstructionError(f"step {shown(self.name)} says twice what a register becomes: say it once")
        if alike := [name for name, count in Counter(register.name for register in registers).items() if count > 1]:
            raise ConstructionError(f"step {shown(self.name)} has two registers named {shown(alike[0])}: rename one")
        for register, value in self.rows:
            self._check(value, registers, f"the next value of {shown(str(register))}")
            if not register.domain.includes(value.domain):
                raise ConstructionError(
                    f"step {shown(self.name)}: the next value of {shown(str(register))}, {shown(str(value))}, lies in "
                    f"{value.domain} and the register in {register.domain}: give it a larger domain, or say "
                    "within(...) if you know better"
                )
        self._check(self.output, registers, "the output")
        if any(not isinstance(atom, Register) for atom, _ in self.output.terms):
            raise ConstructionError(
                f"step {shown(self.name)}: the output {shown(str(self.output))} is no sum over registers: keep what it "
                "needs in a register"
            )

    @property
    def decision(self) -> Decision:
        """How outputs become verdicts."""
        protocol = Protocol.EOS_VERDICT if EOS in self.symbols else Protocol.END_OF_WORD
        return Decision(protocol=protocol, threshold=HALF)

    def _check(self, value: Expression, registers: Sequence[Register], what: str) -> None:
        for atom in atoms([value], alternatives=True):
            if isinstance(atom, Read) and atom.symbol not in self.symbols:
                raise ConstructionError(
                    f"step {shown(self.name)}: {what} reads {shown(atom.symbol)}, which is not among its symbols"
                )
            if isinstance(atom, Register) and atom not in registers:
                raise ConstructionError(
                    f"step {shown(self.name)}: {what} reads register {shown(str(atom))}, but `next` does not say what "
                    "it becomes"
                )


def require_step(value: object) -> None:
    """Raise ConstructionError if something is no step."""
    if not isinstance(value, Step):
        raise ConstructionError(f"{shown(value)} is no Step: write one with Step(symbols=, next=, output=)")


def atoms(values: Sequence[Expression], *, alternatives: bool = False) -> list[Atom]:
    """Return all atoms of expressions and of what is inside of them, each once, the inner ones first.

    Parameters
    ----------
    alternatives : bool
        Those too that only say what a value rests on: a network does not compute them.
    """
    found: dict[Atom, None] = {}
    for value in values:
        _collect(value, found, alternatives)
    return list(found)


def _collect(value: Expression, found: dict[Atom, None], alternatives: bool) -> None:
    for atom, _ in value.terms:
        if atom not in found:
            if isinstance(atom, Clipped | Known):
                _collect(atom.argument, found, alternatives)
            if alternatives and isinstance(atom, Known) and atom.alternatives is not None:
                _collect(atom.alternatives, found, alternatives)
            found[atom] = None


def _rows(held: Held, value: Value) -> Iterator[tuple[Register, Expression]]:
    """Yield the registers that something held consists of, each with its next value."""
    if isinstance(held, Expression):
        if isinstance(value, StackVector | Mapping):
            raise ConstructionError(f"register {shown(str(held))} is a number and cannot become {shown(value)}")
        yield _register(held), as_expression(value)
    elif isinstance(held, StackVector):
        if not isinstance(value, StackVector) or (value.base, value.symbols) != (held.base, held.symbols):
            raise ConstructionError(f"a stack of {shown(held.symbols)} cannot become {shown(value)}: give such a stack")
        for symbol in held.symbols:
            yield _register(held[symbol]), value[symbol]
    elif not isinstance(held, Choice):
        raise ConstructionError(f"{shown(held)} is no register: the keys of `next` are registers")
    else:
        bits = value if isinstance(value, Mapping) else held.as_value(value)
        for unknown in [key for key in bits if key not in dict(held.items)]:
            held[unknown]
        values = {key: as_expression(bit) for key, bit in bits.items()}
        for key, register in held.items:
            chosen = values.get(key, Expression(()))
            yield _register(register), alternative(chosen, list(values.values()), chosen.domain, str(chosen))


def _register(held: Expression) -> Register:
    atom = held.terms[0][0] if held.terms else None
    if not isinstance(atom, Register) or held != Expression(((atom, mpq(1)),)):
        raise ConstructionError(f"{shown(str(held))} is no register: the keys of `next` are registers")
    return atom


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
    eos_steps = whole_number("eos_steps", eos_steps)
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


def step_network(step: Step) -> Network:
    """Return the network of a step: a layer of units for each level of nesting, then the registers' next values.

    A step that is nested once becomes a simple RNN of one step per step by `fold_network`, another one of several.

    Examples
    --------
    >>> from exactnn.constructions.folding import fold_network
    >>> from exactnn.constructions.steps import Step, number, read, relu
    >>> depth = number("depth", low=0)
    >>> counter = Step(symbols="()", next={depth: relu(depth + read("(") - read(")"))}, output=depth)
    >>> network = step_network(counter)
    >>> len(network.circuit.layers), fold_network(network).network.neurons
    (2, 2)
    """
    require_step(step)
    registers: dict[Atom, int] = {register: i for i, (register, _) in enumerate(step.rows)}
    registers |= {Read(symbol): len(registers) + i for i, symbol in enumerate(step.symbols)}
    forms: dict[Atom, Affine] = {atom: var(atom) for atom in registers}
    layers: list[list[Clipped]] = []
    depth: dict[Atom, int] = {}
    for atom in atoms([value for _, value in step.rows]):
        inner = () if isinstance(atom, Register | Read) else atom.argument.terms
        depth[atom] = max((depth[part] for part, _ in inner), default=0)
        if isinstance(atom, Known):
            forms[atom] = _form(atom.argument, forms)
        elif isinstance(atom, Clipped):
            forms[atom] = var(atom)
            if depth[atom] == len(layers):
                layers.append([])
            layers[depth[atom]].append(atom)
            depth[atom] += 1
    lowered = []
    for layer in layers:
        lowered.append(tuple(_unit(atom, forms, registers) for atom in layer))
        registers |= {atom: len(registers) + i for i, atom in enumerate(layer)}
    first = len(registers)
    lowered.append(tuple(_affine(str(register), _form(value, forms), registers) for register, value in step.rows))
    return Network(
        circuit=Circuit(
            state_size=len(step.rows),
            input_size=len(step.symbols),
            layers=tuple(lowered),
            next_state=tuple(range(first, first + len(step.rows))),
        ),
        initial_state=tuple(register.start for register, _ in step.rows),
        readout=(_affine("output", _form(step.output, forms), registers),),
        alphabet=tuple(step.symbols),
        decision=step.decision,
        name=step.name,
    )


def _form(value: Expression, forms: dict[Atom, Affine]) -> Affine:
    return total([*(weight * forms[atom] for atom, weight in value.terms), value.constant])


def _unit(atom: Clipped, forms: dict[Atom, Affine], registers: dict[Atom, int]) -> Unit:
    activation = Activation.SLU if atom.saturates else Activation.RELU
    return _affine(str(atom), _form(atom.argument, forms), registers, activation)


def _affine(name: str, form: Affine, registers: dict[Atom, int], activation: Activation = Activation.IDENTITY) -> Unit:
    weights = {registers[key]: weight for key, weight in form.terms.items()}  # type: ignore[index]
    return affine_unit(name, weights, mpq(form.constant), activation)
