"""Campaigns on the workers of a Dask cluster: the same bytes, whatever dies."""

import importlib
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
from exactnn.precision import verdict_sweep
from tests.campaigns.pieces import Counted, Counting, Deadly, Square, Wrong, WrongCall, total
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
        client.wait_for_workers(2, timeout=60)  # one that a test killed is begun anew
        with on_dask(client) as found:
            yield found


def test_a_sweep_is_the_same_everywhere(executor, tmp_path):
    network = xn.siegelmann_sontag(xn.load("palindrome"))
    formats = [xn.FLOAT16, xn.FLOAT32, xn.FixedPoint(integer_bits=8, fraction_bits=8)]

    def sweep(name, runs_on):
        store = tmp_path / name
        return verdict_sweep(network, [2, 5, 11], formats, executor=runs_on, store=store), export(store)

    here = sweep("here", None)
    assert here[0].complete
    with Processes(2) as processes:
        assert sweep("processes", processes) == here
    assert sweep("dask", executor) == here


def test_two_threads_of_a_worker_have_subjects_of_their_own(executor):
    found = Campaign([Counted(n) for n in range(100)], subject=Counting()).run(executor=executor)
    assert [row for _, row in found.result].count(1) <= 4


def test_errors_of_units_and_of_calls(executor):
    found = Campaign([Wrong(1), *squares(3)], total).run(executor=executor)
    assert (found.result, [f.error for f in found.failed]) == (5, ["ZeroDivisionError: unit 1"])
    with pytest.raises(OptionError, match="number=1: give another one"):
        Campaign([WrongCall(1), *squares(3)], total).run(executor=executor)


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


def test_warming_up_and_what_is_no_cluster(cluster, tmp_path, monkeypatch):
    with on_dask(cluster.scheduler_address, warm_up=(tmp_path / "warm").touch) as executor:
        assert executor.workers in (2, 4)  # one may be dead from the test before
        assert (tmp_path / "warm").exists()
    monkeypatch.setattr("exactnn.campaigns.dask_cluster.TIMEOUT", "1s")
    for wrong in (None, 3, "", cluster):
        with pytest.raises(OptionError, match="give the address of a scheduler"):
            on_dask(wrong)
    for nowhere in ("tcp://127.0.0.1:1", "nonsense://x", str(tmp_path / "missing.json")):
        with pytest.raises(CampaignError, match="there is no Dask scheduler"):
            on_dask(nowhere)
    monkeypatch.setattr("exactnn.campaigns.dask_cluster.__version__", "0.0.1")
    with pytest.raises(CampaignError, match=r"workers have exactnn .* and the client 0\.0\.1"):
        on_dask(cluster.scheduler_address)


def test_a_square_is_what_it_was():
    assert Square(3).run(None) == {"square": 9, "subject": None}
