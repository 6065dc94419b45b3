"""Proposing: what the planner makes of the query log, for `sigma plan propose`."""

from __future__ import annotations

import time
from typing import Any

from cli import terminal
from cli.options import ChosenSettings
from cli.planning.families import FamilyTerms, WantedPromise
from config.exit_codes import Exit
from sigmacount.domain import Schema
from sigmacount.errors import (
    BudgetExhausted,
    InvalidMessage,
    InvalidPlan,
    InvalidPredicate,
)
from sigmacount.planner import FamilyErrors, Proposal
from sigmacount.release import Plan
from streams.clients.batch_by_batch import noted_in_the_log
from streams.wire.codec import decode
from streams.wire.messages.events import PlanProposed, QueryLogged
from workers import clients
from workers.catalog import errors_over_time
from workers.reclusterer import QueryLog, best_plan
from workers.roles.reclusterer import reclusterer_options


class Draft:
    """A proposal of our own, made as the reclusterer makes its."""

    def __init__(self, given: ChosenSettings) -> None:
        self._settings = clients.load_settings(**given)
        self._dataset = clients.load_dataset(self._settings)
        self._schema: Schema = self._dataset.schema
        self._topics = clients.topics(self._settings.kafka)

    async def read(self) -> QueryLog:
        """The query log of the window, up to its end now."""
        recluster = self._settings.recluster
        book = QueryLog(
            self._schema, recluster.window_days, recluster.client_weight_cap
        )
        topic = self._topics.query_log
        async with clients.from_the_beginning(
            self._settings.kafka, topic, noted_in_the_log
        ) as log:
            ends = await log.ends()
            while not log.caught_up(ends):
                for batch in (await log.next_batch()).values():
                    for record in batch.records:
                        _note(book, record.value)
        book.forget(time.time_ns() // 1_000_000)
        return book

    async def current(self) -> Plan | None:
        """The plan in force, or None before the first."""
        async with clients.open_stores(self._settings, "sigma-propose") as stores:
            head = await stores.released.head()
        return Plan.from_wire(self._schema, head.plan) if head and head.plan else None

    def best_plan(self, book: QueryLog, current: Plan | None) -> Proposal:
        """What the planner proposes for this log beside this plan."""
        return best_plan(
            reclusterer_options(self._settings, self._dataset), book, current
        )

    def families(self, book: QueryLog, wanted: WantedPromise) -> FamilyErrors | None:
        """How much joint plans of either family would err; None: one has no plan."""
        settings = self._settings
        recluster = settings.recluster
        terms = FamilyTerms(
            self._dataset,
            settings.privacy,
            recluster.max_atoms,
            wanted,
            recluster.unasked,
            errors_over_time(settings.privacy, settings.curator.epoch_seconds),
        )
        try:
            return terms.errors(book.weights())
        except (InvalidPlan, BudgetExhausted):
            return None

    async def send(self, proposal: Proposal, current: Plan | None) -> None:
        """Hand the plan to the curator, who pays for it or refuses."""
        event = PlanProposed(
            dataset=self._schema.name,
            version=proposal.plan.version,
            based_on=0 if current is None else current.version,
            plan=proposal.plan.to_wire(),
            reason=proposal.explanation,
            made_ms=time.time_ns() // 1_000_000,
        )
        async with clients.publisher(
            self._settings.kafka, "sigma-propose"
        ) as publisher:
            await publisher.send(self._topics.plans, self._schema.name, event)
            await publisher.flush()


def _note(book: QueryLog, value: bytes | None) -> None:
    try:
        book.note(decode(QueryLogged, value))
    except (InvalidMessage, InvalidPredicate):
        return  # the reclusterer puts it among the dead letters


async def propose(
    given: ChosenSettings, wanted: WantedPromise, *, send: bool, as_json: bool
) -> Exit:
    """Think, show, and hand over when asked to."""
    terminal.hush()
    out = terminal.console()
    draft = Draft(given)
    book = await draft.read()
    if not book.asked:
        out.print(
            "the query log is empty: there is nothing to plan from; --prior compares"
            " the families of noise by the declaration alone"
        )
        return Exit.FAILED
    current = await draft.current()
    proposal = draft.best_plan(book, current)
    if send:
        await draft.send(proposal, current)
    families = None if send else draft.families(book, wanted)
    if as_json:
        terminal.print_json(_as_dict(proposal, families, sent=send))
        return Exit.OK
    _show(proposal, families, sent=send)
    return Exit.OK


def _show(proposal: Proposal, families: FamilyErrors | None, *, sent: bool) -> None:
    out = terminal.console()
    for line in (*proposal.explanation, *(families.lines() if families else ())):
        out.print(line, markup=False)
    version = proposal.plan.version
    out.print(
        f"\nsent to the curator as plan {version}; `sigma plan show` says when it is"
        " in force"
        if sent
        else "\nnothing was sent; --send hands it to the curator, who charges for it"
    )


def propose_from_declaration(
    given: ChosenSettings, wanted: WantedPromise, *, as_json: bool
) -> Exit:
    """Tell which family of noise errs less, from the declaration alone."""
    terminal.hush()
    settings = clients.load_settings(**given)
    dataset = clients.load_dataset(settings)
    terms = FamilyTerms(
        dataset,
        settings.privacy,
        settings.recluster.max_atoms,
        wanted,
        over_time=errors_over_time(settings.privacy, settings.curator.epoch_seconds),
    )
    families = terms.prior_errors()
    out = terminal.console()
    if families is None:
        out.print("no attribute has two levels: there is nothing to plan")
        return Exit.FAILED
    if as_json:
        terminal.print_json(_families(families))
        return Exit.OK
    out.print(
        "before anybody asks: every table over one or two attributes, and ranges of"
        " what is ordered"
    )
    for line in families.lines():
        out.print(line, markup=False)
    return Exit.OK


def _families(families: FamilyErrors) -> dict[str, Any]:
    return {
        "micro_epsilon": families.micro_epsilon,
        "delta": families.delta,
        "error_laplace": families.laplace,
        "error_gaussian": families.gaussian,
        "better": families.better.value,
        "factor": families.factor,
    }


def _as_dict(
    proposal: Proposal, families: FamilyErrors | None, *, sent: bool
) -> dict[str, Any]:
    return {
        "plan": proposal.plan.to_wire(),
        "charge": proposal.charge.units,
        "measure": proposal.charge.measure.value,
        "carried": list(proposal.carried),
        "gain": proposal.gain,
        "error_now": proposal.now.error,
        "error_then": proposal.then.error,
        "families": families and _families(families),
        "sent": sent,
    }
