"""Where the chapter on recurrent networks is wrong: the smallest counterexamples, on the text and on the library.

Each is a machine that the text's equations get wrong when everything else is corrected, and that both constructions
of the library get right. What the text does with *none* of its errors corrected is stated too: errors can hide
each other.
"""

from itertools import product

import pytest
from gmpy2 import mpq
from seeded_machines import batch

from exactnn.arithmetic import RATIONAL
from exactnn.automata import DFA, TuringMachine, interpret
from exactnn.constructions import minsky, siegelmann_sontag, siegelmann_sontag_book
from exactnn.constructions.folding import fold_network
from exactnn.constructions.literal_book import BOOK_FIXES, Reading, literal_book, literal_pop, literal_stack
from exactnn.constructions.steps import step_network, step_outputs, step_states
from exactnn.constructions.tapes.siegelmann_sontag_book import Marker
from exactnn.errors import ConstructionError, OptionError
from exactnn.networks import EOS, Network
from exactnn.outcome import Outcome
from exactnn.simulation import advance_by, executor_for, run

LONG = 60
CORRECT = ("E1", "E2", "E3", "E4")
READINGS = ["_", "a", Marker.BOTTOM, Reading.READ, Reading.WRITTEN]
CONJUNCTIONS = pytest.mark.parametrize("clipped", [True, False])


def machine(text):
    """Return the machine with these rules on a semi-infinite tape; what they leave open rejects."""
    rules = dict.fromkeys(product(("q0", "q1"), "_a"), ("R", "a", "R"))
    for rule in text.split("; "):
        before, after = (side.split(",") for side in rule.split("→"))
        rules[tuple(before)] = tuple(after)
    return TuringMachine(
        states=["q0", "q1", "A", "R"],
        input_symbols=["a"],
        tape_symbols=["_", "a"],
        transitions={q: {a: rules[q, a] for a in "_a"} for q in ("q0", "q1")},
        initial_state="q0",
        blank_symbol="_",
        accept_state="A",
        reject_state="R",
    )


E1 = machine("q0,_→q0,a,R; q0,a→A,a,L")
E2 = machine("q0,_→q0,a,L; q0,a→q1,_,R; q1,_→q0,_,R; q1,a→R,a,R")
E3 = machine("q0,_→q0,a,L; q0,a→A,a,L")
E4 = machine("q0,_→q1,a,R; q1,_→R,a,L")


def literal(example, fixes=(), *, eos_steps=LONG, **switches):
    return step_outputs(literal_book(example, fixes=fixes, **switches), "", eos_steps=eos_steps)


def all_but(error):
    return [fix for fix in CORRECT if fix != error]


def verdict_at(t, output, eos_steps=LONG):
    """Return the outputs of a verdict at EOS^t without a latch: nothing before and nothing after."""
    return [0] * t + [output] + [0] * (eos_steps - t)


@pytest.mark.parametrize("compiled", [siegelmann_sontag, siegelmann_sontag_book])
@pytest.mark.parametrize(
    ("example", "outcome", "t"),
    [(E1, None, None), (E2, Outcome.REJECTED, 10), (E3, Outcome.ACCEPTED, 4), (E4, Outcome.REJECTED, 4)],
    ids=["E1", "E2", "E3", "E4"],
)
def test_the_library_gets_every_counterexample_right(compiled, example, outcome, t):
    direct = interpret(example, max_steps=LONG)
    result = run(compiled(example), "", max_steps=LONG)
    assert result.outcome is direct.outcome is (outcome or Outcome.STEP_LIMIT)
    assert result.eos_steps == (t or LONG)
    assert result.outputs == ([0] * (t - 1) + [-1 if outcome is Outcome.REJECTED else 1] if t else [0] * LONG)


@CONJUNCTIONS
def test_the_corrected_text_gets_them_right_too(clipped):
    """So what fails below is each time the one thing that is not corrected."""
    assert literal(E1, CORRECT, clipped=clipped) == [0] * (LONG + 1)
    assert literal(E2, CORRECT, clipped=clipped) == verdict_at(10, -1)
    assert literal(E3, CORRECT, clipped=clipped) == verdict_at(4, 1)
    assert literal(E4, CORRECT, clipped=clipped) == verdict_at(4, -1)


@CONJUNCTIONS
@pytest.mark.parametrize("reading", [*READINGS, Reading.EVERY])
def test_e1_popping_leaves_a_digit_behind(clipped, reading):
    """(4.26): pop(stack(a)) is e_a and not 0; a machine that never halts is accepted at EOS^5."""
    popped = literal_pop(literal_stack("a", "_a"))
    assert [value.constant for _, value in popped.items] == [0, 1]
    assert literal_pop(literal_stack("a", "_a"), corrected=True) == literal_stack("", "_a")
    for fixes in ([], all_but("E1")):
        outputs = literal(E1, fixes, clipped=clipped, reading=reading)
        assert outputs[:6] == [0, 0, 0, 0, 0, 1]


@CONJUNCTIONS
@pytest.mark.parametrize("fixes", [["E1"], all_but("E2")], ids=["text", "others corrected"])
@pytest.mark.parametrize("reading", READINGS)
def test_e2_a_left_move_does_not_write(clipped, fixes, reading):
    """(4.33), first sum: a' is never written, so the rejection at T = 10 never comes."""
    assert literal(E2, fixes, reading=reading, clipped=clipped) == [0] * (LONG + 1)


@CONJUNCTIONS
@pytest.mark.parametrize("fixes", [["E1"], all_but("E3")], ids=["text", "others corrected"])
@pytest.mark.parametrize("reading", READINGS)
def test_e3_the_unbound_symbol_at_the_left_end(clipped, fixes, reading):
    """(4.33), second sum: whatever symbol c is, the machine that accepts at T = 4 is never accepted."""
    assert literal(E3, fixes, reading=reading, clipped=clipped) == [0] * (LONG + 1)


def test_e3_a_sum_over_all_symbols_is_no_way_out_either():
    outputs = literal(E3, all_but("E3"), reading=Reading.EVERY)
    assert outputs[:6] == [0, 0, 0, 0, 2, 4]


@CONJUNCTIONS
@pytest.mark.parametrize("fixes", [["E1"], all_but("E4")], ids=["text", "others corrected"])
@pytest.mark.parametrize("reading", READINGS)
def test_e4_a_blank_beyond_the_right_end_has_no_left_rule(clipped, fixes, reading):
    """(4.33): where the right stack is down to its bottom no case applies, and the state vanishes."""
    text = literal_book(E4, fixes=fixes, reading=reading, clipped=clipped)
    assert step_outputs(text, "", eos_steps=LONG) == [0] * (LONG + 1)
    state = step_states(text, "", eos_steps=4)[-1]
    assert {value for register, value in state.items() if register.name[0] == "state"} == {0}


def test_with_nothing_corrected_the_errors_hide_each_other():
    """The digit that E1 leaves behind passes for the blank that E4 misses, and moves the verdicts of E2 and E3."""
    assert literal(E4)[:5] == [0, 0, 0, 0, -1]
    assert {reading: literal(E2, reading=reading)[:8] for reading in (Marker.BOTTOM, "a", "_")} == {
        Marker.BOTTOM: [0] * 8,
        "a": [0, 0, 0, 0, 0, 0, -1, 0],
        "_": [0, 0, 0, 0, 0, 0, 0, -1],
    }
    for reading in (*READINGS, Reading.EVERY):
        assert literal(E2, reading=reading) != verdict_at(10, -1)
        assert literal(E3, reading=reading) != verdict_at(4, 1)


def test_the_corrected_text_is_right_on_random_machines():
    """The three-layer step of the text, corrected: verdict and T agree with the interpreter on semi-infinite tapes."""
    examples = [example for number in range(400, 406) for _, example in batch(number)]
    examples = [m for m in examples if m.tape == "semi_infinite" and m.halt_state is None]
    outcomes = []
    for example in examples:
        direct = interpret(example, max_steps=20)
        expected = {Outcome.ACCEPTED: 1, Outcome.REJECTED: -1, Outcome.STEP_LIMIT: 0}[direct.outcome]
        outputs = literal(example, CORRECT, eos_steps=22)
        assert outputs == (verdict_at(direct.steps + 2, expected, 22) if expected else [0] * 23)
        outcomes.append(expected)
    assert len(examples) >= 20
    assert set(outcomes) == {1, 0, -1}


def test_e7_the_readout_must_know_the_start_state():
    """The readout [0 U] of Lemma 4.4 ignores the start: a* would not contain the empty word. [s U] is right."""
    everything = DFA(
        states=["q"], input_symbols=["a"], transitions={"q": {"a": "q"}}, initial_state="q", final_states=["q"]
    )
    network = minsky(everything).network
    assert run(network, "").outputs.count == 0
    assert (run(network, "").initial_output, run(network, "").verdict) == (1, "accept")
    (output,) = network.readout
    start = network.initial_state.index(1)
    without_start = Network(
        circuit=network.circuit,
        initial_state=network.initial_state,
        readout=(
            type(output)(name="[0 U]", bias=output.bias, linear=tuple(t for t in output.linear if t[0] != start)),
        ),
        alphabet=network.alphabet,
        decision=network.decision,
    )
    assert (run(without_start, "").initial_output, run(without_start, "").verdict) == (0, "reject")
    for word in ("a", "aaa"):
        assert run(without_start, word).outputs == run(network, word).outputs == [mpq(1)] * len(word)


@pytest.mark.parametrize("compiled", [siegelmann_sontag, siegelmann_sontag_book])
def test_e10_a_verdict_stays(compiled):
    """In the text the state vanishes after T; here accept and reject are latched."""
    assert literal(E4, CORRECT)[3:8] == [0, -1, 0, 0, 0]
    assert literal(E4, [*CORRECT, "E10"])[3:8] == [0, -1, -1, -1, -1]
    network = compiled(E4).network
    executor, eos = executor_for(network, RATIONAL), network.alphabet.index(EOS)
    segment = advance_by(executor, executor.start(), eos, 30)
    assert [y for y, n in segment.outputs for _ in range(n)] == [0, 0, 0] + [-1] * 27


@pytest.mark.parametrize("fixes", [[], CORRECT, BOOK_FIXES], ids=["text", "corrected", "latched"])
def test_the_text_runs_as_a_network_and_as_a_simple_rnn_of_three_steps(fixes):
    """Tops, conjunctions and `if` are nested: three hidden layers."""
    for example in (E1, E2, E3, E4):
        step = literal_book(example, fixes=fixes)
        network = step_network(step)
        folded = fold_network(network)
        assert folded.steps_per_step == 3
        for runs, every in ((network, 1), (folded.network, 3)):
            executor, eos = executor_for(runs, RATIONAL), runs.alphabet.index(EOS)
            segment = advance_by(executor, executor.start(), eos, 12 * every)
            outputs = [y for y, n in segment.outputs for _ in range(n)]
            assert outputs[every - 1 :: every] == step_outputs(step, "", eos_steps=12)[1:]


def test_wrong_machines_and_options_are_refused():
    with pytest.raises(OptionError, match="'E5' is none of E1, E2, E3, E4, E10"):
        literal_book(E1, fixes=["E5"])
    with pytest.raises(OptionError, match="reading='b'"):
        literal_book(E1, reading="b")
    with pytest.raises(ConstructionError, match="has a tape without a left end"):
        literal_book(next(m for _, m in batch(400) if m.tape == "two_way_infinite"))
