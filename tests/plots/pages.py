"""Pages one plays with as tests read them: their data, their elements, and in a browser, where there is one."""

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Elements", "data_of", "views"]

SIZES = (390, 1280, 1920)
UNCLOSED = {"meta", "link", "input", "br"}


def data_of(text):
    """Return what a page has as data."""
    return json.loads(re.search(r"\nconst data = (.*);\n", text).group(1))


class Elements(HTMLParser):
    """The elements of a page, each of which must be closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in UNCLOSED:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append((self.open[-1] if self.open else "", text))


def asked(text: str, path: Path, *, asks: bool) -> bool:
    """Whether what was told of a page is that it loads itself, or, if it asks, a file of the same disk."""
    return text.startswith(("file:", "data:")) if asks else text == path.as_uri()


def views(path: Path, *, asks: bool = False) -> Iterator[Any]:
    """Yield a page in each size and colour scheme; it may say nothing, ask for nothing and be no wider than the window.

    One that asks may load files beside it. A picture of how it is left is put beside it.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    browser = shutil.which("chromium") or pytest.skip("needs chromium")
    with playwright.sync_playwright() as found:
        chromium = found.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for width in SIZES:
            for scheme in ("light", "dark"):
                page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
                told: list[str] = []
                page.on("console", lambda message, told=told: told.append(message.text))
                page.on("pageerror", lambda error, told=told: told.append(str(error)))
                page.on("request", lambda request, told=told: told.append(request.url))
                page.goto(path.as_uri())
                yield page
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                page.screenshot(path=path.with_name(f"{path.stem}_{width}_{scheme}.png"), full_page=True)
                assert [text for text in told if not (text == "data:," or asked(text, path, asks=asks))] == []
                page.close()
        chromium.close()
