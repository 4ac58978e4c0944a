"""Training to count, and examining what was learned: words and labels, going on after a stop, committed weights."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from gmpy2 import mpq

import exactnn as xn

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch
pytest.importorskip("safetensors")

import counting_study  # noqa: E402
import train_counting  # noqa: E402
from counting_training import LANGUAGES, NEAR, outputs, prefixes, recogniser  # noqa: E402
from train_counting import Settings, Training, best_of_each, train, write  # noqa: E402

TRAINED = BENCHMARKS / "trained"


def is_member(word, alphabet):
    """Return whether a word has as many of each symbol, in order, by its definition."""
    counts = {word.count(symbol) for symbol in alphabet}
    return bool(word) and len(counts) == 1 and list(word) == sorted(word)


@pytest.mark.parametrize("name", list(LANGUAGES))
def test_membership(name):
    language = LANGUAGES[name]
    for length in range(8):
        for word in map("".join, product(language.alphabet, repeat=length)):
            assert (word in language) == is_member(word, language.alphabet)


@pytest.mark.parametrize("name", list(LANGUAGES))
def test_every_prefix_is_labelled(name):
    language = LANGUAGES[name]
    words = [*language.close(1, 4), *language.short()[::37]]
    batch = prefixes(words, language)
    for j, word in enumerate(words):
        for i in range(batch.inputs.shape[0]):
            alive = i < len(word)
            member = alive and is_member(word[: i + 1], language.alphabet)
            assert bool(batch.inside[i, j]) == member
            assert bool(batch.outside[i, j]) == (alive and not member)
            assert not batch.near[i, j] or batch.outside[i, j]
            assert batch.inputs[i, j].tolist() == [float(alive and symbol == word[i]) for symbol in language.alphabet] \
                if alive else not batch.inputs[i, j].any()  # fmt: skip
    kept = {word[: i + 1] for word in language.close(1, 4) for i in range(len(word))}
    assert all(language.word(n) in kept and language.word(n)[:-1] in kept for n in range(1, 5))
    assert language.word(*[4] * (len(language.alphabet) - 1), 4 + NEAR) in kept


TINY = Settings(language="anbn", cell="LSTM", hidden=3, seed=5, steps=12, last_steps=4)


def test_training_goes_on_where_it_stopped(tmp_path, monkeypatch):
    whole = train(TINY, None, lambda stage: None)
    monkeypatch.setattr(train_counting, "EVERY", 5)

    class StopError(Exception):
        pass

    def stop(stage):
        if stage.step == 7:
            raise StopError

    with pytest.raises(StopError):
        train(TINY, tmp_path, stop)
    seen = []
    resumed = train(TINY, tmp_path, lambda stage: seen.append(stage.step))
    assert seen == list(range(6, 17))
    assert (resumed.stage, resumed.margin, resumed.valid) == (whole.stage, whole.margin, whole.valid)
    assert all(np.array_equal(each, resumed.weights[name]) for name, each in whole.weights.items())


def test_written_weights_are_the_network(tmp_path):
    trained = train(TINY, None, lambda stage: None)
    assert best_of_each([trained, trained]) == [trained]
    network = xn.load_safetensors(write(trained, tmp_path))
    training = Training(TINY)
    training.network.load_state_dict({name: torch.from_numpy(each) for name, each in trained.weights.items()})
    word = "aababb"
    expected = outputs(training.network, prefixes([word], LANGUAGES["anbn"]))[:, 0].tolist()
    found = xn.run(network, word, arithmetic=xn.CERTIFIED).outputs
    assert [float(each.midpoint) for each in found] == pytest.approx(expected, abs=1e-5)


def committed():
    return sorted(TRAINED.glob("*.safetensors"))


def test_the_networks_are_there():
    assert {"anbn_lstm", "anbn_gru"} <= {path.stem for path in committed()}
    assert all(path.stat().st_size < 20_000 for path in committed())


@pytest.mark.parametrize("path", committed(), ids=lambda path: path.stem)
def test_committed_networks_are_right_at_first_and_as_torch_says(path):
    from safetensors.torch import load_file

    language = LANGUAGES[path.stem.partition("_")[0]]
    network = xn.load_safetensors(path)
    tensors = load_file(path)
    model = recogniser(network.name.partition(" ")[0], tensors["readout.weight"].shape[1], len(language.alphabet), 0)
    model.load_state_dict(tensors)
    for n in (1, 2, 5, 9):
        counts = [n] * len(language.alphabet)
        for last in (n - 1, n, n + 1):
            word = language.word(*counts[:-1], last)
            run = xn.run(network, word, arithmetic=xn.CERTIFIED)
            assert run.verdict is (xn.Verdict.ACCEPT if last == n else xn.Verdict.REJECT)
            with torch.no_grad():
                expected = outputs(model.double(), prefixes_in_double(word, language))[-1, 0].item()
            assert float(run.outputs[-1].midpoint) == pytest.approx(expected, abs=1e-9)


def prefixes_in_double(word, language):
    from dataclasses import replace

    batch = prefixes([word], language)
    return replace(batch, inputs=batch.inputs.double())


def test_verdicts_of_blocks_are_those_of_runs():
    network = xn.load_safetensors(TRAINED / "anbn_gru.safetensors")
    for arithmetic in (xn.FLOAT32, xn.FLOAT8_E5M2):
        found = list(counting_study.verdicts_of(network, arithmetic, 2, 3))
        for n, each in zip((2, 3), found, strict=True):
            expected = [
                xn.run(network, "a" * n + "b" * m, arithmetic=arithmetic).verdict is xn.Verdict.ACCEPT
                for m in range(n + counting_study.MORE + 1)
            ]
            assert each == {str(n): expected}


def test_bits_are_added_until_all_is_decided(monkeypatch):
    network = xn.load_safetensors(TRAINED / "anbn_lstm.safetensors")
    monkeypatch.setattr(counting_study, "BITS", (4, 12, 60))
    found = list(counting_study.certified(network, 6))
    assert found[-1][1] > 4
    rounded = list(counting_study.verdicts_of(network, xn.FLOAT64, 1, 6))
    assert [each for each, _ in found] == rounded


def test_what_is_wrong():
    assert counting_study.wrong_at({"2": [False, False, True, False]}) == []
    assert counting_study.wrong_at({"2": [False, True, False]}) == ["2,1", "2,2"]
    assert counting_study.wrong_at({"2,1": [False, True, False], "2,2": [False, False, True]}) == ["2,1,1"]
    assert counting_study.differing_at({"2": [True, None]}, {"2": [True, True]}) == ["2,1"]
    assert counting_study.right_up_to({1: {"1": [False, True]}, 2: {"2": [False, False, False]}}) == 1


def test_the_reset_gate_of_the_published_cell_is_not_used(tmp_path):
    import published_counters

    rng = np.random.default_rng(1)
    size, width = 3, 2

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    shapes = [(3, size), (3,), *[(size, width), (size, size), (size,)] * 3, (size,), (width, 3)]
    given = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    lines = []
    for k, each in enumerate(given):
        kind = "LookupParameter" if k == len(given) - 1 else "Parameter"
        lines.append(f"#{kind}# /_{k} {{{','.join(map(str, each.shape))}}} 9 ZERO_GRAD")
        lines.append(" ".join(f"{value:+.8e}" for value in each.ravel(order="F").tolist()))
    (tmp_path / "anbn_GRU.data").write_text("\n".join(lines))
    network, vectors = published_counters.published(tmp_path, LANGUAGES["anbn"], "GRU")
    weight, bias, wz, vz, bz, _, _, _, wn, vn, bn, h, table = (each.astype(float) for each in given)
    state = np.clip(h, -1, 1)
    word = [0, 1, 1, 0]
    expected = []
    for symbol in word:
        x = table[:, symbol]
        z = sigmoid(bz + wz @ x + vz @ state)
        state = z * state + (1 - z) * np.tanh(bn + wn @ x + vn @ state)
        expected.append(weight @ state + bias)
    found = xn.run(network, [vectors[symbol] for symbol in word], arithmetic=xn.FLOAT64).outputs
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-9)


def test_probable_symbols():
    from published_counters import probable

    from exactnn.arithmetic import Enclosure

    outputs_ = [0.0, 4.0, -1.0]
    odds = np.exp(outputs_) / np.exp(outputs_).sum()
    assert [probable(outputs_, j) for j in range(3)] == [bool(p > 0.01) for p in odds]
    wide = [Enclosure(low=-10, high=10), Enclosure(low=0, high=0)]
    assert probable(wide, 0) is None
    assert probable([mpq(100), mpq(0)], 1) is False
    assert probable([float("nan"), 0.0], 1) is False
