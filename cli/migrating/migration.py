"""Migrating from the command line: looked at twice, fenced, then renamed."""

from __future__ import annotations

from rich.console import Console

from cli import options, terminal
from cli.exits import CommandRefused
from cli.options import ChosenSettings
from sigmacount.errors import KeysClash
from store.keys import Keys
from store.lease import FENCING
from store.migration.inventory import ROLES, Inventory, taken
from store.migration.migration import Migration
from workers import clients
from workers.clients import DatasetStores

# A counter stamps every partition that is its own once a minute, rows or none.
QUIET_S = 90
TELL = 10_000  # keys between two lines about them
UNCHANGED = "nothing was changed. Stop all workers of the dataset, and run this again"


async def migrate(given: ChosenSettings, *, dry_run: bool) -> None:
    """Migrate the keys of the settings' dataset; see ``migrate_in``."""
    settings = clients.load_settings(**given)
    async with clients.reach_stores(settings, "sigma-migrate") as stores:
        await migrate_in(stores, terminal.console(), dry_run=dry_run)


async def migrate_in(stores: DatasetStores, out: Console, *, dry_run: bool) -> None:
    """Migrate the keys, or only say what would be done.

    Raises:
        CommandRefused: it is a cluster, or somebody is at work; nothing was changed.
        KeysClash: keys have both names; nothing was changed.
    """
    migration = Migration(stores.redis, stores.keys)
    found = await _looked(migration, stores)
    for line in report(stores.keys, found, dry_run=dry_run):
        out.print(line)
    if not found or dry_run:
        return
    tokens = {role: await _token(migration, role) for role in ROLES}
    found = await _looked(migration, stores)  # now nobody can begin to lead
    for role, token in tokens.items():
        await migration.fence(role, token)
    await migration.move(found, Told(found.keys, out).add)
    await migration.keep(tokens[FENCING])
    out.print("done: all of it is on disk under its new names")


def report(keys: Keys, found: Inventory, *, dry_run: bool) -> list[str]:
    """What there is, without a word on rows."""
    if not found:
        return [f"dataset {keys.dataset!r} has no keys of an older release: no change"]
    would = "would be renamed; nothing was changed" if dry_run else "to rename"
    rows = f"{len(found.partitions):,} partitions of rows"
    return [f"dataset {keys.dataset!r}: {rows} and {found.keys:,} other keys {would}"]


async def _looked(migration: Migration, stores: DatasetStores) -> Inventory:
    """What there is, if nothing speaks against moving it; nothing is written."""
    if await migration.clustered():
        msg = (
            "this is a Redis Cluster, where a key cannot be renamed into another slot:"
            " nothing was changed. Migrate on a single server, and copy from there."
        )
        raise CommandRefused(msg)
    found = await taken(stores.redis, stores.keys)
    for role in ROLES:
        if found and (holder := await migration.holder(role)) is not None:
            msg = f"a {role} leads ({holder}): {UNCHANGED}."
            raise CommandRefused(msg)
    if found.clashes:
        raise KeysClash(stores.keys.dataset, len(found.clashes), found.clashes[0])
    ago = await migration.counted_ms_ago(found)
    if ago is not None and ago < QUIET_S * 1000:
        msg = (
            f"rows were counted {ago / 1000:.0f} s ago, a counter may be at work:"
            f" {UNCHANGED} in {QUIET_S - ago / 1000:.0f} s."
        )
        raise CommandRefused(msg)
    return found


async def _token(migration: Migration, role: str) -> int:
    """The newest token of a role, whose lease is ours for a minute."""
    token = await migration.take(role, options.user_name())
    if token is None:
        msg = f"a {role} leads ({await migration.holder(role)}): {UNCHANGED}."
        raise CommandRefused(msg)
    return token


class Told:
    """Tells how far a long migration has come."""

    def __init__(self, keys: int, out: Console) -> None:
        self._keys, self._out, self._moved = keys, out, 0

    def add(self, moved: int) -> None:
        """So many more keys have their new names."""
        before, self._moved = self._moved, self._moved + moved
        if before // TELL < self._moved // TELL:
            self._out.print(f"{self._moved:,} of {self._keys:,} keys renamed")
