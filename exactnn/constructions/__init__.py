"""Machine to network: one named construction per file, each with its claim, its source and its decoder.

Beside them small networks that are given in full: stacks in fractions, counters, and programs over counters.
"""

from exactnn.constructions.branch_program import branch_program
from exactnn.constructions.carmantini import carmantini
from exactnn.constructions.chung_siegelmann import chung_siegelmann
from exactnn.constructions.compile import CONSTRUCTIONS, compile, constructions_for
from exactnn.constructions.construction import Configuration, Construction, Phase
from exactnn.constructions.counters import fractional_counter, gated_counter
from exactnn.constructions.decided_words import DecidedWords, decided_words
from exactnn.constructions.doubling_lstm_palindromes import DoublingStack, doubling_lstm_palindromes
from exactnn.constructions.fraction_stacks import MARK, scalar_stack, vector_stack
from exactnn.constructions.growing_memory import bits_needed, growing_memory
from exactnn.constructions.growing_run import GrowingRun, run_growing
from exactnn.constructions.language_in_a_weight import LanguageInAWeight, language_in_a_weight
from exactnn.constructions.layered_stacks import layered_stacks
from exactnn.constructions.lstm_counter import lstm_counter
from exactnn.constructions.lstm_languages import lstm_anbn, lstm_anbn_then_any, lstm_anbncn, lstm_shuffle_dyck
from exactnn.constructions.minsky import minsky
from exactnn.constructions.piecewise_affine_map import AffineCell, PiecewiseAffineMap, piecewise_affine_map
from exactnn.constructions.real_time_stacks import real_time_stacks
from exactnn.constructions.siegelmann_sontag import siegelmann_sontag
from exactnn.constructions.siegelmann_sontag_book import siegelmann_sontag_book
from exactnn.constructions.state_grid import state_grid
from exactnn.constructions.window_twins import WindowTwins, twin_words, window_twins

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
    "Phase",
    "PiecewiseAffineMap",
    "WindowTwins",
    "bits_needed",
    "branch_program",
    "carmantini",
    "chung_siegelmann",
    "compile",
    "constructions_for",
    "decided_words",
    "doubling_lstm_palindromes",
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
    "minsky",
    "piecewise_affine_map",
    "real_time_stacks",
    "run_growing",
    "scalar_stack",
    "siegelmann_sontag",
    "siegelmann_sontag_book",
    "state_grid",
    "twin_words",
    "vector_stack",
    "window_twins",
]
