"""Long runs by proven rules, their certificates, and both checkers: how much processor time each takes.

    python benchmarks/long_runs.py
    python benchmarks/long_runs.py --beyond 10000 --towers

Machines that halt, with the counts that others published (`published_runs.py`), as real-time networks of Siegelmann
and Sontag, in one process. Each is run without a limit of steps, run once more with a certificate, and that is verified
by `exactnn.check_certificate` and by `docs/certificate_checker.py` in a process of its own. A count that is another one
ends it with exit code 1. What is compiled once per process is compiled by a run of BB(5) before.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
from published_runs import PUBLISHED_RUNS, TOWER_RUNS
from rich.console import Console
from rich.table import Table

import exactnn as xn
from exactnn.arithmetic import Tower, count_text, power

CHECKER = Path(__file__).parent.parent / "docs" / "certificate_checker.py"


def tens(levels):
    """Return 10^^levels."""
    value = 1
    for _ in range(levels):
        value = power(10, value)
    return value


def timed(call):
    """Return what a call gives, and the processor seconds that it takes."""
    began = time.process_time()
    return call(), time.process_time() - began


def second_checker(path):
    """Return whether the checker of one file proves a certificate, and the processor seconds that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([sys.executable, CHECKER, path], capture_output=True, text=True, check=False)
    return done.returncode == 0, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def row(text, fits):
    """Return the cells of a machine; `fits` says whether a number of steps is the published one."""
    network = xn.compile(xn.load(text))
    run, seconds = timed(lambda: xn.run(network))
    if run.outcome is not xn.Outcome.HALTED or not fits(run.steps):
        raise click.ClickException(f"{text}: {run}, not what was published")
    certified, more = timed(lambda: xn.run(network, certify=True))
    if certified.certificate is None:
        return text, count_text(run.steps), f"{seconds:.2f}", f"{more:.2f}", "none", "", ""
    checked, checking = timed(lambda: xn.check_certificate(certified.certificate, network=network, budget=None))
    assert checked.eos_steps == run.eos_steps
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(certified.certificate, file)
        file.flush()
        proven, second = second_checker(file.name)
        size = Path(file.name).stat().st_size
    parts = f"{size / 1000:.0f} kB, {checked.edges} edges, {checked.rules} rules, {checked.legs} legs"
    other = f"{second:.2f}" if proven else "not proven"
    return text, count_text(run.steps), f"{seconds:.2f}", f"{more:.2f}", parts, f"{checking:.2f}", other


@click.command()
@click.option("--beyond", type=click.IntRange(0), default=0, show_default=True, help="Only runs of over N digits.")
@click.option("--towers", is_flag=True, help="Also those of towers of tens, of which one takes a minute.")
@click.option("--machine", "machines", multiple=True, help="Another one, in the same format; may be given again.")
def main(beyond, towers, machines):
    """Run, certify and verify machines that halt after very many steps."""
    console = Console(width=200)
    table = Table("machine", "steps", "run, s", "certified, s", "certificate", "verified, s", "second checker, s")
    xn.run("bb5")
    for published in PUBLISHED_RUNS:
        if (published.steps.length or len(published.steps.leading)) > beyond:
            table.add_row(*row(published.text, lambda n, p=published: not isinstance(n, Tower) and p.steps.fits(n)))
            click.echo(f"{published.text}: {published.steps}", err=True)
    if towers:
        for text, levels in TOWER_RUNS.items():
            table.add_row(*row(text, lambda n, k=levels: tens(k) < n < tens(k + 1)))
            click.echo(f"{text}: 10^^{levels}", err=True)
    for text in machines:
        table.add_row(*row(text, lambda n: True))
    console.print(table)


if __name__ == "__main__":
    main()
