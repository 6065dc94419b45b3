"""Renewing: what it would cost and gain, and the request that the curator takes up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cli import options, terminal
from cli.exits import CommandRefused
from config.exit_codes import Exit
from sigmacount.domain import Schema
from sigmacount.errors import BudgetExhausted
from sigmacount.mechanisms import Amount
from sigmacount.models import NoiseName
from sigmacount.release import Plan
from store.releases.released import Released
from store.releases.renewal_requests import RenewalRequests
from views import formats
from views.plan import UnitAge, ages_of, table_of_ages
from workers import clients
from workers.answering.ages import aged_as

LOOK_S: Final = 0.25
NOT_COUNTED: Final = (
    "nothing is counted over time here: units are renewed under the rule continual"
    " alone, once the curator has published an epoch; nothing was asked"
)


@dataclass(frozen=True, slots=True)
class WantedRenewal:
    """What was typed.

    Attributes:
        units: ids, where it is not to be ``every`` unit.
        yes: ask for it; else the price is only shown.
        wait: for the curator to do it (seconds); 0: not at all.
    """

    units: tuple[str, ...]
    every: bool
    yes: bool
    wait: float
    as_json: bool


@dataclass(frozen=True, slots=True)
class RenewalPrice:
    """What renewing some units costs and gains, and what the budget has left (units).

    Attributes:
        noises: that would be followed by others.
    """

    ages: Mapping[str, UnitAge]
    noises: tuple[NoiseName, ...]
    left: int

    @property
    def total(self) -> Amount:
        """Of all of them: a renewal pays for each alone."""
        first, *others = (age.price for age in self.ages.values())
        return sum(others, first)

    def show(self, *, as_json: bool) -> None:
        """The price, before anything is asked."""
        total, out = self.total, terminal.console()
        if as_json:
            units = {uid: age.as_dict() for uid, age in self.ages.items()}
            measure = total.measure.value
            said = {"price": total.units, "left": self.left, "measure": measure}
            terminal.print_json({"units": units, **said})
            return
        out.print(table_of_ages(self.ages))
        left = formats.price(replace(total, units=self.left))
        out.print(f"\nall of it: {formats.price(total)}; the budget has {left} left")


async def renew(given: options.ChosenSettings, wanted: WantedRenewal) -> Exit:
    """Show the price; ask the curator for it when told to, and wait until it is done.

    Raises:
        CommandRefused: no such unit, or nothing is counted over time; nothing was
            asked.
        BudgetExhausted: less is left than it costs; nothing was asked.
    """
    settings = clients.load_settings(**given)
    schema = clients.load_dataset(settings).schema
    async with clients.open_stores(settings, "sigma-renew") as stores:
        price = await _price(stores, schema, wanted)
        price.show(as_json=wanted.as_json)
        if not wanted.yes:
            _tell("nothing was asked; --yes asks the curator for it", wanted)
            return Exit.OK
        if (total := price.total).units > price.left:
            short = total.units, price.left, total.measure.unit
            raise BudgetExhausted(stores.keys.dataset, *short)
        requests = RenewalRequests(stores.redis, stores.keys)
        await requests.ask(price.noises, options.user_name())
        return await _done(stores.released, price.noises, wanted)


async def _price(
    stores: clients.DatasetStores, schema: Schema, wanted: WantedRenewal
) -> RenewalPrice:
    head, totals = await stores.released.head(), await stores.ledger.totals()
    if head is None or totals is None or not head.about.get("generations"):
        raise CommandRefused(NOT_COUNTED)
    ages = ages_of(aged_as(Plan.from_wire(schema, head.plan), head), head) or {}
    if unknown := [uid for uid in wanted.units if uid not in ages]:
        known = ", ".join(ages)
        msg = f"the plan has no unit {unknown[0]!r}, but {known}; nothing was asked"
        raise CommandRefused(msg)
    ids = ages if wanted.every else dict.fromkeys(wanted.units)
    if not ids or (wanted.every and wanted.units):
        msg = "name units of `sigma plan show`, or take --all; nothing was asked"
        raise CommandRefused(msg)
    began = head.about["generations"]
    noises = tuple(NoiseName(uid, began[uid]) for uid in ids)
    return RenewalPrice({uid: ages[uid] for uid in ids}, noises, totals.left)


async def _done(
    released: Released, noises: Sequence[NoiseName], wanted: WantedRenewal
) -> Exit:
    """Whether the curator shows others in their place by then."""
    if not wanted.wait:
        _tell("asked; the curator takes it up at its next tick", wanted)
        return Exit.OK
    give_up = time.monotonic() + wanted.wait
    while time.monotonic() < give_up:
        head = await released.head()
        began = head.about.get("generations", {}) if head else {}
        if head and not any(began.get(n.unit) == n.generation for n in noises):
            _tell(f"renewed in epoch {head.epoch:,}", wanted)
            return Exit.OK
        await asyncio.sleep(LOOK_S)
    terminal.console(stderr=True).print(
        f"error: not all of it is done within {wanted.wait:g} s; the request stands for"
        " an hour. Is a curator running (`sigma doctor`), does its log say"
        " renewal_refused, or are epochs longer than that?"
    )
    return Exit.LATE


def _tell(words: str, wanted: WantedRenewal) -> None:
    if not wanted.as_json:
        terminal.console().print(words)
