"""What a network does, written down as plainly as possible: the oracle of the executors.

Numbers are whatever `number` makes of a rational: Fractions, or numpy scalars of one format. The order of a
sum is that of the circuit: bias, linear terms, second-order terms. Nothing here comes from exactnn's executors.
Smooth activations are computed with DIGITS bits, far more than any rounding of them that is tested here needs.
"""

import math
from fractions import Fraction
from functools import cache

import gmpy2
import numpy as np

from exactnn.arithmetic import FLOAT32, FLOAT64
from exactnn.networks import Activation, Kind, Protocol
from exactnn.outcome import Outcome

TYPES = {FLOAT32: np.float32, FLOAT64: np.float64}
FORMATS = {type: format for format, type in TYPES.items()}
DIGITS = 2600
HIGHEST = 40000


def fraction(value):
    return Fraction(int(value.numerator), int(value.denominator))


def rounding(format):
    """Return the function that rounds a rational to a numpy scalar of `format`."""
    return cache(lambda value: TYPES[format](format.nearest(value)))


def smooth(activation, x):
    """Return a smooth function of a rational, to DIGITS bits by its definition, without what no rounding sees."""
    if activation == Activation.SOFTPLUS:
        return softplus(gmpy2.mpq(x))
    if activation == Activation.EXP:
        return exponential(gmpy2.mpq(x))
    tanh = activation == Activation.TANH
    if not x:
        return gmpy2.mpq(0) if tanh else gmpy2.mpq(1, 2)
    if abs(x) > 800:
        limit = 1 if x > 0 else -1 if tanh else 0
        return limit - gmpy2.mpq(1 if x > 0 else -1, 2**1700)
    with gmpy2.context(precision=DIGITS):
        up, down = gmpy2.exp(gmpy2.mpfr(gmpy2.mpq(x))), gmpy2.exp(gmpy2.mpfr(gmpy2.mpq(-x)))
        return gmpy2.mpq((up - down) / (up + down) if tanh else 1 / (1 + down))


def softplus(x):
    """Return log(1 + exp(x)) as 2 artanh(exp(x) / (2 + exp(x))); far from 0 it is hardly above 0 or x."""
    if abs(x) > 800:
        return max(x, gmpy2.mpq(0)) + gmpy2.mpq(1, 2**1700)
    with gmpy2.context(precision=DIGITS):
        e = gmpy2.exp(gmpy2.mpfr(x))
        return gmpy2.mpq(2 * gmpy2.atanh(e / (2 + e)))


def exponential(x):
    """Return exp(x) as a power of exp of a number below 1; far from 0 it is 2**-1700 and 2**HIGHEST."""
    if x < -1200:
        return gmpy2.mpq(1, 2**1700)
    if x > HIGHEST:
        return gmpy2.mpq(2) ** HIGHEST
    halvings = max(0, math.ceil(abs(x)).bit_length())
    with gmpy2.context(precision=DIGITS + int(2 * max(0, x)), emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        e = 1 + gmpy2.expm1(gmpy2.mpfr(x) / 2**halvings)
        for _ in range(halvings):
            e = e * e
        return gmpy2.mpq(e)


def rounded_smooth(activation, x):
    """Return a smooth function of a number, rounded as its type says."""
    if hasattr(x, "smooth"):
        return x.smooth(lambda value: smooth(activation, value))
    tanh = activation == Activation.TANH
    if np.isnan(x) or (tanh and x == 0):
        return x
    if np.isinf(x) and activation in (Activation.SOFTPLUS, Activation.EXP):
        return type(x)(max(x, 0))
    if np.isinf(x):
        return type(x)(np.sign(x) if tanh else x > 0)
    return type(x)(FORMATS[type(x)].nearest(smooth(activation, gmpy2.mpq(float(x)))))


def activated(activation, x, number):
    low, high = (None if bound is None else number(bound) for bound in (activation.low, activation.high))
    match activation.kind:
        case Kind.SIGMOID | Kind.TANH | Kind.SOFTPLUS | Kind.EXP:
            return rounded_smooth(activation, x)
        case Kind.JUMP:
            return high if x > number(0) else low
        case Kind.CLAMP:
            if low is not None and x <= low:
                return low
            return high if high is not None and x > high else x


def evaluated(unit, registers, number):
    total = number(unit.bias)
    for register, weight in unit.linear:
        total = total + number(weight) * registers[register]
    for first, second, weight in unit.bilinear:
        total = total + number(weight) * registers[first] * registers[second]
    return activated(unit.activation, total, number)


class Plain:
    """A network with `number` as its arithmetic."""

    def __init__(self, network, number):
        self.network = network
        self.number = number

    def start(self):
        return tuple(self.number(x) for x in self.network.initial_state)

    def output(self, state):
        outputs = tuple(evaluated(unit, state, self.number) for unit in self.network.readout)
        return outputs[0] if self.network.scalar_output else outputs

    def step(self, state, vector):
        """Return the next state; `vector` is rational."""
        with np.errstate(all="ignore"):
            registers = [*state, *(self.number(x) for x in vector)]
            for layer in self.network.circuit.layers:
                registers += [evaluated(unit, registers, self.number) for unit in layer]
            return tuple(registers[register] for register in self.network.circuit.next_state)

    def vectors(self, word):
        """Return the rational input vectors that `word` stands for."""
        if self.network.alphabet is None:
            return [vector if isinstance(vector, (tuple, list)) else (vector,) for vector in word]
        return [self.one_hot(a) for a in word]

    def one_hot(self, symbol):
        return tuple(int(a == symbol) for a in self.network.alphabet)

    def run(self, word, limit):
        """Return (outcome, states, outputs), the initial state and output first, of at most `limit` steps."""
        vectors, protocol = self.vectors(word), self.network.decision.protocol
        states = [self.start()]
        seen, proven = {}, None  # by EOS steps
        with np.errstate(all="ignore"):
            outputs = [self.output(states[0])]
            while True:
                done = len(states) - 1
                outcome = self.outcome(outputs[-1], done, len(vectors))
                if outcome is None and protocol.reads_eos and done >= len(vectors):
                    before = seen.setdefault(tuple(map(kept, states[-1])), done - len(vectors))
                    if proven is None and before < done - len(vectors):
                        proven = proof_step(before, done - len(vectors) - before)
                    if proven == done - len(vectors):
                        return Outcome.NON_HALTING, states, outputs
                if outcome is not None or done == limit:
                    return outcome or Outcome.STEP_LIMIT, states, outputs
                assert done < len(vectors) or protocol.reads_eos
                states.append(self.step(states[-1], vectors[done] if done < len(vectors) else self.one_hot("EOS")))
                outputs.append(self.output(states[-1]))

    def outcome(self, output, done, length):
        """Return how the run ends after `done` steps, or None if it goes on."""
        decision = self.network.decision
        threshold = Fraction(decision.threshold)
        if decision.protocol is Protocol.OUTPUTS:
            return Outcome.COMPLETED if done == length else None
        if decision.protocol is Protocol.END_OF_WORD:
            if done < length:
                return None
            if output != output:
                return Outcome.UNDECIDED
            return Outcome.ACCEPTED if output > threshold else Outcome.REJECTED
        if done <= length or -threshold <= output <= threshold or output != output:
            return None
        if output < -threshold:
            return Outcome.REJECTED
        return Outcome.HALTED if decision.protocol is Protocol.EOS_HALT else Outcome.ACCEPTED


def proof_step(preperiod, period):
    """Return the first EOS step whose state is that of the last of the steps 0, 1, 2, 4, ... before it."""
    anchor, following = 0, 1
    while anchor < preperiod or period > following - anchor:
        anchor, following = following, 2 * following
    return anchor + period


def kept(value):
    """Return a number such that equal means the same: floats bit for bit, but all NaNs."""
    return bits(value) if isinstance(value, (float, np.floating)) else value


def bits(value):
    """Return a number, or a nesting of tuples of numbers, such that equal means equal bit for bit; NaNs are alike.

    Numbers of formats that are longer than float64, or reach further, are rationals, of which no bit is lost.
    """
    if isinstance(value, (tuple, list)):
        return tuple(map(bits, value))
    if isinstance(value, gmpy2.mpq) and FLOAT64.rounded(value) != value:
        return value
    return "nan" if value != value else float(value).hex()
