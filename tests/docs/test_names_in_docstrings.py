"""What docstrings refer to, as in ``:func:`exactnn.run```, is there."""

import ast
import importlib
import re

from page_blocks import ROOT
from public_names import found, has_member, homes

FILES = sorted((ROOT / "exactnn").rglob("*.py"))
ROLE = re.compile(r":(?:func|class|meth|data|attr|mod|exc):`~?([\w.]+)`")


def module_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def docstrings(path):
    """Yield the docstrings of a file, with the classes in which they stand."""

    def within(node, classes):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            classes = [*classes, node.name] if isinstance(node, ast.ClassDef) else classes
            yield ast.get_docstring(node) or "", classes
        for child in ast.iter_child_nodes(node):
            yield from within(child, classes)

    return within(ast.parse(path.read_text(encoding="utf-8")), [])


def is_there(target, module, classes):
    """Whether a name is one of exactnn, of the class where it is said, of the module, or public somewhere."""
    if target.startswith("exactnn."):
        return found(target) is not None
    first, *rest = target.split(".")
    places = [getattr(module, name) for name in classes if hasattr(module, name)] + [module]
    places += map(importlib.import_module, homes().get(first, ()))
    return any(has_member(place, first) and all_there(getattr(place, first, None), rest) for place in places)


def all_there(value, names):
    for name in names:
        if not has_member(value, name):
            return False
        value = getattr(value, name, None)
    return True


def references():
    """Return what docstrings refer to, with the module and the classes in which they stand."""
    return [
        (target, importlib.import_module(module_of(path)), classes)
        for path in FILES
        for text, classes in docstrings(path)
        for target in ROLE.findall(text)
    ]


def test_what_docstrings_refer_to_is_there():
    referred = references()
    assert len(referred) > 150
    assert [
        (target, module.__name__) for target, module, classes in referred if not is_there(target, module, classes)
    ] == []


def test_wrong_references_are_found():
    module = importlib.import_module("exactnn.simulation.run")
    assert is_there("exactnn.check_certificate", module, [])
    assert not is_there("exactnn.simulation.check_certificate", module, [])
    assert not is_there("Run.cycles", module, [])
