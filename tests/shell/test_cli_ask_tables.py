"""`sigma ask --by`: a table, its price and its quantiles, for people and programs."""

import json
from types import SimpleNamespace

import pytest

from cli.asking import known_schema
from cli.asking.asked import show
from cli.asking.max_cost import amount, spendable
from cli.asking.typed import bounds
from cli.exits import CommandRefused
from sigmaclient import Answer
from sigmaclient.tables import CountTable
from sigmacount.mechanisms import Amount
from tests.fixtures.cli import sigma
from tests.fixtures.echo_responder import echoing

pytestmark = [pytest.mark.kafka]


@pytest.fixture(scope="module")
def topics(kafka):
    """Topics of this file alone."""
    return kafka.topics(1)


@pytest.fixture(scope="module")
def asked(kafka, topics):
    """``sigma ask …`` where a tiny responder answers."""
    prefix = topics.rows.name.removesuffix("rows")
    env = {"kafka_bootstrap": kafka.bootstrap, "kafka_prefix": prefix}
    with echoing(kafka.bootstrap, topics) as echo:

        def ask(*arguments):
            echo.asked.clear()
            told = sigma("ask", *arguments, "--timeout", "20", **env)
            return told, (echo.asked or [None])[0]

        yield ask


def test_a_table_is_bars_with_intervals_and_a_total(asked):
    """What the intervals cover stands below; a level is text, not markup."""
    told, question = asked("--by", "age", "sex = 'F'")

    assert told.code == 0, told.err
    assert (question.by, question.where) == (("age",), "sex = 'F'")
    lines = told.out.splitlines()
    assert lines[0].startswith("354 in all   between 346 and 362 with 95 % confidence")
    assert lines[2].split() == ["[b]<20", "100", "█" * 9 + "▋", "94", "…", "106"]
    assert lines[3].split() == ["20-39", "250", "█" * 24, "244", "…", "256"]
    assert lines[4].split()[:2] == ["NULL", "4"]
    assert lines[5].rstrip() == "between: all rows together, 95 %"
    assert "cost" in told.out
    assert "0.02 ε" in told.out


def test_options_reach_the_question(asked):
    """Comparisons, an order that begins with a minus, and ε as µε."""
    told, question = asked(
        *("--by", "age,sex", "--by", "city", "--having", ">= 100,<500"),
        *("--order-by", "-count", "--limit", "2", "--max-cost", "0.05"),
        *("--error", "50", "--confidence", "0.9"),
    )

    assert told.code == 0, told.err
    assert question.by == ("age", "sex", "city")
    assert question.having == {"ge": 100, "lt": 500}
    assert (question.order_by, question.limit) == (("-count",), 2)
    assert (question.max_cost, question.error) == (50_000, 50)
    assert question.confidence == 0.9


def test_rows_that_are_left_out_are_counted(asked):
    """They are in the total, so a reader must know that there are more."""
    told, _ = asked("--by", "age", "--limit", "2")

    assert "between: all rows together, 95 %; 1 of 3 rows are left out" in told.out


def test_a_price_is_told_with_what_is_left(asked):
    """Exit code 0: it was answered."""
    told, question = asked("--by", "age", "--price")

    assert told.code == 0
    assert question.price
    assert told.out.startswith("a price; nothing was drawn or charged")
    for words in (
        "0.02 ε",
        "± 150 rows with 95 %",
        "70.7 rows",
        "9 ε of the whole budget",
        "0.5 ε of your quota",
    ):
        assert words in told.out


def test_too_dear_is_exit_code_three_with_the_price(asked):
    """So a script can stop, and a person decide."""
    told, question = asked("--max-cost", "0")

    assert (told.code, question.max_cost) == (3, 0)
    assert told.out.startswith("refused: it would cost 20000 µε")
    assert "0.02 ε" in told.out


def test_a_quantile_stands_above_its_table(asked):
    """With the bins between which it lies."""
    told, _ = asked("--by", "age", "--quantile", "0.5")

    words = "median   20-39   between 20-39 and 20-39 (all rows together, 95 %)"
    assert told.out.splitlines()[1].rstrip() == words


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a"], "without ORDER BY"),
        (["GROUP BY", "--by", "age", "--by", "sex"], None),
    ],
)
def test_what_was_paid_for_is_shown_though_it_has_no_quantile(asked, typed, words):
    """The reason stands on stderr; what is known beforehand is not even asked."""
    told, question = asked(*typed, "--by", "age", "--quantile", "0.5")

    assert told.code == 2
    assert told.out.startswith("354 in all") is (words is not None)
    assert (question is None) is (words is None)
    assert (words or "of one attribute") in told.err


def test_a_program_reads_table_quote_and_quantile(asked):
    """In the words of the wire, µε included."""
    told, _ = asked("--by", "age", "--quantile", "0.9", "--json")
    price, _ = asked("--price", "--json")

    answer = json.loads(told.out)
    assert answer["table"]["rows"][0]["levels"] == ["[b]<20"]
    assert answer["table"]["rows"][0]["joint"] == [94, 106]
    assert answer["quantile"]["bin"] == "20-39"
    assert json.loads(price.out)["quote"]["cost"] == 20_000


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["--max-cost", "50000 µε"], "such as 0.05 for 50,000 µε"),
        (["--max-cost", "0.0000001"], "in steps of 0.000001"),
        (["--max-cost", "-1"], "is no amount of ε"),
        (["--max-cost", "nan"], "is no amount of ε"),
        (["--max-cost", "59313"], "is in ε, and more than 100 ε protects nobody"),
        (["--by", "a", "--having", "100"], "write '>=100'"),
        (["--by", "a", "--having", ">1,>2"], "stands twice"),
        (["--by", "a", "--quantile", "50"], "between 0 and 1"),
        (["--by", "a,b", "--quantile", "0.5"], "of one attribute"),
        (["--by", "a", "--limit", "3", "--quantile", "0.5"], "every row"),
        (["--quantile", "0.5"], "name it by --by"),
    ],
)
def test_what_cannot_be_meant_is_not_asked(typed, words):
    """Exit code 2 and one line; no broker is needed to find it."""
    told = sigma("ask", *typed)

    assert told.code == 2
    assert words in told.err
    assert told.err.count("\n") == 1


def test_every_comparison_can_be_typed():
    """By its sign, as SQL writes it."""
    assert bounds([">=1,>2", "<= 3", "< 4", "=5", "<>6"]) == {
        "ge": 1,
        "gt": 2,
        "le": 3,
        "lt": 4,
        "eq": 5,
        "ne": 6,
    }
    with pytest.raises(CommandRefused):
        bounds(["<>1,!=2"])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("0", Amount.pure(0)),
        ("100", Amount.pure(100_000_000)),
        ("0.000001", Amount.pure(1)),
        ("0.25 ε", Amount.pure(250_000)),
        ("1e-3", Amount.pure(1_000)),
        ("0.00005 ρ", Amount.zcdp(50_000_000)),
        ("1e-12ρ", Amount.zcdp(1)),
    ],
)
def test_an_amount_is_read_as_it_is_printed(typed, meant):
    """Exactly; in ε unless it says ρ."""
    assert amount(typed) == meant


@pytest.mark.parametrize("promise", [{"measure": "epsilon"}, None])
def test_rho_is_not_offered_to_a_dataset_that_does_not_count_in_it(
    monkeypatch, promise
):
    """Its units would be taken for µε, and might be a thousand ε."""
    schema = SimpleNamespace(promise=promise)
    monkeypatch.setattr(known_schema, "published", lambda _: schema)

    with pytest.raises(CommandRefused, match="does not count in it"):
        spendable("0.001 ρ", {})


def test_rho_is_offered_to_a_dataset_that_counts_in_it(monkeypatch):
    """In its units, 1e-12 of ρ."""
    schema = SimpleNamespace(promise={"measure": "rho"})
    monkeypatch.setattr(known_schema, "published", lambda _: schema)

    assert spendable("0.001 ρ", {}) == Amount.zcdp(10**9)
    assert spendable(None, {}) is None


def test_a_count_outside_its_interval_is_explained(capsys):
    """Where an accuracy was asked for, the interval is around the noisy sum."""
    asked_exactly = Answer(
        "r", "c", "ok", count=1_324, interval=(1_133, 1_301), unbiased=1_217
    )

    show(asked_exactly, None, None, as_json=False)

    shown = capsys.readouterr().out
    assert "1,324   between 1,133 and 1,301" in shown
    assert "unbiased   1,217, the noisy sum that the interval is around" in shown


def test_a_total_is_one_though_no_row_is_left(capsys):
    """HAVING may leave none, LIMIT too; the total is of all of them."""
    nothing_left = CountTable(("sex",), (), 3, 0.95)

    show(Answer("r", "c", "ok", count=7, table=nothing_left), None, None, as_json=False)

    shown = capsys.readouterr().out
    assert shown.startswith("7 in all")
    assert "3 of 3 rows are left out" in shown
