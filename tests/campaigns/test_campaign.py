"""Campaigns: pure units, a ledger, executors that lose workers."""

import hashlib
import multiprocessing
import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.campaigns import Campaign, Ledger, Processes, Unit
from exactnn.campaigns.unit import digest_of_subject
from exactnn.errors import CampaignError, CheckpointError, OptionError
from tests.campaigns.pieces import (
    AtHome,
    Counted,
    Counting,
    Deadly,
    Endless,
    Leaving,
    Local,
    Long,
    NoJson,
    Shifted,
    Spelled,
    Square,
    Unplain,
    Wrong,
    WrongCall,
    forge,
    total,
)


@pytest.fixture(scope="module")
def processes():
    with Processes(2) as executor:
        yield executor


def squares(count, **more):
    return [Square(n, **more) for n in range(count)]


def export(path):
    """Return the digest of everything in a ledger but the times."""
    with Ledger(path) as ledger:
        text = repr([(unit.key, unit.identity, unit.row, unit.error) for unit in ledger.all()])
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("unit", [Square(3), Shifted(2), Shifted(2, (3, "b"), 0.1)])
def test_a_unit_survives_pickle_and_has_the_same_key_in_another_process(unit):
    assert pickle.loads(pickle.dumps(unit)) == unit
    program = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).key.hex())"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program], input=pickle.dumps(unit), capture_output=True, check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
        )  # fmt: skip
        assert done.stdout.decode().strip() == unit.key.hex()


def test_keys_differ_where_anything_differs():
    @dataclass(frozen=True)
    class Later(Square):
        version = 2

    units = [Square(1), Square(2), Later(1), Shifted(1), Shifted(2), Shifted(1, (1, "b")), Shifted(1, share=0.25)]
    assert len({unit.key for unit in units}) == len(units)
    with pytest.raises(OptionError, match="Unplain has number=\\[1\\]: a unit has fields of text"):
        Unplain([1]).key  # noqa: B018


def test_all_executors_and_stores_give_the_same(processes, tmp_path):
    campaign = Campaign([Shifted(n) for n in range(20)], subject={"shift": 7}, size=3)
    here = campaign.run(store=tmp_path / "here")
    assert [row for _, row in here.result] == [[n + 7, [1, "a"]] for n in range(20)]
    assert (here.computed, here.kept, here.failed, here.complete) == (20, 0, (), True)
    with ThreadPoolExecutor(3) as threads:
        for name, executor in (("threads", threads), ("processes", processes)):
            assert campaign.run(executor=executor, store=tmp_path / name) == here
            assert export(tmp_path / name) == export(tmp_path / "here")
            kept = campaign.run(executor=executor, store=tmp_path / name)
            assert (kept.result, kept.computed, kept.kept) == (here.result, 0, 20)


def test_a_campaign_that_asks_for_more_computes_the_rest(tmp_path):
    folder = tmp_path / "ran"
    folder.mkdir()
    Campaign(squares(4, folder=str(folder)), total).run(store=tmp_path / "store")
    more = Campaign(squares(7, folder=str(folder)), total).run(store=tmp_path / "store")
    assert (more.result, more.computed, more.kept) == (91, 3, 4)
    assert sorted(int(path.name.split()[0]) for path in folder.iterdir()) == list(range(7))


@given(st.permutations(range(12)), st.integers(1, 5), st.integers(0, 12))
def test_any_order_and_size_merges_to_the_same(order, size, first):
    class Shuffled(Executor):
        """Runs what was submitted when all is, in an order of its own."""

        workers = 5

        def __init__(self):
            self.calls = []

        def submit(self, function, *args):
            future = Future()
            try:
                future.set_result(function(*args))
            except BaseException as error:
                future.set_exception(error)
            return future

    units = [Shifted(n) for n in order]
    result = Campaign(units, dict, subject={"shift": 1}, size=size).run(executor=Shuffled())
    assert result.result == {Shifted(n): [n + 1, [1, "a"]] for n in range(12)}
    assert list(result.result) == units


class Foreign(Executor):
    """Answers with what it was made with, and calls nothing."""

    def __init__(self, answer):
        self.submit = lambda function, task: answer() if callable(answer) else answer


def answered(value):
    future = Future()
    future.set_result(value)
    return future


@pytest.mark.parametrize("value", [3, [], [1], "x", [None, None], (1,)])
def test_an_executor_that_answers_something_else_is_named(value):
    with pytest.raises(CampaignError, match="a future gives what the submitted function has returned"):
        Campaign(squares(3)).run(executor=Foreign(lambda: answered(value)))


@pytest.mark.parametrize("future", [None, 3, "done"])
def test_an_executor_that_gives_no_future_is_named(future):
    with pytest.raises(CampaignError, match="submit returns a new Future each time"):
        Campaign(squares(3)).run(executor=Foreign(future))


class Recorded(ThreadPoolExecutor):
    """Records which units it is given together."""

    def submit(self, function, task):
        if task.subject is None:
            vars(self).setdefault("tasks", []).append([unit.number for unit in task.units])
        return super().submit(function, task)


def test_what_is_sent_together_is_of_one_group_whatever_was_there_before(tmp_path):
    units = [Square(n) for n in range(12)]
    Campaign([Square(n) for n in (4, 5, 9)]).run(store=tmp_path / "store")
    with Recorded(1) as executor:
        Campaign(units, size=4).run(executor=executor, store=tmp_path / "store")
    assert sorted(executor.tasks) == [[0], [1, 2, 3], [6, 7], [8, 10, 11]]


def test_every_thread_has_a_subject_of_its_own():
    with ThreadPoolExecutor(4) as threads:
        found = Campaign([Counted(n) for n in range(40)], subject=Counting()).run(executor=threads)
    rows = [row for _, row in found.result]
    assert 10 <= max(rows) <= 40
    assert rows.count(1) <= 4


def test_what_goes_wrong_in_a_unit_is_told_and_the_others_go_on(processes, tmp_path):
    units = [Square(1), Wrong(2), NoJson(3), Square(4)]
    for executor in (None, processes):
        store = tmp_path / str(executor is None)
        found = Campaign(units, total).run(executor=executor, store=store)
        assert (found.result, found.computed, found.complete) == (17, 4, True)
        (one, other) = found.failed
        assert (one.unit, one.error) == (Wrong(2), "ZeroDivisionError: unit 2")
        assert other.unit == NoJson(3)
        assert "not JSON serializable" in other.error
        again = Campaign(units, total).run(executor=executor, store=store)
        assert (again.computed, again.failed) == (0, found.failed)
        with Ledger(store) as ledger:
            assert ledger.forget_failures() == 2
        assert Campaign(units, total).run(executor=executor, store=store).computed == 2


def test_whatever_a_unit_raises_it_is_noted_and_the_others_go_on(processes, tmp_path):
    units = [WrongCall(2), Leaving("exit"), Leaving("close"), Leaving("cancel"), Square(3)]
    for executor in (None, processes):
        store = tmp_path / str(executor is None)
        found = Campaign(units, total).run(executor=executor, store=store)
        assert (found.result, found.complete) == (9, True)
        assert [failure.error for failure in found.failed] == [
            "OptionError: number=2: give another one", "SystemExit: 3", "GeneratorExit", "CancelledError",
        ]  # fmt: skip
        assert Campaign(units, total).run(store=store).failed == found.failed


def test_a_row_that_is_too_long_fails_alone(processes, tmp_path):
    for executor in (None, processes):
        found = Campaign([*squares(3), Long(70 << 20), Square(9)], list).run(executor=executor, store=tmp_path / "s")
        assert len(found.result) == 4
        assert [failure.error for failure in found.failed] == [
            "its row has 73,400,322 characters as JSON, and 67,108,864 are the most"
        ]
    with pytest.raises(OptionError, match=r"the identity of a unit has .* characters"):
        Campaign([Unplain("x" * (1 << 21))])


UNGUARDED = """
from exactnn.campaigns import Campaign, Processes
from tests.campaigns.pieces import Square
with Processes(2) as executor:
    Campaign([Square(n) for n in range(4)]).run(executor=executor, store="store")
"""


@pytest.mark.parametrize("way", ["file", "stdin"])
def test_a_script_that_cannot_start_processes_blames_no_unit(tmp_path, way):
    (tmp_path / "script.py").write_text(UNGUARDED)
    with (tmp_path / "script.py").open() as file:
        done = subprocess.run(
            [sys.executable, "script.py" if way == "file" else "-"], stdin=None if way == "file" else file,
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
            env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""},
        )  # fmt: skip
    assert done.returncode == 1
    assert "leaked" not in done.stderr
    begins = "exactnn.errors.CampaignError: the workers end before they do anything"
    (told,) = [line for line in done.stderr.splitlines() if line.startswith(begins)]
    assert 'if __name__ == "__main__":' in told
    found = Campaign(squares(4), total).run(store=tmp_path / "store")
    assert (found.kept, found.computed, found.failed) == (0, 4, ())


def test_a_process_that_has_only_begun_starts_none(monkeypatch):
    """It would make semaphores, and be killed before it gives them back."""
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(CampaignError, match="a process that has only begun cannot start others: a script that"):
        Processes(2)


@pytest.mark.parametrize(("unit", "message"), [(AtHome(3), "AttributeError: no such"), (Local(3), "cannot be sent")])
def test_a_unit_that_cannot_be_sent_is_an_error_of_the_call(processes, tmp_path, unit, message):
    with pytest.raises(CampaignError, match=message):
        Campaign([Square(2), unit]).run(executor=processes, store=tmp_path / "store")
    assert not Campaign([unit]).run(store=tmp_path / "store").failed


def test_a_unit_that_kills_its_worker_once_is_computed_again(tmp_path):
    units = [*squares(9), Deadly(1, always=False, folder=str(tmp_path))]
    with Processes(2) as executor:
        found = Campaign(units, list, size=2).run(executor=executor)
    assert (tmp_path / "died").exists()
    assert not found.failed
    assert [row for _, row in found.result][-1] == "survived"


def test_a_unit_that_always_kills_its_worker_is_told_and_the_others_are_done():
    with Processes(2) as executor:
        found = Campaign([*squares(5), Deadly(1), *(Shifted(n) for n in range(5))], list, subject={"shift": 0}).run(
            executor=executor
        )
    assert [failure.unit for failure in found.failed] == [Deadly(1)]
    assert "its worker died" in found.failed[0].error
    assert len(found.result) == 10


def test_a_pool_that_breaks_while_a_process_is_started(monkeypatch):
    """Its connections are closed then, and what starts the process says so by an OSError."""
    with Processes(1) as executor:
        first, submit = executor._pool, ProcessPoolExecutor.submit

        def breaking(pool, *given):
            if pool is first:
                executor._context.Process(target=print)  # one that was never started
                raise OSError("handle is closed")
            return submit(pool, *given)

        monkeypatch.setattr(ProcessPoolExecutor, "submit", breaking)
        assert executor.submit(pow, 2, 10).result() == 1024
        executor.kill()
        assert executor.submit(pow, 2, 3).result() == 8


def test_a_pool_that_breaks_while_a_second_process_starts(monkeypatch):
    """The pool's own thread goes through the processes that it ends, and none may be added just then: it would fail,
    which is a warning here, and fails this test."""
    start, terminate, started, ending = SpawnProcess.start, SpawnProcess.terminate, [], threading.Event()

    def start_slowly(process):
        started.append(process)
        start(process)
        if len(started) == 2:
            ending.wait(2)

    def terminate_slowly(process):
        ending.set()
        time.sleep(0.2)
        terminate(process)

    monkeypatch.setattr(SpawnProcess, "start", start_slowly)
    monkeypatch.setattr(SpawnProcess, "terminate", terminate_slowly)
    before = threading.enumerate()
    with Processes(2) as executor:
        futures = [executor.submit(os._exit, 1), executor.submit(pow, 2, 10)]
        assert isinstance(futures[0].exception(), BrokenProcessPool)
        assert isinstance(futures[1].exception(), BrokenProcessPool | None)
        assert executor.submit(pow, 2, 3).result() == 8
    for thread in threading.enumerate():
        if thread not in before:
            thread.join(10)


def test_workers_that_are_killed_at_random_change_nothing(tmp_path):
    units = squares(60, seconds=0.01)
    rng, kills = random.Random(1), 0
    with Processes(2) as executor:

        def kill(done):
            nonlocal kills
            alive = [process for process in executor._context.started if process.is_alive()]
            if kills < 3 and alive and rng.random() < 0.1:
                rng.choice(alive).kill()
                kills += 1

        found = Campaign(units, total).run(executor=executor, store=tmp_path / "store", progress=kill)
    assert kills == 3
    assert (found.result, found.failed) == (sum(n * n for n in range(60)), ())
    Campaign(units, total).run(store=tmp_path / "other")
    assert export(tmp_path / "store") == export(tmp_path / "other")


CLIENT = """
from concurrent.futures import ThreadPoolExecutor
from exactnn.campaigns import Campaign, Processes
from tests.campaigns.pieces import Square, total
if __name__ == "__main__":
    with Processes(2) as executor:
        campaign = Campaign([Square(n, seconds=0.05) for n in range(80)], total)
        found = campaign.run(executor=executor, store="store", progress=lambda done: print(done, flush=True))
    print(found.complete, found.computed, flush=True)
"""


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGINT])
def test_a_client_that_is_stopped_goes_on_where_it_was(tmp_path, way):
    (tmp_path / "client.py").write_text(CLIENT)
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""}
    client = subprocess.Popen(
        [sys.executable, "client.py"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert client.stdout is not None
    while int(client.stdout.readline()) < 50:
        pass
    client.send_signal(way)
    rest = client.stdout.read().splitlines()
    code = client.wait(timeout=300)
    client.stdout.close()
    if way == signal.SIGINT:
        assert code == 0
        assert rest[-1].startswith("False ")
    campaign = Campaign(squares(80), total)
    found = campaign.run(store=tmp_path / "store")
    assert (found.result, found.complete) == (sum(n * n for n in range(80)), True)
    assert 0 < found.kept < 80
    assert found.computed == 80 - found.kept
    campaign.run(store=tmp_path / "whole")
    assert export(tmp_path / "store") == export(tmp_path / "whole")


def test_ctrl_c_stops_what_computes_here(tmp_path):
    def press(done):
        if done == 2:
            raise KeyboardInterrupt

    found = Campaign(squares(9), total).run(store=tmp_path / "store", progress=press)
    assert (found.complete, found.result, found.computed) == (False, 1, 2)
    began = time.monotonic()
    units = [Counted(0), Endless(1)]
    found = Campaign(units, subject=Counting()).run(progress=lambda done: signal.raise_signal(signal.SIGINT))
    assert (found.complete, found.result) == (False, [(Counted(0), 1)])
    assert time.monotonic() - began < 10


def test_an_executor_that_is_gone(tmp_path):
    with ThreadPoolExecutor(1) as threads:
        pass
    with pytest.raises(CampaignError, match=r"the executor is gone .*goes on from there"):
        Campaign(squares(2)).run(executor=threads)


def test_workers_of_another_version(processes, monkeypatch):
    monkeypatch.setattr("exactnn.campaigns.dispatch.__version__", "0.0.1")
    with pytest.raises(CampaignError, match=r"and the client 0\.0\.1: install the same version everywhere"):
        Campaign(squares(2)).run(executor=processes)


def test_progress_counts_all(tmp_path):
    told = []
    Campaign(squares(2)).run(store=tmp_path / "store")
    Campaign([*squares(5), Wrong(1)]).run(store=tmp_path / "store", progress=told.append)
    assert told == [2, 3, 4, 5, 6]


def test_a_unit_that_is_there_twice_counts_once():
    assert Campaign([Square(2), Square(2)], total).run().result == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Campaign([]), "units"),
        (lambda: Campaign([3]), "units has 3: give objects"),
        (lambda: Campaign(squares(1), merge=3), "merge=3"),
        (lambda: Campaign(squares(1), size=0), "size=0"),
        (lambda: Campaign(squares(1), subject=lambda: 0), "cannot be pickled"),
        (lambda: Campaign(squares(1)).run(executor=2), "executor=2: give an executor"),
        (lambda: Campaign(squares(1)).run(progress=2), "progress=2"),
        (lambda: Processes(0), "jobs=0"),
        (lambda: Processes("2"), "jobs='2'"),
    ],
)
def test_wrong_options(call, message):
    with pytest.raises(OptionError, match=message):
        call()


def test_abstract_units():
    with pytest.raises(TypeError, match="abstract"):
        Unit()


@pytest.mark.parametrize("content", [b"my notes", b"{}\n", b"SQLite format 3\0 and more", b"SQLite format 3"])
def test_a_foreign_file_is_left_alone(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"something else|cannot be read|not a database"):
        Campaign(squares(1)).run(store=path)
    assert path.read_bytes() == content


def database(path, *commands):
    with sqlite3.connect(path) as connection:
        for command in commands:
            connection.execute(command)
    connection.close()


def test_a_database_of_something_else(tmp_path):
    database(tmp_path / "other", "CREATE TABLE units (key)")
    with pytest.raises(CheckpointError, match="a database of something else"):
        Ledger(tmp_path / "other")
    Ledger(tmp_path / "ours").__exit__()
    trigger = "CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM units; END"
    database(tmp_path / "ours", trigger)
    with pytest.raises(CheckpointError, match="a database of something else"):
        Ledger(tmp_path / "ours")


@pytest.mark.parametrize(
    "change", ["line='{'", "line=NULL", "identity='[]'", "identity='{}'", "seconds='x'", "line=x'00'", "error='e'"]
)
def test_damaged_rows(tmp_path, change):
    path = tmp_path / "store"
    Campaign(squares(1)).run(store=path)
    for spoil in (database, forge):
        spoil(path, f"UPDATE units SET {change}")
        with pytest.raises(CheckpointError, match="damaged"):
            Campaign(squares(1)).run(store=path)


@pytest.mark.parametrize("name", ["a\0b", "/dev/zero", ".", "missing/store"])
def test_files_that_cannot_be_stores(name):
    with pytest.raises(CheckpointError):
        Ledger(name)


def test_two_clients_share_a_ledger(tmp_path):
    path = tmp_path / "store"
    with ThreadPoolExecutor(2) as threads:
        futures = [threads.submit(Campaign(squares(200), total).run, store=path) for _ in range(2)]
        assert {future.result().result for future in futures} == {sum(n * n for n in range(200))}
    with Ledger(path) as ledger:
        (summary,) = ledger.summaries()
    assert (summary.kind, summary.done, summary.failed) == ("square", 200, 0)


class Growing(ThreadPoolExecutor):
    """Says that it has other workers than it has, as a cluster does whose workers come later."""

    def __init__(self, workers):
        super().__init__(2)
        self.workers = workers


@pytest.mark.parametrize("workers", [0, -1, None, "x"])
def test_an_executor_without_workers_yet_computes_all(workers):
    with Growing(workers) as executor:
        found = Campaign(squares(50), total).run(executor=executor)
    assert (found.complete, found.computed, found.result) == (True, 50, sum(n * n for n in range(50)))


@dataclass(frozen=True)
class Raising(Unit):
    number: int

    def run(self, subject):
        if self.number == 1:
            raise ValueError("\udcff\0" + "x" * 10**6)
        if self.number == 2:
            raise TextlessError
        return self.number


class TextlessError(Exception):
    def __str__(self):
        raise RuntimeError


def test_errors_of_any_text_are_kept(tmp_path):
    for _ in range(2):
        found = Campaign([Raising(n) for n in range(4)]).run(store=tmp_path / "store")
        assert [row for _, row in found.result] == [0, 3]
        assert [failure.error[:24] for failure in found.failed] == [
            "ValueError: \\udcff\\x00xxx"[:24],
            "TextlessError: an error ",
        ]


def test_ctrl_c_while_kept_units_are_told(tmp_path):
    def press(done):
        raise KeyboardInterrupt

    Campaign(squares(3), total).run(store=tmp_path / "store")
    found = Campaign(squares(5), total).run(store=tmp_path / "store", progress=press)
    assert (found.result, found.computed, found.kept, found.complete) == (5, 0, 3, False)
    assert Campaign(squares(3), total).run(store=tmp_path / "store", progress=press).complete


def test_ctrl_c_leaves_no_traceback_of_the_pool(tmp_path):
    (tmp_path / "client.py").write_text(CLIENT)
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""}
    for _ in range(2):
        client = subprocess.Popen(
            [sys.executable, "client.py"], cwd=tmp_path, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        (tmp_path / "store").unlink(missing_ok=True)
        assert client.stdout is not None
        while int(client.stdout.readline()) < 10:
            pass
        client.send_signal(signal.SIGINT)
        assert client.communicate()[1] == ""


def test_a_row_that_a_disk_has_changed_is_told(tmp_path):
    path = tmp_path / "store"
    Campaign(squares(3), total).run(store=path)
    database(path, "UPDATE units SET line = replace(line, ':4', ':5')")
    with pytest.raises(CheckpointError, match=r"damaged at .*\"square\":5"):
        Campaign(squares(3), total).run(store=path)
    database(path, "DELETE FROM units")
    assert Campaign(squares(3), total).run(store=path).computed == 3


def test_a_store_without_check_sums_gets_them(tmp_path):
    path = tmp_path / "store"
    Campaign([*squares(3), Wrong(1)]).run(store=path)
    database(path, "ALTER TABLE units DROP COLUMN digest")
    again = Campaign([*squares(4), Wrong(1)]).run(store=path)
    assert (again.kept, again.computed, len(again.failed)) == (4, 1, 1)
    database(path, "UPDATE units SET seconds = seconds + 1")
    with pytest.raises(CheckpointError, match="damaged"):
        Campaign(squares(3)).run(store=path)


def test_a_row_that_vanishes_is_told(tmp_path):
    path = tmp_path / "store"
    Campaign(squares(3)).run(store=path)
    units = [Square(0), Square(1), Square(5)]
    with pytest.raises(CheckpointError, match="has lost the row of Square"):
        Campaign(units).run(
            store=path,
            progress=lambda done: database(path, "DELETE FROM units WHERE key IN (SELECT key FROM units LIMIT 2)"),
        )


def test_who_reads_does_not_end_a_campaign(tmp_path, monkeypatch):
    monkeypatch.setattr("exactnn.campaigns.ledger.PAUSE", 0.0)
    monkeypatch.setattr("exactnn.campaigns.ledger.SHORTLY", 0.05)
    path = tmp_path / "store"
    Campaign(squares(3)).run(store=path)
    reader = sqlite3.connect(path, check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM units").fetchone()
    timer = threading.Timer(1, reader.close)
    timer.start()
    found = Campaign(squares(30), total).run(store=path)
    timer.join()
    assert (found.result, found.computed) == (sum(n * n for n in range(30)), 27)
    assert Campaign(squares(30), total).run(store=path).kept == 30
    monkeypatch.setattr("exactnn.campaigns.ledger.PATIENCE", 0)
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM units").fetchone()
    with pytest.raises(CheckpointError, match="another program has it open: try again when that has ended"):
        Campaign(squares(31), total).run(store=path)
    reader.close()


def test_all_rows_are_read_in_pieces_and_nobody_waits(tmp_path, monkeypatch):
    monkeypatch.setattr("exactnn.campaigns.ledger.PIECE", 7)
    path = tmp_path / "store"
    Campaign(squares(20)).run(store=path)
    with Ledger(path) as ledger:
        found = []
        for n, unit in enumerate(ledger.all()):
            found.append(unit.row["square"])
            if n == 3:
                database(path, "DELETE FROM units WHERE line LIKE '%\"square\":361,%'")
    assert sorted(found) == [n * n for n in range(19)]


def test_what_helps_depends_on_what_is_wrong(tmp_path, monkeypatch):
    path = tmp_path / "store"
    Campaign(squares(3)).run(store=path)

    def told(name):
        def fail(self):
            error = sqlite3.OperationalError("it hurt")
            error.sqlite_errorcode = getattr(sqlite3, name)
            raise error

        monkeypatch.setattr(Ledger, "_is_ours", fail)
        with pytest.raises(CheckpointError, match="it hurt: ") as caught:
            Ledger(path)
        return str(caught.value).rpartition("it hurt: ")[2]

    assert "delete" in told("SQLITE_CORRUPT")
    for name in ("SQLITE_BUSY", "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_NOTADB", "SQLITE_IOERR_WRITE"):
        assert "delete" not in told(name)


def test_parts_hold_what_units_tell(processes, tmp_path):
    polars = pytest.importorskip("polars")
    units, folder = [*(Spelled(word) for word in ("ab", "c")), Wrong(3)], tmp_path / "parts"
    for executor in (None, processes):
        found = Campaign(units).run(executor=executor, store=tmp_path / "store", keep=folder)
        assert (len(found.result), len(found.failed)) == (2, 1)
        assert len(list(folder.iterdir())) == 2
    assert found.kept == 3
    rows = polars.read_parquet(folder / "Spelled-*.parquet").sort("word", "place").to_dicts()
    letters = [("ab", 0, "a"), ("ab", 1, "b"), ("c", 0, "c")]
    assert [(row["word"], row["place"], row["letter"]) for row in rows] == letters
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    next(folder.iterdir()).unlink()
    again = Campaign(units).run(executor=processes, store=tmp_path / "store", keep=folder)
    assert (again.computed, again.kept) == (1, 2)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_folders_of_parts_that_cannot_be(tmp_path, monkeypatch):
    pytest.importorskip("polars")
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="is no folder"):
        Campaign(squares(1)).run(keep=tmp_path / "file")
    monkeypatch.setattr("exactnn.campaigns.worker.write_part", lambda *given: None)
    with pytest.raises(CampaignError, match="lacks 2 parts that workers have written"):
        Campaign(squares(2)).run(keep=tmp_path / "parts")


@dataclass(frozen=True)
class Nested(Unit):
    number: object

    def run(self, subject):
        return 0


class Bare(Unit):
    def run(self, subject):
        return 0


def test_units_without_a_key_are_refused():
    deep = ()
    for _ in range(100_000):
        deep = (deep,)
    for unit in (Nested(10**5000), Nested(deep), Bare()):
        with pytest.raises(OptionError):
            Campaign([unit]).run()


@dataclass(frozen=True)
class Added(Unit):
    number: int

    def run(self, subject):
        return self.number + subject


@dataclass(frozen=True)
class Named(Unit):
    subject: str

    def run(self, subject):
        return self.subject


@dataclass(frozen=True)
class AddedByName(Added):
    names_subject = True


def test_a_store_keeps_the_rows_of_each_subject_apart(tmp_path):
    def results(kind, subject):
        found = Campaign([kind(n) for n in range(3)], subject=subject).run(store=tmp_path / "store")
        assert [type(unit) for unit, _ in found.result] == [kind] * 3
        return [row for _, row in found.result], found.computed

    assert results(Added, 10) == ([10, 11, 12], 3)
    assert results(Added, 20) == ([20, 21, 22], 3)
    assert results(Added, 10) == ([10, 11, 12], 0)
    assert results(AddedByName, 10) == ([10, 11, 12], 3)
    assert results(AddedByName, 20) == ([10, 11, 12], 0)  # whoever says that it names all of it is believed
    named = Campaign([Named("a"), Named("b")], subject=1).run(store=tmp_path / "store").result
    assert [row for _, row in named] == ["a", "b"]
    failed = Campaign([Added(1)], subject="text").run(store=tmp_path / "store").failed
    assert failed[0].unit == Added(1)


ITSELF = [1]
ITSELF.append(ITSELF)


@pytest.mark.parametrize("subject", [{"a", "bc", "d"}, ("x", frozenset({"p", "q"})), [10**30, {"k": 0.5}], ITSELF])
def test_the_digest_of_a_subject_is_the_same_in_another_process(subject):
    code = "import pickle, sys; from exactnn.campaigns.unit import *; "
    code += "print(digest_of_subject(pickle.load(sys.stdin.buffer)))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], input=pickle.dumps(subject), capture_output=True, check=True,
            env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "", "PYTHONHASHSEED": seed},
        ).stdout.decode().strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert texts == {digest_of_subject(subject)}


def test_the_digest_of_a_network_does_not_change_with_its_runs():
    network = xn.compile("parity").network
    before = digest_of_subject(network)
    xn.run(network, "0110")
    assert digest_of_subject(network) == before == digest_of_subject(pickle.loads(pickle.dumps(network)))
    assert digest_of_subject(xn.compile("anbn").network) != before
