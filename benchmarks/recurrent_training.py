"""What the two learning experiments share: three kinds of recurrent weights, and progress kept in files.

The kinds differ in nothing but how the recurrent matrix is held: free; free, but after each step of the optimiser the
nearest orthogonal matrix (URNN by projection, as in arXiv 1910.13672); or a function of free numbers that is always
orthogonal (URNN by Cayley transform): W = W_0 (I - K)^-1 (I + K) with K = (A - A')/2, where W_0 is the matrix that
training begins with, and A = 0 there. All kinds begin with the same numbers.

torch is imported when it is asked for, scikit-learn and mlxtend too.
"""

import importlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from exactnn.errors import CheckpointError, MissingExtraError, shown
from exactnn.files import write_file

KINDS = ("RNN", "URNN projected", "URNN Cayley")
"""The kinds of networks, in the order in which they lie in tensors."""


def imported(name: str) -> Any:
    """Return the module of that name of the extra "experiments".

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise MissingExtraError(f'{package} is not installed: pip install "exactnn[experiments]"') from None


def one_thread() -> Any:
    """Return torch, which takes one thread from now on, so that a run gives the same numbers again."""
    torch = imported("torch")
    torch.set_num_threads(1)
    return torch


def nearest_orthogonal(matrices: Any) -> Any:
    """Return the nearest orthogonal matrix to each (..., n, n), U V' of the SVD; one with NaN becomes all NaN."""
    torch = imported("torch")
    finite = torch.isfinite(matrices).all(-1).all(-1)[..., None, None]
    left, _, right = torch.linalg.svd(torch.where(finite, matrices, torch.zeros_like(matrices)))
    return torch.where(finite, left @ right, torch.full_like(matrices, float("nan")))


def cayley(free: Any, start: Any) -> Any:
    """Return ``start (I - K)^-1 (I + K)``, K = (free - free')/2, of each (..., n, n)."""
    torch = imported("torch")
    skew = (free - free.mT) / 2
    one = torch.eye(free.shape[-1], dtype=free.dtype)
    return start @ torch.linalg.solve(one - skew, one + skew)


class RecurrentWeights:
    """The recurrent matrices of networks of all kinds: (kinds, networks, n, n), from (networks, n, n) to begin with."""

    def __init__(self, start: Any) -> None:
        torch = imported("torch")
        self.start = start
        self.free = torch.stack([start, start, torch.zeros_like(start)]).requires_grad_()

    def matrices(self) -> Any:
        """Return the matrices that networks run with."""
        torch = imported("torch")
        return torch.cat([self.free[:2], cayley(self.free[2:], self.start)])

    def project(self) -> None:
        """Project those of the second kind; called after each step of an optimiser."""
        with imported("torch").no_grad():
            self.free[1] = nearest_orthogonal(self.free[1])


def optimiser_arrays(optimiser: Any) -> dict[str, np.ndarray]:
    """Return the parameters and the state of an optimiser with one group, as arrays by name."""
    parameters = optimiser.param_groups[0]["params"]
    arrays = {f"parameter {i}": each.detach().numpy() for i, each in enumerate(parameters)}
    for i, each in enumerate(parameters):
        for name, value in optimiser.state[each].items():
            arrays[f"state {i} {name}"] = value.numpy()
    return arrays


def restore_optimiser(optimiser: Any, arrays: Mapping[str, np.ndarray]) -> None:
    """Put back what `optimiser_arrays` returned."""
    torch = imported("torch")
    with torch.no_grad():
        for i, each in enumerate(optimiser.param_groups[0]["params"]):
            each.copy_(torch.from_numpy(arrays[f"parameter {i}"]))
            start = f"state {i} "
            optimiser.state[each] = {
                name.removeprefix(start): torch.from_numpy(array.copy())
                for name, array in arrays.items()
                if name.startswith(start)
            }


def save_progress(path: Path, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays and the settings that they belong to, at once: there is always a whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    np.savez(stream, settings=np.array(json.dumps(settings, sort_keys=True)), **arrays)
    write_file(path, stream.getvalue(), error=CheckpointError)


def load_progress(path: Path, settings: Mapping[str, Any]) -> dict[str, np.ndarray] | None:
    """Return the arrays of a file, or None if there is none.

    Raises
    ------
    CheckpointError
        If it cannot be read, or belongs to other settings.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"progress {shown(str(path))} cannot be read: {error}") from None
    found = json.loads(str(arrays.pop("settings")))
    wanted = json.loads(json.dumps(settings))
    other = sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))
    if other:
        raise CheckpointError(
            f"progress {shown(str(path))} has other settings ({', '.join(other)}): name another folder, or remove it"
        )
    return arrays


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation (of a sample) of the finite ones among values."""
    finite = [value for value in values if np.isfinite(value)]
    if not finite:
        return float("nan"), float("nan")
    return float(np.mean(finite)), float(np.std(finite, ddof=1)) if len(finite) > 1 else float("nan")


def shown_spread(values: Sequence[float], style: str) -> str:
    """Return the mean ± the standard deviation, as far as there are such, each in a style as ".4f"."""
    figures = (format(figure, style) for figure in spread(values) if np.isfinite(figure))
    return " ± ".join(figures) or "-"
