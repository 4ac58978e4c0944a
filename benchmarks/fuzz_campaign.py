"""Everything that must agree, on machines, networks and words that Hypothesis draws: a campaign against ourselves.

`fuzz_subjects/` says what is drawn and what must hold of it, for each subject in each of its arithmetics. Chunk `n` of
a subject and an arithmetic is the same in every run, and a unit of a campaign: what is done is in the store.
Differences are shrunk and kept as what the assertion says.

    python benchmarks/fuzz_campaign.py [--store fuzz.db] [--jobs 2] [--seconds 3000] [--chunks 20] [--subject NAME]
"""

import sys
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzz_subjects import SUBJECTS
from hypothesis import HealthCheck, Phase, given, seed, settings
from long_work import Work, work_options

from exactnn.campaigns import Campaign, Unit

CHUNK = 40
"""Cases that are drawn with one seed."""


@dataclass(frozen=True)
class Chunk(Unit):
    """A chunk of a subject in an arithmetic."""

    subject: str
    arithmetic: str
    chunk: int

    def run(self, subject: object) -> dict[str, Any]:
        return one_chunk(self.subject, self.arithmetic, self.chunk)


def one_chunk(name: str, arithmetic: str, number: int, *, shrink: bool = True, cases: int = CHUNK) -> dict[str, Any]:
    """Check the cases of a chunk; return how many there were, and what is wrong."""
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

    wrong = None
    try:
        run()
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
        if not isinstance(error, AssertionError):  # it does not say of which case
            wrong = "\n".join([wrong, *getattr(error, "__notes__", [])])
    return {"cases": count, "wrong": wrong}


def turns(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return subjects with their arithmetics, such that no subject comes twice before the others have come."""
    columns = ([(name, arithmetic) for arithmetic in SUBJECTS[name].arithmetics] for name in names)
    return [pair for pair in chain.from_iterable(zip_longest(*columns)) if pair is not None]


def summary(rows: dict[Chunk, dict[str, Any]]) -> str:
    text = []
    for name in SUBJECTS:
        own = [row for chunk, row in rows.items() if chunk.subject == name]
        wrong = sum(row["wrong"] is not None for row in own)
        text.append(f"{name:30} {sum(row['cases'] for row in own):8,} cases, {wrong} wrong")
    return "\n".join(text)


@click.command()
@click.option("--chunks", default=20, type=click.IntRange(min=1), help="Of each subject in each arithmetic.")
@click.option("--subject", "names", multiple=True, type=click.Choice([*SUBJECTS]), help="Only this; may be repeated.")
@work_options
def main(chunks: int, names: tuple[str, ...], work: Work) -> None:
    """Draw and check chunks of every subject in turn."""
    chosen = tuple(dict.fromkeys(names or SUBJECTS))
    found = work.run(Campaign([Chunk(*pair, n) for n in range(chunks) for pair in turns(chosen)], dict), "chunks")
    for chunk, row in found.result.items():
        if row["wrong"] is not None:
            click.echo(f"{chunk.subject} in {chunk.arithmetic}, chunk {chunk.chunk}: {row['wrong']}", err=True)
    click.echo(summary(found.result))
    sys.exit(bool(found.failed) or any(row["wrong"] is not None for row in found.result.values()))


if __name__ == "__main__":
    main()
