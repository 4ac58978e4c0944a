"""The ledger: every erratum is one, what is corrected is what the definition says, and the page is what it prints."""

from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import pytest

import exactnn
from exactnn import Erratum, errata
from exactnn.automata import ListedLanguage, interpret, look_up
from exactnn.corrections import (
    depth_of_networks,
    errata_page,
    expressive_power,
    lecture_slides,
    textbook_lemmas,
    textbook_real_weights,
    textbook_turing_machines,
    unitary_networks,
)
from exactnn.corrections.erratum import Entry, two_state_machine
from exactnn.corrections.ledger import ENTRIES
from exactnn.corrections.textbook_turing_machines import RULES
from exactnn.errors import OptionError
from exactnn.outcome import Outcome

DOCS = Path(exactnn.__file__).parent.parent / "docs"
FILES = (
    depth_of_networks,
    expressive_power,
    lecture_slides,
    textbook_lemmas,
    textbook_real_weights,
    textbook_turing_machines,
    unitary_networks,
)
FOUND = {erratum.id: erratum for erratum in errata()}

AS_IT_STANDS = {
    "E1": "0, 0, 0, 0, 1, 4, 3, -1",
    "E2": ", ".join("0" * 12),
    "E3": "0, 0, 0, 0, 0, 0",
    "E4": "0, 0, 0, 0, 0, 0",
    "E7": "output 0: rejected",
    "E8": "at most 2 states",
    "E9": "1/2, 1, 2/3",
    "E10": "0, 0, 0, -1, 0, 0, 0, 0",
    "E11": "step limit, step limit, step limit",
    "E12": "a^i for i = 5, 7 are accepted by their networks, and not in L",
    "E13": "no verdict after 0 words of the list",
    "E14": "no verdict after 100 words of the list",
    "E15": "q3 to q8 are 6 states of M; 2/3 x + 1/3 l adds 1 number to 3",
    "E16": "f is one of 0, 2",
    "E17": "polynomially many",
    "E18": f"{2 * 10 + 1} states for {2**11 - 1} words",  # c is #a - #b
    "E19": "c = 291099501/100000000",
    "E20": "top(empty) = 0, top(0) = 0",
    "E21": "3/2, 5/4",
    "E22": "not contractive: the spectral norm of V is exactly 1 (pivot 2 of I - V'V is 0)",
    "E23": "3, 24/5, 147/25, 732/125",
    "E24": "1012, 1012",
    "E25": "no such step: after (empty) 1 weighs more than 0, and after 1 less",  # h xor x is 1 after it, and 0
    "E26": "4",
    "E27": "n = 1 is left out; ranks up to 1, 2, 3, 4 with L layers",
}
"""Worked out by hand, or in other exact arithmetic."""


def by_the_machine(erratum, steps):
    """Return what the theorem says of the machine: 0 before T, the verdict from then on."""
    result = interpret(two_state_machine(RULES[erratum]), max_steps=steps)
    if result.outcome is Outcome.STEP_LIMIT:
        return ", ".join("0" * steps)
    verdict = {Outcome.ACCEPTED: "1", Outcome.REJECTED: "-1"}[result.outcome]
    before = result.steps + 2 - 1
    return ", ".join(["0"] * before + [verdict] * (steps - before))


def states_reached(h):
    found = []
    while h not in found:
        found.append(h)
        h = min(1, max(0, h - 1))
    return found


def decimal(digits):
    return sum(digit * 10**place for place, digit in enumerate(reversed(digits)))


def squared(matrix):
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*matrix, strict=True)] for row in matrix
    ]


def number_of_poles(count):
    """Of the product of 1 / (1 - p z) with p = 1/2, 1/3, ...: partial fractions, those whose numerator is not 0."""
    poles = [Fraction(1, k + 2) for k in range(count)]
    return sum(bool(prod(1 / (1 - other / pole) for other in poles if other != pole)) for pole in poles)


def accepted_by_one_unit(v, w, end, b, number):
    """Whether h = relu(v h + w x + b), read as the output, is above 0 at one of 20 EOS symbols after so many a's."""
    h = 0
    for _ in range(number):
        h = max(0, v * h + w + b)
    for _ in range(20):
        h = max(0, v * h + end + b)
        if h > 0:
            return True
    return False


def diagonal():
    """The numbers of the first 8 networks with weights -1, 0 and 1 that do not accept their own word."""
    networks = list(product((-1, 0, 1), repeat=4))[:8]
    return [i for i, weights in enumerate(networks) if not accepted_by_one_unit(*weights, i)]


def eos_symbols(language, alphabet, word):
    """Of the machine with an end marker that compares lengths on: loading, rewinding, and its moves."""
    return look_up(ListedLanguage(language, alphabet), word).eos_steps


PAIRS = sum(2**n for n in range(4)) ** 2

CORRECTED = {
    "E1": by_the_machine("E1", 8),
    "E2": by_the_machine("E2", 12),
    "E3": by_the_machine("E3", 6),
    "E4": by_the_machine("E4", 6),
    "E5": f"2 steps for each one: {', '.join(str(max(0, *x)) for x in ((1, 2), (3, -1), (-1, -2)))}",
    "E6": f"SLU(4x + 4y - 5) in base 4: right on {PAIRS} of {PAIRS} pairs of stacks",
    "E7": "output 1: accepted",
    "E8": f"{len(states_reached(2))} states ({', '.join(map(str, states_reached(2)))}), and at most {2**1 + 1}",
    "E9": "if(1/2, 1) is refused; 5/3, 0",
    "E10": by_the_machine("E10", 8),
    "E11": f"accepted with EOS number {', '.join(str(length + 1 + 2) for length in (1, 2, 3))}",
    "E12": f"one network accepts a^i for i = {', '.join(map(str, diagonal()))}",
    "E13": f"rejected with EOS number {eos_symbols([], 'a', '')}",
    "E14": f"rejected with EOS number {eos_symbols(lambda word: 'a' not in word, 'ab', 'a')}",
    "E15": f"q3 to q{2 + len(['q0', 'q1', 'A', 'R'])} are 4; the stack is a $",
    "E16": f"f is one of {', '.join(map(str, sorted({a + b for a in (0, 1) for b in (0, 1)})))}",
    "E17": f"{len(list(product((0, 1), repeat=5)))} contents in {5} cells",
    "E18": f"{len({word for n in range(11) for word in product('ab', repeat=n)})} states for {2**11 - 1} words",
    "E19": f"c = {len('aaa')}",
    "E20": "#0 is rejected, 0#0 is accepted",
    "E21": f"{Fraction(1, 2) * 0 + 1 + 1}, {Fraction(1, 2) * 2 + 0 + 1}",  # h' = h/2 + x + 1 from 0, on 1 and 0
    "E22": "contractive: all 2 pivots of I - V'V are positive",
    "E23": ", ".join(str(3 * sum(Fraction(3, 5) ** k for k in range(t))) for t in range(1, 5))
    + "; on (4, 0, 0, 0) out of domain at step 1",
    "E24": f"{decimal((1, 2, 3))}, {decimal((1, 2, 9))}",
    "E25": f"{1 + 2 * 2} units: {', '.join(str((a + b) % 2) for a in (0, 1) for b in (0, 1))} after 00, 01, 10, 11",
    "E26": str(max(max(row) for row in squared([[0, 2], [0, 0]]))),
    "E27": f"ranks {', '.join(str(number_of_poles(layers + 1)) for layers in (1, 2, 3, 4))} with L + 1",
}
"""What the direct interpreter or the definition says."""


def test_every_erratum_is_there_once_and_has_an_oracle():
    listed = [entry for file in FILES for entry in file.ENTRIES]
    assert all(isinstance(entry, Entry) for entry in listed)
    assert len(listed) == len(ENTRIES) == len({entry.title for entry in listed})
    assert list(FOUND) == list(ENTRIES) == sorted(ENTRIES, key=lambda name: int(name[1:]))
    assert set(CORRECTED) == set(FOUND), "an erratum has no oracle: add what the definition gives to CORRECTED"
    without = set(FOUND) - set(AS_IT_STANDS) - {"E5", "E6"}  # theirs is a reason, of which parts are compared below
    assert not without, "what an erratum gives as printed is not known: work it out, and add it to AS_IT_STANDS"
    assert list(FOUND) == [f"E{number}" for number in range(1, 28)]


def test_every_file_of_entries_is_in_the_ledger():
    """A new source is a new file with ENTRIES; the ledger must know it."""
    folder = Path(exactnn.__file__).parent / "corrections"
    files = {path.stem for path in folder.glob("*.py") if "\nENTRIES = (" in path.read_text(encoding="utf-8")}
    assert {f"exactnn.corrections.{name}" for name in files} >= {file.__name__ for file in FILES}
    ledger = (folder / "ledger.py").read_text(encoding="utf-8")
    assert all(f"*{name}.ENTRIES" in ledger for name in files)


@pytest.mark.parametrize("erratum", FOUND.values(), ids=FOUND)
def test_what_is_printed_and_what_holds_differ(erratum):
    assert isinstance(erratum, Erratum)
    assert erratum.literal_outcome != erratum.corrected_outcome
    for text in (erratum.title, erratum.where, erratum.statement, erratum.counterexample, erratum.correction):
        assert text
        assert text.isprintable()
    assert erratum.correction.endswith(".")


@pytest.mark.parametrize("name", CORRECTED)
def test_the_corrected_outcome_is_what_the_definition_says(name):
    assert FOUND[name].corrected_outcome == CORRECTED[name]


@pytest.mark.parametrize("name", AS_IT_STANDS)
def test_the_literal_outcome_is_the_known_one(name):
    assert FOUND[name].literal_outcome == AS_IT_STANDS[name]


def test_the_steps_without_one_hidden_layer_have_a_kink_that_ends():
    for name in ("E5", "E6"):
        assert FOUND[name].literal_outcome.startswith("there is no such form: the slope of the next value jumps across")
        assert " by 0 at " in FOUND[name].literal_outcome


def test_the_conjunction_of_base_4_by_hand():
    """The two tops, one of 3/4 and more, the other of 1/4 and less: 4 (x + y) - 5 is at least 1, or at most 0."""
    four_times, right = {True: (4, 3), False: (1, 0)}, {}
    for first, second in product((True, False), repeat=2):
        most, least = (four_times[first][i] + four_times[second][i] - 5 for i in (0, 1))
        right[first, second] = least >= 1 if first and second else most <= 0
    assert all(right.values())


def test_some_are_asked_for_and_others_are_unknown():
    assert [erratum.id for erratum in errata("E7")] == ["E7"]
    assert [erratum.id for erratum in errata(["E24", "E1"])] == ["E24", "E1"]
    assert errata([]) == ()
    with pytest.raises(OptionError, match="erratum 'E28' is unknown: choose one of E1, E2"):
        errata("E28")
    for wrong in (5, [["E1"]], [1]):
        with pytest.raises(OptionError, match=r"give ids of errata|is unknown"):
            errata(wrong)


def test_the_page_is_what_the_ledger_prints():
    """If this fails, the ledger has changed: write the page again with ``exactnn errata --markdown``."""
    assert (DOCS / "errata.md").read_text(encoding="utf-8") == errata_page(FOUND.values())


def test_sources_tells_of_every_erratum():
    text = (DOCS / "sources.md").read_text(encoding="utf-8")
    assert [name for name in FOUND if f"{name}" not in text] == []
    assert "errata.md" in text


def test_the_page_has_no_markup_by_accident():
    page = errata_page(
        [
            Erratum(
                id="E0", title="t", where="w", statement="a_b*c*<d>|`e`[f]", counterexample="c", literal_outcome="1",
                corrected_outcome="2", correction="None.",
            )
        ]
    )  # fmt: skip
    assert r"a\_b\*c\*\<d\>\|\`e\`\[f\]" in page
