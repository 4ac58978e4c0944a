"""Which steps have one hidden layer: an exact decision, and the form or the reason why there is none.

A continuous piecewise linear function is a sum of an affine function and of ReLUs of affine functions, which is what
one hidden layer computes, exactly if across every hyperplane where its gradient jumps the jump is the same all along
the hyperplane. With one variable that is always so; with two it already is not: max(0, x, y) has a kink on x = y where
both are positive, and none where both are negative.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.constructions.affine import Affine, var
from exactnn.constructions.folding.relu_forms import ReluForms
from exactnn.linear_algebra import Inequality, Vector, interior_point

__all__ = ["HiddenLayer", "HiddenLayerForm", "Kink", "hidden_layer_form"]

MOST_CELLS = 1500
"""How many cells of hyperplanes are looked at before the question is given up."""


@dataclass(frozen=True, slots=True)
class HiddenLayer:
    """The unit of one hidden layer that has its kink on the hyperplane of this number."""

    number: int

    def __str__(self) -> str:
        return f"kink {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kink:
    """Why there is no form with one hidden layer: a hyperplane along which the jump of the gradient changes.

    Parameters
    ----------
    hyperplane : Affine
        Where it is 0.
    component : int
        The state component whose next value has the kink.
    points : pair of dict leaf -> mpq
        Two points on the hyperplane.
    jumps : pair of mpq
        How much the slope changes there, in the direction in which `hyperplane` grows by 1.
    """

    hyperplane: Affine
    component: int
    points: tuple[dict[Hashable, mpq], dict[Hashable, mpq]]
    jumps: tuple[mpq, mpq]


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenLayerForm:
    """What is decided of a step: whether it has a form with one hidden layer.

    Parameters
    ----------
    exists : bool or None
        None if there were too many pieces to decide.
    forms : ReluForms or None
        The same step with one hidden layer, if it exists.
    kink : Kink or None
        Why it does not exist.
    reason : str
        The answer in a sentence.
    """

    exists: bool | None
    forms: ReluForms | None = None
    kink: Kink | None = None
    reason: str


class _TooManyCellsError(Exception):
    pass


def hidden_layer_form(forms: ReluForms, *, most_cells: int = MOST_CELLS) -> HiddenLayerForm:
    """Decide whether a step is ``U relu(V h + W x + b) + A h + B x + c``, on all of its real inputs.

    Parameters
    ----------
    forms : ReluForms
    most_cells : int
        Give up where the hyperplanes of the kinks cut the space into more cells.

    Notes
    -----
    Enumerates the linear pieces and the cells between their hyperplanes with exact linear programming. There are about
    as many cells as the number of hyperplanes to the power of the number of variables.

    Examples
    --------
    >>> from exactnn.constructions.folding.relu_forms import InputLeaf, ReluUnit
    >>> x, y, inner, outer = InputLeaf(0), InputLeaf(1), ReluUnit(2, "y"), ReluUnit(3, "max")
    >>> forms = ReluForms(units={inner: var(y), outer: var(x) - var(inner)}, next_state=(var(inner) + var(outer),),
    ...                   readout=(), leaf_names={x: "x", y: "y"})  # max(0, x, y)
    >>> print(hidden_layer_form(forms).reason)
    the slope of the next value jumps across y = 0 by 1 at (x, y) = (-3/2, 0) and by 0 at (3/2, 0)
    """
    if forms.hidden_layers == 1:
        return HiddenLayerForm(exists=True, forms=forms, reason="no unit reads another")
    space = _Space(forms, most_cells)
    try:
        hyperplanes = space.hyperplanes()
        cells = space.cells(hyperplanes)
    except _TooManyCellsError:
        return HiddenLayerForm(exists=None, reason=f"its kinks cut the space into more than {most_cells} cells")
    jumps: list[tuple[mpq, ...]] = []
    for number, hyperplane in enumerate(hyperplanes):
        found = space.jumps(number, hyperplane, cells)
        for point, jump in found[1:]:
            if jump != found[0][1]:
                kink = space.kink(hyperplane, found[0], (point, jump))
                return HiddenLayerForm(exists=False, kink=kink, reason=_sentence(kink, forms))
        jumps.append(found[0][1])
    reason = "every jump of its slope is the same all along its hyperplane"
    return HiddenLayerForm(exists=True, forms=space.one_layer(hyperplanes, jumps, cells), reason=reason)


Signs = tuple[bool, ...]
"""On which side of each hyperplane a cell is."""

Jump = tuple[dict[Hashable, mpq], tuple[mpq, ...]]
"""A point on a hyperplane, and for each component how much its slope jumps there."""


class _Space:
    """The step as a function on a space with one dimension for each state and input component that it reads."""

    def __init__(self, forms: ReluForms, most_cells: int) -> None:
        self.forms = forms
        self.most_cells = most_cells
        read = {name for form in (*forms.units.values(), *forms.next_state) for name in form.terms}
        self.leaves = [leaf for leaf in forms.leaf_names if leaf in read]

    def hyperplanes(self) -> list[Affine]:
        """Return the hyperplanes on which a unit changes between its two pieces, each once."""
        found: dict[tuple[mpq, ...], Affine] = {}
        regions: list[tuple[list[Affine], dict[Hashable, Affine]]] = [([], {})]
        for unit, argument in self.forms.units.items():
            following = []
            for sides, pieces in regions:
                form = argument.substitute(pieces)
                if not form.terms:
                    following.append((sides, pieces | {unit: Affine({}, max(mpq(0), form.constant))}))
                    continue
                above, below = ([*sides, side] for side in (form, -form))
                reached = [self._inside(above) is not None, self._inside(below) is not None]
                if all(reached):
                    normal = self._normal(form)
                    found.setdefault((*self._vector(normal), normal.constant), normal)
                following += [(above if all(reached) else sides, pieces | {unit: form})] * reached[0]
                following += [(below if all(reached) else sides, pieces | {unit: Affine({})})] * reached[1]
            regions = following
            self._check(regions)
        return list(found.values())

    def cells(self, hyperplanes: Sequence[Affine]) -> dict[Signs, Vector]:
        """Return a point of each cell between the hyperplanes, by the sides that it is on."""
        cells: dict[Signs, Vector] = {(): (mpq(0),) * len(self.leaves)}
        for number in range(len(hyperplanes)):
            following: dict[Signs, Vector] = {}
            for signs in cells:
                for side in (True, False):
                    sides = zip(hyperplanes[: number + 1], (*signs, side), strict=True)
                    point = self._inside([form if up else -form for form, up in sides])
                    if point is not None:
                        following[(*signs, side)] = point
            cells = following
            self._check(cells)
        return cells

    def jumps(self, number: int, hyperplane: Affine, cells: dict[Signs, Vector]) -> list[Jump]:
        """Return, for each pair of cells on both sides of a hyperplane, a point between them and the jumps there."""
        found = []
        for signs, above in cells.items():
            other = (*signs[:number], False, *signs[number + 1 :])
            if signs[number] and other in cells:
                below = cells[other]
                high, low = (hyperplane.at(self._values(point)) for point in (above, below))
                crossing = tuple((high * b - low * a) / (high - low) for a, b in zip(above, below, strict=True))
                difference = zip(self._pieces(above), self._pieces(below), strict=True)
                found.append((self._values(crossing), tuple(self._ratio(p - q, hyperplane) for p, q in difference)))
        return found

    def kink(self, hyperplane: Affine, first: Jump, second: Jump) -> Kink:
        """Return two points on a hyperplane at which the jump of some component differs."""
        component = next(i for i, (a, b) in enumerate(zip(first[1], second[1], strict=True)) if a != b)
        pair = sorted((first, second), key=lambda found: found[1][component], reverse=True)
        return Kink(
            hyperplane=hyperplane,
            component=component,
            points=(pair[0][0], pair[1][0]),
            jumps=(pair[0][1][component], pair[1][1][component]),
        )

    def one_layer(
        self, hyperplanes: Sequence[Affine], jumps: Sequence[tuple[mpq, ...]], cells: dict[Signs, Vector]
    ) -> ReluForms:
        """Return the step as one ReLU for each hyperplane, and what is left, which is affine."""
        units: dict[Hashable, Affine] = {HiddenLayer(i): form for i, form in enumerate(hyperplanes) if any(jumps[i])}
        signs, point = next(iter(cells.items()))
        next_state = []
        for component, piece in enumerate(self._pieces(point)):
            form = piece
            for i, hyperplane in enumerate(hyperplanes):
                form += jumps[i][component] * (var(HiddenLayer(i)) - (hyperplane if signs[i] else 0))
            next_state.append(form)
        forms = self.forms
        return ReluForms(units=units, next_state=tuple(next_state), readout=forms.readout, leaf_names=forms.leaf_names)

    def _pieces(self, point: Vector) -> list[Affine]:
        """Return the affine pieces of the next state around a point that is on no hyperplane."""
        values = self._values(point)
        pieces: dict[Hashable, Affine] = {}
        for unit, argument in self.forms.units.items():
            form = argument.substitute(pieces)
            pieces[unit] = form if form.at(values) > 0 else Affine({})
        return [form.substitute(pieces) for form in self.forms.next_state]

    def _ratio(self, jump: Affine, hyperplane: Affine) -> mpq:
        """Return c of ``jump = c * hyperplane``; that it is one is what continuity means."""
        leaf = next(iter(hyperplane.terms))
        ratio = jump.terms.get(leaf, mpq(0)) / hyperplane.terms[leaf]
        assert not (jump - ratio * hyperplane).terms
        return ratio

    def _inside(self, sides: Sequence[Affine]) -> Vector | None:
        inequalities: list[Inequality] = [(self._vector(form), form.constant) for form in sides]
        return interior_point(inequalities, len(self.leaves))

    def _vector(self, form: Affine) -> Vector:
        return tuple(form.terms.get(leaf, mpq(0)) for leaf in self.leaves)

    def _values(self, point: Vector) -> dict[Hashable, mpq]:
        return dict(zip(self.leaves, point, strict=True))

    def _normal(self, form: Affine) -> Affine:
        """Return the form divided by its first coefficient, so that a hyperplane has one form only."""
        return form / next(weight for weight in self._vector(form) if weight)

    def _check(self, cells: Sequence[object] | dict[Signs, Vector]) -> None:
        if len(cells) > self.most_cells:
            raise _TooManyCellsError


def _sentence(kink: Kink, forms: ReluForms) -> str:
    names = [forms.leaf_names[leaf] for leaf in kink.points[0]]
    first, second = (", ".join(short_text(value) for value in point.values()) for point in kink.points)
    first_jump, second_jump = map(short_text, kink.jumps)
    where = f"{form_text(kink.hyperplane, forms)} = 0"
    return (
        f"the slope of the next value jumps across {where} by {first_jump} at ({', '.join(names)}) = ({first}) "
        f"and by {second_jump} at ({second})"
    )


def form_text(form: Affine, forms: ReluForms) -> str:
    """Return an affine form over leaves as text."""
    text = ""
    for leaf, weight in form.terms.items():
        sign = (" - " if weight < 0 else " + ") if text else "-" * (weight < 0)
        factor = "" if abs(weight) == 1 else f"{short_text(abs(weight))} "
        text += f"{sign}{factor}{forms.leaf_names[leaf]}"
    if form.constant:
        text += f"{' - ' if form.constant < 0 else ' + '}{short_text(abs(form.constant))}"
    return text
