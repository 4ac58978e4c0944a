"""What a GPU makes of torch.nn.RNN, beside our formats: the section of docs/float_semantics.md.

Run from the root of the repository, with torch and a GPU: ``python -m benchmarks.on_a_gpu``; with ``cpu`` as an
argument it asks the processor instead. It takes some minutes.
"""

import sys
from dataclasses import replace
from itertools import chain, product
from math import isfinite

import torch
from gmpy2 import mpq

from exactnn import RATIONAL, SimpleRNN, load, run, siegelmann_sontag
from exactnn.arithmetic import any_arithmetic
from tests.precision.test_against_torch import in_torch_order

DEVICE = "cpu" if "cpu" in sys.argv else "cuda"
IN_ORDER, INSIDE = "as torch's equation", "kept in float32"
KINDS = {
    "float64": (torch.float64, False, "float64", ("float64", f"float64 {IN_ORDER}")),
    "float32 without tf32": (torch.float32, False, "float32", ("float32", f"float32 {IN_ORDER}")),
    "float32 as it comes": (torch.float32, True, "tf32", ("tensor core tf32", "float32", f"float32 {IN_ORDER}")),
    **{
        name: (dtype, False, name, (f"tensor core {name}", name, f"tensor core {name} {IN_ORDER}", INSIDE))
        for name, dtype in (("float16", torch.float16), ("bfloat16", torch.bfloat16))
    },
}
"""Of each kind of number: torch's type, whether cuDNN may round what it multiplies to tf32, the format in which states
are compared, and those that they are compared with. torch's equation is a circuit of its own: products, biases, sums.
What is kept in float32 is rounded only where it is told."""
NARROW = {
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float8_e4m3": torch.float8_e4m3fn,
    "float8_e5m2": torch.float8_e5m2,
}
SIZES = [(4, 1), (16, 1), (64, 1), (256, 1), (16, 64), (64, 64), (256, 64)]
"""Units, and words at a time."""
LONGEST = 18
"""Letters of the longest palindrome."""


def rounded(format, x):
    """Return a float in a format, as a float; a NaN or an infinity is one there."""
    return format.nearest(mpq(x)) if isfinite(x) else x


def same(x, y):
    """Whether two floats are the same, all NaNs alike."""
    return x == y or (x != x and y != y)


def casts():
    """Say for how many float32 numbers of any size a conversion on the device is not ours."""
    generator = torch.Generator().manual_seed(1)
    words = torch.randint(-(1 << 31), 1 << 31, (1 << 15,), generator=generator).to(torch.int32).view(torch.float32)
    for name, dtype in NARROW.items():
        format = any_arithmetic(name)
        ends = torch.tensor([float(format.largest), float(format.smallest)])
        near_ends = ((torch.randn(1 << 14, 1, generator=generator) + 1) * ends).flatten()
        bits = torch.finfo(dtype).bits
        numbers = torch.arange(1 << bits).to(torch.uint8 if bits == 8 else torch.int16).view(dtype).float()
        given = torch.cat([words, near_ends, numbers, (numbers[1:] + numbers[:-1]) / 2])
        given = given[given.isfinite()]
        theirs = given.to(DEVICE).to(dtype).float().cpu().tolist()
        ours = [rounded(format, x) for x in given.tolist()]
        different = [case for case in zip(given.tolist(), ours, theirs, strict=True) if not same(*case[1:])]
        beyond = sum(abs(x) > format.largest for x, *_ in different)
        print(f"cast to {name}: {len(different)} of {len(theirs):,} differ, {beyond} beyond the largest", different[:3])


def our_states(rnn, name, inputs, state):
    """Return the states of our run of torch's weights in an arithmetic, the first included."""
    arithmetic = "float32" if name == INSIDE else name.removesuffix(f" {IN_ORDER}")
    if name.endswith(IN_ORDER):
        network = replace(in_torch_order(rnn), initial_state=tuple(map(mpq, state)))
    else:
        recurrent, given, bias = (getattr(rnn, f"{x}_l0").tolist() for x in ("weight_hh", "weight_ih", "bias_hh"))
        network = SimpleRNN(V=recurrent, W=given, b=bias, s=state, readout_weight=[0] * len(bias))
    return run(network, inputs, arithmetic=arithmetic, record="all").trace


def one_step(size, batch, dtype, format, names):
    """Return the share of units in which torch differs from each of ours, after one step from random states."""
    counts, units = dict.fromkeys(names, 0), 0
    for seed in range(max(1, 64 // size)):
        torch.manual_seed(seed)
        rnn = torch.nn.RNN(3, size, nonlinearity="relu", dtype=dtype, device=DEVICE)
        with torch.no_grad():
            rnn.bias_ih_l0.zero_()
            h = torch.randn(1, batch, size, dtype=torch.float64).to(dtype).to(DEVICE)
            x = torch.randn(1, batch, 3, dtype=torch.float64).to(dtype).to(DEVICE)
            after = rnn(x, h)[1][0].tolist()
        for i in range(min(batch, 3)):
            theirs = [rounded(format, y) for y in after[i]]
            for name in names:
                ours = our_states(rnn, name, [x[0, i].tolist()], h[0, i].tolist())[-1]
                counts[name] += sum(rounded(format, float(y)) != z for y, z in zip(ours, theirs, strict=True))
            units += size
    return ", ".join(f"{name} {count / units:.0%}" for name, count in counts.items())


def in_torch(network, dtype, multiple):
    """Return torch.nn.RNN with a network's ReLU units, and more that are always 0 up to a multiple of some number."""
    circuit = network.circuit
    (units,) = circuit.layers
    size, width = (-(-n // multiple) * multiple for n in (circuit.state_size, circuit.input_size))
    rnn = torch.nn.RNN(width, size, nonlinearity="relu", dtype=dtype, device=DEVICE)
    with torch.no_grad():
        for parameter in rnn.parameters():
            parameter.zero_()
        for j, unit in enumerate(units):
            rnn.bias_hh_l0[j] = float(unit.bias)
            for register, weight in unit.linear:
                recurrent = register < circuit.state_size
                matrix, i = (rnn.weight_hh_l0, 0) if recurrent else (rnn.weight_ih_l0, circuit.state_size)
                matrix[j, register - i] = float(weight)
    return rnn


def torch_states(rnn, inputs, state, *, at_once):
    """Return the states of words in torch, the words in one call or each step in one."""
    with torch.no_grad():
        if at_once:
            return rnn(inputs, state)[0]
        states = []
        for symbols in inputs:
            state = rnn(symbols[None], state)[1]
            states.append(state)
        return torch.cat(states)


def palindromes(dtype, format, names, multiple, batch, *, at_once):
    """Say for which a^n the palindrome machine's states are exact in torch, and for which they are as ours."""
    network = siegelmann_sontag(load("palindrome"), activation="relu").network
    rnn, size = in_torch(network, dtype, multiple), network.circuit.state_size
    rnn.flatten_parameters()
    first = [*map(float, network.initial_state), *[0.0] * (rnn.hidden_size - size)]
    start = torch.tensor([[first]], dtype=dtype, device=DEVICE).repeat(1, batch, 1)
    exact, alike, wrong = [], {name: [] for name in names}, []
    for length in range(LONGEST + 1):
        truth = run(network, "a" * length, arithmetic=RATIONAL, record="all")
        given = [0] * length + [network.alphabet.index("EOS")] * truth.eos_steps
        inputs = torch.eye(rnn.input_size, dtype=dtype, device=DEVICE)[given]
        after = torch_states(rnn, inputs[:, None].repeat(1, batch, 1), start, at_once=at_once)
        assert (after == after[:, :1]).logical_or(after.isnan()).all(), "two equal words of a batch differ"
        states = [first, *after[:, 0].tolist()]
        if all(state[:size] == [*values] for state, values in zip(states, truth.trace, strict=True)):
            exact.append(length)
        for name in names:
            ours = [
                [rounded(format, float(x)) for x in state] for state in our_states(rnn, name, inputs.tolist(), first)
            ]
            theirs = [[rounded(format, x) for x in state] for state in states]
            if all(map(same, chain(*ours), chain(*theirs))):
                alike[name].append(length)
        (readout,) = network.readout
        output = float(readout.bias) + sum(float(weight) * states[-1][i] for i, weight in readout.linear)
        wrong += [length] if network.decision.outcome(output) is not truth.outcome else []
    lengths = ", ".join(f"{name}: {spans(found)}" for name, found in alike.items())
    return f"exact for n = {spans(exact)}; as {lengths}; verdict lost at {spans(wrong)}"


def spans(numbers):
    """Return numbers as text, those in a row as from-to.

    >>> spans([0, 1, 2, 5])
    '0-2, 5'
    """
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{a}-{b}" if a < b else f"{a}" for a, b in found) or "none"


def main():
    print("torch", torch.__version__, torch.cuda.get_device_name() if DEVICE == "cuda" else "on the processor")
    casts()
    for kind, (dtype, tf32, format, names) in KINDS.items():
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = tf32
        format = any_arithmetic(format)
        for multiple, batch, at_once in product((1, 8), (1, 64), (True, False)):
            how = f"units by {multiple}, {batch} at once, {'a word' if at_once else 'a step'} a call"
            print(
                f"{kind}, {how}: a^n {palindromes(dtype, format, names, multiple, batch, at_once=at_once)}", flush=True
            )
        for size, batch in SIZES:
            shares = one_step(size, batch, dtype, format, names)
            print(f"{kind}, one step of {size} units, {batch} at once, differ from {shares}", flush=True)


if __name__ == "__main__":
    main()
