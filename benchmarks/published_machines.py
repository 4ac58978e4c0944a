"""Thousands of machines that halt, with the counts that others published: each run as a network, exactly.

The lists are those of S. Ligocki's repository https://github.com/sligocki/busy-beaver, folder Machines/bb: machines of
2 and 3 states and of 4, 5 and 6 states found by many, with the steps until they halt and the cells that are not blank
then. A number is given in full, as ~10^x with five digits of x behind the point, as ~10^^x, or as 0 where it is not
given. Of ~10^^x the whole part of x is compared, and of ~10^x with more than 3 * 10^8 digits the first four of x.

    git clone https://github.com/sligocki/busy-beaver
    python benchmarks/published_machines.py busy-beaver/Machines/bb [--seconds 60] [--out counts.jsonl]

A line for each machine goes to the file, and those that are in it are not run again. Ends with exit code 1 if a count
is another one than was published.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import gmpy2
from long_runs import tens

import exactnn as xn
from exactnn.arithmetic import Tower

FILES = ("2x2.txt", "3x2.txt", "2x3.txt", "4x2.txt", "2x4.txt", "3x3", "5x2", "6x2.txt")
MARKS_FIRST = ("3x3",)
"""Files in which the cells come before the steps."""
LAST_DIGIT = 2e-5
"""How far a logarithm with five digits may be off."""


def machines(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield file, text, steps and cells of each machine."""
    for name in FILES:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            table, found, counts = line.partition("Halt")
            if not found:
                continue
            first, second, *_ = counts.split()
            rows = re.split(r"\s\s+|_", table.partition("|")[0].strip())
            text = "_".join(row.replace(" ", "") for row in rows)
            yield name, text, *((second, first) if name in MARKS_FIRST else (first, second))


def fits(number: object, published: str) -> bool:
    """Return whether a number is the published one."""
    if published == "0":
        return True
    assert isinstance(number, int | gmpy2.mpz | Tower)
    logarithm = re.fullmatch(r"~10\^([0-9.]+)", published)
    if logarithm:
        if isinstance(number, Tower):
            return str(number) == f"about 10^({float(logarithm[1]):.4g})".replace("e+", "e")
        with gmpy2.context(precision=100):
            return bool(abs(gmpy2.log10(number) - gmpy2.mpfr(logarithm[1])) < LAST_DIGIT)
    tower = re.fullmatch(r"~10(?:↑↑|\^\^)([0-9]+)\.[0-9]+", published)
    if tower:
        return bool(tens(int(tower[1])) < number < tens(int(tower[1]) + 1))
    return bool(number == int(published))


def result(text: str, steps: str, cells: str, seconds: float) -> str:
    """Return how a machine's run ends."""
    network = xn.siegelmann_sontag(xn.load(text))
    run = xn.run(network, max_seconds=seconds)
    if run.outcome is not xn.Outcome.HALTED:
        return str(run.outcome)
    if not fits(run.machine_steps, steps):
        return f"other steps: {run.machine_steps}"
    marks = network.nonblank(run.final_state)
    return "as published" if fits(marks, cells) else f"other cells: {marks}"


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seconds", default=60.0, show_default=True, help="For each machine.")
@click.option("--out", default="published_machines.jsonl", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--again", is_flag=True, help="Run those again that did not end in time.")
def main(folder: Path, seconds: float, out: Path, again: bool) -> None:
    """Run the machines of a folder of lists."""
    lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    done = {line["machine"]: line for line in lines}
    found = list(machines(folder))
    with out.open("a") as file, click.progressbar(found) as bar:
        for name, text, steps, cells in bar:
            if text in done and (done[text]["result"] != str(xn.Outcome.TIME_LIMIT) or not again):
                continue
            began = time.perf_counter()
            how = result(text, steps, cells, seconds)
            taken = round(time.perf_counter() - began, 3)
            done[text] = {"machine": text, "list": name, "result": how, "seconds": taken}
            file.write(json.dumps(done[text]) + "\n")
            file.flush()
    for name in FILES:
        counts = Counter(line["result"].partition(":")[0] for line in done.values() if line["list"] == name)
        click.echo(f"{name:8} " + ", ".join(f"{count} {how}" for how, count in counts.most_common()))
    if any(line["result"].startswith("other") for line in done.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
