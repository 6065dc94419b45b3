"""`sigma rebuild`: forget the counts and read the rows topic from its beginning."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from cli import options, terminal
from cli.exits import CommandRefused
from config.exit_codes import Exit


def rebuild(
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask whether it is meant.")
    ] = False,
    dataset: options.DatasetOption = None,
    kafka: options.KafkaOption = None,
    redis: options.RedisOption = None,
    prefix: options.PrefixOption = None,
) -> None:
    """Count anew: forget rows and counts, read the rows topic from its beginning.

    The remedy when a worker refuses to start because the topic was made anew, has
    another number of partitions, another dataset declaration, or because a counter was
    away for longer than the topic keeps deletes; and when `sigma verify` finds a
    difference. Noise, ledger and releases stay; the last release is served until the
    counters have caught up. Running counters notice within a minute and begin anew.
    Where the number of partitions changed, have every row sent anew first: those in
    another partition than their id now names would be refused.

    Under SIGMA_PRIVACY_CHANGES_LIMIT how often each row changed is not forgotten, and
    partitions, declaration and format of rows must stay what they are.

    Needs the user `admin` of the store.
    """
    given = options.overrides(dataset=dataset, kafka=kafka, redis=redis, prefix=prefix)
    question = "forget all counts and read the rows topic from its beginning?"
    if not yes and not typer.confirm(question):
        msg = "nothing was changed"
        raise CommandRefused(msg)
    asyncio.run(_rebuild(given))
    raise typer.Exit(Exit.OK)


async def _rebuild(given: options.ChosenSettings) -> None:
    from sigmacount.models import STRANGE
    from views import formats
    from workers import clients

    terminal.hush()
    settings = clients.load_settings(**given)
    schema, topic = clients.load_dataset(settings).schema, clients.rows_topic(settings)
    with clients.kafka_admin(settings.kafka) as admin:
        identity = clients.rows_identity(settings, admin, schema)
        starts, ends = admin.earliest(topic.name), admin.latest(topic.name)
    async with clients.open_stores(settings, "sigma-rebuild", rows=True) as stores:
        [before] = await stores.truth.identities([0])
        await stores.truth.refuse_other_rows(identity)
        await stores.rows.spellings.forget()  # then whoever counts by it is fenced
        for p, start in sorted(starts.items()):
            await stores.rows.rebuild(p, None, start, identity, ends[p])
        beyond = len(starts)  # partitions of a larger topic that there was before
        while (await stores.truth.positions([beyond]))[0] is not None:
            await stores.rows.rebuild(beyond, None, 0, identity)
            beyond += 1
    if before is not None and before.partitions != identity.partitions:
        terminal.console().print(f"{formats.MARKS['warn']}  {STRANGE['partitions']}")
    terminal.console().print(
        f"{len(starts)} partitions of {topic.name} begin anew; releases go on when the"
        " counters have caught up (`sigma verify` then compares)"
    )
