"""`sigma doctor`: is everything there, safe, and what it should be?"""

from __future__ import annotations

import asyncio

import typer

from cli import options, terminal
from config.exit_codes import Exit


def doctor(
    json_: options.JsonOption = False,
    dataset: options.DatasetOption = None,
    kafka: options.KafkaOption = None,
    redis: options.RedisOption = None,
    prefix: options.PrefixOption = None,
) -> None:
    """Check settings, versions, servers, durability, topics, users and workers.

    One line for each check: ok, warn (it works, and you should know), fail (mend it;
    the remedy stands beside it). Exit code 1 when a check fails. Nothing is changed.

    Run it as the user `admin` of the store; what another user may not see is a warning.
    """
    from cli.checkup import checkup

    terminal.hush()
    given = options.overrides(dataset=dataset, kafka=kafka, redis=redis, prefix=prefix)
    found = asyncio.run(checkup.everything(given))
    if json_:
        for check in found:
            terminal.print_json(check.as_dict())
    else:
        checkup.show(found)
    failed = any(check.mark == "fail" for check in found)
    raise typer.Exit(Exit.FAILED if failed else Exit.OK)
