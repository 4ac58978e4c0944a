"""What runs of a network find out for later ones: no result depends on it, and a failed trial is paid for once."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

import exactnn as xn
from exactnn import notices
from exactnn.networks import EOS
from exactnn.simulation.positional import beginning, executor, words
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.engines import Engines
from exactnn.simulation.positional.experience import SHORTEST_DETOUR, Experience
from exactnn.simulation.positional.macro import Macro
from exactnn.simulation.positional.macro_machine import MacroMachine
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.positional.whole_program import WholeProgram
from exactnn.simulation.race import Record
from exactnn.simulation.rational import RationalExecutor
from tests.simulation.exact_networks import fast, modes

GROWING = xn.growing_memory(xn.load("palindrome"), precision=8, modules=16).network
"""Its patterns do not recur: the memory grows."""


def taken(executor, word):
    """Return the executor's final numbers, with every letter of a word a call of its own."""
    state = executor.start()
    for symbol in executor.network.inputs(word):
        state = executor.advance(state, symbol, 1, until_decided=False).state
    return executor.values(state)


def test_patterns_that_do_not_recur_are_paid_for_once(monkeypatch):
    network, word, written = replace(GROWING), "ab" * 20 + "ba" * 20, []
    monkeypatch.setattr(WholeProgram, "follow", _counted(WholeProgram.follow, written))
    truth = taken(RationalExecutor(network), word)
    counts, engines = [], []
    for _ in range(3):
        written.clear()
        executor = fast(network)
        assert taken(executor, word) == truth
        counts.append(len(written))
        engines.append(executor.engine)
    assert "patterns that do not recur" in engines[0]
    assert counts[0] > 20
    assert max(counts[1:]) < counts[0] / 4


def _counted(function, calls):
    def counted(*arguments):
        calls.append(1)
        return function(*arguments)

    return counted


def test_a_later_run_begins_in_plain_rationals_where_the_fast_steps_failed():
    network, word = replace(GROWING), "ab" * 30 + "ba" * 30
    truth = taken(RationalExecutor(network), word)
    first, later = fast(network), fast(network)
    assert taken(first, word) == taken(later, word) == truth
    assert Experience.of(later._modes.network).detour > SHORTEST_DETOUR
    third = fast(network)
    assert taken(third, word[:4]) == taken(RationalExecutor(network), word[:4])
    assert third.engine == "exact: 4 steps in rationals"  # without a reason: it was not tried


def after(executor, steps):
    """Return the state after so many EOS."""
    state, eos = executor.start(), executor.network.alphabet.index(EOS)
    while steps:
        segment = executor.advance(state, eos, steps, until_decided=True)
        state, steps = segment.state, steps - segment.steps
    return state


def test_direct_mode_is_found_in_spite_of_failed_trials():
    network = xn.compile("bb5").network
    late, soon = fast(network, macro=False), fast(replace(network), macro=False)
    experience = Experience.of(network)
    experience.patience, experience.detour = 0.0, 1 << 20
    state = after(late, 150_000)
    assert modes(late.engine)[0]["direct"] > 50_000
    assert experience.detour == SHORTEST_DETOUR
    assert late.values(state) == soon.values(after(soon, 150_000))


def test_what_a_run_has_saved_is_not_for_others_to_spend():
    network = xn.compile("bb5").network
    xn.run(network)
    experience, first = Experience.of(network), Experience(network).patience
    assert experience.patience > 10 * first
    DirectEngine(network, radix_of(network))
    assert experience.patience == first


@pytest.mark.parametrize("patience", [1.0, -1e9])
def test_macro_mode_goes_on_whatever_the_patience(patience, tmp_path):
    """Its numbers cannot be written out: it must not give up since new edges come up."""
    construction = xn.siegelmann_sontag(xn.load("1RB2LA1LC_0LA2RB1LB_1RZ1RA1RC"))
    file = tmp_path / "run.json"
    xn.run(construction, max_steps=10**17, checkpoint=file)
    Experience.of(construction.network).patience = patience
    run = xn.run(construction, checkpoint=file)
    assert (run.outcome, run.steps) == (xn.Outcome.HALTED, 119_112_334_170_342_540)


def test_a_program_is_written_once(monkeypatch):
    network, written, counts = xn.compile("bb4", "siegelmann_sontag_book").network, [], []
    monkeypatch.setattr(WholeProgram, "follow", _counted(WholeProgram.follow, written))
    for _ in range(3):
        written.clear()
        after(fast(network, macro=False), 90)
        counts.append(len(written))
    assert counts[0] > 20
    assert max(counts[1:]) < counts[0] / 4


def test_a_copy_of_a_program_is_written_on_by_itself():
    network = xn.compile("palindrome").network
    executor = fast(network, macro=False, block_pace=0)
    after(executor, 3000)
    program = executor._modes._engines.direct.program
    copied, code = program.copied(), program.code.array[: program.code.size].copy()
    assert copied.code.size == program.code.size
    assert any(program.code.array[node + words.N_BLOCKS] for node in program._addresses())
    assert not any(copied.code.array[node + words.N_BLOCKS] for node in copied._addresses())
    engine = DirectEngine(network, program.radix, copied)
    state = engine.load(network.initial_state)
    for symbol in network.inputs("abbbaabaab"):
        state = engine.advance(state, symbol, 1, until_decided=False).state
    assert copied.code.size > program.code.size
    assert (program.code.array[: program.code.size] == code).all()
    assert len(copied.transitions) > len(program.transitions)


def test_edges_of_macro_mode_are_found_once(monkeypatch):
    network, found, counts = replace(xn.compile("bb5").network), [], []
    monkeypatch.setattr(MacroMachine, "partial_edge", _counted(MacroMachine.partial_edge, found))
    ends = []
    for _ in range(3):
        found.clear()
        executor = fast(network, macro_after=1024)  # until then it is seen by how many digits numbers move
        state, steps, outcome = executor.start(), 0, None
        while outcome is None:
            segment = executor.advance(state, network.eos, 10**8, until_decided=True)
            state, steps, outcome = segment.state, steps + segment.steps, segment.outcome
        ends.append((steps, outcome, executor.values(state)))
        counts.append(len(found))
    assert ends == [(47_176_870, xn.Outcome.HALTED, ends[0][2])] * 3
    assert counts[0] > 20
    assert counts[1:] == [0, 0]


def test_a_macro_machine_goes_on_by_itself_from_what_is_kept():
    network = xn.compile("bb5").network
    begin, given = network.initial_state, network.eos
    first, second = (Macro.of_engine(DirectEngine(network, radix_of(network))) for _ in range(2))
    form = first.form(begin, given, 3)
    form.runner.trial(form, 1000, inductive=False)
    kept = Experience.of(network).edges(form.runner.machine.legs, given, form.runner.machine.radix)
    assert kept.edges == form.runner.machine.edges
    other = second.form(begin, given, 3)
    other.runner.trial(other, 10**8, inductive=False)
    assert len(other.runner.machine.edges) > len(form.runner.machine.edges) == len(kept.edges)
    assert [*map(other.runner.machine.edges.get, kept.edges)] == [*kept.edges.values()]


def test_short_runs_of_a_network_together_are_worth_looking_it_over():
    network = xn.compile("palindrome").network
    engines = [xn.run(network, "ab" * 25, max_steps=150).engine for _ in range(20)]
    assert engines[0] == "exact: 150 steps in rationals"
    plain = beginning.first_steps(network, Record.of(network).steps, every_state=False, without_end=False)
    assert 20 < plain < 80
    assert engines[-1] == f"exact: {plain} steps in rationals, {150 - plain} steps direct"
    assert xn.run(network, "ab" * 150, max_steps=300).engine == "exact: 300 steps direct"  # the word is long


def test_compiled_code_is_loaded_where_all_runs_together_have_taken_as_long(monkeypatch):
    network = xn.compile("parity").network  # of 14 weights
    monkeypatch.setattr(beginning, "is_loaded", lambda: False)
    first_steps = partial(beginning.first_steps, network, every_state=False, without_end=False)
    enough = beginning.WORTH_LOADING // 14
    assert first_steps(0) == first_steps(enough) > 5_000
    assert first_steps(enough + 1) < 256


def test_compiled_code_is_loaded_for_a_long_word_or_after_as_long_a_time(monkeypatch):
    network = xn.compile("parity").network
    seconds = {"few": 0.0, "many": 2 * beginning.LOADING}
    found = {}
    for loaded in (False, True):
        monkeypatch.setattr(beginning, "is_loaded", lambda loaded=loaded: loaded)
        for steps, taken in seconds.items():
            monkeypatch.setattr(beginning.ALL_RUNS, "seconds", taken)
            for letters in (100, 10**6):
                found[loaded, steps, letters] = beginning.puts_off_loading(network, letters)
    assert [key for key, puts_off in found.items() if puts_off] == [(False, "few", 100)]


@pytest.mark.parametrize(("patience", "writes"), [(-1.0, False), (1.0, True)])
def test_where_it_does_not_pay_nothing_is_written(monkeypatch, patience, writes):
    network, written = xn.compile("palindrome").network, []
    follow = WholeProgram.follow
    monkeypatch.setattr(WholeProgram, "follow", lambda *given: (written.append(given), follow(*given)))
    monkeypatch.setattr(Experience, "took_plain", lambda *given, **options: None)  # no time is won back
    Record.of(network).steps = beginning.STEPS
    Experience.of(network).patience = patience
    found = xn.run(network, "ab" * 40, max_steps=600)
    assert found.outputs == xn.run(network, "ab" * 40, xn.RATIONAL, max_steps=600).outputs
    assert bool(written) is writes


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("construction", ["siegelmann_sontag", "chung_siegelmann", "siegelmann_sontag_book"])
def test_runs_in_threads_share_what_they_find_out(construction):
    network = xn.compile("palindrome", construction).network
    given = ["".join(random.Random(n).choices("ab", k=12)) for n in range(12)]
    expected = [taken(RationalExecutor(network), word) for word in given]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(6) as threads:
            for _ in range(3):
                assert list(threads.map(lambda word: taken(fast(network), word), given)) == expected
    finally:
        sys.setswitchinterval(interval)


def test_runs_in_turn_do_not_disturb_each_other():
    """Step by step, on different words, with blocks in one of them."""
    network = xn.compile("palindrome").network
    given = [network.inputs(word) for word in ("abbaabba" * 5, "aababbba" * 5)]
    executors = [fast(network, macro=False, block_pace=0), fast(network)]
    reference = RationalExecutor(network)
    states, truths = [executor.start() for executor in executors], [reference.start()] * 2
    for symbols in zip(*given, strict=True):
        for i, symbol in enumerate(symbols):
            states[i] = executors[i].advance(states[i], symbol, 1, until_decided=False).state
            truths[i] = reference.advance(truths[i], symbol, 1, until_decided=False).state
            assert executors[i].values(states[i]) == truths[i]


@pytest.fixture
def nothing_is_compiled(monkeypatch):
    """Let the loop of direct mode look as if nobody had compiled it, and the process as if it had just begun."""
    monkeypatch.setattr(notices, "_put_off", [True])
    monkeypatch.setattr(notices, "SECONDS", 600)
    monkeypatch.setattr(executor, "_patience", notices.Patience())
    monkeypatch.setattr(Engines, "are_compiled", lambda: False)


@pytest.mark.usefixtures("nothing_is_compiled")
@pytest.mark.parametrize(
    ("name", "construction", "word"),
    [("palindrome", "siegelmann_sontag", "ab" * 400), ("bb4", "siegelmann_sontag_book", "")],
)
def test_what_is_over_within_a_second_compiles_nothing(name, construction, word):
    """Whatever the steps are taken in: a word and EOS, and a network of which a smaller one is run."""
    network = xn.compile(name, construction).network
    expected = xn.run(network, word, xn.RATIONAL, max_steps=1200)
    run = xn.run(network, word, max_steps=1200)
    assert run.engine == f"exact: {expected.steps:,} steps in rationals"
    assert (run.outcome, run.steps, run.final_state) == (expected.outcome, expected.steps, expected.final_state)


@pytest.mark.parametrize("limit", [None, 2000])
@pytest.mark.parametrize("construction", ["siegelmann_sontag", "chung_siegelmann"])
def test_a_run_whose_states_are_recorded_takes_plain_steps(construction, limit):
    """A state of direct mode takes longer to write out than a plain step."""
    network, word = xn.compile("palindrome", construction).network, "ab" * 6 + "ba" * 6
    expected = xn.run(network, word, xn.RATIONAL, record="all")
    for _ in range(2):
        run = xn.run(network, word, record="all", max_steps=limit)
        assert run.engine == f"exact: {expected.steps:,} steps in rationals"
        assert (run.outcome, run.trace, run.outputs) == (expected.outcome, expected.trace, expected.outputs)


def test_without_a_limit_a_recorded_run_goes_on_in_other_modes(monkeypatch, tmp_path):
    network, word = xn.compile("palindrome").network, "ab" * 6 + "ba" * 6
    expected = xn.run(network, word, xn.RATIONAL, record="all")
    monkeypatch.setattr(beginning, "STEPS_TO_LOOK_AT", 64)
    run = xn.run(network, word, record="all")
    assert "64 steps in rationals" in run.engine
    assert "direct" in run.engine
    assert (run.outcome, run.trace, run.outputs) == (expected.outcome, expected.trace, expected.outputs)
    begun = xn.run(network, word, record="all", max_steps=100, checkpoint=tmp_path / "run")
    assert begun.engine == "exact: 100 steps in rationals"
    resumed = xn.run(network, word, record="all", checkpoint=tmp_path / "run")
    assert (resumed.resumed_from, resumed.trace, resumed.outputs) == (100, expected.trace, expected.outputs)


@pytest.mark.usefixtures("nothing_is_compiled")
def test_after_a_second_of_plain_steps_direct_mode_is_compiled(monkeypatch):
    monkeypatch.setattr(notices, "SECONDS", 1e-9)
    run = xn.run(xn.compile("bb5"), max_steps=3000)
    assert "direct" in run.engine
    assert run.steps == 3000
    assert run.final_state == xn.run(xn.compile("bb5"), max_steps=3000, arithmetic=xn.RATIONAL).final_state


@pytest.mark.usefixtures("nothing_is_compiled")
def test_a_run_that_waits_is_resumed():
    network = xn.compile("bb5").network
    one = executor.ExactExecutor(network)
    eos = network.eos
    state = one.advance(one.start(), eos, 900, until_decided=True).state
    while state.left > 0:
        state = one.advance(state, eos, 1, until_decided=True).state
    state = one.advance(state, eos, 5, until_decided=True).state
    assert state.left < 0
    other = executor.ExactExecutor(network)
    again = other.unpack(one.pack(state))
    assert other.values(again) == one.values(state)
    ends = [who.advance(it, eos, 40, until_decided=True) for who, it in ((one, state), (other, again))]
    assert one.values(ends[0].state) == other.values(ends[1].state)
