"""The epochs that a served one can be compared with, and what they showed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from sigmacount.accounting import FixedNoise
from sigmacount.domain import Schema
from sigmacount.errors import ChangesNotTold, PlanChanged, StoreUnavailable
from sigmacount.release import (
    Changes,
    ChangesOf,
    Moment,
    NoiseBetween,
    Plan,
    SinceWhen,
    VectorsById,
)
from store.releases.history import History, PastEpoch
from store.releases.released import Head

MOST_PAIRS: Final = 4  # of epochs compared in memory, each as large as a release
_TRIES: Final = 5  # reads that found an epoch gone which was there a moment ago

_Pair = tuple[str, str]  # the attempts of two epochs: no two are alike


class Compared(NamedTuple):
    """Two epochs, ready to tell changes.

    Attributes:
        then: the earlier one.
        whole: the oldest kept epoch, from ``then`` on, that shows all that is shown
            now.
        changes: None: they are one epoch, and nothing changed.
    """

    then: Moment
    whole: Moment
    changes: Changes | None


class PastEpochs:
    """Reads epochs when somebody asks, and keeps the last pairs that were asked.

    Not for two tasks at once.
    """

    def __init__(self, history: History, schema: Schema) -> None:
        self._history, self._schema = history, schema
        self._made, self._of = ChangesOf(), ""
        self._plan: tuple[Sequence[str], Plan] | None = None
        self._pairs: dict[_Pair, Changes] = {}

    async def compared(self, head: Head, since: SinceWhen) -> Compared:
        """The epoch of ``head`` and the one that is meant.

        Raises:
            ChangesNotTold, PlanChanged, SinceInFuture, SinceTooEarly: the client is
                told.
            StoreUnavailable: the caller asks again.
        """
        rule = str(head.about.get("rule"))
        if rule == FixedNoise.name:
            raise ChangesNotTold(rule)
        for _ in range(_TRIES):
            kept = _comparable(await self._history.epochs(), head)
            moments = list(map(_moment, kept)) or [Moment(head.epoch, head.as_of_ms)]
            then = since.found(moments)
            if then.epoch == head.epoch:
                return Compared(then, then, None)
            later = [each for each in kept if each.epoch >= then.epoch]
            whole = _moment(next(each for each in later if _whole(each, head)))
            if head.plan.get("joint") and whole != then:
                raise PlanChanged(whole.epoch, whole.written)
            changes = await self._changes(head, later[0], later[-1])
            if changes is not None:
                return Compared(then, whole, changes)
        msg = "epochs leave the history faster than they are read"
        raise StoreUnavailable(msg)

    async def _changes(
        self, head: Head, past: PastEpoch, now: PastEpoch
    ) -> Changes | None:
        """None: one of the two left the history meanwhile."""
        pair = past.attempt, now.attempt
        if pair not in self._pairs:
            before = await self._history.numbers(past)
            after = await self._history.numbers(now)
            if before is None or after is None:
                return None
            noise, plan = _noise(past.about, now.about), await self._plan_of(head)
            made = await asyncio.to_thread(self._between, plan, noise, before, after)
            while len(self._pairs) >= MOST_PAIRS:
                del self._pairs[next(iter(self._pairs))]
            self._pairs[pair] = made
        return self._pairs[pair]

    def _between(
        self, plan: Plan, noise: NoiseBetween, before: VectorsById, after: VectorsById
    ) -> Changes:
        return self._made.between(plan, noise, before, after)

    async def _plan_of(self, head: Head) -> Plan:
        """A plan that stays is read once."""
        made_of = head.about["made_of"]
        if self._plan is None or self._plan[0] != made_of:
            read = await asyncio.to_thread(Plan.from_wire, self._schema, head.plan)
            self._plan = made_of, read
        return self._plan[1]


def _comparable(epochs: Mapping[int, PastEpoch], head: Head) -> list[PastEpoch]:
    """Those that followed the same rule, up to the one of ``head``, if it is there.

    Not from before noise was lost: what was begun anew has nothing in common with it.
    """
    served = epochs.get(head.epoch)
    if served is None or served.attempt != head.attempt:
        return []
    words = ("rule", "era", "horizon")
    alike = [served.about.get(word) for word in words]
    return [
        each
        for epoch, each in epochs.items()
        if epoch <= head.epoch
        and [each.about.get(w) for w in words] == alike
        and _same_noise(each.about, served.about)
    ]


def _same_noise(then: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether units of both have noise that goes on, and was not lost between."""
    lives, later = (about.get("lost", {}) for about in (then, now))
    shared = then.get("ticks", {}).keys() & now.get("ticks", {}).keys()
    return all(lives.get(unit) == later.get(unit) for unit in shared)


def _whole(past: PastEpoch, head: Head) -> bool:
    """Whether it shows all that is shown now; of a joint plan, from the same noise."""
    if head.plan.get("joint"):
        return bool(past.about.get("made_of") == head.about.get("made_of"))
    return {*head.groups} <= {*past.groups}


def _noise(then: Mapping[str, Any], now: Mapping[str, Any]) -> NoiseBetween:
    """By what the two epochs say of themselves."""
    if "ticks" in now:
        began = _generations(then), _generations(now)
        return NoiseBetween.ticks(now["horizon"], then["ticks"], now["ticks"], began)
    return NoiseBetween.drawn_anew()


def _generations(about: Mapping[str, Any]) -> dict[str, int]:
    """Of every unit; an epoch that does not say has that of its era."""
    era = about.get("era", 0)
    return {**dict.fromkeys(about["ticks"], era), **about.get("generations", {})}


def _moment(past: PastEpoch) -> Moment:
    return Moment(past.epoch, past.as_of_ms)
