"""Networks at random on which an exact executor can go wrong, and its comparison with the rational reference.

Every kind is a function of a ``random.Random``. It gives a network and a word, as (input, repetitions).
"""

import random
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby

from gmpy2 import mpq

from exactnn.automata import DFA, tape_configuration
from exactnn.constructions import minsky, siegelmann_sontag, siegelmann_sontag_book
from exactnn.errors import ConstructionError
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol, Unit
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.rational import RationalExecutor
from tests.constructions.seeded_machines import random_machine, reachable
from tests.strategies import LETTERS

IDENTITY, RELU, SLU, HEAVISIDE = Activation.IDENTITY, Activation.RELU, Activation.SLU, Activation.HEAVISIDE
BASIC = (IDENTITY, RELU, SLU, HEAVISIDE)
ACTIVATIONS = ([SLU], [RELU], [SLU, HEAVISIDE], [SLU, RELU], [IDENTITY, SLU], BASIC)
BASES = (2, 3, 4, 5, 6, 10)
LIMBS = (None, 1, 2, 3, 5, 8)
"""Lengths of the pieces that a long number is cut into; short ones bring long numbers' ways to short numbers."""
LONGEST = 400
"""Digits of a long number."""
MOST_BITS = 20_000
"""Words end where the numbers of a state have become longer than this."""
COMPILED = 60
"""How many compiled networks of each construction are drawn from."""


def fast(network, **chosen):
    """Return the executor that is tested; every test builds it here. No steps are taken in rationals to warm up."""
    return ExactExecutor(network, **{"warm_up": 0, **chosen})


def options(rng):
    """Return options under which all ways to take a step come up in short runs."""
    return {
        "limb_digits": rng.choice((None, *LIMBS)),
        "warm_up": rng.choice((0, 0, 0, 3)),
        "macro": rng.random() < 0.8,
        "macro_after": rng.choice((1, 4, 30)),
        "induction": rng.random() < 0.7,
        "block_pace": rng.choice((0, 0, 1, 4096)),
    }


@dataclass(frozen=True)
class Pair:
    network: Network
    word: tuple


# --- numbers


def digits(rng, base, length):
    """Return a number in [0, 1) of `length` digits, in stretches of 0, of base-1, of one digit, or of any."""
    number, left = 0, length
    while left:
        stretch = rng.randint(1, left)
        unit = base**stretch
        run = rng.randrange(base) * ((unit - 1) // (base - 1))
        number = number * unit + rng.choice((0, unit - 1, run, rng.randrange(unit), rng.randrange(unit)))
        left -= stretch
    return mpq(number, base**length)


def long_number(rng, base):
    return digits(rng, base, rng.randint(40, LONGEST))


def number(rng, base):
    """Return a number in Z[1/base]: short or long, 0 or 1 or right beside them, or outside [0, 1]."""
    near = mpq(1, base ** rng.randint(1, LONGEST))
    short = digits(rng, base, rng.randint(1, 6))
    long = long_number(rng, base)
    return rng.choice((mpq(0), mpq(1), short, short, long, long, near, 1 - near, 1 + near, -near, -long, 1 + long))


def power(rng, base):
    return rng.choice((1, 1, -1)) * mpq(base) ** rng.choice((-2, -1, -1, 0, 0, 0, 1, 1, 2))


def short(rng, base):
    """Return a bias: few digits, above or below the point."""
    return rng.choice((mpq(0), mpq(1), mpq(-1), mpq(rng.randint(-3 * base, 3 * base), base ** rng.randint(0, 3))))


def any_weight(rng, base):
    """Return a rational that may have a large prime below the line, or be huge."""
    small = mpq(rng.randint(-9, 9), rng.randint(1, 9))
    prime = mpq(rng.randint(-20, 20), rng.choice((7, 997, 1009, 10007)))
    huge = rng.choice((1, -1)) * mpq(10) ** rng.choice((30, -30, 18, 9))
    return rng.choice((power(rng, base), power(rng, base), small, prime, huge))


# --- units


def unit(name, bias, linear, activation, bilinear=()):
    return Unit(name=name, bias=mpq(bias), linear=tuple(linear), bilinear=tuple(bilinear), activation=activation)


def any_unit(rng, name, available, weight, bias, activations, products=0.0):
    """Return a unit of few terms; a share of `products` has a second-order one."""
    linear = [(rng.randrange(available), weight()) for _ in range(rng.randint(0, 3) if available else 0)]
    bilinear = []
    if available and rng.random() < products:
        bilinear = [(rng.randrange(available), rng.randrange(available), weight())]
    return unit(name, bias(), linear, rng.choice(activations), bilinear)


def gadget(rng, base, numbers, bits):
    """Return (bias, terms, whether it is a bit): an operation of a stack in one number, or one that compares."""
    z, y, b = rng.choice(numbers), rng.choice(numbers), rng.choice(bits)
    d = rng.randrange(base)
    digit, one, k = mpq(d, base), mpq(1), rng.randint(1, 3)
    return rng.choice(
        (
            (digit, [(z, one / base)], False),
            (mpq(-d), [(z, one * base)], False),
            (digit - 1, [(z, one / base), (b, one)], False),
            (mpq(-d - base), [(z, one * base), (b, one * base)], False),
            (mpq(-d), [(z, one * base)], True),
            (-digit, [(z, one)], True),
            (mpq(0), [(z, mpq(base) ** k), (y, -(mpq(base) ** k))], True),
            (mpq(0), [(z, one)], False),
            (mpq(rng.randint(0, 1)), [(z, one), (y, -one)], False),
            (mpq(rng.randint(-1, 0)), [(z, one), (y, one)], False),
            (mpq(1), [(z, -one)], False),
            (mpq(1) - digit, [(z, -one / base)], False),
            (mpq(0), [(b, one), (z, one)], True),
            (mpq(0), [(z, one / base), (y, one / base)], False),
        )
    )


# --- networks


def readout(rng, size, base):
    """Return (units, decision, whether the output is scalar)."""
    protocol = rng.choice((Protocol.OUTPUTS, Protocol.OUTPUTS, *Protocol))
    scalar = protocol is not Protocol.OUTPUTS or rng.random() < 0.5
    units = tuple(output_unit(rng, f"y{i}", size, base) for i in range(1 if scalar else rng.randint(0, 3)))
    threshold = rng.choice((mpq(0), mpq(1, 2), mpq(1, 3)))
    return units, Decision(protocol=protocol, threshold=threshold), scalar


def output_unit(rng, name, size, base):
    """Return a constant, the sign of one component, or anything."""
    if not size or rng.random() < 0.3:
        return unit(name, short(rng, base), [], IDENTITY)
    if rng.random() < 0.6:
        return unit(name, 0, [(rng.randrange(size), mpq(1))], HEAVISIDE)
    weight, bias = partial(power, rng, base), partial(short, rng, base)
    return any_unit(rng, name, size, weight, bias, BASIC, products=0.05)


def assembled(rng, base, initial, inputs, layers, next_state, *, entries=None, steps=20):
    """Return a pair: a network with any readout and a word for it; `entries` draws those of input vectors."""
    size = len(initial)
    units, decision, scalar = readout(rng, size, base)
    if decision.protocol.reads_eos and (entries is not None or not inputs):
        decision = Decision(protocol=Protocol.OUTPUTS)
    vectors = entries is not None or not inputs
    alphabet = LETTERS[1:inputs] + (LETTERS[0] if not decision.protocol.reads_eos else "") if not vectors else ""
    network = Network(
        circuit=Circuit(state_size=size, input_size=inputs, layers=layers, next_state=tuple(next_state)),
        initial_state=tuple(initial),
        readout=units,
        alphabet=None if vectors else (*alphabet, EOS) if decision.protocol.reads_eos else tuple(alphabet),
        decision=decision,
        scalar_output=scalar,
    )
    return Pair(network, word(rng, inputs, entries, vectors, steps))


def word(rng, inputs, entries, vectors, steps):
    """Return inputs with repetitions, `steps` together."""
    pool = [tuple(entries() for _ in range(inputs)) if inputs else () for _ in range(2)] if vectors else range(inputs)
    found = []
    while steps:
        count = min(steps, rng.choice((1, 2, 3, 10, 100)))
        found.append((rng.choice(pool), count))
        steps -= count
    return tuple(found)


def any_layers(rng, available, widths, weight, bias, activations, products=0.0):
    layers = []
    for n, width in enumerate(widths):
        layers.append(
            tuple(any_unit(rng, f"u{n}.{i}", available, weight, bias, activations, products) for i in range(width))
        )
        available += width
    return tuple(layers)


def sources(rng, size, available, last):
    """Return registers for the next state, mostly of the last layer; some are inputs or old components."""
    first = max(0, available - last)
    return [rng.randrange(first, available) if rng.random() < 0.85 else rng.randrange(available) for _ in range(size)]


def positional(rng, steps=20):
    """Weights plus or minus powers of a base, biases of few digits, any wiring."""
    base, size, inputs = rng.choice(BASES), rng.randint(1, 5), rng.randint(1, 3)
    widths = [rng.randint(1, 5) for _ in range(rng.choice((0, 0, 0, 1, 2)))] + [rng.randint(1, size + 1)]
    weight, bias = partial(power, rng, base), partial(short, rng, base)
    layers = any_layers(rng, size + inputs, widths, weight, bias, rng.choice(ACTIVATIONS))
    next_state = sources(rng, size, size + inputs + sum(widths), widths[-1])
    initial = [number(rng, base) for _ in range(size)]
    return assembled(rng, base, initial, inputs, layers, next_state, steps=steps)


def outside(rng, steps=20):
    """Any rational weights, large primes, huge numbers, products, vectors as inputs."""
    base, size, inputs = rng.choice(BASES), rng.randint(1, 4), rng.randint(0, 3)
    weight = rng.choice((partial(power, rng, base), partial(any_weight, rng, base)))
    bias = rng.choice((partial(short, rng, base), partial(any_weight, rng, base)))
    widths = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
    layers = any_layers(rng, size + inputs, widths, weight, bias, rng.choice(ACTIVATIONS), rng.choice((0.0, 0.2)))
    next_state = sources(rng, size, size + inputs + sum(widths), widths[-1])
    initial = [rng.choice((number(rng, base), any_weight(rng, base))) for _ in range(size)]
    entries = rng.choice((None, partial(any_weight, rng, base), partial(number, rng, base)))
    return assembled(rng, base, initial, inputs, layers, next_state, entries=entries, steps=steps)


def shapes(rng, steps=20):
    """Few units or none: a state that copies itself, its other components and its inputs."""
    base, size, inputs = rng.choice(BASES), rng.randint(0, 4), rng.randint(0, 3)
    widths = [rng.randint(1, 2) for _ in range(rng.choice((0, 0, 1, 2)))]
    weight, bias = partial(power, rng, base), partial(short, rng, base)
    layers = any_layers(rng, size + inputs, widths, weight, bias, rng.choice(ACTIVATIONS))
    next_state = [rng.randrange(size + inputs + sum(widths)) for _ in range(size)]
    initial = [number(rng, base) for _ in range(size)]
    entry = rng.choice((partial(number, rng, base), partial(digits, rng, base, 3), lambda: mpq(rng.randint(0, 1))))
    entries = rng.choice((None, entry))
    return assembled(rng, base, initial, inputs, layers, next_state, entries=entries, steps=steps)


def stacks(rng, steps=20, *, related=False, activations=(SLU,)):
    """Layers of gadgets on numbers and bits; with `related`, on numbers that differ little or not at all."""
    base, inputs = rng.choice(BASES), rng.randint(1, 3)
    held, flags = rng.randint(1, 3), rng.randint(1, 3)
    size = held + flags
    numbers, bits = list(range(held)), list(range(held, size + inputs))
    layers, available = [], size + inputs
    for n in range(rng.choice((1, 1, 2, 3))):
        forms = [gadget(rng, base, numbers, bits) for _ in range(rng.randint(1, 6))]
        layers.append(
            tuple(
                unit(f"u{n}.{i}", bias, terms, rng.choice((SLU, HEAVISIDE)) if is_bit else rng.choice(activations))
                for i, (bias, terms, is_bit) in enumerate(forms)
            )
        )
        for i, (_, _, is_bit) in enumerate(forms):
            (bits if is_bit else numbers).append(available + i)
        available += len(forms)
    values = related_numbers(rng, base) if related else [number(rng, base) for _ in range(held)]
    initial = [*(rng.choice(values) for _ in range(held)), *(mpq(rng.randint(0, 1)) for _ in range(flags))]
    next_state = [*(rng.choice(numbers[-4:]) for _ in range(held)), *(rng.choice(bits[-4:]) for _ in range(flags))]
    return assembled(rng, base, initial, inputs, tuple(layers), next_state, steps=steps)


def related_numbers(rng, base):
    """Return numbers whose differences, sums and shifts are 0, 1 or tiny."""
    x, tiny, d = long_number(rng, base), mpq(1, base ** rng.randint(1, LONGEST + 20)), rng.randrange(base)
    return [x, x, 1 - x, x + tiny, x - tiny, (x + d) / base, base * x - d, 1 - (x + d) / base, tiny, 1 - tiny]


def border(rng, steps=20):
    """Gadgets of any activation on long numbers that are nearly alike: units and sums on 0 and 1."""
    return stacks(rng, steps, related=True, activations=rng.choice(ACTIVATIONS))


def shared_tails(rng, steps=20):
    """A number that pops and one that pushes, over one tail, in bases of which a word holds few digits.

    Where the one wants digits of the tail, the other one's head gets as long as it can.
    """
    base, digit = rng.randint(4, 16), rng.randint(1, 2)
    tail = mpq(0)
    for d in (*[digit] * rng.randint(20, 140), rng.choice((base - 1, digit + 1))):
        tail = (tail + d) / base
    initial = []
    for _ in range(2):
        ones = base ** rng.randint(0, 14)
        initial.append((mpq(digit * (ones - 1), base - 1) + tail) / ones)
    push = mpq(rng.choice((base - 1, base - 1, 1)), base)
    layer = (unit("pop", -digit, [(0, mpq(base))], SLU), unit("push", push, [(1, mpq(1, base))], SLU))
    return assembled(rng, base, initial, 0, (layer,), (2, 3), steps=steps)


def relu_pairs(rng, steps=20, *, equal=1):
    """Numbers held as relu(x) - relu(x-1), the two halves components of their own; each by some equal pairs."""
    base, inputs, count = rng.choice(BASES), rng.randint(1, 2), rng.randint(1, 4)
    size = 2 * count * equal
    units = []
    for i in range(count):
        bias, terms, _ = gadget(rng, base, list(range(count)), list(range(count + inputs)))
        spread = []
        for x, weight in terms:
            pairs = range(2 * equal * x, 2 * equal * (x + 1), 2) if x < count else ()
            spread += [(size + x - count, weight)] if not pairs else []
            spread += [(pair + half, (-1) ** half * weight / equal) for pair in pairs for half in (0, 1)]
        units += [unit(f"x{i}", bias, spread, RELU), unit(f"x{i}-1", bias - 1, spread, RELU)] * equal
    initial = []
    for _ in range(count):
        x = abs(number(rng, base))
        initial += [x, max(mpq(0), x - 1)] * equal
    layer = tuple(replace(one, name=f"{one.name} {i}") for i, one in enumerate(units))
    return assembled(rng, base, initial, inputs, (layer,), range(size + inputs, size + inputs + size), steps=steps)


def equal_pairs(rng, steps=20):
    """Every number is held by the same two or three pairs of ReLU units."""
    return relu_pairs(rng, steps, equal=rng.randint(2, 3))


def hidden_sums(rng, steps=20):
    """Few numbers, each a sum of eight units that is read as a sum only; sums of several numbers may cancel in it."""
    base, inputs, count = rng.choice(BASES), rng.randint(1, 2), rng.randint(1, 3)
    size = 8 * count
    signs = [(-1) ** (x // count) for x in range(size)]  # unit x is part of number x % count

    def spread(terms):
        found = []
        for y, weight in terms:
            held = range(y, size, count) if y < count else ()
            found += [(x, signs[x] * weight) for x in held] or [(size + y - count, weight)]
        return found

    units = []
    for i in range(count):
        bias, terms, _ = gadget(rng, base, list(range(count)), list(range(count + inputs)))
        units.append([unit(f"x{i}", bias, spread(terms), rng.choice((SLU, RELU, IDENTITY)))])
        while len(units[i]) < 8:  # pairs that cancel if they are read as one number
            gate, others, _ = gadget(rng, base, list(range(count)), list(range(count + inputs)))
            gate += rng.randint(0, 2)
            if len(units[i]) == 1:
                units[i][0] = unit(f"x{i}", bias + gate, [*spread(terms), *spread(others)], RELU)
                units[i].append(unit(f"gate {i}", gate, spread(others), RELU))
            else:
                units[i] += [unit(f"gate {i}", gate, spread(others), RELU)] * 2
    initial = [number(rng, base) for _ in range(count)] + [mpq(0)] * (size - count)
    layer = tuple(units[x % count][x // count] for x in range(size))
    return assembled(rng, base, initial, inputs, (layer,), range(size + inputs, size + inputs + size), steps=steps)


def unsaturated(rng, steps=20):
    """Numbers that stay between 0 and 1 for ever, by any activation that keeps them."""
    base, inputs, size = rng.choice(BASES), rng.randint(1, 3), rng.randint(1, 5)
    shift = partial(rng.choice, (1, 1, base, base**2))
    units = []
    for i in range(size):
        weight, d = mpq(1, shift()), rng.randrange(base)
        x, activation = rng.randrange(size), rng.choice((IDENTITY, RELU, SLU))
        bias, sign = rng.choice(((0, 1), (1, -1), (1 - weight, 1), (weight, -1)))
        units.append(unit(f"x{i}", bias, [(x, sign * weight)], activation))
        if weight <= mpq(1, base) and rng.random() < 0.5:
            a = size + rng.randrange(inputs)
            units[-1] = unit(f"x{i}", 0, [(x, weight), (a, mpq(d, base))], activation)
    initial = [long_number(rng, base) for _ in range(size)]
    return assembled(rng, base, initial, inputs, (tuple(units),), range(size + inputs, 2 * size + inputs), steps=steps)


def excursions(rng, steps=20):
    """Two stacks whose product is needed while the second symbol is read, and thrown away afterwards."""
    base = rng.choice(BASES)
    one, step = mpq(1), rng.choice((mpq(1, base), mpq(base)))
    z, y, w, _, times = range(5)
    first = (
        unit("z", mpq(rng.randrange(base), base), [(z, step)], SLU),
        unit("y", 1, [(y, -one)], SLU),
        unit("gate", -1, [(z, one), (times, one)], SLU),
    )
    product = unit("w", 0, [(w, rng.choice((mpq(0), mpq(1, base))))], SLU, [(7, y, one)])
    initial = [long_number(rng, base), digits(rng, base, 12), mpq(0)]
    pair = assembled(rng, base, initial, 2, (first, (product,)), (5, 6, 8), steps=steps)
    stay, times = rng.randint(1, 40), rng.randint(1, 3)
    return replace(pair, word=((0, stay), (1, times), (0, steps), (1, times), (0, stay)))


def signed_stacks(rng, steps=20):
    """Stacks of digits of either sign: symbols push, pop what is there, and turn the sign of every digit."""
    base, size = rng.choice(BASES), rng.randint(1, 2)
    values = [sign * v for v in rng.choices(range(base), k=rng.randint(1, 2)) for sign in (1, -1)]
    count = len(values)
    inputs = [size + k for k in range(2 * count + 1)]
    pushes, pops, turn = inputs[:count], inputs[count:-1], inputs[-1]
    linear = [(a, mpq(v, base)) for a, v in zip(pushes, values, strict=True)]
    linear += [(a, mpq(-v)) for a, v in zip(pops, values, strict=True)]
    factors = dict.fromkeys(pushes, mpq(1, base)) | dict.fromkeys(pops, mpq(base)) | {turn: mpq(-1)}
    units = [unit(f"z{i}", 0, linear, IDENTITY, [(i, a, w) for a, w in factors.items()]) for i in range(size)]
    initial = [rng.choice((mpq(0), long_number(rng, base), -long_number(rng, base))) for _ in range(size)]
    next_state = range(size + len(inputs), 2 * size + len(inputs))
    pair = assembled(rng, base, initial, len(inputs), (tuple(units),), next_state, steps=steps)
    return replace(pair, word=tuple(pushes_pops_and_turns(rng, count, steps)))


def pushes_pops_and_turns(rng, count, steps):
    """Yield (symbol, repetitions): numbers below `count` push, as many from there on pop, and the last one turns.

    An even number and the next one stand for a digit and its negative.
    """
    pushed = []
    for _ in range(steps):
        if rng.random() < 0.2:
            pushed = [(k ^ 1, times) for k, times in pushed]
            yield 2 * count, 1
        elif pushed and rng.random() < 0.5:
            k, times = pushed.pop()
            yield count + k, times
        else:
            pushed.append((rng.randrange(count), rng.choice((1, 2, 5, 20))))
            yield pushed[-1]


def long_sums(rng, steps=20):
    """Numbers that are sums of small multiples of several long ones, in one layer or by way of another."""
    base, size, inputs = rng.choice(BASES), rng.randint(1, 4), rng.randint(1, 2)

    def layer(available, width):
        weight = partial(rng.choice, (mpq(1), mpq(1, base), mpq(-1, base), mpq(2), mpq(-3, base), mpq(base), mpq(7)))
        for i in range(width):
            chosen = rng.sample(range(available), min(available, rng.randint(1, 3)))
            bias = rng.choice((mpq(0), mpq(0), mpq(1), short(rng, base)))
            yield unit(f"x{i}", bias, [(k, weight()) for k in chosen], rng.choice((SLU, SLU, IDENTITY, RELU)))

    layers = [tuple(layer(size, size))]
    if rng.random() < 0.5:
        layers.append(tuple(layer(size + inputs + size, size)))
    initial = [rng.choice((digits(rng, base, 7), long_number(rng, base), long_number(rng, base))) for _ in range(size)]
    first = size + inputs + (len(layers) - 1) * size
    return assembled(rng, base, initial, inputs, tuple(layers), range(first, first + size), steps=steps)


def queues(rng, steps=20):
    """Digits of either sign are appended to a number at its far end, or written over it, and popped from its top."""
    base, count = rng.choice(BASES), rng.randint(1, 2)
    values = rng.choices(range(base), k=count)
    x, unit_of_place = 0, 1
    appends, over, pops = range(2, 2 + count), range(2 + count, 2 + 2 * count), 2 + 2 * count
    deep = mpq(1, base ** rng.randint(1, 60))
    gates = [
        unit(f"{i}", -1, [(unit_of_place, mpq(1)), (i, mpq(1))], SLU) for i in (*appends, *over)
    ]  # fmt: skip
    first = pops + 1
    terms = [(first + i, rng.choice((1, 1, -1)) * mpq(values[i % count])) for i in range(2 * count)]
    popped = unit("popped", mpq(0), [(x, mpq(base)), (pops, mpq(-rng.randrange(base)))], IDENTITY)
    place = unit("place", -1, [(unit_of_place, mpq(1, base)), *((i, mpq(1)) for i in appends)], SLU)
    stays = unit("stays", -1, [(unit_of_place, mpq(1)), *((i, mpq(1)) for i in (*over, pops))], SLU)
    kept = unit("kept", 0, [(x, mpq(1))], IDENTITY)
    layer = (*gates, popped, place, stays, kept)
    at = first + 2 * count
    ends = (
        unit("x", 0, [(at + 3, mpq(1)), *terms], IDENTITY),
        unit("unit of place", 0, [(at + 1, mpq(1)), (at + 2, mpq(1))], SLU),
    )
    if rng.random() < 0.5:
        ends = (unit("x", 0, [(at, mpq(1, base)), *terms], rng.choice((SLU, IDENTITY))), ends[1])
    initial = [rng.choice((mpq(0), long_number(rng, base))), deep]
    last = at + 4
    return assembled(rng, base, initial, 2 * count + 1, (layer, ends), (last, last + 1), steps=steps)


def real_queues(rng, steps=20):
    """Digits appended to a number at its far end, pushed and popped at its top, for long; the last may be changed.

    The word pops the digit that is there, and leaves the number in [0, 1). Its last input changes nothing.
    """
    base = rng.choice(BASES)
    changes, pushed = sorted({rng.choice((-base - 1, -1, 1, base, base**2, base**3)) for _ in range(2)}), mpq(base - 1)
    appends, pops = range(3, 3 + base), range(3 + base, 3 + 2 * base)
    over = range(pops[-1] + 1, pops[-1] + 1 + len(changes))
    push, rests = over[-1] + 1, over[-1] + 2
    x, place, digit_of_one, first = 0, 1, 2, rests + 1

    def gate(name, source, inputs, weight=1, bias=0):
        """Return the unit that is bias + weight * source on these inputs, else 0."""
        most = max(weight, 1)
        return unit(name, bias - most, [(source, mpq(weight)), *((i, mpq(most)) for i in inputs)], SLU)

    layer = (
        *(gate(f"writes {i}", place, [i]) for i in (*appends, *over)),
        *(gate(f"pops {digit}", x, [i], base, -digit) for digit, i in enumerate(pops)),
        gate("kept", x, [*appends, *over, rests]),
        gate("pushed on", x, [push]),
        gate("pushed", digit_of_one, [push]),
        gate("nearer", place, pops, base),
        gate("farther", place, [*appends, push], mpq(1, base)),
        gate("stays", place, [*over, rests]),
    )
    written, at = base + len(changes), first + len(layer) - 6
    terms = [(first + i, mpq(weight)) for i, weight in enumerate((*range(base), *changes)) if weight]
    terms += [*((i, mpq(1)) for i in range(first + written, at + 1)), (at + 1, mpq(1, base)), (at + 2, pushed)]
    ends = (
        unit("x", 0, terms, rng.choice((IDENTITY, SLU))),
        unit("place", 0, [(i, mpq(1)) for i in range(at + 3, at + 6)], SLU),
    )
    initial, following = [mpq(0), mpq(1, base), mpq(1, base)], (at + 6, at + 7, digit_of_one)
    pair = assembled(rng, base, initial, first - 3, (layer, ends), following, steps=1)
    value, length, word = mpq(0), 0, []
    while len(word) < steps:
        many, kind = rng.choice((1, 2, 10, steps // 2)), rng.choice(("append", "append", "pop", "change", "push"))
        for _ in range(min(many, steps - len(word))):
            digit, change = rng.randrange(base), rng.randrange(len(changes))
            symbol, after, longer = {
                "append": (appends[digit], value + digit * mpq(1, base ** (length + 1)), 1),
                "pop": (pops[int(base * value)], base * value - int(base * value), -1),
                "change": (over[change], value + changes[change] * mpq(1, base ** (length + 1)), 0),
                "push": (push, (value + pushed) / base, 1),
            }[kind]
            if 0 <= after < 1 and (length or kind in ("append", "push")):
                value, length = after, length + longer
                word.append(symbol)
    return Pair(pair.network, tuple((symbol - 3, len(list(group))) for symbol, group in groupby(word)))


# --- compiled networks


@cache
def compiled(construction, index):
    """Return a construction of a random machine; the same in every run."""
    rng = random.Random(f"{construction.__name__} {index}")
    if construction is minsky:
        return minsky(random_dfa(rng))
    if construction is siegelmann_sontag_book:
        machine = random_machine(rng, *rng.choice(((1, 2), (2, 2), (2, 2), (3, 2), (1, 3))))
        return siegelmann_sontag_book(machine, base=rng.choice((4, 5, 6, 8, 10)))
    machine = random_machine(rng, rng.randint(1, 3), rng.choice((2, 2, 3)))
    least = 2 * len(machine.tape_symbols) + (1 if machine.tape == "semi_infinite" else -1)
    return siegelmann_sontag(machine, base=rng.choice([base for base in (3, 4, 5, 6, 8, 10) if base >= least]))


def random_dfa(rng):
    states = [f"q{i}" for i in range(rng.randint(1, 5))]
    transitions = {q: {a: rng.choice(states) for a in "ab"} for q in states}
    final = [q for q in states if rng.random() < 0.5]
    return DFA(
        states=states, input_symbols="ab", transitions=transitions, initial_state=rng.choice(states), final_states=final
    )


def machines(rng, steps=20, *, constructions=(siegelmann_sontag,) * 3 + (siegelmann_sontag_book, minsky)):
    """Compiled networks on words, as they are meant to be run; and on words that no run has."""
    network = compiled(rng.choice(constructions), rng.randrange(COMPILED)).network
    symbols = range(network.circuit.input_size)
    last = len(symbols) - 1
    if rng.random() < 0.2:
        return Pair(network, word(rng, len(symbols), None, False, steps))
    letters = [(rng.randrange(max(1, last)), 1) for _ in range(rng.randint(0, min(8, steps)))] if last else []
    return Pair(network, (*letters, (last, max(1, steps - len(letters)))))


def tapes(rng, steps=20):
    """Compiled networks in the middle of a computation on a long random tape."""
    construction = compiled(
        rng.choice((siegelmann_sontag, siegelmann_sontag, siegelmann_sontag_book)), rng.randrange(COMPILED)
    )
    state = long_tape(rng, construction)
    network = replace(construction.network, initial_state=state)
    return Pair(network, ((network.circuit.input_size - 1, steps),))


def long_tape(rng, construction):
    """Return the state of a compiled network with tens to hundreds of cells on each side of the head."""
    machine = construction.machine
    working = [q for q in reachable(machine) if q in machine.transitions]
    left, right = (cells(rng, machine.tape_symbols, rng.randint(0, LONGEST // 4)) for _ in "lr")
    configuration = tape_configuration(machine, rng.choice(working), left, rng.choice(machine.tape_symbols), right)
    try:
        return construction.encode(configuration)
    except ConstructionError:  # the network knows no units for a state that is never entered
        return construction.network.initial_state


def cells(rng, symbols, count):
    """Return tape cells: any, one symbol for ever, or a period of two."""
    if rng.random() < 0.5:
        return [symbols[n % len(symbols)] for n in rng.choices(range(len(symbols)), k=count)]
    pattern = rng.choices(symbols, k=rng.randint(1, 2))
    return [pattern[i % len(pattern)] for i in range(count)]


KINDS = {
    kind.__name__: kind
    for kind in (
        positional,
        stacks,
        border,
        shared_tails,
        relu_pairs,
        equal_pairs,
        hidden_sums,
        unsaturated,
        shapes,
        outside,
        excursions,
        signed_stacks,
        long_sums,
        queues,
        real_queues,
        machines,
        tapes,
    )
}


# --- comparison


class Trace:
    """What the rational reference does on a word, up to where its numbers become very long."""

    def __init__(self, pair, most_bits=MOST_BITS):
        self.network = pair.network
        plain = RationalExecutor(pair.network)
        self.inputs, self.states, self.outputs = [], [plain.start()], [plain.output(plain.start())]
        for symbol, count in pair.word:
            for _ in range(count):
                if sum(map(bits_of, self.states[-1])) > most_bits:
                    return
                self.inputs.append(symbol)
                self.states.append(plain.step(self.states[-1], symbol))
                self.outputs.append(plain.output(self.states[-1]))

    def __len__(self):
        return len(self.inputs)

    def slices(self, lengths):
        """Yield (first step, input, steps) of slices with one input each, as long as `lengths` says."""
        position = 0
        for symbol, group in groupby(self.inputs):
            end = position + len(list(group))
            while position < end:
                count = min(next(lengths), end - position)
                yield position, symbol, count
                position += count

    def verdict(self, position):
        """Return how the run would end in the state after so many steps, or None."""
        output = self.outputs[position]
        return None if isinstance(output, tuple) else self.network.decision.outcome(output)

    def until_decided(self, position, count):
        """Return (steps, outcome) of a slice that ends at the first verdict."""
        for step in range(position + 1, position + count + 1):
            outcome = self.verdict(step)
            if outcome is not None:
                return step - position, outcome
        return count, None


def bits_of(value):
    return value.numerator.bit_length() + value.denominator.bit_length()


def forever(draw):
    while True:
        yield draw()


class DifferenceError(AssertionError):
    """The executor and the reference do not agree."""


def agree(what, position, found, expected):
    if found != expected or not all_rational(found):
        raise DifferenceError(f"{what} after {position} steps: {found}, not {expected}")


def all_rational(value):
    """Whether there are no numbers in nested tuples but exact rationals."""
    if isinstance(value, (tuple, list)):
        return all(map(all_rational, value))
    return type(value) is mpq


def compare(trace, executor, lengths, *, until_decided=False):
    """Take the steps of a trace in slices; return the states where they end, with their numbers.

    Raises DifferenceError unless every output, the state at the end of every slice and every verdict agree.
    """
    state = executor.start()
    agree("state", 0, executor.values(state), trace.states[0])
    agree("output", 0, executor.output(state), trace.outputs[0])
    kept = [(state, trace.states[0])]
    for position, symbol, count in trace.slices(lengths):
        while count:
            segment = executor.advance(state, symbol, count, until_decided=until_decided)
            check_segment(trace, position, count, segment, until_decided)
            check_states(trace, position, executor, segment)
            state, position, count = segment.state, position + segment.steps, count - segment.steps
            agree("state", position, executor.values(state), trace.states[position])
            agree("output", position, executor.output(state), trace.outputs[position])
            kept.append((state, trace.states[position]))
    return kept


def check_segment(trace, position, count, segment, until_decided):
    outputs = [output for output, repetitions in segment.outputs for _ in range(repetitions)]
    steps, outcome = trace.until_decided(position, count) if until_decided else (count, None)
    if not 1 <= segment.steps <= steps:
        raise DifferenceError(f"{segment.steps} steps of {steps} after {position}")
    if segment.outcome is not (outcome if segment.steps == steps else None):
        raise DifferenceError(f"{segment.outcome}, not {outcome}, after {position + segment.steps} steps")
    agree("outputs", position, outputs, trace.outputs[position + 1 : position + 1 + segment.steps])


def check_states(trace, position, executor, segment):
    """Compare the state after each step of a segment, where the executor gives them all."""
    if getattr(executor, "gives_states", False):
        states = list(map(executor.values, segment.each))
        agree("states", position, states, trace.states[position + 1 : position + 1 + segment.steps])


def modes(engine):
    """Return how many steps an engine took in which way, and the reasons that it gives, as it reports them."""
    counted, _, reasons = engine.partition(" because of ")
    steps = {
        how.strip(): int(n.replace(",", ""))
        for n, how in re.findall(r"([\d,]+) steps ([a-z ]+?)(?: and |$|,)", counted)
    }
    return Counter(steps), Counter(reasons.split(", ") if reasons else ())
