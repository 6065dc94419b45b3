"""Release: private counts of rows in memory; any query answered, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import (
    PARALLEL,
    Charge,
    cost_of_algebra,
    with_noise,
)
from sigmacount.domain import Schema
from sigmacount.errors import InvalidPlan, InvalidPredicate
from sigmacount.in_memory.released_table import ReleasedTable, released_table
from sigmacount.in_memory.table import Table
from sigmacount.mechanisms import as_epsilon, as_micro
from sigmacount.models import Ledger
from sigmacount.release import (
    CONFIDENCE,
    Estimate,
    Group,
    IndependentAlgebras,
    NoisyCount,
    OrderedAnswers,
    Plan,
    TableArrangement,
    TableEstimate,
    common_total,
    simplex,
    tabulated,
)
from sigmacount.sets import GroupedQuery, Query


class Release:
    """The noisy counts of a plan over these rows, and the budget for what is left.

    Making one charges the ledger for every algebra of the plan, draws its noise and
    keeps the sums. After that a query that an algebra holds costs nothing, however
    often and by whomever it is asked (Algorithm 3); any other one is charged
    the price of ``plan.fresh`` the first time (Algorithm 1) and is then remembered.
    A subset never counts more than its superset, whichever way each was answered.

    The promise is ε-differential privacy for adding or removing one row, ε being what
    the ledger has spent. Two releases of the same rows add up. It is a promise about
    answers: the object itself holds the rows, and how long a draw takes is not hidden
    from who can time it. Not for two threads at once.

    Raises:
        InvalidRow: a row has no cell in the schema; the caller mends it.
        BudgetExhausted: the plan costs more than ``budget``; nothing was drawn.
        InvalidPlan: the plan is of another schema; nothing was charged.
        ValueError: ``budget`` (ε) is not finite or below 1 µε.
    """

    def __init__(
        self,
        schema: Schema,
        rows: Iterable[Mapping[str, object]],
        plan: Plan,
        *,
        budget: float,
        confidence: float = CONFIDENCE,
    ) -> None:
        if any(g.algebra.schema.fingerprint != schema.fingerprint for g in plan.groups):
            msg = "the plan is of another schema than the rows; nothing was charged"
            raise InvalidPlan(msg)
        self._schema, self._table = schema, Table(schema, rows)
        self.plan, self._confidence = plan, confidence
        self._ledger = Ledger(schema.name, as_micro(budget, "budget"))
        for group in plan.groups:  # charge: all of them, before anything is drawn
            price = cost_of_algebra(PARALLEL, group.algebra.size, group.price)
            charge = Charge(f"group:{group.id}", "group", price.micro_epsilon)
            self._ledger = self._ledger.charge(charge)
        noisy = {group.id: self._drawn(group) for group in plan.groups}
        counts = _counts(plan, noisy)
        self._held = IndependentAlgebras(plan.groups, noisy, counts)
        self._fresh = OrderedAnswers(self._held)
        self._known: dict[str, NoisyCount] = {}

    @property
    def ledger(self) -> Ledger:
        """Every charge so far, in order, each chained to the one before (µε)."""
        return self._ledger

    @property
    def left(self) -> float:
        """ε that may still be spent on queries that no algebra of the plan holds."""
        return as_epsilon(self._ledger.left)

    def price(self, query: Query) -> float:
        """ε that answering ``query`` would cost now: 0 for all that is held or known.

        It depends on the plan and on what was asked before, never on the rows.

        Raises:
            InvalidPredicate: the query is of another schema.
        """
        self._check(query)
        if query.key in self._known or self._held.holds(query):
            return 0.0
        return self.plan.fresh.price.epsilon

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
        return tabulated(levels, counts, self._confidence)

    def _free(self, query: Query) -> NoisyCount | None:
        """What was said of it, or an algebra holds; None: it needs noise of its own."""
        return self._known.get(query.key) or self._held.noisy_count(query)

    def _check(self, query: Query) -> None:
        """A query of other attributes would be answered with the count of some cell."""
        if query.schema.fingerprint != self._schema.fingerprint:
            msg = "the query is of another schema than the rows"
            raise InvalidPredicate(msg)

    def _drawn(self, group: Group) -> NDArray[np.int64]:
        """N(ω) + ζ of every atom of a group that was paid for."""
        truth = self._table.tally(group.algebra)
        return with_noise(truth, group.mechanism.draw(truth.size))

    def _drawn_for(self, key: str, queries: Sequence[Query]) -> list[NoisyCount]:
        """Charge once for disjoint queries, draw for each, and only then say."""
        fresh, source = self.plan.fresh, f"fresh:{key}"
        try:
            for query in queries:
                self._fresh.place(query)
            charge = Charge(source, "fresh", fresh.price.micro_epsilon)
            self._ledger = self._ledger.charge(charge)
            noise = fresh.draw(len(queries)).tolist()
            for query, drawn in zip(queries, noise, strict=True):
                noisy = self._table.count(query) + drawn
                count = self._fresh.settle(query, noisy)
                self._known[query.key] = NoisyCount(count, noisy, fresh, 1, source)
        finally:
            self._fresh.forget()
        return [self._known[query.key] for query in queries]

    def __repr__(self) -> str:
        spent, limit = (as_epsilon(x) for x in (self._ledger.spent, self._ledger.limit))
        name, groups = self._ledger.dataset, len(self.plan.groups)
        return f"<Release of {name!r}: {groups} algebras, {spent:g} of {limit:g} ε>"


def _counts(
    plan: Plan, noisy: Mapping[str, NDArray[np.int64]]
) -> dict[str, NDArray[np.int64]]:
    """The atoms of every group, non-negative and of one total over all groups."""
    sums = ((int(noisy[g.id].sum()), g.total_variance) for g in plan.groups)
    total = common_total(sums)
    return {gid: simplex(values, total) for gid, values in noisy.items()}
