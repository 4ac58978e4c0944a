"""A small certificate may ask for months of work: what it takes is counted, and bounded by a budget.

What is tested is the count and the refusal, which are the same on every machine, and no clock: each case here asks for
years, so that a check without a bound would never end.
"""

import json

import pytest
from gmpy2 import is_prime, mpq
from shuttle import EDGES, NUMBER, certificate, growing, multiplied, rule, unit

import exactnn as xn
from exactnn.arithmetic import power, tower_from_json
from exactnn.certificates.lengths import TERM_BITS, added
from exactnn.certificates.stacks import EDGE_WORK
from exactnn.errors import CertificateError, OptionError
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol
from exactnn.networks.network_file import network_to_json
from exactnn.work import DEFAULT_BUDGET, long_quotient

PRIMES = [p for p in range(3, 1700) if is_prime(p)]
BUDGET = 200_000


def network(layers, size, inputs=1, start=mpq(1, 3)):
    """A network that takes its step on EOS for ever."""
    registers = range(size + inputs, size + inputs + size)
    return Network(
        circuit=Circuit(state_size=size, input_size=inputs, layers=layers, next_state=tuple(registers)),
        initial_state=(start,) * size,
        readout=(unit("no", Activation.IDENTITY, 0),),
        alphabet=(*map(str, range(inputs - 1)), EOS),
        decision=Decision(protocol=Protocol.EOS_HALT, threshold=mpq(1, 2)),
        name="slow",
    )


def dense(size, weight):
    return network(
        (tuple(unit(f"{i}", "identity", 0, *((j, weight(i, j)) for j in range(size))) for i in range(size)),), size
    )


def steps_of(slow, steps):
    """A certificate that wants so many first steps to be taken."""
    return {
        "format": "exactnn certificate", "version": 3, "network": network_to_json(slow), "word": [],
        "base": 2, "limb": 1,
        "states": [{"values": ["0"] * slow.neurons, "wanted": -1}], "edges": [], "rules": [],
        "begin": {"eos_steps": steps, "state": 0, "stacks": []}, "path": [],
        "end": {"eos_steps": steps, "outcome": "halted"},
    }  # fmt: skip


def rules(count, edges):
    return [rule("turned at y", [[[1]], []], edges)] * count


def far_apart():
    """The rule of two shuttles, which makes x tokens 9 x - 4, used 2^25 times and then 2^22 times again and again."""
    counts = [[[hex(n), []]] for n in (1 << 25, 1 << 22)]
    found = rule("turned at y", [[[1]], []], 8, counts=counts, many=multiplied(3))
    return growing(3, rules=[found], path=[["rule", 0, 0]] + [["rule", 0, 1]] * 20)


def many_pushes():
    """An edge that is claimed to push very long limbs; nothing else happens before."""
    data = growing(1, begin={"eos_steps": 0, "state": NUMBER["empty, d = 0"], "stacks": []}, word=[], limb=128)
    data["edges"][0]["pushes"] *= 4000
    return data


def many_runs():
    """A number of millions of digits at the beginning, in many runs."""
    runs = [[1, 10_000], [0, 1]] * 200
    return growing(1, begin={"eos_steps": 0, "state": NUMBER["turned at y"], "stacks": [runs]})


def tall_scale():
    """A weight with a long denominator that is never used makes all numbers long."""
    return dense(4, lambda i, j: mpq(1, 10**90_000) if i == j == 3 else mpq(1, 2 + j))


SLOW = {
    "many steps": steps_of(dense(1, lambda i, j: mpq(2, 3)), 10**9),
    "many steps of nothing": steps_of(network((), 0), 10**18),
    "many inputs": steps_of(network((), 0, inputs=2000), 10**6),
    "numbers that grow": steps_of(dense(8, lambda i, j: mpq(1, 3)), 700),
    "many denominators": steps_of(dense(12, lambda i, j: mpq(1, PRIMES[12 * i + j])), 60),
    "a long denominator": steps_of(tall_scale(), 100),
    "many edges": growing(2, path=[["edges", 10**18]]),
    "run lengths that grow": growing(3, path=[["edges", 15_000]]),
    "a long rule": growing(2, rules=rules(1, 10**18)),
    "a rule with long lengths": growing(8, rules=rules(1, 12_000)),
    "exponents far apart": far_apart(),
    "many rules": growing(1, rules=rules(100, 8 * 200)),
    "many pushes": many_pushes(),
    "many runs": many_runs(),
}


@pytest.mark.parametrize("case", SLOW)
def test_what_asks_for_too_much_is_refused(case):
    data = SLOW[case]
    assert len(json.dumps(data)) < 400_000
    with pytest.raises(CertificateError, match=r"at least [0-9,]+ units of work, and the budget is 200,000: give"):
        xn.check_certificate(data, budget=BUDGET)


@pytest.mark.parametrize("case", ["many steps", "many steps of nothing", "many inputs", "many edges", "a long rule"])
def test_what_is_declared_is_refused_before_anything_is_done(case):
    told = []
    with pytest.raises(CertificateError, match="units of work"):
        xn.check_certificate(SLOW[case], progress=told.append)
    assert told == []


def test_the_budget_is_what_it_says():
    found = certificate(12)
    work = xn.check_certificate(found).work
    assert work > len(EDGES) * EDGE_WORK
    assert xn.check_certificate(found, budget=work).work == xn.check_certificate(found, budget=None).work == work
    with pytest.raises(CertificateError, match=f"and the budget is {work - 1:,}"):
        xn.check_certificate(found, budget=work - 1)


@pytest.mark.parametrize("budget", [-1, 1.5, "1000", True, [1]])
def test_no_budget(budget):
    with pytest.raises(OptionError, match="budget="):
        xn.check_certificate(certificate(4), budget=budget)


def work_of_steps(slow, steps):
    """The work until a check finds that a certificate of so many steps is wrong."""
    least, most = 1, DEFAULT_BUDGET  # the least budget with which it gets there
    while least < most:
        middle = (least + most) // 2
        with pytest.raises(CertificateError) as caught:
            xn.check_certificate(steps_of(slow, steps), budget=middle)
        least, most = (middle + 1, most) if "budget" in str(caught.value) else (least, middle)
    return least


def test_longer_numbers_take_no_more_than_their_length():
    """Twice as many steps, of numbers up to twice as long: four times the work at most, whatever the denominators."""
    slow = dense(3, lambda i, j: mpq(1, PRIMES[3 * i + j] ** 40))
    once, twice = work_of_steps(slow, 40), work_of_steps(slow, 80)
    assert twice < 4.4 * once


def test_where_towers_are_added_the_terms_of_a_group_count():
    """A sum of all steps may have thousands of terms, and those of a leg concern a few."""
    long = (1 << 100_001) + 1
    terms = [power(2, power(3, n * 10**9)) for n in range(1, 51)]
    total = sum(terms) + long * power(2, power(3, 10**12))
    alone, merged, far = terms[0] + 5, power(2, power(3, 10**12)), power(2, power(3, 10**9) + (1 << 23))
    for more, least, most in (
        (alone, 51 * TERM_BITS >> 15, 20),
        (merged, long_quotient(100_001, 100_001), 10_000),
        (far, long_quotient(1 << 23, 1 << 23), 1_000_000),  # what is written out is as long as the exponents are apart
        (long, 3, 3),
    ):
        sums = [added(total, more), added(more, total)]
        assert sums[0] == sums[1]
        assert sums[0][0] == total + more
        assert least <= sums[0][1] <= most


def test_many_powers_of_one_base_are_read_at_once():
    """They are read before the budget counts: 2,000 are put together at once, and are no terms to be merged."""
    exponents = [n << 25 for n in range(1, 2001)]
    data = [{"constant": "0x1", "powers": [[2, hex(n), "0x1"] for n in exponents]}]
    found = tower_from_json(data, lambda text: mpq(int(text, 0)), lambda text: int(text, 0))
    assert found % 1_000_003 == (1 + sum(pow(2, n, 1_000_003) for n in exponents)) % 1_000_003
    assert len(found.terms) == 2000
    data[0]["powers"].append([2, hex((5 << 25) + 9), "0x1"])
    with pytest.raises(xn.ExactnnError, match="two powers of 2 whose exponents differ by 9: write one for both"):
        tower_from_json(data, lambda text: mpq(int(text, 0)), lambda text: int(text, 0))


@pytest.mark.by_hand
def test_a_run_of_thousands_of_powers_is_verified_within_the_budget():
    """28,693 legs, 10^^2048 steps: what an edge takes does not grow with the thousands of powers of all steps."""
    run = xn.run("1RB0LB1RZ3LA_0LC3RB3RC1LB_2RB2LA3RA1LC", certify=True)
    checked = xn.check_certificate(run.certificate)
    assert checked.steps == run.steps
    assert checked.work < DEFAULT_BUDGET
