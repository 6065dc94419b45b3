"""Questions that a responder passed on, though the plan in force holds them."""

from __future__ import annotations

import msgspec
import pytest

from sigmacount.language import parse
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import World, asking, group

pytestmark = pytest.mark.redis
FEMALE = "sex = 'F'"


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def asked(curator, *wheres):
    """Questions of one batch, their answers."""
    return await curator.ask(*(asking(curator.world.schema, where) for where in wheres))


async def test_what_a_newer_plan_holds_is_told_for_nothing(world):
    """A responder still served the older plan; asked twice in one batch."""
    curator = await world.curator(draw=Large)
    await curator.tick(group(world.schema, "sex"), version=1)
    before = await curator.spent()

    answers = await asked(curator, FEMALE, FEMALE)

    served = curator.epochs.source.serving.answer(parse(world.schema, FEMALE))
    assert [served, served] == answers_to_nobody(answers)
    assert served.route == "algebra"
    assert await curator.spent() == before
    assert await curator.ledger.spent_by("ada") == 0


async def test_beside_what_no_group_holds_each_goes_its_own_way(world):
    """One is paid for, the other is not, and they keep their order."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex"), version=1)

    held, fresh = await asked(curator, FEMALE, f"{FEMALE} AND city = 'Oslo'")

    assert (held.route, fresh.route) == ("algebra", "fresh")
    assert fresh.count <= held.count
    assert await curator.ledger.spent_by("ada") == fresh.spent_micro_epsilon > 0


async def test_of_a_frozen_epoch_this_is_said(world):
    """Its algebras are told for nothing still, and as frozen."""
    curator = await world.curator(draw=Large, limit=10_000)
    await curator.tick(group(world.schema, "sex"), version=1)
    await world.change(cleo=("F", "Rome", "nurse"))
    await curator.tick()

    [answer] = await asked(curator, FEMALE)

    assert (answer.route, answer.frozen) == ("algebra", True)


def answers_to_nobody(answers):
    """The answers without whom they are for."""
    return [msgspec.structs.replace(a, request_id="", client="") for a in answers]
