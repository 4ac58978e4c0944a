"""Films for slides: a frame for each step, what is wrong is ringed and stays, and one check of what may be written."""

import importlib.util
import shutil
import sys

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.plots import cantor_stack_film, tape_film
from exactnn.plots.looks import RED

pytest.importorskip("matplotlib")
SHORT = range(12, 1, -5)


@pytest.fixture
def frames(monkeypatch):
    """Return what is drawn instead of a film: each frame, whether it stays, and what can be read in it."""
    found = []

    def seen(figure, given, draw, path, *, per_second, replace=True):
        for frame, stays in given:
            draw(frame)
            texts = [text.get_text() for text in figure.texts]
            titles = [axes.get_title(loc="left") for axes in figure.axes]
            rings = [
                line
                for axes in figure.axes
                for line in axes.lines
                if line.get_markeredgecolor() == RED and line.get_marker() == "o"
            ]
            cells = [[text.get_text() for text in axes.texts] for axes in figure.axes]
            colours = [[text.get_color() for text in axes.texts] for axes in figure.axes]
            found.append((frame, stays, texts, titles, rings, cells, colours))

    for module in ("tape_film", "cantor_stack_film"):
        monkeypatch.setattr(sys.modules[f"exactnn.plots.{module}"], "save_film", seen)
    return found


def test_a_frame_has_the_tapes_after_a_step(frames, tmp_path):
    tapes = xn.space_time("palindrome", "aaabbaba", "float32", max_steps=12)
    tape_film(tapes, path=tmp_path / "tape.gif")
    wrong = tapes.computed[0].divergence.configuration.step
    assert [frame for frame, *_ in frames] == list(range(len(tapes.exact.rows)))
    assert [frame for frame, stays, *_ in frames if stays] == [wrong, len(tapes.exact.rows) - 1]
    for step, _, texts, titles, rings, cells, _ in frames:
        assert texts == [f"{tapes.name}, step {step}"]
        assert titles[0] == f"exact, state {tapes.exact.rows[step].configuration.state}"
        assert (": wrong from step 8" in titles[1]) == (step >= wrong)
        assert len(rings) == (step == wrong)
        row = tapes.exact.rows[step].configuration
        written = [*reversed(row.left), row.scanned, *row.right]
        assert [cell for cell in cells[0] if cell] == [symbol for symbol in written if symbol != "_"]
    ringed = frames[wrong][4][0]
    assert ringed.get_xdata() == [tapes.computed[0].wrong_cell]


def test_a_frame_has_the_stacks_after_a_step(frames, tmp_path):
    found = xn.space_time("mirror-stacks", "ab#ba", "float16")
    tape_film(found, path=tmp_path / "stacks.gif")
    for step, _, _, titles, _, cells, _ in frames:
        row = found.exact.rows[step]
        assert titles[0] == f"exact, state {row.state}"
        assert [cell for cell in cells[0] if cell] == [a for stack in row.configuration.stacks for a in reversed(stack)]


def test_long_runs_are_thinned_and_keep_what_is_wrong(monkeypatch, tmp_path):
    steps = []
    module = sys.modules["exactnn.plots.tape_film"]
    monkeypatch.setattr(module, "save_film", lambda figure, frames, *_, **__: steps.extend(n for n, _ in frames))
    tapes = xn.space_time("bb5", "", "float32", max_steps=700)
    tape_film(tapes, path=tmp_path / "tape.gif")
    assert 200 < len(steps) <= 260
    assert tapes.computed[0].divergence.configuration.step in steps
    assert steps[-1] == len(tapes.exact.rows) - 1


def test_digits_drop_off_a_stack(frames, tmp_path):
    stack, bits = xn.CantorStack(), "01101001"
    cantor_stack_film(stack, bits, path=tmp_path / "stack.gif", precisions=range(20, 1, -3))
    number = stack.number(bits)
    kept = []
    for precision, _, texts, _, _, cells, colours in frames:
        rounded = mpq(xn.FloatFormat(precision=precision, exponent_bits=15).rounded(number))
        read, left = stack.read(rounded, most=len(bits) + 3)
        right = (read, left) == (bits, 0)
        assert texts[0].endswith("read right") == right
        assert "".join(cells[1]).startswith(read)
        digits = cells[2]
        second = digits.index("≈ 0.")
        written = "".join(digits[1:second])
        assert mpq(int(written, 2), 2 ** len(written)) == number
        below = "".join(digits[second + 1 :])
        assert mpq(int(below, 2), 2 ** len(below)) == rounded
        kept.append(colours[2][1:second].count("black"))
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] < kept[0]
    assert kept[-1] == 2 + len(written) - len(written.lstrip("0"))


def test_gif_is_written_with_every_frame(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for name in ("one.gif", "two.gif"):
        cantor_stack_film(xn.CantorStack(), "0110", path=tmp_path / name, precisions=SHORT, per_second=2)
    assert (tmp_path / "one.gif").read_bytes() == (tmp_path / "two.gif").read_bytes()
    with image.open(tmp_path / "one.gif") as film:
        assert (film.format, film.size, film.n_frames) == ("GIF", (960, 540), len(SHORT))
        lasts = []
        for frame in range(film.n_frames):
            film.seek(frame)
            lasts.append(film.info["duration"])
    assert lasts == [2000, 500, 2000]


@pytest.mark.skipif(
    importlib.util.find_spec("imageio_ffmpeg") is None and not shutil.which("ffmpeg"),
    reason="needs ffmpeg or imageio-ffmpeg",
)
def test_mp4_is_written(tmp_path):
    cantor_stack_film(xn.CantorStack(), "0110", path=tmp_path / "stack.mp4", precisions=SHORT)
    assert (tmp_path / "stack.mp4").read_bytes()[4:8] == b"ftyp"


def test_without_ffmpeg_that_is_said_before_anything_is_drawn(tmp_path, monkeypatch):
    animation = pytest.importorskip("matplotlib.animation")
    monkeypatch.setattr(animation.FFMpegWriter, "isAvailable", lambda: False)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(
        xn.ExactnnError, match=r"need ffmpeg: install it, or pip install imageio-ffmpeg, or save a \.gif"
    ):
        cantor_stack_film(xn.CantorStack(), path=tmp_path / "stack.mp4")
    assert not list(tmp_path.iterdir())


def test_a_film_is_not_written_over_another_unless_that_is_asked_for(tmp_path):
    path = tmp_path / "stack.gif"
    path.write_text("mine")
    with pytest.raises(xn.ExactnnError, match="cannot be written: "):
        cantor_stack_film(xn.CantorStack(), "01", path=path, precisions=[4], per_second=1, replace=False)
    assert path.read_text() == "mine"
    cantor_stack_film(xn.CantorStack(), "01", path=path, precisions=[4], per_second=1)
    assert path.read_bytes().startswith(b"GIF")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"path": "stack.png"}, r"film 'stack.png': name a file that ends in \.gif or \.mp4"),
        ({"path": "nowhere/stack.gif"}, "cannot be written: No such file or directory"),
        ({"path": None}, "None"),
        ({"per_second": 31}, "per_second=31: give a whole number from 1 to 30"),
        ({"precisions": []}, "precisions is empty"),
        ({"precisions": [65]}, "65: give a whole number from 2 to 64"),
        ({"bits": "01" * 21}, "a stack of 42 is too long for a film: give at most 40"),
        ({"precisions": [2] * 399}, "413 frames are too many for a film: .* for 400"),
        ({"found": "01"}, r"found='01': give what CantorStack\(\) returns"),
    ],
)
def test_what_is_no_film_is_told(call, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(xn.ExactnnError, match=said):
        cantor_stack_film(**({"found": xn.CantorStack(), "path": "stack.gif", "per_second": 4} | call))
    assert not list(tmp_path.iterdir())


def test_tapes_that_do_not_fit_are_told(tmp_path):
    many = xn.space_time("bb2", "", ["float64", "float32", "float16", "bfloat16"])
    with pytest.raises(xn.ExactnnError, match="4 formats do not fit below each other: give at most 3"):
        tape_film(many, path=tmp_path / "tape.gif")


def test_names_that_no_font_has_are_drawn(tmp_path):
    """Half a pair of surrogates, which is no text, and what could be read as mathematics."""
    odd = "$\\frac{$ \ud800"
    machine = xn.TuringMachine(
        states=[odd, "yes", "no"], input_symbols=["a"], tape_symbols=["a", "_", odd], initial_state=odd,
        transitions={odd: {"a": (odd, odd, "R"), "_": ("yes", "_", "R"), odd: ("yes", "_", "L")}},
        blank_symbol="_", accept_state="yes", reject_state="no", name=odd,
    )  # fmt: skip
    tape_film(xn.space_time(machine, "a", "float32"), path=tmp_path / "odd.gif", per_second=1)
    assert (tmp_path / "odd.gif").stat().st_size > 0
