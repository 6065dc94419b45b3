"""Kinds of strategies, by their words on the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sigmacount.contrasts.rungs import Rung, first_rungs
from sigmacount.contrasts.strategies.isotropic import IsotropicStrategy
from sigmacount.contrasts.strategies.product import ProductStrategy
from sigmacount.contrasts.strategies.strategy import SetStrategy
from sigmacount.contrasts.strategies.weighted import WeightedStrategy

BlockShape = tuple[int, ...]


def _isotropic(shape: BlockShape, form: object) -> SetStrategy:
    """Nothing but the blocks; ValueError where more is said."""
    if form != {}:
        raise ValueError
    return IsotropicStrategy(shape)


def _product(shape: BlockShape, form: object) -> SetStrategy:
    """A matrix for each attribute."""
    return ProductStrategy.from_wire(first_rungs(shape), _fields(form))


def _weighted(shape: BlockShape, form: object) -> SetStrategy:
    """A matrix of weights."""
    return WeightedStrategy.from_wire(shape, _fields(form))


def _fields(form: object) -> Mapping[str, object]:
    if not isinstance(form, dict):
        raise TypeError
    return form


READERS: Final[Mapping[str, Callable[[BlockShape, object], SetStrategy]]] = {
    "isotropic": _isotropic,
    "product": _product,
    "weighted": _weighted,
}


def alike(rungs: tuple[Rung, ...]) -> SetStrategy:
    """All contrasts of a set alike, as nearly as integers do where blocks were cut."""
    if all(rung.plain for rung in rungs):
        return IsotropicStrategy(tuple(rung.size for rung in rungs))
    return ProductStrategy(tuple(rung.edge() for rung in rungs), rungs)


def strategy_for(kind: str, rungs: tuple[Rung, ...], form: object) -> SetStrategy:
    """The same for contrasts some of which are of later rungs: a product, always.

    Raises:
        KeyError, TypeError, ValueError: as ``strategy_of``.
    """
    if all(rung.plain for rung in rungs):
        return strategy_of(kind, tuple(rung.size for rung in rungs), form)
    if kind != "product":
        raise ValueError
    return ProductStrategy.from_wire(rungs, _fields(form))


def strategy_of(kind: str, shape: BlockShape, form: object) -> SetStrategy:
    """The strategy over these blocks that ``SetStrategy.to_wire`` told.

    Raises:
        KeyError, TypeError, ValueError: of a kind that is not known here, or malformed
            or too large; whoever reads the message says what is malformed.
    """
    return READERS[kind](shape, form)
