"""The compiled engines of a network, loaded when they are asked for: that takes long."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from exactnn.interrupts import Uninterrupted
from exactnn.networks import Network
from exactnn.simulation.positional.radix import Radix
from exactnn.size_limit import SizeLimit

if TYPE_CHECKING:
    from exactnn.simulation.positional.direct import DirectEngine
    from exactnn.simulation.positional.macro import Macro
    from exactnn.simulation.positional.shadow import ShadowedDirectEngine

__all__ = ["Engines"]


@cache
def _classes() -> "tuple[type[DirectEngine], type[Macro]]":
    with Uninterrupted("loading numba"):  # only here, since that takes long
        from exactnn.simulation.positional.direct import DirectEngine
        from exactnn.simulation.positional.macro import Macro

    return DirectEngine, Macro


@dataclass(frozen=True, slots=True)
class Engines:
    """What takes direct steps, with or without a shadow, and macro mode."""

    direct: "DirectEngine"
    shadowed: "ShadowedDirectEngine | None"
    macro: "Macro"

    @classmethod
    def load(
        cls, network: Network, radix: Radix, limit: SizeLimit, *, block_pace: int, shadow: bool, without_end: bool
    ) -> "Engines":
        """Load compiled code, and make the engines of a network; the options are those of the modes."""
        engine, macro = _classes()
        if not shadow:
            direct = engine(network, radix, block_pace=block_pace, limit=limit)
            return cls(direct, None, macro.of_engine(direct, without_end=without_end))
        with Uninterrupted("loading the shadow"):
            from exactnn.simulation.positional.program import Program
            from exactnn.simulation.positional.shadow import ShadowedDirectEngine

        layers = Program(network, radix)  # a shadow follows layers only
        direct = engine(network, radix, layers, block_pace=block_pace, limit=limit)
        return cls(direct, ShadowedDirectEngine(direct), macro.of_engine(direct, without_end=without_end))

    @staticmethod
    def are_compiled() -> bool:
        """Whether the loop of direct mode need not be compiled, or cannot be."""
        with Uninterrupted("loading numba"):
            try:
                from exactnn.simulation.compiled import is_compiled
                from exactnn.simulation.positional.kernels import loop
            except (ImportError, OSError, MemoryError, SystemError):  # the modes will say so
                return True
        return is_compiled(loop)

    @property
    def stepping(self) -> "DirectEngine | ShadowedDirectEngine":
        """What takes direct steps."""
        return self.direct if self.shadowed is None else self.shadowed
