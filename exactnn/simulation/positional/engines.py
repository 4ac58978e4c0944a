"""The compiled engines of a network, loaded when they are needed, and the forms of a state that they work on."""

from gmpy2 import mpq

from exactnn.arithmetic import Numeral
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation.packed import pack_number, unpack_integer
from exactnn.simulation.positional.direct import DirectEngine, DirectState
from exactnn.simulation.positional.macro import Macro, MacroForm
from exactnn.simulation.positional.macro_machine import MOST_STACKS, Head, MacroMachine, MacroState, Runs, Stacks
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.reading import Reader
from exactnn.simulation.positional.shadow import ShadowedDirectEngine
from exactnn.simulation.positional.status import Status

__all__ = ["Engines", "pack_macro"]


class Engines:
    """Direct mode, with its shadow if that is wanted, and macro mode of one network."""

    def __init__(self, network: Network, radix: Radix, *, shadow: bool = False, block_pace: int | None = None) -> None:
        self.network = network
        self.direct = DirectEngine(network, radix, block_pace=block_pace)
        self.shadowed = ShadowedDirectEngine(self.direct) if shadow else None
        self.macro = Macro(self.direct)
        self.reader = Reader(self.direct)

    def values(self, form: DirectState | MacroForm) -> tuple[mpq | Numeral, ...]:
        """Return the numbers of a state."""
        return form.values() if isinstance(form, MacroForm) else self.stepping.values(form)

    @property
    def stepping(self) -> DirectEngine | ShadowedDirectEngine:
        """What takes the steps of direct mode."""
        return self.shadowed or self.direct

    def unpack_macro(self, data: object, size: int, given: Input) -> MacroForm:
        """Return the form that :func:`pack_macro` wrote; raises CheckpointError for anything else."""
        try:
            form = self._unpacked(data, size, given)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            form = None
        if form is None:
            raise CheckpointError(f"{shown(data)} is no state of macro mode")
        return form

    def _unpacked(self, data: object, size: int, given: Input) -> MacroForm | None:
        assert isinstance(data, dict)
        limb = data["limb"]
        if limb not in range(1, self.direct.radix.limb + 1) or len(data["stacks"]) != MOST_STACKS:
            return None
        runner = self.macro.runner(given, limb)
        unit = runner.machine.unit
        stacks = tuple(tuple((int(x), unpack_integer(count)) for x, count in runs) for runs in data["stacks"])
        statuses = tuple(map(Status, data["statuses"]))
        heads = tuple(Head(*map(int, head)) for head in data["heads"])
        state = MacroState(statuses, heads, data["wanted"])
        fits = all(0 <= x < unit and count > 0 for runs in stacks for x, count in runs)
        if not fits or len(statuses) != size or not self._is_sound(state, stacks, runner.machine):
            return None
        return MacroForm(runner, runner.machine.number(state), stacks)

    def _is_sound(self, state: MacroState, stacks: Stacks, machine: MacroMachine) -> bool:
        """Whether the heads refer to stacks that are there, and their numbers fit their statuses."""
        radix = machine.radix
        live = [status for status in state.statuses if status >= Status.LIVE]
        if len(live) != len(state.heads) or not (state.wanted == -1 or state.wanted in state.stacks):
            return False
        if any(runs and runs[-1][0] == 0 for runs in stacks):
            return False
        for status, head in zip(live, state.heads, strict=True):
            if head.stack not in range(-1, MOST_STACKS) or (head.stack >= 0 and not stacks[head.stack]):
                return False
            if head.sign not in (1, -1) or not 0 <= head.places <= machine.longest or abs(head.head) >> 61:
                return False
            short: Runs = stacks[head.stack][:1] if head.stack >= 0 else ()
            number = Numeral(base=radix.base, limb_digits=radix.limb, head=head.head, places=head.places,
                             sign=head.sign, runs=tuple((x, 1) for x, _ in short))  # fmt: skip
            if Status.of(mpq(number)) is not status and not short:
                return False
        return True


def pack_macro(form: MacroForm) -> dict[str, object]:
    """Return a state of macro mode as JSON data."""
    state = form.runner.machine.states[form.state]
    return {
        "limb": form.runner.machine.radix.limb,
        "statuses": [int(status) for status in state.statuses],
        "heads": [list(head) for head in state.heads],
        "wanted": state.wanted,
        "stacks": [[[limb, pack_number(count)] for limb, count in runs] for runs in form.stacks],
    }
