"""Automata one plays with: the page walks as the machines do, and rings the first letter after which they differ."""

import random

import pytest

import exactnn as xn
from exactnn.plots import automaton_page
from tests.plots.pages import data_of, views

GROUP = xn.PermutationGroup({"a": "(1 2 3 4 5 6 7)", "b": "(1 7 6 5 4 3 2)"}, name="Z7")


@pytest.fixture(scope="module")
def turns():
    """Return an extraction, the automaton that it should be, and a shortest word on which they differ."""
    net = xn.word_problem(GROUP, "rotation")
    found = xn.extract_state_machine(net, xn.FLOAT8_E5M2)
    return found, net.machine, "".join(xn.equivalent(found.minimal, net.machine).witness)


def walked(machine, word):
    """Return what a machine in the data of a page says after each letter, given by numbers."""
    said, state = [], machine["initial"]
    for letter in [*word, None]:
        said.append(machine["says"][machine["states"][state]["says"]])
        if letter is not None:
            state = machine["next"][state][letter]
    return said


def test_the_machines_of_the_page_say_what_the_automata_say(turns):
    found, should, _ = turns
    data = data_of(automaton_page(found, should))
    drawn = random.Random(1)
    for _ in range(200):
        word = [drawn.randrange(2) for _ in range(drawn.randrange(30))]
        letters = "".join(data["symbols"][letter] for letter in word)
        for machine, automaton in zip(data["machines"], (found.minimal, should), strict=True):
            expected = ["accepted" if automaton.accepts(letters[:i]) else "rejected" for i in range(len(letters) + 1)]
            assert walked(machine, word) == expected


def test_outputs_of_a_moore_machine_are_what_it_says():
    net = xn.compile(xn.load("anbn"))
    found = xn.extract_state_machine(net, xn.FLOAT8_E4M3)
    assert isinstance(found.minimal, xn.MooreMachine)
    machine = data_of(automaton_page(found, found))["machines"][0]
    assert set(machine["says"]) == {str(output) for output in found.minimal.outputs.values()}


def test_the_symbols_of_the_second_machine_may_come_in_another_order():
    parity = xn.load("parity")
    parts = {"states": parity.states, "transitions": parity.transitions, "initial_state": parity.initial_state}
    other = xn.DFA(**parts, input_symbols=parity.input_symbols[::-1], final_states=parity.final_states)
    first, second = data_of(automaton_page(parity, other))["machines"]
    assert first["next"] == second["next"]


def test_what_has_no_page_is_told(turns):
    found, should, _ = turns
    short = xn.extract_state_machine(found.network, xn.FLOAT8_E5M2, max_states=10)
    with pytest.raises(
        xn.ExactnnError, match="is not complete, the limit of 10 states was reached: go on with resumed"
    ):
        automaton_page(short, should)
    with pytest.raises(xn.ExactnnError, match="the machines read a b and 0 1: give two with the same symbols"):
        automaton_page(should, xn.load("parity"))
    with pytest.raises(xn.ExactnnError, match="has 3,031 states, and a picture at most 48, and 160 arrows"):
        automaton_page(found.automaton, should)
    with pytest.raises(xn.ExactnnError, match="a word of 201 letters is too long for a page: at most 200"):
        automaton_page(found, should, "a" * 201)
    with pytest.raises(xn.ExactnnError, match="'c'"):
        automaton_page(found, should, "abc")


@pytest.mark.slow
def test_it_plays_in_a_browser(turns, tmp_path):
    found, should, wrong = turns
    automaton_page(found, should, wrong, path=tmp_path / "automaton.html")
    for page in views(tmp_path / "automaton.html"):
        assert page.locator("#word").input_value() == wrong
        for step in range(1, len(wrong) + 1):
            page.keyboard.press("ArrowRight")
            assert page.locator("svg .ring:visible").count() == 2 * (step == len(wrong))
        assert page.locator("#letters .ring").count() == 1
        assert page.locator("#told.wrong").count() == 1
        page.click("#letters button >> nth=0")
        assert page.evaluate("now") == 1
        page.fill("#word", "abba")
        assert page.locator("#step").text_content() == "4 of 4"
        said = ["accepted" if machine.accepts("abba") else "rejected" for machine in (found.minimal, should)]
        assert [text.split(": ")[-1] for text in page.locator("#machines h2").all_text_contents()] == said
        page.fill("#word", "abx")
        assert "x is no letter: a b" in page.locator("#told").text_content()
        page.click("#symbols button >> nth=1")
        page.click("text=delete")
        page.click("text=clear")
        assert page.locator("#step").text_content() == "0 of 0"
        for _ in range(3):
            page.click("#symbols button >> nth=0")
        assert page.locator("#word").input_value() == "aaa"
        page.click("#play")
        page.locator("#play", has_text="play").wait_for()
        assert page.locator("#step").text_content() == "3 of 3"
