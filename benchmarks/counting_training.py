"""Counting languages, the words that networks learn them from, and the networks.

A network reads a word symbol by symbol, and the sign of its output is the verdict on what it has read so far. So every
prefix of a training word is a labelled word too, and the words just before and just after a^n b^n are the negative
examples close to it. All words are one batch: no random choice is left in training but the initial weights.

torch is imported when it is asked for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from recurrent_training import imported

NEAR = 2
"""How many symbols more or fewer than its first block another block of a training word has at most."""
SHORT = {2: 9, 3: 6}
"""By the number of symbols: all words up to this length are training words too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The words with as many of each symbol, at least one, in the order of the alphabet."""

    name: str
    alphabet: str
    longest: int

    def __contains__(self, word: str) -> bool:
        return bool(word) and word == self.word(len(word) // len(self.alphabet))

    def word(self, *counts: int) -> str:
        """Return blocks of so many symbols; of one number, all blocks have it."""
        each = counts * len(self.alphabet) if len(counts) == 1 else counts
        return "".join(symbol * count for symbol, count in zip(self.alphabet, each, strict=True))

    def close(self, first: int, last: int) -> list[str]:
        """Return the longest training words with n = first, ..., last: each has words close to the language in it."""
        middle = range(-NEAR, NEAR + 1) if len(self.alphabet) == 3 else (None,)
        return [
            self.word(n, *(max(1, n + off) for off in (off,) if off is not None), n + NEAR)
            for n in range(first, last + 1)
            for off in middle
        ]

    def short(self) -> list[str]:
        """Return all words of the greatest length of short training words."""
        return ["".join(word) for word in product(self.alphabet, repeat=SHORT[len(self.alphabet)])]


LANGUAGES = {
    each.name: each
    for each in (
        Language(name="anbn", alphabet="ab", longest=100),
        Language(name="anbncn", alphabet="abc", longest=50),
    )
}
"""Those of Weiss, Goldberg and Yahav (2018), with the largest n that they train on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """Words as one batch, and of all their prefixes whether they are in the language.

    `inputs` (length, words, symbols) is zero after the end of a word. `inside`, `outside` and `near`, which are those
    outside among the last few of a word, are (length, words), and false after the end.
    """

    inputs: Any
    inside: Any
    outside: Any
    near: Any


def prefixes(words: Sequence[str], language: Language) -> Prefixes:
    """Return the batch of words."""
    torch = imported("torch")
    shape = max(map(len, words)), len(words)
    inputs = torch.zeros(*shape, len(language.alphabet))
    inside, outside, near = (torch.zeros(*shape, dtype=torch.bool) for _ in range(3))
    for j, word in enumerate(words):
        for i, symbol in enumerate(word):
            inputs[i, j, language.alphabet.index(symbol)] = 1
        outside[: len(word), j] = True
        near[max(0, len(word) - 2 * NEAR - 1) : len(word), j] = True
        for n in range(1, len(word) // len(language.alphabet) + 1):
            member = language.word(n)
            if word.startswith(member):
                inside[len(member) - 1, j] = True
    return Prefixes(inputs=inputs, inside=inside, outside=outside & ~inside, near=near & ~inside)


def recogniser(cell: str, hidden: int, symbols: int, seed: int) -> Any:
    """Return an LSTM or GRU layer and a linear readout, torch modules, with weights drawn as torch does.

    Forget gates of an LSTM begin open: 1 is added to their biases.
    """
    torch = imported("torch")
    torch.manual_seed(seed)
    recurrent = {"LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU}[cell](symbols, hidden)
    network = torch.nn.ModuleDict({"recurrent": recurrent, "readout": torch.nn.Linear(hidden, 1)})
    if cell == "LSTM":
        with torch.no_grad():
            recurrent.bias_ih_l0[hidden : 2 * hidden] += 1
    return network


def outputs(network: Any, batch: Prefixes) -> Any:
    """Return the outputs after all prefixes (length, words)."""
    return network["readout"](network["recurrent"](batch.inputs)[0])[..., 0]


def loss_and_margin(network: Any, batches: Iterable[Prefixes]) -> tuple[Any, float]:
    """Return the loss, and the least distance of an output from 0 on its right side; negative if one is wrong.

    The loss is the logistic one, its mean and its largest value over the words of the language, those close to it and
    all others, added up: so that a few words among thousands count.
    """
    torch = imported("torch")
    found = [(outputs(network, batch), batch) for batch in batches]
    softplus = torch.nn.functional.softplus
    groups = (
        -torch.cat([values[batch.inside] for values, batch in found]),
        torch.cat([values[batch.near] for values, batch in found]),
        torch.cat([values[batch.outside] for values, batch in found]),
    )
    loss = sum(softplus(group).mean() + softplus(group.max()) for group in groups)
    return loss, -max(group.max().item() for group in groups)
