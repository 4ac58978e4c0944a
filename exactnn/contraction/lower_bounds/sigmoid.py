"""Why no unitary network of any size does what y = sigmoid(x) does: it remembers its inputs, to first order.

Derivatives are given as rational matrices, since those of the sigmoid are transcendental. The theorems hold over the
reals; what is checked exactly is a rational instance of them.

References
----------
M. Emami, M. Sahraee-Ardakan, S. Rangan and A. K. Fletcher, "Input-output equivalence of unitary and contractive RNNs",
NeurIPS 2019, Theorem 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, short_text
from exactnn.errors import CertificateError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector, characteristic_polynomial, product, rank
from exactnn.matrices import exact_matrix

__all__ = ["FirstOrderMemory", "RunMemory", "first_order_memory", "memory_along_run"]

ZERO = mpq(0)

Rows = Sequence[Sequence[ExactNumber]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstOrderMemory:
    """What a network at a fixed point remembers of a small change of one input, lag by lag.

    Parameters
    ----------
    polynomial : vector of length m + 1
        The coefficients p₀, ..., pₘ = 1 of ``det(λI - UD)``; p₀ is not 0.
    responses : tuple of m + 1 matrices
        ``Rₖ = C D (UD)ᵏ F``: the derivative of the output in the input k steps before.
    """

    polynomial: Vector
    responses: tuple[Matrix, ...]

    @property
    def lag(self) -> int | None:
        """The least k ≥ 1, at most m, with Rₖ not 0; None only if R₀ = 0 too: the output does not see the input."""
        return next((k for k, response in enumerate(self.responses) if k and any(map(any, response))), None)

    def check(self) -> None:
        """Check that ``p₀ R₀ + p₁ R₁ + ... + pₘ Rₘ = 0``, with p₀ not 0, in rationals.

        Raises
        ------
        CertificateError
            If that is not true.
        """
        if not self.polynomial[0]:
            raise CertificateError("the constant term of the characteristic polynomial is 0: U D has no inverse")
        for entries in zip(*(sum(response, ()) for response in self.responses), strict=True):
            if sum((p * entry for p, entry in zip(self.polynomial, entries, strict=True)), ZERO):
                raise CertificateError("the responses do not satisfy the characteristic polynomial")

    def __str__(self) -> str:
        if self.lag is None:
            return "the output does not depend on the inputs to first order"
        return f"the output depends on the input {self.lag} step{'s' * (self.lag > 1)} before, to first order"

    def __repr__(self) -> str:
        found = "no output depends on an earlier input" if self.lag is None else f"of the input {self.lag} steps before"
        return f"<FirstOrderMemory of {len(self.polynomial) - 1} states: {found}>"


def first_order_memory(*, U: Rows, D: Sequence[ExactNumber], F: Rows, C: Rows) -> FirstOrderMemory:
    """Return which earlier inputs the output of a smooth network at a fixed point depends on, and why one of m does.

    Parameters
    ----------
    U : matrix (m by m)
        With an inverse, as orthogonal ones have.
    D : vector of length m
        The derivatives of the activation at the fixed point; all positive.
    F : matrix (m by d)
    C : matrix (k by m)

    Raises
    ------
    OptionError
        If sizes do not fit, an entry of `D` is not positive, or `U` has no inverse.

    Notes
    -----
    **Theorem.** Let ``h' = σ(U h + F x + b)``, ``y = C h + c`` with U invertible and σ' > 0, and h* a fixed point for
    a constant input x*. If the output of the network *started in it* does not depend on earlier inputs to first order,
    it does not depend on the present one to first order either. So it is not σ(x) componentwise, whose derivative in x
    is invertible.

    *Proof.* At the fixed point what goes into the units is always the same, p* = U h* + F x* + b, and so is
    D = diag(σ'(p*)). A small change of one input changes the state by D F, and each further step multiplies that
    change by D U. The output k steps later changes by ``Rₖ = C (DU)ᵏ D F = C D (UD)ᵏ F``. Since σ' > 0, UD has an
    inverse, so that p₀ = ± det(UD) is not 0. By Cayley and Hamilton, Σ pₖ (UD)ᵏ = 0; hence

        C D F = R₀ = -(p₁ R₁ + ... + pₘ Rₘ) / p₀,

    which is 0 if R₁, ..., Rₘ are. ∎

    There is such a fixed point: the sigmoid is continuous with values between 0 and 1, so that the step for x* takes
    the cube [0, 1]ᵐ to itself, and Brouwer's theorem gives a point that stays. Its coordinates, and so D, are real
    numbers in general, and so are the pₖ: the proof is over the reals, where p₀ is not 0 all the same. A rational D is
    an instance, to be checked.

    A network has a start state of its own. For the sigmoid that does not matter: σ' ≤ 1/4 and U is orthogonal, so that
    the step for x* is a contraction, the state comes to h* from everywhere, and derivatives along the run, which are
    continuous, come to those at h*. A steeper activation may keep the state in motion for ever;
    :func:`memory_along_run` has a proof without a fixed point, for all of them.

    ReLU escapes, since σ' = 0 below 0: UD has no inverse then, p₀ may be 0, and the network forgets.

    Examples
    --------
    >>> swap = first_order_memory(U=[[0, 1], [1, 0]], D=["1/4", "1/9"], F=[[1], [0]], C=[[1, 0]])
    >>> swap.polynomial, swap.responses
    ((mpq(-1,36), mpq(0,1), mpq(1,1)), (((mpq(1,4),),), ((mpq(0,1),),), ((mpq(1,144),),)))
    >>> print(swap)
    the output depends on the input 2 steps before, to first order
    """
    u, f, c = _matrix(U, "U"), _matrix(F, "F"), _matrix(C, "C")
    (slopes,) = _checked(u, f, c, [D])
    step = tuple(tuple(x * slope for x, slope in zip(row, slopes, strict=True)) for row in u)
    read = tuple(tuple(x * slope for x, slope in zip(row, slopes, strict=True)) for row in c)
    responses, moved = [product(read, f)], f
    for _ in u:
        moved = product(step, moved)
        responses.append(product(read, moved))
    found = FirstOrderMemory(polynomial=characteristic_polynomial(step), responses=tuple(responses))
    found.check()
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMemory:
    """What the outputs of a run depend on, to first order, and the dimensions that force it.

    Parameters
    ----------
    dimensions : tuple of int
        For each step, the dimension of the space in which small changes of the inputs until then move the state.
    read, seen : int or None
        The first output that depends on an earlier input is that of step `seen`, on the input of step `read`; steps
        count from 1. None: no output does.
    response : matrix or None
        That derivative.
    """

    dimensions: tuple[int, ...]
    read: int | None
    seen: int | None
    response: Matrix | None

    def __str__(self) -> str:
        if self.read is None:
            return f"no output of these {len(self.dimensions)} steps depends on an earlier input to first order"
        return f"the output of step {self.seen} depends on the input of step {self.read}, to first order"

    def __repr__(self) -> str:
        return f"<RunMemory: {self}>"


def memory_along_run(*, U: Rows, slopes: Rows, F: Rows, C: Rows) -> RunMemory:
    """Return the first output of a run of a smooth network that depends on an earlier input, to first order.

    Parameters
    ----------
    U : matrix (m by m)
        With an inverse, as orthogonal ones have.
    slopes : vectors of length m, one for each step
        The derivatives D₁, ..., D_T of the activation along the run; all positive. They need not be the same.
    F : matrix (m by n)
    C : matrix (n by m)

    Raises
    ------
    OptionError
        If sizes do not fit, a slope is not positive, or `U` has no inverse.

    Notes
    -----
    **Theorem.** Let ``h' = σ(U h + F x + b)``, ``y = C h + c`` with m states, U invertible and σ' > 0. For words of
    T inputs with nT > m, its outputs, from whatever start state, are not σ(x₁), ..., σ(x_T) componentwise for all
    inputs in an open set. So no unitary network of any finite size is a twin of y = σ(x).

    *Proof.* Take a run on a word from the open set, with Dₜ = diag(σ'(pₜ)). A small change of the input of step s
    changes the state of step t by ``Vₛₜ = Dₜ U Dₜ₋₁ U ... U Dₛ F``. Let Rₜ be the span of the columns of V₁ₜ, ..., Vₜₜ.
    If the outputs were those, C Vₛₜ = 0 for s < t, and C Dₜ F = diag(σ'(xₜ)) would be invertible. The first says
    that ``Dₜ U Rₜ₋₁`` lies in the kernel of C, the second that the range of Dₜ F has dimension n and meets that kernel
    in 0 only. Rₜ is the sum of both, and Dₜ U is invertible. So dim Rₜ = dim Rₜ₋₁ + n: it is nt for every t, and
    nT ≤ m. ∎

    For ReLU the Dₜ have zeros, Dₜ U is not invertible, and the sum need not grow. Over two steps n directions fit into
    m ≥ 2n states; in :func:`refute_unitary_candidate` the same count gives the lower bound 2n.

    Examples
    --------
    One input, two units that change places: the second step may still hide what the first one read, the third not.

    >>> swap = dict(U=[[0, 1], [1, 0]], F=[[1], [0]], C=[[1, 0]])
    >>> found = memory_along_run(**swap, slopes=[[1, 1], ["1/2", "1/3"], ["1/4", 1]])
    >>> found.dimensions, found.response
    ((1, 2, 2), ((mpq(1,12),),))
    >>> print(found)
    the output of step 3 depends on the input of step 1, to first order
    """
    u, f, c = _matrix(U, "U"), _matrix(F, "F"), _matrix(C, "C")
    diagonals = _checked(u, f, c, slopes)
    changes: list[Matrix] = []  # of the state, for the input of each step so far
    dimensions: list[int] = []
    first: tuple[int, int, Matrix] | None = None
    for t, diagonal in enumerate(diagonals, 1):
        driven = [*(product(u, change) for change in changes), f]
        changes = [_scaled(diagonal, change) for change in driven]
        dimensions.append(rank([sum(rows, ()) for rows in zip(*changes, strict=True)]))
        if first is None:
            responses = ((s, t, product(c, change)) for s, change in enumerate(changes[:-1], 1))
            first = next((found for found in responses if any(map(any, found[2]))), None)
    read, seen, response = first or (None, None, None)
    return RunMemory(dimensions=tuple(dimensions), read=read, seen=seen, response=response)


def _scaled(diagonal: Vector, matrix: Matrix) -> Matrix:
    return tuple(tuple(slope * x for x in row) for slope, row in zip(diagonal, matrix, strict=True))


def _matrix(rows: Rows, name: str) -> Matrix:
    matrix = exact_matrix(rows, name)
    if not matrix or not matrix[0]:
        raise OptionError(f"{name}={shown(rows)}: give at least one row, and rows of equal length")
    return matrix


def _checked(u: Matrix, f: Matrix, c: Matrix, slopes: Rows) -> tuple[Vector, ...]:
    """Return the slopes as exact numbers, if all fits."""
    m = len(u)
    if len(u[0]) != m or len(f) != m or len(c[0]) != m:
        raise OptionError(f"U is {m} by {len(u[0])}, F has {len(f)} rows, C {len(c[0])} columns: give m of each")
    diagonals = exact_matrix(slopes, "slopes", width=m)
    for diagonal in diagonals:
        if any(slope <= 0 for slope in diagonal):
            given = ", ".join(map(short_text, diagonal))
            raise OptionError(f"the slopes ({given}), the diagonal of D: give {m} positive numbers")
    if rank(u) < m:
        raise OptionError(f"U={shown(u)} has no inverse: unitary matrices have one")
    return diagonals
