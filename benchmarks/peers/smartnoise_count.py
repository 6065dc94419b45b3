"""One count as SmartNoise SQL executes it over a pandas frame; ε = 0.1 each.

Run:  python smartnoise_count.py ROWS.csv CALLS
"""

from __future__ import annotations

import sys

import pandas as pd
from calls import FROM, INCOME, SEX, TO, told
from snsql import Privacy, from_connection

EPSILON, DELTA = 0.1, 1e-6
ASKED = (
    f"SELECT COUNT(*) AS n FROM adult.people WHERE sex = '{SEX}'"  # noqa: S608
    f" AND age >= {FROM} AND age < {TO} AND income = '{INCOME}'"
)


def main(file: str, calls: int) -> None:
    """The reader is made once; each call is one statement."""
    rows = pd.read_csv(file)
    people = {
        "rows": len(rows),
        "row_privacy": True,
        "age": {"type": "int", "lower": 0, "upper": 120},
        "sex": {"type": "string"},
        "income": {"type": "string"},
    }
    reader = from_connection(
        rows,
        privacy=Privacy(epsilon=EPSILON, delta=DELTA),
        metadata={"": {"adult": {"people": people}}},
    )

    def count() -> float:
        return reader.execute(ASKED)[1][0]

    print(told(count, calls))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
