"""The words of a program, and of the arrays that direct mode's loop goes on from.

A *program* (:mod:`exactnn.simulation.positional.program`) is a flat array of machine integers in which nodes,
transitions and tables are written; the address of each is that of its first word.

- A *node* stands for a pattern where a layer begins, or where a part of it is left. It looks at the leading digits of
  its *sources*, the long numbers that are read alone, and computes its *rows*, which read several. Every outcome adds
  something to a number, the *case*.
- The node's *table* has a transition for each case, or 0 where none is written yet. A node of whole steps looks at its
  numbers together: its table has pairs of a case and a transition (`table_kernels.pair_of`).
- A *transition* has *moves*, each of which shifts one number and adds a constant, and leads to the next node.
"""

__all__ = [
    "A_BANK", "A_NODE", "A_NUMBERS", "A_OTHER_BANK", "A_OTHER_NODE", "BEYOND", "BLOCK", "BLOCK_NODE", "BLOCK_SIZE",
    "B_FIRST", "B_NUMBERS", "B_OUTPUT", "B_PLAIN", "B_SECOND", "CHANGES", "CONTROL_SIZE", "C_ADDED", "C_CHANGES",
    "C_JOINED", "C_LABEL", "C_MISS", "C_NODE", "C_OUTPUT", "C_START", "C_STEPS", "C_TOP", "C_TRACED", "C_WITHIN",
    "DECIDED", "FIRST", "FULL", "HEADER", "K_GUESS", "K_MOVES", "K_NODE", "K_STEPS", "LIMIT", "LIVE_OUTPUT",
    "LONG_SUMS", "MISS", "MOST_ADDED", "MOVE", "M_DESTINATION", "M_PLACES", "M_SHIFT", "M_SOURCE", "M_TURNED",
    "M_TWICE", "NEITHER",
    "N_BLOCKS", "N_OUTPUT", "N_OUTSIDE", "N_PLACES", "N_ROWS", "N_SOURCES", "N_TABLE", "OPAQUE_SUM", "OPERAND",
    "OUTSIDE", "RANGE", "RECURS", "ROW", "R_CASES", "R_DESTINATION", "R_FIRST", "R_KEEP", "R_LAST", "R_NUMBER",
    "R_PLACES", "SECOND", "SINGLE", "SOURCE", "SWITCH", "S_DIGITS", "S_LOOKUP", "S_NEED", "S_SLOT", "TOUCH", "TRACED",
    "T_FIRST", "T_MOVES", "T_NODE", "T_OUTPUT", "UNFIXED", "UNKNOWN", "WITHIN",
]  # fmt: skip

# Why the loop stopped: all steps are taken; the transition is not written yet; a sum has an opaque tail; a number left
# the machine word; a row is outside what words can do; the arena is full; a digit of an opaque tail is needed; the
# pattern does not fix the output; it is a verdict; `changes` is full; `trace` is; the node for a symbol is not in the
# table; a block is not written yet; it cannot be, which stops the loop of blocks only; the state is that of the anchor;
# very many limbs were added.
(
    LIMIT, MISS, OPAQUE_SUM, RANGE, OUTSIDE, FULL, TOUCH, LIVE_OUTPUT, DECIDED, CHANGES, TRACED, SWITCH, BLOCK, SINGLE,
    RECURS, LONG_SUMS,
) = range(16)  # fmt: skip
# Words of `control`, which the loop goes on from and leaves behind: the node to go on with, the node where the step
# began, the steps taken, the arena's first free node, the last output; the case without a transition; the opaque tail
# that was touched, or how many nodes a sum has no room for; how many of the steps were within blocks. The rest counts
# from 0 in each call: how many changes of the output are written, how many transitions are in the trace, how many limbs
# were added, and how many tails these were of.
C_NODE, C_START, C_STEPS, C_TOP, C_OUTPUT, C_MISS, C_LABEL, C_WITHIN, C_CHANGES, C_TRACED, C_ADDED, C_JOINED = range(12)
CONTROL_SIZE = 12
# Words of an anchor: the nodes where a step begins in its pattern, from the one bank and from the other, -1 for none;
# where the other bank and the anchor's own begin; and for each of its long numbers where it is within a bank.
A_NODE, A_OTHER_NODE, A_OTHER_BANK, A_BANK, A_NUMBERS = range(5)
# Words of a node: how many sources and rows it has, its table, the output in this pattern, whether it is outside (then
# nothing else counts), the node of blocks for its pattern, or 0, and how many places its table has if that is one of
# whole steps, else 0. Sources and rows follow.
N_SOURCES, N_ROWS, N_TABLE, N_OUTPUT, N_OUTSIDE, N_BLOCKS, N_PLACES = range(7)
HEADER = 7
# A source: the slot, the digits that its head needs, those that tell the outcomes (-1: they tell nothing), and where
# they are looked up; of a node of whole steps, how many entries so many digits have.
S_SLOT, S_NEED, S_DIGITS, S_LOOKUP = range(4)
SOURCE = 4
# A row: the slot that it writes, its constant as number / base**places, which statuses of the value are kept (a bit
# each), where its operands begin and end, and what each of five statuses adds to the case. An operand is three words:
# slot, number, shift, for number * base**shift * the value in the slot.
R_DESTINATION, R_NUMBER, R_PLACES, R_KEEP, R_FIRST, R_LAST, R_CASES = range(7)
ROW = R_CASES + 5
OPERAND = 3
# The case of a node of whole steps where a number is not in (-1, 1): no entries have it.
BEYOND = 1 << 62
# A transition: the next node, the output if it ends a step, how many moves, and these. A move is turned, -1, if the
# number in its source changes its sign, or not, 0: x ^ turned - turned is x or -x. It multiplies by base**M_SHIFT and
# adds half of M_TWICE / base**M_PLACES.
T_NODE, T_OUTPUT, T_MOVES, T_FIRST = range(4)
M_SOURCE, M_TURNED, M_SHIFT, M_TWICE, M_PLACES, M_DESTINATION = range(6)
MOVE = 6
# A node of blocks: how many numbers it has, up to two, their slots, that of 0 where there is none, the output, and the
# plain node.
B_NUMBERS, B_FIRST, B_SECOND, B_OUTPUT, B_PLAIN = range(5)
BLOCK_NODE = 8
# A block: the next node of blocks, how many steps it is, and for both numbers of that node a move without destination.
# Its source is the first number, the second, or 0. Last comes the address of the block that came after it before.
K_NODE, K_STEPS, K_MOVES, K_GUESS = 0, 1, 2, 12
FIRST, SECOND, NEITHER = range(3)
BLOCK_SIZE = 16  # of which three are not used, so that an address is a shift
# Limbs that are added before the loop stops for that: some hundredths of a second.
MOST_ADDED = 1 << 22
# Outputs that are none: the pattern does not fix it, the transition ends no step, nobody has looked yet.
UNFIXED, WITHIN, UNKNOWN = -1, -2, -3
