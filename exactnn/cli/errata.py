"""``exactnn errata``: where the sources are wrong, each counterexample run."""

from dataclasses import asdict

import click

from exactnn.cli.arguments import check_markdown, json_option, markdown_option
from exactnn.cli.printing import emit_fields, emit_json, working
from exactnn.corrections import Erratum, errata, errata_page

__all__ = ["command"]


@click.command("errata")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@markdown_option
@json_option
def command(ids: tuple[str, ...], markdown: bool, as_json: bool) -> None:
    """Run what the sources of the constructions say, where it is wrong: all errata, or those of ID (E1, E2, ...)."""
    check_markdown(markdown, as_json)
    with working("running the counterexamples"):
        found = errata(ids or None)
    if as_json:
        emit_json({"errata": [asdict(erratum) for erratum in found]})
    elif markdown:
        click.echo(errata_page(found), nl=False)
    else:
        for number, erratum in enumerate(found):
            if number:
                click.echo()
            _emit(erratum)


def _emit(erratum: Erratum) -> None:
    emit_fields({erratum.id: erratum.title, **erratum.fields()})
