"""Rules of machines with vector stacks as gated units: in this state, with these tops, on this input, these values."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.networks import EOS

__all__ = ["GatedRule", "add_gated_rule", "state_component"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedRule:
    """In `source`, with these tops, and a word symbol or EOS if `reads` says so: the next state and values.

    Parameters
    ----------
    source, target : hashable
        States, one of which is indicated by 1.
    tops : mapping stack -> symbol
        The stack s has the component (s, a) for its symbol a, at least (b-1)/b if a is on top and at most 1/b if not.
    values : mapping component -> Affine
        The next values of other components than states.
    reads : "", "word" or "EOS"
    """

    source: Hashable
    tops: Mapping[str, Hashable]
    target: Hashable
    values: Mapping[Hashable, Affine]
    reads: str = ""


def state_component(state: Hashable) -> Hashable:
    """Return the component that is 1 in this state."""
    return ("state", state)


def add_gated_rule(
    number: int,
    rule: GatedRule,
    base: int,
    hidden: dict[Hashable, Affine],
    emitted: dict[Hashable, list[Affine]],
) -> None:
    """Add the hidden units of a rule, and what they emit.

    A gate is positive or zero where state, tops and input match, and at most -vmax elsewhere: each new value v is
    ReLU(v + gate) - ReLU(gate). That takes a base above k + 1 for k tops.
    """
    values = {state_component(rule.target): Affine({}, 1)} | dict(rule.values)
    gate = _gate(rule, base, max(form.upper_bound() for form in values.values()))
    shared = Affine({})
    if rule.tops:  # the gate of a match may exceed 0, and is subtracted again
        hidden["gate", number] = gate
        shared = var(("gate", number))
    for component, form in values.items():
        hidden["rule", number, component] = form + gate
        emitted.setdefault(component, []).append(var(("rule", number, component)) - shared)


def _gate(rule: GatedRule, base: int, vmax: mpq) -> Affine:
    """Return a form that is in [0, ...] on a match of state, tops and input, and at most -vmax elsewhere."""
    k = len(rule.tops)
    slope = vmax * base / (base - 1 - k)
    height = vmax + k * slope / base
    gate = height * (var(state_component(rule.source)) - 1)
    gate = gate + slope * total(var((stack, a)) - mpq(base - 1, base) for stack, a in rule.tops.items())
    if rule.reads == "word":
        gate = gate - height * symbol(EOS)
    elif rule.reads == "EOS":
        gate = gate + height * (symbol(EOS) - 1)
    return gate
