"""The tables of docs/settings.md and docs/metrics.md, made from the declarations.

Run by ``make docs``; a house test compares the files with what this prints.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from config.knobs import Group, Knob
from config.metrics import METRICS
from config.settings import GROUPS

SETTINGS_HEAD = """\
# Settings

Every setting of the service is an environment variable. This page is made from the
code by `make docs`. Three have no default, because a person has to decide them: which
dataset is counted, how much privacy may be spent on it in all and, under the rule
`fixed-noise`, how likely a row is to change.
Privacy budgets are whole numbers of µε, millionths of ε.
A misspelt `SIGMA_…` variable is refused, not ignored.
"""

METRICS_HEAD = """\
# Metrics

Every worker shows these dials on its own port under `/metrics`, for the operator: each
role those that it sets, and each dial from the first time that it moves.
This page is made from the code by `make docs`. No dial shows a count of people, noise,
or a value of a row; how often rows change is visible here, so keep the port closed to
those who ask queries.
"""


def settings() -> str:
    """docs/settings.md."""
    return "\n".join((SETTINGS_HEAD, *(_section(group) for group in GROUPS)))


def metrics() -> str:
    """docs/metrics.md."""
    rows = (
        (f"`{m.name}`", m.kind, m.unit, ", ".join(m.labels), m.doc) for m in METRICS
    )
    return METRICS_HEAD + "\n" + _table(("dial", "kind", "unit", "by", "shows"), rows)


def _section(group: type[Group]) -> str:
    caption = (group.__doc__ or "").splitlines()[0].rstrip(".")
    heads = ("variable", "unit", "default", "accepts", "what it does")
    rows = (_row(knob) for knob in group.knobs())
    return f"## {group.__name__}: {caption}\n\n{_table(heads, rows)}"


def _row(knob: Knob) -> tuple[str, ...]:
    default = "**none**" if knob.default is None else knob.default
    reason = knob.reason.replace("``", "`")
    return f"`{knob.variable}`", knob.unit, default, knob.bounds, reason


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (heads, ("---",) * len(heads), *rows)
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n"
        for line in lines
    )


if __name__ == "__main__":
    sys.stdout.write({"settings": settings, "metrics": metrics}[sys.argv[1]]())
