"""Names in README, CONTRIBUTING, CHANGELOG, docs/ and notebooks are public, and where the text says that they are."""

import ast
import builtins
import inspect
import json
import re
from functools import cache

import pytest
from page_blocks import PAGES, ROOT, code_spans, prose, text_of
from public_names import belongings, found, has_member, homes, words_of_the_command_line, written_names

import exactnn
from exactnn.networks import SQUASHINGS

CHANGELOG, CONTRIBUTING = ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"
RESULTS, MACHINES = ROOT / "benchmarks" / "RESULTS.md", ROOT / "machines" / "README.md"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FOR_USERS = [*(page for page in PAGES if page != CONTRIBUTING), CHANGELOG, *NOTEBOOKS]
ALL = [*FOR_USERS, CONTRIBUTING, RESULTS, MACHINES]

OF_OTHERS = {
    "GRUCell", "dataclasses", "hypothesis", "json", "kernel", "module", "np", "pytest", "safetensors", "st", "torch"
}  # fmt: skip
"""What dotted names begin with that are not ours; `module` is one of torch's, `kernel` the part of an S4D."""
WORDS = {
    "trained_networks.md": "A_log Add Clip D Dropout GatedDeltaProduct Gather Gemm HardSigmoid Identity "
    "LSTMCell LeakyRelu Mamba MatMul RNN Relu Reshape S4D Scan Sequential Sigmoid Slice "
    "Softplus Squeeze Tanh Transpose Unsqueeze a_proj allow_neg_eigval b_proj "
    "batch_first bias_hh bias_ih clamp_min clip conv1d conv_size dt_bias dt_proj "
    "feature_map g_proj gate_logit_normalizer gk_proj in_proj input_forget k_proj "
    "linear_before_reset norm_eps num_heads o_norm o_proj out_proj proj_size q_proj "
    "qk_activation qk_norm rounded_parameters sequence_lens state_dict v_proj weight_ih "
    "x_proj",
    "CONTRIBUTING.md": "Fraction assert_never by_hand match mostly_slow mypy needs_torch rich semi_infinite slow "
    "varies",
    "RESULTS.md": "minify",
    "command_line.md": "configuration_cut",
    "float_semantics.md": "float8_e4m3fn in_torch_order",
    "10_your_own.ipynb": "expect state_dict",
    "certificates.md": "clears counts halted limb many null pushes wanted",
    "cells.md": "Linear bias c_0 h_0 linear_before_reset weight_hh weight_hh_lk weight_ih weight_ih_lk",
}
"""Words of a page that are no public names: of torch, ONNX, JSON, machine files, tests, and its own equations."""
NAME = re.compile(r"([A-Za-z_]\w*)(\((?:[^()]|\([^()]*\))*\))?")
NO_NAME = re.compile(r"_|[A-Z]|[abc]+|p\d+(e\d+)?|if|exactnn")
"""Letters of formulas, words over a, b, c, formats by their bits."""
PLACEHOLDER = re.compile(r"NAME|FILE|SOURCE|FOLDER")
DOTTED = re.compile(r"(?<![\w./@-])(?:exactnn|xn)(?:\.[A-Za-z_]\w*)+(?![\w/])")
PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=- |\d+\. |\| )")
FILE = re.compile(r"[\w./-]+\.(?:pyi?|md|yaml|ipynb|json)|(?:[\w.-]+/)+")
IN_A_FILE = re.compile(r"((?:`\w+`(?:, | and )?)+)(?: of | in | \()`([\w/]+\.py)`")


def text(page):
    """Return what a page says, of a notebook the cells of text and code."""
    if page.suffix != ".ipynb":
        return text_of(page)
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(text_of(page))["cells"])


def paragraphs(page):
    """Return paragraphs, points of lists and rows of tables; of a notebook those of its cells of text."""
    if page.suffix != ".ipynb":
        return PARAGRAPHS.split(prose(page))
    cells = [cell for cell in json.loads(text_of(page))["cells"] if cell["cell_type"] == "markdown"]
    return [part for cell in cells for part in PARAGRAPHS.split("".join(cell["source"]))]


def bare_names(paragraph):
    """Return the names that stand alone in code, and those of functions that are called there."""
    names = [NAME.fullmatch(span) for span in code_spans(paragraph)]
    return [name.group(1) for name in names if name and not NO_NAME.fullmatch(name.group(1))]


def modules_in(text):
    """Return the modules below exactnn that a text names."""
    return set(map(in_full, DOTTED.findall(text))) & set().union(*homes().values())


def in_full(name):
    return re.sub(r"^xn\b", "exactnn", name)


def fault_of(name, paragraph, page):
    """Return what is wrong with a bare name: None if it is public where the text says, or belongs to what is."""
    if name in exactnn.__all__ or hasattr(builtins, name) or name in belongings() | words_of_the_command_line():
        return None
    if name not in homes():
        return "is no name of exactnn"
    said = modules_in(paragraph)
    if said & homes()[name]:
        return None
    if said or page == CHANGELOG or not modules_in(text(page)) & homes()[name]:
        return f"is in {sorted(homes()[name])}: say so there"
    return None


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_dotted_names_can_be_imported(page):
    missing = {name for name in DOTTED.findall(text(page)) if found(in_full(name)) is None}
    assert not missing


def test_what_is_wrong_is_found():
    readme = ROOT / "README.md"
    assert fault_of("write_dot", "**Automata** (`exactnn.equivalence`): as graphs (`write_dot`).", readme)
    assert fault_of("write_dot", "Graphs: `write_dot`.", CHANGELOG)
    assert fault_of("write_dot", "`write_dot` of `exactnn.machine_files`", readme) is None
    assert fault_of("run", "`run` of `exactnn.equivalence` is at the top, too", readme) is None
    assert fault_of("precision_treshold", "`precision_treshold`", readme) == "is no name of exactnn"
    assert found("exactnn.machine_files.write_dot") is not None
    assert found("exactnn.equivalence.write_dot") is None
    assert found("exactnn.Run.cycles") is None


def test_there_are_names_to_look_at():
    parts = [part for page in ALL for part in paragraphs(page)]
    assert sum(len(bare_names(part)) for part in parts) > 500
    assert sum(len(DOTTED.findall(text(page))) for page in ALL) > 100
    assert sum(len(IN_A_FILE.findall(" ".join(part.split()))) for part in parts) > 20


@pytest.mark.parametrize("page", FOR_USERS, ids=lambda page: page.name)
def test_names_are_public_where_the_text_says(page):
    words = set(WORDS.get(page.name, "").split()) | set(SQUASHINGS)
    faults = {
        (name, fault)
        for paragraph in paragraphs(page)
        for name in bare_names(paragraph)
        if name not in words and (fault := fault_of(name, paragraph, page))
    }
    hint = f"a word of {page.name} that is no public name is entered in WORDS of tests/docs/test_names_in_pages.py"
    assert not faults, "\n".join([*(f"`{name}` {fault}" for name, fault in sorted(faults)), hint])


def members_in(page):
    """Return the dotted names of a page that begin with a class, or with a variable, and end with what it has."""
    spans = [
        re.match(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w./])", span)
        for part in paragraphs(page)
        for span in code_spans(part)
    ]
    names = {span.group() for span in spans if span and not FILE.fullmatch(span.group())}
    return {name for name in names if name.split(".")[0] not in OF_OTHERS | {"exactnn", "xn"}}


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_what_belongs_to_a_class_or_a_variable_is_there(page):
    wrong = set()
    for name in members_in(page):
        first, *_, last = name.split(".")
        classes = [one for module in homes().get(first, ()) if inspect.isclass(one := found(f"{module}.{first}"))]
        there = any(has_member(one, last) for one in classes) if classes else last in belongings() | set(homes())
        wrong |= set() if there else {name}
    assert not wrong


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_calls_have_parameters_of_these_names(page):
    spans = [span for part in paragraphs(page) for span in code_spans(part)]
    for span in spans:
        call = re.fullmatch(r"((?:xn\.|exactnn\.)?[A-Za-z_]\w*)\((.*)\)", span)
        name = call and call.group(1).split(".")[-1]
        if name and name in exactnn.__all__:
            filled = re.sub(r"=(?=[,)])", "=0", span)
            given = {keyword.arg for keyword in ast.parse(filled, mode="eval").body.keywords}
            assert given <= set(inspect.signature(getattr(exactnn, name)).parameters), span


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_files_and_folders_are_there(page):
    spans = {span for part in paragraphs(page) for span in code_spans(part) if FILE.fullmatch(span)}
    missing = {span for span in spans if not PLACEHOLDER.search(span) and not files_called(span)}
    assert not missing


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_names_are_in_the_files_that_the_text_says(page):
    for part in paragraphs(page):
        for names, file in IN_A_FILE.findall(" ".join(part.split())):
            for name in re.findall(r"\w+", names):
                said = [path.read_text(encoding="utf-8") for path in files_called(file)]
                assert PLACEHOLDER.search(name + file) or any(re.search(rf"\b{name}\b", text) for text in said), (
                    name,
                    file,
                )


@pytest.mark.parametrize("page", [CONTRIBUTING, RESULTS], ids=lambda page: page.name)
def test_names_for_builders_are_defined_somewhere(page):
    known = written_names() | belongings() | set(exactnn.__all__) | words_of_the_command_line() | mutations()
    known |= set(WORDS[page.name].split()) | set(dir(builtins))
    names = {name for part in paragraphs(page) for name in bare_names(part) if not PLACEHOLDER.search(name)}
    assert names <= known, names - known


def files_called(name):
    """Return the files and folders here of which the path ends like this."""
    return [path for path in everything() if path.as_posix().endswith(f"/{name.rstrip('/')}")]


@cache
def everything():
    return [path for path in ROOT.rglob("*") if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)]


def mutations():
    """Return the names of the deliberate faults."""
    return set(re.findall(r"^(\w+):", text_of(ROOT / "benchmarks" / "mutations" / "mutations.yaml"), re.MULTILINE))
