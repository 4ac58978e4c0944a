"""Spoilt files for every reader, by the million: only an ExactnnError may come out, soon and in little memory.

Files are drawn by Hypothesis, as `tests/reader_inputs.py` says: valid ones with bytes or structures changed. Chunk `n`
of a reader is the same in every run. Every chunk that is done is a line in the record, and a run goes on
after the last. What comes out wrongly is shrunk, saved in the folder of the record, and counted.

    python benchmarks/reader_fuzz.py --inputs 1000000 [--record reader_fuzz.jsonl] [--seconds 3000] [--reader NAME]
"""

import json
import resource
import sys
import time
from collections import Counter
from pathlib import Path

import click
from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reader_inputs import READERS, contents, refusal

CHUNK = 500
"""Files that are drawn with one seed."""

MEMORY = 8 << 30
"""Bytes of address space: a reader that needs more fails."""


def one_chunk(name: str, number: int) -> tuple[dict[str, object], bytes | None]:
    """Read the files of a chunk; return its line of the record, and a file that a reader should have refused."""
    counts: Counter[str] = Counter()
    slowest = 0.0
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
        nonlocal slowest, bad
        try:
            message, seconds = refusal(name, content)
        except Exception as error:
            bad = content, f"{type(error).__name__}: {error}"[:500]
            raise
        counts["files"] += 1
        counts["read" if message is None else "refused"] += 1
        slowest = max(slowest, seconds)

    try:
        read()
    except Exception:
        assert bad is not None
    line = {"reader": name, "chunk": number, **counts, "slowest": round(slowest, 4), "wrong": bad and bad[1]}
    return line, None if bad is None else bad[0]


def done_before(record: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []


def summary(lines: list[dict[str, object]]) -> str:
    text = []
    for name in READERS:
        own = [line for line in lines if line["reader"] == name]
        total, read = (sum(line.get(key, 0) for line in own) for key in ("files", "read"))
        slowest = max((line["slowest"] for line in own), default=0)
        wrong = sum(line["wrong"] is not None for line in own)
        text.append(f"{name:20} {total:9,} files, {read:8,} read, slowest {slowest:6.3f} s, {wrong} wrong")
    return "\n".join(text)


@click.command()
@click.option("--inputs", default=1_000_000, help="Files for all readers together.")
@click.option("--record", default="reader_fuzz.jsonl", type=click.Path(path_type=Path))
@click.option("--seconds", default=float("inf"), help="Stop after these.")
@click.option("--reader", "chosen", type=click.Choice(list(READERS)), multiple=True, help="Only these.")
def main(inputs: int, record: Path, seconds: float, chosen: tuple[str, ...]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    names = chosen or tuple(READERS)
    lines = done_before(record)
    done = {(line["reader"], line["chunk"]) for line in lines}
    began = time.monotonic()
    chunks = ((name, number) for number in range(-(-inputs // (CHUNK * len(names)))) for name in names)
    for name, number in chunks:
        if (name, number) in done:
            continue
        if time.monotonic() - began > seconds:
            break
        line, bad = one_chunk(name, number)
        lines.append(line)
        with record.open("a") as file:
            file.write(json.dumps(line) + "\n")
        if bad is not None:
            where = record.with_name(f"{record.stem}-{name.replace(' ', '-')}-{number}.bin")
            where.write_bytes(bad)
            click.echo(f"{name}, chunk {number}: {line['wrong']} (saved as {where})", err=True)
    click.echo(summary(lines))
    sys.exit(any(line["wrong"] is not None for line in lines))


if __name__ == "__main__":
    main()
