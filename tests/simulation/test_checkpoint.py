"""Checkpoint files: a run that was stopped, and one that was killed, goes on as if nothing had been.

A file that is not of the run, or is damaged, is a CheckpointError and stays as it was.
"""

import json
import os
import random
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import BFLOAT16, EXACT, FLOAT32, FLOAT64, RATIONAL, FloatFormat, Interval
from exactnn.constructions import minsky, siegelmann_sontag
from exactnn.errors import CheckpointError, ExactnnError, OptionError
from exactnn.files import whole_file
from exactnn.machine_files import load
from exactnn.networks import SimpleRNN, save_network
from exactnn.outcome import Outcome
from exactnn.simulation import checkpoint as checkpoint_module
from exactnn.simulation import checkpoint as progress_module
from exactnn.simulation import driver, executor_for, run, walk
from exactnn.simulation.packed import pack_numbers
from tests.odometer import odometer
from tests.strategies import extreme_rationals, networks_and_words

NOBODY = 65534
"""The number of a user who owns nothing."""
COUNTER = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
WORD = [1, 2, 2, 3, 3, 3, 0]
STOCHASTIC = FloatFormat(precision=9, exponent_bits=5, rounding="stochastic", seed=3, name="stochastic")
WIDE = FloatFormat(precision=60, exponent_bits=12, rounding="stochastic", name="wide")
ARITHMETICS = {str(a): a for a in (EXACT, RATIONAL, FLOAT64, FLOAT32, BFLOAT16, STOCHASTIC, WIDE)}
"""One of each executor, and one of each whose state says which random numbers come next."""
ANBN = siegelmann_sontag(load("anbn"))
PARITY = minsky(load("parity"))  # a narrow format may decide nothing, ever; but this it does
RECORDS = ("outputs", "all", 2)


def everything(result):
    """What two runs must agree in, floats bit for bit."""
    outputs = [(pack_numbers(y if isinstance(y, tuple) else (y,)), n) for y, n in result.outputs.runs]
    states = [pack_numbers(state) for state in result.trace]
    counts = (result.outcome, result.cycle, result.steps, result.eos_steps, result.machine_steps, result.word)
    return counts, outputs, repr(result.initial_output), result.trace.steps, states, pack_numbers(result.final_state)


def interrupt_at(step):
    """Return a progress callback that is a Ctrl-C at that step."""

    def callback(steps):
        if steps >= step:
            raise KeyboardInterrupt

    return callback


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.checkpoint"


def canonical(data):
    return json.dumps(data, separators=(",", ":"), sort_keys=True)


def forged(text, change):
    """Return the text of a checkpoint file with other contents and the hash that fits."""
    data = json.loads(text)
    change(data["payload"])
    data["sha256"] = sha256(canonical(data["payload"]).encode()).hexdigest()
    return canonical(data)


# Stopped and resumed


@pytest.mark.parametrize("name", ARITHMETICS)
@given(
    networks_and_words(weights=extreme_rationals()) | networks_and_words(),
    st.sampled_from(RECORDS),
    st.lists(st.integers(0, 18), max_size=4).map(sorted),
    st.sampled_from([0, 60]),
)
def test_a_run_that_reached_its_limits_goes_on_as_if_in_one_go(name, pair, record, stops, seconds):
    network, word = pair
    options = {"arithmetic": ARITHMETICS[name], "record": record}
    expected = run(network, word, max_steps=20, **options)
    before = None
    with TemporaryDirectory() as folder:
        file = Path(folder, "file")
        for stop in [*stops, 20, 20]:
            if before is not None and before.steps > stop:
                continue
            result = run(network, word, max_steps=stop, checkpoint=file, checkpoint_seconds=seconds, **options)
            assert result.resumed_from == (None if before is None else before.steps)
            assert result.steps == min(stop, expected.steps)
            before = result
        assert os.listdir(folder) == ["file"]
    assert everything(result) == everything(expected)


@pytest.mark.mostly_slow(quick=3)
@pytest.mark.parametrize("name", ARITHMETICS)
@given(networks_and_words(), st.sampled_from(RECORDS), st.lists(st.integers(1, 18), max_size=4))
def test_a_run_that_was_interrupted_goes_on_as_if_in_one_go(name, pair, record, stops):
    network, word = pair
    options = {"arithmetic": ARITHMETICS[name], "record": record, "max_steps": 20}
    expected = run(network, word, **options)
    done = 0
    with TemporaryDirectory() as folder:
        file = Path(folder, "file")
        for stop in stops:
            result = run(network, word, checkpoint=file, progress=interrupt_at(done + stop), **options)
            assert result.resumed_from == done or (result.resumed_from is None and done == 0)
            done = result.steps
        assert everything(run(network, word, checkpoint=file, **options)) == everything(expected)


class Failure(BaseException):
    """Ends a run at once, as a kill would, but within the process."""


@pytest.mark.parametrize("stop", [1, 3, 8, 11])
def test_a_run_goes_on_from_the_last_time_that_the_file_was_written(file, stop, monkeypatch):
    monkeypatch.setattr(checkpoint_module, "SHARE", 1)  # written after every slice
    expected = run(ANBN, "aabb", record="all")

    def fail(steps):
        if steps >= stop:
            raise Failure

    with suppress(Failure):
        run(ANBN, "aabb", record="all", checkpoint=file, checkpoint_seconds=0, progress=fail)
    result = run(ANBN, "aabb", record="all", checkpoint=file)
    assert stop <= result.resumed_from < result.steps
    assert everything(result) == everything(expected)


def test_the_file_is_written_as_often_as_asked(file, monkeypatch):
    written = []
    monkeypatch.setattr(checkpoint_module, "write_file", lambda _, content, **__: written.append(content))
    run(COUNTER, [1, 2] * 500, checkpoint=file)
    assert [json.loads(text)["payload"]["progress"]["steps"] for text in written] == ["0x0", hex(1000)]
    written.clear()
    monkeypatch.setattr(checkpoint_module, "SHARE", 1)
    run(COUNTER, [1, 2] * 100, record=1, arithmetic=RATIONAL, checkpoint=file, checkpoint_seconds=0)
    assert len(written) == 201  # this executor takes one step at a time where every state is recorded


@pytest.mark.parametrize("name", ARITHMETICS)
def test_a_finished_run_gives_its_result_at_once(file, name, monkeypatch):
    options = {"arithmetic": ARITHMETICS[name], "record": 3, "checkpoint": file}
    first = run(PARITY, "0111", **options)
    content, seen = file.read_bytes(), []

    def never(*_, **__):
        raise AssertionError("a step was taken")

    monkeypatch.setattr(type(executor_for(PARITY.network, ARITHMETICS[name])), "advance", never)
    again = run(PARITY, "0111", progress=seen.append, **options)
    assert everything(again) == everything(first)
    assert (again.outcome, again.verdict, again.resumed_from) == (Outcome.ACCEPTED, "accept", first.steps)
    assert seen == [first.steps]
    assert again.seconds >= first.seconds - 0.1
    assert file.read_bytes() == content


def test_an_output_within_the_word_is_no_verdict_after_resuming(file):
    network = SimpleRNN(V=[[0]], W=[[1, 0]], b=[0], s=[0], readout_weight=[1], alphabet=["a", "EOS"])
    for limit in (1, 1, 2, 5):
        result = run(network, "a", max_steps=limit, checkpoint=file)
        expected = (Outcome.STEP_LIMIT, limit) if limit < 3 else (Outcome.NON_HALTING, 3)
        assert (result.outcome, result.steps) == expected
        assert result.outputs == [1, 0, 0][:limit]


def test_a_run_in_enclosures_goes_on_where_its_numbers_are_known_again(file):
    """At the end of the word they are not, so that no cycle is looked for; 3/5 is not known to 40 bits."""
    network = SimpleRNN(V=[[0]], W=[[0]], b=[0], s=["3/5"], readout_weight=[1], alphabet=["EOS"])
    options = {"arithmetic": Interval(bits=40), "record": "all"}
    for limit in (0, 1, 3, 3):
        result = run(network, max_steps=limit, checkpoint=file, **options)
        assert everything(result) == everything(run(network, max_steps=limit, **options))
    assert result.resumed_from == 3
    assert result.final_state[0].width == 0


def test_the_callback_learns_where_the_run_goes_on(file):
    seen = []
    run(COUNTER, WORD, max_steps=3, checkpoint=file, progress=seen.append)
    assert (seen[0], seen[-1]) == (0, 3)
    seen.clear()
    run(COUNTER, WORD, checkpoint=file, progress=seen.append)
    assert (seen[0], seen[-1]) == (3, 7)


def test_seconds_add_up(file):
    run(COUNTER, WORD, max_steps=3, checkpoint=file)
    text = forged(file.read_text(), lambda payload: payload["progress"].update(seconds=float(5000).hex()))
    file.write_text(text)
    assert 5000 < run(COUNTER, WORD, checkpoint=file).seconds < 5060


def test_a_limit_before_the_checkpoint_is_an_error(file):
    run(COUNTER, WORD, max_steps=5, checkpoint=file)
    content = file.read_bytes()
    with pytest.raises(CheckpointError, match=r"max_steps=4: .* is at step 5 already: give at least as many"):
        run(COUNTER, WORD, max_steps=4, checkpoint=file)
    assert file.read_bytes() == content
    assert run(COUNTER, WORD, max_steps=5, checkpoint=file).outcome is Outcome.STEP_LIMIT


def test_a_link_to_a_file_stays_a_link(tmp_path, file):
    link = tmp_path / "link"
    link.symlink_to(file)
    run(COUNTER, WORD, checkpoint=link)
    assert link.is_symlink()
    assert run(COUNTER, WORD, checkpoint=str(file)).resumed_from == 7


# Killed

PROGRAM = """
import sys, time
import exactnn as xn
net = xn.load_network(sys.argv[1])
arithmetic = getattr(xn, sys.argv[2])
xn.run(net, arithmetic=arithmetic, max_steps=int(sys.argv[3]), record=int(sys.argv[4]), checkpoint=sys.argv[5],
       checkpoint_seconds=0, progress=lambda steps: time.sleep(0.002))  # slow enough to be killed on the way
"""


def steps_in(file):
    """Return the step at which a whole checkpoint file is."""
    data = json.loads(file.read_bytes())
    assert data["sha256"] == sha256(canonical(data["payload"]).encode()).hexdigest()
    return int(data["payload"]["progress"]["steps"], 16)


def wait_until(condition, process):
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, "the run ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.mostly_slow(quick=1, slow=1)
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL")
@pytest.mark.parametrize(
    ("name", "cycles"),
    [("exact", False), *((name, cycles) for name in ("rational", "float64", "bfloat16") for cycles in (False, True))],
)
def test_a_run_that_was_killed_again_and_again_goes_on_as_if_in_one_go(file, name, cycles):
    network = odometer(9, 8)
    max_steps, record = {"float64": (10_000_000, 10_000), "bfloat16": (400_000, 1000)}.get(name, (60_000, 40))
    if cycles:
        network = odometer(*{"float64": (5, 20), "bfloat16": (5, 10), "rational": (4, 10)}[name], preperiod=17)
    elif name in ("exact", "rational"):
        network = siegelmann_sontag(load("sweeper")).network
    save_network(network, file.with_suffix(".json"))
    rng = random.Random(max_steps)
    done = 0
    for _ in range(3):
        arguments = (str(file.with_suffix(".json")), name.upper(), str(max_steps), str(record), str(file))
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments])
        try:
            wait_until(lambda before=done: file.exists() and steps_in(file) > before, process)
            time.sleep(rng.uniform(0, 0.1))
        finally:
            process.kill()
            process.wait()
        done = steps_in(file)
    options = {"arithmetic": ARITHMETICS[name], "max_steps": None if cycles else max_steps, "record": record}
    result = run(network, checkpoint=file, **options)
    assert result.resumed_from == done > 0
    assert result.outcome is (Outcome.NON_HALTING if cycles else Outcome.STEP_LIMIT)
    assert everything(result) == everything(run(network, **options))


DYING = """
import os, sys
import exactnn as xn
function, call, when, path = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
original, calls = getattr(os, function), 0
def dying(*arguments):
    global calls
    calls += 1
    if calls == call and when == "before":
        os._exit(99)
    result = original(*arguments)
    if calls == call:
        os._exit(99)
    return result
setattr(os, function, dying)
net = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
xn.run(net, [1, 2, 2, 3, 3, 3, 0], max_steps=5, checkpoint=path)
"""


@pytest.mark.parametrize(
    ("function", "call", "when", "left"),
    [
        ("fsync", 1, "before", None),
        ("replace", 1, "before", None),
        ("replace", 1, "after", 0),
        ("fsync", 2, "before", 0),
        ("fsync", 3, "before", 0),
        ("fsync", 3, "after", 0),
        ("replace", 2, "before", 0),
        ("replace", 2, "after", 5),
        ("fsync", 4, "before", 5),
    ],
)
def test_a_process_that_dies_while_it_writes_leaves_the_old_file_or_the_new_one(file, function, call, when, left):
    """The slices here are far shorter than the interval, so the file is written at the beginning and at the end."""
    arguments = [sys.executable, "-c", DYING, function, str(call), when, str(file)]
    assert subprocess.run(arguments, timeout=300, check=False).returncode == 99
    assert (steps_in(file) if file.exists() else None) == left
    result = run(COUNTER, WORD, checkpoint=file)
    assert result.resumed_from == left
    assert everything(result) == everything(run(COUNTER, WORD))


def interrupt_at_line(number, hit, files):
    """Return a trace function that raises KeyboardInterrupt at the n-th line of these files that is run."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            count += 1
            if count == number:
                hit.append(frame.f_code.co_name)
                raise KeyboardInterrupt
        return trace

    return trace


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # open() was interrupted
@pytest.mark.parametrize(
    ("modules", "line", "seconds"),
    [((checkpoint_module, progress_module, whole_file), line, 0) for line in range(40, 240, 3)]
    + [((driver, walk), line, 60) for line in range(90, 170)],
)
def test_ctrl_c_at_any_line_leaves_a_file_to_go_on_from(file, modules, line, seconds, monkeypatch):
    monkeypatch.setattr(checkpoint_module, "SHARE", 1)
    expected = run(COUNTER, WORD, record="all")
    hit = []
    previous = sys.gettrace()
    sys.settrace(interrupt_at_line(line, hit, {module.__file__ for module in modules}))
    try:
        with suppress(KeyboardInterrupt):  # before the first step there is no result
            result = run(COUNTER, WORD, record="all", checkpoint=file, checkpoint_seconds=seconds)
            assert list(result.outputs) == list(expected.outputs)[: result.steps]
    finally:
        sys.settrace(previous)
    assert hit, "no line was interrupted"
    assert everything(run(COUNTER, WORD, record="all", checkpoint=file)) == everything(expected)


def test_ctrl_c_while_the_last_file_is_written_does_not_lose_the_result(file, monkeypatch):
    original = os.replace

    def interrupted(source, target):
        if steps_in(Path(source)) == 7:
            raise KeyboardInterrupt
        original(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    result = run(COUNTER, WORD, checkpoint=file)
    assert (result.outcome, result.steps) == (Outcome.COMPLETED, 7)
    assert "writing it was interrupted" in result.engine
    assert steps_in(file) == 0
    assert os.listdir(file.parent) == [file.name]


# Files that are none of this run


def check_refused(file, match, network=COUNTER, word=WORD, **options):
    content = file.read_bytes()
    with pytest.raises(CheckpointError, match=match) as caught:
        run(network, word, checkpoint=file, **options)
    assert file.name in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 600
    assert file.read_bytes() == content
    assert os.listdir(file.parent) == [file.name]


@pytest.fixture
def half(file):
    """The checkpoint file of a run of COUNTER on WORD that was stopped, with a trace."""
    run(COUNTER, WORD, max_steps=5, record="all", checkpoint=file)
    return file


OTHERS = {
    "network": {"network": SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[2])},
    "word": {"word": [1, 2, 2, 3, 3, 3, 1]},
    "word, longer": {"word": [*WORD, 0]},
    "record": {"record": 2},
    "record, none": {"record": "outputs"},
    "arithmetic": {"arithmetic": FLOAT64},
    "arithmetic, narrower": {"arithmetic": FLOAT32},
}


@pytest.mark.parametrize("what", OTHERS)
def test_the_file_of_another_run_is_refused(half, what):
    options = {"record": "all", **OTHERS[what]}
    check_refused(half, f"of a run with another {what.split(',')[0]}.*: give another file name, or delete", **options)


def test_float_formats_differ_by_their_parameters(half):
    one, other = (FloatFormat(precision=p, exponent_bits=8, name="float32") for p in (24, 25))
    fields = [checkpoint_module.identity_of(COUNTER, [], arithmetic, None) for arithmetic in (one, other, FLOAT32)]
    assert fields[0] == fields[2] != fields[1]


@pytest.mark.parametrize("record", ["all", 1, "every-1"])
def test_one_option_written_in_several_ways_is_the_same_run(half, record):
    assert run(COUNTER, WORD, record=record, checkpoint=half).resumed_from == 5


def test_a_truncated_file_is_refused(half):
    content = half.read_bytes()
    for size in range(0, len(content), 10):
        half.write_bytes(content[:size])
        check_refused(half, "not a checkpoint file", record="all")
    half.write_bytes(content)
    assert run(COUNTER, WORD, record="all", checkpoint=half).resumed_from == 5


def test_a_changed_byte_is_refused(half):
    content = half.read_bytes()
    for position in range(0, len(content), 7):
        half.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        check_refused(half, "damaged|not a checkpoint file|SHA-256|version", record="all")


NO_CHECKPOINTS = {
    "empty": b"",
    "text": b"once upon a time",
    "latin": b'{"format": "\xe4"}',
    "list": b"[]",
    "number": b"17",
    "null": b"null",
    "deep": b"[" * 100_000,
    "digits": b'{"format": "exactnn checkpoint", "version": ' + b"9" * 5000 + b"}",
    "network file": b'{"format": "exactnn network", "version": 1}',
    "version 2": b'{"format": "exactnn checkpoint", "version": 2}',
    "version 3": b'{"format": "exactnn checkpoint", "version": 3}',
    "version true": b'{"format": "exactnn checkpoint", "version": true}',
    "no hash": b'{"format": "exactnn checkpoint", "version": 1}',
    "no payload": canonical(
        {"format": "exactnn checkpoint", "version": 1, "sha256": sha256(b"null").hexdigest(), "payload": None}
    ).encode(),
}


@pytest.mark.parametrize("name", NO_CHECKPOINTS)
def test_any_other_file_is_refused_and_left_alone(file, name):
    file.write_bytes(NO_CHECKPOINTS[name])
    check_refused(file, "not a checkpoint file|not UTF-8|version|damaged|which run")


def test_a_file_of_an_older_version_is_refused_with_both_numbers(file):
    file.write_bytes(NO_CHECKPOINTS["version 2"])
    check_refused(
        file,
        f'"version" is 2; this exactnn reads version {checkpoint_module.VERSION}: .* delete the file to begin anew',
    )


def progress_of(payload):
    return payload["progress"]


HUGE = "0x" + "f" * 10**6


def nine_steps(payload):
    """Go on beyond the word, with everything else in agreement."""
    progress = payload["progress"]
    progress.update(steps="0x9", outputs=[["0x1", "0x9"]], records=[["0x1"]] * 10)


FORGED = {
    "no identity": lambda p: p.update(identity=None),
    "no progress": lambda p: p.update(progress=None),
    "a list": lambda p: p.update(progress=[]),
    "a key more": lambda p: progress_of(p).update(more=1),
    "a key less": lambda p: progress_of(p).pop("state"),
    "steps as a number": lambda p: progress_of(p).update(steps=5),
    "steps below 0": lambda p: progress_of(p).update(steps="-0x1"),
    "steps beyond the word": nine_steps,
    "steps without end": lambda p: progress_of(p).update(steps=HUGE),
    "steps unlike the outputs": lambda p: progress_of(p).update(steps="0x4"),
    "outputs without end": lambda p: progress_of(p).update(outputs=[["0x1", HUGE]]),
    "outputs that are no list": lambda p: progress_of(p).update(outputs={}),
    "an output that is no pair": lambda p: progress_of(p).update(outputs=[["0x1"]]),
    "an output that is a float": lambda p: progress_of(p)["outputs"][0].__setitem__(0, "0x1.8000000000000p+0"),
    "an output that is a vector": lambda p: progress_of(p)["outputs"][0].__setitem__(0, ["0x1"]),
    "negative repetitions": lambda p: progress_of(p).update(outputs=[["0x1", "0x6"], ["0x2", "-0x1"]]),
    "a record less": lambda p: progress_of(p)["records"].pop(),
    "a record of another size": lambda p: progress_of(p)["records"].__setitem__(0, []),
    "records that are no list": lambda p: progress_of(p).update(records=None),
    "a state of another size": lambda p: progress_of(p).update(state=["0x1", "0x1"]),
    "a state of a float": lambda p: progress_of(p).update(state=["nan"]),
    "a state of a number": lambda p: progress_of(p).update(state=[1]),
    "seconds below 0": lambda p: progress_of(p).update(seconds="-0x1.0000000000000p+0"),
    "endless seconds": lambda p: progress_of(p).update(seconds="inf"),
    "seconds that are no number": lambda p: progress_of(p).update(seconds="nan"),
}


@pytest.mark.parametrize("name", FORGED)
def test_contents_that_no_run_writes_are_refused_though_the_hash_is_right(half, name):
    half.write_text(forged(half.read_text(), FORGED[name]))
    check_refused(half, "run.checkpoint", record="all")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["0x1", "nan", "-0x1/0x2"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", ARITHMETICS)
@given(st.data())
def test_whatever_stands_in_the_file_there_is_a_run_or_an_error_with_a_message(name, data):
    options = {"arithmetic": ARITHMETICS[name], "record": "all"}

    def change(payload):
        place, key = payload, "progress"
        while isinstance(place[key], (dict, list)) and place[key] and data.draw(st.booleans()):
            place = place[key]
            key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        place[key] = data.draw(JSON)

    with TemporaryDirectory() as folder:
        file = Path(folder, "file")
        run(ANBN, "aabb", max_steps=6, checkpoint=file, **options)
        file.write_text(forged(file.read_text(), change))
        with suppress(ExactnnError):
            assert run(ANBN, "aabb", max_steps=6, checkpoint=file, **options).resumed_from == 6


def test_the_size_of_a_file_is_bounded_on_both_sides(half, monkeypatch):
    with half.open("r+b") as file:
        file.truncate(checkpoint_module.SIZE_LIMIT + 1)  # takes no room on the disk
    with pytest.raises(CheckpointError, match=f"has {2**31 + 1} bytes, and up to {2**31} are read"):
        run(COUNTER, WORD, record="all", checkpoint=half)
    assert half.stat().st_size == 2**31 + 1
    half.unlink()
    run(COUNTER, WORD, max_steps=0, record="all", checkpoint=half)
    most = half.stat().st_size + 20
    monkeypatch.setattr(checkpoint_module, "SIZE_LIMIT", most)
    with pytest.raises(CheckpointError, match=rf"the progress at step \d takes .* bytes, and .* may have {most}"):
        run(COUNTER, WORD, record="all", checkpoint=half)
    monkeypatch.undo()
    assert run(COUNTER, WORD, record="all", checkpoint=half).resumed_from == 0


# Places that are no file


def test_a_folder_is_no_checkpoint_file(tmp_path):
    with pytest.raises(CheckpointError, match="is not a regular file"):
        run(COUNTER, WORD, checkpoint=tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_pipe_is_no_checkpoint_file(file):
    os.mkfifo(file)
    with pytest.raises(CheckpointError, match="is not a regular file"):
        run(COUNTER, WORD, checkpoint=file)


@pytest.mark.parametrize("place", ["missing/file", "taken/file", "n" * 300])
def test_a_place_where_nothing_can_be_written_is_an_error_before_the_first_step(tmp_path, place):
    (tmp_path / "taken").write_text("a file")
    seen = []
    with pytest.raises(CheckpointError, match=r"cannot (write|read) '.*': .*: (choose|give) a file"):
        run(COUNTER, WORD, checkpoint=tmp_path / place, progress=seen.append)
    assert seen == []
    assert os.listdir(tmp_path) == ["taken"]


@contextmanager
def not_as_root():
    """Be nobody for a while, if this is root, to whom nothing is forbidden."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="has no users")
def test_a_folder_that_is_read_only_is_an_error(tmp_path):
    run(COUNTER, WORD, checkpoint=tmp_path / "file")  # what it imports, nobody may not be allowed to read
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        with not_as_root():
            assert os.listdir(folder) == []
            with pytest.raises(CheckpointError, match="Permission denied"):
                run(COUNTER, WORD, checkpoint=Path(folder) / "file")
            assert os.listdir(folder) == []
        Path(folder).chmod(0o755)


@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_a_disk_that_is_full_leaves_the_old_file_and_no_other(half, function, monkeypatch):
    content = half.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, function, full)
    with pytest.raises(CheckpointError, match=r"cannot write .*: No space left on device: choose"):
        run(COUNTER, WORD, record="all", checkpoint=half)
    assert half.read_bytes() == content
    assert os.listdir(half.parent) == [half.name]


@pytest.mark.parametrize("path", [5, b"file", True, "a\0b", ["file"]], ids=repr)
def test_what_is_no_file_name_is_refused(path):
    with pytest.raises((OptionError, CheckpointError), match="give a file"):
        run(COUNTER, WORD, checkpoint=path)


@pytest.mark.parametrize("seconds", [-1, float("nan"), "60", None, True], ids=repr)
def test_what_is_no_interval_is_refused(file, seconds):
    with pytest.raises(OptionError, match=r"checkpoint_seconds=.*: give a number of seconds of at least 0"):
        run(COUNTER, WORD, checkpoint=file, checkpoint_seconds=seconds)
    assert not file.exists()


@pytest.mark.parametrize("seconds", [0, 0.5, 10**400, float("inf")], ids=repr)
def test_any_other_interval_is_one(file, seconds):
    assert run(COUNTER, WORD, checkpoint=file, checkpoint_seconds=seconds).outputs[-1] == 14
