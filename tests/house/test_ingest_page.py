"""docs/ingest.md says what `sigma ingest` does: its table of reasons is complete."""

from __future__ import annotations

from cli.ingesting.report import ROWS
from sigmacount.domain import coder
from tests.house.test_documents import rows
from tests.house.test_reference import code, page

OF_VALUES = {
    coder.MISSING_ATTRIBUTE,
    coder.NULL_NOT_ALLOWED,
    coder.OUTSIDE_LEVELS,
    coder.WRONG_TYPE,
}


def test_every_reason_has_its_line():
    """And no line is of no reason."""
    told = {code(reason): fits for reason, fits in rows(page("ingest.md"), "reason")}

    assert told.keys() == ROWS.keys() | OF_VALUES
    assert {reason: told[reason].replace("`", "") for reason in ROWS} == ROWS
