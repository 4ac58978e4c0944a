"""The search finds what is wrong, from scratch, and as small as by hand; it finds nothing where nothing is wrong."""

import time
from dataclasses import replace
from functools import partial
from itertools import product

import pytest

import exactnn as xn
from exactnn.automata import TuringMachine, interpret
from exactnn.constructions import CONSTRUCTIONS, compile, minsky, siegelmann_sontag
from exactnn.constructions.construction import Codec
from exactnn.constructions.literal_book import literal_book
from exactnn.constructions.steps import step_network
from exactnn.errors import ConstructionError, OptionError, WordError
from exactnn.outcome import Outcome
from exactnn.simulation import run
from exactnn.testing import Compiler, Rules, compare, compiler, disagreement_text, fuzz, search

CORRECTIONS = ("E1", "E2", "E3", "E4")
BY_HAND = {None: 1, "E1": 1, "E2": 2, "E3": 1, "E4": 2}
"""Working states of the smallest counterexamples that were found by reading the chapter; the words are empty."""


def chapter(erratum):
    """The chapter's construction with one erratum, or with all."""
    fixes = [fix for fix in CORRECTIONS if erratum and fix != erratum]
    return Compiler(name=f"chapter {erratum}", kind=TuringMachine, function=partial(literal_book, fixes=fixes))


@pytest.mark.mostly_slow(quick=1, slow=1)
@pytest.mark.parametrize("erratum", [None, "E1", "E3"])
def test_the_chapter_is_falsified_from_scratch(erratum):
    found = fuzz(chapter(erratum), seconds=300).found
    assert len(found.machine.transitions) <= BY_HAND[erratum]
    assert len(found.machine.tape_symbols) == 2
    assert found.word == ()
    network = step_network(chapter(erratum).function(found.machine))
    assert found.expected is interpret(found.machine, max_steps=100).outcome
    assert run(network, "", max_steps=40).outcome is not found.expected


@pytest.mark.mostly_slow(quick=4, slow=3)
@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_nothing_is_found_in_our_own_constructions(name):
    result = fuzz(compiler(name), rules=Rules(by="configuration"), seconds=1)
    assert result.found is None
    assert result.tried


def wrong_on(pattern):
    """A compiler of automata whose network accepts the words that do not begin with a pattern."""

    def function(dfa: xn.DFA) -> xn.Construction:
        flipped = xn.DFA(
            states=[*product(dfa.states, range(len(pattern) + 1)), *product(dfa.states, ["no"])],
            input_symbols=dfa.input_symbols,
            transitions={
                **{
                    (q, i): {
                        a: (dfa.transitions[q][a], i if i == len(pattern) else i + 1 if a == pattern[i] else "no")
                        for a in dfa.input_symbols
                    }
                    for q in dfa.states
                    for i in range(len(pattern) + 1)
                },
                **{(q, "no"): {a: (dfa.transitions[q][a], "no") for a in dfa.input_symbols} for q in dfa.states},
            },
            initial_state=(dfa.initial_state, 0),
            final_states=[
                (q, i)
                for q, i in product(dfa.states, [*range(len(pattern) + 1), "no"])
                if (q in dfa.final_states) != (i == len(pattern))
            ],
        )
        return minsky(flipped).network

    return Compiler(name="wrong", kind=xn.DFA, function=function)


def test_the_shortest_word_of_a_given_machine():
    result = fuzz(wrong_on("1101"), machine=xn.load("parity"), seconds=300)
    assert result.found.word == tuple("1101")
    assert result.is_shortest
    assert (result.found.expected, result.found.found) == (Outcome.ACCEPTED, "rejected")


def test_a_word_that_is_drawn_is_shrunk_and_shorter_ones_are_compared(monkeypatch):
    monkeypatch.setattr(search, "EXHAUSTIVE_SHARE", 0)
    result = fuzz(wrong_on("000000"), machine=xn.load("parity"), seconds=300)
    assert result.found.word == tuple("000000")
    assert result.is_shortest
    assert result.tried > 64


@pytest.mark.by_hand
def test_machines_of_many_states_are_drawn_where_small_ones_agree():
    def function(dfa):
        wrong = set(dfa.states) - set(dfa.final_states) if len(dfa.states) >= 4 else dfa.final_states
        return minsky(replace(dfa, final_states=tuple(wrong))).network

    found = fuzz(Compiler(name="wrong", kind=xn.DFA, function=function), seconds=300).found
    assert (len(found.machine.states), found.word) == (4, ())


@pytest.mark.by_hand
def test_the_initial_state_need_not_be_the_first_of_the_list():
    def function(dfa):
        return minsky(replace(dfa, initial_state=dfa.states[0])).network

    found = fuzz(Compiler(name="wrong", kind=xn.DFA, function=function), seconds=300).found
    assert found.machine.states == ("q1", "q0")


@pytest.mark.parametrize(
    ("code", "message"),
    [("def f(:", "invalid syntax"), ("raise RuntimeError('no licence')", "RuntimeError.*no licence")],
)
def test_a_module_that_cannot_be_imported(code, message, tmp_path, monkeypatch):
    (tmp_path / "faulty_module.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=f"'faulty_module' cannot be imported: .*{message}"):
        compiler("faulty_module:f")


def test_rules_of_agreement():
    anbn = xn.load("anbn")
    moves = interpret(anbn, "aabb").steps
    assert compare(compiler("siegelmann_sontag"), anbn, "aabb", Rules(max_moves=moves - 1)) is None
    assert compare(compiler("siegelmann_sontag"), anbn, "aabb", Rules(max_moves=moves)) is None
    found = compare(
        compiler("siegelmann_sontag"), anbn, "aaaabbbb", Rules(arithmetic=xn.FLOAT8_E4M3, by="configuration")
    )
    assert found.difference.move == 0
    assert str(found.difference.machine) == "start: [a] a a a b b b b"


def test_a_network_may_be_slower_than_its_machine_but_not_for_ever():
    machine = xn.load("anbn")
    book = Compiler(name="book", kind=None, function=lambda machine: xn.siegelmann_sontag_book(machine).network)
    assert compare(book, machine, "ab") is None
    found = compare(book, machine, "ab", Rules(slowdown=1))
    assert (found.expected, found.found) == (Outcome.ACCEPTED, "step limit")


def test_verdicts_without_a_halt_are_wrong():
    loops = xn.TuringMachine(
        states="qA",
        input_symbols="",
        tape_symbols="_",
        transitions={"q": {"_": ("q", "_", "R")}},
        initial_state="q",
        blank_symbol="_",
        accept_state="A",
    )
    halts = xn.TuringMachine(
        states="qA",
        input_symbols="",
        tape_symbols="_",
        transitions={"q": {"_": ("A", "_", "R")}},
        initial_state="q",
        blank_symbol="_",
        accept_state="A",
    )
    always = Compiler(name="always", kind=None, function=lambda _: siegelmann_sontag(halts).network)
    found = compare(always, loops, "")
    assert (found.expected, found.moves, found.found) == (Outcome.STEP_LIMIT, 100, "accepted")


def test_what_a_construction_raises_is_a_finding():
    def broken(dfa: xn.DFA) -> object:
        return minsky(dfa) if len(dfa.states) == 1 else 1 / (len(dfa.states) - 2)

    found = fuzz(Compiler(name="broken", kind=xn.DFA, function=broken), seconds=60).found
    assert found.found.startswith("raised ZeroDivisionError: ")
    assert len(found.machine.states) == 2


def test_a_machine_of_another_kind_is_refused():
    def of_automata(dfa: xn.DFA) -> object:
        return minsky(dfa)

    with pytest.raises(ConstructionError, match=r"of_automata compiles a DFA, not the TuringMachine .palindrome"):
        fuzz(of_automata, "palindrome", seconds=1)


def test_compilers_and_machines_by_name():
    assert fuzz("minsky", "parity", seconds=0.3).found is None
    assert fuzz(minsky, seconds=0.3).found is None
    with pytest.raises(OptionError, match="3 compiles nothing"):
        fuzz(3)
    with pytest.raises(OptionError, match="seed='a': give a whole number"):
        fuzz("minsky", seconds=1, seed="a")


def test_refused_machines_are_counted_and_the_reason_is_raised_if_all_are():
    result = fuzz(chapter(None), seconds=60)
    assert result.refused
    refusing = Compiler(name="never", kind=xn.DFA, function=lambda dfa: dfa)
    with pytest.raises(ConstructionError, match="never returned"):
        fuzz(refusing, seconds=0.5)


@pytest.mark.parametrize("seconds", [0, -1, "1", True, float("nan")])
def test_time_is_positive(seconds):
    with pytest.raises(OptionError, match="give a number of seconds above 0"):
        fuzz(compiler("minsky"), seconds=seconds)


def test_machines_of_no_known_kind():
    with pytest.raises(OptionError, match="does not say which machines it compiles"):
        fuzz(Compiler(name="any", kind=None, function=minsky))


@pytest.mark.parametrize("options", [{"by": "state"}, {"max_moves": 0}, {"slowdown": 1.5}])
def test_rules_are_checked(options):
    with pytest.raises(OptionError):
        Rules(**options)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("minsk", "construction 'minsk' is unknown: choose one of minsky"),
        ("no.such.module:f", "cannot be imported"),
        (":f", "cannot be imported"),
        ("math:nothing", "module 'math' has no function 'nothing'"),
        ("math:pi", "module 'math' has no function 'pi'"),
        ("exactnn.testing", "is unknown"),
        ("affine", "construction 'affine' is unknown"),
        ("steps", "construction 'steps' is unknown"),
        ("__init__", "construction '__init__' is unknown"),
    ],
)
def test_names_of_compilers(name, message):
    with pytest.raises(OptionError, match=message):
        compiler(name)


def test_a_module_of_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "my_nets.py").write_text(
        "from exactnn import DFA, minsky\n"
        "def mine(dfa: DFA):\n    return minsky(dfa)\n"
        "def other(machine):\n    return 0\n"
    )
    monkeypatch.chdir(tmp_path)
    assert compiler("my_nets:mine").kind is xn.DFA
    assert compiler("my_nets:other").kind is None


def test_interrupted(monkeypatch):
    def interrupt(_dfa: xn.DFA) -> object:
        raise KeyboardInterrupt

    result = fuzz(Compiler(name="stop", kind=xn.DFA, function=interrupt), seconds=60)
    assert result.interrupted
    assert result.found is None


def test_a_comparison_that_holds_the_search_up_is_told(monkeypatch):
    monkeypatch.setattr(search, "HELD", 0.05)

    def holds(dfa: xn.DFA) -> object:
        if len(dfa.states) > 1:
            time.sleep(0.1)
            raise KeyboardInterrupt
        return minsky(dfa)

    result = fuzz(holds, seconds=60)
    assert result.interrupted
    machine, word = result.held_by
    assert len(machine.states) > 1
    assert all(symbol in machine.input_symbols for symbol in word)
    monkeypatch.setattr(search, "HELD", 10)
    assert fuzz(holds, seconds=60).held_by is None


def test_what_a_construction_raises_for_a_given_machine_is_a_finding():
    def broken(_dfa: xn.DFA) -> object:
        raise ZeroDivisionError("no\nline")

    result = fuzz(Compiler(name="broken", kind=xn.DFA, function=broken), machine=xn.load("parity"), seconds=60)
    assert (result.found.word, result.found.found) == ((), "raised ZeroDivisionError: 'no\\nline'")
    assert result.is_shortest


@pytest.mark.slow
def test_a_fault_that_only_long_words_show_is_found_without_a_machine():
    def function(dfa: xn.DFA) -> object:
        return wrong_on("aaaaaa").function(dfa)

    found = fuzz(Compiler(name="wrong", kind=xn.DFA, function=function), seconds=300).found
    assert (len(found.machine.states), found.word) == (1, tuple("aaaaaa"))


@pytest.mark.slow
def test_a_fault_that_only_another_order_of_symbols_shows_is_found():
    def function(dfa: xn.DFA) -> object:
        wrong = set(dfa.states) - set(dfa.final_states)
        return minsky(replace(dfa, final_states=tuple(wrong)) if dfa.input_symbols > ("b",) else dfa).network

    found = fuzz(Compiler(name="wrong", kind=xn.DFA, function=function), seconds=300).found
    assert (found.machine.input_symbols, found.word) == (("b", "a"), ())


class Unreadable(Codec):
    """Of a construction whose states cannot be read where the machine is in its last state."""

    def __init__(self, codec, last):
        self.codec, self.last = codec, last

    def encode(self, configuration):
        return self.codec.encode(configuration)

    def decode(self, state, cells=None):
        decoded = self.codec.decode(state, cells)
        if decoded == self.last:
            raise ConstructionError("no state is indicated")
        return decoded


def test_a_state_that_cannot_be_decoded_is_a_difference_and_no_refusal():
    def function(dfa: xn.DFA) -> xn.Construction:
        made = minsky(dfa)
        return replace(made, codec=Unreadable(made.codec, dfa.states[-1])) if len(dfa.states) > 1 else made

    unreadable = Compiler(name="unreadable", kind=xn.DFA, function=function)
    result = fuzz(unreadable, rules=Rules(by="configuration"), seconds=300)
    assert result.refused == 0
    assert (len(result.found.machine.states), result.found.word) == (2, ("a",))
    assert result.found.difference.network == "not decoded: no state is indicated"
    assert "network  not decoded: no state is indicated" in disagreement_text(result.found)


def test_a_network_that_says_it_before_the_machine_halts_is_too_early():
    """The right verdict, moves before it can be known."""
    anbn = xn.load("anbn")
    at_once = xn.TuringMachine(
        states="qAR",
        input_symbols=anbn.input_symbols,
        tape_symbols=["_", *anbn.input_symbols],
        transitions={"q": {a: ("A", a, "R") for a in ["_", *anbn.input_symbols]}},
        initial_state="q",
        blank_symbol="_",
        accept_state="A",
        reject_state="R",
    )
    always = siegelmann_sontag(at_once)
    for made in (always.network, replace(always, machine=anbn)):
        found = compare(Compiler(name="early", kind=None, function=lambda _, made=made: made), anbn, "aaabbb")
        assert (found.expected, found.found) == (Outcome.ACCEPTED, "accepted too early")
        assert found.steps < found.moves


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_a_verdict_at_another_step_than_a_construction_says_is_wrong(name):
    kind = CONSTRUCTIONS[name]

    def promised(change):
        def function(machine):
            construction = compile(machine, name)
            return replace(construction, verdict_delay=construction.verdict_delay + change)

        return Compiler(name="hasty" if change < 0 else "slow", kind=kind, function=function)

    late, early = (fuzz(promised(change), seconds=300).found for change in (-1, 1))
    value = "" if late.value is None else f", value {late.value}"
    assert late.value == early.value
    assert (late.found, early.found) == (f"{late.expected}{value} too late", f"{early.expected}{value} too early")
    assert len(late.word) == len(early.word) == 0


def test_words_that_are_refused_do_not_count_as_compared(monkeypatch):
    def refuse(compiler, machine, word, rules, *, seen=None):
        if word == ("1",):
            raise WordError("not this one")
        return original(compiler, machine, word, rules, seen=seen)

    original = search.compare
    monkeypatch.setattr(search, "compare", refuse)
    result = fuzz(wrong_on("1101"), machine=xn.load("parity"), seconds=300)
    assert (result.found.word, result.agree_up_to, result.is_shortest) == (tuple("1101"), 0, False)


def test_no_word_agrees_where_there_was_no_time():
    assert fuzz(compiler("minsky"), machine=xn.load("parity"), seconds=1e-9).agree_up_to is None
