"""The step of the chapter's Theorem 4.6, equations (4.22) to (4.34), word for word in exact rationals.

Not part of the library, which implements the corrected statement: this is the text as it stands, with a switch
for each correction, so that tests can show what the text does. Where the text leaves something open:

* `top(r) = a` is the component of (4.25) for a; `top(l) != $` is one minus the component for $; a conjunction of n
  values is SLU(sum - (n-1)), or with `clipped=False` ReLU(sum - (n-1)): the text only says "Boolean operators
  using ReLUs", and both agree on 0 and 1.
* The symbol c in the second sum of (4.33) is bound nowhere. `reading` says what to take for it: a symbol of the
  stack alphabet, "read" for a, "written" for a', or "every" for a sum over all tape symbols.
* The output is that of the theorem's statement: accept - reject.
"""

from dataclasses import dataclass, field

from gmpy2 import mpq

from exactnn.automata import TuringMachine

ZERO, ONE = mpq(0), mpq(1)
BOTTOM = "$"
LOAD, REWIND = "(q_1)", "(q_2)"  # the two states that the preprocessing adds


def relu(x):
    return max(ZERO, x)


def slu(x):
    return min(ONE, relu(x))


@dataclass(kw_only=True)
class LiteralChapter:
    """The step function of a machine whose blank is "_", uncorrected unless a switch says otherwise."""

    machine: TuringMachine
    corrected_pop: bool = False  # E1
    writes: bool = False  # E2: a' is written in the first sum of (4.33)
    reading: str = BOTTOM  # E3: what the unbound c is
    stays: bool = False  # E3: the head stays on the leftmost cell instead
    reads_blank: bool = False  # E4: left rules where top(r) = $
    clipped: bool = True
    symbols: tuple = field(init=False)

    def __post_init__(self):
        self.symbols = (*self.machine.tape_symbols, BOTTOM)

    def unit_vector(self, symbol):
        return {a: mpq(a == symbol) for a in self.symbols}

    def stack(self, symbols):
        """(4.22), (4.23)."""
        z = dict.fromkeys(self.symbols, ZERO)
        for symbol in reversed(symbols):
            z = self.push(z, self.unit_vector(symbol))
        return z

    def push(self, z, vector):
        """(4.24)."""
        return {a: mpq(2, 3) * vector[a] + z[a] / 3 for a in self.symbols}

    def top(self, z):
        """(4.25)."""
        return {a: slu(3 * z[a] - 1) for a in self.symbols}

    def pop(self, z):
        """(4.26); the correction takes the top digit away wholly."""
        return {a: 3 * z[a] - (1 + self.corrected_pop) * top for a, top in self.top(z).items()}

    def both(self, *values):
        """The conjunction of `values`."""
        return (slu if self.clipped else relu)(sum(values) - (len(values) - 1))

    def start(self):
        """(4.28)."""
        states = (LOAD, REWIND, *self.machine.states)
        return {q: mpq(q == LOAD) for q in states}, self.stack([BOTTOM]), self.stack(["_", BOTTOM])

    def step(self, h, x):
        """(4.30): the sum of everything that (4.31) to (4.34) list; `x` is a symbol or EOS."""
        q, _, _ = h
        following = tuple(dict.fromkeys(part, ZERO) for part in h)
        for condition, target, left, right in self.cases(h, x):
            values = {name: mpq(name == target) for name in q}
            for total, part in zip(following, (values, left, right), strict=True):
                for key, value in part.items():
                    total[key] += slu(value - 1 + condition)  # (4.29)
        return following

    def cases(self, h, x):
        """Yield (condition, next state, left stack, right stack) of every term."""
        q, left, right = h
        eos, letter = mpq(x == "EOS"), self.unit_vector(x)
        top_left, top_right = self.top(left), self.top(right)
        yield self.both(q[LOAD], 1 - eos), LOAD, self.push(left, letter), right  # (4.31)
        yield self.both(q[LOAD], eos), REWIND, left, right
        yield (  # (4.32)
            self.both(q[REWIND], 1 - top_left[BOTTOM]),
            REWIND,
            self.pop(left),
            self.push(right, top_left),
        )
        yield self.both(q[REWIND], top_left[BOTTOM]), self.machine.initial_state, left, right
        for p, row in self.machine.transitions.items():
            for a, (target, written, move) in row.items():
                here = (q[p], top_right[a])
                cases = self.left_cases if move == "L" else self.right_cases
                yield from cases(here, q[p], a, target, self.unit_vector(written), (left, right))

    def left_cases(self, here, state, a, target, written, stacks):
        """(4.33): moves to the left."""
        left, right = stacks
        top_left, top_right = self.top(left), self.top(right)
        for c in self.machine.tape_symbols:
            rest = self.push(self.pop(right), written) if self.writes else right
            yield self.both(*here, top_left[c]), target, self.pop(left), self.push(rest, self.unit_vector(c))
        leftmost = self.both(*here, top_left[BOTTOM])
        if self.stays:
            yield leftmost, target, left, self.push(self.pop(right), written)
        else:
            for c in self.readings(a, written):
                yield leftmost, target, self.push(self.pop(left), c), right
        if self.reads_blank and a == "_":
            for c in self.machine.tape_symbols:
                blank = self.push(self.push(right, written), self.unit_vector(c))
                yield self.both(state, top_right[BOTTOM], top_left[c]), target, self.pop(left), blank
            leftmost = self.both(state, top_right[BOTTOM], top_left[BOTTOM])
            yield leftmost, target, left, self.push(right, written)

    def readings(self, a, written):
        """Return the vectors that the unbound c may stand for."""
        if self.reading == "every":
            return [self.unit_vector(c) for c in self.machine.tape_symbols]
        return [{"read": self.unit_vector(a), "written": written}.get(self.reading) or self.unit_vector(self.reading)]

    def right_cases(self, here, state, a, target, written, stacks):
        """(4.34): moves to the right."""
        left, right = stacks
        yield self.both(*here), target, self.push(left, written), self.pop(right)
        if a == "_":
            yield self.both(state, self.top(right)[BOTTOM]), target, self.push(left, written), right

    def outputs(self, word, eos_steps):
        """Return f(w), f(w EOS), ..., f(w EOS^t)."""
        h = self.start()
        outputs = [self.output(h)]
        for i, x in enumerate([*word, *["EOS"] * eos_steps]):
            h = self.step(h, x)
            if i >= len(word):
                outputs.append(self.output(h))
            else:
                outputs[0] = self.output(h)
        return outputs

    def output(self, h):
        """accept - reject, as in the theorem."""
        states = h[0]
        return states.get(self.machine.accept_state, ZERO) - states.get(self.machine.reject_state, ZERO)
