"""Campaigns under stress: kills at random moments, overhead per unit, and how much faster several processes are.

    python benchmarks/campaign_trials.py kills --kills 200      # of workers, the client, a Dask scheduler
    python benchmarks/campaign_trials.py overhead --units 100000
    python benchmarks/campaign_trials.py speed                  # sweeps by one process and by two

`kills` runs a sweep in a process of its own, again and again, and kills one of its processes, drawn by chance, at a
moment drawn by chance, until so many were killed. What the store has in the end must be what one undisturbed run has,
as a SHA-256 of all rows.
"""

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

import exactnn as xn
from exactnn.campaigns import Campaign, Ledger, Processes, Unit

SWEEP = """
import os
import subprocess
import sys
import time
from contextlib import nullcontext

import exactnn as xn
from exactnn.campaigns import Processes, on_dask

if __name__ == "__main__":
    where, store = sys.argv[1:]
    others = []
    network = xn.siegelmann_sontag(xn.load("palindrome"))
    formats = [xn.FloatFormat(precision=p, exponent_bits=10) for p in range(2, 22)]
    if where == "dask":
        from distributed import LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
        context = on_dask(cluster.scheduler_address)
    elif where == "scheduler":  # a process of its own, and so is each worker
        at = ["--scheduler-file", f"{store}.{os.getpid()}.json"]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        for role, options in [("scheduler", ["--port", "0"]), *2 * [("worker", ["--nthreads", "1"])]]:
            command = [sys.executable, "-m", f"distributed.cli.dask_{role}", *at, *options, "--no-dashboard"]
            others.append(subprocess.Popen(command, **silent))
        while not os.path.exists(at[1]):
            time.sleep(0.1)
        context = on_dask(at[1])
    else:
        context = Processes(2) if where == "processes" else nullcontext()
    with context as executor:
        found = xn.verdict_sweep(network, range(1, 61), formats, words=300, executor=executor, store=store)
    print("complete", found.complete, flush=True)
    if where == "dask":
        cluster.close()
    for process in others:
        process.kill()
"""


@dataclass(frozen=True)
class Tiny(Unit):
    """A unit that does nothing."""

    number: int

    def run(self, subject: object) -> int:
        return self.number


def digest(store: str) -> tuple[int, str]:
    """Return how many rows a store has, and the SHA-256 of them."""
    with Ledger(store) as ledger:
        rows = [(unit.key, unit.row, unit.error) for unit in ledger.all()]
    return len(rows), hashlib.sha256(repr(rows).encode()).hexdigest()


def children(pid: int) -> list[int]:
    """Return the processes below one, and itself."""
    found = [pid]
    for entry in Path("/proc").iterdir():
        try:
            stat = (entry / "stat").read_text() if entry.name.isdecimal() else ""
        except OSError:
            continue
        if stat and int(stat.rpartition(")")[2].split()[1]) == pid:
            found += children(int(entry.name))
    return found


def start(script: Path, where: str, store: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(script), where, store],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


@click.group()
def main() -> None:
    """Try campaigns."""


@main.command()
@click.option("--kills", default=200, show_default=True)
@click.option("--seed", default=0, show_default=True)
def kills(kills: int, seed: int) -> None:
    """Kill processes of sweeps, and compare what is kept with one run that nobody disturbed."""
    rng, done, runs, wrong = random.Random(seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        script = Path(name, "sweep.py")
        script.write_text(SWEEP)
        start(script, "here", f"{name}/undisturbed").communicate()
        truth = digest(f"{name}/undisturbed")
        while done < kills:
            store = f"{name}/store{runs}"
            ended = False
            while not ended:
                process = start(script, rng.choice(("processes", "dask", "scheduler")), store)
                while process.poll() is None and done < kills:
                    time.sleep(rng.uniform(0.2, 4))
                    if process.poll() is None:
                        victim = rng.choice(children(process.pid))
                        way = signal.SIGINT if victim == process.pid and rng.random() < 0.3 else signal.SIGKILL
                        try:
                            os.kill(victim, way)
                        except ProcessLookupError:
                            continue
                        done += 1
                said, _ = process.communicate()
                with suppress(ProcessLookupError):  # a client that was killed leaves a scheduler and workers behind
                    os.killpg(process.pid, signal.SIGKILL)
                ended = "complete True" in said
            runs += 1
            wrong += digest(store) != truth
            click.echo(f"{done} kills, {runs} sweeps ended, {wrong} with other rows")
    click.echo(f"{truth[0]:,} rows, SHA-256 {truth[1][:16]}...")
    sys.exit(wrong > 0)


@main.command()
@click.option("--units", default=100_000, show_default=True)
@click.option("--jobs", default=2, show_default=True)
def overhead(units: int, jobs: int) -> None:
    """Run units that do nothing, and print the time for each."""
    campaign = Campaign([Tiny(n) for n in range(units)], lambda pairs: sum(row for _, row in pairs))
    with tempfile.TemporaryDirectory() as name, Processes(jobs) as executor:
        executor.submit(int).result()
        for where, runs_on in (("here", None), (f"{jobs} processes", executor)):
            began = time.perf_counter()
            found = campaign.run(executor=runs_on, store=f"{name}/{where}")
            assert found.result == units * (units - 1) // 2
            click.echo(f"{where}: {1000 * (time.perf_counter() - began) / units:.3f} ms a unit")
        began = time.perf_counter()
        campaign.run(store=f"{name}/here")
        click.echo(f"kept: {1000 * (time.perf_counter() - began) / units:.3f} ms a unit")


@main.command()
@click.option("--jobs", default=2, show_default=True)
@click.option("--rounds", default=3, show_default=True)
def speed(jobs: int, rounds: int) -> None:
    """Sweep palindrome in 51 formats by one process and by several, in turn, and print the ratio of medians."""
    network = xn.siegelmann_sontag(xn.load("palindrome"))
    formats = [xn.FloatFormat(precision=p, exponent_bits=10) for p in range(2, 53)]

    def seconds(lengths: range, seed: int, executor: Processes | None) -> float:
        began = time.perf_counter()
        xn.verdict_sweep(network, lengths, formats, words=12_000, seed=seed, executor=executor)
        return time.perf_counter() - began

    with Processes(jobs) as executor:
        for lengths in (range(10, 11), range(10, 14), range(30, 31), range(120, 121), range(300, 301)):
            for runs_on in (None, executor, executor):
                seconds(lengths, 99, runs_on)
            pairs = [(seconds(lengths, n, None), seconds(lengths, n, executor)) for n in range(rounds)]
            one, more = (sorted(column)[len(column) // 2] for column in zip(*pairs, strict=True))
            text = f"{lengths[0]} to {lengths[-1]}"
            click.echo(f"lengths {text}: {one:.2f} s, {more:.2f} s on {jobs}: {one / more:.2f}")


if __name__ == "__main__":
    main()
