"""What a shell proposes where a machine, a construction or an arithmetic is named."""

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from exactnn.arithmetic import ARITHMETICS, NAMED_FORMATS
from exactnn.constructions import CONSTRUCTIONS, NETWORKS, constructions_for
from exactnn.machine_files import load, zoo, zoo_names

__all__ = ["propose_arithmetics", "propose_constructions", "propose_formats", "propose_machines", "propose_tags"]


def _begun(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def propose_machines(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the machines of the zoo and named networks, with what they are, and let the shell propose files."""
    known = {entry.name: " ".join(entry.summary.split()) for entry in zoo()} | NETWORKS
    found = [CompletionItem(name, help=known[name][:60]) for name in known if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def propose_tags(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the tags that machines of the zoo carry."""
    return _begun(sorted({tag for entry in zoo() for tag in entry.tags}), incomplete)


def propose_constructions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the constructions: those that compile the machine, if it is one of the zoo; of a network none does."""
    machine = ctx.params.get("machine") or next(iter(ctx.args), None)  # an option without its value ends the reading
    if machine in NETWORKS:
        return []
    named = isinstance(machine, str) and machine in zoo_names()
    return _begun(constructions_for(load(machine)) if named else CONSTRUCTIONS, incomplete)


def propose_arithmetics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the named arithmetics."""
    return _begun(ARITHMETICS, incomplete)


def propose_formats(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the named formats; after a comma, those that are not there yet."""
    before, comma, last = incomplete.rpartition(",")
    given = before.split(",")
    missing = [name for name in NAMED_FORMATS if name not in given]
    return [CompletionItem(f"{before}{comma}{name}") for name in missing if name.startswith(last)]
