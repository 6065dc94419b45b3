"""`sigma export` of a joint release: every cell of every table, as it is answered."""

import csv
import io

import pytest

from sigmacount.accounting import NoiseUnit, Renew
from sigmacount.language import parse
from sigmacount.mechanisms import Amount
from sigmacount.release import Answerers, EpochMaker, simplex
from store.releases.released import Head
from tests.core.joint_plans import (
    drawn,
    of_contrasts,
    of_groups,
    rows_of,
    tallies_of,
)
from tests.core.tiny import SCHEMA
from views import release
from views.release import ReleaseView


@pytest.mark.parametrize("plan", [of_groups(), of_contrasts()])
def test_the_cells_of_a_joint_release_are_rows(plan):
    """Each is what its condition is answered, in whole rows."""
    made = EpochMaker(simplex).arrays(plan, tallies_of(plan, rows_of()), drawn(plan))
    promise = Renew().guarantee(NoiseUnit(Amount.pure(70_000)))
    about = {"guarantees": {plan.joint.id: promise}}
    head = Head(7, 1, 1_700_000_000_000, tuple(plan.published), about=about)
    view = ReleaseView(SCHEMA, plan, head, made.counts, made.noisy, 0.95)
    answers = Answerers().of(plan, made.noisy, made.counts)

    text = release.csv_heads(view) + "".join(map(release.csv_rows, view.batches()))

    rows = list(csv.DictReader(io.StringIO(text)))

    assert len(rows) == plan.atoms == view.size
    assert len({row["guarantee"] for row in rows}) == 1
    assert "0.07" in rows[0]["guarantee"]
    for row in rows:
        said = answers.answer(parse(SCHEMA, row["condition"]), 0.95).estimate
        assert (int(row["count"]), int(row["unbiased"])) == (said.count, said.noisy)
        assert (int(row["low"]), int(row["high"])) == said.interval
