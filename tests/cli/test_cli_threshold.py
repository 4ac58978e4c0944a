"""``exactnn threshold`` says what the function says."""

import json

import exactnn as xn


def test_the_record_is_what_the_function_gives(invoke):
    result = invoke("threshold", "palindrome", "abba", "a", "--precision", "2:20", "--json")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    found = xn.precision_threshold(xn.compile(xn.load("palindrome")), ["abba", "a"], precisions=range(2, 21))
    assert (record["least"], record["failing"]) == (found.least, list(found.failing))
    assert [word["failing"] for word in record["words"]] == [list(word.failing) for word in found.words]


def test_the_report_names_every_failing_precision(invoke):
    arguments = ("palindrome", "abba", "--precision", "22:33", "--construction", "siegelmann_sontag")
    result = invoke("threshold", *arguments)
    assert result.exit_code == 0
    assert "all from 22 on are right" in result.stdout


def test_bad_input_is_one_line(invoke):
    for arguments in (
        ("--precision", "1:5"), ("--precision", "9:5"), ("--precision", "x"), ("--criterion", "truth"),
        ("--rounding", "sideways"), ("--exponent-bits", "99"),
    ):  # fmt: skip
        result = invoke("threshold", "parity", "01", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("exactnn: error: ")
        assert arguments[1] in result.stderr


def test_formats_by_their_bits(invoke):
    result = invoke("run", "parity", "0110", "--arithmetic", "p3e4", "--json")
    assert json.loads(result.stdout)["arithmetic"] == "p3e4"
    result = invoke("collapse", "parity", "01", "--format", "p7", "--format", "float8_e5m2", "--json")
    assert json.loads(result.stdout)["formats"] == ["p7", "float8_e5m2"]
    for name in ("p1", "p", "p20e", "q20", "p20e99"):
        result = invoke("run", "parity", "0110", "--arithmetic", name)
        assert (result.exit_code, result.stdout) == (2, "")


def test_the_threshold_is_drawn_as_a_map(invoke, tmp_path):
    path = tmp_path / "map.svg"
    result = invoke("threshold", "palindrome", "a^n", "--n", "1:3", "--precision", "2:9", "--plot", str(path))
    assert result.exit_code == 0
    assert "precision (bits of the significand)" in path.read_text()
    assert "palindrome on a^n" in path.read_text()
    result = invoke("threshold", "palindrome", "a", "--plot", "map.gif")
    assert (result.exit_code, result.stdout) == (2, "")


def test_it_says_on_how_many_words_there_was_no_verdict(invoke):
    said = "The exact run reached no verdict within the limit on"
    few = ("threshold", "palindrome", "--precision", "6:8", "--max-steps", "4")
    for more, count in ((("aaaa", ""), "1 word."), (("--lengths", "0:2"), "6 words.")):
        result = invoke(*few, *more)
        assert f"{said} {count}" in result.stdout
        assert result.exit_code == 3
    assert said not in invoke("threshold", "palindrome", "aa", "--precision", "6:8").stdout
