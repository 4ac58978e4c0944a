"""The learning experiment: data, gradients, orthogonal weights, and going on after a stop."""

import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch
pytest.importorskip("matplotlib")

import contractive_systems  # noqa: E402
import unitary_learning  # noqa: E402
from contractive_systems import EPSILON, ON, random_system, sequences  # noqa: E402
from recurrent_kernels import LANES, gradient_kernel, squared_errors_kernel, system_kernel  # noqa: E402
from recurrent_training import KINDS, RecurrentWeights, cayley, load_progress, nearest_orthogonal  # noqa: E402

from exactnn.errors import CheckpointError, MissingExtraError  # noqa: E402

TINY = unitary_learning.Settings(seed=3, realisations=2, train=20, test=5, steps=16)


def tiny_data(snr=20, settings=TINY):
    return settings.data(snr)


def torch_outputs(x, W, F, b, C, c):
    """Run the networks of all lanes in torch: arrays with lanes first, x (lanes, sequences, steps, inputs)."""
    h, outputs = torch.zeros(*x.shape[:2], b.shape[-1], dtype=x.dtype), []
    for t in range(x.shape[2]):
        h = torch.relu(h @ W.mT + x[:, :, t] @ F.mT + b[:, None])
        outputs.append(h @ C.mT + c[:, None])
    return torch.stack(outputs, 2)


@pytest.mark.parametrize("units", [1, 5])
def test_errors_and_gradients_are_those_of_torch(units):
    """In float64: backpropagation through all steps and no fewer, which a truncated one would not agree with."""
    rng = np.random.default_rng(units)
    x, y = rng.standard_normal((2, 3, 40, 2, LANES))
    shapes = [(units, units), (units, 2), (units,), (2, units), (2,)]
    arrays = [rng.standard_normal((*shape, LANES)) / (units + 1) ** 0.5 for shape in shapes]
    gradients, sums = [np.zeros_like(each) for each in arrays], np.zeros(LANES)
    rows = np.array([2, 0])
    gradient_kernel(units, 2, 2)(x, y, rows, *arrays, *gradients)
    squared_errors_kernel(units, 2, 2)(x, y, rows, *arrays, sums)

    tensors = [torch.from_numpy(np.moveaxis(each, -1, 0).copy()).requires_grad_() for each in arrays]
    inputs, targets = (torch.from_numpy(np.moveaxis(each[rows], -1, 0).copy()) for each in (x, y))
    errors = ((torch_outputs(inputs, *tensors) - targets) ** 2).flatten(1).sum(-1)
    (errors.sum() / 2).backward()
    np.testing.assert_allclose(sums, errors.detach().numpy(), rtol=1e-12)
    for ours, tensor in zip(gradients, tensors, strict=True):
        np.testing.assert_allclose(ours, np.moveaxis(tensor.grad.numpy(), 0, -1), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("realisation", range(3))
def test_systems_are_contractive_and_on_for_the_right_time(realisation):
    system = random_system(5, realisation, 200)
    values = np.linalg.svd(system.W, compute_uv=False)
    assert (values < 1).all()
    assert values[-1] == pytest.approx(1 - EPSILON)
    assert np.abs(system.W - system.W.T).max() < 1e-15
    x = np.random.default_rng(9).standard_normal((200, 2, 500))
    assert system_kernel()(x, *(getattr(system, name) for name in "WFbCc"))[1] == pytest.approx(ON, abs=0.02)


@pytest.mark.parametrize("snr", [15, 20])
def test_the_true_system_reaches_the_ceiling(snr):
    """With the noise that is kept, and with outputs that another program computes."""
    settings = unitary_learning.Settings(seed=1, realisations=3, train=10, test=200, steps=64)
    data = tiny_data(snr, settings)
    ceiling = 1 / (1 + 10 ** (-snr / 10))
    assert 1 - data.noise / data.power == pytest.approx(ceiling, abs=0.002)
    assert (1 - data.noise / data.variation < 1 - data.noise / data.power).all()
    system = random_system(1, 2, 64)
    x, y, _ = (torch.from_numpy(each.copy())[None] for each in sequences(system, 1, 2, 210, 64, snr))
    W, F, b, C, c = (torch.from_numpy(getattr(system, name))[None] for name in "WFbCc")
    errors = ((torch_outputs(x, W, F, b, C, c) - y)[:, 10:] ** 2).sum().item()
    assert errors == pytest.approx(data.noise[2], rel=1e-9)
    np.testing.assert_array_equal(data.x[0, ..., 2], x[0].numpy().astype(np.float32))
    np.testing.assert_array_equal(data.y[0, ..., 2], y[0].numpy().astype(np.float32))


def test_projection_gives_the_nearest_orthogonal_matrix():
    matrices = torch.from_numpy(np.random.default_rng(0).standard_normal((6, 5, 5)))
    found = nearest_orthogonal(matrices)
    identity = torch.eye(5, dtype=torch.float64).expand(6, 5, 5)
    torch.testing.assert_close(found @ found.mT, identity)
    symmetric = found.mT @ matrices  # polar factor: symmetric and positive
    torch.testing.assert_close(symmetric, symmetric.mT)
    assert (torch.linalg.eigvalsh(symmetric) > 0).all()
    matrices[2, 0, 0] = float("nan")
    spoiled = nearest_orthogonal(matrices)
    assert torch.isnan(spoiled[2]).all()
    assert torch.equal(spoiled[3:], found[3:])


def test_the_transform_gives_every_orthogonal_matrix_near_its_start():
    rng = np.random.default_rng(1)
    start = nearest_orthogonal(torch.from_numpy(rng.standard_normal((4, 6, 6))))
    free = torch.from_numpy(rng.standard_normal((4, 6, 6)))
    found = cayley(free, start)
    torch.testing.assert_close(found @ found.mT, torch.eye(6, dtype=torch.float64).expand(4, 6, 6))
    torch.testing.assert_close(cayley(torch.zeros_like(free), start), start)
    near = cayley(1e-6 * free, start) - start  # to first order the exponential of the skew part
    torch.testing.assert_close(near, start @ (1e-6 * (free - free.mT)), rtol=1e-4, atol=1e-10)


def trained(epochs, settings=TINY, units=3, data=None):
    networks = unitary_learning.Networks(units, settings)
    for number in range(epochs):
        networks.epoch(number, data or tiny_data(settings=settings), lambda: None)
    return networks


def test_only_the_first_kind_leaves_the_orthogonal_matrices():
    before, after = unitary_learning.Networks(3, TINY), trained(3)
    one = torch.eye(3).expand(LANES, 3, 3)
    for networks in (before, after):
        matrices = networks.recurrent.matrices().detach()
        distances = [(matrix.mT @ matrix - one).abs().max().item() for matrix in matrices]
        assert max(distances[1:]) < 1e-5
        assert (distances[0] > 1e-3) == (networks is after)
    first = before.recurrent.matrices().detach()
    assert torch.equal(first[0], first[1])
    torch.testing.assert_close(first[0], first[2])
    for matrix in after.recurrent.matrices().detach() - first:
        assert matrix.abs().max() > 1e-2


def test_a_network_alone_gets_what_it_gets_beside_others():
    """Bit for bit, whatever runs in the other lanes: also beside a network that has become NaN."""
    both, alone = trained(2), trained(2, unitary_learning.Settings(seed=3, realisations=1, train=20, test=5, steps=16))
    pairs = [(both.recurrent.free, alone.recurrent.free), *zip(both.others, alone.others, strict=True)]
    for ours, single in pairs:
        assert torch.equal(ours[:, 0], single[:, 0])
        assert not torch.equal(ours[:, 1], single[:, 1])
    spoiled, data = unitary_learning.Networks(3, TINY), tiny_data()
    with torch.no_grad():
        spoiled.others[1][:, 1::2] = float("nan")
    for number in range(2):
        spoiled.epoch(number, data, lambda: None)
    assert torch.equal(spoiled.others[0][:, 0], both.others[0][:, 0])
    errors = spoiled.squared_errors(data)
    assert np.isnan(errors[:, 1]).all()
    np.testing.assert_array_equal(errors[:, 0], both.squared_errors(data)[:, 0])


class StopError(Exception):
    pass


@pytest.mark.parametrize("stop_after", [1, 2, 7])
def test_going_on_gives_the_numbers_of_a_run_in_one_go(tmp_path, stop_after):
    def train(store, advance=lambda steps: None):
        return unitary_learning.train(20, 3, 10, TINY, tiny_data, store, advance)

    def stopping(steps):
        nonlocal taken
        taken += steps
        if taken > 2 * stop_after + 1:  # in the midst of an epoch of two steps
            raise StopError

    taken, whole = 0, train(None)
    with pytest.raises(StopError):
        train(tmp_path, stopping)
    assert int(np.load(tmp_path / "snr20_units03.npz")["epoch"]) == stop_after
    first, again = train(tmp_path), train(tmp_path)
    for outcome in (first, again):
        for name in ("r2", "best", "centred", "ceiling", "centred_ceiling"):
            np.testing.assert_array_equal(getattr(outcome, name), getattr(whole, name))
    assert whole.r2.shape == (len(KINDS), 2)
    assert not list(tmp_path.glob("*.part"))


def test_the_best_epoch_is_the_best_of_all_looks(tmp_path):
    wild = unitary_learning.Settings(seed=3, realisations=2, train=20, test=5, steps=16, rate=0.5)
    found = unitary_learning.train(20, 3, 20, wild, lambda: tiny_data(settings=wild), tmp_path, lambda steps: None)
    with np.load(tmp_path / "snr20_units03.npz", allow_pickle=False) as file:
        looks = 1 - file["errors"] / file["power"]
    assert looks.shape == (4, len(KINDS), 2)
    np.testing.assert_array_equal(found.r2, looks[-1])
    np.testing.assert_array_equal(found.best, looks.max(0))
    assert (found.best > found.r2).any()


def test_progress_of_other_settings_is_refused(tmp_path):
    unitary_learning.train(20, 2, 5, TINY, tiny_data, tmp_path, lambda steps: None)
    other = unitary_learning.Settings(seed=4, realisations=2, train=20, test=5, steps=16)
    with pytest.raises(CheckpointError, match=r"other settings \(seed\)"):
        unitary_learning.train(20, 2, 5, other, tiny_data, tmp_path, lambda steps: None)
    path = tmp_path / "snr20_units02.npz"
    path.write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_progress(path, {})


def test_what_is_missing_is_named():
    from recurrent_training import imported

    with pytest.raises(MissingExtraError, match=r'pip install "exactnn\[experiments\]"'):
        imported("no_such_module.of_it")


def test_recurrent_weights_have_all_kinds():
    start = nearest_orthogonal(torch.from_numpy(np.random.default_rng(2).standard_normal((2, 3, 3))))
    weights = RecurrentWeights(start)
    assert weights.matrices().shape == (len(KINDS), 2, 3, 3)
    with torch.no_grad():
        weights.free += 0.1 * torch.from_numpy(np.random.default_rng(3).standard_normal(weights.free.shape))
    weights.project()
    free, projected, transformed = (matrix.mT @ matrix for matrix in weights.matrices().detach())
    one = torch.eye(3, dtype=torch.float64).expand(2, 3, 3)
    torch.testing.assert_close(projected, one)
    torch.testing.assert_close(transformed, one)
    assert (free - one).abs().max() > 0.01
    assert contractive_systems.STATES == 4


TINY_RUN = ["--units", "1", "--units", "2", "--realisations", "2", "--train", "20", "--test", "5", "--epochs", "5"]
TINY_RUN += ["--steps", "16"]


def test_the_command_prints_tables_and_draws(tmp_path):
    picture = tmp_path / "picture.png"
    result = CliRunner().invoke(
        unitary_learning.main, [*TINY_RUN, "--snr", "15", "--snr", "20", "--plot", str(picture)]
    )
    assert result.exit_code == 0, result.output
    for text in (*KINDS, "poster, URNN", "centred R², 15 dB", "0.9150", "2n"):
        assert text in result.stdout
    assert picture.stat().st_size > 10_000


def test_medians_and_means_stand_beside_the_poster_each_with_its_own_difference():
    r2 = np.array([[0.9, 0.98, 0.98, -1.0], [0.5, 0.9, 0.9, 0.9], [1.0] * 4])  # by hand: one free network has failed
    unused = np.ones(4)
    outcome = unitary_learning.Outcome(
        snr=20, units=4, r2=r2, best=r2 + 0.01, centred=r2, ceiling=unused, centred_ceiling=unused
    )
    console = Console(width=200, record=True)
    unitary_learning.print_differences(console, 20, {4: outcome})
    (row,) = (line for line in console.export_text().splitlines() if "(" in line and "4" in line.split()[1])
    # RNN: median (0.9 + 0.98) / 2 of four, mean of three. URNN: median 0.9, mean 0.8, whose standard error is 0.1.
    of_rnn = ("-0.0370, -0.0237 (-0.9)", "-0.0270, -0.0137 (-0.5)")
    of_urnn = ("-0.0545, -0.1545 (-1.5)", "-0.0445, -0.1445 (-1.4)")
    for text in (*of_rnn, *of_urnn):
        assert text in row


@pytest.mark.parametrize("options", [["--epochs", "6"], ["--steps", "20"], ["--plot", "picture.gif"]])
def test_wrong_options_are_refused(options):
    result = CliRunner().invoke(unitary_learning.main, [*TINY_RUN, *options])
    assert result.exit_code == 2
    assert "error: " in result.stderr
