"""`sigma plan` and `sigma recluster`: what is released, and what could be."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

import typer

from cli import options, terminal
from config.exit_codes import Exit

WAIT_S = 60.0  # for the reclusterer's decision; it thinks for seconds, not minutes
LOOK_S = 0.25

app = typer.Typer(
    no_args_is_help=True,
    help="Look at the plan: what is measured and released, with which budgets.",
)


@app.command("show")
def show_(
    json_: options.JsonOption = False,
    dataset: options.DatasetOption = None,
    redis: options.RedisOption = None,
) -> None:
    """Show the plan in force: what it measures, for how much, and how far that errs.

    A question is answered for free when an algebra of the plan contains it. Theorem 3
    says from how many questions on the plan beats fresh noise for each of them.
    """
    given = options.overrides(dataset=dataset, redis=redis)
    asyncio.run(_show(given, as_json=json_))


@app.command()
def propose(
    send: Annotated[
        bool,
        typer.Option("--send", help="Hand the plan to the curator, who adopts it."),
    ] = False,
    prior: Annotated[
        bool,
        typer.Option(
            "--prior",
            help="From the declaration alone, before there is a log or a ledger.",
        ),
    ] = False,
    epsilon: Annotated[
        float | None,
        typer.Option(
            metavar="ε",
            min=1e-6,
            max=500,
            help="At which the families of noise are compared; else of a plan, or 1.",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            metavar="δ",
            min=1e-300,
            max=0.5,
            help="The same; else of the settings, or 1e-9.",
        ),
    ] = None,
    json_: options.JsonOption = False,
    dataset: options.DatasetOption = None,
    kafka: options.KafkaOption = None,
    redis: options.RedisOption = None,
    prefix: options.PrefixOption = None,
) -> None:
    """Think about the query log here and now, and show the plan that comes of it.

    The same planner, settings and log as the reclusterer's, without its threshold of
    gain: for looking before deciding. Only questions are read, never rows; nothing is
    spent unless the curator adopts the plan. Exit code 1: nothing was asked yet.

    It says, too, whether Laplace or Gaussian noise would err less on these questions,
    and by how much. A dataset's measure is fixed when its ledger is opened: with
    --prior the declaration alone is asked, and no server is needed.
    """
    from cli.planning.families import WantedPromise
    from cli.planning.proposing import propose as think
    from cli.planning.proposing import propose_from_declaration

    given = options.overrides(dataset=dataset, kafka=kafka, redis=redis, prefix=prefix)
    wanted = WantedPromise(epsilon, delta)
    if prior:
        raise typer.Exit(propose_from_declaration(given, wanted, as_json=json_))
    raise typer.Exit(asyncio.run(think(given, wanted, send=send, as_json=json_)))


@app.command("renew")
def renew_(
    units: Annotated[
        list[str] | None,
        typer.Argument(metavar="[UNIT]...", help="Units of `sigma plan show`."),
    ] = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="All units of the plan in force.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask for it; else the price is only shown.")
    ] = False,
    wait: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="For the curator; 0 = do not."),
    ] = WAIT_S,
    json_: options.JsonOption = False,
    dataset: options.DatasetOption = None,
    redis: options.RedisOption = None,
) -> None:
    """Have the noise of units begin anew, under the rule continual, at their price.

    Noise of counters grows with time. A unit that is renewed is charged once more, out
    of the budget (the allowance of plans is not asked), and has new noise from the
    first tick on. The price is shown first; without --yes that is all.

    A row that was there before is then in two noises: what a change of it costs adds
    up, and every answer says so. The curator does it at its next tick, once however
    often it is asked; it refuses what the budget does not pay (its log says so), and
    what is not done within an hour is forgotten. Needs the user `admin` of the store.
    Exit code 3: too little is left. Exit code 4: not done in time.
    """
    from cli.planning.renewing import WantedRenewal, renew

    given = options.overrides(dataset=dataset, redis=redis)
    wanted = WantedRenewal(tuple(units or ()), every, yes, wait, json_)
    raise typer.Exit(asyncio.run(renew(given, wanted)))


def recluster(
    wait: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="For the decision; 0 = do not."),
    ] = WAIT_S,
    json_: options.JsonOption = False,
    dataset: options.DatasetOption = None,
    redis: options.RedisOption = None,
) -> None:
    """Ask the reclusterer to look at the query log now, and show what it decided.

    It proposes a plan only when the predicted error falls by enough and the budget
    allows it; the curator then charges, draws noise and releases. Looking at queries
    reveals nothing about rows. Exit code 4: no decision in time.
    """
    given = options.overrides(dataset=dataset, redis=redis)
    raise typer.Exit(asyncio.run(_recluster(given, wait=wait, as_json=json_)))


async def _show(given: options.ChosenSettings, *, as_json: bool) -> None:
    from sigmacount.release import Plan
    from views.plan import PlanView
    from workers import clients
    from workers.answering.ages import aged_as

    settings = clients.load_settings(**given)
    schema = clients.load_dataset(settings).schema
    async with clients.open_stores(settings, "sigma-plan") as stores:
        head = await stores.released.head()
        decision = await stores.plans.decision()
    plan = (
        aged_as(Plan.from_wire(schema, head.plan), head) if head and head.plan else None
    )
    view = PlanView(plan, head, decision)
    if as_json:
        terminal.print_json(view.as_dict())
        return
    out = terminal.console()
    for part in view.parts():
        out.print(part)


async def _recluster(
    given: options.ChosenSettings, *, wait: float, as_json: bool
) -> Exit:
    from workers import clients

    settings = clients.load_settings(**given)
    async with clients.open_stores(settings, "sigma-recluster") as stores:
        before = await stores.plans.decision()
        asked = {"by": options.user_name(), "at_ms": time.time_ns() // 1_000_000}
        await stores.plans.request(asked)
        give_up = time.monotonic() + wait
        while time.monotonic() < give_up:
            decision = await stores.plans.decision()
            if decision is not None and decision != before:
                return _decided(decision, as_json=as_json)
            await asyncio.sleep(LOOK_S)
    if not wait:
        terminal.console().print("asked; `sigma plan show` says what was decided")
        return Exit.OK
    terminal.console(stderr=True).print(
        f"error: no decision within {wait:g} s; is a reclusterer running?"
        " (`sigma doctor`)"
    )
    return Exit.LATE


def _decided(decision: dict[str, Any], *, as_json: bool) -> Exit:
    from views.plan import reasons

    if as_json:
        terminal.print_json(decision)
        return Exit.OK
    out = terminal.console()
    for line in reasons(decision):
        out.print(line)
    return Exit.OK
