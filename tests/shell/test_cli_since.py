"""`sigma ask --since`: a change, as it is typed, travels, and is read."""

import pytest
from rich.console import Console

from cli.asking.typed import check_quantile, options
from cli.exits import CommandRefused
from sigmaclient import Answer, NamedQuestion, Question
from sigmacount.errors import InvalidMessage
from streams.wire.codec import decode, encode
from streams.wire.messages.events import QueryAnswered, QueryAsked, RowChanged
from streams.wire.messages.standing import StandingQuestion
from tests.fixtures.cli import sigma
from tests.fixtures.echo_responder import echoing
from tests.fixtures.tables import answer_with, cell
from views.asking import answers, standing


@pytest.mark.kafka
def test_what_was_typed_reaches_the_question(kafka, topics):
    """As it stands there: the service reads it."""
    env = {"kafka_bootstrap": kafka.bootstrap}
    env["kafka_prefix"] = topics.rows.name.removesuffix("rows")

    with echoing(kafka.bootstrap, topics) as echo:
        told = sigma("ask", "--since", "1h", "sex = 'F'", "--timeout", "20", **env)

    [asked] = echo.asked
    assert told.code == 0, told.err
    assert (asked.since, asked.v, asked.where) == ("1h", 2, "sex = 'F'")


def test_a_question_with_since_is_of_a_version_that_older_workers_refuse():
    """Any other is of the first, as it always was; so is what stands."""
    change, count = Question("x", since=4112), Question("x")
    stands = NamedQuestion("ada", "women", change, 6)

    assert [q.event("r", "ada").v for q in (change, count)] == [2, 1]
    assert (stands.event().v, stands.event().since) == (2, 4112)
    assert NamedQuestion.of(stands.event()) == stands
    assert decode(StandingQuestion, encode(stands.event())) == stands.event()


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (QueryAsked(v=3, request_id="r", client="c"), "must be 1 or 2"),
        (RowChanged(v=2, op="delete", id="r"), "must be 1,"),
    ],
)
def test_a_version_that_is_not_known_is_refused(event, words):
    """Of each kind of message by itself: the second is one of questions alone."""
    with pytest.raises(InvalidMessage, match=words):
        decode(type(event), encode(event))


def test_a_change_has_its_sign_and_says_since_when():
    """A person sees that it is no count."""
    answer = Answer.of(change_of(12))

    line, facts = answers.headline(answer), shown(answer)

    assert line.startswith("[bold]+12[/]   between -7 and 31 with 95 % confidence")
    assert answers.headline(Answer.of(change_of(-12))).startswith("[bold]-12[/]")
    assert "net change since   2023-11-14 22:13:20 UTC, epoch 4112" in facts


def change_of(count):
    """An answer to a question with ``since``."""
    return QueryAnswered(
        request_id="r",
        client="ada",
        status="ok",
        count=count,
        stderr=9.5,
        interval=(-7, 31),
        confidence=0.95,
        since_epoch=4112,
        since_ms=1_700_000_000_000,
    )


def shown(answer):
    """All that stands below the headline, as text."""
    console = Console(width=120, force_terminal=False)
    with console.capture() as captured:
        console.print(*answers.details(answer))
    return captured.get()


def test_rows_that_became_fewer_have_bars_as_long_as_what_they_lost():
    """Their number has the sign."""
    wire = answer_with(["sex"], [cell(["F"], -200), cell(["M"], 100)], hidden=0)

    lines = shown(Answer.of(wire)).splitlines()

    assert lines[1].split()[:3] == ["F", "-200", "█" * 24]
    assert lines[2].split()[:3] == ["M", "100", "█" * 12]


def test_a_list_of_what_stands_says_which_are_changes():
    """Beside the condition."""
    women = NamedQuestion("ada", "women", Question("sex = 'F'", since="1h"))

    assert standing.row(women)[2] == "sex = 'F' (change since 1h)"
    assert standing.as_dict(women)["since"] == "1h"


def test_a_quantile_of_changes_is_refused_before_anything_is_asked():
    """The rows of such a table do not add up to anything that has one."""
    given = dict.fromkeys(("by", "having", "order_by", "limit", "max_cost"))
    given |= {"price": False, "error": None, "confidence": None, "by": ["age"]}

    with pytest.raises(CommandRefused, match="--since asks for changes"):
        check_quantile(options(**given, since="1h"), [""], 0.5)
