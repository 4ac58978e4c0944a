"""Torch's own modules, its own exporter and its own safetensors: what comes out of torch is what is loaded."""

import warnings

import pytest

import exactnn as xn
from exactnn.errors import NetworkFileError
from tests.networks.exchange.circuit_in_mpfr import close, outputs

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch

CELLS = {"RNN": torch.nn.RNN, "LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU}
cells = pytest.mark.parametrize("cell", CELLS)
BITS = 40
"""Torch in float64 and the exact network agree to 2^-40, 1e-12, for these sizes and weights, of the larger or of 1."""


class Model(torch.nn.Module):
    """What people train: an embedding, recurrent layers, a linear layer."""

    def __init__(self, cell, *, embedded=False, batch_first=True, layers=1, bias=True, last=True, dropout=0.0):
        super().__init__()
        self.embed = torch.nn.Embedding(5, 3) if embedded else None
        self.rnn = CELLS[cell](3, 4, layers, bias=bias, batch_first=batch_first, dropout=dropout)
        self.fc = torch.nn.Linear(4, 2, bias=bias)
        self.time = 1 if batch_first else 0
        self.last = last

    def forward(self, x):
        below = x if self.embed is None else self.embed(x)
        outputs, _ = self.rnn(below)
        return self.fc(outputs.select(self.time, -1) if self.last else outputs)


def agree(module, network, steps, seed, *, bits=BITS):
    torch.manual_seed(seed)
    x = torch.randn(steps, module.input_size, dtype=torch.float64)
    with torch.no_grad():
        expected, _ = module(x)
    assert close(outputs(network, x.tolist()), expected.tolist(), bits=bits)


@cells
@pytest.mark.parametrize("options", [{}, {"num_layers": 3}, {"bias": False}, {"num_layers": 2, "dropout": 0.5}])
@pytest.mark.filterwarnings("ignore:dropout option")
def test_modules(cell, options):
    torch.manual_seed(1)
    module = CELLS[cell](3, 5, **options).double().eval()
    network = xn.from_torch(module)
    agree(module, network, 200, 2)
    x = torch.randn(40, 3, dtype=torch.float64)
    with torch.no_grad():
        expected, _ = module(x)
    assert close(xn.run(network, x.tolist(), arithmetic=xn.FLOAT64).outputs, expected.tolist(), bits=BITS)


@pytest.mark.slow
@cells
@pytest.mark.parametrize("seed", range(2))
def test_ten_thousand_steps(cell, seed):
    torch.manual_seed(seed)
    module = CELLS[cell](2, 8).double()
    agree(module, xn.from_torch(module), 10_000, seed)


@pytest.mark.parametrize("nonlinearity", ["tanh", "relu"])
def test_the_module_says_its_nonlinearity(nonlinearity):
    torch.manual_seed(1)
    module = torch.nn.RNN(2, 3, nonlinearity=nonlinearity).double()
    agree(module, xn.from_torch(module), 50, 3)
    with pytest.raises(xn.ExactnnError, match="that of the module"):
        xn.from_torch(module, nonlinearity="relu" if nonlinearity == "tanh" else "tanh")


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_floats_of_8_bits_are_taken_exactly(dtype):
    torch.manual_seed(1)
    weights = {name: tensor.to(dtype) for name, tensor in torch.nn.GRU(2, 3).state_dict().items()}
    assert xn.from_torch(weights) == xn.from_torch({name: tensor.double() for name, tensor in weights.items()})


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_types_are_taken_exactly(dtype):
    torch.manual_seed(1)
    module = torch.nn.LSTM(2, 3).to(dtype)
    network = xn.from_torch(module)
    (unit,) = [unit for layer in network.circuit.layers for unit in layer if unit.name == "i[0]"]
    row = [*module.weight_hh_l0[0].double().tolist(), *module.weight_ih_l0[0].double().tolist()]
    assert [float(w) for _, w in unit.linear] == row
    assert network == xn.from_torch(module.double())


def test_start_states_as_torch_has_them():
    torch.manual_seed(1)
    module = torch.nn.LSTM(2, 3, 2).double()
    h, c, x = (torch.randn(2, 1, 3), torch.randn(2, 1, 3), torch.randn(9, 1, 2))
    with torch.no_grad():
        expected, _ = module(x.double(), (h.double(), c.double()))
    assert close(outputs(xn.from_torch(module, h=h, c=c), x[:, 0].tolist()), expected[:, 0].tolist(), bits=BITS)


@cells
def test_models_with_readout_and_embedding(cell):
    torch.manual_seed(1)
    model = Model(cell, embedded=True, layers=2, last=False).double()
    network = xn.from_torch(model, readout="fc", embedding="embed", alphabet="abcde")
    word = torch.randint(0, 5, (1, 60))
    with torch.no_grad():
        expected = model(word)[0].tolist()
    assert close(outputs(network, torch.nn.functional.one_hot(word[0], 5).tolist()), expected, bits=BITS)
    with pytest.raises(xn.ExactnnError, match=r"fc.weight.*as readout"):
        xn.from_torch(model, embedding="embed")


def test_modules_that_are_refused():
    for module, word in (
        (torch.nn.GRU(2, 3, bidirectional=True), "bidirectional"),
        (torch.nn.LSTM(2, 4, proj_size=2), "proj_size"),
        (torch.nn.Linear(2, 3), "weight_ih_l0"),
        (torch.nn.LSTM(2, 3, device="meta"), "without data"),
    ):
        with pytest.raises(xn.ExactnnError, match=word):
            xn.from_torch(module)


def test_what_else_is_in_a_state_dictionary_does_not_matter_with_a_prefix():
    model = torch.nn.ModuleDict({"rnn": torch.nn.GRU(2, 3), "norm": torch.nn.BatchNorm1d(3)})
    assert xn.from_torch(model, prefix="rnn", name="it") == xn.from_torch(model["rnn"], name="it")
    with pytest.raises(xn.ExactnnError, match="norm"):
        xn.from_torch(model)


def test_parts_without_weights_are_told():
    harmless = {"drop": torch.nn.Dropout(0.5), "loss": torch.nn.CrossEntropyLoss(), "more": torch.nn.ModuleList()}
    parts = {"rnn": torch.nn.RNN(2, 3), **harmless, "deep": torch.nn.Dropout1d(), "same": torch.nn.Identity()}
    alone = xn.from_torch(torch.nn.ModuleDict(parts), name="it")  # warnings are errors in tests
    model = torch.nn.ModuleDict({**parts, "act": torch.nn.Sequential(torch.nn.ReLU())})
    with pytest.warns(xn.UnreadModuleWarning, match=r"left out: act\.0 \(ReLU\)\."):
        assert xn.from_torch(model, name="it") == alone
    assert xn.from_torch(model, prefix="rnn", name="it") == alone


class Deep(torch.nn.Module):
    """Two recurrent modules with a linear layer between them, and a head of several layers."""

    def __init__(self, head):
        super().__init__()
        self.rnn1, self.rnn2 = torch.nn.LSTM(3, 4, 2, batch_first=True), torch.nn.RNN(5, 4, batch_first=True)
        self.proj, self.act = torch.nn.Linear(4, 5), torch.nn.Tanh()
        self.head = head

    def forward(self, x):
        return self.head(self.rnn2(self.act(self.proj(self.rnn1(x)[0])))[0])


HEADS = {
    "one layer": (lambda: torch.nn.Linear(4, 2), ["head"]),
    "relu": (
        lambda: torch.nn.Sequential(
            torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(6, 2)
        ),
        ["head.0", "relu", "head.3"],
    ),
    "three layers": (
        lambda: torch.nn.Sequential(
            torch.nn.Linear(4, 6), torch.nn.Sigmoid(), torch.nn.Linear(6, 5), torch.nn.Hardtanh(), torch.nn.Linear(5, 3)
        ),
        ["head.0", "sigmoid", "head.2", "hard_tanh", "head.4"],
    ),
    "an activation first": (
        lambda: torch.nn.Sequential(torch.nn.ReLU6(), torch.nn.Linear(4, 2)),
        ["relu6", "head.1"],
    ),
    "no activation": (
        lambda: torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 2, bias=False)),
        ["head.0", "head.1"],
    ),
}


@pytest.mark.parametrize(("head", "names"), HEADS.values(), ids=HEADS)
def test_heads_of_several_layers_and_several_recurrent_modules(head, names):
    torch.manual_seed(3)
    model = Deep(head()).double().eval()
    network = xn.from_torch(model, prefix=["rnn1", "proj", "act", "rnn2"], readout="head")
    x = torch.randn(40, 3, dtype=torch.float64)
    with torch.no_grad():
        expected = model(x).tolist()
    assert close(outputs(network, x.tolist()), expected, bits=BITS)
    tensors, parts = model.state_dict(), ["rnn1", "proj", "tanh", "rnn2"]
    assert xn.from_torch(tensors, prefix=parts, readout=names, name=network.name) == network


def test_start_states_of_several_modules():
    torch.manual_seed(4)
    model = Deep(torch.nn.Linear(4, 2)).double()
    parts = {"prefix": ["rnn1", "proj", "act", "rnn2"], "readout": "head"}
    h = torch.randn(3, 4, dtype=torch.float64)
    with pytest.raises(NetworkFileError, match=r"start states h are \(2, 4\): give a matrix with 3 rows"):
        xn.from_torch(model, **parts, h=h[:2])
    with pytest.raises(NetworkFileError, match=r"start states h are \(\): give a matrix with 3 rows"):
        xn.from_torch(model, **parts, h=1.0)
    network = xn.from_torch(model, **parts, h=h)
    x = torch.randn(6, 3, dtype=torch.float64)
    with torch.no_grad():
        below = model.act(model.proj(model.rnn1(x, (h[:2], torch.zeros(2, 4, dtype=torch.float64)))[0]))
        expected = model.head(model.rnn2(below, h[2:])[0])
    assert close(outputs(network, x.tolist()), expected.tolist(), bits=BITS)


class Custom(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 3), torch.nn.Linear(3, 2)


def in_a_row(*parts):
    return lambda: torch.nn.Sequential(*parts)


@pytest.mark.parametrize(
    ("head", "readout", "message"),
    [
        (
            Custom,
            "head",
            r"'head' is of the class Custom, whose forward is not read: name its .* of 'head.first, head.second'",
        ),
        (
            in_a_row(torch.nn.LayerNorm(4), torch.nn.Linear(4, 2)),
            "head",
            "'head.0' is of the class LayerNorm, which is not read",
        ),
        (
            in_a_row(torch.nn.Linear(4, 3), torch.nn.GELU(), torch.nn.Linear(3, 2)),
            "head",
            "'head.1' is of the class GELU, which",
        ),
        (in_a_row(torch.nn.Linear(4, 1), torch.nn.Sigmoid()), "head", r"\['head'\] ends with an activation"),
        (
            in_a_row(torch.nn.Linear(4, 3), torch.nn.Softplus(threshold=1), torch.nn.Linear(3, 2)),
            "head",
            "'head.1' is of the class Softplus with beta=1.*, threshold=1.*: it is read with torch's own settings only",
        ),
        (
            in_a_row(torch.nn.Linear(4, 3), torch.nn.PReLU(), torch.nn.Linear(3, 2)),
            "head",
            "'head.1' is of the class PReLU, which",
        ),
        (in_a_row(torch.nn.Linear(4, 2), torch.nn.Softmax(-1)), "head", "Softmax, .*the largest output is the same"),
        (
            in_a_row(torch.nn.LSTM(4, 2)),
            ["head.0"],
            "'head.0' is of the class LSTM, .* name recurrent modules in prefix=",
        ),
        (in_a_row(torch.nn.Embedding(4, 4)), "head", "'head.0' is of the class Embedding, .* as embedding="),
        (in_a_row(torch.nn.Dropout()), "head", r"\['head'\] has no linear layer"),
        (in_a_row(), "head", r"\['head'\] has no linear layer"),
        (
            lambda: torch.nn.Linear(4, 2),
            ["head", "gelu", "head"],
            "has no tensor 'gelu.weight'.*have the names .*relu6",
        ),
    ],
)
def test_heads_that_are_refused(head, readout, message):
    with pytest.raises(NetworkFileError, match=message):
        xn.from_torch(Deep(head()), prefix=["rnn1", "proj", "act", "rnn2"], readout=readout)


class Squared(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) ** 2


class Twice(torch.nn.Sequential):
    def forward(self, x):
        return super().forward(x) + x


class ReLUDropout(torch.nn.Dropout):
    def forward(self, x):
        return torch.relu(x)


class LinearAndReLU(torch.nn.Linear):
    def forward(self, x):
        return torch.relu(super().forward(x))


class OwnLinear(torch.nn.Linear):
    """One whose forward is torch's."""


Squared.__name__, Twice.__name__ = "ReLU", "Sequential"


@pytest.mark.parametrize(
    "head",
    [
        in_a_row(torch.nn.Linear(4, 4), Squared(), torch.nn.Linear(4, 2)),
        in_a_row(Twice(torch.nn.Linear(4, 4), torch.nn.ReLU()), torch.nn.Linear(4, 2)),
        in_a_row(torch.nn.Linear(4, 4), ReLUDropout(), torch.nn.Linear(4, 2)),
        in_a_row(LinearAndReLU(4, 4), torch.nn.Linear(4, 2)),
    ],
)
def test_classes_that_are_only_called_like_those_of_torch_are_refused(head):
    with pytest.raises(NetworkFileError, match=r"is of the class \w+, wh(ose forward|ich) is not read"):
        xn.from_torch(Deep(head()), prefix=["rnn1", "proj", "act", "rnn2"], readout="head")


def test_hooks_are_refused_and_a_class_with_the_forward_of_torch_is_read():
    model = Deep(OwnLinear(4, 2))
    parts = {"prefix": ["rnn1", "proj", "act", "rnn2"], "readout": "head"}
    network = xn.from_torch(model, **parts)
    assert network == xn.from_torch(model.state_dict(), **parts | {"prefix": ["rnn1", "proj", "tanh", "rnn2"]},
                                    name=network.name)  # fmt: skip
    model.head.register_forward_hook(lambda module, given, output: output + 1)
    with pytest.raises(NetworkFileError, match="'head' has hooks"):
        xn.from_torch(model, **parts)


def with_one_activation_twice():
    same = torch.nn.ReLU()
    return torch.nn.Sequential(torch.nn.Linear(4, 5), same, torch.nn.Linear(5, 5), same, torch.nn.Linear(5, 2))


def with_one_linear_layer_twice():
    same = torch.nn.Linear(4, 4)
    return torch.nn.Sequential(same, torch.nn.ReLU(), same, torch.nn.Linear(4, 2))


@pytest.mark.parametrize(
    "head",
    [
        with_one_activation_twice,
        with_one_linear_layer_twice,
        in_a_row(torch.nn.Linear(4, 3), torch.nn.Hardtanh(-0.25, 0.5), torch.nn.Linear(3, 2)),
        in_a_row(torch.nn.Linear(4, 3), torch.nn.LeakyReLU(), torch.nn.Linear(3, 2)),
        in_a_row(torch.nn.Linear(4, 3), torch.nn.Softplus(), torch.nn.Linear(3, 2)),
    ],
)
def test_modules_that_are_there_twice_and_settings(head):
    torch.manual_seed(5)
    model = Deep(head()).double().eval()
    network = xn.from_torch(model, prefix=["rnn1", "proj", "act", "rnn2"], readout="head")
    x = torch.randn(30, 3, dtype=torch.float64)
    with torch.no_grad():
        assert close(outputs(network, x.tolist()), model(x).tolist(), bits=BITS)


def test_a_recurrent_module_with_two_names_has_its_own_nonlinearity_under_both():
    torch.manual_seed(6)
    model = torch.nn.Module()
    model.first = model.second = torch.nn.RNN(3, 3, nonlinearity="relu", batch_first=True).double()
    network = xn.from_torch(model, prefix=["first", "second"])
    x = torch.randn(20, 3, dtype=torch.float64)
    with torch.no_grad():
        assert close(outputs(network, x.tolist()), model.second(model.first(x)[0])[0].tolist(), bits=BITS)


@pytest.mark.parametrize(
    ("activation", "message"),
    [
        (torch.nn.Hardtanh(0.0, 6.0), "does not say its min_val and max_val"),
        (torch.nn.Softplus(beta=2), "does not say its beta"),
    ],
)
def test_settings_of_traced_activations_are_not_guessed(activation, message):
    model = Deep(torch.nn.Sequential(torch.nn.Linear(4, 3), activation, torch.nn.Linear(3, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(model, torch.zeros(2, 5, 3))
    with pytest.raises(NetworkFileError, match=message):
        xn.from_torch(traced, prefix=["rnn1", "proj", "act", "rnn2"], readout="head", nonlinearity="tanh")


def test_parts_that_several_recurrent_modules_leave_out_are_told_or_refused():
    model = Deep(torch.nn.Linear(4, 2))
    model.rnn2 = torch.nn.RNN(4, 4, batch_first=True)
    left_out = r"tensors that would be left out, 'proj.bias, proj.weight'"
    with pytest.warns(xn.UnreadModuleWarning), pytest.raises(NetworkFileError, match=left_out):
        xn.from_torch(model, prefix=["rnn1", "rnn2"], readout="head")
    del model.proj
    with pytest.warns(xn.UnreadModuleWarning, match=r"act \(Tanh\)"):
        xn.from_torch(model, prefix=["rnn1", "rnn2"], readout="head")


def test_an_activation_that_is_named_is_not_told_as_left_out():
    model = torch.nn.ModuleDict({"rnn": torch.nn.GRU(3, 4), "act": torch.nn.ReLU(), "fc": torch.nn.Linear(4, 2)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xn.from_torch(model, readout=["act", "fc"])
    with pytest.warns(xn.UnreadModuleWarning, match=r"act \(ReLU\).*name activations in readout="):
        xn.from_torch(model, readout="fc")


def test_an_embedding_that_changes_when_it_is_looked_up_is_refused():
    model = torch.nn.ModuleDict({"embed": torch.nn.Embedding(5, 2, max_norm=0.1), "rnn": torch.nn.RNN(2, 3)})
    with pytest.raises(xn.ExactnnError, match=r"max_norm='?0\.1.*set max_norm to None"):
        xn.from_torch(model, embedding="embed")
    model["embed"](torch.arange(5))
    model["embed"].max_norm = None
    network = xn.from_torch(model, embedding="embed", alphabet="abcde")
    x = torch.tensor([0, 3, 1])
    one_hot = torch.nn.functional.one_hot(x, 5).tolist()
    assert close(outputs(network, one_hot), model["rnn"](model["embed"](x))[0].tolist(), bits=20)


@pytest.mark.parametrize(("tokens", "bias"), [(3, False), (3, True), (5, False), (5, True)])
def test_a_linear_layer_of_a_module_is_an_embedding_by_its_columns(tokens, bias):
    torch.manual_seed(2)
    model = torch.nn.ModuleDict({"embed": torch.nn.Linear(tokens, 3, bias=bias), "rnn": torch.nn.GRU(3, 4)}).double()
    network = xn.from_torch(model, embedding="embed", alphabet="abcde"[:tokens])
    x = torch.tensor([0, 2, 1, 1])
    one_hot = torch.nn.functional.one_hot(x, tokens).double()
    assert close(outputs(network, one_hot.tolist()), model["rnn"](model["embed"](one_hot))[0].tolist(), bits=BITS)


def test_buffers_that_the_state_dictionary_leaves_out_are_told():
    model = torch.nn.ModuleDict({"rnn": torch.nn.RNN(2, 3)})
    model.register_buffer("h0", torch.ones(1, 3), persistent=False)
    with pytest.warns(xn.UnreadModuleWarning, match=r"not read: h0\..*by h= and c="):
        xn.from_torch(model)
    xn.from_torch(model, prefix="rnn")


def test_weights_that_torch_makes_of_parts_are_named():
    from torch.nn.utils import prune

    pruned, normed = torch.nn.RNN(2, 3), torch.nn.RNN(2, 3)
    prune.random_unstructured(pruned, "weight_hh_l0", 0.5)
    torch.nn.utils.parametrizations.weight_norm(normed, "weight_ih_l0")
    for module, part in ((pruned, "weight_hh_l0_mask"), (normed, "parametrizations.weight_ih_l0.original0")):
        with pytest.raises(xn.ExactnnError, match=rf"{part}.*prune\.remove"):
            xn.from_torch(module)


def test_the_state_dictionary_in_a_checkpoint_is_pointed_at():
    with pytest.raises(xn.ExactnnError, match="mapping with weights under 'model'"):
        xn.from_torch({"model": torch.nn.RNN(2, 3).state_dict(), "epoch": 3})


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "bfloat16"])
def test_short_floats_of_safetensors_are_those_of_torch(dtype, tmp_path):
    from safetensors.torch import save_file

    words = torch.arange(256, dtype=torch.uint8)
    numbers = (words.view(getattr(torch, dtype)) if dtype != "bfloat16" else words.float().to(torch.bfloat16)).float()
    finite = numbers[numbers.isfinite()]
    assert len(finite) >= 248
    column = finite.to(getattr(torch, dtype)).reshape(-1, 1)
    tensors = {"weight_ih_l0": column, "weight_hh_l0": torch.zeros(len(finite), len(finite), dtype=column.dtype)}
    save_file(tensors, tmp_path / "short.safetensors")
    network = xn.load_safetensors(tmp_path / "short.safetensors", name="it")
    assert network == xn.from_torch(tensors, name="it")
    read = [dict(unit.linear).get(len(finite), 0) for unit in network.circuit.layers[0]]
    assert list(map(float, read)) == finite.tolist()


def test_symbols_may_be_numbers():
    network = xn.from_torch(torch.nn.RNN(3, 2), alphabet=range(3))
    assert network.alphabet == ("0", "1", "2")
    assert xn.run(network, [0, 2], "float32").steps == 2


@pytest.mark.parametrize("compiled", ["trace", "script"])
def test_modules_of_torchscript_do_not_say_their_activation(compiled):
    torch.manual_seed(1)
    module = torch.nn.RNN(2, 3, nonlinearity="relu").double()
    x = torch.zeros(4, 2, dtype=torch.float64)
    with warnings.catch_warnings(action="ignore"):  # torch calls both of them old
        script = torch.jit.trace(module, x) if compiled == "trace" else torch.jit.script(module)
    if compiled == "trace":
        with pytest.raises(xn.ExactnnError, match=r"of TorchScript.*nonlinearity=.tanh. or .relu."):
            xn.from_torch(script)
    given = {"nonlinearity": "relu"} if compiled == "trace" else {}
    assert xn.from_torch(script, name="it", **given) == xn.from_torch(module, name="it")


@cells
def test_safetensors_of_torch(cell, tmp_path):
    pytest.importorskip("safetensors")
    from safetensors.torch import load_file, save_file

    torch.manual_seed(1)
    path, model = tmp_path / "model.safetensors", Model(cell, embedded=True)
    options = {"readout": "fc", "embedding": "embed", "alphabet": "abcde", "name": "it"}
    network = xn.from_torch(model, **options)
    save_file(model.state_dict(), path)
    assert xn.load_safetensors(path, **options) == network
    xn.save_safetensors(network, path)
    assert xn.load_safetensors(path) == network
    module = CELLS[cell](3, 4, dtype=torch.float64)
    tensors = load_file(path)
    module.load_state_dict({name.removeprefix("rnn."): t for name, t in tensors.items() if name.startswith("rnn.")})
    assert torch.equal(module.weight_hh_l0.float(), model.rnn.weight_hh_l0)


@cells
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layers": 2},
        {"bias": False},
        {"batch_first": False},
        {"embedded": True},
        {"embedded": True, "batch_first": False, "layers": 2},
        {"last": False},
        {"last": False, "layers": 2, "dropout": 0.5},
    ],
)
def test_onnx_of_torch(cell, options, tmp_path):
    """The exporter of torch, from a model and from its weights: the same network, every weight the same."""
    pytest.importorskip("onnx")
    torch.manual_seed(1)
    path, model = tmp_path / "model.onnx", Model(cell, **options).eval()
    x = torch.zeros(1, 6, dtype=torch.long) if model.embed else torch.zeros(1, 6, 3)
    if not model.rnn.batch_first:
        x = x.movedim(0, 1)
    axes = {"x": {0: "first", 1: "second"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (x,), path, dynamo=False, input_names=["x"], dynamic_axes=axes)
    embedding = "embed" if model.embed else None
    assert xn.load_onnx(path, name="it") == xn.from_torch(model, readout="fc", embedding=embedding, name="it")


def test_pickles_of_torch_are_refused(tmp_path):
    path = tmp_path / "model.pt"
    torch.save(torch.nn.GRU(2, 3).state_dict(), path)
    with pytest.raises(xn.ExactnnError, match="is a pickle, which runs code"):
        xn.load_safetensors(path)
    with pytest.raises(xn.ExactnnError, match="is a pickle, which runs code"):
        xn.load_onnx(path) if pytest.importorskip("onnx") else None


@pytest.mark.parametrize("make", [lambda model: model, lambda model: model.state_dict()], ids=["module", "state dict"])
def test_words_of_tensors_in_formats_of_torch(make):
    """What a user of torch types: a model or its weights, a batch of inputs as one tensor, a dtype."""
    torch.manual_seed(0)
    network, inputs = xn.from_torch(make(Model("LSTM", last=False)), readout="fc"), torch.randn(3, 6, 3)
    for dtype in (torch.float32, torch.float16):
        batch = inputs.to(dtype)
        report = xn.check_format(network, batch, [torch.bfloat16, torch.float16])
        assert report == xn.check_format(network, batch.tolist(), ["bfloat16", "float16"])
        ran, same = xn.run(network, batch[0], torch.bfloat16), xn.run(network, batch[0].tolist(), "bf16")
        assert (ran.outcome, ran.outputs) == (same.outcome, same.outputs)
