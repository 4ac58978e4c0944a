"""exactnn runs recurrent neural networks exactly, and shows where finite precision breaks them.

What most need is here. The folders are the stages: automata and machine files, networks (step circuits with exact
parameters), simulation (a network meets an arithmetic), constructions (machine to network), precision. Two folders
have public names of their own: ``exactnn.networks`` the parts that a network is built of by hand (`Circuit`, `Unit`,
`Decision`, `Protocol`), and ``exactnn.plots`` the pictures (`plot_collapse` and others; they need matplotlib).
For tests with Hypothesis there are ``exactnn.strategies`` and ``exactnn.testing``.
"""

import sys as _sys
import typing as _typing

from exactnn.interrupts import loaded as _loaded

# A name is imported when it is asked for, so that a short run does not wait for what it does not need. Types are in
# __init__.pyi, which a test compares with this table.
_PUBLIC: dict[str, str] = {
    "exactnn.arithmetic": """
        BFLOAT16 CERTIFIED Certified EXACT Enclosure FLOAT16 FLOAT32 FLOAT4_E2M1 FLOAT64 FLOAT6_E2M3 FLOAT6_E3M2
        FLOAT8_E4M3 FLOAT8_E5M2 FixedPoint FloatFormat Interval Numeral RATIONAL Rounding TF32
        Tower lazy_real
    """,
    "exactnn.automata": """
        CounterMachine DFA DottedSequence GeneralizedShift Halting ListedLanguage MealyMachine MooreMachine
        MultiTapeConfiguration MultiTapeTuringMachine NondeterministicStack PermutationGroup PushdownAutomaton
        StackConfiguration StackMachine TapeConfiguration TuringMachine WeightedAutomaton WeightedComparison
        WeightedPushdownAutomaton WordEntropy compare_weighted configurations decide_halting from_turing_machine
        generalized_shift interpret is_deterministic is_probabilistic minimal_weighted next_symbol_probabilities
        nondeterministic_reversal normalized total_weight word_entropy
    """,
    "exactnn.census": "HaltingCensus halting_census",
    "exactnn.certificates": "CheckedRun check_certificate load_certificate save_certificate",
    "exactnn.constructions": """
        CONSTRUCTIONS Construction StackLanguage StackRNN WindowTwins bounded_dyck branch_program carmantini
        chung_siegelmann compile decaying_parity decided_words doubling_lstm_palindromes flip_flop fractional_counter
        gated_counter
        growing_memory language_in_a_weight layered_stacks lstm_anbn lstm_anbn_then_any lstm_anbncn lstm_counter
        lstm_shuffle_dyck merged_stacks minsky minsky_mealy minsky_moore nondeterministic_stack_rnn own_unit parity_unit
        piecewise_affine_map real_time_stacks run_growing scalar_stack second_order_network siegelmann_sontag
        siegelmann_sontag_book stack_rnn_dyck stack_rnn_from_torch stack_rnn_marked_reversal star_free state_grid
        vector_stack weighted_minsky window_twins word_problem
    """,
    "exactnn.constructions.folding": "FoldedNetwork fold_network",
    "exactnn.contraction": """
        CandidateComparison Contractivity FadingMemory FirstOrderMemory NormPreservation PerturbationDecay
        ReachableBall RunMemory SolverAnswer TwinSeparation UnitaryTwin contractivity fading_memory first_order_memory
        is_contractive memory_along_run norm_preservation perturbation_decay reachable_ball refute_unitary_candidate
        relu_witness smt_lower_bound twin_separation unitary
    """,
    "exactnn.corrections": "Erratum errata",
    "exactnn.depth": """
        AffineObstruction BackwardPass DepthParameters GradientGrowth GradientLimit GradientLimits Jacobians LinearRNN
        PolynomialDegree RationalFunction SyntheticTask affine_obstruction delay delay_is_realisable depth_parameters
        gradient_growth gradient_limits jacobian polynomial_degree synthetic_task
    """,
    "exactnn.equivalence": """
        CheckedAutomaton Equivalence Extraction HankelRank LearnedAutomaton LearningEnd StateGrowth check_extraction
        collapse_witness equivalent extract_state_machine hankel_rank learn_automaton spectral_learn state_bound
        state_growth
    """,
    "exactnn.errors": "ExactnnError LargeNetworkWarning PrecisionWarning SlowFormatsWarning",
    "exactnn.evaluation": """
        BLELLOCH EvaluationOrder KOGGE_STONE OrderWitness STEP ScanTree UnaryPeriod chunkwise delta_rule_by_chunks
        order_witness scan_tree unary_period
    """,
    "exactnn.languages": """
        locally_testable marked_product modular_counting piecewise_testable strictly_local strictly_piecewise
    """,
    "exactnn.machine_files": "load zoo",
    "exactnn.networks": """
        Activation DeepTransitionRNN DeepTransitionRNNLayer DeltaNet DeltaProduct DeltaProductLayer DiagonalSSM
        DiagonalSSMLayer DoublingLSTM DoublingLSTMLayer EOS GRU GRULayer GatedDeltaNet
        GatedLinearAttention GatedLinearAttentionLayer LSTM
        LSTMLayer LinearRecurrence LinearRecurrenceLayer MLSTM MLSTMLayer MultiLayerRNN Network QRNN QRNNLayer
        SecondOrderRNN SecondOrderRNNLayer SelectiveSSM SelectiveSSMLayer SelectiveScan SelectiveScanLayer SimpleRNN
        SimpleRNNLayer Squashing StackedRNN load_network save_network step_formulas to_weighted
    """,
    "exactnn.networks.exchange": "from_torch load_onnx load_safetensors save_safetensors to_onnx to_torch",
    "exactnn.outcome": "Outcome Verdict",
    "exactnn.precision": """
        CertifiedArgmax CertifiedDivergence CheckedFormat Collapse Divergence ErrorGrowth FirstFailures Flip
        FormatReport LargestError Margin Parting PrecisionThreshold RequiredBits SpaceTime Trajectory VerdictSweep
        certified_argmax certified_divergence check_format collapse counter_capacity doubling_capacity
        error_growth first_divergence first_failures precision_threshold required_bits save_collapse space_time
        trajectory verdict_sweep
    """,
    "exactnn.simulation": "Cycle Run Trace run",
    "exactnn.stacks": "CantorStack StratifiedStack SuperpositionStack stack_limits",
    "exactnn.table_of_constructions": "ConstructionRow construction_table",
    "exactnn.version": "__version__",
}
_FOLDERS = {module for module in _PUBLIC if module.count(".") == 1}
_FOLDERS |= {"exactnn.campaigns", "exactnn.plots", "exactnn.strategies", "exactnn.testing"}
"""What is there as an attribute too, whether or not something has imported it before."""

_OF_COMMANDS = {
    "check": "check_format", "compare": "equivalent", "extract": "extract_state_machine",
    "threshold": "precision_threshold",
}  # fmt: skip
"""Commands whose functions have longer names."""

_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> _typing.Any:
    if name in _MODULE_OF:
        return globals().setdefault(name, getattr(_loaded(_MODULE_OF[name]), name))
    if f"exactnn.{name}" in _FOLDERS:
        return _loaded(f"exactnn.{name}")
    hint = f": exactnn.{_OF_COMMANDS[name]} is what that command calls" if name in _OF_COMMANDS else ""
    raise AttributeError(f"module 'exactnn' has no attribute {name!r}{hint}", name=name, obj=_sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__")), *_folders()})


def _folders() -> set[str]:
    return {folder.removeprefix("exactnn.") for folder in _FOLDERS}


if "hypothesis" in _sys.modules:  # else it calls `_exactnn_hypothesis` when it is imported
    from exactnn.strategies.registration import register as _register

    _register()
