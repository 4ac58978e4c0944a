"""Is a network contractive? Its matrices, read back from its circuit, and the decision in rationals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.errors import ConstructionError, shown
from exactnn.linear_algebra import LDL, Matrix, Vector, defect, ldl, spectral_norm_bounds
from exactnn.networks import Activation, AnyNetwork, Kind, Network, Unit, network_of

__all__ = ["Contractivity", "Elman", "contractivity", "elman", "is_contractive"]


# --- A simple (Elman) RNN read back from its circuit, as matrices.

ZERO = mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elman:
    """``h(t) = activation(V h(t-1) + W x(t) + b)``, ``h(0) = s``.

    Parameters
    ----------
    V : matrix (n by n)
    W : matrix (n by d)
    b, s : vectors of length n
    activation : Activation
    """

    V: Matrix
    W: Matrix
    b: Vector
    s: Vector
    activation: Activation

    @property
    def size(self) -> int:
        """The number n of states."""
        return len(self.s)


def elman(network: Network) -> Elman:
    """Return the matrices of a network whose step is one layer of affine units, all with the same activation.

    Raises
    ------
    ConstructionError
        If the step is another one: more layers, products of registers, several activations, no state, or a next state
        that is not the layer.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> elman(SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])).V
    ((mpq(1,2),),)
    """
    circuit = network.circuit
    size, width = circuit.state_size, circuit.input_size
    if len(circuit.layers) != 1 or not size:
        raise _another(network, f"its step has {len(circuit.layers)} layers and {size} states")
    (layer,) = circuit.layers
    if len(set(circuit.next_state)) < size or min(circuit.next_state) < size + width or len(layer) > size:
        raise _another(network, "its next state is not its layer of units, each unit once")
    units = [layer[register - size - width] for register in circuit.next_state]
    if any(unit.bilinear for unit in units):
        raise _another(network, "it has products of registers")
    activations = {unit.activation for unit in units}
    if len(activations) > 1:
        raise _another(network, f"it has several activations, {' and '.join(sorted(map(str, activations)))}")
    rows = [_row(unit, size + width) for unit in units]
    return Elman(
        V=tuple(row[:size] for row in rows),
        W=tuple(row[size:] for row in rows),
        b=tuple(unit.bias for unit in units),
        s=network.initial_state,
        activation=units[0].activation,
    )


def _row(unit: Unit, size: int) -> Vector:
    row = [ZERO] * size
    for register, weight in unit.linear:
        row[register] += weight
    return tuple(row)


def _another(network: Network, reason: str) -> ConstructionError:
    name = shown(network.name)
    return ConstructionError(f"network {name} is no simple RNN, h' = activation(V h + W x + b): {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contractivity:
    """What the factorisation ``I - VᵀV = LDLᵀ`` of a recurrent matrix V says of its spectral norm.

    Parameters
    ----------
    matrix : matrix (n by n)
        V.
    factors : LDL
        L and the pivots; positive ones are the squares that :func:`unitary` needs.
    activation : Activation
    """

    matrix: Matrix
    factors: LDL
    activation: Activation

    @property
    def pivots(self) -> Vector:
        """The pivots of ``I - VᵀV``, up to the first that settles the question."""
        return self.factors.pivots

    @property
    def contractive(self) -> bool:
        """Whether ‖V‖₂ < 1 and the activation does not expand (all but jumps and exp)."""
        return self.factors.definite and self.activation.is_nonexpansive

    @property
    def norm_is_one(self) -> bool:
        """Whether ‖V‖₂ = 1, exactly: as for orthogonal matrices."""
        return self.factors.semidefinite and not self.factors.definite

    def norm_bounds(self, bits: int = 20, *, watch: Callable[[], object] = bool) -> tuple[mpq, mpq]:
        """Return rationals at most 2^-`bits` apart that ‖V‖₂ lies between; of a contractive V both are below 1.

        `watch` is called now and then, and may raise an exception.

        Raises
        ------
        OptionError
            If `bits` is no whole number from 1 to a million.
        """
        low, high = spectral_norm_bounds(self.matrix, bits, watch=watch)
        while self.factors.definite and high >= 1:
            bits *= 2
            low, high = spectral_norm_bounds(self.matrix, bits, watch=watch)
        return low, high

    def __str__(self) -> str:
        if not self.activation.is_nonexpansive:
            jumps = self.activation.kind is Kind.JUMP
            why = "step is not continuous" if jumps else "of two numbers may be further apart than they are"
            return f"not contractive: the {self.activation} {why}"
        if self.contractive:
            return f"contractive: all {len(self.pivots)} pivots of I - V'V are positive"
        index = self.factors.failing
        assert index is not None
        pivot = f"pivot {index + 1} of I - V'V is {short_text(self.pivots[index])}"
        return f"not contractive: the spectral norm of V is {'exactly 1' if self.norm_is_one else 'above 1'} ({pivot})"

    def __repr__(self) -> str:
        found = "contractive" if self.contractive else "of norm 1" if self.norm_is_one else "not contractive"
        return f"<Contractivity of a matrix of {len(self.matrix)} rows with {self.activation}: {found}>"


def contractivity(network: AnyNetwork, *, watch: Callable[[], object] = bool) -> Contractivity:
    """Return whether a simple RNN ``h' = activation(V h + W x + b)`` is contractive, ‖V‖₂ < 1, and why.

    Two runs on the same inputs come closer to each other then, by a factor of ‖V‖₂ at least with each step.
    `watch` is called now and then, and may raise an exception.

    Raises
    ------
    ConstructionError
        If the network is no simple RNN.

    Notes
    -----
    ‖V‖₂ < 1 exactly if I - VᵀV is positive definite, hence if all its pivots are positive: no eigenvalue is computed.

    References
    ----------
    M. Emami, M. Sahraee-Ardakan, S. Rangan and A. K. Fletcher, "Input-output equivalence of unitary and contractive
    RNNs", NeurIPS 2019.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> shear = SimpleRNN(V=[["1/2", "1/4"], [0, "1/2"]], W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, 0])
    >>> print(contractivity(shear))
    contractive: all 2 pivots of I - V'V are positive
    >>> contractivity(shear).norm_bounds(bits=4)
    (mpq(5,8), mpq(11,16))
    >>> print(contractivity(SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="heaviside")))
    not contractive: the heaviside step is not continuous
    """
    matrices = elman(network_of(network))
    return Contractivity(
        matrix=matrices.V, factors=ldl(defect(matrices.V), watch=watch), activation=matrices.activation
    )


def is_contractive(network: AnyNetwork) -> bool:
    """Return whether a simple RNN is contractive: ‖V‖₂ < 1, decided exactly, and the activation does not expand.

    :func:`contractivity` says why.

    Raises
    ------
    ConstructionError
        If the network is no simple RNN.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> [is_contractive(SimpleRNN(V=[[w]], W=[[1]], b=[0], s=[0], readout_weight=[1])) for w in ("99/100", 1, -2)]
    [True, False, False]
    """
    return contractivity(network).contractive
