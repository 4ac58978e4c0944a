"""The reference of public names: a page for each topic, and one page that lists all names with what they are.

A folder of `exactnn` is a section, and `TOPICS` says on which page. So a new name needs nothing here, and a new folder
needs a line.
"""

import ast
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import exactnn
from exactnn.arithmetic import FloatFormat

__all__ = ["MODULES", "TOPICS", "Topic", "api_pages", "public_names", "section_of"]

MODULES = ("exactnn", "exactnn.strategies", "exactnn.testing", "exactnn.plots", "exactnn.campaigns")
"""What has public names: `exactnn` itself, and the folders whose names are not in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A page: its title, a sentence about it, and headings for the folders that are on it."""

    title: str
    about: str
    sections: dict[str, str]


TOPICS = {
    "api_machines": Topic(
        title="API: machines",
        about="Automata, counter machines, pushdown automata, Turing machines, and what runs them without a network.",
        sections={
            "machine_files": "Machines: files and the zoo",
            "automata": "Machines: values and their interpreters",
            "languages": "Languages with an automaton",
            "stacks": "Stacks of neural networks",
        },
    ),
    "api_networks": Topic(
        title="API: networks",
        about="Cells with weights of your own, trained networks, and files of networks.",
        sections={"networks": "Networks"},
    ),
    "api_constructions": Topic(
        title="API: constructions",
        about="From a machine to a network, by the construction of a theorem.",
        sections={"constructions": "Constructions", "table_of_constructions": "Constructions, side by side"},
    ),
    "api_runs": Topic(
        title="API: runs and arithmetics",
        about="How a network is run on a word, in which numbers, and how a run ends.",
        sections={
            "simulation": "Runs",
            "outcome": "How a run ends",
            "arithmetic": "Arithmetics",
            "evaluation": "Orders of evaluation",
            "errors": "Errors",
            "version": "Version",
        },
    ),
    "api_precision": Topic(
        title="API: precision",
        about="Where a format leaves the exact run: values, configurations, verdicts, and how many bits are enough.",
        sections={"precision": "Precision"},
    ),
    "api_equivalence": Topic(
        title="API: automata that networks are",
        about="All states of a network in a format, the automaton that they make, and whether two networks are equal.",
        sections={"equivalence": "Automata that networks are"},
    ),
    "api_contraction_and_depth": Topic(
        title="API: contraction and depth",
        about="What contractive networks forget, their unitary twins, and what a further layer adds.",
        sections={"contraction": "Contractive and unitary networks", "depth": "Depth"},
    ),
    "api_proofs": Topic(
        title="API: certificates, errata and a census",
        about="Proofs of runs as files, errors of publications that run, and all small machines of a kind.",
        sections={
            "certificates": "Certificates",
            "corrections": "Errata",
            "census": "A census of small machines",
        },
    ),
    "api_strategies_and_testing": Topic(
        title="API: strategies and testing",
        about="Random machines and networks for Hypothesis, and the search for counterexamples to a construction.",
        sections={"strategies": "Strategies of Hypothesis", "testing": "Testing"},
    ),
    "api_pictures": Topic(
        title="API: pictures",
        about="What results look like. Each function takes data and draws it; matplotlib is needed.",
        sections={"plots": "Pictures: exactnn.plots"},
    ),
    "api_long_work": Topic(
        title="API: long work",
        about="Work in pieces, on several processors or computers, that goes on where it was stopped.",
        sections={"campaigns": "Long work: exactnn.campaigns"},
    ),
}

OLD_LINKS = """\
.. raw:: html

   <script>
   /* A link to a name, or to an attribute of one, goes on to the page where it is told. */
   (() => {
     const wanted = decodeURIComponent(location.hash.slice(1));
     for (let name = wanted; name.includes("."); name = name.slice(0, name.lastIndexOf("."))) {
       const entry = document.getElementById(name)?.closest("td")?.querySelector("a");
       if (entry) {
         const page = new URL(entry.href);
         page.hash = wanted;
         location.replace(page);
         return;
       }
     }
   })();
   </script>
"""
"""The list once had all texts: a link from then still leads to them. It stands at the end, when the list is there."""


def public_names() -> list[str]:
    """Return the dotted names of everything public, such as exactnn.run and exactnn.plots.plot_stack."""
    return [f"{module}.{name}" for module in MODULES for name in importlib.import_module(module).__all__]


def section_of(dotted: str) -> str:
    """Return the folder, or the file, of exactnn in which a public name is."""
    module, _, name = dotted.rpartition(".")
    return (exactnn._homes[name] if module == "exactnn" else module).split(".")[1]


def api_pages() -> dict[str, str]:
    """Return the pages by their files: one for each topic, and the one that lists all names."""
    names: dict[str, list[str]] = {}
    for dotted in public_names():
        names.setdefault(section_of(dotted), []).append(dotted)
    pages = {f"{page}.rst": _topic_page(topic, names) for page, topic in TOPICS.items()}
    return {"api.rst": _list_of_names(names), **pages}


def _topic_page(topic: Topic, names: dict[str, list[str]]) -> str:
    lines = [*_heading(topic.title, "="), topic.about, ""]
    for section, heading in topic.sections.items():
        lines += [*_heading(heading, "-"), *(line for dotted in names[section] for line in _entry(dotted)), ""]
    return "\n".join(lines)


def _list_of_names(names: dict[str, list[str]]) -> str:
    lines = [
        *_heading("API", "="),
        "All public names, each with one line; its name leads to the whole text. What has no dot is in ``exactnn``",
        "itself: ``import exactnn as xn``, then ``xn.run``.", "",
        ".. role:: anchor(raw)", "   :format: html", "",
        ".. toctree::", "   :maxdepth: 1", "", *(f"   {page}" for page in TOPICS), "",
    ]  # fmt: skip
    for topic in TOPICS.values():
        for section, heading in topic.sections.items():
            lines += [*_heading(heading, "-"), ".. list-table::", "   :widths: 35 65", ""]
            for dotted in names[section]:
                short = dotted.removeprefix("exactnn.")
                lines += [
                    f'   * - :anchor:`<span id="{dotted}"></span>` :py:obj:`{short} <{dotted}>`',
                    f"     - {_summary(dotted)}",
                ]
            lines.append("")
    return "\n".join([*lines, OLD_LINKS])


def _heading(text: str, stroke: str) -> list[str]:
    return [text, stroke * len(text), ""]


def _entry(dotted: str) -> Iterator[str]:
    """Yield the directive of a name: classes and functions from their docstrings, values as they are."""
    value = _value(dotted)
    if inspect.isclass(value):
        yield f".. autoclass:: {dotted}\n"
    elif inspect.isfunction(value):
        yield f".. autofunction:: {dotted}\n"
    else:
        yield f".. py:data:: {dotted}\n\n   {_summary(dotted)}\n"


def _value(dotted: str) -> Any:
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _summary(dotted: str) -> str:
    """Return what a name is, in one line."""
    value = _value(dotted)
    if inspect.isclass(value) or inspect.isfunction(value):
        told = inspect.getdoc(value) or ""
    elif isinstance(value, FloatFormat):
        told = f"The format {value}: {value.precision} bits, {value.exponent_bits} of the exponent (:doc:`formats`)."
    else:
        told = _text_below(dotted)
    return told.partition("\n\n")[0].replace("\n", " ").replace("``", "\0").replace("|", r"\|").replace("\0", "``")


def _text_below(dotted: str) -> str:
    """Return the string that stands below the assignment of a name, in a file of its folder."""
    name = dotted.rpartition(".")[2]
    if name == "__version__":
        return "The version of exactnn, as text."
    for path in sorted((Path(exactnn.__path__[0]) / section_of(dotted)).rglob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for statement, below in pairwise(body):
            match statement, below:
                case (
                    ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ) if found == name:
                    return text
    raise LookupError(f"{dotted}: say what it is, in a string below its assignment")
