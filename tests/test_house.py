"""The plan of the house: who may import whom, what importing costs, how large a file is, and what is public.

The floors are those of CONTRIBUTING.md. Imports are read from the source by `ast`, those inside functions too.
"""

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest

import exactnn
from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, float_format
from exactnn.cli.program import _COMMANDS
from exactnn.lazy_names import LINE
from tests.networks.cells import CELLS
from tests.written_files import KINDS

ROOT = Path(exactnn.__file__).parent
MODULES = {
    ".".join(("exactnn", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}
"""Dotted name -> file, of every module of the package."""

FLOORS = (
    {"interrupts", "notices"},
    {"errors", "lazy_names", "version"},
    {"markup", "options", "outcome"},
    {"size_limit"},
    {"arithmetic", "files", "linear_algebra", "work"},
    {"campaigns", "matrices"},
    {"automata"},
    {"stacks"},
    {"machine_files", "networks"},
    {"simulation"},
    {"evaluation"},
    {"constructions", "precision", "equivalence", "certificates", "contraction", "depth"},
    {"strategies", "plots", "table_of_constructions", "corrections", "census", "languages"},
    {"testing"},
    {"cli", ""},
    {"__main__"},
)
"""Folders and files of the package by floor, from 0 on; "" is its ``__init__``."""

ALWAYS_THERE = {"numpy", "numba", "gmpy2"}
"""Third-party packages that a plain ``import exactnn`` may import."""

LARGEST_FILE = 400


def room(module):
    """Return the folder or top-level file of the package that `module` is in; "" for its ``__init__``."""
    return module.partition(".")[2].partition(".")[0]


def floor(module):
    (number,) = [i for i, rooms in enumerate(FLOORS, -1) if room(module) in rooms] or [None]
    assert number is not None, f"{module} is on no floor"
    return number


@cache
def tree(module):
    """Return a module's statements, with those of its stub if its names are imported when they are asked for."""
    parsed = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    if stub(module).exists():
        parsed.body += ast.parse(stub(module).read_text(encoding="utf-8")).body
    return parsed


@cache
def nodes(module):
    """Return all nodes of `tree`, which many tests go through."""
    return tuple(ast.walk(tree(module)))


@cache
def stub(module):
    return MODULES[module].with_suffix(".pyi")


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
def bound(module):
    """Return all names that `module` binds at top level."""
    return set().union(*defined(module))


@cache
def imports(module):
    """Return the modules of the package that `module` imports, anywhere in its source.

    ``from package import name`` is an import of the package if its ``__init__`` binds the name, and of the
    submodule otherwise.
    """
    found = set()
    for node in nodes(module):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in MODULES}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} line {node.lineno}: relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                others = node.module in MODULES and node.module != module
                outside = others and alias.name in bound(node.module)
                found.add(inner if inner in MODULES and not outside else node.module)
    return {name for name in found if name.partition(".")[0] == "exactnn"}


def test_all_floors_are_found():
    assert len(MODULES) > 40
    assert {room(module) for module in MODULES} >= {"errors", "arithmetic", "automata", "networks", "simulation", ""}
    assert imports("exactnn.networks.network") >= {"exactnn.arithmetic", "exactnn.networks.circuit"}
    assert len(set().union(*FLOORS)) == sum(map(len, FLOORS))


def test_a_module_imports_only_from_its_own_folder_or_a_lower_floor():
    for module in MODULES:
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


def test_a_module_imports_its_own_folder_file_by_file():
    """Not through the folder's ``__init__``, which imports it."""
    wrong = [module for module in MODULES if not is_package(module) and module.rpartition(".")[0] in imports(module)]
    assert not wrong


def run_python(program):
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
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


SHORT_RUN = """
import sys
from exactnn.cli import main
try:
    main(["run", "bb4", "--json"])
except SystemExit as end:
    assert end.code in (0, None), end.code
print(*sys.modules)
"""


def test_a_short_run_loads_little_of_what_it_does_not_need():
    loaded = run_python(SHORT_RUN)
    needed = {"exactnn.cli.run", "exactnn.constructions.tapes.siegelmann_sontag", "exactnn.simulation.run"}
    assert needed <= loaded
    others = {"constructions.tapes.carmantini", "constructions.counters", "constructions.neural_stacks", "equivalence"}
    others |= {"machine_files.jflap", "markup.layered", "networks.exchange", "networks.lstm", "precision"}
    assert not loaded & {"numpy", "numba", *(f"exactnn.{name}" for name in others)}


def is_import(node):
    function = getattr(node, "func", None)
    by_name = getattr(function, "attr", getattr(function, "id", "")) in ("import_module", "__import__")
    by_name = by_name and ast.unparse(function) in ("import_module", "importlib.import_module", "__import__")
    return by_name or isinstance(node, (ast.Import, ast.ImportFrom))


def imports_in_functions(node, inside=False, whole=False):
    """Yield the imports in functions, and whether Ctrl-C waits for them."""
    if inside and is_import(node):
        yield node, whole
    inside |= isinstance(node, (ast.FunctionDef, ast.Lambda))
    if isinstance(node, ast.With):
        whole |= any(ast.unparse(item.context_expr).startswith("Uninterrupted(") for item in node.items)
    for child in ast.iter_child_nodes(node):
        yield from imports_in_functions(child, inside, whole)


HALF_WAY = {
    "exactnn.interrupts": "of what is loaded already",
    "exactnn.testing.compiler": "of the user's own code, which may take long",
}
"""Modules with an import in a function for which Ctrl-C does not wait."""


def test_ctrl_c_waits_for_what_is_imported_when_it_is_needed():
    """A library that was imported in part is of no use until the process ends, which commands do then.

    Pictures begin with `new_figure`, which imports all of matplotlib that they need: see the next test.
    """
    for module in MODULES:
        if room(module) != "cli" and module not in HALF_WAY:
            check_imports_in_functions(module)


def check_imports_in_functions(module):
    drawn = room(module) == "plots" and not module.endswith(".picture_file")
    for node, whole in imports_in_functions(tree(module)):
        home = getattr(node, "module", "")
        assert whole or (drawn and home.startswith("matplotlib")), (
            f"{module} line {node.lineno}: write it in a block `with Uninterrupted(...)`, or use `loaded`"
        )


def test_a_new_figure_has_imported_all_that_pictures_need():
    needed = {
        node.module
        for module in MODULES
        if room(module) == "plots"
        for node, whole in imports_in_functions(tree(module))
        if isinstance(node, ast.ImportFrom) and not whole
    }
    assert len(needed) > 3
    begun = "from exactnn.plots.picture_file import new_figure; new_figure(1, 1)"
    assert run_python(f"{begun}; import sys; print(*sys.modules)") >= needed


def test_a_file_is_short():
    lengths = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    long = {module: length for module, length in lengths.items() if length > LARGEST_FILE}
    assert not long, f"more than {LARGEST_FILE} lines: {long}; move one idea to a file of its own"


def test_a_module_says_what_it_is():
    said = {module: (ast.get_docstring(tree(module)) or "").strip() for module in MODULES}
    assert not [module for module, text in said.items() if not text.endswith((".", "::"))]


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_door_of_a_room_says_what_is_in_which_file():
    """The docstring of a folder's ``__init__`` names its files and folders."""
    for package in filter(is_package, MODULES):
        said = ast.get_docstring(tree(package))
        inside = {module for module in MODULES if module.rpartition(".")[0] == package}
        names = {module.rpartition(".")[2] for module in inside}
        if package.partition(".")[2].partition(".")[0] in WITH_A_DOOR:
            missing = {name for name in names if f"`{name}`" not in said} - ELSEWHERE.get(package, set())
            cells = "; of a cell enter a row in CELLS of tests/networks/cells.py" * (package == "exactnn.networks")
            assert not missing, f"{package} says nothing of {', '.join(sorted(missing))}{cells}"


WITH_A_DOOR = {"campaigns", "cli", "constructions", "contraction", "equivalence", "networks", "precision", "strategies"}
ELSEWHERE = {
    "exactnn.cli": set(_COMMANDS),
    "exactnn.networks": {cell.layer.__module__.rpartition(".")[2] for cell in CELLS.values()},
}
"""Files that are told elsewhere: commands have their help, and cells a page."""


def test_all_names_what_is_public():
    """A module names things that it has; a package names all that it re-exports, in its stub if it has one."""
    for module in MODULES:
        if "__all__" in defined(module)[0] and not stub(module).exists():
            check_all(module)


def check_all(module):
    (names,) = [
        ast.literal_eval(statement.value)
        for statement in tree(module).body
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "__all__"
    ]
    own, imported = defined(module)
    if is_package(module):
        assert public(names) == public(own | imported), module
    assert public(names) <= public(own | imported), module
    assert len(set(names)) == len(names), module


def test_every_module_has_all():
    inner = {module: defined(module)[0] for module in MODULES if room(module) not in ("", "__main__")}
    assert not [module for module, own in inner.items() if public(own) and "__all__" not in own]


LAZY = sorted(module for module in MODULES if stub(module).exists())
"""Folders that import their names when they are asked for."""


@pytest.mark.parametrize("package", LAZY)
def test_a_stub_says_once_where_each_name_of_its_folder_comes_from(package):
    text = stub(package).read_text(encoding="utf-8")
    lines = [(node.module, *((a.name, a.asname) for a in node.names)) for node in ast.parse(text).body]
    homes = {name: home for home, (name, alias) in lines if name == alias}
    assert len(homes) == len(lines)
    assert LINE.findall(text) == [(home, name) for name, home in homes.items()]
    assert all(f"{home}.".startswith(f"{package}.") for home in homes.values())
    folder = importlib.import_module(package)
    assert folder.__all__ == sorted(name for name, home in homes.items() if home != package)
    assert {name for name in homes if isinstance(getattr(folder, name), ModuleType)} == homes.keys() - folder.__all__


NAMESAKES = sorted(
    f"{package}.{name}"
    for package in LAZY
    for name in importlib.import_module(package).__all__
    if f"{package}.{name}" in MODULES
)
"""Files with the name of something in them that is public in their folder."""


@pytest.mark.parametrize("order", [["import {module}", "{ask}"], ["{ask}", "import {module}", "{ask}"]])
def test_a_name_means_what_is_public_even_where_its_file_was_imported(order):
    assert {"exactnn.constructions.compile", "exactnn.simulation.run", "exactnn.machine_files.load"} <= set(NAMESAKES)
    program = ["import sys"]
    for module in NAMESAKES:
        folder, _, name = module.rpartition(".")
        ask = f"from {folder} import {name} as asked; assert asked is sys.modules[{module!r}].{name}, {module!r}"
        program += [line.format(module=module, ask=ask) for line in order]
    run_python("\n".join(program))


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


def test_help_tells_types_by_their_short_names():
    """An alias such as AnyNetwork is a union of ten classes: written out, a signature fills a screen."""
    long = {
        function.__module__
        for function in public_functions()
        if str(inspect.signature(function)).count(" | exactnn.") > 2
    }
    assert not long, "begin these modules with `from __future__ import annotations`"


def public_functions():
    """Return the public functions, and the methods of public classes that are written down."""
    values = [getattr(exactnn, name) for name in exactnn.__all__]
    classes = [value for value in values if inspect.isclass(value) and value.__module__.startswith("exactnn.")]
    methods = [getattr(kind, name) for kind in classes for name, value in vars(kind).items() if callable(value)]
    return filter(inspect.isfunction, [*values, *methods])


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
    return f"{name}: enter it in exactnn/{room(folder.__name__)}/__init__.pyi, and in exactnn/__init__.pyi"


def test_every_named_arithmetic_runs_by_its_name():
    for name in exactnn.arithmetic.ARITHMETICS:
        run = exactnn.run("parity", "0110", arithmetic=name)
        assert run.verdict == "reject"
        assert name in run.engine


def test_constants_have_the_names_of_their_arithmetics():
    """In capitals; so no two have one name, and none stands below `NAMED_FORMATS`, where nobody finds it."""
    named = exactnn.arithmetic.ARITHMETICS
    for module in (float_format, exactnn.arithmetic, exactnn):
        names = {*vars(module), *module.__all__}
        constants = [name for name in names if isinstance(getattr(module, name), Arithmetic | EnclosingArithmetic)]
        wrong = sorted(name for name in constants if named.get(name.lower()) is not getattr(module, name))
        assert constants
        assert not wrong, f"{module.__name__} has {wrong}: its name in small letters, and a place above NAMED_FORMATS"
    for name in named.keys() - exactnn.arithmetic.NAMED_FORMATS.keys():
        assert getattr(exactnn, name.upper(), None) is named[name], not_public(name.upper(), exactnn.arithmetic)


def test_every_construction_names_its_source():
    text = (ROOT.parent / "docs" / "ledger.md").read_text(encoding="utf-8")
    for name in exactnn.CONSTRUCTIONS:
        assert f"`{name}`" in text, f"{name} has no row in docs/ledger.md: add it, with its source"
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
        if room(module) == "networks" and not module.startswith("exactnn.networks.exchange")
        for statement in tree(module).body
        if is_cell(statement)
    }


def test_every_cell_is_public():
    assert cells() >= {"SimpleRNN", "MultiLayerRNN", "LSTMLayer", "DoublingLSTMLayer"}
    missing = sorted(cells() - (set(exactnn.networks.__all__) & set(exactnn.__all__)))
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


def test_the_disk_cache_notices_where_compiled_functions_come_from():
    """The cache of numba notices a change in the file of a function, and `compiled` in modules of kernels."""
    homes = {module: homes_of_compiled(module) for module in MODULES if compiled_functions(module)}
    assert not {module: found for module, found in homes.items() if not all(home.endswith("kernels") for home in found)}


def homes_of_compiled(module):
    """Return the modules that a module imports compiled functions from."""
    return {
        node.module
        for node in nodes(module)
        if isinstance(node, ast.ImportFrom) and node.module in MODULES
        if {alias.name for alias in node.names} & set(compiled_functions(node.module))
    }


def writes(node):
    """Whether an expression may write to the disk, or name a file for somebody who does."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
        if names == {"shutil", "get_terminal_size"}:  # it writes nothing
            return False
        return bool(names & {"tempfile", "shutil", "fcntl", "shelve", "sqlite3", "zipfile", "tarfile", "logging"})
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in WRITING:
        return True
    if name in ON_STREAMS:  # a pickler is made with its stream
        owner = getattr(getattr(node.func, "value", None), "id", "")
        return owner != "pickler" and not (node.args and is_stream(node.args[0]))
    if name == "replace":  # of a text there are two arguments, of a dataclass names
        owner = getattr(getattr(node.func, "value", None), "id", "")
        return owner == "os" or (isinstance(node.func, ast.Attribute) and len(node.args) == 1 and not node.keywords)
    return name in ("open", "fdopen") and opens_to_write(node)


WRITING = {
    *("write_text", "write_bytes", "rename", "renames", "link", "symlink", "mkdir", "makedirs", "touch", "ftruncate"),
    *("mknod", "mkfifo", "fsync", "memmap", "tofile", "save_file", "savez", "savetxt", "to_csv", "FileIO"),
}
ON_STREAMS = {"savefig", "write_parquet", "dump"}
"""What writes to a file or to a stream in memory."""


def is_stream(node):
    return isinstance(node, ast.Name) and node.id in ("stream", "buffer")


def opens_to_write(node):
    owner = getattr(getattr(node.func, "value", None), "id", "")
    modes = [
        arg for arg in [*node.args, *(keyword.value for keyword in node.keywords)] if isinstance(arg, ast.Constant)
    ]
    if owner == "os":
        return "devnull" not in ast.unparse(node)
    return any(isinstance(mode.value, str) and set(mode.value) & set("wax+") for mode in modes)


def test_nobody_writes_files_but_the_one_who_does():
    """`exactnn.files` has what every file is promised; a stream in memory is called `stream` or `buffer`."""
    found = [
        f"{module} line {node.lineno}: {ast.unparse(node)}"
        for module in MODULES
        if room(module) != "files" and module != "exactnn.campaigns.ledger"  # SQLite writes that one
        for node in nodes(module)
        if writes(node)
    ]
    assert not found, f"give the bytes to exactnn.files.write_file: {found}"


WRITERS = """
Path(name).write_text(text)
path.write_bytes(content)
open(name, "w")
open(name, mode="xb")
path.open("a+b")
os.fdopen(descriptor, "wb")
os.open(name, os.O_WRONLY)
os.replace(old, new)
old.replace(new)
os.rename(old, new)
figure.savefig(path, dpi=200)
frame.write_parquet(f"{name}.parquet")
json.dump(data, file)
import tempfile
from tempfile import NamedTemporaryFile
numpy.savez(path, a=a)
"""
READERS = """
path.open("rb")
open(name)
os.open(os.devnull, os.O_WRONLY)
"text".replace("a", "b")
replace(value, name="a")
figure.savefig(stream, format="png")
frame.write_parquet(buffer)
"""


def test_what_writes_is_seen():
    for line in WRITERS.strip().splitlines():
        assert any(map(writes, ast.walk(ast.parse(line)))), line
    for line in READERS.strip().splitlines():
        assert not any(map(writes, ast.walk(ast.parse(line)))), line


WITH_TESTS_OF_THEIR_OWN = {
    "exactnn.campaigns.ledger",
    "exactnn.campaigns.node",
    "exactnn.campaigns.parts",
    "exactnn.cli.campaign",
    "exactnn.cli.check",
    "exactnn.cli.collapse",
    "exactnn.cli.constructions",
}


def names_from(module, source):
    """Return the names that a module imports from another."""
    found = (node for node in nodes(module) if isinstance(node, ast.ImportFrom) and node.module == source)
    return {alias.name for node in found for alias in node.names}


ROWS = {"Data", "DataRows", "DataTable", "Rows", "data_rows", "json_rows"}
"""Tables of data, which are tested together."""


def test_every_kind_of_file_that_is_written_is_tested():
    """The stores of campaigns have tests of their own; three commands write what others make, or check a name."""
    users = {name for name in MODULES if room(name) != "files" and names_from(name, "exactnn.files") - ROWS}
    assert users == {kind.module for kind in KINDS.values()} | WITH_TESTS_OF_THEIR_OWN


def test_files_of_tests_that_need_torch_are_marked():
    """What is skipped as a whole where torch is not must be among what `.ci/torch` runs."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("test_*.py")}
    needing = {
        name for name, text in texts.items() if re.search(r"^ *torch = pytest\.importorskip", text, re.MULTILINE)
    }
    assert needing
    assert all("\npytestmark = pytest.mark.needs_torch" in texts[name] for name in needing), needing


def test_python_m_is_the_command_line():
    done = subprocess.run([sys.executable, "-m", "exactnn", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("exactnn ")


READS_THE_PROTOCOL = {
    "exactnn.simulation.walk": "the protocol",
    "exactnn.simulation.stepping": "the loop of executors in Python stops at the first verdict",
    "exactnn.simulation.floats": "as does a compiled loop",
    "exactnn.simulation.fixed": "as does a compiled loop",
    "exactnn.simulation.rounded": "as does a compiled loop",
    "exactnn.simulation.machine_words": "as does a compiled loop",
    "exactnn.simulation.positional.modes": "as does the exact engine",
    "exactnn.simulation.positional.program": "as does the exact engine",
    "exactnn.simulation.positional.opaque": "and its steps with opaque tails",
    "exactnn.equivalence.moore_machines": "states that are a graph: all EOS steps are taken at once",
    "exactnn.equivalence.closure_check": "an independent checker",
    "exactnn.certificates.edge_check": "an independent checker",
    "exactnn.certificates.replay": "an independent checker",
}
"""Modules that ask a decision what an output says."""


def asks_a_decision(node):
    function = getattr(node, "func", None)
    return getattr(function, "attr", "") == "outcome" and ast.unparse(function.value).endswith("decision")


def decides(node):
    """Whether a call asks for steps that end with the first verdict."""
    return isinstance(node, ast.Call) and any(
        keyword.arg == "until_decided" and ast.unparse(keyword.value) != "False" for keyword in node.keywords
    )


def feeds_eos(node):
    function = getattr(node, "func", None)
    return getattr(function, "attr", "") == "index" and [ast.unparse(a) for a in node.args] == ["EOS"]


def modules_with(holds):
    return {module for module in MODULES if any(map(holds, nodes(module)))}


def test_the_protocol_is_read_in_one_place():
    """Whoever wants a verdict goes along with a walk; the checkers have their own."""
    assert modules_with(asks_a_decision) == set(READS_THE_PROTOCOL), "use exactnn.simulation.Walk or outcome_after"


def test_only_a_walk_asks_for_a_verdict():
    """Besides what steps as an executor does, by others, and the certificate of macro steps."""
    steppers = {
        module
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.FunctionDef)
        if node.name == "advance" and "until_decided" in [argument.arg for argument in node.args.kwonlyargs]
    }
    engine = {module for module in MODULES if module.startswith("exactnn.simulation.positional.")}
    assert modules_with(decides) - steppers - engine == {"exactnn.simulation.walk"}
    outside = {module for module in steppers if room(module) != "simulation"}
    others = {"exactnn.precision.lockstep", "exactnn.evaluation.runs"}
    assert outside == others | {"exactnn.constructions.tapes.growing_memory"}


def test_a_network_says_which_input_eos_is():
    checkers = {"exactnn.certificates.replay", "exactnn.certificates.edge_check", "exactnn.equivalence.closure_check"}
    assert modules_with(feeds_eos) == {"exactnn.networks.network"} | checkers, "ask for Network.eos"


def test_an_arithmetic_is_asked_what_it_is():
    """Ways part in a `match` that ends in `assert_never`; besides, an arithmetic says if it rounds or encloses."""
    found = [
        f"{module} line {node.lineno}"
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
        if ast.unparse(node.args[0]).endswith("arithmetic") and module != "exactnn.simulation.executors"
    ]
    assert len(found) <= 4, found


def test_the_exact_engine_shares_no_code_with_the_reference_that_it_is_compared_with():
    """Only who chooses an executor knows it, who writes certificates of runs, and who checks those of automata."""
    users = {module for module in MODULES if "exactnn.simulation.rational" in imports(module)}
    checker = "exactnn.equivalence.closure_check"
    assert users == {"exactnn.simulation.executors", "exactnn.simulation.positional.certify", checker}
