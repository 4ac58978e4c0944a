"""Everything that must agree, on machines, networks and words that Hypothesis draws: a campaign against ourselves.

`fuzz_subjects/` says what is drawn and what must hold of it, for each subject in each of its arithmetics. Chunk `n` of
a subject and an arithmetic is the same in every run; every chunk that is done is a line in the record, and a run goes
on after the last. Differences are shrunk and saved as what the assertion says.

    python benchmarks/fuzz_campaign.py [--record fuzz_campaign.jsonl] [--seconds 3000] [--chunks 20] [--subject NAME]
"""

import json
import sys
import time
from itertools import chain, zip_longest
from pathlib import Path

import click
from fuzz_subjects import SUBJECTS
from hypothesis import HealthCheck, Phase, given, seed, settings

CHUNK = 40
"""Cases that are drawn with one seed."""


def one_chunk(name: str, arithmetic: str, number: int, *, shrink: bool = True, cases: int = CHUNK) -> dict[str, object]:
    """Check the cases of a chunk and return its line of the record."""
    subject, count = SUBJECTS[name], 0

    @seed(number)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
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
    line = {"subject": name, "arithmetic": arithmetic, "chunk": number, "cases": count, "wrong": wrong}
    return line | {"seconds": round(time.perf_counter() - began, 2)}


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
@click.option("--record", default="fuzz_campaign.jsonl", type=click.Path(path_type=Path))
@click.option("--seconds", default=float("inf"), help="Stop after these.")
@click.option("--chunks", default=20, help="Of each subject in each arithmetic.")
@click.option("--subject", "names", multiple=True, type=click.Choice([*SUBJECTS]), help="Only this; may be repeated.")
def main(record: Path, seconds: float, chunks: int, names: tuple[str, ...]) -> None:
    lines = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    done = {(line["subject"], line["arithmetic"], line["chunk"]) for line in lines}
    began = time.monotonic()
    for number, (name, arithmetic) in ((n, pair) for n in range(chunks) for pair in turns(names or tuple(SUBJECTS))):
        if (name, arithmetic, number) in done:
            continue
        if time.monotonic() - began > seconds:
            break
        lines.append(one_chunk(name, arithmetic, number))
        with record.open("a") as file:
            file.write(json.dumps(lines[-1]) + "\n")
        if lines[-1]["wrong"] is not None:
            click.echo(f"{name} in {arithmetic}, chunk {number}: {lines[-1]['wrong']}", err=True)
    click.echo(summary(lines))
    sys.exit(any(line["wrong"] is not None for line in lines))


if __name__ == "__main__":
    main()
