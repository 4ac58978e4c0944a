import math

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.plots import plot_contraction

NETWORK = xn.SimpleRNN(V=[["9/10"]], W=[[1]], b=[0], s=[1], readout_weight=[1], name="one $unit$")
TWIN = xn.unitary(NETWORK, input_bound=1)
FORMATS = (xn.RATIONAL, xn.FLOAT32, xn.FLOAT16, xn.FLOAT8_E4M3)


def decays_of(steps, formats=FORMATS, **options):
    options = {"perturbation": [mpq(1, 2)], **options}
    return [xn.perturbation_decay(NETWORK, [1] * steps, arithmetic=format, **options) for format in formats]


def norms_of(steps, formats=FORMATS, start=(1, 2)):
    return [xn.norm_preservation(TWIN, start=start, steps=steps, arithmetic=format) for format in formats]


def line_of(axes, label):
    (line,) = [line for line in axes.lines if line.get_label() == label]
    return line


def test_the_lines_are_the_logarithms():
    decays, norms = decays_of(40), norms_of(40)
    left, right = plot_contraction(decays, norms).axes
    for axes, found, values in (
        (left, decays, [entry.squared_distances for entry in decays]),
        (right, norms[1:], [entry.drifts for entry in norms[1:]]),
    ):
        for entry, exact in zip(found, values, strict=True):
            label = "exact" if entry.arithmetic is xn.RATIONAL else str(entry.arithmetic)
            line = line_of(axes, label)
            assert list(line.get_xdata()) == list(range(41))
            for value, y in zip(exact, line.get_ydata(), strict=True):
                drawn = math.log2(abs(value)) / (2 if axes is left else 1) if value else math.nan
                assert math.isnan(y) if math.isnan(drawn) else y == pytest.approx(drawn)
    bound = line_of(left, r"bound, $\rho^t\,\Vert\delta\Vert$, $\rho$ = 0.9")
    assert bound.get_ydata()[10] == pytest.approx(10 * math.log2(0.9) - 1, abs=1e-4)
    assert (left.get_xlabel(), right.get_xlabel()) == ("step", "step")
    assert left.get_title() == r"one \$unit\$"


def test_runs_that_become_the_same_are_marked():
    decays = decays_of(60)
    left = plot_contraction(decays, norms_of(3)).axes[0]
    merged = {str(found.arithmetic): found.merged_from for found in decays if found.merged_from is not None}
    assert merged
    assert None in [found.merged_from for found in decays]
    for name, step in merged.items():
        assert list(line_of(left, f"_{name}, the same").get_xdata()) == [step]
    assert "from here on the same" in [text.get_text() for text in left.get_legend().get_texts()]


def test_a_norm_that_is_preserved_is_said_to_be():
    right = plot_contraction(decays_of(3), norms_of(30)).axes[1]
    labels = [text.get_text() for text in right.get_legend().get_texts()]
    assert labels == ["exact: 0 for ever", "float32", "float16", "float8_e4m3"]
    still = [xn.norm_preservation(TWIN, start=[1, 2], steps=0, arithmetic=xn.FLOAT32)]
    right = plot_contraction(decays_of(3), still).axes[1]
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["float32: 0"]


def test_infinite_values_are_marked():
    norms = norms_of(5, [xn.FloatFormat(precision=4, exponent_bits=3)], start=(15, 15))
    assert None in norms[0].drifts
    right = plot_contraction(decays_of(3), norms).axes[1]
    steps = [step for step, drift in enumerate(norms[0].drifts) if drift is None]
    assert list(line_of(right, "_infinite or NaN").get_xdata()) == [steps[0], steps[-1]]
    assert "infinite or NaN" in [text.get_text() for text in right.get_legend().get_texts()]


def test_a_long_run_is_thinned_and_one_step_drawn(tmp_path):
    left, _ = plot_contraction(decays_of(4500, [xn.FLOAT32]), norms_of(1), path=tmp_path / "long.png").axes
    assert len(line_of(left, "float32").get_xdata()) <= 2000
    assert (tmp_path / "long.png").stat().st_size > 10_000


def test_axes_of_the_user_and_a_title(tmp_path):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots(1, 2)
    assert plot_contraction(decays_of(3), norms_of(3), ax=axes, title="mine") is figure
    assert axes[0].get_title() == "mine"
    assert axes[0].lines
    assert axes[1].lines


def test_wrong_input():
    decays, norms = decays_of(3), norms_of(3)
    for nothing in (([], norms), (decays, [])):
        with pytest.raises(xn.ExactnnError, match="nothing to draw"):
            plot_contraction(*nothing)
    with pytest.raises(xn.ExactnnError, match="different bounds"):
        plot_contraction([*decays, *decays_of(3, [xn.FLOAT32], perturbation=[1])], norms)
    with pytest.raises(xn.ExactnnError, match="give two"):
        plot_contraction(decays, norms, ax=object())
    with pytest.raises(xn.ExactnnError, match="name a file"):
        plot_contraction(decays, norms, path="x.gif")
