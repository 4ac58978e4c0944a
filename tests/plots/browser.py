"""Pages in a browser, where there is one: on a telephone and on large screens, light and dark."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["views"]

SIZES = (390, 1280, 1920)


def views(path: Path) -> Iterator[Any]:
    """Yield a page in each size and colour scheme; it may say nothing, ask for nothing and be no wider than the window.

    A picture of how it is left is put beside it.
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
                assert [text for text in told if text not in (path.as_uri(), "data:,")] == []
                page.close()
        chromium.close()
