"""Running a network on a word, in any arithmetic."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from exactnn.arithmetic import (
    EXACT,
    AnyArithmetic,
    AnyEnclosing,
    Arithmetic,
    Certified,
    EnclosingArithmetic,
    Interval,
    any_arithmetic,
)
from exactnn.errors import OptionError, PrecisionWarning, SizeLimitError, TimeLimitError, shown
from exactnn.interrupts import Uninterrupted, loaded
from exactnn.networks import AnyNetwork, Input, Network, RealNetwork, network_of, real_network_of, runnable_of
from exactnn.options import callback, flag, seconds, step_limit, time_limit, whole_number
from exactnn.outcome import Outcome
from exactnn.simulation.checkpoint import Checkpoint, ProgressFormat, identity_of
from exactnn.simulation.driver import Simulation
from exactnn.simulation.executors import exact_executor_for, executor_for
from exactnn.simulation.intervals import certified_run
from exactnn.simulation.lazily_refined import LazilyRefinedExecutor, real_executor_for
from exactnn.simulation.result import Run
from exactnn.simulation.trace import END, record_period
from exactnn.simulation.with_numba import has_numba
from exactnn.size_limit import SizeLimit

__all__ = ["run", "whole_run"]


def run(
    network: AnyNetwork | RealNetwork,
    word: str | Sequence[object] = "",
    arithmetic: AnyEnclosing = EXACT,
    *,
    max_steps: int | None = None,
    max_seconds: float | None = None,
    record: str | int = "outputs",
    progress: Callable[[int], object] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 60,
    certify: bool = False,
    safe_length: int | None = None,
    max_digits: int | None = None,
    max_bits: int | None = None,
    order: Any = None,
) -> Run:
    """Run `network` on `word` in `arithmetic`, with as many EOS steps after it as its protocol needs.

    Parameters
    ----------
    network : Network, RealNetwork, Construction, machine or name of a machine
        A machine is compiled by its default construction (:func:`exactnn.compile`). The real numbers of a real start
        state are refined until every comparison is decided, with exact arithmetic, and rounded to any other. Then
        `Run.digits` says how many digits were read.
    word : str or sequence
        Symbols of the network's alphabet, or input vectors if it has none.
    arithmetic : Arithmetic, str or dtype
        The number system in which the circuit is executed, or its name, such as "float16", "bf16" or "p20e8", or a
        dtype of numpy, torch or jax. In `CERTIFIED` the word is run again with twice the bits
        while the enclosures do not tell, and `Run.bits` says with how many they did.
    max_steps : int, optional
        Stop after this many network steps (the word's included) with the outcome "step limit". Without it, and without
        `max_seconds`, a network that never decides runs until that is proven, as a network with finitely many states
        must come to, or until it is interrupted; Ctrl-C gives back what was computed.
    max_seconds : float, optional
        Stop after about so much time, between two steps, with the outcome "time limit" and what was computed. The time
        begins with the first step of this call, also where that goes on from a checkpoint. It is for the run alone:
        where a cycle was found its beginning is looked for besides, and a certificate is made.
    record : "outputs", "end", "all", "every-k" or int k
        Which states the trace keeps: none, every one, or every k-th (the initial one included). "end" keeps of the
        word no outputs either, but for that of its last symbol: a long word takes less memory, and less time in floats.
    progress : callable, optional
        Called now and then with the number of steps done; with a checkpoint, first with the step at which the run
        goes on.
    checkpoint : str or path, optional
        A file that keeps the progress of this run: written at its beginning, now and then, and at its end, also if
        that is Ctrl-C or a limit. If the file is there, the run goes on from it and gives what it would
        have given in one go. Nothing but a whole file ever takes its place, so that the program may be killed
        at any time. The file stays: the same call gives the result again at once, or goes on where a time limit ended
        it, or with a larger `max_steps`. One run at a time may use it.
    checkpoint_seconds : float
        How often the file is written, at least as long as that takes a small part of the time only.
    certify : bool
        Give the run a certificate, which :func:`exactnn.check_certificate` verifies in plain rationals: that this
        network on this word gives this verdict after exactly so many EOS steps. Steps that are taken one by one are
        checked modulo a prime besides. With exact arithmetic only. Where no certificate can be made, `Run.engine`
        says why.
    safe_length : int, optional
        Longest words on which this network is known to be right in this arithmetic, such as
        :meth:`exactnn.VerdictSweep.safe_length` says: a longer word gives a PrecisionWarning.
    max_digits : int, optional
        With a real start state and exact arithmetic: read at most this many digits. Where a comparison needs more, the
        outcome is "undecided at these digits"; without a limit one that no digits decide goes on until Ctrl-C.
    max_bits : int, optional
        How many bits exact numbers may have together, numerators and denominators: those of the state and of the step
        that is taken, and 1/32 of those of the outputs and recorded states that are kept. How long the next numbers may
        become is known before they are made: where that is more, the outcome is "size limit". By default numbers may
        take 1/64 of the memory that this process may have (the machine's, its container's, or that of ``ulimit -v``).
        `EXACT` may get further with the same limit, since it writes no more digits than it needs.
    order : EvaluationOrder or str, optional
        The order of evaluation of a network that is linear in its state, such as `exactnn.BLELLOCH` or "kogge-stone".
        `STEP` is that of any run without it. With another one, of the other options only `record` is taken, "all" or
        "end".

    Notes
    -----
    Under EOS the input is always the same, so that the run repeats for ever once a state comes again without a verdict:
    its outcome is "proven non-halting", and `Run.cycle` says from where on and how often. Without a limit of steps the
    exact engine also proves by rounds that go on for ever, or by closed sets, that there is never a verdict though
    states grow: the outcome is the same, `cycle` is None, and a certificate has the proof. States are compared in every
    arithmetic that rounds, unless at random, and in RATIONAL; in EXACT those of the first 16,384 EOS steps. The run
    ends after the first EOS step whose state is that of the last of the steps 0, 1, 2, 4, 8 and so on before it: at the
    latest after three times as many as the longer of preperiod and period has. EXACT may notice it later.

    Ctrl-C before the first step or after the last raises KeyboardInterrupt. It comes after what is being loaded or
    compiled; and one that ends the writing of a certificate, or of the last checkpoint, is told of in `Run.engine`.

    Raises
    ------
    WordError
        If the word does not fit the alphabet or the input size.
    OptionError
        If an option is none of what it may be, or a run in another arithmetic is to be certified. If a run with a real
        start state is to be certified or to have a checkpoint, or one without has `max_digits`. If `record` is "end"
        with a checkpoint, or in `CERTIFIED`.
    SizeLimitError
        If there is no room for the first state or its output.
    NumberError
        If the source of a real's digits raises, or gives what is no digit.
    UnsupportedArithmeticError
        If the arithmetic cannot run this network.
    NetworkError
        If there is an `order` but STEP, and a unit is not linear in the state: the message names it.
    CheckpointError
        If the checkpoint file cannot be written or read, is damaged, is of another network, word, arithmetic or
        `record`, or is beyond `max_steps` already. It is left as it was.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> run(halves, [1, 0, 0]).outputs[:]
    [mpq(1,1), mpq(1,2), mpq(1,4)]
    """
    arithmetic, runnable = any_arithmetic(arithmetic), runnable_of(network)
    if order is not None:  # orders stand on what runs, and are asked for when they are needed
        evaluation = loaded("exactnn.evaluation")
        if evaluation.order_of(order) != evaluation.STEP:
            if arithmetic.encloses:
                raise OptionError(
                    f"order={shown(order)} in {arithmetic} arithmetic: give an exact arithmetic or a format"
                )
            others = {
                "max_steps": max_steps, "max_seconds": max_seconds, "progress": progress, "checkpoint": checkpoint,
                "certify": certify or None, "safe_length": safe_length, "max_digits": max_digits, "max_bits": max_bits,
            }  # fmt: skip
            for name, value in others.items():
                if value is not None:
                    raise OptionError(
                        f"{name}={shown(value)}: not with order={shown(order)}, which reads the word at once"
                    )
            kept = record_period(record) == 1
            run_ordered: Run = evaluation.run_in_order(
                runnable, word, order, arithmetic, record=kept, outputs=record != END
            )
            return run_ordered
    if isinstance(arithmetic, Certified):
        if record == END:
            raise OptionError(f"record={shown(record)}: not in {arithmetic} arithmetic, which looks at every output")
        if checkpoint is not None:
            raise OptionError(
                f"checkpoint={shown(checkpoint)}: not in {arithmetic} arithmetic, which runs the word again with more "
                "bits; give an exactnn.Interval"
            )

        def run_in(interval: Interval, time_left: float) -> Run:
            return run(
                runnable,
                word,
                arithmetic=interval,
                max_steps=max_steps,
                max_seconds=time_left,
                record=record,
                progress=progress,
                certify=certify,
                safe_length=safe_length,
                max_digits=max_digits,
                max_bits=max_bits,
            )

        return certified_run(run_in, arithmetic, time_limit(max_seconds))
    real = real_network_of(runnable)
    core = network_of(runnable) if real is None else real.template
    limit, time_left = step_limit(max_steps), time_limit(max_seconds)
    seconds("checkpoint_seconds", checkpoint_seconds)
    callback("progress", progress)
    if flag("certify", certify) and arithmetic != EXACT:
        raise OptionError(
            f"only exact runs have a certificate, and this one is in {arithmetic}: leave the arithmetic out"
        )
    period = record_period(record)
    most = None if max_digits is None else whole_number("max_digits", max_digits, otherwise="None for no limit")
    size = SizeLimit(max_bits)
    inputs = core.inputs(word)
    if real is not None:
        _refuse_with_a_real_start(certify=certify, checkpoint=checkpoint)
        executor = real_executor_for(real, arithmetic, most, size)
    elif most is not None:
        raise OptionError(
            f"max_digits={shown(most)}: {core.name} has a rational start state, which has no digits to read"
        )
    elif certify:
        executor = exact_executor_for(core, shadow=True, limit=size, without_end=limit is None)
    else:
        once = limit == 1 or (core.eos is None and len(inputs) == 1)
        executor = executor_for(
            core, arithmetic, size, enclosing=True, without_end=limit is None, every_state=period == 1, once=once
        )
    _warn_beyond(safe_length, len(inputs), arithmetic)
    file = None
    if checkpoint is not None:
        if record == END:
            raise OptionError(f"record={shown(record)}: not with a checkpoint, which keeps the output of every step")
        identity = identity_of(core, inputs, arithmetic, period)
        fields = ProgressFormat(core, executor, arithmetic, word_length=len(inputs), period=period)
        file = Checkpoint(checkpoint, checkpoint_seconds, identity, fields)
    simulation = Simulation(core, executor, inputs, period, progress, file, size, all_outputs=record != END)
    resumed_from = simulation.resume(limit)
    outcome = simulation.execute(limit, time_left)
    eos_steps = max(0, simulation.eos_steps)
    certificate, remark = _certificate(core, inputs, eos_steps, outcome) if certify else (None, "")
    remark += simulation.remark
    digits = None
    if isinstance(executor, LazilyRefinedExecutor):
        digits = executor.count.read
        remark += "".join(f"; waiting for digit {s.drawn} of {s.name}" for s in executor.count.waiting)
    machine_steps = decode = None
    if not isinstance(runnable, Network | RealNetwork):
        machine_steps, decode = runnable.machine_steps(simulation.steps, len(inputs)), runnable.decode
    return Run(
        network=core if real is None else real,
        word=core.written(inputs),
        arithmetic=arithmetic,
        outcome=outcome,
        steps=simulation.steps,
        eos_steps=eos_steps,
        _machine_steps=machine_steps,
        initial_output=simulation.initial_output,
        outputs=simulation.outputs.finished(),
        trace=simulation.trace,
        _final_state=simulation.final_state,
        engine=executor.engine + remark,
        _certificate=None if certificate is None else json.dumps(certificate),
        seconds=simulation.seconds,
        cycle=simulation.cycle,
        resumed_from=resumed_from,
        digits=digits,
        bits=arithmetic.bits if arithmetic.encloses else None,
        _decode=decode,
    )


def _refuse_with_a_real_start(**options: object) -> None:
    for name, value in options.items():
        if value is not None and value is not False:
            raise OptionError(f"{name}={shown(value)}: not with a real start state, whose digits a program gives")


def _certificate(
    network: Network, inputs: list[Input], eos_steps: int, outcome: Outcome
) -> tuple[dict[str, Any] | None, str]:
    """Return a certificate of a run, or None and a remark that says why there is none."""
    if outcome.verdict is None and outcome not in (Outcome.HALTED, Outcome.NON_HALTING):
        return None, f"; no certificate: the outcome is {outcome}"
    if not eos_steps:
        return None, "; no certificate: the run has no EOS steps"
    if not has_numba():
        return None, "; no certificate: that takes numba"
    try:
        with Uninterrupted("loading numba"):
            from exactnn.simulation.positional.certify import certificate_of

        return certificate_of(network, inputs, eos_steps, outcome), "; with a certificate"
    except (OptionError, SizeLimitError) as error:
        return None, f"; no certificate: {error}"
    except KeyboardInterrupt:  # the run itself is done, and worth keeping
        return None, "; no certificate: it was interrupted"


def _warn_beyond(safe_length: int | None, length: int, arithmetic: Arithmetic | EnclosingArithmetic) -> None:
    if safe_length is None:
        return
    longest = whole_number("safe_length", safe_length, otherwise="None")
    if length > longest and arithmetic.rounds:
        warnings.warn(
            f"a word of {length} symbols in {arithmetic}, which is known to be right for up to {longest} only",
            PrecisionWarning,
            stacklevel=3,
        )


# --- A run for those who have no use for a part of it.


def whole_run(
    network: AnyNetwork,
    word: str | Sequence[object] = "",
    *,
    arithmetic: AnyArithmetic = EXACT,
    max_steps: int | None = None,
    max_seconds: float | None = None,
    record: str | int = "outputs",
    progress: Callable[[int], object] | None = None,
) -> Run:
    """Return a run as :func:`run` does; where Ctrl-C ended it, KeyboardInterrupt is raised.

    Raises
    ------
    SizeLimitError
        If its numbers became too long.
    TimeLimitError
        If `max_seconds` were over before.
    WordError, OptionError, UnsupportedArithmeticError
        As :func:`run`.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> whole_run(halves, [1, 0, 0]).steps
    3
    """
    result = run(
        network, word, arithmetic=arithmetic, max_steps=max_steps, max_seconds=max_seconds, record=record,
        progress=progress,
    )  # fmt: skip
    if result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    if result.outcome is Outcome.TIME_LIMIT:
        raise TimeLimitError(f"{result!r}: the time was over before there was a result")
    if result.outcome is Outcome.SIZE_LIMIT:
        raise SizeLimitError(
            f"{result!r}: the next numbers would be longer than the memory allows: exactnn.run with max_bits takes more"
        )
    return result
