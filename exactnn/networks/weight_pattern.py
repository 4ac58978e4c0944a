"""The weights of a network as a picture: a cell for each, in notebooks."""

from gmpy2 import mpq

from exactnn.arithmetic import counted, short_text
from exactnn.markup import Cell, cell_grid, clipped
from exactnn.networks.circuit import Circuit, Unit

__all__ = ["weight_pattern"]

LONGEST_NAME = 100
MOST_UNITS = 70


def weight_pattern(circuit: Circuit, alphabet: tuple[str, ...] | None) -> str:
    """Return the pattern: blue for positive weights, red for negative ones, green for products; values on hover.

    Columns are the bias, the state, the input, then units; at most 70 of rows and columns are drawn.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> half = SimpleRNN(V=[["1/2"]], W=[[-1]], b=[0], s=[0], readout_weight=[1], alphabet="a")
    >>> pattern = weight_pattern(half.circuit, half.alphabet)
    >>> "h[0]: 1/2 from state h[0]" in pattern, "h[0]: -1 from input a" in pattern
    (True, True)
    """
    units = [unit for layer in circuit.layers for unit in layer]
    called = [clipped(unit.name, LONGEST_NAME) for unit in units]
    inputs = alphabet or tuple(str(i) for i in range(circuit.input_size))
    names = [f"state {name}" for name in circuit.state_names]
    names += [f"input {name}" for name in inputs] + [f"unit {name}" for name in called]
    names = [clipped(name, LONGEST_NAME) for name in names]
    cells = {row: _row(unit, called[row], names) for row, unit in enumerate(units[:MOST_UNITS])}
    columns = range(-1, min(len(names), MOST_UNITS))
    title = f"weights of {counted(len(units), 'unit')}"
    return cell_grid([(f"{title}; first column: biases", cells)], list(cells), columns, title=title)


def _row(unit: Unit, called: str, names: list[str]) -> dict[int, Cell]:
    row = {column: Cell(fill="#ffffff") for column in range(-1, len(names))}
    for first, second, weight in unit.bilinear:
        told = f"{called}: {short_text(weight)} of {names[first]} times {names[second]}"
        row[first] = row[second] = Cell(fill="#7fbf9f", hover=told)
    for register, weight in unit.linear:
        row[register] = Cell(fill=_colour(weight), hover=f"{called}: {short_text(weight)} from {names[register]}")
    if unit.bias:
        row[-1] = Cell(fill=_colour(unit.bias), hover=f"{called}: bias {short_text(unit.bias)}")
    return row


def _colour(weight: mpq) -> str:
    return "#4a86c5" if weight > 0 else "#d5724a"
