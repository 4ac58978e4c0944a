"""Every picture is written as SVG and as PDF by one call: text that is text, nothing cut off, the same bytes again."""

import warnings
from functools import cache
from xml.etree import ElementTree

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn import plots
from exactnn.plots.looks import LABEL, TICKS, WIDTH

SVG = "{http://www.w3.org/2000/svg}"
SMALLEST = 7
"""Points."""
FORMATS = [xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16]
PRECISIONS = [xn.FloatFormat(precision=p, exponent_bits=10) for p in range(2, 16)]


DECAY = xn.SimpleRNN(V=[["9/10"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")


def palindrome():
    return xn.compile(xn.load("palindrome"))


def contraction():
    net = xn.SimpleRNN(V=[["9/10"]], W=[[1]], b=[0], s=[1], readout_weight=[1], name="one unit")
    twin = xn.unitary(net, input_bound=1)
    chosen = (xn.RATIONAL, xn.FLOAT32, xn.FLOAT16, xn.FLOAT8_E4M3)
    decays = [xn.perturbation_decay(net, [1] * 30, arithmetic=one, perturbation=[mpq(1, 2)]) for one in chosen]
    return decays, [xn.norm_preservation(twin, start=(1, 2), steps=30, arithmetic=one) for one in chosen]


DATA = {
    "plot_check_format": lambda: (xn.check_format(palindrome(), ["a" * n for n in range(1, 9)], FORMATS),),
    "plot_collapse": lambda: (xn.collapse(palindrome(), ["a" * n for n in range(1, 13)], FORMATS),),
    "plot_contraction": contraction,
    "plot_counters": lambda: (
        [xn.trajectory(xn.lstm_anbn(), "a" * 20 + "b" * 20, one) for one in (xn.EXACT, xn.FLOAT8_E4M3)],
    ),
    "plot_depth_parameters": lambda: ([xn.depth_parameters(p) for p in (4, 8, 16)],),
    "plot_gradient_growth": lambda: (xn.gradient_growth(DECAY, [[0]] * 60, [xn.FLOAT16, xn.BFLOAT16]),),
    "plot_error_growth": lambda: (xn.error_growth(palindrome(), "abba", FORMATS),),
    "plot_machine": lambda: ("divisible-by-7",),
    "plot_precision_map": lambda: (xn.collapse(palindrome(), ["a" * n for n in range(1, 7)], PRECISIONS),),
    "plot_required_bits": lambda: (xn.required_bits(palindrome(), "abbaabba"),),
    "plot_space_time": lambda: (xn.space_time(xn.compile(xn.load("bb4")), "", [xn.FLOAT32, xn.FLOAT16]),),
    "plot_cantor_stack": lambda: (xn.CantorStack(),),
    "plot_stack": lambda: ([xn.nondeterministic_reversal().read("abba"[:k]) for k in range(1, 5)],),
    "plot_state_growth": lambda: (xn.state_growth(palindrome(), [xn.EXACT, xn.FLOAT16, xn.FLOAT8_E4M3], max_length=6),),
}
data_of = cache(lambda name: DATA[name]())


def draw(name, path=None):
    return getattr(plots, name)(*data_of(name), path=path)


def test_letters_of_a_large_automaton_can_be_read():
    states = [f"q{i}" for i in range(28)]
    moves = {q: {"a": states[(i + 1) % 28], "b": states[5 * i % 28]} for i, q in enumerate(states)}
    dfa = xn.DFA(states=states, input_symbols="ab", transitions=moves, initial_state="q0", final_states={"q3"})
    small, large = (plots.plot_machine(machine) for machine in ("divisible-by-7", dfa))
    assert small.get_figwidth() == WIDTH < large.get_figwidth()
    for figure in (small, large):
        assert min(text.get_fontsize() for text in texts_of(figure)) > 5.99


def test_an_extraction_is_drawn_as_its_minimal_automaton_and_no_two_states_look_alike():
    found = xn.extract_state_machine("parity", xn.FLOAT16)
    drawn, other = (plots.plot_machine(machine).axes[0].texts for machine in (found, found.minimal))
    assert [text.get_text() for text in drawn] == [text.get_text() for text in other]
    names = [f"waiting for symbol {i}" for i in range(4)]
    moves = {q: {"a": names[0]} for q in names}
    dfa = xn.DFA(states=names, input_symbols="a", transitions=moves, initial_state=names[0], final_states=names)
    written = [text.get_text() for text in plots.plot_machine(dfa).axes[0].texts]
    assert {f"waiting\nfor\n({i})" for i in range(1, 5)} <= set(written)


def texts_of(figure):
    """Return what is written in a figure, and where, in pixels."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    shown = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    hidden = {text for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for text in unseen(axis)}
    return [text for text in shown if text not in hidden]


def unseen(axis):
    """Return the numbers of an axis that are not drawn: those beyond its ends, and those that are switched off."""
    low, high = sorted(axis.get_view_interval())
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        for label in (tick.label1, tick.label2):
            if not low <= tick.get_loc() <= high or not axis.axes.axison:
                yield label


def test_every_picture_is_here():
    assert set(DATA) == {name for name in plots.__all__ if name.startswith("plot_")}


@pytest.mark.mostly_slow(quick=3, slow=6)
@pytest.mark.parametrize("name", DATA)
def test_one_call_writes_a_picture_for_a_paper(tmp_path, name):
    svg, pdf = tmp_path / "picture.svg", tmp_path / "picture.pdf"
    figure = draw(name, svg)
    drawn = ElementTree.parse(svg).getroot()
    assert float(drawn.get("width").removesuffix("pt")) == 72 * WIDTH
    written = {"".join(node.itertext()).strip() for node in drawn.iter(SVG + "text")}
    plain_lines = [line for text in texts_of(figure) for line in text.get_text().splitlines() if "$" not in line]
    assert set(plain_lines) <= written
    assert len(plain_lines) > 8
    draw(name, pdf)
    data = pdf.read_bytes()
    assert data.startswith(b"%PDF-")
    assert data.rstrip().endswith(b"%%EOF")
    assert b"/FontFile2" in data  # TrueType, which journals ask for
    assert b"/Type3" not in data


@pytest.mark.parametrize("name", DATA)
def test_nothing_is_cut_off_and_sizes_are_the_same(name):
    figure = draw(name)
    texts = texts_of(figure)
    left, bottom, right, top = figure.bbox.extents
    for text in texts:
        box = text.get_window_extent()
        inside = left - 1 <= box.x0 and box.x1 <= right + 1 and bottom - 1 <= box.y0 and box.y1 <= top + 1
        assert inside, text.get_text()
    assert min(text.get_fontsize() for text in texts) >= SMALLEST
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            assert axis.label.get_fontsize() == LABEL
            assert {label.get_fontsize() for label in axis.get_ticklabels()} <= {TICKS}


@pytest.mark.mostly_slow(quick=1, slow=1)
@pytest.mark.parametrize("name", ["plot_collapse", "plot_contraction"])
@pytest.mark.parametrize("ending", ["svg", "pdf"])
def test_the_same_picture_is_the_same_file(tmp_path, name, ending):
    files = []
    for number in range(2):
        files.append(tmp_path / f"{number}.{ending}")
        draw(name, files[-1])
    first, again = (file.read_bytes() for file in files)
    assert first == again
    assert b"<dc:date>" not in first
    assert b"/CreationDate" not in first


NO_FILES = (3, 1.5, "", b"x.png", [], {}, object(), 10**5000, "x.gif", "a\0b.png", "y" * 5000 + ".png", "no/such/x.png")


@pytest.mark.parametrize("name", DATA)
def test_what_is_no_file_and_what_is_no_data_is_refused(name):
    data = data_of(name)
    for path in NO_FILES:
        with pytest.raises(xn.ExactnnError):
            getattr(plots, name)(*data, path=path)
    for wrong in (None, 3, "x", [3], object()):
        with pytest.raises(xn.ExactnnError):
            getattr(plots, name)(wrong, *data[1:])
    with pytest.raises(xn.ExactnnError):
        getattr(plots, name)(*data, title=3)


@pytest.mark.parametrize("draw", ["precision map", "required bits", "collapse", "error growth"])
def test_axes_of_one_column_have_room_for_all(draw):
    """A column of a journal is 3.3 inches wide: titles, names of axes and legends take more lines there."""
    from matplotlib.figure import Figure

    net = xn.compile("palindrome")
    figure = Figure(figsize=(3.3, 2.6), layout="constrained")
    axes = figure.subplots()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match draw:
            case "precision map":
                formats = [xn.FloatFormat(precision=p, exponent_bits=10) for p in range(2, 30)]
                plots.plot_precision_map(xn.collapse(net, "a^n", formats, n=range(1, 13)), ax=axes)
            case "required bits":
                plots.plot_required_bits(xn.required_bits(net, "abba"), ax=axes)
            case "collapse":
                plots.plot_collapse(xn.collapse(net, "a^n", n=range(1, 13)), ax=axes)
            case "error growth":
                plots.plot_error_growth(xn.error_growth(net, "abba"), ax=axes)
        figure.draw_without_rendering()
    inches = axes.get_window_extent().width / figure.dpi
    assert inches > 1
    legend = axes.get_legend().get_window_extent()
    assert legend.x0 >= -1
    assert legend.x1 <= figure.bbox.width + 1
