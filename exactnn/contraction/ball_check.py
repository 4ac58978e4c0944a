"""The orthogonal matrix of a unitary twin, with its square roots, in ball arithmetic: a second check.

The certificate needs no square root; this is the same claim about U = √D N √D⁻¹ itself, in the balls of python-flint.
"""

from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq, mpz

from exactnn.contraction.contractivity import elman
from exactnn.contraction.unitary import UnitaryTwin
from exactnn.errors import CertificateError, OptionError, shown
from exactnn.linear_algebra.lattice import flint
from exactnn.options import whole_number

__all__ = ["BallCheck", "ball_check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BallCheck:
    """Enclosures of the entries of U, whose product UᵀU encloses the identity.

    Parameters
    ----------
    bits : int
        Working precision.
    midpoints, radii : matrices (m by m) of mpq
        Entry (i, j) of U differs from its midpoint by no more than its radius.
    defect : mpq
        No entry of UᵀU - I is farther from 0 than this.
    """

    bits: int
    midpoints: tuple[tuple[mpq, ...], ...]
    radii: tuple[tuple[mpq, ...], ...]
    defect: mpq


def ball_check(twin: UnitaryTwin, *, bits: int = 128) -> BallCheck:
    """Return the orthogonal matrix of a unitary twin in balls, after checking that it is orthogonal within them.

    Parameters
    ----------
    twin : UnitaryTwin
    bits : int
        Working precision, from 32 to a million.

    Raises
    ------
    CertificateError
        If an entry of UᵀU is certainly not that of the identity.
    OptionError
        If `twin` is none, or `bits` is none of these.
    MissingExtraError
        If python-flint is not installed.

    References
    ----------
    F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", *IEEE Trans. Comput.* 66,
    2017.

    Examples
    --------
    >>> from exactnn.contraction import unitary
    >>> from exactnn.networks import SimpleRNN
    >>> third = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> found = ball_check(unitary(third, input_bound=1))
    >>> float(found.midpoints[0][1]), found.defect < mpq(1, 2**120)
    (0.9428090415820634, True)
    """
    if not isinstance(twin, UnitaryTwin):
        raise OptionError(f"{shown(twin)} is no unitary twin: exactnn.unitary makes one of a contractive network")
    bits = whole_number("bits", bits, 32, 10**6)
    module = flint()
    before, module.ctx.prec = module.ctx.prec, bits
    try:
        matrix = _orthogonal(module, twin)
        defect = matrix.transpose() * matrix - module.arb_mat(matrix.nrows(), matrix.ncols(), 1)
        farthest = _farthest(defect)
    finally:
        module.ctx.prec = before
    entries = matrix.tolist()
    return BallCheck(
        bits=bits,
        midpoints=tuple(tuple(_rational(entry.mid()) for entry in row) for row in entries),
        radii=tuple(tuple(_rational(entry.rad()) for entry in row) for row in entries),
        defect=farthest,
    )


def _orthogonal(module: Any, twin: UnitaryTwin) -> Any:
    form = [module.arb(_fraction(module, entry)).sqrt() for entry in twin.certificate.form]
    rows = elman(twin.network).V
    return module.arb_mat(
        [
            [left * module.arb(_fraction(module, entry)) / right for entry, right in zip(row, form, strict=True)]
            for row, left in zip(rows, form, strict=True)
        ]
    )


def _farthest(defect: Any) -> mpq:
    entries = [entry for row in defect.tolist() for entry in row]
    if not all(entry.contains(0) for entry in entries):
        raise CertificateError("the matrix is not orthogonal: a ball of UᵀU - I does not contain 0")
    return max(_rational(entry.abs_upper()) for entry in entries)


def _fraction(module: Any, value: mpq) -> Any:
    return module.fmpq(int(value.numerator), int(value.denominator))


def _rational(value: Any) -> mpq:
    """Return an exact ball as the dyadic rational that it is."""
    mantissa, exponent = value.man_exp()
    power = mpz(1) << abs(int(exponent))
    return mpq(int(mantissa)) * power if exponent >= 0 else mpq(int(mantissa), power)
