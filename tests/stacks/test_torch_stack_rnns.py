"""Stack RNNs from torch: outputs in float64, gradients, and what is refused."""

import pytest

import exactnn as xn
from exactnn.constructions import stack_rnn_from_torch
from exactnn.errors import NetworkFileError
from tests.networks.exchange.circuit_in_mpfr import close
from tests.stacks.torch_stack_rnns import StackLSTM, torch

pytestmark = pytest.mark.needs_torch

BITS = 40
KINDS = pytest.mark.parametrize(
    "options",
    [{"actions": 2}, {"actions": 3}, {"actions": 3, "push_hidden": True}],
    ids=["strengths", "cells", "hidden"],
)


def model(seed, **options):
    torch.manual_seed(seed)
    found = StackLSTM(3, 4, 2, **options).double()
    with torch.no_grad():
        for parameter in found.parameters():
            parameter.mul_(3)
    return found


@KINDS
@pytest.mark.parametrize("seed", range(3))
def test_outputs_in_float64(options, seed):
    """Within 2^-40 of torch's, for words of 20 vectors."""
    module = model(seed, **options)
    network = stack_rnn_from_torch(module, depth=20)
    word = torch.randn(20, 3, dtype=torch.float64)
    with torch.no_grad():
        expected = module(word)
    found = xn.run(network, word.tolist(), arithmetic=xn.FLOAT64).outputs
    assert all(output[-1] == 0 for output in found)
    assert close([output[:-1] for output in found], expected.tolist(), bits=BITS)


@KINDS
def test_enclosures_have_the_outputs_of_torch(options):
    module = model(7, **options)
    network = stack_rnn_from_torch(module.state_dict(), depth=5, name="enclosed")
    assert network.name == "enclosed"
    word = torch.randn(5, 3, dtype=torch.float64)
    with torch.no_grad():
        expected = module(word)
    found = xn.run(network, word.tolist(), arithmetic=xn.Interval(bits=200)).outputs
    for output, row in zip(found, expected.tolist(), strict=True):
        for enclosed, number in zip(output, row, strict=False):
            assert enclosed.width < 2**-150
            assert abs(enclosed.midpoint - number) < 2**-BITS


def test_a_stack_that_is_too_small_is_told():
    network = stack_rnn_from_torch(model(1, actions=3), depth=2)
    found = xn.run(network, [[1, 0, 0]] * 4, arithmetic=xn.FLOAT64).outputs
    assert [output[-1] > 0 for output in found] == [False, False, True, True]


def test_a_readout_and_an_alphabet():
    """In a wrapper, as published: the linear layer is "layer.linear", the stack RNN below is "rnn"."""
    module = model(2, actions=2)
    torch.manual_seed(5)
    top = torch.nn.Linear(4, 1).double()
    tensors = {f"rnn.{name}": tensor for name, tensor in module.state_dict().items()}
    tensors |= {f"layer.linear.{name}": tensor for name, tensor in top.state_dict().items()}
    network = stack_rnn_from_torch(tensors, depth=8, readout="layer.linear", alphabet="abc")
    vectors = torch.eye(3, dtype=torch.float64)
    for word in ("a", "abc", "cabba"):
        with torch.no_grad():
            last = top(module(vectors[["abc".index(a) for a in word]]))[-1].item()
        assert xn.run(network, word, arithmetic=xn.FLOAT64).verdict == ("accept" if last > 0 else "reject")


def test_what_is_no_published_stack_rnn_is_refused():
    module = model(3, actions=3)
    tensors = module.state_dict()
    with pytest.raises(NetworkFileError, match="readout"):
        stack_rnn_from_torch({**tensors, "more": torch.ones(2)}, depth=3)
    with pytest.raises(NetworkFileError, match="0 tensors action_layer"):
        stack_rnn_from_torch(torch.nn.LSTM(2, 3), depth=3)
    with pytest.raises(NetworkFileError, match="gives 6 numbers"):
        stack_rnn_from_torch(StackLSTM(3, 4, 2, actions=6), depth=3)
    fewer = {name: x for name, x in model(3, actions=2).state_dict().items() if "push_value" not in name}
    with pytest.raises(NetworkFileError, match="push_value_layer"):
        stack_rnn_from_torch(fewer, depth=3)
    with pytest.raises(NetworkFileError, match="no state_dict"):
        stack_rnn_from_torch("model.pt", depth=3)
    deep = {**tensors}
    for name, x in torch.nn.LSTM(4, 4).state_dict().items():
        deep[f"controller.rnn.{name.replace('l0', 'l1')}"] = x
    with pytest.raises(NetworkFileError, match="2 layers"):
        stack_rnn_from_torch(deep, depth=3)
