"""``exactnn unitary``: is a network contractive, and its unitary twin as a file."""

import time
from typing import Any

import click
from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.cli.arguments import TimeLimit, construction_option, json_option, machine_argument
from exactnn.cli.output_files import check_new_files, force_option, saved_text
from exactnn.cli.printing import emit_fields, emit_json, working
from exactnn.cli.subject import load_subject
from exactnn.contraction import FORMS, UnitaryTwin, contractivity, unitary
from exactnn.networks import save_network

__all__ = ["command"]


@click.command("unitary")
@machine_argument
@click.option(
    "--input-bound",
    metavar="NUMBER",
    help="The largest absolute value of an input component, or one for each: '3', '1/2,1'.",
)
@click.option("--form", type=click.Choice(list(FORMS)), default="2n", show_default=True, help="The most states.")
@click.option(
    "--seconds",
    type=TimeLimit(),
    default=60.0,
    show_default="60",
    metavar="S",
    help="Time to make the twin: a number such as 600, or none for no limit.",
)
@click.option("-o", "--output", metavar="FILE", help="Save the twin as a network file (.json).")
@construction_option
@force_option
@json_option
def command(
    machine: str,
    input_bound: str | None,
    form: str,
    seconds: float | None,
    output: str | None,
    construction: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Make the unitary twin of the contractive ReLU network M: the same outputs on every word of bounded inputs.

    The forms differ in the weights of the orthogonal matrix: 2n needs square roots, which scaling the further units
    takes out of the saved network; 5n and 2n+3 are rational.
    """
    check_new_files([("-o", output)], force=force)
    with working("compiling"):
        network = load_subject(machine, construction).network
    began = time.perf_counter()
    bound = None if input_bound is None else input_bound.split(",") if "," in input_bound else input_bound
    with working("completing the matrix"):
        twin = unitary(network, input_bound=bound, form=form, max_seconds=seconds)
    if output is not None:
        save_network(twin.network, output, replace=force)
    record = _record(twin, time.perf_counter() - began) | {"file": output}
    if as_json:
        emit_json(record)
        return
    saved = "" if output is None else saved_text(output)
    low, high = map(mpq, record["norm"])
    emit_fields(
        {
            "saved": saved,
            "states": f"{record['neurons']}, for {record['original_neurons']}",
            "orthogonal": f"over {record['weight_field']}" if len(record["weight_field"]) < 60 else "over square roots",
            "norm of V": f"between {float(low):.6f} and {float(high):.6f}",
            "norm of states": f"at most {float(twin.certificate.ball.radius):.6g}",
            "certificate": "checked: U'U = I exactly, the further units stay 0",
            "claim": record["claim"],
            "source": twin.citation,
        }
    )


def _record(twin: UnitaryTwin, seconds: float) -> dict[str, Any]:
    return {
        "network": twin.original.name,
        "form": twin.form,
        "neurons": twin.network.neurons,
        "original_neurons": twin.original.neurons,
        "norm": [str(bound) for bound in contractivity(twin.original).norm_bounds()],
        "radius": str(twin.certificate.ball.radius),
        "radicands": [short_text(entry) for entry in twin.certificate.radicands],
        "weight_field": twin.weight_field,
        "claim": twin.claim,
        "citation": twin.citation,
        "seconds": seconds,
    }
