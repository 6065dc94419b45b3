"""The shared ledger: charged once per id, within every limit, on disk before use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from redis.asyncio import Redis

from sigmacount.accounting import (
    NO_SURCHARGES,
    Charge,
    Entry,
    Headroom,
    Purpose,
    SurchargeLimits,
    chain,
    first_hash,
)
from sigmacount.errors import (
    BudgetExhausted,
    ChargeConflict,
    MeasureMismatch,
    MeasurePinned,
    StoreWentBack,
)
from sigmacount.mechanisms import Measure
from store.keys import (
    LEDGER,
    LEDGER_CLIENTS,
    LEDGER_FENCE,
    LEDGER_SEEN,
    LEDGER_SURCHARGED,
    Keys,
)
from store.lease import Fences, refuse
from store.ledger.consistency import consistent
from store.ledger.headroom import headroom_of
from store.ledger.limits import limits_in_words
from store.ledger.lines import Lines
from store.ledger.outcomes import Granted, Outcome
from store.ledger.totals import Totals, totals_of
from store.server.clock import now_ms
from store.server.connection import text, translated
from store.server.scripts import Call, Scripts

UNOPENED = "its ledger has no limits, although a curator opens it before it charges"


class RedisLedger:
    """The ledger of one dataset in Redis; the same replies as ``sigmacount.Ledger``.

    Attributes:
        lines: the chain, as far as this handle knows it; a store that holds less has
            gone back, and nothing is charged to it.
    """

    def __init__(
        self, redis: Redis, keys: Keys, clock: Callable[[], int] = now_ms
    ) -> None:
        self._redis, self._dataset, self._scripts = redis, keys.dataset, Scripts(redis)
        self.fence = Fences(self._scripts, keys.of(LEDGER_FENCE))
        self._keys = keys
        self._state, self._clients = keys.of(LEDGER), keys.of(LEDGER_CLIENTS)
        self._surcharged = keys.of(LEDGER_SURCHARGED)
        self._seen, self._clock = keys.of(LEDGER_SEEN), clock
        self.lines = Lines(redis, keys)

    async def open(
        self,
        token: int,
        limit: int,
        caps: Mapping[Purpose, int] | None = None,
        client_quota: int | None = None,
        measure: Measure = Measure.EPSILON,
        surcharges: SurchargeLimits = NO_SURCHARGES,
    ) -> Totals:
        """The ledger has these limits; what was spent before stays spent.

        ``surcharges`` matter to one of ρ alone. Units: those of ``measure``, which
        stays for the dataset's whole life.

        Raises:
            Fenced: a newer curator took over; nothing was written.
            MeasurePinned: it is kept in another measure; nothing was written, and the
                operator starts what it was opened with.
            StoreUnavailable: the caller opens again.
            StoreWentBack: lines that this handle knows are gone.
        """
        words = limits_in_words(caps or {}, client_quota, measure, surcharges)
        args = [token, first_hash(self._dataset), limit, *words]
        call = Call("ledger_open", (self.fence.key, self._state), args)
        [reply] = await self._scripts.run_durably([call])
        refuse(token, reply)
        if reply[0] == b"measure":
            raise MeasurePinned(self._dataset, text(reply[1]), measure.value)
        totals = await self.totals()
        if totals is None:
            msg = "the ledger vanished while it was opened"
            raise StoreWentBack(msg)
        await self.lines.follow()
        return totals

    async def charge(self, token: int, charge: Charge) -> Granted:
        """The charge is granted, on disk; asking again charges nothing more.

        Raises:
            BudgetExhausted: a limit would be passed; the caller does without.
            ChargeConflict: the id paid for something else; the caller has a bug.
            MeasureMismatch: it is of another measure; nothing was written, and the
                caller says what it counts as in that of the ledger.
            Fenced: a newer curator took over; nothing was written.
            StoreWentBack: the lines before it are gone, or no limits were ever set;
                nothing may be shown until the operator has restored them.
            StoreUnavailable: unknown; the caller charges the same again.
            UnsafeStore: the server may lose it; the operator mends the server.
        """
        [outcome] = await self.charge_many(token, [charge])
        if isinstance(outcome, Granted):
            return outcome
        raise outcome

    def now_ms(self) -> int:
        """The moment that a line would be of now, milliseconds since 1970."""
        return self._clock()

    async def note(self, token: int, note: Charge) -> None:
        """A line that costs nothing is in the chain, on disk; see ``charge``."""
        await self.charge(token, note)

    async def charge_many(self, token: int, charges: Sequence[Charge]) -> list[Outcome]:
        """What became of each charge, as if charged one after the other, in order.

        All that were granted are on disk. One trip where nothing is refused, a few
        where something is; see ``charge`` for what is raised.
        """
        done: dict[int, Outcome] = {}
        idle: set[int] = set()  # known to add no line
        while len(done) < len(charges):
            waiting = [at for at in range(len(charges)) if at not in done]
            calls = self._chained(token, charges, waiting, idle)
            replies = await self._scripts.run_durably(calls)
            moved = False
            for at, call, reply in zip(waiting, calls, replies, strict=True):
                refuse(token, reply)
                outcome = self._outcome(charges[at], call, reply)
                moved = moved or outcome is None
                if outcome is not None and not moved:
                    done[at] = outcome  # behind a moved line, what is left may change
                elif outcome is not None:
                    idle.add(at)
            if moved:
                await self.lines.follow()  # never adopted before it is looked at
        return [done[at] for at in range(len(charges))]

    async def totals(self) -> Totals | None:
        """What was spent and what is left; None when the ledger was never opened."""
        with translated():
            found = await self._redis.hgetall(self._state)
        return totals_of({text(name): text(value) for name, value in found.items()})

    async def spent_by(self, client: str, *, apart: bool = False) -> int:
        """What was charged to one client's quota, or to the quota of surcharges."""
        key = self._surcharged if apart else self._clients
        with translated():
            return int(await self._redis.hget(key, client) or 0)

    async def headroom(
        self, purpose: Purpose, clients: Sequence[str], ids: Sequence[str]
    ) -> Headroom:
        """What is left for charges of one purpose, to these clients, by these ids.

        Only the curator that holds the fence can spend it meanwhile.

        Raises:
            StoreWentBack: no limits were ever set; the caller opens the ledger first.
            StoreUnavailable: the caller reads again.
        """
        totals = await self.totals()
        if totals is None:
            raise StoreWentBack(UNOPENED)
        return await headroom_of(self._redis, self._keys, totals, purpose, clients, ids)

    async def entries(self) -> list[Entry]:
        """Every line, oldest first."""
        return await self.lines.all()

    async def verify(self) -> bool:
        """Whether the chain is intact, and everything else says the same as it."""
        return await consistent(self._redis, self._keys)

    def _chained(
        self,
        token: int,
        charges: Sequence[Charge],
        waiting: Sequence[int],
        idle: set[int],
    ) -> list[Call]:
        head, calls, now = self.lines.head, list[Call](), self._clock()
        for at in waiting:
            entry = chain(head, charges[at], now)
            calls.append(self._call(token, head, entry))
            head = head if at in idle else entry.hash
        return calls

    def _call(self, token: int, before: str, entry: Entry) -> Call:
        charge = entry.charge
        client = "" if charge.client is None else f"={charge.client}"
        asked = (charge.charge_id, charge.asked, charge.purpose, client, charge.repeats)
        line = msgspec.json.encode(entry)
        lines = self.lines.key
        by_client = (self._clients, self._surcharged)
        keys = (self.fence.key, self._state, lines, self._seen, *by_client)
        chained = (before, entry.hash, line, charge.measure.value)
        return Call("charge", keys, (token, *asked, *chained))

    def _outcome(self, charge: Charge, call: Call, reply: list[Any]) -> Outcome | None:
        match reply:
            case [b"ok", left, asked]:
                self.lines.added(str(call.args[6]), str(call.args[7]))
                return Granted(int(asked), int(left), again=False)
            case [b"again", left, asked]:
                return Granted(int(asked), int(left), again=True)
            case [b"refused", limit, left]:
                whose, unit = self._limit_name(text(limit), charge), charge.measure.unit
                return BudgetExhausted(whose, charge.asked, int(left), unit)
            case [b"conflict"]:
                return ChargeConflict(charge.charge_id)
            case [b"moved", _]:
                return None
            case [b"measure", held]:
                raise MeasureMismatch(charge.measure.value, text(held))
        raise StoreWentBack(UNOPENED)

    def _limit_name(self, kind: str, charge: Charge) -> str:
        names = {
            "dataset": self._dataset,
            "purpose": charge.purpose,
            "client": charge.client,
        }
        return f"{kind} {names[kind.removeprefix('surcharges of ')]!r}"
