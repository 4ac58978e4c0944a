"""Halting on the blank tape: runs and proofs that there is no end, beside long runs of a plain interpreter."""

import random
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata.halting import WINDOWS, _is_closed, _run, decide_halting, halting_of, table_of_machine
from exactnn.errors import OptionError


def plain_run(table, symbols, steps):
    """Return after how many steps a table halts, or None."""
    tape, head, state = {}, 0, 0
    for step in range(1, steps + 1):
        rule = table[state * symbols + tape.get(head, 0)]
        if rule is None:
            return step
        tape[head], move, state = rule
        head += move
    return None


def random_table(rng, states, symbols, missing=0.15):
    return tuple(
        None if rng.random() < missing else (rng.randrange(symbols), rng.choice((1, -1)), rng.randrange(states))
        for _ in range(states * symbols)
    )


@pytest.mark.parametrize("symbols", [2, 3])
def test_what_is_proven_never_to_halt_does_not_in_long_runs(symbols):
    rng, kinds = random.Random(symbols), {}
    for _ in range(3000):
        table = random_table(rng, rng.randint(1, 5), symbols)
        found = halting_of(table, symbols, 60)
        kinds[found.proof] = kinds.get(found.proof, 0) + 1
        truth = plain_run(table, symbols, 3000)
        if found.halts:
            assert found.steps == truth
            assert table[found.undefined] is None
        elif found.halts is False:
            assert truth is None, (table, found)
    assert min(kinds[proof] for proof in ("cycle", "translated cycle", "closed set")) > 2


@pytest.mark.parametrize("window", WINDOWS)
def test_a_machine_that_halts_has_no_closed_set(window):
    rng = random.Random(str(window))
    halting = 0
    for _ in range(400):
        table = random_table(rng, rng.randint(2, 5), 2)
        if plain_run(table, 2, 500) is not None:
            halting += 1
            assert not _is_closed(table, 2, *window)
    assert halting > 100


@given(st.integers(0, 10**6))
def test_translated_cycles_come_again_and_again(seed):
    """The state and the cells near the head are the same after each period, farther and farther out."""
    rng = random.Random(seed)
    table = random_table(rng, rng.randint(2, 4), 2, missing=0.05)
    found = _run(table, 2, 80)
    if found.proof != "translated cycle":
        return
    period, seen = found.steps - found.first, []
    tape, head, state = {}, 0, 0
    for step in range(found.steps + 5 * period + 1):
        if step >= found.first and (step - found.first) % period == 0:
            seen.append((head, state, dict(tape)))
        tape[head], move, state = table[state * 2 + tape.get(head, 0)]
        head += move
    shifts = [later[0] - sooner[0] for sooner, later in pairwise(seen)]
    assert len(set(shifts)) == 1
    assert shifts[0] != 0
    side = 1 if shifts[0] > 0 else -1
    windows = [[each[2].get(each[0] - side * n, 0) for n in range(found.cells)] for each in seen]
    assert all(window == windows[0] for window in windows)
    assert len({each[1] for each in seen}) == 1


def test_all_small_machines_are_decided():
    """Of all 2-state tables with rules missing; and of those that are, none does what is said to be impossible."""
    rules = [None, *product((0, 1), (1, -1), (0, 1))]
    for table in product(rules, repeat=4):
        found = halting_of(table, 2, 20)
        truth = plain_run(table, 2, 20)
        assert found.halts is (truth is not None)
        assert found.halts is False or found.steps == truth


@pytest.mark.parametrize(("name", "steps"), [("bb2", 6), ("bb3", 21), ("bb4", 107)])
def test_busy_beavers(name, steps):
    found = decide_halting(xn.load(name))
    assert (found.halts, found.steps) == (True, steps)


def test_too_few_steps():
    found = decide_halting(xn.load("bb4"), max_steps=106)
    assert (found.halts, found.steps, found.proof) == (None, 106, None)


def test_a_table_begins_with_the_initial_state_and_the_blank():
    machine = xn.TuringMachine(
        states=["h", "q", "p"], input_symbols=["x"], tape_symbols=["x", "_"], blank_symbol="_", initial_state="p",
        transitions={
            "q": {"x": ("h", "x", "L"), "_": ("p", "_", "L")}, "p": {"x": ("p", "_", "R"), "_": ("q", "x", "R")},
        },
        halt_state="h", tape="two_way_infinite",
    )  # fmt: skip
    assert table_of_machine(machine) == ((1, 1, 1), (0, 1, 0), (0, -1, 0), None)
    assert decide_halting(machine).halts is False


@pytest.mark.parametrize("others", [[], ["q", "p"]])
def test_a_machine_that_begins_in_its_halting_state_has_halted(others):
    machine = xn.TuringMachine(
        states=["h", *others], input_symbols=[], tape_symbols=["_", "x"], blank_symbol="_", initial_state="h",
        transitions={q: {"x": ("h", "x", "L"), "_": (q, "_", "R")} for q in others}, halt_state="h",
        tape="two_way_infinite",
    )  # fmt: skip
    found = decide_halting(machine)
    assert (found.halts, found.steps, found.proof) == (True, 0, None)


def test_wrong_options():
    symbols = [str(n) for n in range(300)]
    machine = xn.TuringMachine(
        states=["h", "q"], input_symbols=[], tape_symbols=symbols, blank_symbol="0", initial_state="q",
        transitions={"q": dict.fromkeys(symbols, ("h", "299", "R"))}, halt_state="h", tape="two_way_infinite",
    )  # fmt: skip
    with pytest.raises(OptionError, match="has 300 tape symbols: give one of at most 256"):
        decide_halting(machine)
    with pytest.raises(OptionError, match="has a tape with an end"):
        decide_halting(xn.load("palindrome"))
    with pytest.raises(OptionError, match="max_steps=-1"):
        decide_halting(xn.load("bb2"), max_steps=-1)
