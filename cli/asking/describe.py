"""`sigma describe`: what may be asked, before anything is asked."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import terminal
from cli.options import JsonOption, KafkaOption, PrefixOption, overrides


def describe(
    attributes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ATTRIBUTE]...",
            help="Show all levels of these.",
            show_default=False,
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset",
            "-d",
            metavar="NAME",
            help="Read a declaration (a shipped name, or a TOML file); no servers.",
            show_default="what the service published",
        ),
    ] = None,
    json_: JsonOption = False,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """Show attributes, levels, bins and an example each, and what is promised.

    All of it comes from the declaration and the settings of the service, which stand
    in the topic `catalog`; nothing comes from rows.

        sigma describe
        sigma describe age city
        sigma describe --dataset people.toml --json
    """
    from cli.asking import known_schema

    terminal.hush()
    if dataset is None:
        chosen = overrides(kafka=kafka, prefix=prefix).get("kafka", {})
        schema = known_schema.published(chosen)
    else:
        schema = known_schema.declared(dataset)
    known_schema.show(schema, attributes or [], as_json=json_)
