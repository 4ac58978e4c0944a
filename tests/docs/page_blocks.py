"""The fenced blocks of a page, and the commands in them."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {"python", "pycon", "sh", "console", "text", "yaml"}
PROSE_INCLUDED = {"{toctree}", "{include}"}
"""Directives of the site: no code."""

FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"<!-- needs: (\w+) -->\s*$")
MARK = re.compile(r"\((?:needs `?\[(\w+)\]`?)?(?:, )?(?:(\d+ (?:s|min|h)))?\)")
NOTES_OF_READERS = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: its language, its text, the library that it needs, and whether the one before printed it."""

    language: str
    text: str
    needs: str | None
    printed: bool


def text_of(page):
    return page.read_text(encoding="utf-8")


def blocks(page):
    """Return the blocks of a page; one of `text` right after code is what that code prints."""
    found, last_end, text = [], None, text_of(page)
    for match in FENCE.finditer(text):
        between = text[last_end or 0 : match.start()]
        follows = bool(found) and found[-1].language in ("python", "sh") and not between.strip()
        needs = NEEDS.search(between)
        found.append(
            Block(
                language=match.group(1),
                text=match.group(2),
                needs=needs and needs.group(1),
                printed=follows and match.group(1) == "text",
            )
        )
        last_end = match.end()
    return [block for block in found if block.language not in PROSE_INCLUDED]


def prose(page):
    """Return a page without its blocks."""
    return FENCE.sub("", text_of(page))


def code_spans(text):
    """Return the pieces of code within a text that has no blocks."""
    return [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]


def command_lines(block):
    """Return the lines of a block of commands; of a dialogue, those after the prompt."""
    if block.language == "console":
        return [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
    return [line for line in block.text.splitlines() if line.strip()]


def mark(text):
    """Return the extra that is said to be needed, and the time, or None: as in "(needs [plots], 3 min)" or "(20 s)"."""
    found = next((found for found in MARK.finditer(text) if any(found.groups())), None)
    return (None, None) if found is None else found.groups()


def commands(line):
    """Return the commands of a line as lists of words, without its comment; "|", "&&" and ">" part them.

    Each is (what stands before it, words).
    """
    reader = shlex.shlex(line, posix=True, punctuation_chars="|&>")
    reader.whitespace_split = True
    found = [("", [])]
    for word in reader:
        if word in ("|", "&&", ">"):
            found.append((word, []))
        else:
            found[-1][1].append(word)
    return found
