"""Networks with exact parameters: the step circuit, cells lowered to it, and their files. No arithmetic here.

``network``, ``circuit``, ``activation``, ``squashing``
    What a network is, and what a cell puts on its sums; ``real_network`` is one with real numbers in its start state.
``simple_rnn``, ``deep_transition``, ``second_order_rnn``, ``lstm``, ``gru``, ``qrnn``
    The cells, and the linear ones: ``diagonal_ssm``, ``selective_scan``, ``linear_attention``, ``delta_net``.
    What they are written with: ``layer`` (layers and stacks of them), ``cell`` (rows of sums and products;
    readout, alphabet, protocol; torch's names), ``gates`` (parameters).
``network_file``, ``exchange``
    Files of our own, and of torch, safetensors and ONNX.
``any_network``
    What people mean by a network: that of a construction, a machine, a name or a file.
``linear_network``
    Linear networks as weighted automata.
``difference``, ``step_formulas``, ``weight_arrays``
    Whether two networks are the same; a network written out for people; its weights as arrays.
"""

from exactnn.networks.activation import ACTIVATIONS, PIECEWISE_LINEAR, Activation, Kind
from exactnn.networks.any_network import (
    AnyNetwork,
    Runnable,
    is_network_file,
    network_in_file,
    network_of,
    real_network_of,
    runnable_of,
)
from exactnn.networks.circuit import Circuit, Unit, affine_unit
from exactnn.networks.deep_transition import DeepTransitionRNN, DeepTransitionRNNLayer
from exactnn.networks.delta_net import DeltaNet, DeltaProduct, DeltaProductLayer, GatedDeltaNet
from exactnn.networks.diagonal_ssm import DiagonalSSM, DiagonalSSMLayer, SelectiveSSM, SelectiveSSMLayer
from exactnn.networks.gru import GRU, GRULayer
from exactnn.networks.layer import RecurrentLayer, StackedRNN
from exactnn.networks.linear_attention import (
    MLSTM,
    GatedLinearAttention,
    GatedLinearAttentionLayer,
    MLSTMLayer,
)
from exactnn.networks.linear_network import to_weighted, weighted_network
from exactnn.networks.lstm import LSTM, DoublingLSTM, DoublingLSTMLayer, LSTMLayer
from exactnn.networks.network import EOS, Decision, Input, Network, Protocol
from exactnn.networks.network_file import load_network, save_network
from exactnn.networks.qrnn import QRNN, QRNNLayer
from exactnn.networks.real_network import RealNetwork
from exactnn.networks.second_order_rnn import (
    LinearRecurrence,
    LinearRecurrenceLayer,
    SecondOrderRNN,
    SecondOrderRNNLayer,
)
from exactnn.networks.selective_scan import SelectiveScan, SelectiveScanLayer
from exactnn.networks.simple_rnn import MultiLayerRNN, SimpleRNN, SimpleRNNLayer
from exactnn.networks.squashing import SQUASHINGS, Piece, Squashing
from exactnn.networks.step_formulas import step_formulas

__all__ = [
    "ACTIVATIONS",
    "EOS",
    "GRU",
    "LSTM",
    "MLSTM",
    "PIECEWISE_LINEAR",
    "QRNN",
    "SQUASHINGS",
    "Activation",
    "AnyNetwork",
    "Circuit",
    "Decision",
    "DeepTransitionRNN",
    "DeepTransitionRNNLayer",
    "DeltaNet",
    "DeltaProduct",
    "DeltaProductLayer",
    "DiagonalSSM",
    "DiagonalSSMLayer",
    "DoublingLSTM",
    "DoublingLSTMLayer",
    "GRULayer",
    "GatedDeltaNet",
    "GatedLinearAttention",
    "GatedLinearAttentionLayer",
    "Input",
    "Kind",
    "LSTMLayer",
    "LinearRecurrence",
    "LinearRecurrenceLayer",
    "MLSTMLayer",
    "MultiLayerRNN",
    "Network",
    "Piece",
    "Protocol",
    "QRNNLayer",
    "RealNetwork",
    "RecurrentLayer",
    "Runnable",
    "SecondOrderRNN",
    "SecondOrderRNNLayer",
    "SelectiveSSM",
    "SelectiveSSMLayer",
    "SelectiveScan",
    "SelectiveScanLayer",
    "SimpleRNN",
    "SimpleRNNLayer",
    "Squashing",
    "StackedRNN",
    "Unit",
    "affine_unit",
    "is_network_file",
    "load_network",
    "network_in_file",
    "network_of",
    "real_network_of",
    "runnable_of",
    "save_network",
    "step_formulas",
    "to_weighted",
    "weighted_network",
]
