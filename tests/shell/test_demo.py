"""The demo's parts: its checks can fail, its mirror is right, its spellings agree."""

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from cli.demo import budget
from cli.demo.census import uci_adult
from cli.demo.census.simulated_rows import SimulatedRows
from cli.demo.outcome.error_comparison import ErrorComparison, Rival, compared
from cli.demo.outcome.figures import PLANNED, Figures
from cli.demo.questions.analysts import TEAMS, Team
from cli.demo.questions.histogram import Histogram
from cli.demo.questions.known_answers import Known
from cli.demo.questions.over_http import AskedOverHttp
from cli.reading.type_conversion import TypeConversion
from config.declarations import datasets
from sigmaclient import Answer, CountTable, Quote, Row
from sigmacount.continual import HORIZONS, variance_factor
from sigmacount.language import parse
from sigmacount.mechanisms import DiscreteLaplace
from streams.formats.native import RowCodec

ADULT = datasets.load("adult")
SCHEMA = ADULT.schema


class Raw:
    """A record as the codec reads it."""

    def __init__(self, message):
        self.key, self.value = message


def rows(how_many):
    """Made-up people, typed as the dataset declares."""
    cast = TypeConversion(SCHEMA, ADULT.missing)
    return [cast.row(row) for row in uci_adult.simulated(how_many, seed=7)]


def known(where, count, truth, interval, group="g", **about):
    """One question of the last epoch."""
    about = {"route": "algebra"} | about
    answer = Answer("r", "c", "ok", count, interval=interval, group=group, **about)
    return Known(where, parse(SCHEMA, where), answer, truth)


def priced(cost=10_000, code="above_max_cost", *, rows=(7, 3), spent=None):
    """A free table of ten people, and a question that has a price."""
    cells = tuple(
        Row((name,), n, 1.0, (n, n), (n, n)) for name, n in zip("ab", rows, strict=True)
    )
    shown = CountTable(("x",), cells, 2, 0.95)
    of = partial(Answer, "r", "c")
    quote = Quote("epsilon", cost, 1.4, 3.0, 0.95, 10**6)
    return Histogram(
        of("ok", count=10, table=shown, spent=spent),
        rows,
        of("ok", quote=quote),
        of("refused", error_code=code),
    )


def over_http(count=10, epoch=None, status=200):
    """The first known question, as a gateway answers it."""
    said = {"count": count, "epoch": epoch}
    return AskedOverHttp("/v1/ask", known("age >= 60", 10, 11, (8, 12)), status, said)


def sound():
    """Figures of a run in which everything went well."""
    return Figures(
        routes={PLANNED: Counter(algebra=9, fresh=1)},
        expected=Counter(not_json=2),
        found=Counter(not_json=2),
        verified=True,
        chain=True,
        restarts={"counter-1": 1},
        epochs=5,
        known=[
            known("age >= 60", 10, 11, (8, 12)),
            known("age >= 30", 20, 21, (18, 22)),
        ],
        errors=ErrorComparison(2, 1.0, 2.0, (Rival("another", 90.0, "foretold"),)),
        histogram=priced(),
        over_http=over_http(),
    )


def failed(figures):
    """The names of the checks that do not pass."""
    return {check.name for check in figures.checks() if not check.passed}


def test_a_sound_run_passes():
    """Otherwise no demo ever would."""
    assert failed(sound()) == set()


BREAKS = {
    "verify": lambda f: setattr(f, "verified", False),
    "ledger": lambda f: setattr(f, "chain", False),
    "order": lambda f: f.known.append(known("age >= 65", 99, 9, (8, 99))),
    "coverage": lambda f: f.known.append(known("sex = 'Male'", 5, 90, (1, 9), "h")),
    "error": lambda f: setattr(f, "errors", replace(f.errors, measured=900.0)),
    "plan": lambda f: f.routes[PLANNED].update(fresh=20),
    "histogram": lambda f: setattr(f, "histogram", priced(rows=(7, 5))),
    "price": lambda f: setattr(f, "histogram", priced(cost=0)),
    "gateway": lambda f: setattr(f, "over_http", over_http(11)),
    "dead letters": lambda f: f.found.update(not_json=1),
    "answers": lambda f: setattr(f, "lost", 1),
    "kills": lambda f: f.restarts.update({"responder-1": 0}),
    "epochs": lambda f: setattr(f, "epochs", 2),
}


@pytest.mark.parametrize("name", BREAKS)
def test_each_check_can_fail(name):
    """A demo that always passes shows nothing."""
    figures = sound()

    BREAKS[name](figures)

    assert failed(figures) == {name}


def test_rows_of_a_table_add_up_but_for_rounding():
    """Each is rounded by itself, and so is their sum."""
    assert priced(rows=(7, 4)).adds_up
    assert not priced(rows=(7, 5)).adds_up


def test_errors_are_set_beside_what_older_ways_would_have_made():
    """Over the questions that the plan answered; Laplace noise shares ε among them."""
    of_the_plan = [
        known("age >= 60", 14, 11, (8, 20), stderr=2.0),
        known("sex = 'Male'", 25, 21, (20, 30), stderr=4.0),
    ]
    alone = known("age >= 30", 900, 21, (0, 999), route="fresh")

    found = compared(SCHEMA, [*of_the_plan, alone], {})

    assert (found.questions, found.measured, found.foretold) == (2, 12.5, 10.0)
    each = DiscreteLaplace.costing(budget.PLAN // 2).variance
    separate, memo = found.rivals
    assert memo.error == each
    assert "beside it" not in separate.words
    assert 0 < separate.error <= 2 * each
    assert compared(SCHEMA, [alone], {}) is None


def test_under_continual_they_are_set_beside_noise_that_is_renewed():
    """For as much in all: T times one release, where the counters have V(T) of it."""
    held = [known("age >= 60", 14, 11, (8, 20), stderr=6.0)]
    about = {"ticks": {"a": 20, "b": 30}, "horizon": 128}

    [renewed] = compared(SCHEMA, held, about).rivals

    factor = variance_factor(HORIZONS[128], 20)
    assert renewed.error == pytest.approx(36 / factor * 20)
    assert "each of 20 epochs" in renewed.words


def test_over_http_an_older_epoch_is_no_fault_and_a_refusal_is():
    """An epoch may come between the two."""
    assert over_http(11, epoch=7).agrees
    assert not over_http(status=503).agrees


def test_a_table_that_cost_and_a_price_that_was_paid_fail():
    """Both were asked for only if they are free."""
    figures = sound()

    paid = {"measure": "epsilon", "units": 1}
    figures.histogram = priced(code="budget_exhausted", spent=paid)

    assert failed(figures) == {"histogram", "price"}


def test_order_across_groups_is_promised_too():
    """It is counted apart, and a violation fails the demo."""
    figures = sound()

    figures.known.append(known("age >= 65", 99, 9, (8, 99), group="other"))

    assert figures.order() == (2, 3, 2)
    assert "order" in failed(figures)


@pytest.mark.parametrize("name", TEAMS)
def test_every_spelling_of_a_term_is_one_set(name):
    """Teams spell as they like; the memo and the log must not care."""
    team = Team(name, seed=3)

    for segment in team.saved:
        for spellings in segment.terms:
            assert len({parse(SCHEMA, each) for each in spellings}) == 1
        assert len({parse(SCHEMA, segment.plainly())}) == 1


def test_the_mirror_counts_what_the_events_say():
    """Last event per id, decoded as the counter decodes it."""
    people = SimulatedRows(SCHEMA, rows(300), seed=5)
    sent = [*people.arrivals(0, 300), *people.churn(2_000)]

    decoded = RowCodec(SCHEMA).decode([Raw(message) for message in sent])

    last = dict(zip(decoded.ids, decoded.codes.tolist(), strict=True))
    assert decoded.bad == []
    assert len(people) == sum(code >= 0 for code in last.values())
    query = parse(SCHEMA, "age >= 40 AND sex = 'Female'")
    cells = np.array([code for code in last.values() if code >= 0])
    assert people.count(query) == np.count_nonzero(query.contains(cells))


def test_every_broken_event_gets_the_reason_it_names():
    """The report compares these reasons with what came out."""
    people = SimulatedRows(SCHEMA, rows(3), seed=5)
    broken = list(people.broken(each=2))

    decoded = RowCodec(SCHEMA).decode([Raw(bad.message) for bad in broken])

    assert [bad.reason for bad in decoded.bad] == [bad.reason for bad in broken]


def test_a_file_with_another_digest_is_not_counted(tmp_path, monkeypatch):
    """Neither from the cache nor from the network; rows are then simulated, loudly."""
    (tmp_path / "adult.data").write_text("39, Private, 1\n")
    monkeypatch.setattr(uci_adult, "_download", lambda: None)

    found = uci_adult.adult(tmp_path)

    assert not found.real
    assert "SIMULATED" in found.note
    assert len(found.rows) == uci_adult.ROWS


def test_a_question_mark_is_a_missing_value():
    """As the file's own description says."""
    line = "39, ?, 77516, Bachelors, 13, Never-married, ?, Wife, White, Male, 0, 0, 40"

    [row] = uci_adult.parsed(f"{line}, ?, <=50K\n")

    assert row["workclass"] is None
    assert row["native_country"] is None
    assert row["age"] == "39"
