"""One description of a table gives what notebooks and terminals show: the same entries, marked, cut and escaped."""

import io
from functools import cache
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.pretty import pprint

import exactnn as xn
from exactnn.errors import OptionError
from exactnn.markup import Entry, Table, clipped, html_table, rich_table
from exactnn.outcome import Outcome
from exactnn.precision import FirstFailures, PrecisionFailures, PrecisionThreshold, WordThreshold

RED = "\x1b[1;31m"
SCRIPT = "<script>alert(1)</script>"
TEXTS = st.text(max_size=8)


def parsed(markup):
    return ElementTree.fromstring(markup)


def in_terminal(shown, *, width=200, color=None):
    console = Console(file=io.StringIO(), width=width, color_system=color, force_terminal=True, legacy_windows=False)
    console.print(shown)
    return console.file.getvalue()


def grid(markup):
    """Return the text of each cell, row by row, below the caption."""
    return [["".join(cell.itertext()) for cell in row] for row in parsed(markup).iter("tr")]


def marked(markup):
    return ["".join(cell.itertext()) for cell in parsed(markup).iter() if "#b00020" in cell.get("style", "")]


@cache
def palindrome():
    return xn.compile(xn.load("palindrome"))


@cache
def parity():
    return xn.compile(xn.load("parity"))


THIRDS = xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])


def weighted():
    return xn.WeightedAutomaton.from_dfa(xn.load("parity"), rejected="-1/2")


SHOWN = {
    "machine": lambda: xn.load("parity"),
    "stack machine": lambda: xn.load("anbn-stacks"),
    "construction": lambda: palindrome(),
    "run": lambda: xn.run(palindrome(), "abba"),
    "trace": lambda: xn.run(palindrome(), "ab", record="all").trace,
    "space-time": lambda: xn.space_time(palindrome(), "abba", [xn.FLOAT8_E4M3]),
    "collapse": lambda: xn.collapse(palindrome(), ["", "abba"], [xn.FLOAT8_E4M3, xn.FLOAT64]),
    "extraction": lambda: xn.extract_state_machine(parity(), xn.FLOAT8_E4M3),
    "incomplete extraction": lambda: xn.extract_state_machine(parity(), xn.FLOAT8_E4M3, max_states=2),
    "equivalence": lambda: xn.equivalent(palindrome(), (palindrome(), xn.FLOAT8_E4M3)),
    "proof": lambda: xn.equivalent(parity(), (parity(), xn.FLOAT8_E4M3)),
    "threshold": lambda: xn.precision_threshold(palindrome(), ["abba"], precisions=range(2, 20)),
    "first failures": lambda: xn.first_failures(xn.fractional_counter(), lambda n: "a" * n + "b" * n, [4, 11]),
    "errata": lambda: xn.errata(["E20", "E1"]),
    "erratum": lambda: xn.errata("E20")[0],
    "growth": lambda: xn.state_growth(parity(), [xn.EXACT, xn.FLOAT16], max_length=3, continuations=1),
    "sweep": lambda: xn.verdict_sweep(palindrome(), range(5), [xn.FLOAT16, xn.FLOAT64]),
    "divergence": lambda: xn.first_divergence(palindrome(), "abba", xn.FLOAT8_E4M3),
    "bits": lambda: xn.required_bits(THIRDS, [1, 0]),
    "errors": lambda: xn.error_growth(THIRDS, [1, 0], [xn.FLOAT16]),
    "trajectory": lambda: xn.trajectory(THIRDS, [1, 0]),
    "constructions": lambda: xn.construction_table("parity"),
    "zoo": lambda: xn.zoo(),
    "learned": lambda: xn.learn_automaton(parity(), arithmetic=xn.FLOAT16),
    "twin": lambda: xn.unitary(xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1]), input_bound=1),
    "weighted automaton": lambda: weighted(),
    "weighted comparison": lambda: xn.compare_weighted(weighted(), 2 * weighted()),
    "decay": lambda: xn.perturbation_decay(THIRDS, [1, 0], perturbation=["1/2"]),
    "scan tree": lambda: xn.scan_tree(xn.parity_unit(), "0110", "blelloch", "float16"),
    "language": lambda: xn.language_in_a_weight(["a", "ab"], "ab"),
}
"""Results of each kind that show themselves as tables, by name; each is made when a test first asks for it."""


@cache
def shown_result(name):
    return SHOWN[name]()


PICTURES = ("trace", "space-time")
"""What notebooks show as a picture and terminals as a table."""


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_and_a_terminal_show_the_same_entries(name):
    shown = shown_result(name)
    table = shown.as_table()
    text = " ".join(in_terminal(shown, width=2000).split())
    assert hasattr(shown, "_repr_html_") == (name not in PICTURES)
    told = "" if name in PICTURES else "".join(parsed(shown._repr_html_()).itertext())
    for entry in (entry for row in table.rows[:40] for entry in row):
        written = html_table(Table(rows=((entry,),), longest=table.longest))
        for line in "".join(parsed(written).itertext()).splitlines():
            assert " ".join(line.split()) in text
            assert name in PICTURES or line in told


@pytest.mark.parametrize("name", SHOWN)
def test_a_repr_is_short_and_in_one_line(name):
    shown = shown_result(name)
    if name not in ("machine", "stack machine", "zoo"):  # a repr of a machine builds it again; the zoo names all of it
        assert len(repr(shown)) < 200
    assert repr(shown).isprintable()


def test_a_repl_of_rich_shows_tables():
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system=None)
    console.print(xn.load("parity"), palindrome())
    assert "→ even" in console.file.getvalue()
    assert "49 neurons" in console.file.getvalue()
    pprint(xn.load("parity"), console=console)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS)
def test_any_text_is_told_literally_and_harmlessly(rows, title):
    table = Table(heading=("a", "[b]"), rows=tuple((Entry(a, told=b), b) for a, b in rows), title=title, note=title)
    below = grid(html_table(table))[1 : len(rows) + 1]
    assert [row[1] for row in below] == ["".join(parsed(html_table(Table(rows=((b,),)))).itertext()) for _, b in rows]
    assert all(line.isprintable() for line in in_terminal(rich_table(table)).split("\n"))
    assert "[b]" in in_terminal(rich_table(table))


def test_names_with_markup_are_text():
    machine = xn.DFA(
        states=[SCRIPT, "[red]q[/red]"], input_symbols="a", initial_state=SCRIPT, final_states=[SCRIPT], name=SCRIPT,
        transitions={SCRIPT: {"a": "[red]q[/red]"}, "[red]q[/red]": {"a": SCRIPT}},
    )  # fmt: skip
    net = xn.minsky(machine)
    results = [machine, net, net.network, xn.run(net, "a"), xn.collapse(net, ["a"]), xn.extract_state_machine(net)]
    for shown in results:
        assert "<script" not in shown._repr_html_()
        assert "script&gt;" in shown._repr_html_()
    text = in_terminal(machine)
    assert SCRIPT in text
    assert "[red]q[/red]" in text


@pytest.mark.parametrize("length", [60, 1000, 100_000])
def test_what_is_shown_of_long_names_is_bounded_and_the_whole_is_told(length):
    names = ["a" + length * "x", "b" + length * "y"]
    machine = xn.DFA(
        states=names, input_symbols=names, initial_state=names[0], final_states=names[1:], name=names[0],
        transitions={q: {names[0]: names[0], names[1]: names[1]} for q in names},
    )  # fmt: skip
    net = xn.minsky(machine)
    svg, html = machine._repr_svg_(), machine._repr_html_()
    titles = ["".join(title.itertext()) for title in parsed(svg).iter("{http://www.w3.org/2000/svg}title")]
    hovers = [cell.get("title") for cell in parsed(html).iter() if cell.get("title")]
    if length < 999:
        assert set(names) <= set(titles)
        assert set(names) <= set(hovers)
    circles = [circle[0].text for circle in parsed(svg).iter("{http://www.w3.org/2000/svg}circle") if len(circle)]
    assert circles == list(map(clipped, names)), "the whole name where the pointer is on a circle"
    assert clipped(names[0]) in titles
    assert max(map(len, titles + hovers)) < 1100
    assert len(svg) < 25_000
    assert len(html) < 60_000
    assert len(in_terminal(machine)) < 6000
    assert len(str(machine)) < 6000
    assert len(net.network._repr_html_()) < 10_000
    assert len(net._repr_html_()) < 6000
    assert len(xn.collapse(net, [[names[0]] * 3])._repr_html_()) < 6000
    assert len(xn.run(net, [names[0]], record="all").trace._repr_svg_()) < 60_000


def test_print_shows_the_table_of_a_machine():
    machines = [xn.load(entry.name) for entry in xn.zoo()]
    for machine in machines:
        table = machine.as_table()
        lines = str(machine).splitlines()
        assert lines[0] == machine.name
        assert not any(line.endswith(" ") or "\x1b" in line for line in lines)
        for row in table.rows[:40]:
            assert any(str(row[0].text if isinstance(row[0], Entry) else row[0]) in line for line in lines)
        assert lines[-1] in table.note


@pytest.mark.slow
def test_long_tables_end_in_how_many_more():
    table = Table(heading=("n",), rows=tuple((i,) for i in range(1000)), more=5)
    assert grid(html_table(table))[-1] == ["… 965 more rows"]
    assert "… 965 more rows" in in_terminal(rich_table(table, most=40))
    assert "more rows" not in in_terminal(rich_table(Table(heading=("n",), rows=table.rows[:40])))
    words = tuple(WordThreshold(word=("a",) * n, outcome=Outcome.ACCEPTED, steps=n, failing=()) for n in range(3000))
    threshold = PrecisionThreshold(precisions=(2, 3), criterion="verdict", words=words)
    rows = tuple(PrecisionFailures(precision=p, some=1, every=1, word=("a",), wrong=(1,)) for p in range(2, 2000))
    failures = FirstFailures(name="n", criterion="verdict", lengths=(1,), rows=rows)
    for shown, more in ((threshold, 2960), (failures, 1958)):
        for text in (shown._repr_html_(), in_terminal(shown)):
            assert f"… {more:,} more rows" in text
            assert len(text) < 20_000


def test_a_long_trace_is_bounded():
    half = xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    trace = xn.run(half, [1] * 500, record="all").trace
    assert "… 461 more rows" in in_terminal(trace)
    assert "… 461 more rows" in xn.trajectory(half, [1] * 500)._repr_html_()
    assert "… 461 more rows" in xn.error_growth(half, [1] * 500, [xn.FLOAT16])._repr_html_()


def test_wrong_cells_are_red():
    collapse = shown_result("collapse")
    assert marked(collapse._repr_html_()) == ["WRONG: accepted at 7"]
    assert in_terminal(collapse, color="standard").count(RED) == 1
    assert marked(shown_result("threshold")._repr_html_()) == ["2-13"]
    assert marked(shown_result("sweep")._repr_html_()) == ["16"]
    assert marked(shown_result("first failures")._repr_html_()) == ["5", "12"]
    assert marked(shown_result("equivalence")._repr_html_()) == ["no"]
    assert marked(shown_result("proof")._repr_html_()) == []
    assert marked(shown_result("erratum")._repr_html_()) == [shown_result("erratum").literal_outcome]
    right = xn.collapse(palindrome(), ["", "a"], [xn.FLOAT64])
    assert marked(right._repr_html_()) == []
    assert RED not in in_terminal(right, color="standard")


def test_only_the_first_wrong_configuration_of_a_format_is_red():
    found = shown_result("space-time")
    wrong = found.computed[0].divergence.configuration
    lines = in_terminal(found, color="standard").splitlines()
    red = [line for line in lines if RED in line]
    assert len(red) == 1
    assert int(red[0].split("│")[1]) == wrong.step


def test_a_terminal_does_not_show_a_blank_tape_where_the_state_stands_for_nothing():
    shown = in_terminal(xn.space_time(xn.compile(xn.load("palindrome")), "abba", [xn.FLOAT16])).splitlines()
    lost = [line.split("│")[3] for line in shown if "?:" in line]
    assert lost
    assert not any("_" in configuration for configuration in lost)
    assert shown[-1] == '"?" cannot be read'
    assert '"?"' not in in_terminal(xn.space_time(xn.compile(xn.load("bb2")), "", [xn.FLOAT64]))


def test_exact_values_are_told_where_they_are_shortened():
    sevenths, thirds = (xn.SimpleRNN(V=[[v]], W=[[1]], b=[0], s=[0], readout_weight=[1]) for v in ("1/7", "1/3"))
    html = xn.trajectory(sevenths, [1, *[0] * 30])._repr_html_()
    cells = {cell.get("title"): cell.text for cell in parsed(html).iter("td") if cell.get("title")}
    assert cells[f"1/{7**30}"] == "≈4.4367e-26 (1/85 bits)"
    collapse = xn.collapse(thirds, [[1, 0]], [xn.FLOAT32])
    (told,) = [cell.get("title") for cell in parsed(collapse._repr_html_()).iter("td") if "h[0]" in (cell.text or "")]
    assert told == "step 2, h[0]: exactly 1/3, computed 0.3333333432674408"


def test_numbers_have_commas_and_stand_on_the_right():
    html = html_table(Table(heading=("n", "text"), rows=((Entry("a"), 1234567), ("b", 10**50))))
    one, other = parsed(html).iter("td")
    assert (one.text, one.get("style")) == ("1,234,567", None)
    assert other.text == "a number of 167 bits"
    assert html_table(Table(rows=((10**5000,),)))


def test_many_readings_are_put_together_by_what_is_done():
    letters = [chr(97 + i) for i in range(26)]
    machine = xn.DFA(
        states=["p", "q"], input_symbols=letters, initial_state="p", final_states=["q"],
        transitions={q: {a: "q" if a == "z" else "p" for a in letters} for q in "pq"},
    )  # fmt: skip
    rows = grid(html_table(machine.as_table()))
    assert rows[1] == ["→ p", "p", "; ".join(letters[:25])]
    assert rows[2] == ["", "q", "z"]
    assert rows[3][0] == "q (final)"


def test_fixed_reprs():
    parity = xn.compile(xn.load("parity"))
    net = palindrome()
    extraction = xn.extract_state_machine(parity, xn.FLOAT8_E4M3)
    contractive = xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    twin = xn.unitary(contractive, input_bound=1)
    word = [[1], [0], [0]]
    assert [
        repr(extraction),
        repr(xn.check_extraction(extraction.certificate)),
        repr(xn.equivalent(net, (net, xn.FLOAT8_E4M3))),
        repr(xn.precision_threshold(net, ["abba"], precisions=range(2, 20))),
        repr(xn.collapse(net, ["", "abba"], [xn.FLOAT8_E4M3, xn.FLOAT64])),
        repr(xn.fading_memory(contractive, tolerance="1/1000", input_bound=1)),
        repr(xn.perturbation_decay(contractive, word, perturbation=[1])),
        repr(xn.twin_separation(twin, word, xn.FLOAT16)),
        repr(xn.doubling_lstm_palindromes()),
        repr(xn.errata("E20")[0]),
    ] == [
        "<Extraction of minsky(parity) in float8_e4m3: 5 states, complete>",
        "<CheckedAutomaton of minsky(parity) in float8_e4m3: 5 states>",
        "<Equivalence: they differ on ab: rejected / accepted>",
        "<PrecisionThreshold of verdicts, 2 to 19 bits on 1 word: right from 14 on>",
        "<Collapse of siegelmann_sontag(palindrome) on 2 words: float8_e4m3 first wrong at length 4; float64 right>",
        "<FadingMemory: after 12 equal inputs outputs differ by at most 1/1000>",
        "<PerturbationDecay of simple RNN in exact, 3 steps: within the bound>",
        "<TwinSeparation of unitary twin of simple RNN in float16, 3 steps: together>",
        "<DoublingStack of doubling_lstm_palindromes: 16 neurons>",
        "<Erratum E20: the top of the empty stack is a 0>",
    ]


def test_what_was_not_run_is_not_called_right():
    assert repr(xn.collapse(palindrome(), [], [xn.FLOAT64])).endswith("on 0 words: float64 not run>")
    found = xn.precision_threshold(palindrome(), [], precisions=range(2, 4))
    assert repr(found) == "<PrecisionThreshold of verdicts, 2 to 3 bits on 0 words: no word was run>"
    assert grid(found._repr_html_())[-1] == ["on all words: no word was run"]


def test_a_trace_names_the_values_that_are_not_0():
    thirds = xn.SimpleRNN(V=[["1/3", 0], [0, 0]], W=[[1], [0]], b=[0, 0], s=[0, 0], readout_weight=[1, 1])
    for arithmetic, last in ((xn.RATIONAL, "1/3"), (xn.FLOAT64, "0.3333333333333333")):
        trace = xn.run(thirds, [1, 0], record="all", arithmetic=arithmetic).trace
        assert [row[1].split(": ") for row in trace.as_table().rows[1:]][1] == ["h[0]", last]
        assert trace.as_table().rows[0] == (0, "")
    enclosed = xn.run(thirds, [1, 0], record="all", arithmetic=xn.Interval(bits=20)).trace
    assert [row[1].startswith("h[0]: ") for row in enclosed.as_table().rows] == [False, True, True]


def halves():
    return xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])


def test_no_verdict_is_called_right_where_there_is_none():
    outputs_only = grid(xn.collapse(halves(), [[1] * 8], [xn.FLOAT8_E4M3])._repr_html_())
    assert outputs_only[-1][3:] == ["8", "5 h[0]", "-", "-"]
    not_yet = grid(xn.collapse(palindrome(), ["aaaa"], [xn.FLOAT16], max_steps=6)._repr_html_())
    assert not_yet[-1][2:] == ["step limit", "2", "4 left push", "4", "none yet"]


def test_of_a_mere_network_no_configuration_is_called_right():
    for network, said in ((palindrome(), "4"), (palindrome().network, "-")):
        found = xn.collapse(network, ["aaaa"], [xn.FLOAT16])
        assert grid(found._repr_html_())[-1][4:] == ["4 left push", said, "WRONG: silent"]


def test_a_sweep_says_how_many_runs_reached_no_verdict():
    table = xn.verdict_sweep(palindrome(), [0, 2, 3], [xn.FLOAT64], max_steps=4).as_table()
    assert table.note == "exact runs without a verdict within their limits: 12"
    assert not xn.verdict_sweep(palindrome(), [0, 2], [xn.FLOAT64]).as_table().note


def test_lengths_that_were_not_run_are_not_called_right():
    def words(n):
        if n == 2:
            raise KeyboardInterrupt
        return "a" * n

    table = xn.first_failures(palindrome(), words, [8], lengths=[3, 1, 2]).as_table()
    assert table.rows[0][1:3] == (Entry(3, mark="wrong"), 3)
    table = xn.first_failures(palindrome(), words, [20], lengths=[3, 1, 2]).as_table()
    assert table.rows[0][1:3] == (Entry("none of 2 run", mark="unsure"), "none of 2 run")
    assert table.note == "lengths 1 to 3, 3 of them; interrupted"


def test_columns_are_left_out_in_whole_groups_and_told():
    formats = [xn.FloatFormat(precision=p, exponent_bits=10) for p in range(2, 12)]
    found = xn.collapse(palindrome(), ["aaaa"], formats)
    for width in (30, 60, 100, 140):
        lines = in_terminal(found, width=width).splitlines()
        told = next(line for line in lines if "more column" in line)
        left_out = int(told.split()[1])
        assert not left_out % 3 or left_out == 32, told  # two columns are there always
        assert max(map(len, lines)) <= width
    assert "more column" not in in_terminal(found, width=600)
    columns = len(grid(found._repr_html_())[0])
    assert (columns, "12 more columns" in found._repr_html_()) == (23, True)  # of 34, 22 and an ellipsis


def test_a_name_with_a_line_end_is_one_line():
    fake = "q\nr (final)"
    machine = xn.DFA(
        states={fake}, input_symbols={"a"}, transitions={fake: {"a": fake}}, initial_state=fake, final_states=()
    )
    assert "q\\nr (final)" in in_terminal(machine)
    table = machine._repr_html_().split("</svg>")[-1].removesuffix("</div>")
    assert grid(table)[1] == ["→ q\\nr (final)", "q\\nr (final)"]


def test_dollars_are_no_formulas():
    shown = html_table(Table(heading=("word",), rows=(("a$b$a",),)))
    assert shown.startswith('<table class="tex2jax_ignore mathjax_ignore">')
    assert html_table(Table(heading=("word",), rows=(("aba",),))).startswith("<table>")


def test_one_thing_is_not_several():
    assert "simple RNN (1 neuron)" in in_terminal(xn.run(halves(), [1]))


def test_thresholds_of_verdicts_are_refused_where_there_are_none():
    with pytest.raises(OptionError, match="gives outputs and no verdicts"):
        xn.precision_threshold(halves(), [[1, 1]])


def test_a_counter_machine_says_with_which_counters_it_accepts():
    names = {row[0].text: row[0].mark for row in xn.load("anbn-counter").as_table().rows}
    assert names == {"→ as (accepts with [0])": "right", "bs (accepts with [0])": "right", "reject": ""}
    always = xn.CounterMachine(
        states="q",
        input_symbols="a",
        counters=1,
        initial_state="q",
        transitions={"q": {"a": {(0,): ("q", (1,)), (1,): ("q", (1,))}}},
        acceptance=[("q", (0,)), ("q", (1,))],
    )
    assert always.as_table().rows[0][0] == Entry("→ q (accepts)", told="q", mark="right")


def test_no_name_of_a_file_reaches_a_terminal_as_a_command(tmp_path):
    clear = "\x1b[2J"
    text = f'kind: turing_machine\nname: "x{clear}"\n'.replace("\x1b", "\\e")
    text += 'tape: semi_infinite\nblank: _\ninput symbols: ["\\e[1m"]\nstart state: "\\e[2m"\naccept state: "\\e[3m"\n'
    text += 'table:\n  "\\e[2m":\n    "\\e[1m": {R: "\\e[3m"}\n    _: {R: "\\e[3m"}\n  "\\e[3m":\n'
    machine = xn.load(text)
    net = xn.compile(machine)
    run = xn.run(net, ("\x1b[1m",), record="all")
    assert machine.name == f"x{clear}"
    tapes = [text for state in run.trace for text in (str(net.decode(state)), repr(net.decode(state)))]
    path = tmp_path / "network.json"
    xn.save_network(net.network, path)
    shown_names = [repr(net), repr(run), repr(net.network), repr(xn.load_network(path)), repr(machine)]
    for text in (*tapes, *shown_names, repr(xn.collapse(net, [("\x1b[1m",)])), repr(xn.space_time(net))):
        assert text.isprintable(), text
    assert "\\x1b[2J" in repr(net)
    assert len(repr(xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], name="n" * 10**5))) < 200


def test_a_threshold_says_how_many_runs_reached_no_verdict():
    table = xn.precision_threshold(palindrome(), ["aaaa", ""], precisions=range(6, 9), max_steps=4).as_table()
    assert table.note == "on all words: right from 6 on; exact runs without a verdict within the limit: 1"


def test_a_note_is_as_wide_as_the_columns_that_are_shown():
    wide = html_table(Table(heading=tuple("c" * 60), rows=(tuple(range(60)),), note="below"))
    assert wide.count('colspan="25"') == 2
    assert 'colspan="3"' in html_table(Table(heading=("a", "b", "c"), rows=(), note="below"))
