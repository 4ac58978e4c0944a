"""Networks with exact parameters: the step circuit, cells lowered to it, and their files. No arithmetic here."""

from exactnn.networks.activation import PIECEWISE_LINEAR, Activation
from exactnn.networks.circuit import Circuit, Unit, affine_unit
from exactnn.networks.decision import EOS, Decision, Protocol
from exactnn.networks.doubling_lstm import DoublingLSTM, DoublingLSTMLayer
from exactnn.networks.gru import GRU, GRULayer
from exactnn.networks.layer import RecurrentLayer
from exactnn.networks.lstm import LSTM, LSTMLayer
from exactnn.networks.multi_layer_rnn import MultiLayerRNN
from exactnn.networks.network import Input, Network
from exactnn.networks.network_file import load_network, save_network
from exactnn.networks.qrnn import QRNN, QRNNLayer
from exactnn.networks.real_network import RealNetwork
from exactnn.networks.simple_rnn import SimpleRNN, SimpleRNNLayer
from exactnn.networks.squashing import SQUASHINGS, Piece, Squashing
from exactnn.networks.stack import StackedRNN
from exactnn.networks.step_formulas import step_formulas

__all__ = [
    "EOS",
    "GRU",
    "LSTM",
    "PIECEWISE_LINEAR",
    "QRNN",
    "SQUASHINGS",
    "Activation",
    "Circuit",
    "Decision",
    "DoublingLSTM",
    "DoublingLSTMLayer",
    "GRULayer",
    "Input",
    "LSTMLayer",
    "MultiLayerRNN",
    "Network",
    "Piece",
    "Protocol",
    "QRNNLayer",
    "RealNetwork",
    "RecurrentLayer",
    "SimpleRNN",
    "SimpleRNNLayer",
    "Squashing",
    "StackedRNN",
    "Unit",
    "affine_unit",
    "load_network",
    "save_network",
    "step_formulas",
]
