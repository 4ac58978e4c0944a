import json
import signal
import sys
from pathlib import Path

import pytest

import exactnn as xn
from exactnn.networks.network_file import network_to_json
from exactnn.work import Work

sys.path.append(str(Path(__file__).parents[1] / "certificates"))
from shuttle import certificate, shuttle, steps_of


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "shuttle.json"
    xn.save_certificate(certificate(12), path)
    return path


def test_a_true_certificate(invoke, path):
    record = json.loads(invoke("verify", str(path), "--json").stdout)
    assert (record["verified"], record["eos_steps"], record["outcome"]) == (True, steps_of(12), "halted")
    assert (record["steps"], record["network"], record["word"]) == (steps_of(12) + 12, "shuttle", ["a"] * 12)
    text = invoke("verify", str(path))
    assert text.exit_code == 0
    assert "T = 91 of them on EOS" in text.stdout
    assert text.stderr == ""


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_wrong_certificate_is_one_line_and_code_2(invoke, path, options):
    data = certificate(12)
    data["end"]["eos_steps"] = steps_of(12) + 1
    xn.save_certificate(data, path)
    result = invoke("verify", str(path), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "exactnn: error: the verdict comes after 91 EOS steps, not 92\n"


def test_no_certificate(invoke, path, program):
    path.write_text("{}")
    for done in (invoke("verify", str(path)), program("verify", str(path))):
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert "shuttle.json" in done.stderr
        assert "this is no certificate" in done.stderr
    assert invoke("verify", str(path.with_name("missing.json"))).exit_code == 2


def test_a_budget(invoke, path):
    work = json.loads(invoke("verify", str(path), "--json").stdout)["work"]
    assert f"{work:,} units of work" in invoke("verify", str(path), "--budget", str(work)).stdout
    for budget in (str(work - 1), "10^2"):
        result = invoke("verify", str(path), "--budget", budget)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert "--budget" in result.stderr
    assert invoke("verify", str(path), "--budget", "none").exit_code == 0


def test_ctrl_c_is_one_line(invoke, path, monkeypatch):
    """In the middle of a check, as a signal."""
    take, calls = Work.take, []

    def interrupting(work, units):
        calls.append(units)
        if len(calls) == 50:
            signal.raise_signal(signal.SIGINT)
        take(work, units)

    monkeypatch.setattr(Work, "take", interrupting)
    result = invoke("verify", str(path), "--budget", "none")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "exactnn: interrupted before there was a result\n"


@pytest.fixture
def halting(tmp_path):
    """A certificate of the champion of two states, which says that it is one of five states."""
    run = xn.run(xn.compile(xn.load("bb2")), certify=True)
    data = run.certificate | {"network": run.certificate["network"] | {"name": "siegelmann_sontag(bb5)"}}
    xn.save_certificate(data, tmp_path / "bb2.json")
    return tmp_path / "bb2.json"


def test_the_name_in_a_file_proves_nothing(invoke, halting):
    text = " ".join(invoke("verify", str(halting)).stdout.split())
    assert "siegelmann_sontag(bb5); the name is what the file says: nothing is proven about it" in text
    record = json.loads(invoke("verify", str(halting), "--json").stdout)
    assert (record["network"], record["machine_proven"]) == ("siegelmann_sontag(bb5)", False)
    assert "nothing is proven" in record["network_note"]
    assert record["machine"] is record["construction"] is None


@pytest.mark.parametrize("machine", ["bb2", "1RB1LB_1LA1RZ"])
def test_whose_network_it_is(invoke, halting, machine):
    record = json.loads(invoke("verify", str(halting), "--machine", machine, "--word", "", "--json").stdout)
    assert (record["machine"], record["construction"], record["machine_proven"]) == (machine, "siegelmann_sontag", True)
    assert record["network"] == f"siegelmann_sontag({machine})"
    assert record["network_note"] == ""
    text = " ".join(invoke("verify", str(halting), "--machine", machine).stdout.split())
    assert f"the network is that of {machine} by siegelmann_sontag" in text
    assert "bb5" not in text


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--machine", "bb5"), "another network than 'siegelmann_sontag(bb5)': the number of neurons is"),
        (("--machine", "bb2", "--construction", "carmantini"), "another network than 'carmantini(bb2)': "),
        (("--machine", "parity"), "the alphabet is"),
        (("--machine", "no such machine"), "no such machine"),
        (("--machine", "bb2", "--word", "a"), "a"),
        (("--construction", "siegelmann_sontag"), "give --machine M too"),
    ],
)
@pytest.mark.parametrize("json_option", [(), ("--json",)])
def test_it_is_another_machine_or_word(invoke, halting, options, part, json_option):
    result = invoke("verify", str(halting), *options, *json_option)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert part in result.stderr


def test_another_word(invoke, path):
    assert invoke("verify", str(path), "--word", "a" * 12).exit_code == 0
    result = invoke("verify", str(path), "--word", "a" * 11)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "this is a certificate of the word" in result.stderr


def test_of_a_network_in_a_file(invoke, path, tmp_path):
    network = shuttle()
    xn.save_network(network, tmp_path / "net.json")
    text = " ".join(invoke("verify", str(path), "--machine", str(tmp_path / "net.json")).stdout.split())
    assert "the network is shuttle itself, from its file" in text
    changed = network_to_json(network)
    changed["layers"][2][1]["linear"][2][1] = "0x1/0x4"
    (tmp_path / "net.json").write_text(json.dumps(changed))
    result = invoke("verify", str(path), "--machine", str(tmp_path / "net.json"))
    assert result.exit_code == 2
    assert result.stderr.endswith("the weight of register 0 in unit 1 of layer 2 is 1/2, not 1/4\n")
