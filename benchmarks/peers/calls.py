"""Times the same call again and again; shared by the peers that count once a call."""

from __future__ import annotations

import csv
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

SEX, FROM, TO, INCOME = "Female", 30, 40, ">50K"  # who is counted


def told(count: Callable[[], float], calls: int) -> str:
    """Seconds of ``calls`` calls after a first one, and the median answer, as JSON."""
    answers, seconds = [count()], []  # the first imports and compiles
    for _ in range(calls):
        began = time.perf_counter()
        answers.append(count())
        seconds.append(time.perf_counter() - began)
    return json.dumps({"seconds": seconds, "count": statistics.median(answers)})


def columns(file: str) -> tuple[list[int], list[str], list[str]]:
    """Age, sex and income of everybody in a CSV file."""
    with Path(file).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    ages = [int(row["age"]) for row in rows]
    return ages, [row["sex"] for row in rows], [row["income"] for row in rows]
