"""Does a format break a network? The errors of its numbers and its wrong decisions, on many words, beside the truth."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import accumulate
from typing import Any, Literal

from exactnn.arithmetic import AnyFormats, Format, counted, formats_of
from exactnn.automata import words_of_family
from exactnn.campaigns import Campaign
from exactnn.errors import CheckpointError, OptionError
from exactnn.evaluation import STEP, EvaluationOrder, executors_in_order
from exactnn.networks import AnyNetwork, Network, Protocol, network_of
from exactnn.options import callback, choice, listed, step_limit
from exactnn.outcome import Outcome
from exactnn.precision.check_unit import Checker, CheckUnit, units_of_words
from exactnn.precision.compared_words import WORDS, given_or_own
from exactnn.precision.format_report import CheckedFormat, Flip, FormatReport, LargestError, Margin, Word
from exactnn.precision.judge import digest_of, failed_units
from exactnn.precision.measured import MEASURES
from exactnn.precision.order_parting import Orders, Parting, orders_of

__all__ = ["DECISIONS", "DEFAULT", "check_format"]

DEFAULT = ("float16", "bfloat16", "float8_e4m3")
DECISIONS = ("argmax", "threshold", "protocol")


def check_format(
    network: AnyNetwork,
    words: str | Iterable[str | Sequence[object]] | None = None,
    formats: AnyFormats = DEFAULT,
    *,
    n: Iterable[int] | int | None = None,
    decision: Literal["argmax", "threshold", "protocol"] | None = None,
    training_order: EvaluationOrder | str | None = None,
    inference_order: EvaluationOrder | str | None = None,
    max_steps: int | None = None,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int], object] | None = None,
) -> FormatReport:
    """Run `network` on words in formats beside the true runs: how large are the errors, and which decisions change?

    The true run is exact. With activations such as tanh its numbers are enclosed, with as many bits as it takes, so
    that errors are upper bounds, and a decision is called wrong only if it certainly is.

    Parameters
    ----------
    network : Network or Construction
    words : iterable of words, or a pattern, optional
        A pattern such as "a^n b^n", also in a list, stands for a word for each n. Of the name of a machine these are
        the words that its file expects to be accepted, or to make it halt, unless others are given.
    formats : format, its name, or several
    n : iterable of int or int, optional
        The n of a pattern; from 1 to 40 unless given.
    decision : "argmax", "threshold" or "protocol", optional
        What is decided: after every step which output is the largest, the first of equals; after every step whether
        the one output is above 0; or what the network says of the word, and when. By default "argmax" for several
        outputs and "protocol" for networks with verdicts; one output alone decides nothing.
    training_order, inference_order : EvaluationOrder or str, optional
        Of a network that is linear in its state: the formats run in the order of inference (STEP, unless given). With
        an order of training they run in that one, too, and the report says where the two part
        (`FormatReport.partings`).
    max_steps : int, optional
        Limit of the network steps per word, for machines that do not halt.
    executor : concurrent.futures.Executor, optional
        Where units of some 1000 steps run, such as :class:`exactnn.campaigns.Processes`.
    store : str or path, optional
        Keep what is done in this file, a ledger of :mod:`exactnn.campaigns`, and go on from there.
    progress : callable, optional
        Called with the number of words done.

    Raises
    ------
    OptionError
        If there is no word or format, or the network cannot decide so.
    WordError
        If a word does not fit the network.
    NetworkError
        If an order is not STEP, and a unit is not linear in the state: the message names it.
    UnsupportedArithmeticError
        If a format lacks a number of the network, or, with an order, fuses or reorders sums or rounds at random.
    CheckpointError, CampaignError
        As :meth:`exactnn.campaigns.Campaign.run`; CampaignError also if a unit of work fails.

    Notes
    -----
    A word is compared until its true run ends. Ctrl-C returns the words that are done, with `complete` False.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[[1], ["-1/2"]])
    >>> report = check_format(thirds, [[1, 0, 0], [1]], ["float16", "float64"])
    >>> worst = report.worst("float16", "ulps")
    >>> worst.step, worst.neuron, round(worst.ulps, 3), report.flips("float16"), report.margin.value
    (3, 'h[0]', 0.444, (), 0.16666666666666666)

    Trained by a scan, run step by step:

    >>> from exactnn.networks import DiagonalSSM
    >>> fades = DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
    >>> report = check_format(fades, ["++", "---+++-"], "bfloat16", training_order="kogge-stone")
    >>> report.partings("bfloat16")
    (Parting(number=1, step=7, neuron='h[0]', training=0.00390625, inference=0.0),)
    >>> [(word.training, word.inference) for word in report.parted_decisions("bfloat16")]
    [('accepted', 'rejected')]
    """
    core = network_of(network)
    columns = tuple(dict.fromkeys(formats_of(formats)))
    decides = _decision(core, decision)
    family = given_or_own(network, words_of_family(words, n, core.input_symbols))
    inputs = [core.inputs(word) for word in listed("words", family, WORDS, least=1)]
    callback("progress", progress)
    orders = orders_of(core, inputs, training_order, inference_order)
    units = units_of_words(digest_of(core), inputs, columns, decides, step_limit(max_steps), orders)
    for format in columns:
        for order in orders:
            executors_in_order(core, format, order or STEP)  # what a format lacks is an error of the call
    words_of_key: Counter[bytes] = Counter()
    for unit in units:
        words_of_key[unit.key] += unit.count
    ends = list(accumulate(words_of_key.values()))
    told = None if progress is None else lambda done: progress(ends[done - 1] if done else 0)
    campaign = Campaign(units, _rows_by_key, subject=Checker(core, inputs))
    found = campaign.run(executor=executor, store=store, progress=told)
    if found.failed:
        raise failed_units([failure.error for failure in found.failed], store)
    pairs = [(unit, found.result[unit.key]) for unit in units if unit.key in found.result]  # words may come again
    try:
        return _merged(core, decides, columns, inputs, pairs, found.complete, orders)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if store is None:
            raise
        raise CheckpointError(f"the store is damaged ({error!r}): delete the file to begin anew") from None


def _rows_by_key(pairs: Iterable[tuple[CheckUnit, Any]]) -> dict[bytes, Any]:
    return {unit.key: row for unit, row in pairs}


def _decision(network: Network, decision: str | None) -> str | None:
    if decision is None:
        if network.decision.protocol is not Protocol.OUTPUTS:
            return "protocol"
        return "argmax" if len(network.readout) > 1 else None
    choice("decision", decision, DECISIONS)
    outputs = counted(len(network.readout), "output")
    if decision == "argmax" and network.scalar_output:
        raise OptionError(f"decision='argmax': {network.name} has one output; give 'threshold' or 'protocol'")
    if decision == "threshold" and not network.scalar_output:
        raise OptionError(f"decision='threshold': {network.name} has {outputs}; give 'argmax'")
    if decision == "protocol" and network.decision.protocol is Protocol.OUTPUTS:
        raise OptionError(f"decision='protocol': {network.name} gives outputs and no verdicts; give 'argmax'")
    return decision


def _merged(
    network: Network, decision: str | None, columns: tuple[Format, ...], inputs: Sequence[Any],
    pairs: Sequence[tuple[CheckUnit, Any]], complete: bool, orders: Orders,
) -> FormatReport:  # fmt: skip
    """Return the report of the units whose rows are there."""
    names = network.circuit.state_names

    def word(unit: CheckUnit, number: int) -> Word:
        return network.written(inputs[unit.first + number])

    endings = [(unit, n, *ending) for unit, row in pairs for n, ending in enumerate(row["words"])]
    margins = [(row["margin"], unit) for unit, row in pairs if row["margin"] is not None]
    narrowest = min(margins, key=lambda found: found[0][0], default=None)
    return FormatReport(
        name=network.name,
        decision=decision,
        words=len(endings),
        decisions=sum(told for *_, told, _ in endings),
        untold=sum(untold for *_, untold in endings),
        unfinished=tuple(
            (word(unit, n), Outcome(outcome)) for unit, n, outcome, *_ in endings if Outcome(outcome).cut_short
        ),
        margin=None
        if narrowest is None
        else Margin(
            value=narrowest[0][0],
            number=narrowest[1].first + narrowest[0][1],
            word=word(narrowest[1], narrowest[0][1]),
            step=narrowest[0][2],
        ),
        formats=tuple(
            CheckedFormat(
                arithmetic=format,
                worst=tuple(_worst(measure, k, pairs, word, names) for measure in MEASURES),
                by_step=tuple(_by_step([row["formats"][k]["by_step"] for _, row in pairs])),
                flips=tuple(
                    Flip(
                        number=unit.first + n,
                        word=word(unit, n),
                        step=step,
                        exact=true,
                        computed=computed,
                        count=count,
                        last=last,
                    )
                    for unit, row in pairs
                    for n, step, true, computed, count, last in row["formats"][k]["flips"]
                ),
                **_partings([(unit, row["formats"][k].get("partings", ((), ()))) for unit, row in pairs], word, names),
            )
            for k, format in enumerate(columns)
        ),
        complete=complete,
        orders=None if orders == (None, STEP) else orders,
    )


def _partings(
    rows: Sequence[tuple[CheckUnit, Any]], word: Callable[[CheckUnit, int], Word], names: Sequence[str]
) -> dict[str, tuple[Parting, ...]]:
    """Return where numbers part, and where decisions do."""
    found: list[Parting] = []
    decided: list[Parting] = []
    for unit, (numbers, decisions) in rows:
        for n, step, place, *both in numbers:
            first, second = map(float, both)
            where = {"number": unit.first + n, "word": word(unit, n), "step": step, "neuron": names[place]}
            found.append(Parting(**where, training=first, inference=second))
        for n, step, training, inference in decisions:
            where = {"number": unit.first + n, "word": word(unit, n), "step": step, "neuron": None}
            decided.append(Parting(**where, training=training, inference=inference))
    return {"partings": tuple(found), "parted_decisions": tuple(decided)}


def _worst(
    measure: str, column: int, pairs: Sequence[tuple[CheckUnit, Any]], word: Callable[[CheckUnit, int], Word],
    names: Sequence[str],
) -> LargestError | None:  # fmt: skip
    found = [(row["formats"][column]["worst"][measure], unit) for unit, row in pairs]
    place = 5 + MEASURES.index(measure)
    known = [(entry, unit) for entry, unit in found if entry is not None]
    if not known:
        return None
    (number, step, neuron, exact, computed, *sizes), unit = max(known, key=lambda pair: float(pair[0][place]))
    absolute, relative, ulps = (None if size is None else float(size) for size in sizes)
    assert absolute is not None
    return LargestError(
        number=unit.first + number,
        word=word(unit, number),
        step=step,
        neuron=names[neuron],
        exact=float(exact),
        computed=float(computed),
        absolute=absolute,
        relative=relative,
        ulps=ulps,
    )


def _by_step(rows: Sequence[Sequence[float | None]]) -> Iterator[float | None]:
    for step in range(max(map(len, rows), default=0)):
        here = [row[step] for row in rows if step < len(row)]
        yield None if None in here else max(error for error in here if error is not None)
