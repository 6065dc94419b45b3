"""`sigma verify` and `sigma rebuild` where owners have so many rows and no more."""

from __future__ import annotations

import pytest

from streams.wire.messages.events import RowChanged
from tests.fixtures.deployment import Deployment

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

LIMIT, MOST = 3, 2
TERMS = {
    "privacy_budget": 1_000_000,
    "privacy_rule": "continual",
    "privacy_changes_limit": LIMIT,
    "privacy_owner_rows": MOST,
}


def row(owner: str, number: int, age: int) -> RowChanged:
    """A row of somebody, or where it went."""
    kind = "insert" if age < 90 else "update"
    return RowChanged(op=kind, id=f"{owner}/{number}", row={"age": age, "sex": "F"})


@pytest.fixture
def owned(kafka, redis_server, dataset, tmp_path):
    """20 owners of a row too many, each of whose first rows moves once too often."""
    deployment = Deployment.of(kafka, redis_server, dataset, tmp_path)
    owners = [f"o{n}" for n in range(20)]
    events = [row(who, number, 10) for who in owners for number in (1, 2, 3)]
    events += [row(who, 1, age) for age in (20, 30) for who in owners]
    events += [RowChanged(op="insert", id="eve", row={"age": 1, "sex": "F"})]
    deployment.send(events)
    deployment.count(len(events), limit=LIMIT, owner_rows=MOST)
    return deployment


def test_what_is_beyond_either_bound_is_no_difference(owned):
    """Neither third rows nor third moves count, in the store or in the recount."""
    told = owned.sigma("verify", **TERMS)

    assert told.code == 0, told.out + told.err
    found = owned.counted().values()
    rows = sum(int(n) for cells, _ in found for n in cells.values())
    often = {each[:4] for _, ids in found for each in ids.values()}
    changed = {int.from_bytes(each, "big") for each in often}
    assert rows == 20 * MOST
    assert changed == {1, LIMIT}


def test_a_rebuild_sets_the_same_aside(owned):
    """Rows, counts and how often each row changed are what they were."""
    before = owned.counted()

    told = owned.sigma("rebuild", "--yes", **TERMS)
    owned.count(0, limit=LIMIT, owner_rows=MOST)

    assert told.code == 0, told.out + told.err
    assert owned.counted() == before
    assert owned.sigma("verify", **TERMS).code == 0


@pytest.mark.parametrize("most", [MOST - 1, MOST + 1])
def test_under_another_bound_nothing_is_compared_or_forgotten(owned, most):
    """It gives ids another meaning: other rows would count."""
    before, other = owned.counted(), TERMS | {"privacy_owner_rows": most}

    compared = owned.sigma("verify", **other)
    rebuilt = owned.sigma("rebuild", "--yes", **other)

    assert (compared.code, rebuilt.code) == (1, 1)
    assert "counted by another declaration" in " ".join(compared.err.split())
    assert "give the dataset another name" in " ".join(rebuilt.err.split())
    assert owned.counted() == before
