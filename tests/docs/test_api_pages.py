"""The reference tells every public name once, on the page of its topic, and lists them all on one page."""

import re
import sys

import pytest
from page_blocks import ROOT, text_of
from public_names import found

sys.path.insert(0, str(ROOT / "docs"))
from api_pages import MODULES, TOPICS, api_pages, public_names, section_of

ENTRY = re.compile(r"^\.\. (?:autoclass|autofunction|py:data):: (\S+)$", re.MULTILINE)
ROW = re.compile(r'^   \* - :anchor:`<span id="(\S+)"></span>` :py:obj:`(\S+) <(\S+)>`$', re.MULTILINE)


@pytest.fixture(scope="module")
def pages():
    return api_pages()


def test_every_name_is_told_on_one_page(pages):
    told = [name for page, text in pages.items() if page != "api.rst" for name in ENTRY.findall(text)]
    assert sorted(told) == sorted(public_names())
    assert len(set(told)) == len(told)


def test_every_name_is_found():
    names = public_names()
    assert all(found(name) is not None for name in names)
    assert {name.rpartition(".")[0] for name in names} == set(MODULES)
    assert {"exactnn.run", "exactnn.FLOAT16", "exactnn.strategies.dfas", "exactnn.testing.fuzz"} <= set(names)


def test_every_folder_has_one_topic():
    sections = [section for topic in TOPICS.values() for section in topic.sections]
    assert len(set(sections)) == len(sections)
    assert set(sections) == {section_of(name) for name in public_names()}


def test_the_list_has_every_name_with_the_anchor_that_it_always_had(pages):
    rows = ROW.findall(pages["api.rst"])
    assert sorted(anchor for anchor, _, _ in rows) == sorted(public_names())
    assert all(anchor == told == f"exactnn.{short}" for anchor, short, told in rows)


def test_every_line_of_the_list_is_a_sentence(pages):
    lines = re.findall(r"^     - (.*)$", pages["api.rst"], re.MULTILINE)
    assert len(lines) == len(public_names())
    assert [line for line in lines if not line.endswith((".", "?"))] == []


def test_every_page_is_in_the_contents(pages):
    assert re.findall(r"^   (api_\w+)$", pages["api.rst"], re.MULTILINE) == list(TOPICS)
    assert set(pages) == {"api.rst", *(f"{page}.rst" for page in TOPICS)}
    assert "generated/api\n" in text_of(ROOT / "docs" / "index.md")
