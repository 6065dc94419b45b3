"""`sigma ask`: one question, one private count, and what it is worth."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.asking import table_options as table
from cli.options import (
    WAIT_SECONDS,
    JsonOption,
    KafkaOption,
    PrefixOption,
    TimeoutOption,
    overrides,
    user_name,
)
from config.exit_codes import Exit

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
            help="SQL condition, its JSON form, or a whole SELECT; '' is every row.",
            show_default=False,
        ),
    ] = None,
    by: table.ByOption = None,
    having: table.HavingOption = None,
    order_by: table.OrderOption = None,
    limit: table.LimitOption = None,
    quantile: table.QuantileOption = None,
    price: table.PriceOption = False,
    max_cost: table.MaxCostOption = None,
    error: table.ErrorOption = None,
    confidence: table.ConfidenceOption = None,
    once: table.OnceOption = False,
    since: table.SinceOption = None,
    timeout: TimeoutOption = WAIT_SECONDS,
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
    on the dataset's attributes; a bound must lie on the edge of a bin. An answer that
    the plan holds costs nothing; the same question costs nothing again.

        sigma ask "age >= 60 AND sex = 'F'"
        sigma ask --by age "sex = 'F'" --price
        sigma ask --by city --order-by -count --limit 3 --max-cost 0.05
        sigma ask "SELECT city, COUNT(*) FROM people GROUP BY city"
        sigma ask --by age --quantile 0.5 --error 50 --confidence 0.95 --max-cost 1
        sigma ask --by city --since 1h
        sigma ask --json '{"age": {"ge": 30, "lt": 40}, "sex": ["F"]}'

    A table costs what one question does, whatever its rows; the intervals shown hold
    for all rows together. Amounts are typed and shown in ε, and in µε with --json; of
    a dataset that counts in ρ, in ρ and 1e-12 of it.

    Exit code: 0 a count or a price, 2 an invalid question, 3 refused (no budget, or
    dearer than --max-cost), 4 no answer in time. Several conditions are asked at once;
    the worst code is returned.
    """
    from cli.asking import asked, typed
    from cli.asking.max_cost import spendable

    broker = overrides(kafka=kafka, prefix=prefix).get("kafka", {})
    given = typed.options(
        by=by,
        having=having,
        order_by=order_by,
        limit=limit,
        price=price,
        max_cost=spendable(max_cost, broker),
        error=error,
        confidence=confidence,
        once=once,
        since=since,
    )
    texts = where or [""]
    typed.check_quantile(given, texts, quantile)
    who = client or user_name()
    found = asked.asked(texts, given, kafka=broker, client=who, timeout=timeout)
    asked.show_all(texts, found, quantile, as_json=json_)
    raise typer.Exit(max(CODES[answer.status] for answer in found))
