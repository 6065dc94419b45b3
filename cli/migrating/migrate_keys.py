"""`sigma migrate-keys`: a store of an older release gets the names of this one."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from cli import options, terminal


def migrate_keys(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
    ] = False,
    dataset: options.DatasetOption = None,
    redis: options.RedisOption = None,
) -> None:
    """Rename a dataset's keys in the store from the names of an older release.

    The remedy when a worker or a verb ends with exit code 7: the dataset's name has
    moved into the hash tag, `sigma:census:{ledger}:state` is
    `sigma:{census:ledger}:state` now. Counts, noise, ledger and releases stay as they
    are, with the time they have to live. Each key is renamed in one step, so it may
    be interrupted anywhere and run again; twice is as good as once.

    Stop all workers of the dataset first: this refuses while a curator or reclusterer
    leads, while rows were counted in the last 90 seconds, and where a key exists under
    both names. Afterwards no process of the older release can write to the dataset
    any more. Small keys stay under old names for that: leave them there.

    Then load the rights that `sigma acl` prints and the functions (`sigma functions
    load`), and start the workers. Needs the user `admin` of the store. On a Redis
    Cluster keys cannot be renamed into another slot, and it refuses.

        sigma migrate-keys --dry-run    # what there is, and what speaks against it
        sigma migrate-keys
    """
    from cli.migrating.migration import migrate

    terminal.hush()
    given = options.overrides(dataset=dataset, redis=redis)
    asyncio.run(migrate(given, dry_run=dry_run))
