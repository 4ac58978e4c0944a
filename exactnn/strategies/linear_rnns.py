"""Linear networks of layers, of any widths."""

from hypothesis import strategies as st

from exactnn.depth import LinearRNN
from exactnn.linear_algebra import Matrix
from exactnn.strategies.numbers import check_bounds, rationals

__all__ = ["linear_rnns"]


def linear_rnns(
    *,
    max_layers: int = 3,
    max_units: int = 3,
    max_inputs: int = 2,
    max_outputs: int = 2,
    largest: int = 3,
    square: bool = False,
    biases: bool = True,
) -> st.SearchStrategy[LinearRNN]:
    """Linear networks of layers; they shrink to one layer of one unit, one input, a number as output, and weights 0.

    Parameters
    ----------
    max_layers, max_units, max_inputs, max_outputs : int
    largest : int
        Weights are p/q with \\|p\\|, q at most this number.
    square : bool
        Whether all layers have one width, at least that of the input, and there are as many outputs as inputs: the
        networks of which the delay law speaks.
    biases : bool
        Whether there may be any.

    Raises
    ------
    OptionError
        If there are to be no layers, units, inputs, outputs or numbers.

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(linear_rnns(), lambda network: len(network.layers) == 2)
    >>> found, found.hankel_rank()
    (<linear RNN: 2 layers of 1, 1 units>, 0)
    """
    check_bounds(
        1,
        max_layers=max_layers,
        max_units=max_units,
        max_inputs=max_inputs,
        max_outputs=max_outputs,
        largest=largest,
    )
    return _linear_rnns(max_layers, max_units, max_inputs, max_outputs, largest, square, biases)


@st.composite
def _linear_rnns(
    draw: st.DrawFn,
    max_layers: int,
    max_units: int,
    max_inputs: int,
    max_outputs: int,
    largest: int,
    square: bool,
    biases: bool,
) -> LinearRNN:
    entry = rationals(largest=largest)

    def matrix(height: int, width: int) -> Matrix:
        return tuple(tuple(draw(entry) for _ in range(width)) for _ in range(height))

    depth = draw(st.integers(1, max_layers))
    if square:
        inputs = outputs = draw(st.integers(1, min(max_inputs, max_units)))
        widths = [draw(st.integers(inputs, max_units))] * depth
    else:
        inputs, outputs = draw(st.integers(1, max_inputs)), draw(st.integers(1, max_outputs))
        widths = [draw(st.integers(1, max_units)) for _ in range(depth)]
    below = [inputs, *widths]
    rows = matrix(outputs, widths[-1])
    return LinearRNN(
        layers=[(matrix(width, width), matrix(width, read)) for read, width in zip(below, widths, strict=False)],
        readout=rows[0] if outputs == 1 and not draw(st.booleans()) else rows,
        biases=[matrix(1, width)[0] for width in widths] if biases and draw(st.booleans()) else None,
    )
