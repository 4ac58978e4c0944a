"""Assertions for users' tests: equivalence, and machines run in lockstep with their networks."""

from typing import ClassVar

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from exactnn.arithmetic import EXACT, AnyArithmetic, Arithmetic, arithmetic_of
from exactnn.automata import Machine, interpret
from exactnn.constructions import CONSTRUCTIONS, Construction, compile
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.machine_files import load
from exactnn.networks import EOS
from exactnn.outcome import Outcome
from exactnn.simulation import advance_by, executor_for, outcome_after
from exactnn.strategies import machines_of_kind
from exactnn.testing.compiler import Compiled, Compiler, compiler_of
from exactnn.testing.disagreement import MAX_MOVES, By, Difference, Disagreement, Rules
from exactnn.testing.replay_file import disagreement_text
from exactnn.testing.search import fuzz

__all__ = ["LockstepMachine", "assert_equivalent"]


def assert_equivalent(
    construction: object,
    machine: Machine | type | str | None = None,
    *,
    arithmetic: AnyArithmetic = EXACT,
    by: By = "configuration",
    max_moves: int = MAX_MOVES,
    seconds: float = 5,
    seed: int = 0,
) -> None:
    """Raise AssertionError if a compiled network is found not to do what its machine does.

    Nothing is proven if it does not raise: so many machines and words as the time allows were the same.

    Parameters
    ----------
    construction : str, callable, Compiler, Construction or Network
        A name of :data:`exactnn.CONSTRUCTIONS`, ``module:function``, a function from a machine to a Construction, a
        Network or a Step, or what it made of `machine`.
    machine : Machine, name of a machine, or type, optional
        Only this machine, or machines of this kind; by default those that the function is annotated with, or the
        machine of the Construction.
    arithmetic : Arithmetic
    by : "configuration" or "outcome"
        Whether decoded configurations are compared after every move, of a construction that has them, or only how runs
        end.
    max_moves : int
        Machines that have not halted by then must not have been decided by the network.
    seconds : float
        Time for the search.
    seed : int

    Raises
    ------
    AssertionError
        With the smallest machine and the shortest word that were found, how both end, both configurations where they
        begin to differ, and a command that shows it again.
    ExactnnError
        If an option is out of range, or no machine can be compiled.

    Examples
    --------
    >>> from exactnn.constructions.literal_book import literal_book
    >>> from exactnn.machine_files import load
    >>> assert_equivalent("minsky", load("parity"), seconds=0.5)
    >>> try:
    ...     assert_equivalent(literal_book, load("anbn"))
    ... except AssertionError as error:
    ...     print("\\n".join(str(error).splitlines()[:4]))
    literal_book in exact disagrees with its machine
    word      a b, length 2
    expected  accepted, 6 moves
    found     rejected, 7 steps of the network
    """
    if machine is None and isinstance(construction, Construction):
        machine = construction.machine
    tested = _compiler(construction)
    kind = machine if isinstance(machine, type) else None
    given = None if machine is None or isinstance(machine, type) else load(machine)
    if given is None and isinstance(construction, Compiled):
        raise OptionError(f"{shown(construction)} is compiled already: give the machine that it is of")
    rules = Rules(arithmetic=arithmetic_of(arithmetic), by=by, max_moves=max_moves)
    found = fuzz(tested, machine=given, kind=kind, rules=rules, seconds=seconds, seed=seed).found
    if found is not None:
        raise AssertionError(disagreement_text(found))


def _is_one_of_ours(compiled: Compiled) -> bool:
    """Whether it is what the construction of its name makes, so that a command with that name shows the same."""
    if not isinstance(compiled, Construction) or compiled.name not in CONSTRUCTIONS:
        return False
    fits = isinstance(compiled.machine, CONSTRUCTIONS[compiled.name])
    return fits and compile(compiled.machine, compiled.name) == compiled


def _compiler(construction: object) -> Compiler:
    """Return the compiler that is meant; of a network that is there already, one that returns it."""
    if isinstance(construction, Compiled):
        name = construction.name if _is_one_of_ours(construction) else f"the network {construction.name}"
        return Compiler(name=name, kind=None, function=lambda _: construction)
    return compiler_of(construction)


# --- A machine and its network, step by step, as a state machine of Hypothesis.


class LockstepMachine(RuleBasedStateMachine):
    """A network that reads a word and then moves, compared with its machine after every move.

    Make a class of it with these attributes, and give its ``TestCase`` to the test runner.

    Attributes
    ----------
    construction : str, callable or Compiler
        From a machine to a Construction: see :func:`assert_equivalent`.
    machine : Machine, optional
        By default machines of the kind that the construction compiles are drawn.
    arithmetic : Arithmetic

    Notes
    -----
    What is compared is the commuting square: the decoded state with the configuration, and what the output says with
    how the machine ends. In an arithmetic that rounds it fails where the format does.

    Examples
    --------
    >>> class Minsky(LockstepMachine):
    ...     construction = "minsky"
    >>> TestMinsky = Minsky.TestCase  # pytest finds it
    >>> TestMinsky("runTest").run().wasSuccessful()
    True
    """

    construction: ClassVar[object] = None
    machine: ClassVar[Machine | None] = None
    arithmetic: ClassVar[Arithmetic] = EXACT

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Draw a machine and compile it."""
        cls = type(self)
        compiler = compiler_of(cls.__dict__.get("construction", cls.construction))  # a function is not to be bound
        if cls.machine is not None:
            self.subject = cls.machine
        elif compiler.kind is not None:
            self.subject = data.draw(machines_of_kind(compiler.kind, shuffled=True), "machine")
        else:
            raise OptionError(
                f"{compiler.name} does not say which machines it compiles: annotate its parameter with their class, or "
                "set machine"
            )
        try:
            compiled = compiler.compiled(self.subject)
        except ConstructionError:
            if cls.machine is None:
                reject()  # another machine may be one that it compiles
            raise
        if not isinstance(compiled, Construction):
            raise OptionError(f"{compiler.name} makes {shown(compiled)}: a Construction can be decoded step by step")
        self.name, self.compiled = compiler.name, compiled
        self.executor = executor_for(compiled.network, cls.arithmetic)
        self.state = self.executor.start()
        self.word: tuple[str, ...] = ()
        self.steps = 0
        self.moving = False
        if not compiled.network.decision.protocol.reads_eos:
            self._check()  # it has read the empty word

    @precondition(lambda self: not self.moving and self.subject.input_symbols)
    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        """Read one more symbol of the word."""
        symbol = data.draw(st.sampled_from(self.subject.input_symbols), "symbol")
        self.word += (symbol,)
        self._step(symbol, 1)
        if not self.compiled.network.decision.protocol.reads_eos:
            self._check()

    @precondition(lambda self: self.compiled.network.decision.protocol.reads_eos)
    @rule(moves=st.integers(1, 10))
    def move(self, moves: int) -> None:
        """Let machine and network move."""
        if not self.moving:
            self.moving = True
            self._step(EOS, max(0, self.compiled.set_up_steps(len(self.word)) - self.steps))
            self._check()
        for _ in range(moves):
            self._step(EOS, self.compiled.steps_per_move)
            self._check()

    def _step(self, symbol: str, count: int) -> None:
        alphabet = self.compiled.network.alphabet
        assert alphabet is not None  # networks of machines read symbols
        self.state = advance_by(self.executor, self.state, alphabet.index(symbol), count).state
        self.steps += count

    def _check(self) -> None:
        """Compare the configuration and what the output says, which stays once the machine has halted."""
        moves = self.compiled.machine_steps(self.steps, len(self.word))
        direct = interpret(self.subject, self.word, max_steps=moves)
        difference = None
        if direct.steps == moves:
            decoded = self.compiled.decode(self.executor.values(self.state), cells=moves + len(self.word) + 2)
            if decoded != direct.configuration:
                difference = Difference(move=moves, machine=direct.configuration, network=decoded)
        output = self.executor.output(self.state)
        said = outcome_after(self.compiled.network, len(self.word), self.steps, output) or Outcome.STEP_LIMIT
        not_yet = said is Outcome.STEP_LIMIT and direct.steps == moves  # some say it with the move after the last
        if difference is not None or (said is not direct.outcome and not not_yet):
            raise AssertionError(disagreement_text(self._disagreement(direct.outcome, direct.steps, said, difference)))

    def _disagreement(
        self, expected: Outcome, moves: int, said: Outcome, difference: Difference | None
    ) -> Disagreement:
        return Disagreement(
            machine=self.subject,
            word=self.word,
            construction=self.name,
            rules=Rules(arithmetic=type(self).arithmetic, by="configuration", max_moves=max(1, moves)),
            expected=expected,
            moves=moves,
            found=str(said),
            steps=self.steps,
            difference=difference,
        )
