"""Pages are short where they say so, and no sentence of a page is longer than one breath.

Not looked at: tables, code, formulas, and CONTRIBUTING, which is for developers.
"""

import re

import pytest
from page_blocks import FENCE, NOTES_OF_READERS, PAGES, ROOT, text_of

MOST_WORDS_OF_THE_README = 700
MOST_WORDS = 40
FOR_DEVELOPERS = {"CONTRIBUTING.md"}
READ_ALOUD = [*(page for page in PAGES if page.name not in FOR_DEVELOPERS), ROOT / "CHANGELOG.md"]
POINT = re.compile(r"\s*(?:[-*:]|\d+\.|\[\d+\]) ")
END = re.compile(r"(?<=[.!?])[*_)\"]*\s+")


def sentences(text):
    """Return the sentences of a page; a span of code or a formula is one word, of a link its text is read."""
    text = FENCE.sub("\n\n", NOTES_OF_READERS.sub("", text))
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$|`[^`]+`", "x", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    paragraphs = [[]]
    for line in text.splitlines():
        if not line.strip() or line.startswith("#") or line.lstrip().startswith("|"):
            paragraphs.append([])
        elif POINT.match(line):
            paragraphs.append([POINT.sub("", line, count=1)])
        else:
            paragraphs[-1].append(line)
    return [sentence for lines in paragraphs for sentence in END.split(" ".join(lines).strip()) if sentence]


@pytest.mark.parametrize("page", READ_ALOUD, ids=lambda page: page.name)
def test_no_sentence_is_too_long(page):
    long = [sentence for sentence in sentences(text_of(page)) if len(sentence.split()) > MOST_WORDS]
    assert not long, "\n".join(long)


def test_the_readme_is_short():
    assert len(text_of(ROOT / "README.md").split()) <= MOST_WORDS_OF_THE_README


def test_long_sentences_are_found():
    long = " ".join(["word"] * MOST_WORDS)
    text = f"# A heading\n\nOne `two three` [four\nfive](six.md). {long}\nend. Short.\n- {long}\n\n| {long} {long} |\n"
    assert [len(sentence.split()) for sentence in sentences(text)] == [4, MOST_WORDS + 1, 1, MOST_WORDS]
    assert sum(len(sentences(text_of(page))) for page in READ_ALOUD) > 1000
