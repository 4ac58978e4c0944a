"""Which executor runs a network in an arithmetic."""

from typing import Never

from exactnn.arithmetic import (
    ARITHMETICS,
    EXACT,
    Arithmetic,
    Certified,
    EnclosingArithmetic,
    ExactArithmetic,
    FixedPoint,
    FloatFormat,
    Interval,
    RationalArithmetic,
)
from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Network
from exactnn.simulation.emulated import EmulatedFixedExecutor, emulated
from exactnn.simulation.executor import Executor, has_basic_readout
from exactnn.simulation.intervals import IntervalExecutor
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.rational import RationalExecutor
from exactnn.simulation.short_run import ShortRunExecutor
from exactnn.simulation.smooth_units import has_smooth_units, has_unbounded_smooth_units, refuse_smooth_units
from exactnn.simulation.with_numba import has_numba
from exactnn.size_limit import SizeLimit

__all__ = ["exact_executor_for", "executor_for"]


def executor_for(
    network: Network,
    arithmetic: Arithmetic | EnclosingArithmetic,
    limit: SizeLimit | None = None,
    *,
    enclosing: bool = False,
    without_end: bool = False,
    every_state: bool = False,
    once: bool = False,
) -> Executor:
    """Return the executor of `network` in `arithmetic`; steps of an exact one for which `limit` has no room raise
    SizeLimitError. With `enclosing` its values may be enclosures. Of a run `without_end`, which has no limit of steps,
    the fast exact engine also says "proven non-halting" where it can prove that. With `every_state` the numbers
    after each step are asked for: then EXACT takes plain steps, at first at least. A run of one step is `once`.

    Raises
    ------
    UnsupportedArithmeticError
        If no executor computes in this arithmetic, or the network has a number beyond its range (fixed point).
    """
    match arithmetic:
        case RationalArithmetic():
            return RationalExecutor(network, limit)
        case ExactArithmetic():
            return ShortRunExecutor(network, limit, every_state=every_state, once=once, without_end=without_end)
        case FloatFormat():
            return _float_executor(network, arithmetic)
        case FixedPoint():
            return _fixed_executor(network, arithmetic)
        case Interval() if enclosing:
            return IntervalExecutor(network, arithmetic, limit)
        case Certified() | Interval():
            raise unsupported(arithmetic)
        case _:
            raise _unknown(arithmetic)


def _unknown(arithmetic: Never) -> UnsupportedArithmeticError:
    """Return the error of what is none of the arithmetics; for mypy one that is left out above is an error."""
    return unsupported(arithmetic)


def unsupported(arithmetic: object) -> UnsupportedArithmeticError:
    """Return the error of something that is no number system here, with what to give instead."""
    if isinstance(arithmetic, EnclosingArithmetic):
        return UnsupportedArithmeticError(
            f"{arithmetic} arithmetic gives enclosures, not numbers: exactnn.run and exactnn.certified_argmax run it; "
            "give another arithmetic here"
        )
    if isinstance(arithmetic, str) and arithmetic in ARITHMETICS:
        named = f"exactnn.{arithmetic.upper()}"
        return UnsupportedArithmeticError(f"arithmetic {shown(arithmetic)} is only a name: give {named}")
    known = ", ".join(f"exactnn.{name.upper()}" for name in ARITHMETICS)
    known += ", a FloatFormat, a FixedPoint or, where enclosures do, an Interval"
    return UnsupportedArithmeticError(f"no executor for arithmetic {shown(arithmetic)}: give one of {known}")


def _float_executor(network: Network, format: FloatFormat) -> Executor:
    if not has_numba():
        return emulated(network, format)
    with Uninterrupted("loading numba"):  # only here, since that takes as long as everything else together
        from exactnn.simulation.floats import NATIVE, FloatExecutor
        from exactnn.simulation.rounded import RoundedExecutor, can_pair, can_round

    if format in NATIVE:
        return FloatExecutor(network, format)
    if can_round(format) or (can_pair(format) and not has_smooth_units(network)):
        return RoundedExecutor(network, format)
    return emulated(network, format)


def _fixed_executor(network: Network, format: FixedPoint) -> Executor:
    if not has_numba():
        return EmulatedFixedExecutor(network, format)
    with Uninterrupted("loading numba"):
        from exactnn.simulation.fixed import FixedExecutor, can_compile

    compiles = can_compile(format, smooth=has_smooth_units(network), unbounded=has_unbounded_smooth_units(network))
    return FixedExecutor(network, format) if compiles else EmulatedFixedExecutor(network, format)


def exact_executor_for(
    network: Network,
    *,
    shadow: bool = False,
    many: bool = False,
    limit: SizeLimit | None = None,
    without_end: bool = False,
    every_state: bool = False,
) -> Executor:
    """Return the executor of an exact run; with `shadow` its direct steps are checked modulo a prime.

    With `many` it is for many runs: then compiled code is loaded at once, if it can run the network. `without_end` and
    `every_state` are as in :func:`executor_for`.
    """
    if not many or not has_basic_readout(network):
        return ShortRunExecutor(network, limit, every_state=every_state, shadow=shadow, without_end=without_end)
    refuse_smooth_units(network, EXACT)
    return ExactExecutor(
        network, warm_up=0, every_state=every_state, shadow=shadow, limit=limit, without_end=without_end
    )
