"""A certificate that was tampered with is rejected, wherever it was."""

import copy
import json

import pytest
from recognisers import random_recogniser, seeded

from exactnn import compile, load
from exactnn.arithmetic import FLOAT8_E5M2, FLOAT16
from exactnn.certificates import load_certificate, save_certificate
from exactnn.equivalence import check_extraction, extract_state_machine
from exactnn.errors import CertificateError


def certificate_of(name, format):
    return extract_state_machine(compile(load(name)), format).certificate


@pytest.mark.parametrize(("name", "format", "most"), [("parity", FLOAT16, 1000), ("palindrome", FLOAT8_E5M2, 80)])
def test_every_entry_matters(name, format, most):
    """Any other transition, label, successor on EOS or rank is noticed; of many changes some are drawn."""
    whole = certificate_of(name, format)
    checked = check_extraction(json.loads(json.dumps(whole)))
    states = len(whole["labels"])
    assert (checked.states, checked.eos_states) == (len(whole["transitions"]), states - len(whole["transitions"]))
    changes = []
    for field in ("transitions", "labels", "after_eos", "ranks"):
        for i, entry in enumerate(whole.get(field, ())):
            if field == "ranks" and whole["labels"][i] is None:
                continue  # nothing is said of such a state
            others = range(states) if field in ("transitions", "after_eos") else range(4)
            if field == "labels":
                others = ("accepted", "rejected", "halted", "proven non-halting")
            if field == "transitions":
                rows = [[*entry[:j], other, *entry[j + 1 :]] for j in range(len(entry)) for other in others]
                changes += [(field, i, row) for row in rows if row != entry]
            else:
                changes += [(field, i, other) for other in others if other != entry]
    unnoticed = []
    for field, i, other in seeded(name).sample(changes, min(most, len(changes))):
        try:
            check_extraction(whole | {field: [*whole[field][:i], other, *whole[field][i + 1 :]]})
        except CertificateError:
            continue
        unnoticed.append((field, i, other))
    assert not unnoticed


def test_a_state_that_is_left_out_is_missed():
    whole = certificate_of("parity", FLOAT16)
    shorter = copy.deepcopy(whole)
    shorter["transitions"].pop()
    with pytest.raises(CertificateError):
        check_extraction(shorter)
    longer = copy.deepcopy(whole)
    longer["transitions"].append(longer["transitions"][0])
    longer["labels"].append("accepted")
    with pytest.raises(CertificateError, match="never met"):
        check_extraction(longer)


def test_a_never_that_is_no_never():
    """States before a verdict that claim to run for ever, all together."""
    whole = certificate_of("palindrome", FLOAT8_E5M2)
    verdict = next(i for i, rank in enumerate(whole["ranks"]) if rank == 3)
    wrong = copy.deepcopy(whole)
    wrong["labels"][verdict], wrong["ranks"][verdict] = "proven non-halting", 0
    with pytest.raises(CertificateError):
        check_extraction(wrong)


def test_a_cycle_that_claims_a_verdict():
    """Each state of the cycle names the next as its witness; ranks cannot go down for ever."""
    whole = certificate_of("palindrome", FLOAT8_E5M2)
    never = [i for i, label in enumerate(whole["labels"]) if label == "proven non-halting"]
    wrong = copy.deepcopy(whole)
    for i in never:
        wrong["labels"][i], wrong["ranks"][i] = "accepted", 5
    with pytest.raises(CertificateError, match="EOS symbols"):
        check_extraction(wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"network": None}, "no certificate"), ({"arithmetic": {"kind": "float"}}, "FloatFormat"),
     ({"labels": 3}, "labels"),
     ({"labels": ["yes"] * 5}, "no outcome"), ({"transitions": [[0, 1, 2]] * 5}, "2 entries"),
     ({"transitions": [[0, 5]] * 5}, "from 0 to 4"), ({"transitions": []}, "0 rows"),
     ({"transitions": [[0, True]] * 5}, "whole numbers"), ({"format": "exactnn network"}, "format"),
     ({"version": 2}, "version"), ({"labels": ["accepted"] * 6}, "6 labels")],
)  # fmt: skip
def test_data_that_are_no_certificate(change, message):
    with pytest.raises(CertificateError, match=message):
        check_extraction(certificate_of("parity", FLOAT16) | change)


@pytest.mark.parametrize("data", [None, [], 3, {}, {"format": "exactnn automaton certificate"}])
def test_other_data(data):
    with pytest.raises(CertificateError):
        check_extraction(data)


def test_files(tmp_path):
    for n in range(10):
        found = extract_state_machine(random_recogniser(seeded("files", n)), FLOAT8_E5M2, max_states=2000)
        if found.complete:
            path = tmp_path / f"{n}.json"
            save_certificate(found.certificate, path)
            assert check_extraction(load_certificate(path)).states == found.states
