"""Stack machine to RNN in real time: one affine map and one activation per move, after Siegelmann and Sontag.

Symbols are numbered 0 to m-1. A stack is a number in a large base B, with digits B - e_a far apart from each other and
from 0: e_{m-1} = 1 and e_{a-1} = 2p (e_a + 1) + 1. For bits these are B - 4p - 1 and B - 1, and the base is 10 p^2. The
units, all saturated linear (SLU):

    stack i op           the number of stack i if its last operation was op, else 0
    stack i op >= a      whether its top is at least the symbol a > 0 then
    reads z s_1 ... s_p  in state z, and each stack i is as s_i says: not looked at, or its top is at least a symbol
                         after the operation that was done

The last ones look at what the units of the stacks are about to become. So many cases are told apart since a product of
p sums of two or more units is the sum of all products, and a product of indicators is one unit.

Notes
-----
Write E = e_0 + 1 and c_a = E / (e_a + 1) (B q - B + e_a + 1) for "the top of q is at least a". If it is, c_a is from 1
to E. If it is not, or q is at most 0 since another operation was done, c_a is at most -(p-1) E, by the choice of the
digits and since B is at least p E. So the sum of up to p of these, minus E for each if the state is not z, is at least
1 if all hold and else at most 0.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product

from gmpy2 import mpq

from exactnn.automata import EMPTY, KEEP, POP, Operation, Reading, StackMachine, State, reachable_states
from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.construction import Construction, require_machine
from exactnn.constructions.halting import halting_construction, halting_protocol
from exactnn.constructions.layered_network import foretell, one_layer_network
from exactnn.constructions.stacks.stack_machine import StackCodec, StackPlan
from exactnn.errors import ConstructionError
from exactnn.networks import Activation

__all__ = ["real_time_stacks"]

MOST_UNITS = 10_000
"""Their weights, up to half of the square of that, take some GiB."""


def real_time_stacks(machine: StackMachine | str) -> Construction:
    """Return the real-time network of a stack machine: one layer, one network step per move.

    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject), and keeps
    that output; the last configuration can be decoded for ever.

    With p stacks of m symbols and s states (that can be reached) it has ``s (m+1)^(2p) + m (m+2) p`` units, which is
    ``s 9^p + 8 p`` for bits; where words are read, ``|input symbols| + 2`` more. The number of weights grows with the
    square of that: it is for machines with few stacks and symbols.

    T = k + 1 for k moves: the word is read in |w| steps, the first EOS begins the run. A machine with an empty input
    alphabet starts at once, T = k, unless its initial state halts already.

    Parameters
    ----------
    machine : StackMachine, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If it is no stack machine, or EOS is among the input symbols, or there would be more than 10000 units.

    Warns
    -----
    LargeNetworkWarning
        If there may be more than a million weights, before they are made.

    References
    ----------
    .. [1] H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Comput. Syst. Sci.* 50,
       1995: the real-time simulation; there of bits, here of any symbols.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> net = real_time_stacks(load("anbn-stacks"))
    >>> result = run(net, "aabb")
    >>> net.network.neurons - (2 + 2), result.verdict.value, result.eos_steps
    (340, 'accept', 6)
    >>> 4 * 9**2 + 8 * 2
    340
    """
    machine = require_machine(machine, StackMachine, "real_time_stacks")
    _refuse_too_large(machine)
    digits, base = _digits(len(machine.stack_symbols), machine.stacks)
    plan = _RealTimePlan(machine, digits, base)
    foretell(f"real_time_stacks({machine.name})", *plan.size)
    network = one_layer_network(
        units=plan.state_units(),
        start=plan.start(),
        activation=Activation.SLU,
        **halting_protocol("real_time_stacks", machine, plan.indicator),
    )
    return halting_construction(
        "real_time_stacks",
        machine,
        network,
        codec=StackCodec(plan),
        set_up=(1, 1),
        citation="Siegelmann and Sontag, J. Computer and System Sciences 50, 1995 (p-stack machines in real time)",
    )


def _refuse_too_large(machine: StackMachine) -> None:
    symbols, stacks = len(machine.stack_symbols), machine.stacks
    units = len(reachable_states(machine)) * (symbols + 1) ** (2 * stacks) + symbols * (symbols + 2) * stacks
    if units > MOST_UNITS:
        raise ConstructionError(
            f"the real-time network of {machine.name} has {units} units, and {MOST_UNITS} are the most that fit into a "
            "usual memory: give a machine with fewer stacks, symbols or states, or take layered_stacks"
        )


def _digits(symbols: int, stacks: int) -> tuple[tuple[int, ...], int]:
    """Return the digits of the symbols and the base.

    >>> _digits(2, 1), _digits(2, 2), _digits(3, 2)
    (((5, 9), 10), ((31, 39), 40), ((119, 151, 159), 160))
    """
    base = 5 * stacks * (2 * stacks) ** (symbols - 1)
    below = [1]
    while len(below) < symbols:
        below.append(2 * stacks * (below[-1] + 1) + 1)
    return tuple(base - e for e in reversed(below)), base


Selection = tuple[tuple[int, Operation] | None, ...]
"""What a unit "reads" asks of each stack: nothing, or that its top is at least a symbol, after an operation."""


def _reads(q: State, selection: Selection) -> Hashable:
    return ("reads", q, *selection)


def _part(i: int, operation: Operation) -> Hashable:
    return ("stack", i + 1, *operation)


def _top(i: int, operation: Operation, a: int) -> Hashable:
    return ("stack", i + 1, *operation, f">={a}")


class _RealTimePlan(StackPlan):
    """Units and equations of the network."""

    def indicator(self, q: State) -> Affine:
        """Return the unit "in state q"."""
        return var(_reads(q, (None,) * self.machine.stacks))

    def stack(self, i: int) -> Affine:
        """Return the number of a stack as a form."""
        appended = self.appending_units() if i == 0 else {}
        return total(var(key) for key in (*(_part(i, operation) for operation in self.operations), *appended))

    @cached_property
    def applies(self) -> dict[tuple[State, Reading], Affine]:
        """The indicators of "in q, reading r"."""
        return {(q, reading): self._indicator(q, reading) for q, reading, _ in self.rules}

    def _indicator(self, q: State, reading: Reading) -> Affine:
        terms: dict[Hashable, mpq] = {}
        for choice in product(*(list(self._seen(top)) for top in reading)):
            sign = 1
            for _, factor in choice:
                sign *= factor
            terms[_reads(q, tuple(asked for asked, _ in choice))] = mpq(sign)
        return Affine(terms)

    def _seen(self, top: str) -> Iterator[tuple[tuple[int, Operation] | None, int]]:
        """Yield what is asked of a stack, with signs: the sum is 1 if this is its top, else 0."""
        if top == EMPTY:
            yield None, 1
            yield from (((0, operation), -1) for operation in self.operations)
            return
        a = self.machine.stack_symbols.index(top)
        yield from (((a, operation), 1) for operation in self.operations)
        if a + 1 < len(self.digits):
            yield from (((a + 1, operation), -1) for operation in self.operations)

    @cached_property
    def results(self) -> dict[tuple[int, Operation], Affine]:
        """The pre-activations of the units of the stacks."""
        chosen = self.chosen(self.applies)
        stacks = [self.stack(i) for i in range(self.machine.stacks)]
        tops = [
            [Affine({})] + [total(var(_top(i, o, a)) for o in self.operations) for a in range(1, len(self.digits))]
            for i in range(self.machine.stacks)
        ]
        results = {
            (i, operation): self.result(operation, stacks[i], tops[i]) + done - 1
            for (i, operation), done in chosen.items()
        }
        results[0, POP] -= self.base * self.reading  # the top is known one step late while symbols are appended
        return results

    @property
    def size(self) -> tuple[int, int]:
        """How many units there are, and at most how many weights, found before any unit is made.

        A unit "reads" has the weights of the form that enters its state, and of a comparator for each stack that is
        asked. All comparators of an operation on a stack read the same units as what becomes of its number.
        """
        stacks, symbols = self.machine.stacks, len(self.machine.stack_symbols)
        asked = 1 + symbols * len(self.operations)
        selections, following = asked**stacks, self.next_states(self.applies)
        results = symbols * sum(len(form.terms) for form in self.results.values())
        units = len(following) * selections + stacks * symbols * len(self.operations)
        units += len(self.machine.input_symbols) + 2 if self.loads else 0
        weights = selections * sum(len(form.terms) for form in following.values())
        weights += len(following) * (selections // asked) * results + results
        return units, weights + 3 * units

    @property
    def _most(self) -> int:
        """E: the most that a comparator can be."""
        return self.base - self.digits[0] + 1

    def _comparator(self, i: int, operation: Operation, a: int) -> Affine:
        """Return c_a: from 1 to E if the top of stack i is at least a after this operation, else at most -(p-1) E."""
        room = self.base - self.digits[a] + 1
        return mpq(self._most, room) * (self.base * self.results[i, operation] - (self.base - room))

    def state_units(self) -> dict[Hashable, Affine]:
        """Return the pre-activation of every unit."""
        units: dict[Hashable, Affine] = {}
        asked: dict[tuple[int, Operation, int], Affine] = {}
        for i, operation in self.results:
            for a in range(len(self.digits)):
                asked[i, operation, a] = self._comparator(i, operation, a)
            units[_part(i, operation)] = self.results[i, operation]
            units |= {_top(i, operation, a): asked[i, operation, a] for a in range(1, len(self.digits))}
        following = self.next_states(self.applies)
        for q, entered in following.items():
            for selection in self._selections():
                tops = [asked[i, s[1], s[0]] for i, s in enumerate(selection) if s is not None]
                guard = len(tops) * self._most * (entered - 1) if tops else entered
                units[_reads(q, selection)] = total([guard, *tops])
        return units | self.appending_units() | self.reading_units()

    def _selections(self) -> Iterable[Selection]:
        each = [(a, operation) for operation in self.operations for a in range(len(self.digits))]
        return product([None, *each], repeat=self.machine.stacks)

    def values(self, q: State, stacks: Sequence[Sequence[int]]) -> dict[Hashable, mpq]:
        """Return the state as if every stack had just been kept."""
        values: dict[Hashable, mpq] = {}
        seen: list[list[tuple[int, Operation] | None]] = []
        for i, stack in enumerate(stacks):
            tops = range(stack[0] + 1) if stack else range(0)
            values[_part(i, KEEP)] = self.number(stack)
            values |= {_top(i, KEEP, a): mpq(1) for a in tops if a}
            seen.append([None, *((a, KEEP) for a in tops)])
        return values | {_reads(q, selection): mpq(1) for selection in product(*seen)}
