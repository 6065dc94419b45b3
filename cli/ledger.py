"""`sigma ledger`: what was spent, on what, and whether the book is intact."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from cli import show
from cli.exits import Exit
from cli.options import Dataset, Json, Overrides, Redis, overrides

LINES = 20  # charges shown unless --all


def ledger(
    every: Annotated[
        bool, typer.Option("--all", help=f"Every charge, not the last {LINES}.")
    ] = False,
    json_: Json = False,
    dataset: Dataset = None,
    redis: Redis = None,
) -> None:
    """Show the privacy budget: limit, spent, left, the charges, and their chain.

    Each charge is chained to the one before by a hash, and the totals must be the sum
    of the charges: a line that was changed or taken out later is noticed, with exit
    code 1. Budgets are kept in whole µε, millionths of ε.
    """
    given = overrides(dataset=dataset, redis=redis)
    raise typer.Exit(asyncio.run(_show(given, every=every, as_json=json_)))


async def _show(given: Overrides, *, every: bool, as_json: bool) -> Exit:
    from cli.book import Book
    from workers import wiring

    settings = wiring.load_settings(**given)
    async with wiring.open_stores(settings, "sigma-ledger") as stores:
        totals = await stores.ledger.totals()
        entries = await stores.ledger.entries()
        intact = await stores.ledger.verify()
    book = Book(totals, entries, intact)
    if as_json:
        show.as_json(book.as_dict())
    else:
        out = show.console()
        for part in book.parts(None if every else LINES):
            out.print(part)
    return Exit.OK if intact else Exit.FAILED
