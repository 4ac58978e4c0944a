"""The commuting square of the language: evaluated in Fractions, interpreted, as a network, as a simple RNN.

Every random expression is drawn together with what it means, a function of plain Fractions, bits and tuples.
"""

from dataclasses import dataclass
from fractions import Fraction

from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from plain_circuit import fraction

from exactnn.arithmetic import RATIONAL
from exactnn.constructions.folding import fold_network
from exactnn.constructions.stack_numbers import write_vector
from exactnn.constructions.steps import (
    Step,
    and_,
    bit,
    cases,
    either,
    if_,
    max_,
    min_,
    not_,
    number,
    or_,
    pop,
    push,
    read,
    read_any,
    relu,
    slu,
    stack,
    step_network,
    step_outputs,
    step_states,
    top,
    within,
)
from exactnn.simulation import run

ALPHABET = "ab"
FRACTIONS = st.builds(Fraction, st.integers(-3, 3), st.integers(1, 3))
SHARES = st.builds(lambda n, d: Fraction(min(n, d), d), st.integers(0, 4), st.integers(1, 4))


@dataclass(frozen=True)
class Meant:
    """An expression of a step, and what it means in an environment {register: value, "read": symbol}."""

    written: object
    means: object


def clip(x):
    return min(Fraction(1), max(Fraction(0), x))


class Draw:
    """Random expressions of each kind over the registers c, d (bits), u in [0, 1], x anywhere, s a stack."""

    def __init__(self, draw, base):
        self.draw = draw
        self.registers = {
            "c": bit("c", start=1),
            "d": bit("d"),
            "u": number("u", start="1/3", low=0, high=1),
            "x": number("x", start=-2),
            "s": stack("s", ALPHABET, base=base, start="ba"),
        }
        self.start = {"c": Fraction(1), "d": Fraction(0), "u": Fraction(1, 3), "x": Fraction(-2), "s": ("b", "a")}

    def register(self, name):
        return Meant(self.registers[name], lambda env: env[name])

    def expression(self, kind, depth):
        choices = [way for way in vars(Draw) if way.startswith(f"{kind}_")]
        leaves = [way for way in choices if way.endswith("_leaf")]
        return getattr(self, self.draw(st.sampled_from(choices if depth else leaves)))(depth - 1)

    def pair(self, kind, depth):
        return self.expression(kind, depth), self.expression(kind, depth)

    def bit_leaf(self, depth):
        return self.register(self.draw(st.sampled_from("cd")))

    def bit_read_leaf(self, depth):
        a = self.draw(st.sampled_from(ALPHABET))
        return Meant(read(a), lambda env: Fraction(env["read"] == a))

    def bit_constant_leaf(self, depth):
        value = self.draw(st.integers(0, 1))
        return Meant(value, lambda env: Fraction(value))

    def bit_not(self, depth):
        p = self.expression("bit", depth)
        return Meant(not_(p.written), lambda env: 1 - p.means(env))

    def bit_and(self, depth):
        p, q = self.pair("bit", depth)
        return Meant(and_(p.written, q.written), lambda env: Fraction(p.means(env) == q.means(env) == 1))

    def bit_or(self, depth):
        p, q = self.pair("bit", depth)
        return Meant(or_(p.written, q.written), lambda env: Fraction(1 in (p.means(env), q.means(env))))

    def bit_either(self, depth):
        p, q = self.pair("bit", depth)
        written = either(and_(p.written, not_(q.written)), and_(not_(p.written), q.written))
        return Meant(written, lambda env: Fraction(p.means(env) != q.means(env)))

    def bit_top(self, depth):
        z, a = self.expression("stack", depth), self.draw(st.sampled_from(ALPHABET))
        return Meant(top(z.written)[a], lambda env: Fraction(z.means(env)[:1] == (a,)))

    def bit_min(self, depth):
        p, q = self.pair("bit", depth)
        return Meant(min_(p.written, q.written), lambda env: min(p.means(env), q.means(env)))

    def unit_leaf(self, depth):
        return self.register("u")

    def unit_constant_leaf(self, depth):
        value = self.draw(SHARES)
        return Meant(value, lambda env: value)

    def unit_bit(self, depth):
        return self.expression("bit", depth)

    def unit_if(self, depth):
        p, t = self.expression("bit", depth), self.expression("unit", depth)
        return Meant(if_(p.written, t.written), lambda env: t.means(env) if p.means(env) else Fraction(0))

    def unit_slu(self, depth):
        x = self.expression("any", depth)
        return Meant(slu(x.written), lambda env: clip(x.means(env)))

    def unit_max(self, depth):
        t, v = self.pair("unit", depth)
        return Meant(max_(t.written, v.written), lambda env: max(t.means(env), v.means(env)))

    def unit_cases(self, depth):
        p, (t, v) = self.expression("bit", depth), self.pair("unit", depth)
        written = cases((p.written, t.written), (not_(p.written), v.written))
        return Meant(written, lambda env: (t if p.means(env) else v).means(env))

    def unit_within(self, depth):
        x = self.expression("any", depth)
        return Meant(within(slu(x.written) * 2 / 2, 0, 1), lambda env: clip(x.means(env)))

    def any_leaf(self, depth):
        return self.register("x")

    def any_constant_leaf(self, depth):
        value = self.draw(FRACTIONS)
        return Meant(value, lambda env: value)

    def any_unit(self, depth):
        return self.expression("unit", depth)

    def any_sum(self, depth):
        (x, y), weight = self.pair("any", depth), self.draw(FRACTIONS)
        written = relu(0) + x.written + y.written * weight - 1
        return Meant(written, lambda env: x.means(env) + weight * y.means(env) - 1)

    def any_relu(self, depth):
        x = self.expression("any", depth)
        return Meant(relu(x.written), lambda env: max(Fraction(0), x.means(env)))

    def any_largest(self, depth):
        x, y = self.pair("any", depth)
        return Meant(max_(x.written, y.written, 0), lambda env: max(x.means(env), y.means(env), Fraction(0)))

    def any_smallest(self, depth):
        x, y = self.pair("any", depth)
        return Meant(min_(x.written, y.written, "1/2"), lambda env: min(x.means(env), y.means(env), Fraction(1, 2)))

    def stack_leaf(self, depth):
        return self.register("s")

    def stack_push(self, depth):
        z, a = self.expression("stack", depth), self.draw(st.sampled_from(ALPHABET))
        return Meant(push(z.written, a), lambda env: (a, *z.means(env)))

    def stack_push_read(self, depth):
        z = self.expression("stack", depth)
        return Meant(push(z.written, read_any(ALPHABET)), lambda env: (env["read"], *z.means(env)))

    def stack_pop(self, depth):
        z = self.expression("stack", depth)
        return Meant(pop(z.written), lambda env: z.means(env)[1:])

    def stack_if(self, depth):
        p, z = self.expression("bit", depth), self.expression("stack", depth)
        return Meant(if_(p.written, z.written), lambda env: z.means(env) if p.means(env) else ())

    def stack_cases(self, depth):
        p, (z, y) = self.expression("bit", depth), self.pair("stack", depth)
        written = cases((p.written, z.written), (not_(p.written), y.written))
        return Meant(written, lambda env: (z if p.means(env) else y).means(env))


KINDS = {"c": "bit", "d": "bit", "u": "unit", "x": "any", "s": "stack"}


@st.composite
def steps(draw):
    """A step, and what its registers are on a word."""
    drawn = Draw(draw, draw(st.integers(3, 5)))
    following = {name: drawn.expression(kind, draw(st.integers(0, 2))) for name, kind in KINDS.items()}
    base = drawn.registers["s"].base
    weights = {name: draw(FRACTIONS) for name in "cdux"}
    weights = {name: weight for name, weight in weights.items() if weight}
    output = sum((weight * drawn.registers[name] for name, weight in weights.items()), relu(1))
    step = Step(
        symbols=ALPHABET,
        next={drawn.registers[name]: meant.written for name, meant in following.items()},
        output=output,
    )

    def states(word):
        found = [drawn.start]
        for symbol in word:
            env = {**found[-1], "read": symbol}
            found.append({name: meant.means(env) for name, meant in following.items()})
        return found

    def numbers(state):
        content = write_vector(state["s"], ALPHABET, base)
        return [*(Fraction(state[name]) for name in "cdux"), *(fraction(content[a]) for a in ALPHABET)]

    def result(state):
        return 1 + sum(weight * state[name] for name, weight in weights.items())

    return step, states, numbers, result


@given(steps(), st.text(alphabet=ALPHABET, max_size=4))
def test_interpreter_network_and_simple_rnn_say_what_the_step_means(case, word):
    step, states, numbers, result = case
    expected = states(word)
    outputs = [result(state) for state in expected]
    assert [list(state.values()) for state in step_states(step, word)] == [numbers(state) for state in expected]
    assert step_outputs(step, word) == outputs
    network = step_network(step)
    found = run(network, word, arithmetic=RATIONAL, record="all")
    assert [found.initial_output, *found.outputs] == outputs
    assert list(found.final_state) == numbers(expected[-1])
    folded = fold_network(network)
    result = run(folded.network, folded.pad(word), arithmetic=RATIONAL)
    every = [result.initial_output, *result.outputs]
    assert every[:: folded.steps_per_step] == outputs
    assert all(y == 0 for t, y in enumerate(every) if t % folded.steps_per_step)  # nothing happens out of turn
    assert list(folded.original_state(result.final_state)) == numbers(expected[-1])
    assert all(isinstance(value, type(mpq())) for value in result.final_state)
