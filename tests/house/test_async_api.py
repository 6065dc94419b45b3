"""The AsyncAPI document and the JSON Schemas are what the code sends and reads."""

from __future__ import annotations

import json
import re
from dataclasses import fields

import pytest

from cli.async_api import channels, document, message_headers
from cli.async_api.schemas import bundle, carried, messages_of
from sigmacount.errors import InvalidMessage
from streams.wire.codec import decode
from streams.wire.messages.events import QueryAnswered, QueryAsked, RowChanged
from streams.wire.messages.replies import Reply
from streams.wire.topics import Topics
from tests.fixtures.messages import draft_7, valid, validator
from tests.house import tree
from tests.house.test_documents import rows
from workers.answering.asking.reply_address import ReplyAddress
from workers.answering.sending.answer_headers import answer_headers

FILES = {"asyncapi": "docs/asyncapi.json", "schemas": "docs/messages.schema.json"}
TOPICS = Topics.named()
DOCUMENT = document.document()
CARRIED = carried(TOPICS)
# What no reader takes, each as a change of a sound message.
HOSTILE = [
    (RowChanged, {"op": "upsert"}),
    (RowChanged, {"id": 17}),
    (RowChanged, {"v": 2}),
    (RowChanged, {"row": ["F"]}),
    (QueryAsked, {"client": None}),
    (QueryAsked, {"request_id": "r" * 257}),
    (QueryAsked, {"where": ["age"]}),
    (QueryAsked, {"by": ["sex"] * 9}),
    (QueryAsked, {"max_cost": -1}),
    (QueryAsked, {"confidence": 1}),
    (QueryAnswered, {"status": "fine"}),
    (QueryAnswered, {"interval": [1]}),
    (QueryAnswered, {"interval": [1, 2, 3]}),
    (QueryAnswered, {"guarantee": {"rule": "fixed-noise"}}),
    (QueryAnswered, {"spent": {"measure": "delta", "units": 1}}),
]


@pytest.mark.parametrize("page", FILES)
def test_the_file_is_the_one_the_code_makes(page):
    """`make docs` makes it anew."""
    written = (tree.ROOT / FILES[page]).read_text(encoding="utf-8")

    assert written == document.as_text(document.PAGES[page]())


def test_every_topic_is_a_channel_as_kafka_keeps_it():
    """Name, partitions and settings; nobody lists topics by hand."""
    shown = {
        name: each["bindings"]["kafka"] for name, each in DOCUMENT["channels"].items()
    }

    assert list(shown) == [field.name for field in fields(Topics)]
    for name, kafka in shown.items():
        topic = getattr(TOPICS, name)
        assert (kafka["topic"], kafka["partitions"]) == (topic.name, topic.partitions)
        told = kafka["topicConfiguration"] | {"cleanup.policy": topic.cleanup}
        assert {k: str(v) for k, v in told.items()} == topic.configs()


def test_every_channel_has_an_operation():
    """The service sends what it makes and receives what it is asked."""
    served = {each["channel"]["$ref"] for each in DOCUMENT["operations"].values()}

    assert served == {f"#/channels/{name}" for name in DOCUMENT["channels"]}
    assert set(channels.SERVICE) <= set(DOCUMENT["channels"])
    assert set(message_headers.HEADERS) <= set(DOCUMENT["channels"])


@pytest.mark.parametrize("kind", CARRIED.values(), ids=CARRIED)
def test_every_message_has_examples_that_are_read(kind):
    """A new type needs one in cli/async_api/examples.py; each means its own type."""
    examples = DOCUMENT["components"]["messages"][kind.__name__]["examples"]

    assert examples
    for example in examples:
        text = json.dumps(example["payload"]).encode()
        assert type(decode(kind, text)) is kind
        assert valid(kind, text)


@pytest.mark.parametrize("kind", CARRIED.values(), ids=CARRIED)
def test_an_example_of_one_message_lacks_nothing_that_is_needed(kind):
    """Without any one of the fields that must be there, it is no message."""
    schema = bundle()["definitions"][kind.__name__]
    [first, *_] = DOCUMENT["components"]["messages"][kind.__name__]["examples"]

    for name in schema["required"]:
        lacking = {k: v for k, v in first["payload"].items() if k != name}
        assert not validator(kind.__name__).is_valid(lacking), name


@pytest.mark.parametrize(("kind", "change"), HOSTILE, ids=str)
def test_what_no_worker_reads_the_schema_refuses(kind, change):
    """And the other way round: both say no to the same bytes."""
    [first, *_] = DOCUMENT["components"]["messages"][kind.__name__]["examples"]
    text = json.dumps(first["payload"] | change).encode()

    assert not valid(kind, text)
    with pytest.raises(InvalidMessage):
        decode(kind, text)


def test_a_field_that_nobody_knows_is_no_fault():
    """Newer senders may add some."""
    text = b'{"request_id": "r", "client": "c", "colour": "red"}'

    assert valid(QueryAsked, text)
    assert decode(QueryAsked, text)


def test_the_schemas_are_schemas_of_their_draft():
    """For validators that know no AsyncAPI; each field of a message has its words."""
    made = bundle()

    draft_7().check_schema(made)
    assert set(CARRIED) <= set(made["definitions"])
    cost = made["definitions"]["Terms"]["properties"]["max_cost"]
    assert cost["description"].startswith("refuse rather than add more to the ledger")


def test_messages_that_a_tag_tells_apart_are_messages_of_their_own():
    """The audit trail carries five; any other topic one."""
    kinds = [topic.carries for topic in TOPICS.all() if topic.carries]

    assert len(messages_of(TOPICS.ledger.carries)) == 6
    assert all(messages_of(k) == (k,) for k in kinds if k is not TOPICS.ledger.carries)


def test_the_headers_of_an_answer_are_those_that_it_is_sent_with():
    """None is missing and none is made up."""
    trace = {"traceparent": f"00-{1:032x}-{1:016x}-01", "tracestate": "a=b"}
    to = ReplyAddress("r", "ada", b"7", reply=Reply(**trace))
    answer = QueryAnswered(request_id="r", client="ada", status="ok", as_of_ms=1)

    sent = answer_headers("/sigma-counting/people", to, answer, 1, "not_allowed")

    assert {name for name, _ in sent} == set(message_headers.HEADERS["results"])


@pytest.mark.parametrize(
    ("topic", "table"),
    [("queries", "header of a question"), ("results", "header of an answer")],
)
def test_the_headers_are_those_of_the_page(topic, table):
    """Both are for the same reader."""
    text = (tree.ROOT / "docs/messages.md").read_text(encoding="utf-8")

    named = {
        name for line in rows(text, table) for name in re.findall("`(.+?)`", line[0])
    }

    assert named == set(message_headers.HEADERS[topic])
