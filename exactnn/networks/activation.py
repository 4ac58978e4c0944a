"""Activation functions: the piecewise linear ones, exact over the rationals, and the two smooth ones."""

from enum import StrEnum

from exactnn.errors import NetworkError, shown

__all__ = ["PIECEWISE_LINEAR", "Activation"]


class Activation(StrEnum):
    """A function of one number.

    Piecewise linear, so that they map rationals to rationals: ``IDENTITY`` x; ``RELU`` max(0, x); ``SLU``, the
    saturated linear unit, min(1, max(0, x)); ``HEAVISIDE`` 1 if x > 0, else 0 (so that 0 goes to 0, as for the other
    two). Smooth, with values that are no rationals (but at 0): ``SIGMOID`` 1 / (1 + exp(-x)); ``TANH``
    (exp(x) - exp(-x)) / (exp(x) + exp(-x)). Exact arithmetic refuses those; intervals enclose them, and a
    floating-point format rounds them.

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", 1995 (saturated linear).

    Examples
    --------
    >>> Activation("slu").formula
    'min(1, max(0, x))'
    >>> Activation.SLU.is_rational, Activation.TANH.is_rational
    (True, False)
    """

    IDENTITY = "identity"
    RELU = "relu"
    SLU = "slu"
    HEAVISIDE = "heaviside"
    SIGMOID = "sigmoid"
    TANH = "tanh"

    @classmethod
    def named(cls, name: object) -> "Activation":
        """Return the activation called `name`; raises NetworkError for any other value."""
        try:
            return cls(name)  # type: ignore[arg-type]
        except ValueError:
            raise NetworkError(f"activation {shown(name)} is unknown: choose one of {', '.join(cls)}") from None

    @property
    def formula(self) -> str:
        """The definition, as text."""
        return _FORMULAS[self]

    @property
    def is_rational(self) -> bool:
        """Whether it maps rationals to rationals."""
        return self not in (Activation.SIGMOID, Activation.TANH)


_FORMULAS = {
    Activation.IDENTITY: "x",
    Activation.RELU: "max(0, x)",
    Activation.SLU: "min(1, max(0, x))",
    Activation.HEAVISIDE: "1 if x > 0 else 0",
    Activation.SIGMOID: "1 / (1 + exp(-x))",
    Activation.TANH: "(exp(x) - exp(-x)) / (exp(x) + exp(-x))",
}

PIECEWISE_LINEAR = tuple(activation for activation in Activation if activation.is_rational)
"""The activations that map rationals to rationals."""
