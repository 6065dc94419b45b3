"""The rule of a dataset: pinned in its ledger, and changed by the operator alone."""

from __future__ import annotations

import itertools

import pytest

from sigmacount.accounting import Charge, Era, FixedNoise, Renew, era_in_force
from sigmacount.errors import Fenced, Mismatch, RulePinned, RulesDoNotMix
from store.keys import NOISE_UNIT
from store.ledger.ledger import RedisLedger
from streams.audit.trail import Trail
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import RHO, World, asking, group
from workers.clients import DatasetStores
from workers.operator.rule_change import begin_era

pytestmark = pytest.mark.redis

RULES = {"fixed-noise": FixedNoise(RHO), "renew": Renew()}
ASKED = "city = 'Oslo'"
EPSILON, FRESH = 10_000, 20_000


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def change_rule(world, name, **options):
    """`sigma ledger rule`, under a lease of its own."""
    world.tokens += 1
    stores = DatasetStores.of(world.redis, world.keys)
    return await begin_era(stores, world.trail, name, world.tokens, **options)


async def lived(world, name):
    """A curator under this rule publishes an epoch and answers a fresh question."""
    curator = await world.curator(rule=RULES[name], draw=Large)
    await curator.tick(group(world.schema, "sex"), version=1)
    await curator.tick()
    [answer] = await curator.ask(asking(world.schema, ASKED))
    assert answer.status == "ok"
    return curator, answer


async def vault(world):
    """Every noise that was ever drawn, by the name of its key."""
    pattern = world.keys.of(NOISE_UNIT, unit="*", gen="*")
    found = [key async for key in world.redis.scan_iter(pattern)]
    return {key: await world.redis.hget(key, "array") for key in found}


@pytest.mark.parametrize(("pinned", "asked"), [*itertools.permutations(RULES)])
async def test_a_curator_with_another_rule_is_refused(world, pinned, asked):
    """It names both rules and the remedy; nothing was spent or shown."""
    curator, _ = await lived(world, pinned)
    before = await curator.spent(), await curator.released.head()

    with pytest.raises(RulePinned) as refusal:
        await world.curator(rule=RULES[asked])

    assert (refusal.value.pinned, refusal.value.asked) == (pinned, asked)
    assert f"sigma ledger rule {asked}" in str(refusal.value)
    assert (await curator.spent(), await curator.released.head()) == before


async def test_a_ledger_from_before_rules_were_pinned_takes_that_of_the_settings(world):
    """At the next opening; what was spent stays spent."""
    ledger, world.tokens = RedisLedger(world.redis, world.keys), 1
    await ledger.open(1, 10**9)
    await ledger.charge(1, Charge("group:old:0", "group", EPSILON))

    curator = await world.curator(rule=RULES["renew"])

    assert era_in_force(await curator.ledger.entries()) == Era("renew")
    assert await curator.spent() == EPSILON
    with pytest.raises(RulePinned):
        await world.curator(rule=RULES["fixed-noise"])


async def test_noise_of_another_era_is_never_shown_again(world):
    """There and back, twice: each era draws for itself, and pays for all of it."""
    known, spent, epoch = {}, 0, 0
    for turn, name in enumerate(["fixed-noise", "renew"] * 2):
        if turn:
            before, now = await change_rule(world, name)
            assert now.since > max(before.since, epoch)
        curator, answer = await lived(world, name)
        drawn = await vault(world)
        [shown] = (await curator.noise()).values()

        assert {key: drawn[key] for key in known} == known, "noise was changed"
        assert len(set(drawn.values())) == len(drawn), "noise was drawn twice"
        assert not any(bytes(shown.astype("<i2")) in each for each in known.values())
        draws = 1 if name == "fixed-noise" else 2  # two epochs
        assert len(drawn) - len(known) == draws + 1  # and the fresh question
        assert await curator.spent() == spent + draws * EPSILON + FRESH
        assert (answer.route, answer.spent_micro_epsilon) == ("fresh", FRESH)
        assert answer.guarantee.rule == name
        known, spent, epoch = drawn, await curator.spent(), curator.epochs.head.epoch


async def test_a_change_before_any_epoch_of_the_era_draws_anew_all_the_same(world):
    """There and back at once: what was drawn for an epoch may have been lost."""
    await lived(world, "fixed-noise")
    known = await vault(world)

    await change_rule(world, "renew")
    _, now = await change_rule(world, "fixed-noise")
    curator, _ = await lived(world, "fixed-noise")

    drawn = await vault(world)
    assert len(drawn) == len(known) + 2
    assert curator.epochs.head.epoch >= now.since
    assert await curator.spent() == 2 * (EPSILON + FRESH)


async def test_the_served_epoch_of_the_other_era_is_not_gone_on_from(world):
    """Though no row moved: its next question would have noise of another era."""
    await lived(world, "renew")
    await change_rule(world, "fixed-noise")

    curator = await world.curator(rule=RULES["fixed-noise"], draw=Large)
    served = curator.epochs.head.epoch
    await curator.tick()

    assert curator.epochs.head.epoch > served
    about = curator.epochs.head.about
    assert about["rule"] == "fixed-noise"
    assert set(about["first"].values()) == {curator.epochs.head.epoch}


async def test_changing_to_the_rule_in_force_changes_nothing(world):
    """So the act can be repeated when nobody knows whether it was done."""
    curator, _ = await lived(world, "renew")
    _, first = await change_rule(world, "fixed-noise")
    entries = await curator.ledger.entries()

    before, again = await change_rule(world, "fixed-noise")

    assert before == again == first
    assert await curator.ledger.entries() == entries


async def test_the_change_is_in_the_chain_and_in_the_topic(world):
    """Priced at nothing, and vouched for by all that follows."""
    curator, _ = await lived(world, "renew")

    _, now = await change_rule(world, "fixed-noise")

    entries = await curator.ledger.entries()
    trail = Trail.of(world.keys.dataset, await world.trail.read())
    assert entries[-1].charge == now.charge
    assert trail.entries() == entries
    assert await curator.ledger.verify()


async def shown_exactly(world):
    """Under fixed-noise, two epochs between which somebody came."""
    curator, _ = await lived(world, "fixed-noise")
    await world.change(cy=("F", "Oslo", "nurse"))
    await curator.tick()
    return curator


async def test_a_rule_that_promises_every_change_does_not_follow_exact_ones(world):
    """It says who, how many charges stand in the way, and both ways out."""
    curator = await shown_exactly(world)
    entries = await curator.ledger.entries()

    with pytest.raises(RulesDoNotMix) as refusal:
        await change_rule(world, "continual")

    assert world.keys.dataset in str(refusal.value)
    assert "--count-lost" in str(refusal.value)
    assert "another name" in str(refusal.value)
    assert refusal.value.charges == 1
    assert await curator.ledger.entries() == entries
    assert era_in_force(entries).rule == "fixed-noise"


async def test_what_was_shown_exactly_can_be_counted_as_lost(world):
    """The note says so, in the chain and in the topic; again, it changes nothing."""
    curator = await shown_exactly(world)

    _, now = await change_rule(world, "continual", count_lost=True)
    before, again = await change_rule(world, "continual")

    entries = await curator.ledger.entries()
    trail = Trail.of(world.keys.dataset, await world.trail.read())
    assert now.counted_from == now.since > curator.epochs.head.epoch
    assert before == again == now == era_in_force(entries)
    assert trail.entries() == entries


async def test_where_no_change_was_shown_none_is_counted_as_lost(world):
    """One epoch under fixed-noise: the flag finds nothing to give up."""
    await lived(world, "fixed-noise")

    _, now = await change_rule(world, "continual", count_lost=True)

    assert now.counted_from == 0


async def test_a_curator_that_leads_on_is_fenced_by_the_change(world):
    """It would publish under the old rule."""
    curator, _ = await lived(world, "renew")
    await change_rule(world, "fixed-noise")

    with pytest.raises(Fenced):
        await curator.tick()


async def test_no_rule_can_be_changed_before_one_is_pinned(world):
    """The settings say which is the first."""
    with pytest.raises(Mismatch, match="SIGMA_PRIVACY_RULE"):
        await change_rule(world, "renew")
