"""The experiment with permuted images: parts, networks, early termination, and going on after a stop."""

import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch

import permuted_digits  # noqa: E402
from permuted_digits import MODELS, Classifiers, Outcome, Settings, chosen, ended, images_of, parts_of  # noqa: E402
from recurrent_training import KINDS  # noqa: E402

TINY = Settings(images="digits", units=3, patience=2)


def tiny_images():
    """Return images of four pixels, of which the first one tells the digit."""
    rng = np.random.default_rng(0)
    digits = rng.integers(0, 10, 200)
    pixels = rng.random((200, 4))
    pixels[:, 0] = digits / 10
    return pixels.astype(np.float32), digits


def tiny_parts(seed=0):
    return parts_of(*tiny_images(), seed)


def rows(part):
    return {tuple(image) for image in part[0].numpy().tolist()}


def test_parts_share_no_image_and_all_seeds_have_the_same_test_images():
    one, other = tiny_parts(0), tiny_parts(1)
    for parts in (one, other):
        sets = [rows(part) for part in (parts.train, parts.validate, parts.test)]
        assert [len(each) for each in sets] == [120, 40, 40]
        assert len(set.union(*sets)) == 200
    assert rows(one.test) == rows(other.test)
    assert rows(one.validate) != rows(other.validate)
    _, digits = tiny_images()
    (place,) = {int(i) for image, digit in zip(*one.train, strict=True) for i in range(4) if image[i] == digit / 10}
    assert np.allclose(one.test[0][:, place], digits[:40] / 10)
    assert place == np.random.RandomState(permuted_digits.PERMUTATION).permutation(4).tolist().index(0)


def test_the_digits_of_scikit_learn_are_there():
    pytest.importorskip("sklearn")
    pixels, digits = images_of("digits")
    assert pixels.shape == (1797, 64)
    assert (pixels.min(), pixels.max()) == (0, 1)
    assert sorted(set(digits.tolist())) == list(range(10))


def test_losses_are_those_of_an_rnn_of_torch():
    networks = Classifiers(5, 0, 0.01)
    images, digits = tiny_parts().train
    losses, right = networks.losses(images, digits)
    matrices = networks.recurrent.matrices()[:, 0]
    inward, bias, outward, last = networks.others
    for kind in range(len(KINDS)):
        rnn = torch.nn.RNN(1, 5, nonlinearity="relu", batch_first=True)
        with torch.no_grad():
            rnn.weight_hh_l0.copy_(matrices[kind])
            rnn.weight_ih_l0.copy_(inward[kind].mT)
            rnn.bias_ih_l0.copy_(bias[kind, 0])
            rnn.bias_hh_l0.zero_()
            scores = rnn(images[:, :, None])[1][0] @ outward[kind] + last[kind]
        torch.testing.assert_close(losses[kind], torch.nn.functional.cross_entropy(scores, digits))
        assert right[kind].item() == pytest.approx((scores.argmax(1) == digits).float().mean().item())
    assert MODELS[len(KINDS) :] == ("LSTM",)
    inward, recurrent, bias, none = (each.detach().numpy() for each in networks.lstm.parameters())
    h, c = np.zeros((2, len(digits), 5))
    for x in images.numpy().T:
        gates = x[:, None] * inward[:, 0] + h @ recurrent.T + bias
        i, f, g, o = np.split(gates, 4, axis=1)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
    scores = networks.last(torch.from_numpy(h.astype(np.float32)))
    torch.testing.assert_close(losses[-1], torch.nn.functional.cross_entropy(scores, digits))
    assert not none.any()
    pieces = networks.reached(images, digits)
    assert pieces[0] == pytest.approx(losses.detach().numpy(), rel=1e-6)
    assert pieces[1] == pytest.approx(right.numpy())


def test_two_kinds_stay_orthogonal():
    networks, parts = Classifiers(4, 0, 0.01), tiny_parts()
    networks.epoch(*parts.train, np.arange(120))
    free, *orthogonal = networks.recurrent.matrices()[:, 0].detach()
    assert networks.lstm.bias_ih_l0.detach().abs().max() > 0
    assert networks.lstm.bias_hh_l0.abs().max() == 0
    assert (free.mT @ free - torch.eye(4)).abs().max() > 1e-3
    for matrix in orthogonal:
        torch.testing.assert_close(matrix.mT @ matrix, torch.eye(4), atol=1e-5, rtol=0)


def test_a_kind_that_has_ended_keeps_what_it_reached():
    progress = {"epoch": np.array(9), "best_epoch": np.array([6, 7, 8, 9])}
    assert ended(progress, 2).tolist() == [True, True, False, False]
    outcome = permuted_digits.train(0, 0.3, 60, TINY, tiny_parts, None, lambda n: None)  # a rate that is too high
    longer = permuted_digits.train(0, 0.3, 90, TINY, tiny_parts, None, lambda n: None)
    assert outcome.best_epoch.max() < 60 - TINY.patience
    np.testing.assert_array_equal(outcome.test, longer.test)
    np.testing.assert_array_equal(outcome.best_epoch, longer.best_epoch)


def test_what_a_kind_would_reach_after_its_end_is_not_looked_at(monkeypatch):
    """The first kind is without a lower loss for two epochs, and would have one then; the others go on."""
    losses = [[3, 5, 4, 1, 1, 1, 1], [3, 4, 2, 3, 1, 4, 4], [6, 5, 4, 3, 2, 1, 1], [1, 2, 3, 3, 3, 3, 3]]
    epochs = iter(np.array(losses, float).T)

    def reached(self, images, digits):
        if len(digits) == 40 and rows((images, digits)) == rows(tiny_parts().test):
            return np.zeros(4), np.ones(4)
        loss = next(epochs)
        return loss, 1 / loss

    monkeypatch.setattr(Classifiers, "reached", reached)
    monkeypatch.setattr(Classifiers, "epoch", lambda self, *part: None)
    outcome = permuted_digits.train(0, 0.01, 6, TINY, tiny_parts, None, lambda n: None)
    assert outcome.best_epoch.tolist() == [1, 5, 6, 1]
    assert outcome.validation == pytest.approx([1 / 3, 1, 1, 1])
    assert outcome.test.tolist() == [1, 1, 1, 1]


class StopError(Exception):
    pass


def test_going_on_gives_the_numbers_of_a_run_in_one_go(tmp_path):
    settings = Settings(images="digits", units=3, patience=50)

    def train(store, advance=lambda n: None):
        return permuted_digits.train(1, 0.01, 6, settings, lambda: tiny_parts(1), store, advance)

    def stopping(epochs):
        done.append(epochs)
        if sum(done) == 3:
            raise StopError

    done, whole = [], train(None)
    with pytest.raises(StopError):
        train(tmp_path, stopping)
    for outcome in (train(tmp_path), train(tmp_path)):
        for name in ("validation", "test", "best_epoch"):
            np.testing.assert_array_equal(getattr(outcome, name), getattr(whole, name))


def test_the_rate_is_chosen_by_validating_images():
    def outcome(rate, seed, validation, test):
        arrays = {"validation": np.array(validation), "test": np.array(test), "best_epoch": np.zeros(3)}
        return Outcome(rate=rate, seed=seed, **arrays)

    outcomes = [
        outcome(0.1, 0, [0.5, 0.9, 0.5], [0.9, 0.1, 0.9]),
        outcome(0.1, 1, [0.5, 0.2, 0.5], [0.9, 0.1, 0.9]),
        outcome(0.2, 0, [0.6, 0.7, 0.4], [0.1, 0.9, 0.1]),
        outcome(0.2, 1, [0.6, 0.7, 0.4], [0.1, 0.9, 0.1]),
    ]
    assert [chosen(outcomes, kind)[0].rate for kind in range(3)] == [0.2, 0.2, 0.1]


def test_the_command_prints_a_table_and_draws(tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.png"
    options = ["--units", "2", "--seeds", "1", "--epochs", "1", "--plot", str(picture)]
    result = CliRunner().invoke(permuted_digits.main, options)
    assert result.exit_code == 0, result.output
    for text in (*MODELS, "(chosen)", "1797 images of 64 pixels"):
        assert text in result.stdout
    assert picture.stat().st_size > 5_000
