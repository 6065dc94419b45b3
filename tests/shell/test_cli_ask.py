"""`sigma ask`: an answer for people, for programs, and an exit code for scripts."""

import json

import pytest

from tests.fixtures.cli import sigma
from tests.fixtures.echo_responder import echoing

pytestmark = [pytest.mark.kafka]


@pytest.fixture
def asked(kafka, topics):
    """``sigma ask …`` where a tiny responder answers."""
    prefix = topics.rows.name.removesuffix("rows")
    env = {"kafka_bootstrap": kafka.bootstrap, "kafka_prefix": prefix}
    with echoing(kafka.bootstrap, topics) as echo:

        def ask(*arguments, **environment):
            return sigma("ask", *arguments, **env, **environment)

        ask.echo = echo
        yield ask


def test_a_person_reads_count_interval_route_and_guarantee(asked):
    """Everything that makes a count worth something stands beside it."""
    told = asked("age >= 60", "--timeout", "10")

    assert told.code == 0
    assert told.out.startswith("9   between 6 and 12 with 95 % confidence\n")
    for words in (
        "a table of the plan",
        "the sum of 4 of its cells",
        "2023-11-14 22:13:20 UTC",
        "epoch 7",
    ):
        assert words in told.out
    assert "nothing" in told.out
    assert "fixed-noise" in told.out
    assert told.err == ""


def test_a_program_reads_the_wire_form(asked):
    """One JSON object a question, as it travels on ``results``."""
    told = asked("--json", "age >= 60", "sex = 'F'", "--timeout", "10")

    answers = [json.loads(line) for line in told.out.splitlines()]
    assert [answer["count"] for answer in answers] == [9, 9]
    assert answers[0]["interval"] == [6, 12]
    assert answers[0]["guarantee"]["rule"] == "fixed-noise"
    assert "error" not in answers[0]


def test_no_condition_counts_every_row(asked):
    """``sigma ask`` alone asks the empty condition."""
    assert asked("--timeout", "10").code == 0
    assert asked.echo.asked[0].where == ""


def test_a_condition_may_be_json(asked):
    """What begins like an object is asked as one."""
    told = asked('{"age": {"ge": 60}}', "--timeout", "10")

    assert told.code == 0
    assert asked.echo.asked[0].where == {"age": {"ge": 60}}


def test_broken_json_is_said_before_anything_is_asked():
    """The place of the fault is named; no broker is needed to find it."""
    told = sigma("ask", '{"age": ')

    assert told.code == 2
    assert told.err.startswith("error: the condition is no JSON object")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ('{"sex": "F", "sex": "M"}', "'sex' stands twice"),
        ('{"age": {"ge": 30, "ge": 40}}', "'ge' stands twice"),
        ('{"age": ' + "[" * 90_000, "nests too deeply"),
        ('{"age": ' + "9" * 5_000 + "}", "a number that is too long"),
    ],
)
def test_json_that_cannot_be_meant_is_not_asked(form, words):
    """A key that stands twice, and what no reader would take."""
    told = sigma("ask", form)

    assert told.code == 2
    assert words in told.err


def test_the_client_is_the_user_unless_named(asked, monkeypatch):
    """Quotas go by the client, so it has a name in any case."""
    monkeypatch.setenv("LOGNAME", "ada")

    asked("x", "--timeout", "10")
    asked("x", "--client", "planning", "--timeout", "10")

    assert [question.client for question in asked.echo.asked] == ["ada", "planning"]


@pytest.mark.parametrize(
    ("where", "code", "words"),
    [
        ("refuse", 3, "refused: nothing is left"),
        ("misspelt", 2, "invalid: no such attribute"),
        ("stale", 4, "expired: it waited too long"),
    ],
)
def test_the_exit_code_tells_why_there_is_no_count(asked, where, code, words):
    """A script need not read: 2 invalid, 3 refused, 4 too late."""
    told = asked(where, "--timeout", "10")

    assert told.code == code
    assert words in told.out


def test_of_several_questions_the_worst_code_counts(asked):
    """One refusal among counts is not overlooked."""
    told = asked("x", "refuse", "misspelt", "--timeout", "10")

    assert told.code == 3
    assert "1   between" in told.out


def test_silence_is_exit_code_four(asked):
    """One line on stderr says that asking again is safe."""
    told = asked("silence", "--timeout", "0.5")

    assert told.code == 4
    assert told.err.startswith("error: no answer within 0.5 s. Asking again is safe")
    assert told.err.count("\n") == 1


def test_no_broker_is_one_line_and_exit_code_five():
    """The address that was tried is in it, a traceback is not."""
    told = sigma("ask", "x", "--kafka", "127.0.0.1:1")

    assert told.code == 5
    assert told.err.startswith("error: the Kafka broker at 127.0.0.1:1")
    assert told.err.count("\n") == 1


def test_a_misspelt_setting_is_named():
    """Nothing is asked with settings that were not meant."""
    told = sigma("ask", "x", kafka_botstrap="127.0.0.1:1")

    assert told.code == 2
    assert "SIGMA_KAFKA_BOTSTRAP" in told.err
