"""Comparisons: one condition on one attribute → the levels that make it true."""

from __future__ import annotations

from collections.abc import Sequence

from sigmacount.domain import NULL, Attribute, Schema, shortened, suggestion
from sigmacount.errors import EdgeInsideBin, InvalidPredicate, UnknownName
from sigmacount.predicates.cuts import Constant, below, bin_of, ends_of, place_of
from sigmacount.predicates.logic import Leaf


def comparison(schema: Schema, index: int, op: str, constant: Constant) -> Leaf:
    """``attribute op constant``; unknown for missing values, and always for NULL."""
    attribute = schema.attributes[index]
    if constant.value is None:
        return Leaf(index, 0, 0)
    levels = known_levels(attribute)
    if op in {"=", "<>"}:
        true = _equal(attribute, constant)
    else:
        true = _below(attribute, op, constant)
    if op in {"<>", ">", ">="}:
        true ^= levels
    return Leaf(index, true, levels ^ true)


def membership(schema: Schema, index: int, constants: Sequence[Constant]) -> Leaf:
    """``attribute IN (…)``; a NULL in the list leaves all others unknown.

    Values that fill a bin together are that bin: ``age IN (30, 31, …, 39)``.
    """
    attribute = schema.attributes[index]
    listed = [constant for constant in constants if constant.value is not None]
    true, inside = 0, Filling(attribute)
    for constant in listed:
        try:
            true |= _equal(attribute, constant)
        except EdgeInsideBin as cut:
            inside.add(constant, cut)
    true |= inside.levels()
    certain = len(listed) == len(constants)
    return Leaf(index, true, known_levels(attribute) ^ true if certain else 0)


class Filling:
    """Values that lie inside bins: together they may be all that a bin can hold."""

    def __init__(self, attribute: Attribute) -> None:
        self._attribute = attribute
        self._places: dict[int, set[int]] = {}  # bin → what is listed of it
        self._cuts: dict[int, EdgeInsideBin] = {}  # bin → why one value is refused

    def add(self, constant: Constant, cut: EdgeInsideBin) -> None:
        """Note a value; raises ``cut`` where no list could ever fill the bin."""
        place = place_of(self._attribute, constant)
        at = bin_of(self._attribute, place)
        countable = self._attribute.kind in {"integer", "date"} and place == int(place)
        if not countable or ends_of(self._attribute, at) is None:
            raise cut
        self._places.setdefault(at, set()).add(int(place))
        self._cuts.setdefault(at, cut)

    def levels(self) -> int:
        """The bins that are filled, as bits.

        Raises:
            EdgeInsideBin: some values of a bin are listed and some are not.
        """
        found = 0
        for at, places in self._places.items():
            low, high = ends_of(self._attribute, at) or (0, 0)
            if len(places) < high - low:
                raise self._cuts[at]
            found |= 1 << (at - (self._attribute.outside == "error"))
        return found


def is_missing(schema: Schema, index: int) -> Leaf:
    """``attribute IS NULL``: true or false, never unknown."""
    attribute = schema.attributes[index]
    levels = known_levels(attribute)
    return Leaf(index, ((1 << attribute.size) - 1) ^ levels, levels)


def known_levels(attribute: Attribute) -> int:
    """All levels but the one of missing values, as bits."""
    return (1 << (attribute.size - attribute.nullable)) - 1


def _below(attribute: Attribute, op: str, constant: Constant) -> int:
    """Levels below a constant: for < and >= without it, for <= and > with it."""
    if attribute.edges is None:
        msg = (
            f"{attribute.name} is {attribute.kind}: its levels have no order, so {op}"
            f" means nothing. List them: {attribute.name} IN (…)"
        )
        raise InvalidPredicate(msg, constant.position)
    return (1 << below(attribute, constant, op, inclusive=op in {"<=", ">"})) - 1


def _equal(attribute: Attribute, constant: Constant) -> int:
    """The levels that hold exactly the values equal to a constant."""
    value = constant.value
    if isinstance(value, str):
        code = attribute.level(value)
        if code is not None and code != attribute.null_code:
            return 1 << code
    if attribute.kind == "boolean" and isinstance(value, bool):
        return 1 << value
    if attribute.edges is None:
        raise _unknown_level(attribute, constant)
    return _whole_bins(attribute, constant)


def _whole_bins(attribute: Attribute, constant: Constant) -> int:
    """The bins that hold one value and nothing else; none when no row can have it."""
    low = below(attribute, constant, "=", inclusive=False)
    high = below(attribute, constant, "=", inclusive=True)
    return (1 << high) - (1 << low) if high > low else 0


def _unknown_level(attribute: Attribute, constant: Constant) -> InvalidPredicate:
    """The refusal of a constant that is no level of a category or truth value."""
    name, value = attribute.name, constant.value
    if not isinstance(value, str):
        wanted = "TRUE or FALSE" if attribute.kind == "boolean" else f"'{value}'"
        msg = f"{name} is {attribute.kind}; write {wanted}, not {shortened(value)}"
        return InvalidPredicate(msg, constant.position)
    if value == NULL and attribute.nullable:
        msg = f"missing values of {name} are found by {name} IS NULL"
        return UnknownName(msg, constant.position)
    named = attribute.levels[: attribute.size - attribute.nullable]
    msg = f"{name} has no level {shortened(value)}. {suggestion(value, named)}"
    if attribute.other is not None:
        msg += f" Values that are not declared are counted under '{attribute.other}'."
    return UnknownName(msg, constant.position)
