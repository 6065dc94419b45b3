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
    help="Look at the plan: which algebras are released, with which budgets.",
)


@app.command("show")
def show_(
    json_: options.JsonOption = False,
    dataset: options.DatasetOption = None,
    redis: options.RedisOption = None,
) -> None:
    """Show the plan in force: its algebras, their atoms, budgets and errors.

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
    """
    from cli.planning.proposing import propose as think

    given = options.overrides(dataset=dataset, kafka=kafka, redis=redis, prefix=prefix)
    raise typer.Exit(asyncio.run(think(given, send=send, as_json=json_)))


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

    settings = clients.load_settings(**given)
    schema = clients.load_dataset(settings).schema
    async with clients.open_stores(settings, "sigma-plan") as stores:
        head = await stores.released.head()
        decision = await stores.plans.decision()
    plan = Plan.from_wire(schema, head.plan) if head and head.plan else None
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
