"""Orbits one plays with: the points are the states, what differs and what comes back is told, and little fits not."""

import re

import pytest

import exactnn as xn
from exactnn.plots import orbit_page
from tests.plots.pages import data_of, views

TURNS = xn.word_problem("Z5", "rotation", weights=xn.FLOAT16)
BOTH = (xn.EXACT, xn.FLOAT16)


def runs(word="a" * 20, arithmetics=BOTH, **options):
    return [xn.trajectory(TURNS, word, one, **options) for one in arithmetics]


def test_points_are_states_and_what_comes_back_is_counted():
    given = runs()
    data = data_of(orbit_page(given))
    for run, page in zip(given, data["runs"], strict=True):
        assert page["points"] == [[float(x), float(y)] for x, y in run.values]
        assert page["seen"] == [len(set(run.values[: t + 1])) for t in range(len(run.values))]
        assert page["first"] == [run.values.index(state) for state in run.values]
    exact, rounded = data["runs"]
    assert (exact["seen"][-1], rounded["seen"][-1]) == (21, 5)
    assert exact["wrong"] is None
    first = next(t for t, (a, b) in enumerate(zip(*(run.values for run in given), strict=True)) if a != b)
    assert rounded["wrong"] == first
    assert rounded["away"][0] == "0"


def test_numbers_that_are_not_finite_have_no_point():
    grows = xn.SimpleRNN(
        V=[[1000, 0], [0, 1]], W=[[0], [0]], b=[0, 0], s=[1, 1], readout_weight=[1, 0], activation="identity"
    )
    word = [[0]] * 12
    data = data_of(orbit_page([xn.trajectory(grows, word, one) for one in (xn.EXACT, xn.FLOAT16)]))
    exact, rounded = data["runs"]
    assert None not in exact["points"]
    assert rounded["points"][-1] is None
    assert rounded["wrong"] is not None
    assert rounded["away"][-1] == "no number that is finite"
    assert rounded["seen"][-1] < exact["seen"][-1]


def test_numbers_beyond_every_float_have_no_point():
    grows = xn.SimpleRNN(
        V=[["1e100", 0], [0, 1]], W=[[0], [0]], b=[0, 0], s=[1, 1], readout_weight=[1, 0], activation="identity"
    )
    wide = xn.FloatFormat(precision=100, exponent_bits=20)
    data = data_of(orbit_page([xn.trajectory(grows, [[0]] * 6, one) for one in (xn.EXACT, wide)]))
    exact, rounded = data["runs"]
    assert [point is None for point in exact["points"]] == [False] * 4 + [True] * 3
    assert exact["points"] == rounded["points"]
    assert rounded["wrong"] == 1
    assert rounded["away"][-1] == "more than 10^308"


def test_a_nan_is_no_difference_to_a_nan():
    """Where both runs have one, and nothing else that differs."""
    grows = xn.SimpleRNN(
        V=[[8, 0], [0, 1]], W=[[0], [0]], b=[0, 0], s=[1, 1], readout_weight=[1, 0], activation="identity"
    )
    formats = [xn.FLOAT8_E4M3, xn.FloatFormat(precision=5, exponent_bits=4, specials="nan")]
    runs = [xn.trajectory(grows, [[0]] * 6, one) for one in formats]
    assert all(x != x for run in runs for x in run.values[-1][:1])
    assert [run["wrong"] for run in data_of(orbit_page(runs))["runs"]] == [None, None]


def test_letters_go_on_as_eos():
    net = xn.compile(xn.load("anbn"))
    names = list(net.network.circuit.state_names[:2])
    found = xn.trajectory(net, "ab", components=names)
    assert data_of(orbit_page(found))["letters"] == ["a", "b", *["EOS"] * (found.steps - 2)]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "0 runs do not go into one page: give 1 to 4"),
        (runs("a", [xn.EXACT] * 5), "5 runs do not go into one page"),
        (runs("a", components=["h[0]"]), r"has 1 component here, and a plane has two: .* components=\[\.\.\.\]"),
        (runs("a") + runs("aa"), "not of one network, one word and the same components"),
        (runs("a" * 2001, [xn.FLOAT16]), "2,001 steps are too many for a page: give trajectory max_steps=2000"),
        (runs("a", [xn.Interval(bits=20)]), "gives intervals has no points"),
    ],
)
def test_what_has_no_page_is_told(found, said):
    with pytest.raises(xn.ExactnnError, match=said):
        orbit_page(found)


@pytest.mark.slow
def test_it_plays_in_a_browser(tmp_path):
    orbit_page(runs(), path=tmp_path / "orbit.html")
    wrong = data_of((tmp_path / "orbit.html").read_text(encoding="utf-8"))["runs"][1]["wrong"]
    for page in views(tmp_path / "orbit.html"):
        for step in range(1, 11):
            page.keyboard.press("ArrowRight")
            assert page.locator("#step").text_content() == f"{step} of 20, after the letter a"
            assert page.locator(".ring").count() == (step >= wrong)
        assert page.locator("dd", has_text="5: this one is that of step 0 again").count() == 1
        assert page.locator(".now").count() == 2
        assert page.locator("#out").is_disabled()
        page.keyboard.press("+")
        page.click("#in")
        assert page.evaluate("zoom") == 2
        page.keyboard.press("-")
        page.click("#out")
        assert page.locator("#out").is_disabled()
        page.click("#play")
        page.locator("#step", has_text=re.compile(r"^(1[1-9]|20) of")).wait_for()
        page.keyboard.press("ArrowLeft")
        assert page.locator("#play").text_content() == "play"
