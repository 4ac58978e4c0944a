"""The collapse table has a row per word and finds the shortest word that goes wrong."""

import pytest

import exactnn as xn
from exactnn.errors import NetworkError, OptionError, WordError


def test_rows_are_the_single_divergences() -> None:
    net = xn.compile(xn.load("palindrome"))
    words = ["", "ab", "a" * 9, "b" * 19]
    table = xn.collapse(net, words, [xn.FLOAT32, xn.FLOAT64])
    assert table.complete
    assert [row.word for row in table.rows] == [tuple(word) for word in words]
    for row, word in zip(table.rows, words, strict=True):
        assert list(row.divergences) == [xn.first_divergence(net, word, fmt) for fmt in table.formats]
        run = xn.run(net, word)
        assert (row.outcome, row.steps) == (run.outcome, run.steps)


def test_first_failure_is_the_shortest_word_in_any_order() -> None:
    net = xn.compile(xn.load("palindrome"))
    words = ["a" * n for n in (20, 8, 3, 9)]
    table = xn.collapse(net, words, [xn.FLOAT32])
    failure = table.first_failure(xn.FLOAT32)
    assert failure is not None
    assert len(failure.word) == 8
    assert xn.collapse(net, ["a", "b"], [xn.FLOAT32]).first_failure(xn.FLOAT32, "value") is None


@pytest.mark.parametrize("ask", [xn.collapse, xn.check_format, xn.precision_threshold])
def test_a_named_machine_has_words_of_its_own(ask, tmp_path) -> None:
    """Those that its file expects to pass, as on the command line; a construction and a network have none."""
    assert ask("anbn") == ask("anbn", ["", "ab", "aaabbb", "a" * 10 + "b" * 10])
    xn.save_network(xn.compile("anbn").network, tmp_path / "anbn.json")
    for other in (xn.compile("anbn"), xn.compile("anbn").network, tmp_path / "anbn.json"):
        with pytest.raises(OptionError, match=r"names no words of its own: give a sequence of words, such as \['a'"):
            ask(other)
    with pytest.raises(OptionError, match="n=3: it goes with a pattern"):
        ask("anbn", n=3)


def test_an_interrupted_table_keeps_its_rows() -> None:
    net = xn.compile(xn.load("parity"))

    def stop(done: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    table = xn.collapse(net, ["0", "1", "01", "11", "111"], [xn.FLOAT32], progress=stop)
    assert not table.complete
    assert len(table.rows) == 3


def test_questions_that_the_table_cannot_answer() -> None:
    net = xn.compile(xn.load("parity"))
    table = xn.collapse(net, ["0"], [xn.FLOAT32])
    with pytest.raises(OptionError, match="float64"):
        table.first_failure(xn.FLOAT64)
    with pytest.raises(OptionError, match="'verdicts'"):
        table.first_failure(xn.FLOAT32, "verdicts")  # type: ignore[arg-type]
    with pytest.raises(WordError, match="'2'"):
        xn.collapse(net, ["012"], [xn.FLOAT32])
    with pytest.raises(OptionError, match="at least one format"):
        xn.collapse(net, ["0"], [])
    with pytest.raises(OptionError, match="words='abba'"):
        xn.collapse(net, "abba")
    assert xn.collapse(net, ["0"], "float32") == xn.collapse(net, ["0"], xn.FLOAT32) == table
    with pytest.raises(OptionError, match="max_steps=-1"):
        xn.collapse(net, ["0"], max_steps=-1)


@pytest.mark.parametrize("given", [3, None, ["parity"]])
def test_what_is_no_network(given: object) -> None:
    for function in (xn.run, xn.collapse):
        with pytest.raises(NetworkError, match="is no network"):
            function(given, ["0"])  # type: ignore[operator]
    with pytest.raises(NetworkError, match="is no network"):
        xn.first_divergence(given, "0", xn.FLOAT32)  # type: ignore[arg-type]


def test_the_table_has_the_eos_steps_where_words_are_followed_by_eos() -> None:
    table = xn.collapse("palindrome", ["", "abba"], [xn.FLOAT64]).as_table()
    exact = [xn.run("palindrome", word).eos_steps for word in ("", "abba")]
    assert (table.heading[3], [row[3] for row in table.rows]) == ("T", exact)
    table = xn.collapse("parity", ["", "010"], [xn.FLOAT64]).as_table()
    assert (table.heading[3], [row[3] for row in table.rows]) == ("steps", [0, 3])
