"""Strategies for numbers and words, and how large they are."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.arithmetic import FloatFormat, Rounding
from exactnn.arithmetic.float_format import Summation
from exactnn.automata import Machine, Symbol
from exactnn.errors import OptionError, shown
from exactnn.options import whole_number

__all__ = [
    "LETTERS",
    "alphabets",
    "check_bounds",
    "check_choices",
    "check_halting",
    "check_strategies",
    "check_symbols",
    "float_formats",
    "rationals",
    "words",
]


# --- Bounds of strategies, checked when a strategy is made and not when a value is drawn.


def check_bounds(least: int, most: int | None = None, /, **bounds: object) -> None:
    """Raise OptionError unless every bound is a whole number from `least` to `most`.

    >>> check_bounds(1, 26, max_symbols=0)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: max_symbols=0: give a whole number from 1 to 26
    """
    for name, bound in bounds.items():
        whole_number(name, bound, least, most)


def check_choices(known: Collection[object], /, **choices: object) -> None:
    """Raise OptionError unless every choice is a collection of one or more of the `known` values.

    >>> check_choices(("left", "right"), sides=["up"])
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: sides=['up']: give one or more of left, right
    """
    for name, values in choices.items():
        listed = isinstance(values, Collection) and not isinstance(values, str)
        if not listed or not values or any(value not in known for value in values):  # type: ignore[attr-defined]
            raise OptionError(f"{name}={shown(values)}: give one or more of {', '.join(map(str, known))}")


def check_symbols(**collections: object) -> None:
    """Raise OptionError unless every collection is one of different symbols.

    >>> check_symbols(alphabet=5)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: alphabet=5: give different symbols, such as ('a', 'b')
    """
    for name, symbols in collections.items():
        try:
            different = isinstance(symbols, Collection) and len(set(symbols)) == len(symbols)
        except TypeError:  # symbols are compared by their hashes, and one has none
            different = False
        if not different:
            raise OptionError(f"{name}={shown(symbols)}: give different symbols, such as ('a', 'b')")


def check_halting(halting: object) -> None:
    """Raise OptionError unless it is a collection of mappings that say which states halt.

    >>> check_halting([{"halt": "H"}])
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: halting=[{'halt': 'H'}]: give mappings of halt_state, accept_state or reject_state
    """
    fields = {"halt_state", "accept_state", "reject_state"}
    listed = isinstance(halting, Collection) and not isinstance(halting, str | Mapping)
    if not listed or not halting or not all(isinstance(one, Mapping) and one.keys() <= fields for one in halting):  # type: ignore[attr-defined]
        raise OptionError(f"halting={shown(halting)}: give mappings of halt_state, accept_state or reject_state")


def check_strategies(**strategies: object) -> None:
    """Raise OptionError unless each is a strategy or None.

    >>> check_strategies(weights=[1, 2])
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: weights=[1, 2]: give a strategy, such as exactnn.strategies.rationals()
    """
    for name, strategy in strategies.items():
        if strategy is not None and not isinstance(strategy, st.SearchStrategy):
            raise OptionError(f"{name}={shown(strategy)}: give a strategy, such as exactnn.strategies.rationals()")


SUMMATIONS: tuple[Summation, ...] = ("bias first", "bias last", "pairwise")
DETERMINISTIC = tuple(rounding for rounding in Rounding if rounding is not Rounding.STOCHASTIC)


def rationals(*, largest: int = 6) -> st.SearchStrategy[mpq]:
    """Rationals p/q with \\|p\\|, q <= `largest`; they shrink to 0.

    Raises
    ------
    OptionError
        If `largest` is less than 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(rationals(), lambda x: x > 1)
    mpq(2,1)
    """
    check_bounds(1, largest=largest)
    return st.builds(mpq, st.integers(-largest, largest), st.integers(1, largest))


def float_formats(
    *, max_precision: int = 24, max_exponent_bits: int = 8, roundings: Sequence[Rounding] = DETERMINISTIC
) -> st.SearchStrategy[FloatFormat]:
    """Formats of every kind: with or without infinities, subnormals, accumulator, fused operations; sums in any order.

    They shrink to 2 bits of precision, 2 of exponent, and what IEEE 754 says.

    Parameters
    ----------
    max_precision, max_exponent_bits : int
        At least 2; the hidden bit of the significand counts.
    roundings : sequence of Rounding
        By default all that do not draw random numbers.

    Raises
    ------
    OptionError
        If a bound is less than 2.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(float_formats(), lambda format: format.largest > 100)
    FloatFormat(precision=2, exponent_bits=4)
    """
    check_bounds(2, 1 << 12, max_precision=max_precision)
    check_bounds(2, 20, max_exponent_bits=max_exponent_bits)
    check_choices(tuple(Rounding), roundings=roundings)
    return _float_formats(max_precision, max_exponent_bits, tuple(roundings))


@st.composite
def _float_formats(
    draw: st.DrawFn, max_precision: int, max_exponent_bits: int, roundings: tuple[Rounding, ...]
) -> FloatFormat:
    plain = _without_accumulator(max_precision, max_exponent_bits, roundings)
    format, accumulator = draw(plain), draw(st.none() | plain)
    return format if accumulator is None else replace(format, accumulator=accumulator, name="")


@st.composite
def _without_accumulator(
    draw: st.DrawFn, max_precision: int, max_exponent_bits: int, roundings: tuple[Rounding, ...]
) -> FloatFormat:
    precision = draw(st.integers(2, max_precision))
    summation = draw(st.sampled_from(SUMMATIONS))
    return FloatFormat(
        precision=precision,
        exponent_bits=draw(st.integers(2, max_exponent_bits)),
        rounding=draw(st.sampled_from(roundings)),
        subnormals=not draw(st.booleans()),
        specials=draw(st.sampled_from(("ieee", "nan", "none") if precision > 2 else ("ieee", "none"))),
        fused=draw(st.booleans()) and summation == "bias first",
        summation=summation,
    )


# --- Alphabets, and words over them.

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def alphabets(*, min_symbols: int = 1, max_symbols: int = 3) -> st.SearchStrategy[tuple[Symbol, ...]]:
    """Alphabets a, b, c, ...; they shrink to the least number of symbols.

    Raises
    ------
    OptionError
        If a bound is no number of letters, from 0 to 26, or they are in the wrong order.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(alphabets(), lambda symbols: True)
    ('a',)
    """
    check_bounds(0, len(LETTERS), min_symbols=min_symbols, max_symbols=max_symbols)
    if min_symbols > max_symbols:
        raise OptionError(f"min_symbols={min_symbols} is more than max_symbols={max_symbols}")
    return st.integers(min_symbols, max_symbols).map(lambda size: tuple(LETTERS[:size]))


def words(
    alphabet: Sequence[Symbol] | Machine = ("a", "b"), *, min_size: int = 0, max_size: int = 8
) -> st.SearchStrategy[tuple[Symbol, ...]]:
    """Words over an alphabet as tuples; only the empty one if there are no symbols. They shrink to the shortest.

    A machine in place of the alphabet stands for its input symbols.

    Raises
    ------
    OptionError
        If these are no different symbols, a bound is negative, they are in the wrong order, or all words of no symbols
        are to be longer.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(words("ab"), lambda word: word.count("b") == 2)
    ('b', 'b')
    """
    symbols: Sequence[Symbol] = alphabet.input_symbols if isinstance(alphabet, Machine) else alphabet
    check_symbols(alphabet=symbols)
    check_bounds(0, min_size=min_size, max_size=max_size)
    if min_size > max_size or (min_size and not symbols):
        raise OptionError(
            f"min_size={min_size}: there are no such words, of at most {max_size} of {len(symbols)} symbols"
        )
    if not symbols:
        return st.just(())
    return st.lists(st.sampled_from(tuple(symbols)), min_size=min_size, max_size=max_size).map(tuple)
