"""Everything that must agree, on machines, networks and words that Hypothesis draws: a campaign against ourselves.

`fuzz_subjects/` says what is drawn and what must hold of it, for each subject in each of its arithmetics. Chunk `n` of
a subject and an arithmetic is the same in every run; every chunk that is done is a line in the record, and a run goes
on after the last. Differences are shrunk and saved as what the assertion says.

    python benchmarks/fuzz_campaign.py [--record fuzz_campaign.jsonl] [--seconds 3000] [--chunks 20] [--subject NAME]
"""

import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, zip_longest
from pathlib import Path
from types import FrameType

import click
from fuzz_subjects import SUBJECTS
from hypothesis import HealthCheck, Phase, given, seed, settings
from record_files import lines_of

CHUNK = 40
"""Cases that are drawn with one seed."""


def one_chunk(name: str, arithmetic: str, number: int, *, shrink: bool = True, cases: int = CHUNK) -> dict[str, object]:
    """Check the cases of a chunk and return its line of the record."""
    subject, count = SUBJECTS[name], 0

    @seed(f"{name}, {arithmetic}, {number}")
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,  # of several the message would name none
    )
    @given(subject.cases(arithmetic))
    def run(case: object) -> None:
        nonlocal count
        count += 1
        subject.check(arithmetic, case)

    began = time.perf_counter()
    wrong = None
    try:
        run()
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
        if not isinstance(error, AssertionError):  # it does not say of which case
            wrong = "\n".join([wrong, *getattr(error, "__notes__", [])])
    line = {"subject": name, "arithmetic": arithmetic, "chunk": number, "cases": count, "wrong": wrong}
    return line | {"seconds": round(time.perf_counter() - began, 2)}


class Stopped(BaseException):
    """Ctrl-C while a chunk is drawn. A run takes KeyboardInterrupt for its own, and would be said to differ."""


@contextmanager
def stopped_by_hand() -> Iterator[None]:
    """Let Ctrl-C raise Stopped."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stopped

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def turns(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return subjects with their arithmetics, such that no subject comes twice before the others have come."""
    columns = ([(name, arithmetic) for arithmetic in SUBJECTS[name].arithmetics] for name in names)
    return [pair for pair in chain.from_iterable(zip_longest(*columns)) if pair is not None]


def summary(lines: list[dict[str, object]]) -> str:
    text = []
    for name in SUBJECTS:
        own = [line for line in lines if line["subject"] == name]
        wrong = sum(line["wrong"] is not None for line in own)
        text.append(f"{name:30} {sum(line['cases'] for line in own):8,} cases, {wrong} wrong")
    return "\n".join(text)


@click.command()
@click.option("--record", default="fuzz_campaign.jsonl", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seconds", default=float("inf"), type=click.FloatRange(min=0), help="Stop after these.")
@click.option("--chunks", default=20, type=click.IntRange(min=1), help="Of each subject in each arithmetic.")
@click.option("--subject", "names", multiple=True, type=click.Choice([*SUBJECTS]), help="Only this; may be repeated.")
def main(record: Path, seconds: float, chunks: int, names: tuple[str, ...]) -> None:
    """Draw and check chunks of every subject in turn."""
    lines = lines_of(record, {"subject", "arithmetic", "chunk", "cases", "wrong"})
    done = {(line["subject"], line["arithmetic"], line["chunk"]) for line in lines}
    began, chosen = time.monotonic(), tuple(dict.fromkeys(names or SUBJECTS))
    todo = [(*pair, n) for n in range(chunks) for pair in turns(chosen) if (*pair, n) not in done]
    stopped = False
    for name, arithmetic, number in todo:
        if time.monotonic() - began > seconds:
            break
        try:
            with stopped_by_hand():
                lines.append(one_chunk(name, arithmetic, number))
        except Stopped:
            stopped = True
            break
        with record.open("a") as file:
            file.write(json.dumps(lines[-1]) + "\n")
        if lines[-1]["wrong"] is not None:
            click.echo(f"{name} in {arithmetic}, chunk {number}: {lines[-1]['wrong']}", err=True)
    click.echo(summary(lines))
    if stopped:
        raise click.Abort
    sys.exit(any(line["wrong"] is not None for line in lines))


if __name__ == "__main__":
    main()
