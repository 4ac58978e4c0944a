"""The exact engine: a network's steps in exact numbers, fast where the numbers are positional. This is its map.

The idea. A compiled tape is a number with one digit for each cell, so a step in rationals takes as long as the tape.
But a step reads and writes only the leading digits. The engine keeps these in a machine word, the *head*, and all
others in a *tail* that it does not touch. Which of the modes below takes a step has no part in any result: all are
exact.

What tries what, in this order, and why:

1. `ShortRunExecutor` (`simulation/short_run.py`) is what `run` gets. It takes 0.5 ms of steps in lowest terms, since
   most runs are over then. `executor.ExactExecutor` goes on, in plain numbers (5) at first. It gives up to 2 after 640
   steps; later runs of the network after about 0.7 ms, and at once on a longer word. Where no compiled code is loaded
   yet, it gives up after 30 ms, and first tries how far rules alone lead (`rules_first`); where that is to a verdict,
   none is needed. In the first 16,384 steps on EOS a run stops where a state comes again, whichever mode takes them:
   direct mode compares each state with the last anchor (`kernels`).
2. It asks `fusion` for pairs of ReLU units of which only the difference is used. If there are some it runs the smaller
   network in which each pair is one unit, since numbers above 1 that cancel are slow. Else it asks `unfolding` whether
   the units read few different sums of the state, and runs the network of these. Full states are computed when somebody
   asks (`projection`). It hands the network to 3.
3. `modes.Modes` decides where each stretch of steps goes. It tries *direct mode* first. There is none if the weights
   have no base in common that leaves room in a machine word (`radix`); then all steps are plain (5).
4. Direct mode (`direct`) takes the steps one by one in a compiled loop, or a few at once (`blocks`). Where units read
   several long numbers, the digits of all of them tell the whole step (`whole_steps`), and those whose sum is wanted
   are added limb by limb (`row_kernels`); a number that grows at its far end shares its first part. It gives up, with a
   reason, where a step is outside of what it can do: a product, a number beyond the machine word; or where it does not
   pay: patterns that do not recur, sums of very long numbers. If shorter limbs may help it is begun again with these,
   once; else 5 goes on. After 65,536 steps on one input it lets 6 try; with a shadow (`shadow`) its steps are checked
   modulo a prime.
5. *Plain mode* (`simulation/plain_exact.py`) takes the steps in rationals, in integers, in python-flint, or in machine
   words where these are enough, whichever is fastest just now, as `race` says. It gives up to 4 after 8 steps, after 16
   if that was too early, 32, and so on. What runs have found out about that is kept with the network (`experience`).
6. *Macro mode* (`macro`) remembers what the network does between two looks at a tail, for limbs of several lengths,
   and goes on with the best. Its runner takes the faster of two ways: edges in a compiled loop (`macro_loop`), or
   edges in numbers of any size with proven rules (`induction`). It gives up to 4 where the digits cannot be parted into
   stacks, or where direct mode would be faster; the next trial comes after eight times as many steps.

The files, from the ground:

- `radix`: the base of a network's numbers, and how long the pieces are that they are cut into.
- `beginning`: how many plain steps come first. `run_state`: a state in plain numbers, or one of the modes.
  `experience`: what earlier runs of a network have found out.
- `table_kernels`: an array that grows, and a hash table for compiled loops.
- `numeral_kernels`: heads and tails; what moves do. `arena`: the memory that tails are in.
- `rows`: statuses, patterns, and what a pattern leaves to compute of a layer. `sources`: rows that read one number.
- `words`: what the words of a program mean. `program`: nodes and transitions, written as patterns come up.
  `row_kernels`: rows of several long numbers. `kernels`: the loop that follows a program.
- `whole_steps`: what a step comes to by the digits of all numbers. `whole_program`: such steps in a program.
- `several_steps`: what several steps come to, and for which numbers. `block_table`: these as one transition.
  `block_kernels`: the loop that follows blocks. `blocks`: when which are written.
- `direct_state`: a state of direct mode. `direct`: the loop with what it stops for.
- `macro_machine`: states, stacks and edges. An edge is a leg of steps with opaque tails, which somebody takes:
  `direct_legs` by direct mode, `opaque` and `opaque_legs` in plain Python. `rules_first`: a run by rules alone.
- `piles`: the stacks of a macro machine in arrays. `macro_loop`: edges at machine speed.
  `forms`: polynomials in unknown lengths. `growth`: very many rounds in closed form. `rules`: what rounds do. `proofs`:
  how that is proven once. `passages`: edges that come in the same order again and again, taken as one. `induction`:
  rules that are found and used, also in one another. `closed_sets`: a proof that a run never ends where no rule gives
  one. `macro`: which limbs, and which of the two ways.
- `shadow_steps`: the network's steps modulo 2**61 - 1. `shadow`: direct mode watched by them.
- `mode_state`: a state in the form of its mode. `account`: how steps were taken, as it is told.
  `engines`: compiled code, loaded when it is asked for.
- `projection`, `fusion`, `unfolding`, `modes`, `executor`: as above. `certify`: a certificate of a long run, which
  shares no code with its checker.

Words that return everywhere. A *limb* is a piece of a tail, a fixed number of digits. The *status* of a register says
that it is 0, is 1, or lies in (0, 1), above 1 or below 0. A *pattern* is the input and the statuses of all registers
that are known so far. A *row* is a unit whose value the pattern does not fix. A *stretch* is some steps on one input.

A checkpoint holds numbers: those of a state, as rationals, or in macro mode and where these have no room as numerals,
whose tails are written once.
"""
