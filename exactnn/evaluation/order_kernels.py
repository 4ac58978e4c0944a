"""The compiled loop over a schedule: composites of affine steps in a float format, word by word.

What the arrays hold. Composites h -> A h + B are three arrays (matrix, present, vector), with a row for each composite.
``matrix[c, e]`` is the entry e of A, of those that any composite of these steps can have, row by row and in a row from
left to right. ``present[c, e]`` says whether this one has it, since a number that is not there is no rounded 0.
``vector[c, i]`` is B. There are three such groups: `steps`, by the number of a symbol; `places`, as the schedule says;
and `made`, those of a round until it is over, since a round reads what was there before it. `filled` and `made_filled`
say which places hold more than (1, 0).

The `structure` says where entries are. Those of row i of A are from ``rows[i]`` to ``rows[i + 1]``, and entry e stands
in column ``columns[e]``. An entry (i, j) of a product is the sum of products of the entries (i, k) of the late and
(k, j) of the early composite, with k ascending: for entry e these are ``lates[t]`` and ``earlies[t]``, for t from
``pairs[e]`` to ``pairs[e + 1]``.

The `schedule` is :class:`exactnn.evaluation.Schedule`, flat. Round r has the combinations from ``rounds[r]`` to
``rounds[r + 1]``, each with its `there`, `late` and `early`. State t + 1 is made of state ``before[t]`` by the places
``applied[k]``, for k from ``outputs[t]`` to ``outputs[t + 1]``.
"""

from typing import Any

from exactnn.simulation.carriers.carrier import add, by_type, multiply
from exactnn.simulation.compiled import compiled

__all__ = ["states_of_words"]


@by_type
def apply(steps: Any, place: Any, before: Any, row: Any, after: Any, there: Any, rows: Any, columns: Any,
          carrier: Any) -> Any:  # fmt: skip
    """Write A h + B for the state ``before[row]`` into ``after[there]``: B first, then products from left to right."""

    def body(steps: Any, place: Any, before: Any, row: Any, after: Any, there: Any, rows: Any, columns: Any,
             carrier: Any) -> None:  # fmt: skip
        matrix, present, vector = steps
        for i in range(len(rows) - 1):
            total = vector[place, i]
            for e in range(rows[i], rows[i + 1]):
                if present[place, e]:
                    product = multiply(matrix[place, e], before[row, columns[e]], carrier, 0)
                    total = add(total, product, carrier, 0)
            after[there, i] = total

    return body


@by_type
def copy(source: Any, row: Any, target: Any, there: Any) -> Any:
    """Copy a composite from its place to another one."""

    def body(source: Any, row: Any, target: Any, there: Any) -> None:
        for e in range(source[0].shape[1]):
            target[0][there, e] = source[0][row, e]
            target[1][there, e] = source[1][row, e]
        for i in range(source[2].shape[1]):
            target[2][there, i] = source[2][row, i]

    return body


@by_type
def multiply_composites(places: Any, x: Any, y: Any, made: Any, m: Any, structure: Any, carrier: Any) -> Any:
    """Write the composite of the early one at place y and the late one at place x."""

    def body(places: Any, x: Any, y: Any, made: Any, m: Any, structure: Any, carrier: Any) -> None:
        matrix, present, vector = places
        rows, columns, pairs, lates, earlies = structure
        for e in range(len(columns)):
            total, found = 0.0, False
            for t in range(pairs[e], pairs[e + 1]):
                if present[x, lates[t]] and present[y, earlies[t]]:
                    term = multiply(matrix[x, lates[t]], matrix[y, earlies[t]], carrier, 0)
                    total = add(total, term, carrier, 0) if found else term
                    found = True
            made[0][m, e] = total
            made[1][m, e] = found
        apply(places, x, vector, y, made[2], m, rows, columns, carrier)

    return body


@compiled
def states_of_words(words: Any, start: Any, steps: Any, places: Any, filled: Any, made: Any, made_filled: Any,
                    structure: Any, schedule: Any, spare: Any, carrier: Any, states: Any) -> None:  # fmt: skip
    """Write the states of each word, the start state first, one after the other into the rows of `states`.

    A round has two phases. The first makes all its composites from those at the places, and changes none; the second
    puts them there. So the order of the combinations of a round makes no difference. A state is made of an earlier one
    by one or two composites; what is between these is in `spare`.
    """
    rows, columns = structure[0], structure[1]
    rounds, there, late, early, outputs, before, applied = schedule
    size, length = len(start), words.shape[1]
    for word in range(words.shape[0]):
        first_row = word * (length + 1)
        for place in range(len(filled)):
            filled[place] = place < length
            if place < length:
                copy(steps, words[word, place], places, place)
        for number in range(len(rounds) - 1):
            begin, end = rounds[number], rounds[number + 1]
            for c in range(begin, end):
                x, y = late[c], early[c]
                has_late, has_early = x >= 0 and filled[x], y >= 0 and filled[y]
                if has_late and has_early:
                    multiply_composites(places, x, y, made, c - begin, structure, carrier)
                elif has_late or has_early:
                    copy(places, x if has_late else y, made, c - begin)
                made_filled[c - begin] = has_late or has_early
            for c in range(begin, end):
                filled[there[c]] = made_filled[c - begin]
                if filled[there[c]]:
                    copy(made, c - begin, places, there[c])
        for i in range(size):
            states[first_row, i] = start[i]
        for t in range(length):
            row = first_row + t + 1
            for i in range(size):
                states[row, i] = states[first_row + before[t], i]
            for k in range(outputs[t], outputs[t + 1]):
                if filled[applied[k]]:
                    apply(places, applied[k], states, row, spare, 0, rows, columns, carrier)
                    for i in range(size):
                        states[row, i] = spare[0, i]
