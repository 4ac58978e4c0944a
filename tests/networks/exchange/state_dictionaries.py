"""State dictionaries as torch would have them, drawn at random: numpy alone is needed."""

import numpy as np
from hypothesis import strategies as st

ROWS = {"RNN": 1, "GRU": 3, "LSTM": 4}


def drawn_tensors(seed, cell, *, inputs, size, layers=1, bias=True, dtype=np.float32, prefix=""):
    """Return the tensors of a recurrent module."""
    numbers = np.random.default_rng(seed)
    found = {}
    for k in range(layers):
        rows = ROWS[cell] * size
        found[f"{prefix}weight_ih_l{k}"] = numbers.uniform(-1, 1, (rows, size if k else inputs)).astype(dtype)
        found[f"{prefix}weight_hh_l{k}"] = numbers.uniform(-1, 1, (rows, size)).astype(dtype)
        if bias:
            for kind in ("ih", "hh"):
                found[f"{prefix}bias_{kind}_l{k}"] = numbers.uniform(-1, 1, rows).astype(dtype)
    return found


def modules(*, dtypes=(np.float16, np.float32, np.float64)):
    """Draw the options of `drawn_tensors`."""
    return st.fixed_dictionaries(
        {
            "seed": st.integers(0, 10**6),
            "cell": st.sampled_from(sorted(ROWS)),
            "inputs": st.integers(1, 3),
            "size": st.integers(1, 3),
            "layers": st.integers(1, 3),
            "bias": st.booleans(),
            "dtype": st.sampled_from(dtypes),
        }
    )
