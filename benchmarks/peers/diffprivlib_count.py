"""One count by diffprivlib's tools over NumPy columns; ε = 0.1 each.

Run:  python diffprivlib_count.py ROWS.csv CALLS
"""

from __future__ import annotations

import sys

import numpy as np
from calls import FROM, INCOME, SEX, TO, columns, told
from diffprivlib.tools import count_nonzero

EPSILON = 0.1


def main(file: str, calls: int) -> None:
    """The columns are read once; each call selects the rows and counts them."""
    age, sex, income = map(np.array, columns(file))

    def count() -> float:
        asked = (sex == SEX) & (age >= FROM) & (age < TO) & (income == INCOME)
        return count_nonzero(asked, epsilon=EPSILON)

    print(told(count, calls))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
