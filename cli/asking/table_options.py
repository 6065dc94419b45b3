"""Options of `sigma ask` beside the condition: table, price, accuracy, change."""

from __future__ import annotations

from typing import Annotated

import typer

ByOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[,NAME]",
        help="A table: a row for each combination of these attributes' levels.",
        show_default=False,
    ),
]
HavingOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BOUND",
        help="Of a table: only rows whose count is so: '>=100', '>=100,<500'.",
        show_default=False,
    ),
]
OrderOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[-]NAME",
        help="Of a table: `count` or an attribute; - before it: descending.",
        show_default="as the levels are declared",
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option(metavar="K", min=0, help="Of a table: K rows.", show_default=False),
]
QuantileOption = Annotated[
    float | None,
    typer.Option(
        metavar="Q",
        help="Of a table by one attribute: the bin of a quantile; 0.5: the median.",
        show_default=False,
    ),
]
PriceOption = Annotated[
    bool, typer.Option("--price", help="Only say what it would cost; nothing is spent.")
]
MaxCostOption = Annotated[
    str | None,
    typer.Option(
        metavar="AMOUNT",
        help="Refuse rather than spend more, in ε as it is printed (0.05), not µε;"
        " 0.001 ρ of a dataset that counts in ρ; 0: only if it is free.",
        show_default=False,
    ),
]
ErrorOption = Annotated[
    float | None,
    typer.Option(
        metavar="ROWS",
        help="Half the width of the interval that is wanted; spent only within"
        " --max-cost, else told as a price.",
        show_default=False,
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="WHEN",
        help="The net change since then: an epoch, a time, '1h' or '5 epochs'.",
        show_default=False,
    ),
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE", help="Of the interval: 0.95.", show_default="the service's"
    ),
]
OnceOption = Annotated[
    bool,
    typer.Option(
        "--once",
        help="Under the rule continual: with less noise for the price, and paid for"
        " anew in a later epoch.",
    ),
]
