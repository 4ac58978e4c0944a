"""From outputs to outcomes, and what a run says about itself."""

import numpy as np
import pytest
from gmpy2 import mpq

from exactnn.arithmetic import EXACT, FLOAT32, FLOAT64, RATIONAL, FloatFormat
from exactnn.automata import DFA
from exactnn.constructions import minsky
from exactnn.networks import Circuit, Decision, Network, Protocol, SimpleRNN, Unit
from exactnn.outcome import Outcome, Verdict
from exactnn.simulation import run, stepping

HALF = mpq(1, 2)
NAN = float("nan")


@pytest.mark.parametrize(
    ("protocol", "above", "at", "between", "below"),
    [
        (Protocol.OUTPUTS, None, None, None, None),
        (Protocol.END_OF_WORD, Outcome.ACCEPTED, Outcome.REJECTED, Outcome.REJECTED, Outcome.REJECTED),
        (Protocol.EOS_VERDICT, Outcome.ACCEPTED, None, None, Outcome.REJECTED),
        (Protocol.EOS_HALT, Outcome.HALTED, None, None, Outcome.REJECTED),
    ],
)
def test_every_protocol(protocol, above, at, between, below):
    decision = Decision(protocol=protocol, threshold=HALF)
    for number in (mpq, float):
        assert decision.outcome(number(1)) is above
        assert decision.outcome(number(0.5)) is at
        assert decision.outcome(number(0)) is between
        assert decision.outcome(number(-1)) is below
        assert decision.outcome(number(-0.5)) is at


@pytest.mark.parametrize("protocol", Protocol)
def test_not_a_number_is_no_verdict(protocol):
    """No is not the same as cannot tell: NaN is neither above nor below the threshold."""
    outcome = Decision(protocol=protocol, threshold=HALF).outcome(NAN)
    assert outcome is None or outcome.verdict is None


def test_a_verdict_is_true_if_it_accepts():
    words = ["", "1", "10", "11", "0111"]
    assert [word for word in words if run(parity(), word).verdict] == ["1", "10", "0111"]
    assert bool(Verdict.ACCEPT) is True
    assert bool(Verdict.REJECT) is False
    assert Verdict.REJECT == "reject"


def test_a_float_run_that_ends_in_nan_gives_no_verdict():
    network = SimpleRNN(
        V=[[10**200, -(10**200)], [10**200, -(10**200)]], W=[[0], [0]], b=[0, 0], s=[10**200, 10**200],
        readout_weight=[1, 0], activation="identity", alphabet="a",
    )  # fmt: skip
    assert run(network, "aaa", arithmetic=FLOAT64).outputs[-1] != run(network, "aaa", arithmetic=FLOAT64).outputs[-1]
    assert run(network, "aaa", arithmetic=FLOAT64).verdict is None
    assert run(network, "aaa", arithmetic=FLOAT64).outcome is Outcome.UNDECIDED
    assert run(network, "aaa").verdict is Verdict.REJECT


def with_decision(network, protocol, threshold):
    return Network(
        circuit=network.circuit,
        initial_state=network.initial_state,
        readout=network.readout,
        alphabet=network.alphabet,
        decision=Decision(protocol=protocol, threshold=threshold),
    )


THRESHOLDS = pytest.mark.parametrize(
    "threshold", [mpq(1, 3), mpq(2, 3), HALF, mpq(10) ** 400, mpq(1, 10**400), mpq(0)], ids=lambda t: str(t)[:8]
)
ROUNDED = pytest.mark.parametrize("arithmetic", [FLOAT64, FLOAT32], ids=str)


def numbers_around(threshold, arithmetic):
    """Return numbers of the format at and beside the threshold."""
    nearest = arithmetic.nearest(threshold)
    if abs(nearest) == float("inf"):
        return [mpq(2) ** arithmetic.largest_exponent]
    number = {FLOAT64: np.float64, FLOAT32: np.float32}[arithmetic](nearest)
    beside = [np.nextafter(number, number.dtype.type(end)) for end in (-np.inf, np.inf)]
    return [mpq(float(x)) for x in (number, *beside) if x >= 0]


@ROUNDED
@THRESHOLDS
def test_after_the_word_an_output_is_compared_exactly_with_the_threshold(arithmetic, threshold):
    for value in numbers_around(threshold, arithmetic):
        network = SimpleRNN(V=[[0]], W=[[value]], b=[0], s=[0], readout_weight=[1], alphabet=["a"])
        result = run(with_decision(network, Protocol.END_OF_WORD, threshold), "a", arithmetic=arithmetic)
        assert result.outputs == [value]
        assert result.verdict is (Verdict.ACCEPT if value > threshold else Verdict.REJECT)


@ROUNDED
@THRESHOLDS
@pytest.mark.parametrize("sign", [1, -1])
def test_a_pulse_is_a_verdict_exactly_if_it_passes_the_threshold(arithmetic, threshold, sign):
    """The output is a number beside the threshold at the first EOS only, in the midst of a slice of steps."""
    for value in numbers_around(threshold, arithmetic):
        network = SimpleRNN(
            V=[[0, -value], [0, 0]],
            W=[[0, value], [0, 1]],
            b=[0, 0],
            s=[0, 0],
            readout_weight=[sign, 0],
            alphabet=["a", "EOS"],
        )
        network = with_decision(network, Protocol.EOS_VERDICT, threshold)
        result = run(network, "a" * 40, arithmetic=arithmetic, max_steps=60)
        passed = value > threshold
        assert result.outcome is not Outcome.STEP_LIMIT  # without the verdict the state comes again
        assert (result.eos_steps == 1) == passed
        assert result.verdict is ((Verdict.ACCEPT if sign > 0 else Verdict.REJECT) if passed else None)


def test_a_rounding_error_is_not_a_verdict():
    network = SimpleRNN(V=[["1/3"]], W=[[1, 0]], b=[0], s=[0], readout_weight=[1], alphabet=["a", "EOS"])
    assert run(with_decision(network, Protocol.EOS_VERDICT, HALF), "a", max_steps=9).outcome is Outcome.STEP_LIMIT
    assert run(network, "a", max_steps=9).outcome is Outcome.ACCEPTED


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_sentence_and_only_decisions_a_verdict(outcome):
    assert outcome.sentence.endswith(".")
    assert (outcome.verdict is not None) == (outcome in (Outcome.ACCEPTED, Outcome.REJECTED))
    assert len({o.sentence for o in Outcome}) == len(Outcome)


def parity():
    return minsky(
        DFA(
            states=["even", "odd"],
            input_symbols="01",
            transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
            initial_state="even",
            final_states=["odd"],
            name="<parity>",
        )
    )


@pytest.mark.parametrize("arithmetic", [RATIONAL, FLOAT64, FLOAT32], ids=str)
def test_a_run_tells_all_about_itself(arithmetic):
    construction = parity()
    result = run(construction, "101", arithmetic=arithmetic, record="all")
    assert result.network is construction.network
    assert result.word == ("1", "0", "1")
    assert result.arithmetic is arithmetic
    assert (result.outcome, result.verdict) == (Outcome.REJECTED, Verdict.REJECT)
    assert (result.steps, result.eos_steps, result.machine_steps) == (3, 0, 3)
    assert result.initial_output == 0
    assert result.outputs == [1, 1, 0]
    assert result.trace.names == construction.network.circuit.state_names
    assert result.final_state == result.trace[-1]
    assert result.seconds >= 0
    assert str(arithmetic) in result.engine
    assert run(construction.network, "101").machine_steps is None


def test_a_run_is_shown_in_notebooks_with_its_names_escaped():
    html = run(parity(), "1")._repr_html_()
    for text in ("minsky(&lt;parity&gt;) (5 neurons)", "accepted: The word is accepted.", "machine steps", "exact"):
        assert text in html
    assert "<parity>" not in html
    assert "machine steps" not in run(parity().network, "1")._repr_html_()
    assert repr(run(parity(), "1")) == "<Run of minsky(<parity>) in exact: accepted after 1 step (0 EOS)>"


def test_a_run_cannot_be_changed():
    with pytest.raises(AttributeError):
        run(parity(), "1").outcome = Outcome.REJECTED


def test_the_word_is_remembered_also_for_vectors_given_by_an_iterator():
    network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    assert run(network, [1, 0.5]).word in ((1, 0.5), ((mpq(1),), (HALF,)))
    result = run(network, iter([1, 2]))
    assert len(result.word) == result.steps == 2


@pytest.mark.parametrize("arithmetic", [EXACT, RATIONAL, FloatFormat(precision=1000, exponent_bits=20)], ids=str)
def test_slow_steps_are_kept_when_a_run_is_interrupted(arithmetic, monkeypatch):
    """Numbers that grow threefold with every step: executors stop after each that is slow, and nothing is lost."""
    monkeypatch.setattr(stepping, "LONGEST_SLICE", 0.0)  # every step is slow
    square = Unit(name="square", bias=mpq(1, 3), bilinear=((0, 0, mpq(1)),))
    cube = Unit(name="cube", bias=mpq(0), bilinear=((0, 2, mpq(1)),))
    circuit = Circuit(state_size=1, input_size=1, layers=((square,), (cube,)), next_state=(3,))
    network = Network(
        circuit=circuit, initial_state=(mpq(2, 3),), readout=(Unit(name="out", bias=mpq(0)),), alphabet=("a",)
    )

    def interrupt(steps):
        if steps >= 6:
            raise KeyboardInterrupt

    found = run(network, "a" * 12, arithmetic=arithmetic, progress=interrupt)
    assert found.outcome is Outcome.INTERRUPTED
    assert 6 <= found.steps <= 9
    assert len(found.outputs) == found.steps
