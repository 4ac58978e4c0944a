"""A second checker of run certificates, with nothing of exactnn: python certificate_checker.py CERTIFICATE.json [WORK]

It ends with 0 if the claim is proven, and with 1 if not. The proof rules R1 to R10 are stated in `certificates.md`.
"""

import json
import sys
from fractions import Fraction
from functools import cmp_to_key, lru_cache, partial, reduce
from itertools import chain, count, pairwise, product, repeat
from math import inf, lcm, prod

MOST_BYTES, MOST_WORK, MOST_BITS, MOST_DIGITS, MOST_STACKS, EOS = 1 << 26, 3 * 10**7, 1 << 23, 1 << 10, 16, "EOS"
ACTIVATIONS = {"identity": ("clamp", None, None), "relu": ("clamp", "0x0", None), "slu": ("clamp", "0x0", "0x1")}
ACTIVATIONS |= {"relu6": ("clamp", "0x0", "0x6"), "heaviside": ("jump", "0x0", "0x1")}  # kind, low, high


class NotProvenError(Exception):
    """It is no certificate, or something in it is wrong or beyond this checker."""


def demand(condition, text):
    if not condition:
        raise NotProvenError(text)


def number(value, least=-inf, most=inf):  # a whole number of the file: plain, or as hexadecimal text
    value = int(value, 16) if isinstance(value, str) and value.lstrip("-").startswith("0x") else value
    demand(type(value) is int and value.bit_length() <= 1 << 21 and least <= value <= most, "a number is out of range")
    return value


def rational(value):  # of the file
    return Fraction(*map(number, value.split("/")))


class Form(dict):
    # A polynomial: coefficients, none 0, by monomials: sorted tuples of unknowns, () for 1. Unknowns from 0 are tails
    # of stacks or lengths; one below 0 is a power of `POWERS`. With none but these a form is *known*.
    work = 0  # small steps that all forms together may still do

    @classmethod
    def of(cls, number, *unknowns):
        return cls({unknowns: Fraction(number)} if number else {})

    @classmethod
    def read(cls, data, unknowns):  # it is written as a list of (coefficient, unknowns)
        return cls({tuple(sorted(number(i, 0, unknowns - 1) for i in key)): rational(value) for value, key in data})

    def is_known(self):
        return all(key[-1:] < (0,) for key in self)

    def least(self):  # a bound from below where all unknowns are at least 1, if their coefficients are positive
        return sum(self.values()) if all(value > 0 for key, value in self.items() if key) else -1

    def __hash__(self):
        return hash(frozenset(self.items()))

    def add(self, other, factor=1):  # factor * other, in place
        for key, value in other.items():
            value = self.pop(key, 0) + factor * value
            bits, below = value.numerator.bit_length(), value.denominator.bit_length()
            Form.work -= 1 + (bits + below) // 1024 * (1 + below // 1024)
            demand(bits + below <= MOST_BITS and len(key) <= 64 and Form.work >= 0, "more work or room is needed")
            self.update({key: value} if value else {})
        return self

    def __add__(self, other):
        return Form(self).add(other)

    def __sub__(self, other):
        return Form(self).add(other, -1)

    def __mul__(self, other):
        total = Form()
        for (one, value), (two, more) in product(self.items(), other.items()):
            key = sorted(one + two)
            if len(key) == 2 and key[1] < 0:  # two powers of one base are one
                (base, first), (second, exponent) = (POWERS[~i] for i in key)
                demand(base == second, "powers of two bases are multiplied")
                total.add((first + exponent).power_of(base), value * more)
            else:
                total.add(Form.of(1, *key), value * more)
        return total

    def into(self, forms):  # with a form in the place of each unknown
        total = Form()
        for key, value in self.items():
            demand(key[:1] >= (0,) or not key, "a rule in which a length is too long to be written out")
            total.add(prod((forms[i] for i in key[1:]), start=forms[key[0]] if key else ONE), value)
        return total

    def powers(self):  # (base, exponent, coefficient) of each power in a known number, with 1**0 for its constant
        demand(self.is_known(), "this is no number")
        return [(*(POWERS[~key[0]] if key else (1, Form())), value) for key, value in self.items()]

    def residue(self, modulus):  # of a known number, modulo m: exponents above log2(m) may differ by the totient of m
        modulus *= (over := lcm(*[value.denominator for value in self.values()]))
        demand(modulus.bit_length() <= MOST_DIGITS, "a residue modulo a long number")
        period, total = totient(modulus), 0
        for base, exponent, value in self.powers():
            demand(not exponent or sign(exponent - Form.of(modulus.bit_length())) > 0, "a residue of a short power")
            total += int(value * over) * pow(base, period + (exponent.residue(period) if period > 1 else 0), modulus)
        demand(total % over == 0, "a length, or a number of rounds or steps, is not whole")
        return total % modulus // over

    def power_of(self, base):  # base**n of a known n, as a number times a power whose exponent is near, or is 0 (R9)
        demand(self.is_known(), "a length grows by a factor in a number of rounds that is not known")
        rest = self - Form.of(whole := self.get((), Fraction(0)) // 1)
        alike = ALIKE.setdefault((base, rest), [] if rest else [(0, ())])
        for other, key in alike:
            if abs(whole - other) * base.bit_length() < 1 << 19:
                return Form({key: Fraction(base) ** (whole - other)})
        POWERS.append((base, self))
        alike.append((whole, (-len(POWERS),)))
        return Form.of(1, -len(POWERS))


POWERS, ALIKE, ONE, END = [], {}, Form.of(1), (-1, Form.of(1))  # (base, exponent) of unknowns below 0; END of a stack


@lru_cache(1 << 16)
def sign(form):  # of a known number: that of its largest power, which must exceed all others together (R9)
    terms = form.powers() or [(1, Form(), 0)]
    demand(len({base for base, exponent, _ in terms if exponent}) < 2, "powers of two bases are compared")
    _, top, most = max(terms, key=cmp_to_key(lambda one, other: sign(one[1] - other[1])))
    room = {n: Form.of(len(terms) + v.numerator.bit_length() + most.denominator.bit_length()) for _, n, v in terms}
    demand(all(n == top or sign(top - n - room[n]) > 0 for n in room), "two sums of powers are too close")
    return (most > 0) - (most < 0)


@lru_cache(1 << 16)
def totient(number):
    prime = next(p for p in range(2, 1 << 16) if number % p == 0) if number > 1 else 1
    return totient(number // prime) * (prime - bool(number // prime % prime)) if number > 1 else 1


class Check:  # of a certificate: its network (R1, R2), edges (R3, R4), rules (R5, R6, R7) and path (R8)
    def __init__(self, data):
        demand((data["format"], data["version"]) == ("exactnn certificate", 3), "this is no certificate of version 3")
        self._read_network(data["network"])
        self.base, self.rules = number(data["base"], 2, MOST_BYTES), []
        self.unit, begin = self.base ** number(data["limb"], 1, MOST_DIGITS), data["begin"]
        self.limb = partial(number, least=0, most=self.unit - 1)
        self.states = [self._state(state["values"], state["wanted"]) for state in data["states"]]
        self.edges = dict(map(self._prove_edge, data["edges"]))
        for rule in data["rules"]:
            self.rules.append(Rule(self, rule))
        walk, early, tails = Walk(self, number(begin["state"], 0)), number(begin["eos_steps"], 0), {}
        demand({*data["word"]} <= {*self.alphabet} - {EOS}, "the word has an unknown symbol")
        numbers, walk.outcome = self._run(self.start, chain(data["word"], repeat(EOS, early)))
        walk.steps = Form.of(early)
        for stack, runs in enumerate(begin["stacks"]):
            for limb, length in ((self.limb(x), number(n, 1, (1 << 20) // self.unit.bit_length())) for x, n in runs):
                walk.stacks[stack].append((limb, Form.of(length)))
                tails[stack] = self._pushed(limb, tails.get(stack), length)
        demand(numbers == self._numbers(walk.state, tails), "the network begins with other numbers")
        walk.follow(data["path"])
        self.claim = data["end"]["outcome"], self._sum(data["end"]["eos_steps"])
        demand(walk.outcome and self.claim == (walk.outcome, walk.steps), "the path ends with another outcome or steps")

    def _read_network(self, data):  # layers of units, each an activation of an affine or second-order sum of registers
        demand((data["format"], data["version"], data["scalar_output"]) == ("exactnn network", 1, True), "no network")
        self.start, self.alphabet = [Form.of(rational(value)) for value in data["initial_state"]], data["alphabet"]
        self.layers = [[self._unit(unit) for unit in layer] for layer in data["layers"]]
        (self.readout,), self.following = map(self._unit, data["readout"]), [number(i, 0) for i in data["next_state"]]
        demand(len({EOS, *self.alphabet}) == len(self.alphabet) == data["input_size"], "the alphabet is wrong")
        self.bound, self.full = rational(data["threshold"]), rational(data["full"]) if data.get("full") else inf
        self.high = {"EOS halt": "halted", "EOS verdict": "accepted"}[data["protocol"]]

    def _unit(self, data):  # a function of registers
        terms = [([i], weight) for i, weight in data["linear"]] + [([i, j], w) for i, j, w in data.get("bilinear", [])]
        terms, given = [([number(i, 0) for i in names], rational(w)) for names, w in terms], data["activation"]
        kind, *bounds = ACTIVATIONS[given] if isinstance(given, str) else map(given.get, ("kind", "low", "high"))
        low, high = (end if bound is None else rational(bound) for bound, end in zip(bounds, (-inf, inf), strict=True))
        demand(low <= high and (kind == "clamp" or (kind == "jump" and high - low < inf)), "an activation is unknown")
        bias, floor, ceiling = rational(data["bias"]), *((0, 0) if kind == "jump" else (low, high))

        def value(registers):
            Form.work -= len(terms)
            total = Form().add(ONE, bias)
            for names, weight in terms:
                total.add(prod((registers[i] for i in names[1:]), start=registers[names[0]]), weight)
            demand(all(len(key) < 2 for key in total), "a product of two numbers that depend on limbs further down")
            parts = [value for key, value in total.items() if key]
            below, above = (total.get((), 0) + sum(x for x in parts if (x > 0) == up) for up in (False, True))  # R1
            if above <= floor or below >= ceiling:
                return Form.of(low if above <= floor else high)
            demand(floor <= below and above <= ceiling, "an activation's branch depends on limbs further down")
            return total

        return value

    def _run(self, state, symbols):  # the numbers after some steps, as forms (R2), and the outcome at the end
        outcome = None
        for symbol in symbols:
            demand(not outcome, "a verdict comes too early")
            registers = [*state, *(Form.of(symbol == other) for other in self.alphabet)]
            Form.work -= len(registers)
            for layer in self.layers:
                registers += [unit(registers) for unit in layer]
            state = [registers[i] for i in self.following]
            output = (form := self.readout(state) if symbol == EOS else Form()).get((), 0)
            demand(form.keys() <= {()} and output <= self.full, "an output is too much, or no number")
            outcome = symbol == EOS and (self.high if output > self.bound else output < -self.bound and "rejected")
        return state, outcome

    def _sum(self, data):  # a whole number, or the last of a list of sums of powers (R9)
        sums = []
        for entry in data if isinstance(data, list) else [{"constant": hex(number(data)), "powers": []}]:
            sums.append(Form.of(rational(entry["constant"])))
            for base, at, value in entry["powers"]:
                exponent = sums[number(at, 0, len(sums) - 2)] if type(at) is int else Form.of(number(at, 0))
                sums[-1].add(exponent.power_of(number(base, 2, 1 << 32)), rational(value))
            sums[-1].residue(1)
        return sums[-1]

    def _state(self, values, wanted):  # its heads, which stack it wants, and which are in use
        heads = []
        for value in values:
            head, places, sign, stack = [int(value), 0, 0, -1] if value in ("0", "1") else value
            scale = Fraction(self.base) ** -number(places, -MOST_DIGITS, MOST_DIGITS)
            heads.append((number(head) * scale, number(sign, -1, 1) * scale, number(stack, -1, MOST_STACKS - 1)))
        used = {stack for *_, stack in heads} - {-1}
        demand(len(heads) == len(self.start) and number(wanted) in {-1, *used}, "a state has other numbers")
        return heads, number(wanted), used

    def _numbers(self, state, tails):
        demand(tails.keys() == self.states[state][2], "a state uses other stacks")
        return [Form.of(head).add(tails.get(stack, {}), factor) for head, factor, stack in self.states[state][0]]

    def _pushed(self, limb, tail, often=1):  # the tail of a stack with equal limbs on top of another, or of nothing
        demand(limb or tail, "the limb 0 lies at the bottom of a stack")
        power = self.unit**often
        return Form.of(Fraction(limb * (power - 1), power * (self.unit - 1))).add(tail or {}, Fraction(1, power))

    def _prove_edge(self, edge):  # takes its steps for all tails at once (R3)
        source, target, steps = (number(edge[key], 0) for key in ("state", "target", "steps"))
        limb, last, (_, wanted, used) = self.limb(edge["limb"]), edge["last"] is True, self.states[source]
        pushes, clears = [(number(i, 0), self.limb(x)) for i, x in edge["pushes"]], {*map(number, edge["clears"])}
        tails = {stack: Form.of(1, stack) for stack in used}
        after = {stack: tail for stack, tail in tails.items() if stack not in clears and not (last and stack == wanted)}
        tails |= {wanted: self._pushed(limb, None if last else tails[wanted])} if wanted >= 0 else {}
        numbers, outcome = self._run(self._numbers(source, tails), repeat(EOS, steps))
        for stack, top in pushes:
            after[stack] = self._pushed(top, after.get(stack))
        demand(numbers == self._numbers(target, after), "an edge leads to other numbers")
        loop = source == target and len(dict(pushes)) == len({*pushes}) and not (clears or last or outcome)  # R4
        return (source, limb, last), (steps, target, pushes, clears, outcome, loop and -1 < wanted not in dict(pushes))


class Walk:  # a path of edges and rules, or the round of a rule, whose lengths are unknowns (R4 to R8)
    def __init__(self, check, state, stacks=((END,),) * MOST_STACKS):
        self.check, self.state, self.stacks = check, state, [[*runs] for runs in stacks]
        self.steps, self.outcome, self.conditions, self.parts = Form(), None, set(), set()

    def follow(self, moves):
        for kind, *given in moves:
            for _ in range(number(*given, least=1) if kind == "edges" else 1):
                demand(not self.outcome, "a path goes on after its end")
                {"edges": self._take, "rule": self._use, "closed": self._close}[kind](*given)

    def _close(self):  # a closed set of outlines, a state with the top limbs, from which no verdict can come (R10)
        below = {(i, x, y) for i, runs in enumerate(self.stacks) for (y, _), (x, _) in pairwise(runs)}  # x lies on y
        below |= {(i, x, x) for i, runs in enumerate(self.stacks) for x, length in runs if length != ONE}
        found, before = {(self.state, *(runs[-1][0] for runs in self.stacks))}, -1
        while before < (before := len(below)):  # a new pair may lead on from old outlines
            for state, *tops in (todo := [*found]):
                limb = tops[wanted] if (wanted := self.check.states[state][1]) >= 0 else 0
                for under in [z for x, y, z in below if (x, y) == (wanted, limb)] or [0]:
                    steps, target, pushes, clears, outcome, _ = self.check.edges[state, limb, under == -1]
                    Form.work -= len(below) + len(pushes) + MOST_STACKS
                    still = not steps and (pushes or max(wanted, self.check.states[target][1]) < 0)
                    demand(not outcome and not still and Form.work > 0, "a set of outlines is not closed, or too large")
                    after = [-1 if i in clears else under if i == wanted else top for i, top in enumerate(tops)]
                    for stack, top in pushes:
                        below.add((stack, top, after[stack]))
                        after[stack] = top
                    todo += {(target, *after)} - found
                    found.add((target, *after))
        self.outcome = "proven non-halting"

    def _take(self, _):  # the edge that follows (R4)
        wanted = self.check.states[self.state][1]
        limb, n = self.stacks[wanted].pop() if wanted >= 0 else (0, ONE)  # an IndexError if none is named there
        last = wanted >= 0 and self.stacks[wanted] == [END]  # of the runs there
        steps, self.state, pushes, clears, self.outcome, loop = self.check.edges[self.state, limb, last and n == ONE]
        self.require(often := (n - ONE if last else n) if loop else ONE)
        if rest := n - often:
            self.require(rest)
            self.stacks[wanted].append((limb, rest))
        demand(all(self.stacks[stack][:1] == [END] for stack in clears), "a stack is emptied of which not all is named")
        self.stacks = [runs[:1] if stack in clears else runs for stack, runs in enumerate(self.stacks)]
        for stack, top in pushes:
            runs = self.stacks[stack]
            demand(runs and len(runs) < 10**5, "a limb is pushed where a stack is not named")
            runs.append((top, runs.pop()[1] + often if runs[-1][0] == top else often))
        self.steps.add(often, steps)

    def _use(self, index, choice):  # a rule as often as one of its counts says, or for ever (R7)
        rule, places = self.check.rules[number(index, 0)], []
        for runs, named in zip(self.stacks, rule.named, strict=True):
            below = len(runs) - len(named)
            demand(self.state == rule.start and below >= 0 and runs[:below] != [END], "a rule on other stacks")
            for i, (limb, length) in enumerate(named, below):
                demand(runs[i][0] == limb and (runs[i][1] == length or not length.is_known()), "a rule on other limbs")
                places += [] if length.is_known() else [(runs, i)]
        forms, after = [runs[i][1] for runs, i in places], rule.round
        often = ONE if choice is None else rule.counts[number(choice, 0)]
        for form in (*rule.conditions, often):
            self.require(form.into(forms))
        for form in (*rule.parts, often):
            self.require_whole(form.into(forms))
        if choice is None:
            demand(rule.repeats and not rule.clocks, "a rule does not go on for ever")
            self.outcome = "proven non-halting"
            return
        if (rounds := often.into(forms)) != ONE:
            demand(rule.repeats and rule.many, "a rule is used several times in a row")
            for form, change in rule.clocks:
                self.require(form.into(forms) + (rounds - ONE) * change)
            first, bases, after = rule.many
            self.require(rounds - Form.of(first - 1))
            forms += [rounds, *map(rounds.power_of, bases)]
        *lengths, steps = (form.into(forms) for form in after)
        self.steps.add(steps)
        for (runs, i), length in zip(places, lengths, strict=True):
            runs[i] = runs[i][0], length

    def require(self, form):  # to be positive, where it is whole
        if form.is_known():
            demand(sign(form) > 0, "a length, or a condition, is below 1")
        elif form.least() <= 0:
            self.conditions.add(form)

    def require_whole(self, form):
        if form.is_known():
            form.residue(1)
        elif part := Form({key: value % 1 for key, value in form.items() if value % 1}):
            self.parts.add(part)


class Rule(Walk):  # a round with unknown lengths (R5), and what many rounds do (R6)
    def __init__(self, check, data):
        new, self.start, stacks = map(partial(Form.of, 1), count()), number(data["state"], 0), data["stacks"]
        named = [[(check.limb(x), Form.of(number(*n, least=1)) if n else next(new)) for x, *n in s] for s in stacks]
        self.named = [[END] * (whole is True) + runs for runs, whole in zip(named, data["whole"], strict=True)]
        self.named += [[END]] * (MOST_STACKS - len(named))
        super().__init__(check, self.start, self.named)
        self.follow(data["moves"])
        demand(self.state == self.start and self.steps and not self.outcome, "a rule is no round, or takes no step")
        pairs = [pair for old, new in zip(self.named, self.stacks, strict=True) for pair in zip(old, new, strict=True)]
        demand(all(old == new or (old[0] == new[0] and not old[1].is_known()) for old, new in pairs), "other limbs")
        self.round = [after for (_, before), (_, after) in pairs if not before.is_known()] + [self.steps]
        changes = [(form, form.into(self.round) - form) for form in self.conditions]
        self.clocks = [(form, change) for form, change in changes if change.is_known() and sign(change) < 0]
        self.repeats = all(x.denominator == 1 for part in self.parts for x in (part.into(self.round) - part).values())
        self.repeats &= all(self._stays(change) for form, change in changes if (form, change) not in self.clocks)
        self.counts = [Form.read(form, len(self.round) - 1) for form in data["counts"]]
        self.many = data["many"] and self._many(len(self.round) - 1, **data["many"])

    def _many(self, n, first, bases, lengths, steps):  # proves by induction what rounds lead to, at least `first` (R6)
        first, bases = number(first, 0, 64), [number(base, 2, 1 << 32) for base in bases]
        after = [Form.read(form, n + 1 + len(bases)) for form in (*lengths, steps)]
        here = [Form.of(1, i) for i in range(n)]
        begun = reduce(lambda lengths, _: self._more(lengths), range(first), [*here, Form()])
        start = [*here, Form.of(first), *(Form.of(base**first) for base in bases)]
        later = [*here, Form.of(1, n) + ONE, *(Form.of(base, i) for i, base in enumerate(bases, n + 1))]
        demand([form.into(start) for form in after] == begun, "the first rounds lead elsewhere than it says")
        demand([form.into(later) for form in after] == self._more(after), "one round more leads elsewhere than it says")
        return first, bases, after

    def _more(self, lengths):  # and steps, after one round more
        return [form.into(lengths) + (lengths[-1] if form is self.steps else Form()) for form in self.round]

    def _stays(self, change):  # at least 0, by its signs, perhaps after a multiple of a condition is taken off
        falls = [key for key, value in change.items() if key and value < 0]
        found = [(form, change[key] / form[key]) for key in falls for form in self.conditions if key in form]
        return any(Form(change).add(form - ONE, -many).least() >= 0 for form, many in [(ONE, 0), *found] if many >= 0)


def check(text, work=MOST_WORK):
    """Return (outcome, EOS steps) that a certificate proves; the steps are a Form if too long to be written out."""
    Form.work = work
    try:
        outcome, steps = Check(json.loads(text)).claim
        return outcome, int(steps.get((), 0)) if steps.keys() <= {()} else steps
    except Exception as error:  # whatever goes wrong with what a stranger wrote
        raise NotProvenError(error.args[0] if isinstance(error, NotProvenError) else type(error).__name__) from None


if __name__ == "__main__":
    path, *work = sys.argv[1:] or sys.exit(__doc__)
    try:
        with open(path, "rb") as file:
            outcome, steps = check(file.read(MOST_BYTES), *map(int, work))
    except (NotProvenError, OSError, ValueError) as error:
        sys.exit(f"not proven: {error}")
    told = "the file's number of" if isinstance(steps, Form) else steps if steps < 10**3000 else hex(steps)
    print(f"proven: {outcome} after {told} EOS steps")
