"""Networks of packages: their lowering against numpy and torch with random weights, and what counts as decided."""

import sys
from pathlib import Path

import numpy as np
import pytest
from gmpy2 import mpq
from rich.progress import Progress

import exactnn as xn
from exactnn.arithmetic import Enclosure, Interval

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import real_networks
from real_networks import LETTERS, Listener, Speller, Store, above_zero, changes, decided, likeliest
from speech_like_sound import CHUNK, CONTEXT, features, speech_like


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def spelling_arrays(size=5, width=4, phonemes=7):
    rng = np.random.default_rng(3)
    shapes = {"fc_w": (phonemes, size), "fc_b": (phonemes,)}
    for part, symbols in (("enc", len(LETTERS)), ("dec", phonemes)):
        shapes |= {f"{part}_emb": (symbols, width), f"{part}_w_ih": (3 * size, width), f"{part}_w_hh": (3 * size, size)}
        shapes |= {f"{part}_b_ih": (3 * size,), f"{part}_b_hh": (3 * size,)}
    return {name: (2 * rng.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}


def spelt_by_numpy(word, arrays):
    """Return phonemes as the package computes them, in float64."""

    def step(part, x, h):
        one = arrays[f"{part}_w_ih"].astype(float) @ x + arrays[f"{part}_b_ih"]
        two = arrays[f"{part}_w_hh"].astype(float) @ h + arrays[f"{part}_b_hh"]
        n = len(h)
        r, z = sigmoid(one[:n] + two[:n]), sigmoid(one[n : 2 * n] + two[n : 2 * n])
        return (1 - z) * np.tanh(one[2 * n :] + r * two[2 * n :]) + z * h

    h = np.zeros(arrays["enc_w_hh"].shape[1])
    for letter in (*word, "</s>"):
        h = step("enc", arrays["enc_emb"][LETTERS.index(letter)].astype(float), h)
    said, last = [], real_networks.BEGIN
    for _ in range(real_networks.MOST_PHONEMES):
        h = step("dec", arrays["dec_emb"][last].astype(float), h)
        last = int(np.argmax(arrays["fc_w"].astype(float) @ h + arrays["fc_b"]))
        if last == real_networks.END:
            break
        said.append(last)
    return said


def test_words_are_spelt_as_the_package_spells_them():
    arrays = spelling_arrays()
    networks = real_networks.speller_networks(arrays)
    for word in ("so", "record", "a"):
        expected = spelt_by_numpy(word, arrays)
        assert Speller(networks, arrays, Interval(bits=200)).says(word) == expected
        assert Speller(networks, arrays, xn.FLOAT64).says(word) == expected
    assert Speller(networks, arrays, Interval(bits=2)).says("record") is None


@pytest.mark.needs_torch
def test_the_listener_is_an_lstm_with_a_relu():
    import torch

    torch.manual_seed(0)
    cell, last = torch.nn.LSTMCell(3, 4), torch.nn.Conv1d(4, 1, 1)
    arrays = {f"lstm_cell.{name}": each.detach().numpy() for name, each in cell.named_parameters()}
    arrays |= {f"final_conv.{name}": each.detach().numpy() for name, each in last.named_parameters()}
    network = real_networks.listener_network(arrays)
    inputs = np.random.default_rng(0).standard_normal((9, 3)).astype(np.float32)
    state, expected = None, []
    with torch.no_grad():
        cell, last = cell.double(), last.double()
        for x in torch.from_numpy(inputs).double():
            state = cell(x[None], state)
            expected.append(last(state[0].relu()[:, :, None]).item())
    exact = real_networks.exact_inputs(inputs)
    found = xn.run(network, exact, arithmetic=Interval(bits=120)).outputs
    assert [float(each.midpoint) for each in found] == pytest.approx(expected, abs=1e-9)
    assert Listener(network, xn.FLOAT64).hears(exact) == [y > 0 for y in expected]


@pytest.mark.needs_torch
def test_features_are_those_of_torch():
    import torch

    functional = torch.nn.functional
    rng = np.random.default_rng(2)
    shapes = {"stft_conv.weight": (258, 1, 256)}
    for number, (inward, outward) in enumerate([(129, 128), (128, 64), (64, 64), (64, 128)], 1):
        shapes |= {f"conv{number}.weight": (outward, inward, 3), f"conv{number}.bias": (outward,)}
    arrays = {name: (0.1 * rng.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}
    samples = speech_like(0.2, 0)
    weights = {name: torch.from_numpy(each).double() for name, each in arrays.items()}
    heard = np.concatenate([np.zeros(CONTEXT), samples])
    found = list(features(samples, arrays))
    assert len(found) == len(samples) // CHUNK
    for k, each in enumerate(found):
        x = torch.from_numpy(heard[k * CHUNK : (k + 1) * CHUNK + CONTEXT])[None, None]
        x = functional.conv1d(functional.pad(x, (0, 64), mode="reflect"), weights["stft_conv.weight"], stride=128)
        x = (x[:, :129] ** 2 + x[:, 129:] ** 2).sqrt()
        for number, stride in ((1, 1), (2, 2), (3, 2), (4, 1)):
            w, b = weights[f"conv{number}.weight"], weights[f"conv{number}.bias"]
            x = functional.relu(functional.conv1d(x, w, b, stride=stride, padding=1))
        assert x.shape[2] == 1
        assert each == pytest.approx(x[0, :, 0].numpy(), rel=1e-5, abs=1e-6)


def test_the_same_seed_gives_the_same_sound():
    one, again, other = speech_like(0.5, 1), speech_like(0.5, 1), speech_like(0.5, 2)
    assert len(one) == 8000
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert 0.05 < np.abs(one).max() < 1


def test_what_is_decided():
    def between(low, high):
        return Enclosure(low=low, high=high)

    assert likeliest((0.5, 2.0, 2.0)) == 1
    assert likeliest((between(0, 1), between(2, 3), between(-5, 1))) == 1
    assert likeliest((between(0, 2), between(2, 3))) is None
    assert [above_zero(x) for x in (0.0, 0.1, between(1, 2), between(0, 0), between(-1, 1))] == [
        False, True, True, False, None,
    ]  # fmt: skip
    assert changes([1, 2, 3], [1, 2, 3]) == 0
    assert changes([1, 2, 3], [1, 5]) == 2


def test_bits_are_added_and_answers_kept(tmp_path):
    asked = []

    def ask(arithmetic, item):
        asked.append((str(arithmetic), item))
        if isinstance(arithmetic, Interval):
            return [1] if arithmetic.bits >= 100 else None
        return [2]

    with Progress(disable=True) as progress:
        decided(Store(tmp_path, "x"), ["one", "two"], [xn.FLOAT32], ask, progress)
        assert asked[:2] == [("interval53", "one"), ("interval106", "one")]
        assert asked[4:] == [("float32", "one"), ("float32", "two")]
        asked.clear()
        store = Store(tmp_path, "x")
        decided(store, ["one", "two"], [xn.FLOAT32], ask, progress)
    assert asked == []
    assert store.found == {
        "true": {"one": [1], "two": [1]}, "bits": {"one": 106, "two": 106}, "float32": {"one": [2], "two": [2]},
    }  # fmt: skip


def test_inputs_are_taken_exactly():
    assert real_networks.exact_inputs(np.array([[0.1]], dtype=np.float32)) == [(mpq(13421773, 134217728),)]
