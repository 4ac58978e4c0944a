"""The files of Doty's simulator and the parameters of automata-lib, each by a second interpreter."""

import itertools
import json
import re
from pathlib import Path

import pytest
import yaml
from automata.fa.nfa import NFA
from automata.pda.dpda import DPDA
from automata.tm.dtm import DTM

import exactnn as xn
from exactnn.automata import interpret
from exactnn.errors import MachineFileError
from exactnn.machine_files import load, load_file
from exactnn.outcome import Outcome
from tests.promptness import promptly

FOREIGN = Path(__file__).parent / "foreign"
LIB = {"ends-alike": NFA, "balanced": DPDA, "zeros-then-ones": DTM}


def words(alphabet, longest):
    return ("".join(word) for n in range(longest + 1) for word in itertools.product(alphabet, repeat=n))


def plain(file):
    """Return the document with all scalars as text, as the simulator takes them."""
    text = re.sub(r" (\?[_$]),", r" '\1',", (FOREIGN / f"{file}.yaml").read_text(encoding="utf-8"))
    return yaml.load(text, Loader=yaml.BaseLoader)


def accepts(found, word):
    """Whether a finite automaton of the simulator accepts, by all ways."""
    here = {found["start_state"]}
    for a in [*word, None]:
        waiting = list(here)
        for q in waiting:  # it grows meanwhile
            more = found["delta"].get(q, {}).get("", [])
            for target in [more] if isinstance(more, str) else more:
                if target not in waiting:
                    waiting.append(target)
        if a is None:
            break
        nexts = [found["delta"].get(q, {}).get(a, []) for q in waiting]
        here = {target for more in nexts for target in ([more] if isinstance(more, str) else more)}
    return bool(set(waiting) & set(found["accept_states"]))


def run_tapes(found, word, tapes, most=2000):
    """Run a Turing machine of the simulator: heads stay at the left end, rules without ? come first."""
    cells, heads, q, steps = (
        [dict(enumerate(word)), *({} for _ in range(tapes - 1))],
        [0] * tapes,
        found["start_state"],
        0,
    )
    while q not in (found["accept_state"], found["reject_state"]):
        under = "".join(tape.get(head, "_") for tape, head in zip(cells, heads, strict=True))
        rules = found["delta"].get(q, {})
        fitting = [key for key in rules if all(k in ("?", a) for k, a in zip(key, under, strict=True))]
        if not fitting:
            return False, steps
        q, written, moves = rules[min(fitting, key=lambda key: "?" in key)]
        for i, (a, b, move) in enumerate(zip(under, written, moves, strict=True)):
            cells[i][heads[i]] = a if b == "?" else b
            heads[i] = max(0, heads[i] + {"L": -1, "R": 1, "S": 0}[move])
        steps += 1
        assert steps < most
    return q == found["accept_state"], steps


@pytest.mark.parametrize("file", ["no-triple-zero-end", "third-from-end"])
def test_finite_automata_of_doty(file):
    machine, found = load(FOREIGN / f"{file}.yaml"), plain(file)
    assert load_file(FOREIGN / f"{file}.yaml").format == "Doty"
    verdicts = set()
    for word in words(machine.input_symbols, 7):
        verdicts.add(machine.accepts(word))
        assert machine.accepts(word) == accepts(found, word), word
    assert verdicts == {True, False}
    assert all((xn.run(machine, word).verdict == "accept") == machine.accepts(word) for word in words("01", 4))


@pytest.mark.parametrize(("file", "tapes", "language"), [
    ("marked-copy-doty", 1, lambda w: w.count("#") == 1 and w.split("#")[0] == w.split("#")[1]),
    ("count-as", 2, lambda w: w.count("a") % 2 == 0),
])  # fmt: skip
def test_turing_machines_of_doty(file, tapes, language):
    machine, found = load(FOREIGN / f"{file}.yaml"), plain(file)
    assert machine.tape == "semi_infinite"
    for word in words(machine.input_symbols, 5):
        accepted, steps = run_tapes(found, word, tapes)
        run = interpret(machine, word)
        assert accepted == language(word) == (run.outcome is Outcome.ACCEPTED), word
        assert run.steps >= steps


@pytest.mark.parametrize("file", LIB)
def test_parameters_of_automata_lib(file):
    text = (FOREIGN / f"{file}.json").read_text(encoding="utf-8")
    machine, found = load(text), json.loads(text)
    for key in ("states", "input_symbols", "final_states", "tape_symbols", "stack_symbols"):
        if key in found:
            found[key] = set(found[key])
    if LIB[file] is NFA:
        found["transitions"] = {q: {a: set(t) for a, t in row.items()} for q, row in found["transitions"].items()}
    other = LIB[file](**found)
    verdicts = set()
    for word in words(machine.input_symbols, 7):
        verdicts.add(other.accepts_input(word))
        assert (interpret(machine, word).outcome is Outcome.ACCEPTED) == other.accepts_input(word), word
    assert verdicts == {True, False}
    net = xn.compile(machine)
    for word in words(machine.input_symbols, 4):
        assert (xn.run(net, word).verdict == "accept") == other.accepts_input(word)


DFA = "states: [q]\ninput_alphabet: [a]\nstart_state: q\naccept_states: [q]\n"
TM = "states: [q]\ninput_alphabet: [a]\nstart_state: q\naccept_state: y\nreject_state: n\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DFA + "delta: {q: {a: p}}", "line 5: state 'p' is not in 'states:'"),
        (DFA + "delta: {q: {b: q}}", "line 5: symbol 'b' is not in 'input_alphabet:'"),
        (DFA + "delta: {q: {a: {b: c}}}", "line 5: behind 'a' stands a state or a list of states"),
        (DFA + "delta: {q: {a: ~}}", "line 5: behind 'a' stands a state or a list of states"),
        (DFA + "delta: [q, a]", "line 5: 'delta:' is a mapping"),
        (DFA.replace("accept_states: [q]", "accept_states: [z]") + "delta: {q: {a: q}}", "'accept_states:' has 'z'"),
        (DFA.replace("start_state: q", "start_state: z") + "delta: {q: {a: q}}", "line 3: 'start_state:' has 'z'"),
        (TM + "num_tapes: 3\ndelta: {q: {a: [q, a, R]}}", "line 6: 'num_tapes:' is not 1"),
        (DFA + "delta: {q: q}", "line 5: 'q:' is a mapping"),
        (TM + "delta: {q: {a: [q, a]}}", "line 6: a transition is no triple"),
        (TM + "delta: {q: {a: [q, ab, R]}}", "is not for 1 tapes"),
        (TM + "delta: {q: {a: [q, b, R]}}", "line 6: symbol 'b' is in no alphabet"),
        (TM + "delta: {q: {a: [q, a, X]}}", "is not for 1 tapes"),
        (TM + "delta: {q: {a?: [q, aa, RR], ?_: [q, aa, RR]}}", "'a\\?' and '\\?_' both fit 'a_'"),
        (TM + "delta: {q: {aaaaaa: [q, aaaaaa, RRRRRR]}}", "at most 5 tapes"),
        (TM.replace("reject_state: n\n", "") + "delta: {q: {a: [q, a, R]}}", "'reject_state:' is missing"),
        ("states = {q}\ninput_alphabet = {a}\nstart_state = q\ndelta =\n q,a -> q;", "as the simulator reads it today"),
        ('{"input_symbols": ["a"], "initial_state": "q", "stack_symbols": ["Z"], "initial_stack_symbol": "Z", '
         '"transitions": {"q": {"a": {"Z": [["q", "Z"], ["q", ""]]}}}}', "it is nondeterministic"),
        ('{"input_symbols": ["a"], "initial_state": "q", "stack_symbols": ["Z"], "initial_stack_symbol": "Z", '
         '"transitions": {"q": {"a": {"Z": ["q"]}}}}', "a transition is no pair"),
        ('{"input_symbols": ["a"], "initial_state": "q", "transitions": {"q": {"a": "q"}}, "states": ["q"], "x": 1}',
         "unknown key 'x' in a file of automata-lib"),
    ],
)  # fmt: skip
def test_faults(text, said):
    with promptly(), pytest.raises(MachineFileError, match=said) as caught:
        load(text)
    assert "\n" not in str(caught.value)


def test_json_has_escapes_that_yaml_has_not():
    text = json.dumps({"states": ["q"], "input_symbols": ["\U0001f600"], "initial_state": "q", "final_states": ["q"],
                       "transitions": {"q": {"\U0001f600": "q"}}})  # fmt: skip
    assert "\\ud83d" in text
    assert load(text).input_symbols == ("\U0001f600",)


def test_a_note_says_where_the_machine_differs():
    assert "counts twice" in load_file(FOREIGN / "marked-copy-doty.yaml").notes[1]
    assert re.match("where nothing fits", load_file(FOREIGN / "zeros-then-ones.json").notes[0])
