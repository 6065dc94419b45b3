"""Promise: what is protected, in words, for this data set and its rule."""

from __future__ import annotations

from dataclasses import dataclass

from sigmaclient.schema import DatasetSchema
from streams.wire.messages.catalog import Catalog, Promise
from views.asking import promise

BEWARE = "beware"
PROTECTS = "protects"


@dataclass(frozen=True, slots=True)
class PromisePage:
    """What the page shows; empty before a curator published what it promises.

    Attributes:
        dataset: its name, and a sentence about it.
        protects: who or what is protected, in one sentence.
        beware: what is not; empty where nothing is shown exactly.
        odds: what the whole budget does to the odds about one row; empty: not known.
        facts: name and fact, those above left out.
    """

    dataset: str
    about: str
    protects: str
    beware: str
    odds: str
    facts: tuple[tuple[str, str], ...]


def promise_page(catalog: Catalog | None) -> PromisePage:
    """The words are those of `sigma describe`: there is no second wording."""
    if catalog is None:
        return PromisePage("", "", "", "", "", ())
    schema = DatasetSchema.of(catalog)
    told = dict(promise.facts(schema))
    protects, beware = told.pop(PROTECTS, ""), told.pop(BEWARE, "")
    facts = tuple(told.items())
    odds = _odds(catalog.promise)
    return PromisePage(schema.dataset, schema.about, protects, beware, odds, facts)


def _odds(said: Promise | None) -> str:
    """Of all that is ever charged, for one change under a rule that counts those."""
    if said is None or said.epsilon is None:
        return ""
    return promise.odds(said.epsilon, said.delta)
