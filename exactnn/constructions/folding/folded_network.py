"""Lemma 4.4 for any step without jumps: a network with D hidden layers becomes a simple RNN, D steps for each step.

The hidden layer of a step ``h' = U relu(V h + W x + b)`` is the state of the simple RNN, and the next step applies U
when it reads it. With D layers the units of all of them are the state: each step of the RNN computes one layer, so that
a step of the network takes D. What a later layer needs of an earlier one, or of the state or the input, is carried.

Between the steps that count, the layers would compute on what is not there yet. They do not: a token that is 1 in the
layer that has just had its turn stands for every constant, and for D > 1 no unit has a bias that could start anything
by itself. So all other layers are 0.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import counted
from exactnn.automata import as_word
from exactnn.constructions.affine import Affine, total, unit_name, var
from exactnn.constructions.construction import require_state
from exactnn.constructions.folding.hidden_layer_form import hidden_layer_form
from exactnn.constructions.folding.relu_forms import InputLeaf, ReluForms, StateLeaf, relu_forms
from exactnn.constructions.layered_network import START
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.markup import named
from exactnn.networks import Activation, Circuit, Network, Unit, affine_unit, runnable_of
from exactnn.options import whole_number
from exactnn.simulation import Values

__all__ = ["FoldedNetwork", "fold_network"]


@dataclass(frozen=True, slots=True)
class _Computed:
    """The unit that computes a ReLU of the step, in the layer that its nesting asks for."""

    layer: int
    unit: Hashable


@dataclass(frozen=True, slots=True)
class _Carried:
    """The unit that keeps something for layers after its own, or the negative of what may be below 0."""

    layer: int
    what: Hashable
    negative: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    """The unit that is 1 if its layer has just had its turn."""

    layer: int


_Key = _Computed | _Carried | _Token


class Folding:
    """The units of the simple RNN, found from what the next state needs.

    Parameters
    ----------
    network : Network
    forms : ReluForms
        Its step.
    """

    def __init__(self, network: Network, forms: ReluForms) -> None:
        self._original = network
        self._forms = forms
        self._depth = forms.depths
        self._last = forms.hidden_layers
        self._non_negative = _never_negative(network, forms)
        emitted = [self._form(form, self._last) for form in forms.next_state]
        self.state_forms = tuple(
            form + value * var(START) for form, value in zip(emitted, network.initial_state, strict=True)
        )
        self.outputs = tuple(self._output(form) for form in forms.readout)
        self.rows: dict[Hashable, Affine] = {START: Affine({})}
        self.rows.update(self._needed([*emitted, *self.outputs]))

    def _needed(self, forms: list[Affine]) -> list[tuple[_Key, Affine]]:
        """Return the rows of the units that these forms read, of those that these read, and so on, by layers."""
        rows: dict[_Key, Affine] = {}
        pending = [name for form in forms for name in form.terms]
        while pending:
            key = pending.pop()
            if isinstance(key, _Key) and key not in rows:
                rows[key] = self._row(key)
                pending += rows[key].terms
        order = {name: i for i, name in enumerate([*self._forms.leaf_names, *self._forms.units])}
        return sorted(rows.items(), key=lambda row: (row[0].layer, _place(row[0], order)))

    def _token(self, layer: int) -> Affine:
        """Return the form that is 1 after `layer` has had its turn, 0 being the last of the step before, or the start.

        With one layer it is always its turn, and what a layer's own units read is a plain constant.
        """
        if layer:
            return var(_Token(layer))
        return var(START) + var(_Token(self._last)) if self._last > 1 else Affine({}, 1)

    def _form(self, form: Affine, layer: int) -> Affine:
        """Return a form of the step over the units that are there after `layer` has had its turn."""
        parts = [weight * self._value(name, layer) for name, weight in form.terms.items()]
        return total([*parts, form.constant * self._token(layer)])

    def _value(self, name: Hashable, layer: int) -> Affine:
        if self._depth.get(name, 0) == layer:
            if layer:
                return var(_Computed(layer, name))
            return self.state_forms[name.number] if isinstance(name, StateLeaf) else var(name)
        positive = var(_Carried(layer, name))
        return positive if name in self._non_negative else positive - var(_Carried(layer, name, negative=True))

    def _row(self, key: _Key) -> Affine:
        """Return what a unit takes the ReLU of."""
        before = key.layer - 1
        if isinstance(key, _Token):
            return self._token(before)
        if isinstance(key, _Computed):
            return self._gated(self._form(self._forms.units[key.unit], before))
        value = self._value(key.what, before)
        return self._gated(-value if key.negative else value)

    def _gated(self, form: Affine) -> Affine:
        """Return a form that is not above 0 where only a symbol is read, out of turn; in turn it is the same."""
        weights = [weight for name, weight in form.terms.items() if isinstance(name, InputLeaf)]
        most = max(weights, default=mpq(0))
        if self._last == 1 or self._original.alphabet is None or most <= 0:
            return form
        return form + most * (self._token(0) - 1)

    def _output(self, form: Affine) -> Affine:
        """Return an output as a form of the units; between the steps that count it is 0."""
        parts = [weight * self.state_forms[leaf.number] for leaf, weight in form.terms.items()]  # type: ignore[attr-defined]
        return total([*parts, form.constant * self._token(0)])

    def network(self) -> Network:
        """Return the simple RNN of the rows."""
        original, size = self._original, len(self.rows)
        width = original.circuit.input_size
        registers: dict[Hashable, int] = {unit: i for i, unit in enumerate(self.rows)}
        registers |= {InputLeaf(i): size + i for i in range(width)}
        layer = tuple(
            _lowered(self._printed(unit), form, registers, Activation.RELU) for unit, form in self.rows.items()
        )
        return Network(
            circuit=Circuit(
                state_size=size,
                input_size=width,
                layers=(layer,),
                next_state=tuple(range(size + width, 2 * size + width)),
            ),
            initial_state=tuple(mpq(unit == START) for unit in self.rows),
            readout=tuple(
                _lowered(unit.name, form, registers, Activation.IDENTITY)
                for unit, form in zip(original.readout, self.outputs, strict=True)
            ),
            alphabet=original.alphabet,
            decision=original.decision,
            scalar_output=original.scalar_output,
            name=f"fold_network({original.name})",
            input_bounds=original.input_bounds,
        )

    def _printed(self, key: Hashable) -> str:
        if isinstance(key, _Computed):
            return str(key.unit)
        if isinstance(key, _Carried):
            what = self._forms.leaf_names.get(key.what, str(key.what))
            reader = f"layer {key.layer + 1}" if key.layer < self._last else "the next state"
            return f"{'-' * key.negative}{what} for {reader}"
        return f"turn of layer {key.layer}" if isinstance(key, _Token) else unit_name(key)


def _place(key: _Key, order: dict[Hashable, int]) -> tuple[int, int, bool]:
    """Return where a unit stands in its layer: those that are computed, those that are carried, then the token."""
    if isinstance(key, _Computed):
        return 0, order[key.unit], False
    return (1, order[key.what], key.negative) if isinstance(key, _Carried) else (2, 0, False)


def _lowered(name: str, form: Affine, registers: dict[Hashable, int], activation: Activation) -> Unit:
    weights = {registers[key]: weight for key, weight in form.terms.items()}
    return affine_unit(name, weights, form.constant, activation)


def _never_negative(network: Network, forms: ReluForms) -> set[Hashable]:
    """Return what is never below 0: units, symbols, and state components that are sums of such with weights above 0."""
    known: set[Hashable] = set(forms.units)
    if network.alphabet is not None:
        known |= {InputLeaf(i) for i in range(network.circuit.input_size)}
    kept = {StateLeaf(i) for i, value in enumerate(network.initial_state) if value >= 0}
    while True:
        safe = known | kept
        still = {leaf for leaf in kept if _is_sum_of(forms.next_state[leaf.number], safe)}
        if still == kept:
            return safe
        kept = still


def _is_sum_of(form: Affine, parts: set[Hashable]) -> bool:
    return form.constant >= 0 and all(weight > 0 and name in parts for name, weight in form.terms.items())


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
        If `network` is no network and has none, or its step has jumps or products; or if `hidden_layers` is 1 and the
        step has no such form, or none that could be decided; or if it reads EOS with a threshold below 0 and D > 1,
        where the 0 between the steps that count would be a verdict.
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
    given = runnable_of(network)
    network = getattr(given, "network", given)
    if not isinstance(network, Network):
        raise ConstructionError(
            f"fold_network folds a Network, not {shown(network)}: give one, or what has one; of a step give "
            "step_network(step)"
        )
    forms = relu_forms(network)
    if hidden_layers is not None:
        hidden_layers = whole_number("hidden_layers", hidden_layers, 1, otherwise="None")
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
