"""Every block of Python in the README and in docs/ runs, and prints what the block after it says."""

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """Return (language, text) of the fenced blocks; "printed" for one without a language right after Python."""
    found, last_end, last_language = [], None, None
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        language = match.group(1)
        if not language and last_language == "python" and not text[last_end : match.start()].strip():
            language = "printed"
        found.append((language, match.group(2)))
        last_end, last_language = match.end(), language
    return found


def check_dialogue(page, text, names):
    """Run a block that is written with the interpreter's prompts, in `names`."""
    runner = doctest.DocTestRunner(verbose=False)
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    report = []
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(report)


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")], ids=str)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("benchmarks", "machines"):  # pages are read beside them
        (tmp_path / folder).symlink_to(ROOT / folder)
    names, printed = {"__name__": "__main__"}, ""
    for language, text in blocks(page):
        if language == "python" and text.startswith(">>>"):
            check_dialogue(page, text, names)
        elif language == "python":
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                exec(compile(text, str(page), "exec"), names)
            printed = stream.getvalue()
        elif language == "printed":
            assert printed == text, f"{page.name} says otherwise"
