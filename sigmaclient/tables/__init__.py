"""The rows of a GROUP BY, and what follows from them: shares, top-k, quantiles.

All of it is post-processing of counts that were answered: nothing is asked or spent.
What follows from several rows at once is derived from their *joint* intervals, which
hold all together with the answer's confidence; each value says what it covers.
"""

from sigmaclient.tables.quantile import Quantile
from sigmaclient.tables.selection import Selection
from sigmaclient.tables.shares import RowShare
from sigmaclient.tables.table import CountTable

__all__ = ["CountTable", "Quantile", "RowShare", "Selection"]
