"""A store of an older release is recognised by whoever opens it, and left alone."""

from __future__ import annotations

import asyncio
import os
import re
from asyncio.subprocess import PIPE

import pytest

from cli.command import SIGMA
from config.exit_codes import Exit
from embedded.deployment import USERS
from sigmacount.errors import OldKeys
from store import keys as families
from store.keys import OldNames
from store.migration.recognition import refuse_old_keys
from store.sensitive import Rows
from tests.fixtures.losses import Life
from tests.fixtures.older_release import aged, dumped

pytestmark = pytest.mark.redis

READERS = {
    "counter": True,
    "curator": True,
    "responder": False,
    "reclusterer": False,
    "dashboard": False,
    "admin": True,
}
ROLES = ("counter", "curator", "responder", "reclusterer", "gateway")
PATTERNS = sorted(v for v in vars(families).values() if str(v).startswith("sigma"))
OURS = {"topic_id": "t", "partitions": 9, "cluster_id": "c", "fingerprint": "f"}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_an_old_name_has_its_dataset_before_the_tag(pattern):
    """And is turned into the new one, also within a longer text."""
    names = OldNames("census")
    parts = {name: "7" for name in re.findall(r"<([a-z]+)>", pattern) if name != "ds"}

    was = names.of(pattern, **parts)

    assert was.startswith("sigma:census:{")
    assert names.renamed(f"{was}\n{was}\n") == 2 * (
        families.Keys("census").of(pattern, **parts) + "\n"
    )


@pytest.mark.parametrize("role", READERS)
async def test_every_role_recognises_it(redis, as_role, keys, role):
    """By the ledger, which each of them may read; with its own user."""
    await Life.of(redis, keys)
    await refuse_old_keys(as_role(role), keys, rows=READERS[role])
    await aged(redis, keys)
    before = await dumped(redis, f"sigma*{keys.dataset}*")

    with pytest.raises(OldKeys, match="sigma migrate-keys") as refusal:
        await refuse_old_keys(as_role(role), keys, rows=READERS[role])

    assert refusal.value.found == f"sigma:{keys.dataset}:{{ledger}}:state"
    assert await dumped(redis, f"sigma*{keys.dataset}*") == before


@pytest.mark.parametrize("role", [role for role in READERS if READERS[role]])
@pytest.mark.parametrize("partition", [0, 8])
async def test_rows_without_a_ledger_are_recognised(
    redis, as_role, keys, role, partition
):
    """Counted before any curator came; a counter may have claimed the last alone."""
    await Rows(redis, keys).claim(partition, **OURS)
    await aged(redis, keys)

    with pytest.raises(OldKeys, match=rf"\{{rows:{partition}\}}:meta"):
        await refuse_old_keys(as_role(role), keys, rows=True)


async def test_another_dataset_is_no_reason(redis, keys):
    """Not even one whose name begins alike."""
    await Life.of(redis, families.Keys(f"{keys.dataset}2"))
    await aged(redis, families.Keys(f"{keys.dataset}2"))

    await refuse_old_keys(redis, keys, rows=True)


@pytest.fixture
async def older(redis, keys):
    """A store of this test's dataset, of an older release."""
    await Life.of(redis, keys)
    await aged(redis, keys)
    return await dumped(redis, f"sigma*{keys.dataset}*")


@pytest.fixture
def declared(dataset, tmp_path):
    """A declaration of this test's dataset."""
    path = tmp_path / f"{dataset}.toml"
    path.write_text(
        f'name = "{dataset}"\n[attributes.sex]\n'
        'kind = "categorical"\nlevels = ["F", "M"]\n'
    )
    return path


@pytest.mark.parametrize("role", ROLES)
async def test_a_worker_ends_with_a_code_of_its_own(
    redis, redis_server, older, declared, dataset, role
):
    """Before it looks for a broker; the text names the remedy."""
    settings = {
        "SIGMA_DATASET": str(declared),
        "SIGMA_REDIS_URL": redis_server.url_for(USERS.get(role, role)),
        "SIGMA_PRIVACY_BUDGET": "1000000",
        "SIGMA_PRIVACY_CHURN_PROBABILITY": "0.001",
        "SIGMA_KAFKA_BOOTSTRAP": "127.0.0.1:1",
    }
    ended = await asyncio.create_subprocess_exec(
        *(*SIGMA, "worker", role), env=os.environ | settings, stderr=PIPE
    )
    _, told = await ended.communicate()

    assert ended.returncode == Exit.OLD_KEYS, told.decode()
    assert b"nothing was read or changed" in told
    assert await dumped(redis, f"sigma*{dataset}*") == older
