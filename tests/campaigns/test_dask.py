"""Campaigns on the workers of a Dask cluster: the same bytes, whatever dies."""

import asyncio
import importlib
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import exactnn as xn
from exactnn.campaigns import Campaign, Processes, on_dask
from exactnn.errors import CampaignError, OptionError
from exactnn.files import forget_once
from exactnn.precision import verdict_sweep
from tests.campaigns.pieces import AtHome, Counted, Counting, Deadly, Leaving, Square, Wrong, WrongCall, total
from tests.campaigns.test_campaign import export, squares

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cluster():
    settings = {"distributed.scheduler.allowed-failures": 1, "distributed.comm.timeouts.connect": "5s"}
    with (
        importlib.import_module("dask").config.set(settings),
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50) as found,
    ):
        yield found


@pytest.fixture
def executor(cluster):
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=300)  # one that a test killed is begun anew
        with on_dask(client) as found:
            yield found


def test_a_sweep_is_the_same_everywhere(executor, tmp_path):
    network = xn.siegelmann_sontag(xn.load("palindrome"))
    formats = [xn.FLOAT16, xn.FLOAT32, xn.FixedPoint(integer_bits=8, fraction_bits=8)]

    def sweep(name, runs_on):
        store = tmp_path / name
        found = verdict_sweep(network, [2, 5, 11], formats, words=20, executor=runs_on, store=store)
        assert not found.failed, found.failed
        return found, export(store)

    here = sweep("here", None)
    assert here[0].complete
    with Processes(2) as processes:
        assert sweep("processes", processes) == here
    assert sweep("dask", executor) == here


def test_two_threads_of_a_worker_have_subjects_of_their_own(executor):
    found = Campaign([Counted(n) for n in range(100)], subject=Counting()).run(executor=executor)
    assert [row for _, row in found.result].count(1) <= 4


def test_whatever_units_raise_is_noted(executor):
    units = [Wrong(1), WrongCall(1), Leaving("exit"), Leaving("cancel"), *squares(3)]
    found = Campaign(units, total).run(executor=executor)
    assert found.result == 5
    assert [f.error for f in found.failed] == [
        "ZeroDivisionError: unit 1", "OptionError: number=1: give another one", "SystemExit: 3", "CancelledError",
    ]  # fmt: skip


def test_units_of_a_class_that_workers_have_not_got(executor, tmp_path):
    with pytest.raises(CampaignError, match="a worker cannot read what it is sent"):
        Campaign([AtHome(1), *squares(3)]).run(executor=executor, store=tmp_path / "store")
    assert Campaign([AtHome(1)]).run(store=tmp_path / "store").computed == 1


def test_a_worker_that_is_killed_changes_nothing(cluster, executor, tmp_path):
    ran = tmp_path / "ran"
    ran.mkdir()
    units = squares(60, folder=str(ran), seconds=0.05)
    killed = []

    def kill(done):
        if done >= 10 and not killed:
            killed.append(next(iter(cluster.workers.values())).process.process.pid)
            subprocess.run(["kill", "-9", str(killed[0])], check=True)

    found = Campaign(units, total).run(executor=executor, store=tmp_path / "store", progress=kill)
    assert killed
    assert (found.result, found.failed, found.computed) == (sum(n * n for n in range(60)), (), 60)
    assert len(list(ran.iterdir())) > 60
    Campaign(units, total).run(store=tmp_path / "whole")
    assert export(tmp_path / "store") == export(tmp_path / "whole")


def test_a_unit_that_kills_its_workers_is_told(executor):
    found = Campaign([Deadly(1), *squares(9)], list).run(executor=executor)
    assert [failure.unit for failure in found.failed] == [Deadly(1)]
    assert "KilledWorker" in found.failed[0].error
    assert len(found.result) == 9


def test_ctrl_c_leaves_nothing_at_the_scheduler(cluster, executor, tmp_path):
    timer = threading.Timer(1, signal.raise_signal, [signal.SIGINT])

    def press(done):
        if done == 3:
            timer.start()

    units = squares(500, seconds=0.05)
    found = Campaign(units, total).run(executor=executor, store=tmp_path / "store", progress=press)
    assert not found.complete
    assert 3 <= found.computed < 500
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        for _ in range(100):
            if not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
                break
            time.sleep(0.1)
        else:
            pytest.fail("tasks are left")
    rest = Campaign(units[:20], total).run(store=tmp_path / "store")
    assert rest.kept >= 3


SCHEDULER = """
import sys
import distributed
if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def test_a_scheduler_that_is_killed(tmp_path):
    (tmp_path / "scheduler.py").write_text(SCHEDULER)
    process = subprocess.Popen(
        [sys.executable, "scheduler.py"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        client = distributed.Client(process.stdout.readline().strip(), set_as_default=False, timeout="10s")
        units = squares(400, seconds=0.02)
        with pytest.raises(CampaignError, match="the executor is gone"):
            Campaign(units, total).run(
                executor=on_dask(client), store=tmp_path / "store", progress=lambda done: done == 20 and process.kill()
            )
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    client.close()
    found = Campaign(units[:60], total).run(store=tmp_path / "store")
    assert found.kept >= 20
    assert found.result == sum(n * n for n in range(60))


class Warm:
    """Leaves a file for each call."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self):
        (self.folder / str(time.time_ns())).touch()


def test_warming_up_once_per_node_and_on_nodes_that_come_later(cluster, tmp_path):
    with on_dask(cluster.scheduler_address, warm_up=Warm(tmp_path)) as executor:
        before = executor.workers
        assert before in (2, 4)  # one may be dead from the test before
        assert len(list(tmp_path.iterdir())) == 1
        forget_once(executor._plugin)  # as if the next one came on another node
        cluster.scale(3)
        for _ in range(300):
            if len(list(tmp_path.iterdir())) == 2:
                break
            time.sleep(0.1)
        assert len(list(tmp_path.iterdir())) == 2
        assert Campaign(squares(5), total).run(executor=executor).result == 30


def test_a_worker_of_another_version_that_comes_later_is_not_trusted(executor, tmp_path, monkeypatch):
    monkeypatch.setattr("exactnn.campaigns.dispatch.__version__", "0.0.1")  # so that all workers are of another one
    with pytest.raises(CampaignError, match=r"a worker has exactnn .* and the client 0\.0\.1"):
        Campaign(squares(4)).run(executor=executor, store=tmp_path / "store")
    monkeypatch.undo()
    assert Campaign(squares(4)).run(store=tmp_path / "store").computed == 4


def test_what_is_no_cluster_is_told_at_once(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("exactnn.campaigns.dask_cluster.TIMEOUT", "1s")
    for wrong in (None, 3, "", cluster):
        with pytest.raises(OptionError, match="give the address of a scheduler"):
            on_dask(wrong)
    for nowhere in ("tcp://127.0.0.1:1", str(tmp_path / "missing.json")):
        with pytest.raises(CampaignError, match="there is no Dask scheduler"):
            on_dask(nowhere)
    began = time.monotonic()
    for name in ("localhost", "tcp://localhost", "nonsense://x:1", "tcp://x:99999", "a b:8786", "http://x:80"):
        with pytest.raises(OptionError, match="is no address of a scheduler: write tcp://host:8786"):
            on_dask(name)
    path = tmp_path / "scheduler.json"
    for content in ("{}", "", "[]", '{"address": 3}', '{"address": "x"}', "\0"):
        path.write_text(content)
        with pytest.raises(OptionError, match=r"is no (scheduler file|address)"):
            on_dask(str(path))
    assert time.monotonic() - began < 1
    path.write_text(json.dumps({"address": cluster.scheduler_address}))
    on_dask(str(path)).shutdown()
    monkeypatch.setattr("exactnn.campaigns.dask_cluster.__version__", "0.0.1")
    with pytest.raises(CampaignError, match=r"workers have exactnn .* and the client 0\.0\.1"):
        on_dask(cluster.scheduler_address)


def test_clients_that_cannot_be_used(cluster):
    client = distributed.Client(cluster.scheduler_address, set_as_default=False)
    client.close()
    with pytest.raises(CampaignError, match="is closed: make a new client"):
        on_dask(client)

    async def ask():
        async with distributed.Client(cluster.scheduler_address, asynchronous=True, set_as_default=False) as other:
            with pytest.raises(OptionError, match="is asynchronous"):
                on_dask(other)

    asyncio.run(ask())


def test_a_square_is_what_it_was():
    assert Square(3).run(None) == {"square": 9, "subject": None}
