"""The figures of docs/mathematics.md, computed again."""

from __future__ import annotations

import math
import re

import pytest

from sigmacount.accounting import epsilon_after
from tests.house import tree
from tests.house.test_documents import rows

TEXT = (tree.ROOT / "docs/mathematics.md").read_text(encoding="utf-8")


def asked(columns):
    """P_j: how likely a question has j constraints."""
    return [
        math.comb(columns, j) * 0.1**j * 0.9 ** (columns - j)
        for j in range(columns + 1)
    ]


def utility(columns, queries, u):
    """The closed form of section 4."""
    likely = asked(columns)
    covered = sum(likely[: u + 1])
    atoms = sum(share * 2 ** (u - j) for j, share in enumerate(likely[: u + 1]))
    noise = math.comb(columns, u) * 2**u / covered
    return queries**2 / (atoms * noise**2 + (1 - covered) * queries**2)


@pytest.mark.parametrize("row", rows(TEXT, "columns, Q"), ids=lambda row: row[0])
def test_the_tables_of_utility(row):
    """Section 4, to the digits given."""
    columns, exponent = map(int, re.fullmatch(r"(\d+), 10\^(\d)", row[0]).groups())

    for u, stated in zip((3, 2, 1), row[2::2], strict=True):
        digits = len(stated.partition(".")[2])
        assert round(utility(columns, 10**exponent, u), digits) == float(stated)


def test_the_shares_of_ten_trials():
    """Section 4: which number of columns the paper's percentages are of."""
    likely = asked(10)
    told = [
        float(x)
        for x in re.search(r"prints, ([\d.]+), ([\d.]+) and ([\d.]+)", TEXT).groups()
    ]

    shares = [100 * sum(likely[: u + 1]) for u in (1, 2, 3)]

    assert shares == pytest.approx(told, abs=0.11)


def test_a_product_algebra_over_all_columns():
    """Section 6: 1.9^c."""
    (row,) = (r for r in rows(TEXT, "release") if r[0].startswith("one product"))

    assert [f"{1.9**10:.0f}", f"{1.9**21 / 1e5:.1f}·10^5"] == row[1:]


def test_what_the_clamp_adds_to_an_empty_atom():
    """Section 3: the sum beside its closed form."""
    q = math.exp(-1)
    told = float(re.search(r"at ε = 1 is lifted by ([\d.]+)", TEXT)[1])

    summed = sum(m * (1 - q) / (1 + q) * q**m for m in range(1, 200))

    assert summed == pytest.approx(q / (1 - q**2))
    assert round(summed, 3) == told


@pytest.mark.parametrize(("epochs", "stated"), rows(TEXT, "T"))
def test_theorem_5(epochs, stated):
    """Section 7, as the ledger charges it."""
    assert f"{epsilon_after(100_000, 1e-3, int(epochs)) / 1e6:.3f}" == stated
