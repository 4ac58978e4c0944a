"""The written step is the step: every unit, weight and copied register is in it, in the order of rounding."""

from gmpy2 import mpq

from exactnn.networks import Activation, Circuit, Network, SimpleRNN, Unit, step_formulas


def test_layers_products_and_copies():
    gate = Unit(name="gate", bias=mpq(0), linear=((2, mpq(-3, 7)), (0, mpq(2))), activation=Activation.SLU)
    kept = Unit(name="kept", bias=mpq(-1), linear=((3, mpq(1)),), bilinear=((3, 0, mpq(-5)),))
    circuit = Circuit(state_size=2, input_size=1, layers=((gate,), (kept,)), next_state=(4, 0))
    readout = tuple(Unit(name="out", bias=mpq(0), linear=((j, mpq(1)),)) for j in range(2))
    network = Network(circuit=circuit, initial_state=(mpq(1, 2), mpq(0)), readout=readout, scalar_output=False)
    assert step_formulas(network) == (
        "kept(0) = 1/2",
        "state[0](0) = 0",
        "gate(t) = slu(0 - 3/7 x[0](t) + 2 kept(t-1))",
        "kept(t) = -1 + 1 gate(t) - 5 gate(t) kept(t-1)",
        "state[0](t) = kept(t-1)",
        "output[0](t) = 0 + 1 kept(t)",
        "output[1](t) = 0 + 1 state[0](t)",
    )


def test_an_activation_of_ones_own_is_defined():
    """The name alone says nothing, and may be that of another function."""
    for name in ("clip", "relu"):
        clip = Activation(name=name, low=-1, high="1/2")
        network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=clip)
        assert step_formulas(network)[1:] == (
            f"h[0](t) = {name}(0 + 1 h[0](t-1) + 1 x[0](t))",
            "output(t) = 0 + 1 h[0](t)",
            f"{name}(x) = min(1/2, max(-1, x))",
        )
