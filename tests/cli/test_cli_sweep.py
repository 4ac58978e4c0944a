"""``exactnn threshold --lengths``."""

import json

import pytest

from tests.campaigns.pieces import forge


def test_a_sweep_as_json_and_as_a_table(invoke, tmp_path):
    file, picture = tmp_path / "sweep.db", tmp_path / "map.svg"
    arguments = ["threshold", "palindrome", "--lengths", "0:4", "--precision", "2:14", "--store", str(file)]
    done = invoke(*arguments, "--json", "--plot", str(picture))
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    assert record["complete"]
    assert [entry["words"] for entry in record["lengths"]] == [1, 2, 4, 8, 16]
    assert [entry["steps"] for entry in record["lengths"]] == [3, 7, 12, 18, 25]
    for entry in record["lengths"][2:]:
        wrong = [p for p, count in zip(record["precisions"], entry["wrong"], strict=True) if count]
        assert wrong == list(range(2, 3 * entry["length"] + 2))
    assert "svg" in picture.read_text()[:300]
    again = invoke(*arguments, "--jobs", "2")
    assert again.exit_code == 0
    assert "all 16" in again.stdout
    assert "2-13" in again.stdout


@pytest.mark.slow
def test_a_store_is_shown_exported_and_mended(invoke, tmp_path):
    store = str(tmp_path / "sweep.db")
    invoke("threshold", "palindrome", "--lengths", "0:3", "--precision", "2:4", "--store", store)
    done = invoke("campaign", "status", store)
    assert done.exit_code == 0
    assert [word for word in done.stdout.split() if word in ("sweep", "12", "0")] == ["sweep", "12", "0"]
    forge(store, "UPDATE units SET error='it hurt', line=NULL WHERE identity LIKE '%\"length\":2,%'")
    told = invoke("campaign", "status", store).stdout
    assert "it hurt" in told
    assert "3 units failed: 'exactnn campaign retry" in told
    record = json.loads(invoke("campaign", "status", store, "--json").stdout)
    assert (record["kinds"][0]["done"], len(record["failures"])) == (9, 3)
    assert "3 units will be tried again" in invoke("campaign", "retry", store).stdout
    invoke("threshold", "palindrome", "--lengths", "0:3", "--precision", "2:4", "--store", store, "--jobs", "2")
    files = {ending: tmp_path / f"units{ending}" for ending in (".csv", ".json", ".parquet")}
    for path in files.values():
        assert "12 units written" in invoke("campaign", "export", store, str(path)).stdout
        assert invoke("campaign", "export", store, str(path)).exit_code == 2
    rows = json.loads(files[".json"].read_text())
    polars = pytest.importorskip("polars")
    assert polars.read_parquet(files[".parquet"]).to_dicts() == rows
    assert [row["wrong"] for row in rows if row["length"] == 3] == [8, 8, 8]
    assert len(files[".csv"].read_text().splitlines()) == 13
    other = str(tmp_path / "other.db")
    invoke("threshold", "palindrome", "--lengths", "0:3", "--precision", "2:4", "--store", other)
    invoke("campaign", "export", other, str(tmp_path / "other.parquet"))
    assert (tmp_path / "other.parquet").read_bytes() == files[".parquet"].read_bytes()


@pytest.mark.parametrize("name", ["status", "retry"])
def test_a_store_that_is_not_there(invoke, name, tmp_path):
    done = invoke("campaign", name, str(tmp_path / "missing"))
    assert done.exit_code == 2
    assert "there is no such file" in done.stderr
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lengths", "0:2", "abba"], "goes with no words"),
        (["--lengths", "0:2", "--criterion", "value"], "no other --criterion"),
        (["--lengths", "2:0"], "is empty"),
        (["--lengths", "x"], "write first:last"),
        (["--lengths", "0:2", "--words", "0"], "words=0: give a whole number of at least 1"),
        (["--store", "sweep.db"], "go with --lengths"),
        (["--jobs", "2"], "go with --lengths"),
        (["--lengths", "0:2", "--store", "no/such/folder"], "No such file"),
        (["--lengths", "0:2", "--scheduler", "localhost"], "'localhost' is no address of a scheduler"),
        (["--lengths", "0:2", "--file", "old.sweep"], "give --store FILE; 'exactnn campaign import OLD FILE M'"),
        (["--keep", "folder"], "go with --lengths"),
        (["--lengths", "0:2", "--jobs", "0"], "0 is not in the range"),
        (["--lengths", "0:2", "--jobs", "2", "--scheduler", "tcp://x:1"], "give one of them"),
    ],
)
def test_wrong_options(invoke, arguments, message):
    done = invoke("threshold", "palindrome", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_warning_beyond_the_safe_length(invoke):
    done = invoke("run", "palindrome", "abba", "--arithmetic", "float16", "--safe-length", "3", "--max-steps", "50")
    assert "warning: a word of 4 symbols in float16" in done.stderr


def test_a_row_for_every_word(invoke, tmp_path):
    polars = pytest.importorskip("polars")
    arguments = ("--lengths", "2:3", "--precision", "5:6", "--keep", str(tmp_path / "words"))
    assert invoke("threshold", "palindrome", *arguments).exit_code == 0
    assert len(polars.read_parquet(tmp_path / "words" / "*.parquet")) == 2 * (4 + 8)


def test_units_that_failed_are_told_with_what_to_do(invoke, tmp_path, monkeypatch):
    def fail(self, unit):
        raise MemoryError

    store = str(tmp_path / "sweep.db")
    monkeypatch.setattr("exactnn.precision.judge.Judge.truths", fail)
    done = invoke("threshold", "palindrome", "--lengths", "1:2", "--precision", "5:6", "--store", store)
    assert done.exit_code == 3
    assert f"'exactnn campaign retry {store}' has them tried again" in " ".join(done.stdout.split())
