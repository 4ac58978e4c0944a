"""A colour for each symbol of a tape: white for the blank, then light to dark, so that they are told apart in grey."""

from exactnn.automata import TuringMachine

__all__ = ["LOST_COLOUR", "tape_colours"]

LOST_COLOUR = "#9A9A9A"
_OKABE_ITO = ("#0072B2", "#F0E442", "#D55E00", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#332288")


def tape_colours(machine: TuringMachine) -> list[str]:
    """Return the colours of the tape symbols, in their order.

    Beyond eight symbols and the blank they are taken from a scale that grows darker evenly.

    >>> from exactnn.machine_files import load
    >>> tape_colours(load("bb3"))
    ['#FFFFFF', '#0072B2']
    """
    others = [symbol for symbol in machine.tape_symbols if symbol != machine.blank_symbol]
    colours = dict(zip(others, _colours(len(others)), strict=True)) | {machine.blank_symbol: "#FFFFFF"}
    return [colours[symbol] for symbol in machine.tape_symbols]


def _colours(count: int) -> list[str]:
    if count <= len(_OKABE_ITO):
        return list(_OKABE_ITO[:count])
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    scale = colormaps["viridis_r"]
    return [to_hex(scale(i / (count - 1))) for i in range(count)]
