"""Fresh queries: Algorithm 1 with a memo, from the snapshot of the epoch.

The first time a query is asked it is charged to the client and to the dataset; its
noise is then kept, so whoever asks the same set again gets the same noise. What is
told keeps its order with all that this epoch tells: see ``sigmacount.order``. A query
that a group of the plan in force holds is told from there, at no charge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from sigmacount.charges import Charge
from sigmacount.composition import PARALLEL
from sigmacount.errors import (
    BudgetExhausted,
    ChargeConflict,
    QueryTooComplex,
    ReleaseFrozen,
    SigmaError,
)
from sigmacount.estimate import estimate
from sigmacount.guarantee import Unit
from sigmacount.schema import Schema
from store.ledger import Granted, RedisLedger
from store.noise import NoiseVault
from store.released import Head, Released
from streams.events import FreshCountAsked, QueryAnswered, RouteName
from workers.answers import answered, as_memo, counted_nothing, failed
from workers.curator.release import Array, Draw
from workers.curator.snapshot import Ground
from workers.curator.wishes import Terms, Wish, wishes


class FreshCounts:
    """Answers what no algebra holds; charges, draws, stores, and only then tells."""

    def __init__(
        self,
        schema: Schema,
        terms: Terms,
        ledger: RedisLedger,
        vault: NoiseVault,
        released: Released,
        draw: Draw,
        token: int,
    ) -> None:
        self._schema, self._terms, self._draw = schema, terms, draw
        self._ledger, self._vault, self._released = ledger, vault, released
        self._token = token

    async def answer(
        self, asked: Sequence[FreshCountAsked], head: Head, ground: Ground | None
    ) -> list[QueryAnswered]:
        """One answer for each request, in order.

        ``ground`` is that of ``head``, or None when it is lost (a restart while the
        release is frozen): then only this epoch's memos can be told.

        Raises:
            Fenced: a newer curator took over; nothing more may be told.
            StoreUnavailable: the caller answers the same requests again.
        """
        wanted = wishes(self._schema, self._terms.micro_epsilon, asked)
        distinct = {w.query.key: w for w in wanted if isinstance(w, Wish)}
        told = await self._memos(head.epoch, list(distinct))
        told |= _held(distinct, head, ground)
        told |= {
            key: counted_nothing(head, self._terms.confidence)
            for key, wish in distinct.items()
            if wish.query.empty  # also where the ground is lost
        }
        new = {key: wish for key, wish in distinct.items() if key not in told}
        if ground is None:
            told |= {key: failed("refused", ReleaseFrozen()) for key in new}
        else:
            told |= await self._tell(new, head, ground)
        answers = []
        for each, wish in zip(asked, wanted, strict=True):
            answer = told[wish.query.key] if isinstance(wish, Wish) else wish
            answers.append(
                msgspec.structs.replace(
                    answer, request_id=each.request_id, client=each.client
                )
            )
            if isinstance(wish, Wish) and answer.route == "fresh":
                told[wish.query.key] = as_memo(answer)
        return answers

    async def _memos(self, epoch: int, keys: Sequence[str]) -> dict[str, QueryAnswered]:
        """What was already told in this epoch, by canonical key."""
        found = await self._released.memos(epoch, keys)
        return {
            key: msgspec.json.decode(memo, type=QueryAnswered)
            for key, memo in zip(keys, found, strict=True)
            if memo is not None
        }

    async def _tell(
        self, wishes: Mapping[str, Wish], head: Head, ground: Ground
    ) -> dict[str, QueryAnswered]:
        if not wishes:
            return {}
        generation = self._terms.rule.noise_generation(head.epoch)
        units = [wish.unit for wish in wishes.values()]
        held = await self._vault.get_many(units, generation)
        known = {k: w for k, w in wishes.items() if held[w.unit] is not None}
        new = {k: w for k, w in wishes.items() if held[w.unit] is None}
        paid, refused = await self._charge(known, new, head.epoch, generation)
        drawn = await self._drawn([new[k] for k in paid if k in new], head, generation)
        noises = {unit: noise for unit, noise in held.items() if noise is not None}
        noises |= drawn
        since = await self._since(
            [wishes[key].unit for key in paid], head.epoch, generation
        )
        answers = {
            key: self._answer(wishes[key], noises, head, ground, since, spent)
            for key, spent in paid.items()
        }
        await self._remember(head.epoch, answers)
        return answers | {
            key: failed("refused", error) for key, error in refused.items()
        }

    async def _remember(self, epoch: int, answers: Mapping[str, QueryAnswered]) -> None:
        """Everybody may read them from here on, so they are told as often as asked."""
        encode = msgspec.json.encode
        memos = {
            key: encode(as_memo(answer))
            for key, answer in answers.items()
            if answer.status == "ok"
        }
        if memos:
            await self._released.memo_put_many(self._token, epoch, memos)

    async def _charge(
        self,
        known: Mapping[str, Wish],
        new: Mapping[str, Wish],
        epoch: int,
        generation: int,
    ) -> tuple[dict[str, int], dict[str, SigmaError]]:
        """What each key paid (µε), and why others may not be told."""
        price = self._terms.micro_epsilon
        charges = [
            Charge(f"fresh:{wish.unit}:{generation}", "fresh", price, wish.client)
            for wish in new.values()
        ]
        outcomes = await self._ledger.charge_many(self._token, charges)
        paid: dict[str, int] = {}
        refused: dict[str, SigmaError] = {}
        for key, outcome in zip(new, outcomes, strict=True):
            if isinstance(outcome, Granted):
                paid[key] = outcome.asked
            elif isinstance(outcome, ChargeConflict):
                paid[key] = 0  # the id names unit and price: another client paid it
            else:
                refused[key] = outcome
        try:
            await self._charge_again(known, epoch, generation)
        except BudgetExhausted as error:
            return paid, refused | dict.fromkeys(known, error)
        return paid | dict.fromkeys(known, 0), refused

    async def _charge_again(
        self, known: Mapping[str, Wish], epoch: int, generation: int
    ) -> None:
        """Noise of an earlier epoch is shown again: the rule says what that costs."""
        totals = await self._ledger.totals()
        if not known or generation or totals is None:
            return
        keys = hashlib.sha256("".join(sorted(known)).encode()).hexdigest()[:16]
        charge = self._terms.rule.charge_for_epoch(
            f"memos:{epoch}:{keys}",
            released=len(known) * self._terms.micro_epsilon,
            repeated=totals.repeated,
            surcharged=totals.on.get("epoch", 0),
        )
        if charge is not None:
            await self._ledger.charge(self._token, charge)

    async def _drawn(
        self, wishes: Sequence[Wish], head: Head, generation: int
    ) -> Mapping[str, Array]:
        """Noise for what was just paid for, on disk before anybody is told."""
        if not wishes:
            return {}
        drawn = self._draw(self._terms.micro_epsilon).draw(len(wishes))
        singles = {
            wish.unit: np.array([noise], np.int64)
            for wish, noise in zip(wishes, drawn.tolist(), strict=True)
        }
        made = msgspec.json.encode({"epoch": head.epoch}).decode()
        return await self._vault.put_many(self._token, generation, singles, made)

    async def _since(
        self, units: Sequence[str], epoch: int, generation: int
    ) -> dict[str, int]:
        """The epoch in which each unit was first shown."""
        made = await self._vault.made(units, generation)
        decode = msgspec.json.decode
        return {
            unit: int(decode(text, type=dict).get("epoch", epoch))
            for unit, text in made.items()
        }

    def _answer(
        self,
        wish: Wish,
        noises: Mapping[str, Array],
        head: Head,
        ground: Ground,
        since: Mapping[str, int],
        spent: int,
    ) -> QueryAnswered:
        price, rule = self._terms.micro_epsilon, self._terms.rule
        noisy = ground.snapshot.count(wish.query) + int(noises[wish.unit][0])
        try:
            count = ground.told.settle(wish.query, noisy)
        except QueryTooComplex as error:  # its order with earlier answers is unknown
            return failed("refused", error)
        said = estimate(count, noisy, price, 1, self._terms.confidence)
        unit = Unit(price, head.epoch - since[wish.unit] + 1, PARALLEL)
        route: RouteName = "fresh" if spent else "memo"
        return answered(said, head, route, rule.guarantee(unit), spent=spent)


def _held(
    wishes: Mapping[str, Wish], head: Head, ground: Ground | None
) -> dict[str, QueryAnswered]:
    """What a responder that served an older plan passed on: these cost nothing now."""
    if ground is None:
        return {}
    frozen = head.frozen is not None
    found = {k: ground.serving.answer(wish.query) for k, wish in wishes.items()}
    return {
        key: msgspec.structs.replace(answer, frozen=frozen)
        for key, answer in found.items()
        if answer is not None
    }
