"""`sigma ask`: one question, one private count, and what it is worth."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from cli import terminal
from cli.exits import CommandRefused
from cli.options import JsonOption, KafkaOption, PrefixOption, overrides, user_name
from config.exit_codes import Exit
from sigmacount.errors import InvalidMessage

SECONDS = 30.0
CODES = {
    "ok": Exit.OK,
    "invalid": Exit.INVALID,
    "refused": Exit.REFUSED,
    "expired": Exit.LATE,
}


def ask(
    where: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WHERE...",
            help="SQL condition, or its JSON form; '' counts every row.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long to wait.")
    ] = SECONDS,
    client: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who asks: quotas and the planner go by it.",
            show_default="your user name",
        ),
    ] = None,
    json_: JsonOption = False,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """Ask how many rows satisfy a condition; the answer is private.

    The conditions are = <> < <= > >= IN BETWEEN IS NULL AND OR NOT and parentheses,
    on the dataset's attributes; a bound must lie on the edge of a bin. An answer from
    the plan's algebras costs nothing; the same question costs nothing again.

        sigma ask "age >= 60 AND sex = 'F'"
        sigma ask "education IN ('Masters', 'Doctorate') AND NOT (age < 30)"
        sigma ask --json '{"age": {"ge": 30, "lt": 40}, "sex": ["F"]}'

    Exit code: 0 a count, 2 an invalid question, 3 refused (no budget), 4 no answer in
    time. Several conditions are asked at once; the worst code is returned.
    """
    raise typer.Exit(
        _ask(
            where or [""],
            timeout=timeout,
            client=client or user_name(),
            as_json=json_,
            kafka=overrides(kafka=kafka, prefix=prefix).get("kafka", {}),
        )
    )


def _ask(
    where: list[str],
    *,
    timeout: float,
    client: str,
    as_json: bool,
    kafka: dict[str, object],
) -> Exit:
    from rich.markup import escape

    from sigmaclient import SyncSession
    from views import answers
    from workers import clients

    terminal.hush()
    questions = [question(text) for text in where]
    settings = clients.load_kafka(**kafka)
    with SyncSession(
        settings.bootstrap,
        client=client,
        prefix=settings.prefix,
        timeout=timeout,
        **clients.aiokafka_settings(settings),
    ) as session:
        found = session.ask_all(questions)
    out = terminal.console()
    for text, answer in zip(where, found, strict=True):
        if as_json:
            terminal.print_json(answers.as_dict(answer))
            continue
        if len(where) > 1:
            out.print(f"\n[bold]{escape(text or 'every row')}[/]")
        out.print(answers.headline(answer), *answers.details(answer))
    return max(CODES[answer.status] for answer in found)


def question(text: str) -> str | dict[str, Any]:
    """What was typed, as it is asked: JSON when it begins like an object.

    Raises:
        Refusal: it begins like an object and is none.
    """
    if not text.lstrip().startswith("{"):
        return text
    from streams.wire.unique_keys import checked_keys

    try:
        form: dict[str, Any] = json.loads(text)
        checked_keys(text)
    except json.JSONDecodeError as error:
        msg = f"the condition is no JSON object: {error.msg} at {error.colno}"
        raise CommandRefused(msg) from None
    except InvalidMessage as error:
        msg = f"the condition is no question: {error}"
        raise CommandRefused(msg) from None
    except (RecursionError, ValueError):
        msg = "the condition nests too deeply, or holds a number that is too long"
        raise CommandRefused(msg) from None
    return form
