"""What is tested: a function from machines to networks, by its name or by that of its module."""

import importlib
import importlib.util
import os
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from inspect import isfunction
from types import ModuleType
from typing import Any

from exactnn.automata import Machine
from exactnn.constructions import CONSTRUCTIONS, Construction
from exactnn.constructions.construction import require_machine
from exactnn.constructions.steps import Step, step_network
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.interrupts import loaded
from exactnn.networks import Network

__all__ = ["Compiled", "Compiler", "compiler", "compiler_of", "is_code", "is_found_by_name", "lowered"]

Compiled = Construction | Network
"""What a compiler makes of a machine; only a construction can be decoded, and says how long a move takes."""

_PACKAGE = "exactnn.constructions"
_KINDS = typing.get_args(Machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """A function from machines to networks.

    Parameters
    ----------
    name : str
        A name of :data:`exactnn.CONSTRUCTIONS`, or ``module:function``.
    kind : type or None
        The machines that it compiles; None if it does not say.
    function : callable
        From a machine to a Construction, a Network or a Step.
    """

    name: str
    kind: type | None
    function: Callable[[Any], object]

    def compiled(self, machine: Machine) -> Compiled:
        """Return what the function makes of `machine`; raises ConstructionError if that is of another kind."""
        if self.kind is not None and not isinstance(machine, self.kind):
            require_machine(machine, self.kind, self.name)
        return lowered(self.function(machine), self.name)


def lowered(result: object, name: str) -> Compiled:
    """Return a construction or a network as it is, a step as a network.

    Raises
    ------
    ConstructionError
        If it is none of these.
    """
    if isinstance(result, Step):
        return step_network(result)
    if not isinstance(result, Compiled):
        raise ConstructionError(f"{name} returned {shown(result)}: return a Construction, a Network or a Step")
    return result


def compiler(name: str) -> Compiler:
    """Return the compiler that a name means.

    Parameters
    ----------
    name : str
        A name of :data:`exactnn.CONSTRUCTIONS`; that of another function of `exactnn.constructions` that has a module
        of its name; or ``module:function`` of any module that Python finds, in the working folder too. That module is
        imported: its code runs.

    Raises
    ------
    OptionError
        If there is no such construction, module or function.

    Examples
    --------
    >>> compiler("minsky").kind.__name__, compiler("literal_book").name
    ('DFA', 'literal_book')
    >>> compiler("nothing:function")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: construction module 'nothing' cannot be imported: No module named 'nothing'
    """
    if name in CONSTRUCTIONS:
        return Compiler(name=name, kind=CONSTRUCTIONS[name], function=getattr(loaded(_PACKAGE), name))
    if not is_code(name):
        own = _own(name)
        if own is None:
            names = ", ".join([*CONSTRUCTIONS, "literal_book"])
            raise OptionError(f"construction {shown(name)} is unknown: choose one of {names}, or write module:function")
        return compiler_of(own)
    module, _, attribute = name.partition(":")
    found = getattr(_module(module), attribute, None)
    if not callable(found):
        raise OptionError(f"construction {shown(name)}: module {shown(module)} has no function {shown(attribute)}")
    return Compiler(name=name, kind=_kind(found), function=found)


def _own(name: str) -> Callable[..., object] | None:
    """Return the function of that name in the package of constructions, in a module of its name."""
    package = loaded(_PACKAGE)
    if not name.isidentifier() or name.startswith("_"):
        return None
    if name not in package.__all__ and importlib.util.find_spec(f"{_PACKAGE}.{name}") is not None:
        package = loaded(f"{_PACKAGE}.{name}")
    found = getattr(package, name, None)
    return found if isfunction(found) and _is_ours(found.__module__, name) else None


def _is_ours(module: str, function: str) -> bool:
    return module.startswith(f"{_PACKAGE}.") and module.endswith(f".{function}")


def compiler_of(construction: object) -> Compiler:
    """Return the compiler that a name or a function means, or the compiler itself.

    Raises
    ------
    OptionError
        If it is none of these.

    Examples
    --------
    >>> from exactnn.constructions import minsky
    >>> compiler_of(minsky).name
    'minsky'
    """
    if isinstance(construction, Compiler):
        return construction
    if isinstance(construction, str):
        return compiler(construction)
    if not callable(construction):
        raise OptionError(f"{shown(construction)} compiles nothing: give a function from a machine to a Construction")
    function: Any = construction
    module, attribute = getattr(function, "__module__", "?"), getattr(function, "__qualname__", type(function).__name__)
    if not hasattr(function, "__qualname__"):  # of an object that is called, its module says nothing
        attribute = f"<{attribute}>"
    registered = attribute in CONSTRUCTIONS and getattr(loaded(_PACKAGE), attribute) is function
    ours = registered or _is_ours(module, attribute)
    return Compiler(name=attribute if ours else f"{module}:{attribute}", kind=_kind(function), function=function)


def is_code(name: str) -> bool:
    """Whether a name is that of code to be imported, ``module:function``.

    >>> is_code("minsky"), is_code("my_constructions:mine")
    (False, True)
    """
    return ":" in name


def is_found_by_name(name: str) -> bool:
    """Whether another program can find the function that a name means, so that a command with the name works there.

    >>> is_found_by_name("minsky"), is_found_by_name("nets:mine"), is_found_by_name("nets:<lambda>")
    (True, True, False)
    """
    module, _, attribute = name.rpartition(":")
    return attribute.isidentifier() and module != "__main__"


def _module(name: str) -> ModuleType:
    """Import a module, of the working folder too, as ``python -m`` does."""
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except Exception as error:  # whatever the module's own code raises
        fault = error if isinstance(error, ImportError | SyntaxError | ValueError) else repr(error)
        raise OptionError(f"construction module {shown(name)} cannot be imported: {fault}") from error
    finally:
        sys.path.remove(folder)


def _kind(function: Callable[[Any], object]) -> type | None:
    """Return the kind of machine that a function takes, by the annotation of its first parameter; a name is no kind."""
    try:
        hints = typing.get_type_hints(function)
    except (NameError, TypeError):
        return None
    first = next((hint for name, hint in hints.items() if name != "return"), None)
    kinds = [hint for hint in typing.get_args(first) or (first,) if hint in _KINDS]
    return kinds[0] if len(kinds) == 1 else None
