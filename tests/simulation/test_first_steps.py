"""The first steps, by definition, against the compiled loop, bit for bit; how long the loop is waited for."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn import notices
from exactnn.arithmetic import FLOAT32, FLOAT64, NAMED_FORMATS, FloatFormat, Rounding
from exactnn.equivalence import minimal
from exactnn.equivalence.automata import kernels as automata_kernels
from exactnn.equivalence.spaces import kernels as space_kernels
from exactnn.networks import EOS, Circuit, Decision, Network, Protocol, Unit
from exactnn.simulation import compiled as compilation
from exactnn.simulation import compiled_steps, executor_for, first_steps, run
from exactnn.simulation.compiled import NotCompiledError, compiled, without_compiling
from exactnn.simulation.fixed import fixed_parameters
from exactnn.simulation.many_states import many_states
from exactnn.simulation.rounded import can_pair
from tests.simulation.test_fixed import formats as fixed_formats
from tests.simulation.test_fixed import listed, weights
from tests.simulation.test_rounded import DRAWN, MANNERS, MODES, bits, format_at_random, network_at_random, repeated
from tests.strategies import networks_and_words


class Endless:
    """The patience of somebody who never lets a loop be compiled."""

    def left(self, kind):
        return 1e9

    def took(self, kind, seconds):
        pass

    def end(self, kind):
        pass


class Short:
    """Patience for a number of calls, whatever they take."""

    def __init__(self, calls):
        self.calls = calls

    def left(self, kind):
        return 1e9 if self.calls > 0 else 0

    def took(self, kind, seconds):
        self.calls -= 1

    def end(self, kind):
        pass


def seen(network, word, format):
    """Return all that steps of a word, given as (input, repetitions), show."""
    executor = executor_for(network, format)
    state = executor.start()
    found = [bits(executor.values(state)), bits(executor.output(state))]
    for symbol, count in word:
        segment = executor.advance(state, symbol, count, until_decided=False)
        while segment.steps < count:
            count -= segment.steps
            found.append(bits(repeated(segment.outputs)))
            segment = executor.advance(segment.state, symbol, count, until_decided=False)
        state = segment.state
        found += [
            bits(repeated(segment.outputs)),
            repr(executor.pack(state)).replace("-nan", "nan"),
            bits(executor.output(state)),
        ]
    return found, executor.engine


def check(network, word, format):
    loop, engine = seen(network, word, format)
    assert engine.endswith("(numba)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_steps, "_patience", Endless())
        first, engine = seen(network, word, format)
        random_ = Rounding.STOCHASTIC in (format.rounding, (format.accumulator or format).rounding)
        assert engine.endswith("(numba)" if random_ else ("(by MPFR)", "(in rationals)", "(by the processor)"))
    assert first == loop


@pytest.mark.parametrize("accumulated", [False, True], ids=["", "accumulator"])
@pytest.mark.parametrize("manner", list(MANNERS))
def test_formats_that_round(manner, accumulated):
    rng = random.Random(f"{manner} {accumulated}")
    for _ in range(10):
        format = format_at_random(rng, rng.choice(list(MODES)), MANNERS[manner], accumulated)
        check(*network_at_random(rng, format), format)


def test_pairs_of_floats():
    rng = random.Random(1)
    modes = [mode for mode in MODES if mode is not Rounding.STOCHASTIC]
    for _ in range(20):
        format = FloatFormat(precision=rng.randint(54, 79), exponent_bits=10, rounding=rng.choice(modes))
        assert can_pair(format)
        check(*network_at_random(rng, format, activations=DRAWN[:4]), format)


@pytest.mark.parametrize("format", [FLOAT64, FLOAT32], ids=str)
def test_formats_of_the_processor(format):
    rng = random.Random(str(format))
    for _ in range(40):
        check(*network_at_random(rng, format), format)


@settings(max_examples=60)
@given(st.data(), fixed_formats())
def test_fixed_point(data, format):
    network, word = data.draw(networks_and_words(weights=weights(format)))
    check(network, listed(network, word), format)


@pytest.mark.parametrize("format", ["float64", "float32", "bfloat16", "float8_e4m3", "p60e10", "q8.24"])
@pytest.mark.parametrize("word", ["", "abba", "ab"])
def test_runs_end_with_the_same_verdict_or_cycle(word, format, monkeypatch):
    net = xn.compile("palindrome")
    loop = run(net, word, format, max_steps=300)
    for patience in (Endless(), Short(1), Short(2)):
        monkeypatch.setattr(compiled_steps, "_patience", patience)
        first = run(net, word, format, max_steps=300)
        assert (first.outcome, first.steps, first.cycle) == (loop.outcome, loop.steps, loop.cycle)
        assert bits(first.final_state) == bits(loop.final_state)
        assert bits(tuple(first.outputs)) == bits(tuple(loop.outputs))


@pytest.mark.parametrize("format", ["float32", "float16", "float8_e5m2", "q8.4"])
def test_many_states(format, monkeypatch):
    net, named = (
        xn.compile("palindrome").network,
        {**NAMED_FORMATS, "q8.4": xn.FixedPoint(integer_bits=8, fraction_bits=4)},
    )

    def reached():
        states = many_states(net, named[format])
        rows = states.start
        for _ in range(3):
            rows = np.concatenate([states.step(rows, symbol) for symbol in range(len(net.alphabet))])
        return rows.tobytes(), states.outputs(rows).tobytes()

    loop = reached()
    monkeypatch.setattr(compiled_steps, "_patience", Endless())
    assert reached() == loop


@pytest.mark.parametrize("patience", [Endless(), None], ids=["first", "loop"])
def test_the_lowest_word_is_a_verdict_where_its_negative_is_none(patience, monkeypatch):
    doubled = Unit(name="doubled", bias=mpq(0), linear=((0, mpq(2)),))
    doubling = Network(
        circuit=Circuit(state_size=1, input_size=2, layers=((doubled,),), next_state=(3,)),
        initial_state=(mpq(-1),),
        readout=(Unit(name="output", bias=mpq(0), linear=((0, mpq(1)),)),),
        alphabet=("a", EOS),
        decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(2**31 - 1)),
    )
    if patience is not None:
        monkeypatch.setattr(compiled_steps, "_patience", patience)
    found = run(doubling, "", xn.FixedPoint(integer_bits=32, fraction_bits=32), max_steps=50)
    assert (str(found.outcome), found.steps) == ("rejected", 31)


def test_threads_share_no_random_number(monkeypatch):
    """Rounding at random counts operations, and a network is laid out once for all threads."""
    monkeypatch.setattr(compiled_steps, "_patience", Endless())
    net = xn.compile("palindrome")
    format = xn.FixedPoint(integer_bits=8, fraction_bits=12, rounding="stochastic", seed=3)
    words = ["abba", "ab", "aabb", "b"]

    def outputs(word):
        return list(run(net, word, format, max_steps=30).outputs)

    expected = [outputs(word) for word in words]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(outputs, words * 5)) == expected * 5


# --- how long the loop is waited for


def test_seconds_are_used_up_and_then_the_loop_goes_on(monkeypatch):
    net = xn.compile("anbn").network
    monkeypatch.setattr(compiled_steps, "_patience", notices.Patience())
    monkeypatch.setattr(notices, "_put_off", [True])
    monkeypatch.setattr(compiled_steps, "advance", unknown := Unknown(compiled_steps.advance))
    executor = executor_for(net, FLOAT32)
    state, end = executor.start(), net.alphabet.index(EOS)
    found = executor.advance(state, end, 5, until_decided=False)
    assert (found.steps, executor.engine, unknown.called) == (5, "float32 column-sparse (by the processor)", 0)
    for module in (first_steps, compiled_steps):
        monkeypatch.setattr(module, "time", Clock())
    found = executor.advance(found.state, end, 5, until_decided=False)
    assert (found.steps, unknown.called) == (1, 0)  # the clock says that a step took a minute
    found = executor.advance(found.state, end, 5, until_decided=False)
    assert (found.steps, unknown.called) == (5, 1)
    assert executor.engine == "float32 column-sparse (numba after first steps by the processor)"
    expected = executor_for(net, FLOAT32)
    assert found.state.tobytes() == expected.advance(expected.start(), end, 11, until_decided=False).state.tobytes()


class Unknown:
    """A loop that is not compiled yet when somebody looks, and counts its calls."""

    def __init__(self, loop):
        self.loop, self.looks, self.called = loop, 0, 0

    def __call__(self, *arguments):
        if not self.looks:
            self.looks += 1
            raise NotCompiledError
        self.called += 1
        return self.loop(*arguments)


class Clock:
    """Whoever looks twice sees that a minute has gone by."""

    def __init__(self):
        self.minutes = 0

    def perf_counter(self):
        self.minutes += 1
        return 60.0 * self.minutes


def test_a_loop_that_is_compiled_is_called_at_once(monkeypatch):
    net = xn.compile("anbn").network
    run(net, "ab", "float64")
    monkeypatch.setattr(compiled_steps, "_patience", notices.Patience())
    monkeypatch.setattr(notices, "_put_off", [True])
    executor = executor_for(net, FLOAT64)
    executor.advance(executor.start(), 0, 1, until_decided=False)
    assert executor.engine.endswith("(numba)")


def test_a_network_of_many_weights_waits_for_no_definition(monkeypatch):
    net = xn.compile("palindrome").network
    monkeypatch.setattr(compiled_steps, "_patience", notices.Patience())
    monkeypatch.setattr(notices, "_put_off", [True])
    monkeypatch.setattr(first_steps, "GUESSED", dict.fromkeys(first_steps.GUESSED, 1.0))
    monkeypatch.setattr(compiled_steps, "advance", unknown := Unknown(compiled_steps.advance))
    executor = executor_for(net, FLOAT64)
    executor.advance(executor.start(), 0, 1, until_decided=False)
    assert unknown.called == 1


def test_formats_whose_loops_are_compiled_apart_are_waited_for_apart():
    net = xn.compile("parity").network
    narrow, wide = (
        compiled_steps.compiled_steps(net, xn.FixedPoint(integer_bits=i, fraction_bits=f), fixed_parameters)._kind
        for i, f in ((8, 12), (24, 32))
    )
    assert narrow != wide


def test_only_symbols_that_are_read_are_converted(monkeypatch):
    letters = [f"s{i}" for i in range(50)]
    net = xn.SimpleRNN(V=[[0]], W=[[1] * 50], b=[0], s=[0], readout_weight=[1], alphabet=letters)
    converted = []
    numbers = first_steps.FirstSteps._numbers
    monkeypatch.setattr(compiled_steps, "_patience", Endless())
    monkeypatch.setattr(first_steps.FirstSteps, "_numbers", lambda self, row: converted.append(1) or numbers(self, row))
    executor = executor_for(net, FLOAT32)
    executor.advance_word(executor.start(), [3, 3, 4, 3])
    assert len(converted) == 3  # the state and two symbols


COLD = """
import sys

import exactnn as xn
from exactnn.cli.program import main
from exactnn.equivalence import distinguishing_word
from exactnn import notices
from exactnn.notices import listening

notices.SECONDS = 600
ones, twos = (
    xn.DFA(
        states=range(n), input_symbols="a", transitions={q: {"a": (q + 1) % n} for q in range(n)}, initial_state=0,
        final_states={0},
    )
    for n in (3, 2)
)
assert distinguishing_word(ones, twos) == ("a", "a")
heard = []
for command in sys.argv[1:]:
    with listening(heard.append):
        try:
            main(command.split("|"))
        except SystemExit as end:
            assert end.code in (0, 1), end.code
print(heard, file=sys.stderr)
"""


def test_first_commands_compile_nothing(tmp_path):
    commands = (
        "extract|palindrome|--format|float8_e4m3",
        "compare|palindrome|palindrome@float16",
        "run|anbn|ab|--format|q8.24",
    )
    process = subprocess.run(
        [sys.executable, "-c", COLD, *commands], env={"NUMBA_CACHE_DIR": str(tmp_path)}, capture_output=True, text=True
    )
    assert process.stderr.splitlines()[-1] == "[]", process.stderr


# --- kernels that Python runs while they are small


def scrambled(values):
    key = np.uint64(1)
    for value in values:
        key = key * np.uint64(0xD6E8FEB86659FD93) + value
    return key


def test_python_runs_small_calls_until_their_entries_are_used_up(monkeypatch, tmp_path):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))  # where it was never compiled
    monkeypatch.setattr(notices, "_put_off", [True])
    monkeypatch.setattr(compilation, "SMALL", 10)
    kernel, values = compiled(entries=lambda values: values.size)(scrambled), np.arange(4, dtype=np.uint64)
    with without_compiling():
        found = [kernel(values) for _ in range(2)]
        with pytest.raises(NotCompiledError):  # 2 entries are left
            kernel(values)
        kernel(values[:2])
        assert not kernel.overloads
    assert kernel(values) == found[0] == found[1]  # it is compiled: no sum is said to overflow
    assert len(kernel.overloads) == 1


def test_kernels_of_automata_give_the_same_in_python(monkeypatch):
    rng = random.Random(5)
    pairs = [(drawn(rng), drawn(rng)) for _ in range(20)]

    def found():
        smallest = [minimal(one) for one, _ in pairs]
        return smallest, [xn.equivalent(one, other).witness for one, other in pairs]

    loop = found()
    for module in (automata_kernels, space_kernels):
        for name, kernel in vars(module).items():
            if hasattr(kernel, "py_func"):
                for user in list(sys.modules.values()):
                    if user.__name__.startswith("exactnn") and getattr(user, name, None) is kernel:
                        monkeypatch.setattr(user, name, kernel.py_func)
    assert found() == loop


def drawn(rng):
    """Return a complete automaton of up to 12 states."""
    states = range(rng.randint(1, 12))
    transitions = {q: {a: rng.choice(states) for a in "ab"} for q in states}
    return xn.DFA(
        states=states, input_symbols="ab", transitions=transitions, initial_state=0,
        final_states={q for q in states if rng.random() < 0.4},
    )  # fmt: skip
