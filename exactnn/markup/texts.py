"""Text from strangers made fit to be shown: control characters as escapes, long texts cut."""

__all__ = ["clipped", "printable"]

LONGEST_TOLD = 1000
"""Characters of a text that is shown where the pointer is; a name may have a million."""


def printable(text: str) -> str:
    r"""Return `text` with control and other invisible characters as escapes, so that none reaches a terminal.

    >>> printable("a\x1b[2J b\n")
    'a\\x1b[2J b\\n'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


def clipped(text: str, most: int = LONGEST_TOLD) -> str:
    """Return the first `most` characters of a text, and of a longer one how many characters it has.

    >>> clipped("abc"), clipped("a" * 2000, 5)
    ('abc', 'aaaaa… (2,000 characters)')
    """
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
