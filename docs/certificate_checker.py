"""A second checker of run certificates: one file, the standard library alone, nothing of exactnn.

    python certificate_checker.py CERTIFICATE.json [WORK]

It ends with 0 if the claim is proven, and with 1 if not. The proof rules R1 to R9 are stated in `certificates.md`.

One kind of value does all the work: a *form*, a polynomial, as a dictionary from monomials to coefficients without 0. A
monomial is a tuple of unknowns in order, () for the constant. Numbers of the network are affine forms in the tails of
stacks; lengths of runs, and steps, are forms in unknown lengths.
"""

import json
import re
import sys
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import comb, gcd, lcm, prod

MOST_BITS, MOST_GIVEN_BITS = 1 << 20, 1 << 20  # of a number that is computed, and of one in the file
MOST_UNIT_BITS, MOST_SCALE_BITS = 1 << 8, 1 << 10  # of base**limb, and of base**places
MOST_BYTES, MOST_STACKS, MOST_RUNS, MOST_TERMS, MOST_WORK = 1 << 26, 16, 10**5, 500, 3 * 10**7
MANY = 1 << 16  # rounds from which a closed form is used
EOS, NEVER = "EOS", "proven non-halting"
OUTCOMES = ("halted", "accepted", "rejected", NEVER)
ACTIVATIONS = {"identity": ("clamp", None, None), "relu": ("clamp", 0, None), "slu": ("clamp", 0, 1)}
ACTIVATIONS |= {"relu6": ("clamp", 0, 6), "heaviside": ("jump", 0, 1)}  # kind, low, high


class NotProvenError(Exception):
    """It is no certificate, or something in it is wrong or beyond this checker."""


def demand(condition, text):
    if not condition:
        raise NotProvenError(text)


def constant(number):
    return {(): number} if number else {}


def unknown(name):
    return {(name,): Fraction(1)}


def is_constant(form):
    return form.keys() <= {()}


def size(form):
    """Return the work of an operation on a form, about."""
    return sum(1 + value.numerator.bit_length() // 1024 for value in form.values())


def plus(one, other, factor=1):
    """Return one + factor * other."""
    total = dict(one)
    for key, value in other.items():
        total[key] = total.get(key, 0) + factor * value
        if not total[key]:
            del total[key]
    return total


def times(one, other):
    total = {}
    for first, value in one.items():
        total = plus(total, {tuple(sorted(first + second)): more for second, more in other.items()}, value)
    demand(len(total) <= MOST_TERMS, "a polynomial has too many terms")
    return bounded(total)


def into(form, forms):
    """Return the form with a form in the place of each unknown."""
    total = {}
    for key, value in form.items():
        product = constant(value)
        for i in key:
            product = times(product, forms[i])
        total = plus(total, product)
    return total


def at(form, values):
    total = sum(value * prod(values[i] for i in key) for key, value in form.items())
    if is_tower(total):
        return total
    demand(total == int(total), "a length or a number of steps is not whole")
    return int(total)


def is_tower(number):
    """Whether a number is too long to be written out (R9)."""
    return hasattr(number, "terms")


def bounded(form):
    for value in form.values():
        demand(value.numerator.bit_length() + value.denominator.bit_length() <= MOST_BITS, "a number grows too long")
    return form


def least(form):
    """Return a bound of a form from below where all unknowns are at least 1, if all its coefficients are positive."""
    return sum(form.values()) if all(value > 0 for key, value in form.items() if key) else -1


@cache
def power_sum(k):
    """Return 0**k + ... + (n - 1)**k as a form in n: the sum of (j + 1)**(k + 1) - j**(k + 1) is known."""
    total = {(0,) * (k + 1): Fraction(1)}
    for lower in range(k):
        total = plus(total, power_sum(lower), -comb(k + 1, lower))
    return {key: value / (k + 1) for key, value in total.items()}


def sum_over(form, start, changes, rounds):
    """Return the sum of form(start + j * changes) for j below `rounds`."""
    here, total = len(start), {}  # the number of the round is one more unknown
    grown = into(form, [plus(unknown(i), unknown(here), change) for i, change in enumerate(changes)])
    for k in range(1 + max((key.count(here) for key in grown), default=0)):
        part = {tuple(i for i in key if i != here): a for key, a in grown.items() if key.count(here) == k}
        total = plus(total, times(into(part, start), into(power_sum(k), [rounds])))
    return total


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
            total = plus(total, other, weight * one.get((), 0))
        parts = [value for key, value in bounded(total).items() if key]
        below, above = (total.get((), 0) + sum(x for x in parts if (x > 0) == up) for up in (False, True))  # R1
        under, over = (0, 0) if kind == "jump" else (low, high)
        if under is not None and above <= under:
            return constant(Fraction(low))
        if over is not None and below >= over:
            return constant(Fraction(high))
        if kind == "clamp" and (low is None or below >= low) and (high is None or above <= high):
            return total
        raise NotProvenError("an activation's branch depends on limbs further down")

    def output(self, state):
        """Return the output in a state, and what it says, or None."""
        form = self._value(self.readout, state)
        demand(is_constant(form), "an output depends on limbs further down")
        output = form.get((), Fraction(0))
        if self.full is not None and output > self.full:
            return output, "stack full"
        if output > self.threshold:
            return output, "halted" if self.protocol == "EOS halt" else "accepted"
        return output, "rejected" if output < -self.threshold else None


class Check:
    """Reads a certificate and proves it: edges (R3, R4), rules (R5, R6, R7), the path (R8)."""

    def __init__(self, data):
        demand(fields(data, "format", "version") == ["exactnn certificate", 2], "this is no certificate of version 2")
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
        self.rules = []
        for rule in listed(rules):
            self.rules.append(Rule(self, rule))
        walk = self._begun(listed(word), begin)
        walk.follow(path, len(self.rules))
        steps, outcome = fields(end, "eos_steps", "outcome")
        demand(outcome in OUTCOMES and outcome == walk.outcome, f"the path ends with {walk.outcome}")
        steps = towers().claimed(listed(steps), number, rational) if isinstance(steps, list) else number(steps, 0)
        demand(at(walk.steps, []) == steps, "the verdict comes after another number of steps")
        self.outcome, self.steps = outcome, at(walk.steps, [])

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
        tails = {stack: unknown(stack) for stack in self.states[source][2]}
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

    def _begun(self, word, data):
        steps, state, given = fields(data, "eos_steps", "state", "stacks")
        demand(all(isinstance(a, str) and a != EOS and a in self.network.alphabet for a in word), "an unknown symbol")
        steps, outcome = number(steps, 0, MOST_WORK), None
        numbers = [constant(value) for value in self.network.start]
        for i in range(len(word) + steps):
            demand(outcome is None, "a verdict comes before the beginning")
            self.spend(self.network.size)
            numbers = self.network.step(numbers, self.network.alphabet.index(word[i]) if i < len(word) else self.eos)
            outcome = self.network.output(numbers)[1] if i >= len(word) else None
        stacks, tails = [[] for _ in range(MOST_STACKS)], {}
        for stack, runs in enumerate(listed(given)):
            tail = Fraction(0)
            for limb, length in tuples(runs):
                limb, length = number(limb, 0, self.unit - 1), number(length, 1)
                demand(limb or stacks[stack], "the limb 0 lies at the bottom of a stack")
                demand(length * self.unit.bit_length() <= MOST_BITS, "a stack is too long")
                power = self.unit**length
                tail = (tail + limb * ((power - 1) // (self.unit - 1))) / power
                stacks[stack].append((limb, constant(length)))
            if runs:
                tails[stack] = constant(tail)
        state = number(state, 0, len(self.states) - 1)
        demand(tails.keys() == self.states[state][2], "the beginning uses other stacks than its state says")
        demand(numbers == self._numbers(self.states[state], tails), "the numbers at the beginning are others")
        return Walk(self, state, stacks, [True] * MOST_STACKS, [], constant(steps), outcome)


class Walk:
    """A path of edges and rules, or a round of a rule, whose lengths are unknowns (R4 to R8)."""

    is_path = True

    def __init__(self, check, state, stacks, entire, sample, steps, outcome=None):
        self.check, self.state, self.stacks, self.entire, self.sample = check, state, stacks, entire, sample
        self.steps, self.outcome, self.conditions, self.congruences = steps, outcome, {}, {}

    def follow(self, moves, known):
        for kind, count in tuples(moves):
            if kind == "rule":
                self._use(self.check.rules[number(count, 0, known - 1)])
                continue
            demand(kind == "edges", "a move is neither edges nor a rule")
            before, self.steps = self.steps, {}  # the steps of these edges are a short sum
            for _ in range(number(count, 1, 10**18)):
                self._take()
            self.steps = bounded(plus(before, self.steps))

    def _take(self):
        """Take the edge that follows (R4)."""
        wanted, limb, last, often = self.check.states[self.state][1], 0, False, constant(1)
        demand(self.outcome is None, "the path goes on after a verdict")
        if wanted >= 0:
            demand(self.stacks[wanted], "a limb is wanted from a stack that is empty, or not named so far down")
            limb, length = self.stacks[wanted][-1]
            last = len(self.stacks[wanted]) == 1 and self.entire[wanted] and length == constant(1)
        edge = self.check.edges.get((self.state, limb, last))
        demand(edge, "there is no edge from a state with its limb")
        steps, self.state, pushes, clears, self.outcome, loop = edge
        if wanted >= 0:
            runs = self.stacks[wanted]
            runs.pop()
            if loop:
                often = plus(length, constant(1), -1) if self.entire[wanted] and not runs else length
            self.require(often)
            if rest := plus(length, often, -1):
                self.require(rest)
                runs.append((limb, rest))
        for emptied in clears:
            demand(self.entire[emptied], "a stack is emptied of which not all is named")
            self.stacks[emptied].clear()
        for stack, top in pushes:
            runs = self.stacks[stack]
            demand(runs or self.entire[stack], "a limb is pushed where a stack is not named")
            grown = bounded(plus(runs.pop()[1], often) if runs and runs[-1][0] == top else often)
            demand(len(runs) < MOST_RUNS, "a stack has too many runs")
            runs.append((top, grown))
        self.check.spend(10 + len(pushes) + len(clears) + size(often))
        self.steps = bounded(plus(self.steps, often, steps))

    def _use(self, rule):
        """Use a rule as often as it can be used (R7)."""
        demand(self.outcome is None, "the path goes on after a verdict")
        places = rule.places(self)
        forms = [runs[i][1] for runs, i in places]
        here = [at(form, self.sample) for form in forms]
        most, ending = rule.rounds(here, forms)
        for form in rule.conditions.values():
            self.require(into(form, forms))
        for form, modulus, _ in rule.congruences.values():
            self._require_residue(into(form, forms), modulus)
        if most is None and (rule.changes is not None or self.is_path):
            self.outcome = NEVER
            return
        if rule.changes is not None:
            _, rounds, form, fall = ending
            self._require_residue(form, fall)
            self.require(rounds)
            for form, less in rule.clocks:
                self.require(plus(into(form, forms), plus(rounds, constant(1), -1), -less))
            self.steps = plus(self.steps, sum_over(rule.steps, forms, rule.changes, rounds))
            after = [plus(form, rounds, change) for form, change in zip(forms, rule.changes, strict=True)]
        else:
            maps, steps, after = rule.maps, rule.steps, forms
            left = most if self.is_path else 1
            if is_tower(left) or left >= MANY:
                after, more = towers().after_rounds(maps, steps, here, left, at)
                self.steps, after, left = plus(self.steps, constant(more)), list(map(constant, after)), 0
            while left:  # the rounds, by doubling; in a rule it is one
                if left & 1:
                    self.steps, after = plus(self.steps, into(steps, after)), [into(form, after) for form in maps]
                if left := left >> 1:
                    steps, maps = plus(steps, into(steps, maps)), [into(form, maps) for form in maps]
                self.check.spend(10 + size(steps))
        self.check.spend(10 * len(forms) + size(self.steps))
        for (runs, i), form in zip(places, after, strict=True):
            runs[i] = runs[i][0], bounded(form)

    def require(self, form):
        """Write down that a form is at least 1, over whole numbers."""
        over = lcm(*[value.denominator for value in form.values()])
        form = plus({key: over * value for key, value in form.items()}, constant(1 - over))
        self.check.spend(1 + size(form))
        demand(not is_constant(form) or form.get((), 0) >= 1, "a length, or a condition, is below 1")
        if least(form) < 1:
            common = gcd(*[int(value) for key, value in form.items() if key])
            key = {key: Fraction(value, common) for key, value in form.items() if key}
            form = plus(key, constant(Fraction((int(form.get((), 0)) - 1) // common + 1)))
            known = self.conditions.get(frozenset(key.items()), form)
            self.conditions[frozenset(key.items())] = min(form, known, key=lambda form: form.get((), 0))

    def _require_residue(self, form, modulus):
        """Write down that a form has the residue that it has in the sample."""
        over = lcm(*[value.denominator for value in form.values()])
        form, modulus = {key: over * value for key, value in form.items() if key}, over * modulus
        if any(value % modulus for value in form.values()):
            self.congruences[frozenset(form.items()), modulus] = form, modulus, at(form, self.sample) % modulus


class Rule(Walk):
    """A round with unknown lengths (R5), and how often it may be repeated (R6)."""

    is_path = False

    def __init__(self, check, data):
        start, stacks, self.whole, moves, sample = fields(data, "state", "stacks", "whole", "moves", "sample")
        start, unit = number(start, 0, len(check.states) - 1), check.unit - 1
        demand(all(type(flag) is bool for flag in listed(self.whole, len(listed(stacks)))), "whole is a list of truths")
        self.start, self.whole = start, self.whole + [True] * (MOST_STACKS - len(stacks))
        entries = [[(number(x, 0, unit), *(number(y, 1) for y in y)) for x, *y in listed(runs)] for runs in stacks]
        self.entries = entries + [[] for _ in range(MOST_STACKS - len(stacks))]
        listed(sample, sum(len(run) == 1 for runs in self.entries for run in runs))
        names = map(unknown, range(len(sample)))
        begun = [[(x, constant(y[0]) if y else next(names)) for x, *y in runs] for runs in self.entries]
        demand(all(len(run) <= 2 for runs in self.entries for run in runs), "a run is no limb with its length")
        super().__init__(check, start, list(map(list, begun)), self.whole, [number(x, 1) for x in sample], {})
        self.follow(moves, len(check.rules))
        demand(self.state == start and self.steps and self.outcome is None, "a rule is no round, or takes no step")
        self.maps = []
        for old, new in zip(begun, self.stacks, strict=True):
            demand([limb for limb, _ in old] == [limb for limb, _ in new], "a rule comes to other limbs")
            pairs = [(before, after) for (_, before), (_, after) in zip(old, new, strict=True)]
            demand(all(before == after for before, after in pairs if is_constant(before)), "a known length changes")
            self.maps += [after for before, after in pairs if not is_constant(before)]
        changes = [plus(form, unknown(i), -1) for i, form in enumerate(self.maps)]
        self.clocks, self.many = [], True
        check.spend((1 + len(self.conditions)) ** 2)
        for form, modulus, _ in self.congruences.values():
            self.many = self.many and not any(x % modulus for x in plus(into(form, self.maps), form, -1).values())
        for form in self.conditions.values():
            change = plus(into(form, self.maps), form, -1)
            if change.keys() == {()} and change[()] < 0:
                self.clocks.append((form, int(-change[()])))
            else:
                self.many = self.many and self._stays(change)
        adds = self.many and all(map(is_constant, changes))
        self.changes = [change.get((), 0) for change in changes] if adds else None

    def _stays(self, change):
        """Whether a change is at least 0 by its signs, perhaps after a multiple of a condition is taken off."""
        factors = [(constant(1), 0)]
        factors += [(form, change[key] / form[key]) for form in self.conditions.values() for key in change
                    if key and change[key] < 0 and form.get(key, 0) < 0]  # fmt: skip
        return any(least(plus(change, plus(form, constant(1), -1), -factor)) >= 0 for form, factor in factors)

    def places(self, walk):
        """Return where the lengths are that the rule leaves open: (runs, index)."""
        found, other = [], "a rule is used in another state, or on other limbs"
        demand(walk.state == self.start, other)
        for runs, ends, entries, whole in zip(walk.stacks, walk.entire, self.entries, self.whole, strict=True):
            below = len(runs) - len(entries)
            demand(ends and below == 0 if whole else below > (0 if ends else -1), other)
            for i, (limb, *length) in enumerate(entries, below):
                demand(runs[i][0] == limb and (not length or runs[i][1] == constant(length[0])), other)
                found += [] if length else [(runs, i)]
        return found

    def rounds(self, here, forms):
        """Return how many rounds are possible, None for any number; and that as a form, with the clock that says so."""
        self.check.spend(1 + len(self.conditions))
        demand(all(at(form, here) >= 1 for form in self.conditions.values()), "a condition does not hold")
        same = all(at(form, here) % modulus == rest for form, modulus, rest in self.congruences.values())
        demand(same, "a congruence does not hold")
        ends = [((at(form, here) - 1) // fall + 1, at(form, here), form, fall) for form, fall in self.clocks]
        if not self.many or not ends:
            return (None if self.many else 1), None
        choices, most = [], min(rounds for rounds, *_ in ends)
        for _, value, form, fall in (end for end in ends if end[0] == most):
            form = into(form, forms)
            left = plus(form, constant(1 + (value - 1) % fall), -1)
            rounds = plus({key: value * Fraction(1, fall) for key, value in left.items()}, constant(Fraction(1)))
            choices.append((sorted({(): 0, **rounds}.items()), rounds, form, fall))
        return most, min(choices, key=lambda choice: choice[0])


def towers():
    """Return the arithmetic of enormous numbers (R9), which is a file beside this one."""
    try:
        return import_module("certificate_towers")
    except ImportError:
        raise NotProvenError("for enormous numbers certificate_towers.py must lie beside this file") from None


def check(text):
    """Return (outcome, EOS steps) that a certificate proves; raises NotProvenError."""
    try:
        demand(len(text) <= MOST_BYTES, "the file is too large")
        checked = Check(json.loads(text, object_pairs_hook=without_repetition))
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, ArithmeticError) as error:
        raise NotProvenError(f"this is no certificate: {error}") from None
    return checked.outcome, checked.steps


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not all(word.isdecimal() and len(word) < 20 for word in sys.argv[2:]):
        sys.exit(__doc__)
    MOST_WORK = int(sys.argv[2]) if sys.argv[2:] else MOST_WORK  # small steps
    try:
        with open(sys.argv[1], "rb") as file:
            outcome, steps = check(file.read(MOST_BYTES + 1))
    except (NotProvenError, OSError) as error:
        sys.exit(f"not proven: {error}")
    if is_tower(steps):
        steps = f"a sum of {len(steps.terms)} powers too long to be written out, the one in the file,"
    print(f"proven: {outcome} after {steps if isinstance(steps, str) or steps < 10**3000 else hex(steps)} EOS steps")
