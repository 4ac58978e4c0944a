"""A small valid call of every public function and of every class of which people make values, by its name."""

import inspect
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import exactnn as xn
from exactnn.automata import EMPTY, POP
from exactnn.networks import Piece
from tests.networks.cells import CELLS

Call = dict[str, Any]


@cache
def parity() -> xn.DFA:
    return xn.DFA(
        states=["even", "odd"], input_symbols="01", initial_state="even", final_states=["odd"],
        transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
    )  # fmt: skip


A_STAR: Call = {
    "states": "pA", "input_symbols": "a", "tape_symbols": "a_", "initial_state": "p", "blank_symbol": "_",
    "accept_state": "A", "transitions": {"p": {"a": ("p", "a", "R"), "_": ("A", "_", "L")}},
}  # fmt: skip
ON_A_STACK: Call = {
    "states": "pA", "input_symbols": "a", "stack_symbols": "a", "stacks": 1, "initial_state": "p", "accept_state": "A",
    "transitions": {"p": {("a",): ("p", (POP,)), (EMPTY,): ("A", (POP,))}},
}  # fmt: skip
SOME_A: Call = {
    "states": "p", "input_symbols": "a", "counters": 1, "initial_state": "p", "acceptance": [("p", (1,))],
    "transitions": {"p": {"a": {(0,): ("p", (1,)), (1,): ("p", (1,))}}},
}  # fmt: skip
ONE_TAPE: Call = A_STAR | {
    "tapes": 1, "transitions": {"p": {("a",): ("p", ("a",), ("R",)), ("_",): ("A", ("_",), ("S",))}},
}  # fmt: skip
PARITY: Call = {
    "states": ["even", "odd"], "input_symbols": "01", "initial_state": "even",
    "transitions": {"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
}  # fmt: skip
SHIFT: Call = {
    "head_symbols": "01", "left_symbols": "01", "right_symbols": "01", "window": (1, 0),
    "rules": {("1",): (("1",), 0), ("0",): (("1",), 0)},
}  # fmt: skip

COUNT: Call = {
    "input_symbols": "a", "initial": [1, 0], "transitions": {"a": [[1, 1], [0, 1]]}, "final": [0, 1],
}  # fmt: skip

HALVES: Call = {"V": [["1/2"]], "W": [[1]], "b": [0], "s": [0], "readout_weight": [1]}
LETTERS = {"alphabet": "a"}
READOUT: Call = {"readout_weight": [1]}
OF_TWO: Call = {"readout_weight": [1, 1]}


def gates(names: Iterable[str], entry: Any) -> Call:
    """Return a parameter of a gated cell: the same entry for each gate."""
    return dict.fromkeys(names, entry)


@cache
def machine() -> xn.TuringMachine:
    return xn.TuringMachine(**A_STAR)


@cache
def stack_machine() -> xn.StackMachine:
    return xn.StackMachine(**ON_A_STACK)


@cache
def counter() -> xn.CounterMachine:
    return xn.CounterMachine(**SOME_A)


@cache
def count_a() -> xn.WeightedAutomaton:
    return xn.WeightedAutomaton(**COUNT)


@cache
def linear_on_two() -> xn.Network:
    return xn.SecondOrderRNN(A=[[[1, -1]]], s=[1], readout_weight=[1], alphabet="ab")


@cache
def chances() -> xn.WeightedAutomaton:
    return xn.WeightedAutomaton(input_symbols="a", initial=[1], transitions={"a": [["1/2"]]}, final=["1/2"])


@cache
def compiled() -> xn.Construction:
    return xn.minsky(parity())


@cache
def halves() -> xn.Network:
    return xn.SimpleRNN(**HALVES)


@cache
def two_outputs() -> xn.Network:
    return xn.SimpleRNN(**(HALVES | {"readout_weight": [[1], [2]], "readout_bias": [0, 0]}))


@cache
def network_on_letters() -> xn.Network:
    return xn.SimpleRNN(**HALVES, **LETTERS)


@cache
def linear() -> xn.Network:
    return xn.SimpleRNN(**HALVES, **LETTERS, activation="identity")


@cache
def twin() -> xn.UnitaryTwin:
    return xn.unitary(halves(), input_bound=1)


@cache
def certificate() -> dict[str, Any]:
    found = xn.run(xn.compile(machine()), "aa", certify=True).certificate
    assert found is not None
    return found


@cache
def tiny() -> xn.FloatFormat:
    return xn.FloatFormat(precision=3, exponent_bits=3)


@cache
def extraction() -> xn.Extraction:
    return xn.extract_state_machine(compiled(), tiny())


@cache
def table() -> xn.Collapse:
    return xn.collapse(compiled(), ["0"], [tiny()])


CLASSES: dict[str, Callable[[], Call]] = {
    "Certified": lambda: {"bits": 4, "most_bits": 8},
    "CounterMachine": lambda: SOME_A,
    "Cycle": lambda: {"preperiod": 0, "period": 1},
    "DFA": lambda: PARITY | {"final_states": ["odd"]},
    "Enclosure": lambda: {"low": 0, "high": 1},
    "FixedPoint": lambda: {"integer_bits": 2, "fraction_bits": 2},
    "FloatFormat": lambda: {"precision": 3, "exponent_bits": 3},
    "GeneralizedShift": lambda: SHIFT,
    "Interval": lambda: {"bits": 8},
    "ListedLanguage": lambda: {"language": ["a"], "alphabet": "a"},
    "MooreMachine": lambda: PARITY | {"outputs": {"even": 0, "odd": 1}},
    "MultiTapeTuringMachine": lambda: ONE_TAPE,
    "Network": lambda: {
        "circuit": halves().circuit,
        "initial_state": halves().initial_state,
        "readout": halves().readout,
    },
    "Squashing": lambda: {"name": "hard", "pieces": [Piece(activation=xn.Activation.SLU)]},
    "PushdownAutomaton": lambda: {
        "states": "p",
        "input_symbols": "a",
        "stack_symbols": "Z",
        "transitions": {"p": {("a", "Z"): ("p", "ZZ")}},
        "initial_state": "p",
        "initial_stack_symbol": "Z",
    },
    "StackMachine": lambda: ON_A_STACK,
    "TuringMachine": lambda: A_STAR,
    "LinearRNN": lambda: {"layers": [([["1/2"]], [[1]])], "readout": [1]},
    "WeightedAutomaton": lambda: COUNT,
}  # fmt: skip
CLASSES |= {cell.layer.__name__: partial(dict, cell.call) for cell in CELLS.values()}


def on_word() -> Call:
    return {"network": compiled(), "word": "01"}


def functions(folder: Path) -> dict[str, Callable[[], Call]]:
    """Return a valid call of each function; files are in `folder`."""
    return {
        "MultiLayerRNN": lambda: {"V": [[["1/2"]]], "W": [[[1]]], "b": [[0]], "s": [[0]]} | READOUT,
        "StackedRNN": lambda: {"layers": [xn.SimpleRNNLayer(**{name: HALVES[name] for name in "VWbs"})]} | READOUT,
        "branch_program": lambda: {"program": ["x + 1"]},
        "as_acceptor": lambda: {"network": two_outputs()},
        "as_classifier": lambda: {"network": two_outputs()},
        "certified_argmax": lambda: {"network": two_outputs(), "word": [1]},
        "certified_divergence": lambda: {"network": halves(), "word": [1], "arithmetic": tiny()},
        "check_certificate": lambda: {"certificate": certificate()},
        "check_extraction": lambda: {"certificate": extraction().certificate},
        "check_format": lambda: {"network": compiled(), "words": ["0"], "formats": [tiny()]},
        "collapse": lambda: {"network": compiled(), "words": ["0"], "formats": [tiny()]},
        "collapse_witness": lambda: {"network": compiled(), "format": tiny(), "max_length": 2},
        "compare_weighted": lambda: {"first": xn.WeightedAutomaton(**COUNT), "second": xn.WeightedAutomaton(**COUNT)},
        "compile": lambda: {"machine": parity()},
        "configurations": lambda: {"machine": machine(), "word": "a"},
        "construction_table": lambda: {"machines": "parity"},
        "contractivity": lambda: {"network": halves()},
        "counter_capacity": lambda: {"arithmetic": tiny()},
        "decide_halting": lambda: {"machine": xn.load("bb2")},
        "halting_census": lambda: {"states": 1},
        "decided_words": lambda: {
            "construction": xn.language_in_a_weight(["a"], "a"),
            "arithmetic": xn.FLOAT16,
            "max_words": 1,
        },
        "doubling_capacity": lambda: {"arithmetic": tiny()},
        "doubling_lstm_palindromes": dict,
        "equivalent": lambda: {"a": parity(), "b": parity(), "max_length": 2},
        "errata": lambda: {"ids": "E1"},
        "error_growth": lambda: {"network": halves(), "word": [1], "formats": [tiny()]},
        "extract_state_machine": lambda: {"network": compiled(), "arithmetic": tiny()},
        "fading_memory": lambda: {"network": halves(), "tolerance": "1/8", "input_bound": 1},
        "first_divergence": lambda: on_word() | {"arithmetic": tiny()},
        "first_failures": lambda: {
            "network": compiled(),
            "words_of_length": lambda n: "0" * n,
            "precisions": [2],
            "lengths": [1],
        },
        "first_order_memory": lambda: {"U": [[1]], "D": ["1/2"], "F": [[1]], "C": [[1]]},
        "fold_network": lambda: {"network": halves()},
        "fractional_counter": dict,
        "stack_rnn_from_torch": lambda: {
            "source": {
                "controller.rnn.weight_ih_l0": np.ones((1, 2)),
                "controller.rnn.weight_hh_l0": np.ones((1, 1)),
                "action_layer.linear.weight": np.ones((2, 1)),
                "push_value_layer.linear.weight": np.ones((1, 1)),
            },
            "depth": 1,
        },
        "from_torch": lambda: {
            "source": {
                "weight_ih_l0": np.ones((1, 1)),
                "weight_hh_l0": np.ones((1, 1)),
                "bias_ih_l0": np.ones(1),
                "bias_hh_l0": np.ones(1),
            },
            "cell": "RNN",
            "nonlinearity": "relu",
        },
        "from_turing_machine": lambda: {"machine": machine()},
        "gated_counter": dict,
        "generalized_shift": lambda: {"machine": machine()},
        "growing_memory": lambda: {"machine": machine(), "precision": 8, "modules": 1},
        "hankel_rank": lambda: {"source": xn.WeightedAutomaton(**COUNT), "length": 1},
        "interpret": lambda: {"machine": machine(), "word": "a"},
        "is_contractive": lambda: {"network": halves()},
        "language_in_a_weight": lambda: {"language": ["a"], "alphabet": "a"},
        "lazy_real": lambda: {"source": [1, 2]},
        "learn_automaton": lambda: {"network": compiled(), "arithmetic": tiny(), "max_states": 3, "sample_size": 2},
        "load": lambda: {"source": "parity"},
        "load_certificate": lambda: {"path": folder / "certificate.json"},
        "load_network": lambda: {"path": folder / "network.json"},
        "load_onnx": lambda: {"path": folder / "network.onnx"},
        "load_safetensors": lambda: {"path": folder / "network.safetensors"},
        "lstm_anbn": dict,
        "lstm_anbn_then_any": dict,
        "lstm_anbncn": dict,
        "lstm_shuffle_dyck": dict,
        "memory_along_run": lambda: {"U": [[1]], "slopes": [["1/2"]], "F": [[1]], "C": [[1]]},
        "affine_obstruction": lambda: {"network": linear_on_two()},
        "delay": lambda: {"p": 1, "units": 2, "layers": 1},
        "delay_is_realisable": lambda: {"p": 1, "units": 2, "layers": 1},
        "depth_parameters": lambda: {"p": 2},
        "gradient_growth": lambda: {"network": halves(), "words": [[1], [1]], "formats": tiny()},
        "gradient_limits": lambda: {"factors": "1/2", "formats": tiny()},
        "jacobian": lambda: {"network": halves(), "word": [1]},
        "StackRNN": lambda: {
            "controller": xn.SimpleRNNLayer(V=[[0]], W=[[1, 0]], b=[0], s=[0]),
            "stack": xn.SuperpositionStack(),
            "depth": 2,
            "push_weight": [1],
            "pop_weight": [0],
            "value_weight": [[1]],
            "readout_weight": [1],
        },
        "stack_rnn_dyck": lambda: {"k": 1, "depth": 2},
        "stack_rnn_marked_reversal": lambda: {"depth": 2},
        "synthetic_task": lambda: {"name": "parity"},
        "polynomial_degree": lambda: {"network": linear_on_two(), "steps": 2},
        "is_deterministic": lambda: {"automaton": chances()},
        "is_probabilistic": lambda: {"automaton": chances()},
        "minimal_weighted": lambda: {"automaton": xn.WeightedAutomaton(**COUNT)},
        "nondeterministic_reversal": dict,
        "own_unit": lambda: {"dfa": parity()},
        "nondeterministic_stack_rnn": lambda: {"automaton": xn.nondeterministic_reversal("a"), "span": 2},
        "stack_limits": lambda: {"formats": tiny(), "most": 4},
        "norm_preservation": lambda: {"twin": twin(), "start": [1] * twin().network.neurons, "steps": 1},
        "perturbation_decay": lambda: {"network": halves(), "word": [1], "perturbation": [1]},
        "piecewise_affine_map": lambda: {"shift": xn.GeneralizedShift(**SHIFT)},
        "precision_threshold": lambda: {"network": compiled(), "words": ["0"], "precisions": [2]},
        "reachable_ball": lambda: {"network": halves(), "input_bound": 1},
        "refute_unitary_candidate": lambda: {"candidate": xn.relu_witness(1), "input_bound": 1},
        "relu_witness": lambda: {"size": 1},
        "required_bits": lambda: {"network": halves(), "word": [1]},
        "run": lambda: on_word() | {"checkpoint": folder / "checkpoint.json"},
        "run_growing": lambda: {"machine": machine(), "word": "a", "precision": 8},
        "save_certificate": lambda: {"certificate": certificate(), "path": folder / "saved certificate.json"},
        "save_collapse": lambda: {"table": table(), "path": folder / "saved.csv"},
        "save_network": lambda: {"network": halves(), "path": folder / "saved.json"},
        "save_safetensors": lambda: {"network": halves(), "path": folder / "saved.safetensors"},
        "scalar_stack": dict,
        "smt_lower_bound": lambda: {"inputs": 1, "states": 1, "words": [[[1]]]},
        "space_time": lambda: {"construction": xn.compile(machine()), "word": "a", "formats": [tiny()]},
        "spectral_learn": lambda: {"value": len, "prefixes": ["a"], "suffixes": ["a"], "input_symbols": "a"},
        "state_bound": lambda: {"network": compiled().network, "arithmetic": tiny()},
        "state_growth": lambda: {"network": compiled(), "arithmetics": [tiny()], "max_length": 1},
        "step_formulas": lambda: {"network": halves()},
        "to_weighted": lambda: {"network": linear()},
        "total_weight": lambda: {"automaton": chances()},
        "to_onnx": lambda: {"network": halves(), "path": folder / "saved.onnx"},
        "to_torch": lambda: {"network": halves()},
        "trajectory": lambda: on_word() | {"arithmetic": tiny()},
        "twin_separation": lambda: {"twin": twin(), "word": [1], "arithmetic": tiny()},
        "unitary": lambda: {"network": halves(), "input_bound": 1},
        "vector_stack": dict,
        "verdict_sweep": lambda: {"network": compiled(), "lengths": [1], "formats": [tiny()], "words": 1},
        "window_twins": lambda: {
            "layer": xn.QRNNLayer(W=gates("zfo", [[1, 0]]), b=gates("zfo", [0]), gate="step", candidate="step"),
            "alphabet": "ab",
        },
        "next_symbol_probabilities": lambda: {"automaton": chances()},
        "normalized": lambda: {"automaton": chances()},
        "DeltaNet": lambda: {"K": [[1]], "beta": [1], "S": [[1]], **READOUT},
        "GatedDeltaNet": lambda: {"K": [[1]], "beta": [1], "decay": [1], "S": [[1]], **READOUT},
        "LinearRecurrence": lambda: {"A": [[[1]]], "s": [1], **READOUT},
        "bounded_dyck": lambda: {"kinds": 1, "depth": 1},
        "chunkwise": lambda: {"length": 2},
        "flip_flop": lambda: {"values": 2},
        "delta_rule_by_chunks": lambda: {
            "layer": xn.DeltaProductLayer(K=[[[1]]], beta=[[1]], S=[[1]]),
            "word": [0],
            "chunk": 1,
            "arithmetic": tiny(),
        },
        "decaying_parity": lambda: {"units": 1},
        "unary_period": lambda: {"network": xn.parity_unit(), "symbol": "1", "arithmetic": tiny(), "max_steps": 4},
        "order_witness": lambda: {
            "network": xn.parity_unit(),
            "first": "step",
            "second": "blelloch",
            "arithmetic": tiny(),
            "max_length": 1,
        },
        "scan_tree": lambda: {"network": xn.parity_unit(), "word": "0", "order": "blelloch", "arithmetic": tiny()},
        "strictly_local": lambda: {"input_symbols": "ab", "forbidden": ["bb", "^a"], "tier": "ab"},
        "strictly_piecewise": lambda: {"input_symbols": "ab", "forbidden": ["ba"]},
        "locally_testable": lambda: {
            "input_symbols": "ab",
            "factors": ["aa", "b$"],
            "accepted": [(0, 1)],
            "threshold": 2,
            "tier": "ab",
        },
        "piecewise_testable": lambda: {"input_symbols": "ab", "subsequences": ["ab"], "accepted": [(1,)]},
        "marked_product": lambda: {"input_symbols": "ab", "blocks": ["a", "b"], "marks": "b"},
        "modular_counting": lambda: {"input_symbols": "ab", "counted": "a", "modulus": 2, "residues": [1]},
        "parity_unit": dict,
        "star_free": lambda: {"dfa": xn.flip_flop().machine},
        "word_problem": lambda: {"group": "Z2"},
        "weighted_minsky": lambda: {"pfsa": chances()},
        "word_entropy": lambda: {"automaton": chances(), "length": 2},
        "zoo": dict,
        **{cell.function: partial(dict, cell.call | OF_TWO) for cell in CELLS.values()},
        **{name: partial(of_construction, kind, getattr(xn, name)) for name, kind in xn.CONSTRUCTIONS.items()},
    }


def moore() -> xn.MooreMachine:
    """Return a Moore machine."""
    return xn.MooreMachine(
        states="q", input_symbols="01", transitions={"q": {"0": "q", "1": "q"}}, initial_state="q", outputs={"q": "x"}
    )


def mealy() -> xn.MealyMachine:
    """Return a Mealy machine."""
    return xn.MealyMachine(
        states="q", input_symbols="01", transitions={"q": {"0": "q", "1": "q"}}, initial_state="q",
        outputs={"q": {"0": "x", "1": "y"}},
    )  # fmt: skip


def of_construction(kind: type, construction: Callable[..., Any]) -> Call:
    """Return a machine of a kind, for the parameter that a construction has for it."""
    machines = {
        xn.DFA: parity, xn.TuringMachine: machine, xn.StackMachine: stack_machine, xn.CounterMachine: counter,
        xn.WeightedAutomaton: count_a, xn.MooreMachine: moore, xn.MealyMachine: mealy,
    }  # fmt: skip
    (parameter, *_) = inspect.signature(construction).parameters
    return {parameter: machines[kind]()}
