"""Six writers and six readers of one file, for every kind of file that the package writes: no read may be torn.

Two processes have three threads of each. A writer saves one of two contents, a reader compares all bytes with both.

    nice python benchmarks/torn_reads.py [--seconds 60] [--kind NAME]...
"""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.written_files import KINDS, contents_of, expected

__all__ = ["measured", "work"]

PROCESSES = 2
THREADS = 3
"""Writers of each process, and readers."""

Step = Callable[[], bool]
"""One write or read; whether it was right."""


def whole_file(name: str, path: Path, number: int) -> tuple[Step, Step]:
    """Return how the writer and the reader of this number write and read a file that is replaced."""
    kind, contents, files = KINDS[name], contents_of(name), expected(name)
    turn = number

    def write() -> bool:
        nonlocal turn
        turn += 1
        kind.save(contents[turn % 2], path)
        return True

    return write, lambda: path.read_bytes() in files


def work(name: str, path: Path, process: int, seconds: float) -> Counter[str]:
    """Write and read in threads for some seconds; return how often, and what went wrong."""
    numbers = range(process * THREADS, (process + 1) * THREADS)
    steps = [whole_file(name, path, n) for n in numbers]
    counts: Counter[str] = Counter()
    lock = threading.Lock()
    end = time.monotonic() + seconds

    def repeat(what: str, step: Step) -> None:
        own: Counter[str] = Counter()
        while time.monotonic() < end:
            try:
                own["torn"] += not step()
                own[what] += 1
            except Exception as error:  # whatever it is: it is counted, and shown
                own["errors"] += 1
                own[f"{what}: {type(error).__name__}: {error}"[:300]] += 1
        with lock:
            counts.update(own)

    pairs = [pair for write, read in steps for pair in (("writes", write), ("reads", read))]
    threads = [threading.Thread(target=repeat, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts


def measured(name: str, seconds: float) -> Counter[str]:
    """Return the counts of all processes, and how many temporary files there are in the end."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{KINDS[name].ending}"
        whole_file(name, path, 0)[0]()
        with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
            given = [(name, path, process, seconds) for process in range(PROCESSES)]
            counts = sum(pool.map(work, *zip(*given, strict=True)), Counter())
        counts["left"] = sum(1 for file in Path(folder).iterdir() if file != path)
        KINDS[name].load(path)
    return counts


@click.command()
@click.option("--seconds", default=60.0, show_default=True, help="For each kind.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice([*KINDS]), help="Only these kinds.")
def main(seconds: float, kinds: tuple[str, ...]) -> None:
    """Print a row for each kind of file; exit code 1 if a read was torn or anything else went wrong."""
    click.echo("| file | bytes | writes | reads | torn | errors | left over |\n|---|---|---|---|---|---|---|")
    wrong = False
    for name in kinds or KINDS:
        counts = measured(name, seconds)
        sizes = " / ".join(f"{len(file):,}" for file in expected(name))
        figures = [counts[what] for what in ("writes", "reads", "torn", "errors", "left")]
        click.echo(f"| {name} | {sizes} | " + " | ".join(f"{figure:,}" for figure in figures) + " |")
        for what, times in counts.items():
            if ":" in what:
                click.echo(f"{times} times {what}", err=True)
        wrong |= any(figures[2:])
    sys.exit(wrong)


if __name__ == "__main__":
    main()
