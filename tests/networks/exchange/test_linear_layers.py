"""Layers of linear attention and of state spaces by their names: their equations in decimal numbers, and in torch.

The tables are written down in `Decimal` with 90 digits, each rounded once to float64; the recurrences in fractions.
What a network gives has to be equal to that.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import exactnn as xn
from exactnn.errors import NetworkError, NetworkFileError, NumberError, OptionError

TOKENS, WIDTH = 3, 4
WORD = "abcabbca"


def drawn(seed, shapes):
    numbers = np.random.default_rng(seed)
    return {name: numbers.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


# --- Numbers that are not rational, in 90 digits.


def decimals(array):
    return (
        [decimals(row) for row in array]
        if np.ndim(array)
        else array
        if isinstance(array, Decimal)
        else Decimal(float(array))
    )


def product(matrix, vector):
    return [sum((x * y for x, y in zip(row, vector, strict=True)), Decimal(0)) for row in matrix]


def sigmoid(x):
    return 1 / (1 + (-x).exp())


def silu(x):
    return x * sigmoid(x)


def softplus(x):
    return (1 + x.exp()).ln()


def l2(vector):
    root = (sum(x * x for x in vector) + Decimal("1e-6")).sqrt()
    return [x / root for x in vector]


def rounded(numbers):
    """Return numbers rounded to float64, as fractions."""
    return [rounded(x) for x in numbers] if isinstance(numbers, list) else Fraction(float(numbers))


def cut(vector, pieces):
    size = len(vector) // pieces
    return [vector[k * size : (k + 1) * size] for k in range(pieces)]


# --- The layers of flash-linear-attention, after fla/layers and fla/ops.


def last_tap(weights, name, vector):
    """Return what a short convolution gives whose earlier taps are 0."""
    if f"{name}_conv1d.weight" not in weights:
        return vector
    taps = decimals(weights[f"{name}_conv1d.weight"][:, 0, -1])
    bias = decimals(weights.get(f"{name}_conv1d.bias", np.zeros(len(taps))))
    return [x * tap + b for x, tap, b in zip(vector, taps, bias, strict=True)]


def delta_rule(weights, embedding, *, heads, factors=1, value_heads=None, strength=1, normed=l2, activation=silu):
    """Return the outputs after each step, the heads one after the other: decay, then the delta steps, then S q."""
    value_heads = value_heads or heads
    tables = []
    for row in decimals(embedding):
        q, k, v = (
            [act(x) for x in last_tap(weights, name, product(decimals(weights[f"{name}_proj.weight"]), row))]
            for name, act in (("q", activation), ("k", activation), ("v", silu))
        )
        beta = [sigmoid(x) * strength for x in product(decimals(weights["b_proj.weight"]), row)]
        table = []
        for head in range(value_heads):
            shared = head // (value_heads // heads)
            query = normed(cut(q, heads)[shared])
            size = Decimal(len(query)).sqrt()
            decay = Decimal(1)
            if "a_proj.weight" in weights:
                a = product(decimals(weights["a_proj.weight"]), row)[head] + Decimal(float(weights["dt_bias"][head]))
                decay = (-Decimal(float(weights["A_log"][head])).exp() * softplus(a)).exp()
            steps = [
                (normed(cut(key, heads)[shared]), cut(value, value_heads)[head], b[head])
                for key, value, b in zip(cut(k, factors), cut(v, factors), cut(beta, factors), strict=True)
            ]
            table.append(
                (
                    rounded([x / size for x in query]),
                    rounded(decay),
                    [(rounded(key), rounded(value), rounded(b)) for key, value, b in steps],
                )
            )
        tables.append(table)
    states = [None] * value_heads
    outputs = []
    for symbol in WORD:
        output = []
        for head, (query, decay, steps) in enumerate(tables["abc".index(symbol)]):
            S = states[head] or [[Fraction(0)] * len(query) for _ in steps[0][1]]
            S = [[decay * x for x in row] for row in S]
            for key, value, b in steps:
                read = [sum(x * y for x, y in zip(row, key, strict=True)) for row in S]
                S = [
                    [x + b * (v - u) * y for x, y in zip(row, key, strict=True)]
                    for row, v, u in zip(S, value, read, strict=True)
                ]
            states[head] = S
            output += [sum(x * y for x, y in zip(row, query, strict=True)) for row in S]
        outputs.append(output)
    return outputs


def gla(weights, embedding, *, heads, groups, normalizer=16, least=None):
    tables = []
    for row in decimals(embedding):
        q, k, v = (product(decimals(weights[f"{name}_proj.weight"]), row) for name in "qkv")
        logits = product(decimals(weights["gk_proj.1.weight"]), product(decimals(weights["gk_proj.0.weight"]), row))
        logits = [x + b for x, b in zip(logits, decimals(weights["gk_proj.1.bias"]), strict=True)]
        exponents = [sigmoid(x).ln() / normalizer for x in logits]
        decays = [(x if least is None else max(x, least)).exp() for x in exponents]
        size = Decimal(len(q) // heads).sqrt()
        table = []
        for head in range(heads):
            mine = head // groups
            own = [cut(x, heads // groups)[mine] for x in (k, v)]
            query = [x / size for x in cut(q, heads)[head]]
            exactly = [Fraction(x) for x in query] if size == int(size) else rounded(query)
            table.append((exactly, rounded(cut(decays, heads // groups)[mine]), *[list(map(Fraction, x)) for x in own]))
        tables.append(table)
    states, outputs = [None] * heads, []
    for symbol in WORD:
        output = []
        for head, (query, decay, key, value) in enumerate(tables["abc".index(symbol)]):
            S = states[head] or [[Fraction(0)] * len(key) for _ in value]
            S = states[head] = [
                [a * x + v * y for x, a, y in zip(row, decay, key, strict=True)]
                for row, v in zip(S, value, strict=True)
            ]
            output += [sum(x * y for x, y in zip(row, query, strict=True)) for row in S]
        outputs.append(output)
    return outputs


def delta_weights(seed, *, heads=2, factors=1, value_heads=None, gated=False, key=4, value=6, **more):
    value_heads = value_heads or heads
    shapes = {
        "q_proj.weight": (key, WIDTH), "k_proj.weight": (key * factors, WIDTH),
        "v_proj.weight": (value * factors, WIDTH), "b_proj.weight": (value_heads * factors, WIDTH),
        "o_norm.weight": (value // value_heads,), "o_proj.weight": (WIDTH, value),
    } | more  # fmt: skip
    if gated:
        shapes |= {"a_proj.weight": (value_heads, WIDTH), "A_log": (value_heads,), "dt_bias": (value_heads,)}
    return drawn(seed, shapes)


def loaded(weights, *, prefix="attn.", **options):
    embedding = drawn(99, {"embed.weight": (TOKENS, WIDTH)})
    tensors = embedding | {prefix + name: array for name, array in weights.items()}
    return xn.from_torch(tensors, embedding="embed", alphabet="abc", **options), embedding["embed.weight"]


def check(expected, network):
    outputs = xn.run(network, WORD, arithmetic=xn.RATIONAL).outputs
    found = [[Fraction(x) for x in (output if isinstance(output, tuple) else (output,))] for output in outputs]
    assert found == expected
    assert xn.run(network, WORD).outputs == outputs  # in integers over a common denominator, which products square


@pytest.fixture(autouse=True)
def many_digits():
    with localcontext() as context:
        context.prec = 90
        yield


DELTA = {
    "DeltaNet": ({}, {}, {"heads": 2}),
    "DeltaNet with negative eigenvalues": ({}, {"allow_neg_eigval": True}, {"heads": 2, "strength": 2}),
    "GatedDeltaNet": ({"gated": True}, {}, {"heads": 2}),
    "GatedDeltaNet with shared keys": (
        {"gated": True, "heads": 1, "value_heads": 2}, {"num_heads": 1}, {"heads": 1, "value_heads": 2},
    ),
    "GatedDeltaProduct": ({"gated": True, "factors": 3}, {}, {"heads": 2, "factors": 3, "strength": 2}),
    "GatedDeltaProduct without a gate": (
        {"factors": 2}, {"allow_neg_eigval": False}, {"heads": 2, "factors": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DELTA)
def test_delta_rules(case):
    shapes, settings, equations = DELTA[case]
    weights = delta_weights(len(case), **shapes)
    network, embedding = loaded(weights, settings=settings or None)
    check(delta_rule(weights, embedding, **equations), network)
    named, _ = loaded(weights, settings=settings or None, cell=case.split()[0], prefix="")
    assert named.circuit == network.circuit


def test_keys_of_rational_numbers_are_exact():
    """With relu and the sum as norm there is no smooth function in keys."""
    weights = delta_weights(3, heads=1)
    for name in ("q", "k"):
        weights[f"{name}_proj.weight"] = np.abs(weights[f"{name}_proj.weight"])
    tensors = {"embed.weight": np.abs(drawn(99, {"e": (TOKENS, WIDTH)})["e"]), **weights}
    settings = {"qk_activation": "relu", "qk_norm": "sum"}
    network = xn.from_torch(tensors, embedding="embed", alphabet="abc", settings=settings)
    keys = [
        [sum(Fraction(float(x)) * Fraction(float(y)) for x, y in zip(row, token, strict=True)) for row in rows]
        for rows in [weights["k_proj.weight"]] for token in tensors["embed.weight"]
    ]  # fmt: skip
    units = {unit.name: unit for unit in network.circuit.layers[0]}
    for i in range(4):
        expected = [column[i] / sum(column) for column in keys]
        assert [Fraction(weight) for _, weight in units[f"k[{i}]"].linear] == expected


def test_a_short_convolution_of_one_token():
    weights = delta_weights(5, gated=True)
    sizes = {"q": 4, "k": 4, "v": 6}
    for name, size in sizes.items():
        taps = drawn(size, {"w": (size, 1, 4), "b": (size,)})
        taps["w"][:, :, :-1] = 0
        weights |= {f"{name}_conv1d.weight": taps["w"], f"{name}_conv1d.bias": taps["b"]}
    network, embedding = loaded(weights)
    check(delta_rule(weights, embedding, heads=2), network)
    weights["k_conv1d.weight"][2, 0, 1] = 0.5
    with pytest.raises(NetworkFileError, match=r"attn.k_conv1d.weight' mixes 4 tokens"):
        loaded(weights)


@pytest.mark.parametrize(("settings", "equations"), [
    ({}, {}), ({"gate_logit_normalizer": 4, "clamp_min": -0.125}, {"normalizer": 4, "least": Decimal("-0.125")}),
])  # fmt: skip
@pytest.mark.parametrize(("heads", "groups", "key"), [(2, 1, 4), (2, 2, 8), (1, 1, 4)])
def test_gated_linear_attention(settings, equations, heads, groups, key):
    weights = drawn(7, {
        "q_proj.weight": (key, WIDTH), "k_proj.weight": (key // groups, WIDTH), "v_proj.weight": (6 // groups, WIDTH),
        "gk_proj.0.weight": (2, WIDTH), "gk_proj.1.weight": (key // groups, 2), "gk_proj.1.bias": (key // groups,),
        "g_norm_swish_gate.weight": (6 // heads,), "g_proj.weight": (6, WIDTH), "o_proj.weight": (WIDTH, 6),
    })  # fmt: skip
    network, embedding = loaded(weights, settings=settings or None)
    check(gla(weights, embedding, heads=heads, groups=groups, **equations), network)


# --- The mixer of Mamba, after mamba_simple.py.


def mamba_weights(seed, *, channels=3, states=2, rank=1, taps=1):
    weights = drawn(seed, {
        "in_proj.weight": (2 * channels, WIDTH), "conv1d.weight": (channels, 1, taps), "conv1d.bias": (channels,),
        "x_proj.weight": (rank + 2 * states, channels), "dt_proj.weight": (channels, rank),
        "dt_proj.bias": (channels,), "A_log": (channels, states), "D": (channels,),
        "out_proj.weight": (WIDTH, channels),
    })  # fmt: skip
    weights["conv1d.weight"][:, :, :-1] = 0
    return weights


def mamba(weights, embedding, *, channels=3, states=2, rank=1):
    tables = []
    for row in decimals(embedding):
        xz = product(decimals(weights["in_proj.weight"]), row)
        taps, bias = decimals(weights["conv1d.weight"][:, 0, -1]), decimals(weights["conv1d.bias"])
        x = [silu(x * w + b) for x, w, b in zip(xz[:channels], taps, bias, strict=True)]
        z = [silu(value) for value in xz[channels:]]
        small = product(decimals(weights["x_proj.weight"]), x)
        dt = product(decimals(weights["dt_proj.weight"]), small[:rank])
        dt = [softplus(d + b) for d, b in zip(dt, decimals(weights["dt_proj.bias"]), strict=True)]
        B, C = small[rank : rank + states], small[rank + states :]
        A = [[-x.exp() for x in row] for row in decimals(weights["A_log"])]
        D = decimals(weights["D"])
        tables.append([
            (rounded([(dt[i] * a).exp() for a in A[i]]), rounded([dt[i] * b * x[i] for b in B]),
             rounded([z[i] * c for c in C]), rounded(z[i] * D[i] * x[i]))
            for i in range(channels)
        ])  # fmt: skip
    out = [[Fraction(float(x)) for x in row] for row in weights["out_proj.weight"]]
    h = [[Fraction(0)] * states for _ in range(channels)]
    outputs = []
    for symbol in WORD:
        y = []
        for i, (a, b, c, d) in enumerate(tables["abc".index(symbol)]):
            h[i] = [x * f + g for x, f, g in zip(h[i], a, b, strict=True)]
            y.append(d + sum(x * f for x, f in zip(h[i], c, strict=True)))
        outputs.append([sum(w * v for w, v in zip(row, y, strict=True)) for row in out])
    return outputs


@pytest.mark.parametrize("taps", [1, 4])
def test_mamba(taps):
    weights = mamba_weights(11, taps=taps)
    network, embedding = loaded(weights, prefix="layers.0.mixer.")
    check(mamba(weights, embedding), network)
    readout = drawn(5, {"weight": (1, WIDTH), "bias": (1,)})
    above, _ = loaded(weights | {f"head.{name}": array for name, array in readout.items()}, readout="head", prefix="")
    (row,), (bias,) = ([[Fraction(float(x)) for x in r] for r in np.atleast_2d(readout[n])] for n in ("weight", "bias"))
    check([[bias[0] + sum(w * x for w, x in zip(row, y, strict=True))] for y in mamba(weights, embedding)], above)


def test_the_convolution_of_mamba_is_refused_by_name():
    weights = mamba_weights(11, taps=4)
    weights["conv1d.weight"][0, 0, 2] = 1
    with pytest.raises(NetworkFileError, match=r"attn.conv1d.weight' mixes 4 tokens"):
        loaded(weights)


# --- S4D, after s4d.py: its convolution kernel, not its recurrence.


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("embedded", [False, True])
def test_s4d_is_the_convolution_with_its_kernel(real, embedded):
    size, poles = WIDTH, 2
    weights = drawn(13, {
        "kernel.log_dt": (size,), "kernel.C": (size, poles, 2), "kernel.log_A_real": (size, poles),
        "kernel.A_imag": (size, poles), "D": (size,), "output_linear.0.weight": (2 * size, size, 1),
        "output_linear.0.bias": (2 * size,),
    })  # fmt: skip
    weights["kernel.A_imag"][:, 0] *= not real
    if real:
        weights["kernel.A_imag"][:] = 0
    embedding = drawn(99, {"embed.weight": (TOKENS, WIDTH)})
    inputs = [embedding["embed.weight"]["abc".index(symbol)] for symbol in WORD]
    if embedded:
        network = xn.from_torch(weights | embedding, embedding="embed", alphabet="abc")
        found = xn.run(network, WORD).outputs
    else:
        network = xn.from_torch(weights)
        found = xn.run(network, [vector.tolist() for vector in inputs]).outputs
    A = -np.exp(weights["kernel.log_A_real"].astype(float)) + 1j * weights["kernel.A_imag"]
    dtA = A * np.exp(weights["kernel.log_dt"].astype(float))[:, None]
    C = (weights["kernel.C"][..., 0].astype(float) + 1j * weights["kernel.C"][..., 1]) * (np.exp(dtA) - 1) / A
    kernel = 2 * np.einsum("hn,hnl->hl", C, np.exp(dtA[..., None] * np.arange(len(WORD)))).real
    u = np.array(inputs, dtype=float)
    for t, output in enumerate(found):
        y = sum(kernel[:, s] * u[t - s] for s in range(t + 1)) + u[t] * weights["D"]
        assert np.allclose([float(x) for x in output], y, rtol=1e-12, atol=1e-13)
    assert network.circuit.state_size == size + size * poles * (1 if real else 2)
    with pytest.raises(NetworkFileError, match=r"GELU stands below tensor 'output_linear.0.weight'"):
        xn.from_torch(weights | {"fc.weight": np.ones((1, size), np.float32)}, readout="fc")


def test_steps_of_s4d_that_are_very_short():
    """(exp(dt A) - 1) / A is dt then, as closely as float64 tells; there exp(dt A) is 1, to 400 bits."""
    weights = drawn(13, {
        "kernel.log_dt": (1,), "kernel.C": (1, 2, 2), "kernel.log_A_real": (1, 2), "kernel.A_imag": (1, 2), "D": (1,),
    })  # fmt: skip
    weights["kernel.log_dt"][:] = -500
    weights["kernel.A_imag"][0, 1] = 0
    (reads,) = (unit for unit in xn.from_torch(weights).circuit.layers[-1] if unit.name == "y[0]")
    with localcontext() as context:
        context.prec = 90
        step = Decimal(-500).exp()
        (real, imaginary), (alone, _) = weights["kernel.C"][0].astype(float)
        expected = [2 * Decimal(c) * step for c in (real, -imaginary, alone)]
    assert [weight for _, weight in reads.linear[:3]] == rounded(expected)


# --- Around the layer.


def test_a_readout_of_one_head_is_that_of_the_model_to_a_positive_number():
    weights = delta_weights(17, heads=1)
    head = drawn(4, {"head.weight": (2, WIDTH)})
    network, embedding = loaded(weights | head, readout="head", prefix="")
    above = np.vectorize(lambda x: Fraction(float(x)), otypes=[object])
    matrix = above(head["head.weight"]) @ (above(weights["o_proj.weight"]) * above(weights["o_norm.weight"]))
    check([list(matrix @ np.array(o, dtype=object)) for o in delta_rule(weights, embedding, heads=1)], network)
    with pytest.raises(NetworkFileError, match=r"tensor 'head.bias' is added"):
        loaded(weights | head | {"head.bias": np.ones(2, np.float32)}, readout="head", prefix="")
    with pytest.raises(NetworkFileError, match=r"tensor 'g_proj.weight' is a gate"):
        loaded(weights | head | {"g_proj.weight": np.ones((6, WIDTH), np.float32)}, readout="head", prefix="")
    with pytest.raises(NetworkFileError, match=r"tensor 'o_norm.weight' is of a norm"):
        loaded(delta_weights(17) | head, readout="head", prefix="")


def test_a_norm_below_the_layer():
    weights = delta_weights(19) | {"attn_norm.weight": drawn(1, {"w": (WIDTH,)})["w"]}
    options = {"norm": "attn_norm", "settings": {"norm_eps": 1e-6}, "prefix": ""}
    network, embedding = loaded(weights, **options)
    scales = decimals(weights["attn_norm.weight"])

    normed = []
    for row in decimals(embedding):
        root = (sum(x * x for x in row) / WIDTH + Decimal("1e-6")).sqrt()
        normed.append([x / root * w for x, w in zip(row, scales, strict=True)])
    check(delta_rule(weights, normed, heads=2), network)
    with pytest.raises(OptionError, match="norm_eps"):
        loaded(weights, norm="attn_norm", prefix="")
    with pytest.raises(OptionError, match="embedding"):
        xn.from_torch(weights, norm="attn_norm")


def test_safetensors_and_the_command_line(tmp_path):
    pytest.importorskip("safetensors")
    from click.testing import CliRunner
    from safetensors.numpy import save_file

    from exactnn.cli import main

    weights = delta_weights(23)
    network, embedding = loaded(weights, settings={"allow_neg_eigval": True}, name="model")
    save_file(
        {"embed.weight": embedding} | {f"attn.{k}": v for k, v in weights.items()}, tmp_path / "model.safetensors"
    )
    options = {"embedding": "embed", "alphabet": "abc", "settings": {"allow_neg_eigval": True}}
    assert xn.load_safetensors(tmp_path / "model.safetensors", **options) == network
    done = CliRunner().invoke(main, ["import", str(tmp_path / "model.safetensors"), "-o", str(tmp_path / "net.json"),
                                     "--embedding", "embed", "--alphabet", "abc", "--cell", "DeltaNet",
                                     "--setting", "allow_neg_eigval=true"])  # fmt: skip
    assert done.exit_code == 0, done.output
    assert xn.load_network(tmp_path / "net.json") == network


def bad(**changed):
    weights = delta_weights(2)
    for name, array in changed.items():
        weights[name.replace("__", ".")] = array
    return {name: array for name, array in weights.items() if array is not None}


def zeros(*shape):
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(("weights", "options", "message"), [
    (bad(k_proj__weight=None), {}, r"no tensor 'attn.k_proj.weight'"),
    (bad(k_proj__weight=zeros(4, 5)), {}, r"'attn.k_proj.weight' is 4 by 5"),
    (bad(k_proj__weight=zeros(3, WIDTH)), {}, r"'attn.k_proj.weight' has 3 rows"),
    (bad(b_proj__weight=zeros(4, WIDTH)), {}, r"v_proj 6: they do not fit 4 heads"),
    (bad(b_proj__weight=None), {}, r"no attn.b_proj.weight, so it may be attention with a softmax"),
    (bad(b_proj__weight=None, o_norm__weight=None), {"cell": "DeltaNet"}, "no tensor tells num_heads"),
    (bad(a_proj__weight=zeros(2, WIDTH)), {}, r"no tensor 'attn.A_log'"),
    (bad(), {"cell": "GatedDeltaNet"}, r"'attn.a_proj.weight' is missing"),
    (bad(), {"cell": "GatedLinearAttention", "settings": {"num_heads": 2}}, r"no tensor 'attn.gk_proj.0.weight'"),
    (bad(), {"cell": "Mamba"}, r"no tensor 'x_proj.weight', as a Mamba has"),
    (bad(), {"cell": "mamba"}, "cell='mamba': give one of"),
    (bad(extra=zeros(2)), {}, "attn.extra"),
    (bad(), {"settings": {"heads": 2}}, "settings have 'heads'"),
    (bad(), {"settings": {"gate_logit_normalizer": 2}}, "which a DeltaNet does not have"),
    (bad(), {"settings": {"allow_neg_eigval": 1}}, "allow_neg_eigval=1: give True or False"),
    (bad(), {"settings": {"qk_norm": "l1"}}, "qk_norm='l1'"),
    (bad(), {"settings": {"num_heads": 0}}, "num_heads=0"),
    (bad(), {"settings": {"num_heads": 1}}, "num_heads is 1"),
    (bad(), {"settings": {"qk_activation": "relu", "qk_norm": "sum"}} , "sum 0"),
    (bad(), {"h": [[0]]}, "a DeltaNet begins with zeros"),
    (bad() | {"other.q_proj.weight": zeros(1, 1)}, {}, "several linear layers"),
    (mamba_weights(1) | {"in_proj.weight": zeros(7, WIDTH)}, {}, r"'attn.in_proj.weight' has 7 rows, where those of x"),
])  # fmt: skip
def test_what_is_refused(weights, options, message):
    if "sum 0" in message:
        weights["k_proj.weight"] = -np.abs(weights["k_proj.weight"])
        embedding = {"embed.weight": np.ones((3, WIDTH), np.float32)}
        with pytest.raises(xn.ExactnnError, match=message):
            xn.from_torch(weights | embedding, embedding="embed", alphabet="abc", **options)
        return
    with pytest.raises(xn.ExactnnError, match=message):
        loaded(weights, **options)


def test_a_vector_of_zeros_below_a_norm():
    weights = {"embed.weight": zeros(3, WIDTH), "norm.weight": np.ones(WIDTH, np.float32), **delta_weights(2)}
    options = {"embedding": "embed", "norm": "norm", "alphabet": "abc"}
    with pytest.raises(NumberError, match="a norm with norm_eps=0 divides by its length"):
        xn.from_torch(weights, settings={"norm_eps": 0}, **options)
    with pytest.raises(OptionError, match="norm_eps=-1: give 0 or more"):
        xn.from_torch(weights, settings={"norm_eps": -1}, **options)
    assert xn.from_torch(weights, settings={"norm_eps": 1e-6}, **options).alphabet == ("a", "b", "c")


def test_without_an_embedding_or_with_another_alphabet():
    with pytest.raises(OptionError, match="embedding is not given"):
        xn.from_torch(delta_weights(2))
    with pytest.raises(NetworkError):
        xn.from_torch(delta_weights(2) | {"embed.weight": zeros(4, WIDTH)}, embedding="embed", alphabet="abc")
    with pytest.raises(OptionError, match=r"settings=.*it is for DeltaNet"):
        xn.from_torch({"weight_ih_l0": zeros(2, 2), "weight_hh_l0": zeros(2, 2)}, settings={"num_heads": 1})


def test_tables_are_of_bounded_size(monkeypatch):
    monkeypatch.setattr("exactnn.networks.exchange.layer_parts.MOST_PRODUCTS", 4 * WIDTH * TOKENS)
    with pytest.raises(NetworkFileError, match=r"products: keep the rows"):
        loaded(delta_weights(2))


# --- A module of torch: its own attributes are the settings.


@pytest.mark.needs_torch
def test_a_module_of_torch():
    import torch

    class DeltaNet(torch.nn.Module):
        """The layer of fla/layers/delta_net.py without what stands above the recurrence, in the order of naive.py."""

        def __init__(self):
            super().__init__()
            self.num_heads, self.allow_neg_eigval, self.qk_activation, self.qk_norm = 2, True, "elu", "sum"
            for name, size in (("q", 4), ("k", 4), ("v", 6), ("b", 2)):
                setattr(self, f"{name}_proj", torch.nn.Linear(WIDTH, size, bias=False))
            self.o_norm, self.o_proj = torch.nn.RMSNorm(3), torch.nn.Linear(6, WIDTH, bias=False)

        def forward(self, x):
            q, k = (
                (torch.nn.functional.elu(p(x)) + 1).view(-1, 2, 2) for p in (self.q_proj, self.k_proj)
            )  # fmt: skip
            q, k = (one / one.sum(-1, keepdim=True) for one in (q, k))
            v = torch.nn.functional.silu(self.v_proj(x)).view(-1, 2, 3)
            beta = self.b_proj(x).sigmoid() * 2
            S, found = torch.zeros(2, 2, 3, dtype=x.dtype), []
            for t in range(len(x)):
                missing = (v[t] - (S * k[t][..., None]).sum(-2)) * beta[t][:, None]
                S = S + k[t][..., None] * missing[:, None, :]
                found.append(torch.einsum("hd,hdm->hm", q[t] * 2**-0.5, S).reshape(-1))
            return torch.stack(found)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.attn = torch.nn.Embedding(TOKENS, WIDTH), DeltaNet()

        def forward(self, word):
            return self.attn(self.embed(word))

    torch.manual_seed(0)
    model = Model().double()
    network = xn.from_torch(model, embedding="embed", alphabet="abc")
    settings = {"allow_neg_eigval": True, "qk_activation": "elu", "qk_norm": "sum"}
    told = xn.from_torch(model.state_dict(), embedding="embed", alphabet="abc", settings=settings)
    assert told.circuit == network.circuit
    assert xn.from_torch(model.state_dict(), embedding="embed", alphabet="abc").circuit != network.circuit
    with torch.no_grad():
        outputs = model(torch.tensor(["abc".index(symbol) for symbol in WORD])).tolist()
    found = [[float(x) for x in output] for output in xn.run(network, WORD, arithmetic=xn.RATIONAL).outputs]
    assert np.allclose(found, outputs, rtol=0, atol=1e-14)
