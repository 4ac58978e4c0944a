"""Modules of torch by what they compute, as far as their class and their settings say it. Torch is not imported here.

What a module of any other class computes is in its `forward`, which is not read. Such a module is refused.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.errors import ExactnnError, NetworkFileError, shown
from exactnn.networks.activation import Activation
from exactnn.networks.squashing import Squashing

__all__ = ["check_linear", "children_of", "function_of", "is_harmless", "is_sequential", "kind_of", "names_read"]

_HARMLESS = r".*(Dropout|Identity|Loss)(\dd)?|Sequential|Module(List|Dict)|Parameter(List|Dict)"
"""Names of torch's modules that compute nothing in a trained model: those for training, and what only holds others."""

_LINEAR = ("torch.nn.modules.linear", "Linear")
"""The module and the name of torch's class of linear layers."""
_RECURRENT = ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")
_LARGEST = ("Softmax", "LogSoftmax", "Softmax2d")


def _clamp(min_val: mpq, max_val: mpq) -> Squashing:
    if min_val == -1 and max_val == 1:
        return Squashing.named("hard_tanh")
    return Squashing.named(Activation(name="Hardtanh", low=min_val, high=max_val))


def _leaky(negative_slope: mpq) -> Squashing:
    return Squashing.piecewise_linear([(0, 0)], below=negative_slope, above=1, name="LeakyReLU")


def _softplus(beta: mpq, threshold: mpq) -> Squashing | None:
    return Squashing.named("softplus") if beta == 1 and threshold == 20 else None


def _named(name: str) -> Callable[[], Squashing]:
    return lambda: Squashing.named(name)


_FUNCTIONS: dict[str, tuple[Callable[..., Squashing | None], tuple[str, ...]]] = {
    "ReLU": (_named("relu"), ()),
    "ReLU6": (_named("relu6"), ()),
    "LeakyReLU": (_leaky, ("negative_slope",)),
    "Tanh": (_named("tanh"), ()),
    "Sigmoid": (_named("sigmoid"), ()),
    "Hardtanh": (_clamp, ("min_val", "max_val")),
    "Hardsigmoid": (_named("hard_sigmoid"), ()),
    "Softplus": (_softplus, ("beta", "threshold")),
}
"""Of torch's activations: the function of their settings, and the names of these."""


def kind_of(module: Any) -> str:
    """Return the name of a module's class, which TorchScript keeps; "" if there is no module."""
    return "" if module is None else str(getattr(module, "original_name", type(module).__name__))


def _is_of_torch(module: Any) -> bool:
    """Return whether a module's class is torch's own; TorchScript says nothing but its name."""
    return hasattr(module, "original_name") or type(module).__module__.startswith("torch.")


def is_harmless(module: Any) -> bool:
    """Return whether a module of torch computes nothing in a trained model."""
    return _is_of_torch(module) and re.fullmatch(_HARMLESS, kind_of(module)) is not None


def children_of(module: Any) -> list[str]:
    """Return the names of the parts of a module, also of one that is there twice."""
    return [name for name, _ in module.named_modules(remove_duplicate=False) if name and "." not in name]


def is_sequential(module: Any) -> bool:
    """Return whether a module applies its parts one after the other."""
    return _is_of_torch(module) and kind_of(module) == "Sequential"


def function_of(name: str, module: Any) -> Squashing | None:
    """Return the function that a module applies to each number; None if it is no activation of torch.

    Raises
    ------
    NetworkFileError
        If its settings make it a function that is not read, or are not there.
    """
    if not _is_of_torch(module) or kind_of(module) not in _FUNCTIONS:
        return None
    kind = kind_of(module)
    function, names = _FUNCTIONS[kind]
    settings = {setting: getattr(module, setting, None) for setting in names}
    if None in settings.values():
        raise NetworkFileError(
            f"{shown(name)} is of the class {kind}, traced by TorchScript, which does not say its "
            f"{' and '.join(names)}: name its function in its place, such as 'hard_tanh', 'leaky_relu' or 'softplus'"
        )
    said = ", ".join(f"{setting}={value}" for setting, value in settings.items())
    try:
        found = function(**{setting: exact(value) for setting, value in settings.items()})
    except ExactnnError as error:
        raise NetworkFileError(f"{shown(name)} is of the class {kind} with {said}: {error}") from None
    if found is None:
        raise NetworkFileError(
            f"{shown(name)} is of the class {kind} with {said}: it is read with torch's own settings only"
        )
    return found


def check_linear(name: str, module: Any) -> None:
    """Raise NetworkFileError unless a module is a linear layer, as far as its class says."""
    kind = kind_of(module)
    if _is_of_torch(module) and kind.endswith("Linear"):
        right = True
    else:
        bases = (base for base in type(module).__mro__ if (base.__module__, base.__name__) == _LINEAR)
        right = any(type(module).forward is base.forward for base in bases)  # type: ignore[attr-defined]
    if not right:
        raise NetworkFileError(f"{shown(name)} is of the class {kind}, which is not read here: {_way_out(kind)}")
    if getattr(module, "_forward_hooks", None) or getattr(module, "_forward_pre_hooks", None):
        raise NetworkFileError(
            f"{shown(name)} has hooks, which may change what it computes and are not read: remove them"
        )


def _way_out(kind: str) -> str:
    """Return what to do with a module of some kind."""
    if kind in _RECURRENT:
        return "name recurrent modules in prefix="
    if kind == "Embedding":
        return "name an embedding as embedding="
    if kind in _LARGEST:
        return "leave it out, since the largest output is the same without it"
    return (
        f"linear layers are, and {', '.join(_FUNCTIONS)}. If what it computes is weight x + bias, give the model's "
        "state_dict()"
    )


def names_read(names: set[str], modules: Mapping[str, Any]) -> set[str]:
    """Return all names of the modules that have one of these: a module can have several."""
    read = {id(modules[name]) for name in names if name in modules}
    return {name for name, module in modules.items() if id(module) in read}
