"""Release: private counts of rows in memory; any query answered, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sigmacount.accounting import Charge, Purpose
from sigmacount.domain import Schema
from sigmacount.errors import InvalidPlan, InvalidPredicate
from sigmacount.in_memory.released_table import ReleasedTable, released_table
from sigmacount.in_memory.table import Table
from sigmacount.mechanisms import MICRO, PICO, Amount, Measure, as_micro, most_rho
from sigmacount.models import Ledger
from sigmacount.release import (
    CONFIDENCE,
    Answerer,
    Answerers,
    EpochMaker,
    Estimate,
    NoisyCount,
    OrderedAnswers,
    Plan,
    TableArrangement,
    TableEstimate,
    simplex,
    tabulated,
)
from sigmacount.sets import GroupedQuery, Query


class Release:
    """The noisy counts of a plan over these rows, and the budget for what is left.

    Making one charges the ledger for every unit of the plan, draws its noise and keeps
    what was released. After that a query that an algebra holds costs nothing, however
    often and by whomever it is asked (Algorithm 3); any other one is charged
    the price of ``plan.fresh`` the first time (Algorithm 1) and is then remembered.
    A subset never counts more than its superset, whichever way each was answered.

    The promise is ε-differential privacy for adding or removing one row, ε being what
    the ledger has spent. With a ``delta`` it is (ε, δ) of the ``budget``: the ledger
    then holds ρ of zCDP, which Gaussian noise is priced in. Two releases of the same
    rows add up. It is a promise about answers: the object itself holds the rows, and
    how long a draw takes is not hidden from who can time it. Not for two threads at
    once.

    Raises:
        InvalidRow: a row has no cell in the schema; the caller mends it.
        BudgetExhausted: the plan costs more than ``budget``; nothing was drawn.
        InvalidPlan: the plan is of another schema; nothing was charged.
        MeasureMismatch: Gaussian noise needs a ``delta``; nothing was charged.
        UnfitRelease: the plan is for fewer rows than there seem to be; nothing shown.
        ValueError: ``budget`` (ε) is not finite or below 1 µε.
    """

    def __init__(
        self,
        schema: Schema,
        rows: Iterable[Mapping[str, object]],
        plan: Plan,
        *,
        budget: float,
        delta: float | None = None,
        confidence: float = CONFIDENCE,
    ) -> None:
        schemas = (each.schema for each in plan.published.values())
        if any(each.fingerprint != schema.fingerprint for each in schemas):
            msg = "the plan is of another schema than the rows; nothing was charged"
            raise InvalidPlan(msg)
        self._schema, self._table = schema, Table(schema, rows)
        self.plan, self._confidence = plan, confidence
        self._ledger = _ledger(schema, budget, delta)
        for unit in plan.units:  # charge: all of them, before anything is drawn
            self._charge(f"group:{unit.id}", "group", unit.price)
        self._held = self._drawn()
        self._fresh = OrderedAnswers(self._held)
        self._known: dict[str, NoisyCount] = {}

    @property
    def ledger(self) -> Ledger:
        """Every charge so far, in order, each chained to the one before."""
        return self._ledger

    @property
    def _one(self) -> int:
        """Units of the ledger in one ε, or in one ρ."""
        return PICO if self._ledger.measure is Measure.RHO else MICRO

    @property
    def left(self) -> float:
        """What may still be spent on queries that the plan does not hold.

        Units: ε; ρ where there is a δ.
        """
        return self._ledger.left / self._one

    def price(self, query: Query) -> float:
        """What answering ``query`` would cost now: 0 for all that is held or known.

        It depends on the plan and on what was asked before, never on the rows.

        Units: as ``left``.

        Raises:
            InvalidPredicate: the query is of another schema.
        """
        self._check(query)
        if query.key in self._known or self._held.holds(query):
            return 0.0
        price = self.plan.fresh.price.charged_in(self._ledger.measure)
        return price.units / self._one

    def answer(self, query: Query) -> Estimate:
        """A private count of ``query`` with its standard error and interval.

        The same query, however it was written, has one answer.

        Raises:
            BudgetExhausted: no algebra holds it and the budget has no room for noise
                of its own; nothing was spent.
            QueryTooComplex: it cannot be kept in order with the queries answered
                before it (2^20 combinations); nothing was spent.
            InvalidPredicate: it is of another schema; nothing was spent.
        """
        self._check(query)
        found = self._free(query)
        if found is None:
            [found] = self._drawn_for(query.key, [query])
        return found.estimate(self._confidence)

    def ask(
        self,
        query: Query,
        by: Sequence[str],
        *,
        having: Mapping[str, int] | None = None,
        order_by: Sequence[str] = (),
        limit: int | None = None,
    ) -> ReleasedTable:
        """A table of ``query``, GROUP BY these attributes: a row for each combination.

        Each row is what ``answer`` says of its set. All of it that no algebra holds
        costs the price of one fresh query: a row of the data is in one cell.

        Raises:
            InvalidPredicate: no such attribute, comparison or schema; QueryTooComplex:
                more than 4,096 rows. Nothing was spent.
            BudgetExhausted, QueryTooComplex: as ``answer``.
        """
        self._check(query)
        shown = TableArrangement.of(self._schema, by, having, order_by, limit)
        grouped = GroupedQuery.of(query, by)
        return released_table(grouped, shown, self._rows(grouped))

    def _rows(self, grouped: GroupedQuery) -> TableEstimate:
        cells = list(grouped.cells())
        lacking = [cell.query for cell in cells if self._free(cell.query) is None]
        if lacking:
            self._drawn_for(grouped.key, lacking)
        counts = [found for cell in cells if (found := self._free(cell.query))]
        levels = [cell.levels for cell in cells]
        held = all(self._held.holds(cell.query) for cell in cells)
        whole = self._held.union(grouped) if held else None
        return tabulated(levels, counts, self._confidence, whole)

    def _free(self, query: Query) -> NoisyCount | None:
        """What was said of it, or an algebra holds; None: it needs noise of its own."""
        return self._known.get(query.key) or self._held.noisy_count(query)

    def _check(self, query: Query) -> None:
        """A query of other attributes would be answered with the count of some cell."""
        if query.schema.fingerprint != self._schema.fingerprint:
            msg = "the query is of another schema than the rows"
            raise InvalidPredicate(msg)

    def _charge(self, charge_id: str, purpose: Purpose, price: Amount) -> None:
        measure = self._ledger.measure
        asked = price.charged_in(measure).units
        charge = Charge(charge_id, purpose, asked, measure=measure)
        self._ledger = self._ledger.charge(charge)

    def _drawn(self) -> Answerer:
        """Noise for every unit of the plan, all of which was paid for."""
        plan = self.plan
        tallies = {each.id: self._table.tally(each) for each in plan.tallied}
        noises = {unit.id: unit.mechanism.draw(unit.draws) for unit in plan.units}
        made = EpochMaker(simplex).arrays(plan, tallies, noises)
        return Answerers().of(plan, made.noisy, made.counts)

    def _drawn_for(self, key: str, queries: Sequence[Query]) -> list[NoisyCount]:
        """Charge once for disjoint queries, draw for each, and only then say."""
        fresh, source = self.plan.fresh, f"fresh:{key}"
        try:
            for query in queries:
                self._fresh.place(query)
            self._charge(source, "fresh", fresh.price)
            noise = fresh.draw(len(queries)).tolist()
            for query, drawn in zip(queries, noise, strict=True):
                noisy = self._table.count(query) + drawn
                count = self._fresh.settle(query, noisy)
                self._known[query.key] = NoisyCount.drawn(
                    count, noisy, fresh, 1, source
                )
        finally:
            self._fresh.forget()
        return [self._known[query.key] for query in queries]

    def __repr__(self) -> str:
        spent, limit = self._ledger.spent / self._one, self._ledger.limit / self._one
        name, groups = self._ledger.dataset, len(self.plan.published)
        of = "ρ" if self._ledger.measure is Measure.RHO else "ε"
        what = "tables" if self.plan.joint else "algebras"
        return f"<Release of {name!r}: {groups} {what}, {spent:g} of {limit:g} {of}>"


def _ledger(schema: Schema, budget: float, delta: float | None) -> Ledger:
    """An empty one: of ε, or of the most ρ that promises ε at ``delta``."""
    limit = as_micro(budget, "budget")
    if delta is None:
        return Ledger(schema.name, limit)
    return Ledger(schema.name, most_rho(limit, delta), measure=Measure.RHO)
