"""Search: overlapping marginals that answer a log with little error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from sigmacount.planner.marginals.choice import (
    MarginalChange,
    MarginalChoice,
    TableLimits,
    changes,
    estimated,
)
from sigmacount.planner.marginals.objective import MarginalObjective
from sigmacount.planner.marginals.starts import starts

SEED: Final = 20230101  # the same log gives the same tables
WORK: Final = 40_000_000  # numbers looked at; a few seconds of one core
DESCENTS: Final = 4  # from the best starts
TRIES: Final = 8  # changes whose best split is worked out, of all that are estimated
LEAST: Final = 1e-5  # relative: what a change must win
KICKED: Final = 3  # attributes changed at random before a descent that starts anew
PATIENCE: Final = 80  # kicks at most
WORSE: Final = 1.002  # how far a descent may end above and still be gone on from


class _Search:
    """Descents from starts, and from the best of them after random kicks."""

    def __init__(
        self, objective: MarginalObjective, limits: TableLimits, work: float
    ) -> None:
        self._objective, self._limits, self._left = objective, limits, work
        self._rng = np.random.default_rng(SEED)

    def best(self) -> MarginalChoice | None:
        """The best choice met; None if no start fits the limits."""
        objective = self._objective
        found = [
            choice
            for tables in starts(objective, self._limits)
            if (choice := MarginalChoice.of(objective, tables)) is not None
            and (choice := choice.pruned(objective)).fits(objective, self._limits)
        ]
        if not found:
            return None
        found.sort(key=lambda choice: choice.value)
        ends = [self._descent(choice) for choice in found[:DESCENTS]]
        end = min(ends, key=lambda choice: choice.value)
        return self._kicked(end) if len(objective.cells) else end

    def _descent(self, choice: MarginalChoice) -> MarginalChoice:
        """The best change again and again, until none wins."""
        while self._left > 0:
            better = self._better(choice)
            if better is None or better.value >= choice.value * (1 - LEAST):
                break
            choice = better.pruned(self._objective)
        return choice

    def _better(self, choice: MarginalChoice) -> MarginalChoice | None:
        """The best of the few changes that look best."""
        ranked: list[tuple[float, MarginalChange]] = []
        objective = self._objective
        for several in changes(objective, choice, self._limits.cells):
            if several:
                values = estimated(objective, choice, several)
                order = np.argsort(values, kind="stable")[: 4 * TRIES].tolist()
                ranked += [(float(values[n]), several[n]) for n in order]
                self._left -= len(several) * len(objective.masks)
        ranked.sort(key=lambda pair: pair[0])
        tried: dict[tuple[tuple[int, ...], int | None], MarginalChange] = {}
        for value, change in ranked:
            if np.isfinite(value) and len(tried) < TRIES:
                tried.setdefault((change.drop, change.add), change)
        made = [choice.changed(objective, change) for change in tried.values()]
        fit = [m for m in made if m is not None and m.fits(objective, self._limits)]
        return min(fit, key=lambda each: each.value, default=None)

    def _kicked(self, choice: MarginalChoice) -> MarginalChoice:
        """The best of descents from neighbours drawn at random."""
        best = choice
        for _ in range(PATIENCE):
            if self._left <= 0:
                break
            start = MarginalChoice.of(
                self._objective, self._kick(choice.tables), choice.shares
            )
            if start is None or not start.fits(self._objective, self._limits):
                continue
            end = self._descent(start)
            choice = end if end.value < choice.value * WORSE else choice
            best = min((best, end), key=lambda each: each.value)
        return best

    def _kick(self, tables: Sequence[int]) -> tuple[int, ...]:
        made = list(tables)
        for _ in range(KICKED):
            k = int(self._rng.integers(len(made)))
            other = made[k] ^ 1 << int(self._rng.integers(len(self._objective.cells)))
            if other not in made:
                made[k] = other
        return tuple(made)


def best_marginals(
    objective: MarginalObjective, limits: TableLimits, work: float = WORK
) -> MarginalChoice | None:
    """Tables and shares of little V: a local optimum, the same for the same log.

    None when no start that tells every set fits the limits: the caller leaves the
    dearest questions to fresh noise, and asks again.
    """
    best = _Search(objective, limits, work).best()
    if best is None:
        return None
    exact = MarginalChoice.of(objective, best.tables, best.shares, 500, 1e-10)
    return (exact or best).pruned(objective)
