from exactnn.constructions.compile import CONSTRUCTIONS as CONSTRUCTIONS
from exactnn.constructions.compile import compile as compile
from exactnn.constructions.compile import constructions_for as constructions_for
from exactnn.constructions.construction import Configuration as Configuration
from exactnn.constructions.construction import Construction as Construction
from exactnn.constructions.construction import Phase as Phase
from exactnn.constructions.counters.branch_program import branch_program as branch_program
from exactnn.constructions.counters.branch_program import fractional_counter as fractional_counter
from exactnn.constructions.counters.branch_program import gated_counter as gated_counter
from exactnn.constructions.counters.lstm_counter import lstm_counter as lstm_counter
from exactnn.constructions.counters.lstm_languages import lstm_anbn as lstm_anbn
from exactnn.constructions.counters.lstm_languages import lstm_anbn_then_any as lstm_anbn_then_any
from exactnn.constructions.counters.lstm_languages import lstm_anbncn as lstm_anbncn
from exactnn.constructions.counters.lstm_languages import lstm_shuffle_dyck as lstm_shuffle_dyck
from exactnn.constructions.counters.window_twins import WindowTwins as WindowTwins
from exactnn.constructions.counters.window_twins import twin_words as twin_words
from exactnn.constructions.counters.window_twins import window_twins as window_twins
from exactnn.constructions.finite_automata import minsky as minsky
from exactnn.constructions.finite_automata import state_grid as state_grid
from exactnn.constructions.named_networks import NETWORKS as NETWORKS
from exactnn.constructions.named_networks import named_network as named_network
from exactnn.constructions.neural_stacks.pushdown_network import PushdownNetwork as PushdownNetwork
from exactnn.constructions.neural_stacks.pushdown_network import (
    nondeterministic_stack_rnn as nondeterministic_stack_rnn,
)
from exactnn.constructions.neural_stacks.stack_languages import StackLanguage as StackLanguage
from exactnn.constructions.neural_stacks.stack_languages import stack_rnn_dyck as stack_rnn_dyck
from exactnn.constructions.neural_stacks.stack_languages import stack_rnn_marked_reversal as stack_rnn_marked_reversal
from exactnn.constructions.neural_stacks.stack_rnn import StackRNN as StackRNN
from exactnn.constructions.neural_stacks.torch_stack_rnn import stack_rnn_from_torch as stack_rnn_from_torch
from exactnn.constructions.reals.decided_words import DecidedWords as DecidedWords
from exactnn.constructions.reals.decided_words import decided_words as decided_words
from exactnn.constructions.reals.language_in_a_weight import LanguageInAWeight as LanguageInAWeight
from exactnn.constructions.reals.language_in_a_weight import language_in_a_weight as language_in_a_weight
from exactnn.constructions.recurrences.gated_languages import bounded_dyck as bounded_dyck
from exactnn.constructions.recurrences.gated_languages import decaying_parity as decaying_parity
from exactnn.constructions.recurrences.gated_languages import flip_flop as flip_flop
from exactnn.constructions.recurrences.gated_languages import parity_unit as parity_unit
from exactnn.constructions.recurrences.star_free import star_free as star_free
from exactnn.constructions.recurrences.word_problem import word_problem as word_problem
from exactnn.constructions.stacks.doubling_lstm_palindromes import DoublingStack as DoublingStack
from exactnn.constructions.stacks.doubling_lstm_palindromes import (
    doubling_lstm_palindromes as doubling_lstm_palindromes,
)
from exactnn.constructions.stacks.fraction_stacks import MARK as MARK
from exactnn.constructions.stacks.fraction_stacks import scalar_stack as scalar_stack
from exactnn.constructions.stacks.fraction_stacks import vector_stack as vector_stack
from exactnn.constructions.stacks.layered_stacks import layered_stacks as layered_stacks
from exactnn.constructions.stacks.layered_stacks import merged_stacks as merged_stacks
from exactnn.constructions.stacks.real_time_stacks import real_time_stacks as real_time_stacks
from exactnn.constructions.tapes.carmantini import carmantini as carmantini
from exactnn.constructions.tapes.chung_siegelmann import chung_siegelmann as chung_siegelmann
from exactnn.constructions.tapes.growing_memory import GrowingRun as GrowingRun
from exactnn.constructions.tapes.growing_memory import bits_needed as bits_needed
from exactnn.constructions.tapes.growing_memory import growing_memory as growing_memory
from exactnn.constructions.tapes.growing_memory import run_growing as run_growing
from exactnn.constructions.tapes.piecewise_affine_map import AffineCell as AffineCell
from exactnn.constructions.tapes.piecewise_affine_map import PiecewiseAffineMap as PiecewiseAffineMap
from exactnn.constructions.tapes.piecewise_affine_map import piecewise_affine_map as piecewise_affine_map
from exactnn.constructions.tapes.siegelmann_sontag import siegelmann_sontag as siegelmann_sontag
from exactnn.constructions.tapes.siegelmann_sontag_book import siegelmann_sontag_book as siegelmann_sontag_book
from exactnn.constructions.transducers import minsky_mealy as minsky_mealy
from exactnn.constructions.transducers import minsky_moore as minsky_moore
from exactnn.constructions.weighted import second_order_network as second_order_network
from exactnn.constructions.weighted_minsky import weighted_minsky as weighted_minsky
from exactnn.constructions.without_output_layer import OwnUnit as OwnUnit
from exactnn.constructions.without_output_layer import own_unit as own_unit
