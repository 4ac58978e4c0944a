"""Any language in a start state: verdicts, times and digits by formula, and the commuting square with its machine."""

from itertools import count, islice, product
from threading import Event

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn.arithmetic import BFLOAT16, EXACT, FLOAT16, FLOAT32, FLOAT64, RATIONAL, LazyNumber
from exactnn.automata import ListConfiguration, ListedLanguage, ListState, list_configurations, look_up
from exactnn.constructions import decided_words, language_in_a_weight
from exactnn.errors import ConstructionError, NumberError, OptionError, WordError
from exactnn.networks import Activation
from exactnn.outcome import Outcome
from exactnn.simulation import LazilyRefinedExecutor, advance_by, run
from tests.list_formula import formula


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, n))


def is_doubled(word):
    return word[: len(word) // 2] * 2 == word


def halts_soon(n):
    """Whether Collatz from n comes to 1 before it has more than 3 odd numbers: as good as unpredictable."""
    odd = 0
    while n > 1:
        odd += n % 2
        n = 3 * n + 1 if n % 2 else n // 2
    return n == 1 and odd <= 3


LANGUAGES = {
    "all": (lambda: lambda w: True, lambda w: True, "ab", 2),
    "none": (list, lambda w: False, "ab", 3),
    "finite": (lambda: ["ba", "", "abb", "a"], lambda w: w in ("ba", "", "abb", "a"), "ab", 3),
    "doubled": (lambda: is_doubled, is_doubled, "ab", 3),
    "primes": (lambda: ("a" * n for n in count() if is_prime(n)), lambda w: is_prime(len(w)), "a", 8),
    "collatz": (lambda: lambda w: halts_soon(len(w)), lambda w: halts_soon(len(w)), "a", 9),
    "three letters": (lambda: lambda w: w[:1] == "c", lambda w: w[:1] == "c", "abc", 2),
}
"""name -> source, predicate, alphabet, the longest words that are tried."""

FINITE = ("none", "finite")


def all_words(alphabet, longest):
    return ["".join(w) for length in range(longest + 1) for w in product(alphabet, repeat=length)]


@pytest.mark.mostly_slow(quick=2, slow=1)
@pytest.mark.parametrize("name", LANGUAGES)
def test_verdict_time_and_digits_are_those_of_the_formulas(name):
    source, predicate, alphabet, longest = LANGUAGES[name]
    net = language_in_a_weight(source(), alphabet)
    listed = [w for w in all_words(alphabet, longest + (3 if len(alphabet) == 1 else 1)) if predicate(w)]
    for word in all_words(alphabet, longest):
        result = run(net, word, max_steps=2000)
        found = bool(result.verdict), result.eos_steps, result.digits
        assert found == formula(listed, word, ends=name in FINITE), word
        assert result.verdict is not None
        assert bool(result.verdict) == bool(predicate(word))
        assert all(output == 0 for output in result.outputs[:-1])
        assert result.outputs[-1] == (1 if result.verdict else -1)
        assert result.machine_steps == look_up(net.language, word).steps
        assert net.decode(result.final_state) == list(list_configurations(net.language, word))[-1]


@pytest.mark.mostly_slow(quick=4)
@pytest.mark.parametrize("length", range(5))
def test_digits_of_the_last_word_of_each_length(length):
    """1, 5, 17, 49, 129: twice as many and more for each symbol."""
    net = language_in_a_weight(lambda w: True, "ab")
    assert run(net, "b" * length).digits == length * 2 ** (length + 1) + 1


finite_languages = st.lists(st.text("ab", max_size=3), max_size=4, unique=True)


@pytest.mark.slow
@settings(max_examples=30)
@given(finite_languages, st.text("ab", max_size=4), st.sampled_from([4, 5, 7, 8]))
def test_finite_languages(words, word, base):
    net = language_in_a_weight(words, "ab", base=base)
    result = run(net, word, max_steps=1000)
    assert bool(result.verdict) == (word in words)
    listed = sorted(words, key=lambda u: (len(u), u))
    assert (bool(result.verdict), result.eos_steps, result.digits) == formula(listed, word, ends=True)


def next_configuration(language, c):
    """What the machine does, written down once more: c.listed digits are popped."""
    (top,) = islice(language.digits(), c.listed, c.listed + 1)
    letters = dict(enumerate(language.alphabet))
    if c.state == "rewind":
        if not c.left:
            return ListConfiguration(state="equal", left=(), right=c.right, listed=c.listed)
        return ListConfiguration(state="rewind", left=c.left[1:], right=(c.left[0], *c.right), listed=c.listed)
    if top == language.end or (not c.right and top in letters):
        return ListConfiguration(state="reject", left=c.left, right=c.right, listed=c.listed)
    if top == language.separator:
        state = "accept" if not c.right and c.state == "equal" else "rewind"
        return ListConfiguration(state=state, left=c.left, right=c.right, listed=c.listed + 1)
    state = c.state if letters[top] == c.right[0] else "unequal"
    return ListConfiguration(state=state, left=(c.right[0], *c.left), right=c.right[1:], listed=c.listed + 1)


@settings(max_examples=15)
@given(
    st.sampled_from([["ab", "b", "aab"], [], is_doubled]),
    st.sampled_from(["equal", "unequal", "rewind"]),
    st.text("ab", max_size=4).map(tuple),
    st.text("ab", max_size=4).map(tuple),
    st.integers(0, 25),
)
def test_the_square_commutes(language, state, left, right, listed):
    """decode(step(encode(c))) = next(c), also where no run comes."""
    net = language_in_a_weight(language, "ab")
    if not callable(language):
        listed %= len(net.language.text(99))
    configuration = ListConfiguration(state=state, left=left, right=right, listed=listed)
    executor = LazilyRefinedExecutor(net.network)
    eos = net.network.alphabet.index("EOS")
    values = net.encode(configuration)
    assert net.decode(values) == configuration
    for _ in range(4):
        configuration = next_configuration(net.language, configuration)
        segment = advance_by(executor, values, eos, 1)
        values = segment.state
        assert net.decode(values) == configuration
        assert segment.outputs[-1][0] == {"accept": 1, "reject": -1}.get(configuration.state, 0)
        if configuration.state in ("accept", "reject"):
            return


@pytest.mark.parametrize("word", ["", "ab", "abab"])
def test_a_run_goes_through_the_configurations_of_the_machine(word):
    net = language_in_a_weight(is_doubled, "ab")
    result = run(net, word, record="all")
    decoded = [net.decode(state) for state in result.trace]
    begin = net.set_up_steps(len(word))
    assert decoded[begin:] == list(list_configurations(net.language, word))
    assert [c.state for c in decoded[:begin]] == ["(load)"] * (len(word) + 1) + ["rewind"] * (len(word) + 1)
    assert all(type(x) in (LazyNumber, type(mpq())) for state in result.trace for x in state)


def test_the_verdict_stays():
    for word, value in (("a", 1), ("b", -1)):
        net = language_in_a_weight(["a"], "ab")
        executor = LazilyRefinedExecutor(net.network)
        eos = net.network.alphabet.index("EOS")
        state = advance_by(executor, executor.start(), net.network.alphabet.index(word), 1).state
        time = run(net, word).eos_steps
        outputs = advance_by(executor, state, eos, time + 5).outputs
        assert [output for output, _ in outputs] == [0] * (time - 1) + [value] * 6


@pytest.mark.parametrize("word", ["", "aa", "ab", "aba"])
def test_the_digits_that_are_read_are_those_that_are_needed(word):
    """With them only, in plain rationals, the run is the same; with one less it never decides."""
    net = language_in_a_weight(is_doubled, "ab")
    result = run(net, word)
    plain = run(net.network.truncated(result.digits), word, arithmetic=RATIONAL, max_steps=result.steps + 9)
    assert (plain.outcome, plain.steps, plain.outputs[:]) == (result.outcome, result.steps, result.outputs[:])
    less = run(net.network.truncated(result.digits - 1), word, arithmetic=RATIONAL, max_steps=result.steps + 9)
    assert less.verdict is None
    assert run(net, word, max_digits=result.digits).outcome is result.outcome
    limited = run(net, word, max_digits=result.digits - 1)
    assert limited.outcome is Outcome.DIGIT_LIMIT
    assert limited.digits == result.digits - 1
    assert limited.steps < result.steps


def test_reading_the_word_needs_no_digits():
    def never():
        raise AssertionError
        yield

    net = language_in_a_weight(never(), "ab")
    result = run(net, "abba", max_steps=2 * 4 + 2)
    assert result.outcome is Outcome.STEP_LIMIT
    assert result.digits == 0
    with pytest.raises(NumberError, match="digit 0 of the list of L: its source raised AssertionError"):
        run(net, "abba")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (iter(["aa", "b"]), "digit 3 of the list of L: word 1 of L, .* is shorter than the one before"),
        (iter(["aa", "ac"]), "digit 3 of the list of L: symbol 'c'"),
        (iter(["", 5]), "digit 1 of the list of L: a word is a string"),
    ],
)
def test_wrong_lists_are_named_where_they_are_read(source, message):
    net = language_in_a_weight(source, "ab")
    assert run(net, "").verdict is not None
    with pytest.raises(NumberError, match=message):
        run(net, "bbbb")


def test_a_predicate_of_a_finite_language_says_so():
    language = ListedLanguage(lambda w: w == "a", "a", most_tried=100)
    net = language_in_a_weight(language)
    assert run(net, "a").verdict == "accept"
    with pytest.raises(NumberError, match=r"denies 100 words in a row.*give the words as a list"):
        run(net, "aa")


def test_a_list_that_blocks_is_not_waited_for_with_patience():
    released = Event()

    def words():
        yield "a"
        released.wait()

    net = language_in_a_weight(words(), "a", patience=0.1)
    assert run(net, "a").verdict == "accept"
    with pytest.raises(NumberError, match=r"digit 2 of the list of L did not come within 0\.1 seconds"):
        run(net, "aa")
    released.set()


@pytest.mark.parametrize("letters", ["", "a", "ab", "abc"])
def test_units_by_formula_and_only_the_start_state_is_real(letters):
    net = language_in_a_weight([], letters)
    n = len(letters)
    assert net.network.neurons == 7 * n + 15 + (3 * n + 6) * (2 * n * n + 5 * n + 5)
    assert len(net.network.reals) == n + 2
    assert {unit.activation for unit in net.network.circuit.layers[0]} == {Activation.RELU}
    assert len(net.network.circuit.layers) == 1
    assert not any(unit.bilinear for unit in net.network.circuit.layers[0])


def test_letters_may_have_any_name():
    net = language_in_a_weight([("#",), ("$", "start")], ["$", "#", "start"])
    for word, verdict in ((("#",), "accept"), (("$", "start"), "accept"), (("start", "$"), "reject"), ((), "reject")):
        assert run(net, word).verdict == verdict


def test_without_letters():
    assert run(language_in_a_weight([""], ""), "").verdict == "accept"
    assert run(language_in_a_weight([], ""), "").verdict == "reject"


def test_what_is_refused():
    for arguments, error in (
        ((is_doubled,), OptionError),
        ((ListedLanguage([], "a"), "a"), OptionError),
        ((3, "ab"), OptionError),
        (([], ["EOS"]), WordError),
    ):
        with pytest.raises(error):
            language_in_a_weight(*arguments)
    for base in (3, 4.0, True):
        with pytest.raises(OptionError, match="at least 4"):
            language_in_a_weight([], "a", base=base)
    net = language_in_a_weight(["a"], "a")
    fine = ListConfiguration(state="equal", left=(), right=(), listed=0)
    for wrong in (
        "equal",
        ListConfiguration(state="equal", left=(), right=("b",), listed=0),
        ListConfiguration(state="lost", left=(), right=(), listed=0),
        ListConfiguration(state="equal", left=(), right=(), listed=None),
        ListConfiguration(state="equal", left=(), right=(), listed=-1),
        ListConfiguration(state="equal", left=(), right=(), listed=9),
    ):
        with pytest.raises(ConstructionError):
            net.encode(wrong)
    assert net.decode(net.encode(fine)) == fine
    with pytest.raises(ConstructionError, match="has 1 numbers: a state of"):
        net.decode((mpq(0),))
    for none in (5, None, "state"):
        with pytest.raises(ConstructionError, match="is no state of"):
            net.decode(none)
    with pytest.raises(OptionError):
        decided_words(net, FLOAT16, max_words=0)
    for wrong in (net.network, "net"):
        with pytest.raises(OptionError, match="give what language_in_a_weight returns"):
            decided_words(wrong, FLOAT16)


def test_a_float_run_decodes_the_word_but_not_the_place():
    net = language_in_a_weight(is_doubled, "ab")
    result = run(net, "ab", arithmetic=FLOAT64, record="all", max_steps=40)
    assert net.decode(result.trace[6]) == ListConfiguration(
        state=ListState.EQUAL, left=(), right=("a", "b"), listed=None
    )


@pytest.mark.parametrize(
    ("name", "format", "words", "first_wrong"),
    [
        ("all", FLOAT64, 9, "aba"),
        ("all", FLOAT32, 5, "ba"),
        ("all", FLOAT16, 3, "aa"),
        ("all", BFLOAT16, 2, "b"),
        ("doubled", FLOAT64, 16, "aaab"),
        ("primes", FLOAT64, 11, "a" * 11),
        ("none", FLOAT16, 31, "aaaaa"),
        ("none", BFLOAT16, 15, "aaaa"),
    ],
)
def test_how_many_words_a_format_decides(name, format, words, first_wrong):
    """The figures of docs/real_weights.md."""
    source, _, alphabet, _ = LANGUAGES[name]
    found = decided_words(language_in_a_weight(source(), alphabet), format)
    assert (found.words, "".join(found.first_wrong)) == (words, first_wrong)
    assert found.needed > found.digits or name == "none"


def test_exactly_all_words_are_decided():
    found = decided_words(language_in_a_weight(["ab", "b"], "ab"), EXACT, max_words=12)
    assert (found.words, found.first_wrong, found.needed, found.outcome) == (12, None, None, None)
    assert decided_words(language_in_a_weight([""], ""), EXACT).words == 1
