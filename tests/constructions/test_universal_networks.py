"""A universal machine inside a network runs a second machine: halting or not, the network says what the guest says."""

from dataclasses import replace

import pytest
from tag_systems import bi_tag_run, bi_tag_symbol, bi_tag_tape, bi_tag_word, codes, tag_run, tag_word

from exactnn.automata import TuringMachine, interpret, tape_configuration
from exactnn.constructions import chung_siegelmann, siegelmann_sontag
from exactnn.machine_files import load, written_tape
from exactnn.simulation import run

NETWORKS = pytest.mark.parametrize("compiled", [chung_siegelmann, siegelmann_sontag])
DOUBLE, KEEPS = ([0, 0],), ([1, 1, 0], [1, 1])
E1, E2 = ("e", 1), ("e", 2)
ONE_LETTER, DOUBLES, ENDLESS = {(1, 1): (1, 2)}, {(1, 1): (1, 1, 2)}, {(1, 1): (1, 1)}
MOST = 60_000


def ending(machine, configuration):
    return "".join(written_tape(machine, configuration))


@NETWORKS
@pytest.mark.parametrize(
    ("productions", "word"),
    [
        (DOUBLE, [0, 0, 1]),
        pytest.param(DOUBLE, [0, 1, 1, 0], marks=pytest.mark.slow),
        pytest.param(KEEPS, [1, 0, 2, 0], marks=pytest.mark.slow),
        (KEEPS, [2, 1, 1]),
    ],
)
def test_tag_systems_in_rogozhins_machine_in_a_network(compiled, productions, word):
    machine = load("rogozhin-4-6")
    net = compiled(machine)
    direct = interpret(machine, tag_word(productions, word), max_steps=MOST)
    result = run(net, tag_word(productions, word))
    assert (result.outcome.value, result.machine_steps) == ("halted", direct.steps)
    number = codes(productions)
    letters = "".join("1" * number[letter] + "c" for letter in tag_run(productions, word)) + "1" * number[-1]
    assert ending(machine, net.decode(result.final_state)).endswith(letters)


@pytest.mark.mostly_slow(quick=3, slow=2)
@NETWORKS
@pytest.mark.parametrize(
    ("productions", "word"),
    [(ONE_LETTER, [E2, 1]), (ONE_LETTER, [E1, 1, 1]), (DOUBLES, [E1, 1, 1]), (ENDLESS, [E1, 1])],
)
def test_bi_tag_systems_in_neary_and_woods_machine_in_a_network(compiled, productions, word):
    machine = load("neary-woods-15-2")
    net, on_tape = compiled(machine), bi_tag_word(productions, word)
    (_, *letters), steps = bi_tag_run(productions, word)
    result = run(net, on_tape, max_steps=net.set_up_steps(len(on_tape)) + net.steps_per_move * MOST)
    assert (result.outcome.value == "halted") == (steps is not None)
    configuration = net.decode(result.final_state)
    assert configuration == interpret(machine, on_tape, max_steps=MOST).configuration
    if steps is not None:
        last = "bb" + "".join(bi_tag_symbol(productions, letter) for letter in letters) + "cb"
        assert ending(machine, configuration).endswith(last)


def bare(name, own, symbols):
    """Return a machine of the zoo without the states and symbols that put its word on the tape."""
    machine = load(name)
    return TuringMachine(
        states=[*own, "halt"],
        input_symbols="",
        tape_symbols=symbols,
        transitions={q: {a: machine.transitions[q][a] for a in symbols} for q in own},
        initial_state=own[0],
        blank_symbol=machine.blank_symbol,
        halt_state="halt",
        tape="two_way_infinite",
    )


@pytest.mark.parametrize(
    ("name", "states", "symbols", "units"),
    [("neary-woods-15-2", [f"u{i}" for i in range(1, 16)], "cb", 43),
     ("rogozhin-4-6", [f"q{i}" for i in range(1, 5)], "1b><0c", 43)],
)  # fmt: skip
def test_universal_networks_that_begin_with_the_tape_in_their_state(name, states, symbols, units):
    """The published number of units, and one that keeps the verdict."""
    assert chung_siegelmann(bare(name, states, symbols)).network.neurons == units + 1


@pytest.mark.parametrize(
    ("productions", "word"), [(ONE_LETTER, [E2, 1]), (ONE_LETTER, [E1, 1, 1]), (DOUBLES, [1, E1, 1])]
)
def test_a_guest_in_44_units(productions, word):
    machine = bare("neary-woods-15-2", [f"u{i}" for i in range(1, 16)], "cb")
    net = chung_siegelmann(machine)
    left, (scanned, *right) = bi_tag_tape(productions, word)
    start = net.encode(tape_configuration(machine, "u1", left[::-1], scanned, right))
    result = run(replace(net.network, initial_state=start))
    assert result.outcome.value == "halted"
    (_, *letters), _ = bi_tag_run(productions, word)
    last = "bb" + "".join(bi_tag_symbol(productions, letter) for letter in letters) + "cb"
    assert ending(machine, net.decode(result.final_state)).endswith(last)
