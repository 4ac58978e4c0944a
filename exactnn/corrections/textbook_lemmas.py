"""Errata of the textbook chapter's lemma on steps, of its bound on states, and of its conditional."""

from dataclasses import replace
from itertools import product

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL
from exactnn.automata import DFA
from exactnn.constructions import minsky
from exactnn.constructions.folding import fold_network, hidden_layer_form, relu_forms
from exactnn.constructions.literal_book import literal_if
from exactnn.constructions.stack_numbers import write_vector
from exactnn.constructions.steps import Step, bit, if_, number, slu, step_network, within
from exactnn.constructions.steps.expression import as_expression
from exactnn.corrections.erratum import Outcomes, entry, numbers_text
from exactnn.errors import ConstructionError
from exactnn.networks import MultiLayerRNN, Network, SimpleRNN
from exactnn.simulation import executor_for, whole_run

__all__ = ["ENTRIES"]

POINTS = ((1, 2), (3, -1), (-1, -2))
HALF, FIVE_THIRDS = mpq(1, 2), mpq(5, 3)


@entry(
    id="E5",
    title="continuous and piecewise linear is not one hidden layer",
    where="textbook chapter on recurrent networks, Lemma 4.4 with (4.18)",
    statement="a step that is continuous and piecewise linear is U ReLU(V h + W x + b)",
    counterexample="max(0, x1, x2) as a step; inputs (1, 2), (3, -1), (-1, -2)",
    correction="The step has to be of that form; D hidden layers take D steps of a simple RNN, on a padded word.",
)
def continuous_is_not_one_layer() -> Outcomes:
    network = _largest()
    folded = fold_network(network)
    outputs = whole_run(folded.network, folded.pad(POINTS), arithmetic=RATIONAL).outputs
    last = range(folded.steps_per_step - 1, len(outputs), folded.steps_per_step)
    return Outcomes(
        literal=f"there is no such form: {hidden_layer_form(relu_forms(network)).reason}",
        corrected=f"{folded.steps_per_step} steps for each one: {numbers_text(*(outputs[t] for t in last))}",
    )


def _largest() -> Network:
    """Return the step ``h' = max(0, x1, x2) = relu(relu(x1 - x2) + relu(x2) - relu(-x2))``."""
    return MultiLayerRNN(
        V=[[[0, 0, 0]] * 3, [[0]]],
        W=[[[1, -1], [0, 1], [0, -1]], [[1, 1, -1]]],
        b=[[0, 0, 0], [0]],
        s=[[0, 0, 0], [0]],
        readout_weight=[1],
        name="max(0, x1, x2)",
    )


@entry(
    id="E6",
    title="the step for Turing machines is not one hidden layer",
    where="textbook chapter on recurrent networks, end of the proof of Theorem 4.6",
    statement="Lemma 4.4 makes the step one of a simple RNN; it has conjunctions of two tops, of stacks in base 3",
    counterexample="SLU(SLU(3x - 1) + SLU(3y - 1) - 1), x and y numbers of two stacks; stacks of up to 3 symbols",
    correction="In base 4 or more, a form with one hidden layer is equal to the step on the stacks that occur.",
)
def conjunction_of_tops() -> Outcomes:
    x, y, both = number("x"), number("y"), number("both")
    step = Step(symbols="a", next={x: x, y: y, both: slu(slu(3 * x - 1) + slu(3 * y - 1) - 1)}, output=both)
    reason = hidden_layer_form(relu_forms(step_network(step))).reason
    stacks = ["".join(symbols) for length in range(4) for symbols in product("ab", repeat=length)]
    right = 0
    for first, second in product(stacks, stacks):
        value = 4 * (write_vector(first, "ab", 4)["a"] + write_vector(second, "ab", 4)["a"]) - 5
        right += min(mpq(1), max(mpq(0), value)) == (first[:1] == second[:1] == "a")
    return Outcomes(
        literal=f"there is no such form: {reason}",
        corrected=f"SLU(4x + 4y - 5) in base 4: right on {right} of {len(stacks) ** 2} pairs of stacks",
    )


@entry(
    id="E7",
    title="the output does not know the start state",
    where="textbook chapter on recurrent networks, after (4.21)",
    statement="the output is that of [0 U] h",
    counterexample="the automaton with one state that accepts every word, on the empty word",
    correction="The output is that of [s U] h: the first unit, 1 at the start and then 0, stands for the start s.",
)
def output_before_the_first_symbol() -> Outcomes:
    everything = DFA(
        states=["q"], input_symbols=["a"], transitions={"q": {"a": "q"}}, initial_state="q", final_states=["q"]
    )
    network = minsky(everything).network
    return Outcomes(literal=_empty_word(_without_start(network)), corrected=_empty_word(network))


def _without_start(network: Network) -> Network:
    """Return the network with a readout that does not read the unit that is 1 at the start."""
    (output,) = network.readout
    start = network.initial_state.index(mpq(1))
    linear = tuple((register, weight) for register, weight in output.linear if register != start)
    return replace(network, readout=(replace(output, linear=linear),))


def _empty_word(network: Network) -> str:
    result = whole_run(network, "", arithmetic=RATIONAL)
    return f"output {numbers_text(result.initial_output)}: {result.outcome}"


@entry(
    id="E8",
    title="more states than 2^d",
    where="textbook chapter on recurrent networks, Theorem 4.5",
    statement="with integer weights and SLU there are at most 2^d states, d being the size of the input",
    counterexample="h' = SLU(h - 1), h(0) = 2, an input of size 1 that is not read",
    correction="There are at most 2^d' states for d' units if the start is made of 0 and 1, and else at most 2^d' + 1.",
)
def states_of_integer_weights() -> Outcomes:
    network = SimpleRNN(
        V=[[1]], W=[[0]], b=[-1], s=[2], readout_weight=[1], activation="slu", alphabet="a", name="2, 1, 0"
    )
    executor = executor_for(network, RATIONAL)
    state, found = network.initial_state, []
    while state not in found:
        found.append(state)
        state = executor.values(executor.advance(state, 0, 1, until_decided=False).state)  # type: ignore[assignment]
    values = numbers_text(*(value for (value,) in found))
    return Outcomes(
        literal=f"at most {2**network.circuit.input_size} states",
        corrected=f"{len(found)} states ({values}), and at most {2**network.neurons + 1}",
    )


@entry(
    id="E9",
    title="where `if` is right",
    where="textbook chapter on recurrent networks, (4.29)",
    statement="if(c, t) = SLU(t - 1 + c) is t if c, and else 0",
    counterexample="if(1/2, 1), if(1, 5/3) and if(0, 5/3)",
    correction="c has to be 0 or 1, and t in [0, 1]; a larger t is scaled before and after.",
)
def conditional_and_its_domain() -> Outcomes:
    cases = ((HALF, mpq(1)), (mpq(1), FIVE_THIRDS), (mpq(0), FIVE_THIRDS))
    values = [literal_if(as_expression(c), as_expression(t)).constant for c, t in cases]
    scaled = [(if_(c, as_expression(t) / FIVE_THIRDS) * FIVE_THIRDS).constant for c, t in cases[1:]]
    try:
        if_(within(bit("c") / 2, 0, 1), 1)
        first = "1/2 is a condition"
    except ConstructionError:
        first = "if(1/2, 1) is refused"
    return Outcomes(literal=numbers_text(*values), corrected=f"{first}; {numbers_text(*scaled)}")


ENTRIES = (
    continuous_is_not_one_layer,
    conjunction_of_tops,
    output_before_the_first_symbol,
    states_of_integer_weights,
    conditional_and_its_domain,
)
