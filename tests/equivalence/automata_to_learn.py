"""Automata for the tests of learning, and what they are compared by."""

from itertools import product
from random import Random

from automata.fa import dfa as library

from exactnn.automata import DFA


def all_words(symbols, longest):
    """Return all words up to a length, the shortest first."""
    return [word for length in range(longest + 1) for word in product(symbols, repeat=length)]


def of_library(dfa):
    """Return an automaton of automata-lib."""
    return library.DFA(
        states=set(dfa.states),
        input_symbols=set(dfa.input_symbols),
        transitions={q: dict(row) for q, row in dfa.transitions.items()},
        initial_state=dfa.initial_state,
        final_states=set(dfa.final_states),
    )


def is_minimal_form(learned, dfa):
    """Whether an automaton has the language of another, and no state too many."""
    given = of_library(dfa)
    return of_library(learned) == given and len(learned.states) == len(given.minify(retain_names=False).states)


def accepts(dfa, word):
    """Whether a word is accepted, by the definition."""
    state = dfa.initial_state
    for symbol in word:
        state = dfa.transitions[state][symbol]
    return state in dfa.final_states


def random_dfa(states, symbols, seed):
    """Return an automaton with uniform transitions, and final states by a coin."""
    random = Random(seed)
    return DFA(
        states=range(states),
        input_symbols=symbols,
        transitions={q: {a: random.randrange(states) for a in symbols} for q in range(states)},
        initial_state=0,
        final_states=[q for q in range(states) if random.random() < 0.5],
    )


def balanced(depth, letters):
    """Return the automaton of parentheses that match, at most so deep, with letters anywhere."""
    wrong = depth + 1
    rows = {}
    for level in range(depth + 2):
        opened = level + 1 if level < depth else wrong
        closed = level - 1 if 0 < level <= depth else wrong
        rows[level] = {"(": opened, ")": closed, **dict.fromkeys(letters, level)}
    return DFA(states=rows, input_symbols="()" + letters, transitions=rows, initial_state=0, final_states=[0])


def containing(keyword, symbols):
    """Return the automaton of the words that contain a keyword: that of Knuth, Morris and Pratt."""
    rows = {}
    for read in range(len(keyword)):
        rows[read] = {}
        for symbol in symbols:
            end = keyword[:read] + symbol
            while not keyword.startswith(end):
                end = end[1:]
            rows[read][symbol] = len(end)
    rows[len(keyword)] = dict.fromkeys(symbols, len(keyword))
    return DFA(states=rows, input_symbols=symbols, transitions=rows, initial_state=0, final_states=[len(keyword)])
