"""Messages as they look: at least one of each type, over the shipped data set."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec

from config.declarations.datasets import load, load_schema
from sigmacount.accounting import FixedNoise, NoiseUnit
from sigmacount.language import parse
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra, Query
from streams.wire.messages.audit_events import (
    ChargeGranted,
    EpochAnnounced,
    NoiseCommitted,
    NoiseLost,
    StoreRestored,
    TickBound,
    TicksCommitted,
)
from streams.wire.messages.events import (
    Event,
    FreshCountAsked,
    PlanProposed,
    QueryAnswered,
    QueryAsked,
    QueryLogged,
    RowChanged,
    Trouble,
)
from streams.wire.messages.privacy import FixedNoiseGuarantee, Spent
from streams.wire.messages.standing import StandingQuestion
from streams.wire.messages.tables import CountTable, Quote, TableCell, Terms
from workers.catalog import catalog_of

PRICE: Final = 20_000  # µε
AT_MS: Final = 1_767_225_600_000  # 2026-01-01
DIGEST: Final = "3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b"
ROW: Final = {"age": 34, "sex": "F", "city": "Lyon"}


def examples_of(kind: type[Event]) -> list[Any]:
    """The examples of a type of message, as JSON."""
    return [msgspec.to_builtins(each) for each in _all() if type(each) is kind]


@cache
def _all() -> tuple[Event, ...]:
    return (*_of_clients(), *_between_workers(), *_of_the_ledger())


def _of_clients() -> Iterator[Event]:
    yield RowChanged(op="insert", id="p-17", row=ROW, ts_ms=AT_MS)
    yield RowChanged(op="delete", id="p-17")
    yield QueryAsked(request_id="r-1", client="ada", where="age >= 60 AND sex = 'F'")
    yield QueryAsked(request_id="r-2", client="ada", where={"city": ["Lyon", "Paris"]})
    yield QueryAsked(request_id="r-3", client="ada", by=("sex",), max_cost=0)
    yield QueryAsked(request_id="r-4", client="ada", where="age < 20", price=True)
    yield _answer("r-1", count=1204, stderr=70.7, interval=(1055, 1353))
    yield _answer("r-3", count=2409, stderr=122.5, table=_table())
    yield QueryAnswered(request_id="r-4", client="ada", status="ok", quote=_quote())
    yield from _in_rho()
    yield StandingQuestion(client="ada", name="by-sex", by=("sex",), every=10)
    yield catalog_of(load("people"))
    no_budget = Trouble(code="budget_exhausted", message="client 'ada' has 0 µε left")
    yield QueryAnswered(
        request_id="r-5", client="ada", status="refused", error=no_budget
    )


def _in_rho() -> Iterator[Event]:
    """A price, and a question within it, where a ledger counts in ρ."""
    price = 50_000_000  # pρ
    quote = Quote(
        measure="rho",
        cost=price,
        stderr=100.0,
        error=196.0,
        confidence=0.95,
        dataset_left=14_000_000_000,
        client_left=600_000_000,
    )
    yield QueryAnswered(request_id="r-6", client="ada", status="ok", quote=quote)
    yield QueryAsked(
        request_id="r-7",
        client="ada",
        where="age < 20",
        max_cost=price,
        max_cost_measure="rho",
    )


def _answer(request: str, **said: Any) -> QueryAnswered:  # noqa: ANN401 - its fields
    promise = FixedNoise(0.001).guarantee(NoiseUnit(Amount.pure(PRICE), epochs=1))
    return QueryAnswered(
        request_id=request,
        client="ada",
        status="ok",
        confidence=0.95,
        route="fresh",
        plan=1,
        epoch=4,
        as_of_ms=AT_MS,
        spent=Spent(measure="epsilon", units=PRICE),
        spent_micro_epsilon=PRICE,
        guarantee=msgspec.convert(promise, FixedNoiseGuarantee),
        **said,
    )


def _table() -> CountTable:
    counts = {"F": 1204, "M": 1199, None: 6}
    rows = (
        TableCell(
            levels=(level,),
            count=count,
            stderr=70.7,
            interval=(max(0, count - 149), count + 149),
            joint=(max(0, count - 204), count + 204),
        )
        for level, count in counts.items()
    )
    return CountTable(by=("sex",), rows=tuple(rows), cells=len(counts))


def _quote() -> Quote:
    return Quote(
        measure="epsilon",
        cost=PRICE,
        stderr=70.7,
        error=149.0,
        confidence=0.95,
        dataset_left=9_400_000,
        fresh_left=2_400_000,
        client_left=600_000,
    )


def _between_workers() -> Iterator[Event]:
    asked = _asked()
    about: dict[str, Any] = {"key": asked.key, "query": asked.to_wire()}
    yield FreshCountAsked(
        **about,
        request_id="r-1",
        client="ada",
        asked_ms=AT_MS,
        terms=Terms(max_cost=PRICE),
    )
    named = ("age", "sex")
    yield QueryLogged(
        **about, attributes=named, client="ada", times=2, route="fresh", ts_ms=AT_MS
    )
    yield PlanProposed(
        dataset="people",
        version=1,
        based_on=0,
        plan=_plan(asked).to_wire(),
        reason=("one algebra holds every question",),
        made_ms=AT_MS,
    )


def _asked() -> Query:
    return parse(load_schema("people"), "age >= 60 AND sex = 'F'")


def _plan(asked: Query) -> Plan:
    noise = DiscreteLaplace.costing(PRICE)
    algebra = Algebra.induced_by(asked.schema, (asked,))
    return Plan(1, (Group(algebra, noise),), noise)


def _of_the_ledger() -> Iterator[Event]:
    said: dict[str, Any] = {
        "dataset": "people",
        "token": 1,
        "served": 3,
        "at_ms": AT_MS,
    }
    noise = f"q-{_asked().key}-{PRICE}:0"
    yield ChargeGranted(
        **said,
        length=1,
        charge_id=f"fresh:{noise}",
        purpose="fresh",
        micro_epsilon=PRICE,
        hash=DIGEST,
        client="ada",
        attributes=("age", "sex"),
    )
    yield NoiseCommitted(**said, noise=noise, commitment=DIGEST, epoch=4)
    bound = (TickBound(noise=noise, tick=3, commitment=DIGEST),)
    yield TicksCommitted(**said, epoch=4, bound=bound)
    yield EpochAnnounced(**said, epoch=4)
    yield NoiseLost(**said, noise=noise)
    yield StoreRestored(**said, lines=12, micro_epsilon=240_000, lost=1)
