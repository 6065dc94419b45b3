"""`sigma watch`: what the service says, while it says it."""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import Annotated

import typer

from cli import terminal
from cli.options import JsonOption, KafkaOption, PrefixOption, overrides

PAUSE = 0.25  # seconds between looks at the topic

app = typer.Typer(
    no_args_is_help=True,
    help="Look at what the service publishes, as it comes; Ctrl-C ends it.",
)


@app.command()
def results(
    json_: JsonOption = False,
    client: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only answers to this client."),
    ] = None,
    most: Annotated[
        int, typer.Option(metavar="N", min=0, help="End after N answers; 0 = never.")
    ] = 0,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """Show every answer from now on: a live table, or JSON lines.

    Answers are private already: reading them reveals nothing about a single row beyond
    the guarantee that each of them names.

        sigma watch results
        sigma watch results --json | jq .count
    """
    chosen = overrides(kafka=kafka, prefix=prefix).get("kafka", {})
    asyncio.run(_results(chosen, client=client, most=most, as_json=json_))


async def _results(
    kafka: dict[str, object], *, client: str | None, most: int, as_json: bool
) -> None:
    from cli.asking.live_answers import LiveAnswers
    from sigmaclient.answer import Answer
    from sigmacount.errors import InvalidMessage
    from streams.wire.codec import decode
    from streams.wire.messages.events import QueryAnswered
    from workers import clients

    terminal.hush()
    settings = clients.load_kafka(**kafka)
    topic = clients.topics(settings).results
    with LiveAnswers(as_json=as_json) as board:
        async with clients.tail(settings, topic) as tail:
            while not most or board.seen < most:
                batches = (await tail.next_batch(PAUSE)).values()
                for record in chain.from_iterable(batch.records for batch in batches):
                    try:
                        event = decode(QueryAnswered, record.value)
                    except InvalidMessage:
                        continue  # no answer; its writer is at fault, not we
                    if client in {None, event.client}:
                        board.show(Answer.of(event), record.timestamp)
                    if most and board.seen == most:
                        return
