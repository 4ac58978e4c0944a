"""Ctrl-C at a random time of the first seconds of fresh processes: each must give right results after it.

Most processes find a warm cache of compiled code, some an empty one, so that they are interrupted while they compile.

    python benchmarks/interrupt_campaign.py [--processes 200] [--cold 0.2] [--seconds 3] [--subject NAME] [--seed 0]
"""

import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.interrupted_process import INTERRUPTED, SUBJECTS, Ending, interrupted


def one(
    number: int, seed: int, subjects: tuple[str, ...], cold: float, seconds: float, warm: Path
) -> tuple[str, Ending]:
    """Interrupt one process; return what was done, and how it ended."""
    random = Random(f"{seed} {number}")
    subject, empty, when = subjects[number % len(subjects)], random.random() < cold, random.uniform(0, seconds)
    cache = Path(tempfile.mkdtemp()) if empty else warm
    try:
        return f"{subject}, {'empty' if empty else 'warm'} cache, {when:.2f} s", interrupted(subject, when, cache)
    finally:
        if empty:
            shutil.rmtree(cache)


@click.command()
@click.option("--processes", default=200, show_default=True)
@click.option("--cold", default=0.2, show_default=True, help="Share of the processes with an empty cache.")
@click.option("--seconds", default=3.0, show_default=True)
@click.option("--subject", "subjects", multiple=True, type=click.Choice(list(SUBJECTS)), help="All by default.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=1, show_default=True)
@click.option("--warm", type=click.Path(file_okay=False, path_type=Path), help="Where the warm cache is kept.")
def main(
    processes: int, cold: float, seconds: float, subjects: tuple[str, ...], seed: int, jobs: int, warm: Path | None
) -> None:
    """Interrupt processes, and count how they end."""
    subjects = subjects or tuple(SUBJECTS)
    cache = warm or Path(tempfile.mkdtemp())
    began = time.perf_counter()
    right = {subject: interrupted(subject, 0, cache).again for subject in subjects}  # and fills the cache
    click.echo(f"{right}, {time.perf_counter() - began:.0f} s")
    endings: Counter[str] = Counter()
    wrong = 0
    with ThreadPoolExecutor(jobs) as pool:
        tasks = (pool.submit(one, n, seed, subjects, cold, seconds, cache) for n in range(processes))
        for task in list(tasks):
            told, ending = task.result()
            bad = ending.first not in INTERRUPTED or ending.again != right[told.partition(",")[0]] or ending.stderr
            endings[ending.first] += 1
            wrong += bool(bad)
            if bad:
                click.echo(f"WRONG {told}: {ending.first}; then {ending.again}; {ending.stderr[-2000:]}")
    click.echo(f"{processes} processes, {wrong} wrong: {dict(endings)}, {time.perf_counter() - began:.0f} s")
    if warm is None:
        shutil.rmtree(cache)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
