"""``python -m exactnn``: the command line."""

from exactnn.cli import main

main(prog_name="exactnn")
