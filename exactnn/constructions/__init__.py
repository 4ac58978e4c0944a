"""Machine to network: one named construction per file, each with its claim, its source and its decoder.

``finite_automata``, ``counters``, ``stacks``, ``tapes``
    The constructions, by the kind of machine.
``recurrences``
    Linear recurrences: word problems of groups, flip-flops, bounded Dyck and star-free languages.
``neural_stacks``
    Networks with stacks that are pushed and popped in part, and of pushdown automata with weights.
``without_output_layer``
    Languages that are a unit of a network themselves, and those that are none.
``transducers``
    Moore and Mealy machines.
``weighted``, ``weighted_minsky``
    Weighted automata.
``reals``
    Any language as a network, with a real number in its start state.
``steps``, ``folding``
    A language for steps of networks; and steps with hidden layers as simple RNNs.
``literal_book``
    The textbook's step for Turing machines with its errors, for comparison.
``construction``, ``compile``
    What every construction returns, and which construction compiles which machine.
``halting``
    What networks of machines that halt have in common: reading a word, output, claim.
``affine``, ``layered_network``; ``gated_step``
    How the rows of a network are written: as affine forms, or with products.
``stack_numbers``
    Stacks as rational numbers.
"""

from exactnn.constructions.compile import CONSTRUCTIONS, compile, constructions_for
from exactnn.constructions.construction import Configuration, Construction, Phase
from exactnn.constructions.counters.branch_program import branch_program, fractional_counter, gated_counter
from exactnn.constructions.counters.lstm_counter import lstm_counter
from exactnn.constructions.counters.lstm_languages import lstm_anbn, lstm_anbn_then_any, lstm_anbncn, lstm_shuffle_dyck
from exactnn.constructions.counters.window_twins import WindowTwins, twin_words, window_twins
from exactnn.constructions.finite_automata import minsky, state_grid
from exactnn.constructions.neural_stacks.pushdown_network import PushdownNetwork, nondeterministic_stack_rnn
from exactnn.constructions.neural_stacks.stack_languages import (
    StackLanguage,
    stack_rnn_dyck,
    stack_rnn_marked_reversal,
)
from exactnn.constructions.neural_stacks.stack_rnn import StackRNN
from exactnn.constructions.neural_stacks.torch_stack_rnn import stack_rnn_from_torch
from exactnn.constructions.reals.decided_words import DecidedWords, decided_words
from exactnn.constructions.reals.language_in_a_weight import LanguageInAWeight, language_in_a_weight
from exactnn.constructions.recurrences.gated_languages import bounded_dyck, decaying_parity, flip_flop, parity_unit
from exactnn.constructions.recurrences.star_free import star_free
from exactnn.constructions.recurrences.word_problem import word_problem
from exactnn.constructions.stacks.doubling_lstm_palindromes import DoublingStack, doubling_lstm_palindromes
from exactnn.constructions.stacks.fraction_stacks import MARK, scalar_stack, vector_stack
from exactnn.constructions.stacks.layered_stacks import layered_stacks, merged_stacks
from exactnn.constructions.stacks.real_time_stacks import real_time_stacks
from exactnn.constructions.tapes.carmantini import carmantini
from exactnn.constructions.tapes.chung_siegelmann import chung_siegelmann
from exactnn.constructions.tapes.growing_memory import GrowingRun, bits_needed, growing_memory, run_growing
from exactnn.constructions.tapes.piecewise_affine_map import AffineCell, PiecewiseAffineMap, piecewise_affine_map
from exactnn.constructions.tapes.siegelmann_sontag import siegelmann_sontag
from exactnn.constructions.tapes.siegelmann_sontag_book import siegelmann_sontag_book
from exactnn.constructions.transducers import minsky_mealy, minsky_moore
from exactnn.constructions.weighted import second_order_network
from exactnn.constructions.weighted_minsky import weighted_minsky
from exactnn.constructions.without_output_layer import OwnUnit, own_unit

__all__ = [
    "CONSTRUCTIONS",
    "MARK",
    "AffineCell",
    "Configuration",
    "Construction",
    "DecidedWords",
    "DoublingStack",
    "GrowingRun",
    "LanguageInAWeight",
    "OwnUnit",
    "Phase",
    "PiecewiseAffineMap",
    "PushdownNetwork",
    "StackLanguage",
    "StackRNN",
    "WindowTwins",
    "bits_needed",
    "bounded_dyck",
    "branch_program",
    "carmantini",
    "chung_siegelmann",
    "compile",
    "constructions_for",
    "decaying_parity",
    "decided_words",
    "doubling_lstm_palindromes",
    "flip_flop",
    "fractional_counter",
    "gated_counter",
    "growing_memory",
    "language_in_a_weight",
    "layered_stacks",
    "lstm_anbn",
    "lstm_anbn_then_any",
    "lstm_anbncn",
    "lstm_counter",
    "lstm_shuffle_dyck",
    "merged_stacks",
    "minsky",
    "minsky_mealy",
    "minsky_moore",
    "nondeterministic_stack_rnn",
    "own_unit",
    "parity_unit",
    "piecewise_affine_map",
    "real_time_stacks",
    "run_growing",
    "scalar_stack",
    "second_order_network",
    "siegelmann_sontag",
    "siegelmann_sontag_book",
    "stack_rnn_dyck",
    "stack_rnn_from_torch",
    "stack_rnn_marked_reversal",
    "star_free",
    "state_grid",
    "twin_words",
    "vector_stack",
    "weighted_minsky",
    "window_twins",
    "word_problem",
]
