"""What the theorem says of looking a word up in a list: a formula, and no machine."""


def formula(words, word, *, ends):
    """Return (accepts, T, digits) from the words before the one that decides; `ends`: the list is finite."""
    steps = digits = 0
    for listed in words:
        if len(listed) > len(word) or listed == word:
            return listed == word, 2 * len(word) + 3 + steps, len(word) + 1 + digits
        steps += 2 * len(listed) + 2
        digits += len(listed) + 1
    assert ends
    return False, len(word) + 3 + steps, 1 + digits
