"""``exactnn check``: words as arguments, patterns and files; models; files of results."""

import json

import numpy as np
import pytest

import exactnn as xn

WEIGHTS = {"weight_ih_l0": [[2.0, 1.0], [0.5, 0.25]], "weight_hh_l0": [[0.5, 0.1], [0.3, 0.7]]}


@pytest.fixture
def model(tmp_path):
    pytest.importorskip("safetensors")
    from safetensors.numpy import save_file

    path = tmp_path / "model.safetensors"
    save_file({name: np.array(rows, dtype=np.float32) for name, rows in WEIGHTS.items()}, path)
    return path


def test_a_model_and_a_file_of_vectors(invoke, model, tmp_path):
    words = np.array([[[1, 0.5], [0, 1]], [[0.25, 0], [1, 1]]], dtype=np.float32)
    np.save(tmp_path / "words.npy", words)
    (tmp_path / "words.txt").write_text("1,1/2 0,1\n0.25,0 1,1\n")
    expected = xn.check_format(xn.load_safetensors(model), words.tolist(), ["float16", "bfloat16"])
    for file in ("words.npy", "words.txt"):
        done = invoke("check", str(model), str(tmp_path / file), "--formats", "float16,bf16", "--json")
        assert done.exit_code == 0, done.stderr
        record = json.loads(done.stdout)
        assert record["formats"] == list(expected)
        assert (record["words"], record["decision"], record["margin"]["value"]) == (2, "argmax", expected.margin.value)
    one = invoke("check", str(model), "1,1/2 0,1", "--json", "--decision", "argmax")
    assert json.loads(one.stdout)["words"] == 1


def test_patterns_and_files_of_results(invoke, tmp_path):
    arguments = ("check", "palindrome", "a^n b^n", "--n", "1:6", "--format", "float16", "--arithmetic", "p20e8")
    done = invoke(*arguments, "-o", str(tmp_path / "t.json"), "-o", str(tmp_path / "t.csv"), "--jobs", "2")
    assert done.exit_code == 0
    assert "differs on 5 of 6 words" in done.stdout
    rows = json.loads((tmp_path / "t.json").read_text())
    assert [row["format"] for row in rows] == ["float16", "p20e8"]
    assert (tmp_path / "t.csv").read_text().startswith('"format","words"')
    stored = (*arguments, "--store", str(tmp_path / "s"), "--json")
    assert invoke(*stored).stdout == invoke(*stored).stdout


def test_runs_without_an_end_have_exit_code_3(invoke):
    done = invoke("check", "palindrome", "abba", "--max-steps", "7")
    assert done.exit_code == 3
    assert "step limit" in done.stdout
    assert "nothing is decided on 1 word; 1 word came to no end" in done.stdout
    assert "safe" not in done.stdout


def strictly(text):
    """Return JSON data; what Python reads beyond JSON is refused."""
    return json.loads(text, parse_constant=pytest.fail)


def test_infinite_errors_are_text_in_json(invoke, tmp_path):
    done = invoke("check", "anbn", "aabb", "--formats", "p5e2", "--json", "-o", str(tmp_path / "t.json"))
    assert done.exit_code == 0
    (row,) = strictly(done.stdout)["formats"]
    assert [row[f"largest_{measure}"] for measure in ("absolute", "relative", "ulps")] == ["inf"] * 3
    assert strictly((tmp_path / "t.json").read_text()) == [row]


def test_hints_name_what_was_meant(invoke, tmp_path):
    assert "the format 'flaot16' is unknown: did you mean 'float16'" in invoke(
        "check", "anbn", "ab", "--formats", "flaot16"
    ).stderr  # fmt: skip
    assert "give an ONNX model; 'exactnn import' has options" in invoke("check", "no.onnx", "ab").stderr
    assert "did you mean 'exactnn run bb2'" in invoke("busybeaver").stderr
    assert invoke("run", "anbn", "ab", "--formats", "float16").exit_code == 0
    assert "these are several, and one is meant" in invoke("run", "anbn", "ab", "--formats", "float16,bf16").stderr
    pytest.importorskip("onnx")
    xn.to_onnx(xn.compile("parity").network, tmp_path / "parity.onnx")
    assert "exactnn.save_network, as .json" in invoke("check", str(tmp_path / "parity.onnx"), "01").stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no words"),
        (b"\xff\xfe", "cannot be read"),
        (b"abxa\n", "'x'"),
    ],
)
def test_bad_files_of_words(invoke, tmp_path, content, message):
    (tmp_path / "w.txt").write_bytes(content)
    done = invoke("check", "palindrome", str(tmp_path / "w.txt"))
    assert (done.exit_code, message in done.stderr) == (2, True)


def test_arrays_are_data(invoke, model, tmp_path):
    path = tmp_path / "w.npy"
    np.save(path, np.array([[{"a": 1}]], dtype=object), allow_pickle=True)
    assert "cannot be read" in invoke("check", str(model), str(path)).stderr
    for wrong in (np.zeros((2, 3)), np.zeros((0, 4, 2)), np.zeros((1, 1, 1, 2)), np.array([["a", "b"]])):
        np.save(path, wrong)
        done = invoke("check", str(model), str(path))
        assert done.exit_code == 2
        assert "words by steps by 2 numbers" in done.stderr
    np.save(path, np.array([[np.nan, 1.0]]))
    assert invoke("check", str(model), str(path)).exit_code == 2
    path.write_bytes(b"\x93NUMPY")
    assert "cannot be read" in invoke("check", str(model), str(path)).stderr
    np.save(path, np.zeros((2, 2)))
    assert "reads symbols" in invoke("check", "parity", str(path)).stderr


def test_orders_of_evaluation(invoke, tmp_path):
    fades = xn.DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="pm")
    xn.save_network(fades, tmp_path / "fades.json")
    arguments = ("check", str(tmp_path / "fades.json"), "pp", "mmmpppm", "--formats", "bfloat16,float16")
    done = invoke(*arguments, "--training-order", "kogge-stone", "--json")
    assert done.exit_code == 0, done.stderr
    report = xn.check_format(fades, ["pp", "mmmpppm"], ["bfloat16", "float16"], training_order="kogge-stone")
    assert json.loads(done.stdout)["formats"] == list(report)
    row, _ = report
    assert {key: row[key] for key in row if "parted" in key or "decided" in key or "order" in key} == {
        "training_order": "KOGGE_STONE", "inference_order": "STEP",
        "parted_words": 1, "first_parted_word": 1, "first_parted_step": 7, "parted_neuron": "h[0]",
        "parted_training": 0.00390625, "parted_inference": 0.0,
        "decided_words": 1, "first_decided_word": 1, "first_decided_step": 7,
        "decided_training": "accepted", "decided_inference": "rejected",
    }  # fmt: skip
    shown = " ".join(invoke(*arguments, "--training-order", "kogge-stone").stdout.split())
    assert "in the order STEP, beside KOGGE_STONE" in shown
    assert invoke(*arguments, "--inference-order", "upwards").exit_code == 2
    assert invoke("check", "parity", "01", "--inference-order", "blelloch").exit_code == 2


def test_a_wrong_word_is_told_with_its_line_and_arrays_of_several_are_refused(invoke, tmp_path):
    (tmp_path / "w.txt").write_text("ab\nabc\n")
    done = invoke("check", "palindrome", str(tmp_path / "w.txt"))
    assert (done.exit_code, "w.txt', line 2: symbol 'c' at position 2" in done.stderr) == (2, True)
    np.savez(tmp_path / "w.npz", np.zeros((1, 2)))
    done = invoke("check", "palindrome", str(tmp_path / "w.npz"))
    assert (done.exit_code, "w.npz' cannot be read: it has several arrays" in done.stderr) == (2, True)
