"""Types of the public names, which `__init__.py` imports when they are asked for."""

from exactnn.arithmetic import (
    BFLOAT16 as BFLOAT16,
)
from exactnn.arithmetic import (
    CERTIFIED as CERTIFIED,
)
from exactnn.arithmetic import (
    EXACT as EXACT,
)
from exactnn.arithmetic import (
    FLOAT4_E2M1 as FLOAT4_E2M1,
)
from exactnn.arithmetic import (
    FLOAT6_E2M3 as FLOAT6_E2M3,
)
from exactnn.arithmetic import (
    FLOAT6_E3M2 as FLOAT6_E3M2,
)
from exactnn.arithmetic import (
    FLOAT8_E4M3 as FLOAT8_E4M3,
)
from exactnn.arithmetic import (
    FLOAT8_E5M2 as FLOAT8_E5M2,
)
from exactnn.arithmetic import (
    FLOAT16 as FLOAT16,
)
from exactnn.arithmetic import (
    FLOAT32 as FLOAT32,
)
from exactnn.arithmetic import (
    FLOAT64 as FLOAT64,
)
from exactnn.arithmetic import (
    RATIONAL as RATIONAL,
)
from exactnn.arithmetic import (
    TF32 as TF32,
)
from exactnn.arithmetic import (
    Certified as Certified,
)
from exactnn.arithmetic import (
    Enclosure as Enclosure,
)
from exactnn.arithmetic import (
    FixedPoint as FixedPoint,
)
from exactnn.arithmetic import (
    FloatFormat as FloatFormat,
)
from exactnn.arithmetic import (
    Interval as Interval,
)
from exactnn.arithmetic import (
    Numeral as Numeral,
)
from exactnn.arithmetic import (
    Rounding as Rounding,
)
from exactnn.arithmetic import (
    lazy_real as lazy_real,
)
from exactnn.automata import (
    DFA as DFA,
)
from exactnn.automata import (
    CounterMachine as CounterMachine,
)
from exactnn.automata import (
    DottedSequence as DottedSequence,
)
from exactnn.automata import (
    GeneralizedShift as GeneralizedShift,
)
from exactnn.automata import (
    ListedLanguage as ListedLanguage,
)
from exactnn.automata import (
    MooreMachine as MooreMachine,
)
from exactnn.automata import (
    MultiTapeConfiguration as MultiTapeConfiguration,
)
from exactnn.automata import (
    MultiTapeTuringMachine as MultiTapeTuringMachine,
)
from exactnn.automata import (
    StackConfiguration as StackConfiguration,
)
from exactnn.automata import (
    StackMachine as StackMachine,
)
from exactnn.automata import (
    TapeConfiguration as TapeConfiguration,
)
from exactnn.automata import (
    TuringMachine as TuringMachine,
)
from exactnn.automata import (
    configurations as configurations,
)
from exactnn.automata import (
    from_turing_machine as from_turing_machine,
)
from exactnn.automata import (
    generalized_shift as generalized_shift,
)
from exactnn.automata import (
    interpret as interpret,
)
from exactnn.certificates import (
    CheckedRun as CheckedRun,
)
from exactnn.certificates import (
    check_certificate as check_certificate,
)
from exactnn.certificates import (
    load_certificate as load_certificate,
)
from exactnn.certificates import (
    save_certificate as save_certificate,
)
from exactnn.constructions import (
    CONSTRUCTIONS as CONSTRUCTIONS,
)
from exactnn.constructions import (
    Construction as Construction,
)
from exactnn.constructions import (
    WindowTwins as WindowTwins,
)
from exactnn.constructions import (
    branch_program as branch_program,
)
from exactnn.constructions import (
    carmantini as carmantini,
)
from exactnn.constructions import (
    chung_siegelmann as chung_siegelmann,
)
from exactnn.constructions import (
    compile as compile,
)
from exactnn.constructions import (
    decided_words as decided_words,
)
from exactnn.constructions import (
    doubling_lstm_palindromes as doubling_lstm_palindromes,
)
from exactnn.constructions import (
    fractional_counter as fractional_counter,
)
from exactnn.constructions import (
    gated_counter as gated_counter,
)
from exactnn.constructions import (
    growing_memory as growing_memory,
)
from exactnn.constructions import (
    language_in_a_weight as language_in_a_weight,
)
from exactnn.constructions import (
    layered_stacks as layered_stacks,
)
from exactnn.constructions import (
    lstm_anbn as lstm_anbn,
)
from exactnn.constructions import (
    lstm_anbn_then_any as lstm_anbn_then_any,
)
from exactnn.constructions import (
    lstm_anbncn as lstm_anbncn,
)
from exactnn.constructions import (
    lstm_counter as lstm_counter,
)
from exactnn.constructions import (
    lstm_shuffle_dyck as lstm_shuffle_dyck,
)
from exactnn.constructions import (
    minsky as minsky,
)
from exactnn.constructions import (
    piecewise_affine_map as piecewise_affine_map,
)
from exactnn.constructions import (
    real_time_stacks as real_time_stacks,
)
from exactnn.constructions import (
    run_growing as run_growing,
)
from exactnn.constructions import (
    scalar_stack as scalar_stack,
)
from exactnn.constructions import (
    siegelmann_sontag as siegelmann_sontag,
)
from exactnn.constructions import (
    siegelmann_sontag_book as siegelmann_sontag_book,
)
from exactnn.constructions import (
    state_grid as state_grid,
)
from exactnn.constructions import (
    vector_stack as vector_stack,
)
from exactnn.constructions import (
    window_twins as window_twins,
)
from exactnn.constructions.folding import (
    FoldedNetwork as FoldedNetwork,
)
from exactnn.constructions.folding import (
    fold_network as fold_network,
)
from exactnn.contraction import (
    CandidateComparison as CandidateComparison,
)
from exactnn.contraction import (
    Contractivity as Contractivity,
)
from exactnn.contraction import (
    FadingMemory as FadingMemory,
)
from exactnn.contraction import (
    FirstOrderMemory as FirstOrderMemory,
)
from exactnn.contraction import (
    NormPreservation as NormPreservation,
)
from exactnn.contraction import (
    PerturbationDecay as PerturbationDecay,
)
from exactnn.contraction import (
    ReachableBall as ReachableBall,
)
from exactnn.contraction import (
    RunMemory as RunMemory,
)
from exactnn.contraction import (
    SolverAnswer as SolverAnswer,
)
from exactnn.contraction import (
    TwinSeparation as TwinSeparation,
)
from exactnn.contraction import (
    UnitaryTwin as UnitaryTwin,
)
from exactnn.contraction import (
    contractivity as contractivity,
)
from exactnn.contraction import (
    fading_memory as fading_memory,
)
from exactnn.contraction import (
    first_order_memory as first_order_memory,
)
from exactnn.contraction import (
    is_contractive as is_contractive,
)
from exactnn.contraction import (
    memory_along_run as memory_along_run,
)
from exactnn.contraction import (
    norm_preservation as norm_preservation,
)
from exactnn.contraction import (
    perturbation_decay as perturbation_decay,
)
from exactnn.contraction import (
    reachable_ball as reachable_ball,
)
from exactnn.contraction import (
    refute_unitary_candidate as refute_unitary_candidate,
)
from exactnn.contraction import (
    relu_witness as relu_witness,
)
from exactnn.contraction import (
    smt_lower_bound as smt_lower_bound,
)
from exactnn.contraction import (
    twin_separation as twin_separation,
)
from exactnn.contraction import (
    unitary as unitary,
)
from exactnn.corrections import (
    Erratum as Erratum,
)
from exactnn.corrections import (
    errata as errata,
)
from exactnn.equivalence import (
    CheckedAutomaton as CheckedAutomaton,
)
from exactnn.equivalence import (
    Equivalence as Equivalence,
)
from exactnn.equivalence import (
    Extraction as Extraction,
)
from exactnn.equivalence import (
    LearnedAutomaton as LearnedAutomaton,
)
from exactnn.equivalence import (
    LearningEnd as LearningEnd,
)
from exactnn.equivalence import (
    StateGrowth as StateGrowth,
)
from exactnn.equivalence import (
    check_extraction as check_extraction,
)
from exactnn.equivalence import (
    collapse_witness as collapse_witness,
)
from exactnn.equivalence import (
    equivalent as equivalent,
)
from exactnn.equivalence import (
    extract_state_machine as extract_state_machine,
)
from exactnn.equivalence import (
    learn_automaton as learn_automaton,
)
from exactnn.equivalence import (
    state_bound as state_bound,
)
from exactnn.equivalence import (
    state_growth as state_growth,
)
from exactnn.errors import (
    ExactnnError as ExactnnError,
)
from exactnn.errors import (
    PrecisionWarning as PrecisionWarning,
)
from exactnn.machine_files import (
    load as load,
)
from exactnn.machine_files import (
    zoo as zoo,
)
from exactnn.networks import (
    EOS as EOS,
)
from exactnn.networks import (
    GRU as GRU,
)
from exactnn.networks import (
    LSTM as LSTM,
)
from exactnn.networks import (
    QRNN as QRNN,
)
from exactnn.networks import (
    Activation as Activation,
)
from exactnn.networks import (
    DoublingLSTM as DoublingLSTM,
)
from exactnn.networks import (
    DoublingLSTMLayer as DoublingLSTMLayer,
)
from exactnn.networks import (
    GRULayer as GRULayer,
)
from exactnn.networks import (
    LSTMLayer as LSTMLayer,
)
from exactnn.networks import (
    MultiLayerRNN as MultiLayerRNN,
)
from exactnn.networks import (
    Network as Network,
)
from exactnn.networks import (
    QRNNLayer as QRNNLayer,
)
from exactnn.networks import (
    SimpleRNN as SimpleRNN,
)
from exactnn.networks import (
    SimpleRNNLayer as SimpleRNNLayer,
)
from exactnn.networks import (
    Squashing as Squashing,
)
from exactnn.networks import (
    StackedRNN as StackedRNN,
)
from exactnn.networks import (
    load_network as load_network,
)
from exactnn.networks import (
    save_network as save_network,
)
from exactnn.networks import (
    step_formulas as step_formulas,
)
from exactnn.networks.exchange import (
    from_torch as from_torch,
)
from exactnn.networks.exchange import (
    load_onnx as load_onnx,
)
from exactnn.networks.exchange import (
    load_safetensors as load_safetensors,
)
from exactnn.networks.exchange import (
    save_safetensors as save_safetensors,
)
from exactnn.networks.exchange import (
    to_onnx as to_onnx,
)
from exactnn.networks.exchange import (
    to_torch as to_torch,
)
from exactnn.outcome import (
    Outcome as Outcome,
)
from exactnn.outcome import (
    Verdict as Verdict,
)
from exactnn.precision import (
    CertifiedArgmax as CertifiedArgmax,
)
from exactnn.precision import (
    CertifiedDivergence as CertifiedDivergence,
)
from exactnn.precision import (
    Collapse as Collapse,
)
from exactnn.precision import (
    Divergence as Divergence,
)
from exactnn.precision import (
    ErrorGrowth as ErrorGrowth,
)
from exactnn.precision import (
    FirstFailures as FirstFailures,
)
from exactnn.precision import (
    PrecisionThreshold as PrecisionThreshold,
)
from exactnn.precision import (
    RequiredBits as RequiredBits,
)
from exactnn.precision import (
    SpaceTime as SpaceTime,
)
from exactnn.precision import (
    Trajectory as Trajectory,
)
from exactnn.precision import (
    VerdictSweep as VerdictSweep,
)
from exactnn.precision import (
    certified_argmax as certified_argmax,
)
from exactnn.precision import (
    certified_divergence as certified_divergence,
)
from exactnn.precision import (
    collapse as collapse,
)
from exactnn.precision import (
    counter_capacity as counter_capacity,
)
from exactnn.precision import (
    doubling_capacity as doubling_capacity,
)
from exactnn.precision import (
    error_growth as error_growth,
)
from exactnn.precision import (
    first_divergence as first_divergence,
)
from exactnn.precision import (
    first_failures as first_failures,
)
from exactnn.precision import (
    precision_threshold as precision_threshold,
)
from exactnn.precision import (
    required_bits as required_bits,
)
from exactnn.precision import (
    save_collapse as save_collapse,
)
from exactnn.precision import (
    space_time as space_time,
)
from exactnn.precision import (
    trajectory as trajectory,
)
from exactnn.precision import (
    verdict_sweep as verdict_sweep,
)
from exactnn.simulation import (
    Cycle as Cycle,
)
from exactnn.simulation import (
    Run as Run,
)
from exactnn.simulation import (
    Trace as Trace,
)
from exactnn.simulation import (
    run as run,
)
from exactnn.table_of_constructions import (
    ConstructionRow as ConstructionRow,
)
from exactnn.table_of_constructions import (
    construction_table as construction_table,
)
from exactnn.version import (
    __version__ as __version__,
)
