"""What an answer promises and what it cost: typed by rule, read from any version."""

import json
from dataclasses import asdict, fields

import msgspec
import pytest

from sigmaclient import Answer
from sigmacount.accounting import (
    Continual,
    FixedNoise,
    NoiseUnit,
    Renew,
    guarantee_of_nothing,
)
from sigmacount.errors import InvalidMessage, Mismatch
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.release import estimate
from store.releases.released import Head
from streams.wire.codec import decode, encode
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.memos import Memo
from streams.wire.messages.privacy import (
    ContinualGuarantee,
    FixedNoiseGuarantee,
    RenewGuarantee,
    Spent,
)
from workers.answering.answers import answered, as_memo, promised

UNIT = NoiseUnit(Amount.pure(50_000), epochs=4)
KINDS = {
    "fixed-noise": FixedNoiseGuarantee,
    "renew": RenewGuarantee,
    "continual": ContinualGuarantee,
}
PROMISES = [
    FixedNoise(0.2).guarantee(UNIT),
    Renew().guarantee(UNIT),
    Continual(128, 10.0).guarantee(UNIT),
    Continual(128, 10.0, changes_limit=5).guarantee(UNIT),
    Continual(128, 10.0, changes_limit=5, owner_rows=3).guarantee(UNIT),
    *map(guarantee_of_nothing, KINDS),
]
# As an answer travelled before there were measures.
OLD = {
    "v": 1,
    "request_id": "r",
    "client": "ada",
    "status": "ok",
    "count": 3,
    "route": "fresh",
    "spent_micro_epsilon": 20_000,
    "guarantee": {
        "rule": "fixed-noise",
        "composition": "parallel",
        "adjacency": "add-or-remove-one-row",
        "micro_epsilon": 20_000,
        "epochs": 1,
        "micro_epsilon_over_epochs": 20_000,
        "replace_one_row_micro_epsilon": 40_000,
        "changes_are_exact": True,
        "protects": "a row present and unchanged in every published epoch",
        "rho": 0.001,
        "epsilon_0": 0.02,
    },
}


def answer_of(promise, spent=None):
    """An answer of some epoch."""
    said = estimate(3, 3, DiscreteLaplace.costing(50_000), 1, 0.95)
    head = Head(5, 1, 1_000, ())
    return answered(said, head, "fresh", promised(promise), spent=spent)


@pytest.mark.parametrize("promise", PROMISES)
def test_a_guarantee_travels_with_every_field_under_its_rule(promise):
    """The core's words and the wire's are the same, nothing more and nothing less."""
    answer = answer_of(promise)

    travelled = json.loads(encode(answer))["guarantee"]
    assert travelled == promise
    assert travelled["measure"] == "epsilon"
    read = decode(QueryAnswered, encode(answer)).guarantee
    assert type(read) is KINDS[promise["rule"]]
    assert read.rule == promise["rule"]


@pytest.mark.parametrize("kind", [QueryAnswered, Memo])
def test_a_message_without_measures_is_read_as_it_was_meant(kind):
    """Kept memos and answers of an older version: pure ε, every field filled."""
    text = json.dumps(OLD | {"query": {}}).encode()

    answer = decode(kind, text)

    assert (answer.spent, answer.spent_micro_epsilon) == (None, 20_000)
    assert answer.cost == Spent(measure="epsilon", units=20_000)
    plain = msgspec.to_builtins(answer.guarantee)
    assert plain == OLD["guarantee"] | {"measure": "epsilon"}


def test_an_older_reader_finds_every_field_that_it_knows():
    """New fields stand beside the old ones, whose names and values are as before."""
    answer = answer_of(FixedNoise(0.001).guarantee(NoiseUnit(Amount.pure(20_000))))
    paid = answer_of(OLD["guarantee"], Amount.pure(20_000))

    assert OLD["guarantee"].keys() < json.loads(encode(answer))["guarantee"].keys()
    assert json.loads(encode(paid))["spent_micro_epsilon"] == 20_000


@pytest.mark.parametrize(
    ("spent", "told", "micro_epsilon"),
    [
        (None, None, 0),
        (Amount.pure(0), None, 0),
        (Amount.pure(7), Spent(measure="epsilon", units=7), 7),
        (Amount.zcdp(7), Spent(measure="rho", units=7), 0),
    ],
)
def test_what_was_spent_is_said_in_its_measure(spent, told, micro_epsilon):
    """A number of ρ is never read as one of ε; asked once more it is nothing."""
    answer = answer_of(Renew().guarantee(UNIT), spent)

    assert (answer.spent, answer.spent_micro_epsilon) == (told, micro_epsilon)
    again = as_memo(answer)
    assert (again.spent, again.spent_micro_epsilon) == (None, 0)


def test_a_rule_that_is_not_known_is_never_half_understood():
    """Not by who reads the answer, nor by a worker that finds the epoch."""
    promise = OLD["guarantee"] | {"rule": "newer"}

    with pytest.raises(InvalidMessage, match="guarantee"):
        decode(QueryAnswered, json.dumps(OLD | {"guarantee": promise}).encode())
    with pytest.raises(Mismatch, match="same version"):
        promised(promise)
    with pytest.raises(ValueError, match="newer"):
        guarantee_of_nothing("newer")


def test_a_client_is_shown_what_travelled():
    """As plain mappings, the rule among the fields."""
    event = answer_of(OLD["guarantee"], Amount.pure(7))

    answer = Answer.of(event)

    assert answer.guarantee == OLD["guarantee"] | {"measure": "epsilon"}
    assert answer.spent == {"measure": "epsilon", "units": 7}
    assert answer.spent_micro_epsilon == 7
    json.dumps(asdict(answer))


def test_a_client_is_shown_every_field_there_is():
    """A field that the wire gains is one of the answer, or this says which is not."""
    travels = set(QueryAnswered.__struct_fields__) - {"v", "error"}

    assert {field.name for field in fields(Answer)} == travels | {
        "error_code",
        "error_message",
    }
