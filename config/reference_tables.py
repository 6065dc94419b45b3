"""What is made from code: two pages of docs/, and the JSON Schema of declarations.

Run by ``make docs``; a house test compares the files with what this prints.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from config.declarations.declaration import Declaration
from config.metrics import METRICS
from config.setting_types import SettingRow, SettingsGroup
from config.settings import GROUPS

SETTINGS_HEAD = """\
# Settings

Every setting of the service is an environment variable. This page is made from the
code by `make docs`. Three have no default, because a person has to decide them: which
dataset is counted, how much privacy may be spent on it in all and, under the rule
`fixed-noise`, how likely a row is to change.
Privacy budgets are whole numbers of µε, millionths of ε; under the measure `zcdp` all
but the total are whole numbers of pρ, 1e-12 of ρ.
A secret text may stand in a file instead: the variable with `_FILE` behind it, such as
`SIGMA_REDIS_PASSWORD_FILE`, names it, and the end of its last line is no part of it.
A misspelt `SIGMA_…` variable is refused, not ignored.
"""

METRICS_HEAD = """\
# Metrics

Every worker shows these metrics on its own port under `/metrics`, for the operator:
each role those that it sets, and each metric from the first time that it moves;
beside them memory, processor time and open files of the process, as `process_…`.
The page is Prometheus' text, or OpenMetrics for a reader that asks for it.
This page is made from the code by `make docs`. No metric shows a count of people,
noise, or a value of a row; how often rows change is visible here, so keep the port
closed to those who ask queries.
"""


def settings() -> str:
    """docs/settings.md."""
    return "\n".join((SETTINGS_HEAD, *(_section(group) for group in GROUPS)))


def metrics() -> str:
    """docs/metrics.md."""
    rows = (
        (f"`{m.name}`", m.kind, m.unit, ", ".join(m.labels), m.doc) for m in METRICS
    )
    return METRICS_HEAD + "\n" + _table(("metric", "kind", "unit", "by", "shows"), rows)


def declarations() -> str:
    """config/datasets.schema.json, for editors."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Declaration.model_json_schema(),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


PAGES = {"settings": settings, "metrics": metrics, "declarations": declarations}


def _section(group: type[SettingsGroup]) -> str:
    caption = (group.__doc__ or "").splitlines()[0].rstrip(".")
    heads = ("variable", "unit", "default", "accepts", "what it does")
    rows = (_row(setting) for setting in group.declared())
    return f"## {group.title()}: {caption}\n\n{_table(heads, rows)}"


def _row(setting: SettingRow) -> tuple[str, ...]:
    default = "**none**" if setting.default is None else setting.default
    reason = setting.reason.replace("``", "`")
    return f"`{setting.variable}`", setting.unit, default, setting.bounds, reason


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (heads, ("---",) * len(heads), *rows)
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n"
        for line in lines
    )


if __name__ == "__main__":
    sys.stdout.write(PAGES[sys.argv[1]]())
