"""`sigma verify`: is what Redis counted what the rows topic says?"""

from __future__ import annotations

import asyncio

import typer

from cli import options
from config.exit_codes import Exit


def verify(
    json_: options.JsonOption = False,
    dataset: options.DatasetOption = None,
    kafka: options.KafkaOption = None,
    redis: options.RedisOption = None,
    prefix: options.PrefixOption = None,
) -> None:
    """Count the rows topic anew and compare with the counts in Redis.

    Every record is read, the last one of each row counts; the comparison is made at
    the position that Redis reports in the same instant as its counts, so counters may
    go on working. Only the number of differing cells is shown, never a count. Ids that
    stand in two partitions, and partitions that nobody counts, are reported as well.

    This looks at the truth, so it needs the user `admin` of the store. Exit code: 0
    equal; 1 they differ, an id counts twice or a partition not at all, with the remedy.
    """
    given = options.overrides(dataset=dataset, kafka=kafka, redis=redis, prefix=prefix)
    raise typer.Exit(asyncio.run(_verify(given, as_json=json_)))


async def _verify(given: options.ChosenSettings, *, as_json: bool) -> Exit:
    from cli import terminal
    from cli.recounting import verdicts
    from cli.recounting.recount import Verifier
    from streams.formats.choice import row_format
    from workers import clients
    from workers.counter import spelled_topic

    terminal.hush()
    settings = clients.load_settings(**given)
    schema, topic = clients.load_dataset(settings).schema, clients.rows_topic(settings)
    async with (
        clients.open_stores(settings, "sigma-verify", rows=True) as stores,
        clients.from_the_beginning(settings.kafka, topic) as consumer,
    ):
        with clients.kafka_admin(settings.kafka) as admin:
            identity = clients.rows_identity(settings, admin, schema)
        many, reading = identity.partitions, clients.rows_reading(settings)
        spelling = await stores.rows.spellings.kept(spelled_topic(identity))
        about = identity, row_format(schema, many, reading), spelling
        verifier = Verifier(consumer, topic.name, stores.truth, *about)
        verifier.begin()
        found = [await verifier.partition(p) for p in verdicts.bar(range(many))]
    doubles = verifier.of_topic.found(), verifier.of_store.found()
    return verdicts.report(found, *doubles, as_json=as_json)
