"""What the runs of a network have found out, for its later ones. It is kept with the network; no number depends on it.

These are the program of direct mode and the edges of macro mode, and whether direct mode pays.

Direct mode pays where its program is soon complete, so that steps save what was spent on writing it. Whether that is so
only a trial tells. A trial that fails is paid for once: later runs spend no more than a small part of the time that
they have taken in plain rationals, and so find out, too, if it is different for them.
"""

from typing import TYPE_CHECKING

from exactnn.networks import Input, Network
from exactnn.simulation.positional.radix import Radix

if TYPE_CHECKING:
    from exactnn.simulation.positional.macro_machine import Chart, Legs, MacroMachine
    from exactnn.simulation.positional.whole_program import WholeProgram

__all__ = ["SHORTEST_DETOUR", "Experience"]

PATIENCE, PATIENCE_IN_STEPS = 0.05, 512
"""Seconds that may be spent on new parts of the program beyond those that its steps have saved: so many at least, and
those that so many plain steps take.

They are reckoned, not measured: how the steps of a run are taken should not depend on what else a machine does.
"""
WRITING, WRITING_BY_UNIT, WRITING_BY_WEIGHT = 2e-4, 4e-6, 5e-8
"""Seconds that a new transition takes, and those that it takes longer for each unit and weight of the network."""
SAVED_BY_WEIGHT = 1e-7
"""Seconds that a step of direct mode saves for each weight, as against plain rationals."""
ADDING = 8e-9
"""Seconds that a limb takes in a sum of long numbers."""
SAME_TIME = 30
"""Weights to which plain integers apply a long number in the time in which it is added once."""
SHARE = 1 / 32
"""What part of the time of plain steps may be spent on new parts of the program."""
SHORTEST_DETOUR = 8
"""Steps in plain rationals before the fast ones are tried again; doubled each time that this was too early."""
LONGEST_START = 0.02
"""Seconds of plain steps with which a run begins, at most, where the fast ones have failed in earlier runs."""
LONGER = 65 / 64
"""How much longer a program is than the one that is kept before it is copied, which takes less than a transition."""
MOST_WORDS = 1 << 16
"""Words of a program that is kept."""
MOST_EDGES = 1 << 10
"""Edges of a macro machine that are kept."""


class Experience:
    """Whether direct mode pays for a network, and its program.

    `patience`: seconds that may be spent on new parts of the program. `detour`: how long the last run went on in plain
    rationals after it had left direct mode.
    """

    __slots__ = ("_charts", "_first", "_programs", "_saved", "_weights", "_writing", "detour", "patience")

    def __init__(self, network: Network, patience: float | None = None) -> None:
        units, weights = network.circuit.units, network.circuit.weights
        self._weights, self._saved = weights, SAVED_BY_WEIGHT * max(1, weights)
        self._writing = WRITING + WRITING_BY_UNIT * units + WRITING_BY_WEIGHT * weights
        self._programs: dict[Radix, WholeProgram] = {}  # nobody writes on these
        self._charts: dict[tuple[Input, Radix, int], Chart] = {}  # nor on these
        self._first = max(PATIENCE, PATIENCE_IN_STEPS * self._saved) if patience is None else patience
        self.patience, self.detour = self._first, SHORTEST_DETOUR

    @classmethod
    def of(cls, network: Network) -> "Experience":
        """Return the experience with a network, of all its runs."""
        return network.laid_out.of(cls, None, lambda: cls(network))

    def first_detour(self, in_words: float | None) -> int:
        """Return the plain steps with which a new run begins: of rationals, or of machine words, which take less.

        Here and below the seconds of a step in machine words are given, None in rationals; these take what direct mode
        saves.
        """
        if self.detour == SHORTEST_DETOUR:
            return 0
        return max(SHORTEST_DETOUR, min(self.detour, int(LONGEST_START / (in_words or self._saved))))

    def shortest_detour(self, in_words: float | None) -> int:
        """Return how many plain steps a detour takes at least: as long as so many in rationals."""
        return int(SHORTEST_DETOUR * max(1.0, self._saved / (in_words or self._saved)))

    def begin(self) -> None:
        """Take note that a run begins: what others have saved is not for it to spend."""
        self.patience = min(self.patience, self._first)

    def took(self, steps: int, limbs: int, tails: int) -> None:
        """Take note of steps in direct mode, and of the limbs that were added in them, of so many tails.

        Plain integers take time for these digits too, but in every weight.
        """
        net = 1 - steps * self._weights / (SAME_TIME * tails) if tails else 0
        self.patience += steps * self._saved - limbs * ADDING * max(0, net)

    def stayed(self, steps: int) -> None:
        """Take note that a run is still in direct mode after so many steps; where these are many, it pays."""
        if steps > 4 * self.detour:
            self.detour = SHORTEST_DETOUR

    def took_plain(self, steps: int, in_words: float | None) -> None:
        """Take note of steps in plain rationals, or in machine words."""
        self.patience += SHARE * steps * (in_words or self._saved)

    def wrote(self) -> None:
        """Take note of a new transition."""
        self.patience -= self._writing

    @property
    def pays(self) -> bool:
        """Whether no more was spent than may be."""
        return self.patience >= 0

    def keep(self, program: "WholeProgram") -> None:
        """Keep a copy of a program for later runs, if it is longer than the last one that was kept."""
        known = self._programs.get(program.radix)
        if program.code.size <= MOST_WORDS and (known is None or program.code.size > LONGER * known.code.size):
            self._programs[program.radix] = program.copied()

    def keep_edges(self, machine: "MacroMachine") -> None:
        """Keep a copy of what is known of a macro machine for later runs, if it is more than what is kept."""
        key, chart = (machine.given, machine.radix, machine.longest), machine.chart
        known = self._charts.get(key)
        if len(chart.edges) <= MOST_EDGES and (known is None or len(chart.edges) > LONGER * len(known.edges)):
            self._charts[key] = chart.copied()

    def edges(self, legs: "Legs", given: Input, radix: Radix) -> "Chart | None":
        """Return a copy of what is known of a macro machine, if there is something."""
        known = self._charts.get((given, radix, legs.longest))
        return None if known is None else known.copied()

    def program(self, radix: Radix) -> "WholeProgram | None":
        """Return a copy of what has been kept, if there is something."""
        known = self._programs.get(radix)
        return None if known is None else known.copied()
