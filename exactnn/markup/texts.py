"""Text from strangers made fit to be shown: control characters as escapes, long texts cut."""

__all__ = ["clipped", "named", "printable"]

LONGEST_NAME = 100
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


def named(text: str) -> str:
    r"""Return a name for a line about what has it: the first 100 characters, none of them a control character.

    >>> named("a\x1b[2J"), named("a" * 2000)[-22:]
    ('a\\x1b[2J', 'aa… (2,000 characters)')
    """
    return printable(clipped(text, LONGEST_NAME))


def clipped(text: str, most: int = LONGEST_TOLD) -> str:
    """Return the first `most` characters of a text, and of a longer one how many characters it has.

    >>> clipped("abc"), clipped("a" * 2000, 5)
    ('abc', 'aaaaa… (2,000 characters)')
    """
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
