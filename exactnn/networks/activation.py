"""Activation functions with exact semantics over the rationals."""

from enum import StrEnum

from exactnn.errors import NetworkError, shown

__all__ = ["Activation"]


class Activation(StrEnum):
    """A piecewise linear activation; each maps rationals to rationals.

    ``IDENTITY`` x; ``RELU`` max(0, x); ``SLU``, the saturated linear unit, min(1, max(0, x));
    ``HEAVISIDE`` 1 if x > 0, else 0 (so that 0 goes to 0, as for the other two).

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", 1995 (saturated linear).

    Examples
    --------
    >>> Activation("slu").formula
    'min(1, max(0, x))'
    """

    IDENTITY = "identity"
    RELU = "relu"
    SLU = "slu"
    HEAVISIDE = "heaviside"

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


_FORMULAS = {
    Activation.IDENTITY: "x",
    Activation.RELU: "max(0, x)",
    Activation.SLU: "min(1, max(0, x))",
    Activation.HEAVISIDE: "1 if x > 0 else 0",
}
