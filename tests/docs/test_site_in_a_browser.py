"""The built site in a browser: pages fit a telephone and a wide screen, in both colours, and pictures play there."""

import subprocess
import sys

import pytest
from page_blocks import ROOT

from tests.plots.pages import views

SEEN = [
    "index.html",
    "why.html",
    "quick_start.html",
    "concepts.html",
    "figures.html",
    "precision_pictures.html",
    "played.html",
    "linear_recurrences.html",
    "command_line.html",
    "generated/formats.html",
    "generated/01_dfa_in_a_network.html",
]
PLAYED = {
    "tape": ("ArrowRight", 'now === 1 && $("step").value === "1"'),
    "stack": ("1", "stack.length === 17"),
    "collapse": ("ArrowDown", "here[0] === 1"),
    "scan": ("ArrowRight", "now === 1"),
    "automaton": ("ArrowRight", "now === 1"),
    "orbit": ("ArrowRight", "now === 1"),
}
"""A key for each picture one plays with, and what is true after it."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the site, which is built once."""
    for library in ("sphinx", "furo", "myst_nb", "sphinx_click", "playwright"):
        pytest.importorskip(library, reason=f"needs {library}")
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(ROOT / "docs"), str(folder)],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.parametrize("name", SEEN)
def test_a_page_of_the_site_fits_every_window(site, name):
    for page in views(site / name, asks=True):
        assert page.locator("article h1").count() == 1


@pytest.mark.parametrize("name", PLAYED)
def test_a_picture_of_the_site_plays(site, name):
    key, then = PLAYED[name]
    for page in views(site / "played" / f"{name}.html"):
        page.keyboard.press(key)
        assert page.evaluate(then)


def test_all_pictures_are_led_to(site):
    for page in views(site / "played.html", asks=True):
        for name in PLAYED:
            assert page.locator(f'a[href="played/{name}.html"]').count() == 1
        page.click('a[href="played/orbit.html"]')
        assert page.url.endswith("played/orbit.html")
        page.go_back()
