"""Every machine of the zoo does what its file promises, and decides the language that its title says.

The languages are written once more here, as predicates on strings that know nothing of machines; runs are
repeated by a second interpreter that shares no code with the package.
"""

import re
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import comb, prod

import pytest

from exactnn.automata import (
    DFA,
    CounterMachine,
    MealyMachine,
    StackMachine,
    Transducer,
    TuringMachine,
    ValuedMachine,
    WeightedPushdownAutomaton,
    configurations,
    interpret,
    kind_of,
    nondeterministic_reversal,
)
from exactnn.constructions import star_free
from exactnn.equivalence import minimal
from exactnn.errors import ConstructionError
from exactnn.machine_files import disagreements, load_file, write_bbchallenge, written_tape, zoo, zoo_names, zoo_path
from exactnn.outcome import Outcome, Verdict
from tests import benchmark_languages

FILES = {name: load_file(name) for name in zoo_names()}
LONG_RUN = 200_000
LONG_WORD = 17


def no_odd_zeros_after_odd_ones(word):
    runs = re.findall("0+|1+", word)
    odd = [i for i, run in enumerate(runs) if run[0] == "1" and len(run) % 2]
    return not odd or all(len(run) % 2 == 0 for run in runs[odd[0] :] if run[0] == "0")


def edge(word):
    """Return how the last bit of a word differs from the one before it."""
    return {-1: "down", 0: "same", 1: "up"}[int(word[-1]) - int(("0" + word)[-2])]


def matched(word):
    """Return what is left of a word when pairs () and [] that stand side by side are taken away again and again."""
    while word != (word := word.replace("()", "").replace("[]", "")):
        pass
    return word


def balanced(word):
    while "()" in word or "[]" in word:
        word = word.replace("()", "").replace("[]", "")
    return not word


def is_identity(word, **generators):
    """Whether a word of permutations, the first applied first, moves nothing."""
    points = begin = tuple(range(len(generators["a"])))
    for letter in word:
        points = tuple(generators[letter][point] for point in points)
    return points == begin


LANGUAGES = {
    "word-problem-s3": lambda w: is_identity(w, a=(1, 0, 2), b=(1, 2, 0)),
    "word-problem-a5": lambda w: is_identity(w, a=(1, 2, 3, 4, 0), b=(1, 2, 0, 3, 4)),
    "tomita-1": lambda w: "0" not in w,
    "tomita-2": lambda w: re.fullmatch("(10)*", w),
    "tomita-3": no_odd_zeros_after_odd_ones,
    "tomita-4": lambda w: "000" not in w,
    "tomita-5": lambda w: w.count("0") % 2 == 0 and w.count("1") % 2 == 0,
    "tomita-6": lambda w: (w.count("0") - w.count("1")) % 3 == 0,
    "tomita-7": lambda w: re.fullmatch("0*1*0*1*", w),
    "parity": lambda w: w.count("1") % 2 == 1,
    "divisible-by-3": lambda w: int("0" + w, 2) % 3 == 0,
    "divisible-by-7": lambda w: int("0" + w, 2) % 7 == 0,
    "anbn": lambda w: w == "a" * w.count("a") + "b" * w.count("a"),
    "anbncn": lambda w: w == "a" * w.count("a") + "b" * w.count("a") + "c" * w.count("a"),
    "palindrome": lambda w: w == w[::-1],
    "wcw": lambda w: w.count("#") == 1 and w[: w.index("#")] == w[w.index("#") + 1 :],
    "balanced-brackets": balanced,
    "powers-of-two": lambda w: len(w) in {2**k for k in range(10)},
    "anbn-stacks": lambda w: w == "a" * w.count("a") + "b" * w.count("a"),
    "anbncn-stacks": lambda w: w == "a" * w.count("a") + "b" * w.count("a") + "c" * w.count("a"),
    "mirror-stacks": lambda w: w.count("#") == 1 and w == w[::-1],
    "anbn-counter": lambda w: w == "a" * w.count("a") + "b" * w.count("a"),
    "anbn-then-any": lambda w: any(w.startswith("a" * n + "b" * n) for n in range(1, len(w) // 2 + 1)),
    "anbncn-counters": lambda w: w == "a" * w.count("a") + "b" * w.count("a") + "c" * w.count("a"),
    "two-brackets-shuffled": lambda w: (
        balanced(re.sub(r"[\[\]]", "", w)) and balanced(re.sub("[()]", "", w).replace("[", "(").replace("]", ")"))
    ),
    "two-brackets": lambda w: matched(w) == "",
    "first-equals-last": lambda w: bool(w) and w[0] == w[-1],
    **benchmark_languages.LANGUAGES,
}
"""Zoo name -> whether a word is in the language."""


def probability(word):
    """Return the sum over all ways through the hidden states of `drops`, from the first to the second."""
    quarter = Fraction(1, 4)
    steps = {("a", 0, 0): 2 * quarter, ("a", 0, 1): quarter, ("a", 1, 1): quarter}
    steps |= {("b", 0, 1): quarter, ("b", 1, 0): quarter, ("b", 1, 1): quarter}
    ways = ((0, *states) for states in product((0, 1), repeat=len(word)))
    chances = (prod(steps.get(step, 0) for step in zip(word, way, way[1:], strict=False)) * way[-1] for way in ways)
    return quarter * sum(chances)


def equal_neighbours(word):
    match = re.fullmatch("(a*)(b*)(c*)", word)
    lengths = [len(run) for run in match.groups()] if match else []
    return sum(m == n for m, n in pairwise(lengths))


def grammar_probability(word):
    """Return the sum over all derivations from S -> ( S ) S | nothing, by where the first pair closes."""
    if not word:
        return Fraction(2, 3)
    closes = [i for i, letter in enumerate(word) if letter == ")"] if word[0] == "(" else []
    chances = (grammar_probability(word[1:i]) * grammar_probability(word[i + 1 :]) for i in closes)
    return Fraction(1, 3) * sum(chances)


def pairings(word):
    """Return how many sets of pairs without crossings there are, by the partner of the first letter of an interval."""

    @cache
    def count(i, j):
        if i >= j:
            return 1
        partners = (k for k in range(i + 1, j) if {word[i], word[k]} in ({"A", "U"}, {"C", "G"}))
        return count(i + 1, j) + sum(count(i + 1, k) * count(k + 1, j) for k in partners)

    return count(0, len(word))


VALUES = {
    "unmarked-reversal": lambda w: int(bool(w) and len(w) % 2 == 0 and w == w[::-1]),
    "equal-neighbours": equal_neighbours,
    "random-brackets": grammar_probability,
    "rna-pairs": pairings,
    "counting": lambda w: w.count("a"),
    "sign-of-parity": lambda w: (-1) ** w.count("1"),
    "binary-value": lambda w: int("0" + w, 2),
    "drops": probability,
}
"""Zoo name -> the value of a word."""

OUTPUTS = {
    **benchmark_languages.OUTPUTS,
    "edges": edge,
}
"""Zoo name of a Moore or Mealy machine -> what it gives after a word."""


def stacks_interpreter(machine, word, limit):
    """Return (state, steps, None) with a tuple for each stack, top first."""
    state, stacks, steps = machine.initial_state, [word] + [()] * (machine.stacks - 1), 0
    while state not in machine.halting_states and steps < limit:
        state, operations = machine.transitions[state][tuple(s[0] if s else "" for s in stacks)]
        stacks = [s[1:] if o[0] == "pop" else o[1:] + s for s, o in zip(stacks, operations, strict=True)]
        steps += 1
    return state, steps, None


def second_interpreter(machine, word, limit):
    """Return (state, steps, cells that are not blank) with a dictionary for the tape and a number for the head."""
    if isinstance(machine, StackMachine):
        return stacks_interpreter(machine, word, limit)
    tape = {i: symbol for i, symbol in enumerate(word) if symbol != machine.blank_symbol}
    state, head, steps = machine.initial_state, 0, 0
    stops = {machine.accept_state, machine.reject_state, machine.halt_state} - {None}
    while state not in stops and steps < limit:
        state, tape[head], move = machine.transitions[state][tape.get(head, machine.blank_symbol)]
        if not (move == "L" and head == 0 and machine.tape == "semi_infinite"):
            head += 1 if move == "R" else -1
        steps += 1
    return state, steps, sum(symbol != machine.blank_symbol for symbol in tape.values())


def expectations():
    return [
        pytest.param(name, expectation, id=f"{name}-{i}")
        for name, found in FILES.items()
        for i, expectation in enumerate(found.expectations)
        if expectation.steps is None or expectation.steps <= LONG_RUN
    ]


@pytest.mark.parametrize(("name", "expectation"), expectations())
def test_expectation_holds(name, expectation):
    assert disagreements(FILES[name].machine, expectation) == []


@pytest.mark.parametrize("name", FILES)
def test_every_expectation_says_how_many_steps(name):
    if isinstance(FILES[name].machine, ValuedMachine):
        return  # one for each symbol
    without = ["".join(map(str, e.word)) for e in FILES[name].expectations if e.steps is None]
    assert not without, f"machines/{name}.yaml expects something of the words {without} without 'steps:': give steps"


@pytest.mark.parametrize(("name", "expectation"), expectations())
def test_second_interpreter_agrees(name, expectation):
    machine = FILES[name].machine
    if isinstance(machine, ValuedMachine):
        assert expectation.value == VALUES[name]("".join(expectation.word))
        return
    assert expectation.steps is not None, "give 'steps:'"
    if isinstance(machine, DFA | CounterMachine | Transducer):
        assert expectation.steps == len(expectation.word)
        return
    _, steps, nonblank = second_interpreter(machine, expectation.word, expectation.steps + 1)
    if expectation.outcome is Outcome.STEP_LIMIT:
        assert steps == expectation.steps + 1
    else:
        assert steps == expectation.steps
        assert expectation.nonblank in (None, nonblank)


def test_every_recogniser_has_its_language_here():
    recognisers = {
        name
        for name, f in FILES.items()
        if isinstance(f.machine, DFA | CounterMachine) or getattr(f.machine, "accept_state", None) is not None
    }
    missing = sorted(recognisers - LANGUAGES.keys())
    assert not missing, f"{', '.join(missing)} says yes and no: add its membership predicate to LANGUAGES"
    assert not LANGUAGES.keys() - recognisers, "LANGUAGES has a predicate of no recogniser of the zoo"


def test_every_weighted_automaton_has_its_values_here():
    valued = {name for name, f in FILES.items() if isinstance(f.machine, ValuedMachine)}
    missing = sorted(valued - VALUES.keys())
    assert not missing, f"{', '.join(missing)} gives words values: add the function from words to them to VALUES"
    assert not VALUES.keys() - valued, "VALUES has a function of no weighted automaton of the zoo"


@pytest.mark.mostly_slow(quick=len(VALUES))
@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("words", [300, 1200])
def test_values(words, name):
    machine = FILES[name].machine
    for n in (n for n in range(7) if len(machine.input_symbols) ** n <= words):
        for word in product(machine.input_symbols, repeat=n):
            run = interpret(machine, word)
            assert (run.value, run.steps, run.outcome) == (VALUES[name]("".join(word)), n, Outcome.COMPLETED), word
            assert list(configurations(machine, word))[-1] == run.configuration
    assert any(not e.word for e in FILES[name].expectations), "expect something of the empty word"


def test_every_transducer_has_its_outputs_here():
    transducers = {name for name, f in FILES.items() if isinstance(f.machine, Transducer)}
    missing = sorted(transducers - OUTPUTS.keys())
    assert not missing, f"{', '.join(missing)} gives outputs: add the function from words to the last one to OUTPUTS"
    assert not OUTPUTS.keys() - transducers, "OUTPUTS has a function of no transducer of the zoo"


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs(name):
    machine, said = FILES[name].machine, OUTPUTS[name]
    shortest = int(isinstance(machine, MealyMachine))
    for n in (n for n in range(shortest, 9) if len(machine.input_symbols) ** n <= 7000):
        for word in product(machine.input_symbols, repeat=n):
            assert interpret(machine, word).output == said("".join(word)), word
    rows = machine.outputs.values()
    given = {output for row in rows for output in row.values()} if shortest else set(rows)
    missing = given - {e.output for e in FILES[name].expectations}
    assert not missing, f"machines/{name}.yaml expects the outputs {missing} of no word"
    assert all(e.output == said("".join(e.word)) for e in FILES[name].expectations)
    lengths = {min(len(e.word), LONG_WORD) for e in FILES[name].expectations}
    assert {shortest, LONG_WORD} <= lengths, f"expect something of a word of {shortest} and one of {LONG_WORD} symbols"


PUSHDOWN = [name for name in VALUES if isinstance(FILES[name].machine, WeightedPushdownAutomaton)]


@pytest.mark.parametrize("name", PUSHDOWN)
def test_weights_are_those_of_runs_one_by_one(name):
    machine = FILES[name].machine
    for n in (n for n in range(7) if len(machine.input_symbols) ** n <= 300):
        for word in product(machine.input_symbols, repeat=n):
            ends = ((machine.final.get((q, stack[-1]), 0), weight) for q, stack, weight in machine.runs(word))
            assert sum(last * weight for last, weight in ends) == VALUES[name]("".join(word)), word


@pytest.mark.parametrize("name", PUSHDOWN)
def test_long_words_have_their_weight(name):
    longest = max(FILES[name].expectations, key=lambda e: (e.value > 0, len(e.word)))
    assert len(longest.word) >= LONG_WORD
    assert longest.value > 0


def test_the_file_of_unmarked_reversals_is_the_automaton_of_the_library():
    library, file = nondeterministic_reversal(), FILES["unmarked-reversal"].machine
    for part in ("states", "stack_symbols", "input_symbols", "push", "pop", "final"):
        assert getattr(library, part) == getattr(file, part), part


def test_the_probabilities_of_brackets_sum_up_to_one():
    """There are Catalan(n) balanced words of n pairs."""
    machine = FILES["random-brackets"].machine
    total = sum(comb(2 * n, n) // (n + 1) * machine.weight("()" * n) for n in range(30))
    assert 1 - Fraction(1, 1000) < total < 1


@pytest.mark.parametrize("name", LANGUAGES)
def test_language(name):
    found = FILES[name]
    symbols = found.machine.input_symbols
    longest = max(n for n in range(21) if len(symbols) ** n <= (4096 if len(symbols) == 4 else 1100))
    assert longest >= 6 or len(symbols) > 4  # of these there are tests with longer words
    for n in range(longest + 1):
        for word in product(symbols, repeat=n):
            expected = Verdict.ACCEPT if LANGUAGES[name]("".join(word)) else Verdict.REJECT
            assert interpret(found.machine, word, max_steps=10_000).verdict is expected, "".join(word)


@pytest.mark.parametrize("name", LANGUAGES)
def test_expected_verdicts_agree_with_the_language(name):
    expectations = FILES[name].expectations
    for expectation in expectations:
        word = "".join(expectation.word)
        assert expectation.verdict is (Verdict.ACCEPT if LANGUAGES[name](word) else Verdict.REJECT), word
    assert {e.verdict for e in expectations} == set(Verdict), "expect both a word that is accepted and one that is not"
    assert any(not e.word for e in expectations), "expect something of the empty word"
    longest = max(len(e.word) for e in expectations)
    assert longest >= LONG_WORD, f"the longest word has {longest} symbols: expect something of one of {LONG_WORD}"


def test_tomita_3_on_tomitas_own_words():
    machine = FILES["tomita-3"].machine
    inside = ["1", "0", "01", "11", "00", "100", "110", "111", "000", "100100", "110000011100001", "111101100010011100"]
    outside = [
        "10",
        "101",
        "010",
        "1010",
        "1110",
        "1011",
        "10001",
        "111010",
        "1001000",
        "11111000",
        "0111001101",
        "11011100110",
    ]
    assert {interpret(machine, word).verdict for word in ["", *inside]} == {Verdict.ACCEPT}
    assert {interpret(machine, word).verdict for word in outside} == {Verdict.REJECT}


@pytest.mark.parametrize("a", range(40))
def test_binary_increment(a):
    tape = run_tape("binary-increment", f"{a:b}")
    assert int(tape, 2) == a + 1


@pytest.mark.parametrize(("a", "b"), [(a, b) for a in range(9) for b in (0, 1, 2, 3, 7, 8, 21)])
def test_binary_addition(a, b):
    assert int(run_tape("binary-addition", f"{a:b}+{b:b}"), 2) == a + b


@pytest.mark.parametrize(("a", "b"), list(product(range(5), repeat=2)))
def test_unary_multiplication(a, b):
    assert run_tape("unary-multiplication", "1" * a + "x" + "1" * b) == "1" * (a * b)


@pytest.mark.parametrize("a", range(40))
def test_binary_increment_on_stacks(a):
    run = interpret(FILES["binary-increment-stacks"].machine, f"{a:b}", max_steps=100)
    assert run.outcome is Outcome.HALTED
    assert int("".join(run.configuration.stacks[0]), 2) == a + 1


def run_tape(name, word):
    machine = FILES[name].machine
    run = interpret(machine, word, max_steps=100_000)
    assert run.outcome is Outcome.HALTED
    return "".join(written_tape(machine, run.configuration))


BEAVERS = {
    "bb2": ("1RB1LB_1LA1RZ", 6, 4),
    "bb3": ("1RB1RZ_1LB0RC_1LC1LA", 21, 5),
    "bb4": ("1RB1LB_1LA0LC_1RZ1LD_1RD0RA", 107, 13),
    "bb5": ("1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", 47_176_870, 4098),
    "bb2x3": ("1RB2LB1RZ_2LA2RB1LB", 38, 9),
    "bb2x4": ("1RB2LA1RA1RA_1LB1LA3RB1RZ", 3_932_964, 2050),
}
"""Zoo name -> the published text, number of steps and number of cells that are not blank."""


@pytest.mark.parametrize("name", BEAVERS)
def test_busy_beaver_is_the_published_one(name):
    found = FILES[name]
    (expectation,) = found.expectations
    assert (write_bbchallenge(found.machine), expectation.steps, expectation.nonblank) == BEAVERS[name]
    assert found.machine.input_symbols == ()


def test_sweeper_grows_by_one_at_each_turn():
    machine = FILES["sweeper"].machine
    turns = [n * (n + 1) // 2 for n in range(1, 40)]
    for n, turn in enumerate(turns, 1):
        run = interpret(machine, max_steps=turn)
        assert run.outcome is Outcome.STEP_LIMIT
        assert written_tape(machine, run.configuration) == ("1",) * n


def test_bouncing_machine_bounces():
    machine = FILES["first-equals-last"].machine
    path = list(configurations(machine, "aba"))
    assert any(a.left == b.left == () and a.scanned == "a" and b.scanned == "A" for a, b in pairwise(path))


@pytest.mark.parametrize("name", sorted(LANGUAGES.keys() & FILES.keys()))
def test_recognisers_have_semi_infinite_tapes(name):
    machine = FILES[name].machine
    if isinstance(machine, TuringMachine):
        found = (machine.tape, machine.accept_state, machine.reject_state)
        assert found == ("semi_infinite", "accept", "reject"), f"{name}: let its tape and its final states be these"


def test_every_file_is_complete():
    assert len(FILES) >= 26
    for entry in zoo():
        found = FILES[entry.name]
        head = zoo_path(entry.name).read_text(encoding="utf-8").splitlines()[:3]
        keys = [line.split(":")[0] for line in head]
        assert keys == ["kind", "title", "tags"], f"{entry.name}: let kind, title and tags be its first three lines"
        assert entry.tags == found.tags
        assert entry.summary == found.title
        assert found.name == found.machine.name == entry.name
        assert entry.kind == kind_of(found.machine)
        assert found.source
        assert found.expectations
        assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", entry.name)
        if found.sample_input is not None:
            verdict = interpret(found.machine, found.sample_input, max_steps=LONG_RUN).verdict
            assert verdict is not Verdict.REJECT, f"{entry.name}: its sample input is rejected, give another one"


def test_every_tag_is_explained():
    text = (zoo_path("parity").parent / "README.md").read_text(encoding="utf-8")
    (table,) = re.findall("## Tags\n(.*?)\n## ", text, re.DOTALL)
    explained = {
        tag for line in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for tag in re.findall("`(.*?)`", line)
    }
    used = {tag for entry in zoo() for tag in entry.tags}
    assert not used - explained, f"tags {used - explained}: explain them in the list of machines/README.md"
    assert not explained - used, f"tags {explained - used}: no machine has them"


def is_star_free(dfa):
    try:
        star_free(minimal(dfa))
    except ConstructionError:
        return False
    return True


def permutes(dfa):
    least = minimal(dfa)
    return all(len({row[a] for row in least.transitions.values()}) == len(least.states) for a in least.input_symbols)


@pytest.mark.parametrize("name", [name for name, found in FILES.items() if isinstance(found.machine, DFA)])
def test_the_tags_of_automata_are_true(name):
    tags = set(FILES[name].tags)
    assert "regular" in tags
    found = FILES[name].machine
    assert ("star-free" in tags) == is_star_free(found), f"{name}: star-free is {is_star_free(found)} of it"
    assert ("group" in tags) == permutes(found), f"{name}: group is {permutes(found)} of it"


def test_tags_say_the_kind():
    for name, found in FILES.items():
        assert ("weighted" in found.tags) == isinstance(found.machine, ValuedMachine), name
        assert ("counter" in found.tags) == isinstance(found.machine, CounterMachine), name
        assert ("transducer" in found.tags) == isinstance(found.machine, Transducer), name
