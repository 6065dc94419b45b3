"""One count as OpenDP's Polars context releases it; ε = 0.1 each.

Run:  python opendp_count.py ROWS.csv CALLS
"""

from __future__ import annotations

import sys
import warnings

import opendp.prelude as dp
import polars as pl
from calls import FROM, INCOME, SEX, TO, told

EPSILON = 0.1


def main(file: str, calls: int) -> None:
    """The context is made once; each call is one query of it."""
    warnings.simplefilter("ignore", FutureWarning)  # of counts that may be negative
    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.read_csv(file).lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=EPSILON * (calls + 1)),
        split_evenly_over=calls + 1,
    )
    asked = (
        (pl.col("sex") == SEX)
        & (pl.col("age") >= FROM)
        & (pl.col("age") < TO)
        & (pl.col("income") == INCOME)
    )

    def count() -> float:
        query = context.query().filter(asked).select(dp.len())
        return query.release().collect().item()

    print(told(count, calls))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
