"""Questions asked over one session, and their answers shown."""

from __future__ import annotations

from rich.markup import escape

from cli import terminal
from cli.asking import typed
from sigmaclient import Answer, Question, SyncSession
from sigmaclient.question import Options
from views import answers, tables
from workers import clients


def asked(
    where: list[str],
    given: Options,
    *,
    kafka: dict[str, object],
    client: str,
    timeout: float,
) -> list[Answer]:
    """The answer to each condition.

    Raises:
        CommandRefused: a condition begins like JSON and is none; nothing was asked.
    """
    terminal.hush()
    questions = [Question(typed.condition(text), **given) for text in where]
    settings = clients.load_kafka(**kafka)
    with SyncSession(
        settings.bootstrap,
        client=client,
        prefix=settings.prefix,
        timeout=timeout,
        **clients.aiokafka_settings(settings),
    ) as session:
        return session.ask_all(questions)


def show(
    answer: Answer, title: str | None, quantile: float | None, *, as_json: bool
) -> None:
    """One answer, and a quantile of its table where there is one.

    Raises:
        PartialTable: the table lacks rows; the question is mended.
    """
    counts = answer.table
    found = None if quantile is None or counts is None else counts.quantile(quantile)
    if as_json:
        extra = {} if found is None else {"quantile": tables.quantile_as_dict(found)}
        terminal.print_json(answers.as_dict(answer) | extra)
        return
    out = terminal.console()
    if title is not None:
        out.print(f"\n[bold]{escape(title or 'every row')}[/]")
    out.print(answers.headline(answer))
    if found is not None:
        out.print(tables.quantile(found))
    out.print(*answers.details(answer))
