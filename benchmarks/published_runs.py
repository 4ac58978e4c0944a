"""Turing machines that run for long before they halt, with the counts that others published.

Texts are in the format of bbchallenge.org. Machines and counts are taken from: H. Marxen's page
"Busy Beaver" (https://turbotm.de/~heiner/BB/), P. Michel, "The Busy Beaver Competition: a historical survey"
(arXiv:0906.3749), and the lists in S. Ligocki's repository https://github.com/sligocki/busy-beaver (folder Machines).
Found by

* 6 states, 10^10 to 10^1730 steps: H. Marxen and J. Buntrock, 1990 to 2001;
* 3 symbols, 5 symbols, and 10^1762 and 10^2879 steps: T. and S. Ligocki, 2007;
* 10^21132 and 10^36534 steps: P. Kropitz, 2010;
* towers, 10^^n: P. Kropitz (6 states, 2022), P. Michel's and bbchallenge.org's lists.
"""

from dataclasses import dataclass

from gmpy2 import mpz

__all__ = ["PUBLISHED_RUNS", "TOWER_RUNS", "Count", "PublishedRun"]


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number of which the first digits are known, and how many there are."""

    leading: str
    length: int = 0

    def fits(self, number: int) -> bool:
        """Return whether `number` begins with these digits and has as many; all of them, if no length is given."""
        digits = mpz(number).digits()
        return digits.startswith(self.leading) and len(digits) == (self.length or len(self.leading))

    def __str__(self) -> str:
        length = self.length or len(self.leading)
        if not self.length and length < 20:
            return f"{int(self.leading):,}"
        return f"{self.leading[0]}.{self.leading[1]}e{length - 1}"


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """A machine as text, the steps until it halts (the last one included), the cells that are not blank then."""

    text: str
    steps: Count
    nonblank: Count


PUBLISHED_RUNS = (
    PublishedRun("1LB1LA_1RC1RB_0RF1RD_1LA0RE_0LA1RC_1LE1LZ", Count("13122572797"), Count("136612")),
    PublishedRun("1RB1RA_1LC1LB_0RF1LD_1RA0LE_1RZ1LF_0LA0LC", Count("8690333381690951"), Count("95524079")),
    PublishedRun("1RB2LA1LC_0LA2RB1LB_1RZ1RA1RC", Count("119112334170342540"), Count("374676383")),
    PublishedRun("1RB0LB_1LA1LC_1LB0RD_1RZ1RE_1RF0RA_0RC1LC", Count("93943325529148987897"), Count("5234513991")),
    PublishedRun(
        "1RB1LC_0LA0LD_1LA1RZ_1LB1RE_0RD0RF_0RF0LD", Count("834255278317995435946049", 26), Count("11974457230330")
    ),
    PublishedRun(
        "1RB0RC_0LA0RD_1RD1RZ_1LE0LD_1RF1LB_1RA1RE",
        Count("536659838332190423850623", 43),
        Count("2537699363594175843063"),
    ),
    PublishedRun(
        "1RB0LC_1LA1RD_0LB0LE_1RA0RB_1LF1LC_1RD1RZ",
        Count("204456629878135474450322", 96),
        Count("674053459597869440302180", 48),
    ),
    PublishedRun(
        "1RB0LC_1LA1RC_1RA0LD_1LE1LC_1RF1RZ_1RA1RE",
        Count("612351597512106734389649", 120),
        Count("142869590596005504475908", 61),
    ),
    PublishedRun(
        "1RB2LA1RA2LB2LA_0LA2RB3RB4RA1RZ",
        Count("190282916614912976971178", 705),
        Count("178083762741148271794091", 353),
    ),
    PublishedRun(
        "1RB0LB_0RC1LB_1RD0LA_1LE1LF_1LA0LD_1RZ1LE",
        Count("619691306172795526705013", 926),
        Count("642749980512275356954697", 463),
    ),
    PublishedRun(
        "1RB0LF_0RC0RD_1LD1RE_0LE0LD_0RA1RC_1LA1RZ",
        Count("300232771652356282895510", 1731),
        Count("129149519647309972506734", 866),
    ),
    PublishedRun("1RB0RF_0LB1LC_1LD0RC_1LE1RZ_1LF0LD_1RA0LE", Count("8929", 1763), Count("2500", 882)),
    PublishedRun("1RB0LE_1LC0RA_1LD0RC_1LE0LF_1LA1LC_1LE1RZ", Count("2584", 2880), Count("464", 1440)),
    PublishedRun(
        "1RB0LD_1RC0RF_1LC1LA_0LE1LZ_1LA0RB_0RC0RE",
        Count("380914784329710847862339", 21133),
        Count("318711900972110274438490", 10567),
    ),
    PublishedRun("1RB1LE_1RC1RF_1LD0RB_1RE0LC_1LA0RD_1RZ1RC", Count("74", 36535), Count("35", 18268)),
)
"""Shortest first."""

TOWER_RUNS = {
    "1RB0LA_1LC1LF_0LD0LC_0LE0LB_1RE0RA_1RZ1LD": 5,
    "1RB0LD_1RC0RF_1LC1LA_0LE1RZ_1LF0RB_0RC0RE": 15,
    "1RB0LB1RZ3LA_0LC3RB3RC1LB_2RB2LA3RA1LC": 2048,
}
"""Machines, and the largest n with more than 10^^n steps: a tower of n tens."""
