"""Every precision that is said to fail does, and no other: against runs in each precision, one by one."""

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.precision import precision_threshold, significand_bits


def fails(net, word, precision, **options):
    """Whether a run with so many bits says something else than the exact run, or at another step."""
    exact = xn.run(net, word)
    rounded = xn.FloatFormat(precision=precision, exponent_bits=10, **options)
    found = xn.run(net, word, arithmetic=rounded, max_steps=exact.steps)
    return (found.outcome, found.steps) != (exact.outcome, exact.steps)


@pytest.mark.parametrize("options", [{}, {"rounding": "down"}], ids=str)
@pytest.mark.parametrize(
    ("machine", "base", "words"),
    [("palindrome", None, ["", "abba", "aab"]), ("palindrome", 7, ["abba"]), ("anbn", None, ["ab"])],
)
def test_the_failing_precisions_are_those_of_single_runs(machine, base, words, options):
    net = xn.siegelmann_sontag(xn.load(machine), **({} if base is None else {"base": base}))
    tried = range(2, 40, 3)
    found = precision_threshold(net, words, precisions=tried, **options)
    for word in found.words:
        assert word.failing == tuple(p for p in tried if fails(net, word.word, p, **options))
    assert found.failing == tuple(sorted({p for word in found.words for p in word.failing}))
    if found.least is not None:
        assert not any(p >= found.least for p in found.failing)


def test_correctness_need_not_be_monotone():
    found = xn.precision_threshold(
        xn.siegelmann_sontag(xn.load("palindrome"), base=7), "abba", precisions=range(20, 34)
    )
    assert not found.monotone
    assert (found.least, found.failing) == (32, (20, 21, 22, 24, 25, 27, 28, 31))


def test_with_all_bits_of_the_states_and_sums_nothing_is_rounded():
    net = xn.compile(xn.load("palindrome"))
    most = xn.required_bits(xn.run(net, "abba", record="all")).most
    found = xn.precision_threshold(net, "abba", criterion="value", precisions=range(most - 1, most + 8))
    assert most - 1 in found.failing
    assert found.least is not None


def test_bad_questions():
    net = xn.compile(xn.load("parity"))
    with pytest.raises(xn.ExactnnError, match="at least one"):
        xn.precision_threshold(net, "0", precisions=[])
    with pytest.raises(xn.ExactnnError, match="'truth'"):
        xn.precision_threshold(net, "0", criterion="truth")
    with pytest.raises(xn.ExactnnError, match="mere network"):
        xn.precision_threshold(net.network, "0", criterion="configuration")
    with pytest.raises(xn.ExactnnError, match="precision=1"):
        xn.precision_threshold(net, "0", precisions=[1, 2])


def test_an_interrupted_search_keeps_the_words_that_are_done():
    def stop(done):
        if done == 2:
            raise KeyboardInterrupt

    net = xn.compile(xn.load("parity"))
    found = xn.precision_threshold(net, ["0", "1", "01"], precisions=[8], progress=stop)
    assert (found.complete, len(found.words)) == (False, 2)


@pytest.mark.parametrize("format", [xn.FLOAT16, xn.BFLOAT16, xn.FLOAT8_E4M3], ids=str)
def test_the_divergence_says_how_far_and_how_deep(format):
    net = xn.compile(xn.load("palindrome"))
    found = xn.first_divergence(net, "abbabb", format)
    value = found.value
    assert value.ulps == abs(value.exact - mpq(value.computed)) / format.spacing(value.exact)
    assert value.ulps > 0
    assert value.bits == significand_bits(value.exact)
    exact, computed = found.exact_configuration, found.computed_configuration
    depth = found.configuration.depth
    if depth is None:
        assert exact.state != computed.state
    else:

        def cells(c, d):
            return [c.scanned] if d == 0 else [c.left[d - 1 : d], c.right[d - 1 : d]]

        assert cells(exact, depth) != cells(computed, depth)
        assert all(cells(exact, d) == cells(computed, d) for d in range(depth))
