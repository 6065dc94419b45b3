"""`sigma functions`: the store's own functions, which only its admin may load."""

from __future__ import annotations

import asyncio

import typer

from cli import options, terminal

app = typer.Typer(no_args_is_help=True, help="The store's own functions.")


@app.command()
def load(redis: options.RedisOption = None) -> None:
    """Load the functions of this release into Redis; twice is as good as once.

    Run it as the user `admin` of the store before the workers of a new release start;
    those of the release before go on with theirs. They are kept with the data.
    """
    from workers.operator import upkeep

    terminal.hush()
    settings = options.overrides(redis=redis).get("redis", {})
    name, new = asyncio.run(upkeep.load_functions(settings))
    say = "loaded" if new else "were there already"
    terminal.console().print(f"functions {name} {say}")
