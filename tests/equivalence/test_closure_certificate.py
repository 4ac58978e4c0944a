"""A certificate that was tampered with is rejected, wherever it was."""

import copy
import json

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from recognisers import random_recogniser, seeded

from exactnn import compile, load
from exactnn.arithmetic import EXACT, FLOAT8_E5M2, FLOAT16, FixedPoint, FloatFormat, arithmetic_to_json
from exactnn.certificates import load_certificate, save_certificate
from exactnn.equivalence import check_extraction, extract_state_machine
from exactnn.equivalence.closure_check import StepWork
from exactnn.errors import CertificateError
from exactnn.networks import Activation, Circuit, Network, SimpleRNN, Unit
from exactnn.networks.network_file import network_to_json
from exactnn.simulation.rational import RationalExecutor
from exactnn.work import Work
from tests.strategies import networks, rationals


def certificate_of(name, format):
    return extract_state_machine(compile(load(name)), format).certificate


@pytest.mark.parametrize(("name", "format", "most"), [("parity", FLOAT16, 1000), ("palindrome", FLOAT8_E5M2, 8)])
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


def test_states_that_are_one():
    """Two numbers for one state: every word is right, but there are not so many states."""
    whole = certificate_of("parity", FLOAT16)
    source, column = next((i, row.index(i)) for i, row in enumerate(whole["transitions"]) if i and i in row)
    wrong = copy.deepcopy(whole)
    wrong["transitions"].append(list(whole["transitions"][source]))
    wrong["labels"].append(whole["labels"][source])
    wrong["transitions"][source][column] = len(whole["labels"])
    with pytest.raises(CertificateError, match=f"not {len(whole['labels'])} but {source}"):
        check_extraction(wrong)


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


@pytest.mark.parametrize(
    ("arithmetic", "message"),
    [(FloatFormat(precision=2, exponent_bits=3, rounding="stochastic"), "at random"),
     (FloatFormat(precision=2, exponent_bits=3, accumulator=FloatFormat(precision=2, exponent_bits=4,
                                                                       rounding="stochastic")), "at random"),
     (FixedPoint(integer_bits=3, fraction_bits=3, rounding="stochastic"), "at random"),
     (FixedPoint(integer_bits=0, fraction_bits=3), "beyond")],
)  # fmt: skip
def test_arithmetics_without_certificates(arithmetic, message):
    """A random step does not depend on the state alone; and the check must end, within the memory that there is."""
    third = SimpleRNN(V=[["3/8"]], W=[["1/3"]], b=["1/7"], s=[1], readout_weight=[1], alphabet="a")
    whole = extract_state_machine(third, FloatFormat(precision=2, exponent_bits=3)).certificate
    with pytest.raises(CertificateError, match=message):
        check_extraction(whole | {"arithmetic": arithmetic_to_json(arithmetic)})


def test_the_numbers_of_a_format_fit_into_the_memory():
    whole = certificate_of("parity", FLOAT16)
    with pytest.raises(CertificateError, match="exponent_bits=60: give a whole number from 2 to 24"):
        check_extraction(whole | {"arithmetic": whole["arithmetic"] | {"exponent_bits": 60}})


def test_a_name_that_is_no_text():
    whole = certificate_of("parity", FLOAT16)
    with pytest.raises(CertificateError, match="name"):
        check_extraction(whole | {"arithmetic": whole["arithmetic"] | {"name": 5}})


def squares():
    unit = Unit(name="square", bias=mpq(0), bilinear=((0, 0, mpq(1)),), activation=Activation.RELU)
    circuit = Circuit(state_size=1, input_size=1, layers=((unit,),), next_state=(2,))
    readout = (Unit(name="out", bias=mpq(0), linear=((0, mpq(1)),)),)
    return Network(circuit=circuit, initial_state=(mpq(3),), readout=readout, alphabet=("a",))


def test_digits_that_double_with_every_step(monkeypatch):
    monkeypatch.setattr("exactnn.equivalence.closure_check.MOST_BYTES", 1 << 16)
    whole = certificate_of("parity", FLOAT16)
    chain = {"transitions": [[min(i + 1, 99)] for i in range(100)], "labels": ["accepted"] * 100}
    wrong = whole | chain | {"network": network_to_json(squares()), "arithmetic": arithmetic_to_json(EXACT)}
    with pytest.raises(CertificateError, match="bytes of digits"):
        check_extraction(wrong)


def test_a_search_among_long_numbers_keeps_to_the_memory():
    found = extract_state_machine(squares(), max_states=1000, max_bytes=1 << 16)
    assert found.reason == "the limit of 65,536 bytes was reached"
    assert found.states < 25


@pytest.mark.parametrize("data", [None, [], 3, {}, {"format": "exactnn automaton certificate"}])
def test_other_data(data):
    with pytest.raises(CertificateError):
        check_extraction(data)


def test_files(tmp_path):
    for n in range(10):
        found = extract_state_machine(random_recogniser(seeded("files", n)), FLOAT8_E5M2, max_states=300)
        if found.complete:
            path = tmp_path / f"{n}.json"
            save_certificate(found.certificate, path)
            assert check_extraction(load_certificate(path)).states == found.states


@pytest.mark.parametrize(
    ("name", "format"),
    [("parity", FLOAT16), ("divisible-by-3", EXACT), ("parity", FixedPoint(integer_bits=2, fraction_bits=3))],
)
def test_the_budget_is_what_it_says(name, format):
    construction = compile(load(name))
    certificate = extract_state_machine(construction, format).certificate
    work = check_extraction(certificate, network=construction).work
    assert check_extraction(certificate, budget=work).work == check_extraction(certificate, budget=None).work == work
    with pytest.raises(CertificateError, match=f"units of work, and the budget is {work - 1:,}: give"):
        check_extraction(certificate, budget=work - 1)
    with pytest.raises(CertificateError, match="another network than"):
        check_extraction(certificate, network=compile(load("anbn")))


def test_a_check_that_would_take_too_long_is_refused_before_it_begins():
    """The numbers of a wide format are long, and every operation of every step is one with them."""
    certificate = certificate_of("parity", FLOAT16)
    wide = FloatFormat(precision=1 << 20, exponent_bits=24)
    told = []
    with pytest.raises(CertificateError, match="units of work"):
        check_extraction(certificate | {"arithmetic": arithmetic_to_json(wide)}, budget=10**6, progress=told.append)
    assert told == []


def squaring(layers):
    """A network whose one number is squared by every layer."""
    size = 1
    units = [(Unit(name="u", bias=0, bilinear=((size + i, size + i, mpq(1, 3)),)),) for i in range(1, layers)]
    first = (Unit(name="u", bias=mpq(1, 7), bilinear=((0, 0, 1),)),)
    return Network(
        circuit=Circuit(state_size=1, input_size=1, layers=(first, *units), next_state=(1 + layers,)),
        initial_state=("2/3",), readout=(Unit(name="y", bias=0, linear=((0, 1),)),), alphabet=("a",),
    )  # fmt: skip


def claim_of_states(network, states):
    """A certificate that claims so many states in a row."""
    return {
        "format": "exactnn automaton certificate", "version": 1, "network": network_to_json(network),
        "arithmetic": arithmetic_to_json(EXACT), "transitions": [[i + 1] for i in range(states - 1)] + [[0]],
        "labels": ["0"] * states,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "states", "budget", "message"),
    [
        (60, 2, None, "may have more than 16777216 bits"),
        (1, 40, 10**6, "units of work"),
        (3, 40, 10**6, "units of work"),
    ],
)
def test_a_step_whose_numbers_would_fill_the_memory_is_not_taken(layers, states, budget, message):
    """Their length is foreseen: sixty squares in a step would have 10^18 bits."""
    with pytest.raises(CertificateError, match=message):
        check_extraction(claim_of_states(squaring(layers), states), budget=budget)


def max_bits(values):
    return max((x.numerator.bit_length() + x.denominator.bit_length() for x in values), default=2)


@given(networks(), st.data())
def test_the_length_of_the_numbers_of_a_step_is_foreseen(network, data):
    """What is foreseen of rationals is never too short."""
    executor, growth = RationalExecutor(network), StepWork(network, EXACT, Work())
    values = tuple(data.draw(rationals()) for _ in range(network.neurons))
    symbol = data.draw(st.integers(-1, network.circuit.input_size - 1))
    after = executor.step(values, symbol)
    output = executor.output(after)
    longest = max(growth.lengths(values))
    for x in (*after, *((output,) if network.scalar_output else output)):
        assert x.numerator.bit_length() + x.denominator.bit_length() <= max(longest, max_bits(values))
