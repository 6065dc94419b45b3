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


async def asked(reign, *wheres):
    """Questions of one batch, their answers."""
    return await reign.ask(*(asking(reign.world.schema, where) for where in wheres))


async def test_what_a_newer_plan_holds_is_told_for_nothing(world):
    """A responder still served the older plan; asked twice in one batch."""
    reign = await world.reign(draw=Large)
    await reign.tick(group(world.schema, "sex"), version=1)
    before = await reign.spent()

    answers = await asked(reign, FEMALE, FEMALE)

    served = reign.epochs.ground.serving.answer(parse(world.schema, FEMALE))
    assert [served, served] == answers_to_nobody(answers)
    assert served.route == "algebra"
    assert await reign.spent() == before
    assert await reign.ledger.spent_by("ada") == 0


async def test_beside_what_no_group_holds_each_goes_its_own_way(world):
    """One is paid for, the other is not, and they keep their order."""
    reign = await world.reign()
    await reign.tick(group(world.schema, "sex"), version=1)

    held, fresh = await asked(reign, FEMALE, f"{FEMALE} AND city = 'Oslo'")

    assert (held.route, fresh.route) == ("algebra", "fresh")
    assert fresh.count <= held.count
    assert await reign.ledger.spent_by("ada") == fresh.spent_micro_epsilon > 0


async def test_of_a_frozen_epoch_this_is_said(world):
    """Its algebras are told for nothing still, and as frozen."""
    reign = await world.reign(draw=Large, limit=10_000)
    await reign.tick(group(world.schema, "sex"), version=1)
    await world.change(cleo=("F", "Rome", "nurse"))
    await reign.tick()

    [answer] = await asked(reign, FEMALE)

    assert (answer.route, answer.frozen) == ("algebra", True)


def answers_to_nobody(answers):
    """The answers without whom they are for."""
    return [msgspec.structs.replace(a, request_id="", client="") for a in answers]
