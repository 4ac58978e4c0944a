"""Circuits and networks written by hand: registers are checked, parts must fit, entries must be exact."""

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.constructions import compile
from exactnn.errors import ExactnnError, NetworkError
from exactnn.machine_files import load
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol, SimpleRNN, Unit, affine_unit
from exactnn.simulation import run

ONE = mpq(1)


def unit(*registers, bilinear=()):
    return Unit(
        name="u", bias=mpq(0), linear=tuple((r, ONE) for r in registers), bilinear=tuple((*p, ONE) for p in bilinear)
    )


def circuit(**changes):
    parts = {"state_size": 1, "input_size": 1, "layers": ((unit(0), unit(1)), (unit(2, 3),)), "next_state": (4,)}
    return Circuit(**{**parts, **changes})


def network(**changes):
    parts = {"circuit": circuit(), "initial_state": (ONE,), "readout": (unit(0),)}
    return Network(**{**parts, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"next_state": ()}, "next_state names 0 registers, but the state has 1"),
        ({"next_state": (4, 4)}, "next_state names 2 registers, but the state has 1"),
        ({"next_state": (5,)}, "next_state reads register 5, but only registers 0 to 4"),
        ({"next_state": (-1,)}, "next_state reads register -1"),
        ({"layers": ((unit(2),),), "next_state": (0,)}, "unit 'u' reads register 2, but only registers 0 to 1"),
        ({"layers": ((unit(0), unit(2)),), "next_state": (0,)}, "unit 'u' reads register 2"),
        ({"layers": ((unit(-1),),), "next_state": (0,)}, "unit 'u' reads register -1"),
        ({"layers": ((unit(bilinear=[(0, 2)]),),), "next_state": (0,)}, "unit 'u' reads register 2"),
        ({"layers": ((unit(bilinear=[(2, 0)]),),), "next_state": (0,)}, "unit 'u' reads register 2"),
    ],
)
def test_a_unit_reads_only_what_exists_before_its_layer(changes, message):
    with pytest.raises(NetworkError, match=message):
        circuit(**changes)


def test_sizes_and_names():
    c = circuit()
    assert (c.units, c.weights, c.state_names) == (3, 4, ("u",))
    copies = circuit(state_size=2, layers=(), next_state=(2, 0))
    assert copies.state_names == ("input[0]", "state[0]")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"initial_state": ()}, "initial state has 0 numbers, the circuit's state 1"),
        ({"readout": (unit(1),)}, "unit 'u' reads register 1, but only registers 0 to 0"),
        ({"readout": ()}, "a scalar output needs one readout, not 0"),
        ({"readout": (unit(0), unit(0))}, "a scalar output needs one readout, not 2"),
        ({"alphabet": ("a", "b")}, "alphabet has 2 symbols, the circuit's input 1"),
        ({"alphabet": (EOS,)}, "contains 'EOS' exactly if the protocol reads it"),
        ({"decision": Decision(protocol=Protocol.EOS_VERDICT)}, "needs an alphabet that contains 'EOS'"),
        ({"decision": Decision(protocol=Protocol.EOS_HALT), "alphabet": ("a",)}, "contains 'EOS' exactly if"),
        (
            {"decision": Decision(protocol=Protocol.END_OF_WORD), "readout": (), "scalar_output": False},
            "protocol end of word needs a single scalar output",
        ),
    ],
)
def test_the_parts_of_a_network_fit(changes, message):
    with pytest.raises(NetworkError, match=message):
        network(**changes)


def test_affine_units_are_sorted_and_sparse():
    made = affine_unit("u", [(3, ONE), (0, mpq(0)), (1, mpq(-1))], ONE, Activation.SLU)
    assert made == Unit(name="u", bias=ONE, linear=((1, mpq(-1)), (3, ONE)), activation=Activation.SLU)


INEXACT = {
    "bias float": lambda: network(readout=(Unit(name="u", bias=0.5),)),
    "bias int": lambda: network(readout=(Unit(name="u", bias=1),)),
    "weight float": lambda: network(readout=(Unit(name="u", bias=ONE, linear=((0, 0.5),)),)),
    "second-order weight float": lambda: network(readout=(Unit(name="u", bias=ONE, bilinear=((0, 0, 0.5),)),)),
    "state float": lambda: network(initial_state=(0.5,)),
    "state int": lambda: network(initial_state=(1,)),
    "threshold float": lambda: network(decision=Decision(protocol=Protocol.END_OF_WORD, threshold=0.5)),
}


@pytest.mark.parametrize("case", INEXACT)
def test_a_network_holds_exact_numbers_or_refuses(case):
    try:
        made = INEXACT[case]()
    except ExactnnError:
        return
    result = run(made, [ONE], record="all")
    numbers = [x for state in result.trace for x in state]
    numbers += [result.initial_output, *result.outputs, made.decision.threshold]
    assert {type(x) for x in numbers} == {type(ONE)}


@pytest.mark.parametrize("activation", ["identity", "relu", "slu", "heaviside", "softmax", None])
@pytest.mark.parametrize("value", [mpq(-2), mpq(2)])
def test_an_activation_given_as_text_is_that_activation_or_refused(activation, value):
    def doubled(kind):
        made = Unit(name="u", bias=mpq(0), linear=((0, mpq(1)),), activation=kind)
        return network(circuit=circuit(layers=((made,),), next_state=(2,)), initial_state=(value,))

    try:
        made = doubled(activation)
    except ExactnnError:
        return
    assert run(made, [0]).final_state == run(doubled(Activation.named(activation)), [0]).final_state


@pytest.mark.parametrize("protocol", ["end of word", "outputs", "no such protocol", None])
def test_a_protocol_given_as_text_is_that_protocol_or_refused(protocol):
    try:
        made = network(decision=Decision(protocol=protocol))
    except ExactnnError:
        return
    assert run(made, [1]).outcome == run(network(decision=Decision(protocol=Protocol(protocol))), [1]).outcome


def test_parts_are_values():
    assert hash(network()) == hash(network())
    assert network() == network()
    for part, field in ((unit(0), "bias"), (circuit(), "layers"), (network(), "readout")):
        with pytest.raises(AttributeError):
            setattr(part, field, ())
    with pytest.raises(TypeError):
        Unit("u", ONE)


def test_a_network_is_shown_by_its_name_and_its_size():
    small = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[1])
    assert repr(small) == "<Network simple RNN: 1 neuron, 1 weight>"
    assert len(repr(compile(load("palindrome")).network)) < 80


def test_names_for_the_state_are_told_wherever_a_neuron_is():
    """Of a network of layers each component has its own unit; all else stays as it is."""
    plain = xn.MultiLayerRNN(
        V=[[[1, 0], [0, "1/2"]], [[1]]], W=[[[1], [1]], [[1, 1]]], b=[[0, 0], [0]], s=[[0, 0], [0]], readout_weight=[1],
        alphabet="a",
    )  # fmt: skip
    named = plain.with_state_names(["count", "half", "sum"])
    assert named.circuit.state_names == ("count", "half", "sum")
    first, second = (xn.run(net, "aaa", record="all") for net in (plain, named))
    assert list(first.trace) == list(second.trace)
    assert list(second.trace["count"]) == [0, 1, 2, 3]
    divergence = xn.first_divergence(named, "a" * 30, xn.FloatFormat(precision=3, exponent_bits=4))
    assert divergence.value.neuron in ("count", "half", "sum")
    assert plain.with_state_names(plain.circuit.state_names) == plain


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "1 names are given, and the state has 2"),
        (["a", "a"], "each once"),
        (["a", ""], "not empty"),
        (["a", 5], "names has 5"),
        ("ab", "a name for each"),
        (["a", "b"], r"component 1 of the state is a copy of state\[0\]"),
    ],
)
def test_names_for_the_state_that_are_none(names, words):
    delay = circuit(state_size=2, input_size=0, layers=((unit(0),),), next_state=(2, 0))
    with pytest.raises(NetworkError, match=words):
        delay.with_state_names(names)
