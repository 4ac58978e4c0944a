"""A network through every executor, bit for bit against what it does written down plainly.

`check_every_executor` is for a new cell or construction, `check_run` for an executor in arithmetics of its own.
"""

import pytest
from gmpy2 import mpq
from plain_circuit import TYPES, Plain, bits, fraction, rounding
from plain_fixed import Word

from exactnn.arithmetic import BFLOAT16, EXACT, FLOAT8_E4M3, FLOAT16, RATIONAL, FixedPoint, FloatFormat, Interval
from exactnn.errors import UnsupportedArithmeticError
from exactnn.networks import EOS
from exactnn.outcome import Outcome
from exactnn.simulation import executor_for, run
from exactnn.simulation.emulated import EmulatedExecutor
from exactnn.simulation.executor import basic_twin
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.smooth_units import has_smooth_units
from exactnn.simulation.word_batch import WordBatch, Words, can_batch

LIMIT = 14
ROUNDED = (
    FLOAT16,
    BFLOAT16,
    FLOAT8_E4M3,
    FloatFormat(precision=30, exponent_bits=9, rounding="up", fused=True),
    FloatFormat(precision=60, exponent_bits=11),
    FloatFormat(precision=113, exponent_bits=15),
)
"""Formats of every executor that rounds, float32 and float64 besides."""
ENCLOSED = (8, 64)
"""Bits of the bounds of enclosures."""
FIXED = (FixedPoint(integer_bits=8, fraction_bits=8), FixedPoint(integer_bits=4, fraction_bits=20, overflow="wrap"))


def alike(numbers):
    return [bits(x) for x in numbers]


def check_every_executor(network, word, *, limit=LIMIT):
    """Run a word of symbols or vectors in every arithmetic, `limit` steps at most.

    Return the exact run and the fixed-point formats that have all numbers of the network; the others refuse it. Exact
    arithmetic must refuse a network with smooth units; then there is None for the run.
    """
    inputs = network.inputs(word)[:limit]
    if network.decision.protocol.reads_eos:
        inputs += [network.alphabet.index(EOS)] * (limit - len(inputs))
    exact = (check_refused if has_smooth_units(network) else check_exact)(network, word, inputs, limit)
    for format in TYPES:
        check_run(network, word, format, rounding(format), limit)
    for format in (*TYPES, *ROUNDED):
        check_steps(executor_for(network, format), EmulatedExecutor(network, format), inputs)
        check_batch(network, word, format, limit)
    fitting = [format for format in FIXED if fits(network, format)]
    for format in fitting:
        check_run(network, word, format, Word.nearest(format), limit)
    return exact, fitting


def check_exact(network, word, inputs, limit):
    exact = check_run(network, word, RATIONAL, fraction, limit)
    check_run(network, word, EXACT, fraction, limit)
    check_enclosures(network, word, exact, limit)
    if basic_twin(network) is not None:
        for fast in (ExactExecutor(network, warm_up=0), executor_for(network, EXACT, every_state=True)):
            check_steps(fast, executor_for(network, RATIONAL), inputs, seen=list)
    return exact


def check_refused(network, word, inputs, limit):
    for arithmetic in (RATIONAL, EXACT):
        with pytest.raises(UnsupportedArithmeticError, match="no rational number"):
            run(network, word, arithmetic=arithmetic, max_steps=limit)


def check_run(network, word, arithmetic, number, limit=LIMIT):
    """Compare a run with the oracle, `number` being the arithmetic of the latter; return the run."""
    outcome, states, outputs = Plain(network, number).run(word, limit)
    exact = arithmetic in (RATIONAL, EXACT)
    seen = list if exact else alike
    result = run(network, word, arithmetic=arithmetic, max_steps=limit, record="all")
    assert seen(result.trace) == seen(states), arithmetic
    assert seen([result.initial_output, *result.outputs]) == seen(outputs), arithmetic
    assert seen(result.final_state) == seen(states[-1]), arithmetic
    assert (result.outcome, result.steps) == (outcome, len(states) - 1), arithmetic
    assert result.eos_steps == max(0, result.steps - len(word))
    assert {type(x) for state in result.trace for x in state} <= {type(mpq(0)) if exact else float}, arithmetic
    unrecorded = run(network, word, arithmetic=arithmetic, max_steps=limit)
    assert seen(unrecorded.outputs) == seen(outputs[1:]), arithmetic
    assert seen(unrecorded.final_state) == seen(states[-1]), arithmetic
    return result


def check_enclosures(network, word, exact, limit=LIMIT):
    """Compare runs in interval arithmetic with the exact one, which lies in their enclosures."""
    for size in ENCLOSED:
        result = run(network, word, arithmetic=Interval(bits=size), max_steps=limit, record="all")
        for enclosures, numbers in zip(result.trace, exact.trace, strict=False):
            assert all(x.contains(y) for x, y in zip(enclosures, numbers, strict=True)), size
        if result.outcome is not Outcome.BIT_LIMIT and exact.outcome is not Outcome.NON_HALTING:
            assert (result.outcome, result.steps) == (exact.outcome, exact.steps), size


def check_steps(executor, reference, inputs, seen=alike):
    """Compare two executors after every step."""
    mine, theirs = executor.start(), reference.start()
    for symbol in inputs:
        found = executor.advance(mine, symbol, 1, until_decided=False)
        expected = reference.advance(theirs, symbol, 1, until_decided=False)
        mine, theirs = found.state, expected.state
        assert seen(executor.values(mine)) == seen(reference.values(theirs)), executor.engine
        assert seen([y for y, _ in found.outputs]) == seen([y for y, _ in expected.outputs]), executor.engine
    assert seen([executor.output(mine)]) == seen([reference.output(theirs)]), executor.engine


def check_batch(network, word, format, limit):
    """Compare a batch of the beginnings of a word with their runs, where batches are possible."""
    if not can_batch(network, format):
        return
    words = [word[:size] for size in range(min(len(word), limit) + 1)]
    eos_steps = [limit - len(one) if network.decision.protocol.reads_eos else 0 for one in words]
    steps, outputs = WordBatch(network, format).run(Words([network.inputs(one) for one in words]), eos_steps)
    for i, one in enumerate(words):
        result = run(network, one, arithmetic=format, max_steps=limit)
        if result.outcome is Outcome.NON_HALTING:
            continue  # a batch does not look for cycles
        assert steps[i] in (-1, result.steps), (format, one)  # -1: patterns did not recur
        if steps[i] >= 0:
            assert bits(outputs[i]) == bits([result.initial_output, *result.outputs][-1]), (format, one)


def fits(network, format):
    try:
        executor_for(network, format)
    except UnsupportedArithmeticError:
        return False
    return True
