"""Systems that small universal machines simulate: their definitions, their encodings, and runs by the definition.

A *2-tag system* deletes two letters at a time and appends the production of the first. A *bi-tag system* has letters
a_i and one marker e_j: an a in front goes to the back; e_j a_i in front are deleted, and their production, one or two
letters and a marker, is appended. It halts when the last marker is in front.
"""


def tag_run(productions, word):
    """Run a tag system that deletes two letters at a time; return its last word."""
    while len(word) >= 2:
        first, word = word[0], word[2:]
        if first == len(productions):
            break
        word = word + productions[first]
    return word


def codes(productions):
    """Return the number of ones that stand for each letter, the halting one last."""
    numbers = [1]
    for production in productions:
        numbers.append(numbers[-1] + 2 * len(production))
    return numbers


def tag_word(productions, word):
    """Return the word of Rogozhin's machine for a tag system and its first word."""
    number = codes(productions)
    last = len(productions) - 1
    programs = []
    for i, production in enumerate(productions):
        assert production[:2] == [last, last]
        middle = "".join(f"b{'1' * number[letter]}b" for letter in reversed(production[1:]))
        programs.append(f"b1{middle}b{'1' * (number[last] - number[i])}")
    return "<b" + "".join(reversed(programs)) + "^" + "c".join("1" * number[letter] for letter in word)


def bi_tag_run(productions, word, most=10_000):
    """Run a bi-tag system; return its last word and how many steps it made, None if it is not over after so many.

    Letters are numbers from 1, markers ("e", number). `productions` maps (j, i) to the letters and the marker that
    e_j a_i are replaced by; a marker without productions halts.
    """
    halting = halting_marker(productions)
    for steps in range(most):
        first = word[0]
        if first == ("e", halting):
            return word, steps
        if isinstance(first, tuple):
            *letters, marker = productions[first[1], word[1]]
            word = [*word[2:], *letters, ("e", marker)]
        else:
            word = [*word[1:], first]
    return word, None


def halting_marker(productions):
    return max(j for j, _ in productions) + 1


def bi_tag_symbol(productions, symbol):
    """Return a letter or a marker as the (15, 2) machine has it on its tape, c being the blank."""
    letters = max(i for _, i in productions)
    if not isinstance(symbol, tuple):
        return "cb" * (8 * symbol - 5) + "bb"
    if symbol[1] == halting_marker(productions):
        return "cb" * (8 * symbol[1] * letters + 3) + "bb"
    return "cb" * (8 * symbol[1] * letters)


def bi_tag_tape(productions, word):
    """Return the tape of the (15, 2) machine for a system and a first word: left of the head, and from it on."""
    letters, halting = max(i for _, i in productions), halting_marker(productions)
    mark = "cccb" * 2

    def active(output):
        *written, marker = output
        ends = marker == halting
        begin = {(1, False): "cb" * 5, (1, True): "cb" * 3 + mark, (2, False): "cb" * 3, (2, True): "cb" + mark}
        program = begin[len(written), ends] + "cc" * (8 * marker * letters + 3 * ends)
        return program + "".join(mark + "cc" * (8 * a - 5) for a in reversed(written))

    backwards = [(j, i) for j in range(halting - 1, 0, -1) for i in range(letters, 0, -1)]
    passive = ["cb" * 4 + mark + "cc" * (8 * i - 5) for i in range(letters, 0, -1)]
    program = "bbcccb" + "cb".join(active(productions[key]) for key in backwards)
    program += "cb" * 2 + ("cb" * 2).join(passive) + "cb" * 3
    return program + "b", "c" + "".join(bi_tag_symbol(productions, symbol) for symbol in word)


def bi_tag_word(productions, word):
    """Return the same as a word for the machine file: 0 for c, and ^ where the head begins."""
    left, right = bi_tag_tape(productions, word)
    assert right[0] == "c"
    return (left + "^" + right[1:]).replace("c", "0")
