"""A second interpreter of JFLAP's files: it reads the XML by itself and follows all moves, as JFLAP does."""

import itertools
import xml.etree.ElementTree as Tree

BLANK = "□"


def texts(element, tag, tapes):
    found = [""] * tapes
    for child in element.findall(tag):
        found[int(child.get("tape", "1")) - 1] = child.text or ""
    return found


class PlainJflap:
    """A drawing, run from its elements."""

    def __init__(self, path):
        root = Tree.parse(path).getroot()
        self.kind = root.findtext("type")
        self.tapes = int(root.findtext("tapes", "1"))
        body = root.find("automaton")
        states = body.findall("state")
        self.start = next(s.get("id") for s in states if s.find("initial") is not None)
        self.final = {s.get("id") for s in states if s.find("final") is not None}
        self.outputs = {s.get("id"): s.findtext("output", "") for s in states}
        self.moves = [(t.findtext("from"), t.findtext("to"), t) for t in body.findall("transition")]

    def accepts_finite(self, word):
        """All ways to read the word, by sets of pairs of a state and a place."""
        seen, waiting = set(), [(self.start, 0)]
        while waiting:
            state, place = waiting.pop()
            if (state, place) in seen:
                continue
            seen.add((state, place))
            for source, target, element in self.moves:
                label = element.findtext("read") or ""
                if source != state:
                    continue
                if len(label) == 5 and label[0] == "[" and label[2] == "-":
                    if place < len(word) and label[1] <= word[place] <= label[3]:
                        waiting.append((target, place + 1))
                elif word.startswith(label, place):
                    waiting.append((target, place + len(label)))
        return any(state in self.final and place == len(word) for state, place in seen)

    def accepts_with_stack(self, word):
        """All ways to read the word with a stack, by final state."""
        seen, waiting = set(), [(self.start, 0, "Z")]
        while waiting:
            state, place, stack = here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            for source, target, element in self.moves:
                read, pop, push = (element.findtext(tag) or "" for tag in ("read", "pop", "push"))
                if source == state and word.startswith(read, place) and stack.startswith(pop):
                    waiting.append((target, place + len(read), push + stack[len(pop) :]))
        return any(state in self.final and place == len(word) for state, place, _ in seen)

    def run_tapes(self, word, most=10_000):
        """Return accepted or not, JFLAP's moves, those of them that stay on one tape, and the first tape."""
        tapes = [dict(enumerate(word)), *({} for _ in range(self.tapes - 1))]
        heads, state, moves, stays = [0] * self.tapes, self.start, 0, 0
        while state not in self.final:
            assert moves < most
            under = [tape.get(head, BLANK) for tape, head in zip(tapes, heads, strict=True)]
            fitting = [
                (target, element)
                for source, target, element in self.moves
                if source == state and all(map(fits, texts(element, "read", self.tapes), under))
            ]
            fitting.sort(key=lambda move: texts(move[1], "read", self.tapes)[0].startswith("!"))
            if not fitting:
                return False, moves, stays, tapes[0]
            state, element = fitting[0]
            for i, (written, move) in enumerate(
                zip(texts(element, "write", self.tapes), texts(element, "move", self.tapes), strict=True)
            ):
                tapes[i][heads[i]] = under[i] if written == "~" else written or BLANK
                heads[i] += {"L": -1, "R": 1, "S": 0}[move]
                stays += move == "S"
            moves += 1
        return True, moves, stays, tapes[0]

    def translated(self, word):
        """Return the outputs of a Mealy or a Moore machine."""
        state = self.start
        found = [self.outputs[state]] if self.kind == "moore" else []
        for a in word:
            (target, element), *_ = [(t, e) for s, t, e in self.moves if s == state and e.findtext("read") == a]
            state = target
            found.append(self.outputs[state] if self.kind == "moore" else element.findtext("transout") or "")
        return tuple(found)


def fits(pattern, under):
    if pattern == "~":
        return True
    return under != pattern[1] if len(pattern) == 2 and pattern[0] == "!" else under == (pattern or BLANK)


def words(alphabet, longest):
    for n in range(longest + 1):
        yield from map("".join, itertools.product(alphabet, repeat=n))
