"""Lemma 4.4 for any step without jumps: a network with D hidden layers becomes a simple RNN, D steps for each step."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import counted
from exactnn.automata import as_word
from exactnn.constructions.affine import Affine
from exactnn.constructions.construction import require_state
from exactnn.constructions.folding.folding_units import Folding
from exactnn.constructions.folding.hidden_layer_form import hidden_layer_form
from exactnn.constructions.folding.relu_forms import relu_forms
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.markup import named
from exactnn.networks import Network
from exactnn.simulation import Values

__all__ = ["FoldedNetwork", "fold_network"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedNetwork:
    """A simple RNN that gives the outputs of another network, with `steps_per_step` steps for each of its steps.

    Parameters
    ----------
    original : Network
    network : Network
        One layer of ReLU units that are the state.
    steps_per_step : int
        The number D of hidden layers of the original's step.
    state_forms : tuple of Affine
        The original's state as forms over the units, at the start and after every D steps.
    units : tuple
        The keys of the units, in the order of the state.
    """

    original: Network
    network: Network
    steps_per_step: int
    state_forms: tuple[Affine, ...]
    units: tuple[Hashable, ...]

    def pad(self, word: str | Sequence[object]) -> tuple[object, ...]:
        """Return the word that the simple RNN reads in place of `word`.

        Each symbol stands D times; of vectors each is followed by D - 1 vectors of zeros. EOS symbols follow by
        themselves, as many as it takes: D for each one of the original. Outputs that count come after every D symbols;
        between them the output is 0.

        Raises
        ------
        WordError
            If a symbol is not in the alphabet, or a vector has the wrong size.

        Examples
        --------
        >>> from exactnn.networks import MultiLayerRNN
        >>> two = MultiLayerRNN(V=[[[1]], [[1]]], W=[[[1, 0]], [[1]]], b=[[0], [0]], s=[[0], [0]], readout_weight=[1],
        ...                     alphabet="ab")
        >>> fold_network(two).pad("ab")
        ('a', 'a', 'b', 'b')
        """
        symbols = self.original.input_symbols
        if symbols is not None:
            return tuple(a for a in as_word(word, symbols) for _ in range(self.steps_per_step))  # type: ignore[arg-type]
        zero = (mpq(0),) * self.original.circuit.input_size
        padding = (zero,) * (self.steps_per_step - 1)
        return tuple(v for vector in self.original.inputs(word) for v in (vector, *padding))

    def original_state(self, state: Values) -> tuple[mpq, ...]:
        """Return the original's state that an exact state of the simple RNN stands for, after every D steps.

        Raises
        ------
        ConstructionError
            If the simple RNN has not as many neurons.
        """
        require_state(state, self.network)
        values = dict(zip(self.units, state, strict=True))
        return tuple(form.at(values) for form in self.state_forms)

    def __repr__(self) -> str:
        return (
            f"<FoldedNetwork of {named(self.original.name)}: {counted(self.steps_per_step, 'step')} per step, "
            f"{counted(self.network.neurons, 'neuron')}>"
        )


def fold_network(network: Network, *, hidden_layers: int | None = None) -> FoldedNetwork:
    """Return a simple ReLU RNN with the outputs of `network`, at every length, 0 included.

    Parameters
    ----------
    network : Network
        Of any step that is continuous and piecewise linear: units with identity, ReLU or SLU, no products.
    hidden_layers : int, optional
        By default as many as the units are nested, D: one step then takes D steps, on a padded word (`pad`). With 1 the
        step is brought to a form with one hidden layer, if it has one.

    Raises
    ------
    ConstructionError
        If `network` is no Network, or its step has jumps or products; or if `hidden_layers` is 1 and the step has no
        such form, or none that could be decided; or if it reads EOS with a threshold below 0 and D > 1, where the 0
        between the steps that count would be a verdict.
    OptionError
        If `hidden_layers` is another number.

    Notes
    -----
    The start is a unit that is 1 before the first step and 0 after it; the output reads it too ([s U] in place of
    [0 U]), so that it is right before the first symbol.

    References
    ----------
    Lemma 4.4 of the chapter on recurrent networks that `docs/sources.md` describes. Its hypothesis, a step that is
    continuous and piecewise linear, gives one hidden layer only for a step of one variable; see `hidden_layer_form`.

    Examples
    --------
    A counter that never falls below 0 by a "-", and the sum of its values, from 3:

    >>> from exactnn.networks import MultiLayerRNN
    >>> from exactnn.simulation import run
    >>> counter = MultiLayerRNN(V=[[[1]], [[1]]], W=[[[1, -1]], [[1]]], b=[[0], [0]], s=[[0], [3]], readout_weight=[1],
    ...                         alphabet="+-")
    >>> folded = fold_network(counter)
    >>> folded
    <FoldedNetwork of multi-layer RNN: 2 steps per step, 7 neurons>
    >>> run(counter, "++-").outputs[-1], run(folded.network, folded.pad("++-")).outputs[-1]
    (mpq(7,1), mpq(7,1))
    """
    if not isinstance(network, Network):
        raise ConstructionError(
            f"fold_network folds a Network, not {shown(network)}: of a construction give its network, of a step "
            "step_network(step)"
        )
    forms = relu_forms(network)
    if hidden_layers is not None and hidden_layers not in (1, forms.hidden_layers):
        raise OptionError(
            f"hidden_layers={shown(hidden_layers)}: the step of {shown(network.name)} has {forms.hidden_layers}; "
            "leave it out, or give 1"
        )
    if hidden_layers == 1:
        found = hidden_layer_form(forms)
        if found.forms is None:
            verdict = (
                "may have one hidden layer or not" if found.exists is None else "has no form with one hidden layer"
            )
            raise ConstructionError(
                f"the step of {shown(network.name)} {verdict}: {found.reason}; leave hidden_layers out, and "
                f"{forms.hidden_layers} steps of a simple RNN do for one"
            )
        forms = found.forms
    threshold = network.decision.threshold
    if network.decision.protocol.reads_eos and threshold < 0 and forms.hidden_layers > 1:
        raise ConstructionError(
            f"network {shown(network.name)} has the threshold {threshold}, and the output 0 between the steps that "
            "count would be a verdict: give it a threshold of at least 0"
        )
    folding = Folding(network, forms)
    return FoldedNetwork(
        original=network,
        network=folding.network(),
        steps_per_step=forms.hidden_layers,
        state_forms=folding.state_forms,
        units=tuple(folding.rows),
    )
