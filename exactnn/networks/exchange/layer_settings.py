"""What no tensor tells of a trained layer: its own options by its own names, as given or as a module has them."""

from collections.abc import Mapping, Sequence
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.errors import OptionError, shown
from exactnn.options import choice, mapped, whole_number

__all__ = ["SETTINGS", "Settings"]

SETTINGS = (
    "num_heads", "allow_neg_eigval", "qk_activation", "qk_norm", "gate_logit_normalizer", "clamp_min", "feature_map",
    "norm_eps",
)  # fmt: skip
"""The options there are."""


class Settings:
    """Options of a layer by name; those of a module are its attributes.

    Parameters
    ----------
    given : mapping or None
    module : object
        Of torch, or None.

    Raises
    ------
    OptionError
        If there is no such option.

    Examples
    --------
    >>> Settings({"num_heads": 2}, None).number("num_heads", 4)
    2
    """

    def __init__(self, given: Mapping[str, Any] | None, module: object) -> None:
        self._given = {} if given is None else mapped("settings", given)
        for name in self._given:
            if name not in SETTINGS:
                raise OptionError(f"settings have {shown(name)}: give some of {', '.join(SETTINGS)}")
        own = {name: getattr(module, name, None) for name in SETTINGS} if module is not None else {}
        own["feature_map"] = getattr(module, "feature_map_fn", None)
        own.pop("norm_eps", None)
        self._all = {name: value for name, value in own.items() if value is not None} | self._given

    def check_known(self, cell: str, names: Sequence[str]) -> None:
        """Raise OptionError if an option was given that the layer does not have."""
        for name in self._given:
            if name not in (*names, "norm_eps"):
                raise OptionError(f"settings have {shown(name)}, which a {cell} does not have: leave it out")

    def given(self, name: str) -> Any:
        """Return an option, None if it is not there."""
        return self._all.get(name)

    def number(self, name: str, default: int | None) -> int:
        """Return a whole number of at least 1; raises OptionError without a default."""
        value = self._all.get(name, default)
        if value is None:
            raise OptionError(f"no tensor tells {name}: give settings={{{name!r}: ...}}")
        return whole_number(name, value, 1)

    def truth(self, name: str, default: bool) -> bool:
        """Return an option that is True or False."""
        value = self._all.get(name, default)
        if not isinstance(value, bool):
            raise OptionError(f"{name}={shown(value)}: give True or False")
        return value

    def text(self, name: str, default: str, choices: Sequence[str]) -> str:
        """Return an option that is one of some texts."""
        value = self._all.get(name, default)
        choice(name, value, choices)
        return str(value)

    def eps(self) -> mpq:
        """Return what the norm below the layer adds to the mean of squares, as the number that is written."""
        value = self._all.get("norm_eps")
        if value is None:
            raise OptionError("no tensor tells what the norm below adds: give settings={'norm_eps': 1e-6}")
        found = exact(repr(value) if isinstance(value, float) else value)
        if found < 0:
            raise OptionError(f"norm_eps={shown(value)}: give 0 or more")
        return found
