"""A page of results says what it missed, and how its figures came about."""

import numpy as np
import pytest
from typer.testing import CliRunner

from cli.main import app
from cli.paper_tables import results_page
from experiments import paper
from experiments.measuring.data import Bits
from experiments.parts import utility
from experiments.report.tables import ResultTable, TableRow

GOOD = ResultTable(
    "Good", ("cell", "figure"), (TableRow(("a", "1")), TableRow(("b", "2"))), "A note."
)
BAD = ResultTable("Bad", ("cell", "figure"), (TableRow(("c", "3"), "too large"),))


@pytest.fixture
def told(monkeypatch):
    """`sigma paper utility` with these tables instead of a run of minutes."""
    bits = Bits("simulated", np.zeros((1, 21), np.bool_))

    def run(*tables, lacking=""):
        monkeypatch.setattr(
            results_page, "inputs", lambda: ({"s": bits}, None, lacking)
        )
        monkeypatch.setattr(utility, "tables", lambda _: tables)
        return CliRunner().invoke(app, ["paper", "utility"])

    return run


def test_a_page_tells_tables_and_circumstances():
    """Command, seed, versions, time, memory; nothing of the machine's name or paths."""
    results = paper.Results({"utility": [GOOD]}, {"utility": 61.2}, 512.0)

    text = "\n".join(results.markdown())

    assert "| a | 1 |\n| b | 2 |" in text
    assert "A note." in text
    for word in ("`make results`", "20230101", "OpenDP", "Time: 61 s", "512 MB"):
        assert word in text
    assert not results.missed
    assert "Missed" not in text


def test_a_row_that_misses_is_named():
    """In the page and in the list that decides the exit code."""
    results = paper.Results({"utility": [GOOD, BAD]}, {}, 0.0)

    assert results.missed == ["c: too large"]
    assert "**Missed.** c: too large" in "\n".join(results.markdown())


def test_the_exit_code_is_0_when_every_row_keeps_its_bound(told):
    """And the table is printed."""
    done = told(GOOD)

    assert done.exit_code == 0
    assert "Good" in done.output


def test_the_exit_code_is_1_when_a_row_misses(told):
    """One bad row is enough."""
    done = told(GOOD, BAD)

    assert done.exit_code == 1
    assert "too large" in done.output


def test_the_exit_code_is_1_when_data_were_not_to_be_had(told):
    """Half a page is not the page, even if all that stands there is right."""
    done = told(GOOD, lacking="UCI Adult could not be fetched.")

    assert done.exit_code == 1
    assert "could not be fetched" in done.output


def test_a_part_that_is_none_is_refused_with_the_list():
    """Before anything is fetched or run."""
    done = CliRunner().invoke(app, ["paper", "nonsense"])

    assert done.exit_code == 2
    assert "utility" in done.output


def test_half_a_page_is_not_written(tmp_path, monkeypatch):
    """One part would take the place of all; what stands there stays."""
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(app, ["paper", "theorem5", "--write"])

    assert done.exit_code == 2
    assert list(tmp_path.iterdir()) == []
