"""The plan of the house: who may import whom, what importing costs, how large a file is, and what is public.

The floors are those of CONTRIBUTING.md. Imports are read from the source by `ast`, those inside functions too.
"""

import ast
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import exactnn
from tests.public_stub import STUB, stub

ROOT = Path(exactnn.__file__).parent
MODULES = {
    ".".join(("exactnn", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}
"""Dotted name -> file, of every module of the package."""

FLOORS = (
    {"errors", "outcome", "markup", "version"},
    {"arithmetic", "automata", "linear_algebra"},
    {"machine_files", "networks"},
    {"simulation"},
    {"constructions", "precision", "equivalence", "certificates", "contraction"},
    {"sweeps", "strategies", "plots", "citation", "table_of_constructions", "corrections"},
    {"testing"},
    {"cli", ""},
    {"__main__"},
)
"""Folders and files of the package by floor; "" is its ``__init__``."""

ALWAYS_THERE = {"numpy", "numba", "gmpy2"}
"""Third-party packages that a plain ``import exactnn`` may import."""

LARGEST_FILE = 400


def room(module):
    """Return the folder or top-level file of the package that `module` is in; "" for its ``__init__``."""
    return module.partition(".")[2].partition(".")[0]


def floor(module):
    (number,) = [i for i, rooms in enumerate(FLOORS) if room(module) in rooms] or [None]
    assert number is not None, f"{module} is on no floor"
    return number


@cache
def tree(module):
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def is_package(module):
    return MODULES[module].name == "__init__.py"


@cache
def defined(module):
    """Return the names that `module` binds at top level: (defined here, imported)."""
    own, imported = set(), set()
    statements = list(tree(module).body)
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            own.add(statement.name)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if not is_type_variable(statement.value):
                own |= {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            imported |= {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            for field in ("body", "orelse", "finalbody"):
                statements += getattr(statement, field, [])
            statements += [s for handler in getattr(statement, "handlers", []) for s in handler.body]
    return own, imported


def is_type_variable(value):
    return isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("TypeVar", "ParamSpec")


@cache
def imports(module):
    """Return the modules of the package that `module` imports, anywhere in its source.

    ``from package import name`` is an import of the package if its ``__init__`` binds the name, and of the
    submodule otherwise.
    """
    found = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in MODULES}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} line {node.lineno}: relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                bound = node.module in MODULES and alias.name in set().union(*defined(node.module))
                found.add(inner if inner in MODULES and not bound else node.module)
    return {name for name in found if name.partition(".")[0] == "exactnn"}


def test_all_floors_are_found():
    assert len(MODULES) > 40
    assert {room(module) for module in MODULES} >= {"errors", "arithmetic", "automata", "networks", "simulation", ""}
    assert imports("exactnn.networks.network") >= {"exactnn.arithmetic", "exactnn.networks.circuit"}
    assert len(set().union(*FLOORS)) == sum(map(len, FLOORS))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_its_own_folder_or_a_lower_floor(module):
    for imported in imports(module):
        assert imported in MODULES, f"{module} imports {imported}, which does not exist"
        if room(imported) != room(module):
            assert floor(imported) < floor(module), f"{module} imports {imported} from floor {floor(imported)}"


def test_no_module_imports_itself_in_a_circle():
    try:
        order = list(TopologicalSorter({module: imports(module) for module in MODULES}).static_order())
    except CycleError as error:
        pytest.fail("import circle: " + " -> ".join(error.args[1]))
    assert set(order) == set(MODULES)


@pytest.mark.parametrize("module", [m for m in MODULES if not is_package(m)])
def test_a_module_imports_its_own_folder_file_by_file(module):
    """Not through the folder's ``__init__``, which imports it."""
    assert module.rpartition(".")[0] not in imports(module)


def run_python(program):
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


LOADED = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"


@pytest.fixture(scope="module")
def allowed():
    """What python itself and the packages that are always there load; numba would load yaml, but comes late."""
    loaded = run_python(f"import numpy, gmpy2\n{LOADED}")
    return loaded | ALWAYS_THERE | set(sys.stdlib_module_names) | {"exactnn", "llvmlite"}


def test_importing_the_package_imports_nothing_optional(allowed):
    loaded = run_python(f"import exactnn\n{LOADED}")
    assert "exactnn" in loaded
    assert not {"click", "rich", "yaml", "matplotlib", "hypothesis", "automata", "aalpy", "torch"} & (loaded | allowed)
    assert loaded - allowed == set()


@pytest.mark.parametrize("module", MODULES)
def test_a_file_is_short(module):
    assert len(MODULES[module].read_text(encoding="utf-8").splitlines()) <= LARGEST_FILE


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_what_it_is(module):
    assert (ast.get_docstring(tree(module)) or "").strip().endswith((".", "::"))


def public(names):
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("module", [m for m in MODULES if room(m) and "__all__" in defined(m)[0]])
def test_all_is_sorted_and_names_what_is_public(module):
    """A module names things that it has; a package names all that it re-exports."""
    (names,) = [
        ast.literal_eval(statement.value)
        for statement in tree(module).body
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "__all__"
    ]
    own, imported = defined(module)
    if is_package(module):
        assert public(names) == public(own | imported)
    assert public(names) <= public(own | imported)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("module", [m for m in MODULES if room(m) not in ("", "__main__")])
def test_every_module_has_all(module):
    own, _ = defined(module)
    assert "__all__" in own or not public(own)


def test_the_types_of_the_public_names_are_those_of_the_table():
    same = STUB.read_text(encoding="utf-8") == stub()
    assert same, "exactnn/__init__.pyi is not what the table _PUBLIC says: run python tests/public_stub.py"
    for module, names in exactnn._PUBLIC.items():
        assert names.split() == sorted(names.split()), f"sort the names of {module} in _PUBLIC"
    counts = Counter(name for names in exactnn._PUBLIC.values() for name in names.split())
    assert max(counts.values()) == 1


@pytest.mark.parametrize("name", ["automata", "networks", "plots", "precision"])
def test_folders_are_there_and_listed_whatever_was_imported_before(name):
    asked = f"import exactnn; print({name!r} in dir(exactnn), exactnn.{name}.__name__)"
    environment = os.environ | {"PYTHONPATH": str(ROOT.parent)}
    said = subprocess.run([sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["True", f"exactnn.{name}"]


def test_a_name_that_is_not_there_is_told_with_what_a_traceback_makes_a_suggestion_of():
    with pytest.raises(AttributeError, match="module 'exactnn' has no attribute 'Dfa'") as caught:
        exactnn.Dfa  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("Dfa", exactnn)


def test_the_public_names_are_there():
    for name in exactnn.__all__:
        assert getattr(exactnn, name) is not None


def test_the_parts_of_networks_and_the_pictures_are_found_in_their_folders():
    """As the docstring of the package says, without an import of the folder."""
    text = exactnn.__doc__
    for folder in (exactnn.networks, exactnn.plots):
        assert f"``{folder.__name__}``" in text
    for name in ("Circuit", "Unit", "Decision", "Protocol"):
        assert f"`{name}`" in text
        assert name in exactnn.networks.__all__
    assert "plot_collapse" in exactnn.plots.__all__


def test_pictures_are_not_imported_before_they_are_asked_for():
    program = "import sys, exactnn; before = 'exactnn.plots' in sys.modules; print(before, exactnn.plots.__name__)"
    assert run_python(program) == {"False", "exactnn.plots"}


def not_public(name, folder):
    """Return what to do about a name that the package does not have."""
    home = f"exactnn/{room(folder.__name__)}/__init__.py"
    return f"{name}: import it in {home}, and enter it in __all__ there and in the table _PUBLIC of exactnn/__init__.py"


def test_every_named_arithmetic_is_public_and_runs():
    for name, arithmetic in exactnn.arithmetic.ARITHMETICS.items():
        assert getattr(exactnn, name.upper(), None) is arithmetic, not_public(name.upper(), exactnn.arithmetic)
        run = exactnn.run(exactnn.compile(exactnn.load("parity")), "0110", arithmetic=arithmetic)
        assert run.verdict == "reject"
        assert name in run.engine


def test_every_construction_names_its_source():
    text = (ROOT.parent / "docs" / "sources.md").read_text(encoding="utf-8")
    for name in exactnn.CONSTRUCTIONS:
        assert f"`{name}`" in text, f"{name} has no row in docs/sources.md: add it"
        assert callable(getattr(exactnn, name, None)), not_public(name, exactnn.constructions)


def is_cell(statement):
    if isinstance(statement, ast.ClassDef):
        return any(ast.unparse(base).endswith("Layer") for base in statement.bases)
    is_constructor = isinstance(statement, ast.FunctionDef) and statement.name[0].isupper()
    return is_constructor and statement.returns is not None and ast.unparse(statement.returns) == "Network"


def cells():
    """Return the cells of `networks/`: functions with a capital that return a Network, and the classes of layers."""
    return {
        statement.name
        for module in MODULES
        if room(module) == "networks"
        for statement in tree(module).body
        if is_cell(statement)
    }


def test_every_cell_is_public():
    assert cells() >= {"SimpleRNN", "MultiLayerRNN", "LSTMLayer", "DoublingLSTMLayer"}
    missing = sorted(cells() - set(exactnn.networks.__all__) & set(exactnn.__all__))
    assert not missing, not_public(" and ".join(missing), exactnn.networks)


def compiled_functions(module):
    """Return the functions of a module that numba compiles, by name."""
    found = {}
    for statement in tree(module).body:
        if isinstance(statement, ast.FunctionDef):
            decorators = {
                node.id for d in statement.decorator_list for node in ast.walk(d) if isinstance(node, ast.Name)
            }
            if decorators & {"compiled", "register_jitable", "intrinsic"}:
                found[statement.name] = statement
    return found


@pytest.mark.parametrize("module", [m for m in MODULES if compiled_functions(m)])
def test_the_disk_cache_notices_where_compiled_functions_come_from(module):
    """The cache of numba notices a change in the file of a function, and `compiled` in modules of kernels."""
    assert all(home.endswith("kernels") for home in homes_of_compiled(module))


def homes_of_compiled(module):
    """Return the modules that a module imports compiled functions from."""
    return {
        node.module
        for node in ast.walk(tree(module))
        if isinstance(node, ast.ImportFrom) and node.module in MODULES
        if {alias.name for alias in node.names} & set(compiled_functions(node.module))
    }


def test_python_m_is_the_command_line():
    done = subprocess.run([sys.executable, "-m", "exactnn", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("exactnn ")


def test_the_exact_engine_shares_no_code_with_the_reference_that_it_is_compared_with():
    """Only who chooses an executor knows it, who writes certificates of runs, and who checks those of automata."""
    users = {module for module in MODULES if "exactnn.simulation.rational" in imports(module)}
    checker = "exactnn.equivalence.closure_check"
    assert users == {"exactnn.simulation.executors", "exactnn.simulation.positional.certify", checker}
