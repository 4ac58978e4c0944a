"""Runs of more steps than can be written out: against the same runs in plain integers, other limbs, and the checker."""

import copy

import pytest
from gmpy2 import mpq, mpz
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic import Tower, count_text, power, tower, tower_to_json
from exactnn.errors import CertificateError, SizeLimitError
from exactnn.simulation.positional import macro, rules
from exactnn.simulation.positional.forms import Form
from exactnn.simulation.positional.growth import closed_form

PRIME = 10**9 + 7
FIVE = "1RB0LA_1LC1LF_0LD0LC_0LE0LB_1RE0RA_1RZ1LD"
FIFTEEN = "1RB0LD_1RC0RF_1LC1LA_0LE1RZ_1LF0RB_0RC0RE"
LEVELS = {FIVE: 5, FIFTEEN: 15}
"""Machines of bbchallenge.org's list of six-state machines by P. Kropitz, and n where they run for over 10↑↑n steps."""
RESIDUES = {FIVE: 723165837, FIFTEEN: 874311477}
"""Their halting times modulo `PRIME`, as a program that shares no code with this one found them."""
IN_INTEGERS = {
    "1RB2LA1RZ5LB5LA4LB_1LA4RB3RB5LB1LB4RA": "2.416e9866",
    "1RB0LD_1RC0RF_1LC1LA_0LE1LZ_1LA0RB_0RC0RE": "3.809e21132",
    "1RB1LE_1RC1RF_1LD0RB_1RE0LC_1LA0RD_1RZ1RC": "7.412e36534",
}
"""Machines and their halting times."""


def compiled(text):
    return xn.compile(xn.load(text))


@pytest.fixture(scope="module")
def certified():
    return xn.run(compiled(FIVE), certify=True)


@pytest.mark.parametrize("text", IN_INTEGERS)
@pytest.mark.parametrize("bits", [64, pytest.param(1000, marks=pytest.mark.slow)])
def test_towers_are_the_integers_that_they_stand_for(text, bits, monkeypatch):
    plain = xn.run(compiled(text))
    assert count_text(plain.steps) == f"about {IN_INTEGERS[text]}"
    monkeypatch.setattr(tower, "WRITTEN_BITS", bits)
    monkeypatch.setattr(rules, "MANY", 2)
    symbolic = xn.run(compiled(text))
    assert isinstance(symbolic.steps, Tower)
    assert symbolic.outcome is plain.outcome is xn.Outcome.HALTED
    assert symbolic.steps.constant + sum(
        value * mpz(base) ** int(exponent) for base, exponent, value in symbolic.steps.terms
    ) == mpq(plain.steps)


@pytest.mark.parametrize("text", LEVELS)
@pytest.mark.parametrize("digits", [None, pytest.param(6, marks=pytest.mark.slow)])
def test_the_halting_time(text, digits, monkeypatch):
    if digits is not None:  # limbs of another length: another way to the same number
        monkeypatch.setattr(macro, "DIGITS", (digits,))
    run = xn.run(compiled(text))
    assert run.outcome is xn.Outcome.HALTED
    tens = 10
    for _ in range(LEVELS[text] - 1):
        tens = power(10, tens)
    assert tens < run.steps < power(10, tens)
    assert run.steps % PRIME == RESIDUES[text]
    assert run.steps == run.eos_steps == run.machine_steps == run.outputs.count
    assert count_text(run.steps) in repr(run)
    assert f"more than 10↑↑{LEVELS[text]} steps by rules" in run.engine


def test_the_tape_of_the_last_configuration(certified):
    construction = compiled(FIVE)
    cells = construction.nonblank(certified.final_state)
    assert cells > power(10, power(10, power(10, 10**10 - 10**9)))
    assert construction.decode(certified.final_state, cells=5) is not None
    assert hash(certified) == hash(certified)
    assert str(certified) == repr(certified)


def test_a_limit_cuts_it_off_exactly():
    construction = compiled(FIVE)
    for limit in (10**30, 10**5000 + 1):
        run = xn.run(construction, max_steps=limit)
        assert (run.outcome, run.steps) == (xn.Outcome.STEP_LIMIT, limit)


def test_a_checkpoint_goes_on_and_gives_it_again(tmp_path):
    construction, file = compiled(FIVE), tmp_path / "run"
    xn.run(construction, max_steps=10**100, checkpoint=file)
    whole = xn.run(construction, checkpoint=file)
    assert (whole.resumed_from, whole.steps % PRIME) == (10**100, RESIDUES[FIVE])
    again = xn.run(construction, checkpoint=file)
    assert again.steps == again.resumed_from == whole.steps
    assert again.final_state == whole.final_state


# The certificate


def test_the_certificate_is_verified(certified, tmp_path):
    xn.save_certificate(certified.certificate, tmp_path / "run.json")
    checked = xn.check_certificate(xn.load_certificate(tmp_path / "run.json"), network=compiled(FIVE), word="")
    assert (checked.eos_steps, checked.outcome) == (certified.eos_steps, xn.Outcome.HALTED)
    assert "after more than 10↑↑5 EOS steps" in repr(checked)


def changed(certificate, change):
    wrong = copy.deepcopy(certificate)
    change(wrong["end"]["eos_steps"])
    return wrong


def raised(sums):
    sums.append({"constant": "0x1", "powers": [[2, len(sums) - 1, "0x1"]]})


@pytest.mark.mostly_slow(quick=4, slow=3)
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (raised, "the verdict comes after"),
        (lambda sums: sums[-1]["powers"][-1].__setitem__(2, "0x7"), "the verdict comes after|no whole"),
        (lambda sums: sums[-1]["powers"][-1].__setitem__(0, 3), "the verdict comes after|too close|no whole"),
        (lambda sums: sums.pop(), "the verdict comes after"),
        (lambda sums: sums[-1]["powers"].append([2, "0x1", "-0x1"]), "the verdict comes after"),
        (lambda sums: sums.append({"constant": "0x0", "powers": [[2, len(sums), "0x1"]]}), "no number of a sum before"),
        (lambda sums: sums.append({"constant": "-0x1", "powers": []}), "is negative"),
        (lambda sums: sums.append({"constant": "-0x1", "powers": [[2, len(sums) - 1, "-0x1"]]}), "is negative"),
        (lambda sums: sums.append({"constant": 5, "powers": []}), "not a number written as text"),
        (lambda sums: sums.clear(), "no list of one to"),
    ],
)  # fmt: skip
def test_another_number_of_steps_is_refused(certified, change, text):
    with pytest.raises(CertificateError, match=text):
        xn.check_certificate(changed(certified.certificate, change))


def test_one_step_less_is_refused(certified):
    steps = certified.eos_steps - 1
    wrong = certified.certificate | {"end": {"eos_steps": tower_to_json(steps), "outcome": "halted"}}
    with pytest.raises(CertificateError, match="the verdict comes after more than"):
        xn.check_certificate(wrong)


def test_it_is_found_wrong_within_the_budget(certified):
    with pytest.raises(CertificateError, match="units of work"):
        xn.check_certificate(certified.certificate, budget=300_000)


# Many rounds at once


coefficients = st.tuples(st.integers(0, 3), st.integers(-2, 5))


@given(
    own=st.lists(coefficients, min_size=1, max_size=3),
    cross=st.lists(st.integers(0, 3), min_size=3, max_size=3),
    steps=st.lists(st.integers(-4, 4), min_size=10, max_size=10),
    lengths=st.lists(st.integers(1, 30), min_size=3, max_size=3),
    rounds=st.integers(4, 12),
)
@settings(max_examples=200, deadline=None)
def test_the_closed_form_is_round_after_round(own, cross, steps, lengths, rounds):
    size = len(own)
    lengths = lengths[:size]
    rows = []
    for i, (ratio, constant) in enumerate(own):  # each depends on itself and on those before it
        row = {(): mpq(constant), (i,): mpq(ratio)} | {(j,): mpq(cross[i + j - 1]) for j in range(i)}
        rows.append({key: value for key, value in row.items() if value})
    monomials = [(), *((i,) for i in range(size)), *((i, j) for i in range(size) for j in range(i, size))]
    polynomial = {key: mpq(value) for key, value in zip(monomials, steps, strict=False) if value}
    at, total = list(lengths), 0
    for _ in range(rounds):
        total += Form(polynomial).at(at)
        at = [Form(row).at(at) for row in rows]
    assert closed_form([Form(row) for row in rows], Form(polynomial)).after(lengths, rounds) == (at, total)


def test_lengths_that_grow_by_two_and_by_six_in_enormously_many_rounds():
    """Their closed form has powers of 2 and of 3; a power of 6 is one power, too long to be written out."""
    rounds = power(2, 1 << 30)
    closed = closed_form([Form({(0,): mpq(2)}), Form({(1,): mpq(6), (): mpq(5)})], Form({(): mpq(1)}))
    after, steps = closed.after([3, 1], rounds)
    assert closed.bases == (2, 3)
    assert after == [3 * power(2, rounds), 2 * power(6, rounds) - 1]
    assert steps == rounds


def test_what_has_no_closed_form():
    swap = [{(1,): mpq(2)}, {(0,): mpq(2)}]
    halves = [{(0,): mpq(3, 2)}]
    for rows, text in ((swap, "depend on each other"), (halves, "by 3/2 in each")):
        with pytest.raises(SizeLimitError, match=text):
            closed_form([Form(row) for row in rows], Form({(): mpq(1)}))
