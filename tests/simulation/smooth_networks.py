"""Networks with sigmoid and tanh: long short-term memory cells, written as circuits, with random weights."""

from gmpy2 import mpq

from exactnn.networks import ACTIVATIONS, Circuit, Decision, Network, Protocol, Unit

SMOOTH = tuple(activation for activation in ACTIVATIONS.values() if not activation.is_rational)


def smooth_network(rng, *, neurons=2, scale=1, protocol=Protocol.OUTPUTS):
    """Return an LSTM that reads a and b, with a readout of any activation; weights are up to about `scale`."""

    def weight():
        return mpq(rng.randrange(-100, 101), rng.choice((128, 100, 99))) * scale

    size, symbols = 2 * neurons, 2 + protocol.reads_eos
    seen = [*range(neurons), *range(size, size + symbols)]
    first = size + symbols
    gates = [
        Unit(
            name=f"{gate}[{i}]",
            bias=weight(),
            linear=tuple((register, weight()) for register in seen),
            activation="tanh" if gate == "g" else "sigmoid",
        )
        for gate in "ifgo"
        for i in range(neurons)
    ]
    i, f, g, o, c, t, h = (first + place * neurons for place in range(7))
    every = range(neurons)
    cells = [Unit(name=f"c[{n}]", bias=0, bilinear=((f + n, neurons + n, 1), (i + n, g + n, 1))) for n in every]
    bent = [Unit(name=f"t[{n}]", bias=0, linear=((c + n, 1),), activation="tanh") for n in every]
    hidden = [Unit(name=f"h[{n}]", bias=0, bilinear=((o + n, t + n, 1),)) for n in every]
    readout = Unit(
        name="y",
        bias=weight(),
        linear=tuple((n, weight()) for n in every),
        activation=rng.choice((*SMOOTH, "identity")),
    )
    return Network(
        circuit=Circuit(
            state_size=size,
            input_size=symbols,
            layers=tuple(map(tuple, (gates, cells, bent, hidden))),
            next_state=(*range(h, h + neurons), *range(c, c + neurons)),
        ),
        initial_state=tuple(weight() if rng.random() < 0.3 else 0 for _ in range(size)),
        readout=(readout,),
        alphabet=("a", "b", "EOS")[:symbols],
        decision=Decision(protocol=protocol, threshold=mpq(1, 3)),
        name="LSTM",
    )
