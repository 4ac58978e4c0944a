"""Certificates that the engine writes of its own long runs are true, says the checker, which knows nothing of it."""

import pytest

import exactnn as xn
from exactnn.errors import CertificateError
from exactnn.work import DEFAULT_BUDGET

HALTING_TIMES = {
    "bb3": 21,
    "bb4": 107,
    "bb5": 47_176_870,
    "1RB2LA1LC_0LA2RB1LB_1RZ1RA1RC": 119_112_334_170_342_540,
}
"""Moves until the machine halts, as the literature has them; the network takes as many EOS steps."""


@pytest.fixture(scope="module", params=HALTING_TIMES)
def certified(request):
    machine = request.param
    run = xn.run(xn.compile(xn.load(machine)), certify=True)
    return machine, run, run.certificate


def test_the_halting_time_is_verified(certified):
    machine, run, certificate = certified
    construction = xn.compile(xn.load(machine))
    checked = xn.check_certificate(certificate, network=construction, word="")
    assert checked.work < DEFAULT_BUDGET // 10
    assert checked.eos_steps == run.eos_steps == HALTING_TIMES[machine]
    assert checked.outcome is run.outcome is xn.Outcome.HALTED
    assert checked.network == construction.network
    assert checked.word == ()


def test_another_halting_time_is_refused(certified):
    machine, _, certificate = certified
    wrong = certificate | {"end": certificate["end"] | {"eos_steps": hex(HALTING_TIMES[machine] + 1)}}
    with pytest.raises(CertificateError, match="the verdict comes after"):
        xn.check_certificate(wrong)


def test_the_file(certified, tmp_path):
    _, _, certificate = certified
    xn.save_certificate(certificate, tmp_path / "run.json")
    assert xn.load_certificate(tmp_path / "run.json") == certificate
