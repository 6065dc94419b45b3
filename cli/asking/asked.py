"""Questions asked over one session, and their answers shown."""

from __future__ import annotations

from rich.markup import escape

from cli import terminal
from cli.asking import typed
from cli.exits import CommandRefused
from sigmaclient import Answer, Quantile, Question, SyncSession
from sigmaclient.question import Options
from views.asking import answers, tables
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


def show_all(
    where: list[str], found: list[Answer], quantile: float | None, *, as_json: bool
) -> None:
    """Each answer, and a quantile of its table where there is one.

    Raises:
        CommandRefused: a table has no such quantile; all else was shown, for it may
            have been paid for.
    """
    faults = []
    for text, answer in zip(where, found, strict=True):
        reached, fault = _quantile(answer, quantile)
        show(answer, text if len(found) > 1 else None, reached, as_json=as_json)
        if fault is not None:
            faults.append(fault)
    if faults:
        raise CommandRefused(faults[0])


def show(
    answer: Answer, title: str | None, reached: Quantile | None, *, as_json: bool
) -> None:
    """One answer, and the quantile of its table that was asked for."""
    if as_json:
        extra = {"quantile": tables.quantile_as_dict(reached)} if reached else {}
        terminal.print_json(answers.as_dict(answer) | extra)
        return
    out = terminal.console()
    if title is not None:
        out.print(f"\n[bold]{escape(title or 'every row')}[/]")
    out.print(answers.headline(answer))
    if reached is not None:
        out.print(tables.quantile(reached))
    out.print(*answers.details(answer))


def _quantile(answer: Answer, q: float | None) -> tuple[Quantile | None, str | None]:
    """The quantile, or why this table has none."""
    if q is None or answer.table is None:
        return None, None
    try:
        return answer.table.quantile(q), None
    except ValueError as error:
        return None, f"--quantile: {error}"
