"""Budget: what was spent, over time, on what and by whom, and when it ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from dashboard.curves import CurveLine, ShownCurve
from dashboard.history import (
    WINDOW_DAYS,
    BudgetForecast,
    ChargedFor,
    ChargeFilter,
    SpendingHistory,
)
from sigmaclient import DatasetSchema
from sigmacount.accounting import PURPOSES
from sigmacount.mechanisms import Measure
from streams.wire.messages.catalog import Catalog
from views import formats
from views.asking.promise import in_all
from views.ledger import MEANING
from views.purses import PurseTotals

SIGNS: Final = {Measure.EPSILON: ("ε", 1e-6), Measure.RHO: ("ρ", 1e-12)}
NEWEST: Final = 10  # moments in the table beside the curve
DAY_MS: Final = 86_400_000
OTHERS: Final = "other clients"
NOBODY: Final = "the data set: plans and epochs"


@dataclass(frozen=True, slots=True)
class BudgetReader:
    """Who looks: an operator sees the names of all clients, others their own."""

    name: str
    operator: bool = False


@dataclass(frozen=True, slots=True)
class SpentLine:
    """Something that was spent on, or somebody.

    Attributes:
        limit: of its own; empty where it has none.
    """

    name: str
    meaning: str
    spent: str
    limit: str
    percent: float


@dataclass(frozen=True, slots=True)
class PurseShown:
    """One purse: the budget, or that of surcharges beside one of ρ.

    Attributes:
        percent: how much of it is spent.
        forecast: when it ends, and on what assumption.
        quota: what each client may spend on fresh questions; empty: no limit.
        newest: the last moments of the curve, and what was spent by then.
    """

    title: str
    spent: str
    limit: str
    left: str
    percent: float
    forecast: str
    quota: str
    purposes: tuple[SpentLine, ...]
    clients: tuple[SpentLine, ...]
    curve: ShownCurve
    newest: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class BudgetPage:
    """What the page shows; no purse before the ledger is open.

    Attributes:
        promised: what all of it promises, whatever is asked; empty: not known.
        untold: why the past is not shown, or is not all of it; else empty.
    """

    purses: tuple[PurseShown, ...]
    promised: str
    untold: str
    operator: bool


def budget_page(
    purses: Iterable[PurseTotals],
    history: SpendingHistory,
    reader: BudgetReader,
    catalog: Catalog | None,
    now_ms: int,
    untold: str = "",
) -> BudgetPage:
    """Totals as the store has them, their past as the topic `ledger` tells it."""
    told = _Told(history, reader, now_ms)
    promise = None if catalog is None else DatasetSchema.of(catalog).promise
    promised = "" if promise is None else in_all(promise)
    shown = tuple(map(told.purse, purses))
    return BudgetPage(shown, promised, untold, reader.operator)


@dataclass(frozen=True, slots=True)
class _Told:
    """The past, as this reader may know it."""

    history: SpendingHistory
    reader: BudgetReader
    now_ms: int

    def purse(self, purse: PurseTotals) -> PurseShown:
        """One purse whole."""
        said = partial(formats.amount, purse.measure)
        return PurseShown(
            purse.title,
            said(purse.spent),
            said(purse.limit),
            said(purse.left),
            _percent(purse.spent, purse.limit),
            self._forecast(purse),
            "" if purse.client_quota is None else said(purse.client_quota),
            tuple(_purposes(purse)),
            tuple(self._clients(purse)),
            self._curve(purse),
            tuple(self._newest(purse.measure)),
        )

    def _clients(self, purse: PurseTotals) -> Iterator[SpentLine]:
        """By name for an operator; else the reader, and all others together."""
        measure = purse.measure
        found, mine = self.history.clients(measure), self.reader.name
        if not self.reader.operator:
            others = sum(units for name, units in found.items() if name != mine)
            found = {mine: found.get(mine, 0), OTHERS: others}
        nobodys = self.history.total(measure, lambda key: key.client is None)
        for name, units in (found | {NOBODY: nobodys}).items():
            said = formats.amount(measure, units)
            meaning = "you" if name == mine else ""
            yield SpentLine(name, meaning, said, "", _percent(units, purse.spent))

    def _forecast(self, purse: PurseTotals) -> str:
        if not purse.left:
            return "nothing is left: what is served stays, and nothing new is paid"
        since = self.now_ms - WINDOW_DAYS * DAY_MS
        spent = self.history.total(purse.measure, _whatever, since)
        began = self.history.first_ms
        found = BudgetForecast.of(spent, purse.left, began, self.now_ms)
        return _foretold(purse.measure, found)

    def _curve(self, purse: PurseTotals) -> ShownCurve:
        """Sums over time from nothing on, by purpose, all of it, and the limit."""
        measure = purse.measure
        sign, scale = SIGNS[measure]
        lines, at_s = list[CurveLine](), tuple[float, ...]()
        chosen = [(purpose, _only(purpose)) for purpose in PURPOSES]
        for label, choice in [("all", _whatever), *chosen]:
            points = list(self.history.curve(measure, choice))
            began = [self.history.first_ms or p.at_ms for p in points[:1]]
            moments = (*began, *(min(p.at_ms, self.now_ms) for p in points))
            at_s = tuple(moment / 1000 for moment in moments)
            values = (*(0.0 for _ in began), *(p.spent * scale for p in points))
            if label == "all" or any(values):
                lines.append(CurveLine(label, values, steps=True))
        lines.append(CurveLine("limit", (purse.limit * scale,) * len(at_s)))
        return ShownCurve("spent", sign, at_s, tuple(lines))

    def _newest(self, measure: Measure) -> Iterator[tuple[str, str]]:
        lines = list(self.history.curve(measure, _whatever))
        for line in lines[: -NEWEST - 1 : -1]:
            moment = formats.moment(min(line.at_ms, self.now_ms))
            yield moment, formats.amount(measure, line.spent)


def _purposes(purse: PurseTotals) -> Iterator[SpentLine]:
    for purpose in PURPOSES:
        units, cap = purse.on.get(purpose, 0), purse.caps.get(purpose)
        limit = "" if cap is None else formats.amount(purse.measure, cap)
        spent = formats.amount(purse.measure, units)
        percent = _percent(units, purse.limit)
        yield SpentLine(purpose, MEANING[purpose], spent, limit, percent)


def _foretold(measure: Measure, found: BudgetForecast | None) -> str:
    """The day, and what it assumes."""
    if found is None:
        return "too early to say when it ends: an hour of charges is needed"
    pace = formats.amount(measure, round(found.a_day))
    assumed = (
        f"if every day costs what one of the last {found.days:,.1f} days did ({pace} a"
        " day), the price of plans among it"
    )
    if found.ends_ms is None:
        return f"it does not end within a hundred years, {assumed}"
    return f"it ends on {formats.moment(found.ends_ms)[:10]}, {assumed}"


def _percent(units: int, whole: int) -> float:
    return 100 * units / whole if whole else 0.0


def _whatever(_: ChargedFor) -> bool:
    return True


def _only(purpose: str) -> ChargeFilter:
    def chosen(key: ChargedFor) -> bool:
        return key.purpose == purpose

    return chosen
