"""What is public, where it is, and what belongs to it: read off the package, for tests of what texts say of it."""

import dataclasses
import enum
import importlib
import inspect
import pkgutil
import re
import tomllib
from functools import cache

from page_blocks import ROOT

import exactnn
from exactnn.cli import main
from exactnn.machine_files import zoo_names


def found(dotted):
    """Return what a dotted name of exactnn stands for, or None if there is nothing."""
    modules, *names = ["exactnn"], *dotted.split(".")[1:]
    value = exactnn
    for name in names:
        if inspect.ismodule(value) and not hasattr(value, name):
            try:
                value = importlib.import_module(".".join([*modules, name]))
            except ModuleNotFoundError:
                return None
        elif not has_member(value, name):
            return None
        else:
            value = getattr(value, name, name)
        modules.append(name)
    return value


def has_member(value, name):
    """Whether something has an attribute or, if it is a class, a field."""
    fields = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
    return hasattr(value, name) or name in fields


@cache
def homes():
    """Return, for each name that is in the `__all__` of a module, the dotted names of those modules."""
    found = {}
    for info in pkgutil.walk_packages(exactnn.__path__, "exactnn."):
        if not info.name.endswith("__main__"):
            for name in getattr(importlib.import_module(info.name), "__all__", ()):
                found.setdefault(name, set()).add(info.name)
    return found


@cache
def belongings():
    """Return the names of attributes, fields and parameters of what is public in a folder, and the values of enums."""
    names = set()
    for name, modules in homes().items():
        for module in map(importlib.import_module, modules):
            if hasattr(module, "__path__"):
                names |= _belonging_to(getattr(module, name))
    return names


def _belonging_to(value):
    names = _parameters(value)
    if inspect.isclass(value):
        own = {name for name in dir(value) if not name.startswith("_")}
        names |= own.union(*(_parameters(getattr(value, name, None)) for name in own))
        names |= {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
        names |= {member.value for member in value} if issubclass(value, enum.Enum) else set()
    return names


def _parameters(value):
    try:
        return set(inspect.signature(value).parameters) if callable(value) else set()
    except (TypeError, ValueError):  # not every builtin has a signature
        return set()


@cache
def words_of_the_command_line():
    """Return the names of commands, of their options without dashes, of the machines of the zoo, and of extras."""
    commands = {name: main.get_command(None, name) for name in main.list_commands(None)}
    options = {option.lstrip("-") for one in commands.values() for parameter in one.params for option in parameter.opts}
    return {*commands, *options, *zoo_names(), *extras()}


@cache
def extras():
    """Return what stands in brackets behind the name of the package to be installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return set(project["optional-dependencies"])


@cache
def written_names():
    """Return the names of all files of Python here, and of the functions, classes and variables that they define."""
    names = set()
    for path in (path for folder in ("exactnn", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")):
        defined = re.findall(
            r"\b(?:def|class) (\w+)|^(\w+)(?:: .*)? = ", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        names.update([path.stem], *defined)
    return names
