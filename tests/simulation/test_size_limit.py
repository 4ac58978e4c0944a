"""Numbers that would be too long are refused before they are made: a run keeps what it has, and nothing aborts."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from math import lcm

import pytest
from gmpy2 import mpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn import size_limit
from exactnn.arithmetic import Numeral
from exactnn.cli.program import main
from exactnn.errors import CheckpointError, OptionError, SizeLimitError
from exactnn.networks import Activation, Circuit, Decision, Network, Protocol, Unit, save_network
from exactnn.networks.network import input_vector
from exactnn.simulation import executor_for
from exactnn.simulation.executor import Basic
from exactnn.simulation.foresight import Foresight
from exactnn.simulation.lowest_terms import LowestTermsExecutor
from exactnn.simulation.packed import pack_number
from exactnn.simulation.plain_exact import PlainExactExecutor
from exactnn.simulation.rational import RationalExecutor, _Layer
from exactnn.size_limit import SizeLimit, bits_of, default_max_bits
from exactnn.strategies import networks
from exactnn.strategies.numbers import rationals

EXACT_ONES = [xn.RATIONAL, xn.EXACT]


def squaring(start=3, alphabet=None, protocol=Protocol.OUTPUTS, count=1):
    """Return a network whose numbers are squared in every step; it never decides anything on EOS."""
    inputs = len(alphabet or "x")
    units = tuple(Unit(name=f"u{i}", bias=mpq(0), bilinear=((i, i, mpq(1)),)) for i in range(count))
    weight = mpq(0 if protocol.reads_eos else 1)
    return Network(
        circuit=Circuit(
            state_size=count,
            input_size=inputs,
            layers=(units,),
            next_state=tuple(range(count + inputs, 2 * count + inputs)),
        ),
        initial_state=(mpq(start),) * count,
        readout=(Unit(name="o", bias=mpq(0), linear=((0, weight),)),),
        alphabet=alphabet,
        decision=Decision(protocol=protocol),
    )


def bits(numbers):
    return sum(bits_of(value) for value in numbers if value)


SILENT = squaring(5, ("a", "EOS"), Protocol.EOS_VERDICT)
CLAMPED = replace(
    squaring(), readout=(Unit(name="o", bias=mpq(0), linear=((0, mpq(1)),), activation=Activation.named("relu6")),)
)
"""It stays in lowest terms."""
SAYS_YES = squaring("5/3", ("a",), Protocol.END_OF_WORD)
WORD = [[0]] * 45


IN_LITTLE_MEMORY = """
import resource
import exactnn as xn
from tests.simulation.test_size_limit import SILENT, WORD, squaring

resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))

for arithmetic in (xn.RATIONAL, xn.EXACT):
    for start in (3, "-2/3"):
        found = xn.run(squaring(start), WORD, arithmetic=arithmetic)
        assert found.outcome is xn.Outcome.SIZE_LIMIT and found.steps > 15, found
        assert found.outputs[:4] == [squaring(start).initial_state[0] ** 2**t for t in (1, 2, 3, 4)]
        assert found.outputs.count == found.steps and found.final_state[0] == found.outputs[-1]
    assert xn.run(squaring("2/3", count=200), WORD, arithmetic=arithmetic).outcome is xn.Outcome.SIZE_LIMIT
    found = xn.run(SILENT, "aaa", arithmetic=arithmetic, record="all")
    assert found.outcome is xn.Outcome.SIZE_LIMIT and found.eos_steps == found.steps - 3 > 10
    # Outputs that are kept fill the memory too, however long each of them is.
    long = xn.SimpleRNN(V=[[str(3**5000)]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    found = xn.run(long, [[1]] * 3000, arithmetic=arithmetic)
    assert found.outcome is xn.Outcome.SIZE_LIMIT and 100 < found.steps < 3000, found
    assert found.outputs[1] == 1 + found.outputs[0] * 3**5000
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited in the way of Linux")
def test_nothing_aborts_in_little_memory():
    """GMP ends a process that is out of memory: this one goes on to its end."""
    done = subprocess.run([sys.executable, "-c", IN_LITTLE_MEMORY], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


@pytest.mark.parametrize("arithmetic", EXACT_ONES, ids=str)
@pytest.mark.parametrize(
    "network", [squaring(), squaring("2/3", count=5), SILENT, CLAMPED], ids=["3", "2/3", "EOS", "clamped"]
)
def test_the_limit_is_kept_and_what_came_before_it_is_whole(network, arithmetic):
    word = WORD if network.alphabet is None else "aa"
    shorter = None
    for most in (1, 100, 3_000, 100_000):
        try:
            found = xn.run(network, word, arithmetic=arithmetic, max_bits=most, record="all")
        except SizeLimitError:
            assert most < 100  # the start alone has no room
            continue
        assert (found.outcome, found.verdict) == (xn.Outcome.SIZE_LIMIT, None)
        assert found.outputs.count == found.steps == len(found.trace) - 1
        assert max(map(bits, found.trace)) <= most
        assert 40 * bits(found.final_state) > most or most == 100  # not much too early either
        free = xn.run(network, word, arithmetic=xn.RATIONAL, max_steps=found.steps, record="all", max_bits=10**9)
        assert (free.outputs, free.trace.states) == (found.outputs, found.trace.states)
        assert shorter is None or shorter < found.steps
        shorter = found.steps


@st.composite
def steps(draw):
    """A network, a state of it with numbers of some length, an input, and a limit near the bits of the next step."""
    network = draw(networks(weights=rationals(), max_state=3, activations=tuple(map(Activation.named, Basic))))
    long = st.builds(lambda x, n: x**n, rationals(), st.sampled_from([1, 3, 50]))
    state = tuple(draw(long) for _ in range(network.neurons))
    size = network.circuit.input_size
    assume(size or network.alphabet is None)
    given = tuple(draw(long) for _ in range(size)) if network.alphabet is None else draw(st.integers(0, size - 1))
    return network, state, given, draw(st.floats(0.1, 8))


@given(steps())
@settings(max_examples=50, deadline=None)
def test_no_step_is_longer_than_foreseen(drawn):
    network, state, given_, part = drawn
    free = RationalExecutor(network)
    following = free.step(state, given_)
    output = free.output(following)
    kept = dict(zip(network.circuit.next_state, following, strict=True))  # a number that is held twice is one
    needed = bits(kept.values()) + bits(output if isinstance(output, tuple) else (output,))
    most = max(1, int(part * needed))
    for kind in (RationalExecutor, LowestTermsExecutor, PlainExactExecutor):
        executor = kind(network, SizeLimit(most))
        try:
            begin = executor.state_of(state) if kind is not RationalExecutor else state
            segment = executor.advance(begin, given_, 1, until_decided=False)
        except SizeLimitError:
            continue
        assert executor.values(segment.state) == following
        assert needed <= most


@given(steps())
@settings(max_examples=50, deadline=None)
def test_what_is_foreseen_at_first_bounds_all_numbers_of_a_step(drawn):
    network, state, given_, _ = drawn
    numbers = [*state, *input_vector(given_, network.circuit.input_size)]
    bounds = [Foresight(network, SizeLimit(), common=common)._at_most(bits(numbers)) for common in (False, True)]
    *layers, readout = (_Layer(units) for units in (*network.circuit.layers, network.readout))
    for layer in layers:
        numbers += layer.evaluate(numbers)
    numbers += readout.evaluate([numbers[register] for register in network.circuit.next_state])
    assert bits(numbers) <= bounds[0]
    denominator = lcm(*(int(number.denominator) for number in numbers))
    numerators = (int(abs(number * denominator)).bit_length() for number in numbers)
    assert (denominator.bit_length() if denominator > 1 else 0) + sum(numerators) <= bounds[1]


@pytest.mark.parametrize("arithmetic", EXACT_ONES, ids=str)
def test_earlier_runs_have_no_part_in_where_a_limit_ends_one(arithmetic):
    """Sums of many terms over one long denominator, which bounds them only if it is known."""
    weight = f"1/{10**40 + 1}"
    network = xn.SimpleRNN(V=[[weight] * 9] * 9, W=[[1]] * 9, b=[0] * 9, s=[1] * 9, readout_weight=[1] * 9)
    found = [xn.run(network, [[1]] * 60, arithmetic, max_bits=60_000) for _ in range(3)]
    assert found[0].outcome is xn.Outcome.SIZE_LIMIT
    assert found[0].steps == found[1].steps == found[2].steps


def test_where_a_common_denominator_has_no_room_lowest_terms_go_on():
    """Each neuron has a prime of its own: over one denominator, each number would be as long as all together."""
    primes = [p for p in range(3, 800) if all(p % q for q in range(2, p))]
    size = len(primes)
    diagonal = [[f"1/{p}" if i == j else 0 for j in range(size)] for i, p in enumerate(primes)]
    network = xn.SimpleRNN(
        V=diagonal, W=[[1]] * size, b=[0] * size, s=[1] * size, readout_weight=[1] + [0] * (size - 1)
    )
    assert size > 100
    exact = xn.run(network, [[0]] * 80, max_bits=900_000)
    assert exact.outcome is xn.Outcome.COMPLETED
    assert exact.final_state == tuple(mpq(1, p) ** 80 for p in primes)
    assert xn.run(network, [[0]] * 80, max_bits=90_000).outcome is xn.Outcome.SIZE_LIMIT


def test_weights_without_a_common_denominator_are_run_in_lowest_terms():
    weights = [[f"1/{10**40 + i}"] for i in range(50)]
    network = xn.SimpleRNN(V=[[0] * 50] * 50, W=weights, b=[0] * 50, s=[0] * 50, readout_weight=[1] + [0] * 49)
    found = xn.run(network, [[1]] * 3, max_bits=200_000)
    assert found.outcome is xn.Outcome.COMPLETED
    assert found.final_state == tuple(mpq(weight) for (weight,) in weights)


def test_a_tape_that_is_too_long_to_be_written_out_stays_a_numeral():
    """The fast engine needs no long numbers, so that a limit of bits does not end it."""
    right = xn.siegelmann_sontag(xn.load("1RA1RA"))
    limited, free = (xn.run(right, max_steps=50_000, max_bits=most) for most in (20_000, None))
    assert limited.outcome is free.outcome is xn.Outcome.STEP_LIMIT
    assert any(isinstance(value, xn.Numeral) for value in limited.final_state)
    assert list(limited.final_state) == list(free.final_state)
    assert right.decode(limited.final_state) == right.decode(free.final_state)


@pytest.mark.parametrize("after", [20_000, 50_000])
def test_a_checkpoint_of_numbers_that_have_no_room(after):
    """They are written as the numerals that they are held in, and the run goes on with the same limit or another."""
    network = xn.siegelmann_sontag(xn.load("1RA1RA")).network

    def taken(executor, state, steps):
        while steps:
            segment = executor.advance(state, network.eos, steps, until_decided=True)
            state, steps = segment.state, steps - segment.steps
        return state

    executors = [executor_for(network, xn.EXACT, SizeLimit(bits)) for bits in (20_000, 20_000, 10**7)]
    state = taken(executors[0], executors[0].start(), after)
    data = json.loads(json.dumps(executors[0].pack(state)))
    expected = taken(executors[2], executors[2].start(), after + 500)
    for executor in executors:
        begun = executor.unpack(data)
        assert list(executor.values(begun)) == list(executors[0].values(state))
        found = executor.values(taken(executor, begun, 500))
        assert any(isinstance(value, xn.Numeral) for value in found) is (executor is not executors[2])
        assert list(found) == list(executors[2].values(expected))


def test_a_checkpoint_goes_on_with_a_larger_limit(tmp_path):
    file = tmp_path / "run.json"
    first = xn.run(squaring(), WORD, max_bits=5_000, checkpoint=file)
    assert first.outcome is xn.Outcome.SIZE_LIMIT
    again = xn.run(squaring(), WORD, max_bits=500_000, checkpoint=file)
    whole = xn.run(squaring(), WORD, max_bits=500_000)
    assert (again.outcome, again.resumed_from) == (xn.Outcome.SIZE_LIMIT, first.steps)
    assert first.steps < again.steps <= whole.steps
    assert again.outputs == whole.outputs[: again.steps]


def test_reals_are_limited_too():
    squares = squaring(count=2)
    template = Network(
        circuit=squares.circuit,
        initial_state=(mpq(0), mpq(3)),
        readout=(Unit(name="o", bias=mpq(0), linear=((1, mpq(1)),)),),
    )
    lazy = Unit(name="x", bias=mpq(0), linear=((0, mpq("3/2")),), bilinear=((1, 1, mpq(1)),))
    circuit = Circuit(state_size=2, input_size=1, layers=((lazy, squares.circuit.layers[0][1]),), next_state=(3, 4))
    template = Network(circuit=circuit, initial_state=template.initial_state, readout=template.readout)
    real = xn.networks.RealNetwork(template=template, reals=((0, xn.lazy_real(lambda position: 3)),))
    found = xn.run(real, WORD, max_bits=100_000)
    assert (found.outcome, found.outputs[:3]) == (xn.Outcome.SIZE_LIMIT, [9, 81, 6561])


def test_enclosures_of_too_many_bits_are_refused():
    with pytest.raises(SizeLimitError, match=r"max_bits of exactnn\.run"):
        xn.run(squaring(), WORD, arithmetic=xn.Interval(bits=10_000), max_bits=10_000)
    found = xn.run(squaring(), WORD[:30], arithmetic=xn.Interval(bits=1000), max_bits=20_000)
    assert found.outcome is xn.Outcome.SIZE_LIMIT  # of outputs that are kept


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "1000"])
def test_a_limit_is_a_whole_number(most):
    with pytest.raises(OptionError, match="max_bits="):
        xn.run(squaring(), WORD, max_bits=most)


def test_the_command_line_says_that_a_limit_was_reached(tmp_path, capsys):
    save_network(squaring(), file := tmp_path / "squares.json")
    with pytest.raises(SystemExit) as ended:
        main(["run", str(file), " ".join("0" * 45), "--max-bits", "10_000", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert ended.value.code == 3
    assert (report["outcome"], report["verdict"]) == ("size limit", None)
    assert report["steps"] > 5
    assert report["sentence"] == xn.Outcome.SIZE_LIMIT.sentence


@pytest.fixture
def little_room(monkeypatch):
    monkeypatch.setattr(size_limit, "default_max_bits", lambda: 200_000)


def test_comparisons_end_with_what_was_compared(little_room):
    for network, word in ((squaring(), WORD), (SILENT, "aa")):
        found = xn.first_divergence(network, word, xn.FLOAT16)
        assert found.outcome is xn.Outcome.SIZE_LIMIT
        assert found.steps > 10
        assert found.value is not None
    assert [row.outcome for row in xn.collapse(squaring(), [WORD[:3], WORD]).rows] == ["completed", "size limit"]
    grown = xn.error_growth(squaring("2/3"), WORD, [xn.FLOAT16])
    assert (grown.outcome, len(grown.formats[0].errors)) == ("size limit", grown.steps + 1)
    assert grown.steps > 10
    threshold = xn.precision_threshold(SAYS_YES, ["aa", "a" * 45], precisions=range(2, 6))
    assert [word.outcome for word in threshold.words] == ["accepted", "size limit"]


def test_long_errors_are_kept_as_far_as_there_is_room(little_room):
    halves = xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    found = xn.error_growth(halves, [[0]] * 5000, [xn.FLOAT16])
    assert not found.complete
    assert 1000 < found.steps < 5000


def test_words_whose_exact_runs_are_too_long_are_no_failures(little_room):
    failures = xn.first_failures(SAYS_YES, lambda n: "a" * n, [4], lengths=[2, 45])
    assert not failures.complete
    assert failures.rows[0].wrong == (0,)
    sweep = xn.verdict_sweep(SAYS_YES, [2, 45], [xn.FLOAT64], words=3)
    assert [(entry.undecided, entry.wrong) for entry in sweep.lengths] == [(0, (0,)), (1, (0,))]
    sweep = xn.verdict_sweep(SILENT, [2], [xn.FLOAT64], words=3)
    assert [(entry.undecided, entry.wrong) for entry in sweep.lengths] == [(1, (0,))]


def test_searches_say_why_they_ended(little_room):
    for network in (SAYS_YES, SILENT):
        found = xn.extract_state_machine(network)
        assert not found.complete
        assert "numbers become too long" in found.reason
        assert found.states > 5
    growth = xn.state_growth(SAYS_YES, [xn.EXACT], max_length=50)
    assert "numbers become too long" in growth.arithmetics[0].reason
    same = xn.equivalent(SAYS_YES, SAYS_YES)
    assert same.equal is None


def test_learning_says_why_it_ended(little_room):
    pytest.importorskip("aalpy")
    assert xn.learn_automaton(SILENT).end is xn.LearningEnd.SIZE_LIMIT


def test_what_needs_the_whole_run_refuses_a_part_of_it(little_room):
    for ask in (
        xn.required_bits,
        xn.trajectory,
        partial(xn.testing.assert_same_run, arithmetic_a=xn.EXACT, arithmetic_b=xn.RATIONAL),
    ):
        with pytest.raises(SizeLimitError):
            ask(squaring(), WORD)


def test_factorisations_are_limited(monkeypatch):
    from exactnn.linear_algebra import ldl, rank

    matrix = tuple(tuple(mpq(1, 10**40 + 7 * i * j + i + j) + (i == j) for j in range(12)) for i in range(12))
    assert ldl(matrix).definite
    monkeypatch.setattr(size_limit, "default_max_bits", lambda: 20_000)
    for decide in (ldl, rank):
        with pytest.raises(SizeLimitError):
            decide(matrix)


def test_a_limit_leaves_short_numbers_alone():
    """Whatever there is room for, a run of short numbers goes on."""
    assert default_max_bits() > 10**6
    executor = executor_for(xn.compile(xn.load("parity")).network, xn.EXACT, SizeLimit(100_000))
    state = executor.start()
    for _ in range(100):
        state = executor.advance(state, 0, 1, until_decided=False).state
    assert all(value in (0, 1) for value in executor.values(state))


def doubling():
    """A network whose numbers have denominators that grow by some bits in each step."""
    return xn.SimpleRNN(
        V=[["1/2", "1/3"], ["1/5", "1/7"]], W=[[1], [1]], b=[0, "1/11"], s=[1, 0], readout_weight=[1, 1]
    )  # fmt: skip


@pytest.mark.parametrize("record", ["all", 2])
def test_where_max_bits_ends_a_run_whose_states_are_recorded_does_not_depend_on_the_clock(record):
    network, word = doubling(), [[1]] * 120
    reference = xn.run(network, word, xn.RATIONAL, record=record, max_bits=3000)
    assert reference.outcome is xn.Outcome.SIZE_LIMIT
    ends = {xn.run(network, word, record=record, max_bits=3000).steps for _ in range(6)}
    assert len(ends) == 1
    assert abs(ends.pop() - reference.steps) <= 2


def test_a_run_that_ended_for_want_of_room_gives_its_result_again(tmp_path):
    for record in ("all", "outputs"):
        file = tmp_path / f"{record}.json"
        first, again = (
            xn.run(doubling(), [[1]] * 120, record=record, checkpoint=file, max_bits=30_000) for _ in range(2)
        )
        assert first.outcome is again.outcome is xn.Outcome.SIZE_LIMIT
        assert (first.steps, first.outputs, first.trace) == (again.steps, again.outputs, again.trace)


def test_a_numeral_that_is_no_long_number_is_written_into_a_checkpoint():
    small = Numeral(base=3, limb_digits=1, head=0, places=0, sign=1, runs=((0, 20), (1, 1)))
    assert pack_number(small) == pack_number(mpq(small))
    with pytest.raises(CheckpointError, match="too long"):
        pack_number(Numeral(base=3, limb_digits=1, head=0, places=0, sign=1, runs=((0, 10**12), (1, 1))))
