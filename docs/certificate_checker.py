"""A second checker of run certificates: one file, the standard library alone, nothing of exactnn.

    python certificate_checker.py CERTIFICATE.json

It ends with 0 if the network's verdict and its step are proven, and with 1 if not. The proof rules R1 to R7 are stated
in `certificates.md`, beside this file.

One kind of value does all the work: an *affine form*, constant + sum of coefficient * unknown, as a dictionary from
unknowns to coefficients, with the key None for the constant and no entry that is 0. Numbers of the network are forms
in the tails of stacks, with fractions as coefficients; lengths of runs are forms in unknown lengths, with integers.
"""

import json
import re
import sys
from fractions import Fraction

MOST_BITS, MOST_GIVEN_BITS = 1 << 26, 1 << 20  # of a number that is computed, and of one in the file
MOST_UNIT_BITS, MOST_SCALE_BITS = 1 << 8, 1 << 10  # of base**limb, and of base**places
MOST_BYTES, MOST_STACKS, MOST_RUNS, MOST_WORK = 1 << 26, 16, 10**5, 3 * 10**7
EOS, VERDICTS = "EOS", ("halted", "accepted", "rejected")
ACTIVATIONS = {"identity": ("clamp", None, None), "relu": ("clamp", 0, None), "slu": ("clamp", 0, 1)}
ACTIVATIONS |= {"relu6": ("clamp", 0, 6), "heaviside": ("jump", 0, 1)}  # kind, low, high


class NotProvenError(Exception):
    """It is no certificate, or something in it is wrong or beyond this checker."""


def demand(condition, text):
    if not condition:
        raise NotProvenError(text)


def constant(number):
    return {None: number} if number else {}


def is_constant(form):
    return form.keys() <= {None}


def plus(one, other, factor=1):
    """Return one + factor * other."""
    total = dict(one)
    for key, value in other.items():
        total[key] = total.get(key, 0) + factor * value
        if not total[key]:
            del total[key]
    return total


def at(form, values):
    return form.get(None, 0) + sum(value * values[key] for key, value in form.items() if key is not None)


def bounded(form):
    for value in form.values():
        demand(value.numerator.bit_length() + value.denominator.bit_length() <= MOST_BITS, "a number grows too long")
    return form


def flat(stacks):
    """Return the places (stack, limb) of all runs, and their lengths."""
    runs = [((stack, limb), length) for stack, runs in enumerate(stacks) for limb, length in runs]
    return [place for place, _ in runs], [length for _, length in runs]


def built(places, lengths):
    runs = list(zip(places, lengths, strict=True))
    return [[(limb, length) for (at, limb), length in runs if at == stack] for stack in range(MOST_STACKS)]


def number(value, least=None, most=None):
    """Return a whole number: plain, or as hexadecimal text."""
    if isinstance(value, str) and len(value) <= MOST_GIVEN_BITS // 4 + 3 and re.fullmatch(r"-?0x[0-9a-fA-F]+", value):
        value = int(value, 16)
    demand(type(value) is int and value.bit_length() <= MOST_GIVEN_BITS, "a whole number is missing, or is too long")
    demand((least is None or value >= least) and (most is None or value <= most), "a number is out of range")
    return value


def rational(value):
    demand(isinstance(value, str), "a fraction is missing")
    above, _, below = value.partition("/")
    return Fraction(number(above), number(below or 1, 1))


def listed(value, size=None):
    demand(isinstance(value, list) and size in (None, len(value)), "a list is missing, or has another length")
    return value


def tuples(value, size=2):
    return [listed(entry, size) for entry in listed(value)]


def fields(value, *keys):
    demand(isinstance(value, dict) and value.keys() >= set(keys), f"an object with {', '.join(keys)} is missing")
    return [value[key] for key in keys]


def without_repetition(pairs):
    demand(len(dict(pairs)) == len(pairs), "a key is given twice")
    return dict(pairs)


class Network:
    """Layers of units, each an activation of an affine or second-order sum of registers."""

    def __init__(self, data):
        demand(fields(data, "format", "version", "scalar_output") == ["exactnn network", 1, True], "this is no network")
        keys = ("initial_state", "input_size", "layers", "next_state", "readout", "alphabet", "protocol", "threshold")
        start, inputs, layers, following, readout, alphabet, self.protocol, threshold = fields(data, *keys)
        self.start = [rational(value) for value in listed(start)]
        self.inputs, self.layers = number(inputs, 0, 10**6), []
        known = len(self.start) + self.inputs
        for layer in listed(layers):
            self.layers.append([self._unit(unit, known) for unit in listed(layer)])
            known += len(layer)
        self.following = [number(register, 0, known - 1) for register in listed(following, len(self.start))]
        (self.readout,) = (self._unit(unit, len(self.start)) for unit in listed(readout, 1))
        self.alphabet = listed(alphabet, self.inputs)
        demand(len(set(alphabet)) == len(alphabet) and EOS in alphabet, "the alphabet lacks EOS, or has a symbol twice")
        demand(self.protocol in ("EOS verdict", "EOS halt"), "the network reads no EOS")
        self.threshold, self.full = rational(threshold), data.get("full") and rational(data["full"])
        self.size = known + sum(len(u[1]) + len(u[2]) for layer in self.layers for u in layer)

    @staticmethod
    def _unit(data, known):
        bias, linear, activation = fields(data, "bias", "linear", "activation")
        one = [(number(a, 0, known - 1), rational(w)) for a, w in tuples(linear)]
        terms = tuples(data.get("bilinear", []), 3)
        two = [(number(a, 0, known - 1), number(b, 0, known - 1), rational(w)) for a, b, w in terms]
        if isinstance(activation, str):
            demand(activation in ACTIVATIONS, f"the activation {activation!r} is not rational, or unknown")
            return rational(bias), one, two, ACTIVATIONS[activation]
        kind, low, high = fields(activation, "kind", "low", "high")
        low, high = (None if bound is None else rational(bound) for bound in (low, high))
        demand(kind == "clamp" or (kind == "jump" and None not in (low, high)), "an activation is unknown")
        demand(low is None or high is None or low <= high, "an activation decreases")
        return rational(bias), one, two, (kind, low, high)

    def step(self, state, symbol):
        """Return the forms after one step (R2)."""
        registers = [*state, *(constant(Fraction(i == symbol)) for i in range(self.inputs))]
        for layer in self.layers:
            registers += [self._value(unit, registers) for unit in layer]
        return [registers[register] for register in self.following]

    @staticmethod
    def _value(unit, registers):
        bias, linear, bilinear, (kind, low, high) = unit
        total = constant(bias)
        for register, weight in linear:
            total = plus(total, registers[register], weight)
        for first, second, weight in bilinear:
            other, one = sorted((registers[first], registers[second]), key=is_constant)
            demand(is_constant(one), "a product of two numbers that depend on limbs further down")
            total = plus(total, other, weight * one.get(None, 0))
        parts = [value for key, value in bounded(total).items() if key is not None]
        least, most = (total.get(None, 0) + sum(x for x in parts if (x > 0) == up) for up in (False, True))  # R1
        under, over = (0, 0) if kind == "jump" else (low, high)
        if under is not None and most <= under:
            return constant(Fraction(low))
        if over is not None and least >= over:
            return constant(Fraction(high))
        if kind == "clamp" and (low is None or least >= low) and (high is None or most <= high):
            return total
        raise NotProvenError("an activation's branch depends on limbs further down")

    def output(self, state):
        """Return the output in a state, and what it says, or None."""
        form = self._value(self.readout, state)
        demand(is_constant(form), "an output depends on limbs further down")
        output = form.get(None, Fraction(0))
        if self.full is not None and output > self.full:
            return output, "stack full"
        if output > self.threshold:
            return output, "halted" if self.protocol == "EOS halt" else "accepted"
        return output, "rejected" if output < -self.threshold else None


class Check:
    """Reads a certificate and proves it: edges (R3, R4), rules (R5, R6), the path (R7)."""

    def __init__(self, data):
        demand(fields(data, "format", "version") == ["exactnn certificate", 1], "this is no certificate of version 1")
        keys = ("network", "word", "base", "limb", "states", "edges", "rules", "begin", "path", "end")
        network, word, base, limb, states, edges, rules, begin, path, end = fields(data, *keys)
        self.work, self.network = 0, Network(network)
        self.eos = self.network.alphabet.index(EOS)
        self.base, self.limb = number(base, 2), number(limb, 1, MOST_UNIT_BITS)
        demand(self.base.bit_length() * self.limb <= MOST_UNIT_BITS, "limbs are too long")
        self.unit = self.base**self.limb
        self.states, self.edges = [self._state(state) for state in listed(states)], {}
        for edge in listed(edges):
            self._prove_edge(edge)
        self.rules = [self._proven_rule(rule) for rule in listed(rules)]
        self._begin(listed(word), begin)
        for leg in listed(path):
            self._follow(leg)
        steps, outcome = fields(end, "eos_steps", "outcome")
        demand(outcome in VERDICTS and outcome == self.outcome, f"the path ends with {self.outcome}")
        demand(self.steps == number(steps, 0), "the verdict comes after another number of steps")

    def spend(self, work):
        self.work += work
        demand(self.work <= MOST_WORK, f"this takes more than {MOST_WORK} small steps")

    def _state(self, data):
        values, wanted = fields(data, "values", "wanted")
        most, heads = MOST_SCALE_BITS // self.base.bit_length(), []
        for value in listed(values, len(self.network.start)):
            if value in ("0", "1"):
                heads.append((constant(Fraction(value)), 0, -1))
                continue
            head, places, sign, stack = listed(value, 4)
            demand(type(sign) is int and sign in (1, -1), "a sign is 1 or -1")
            scale = Fraction(self.base) ** -number(places, -most, most)
            heads.append((constant(number(head) * scale), sign * scale, number(stack, -1, MOST_STACKS - 1)))
        used = {stack for *_, stack in heads if stack >= 0}
        wanted = number(wanted, -1, MOST_STACKS - 1)
        demand(wanted < 0 or wanted in used, "a state wants a limb of a stack that no head refers to")
        return heads, wanted, used

    def _numbers(self, state, tails):
        return [plus(head, tails.get(stack, {}), factor) for head, factor, stack in state[0]]

    def _pushed(self, limb, tail):
        return bounded(plus(constant(Fraction(limb, self.unit)), tail, Fraction(1, self.unit)))

    def _prove_edge(self, data):
        """Take the steps of an edge for all tails at once (R3)."""
        keys = ("state", "limb", "last", "steps", "target", "pushes", "clears", "outputs")
        source, limb, last, steps, target, pushes, clears, outputs = fields(data, *keys)
        source, target = (number(state, 0, len(self.states) - 1) for state in (source, target))
        limb, steps = number(limb, 0, self.unit - 1), number(steps, 0)
        pushes = [(number(s, 0, MOST_STACKS - 1), number(x, 0, self.unit - 1)) for s, x in tuples(pushes)]
        clears = [number(stack, 0, MOST_STACKS - 1) for stack in listed(clears)]
        wanted = self.states[source][1]
        tails = {stack: {stack: Fraction(1)} for stack in self.states[source][2]}
        after = {stack: tail for stack, tail in tails.items() if stack not in clears and not (last and stack == wanted)}
        if wanted >= 0:
            tails[wanted] = self._pushed(limb, {} if last else tails[wanted])
        numbers, outcome, taken = self._numbers(self.states[source], tails), None, 0
        for text, count in tuples(outputs):
            said = rational(text)
            for _ in range(number(count, 1, steps - taken)):
                demand(outcome is None, "an edge goes on after a verdict")
                self.spend(self.network.size)
                numbers = self.network.step(numbers, self.eos)
                output, outcome = self.network.output(numbers)
                demand(output == said, "an output is another")
                taken += 1
        demand(taken == steps, "an edge has fewer outputs than steps")
        for stack, top in pushes:
            demand(top or stack in after, "the limb 0 is pushed on an empty stack")
            after[stack] = self._pushed(top, after.get(stack, {}))
        demand(after.keys() == self.states[target][2], "other stacks are in use after an edge than its target says")
        demand(numbers == self._numbers(self.states[target], after), "an edge leads to other numbers than it says")
        loop = source == target and steps > 0 and not clears and not last and wanted >= 0 and outcome is None
        loop = loop and wanted not in dict(pushes) and len(set(pushes)) == len(dict(pushes))  # of one kind on each
        demand((source, limb, last) not in self.edges, "two edges begin alike")
        self.edges[source, limb, last] = steps, target, pushes, clears, outcome, loop

    def _take(self, state, stacks, require):
        """Take the edge that follows (R4); return its target, the steps as a form, and the verdict."""
        wanted, limb, last = self.states[state][1], 0, False
        if wanted >= 0:
            demand(stacks[wanted], "a limb is wanted from an empty stack")
            limb, length = stacks[wanted][-1]
            last = len(stacks[wanted]) == 1 and length == {None: 1}
        edge = self.edges.get((state, limb, last))
        demand(edge, "there is no edge from a state with its limb")
        steps, target, pushes, clears, outcome, loop = edge
        times = {None: 1}
        if wanted >= 0:
            stacks[wanted].pop()
            if loop:
                times = length if stacks[wanted] else plus(length, {None: -1})
            if rest := plus(length, times, -1):
                require(rest)
                stacks[wanted].append((limb, rest))
            require(times)
        for emptied in clears:
            stacks[emptied].clear()
        for stack, top in pushes:
            runs = stacks[stack]
            grown = bounded(plus(runs.pop()[1], times) if runs and runs[-1][0] == top else times)
            demand(len(runs) < MOST_RUNS, "a stack has too many runs")
            runs.append((top, grown))
        self.spend(10 + len(pushes) + len(clears) + sum(x.bit_length() for x in times.values()) // 1024)
        return target, plus({}, times, steps), outcome

    def _proven_rule(self, data):
        """Take a round with unknown lengths (R5)."""
        start, given, period = fields(data, "state", "stacks", "period")
        places, lengths = [], []
        for stack, entries in enumerate(listed(given)):
            for entry in listed(entries):
                entry = number(entry, -self.unit, self.unit - 1)
                places.append((stack, max(entry, -1 - entry)))
                lengths.append({len(lengths) if entry >= 0 else None: 1})
        conditions = [length for length in lengths if not is_constant(length)]

        def require(length):
            if is_constant(length):
                demand(length.get(None, 0) >= 1, "a limb is taken from a run that has none")
            elif length not in conditions:
                conditions.append(length)
                self.spend(len(conditions))

        stacks, state, steps = built(places, lengths), number(start, 0, len(self.states) - 1), {}
        for _ in range(number(period, 1, 10**18)):
            state, more, outcome = self._take(state, stacks, require)
            demand(outcome is None, "a verdict comes within a rule")
            steps = bounded(plus(steps, more))
        ended, after = flat(stacks)
        demand(state == start and ended == places, "a rule comes to another state, or to other limbs")
        changes = [plus(new, old, -1) for new, old in zip(after, lengths, strict=True)]
        demand(all(is_constant(change) for change in changes), "a rule changes a length by no constant")
        alone = [change for change, length in zip(changes, lengths, strict=True) if is_constant(length)]
        demand(not any(alone), "a rule changes the length of a limb that stands alone")
        return start, places, lengths, [change.get(None, 0) for change in changes], steps, conditions

    def _apply(self, rule, rounds):
        """Take many rounds at once (R6)."""
        start, places, pattern, changes, steps, conditions = rule
        found, lengths = flat(self.stacks)
        demand(self.state == start and found == places, "a rule is used in another state, or on other limbs")
        first = [length[None] for length in lengths]
        alone = [x for x, length in zip(first, pattern, strict=True) if is_constant(length)]
        demand(all(x == 1 for x in alone), "a limb stands not alone where a rule says so")
        last = [x + (rounds - 1) * change for x, change in zip(first, changes, strict=True)]
        for condition in conditions:
            demand(at(condition, first) >= 1 and at(condition, last) >= 1, "so many rounds are not possible")
        self.spend(1 + len(conditions))
        self.stacks = built(places, [constant(x + change) for x, change in zip(last, changes, strict=True)])
        self.steps += rounds * (at(steps, first) + at(steps, last)) // 2

    def _begin(self, word, data):
        steps, state, given = fields(data, "eos_steps", "state", "stacks")
        demand(all(isinstance(a, str) and a != EOS and a in self.network.alphabet for a in word), "an unknown symbol")
        self.steps, self.outcome = number(steps, 0, MOST_WORK), None
        self.state, self.stacks = number(state, 0, len(self.states) - 1), built([], [])
        numbers = [constant(value) for value in self.network.start]
        for i in range(len(word) + self.steps):
            demand(self.outcome is None, "a verdict comes before the beginning")
            self.spend(self.network.size)
            numbers = self.network.step(numbers, self.network.alphabet.index(word[i]) if i < len(word) else self.eos)
            if i >= len(word):
                self.outcome = self.network.output(numbers)[1]
        tails = {}
        for stack, runs in enumerate(listed(given)):
            tail = Fraction(0)
            for limb, length in tuples(runs):
                limb, length = number(limb, 0, self.unit - 1), number(length, 1)
                demand(limb or self.stacks[stack], "the limb 0 lies at the bottom of a stack")
                demand(length * self.unit.bit_length() <= MOST_BITS, "a stack is too long")
                power = self.unit**length
                tail = (tail + limb * ((power - 1) // (self.unit - 1))) / power
                self.stacks[stack].append((limb, {None: length}))
            if runs:
                tails[stack] = constant(tail)
        demand(tails.keys() == self.states[self.state][2], "the beginning uses other stacks than its state says")
        demand(numbers == self._numbers(self.states[self.state], tails), "the numbers at the beginning are others")

    def _follow(self, leg):
        demand(self.outcome is None, "the path goes on after the verdict")
        kind, *numbers = listed(leg)
        if kind == "rule" and len(numbers) == 2:
            self._apply(self.rules[number(numbers[0], 0, len(self.rules) - 1)], number(numbers[1], 1))
            return
        demand(kind == "edges" and len(numbers) == 1, "a piece of the path is neither edges nor a rule")
        for _ in range(number(numbers[0], 1, 10**18)):
            demand(self.outcome is None, "the path goes on after the verdict")
            self.state, steps, self.outcome = self._take(self.state, self.stacks, lambda length: None)
            self.steps += steps.get(None, 0)


def check(text):
    """Return (outcome, EOS steps) that a certificate proves; raises NotProvenError."""
    try:
        demand(len(text) <= MOST_BYTES, "the file is too large")
        checked = Check(json.loads(text, object_pairs_hook=without_repetition))
    except (ValueError, TypeError, IndexError, RecursionError) as error:
        raise NotProvenError(f"this is no certificate: {error}") from None
    return checked.outcome, checked.steps


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        with open(sys.argv[1], "rb") as file:
            outcome, steps = check(file.read(MOST_BYTES + 1))
    except (NotProvenError, OSError) as error:
        sys.exit(f"not proven: {error}")
    print(f"proven: {outcome} after {steps if steps.bit_length() <= 10_000 else hex(steps)} EOS steps")
