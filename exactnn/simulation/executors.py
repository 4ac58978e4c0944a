"""Which executor runs a network in an arithmetic."""

from exactnn.arithmetic import (
    ARITHMETICS,
    EXACT,
    Arithmetic,
    EnclosingArithmetic,
    ExactArithmetic,
    FixedPoint,
    FloatFormat,
    FloatOperations,
    MpfrOperations,
    RationalArithmetic,
    can_mpfr,
)
from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.networks import Network
from exactnn.simulation.emulated import EmulatedExecutor
from exactnn.simulation.executor import Executor
from exactnn.simulation.positional.warm_up import WarmUpExecutor
from exactnn.simulation.rational import RationalExecutor
from exactnn.simulation.smooth_units import has_smooth_units, refuse_smooth_units

__all__ = ["exact_executor_for", "executor_for"]


def executor_for(network: Network, arithmetic: Arithmetic | EnclosingArithmetic) -> Executor:
    """Return the executor of `network` in `arithmetic`.

    Raises
    ------
    UnsupportedArithmeticError
        If no executor computes in this arithmetic, or the network has a number beyond its range (fixed point).
    """
    if isinstance(arithmetic, RationalArithmetic):
        return RationalExecutor(network)
    if isinstance(arithmetic, ExactArithmetic):
        return exact_executor_for(network)
    if isinstance(arithmetic, FloatFormat):
        return _float_executor(network, arithmetic)
    if isinstance(arithmetic, FixedPoint):
        return _fixed_executor(network, arithmetic)
    if isinstance(arithmetic, EnclosingArithmetic):
        raise UnsupportedArithmeticError(
            f"{arithmetic} arithmetic gives enclosures, not numbers: exactnn.run and exactnn.certified_argmax run it; "
            "give another arithmetic here"
        )
    if isinstance(arithmetic, str) and arithmetic in ARITHMETICS:
        named = f"exactnn.{arithmetic.upper()}"
        raise UnsupportedArithmeticError(f"arithmetic {shown(arithmetic)} is only a name: give {named}")
    known = ", ".join(f"exactnn.{name.upper()}" for name in ARITHMETICS)
    known += ", a FloatFormat, a FixedPoint or, where enclosures do, an Interval"
    raise UnsupportedArithmeticError(f"no executor for arithmetic {shown(arithmetic)}: give one of {known}")


def _float_executor(network: Network, format: FloatFormat) -> Executor:
    # Only here, since importing numba takes as long as everything else together.
    from exactnn.simulation.floats import NATIVE, FloatExecutor
    from exactnn.simulation.rounded import RoundedExecutor
    from exactnn.simulation.roundings import can_round

    if format in NATIVE:
        return FloatExecutor(network, format)
    if can_round(format):
        return RoundedExecutor(network, format)
    by_mpfr = can_mpfr(format) and can_mpfr(format.accumulator or format)
    return EmulatedExecutor(network, format, MpfrOperations if by_mpfr else FloatOperations)


def _fixed_executor(network: Network, format: FixedPoint) -> Executor:
    from exactnn.simulation.emulated_fixed import EmulatedFixedExecutor
    from exactnn.simulation.fixed import FixedExecutor, can_compile

    compiles = can_compile(format, smooth=has_smooth_units(network))
    return FixedExecutor(network, format) if compiles else EmulatedFixedExecutor(network, format)


def exact_executor_for(network: Network, *, shadow: bool = False, many: bool = False) -> Executor:
    """Return the executor of an exact run; with `shadow` its direct steps are checked modulo a prime.

    With `many` it is for many runs: then it is worth while to load compiled code at once.
    """
    refuse_smooth_units(network, EXACT)

    def following(begun: Network, taken: int) -> Executor:
        from exactnn.simulation.positional.fused_executor import exact_executor

        return exact_executor(begun, shadow=shadow, taken=taken)

    return following(network, 0) if many else WarmUpExecutor(network, following)
