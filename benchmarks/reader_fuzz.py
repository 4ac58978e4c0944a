"""Spoilt files for every reader, by the million: only an ExactnnError may come out, soon and in little memory.

Files are drawn by Hypothesis, as `tests/reader_inputs.py` says: valid ones with bytes or structures changed. Chunk `n`
of a reader is the same in every run, and a unit of work. What comes out wrongly is shrunk, saved, and counted; so is
what takes more than 20 s of processor time.

    python benchmarks/reader_fuzz.py --inputs 1000000 [--store FILE] [--jobs 2] [--seconds 3000] [--reader NAME]
"""

import resource
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from long_work import Work, work_options
from reader_inputs import READERS, contents, refusal

from exactnn.campaigns import Campaign, Unit

CHUNK = 500
"""Files that are drawn with one seed."""

MEMORY = 8 << 30
"""Bytes of address space: a reader that needs more fails."""


def one_chunk(name: str, number: int) -> tuple[Counter[str], tuple[bytes, str] | None]:
    """Read the files of a chunk; return how many there were, and a file that a reader should have refused, and why."""
    counts: Counter[str] = Counter()
    bad: tuple[bytes, str] | None = None

    @seed(number)
    @settings(
        max_examples=CHUNK,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(contents(name))
    def read(content: bytes) -> None:
        nonlocal bad
        try:
            message, _ = refusal(name, content)
        except Exception as error:
            bad = content, f"{type(error).__name__}: {error}"[:500]
            raise
        counts["files"] += 1
        counts["read" if message is None else "refused"] += 1

    try:
        read()
    except Exception:
        assert bad is not None
    return counts, bad


@dataclass(frozen=True)
class Chunk(Unit):
    """Some spoilt files for one reader."""

    reader: str
    number: int

    def run(self, subject: object) -> dict[str, Any]:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        counts, bad = one_chunk(self.reader, self.number)
        wrong, content = (None, None) if bad is None else (bad[1], bad[0].hex())
        return {"files": counts["files"], "read": counts["read"], "wrong": wrong, "content": content}


def summary(found: list[tuple[Chunk, Any]]) -> str:
    text = []
    for name in READERS:
        rows = [row for unit, row in found if unit.reader == name]
        total, read = (sum(row[key] for row in rows) for key in ("files", "read"))
        wrong = sum(row["wrong"] is not None for row in rows)
        text.append(f"{name:20} {total:9,} files, {read:8,} read, {wrong} wrong")
    return "\n".join(text)


@click.command()
@click.option("--inputs", default=1_000_000, help="Files for all readers together.")
@click.option("--folder", default=".", type=click.Path(path_type=Path, file_okay=False), help="Save wrong ones there.")
@click.option("--reader", "chosen", type=click.Choice(list(READERS)), multiple=True, help="Only these.")
@work_options
def main(inputs: int, folder: Path, chosen: tuple[str, ...], work: Work) -> None:
    """Give readers spoilt files."""
    names = chosen or tuple(READERS)
    chunks = range(-(-inputs // (CHUNK * len(names))))
    found = work.run(Campaign([Chunk(name, number) for number in chunks for name in names], list), "chunks")
    for unit, row in found.result:
        if row["wrong"] is not None:
            where = folder / f"reader_fuzz-{unit.reader.replace(' ', '-')}-{unit.number}.bin"
            where.write_bytes(bytes.fromhex(row["content"]))
            click.echo(f"{unit.reader}, chunk {unit.number}: {row['wrong']} (saved as {where})", err=True)
    click.echo(summary(found.result))
    sys.exit(bool(found.failed) or any(row["wrong"] is not None for _, row in found.result))


if __name__ == "__main__":
    main()
