"""The languages and functions of published benchmarks, written once more from their definitions, without machines.

Delétang et al., ICLR 2023; Butoi et al., ICLR 2025 (FLaRe).
"""

import operator
import re
from itertools import pairwise

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
CLOSES = {"(": ")", "[": "]"}


def even_pairs(word):
    return sum(a != b for a, b in pairwise(word)) % 2 == 0


def place_on_circle(word):
    """Return where a walk on a circle of five ends."""
    return sum({"<": -1, "=": 0, ">": 1}[a] for a in word) % 5


def walk_with_its_end(word):
    walk, end = word[:-1], word[-1:]
    return set(walk) <= set("<=>") and end in set("01234") and int(end) == place_on_circle(walk)


def is_expression(word):
    return re.fullmatch("[0-4]([-+*][0-4])*", word) is not None


def sum_of_products(word):
    """Return the value modulo 5 with products first, by splitting at sums; none of what is no expression."""
    if not is_expression(word):
        return "none"
    total = 0
    for sign, product in re.findall(r"(^|[-+])([0-4](?:\*[0-4])*)", word):
        value = 1
        for factor in product.split("*"):
            value *= int(factor)
        total += -value if sign == "-" else value
    return str(total % 5)


def calculated_from_the_left(word):
    expression, equals, value = word.partition("=")
    if not (equals and is_expression(expression) and re.fullmatch("[0-4]", value)):
        return False
    found = int(expression[0])
    for sign, digit in re.findall("([-+*])([0-4])", expression):
        found = OPERATIONS[sign](found, int(digit))
    return found % 5 == int(value)


def nested_brackets(word, depth=3):
    """Whether brackets ( ) and [ ] are balanced and at most so many are open at a time."""
    expected = []
    for letter in word:
        if letter in CLOSES:
            expected.append(CLOSES[letter])
        elif not expected or letter != expected.pop():
            return False
        if len(expected) > depth:
            return False
    return not expected


def halves_at_the_mark(word):
    """Return what stands before and after the only mark, or None."""
    return word.split("#") if word.count("#") == 1 else None


def bucket_sort(word):
    halves = halves_at_the_mark(word)
    return halves is not None and sorted(halves[0]) == list(halves[1])


def odds_first(word):
    halves = halves_at_the_mark(word)
    return halves is not None and halves[1] == halves[0][0::2] + halves[0][1::2]


def stack_manipulation(word):
    stack, rest = [], list(word)
    while rest and rest[0] in "01":
        stack.append(rest.pop(0))
    while rest and rest[0] in "+-":
        if rest.pop(0) == "-":
            if not stack:
                return False
            stack.pop()
        elif rest and rest[0] in "01":
            stack.append(rest.pop(0))
        else:
            return False
    return rest == ["#", *reversed(stack)]


def missing_duplicate(word):
    whole = word.replace("_", "1")
    middle = len(word) // 2
    return word.count("_") == 1 and len(word) % 2 == 0 and whole[:middle] == whole[middle:]


def number(digits):
    """Return the number with these binary digits, the least one first."""
    return sum(2**i for i, digit in enumerate(digits) if digit == "1")


def binary_addition(word):
    parts = re.fullmatch("([01]+)[+]([01]+)=([01]+)", word)
    return parts is not None and number(parts[1]) + number(parts[2]) == number(parts[3])


LANGUAGES = {
    "even-pairs": even_pairs,
    "repeat-01": lambda w: w == "01" * (len(w) // 2),
    "begins-with-1": lambda w: w.startswith("1"),
    "cycle-navigation-checked": walk_with_its_end,
    "modular-arithmetic-checked": calculated_from_the_left,
    "dyck-2-3": nested_brackets,
    "majority": lambda w: 2 * w.count("1") > len(w),
    "bucket-sort": bucket_sort,
    "stack-manipulation": stack_manipulation,
    "missing-duplicate": missing_duplicate,
    "odds-first": odds_first,
    "binary-addition-checked": binary_addition,
}
"""Zoo name -> whether a word is in the language."""

OUTPUTS = {
    "cycle-navigation": lambda w: str(place_on_circle(w)),
    "modular-arithmetic": sum_of_products,
}
"""Zoo name of a Moore machine -> what it gives after a word."""
