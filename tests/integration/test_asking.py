"""Asked from outside: clients by other makers, and each example of docs/asking.md."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from sigmaclient import Question, SyncSession
from tests.fixtures.cli import sigma
from tests.fixtures.kafka_clients import CLIENTS, Errand, kafka_python
from tests.fixtures.people_service import CITIES, people_service, person
from tests.fixtures.until import until

pytestmark = [pytest.mark.kafka, pytest.mark.integration, pytest.mark.one_broker]

PEOPLE = 40  # of each client
FRESH = 20_000  # µε: the operator's price of a question that no algebra holds


@pytest.fixture(scope="module")
def service(kafka, tmp_path_factory):
    """One for all clients; each sends rows of its own."""
    with people_service(kafka, tmp_path_factory.mktemp("people")) as running:
        yield running


def counted(service):
    """How many people the counters hold: a row in a wrong partition is not taken."""
    return sum(service.books.row_map().values())


def questions_of(client):
    """A plain one, a table, the price of one that no algebra holds, and a limit."""
    plain = {"where": "city = 'Lyon'"}
    table = {"where": "sex = 'F'", "by": ["city"], "order_by": ["-count"]}
    price = {"where": "age >= 30", "price": True}
    limit = {"where": "age >= 30", "max_cost": 0}
    kinds = {"plain": plain, "table": table, "price": price, "limit": limit}
    return [
        {"request_id": f"{client.__name__}-{kind}", "client": client.__name__} | asked
        for kind, asked in kinds.items()
    ]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_it_sends_rows_and_hears_answers(service, client):
    """Rows lie where counters look for them; every answer finds its question."""
    before = counted(service)
    rows = [person(client.__name__, number) for number in range(PEOPLE)]
    errand = Errand.to(service, rows, questions_of(client))

    heard = client(errand, service)

    assert {request: echoed for request, echoed, _ in heard} == {
        request: f"re {request}" for request in errand.requests
    }
    answers = {request.rpartition("-")[2]: answer for request, _, answer in heard}
    assert answers["plain"]["status"] == "ok"
    table = answers["table"]["table"]
    assert {row["levels"][0] for row in table["rows"]} >= {*CITIES, None}
    assert sum(row["count"] for row in table["rows"]) == answers["table"]["count"]
    assert answers["price"]["quote"]["cost"] == FRESH
    assert "count" not in answers["price"]
    assert answers["limit"]["error"]["code"] == "above_max_cost"
    until(lambda: counted(service) == before + PEOPLE)


PAGE = (Path(__file__).parents[2] / "docs/asking.md").read_text(encoding="utf-8")


def session_at(service):
    """An analyst's session."""
    return SyncSession(service.bootstrap, client="page", prefix=service.prefix)


def blocks(language):
    """Every block of the page in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_every_command_of_the_page_does_what_it_says(service, tmp_path, monkeypatch):
    """In its order, with the exit code beside it; 0 where none is."""
    monkeypatch.chdir(tmp_path)
    wrong = []
    for line in "".join(blocks("sh")).splitlines():
        words = shlex.split(line, comments=True)
        code = re.search(r"# exit code (\d)", line)
        told = sigma(*words[1:], **service.settings)
        if told.code != (int(code[1]) if code else 0):
            wrong.append((line, told))

    assert not wrong


def test_every_statement_of_the_page_can_be_asked(service):
    """For its price: it is understood, and nothing is drawn."""
    statements = [each for each in "".join(blocks("sql")).split(";") if each.strip()]

    with session_at(service) as session:
        answers = session.ask_all([Question(each, price=True) for each in statements])

    assert len(answers) > 2
    assert [answer.error_message for answer in answers if answer.status != "ok"] == []


def test_every_message_of_the_page_is_answered(service):
    """As it stands there, sent by a client that knows nothing of us."""
    asked = [json.loads(line) for line in "".join(blocks("json")).splitlines()]

    heard = kafka_python(Errand.to(service, [], asked), service)

    assert len(heard) > 3
    assert [answer for *_, answer in heard if answer["status"] != "ok"] == []


def test_the_python_of_the_page_runs(service, capsys):
    """As one program, but for the address of the broker."""
    here = f'"{service.bootstrap}", prefix="{service.prefix}"'
    program = "".join(blocks("python")).replace('"localhost:9092"', here)

    exec(compile(program, "docs/asking.md", "exec"), {})  # noqa: S102

    assert len(capsys.readouterr().out.splitlines()) > 10
