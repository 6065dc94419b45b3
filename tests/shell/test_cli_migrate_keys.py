"""`sigma migrate-keys`, as an operator types it; and each verb before it is run."""

from __future__ import annotations

import pytest

from store.keys import HEAD, LEDGER, OldNames
from store.migration.inventory import taken
from tests.fixtures.curator_steps import PARTITIONS
from tests.fixtures.deployment import Deployment
from tests.fixtures.losses import Life
from tests.fixtures.older_release import aged, rested

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

VERBS = (
    ("ledger",),
    ("ledger", "restore"),
    ("ledger", "rule", "renew"),
    ("plan", "show"),
    ("recluster", "--wait", "0.1"),
    ("verify",),
    ("rebuild", "--yes"),
)


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """A dataset whose store is of an older release."""
    made = Deployment.of(kafka, redis_server, dataset, tmp_path)

    async def age(client, keys):
        await Life.of(client, keys)
        await rested(client, keys, PARTITIONS)
        await aged(client, keys)

    made.in_store(age)
    return made


def left(deployment) -> bool:
    """Whether anything still has an old name."""
    found = []

    async def look(client, keys):
        found.append(await taken(client, keys))

    deployment.in_store(look)
    return bool(found[0])


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_verb_is_refused_before_and_not_after(deployment, verb):
    """Exit code 7, the remedy, nothing on its standard output."""
    told = deployment.sigma(*verb)

    assert told.code == 7, told.out + told.err
    assert "sigma migrate-keys" in told.err
    assert told.out == ""
    assert deployment.sigma("migrate-keys").code == 0
    assert deployment.sigma(*verb).code != 7


def test_doctor_fails_at_the_keys_and_says_no_more_of_the_store(deployment):
    """Under names that nobody uses there is nothing to look at."""
    told = deployment.sigma("doctor", "--json")

    assert told.code == 1
    assert '"name": "keys", "mark": "fail"' in told.out
    assert '"name": "ledger"' not in told.out
    assert deployment.sigma("migrate-keys").code == 0
    assert '"name": "keys", "mark": "ok"' in deployment.sigma("doctor", "--json").out


def test_it_says_what_it_did(deployment):
    """Looked at, done, done already."""
    dry = deployment.sigma("migrate-keys", "--dry-run")
    assert left(deployment)
    done = deployment.sigma("migrate-keys")
    again = deployment.sigma("migrate-keys")

    assert (dry.code, done.code, again.code) == (0, 0, 0)
    assert "would be renamed; nothing was changed" in dry.out
    assert "on disk under its new names" in done.out
    assert "no keys of an older release" in again.out
    assert not left(deployment)


@pytest.mark.parametrize("role", ["counter", "curator", "responder", "reclusterer"])
def test_only_the_admin_may(deployment, role):
    """A role's user has no right to old names, but to see that they are there."""
    told = deployment.sigma("migrate-keys", user=role)

    assert told.code == 2
    assert "does not let the user" in told.err
    assert left(deployment)


def test_it_refuses_while_a_curator_leads(deployment):
    """With who that is, and what to do."""

    async def lead(client, keys):
        lease = OldNames(keys.dataset).of("sigma:{<ds>:lease}:<role>", role="curator")
        await client.set(lease, "7 curator@there", ex=60)

    deployment.in_store(lead)

    told = deployment.sigma("migrate-keys")

    assert told.code == 2
    assert "a curator leads (curator@there): nothing was changed" in told.err
    assert left(deployment)


@pytest.mark.parametrize("pattern", [HEAD, LEDGER])
def test_it_refuses_keys_of_both_names(deployment, pattern):
    """One line, exit code 1."""

    async def write(client, keys):
        await client.hset(keys.of(pattern), "f", "of another life")

    deployment.in_store(write)

    told = deployment.sigma("migrate-keys")

    assert told.code == 1
    assert "under old and new names alike" in told.err
    assert left(deployment)
