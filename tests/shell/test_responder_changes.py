"""Questions with ``since``: the net change between two epochs, for nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sigmacount.accounting import FixedNoise, Renew
from sigmacount.language import parse
from sigmacount.mechanisms import unwatched
from sigmacount.models import HistoryLimits
from streams.wire.messages.events import QueryAsked
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import RHO, World, group
from tests.fixtures.in_memory import MemoryConsumer, MemoryPublisher, memory_record
from tests.fixtures.responder_steps import FEMALE, TOPICS, ResponderSteps

pytestmark = pytest.mark.redis

ALL = HistoryLimits(8, 2**20)
PEOPLE = {"ada": ("F", "Oslo", "cook"), "bob": ("M", "Rome", "cook")}
MORE = {"eva": ("F", "Rome", "nurse"), "ida": ("F", "Oslo", "cook"), "bob": None}


class Sevens(Large):
    """Noise that is the same in every epoch."""

    def draw(self, size, watch=unwatched):  # noqa: ARG002
        """Sevens."""
        return np.full(size, 7)


def since(said, where="", v=2, **more):
    """A question for a change, on its way."""
    event = QueryAsked(
        request_id="r", client="ada", where=where, since=said, v=v, **more
    )
    return memory_record(event)


async def keeping(world, history, **terms):
    """A curator that keeps so much of its epochs."""
    curator = await world.curator(**terms)
    curator.released._limits = history  # noqa: SLF001 - as its settings would say
    return curator


async def steps_of(redis, keys, rule=Renew(), history=ALL, **terms):  # noqa: B008
    """Two epochs of sex by city, between which people came and went."""
    world = World.of(redis, keys)
    await world.change(**PEOPLE)
    curator = await keeping(world, history, rule=rule, **terms)
    await curator.tick(group(world.schema, "sex", "city"), version=1)
    await world.change(**MORE)
    await curator.tick()
    return ResponderSteps(world, curator, MemoryPublisher(), MemoryConsumer())


@pytest.fixture
async def steps(redis, keys):
    """The same, with noise that is drawn anew for each epoch."""
    return await steps_of(redis, keys)


async def sums(steps, epoch):
    """What an epoch showed before post-processing, by id."""
    history = steps.curator.released.history
    return await history.numbers((await history.epochs())[epoch])


async def test_a_change_is_the_difference_of_two_noisy_sums(steps):
    """Twice the noise of one epoch is in it, and its interval is around it."""
    [answer] = await steps.answer(since(1, FEMALE))

    [made] = steps.curator.epochs.plan.groups
    atoms = made.algebra.atoms_of(parse(steps.world.schema, FEMALE))
    before, after = (await sums(steps, 1))[made.id], (await sums(steps, 2))[made.id]
    assert answer.count == answer.unbiased == (after - before)[atoms].sum()
    assert answer.stderr == pytest.approx(math.sqrt(2 * atoms.size * made.variance))
    half = made.mechanism.quantile(2 * atoms.size, 0.95)
    assert answer.interval == (answer.count - half, answer.count + half)
    assert (answer.since_epoch, answer.epoch) == (1, 2)
    assert (answer.route, answer.group, answer.cost) == ("algebra", made.id, None)
    assert answer.guarantee.epochs == 2  # both of them
    assert steps.out.on(TOPICS.fresh) == []


async def test_it_counts_who_came_less_who_went(redis, keys):
    """Noise that does not vary leaves nothing but that, of either sign."""
    steps = await steps_of(redis, keys, draw=Sevens)

    found = await steps.answer(
        *(since(1, where) for where in (FEMALE, "sex = 'M'", "city = 'Paris'", ""))
    )

    assert [answer.count for answer in found] == [2, -1, 0, 1]


@pytest.mark.parametrize("said", [2, "0s", "0 epochs"])
async def test_between_an_epoch_and_itself_nothing_changed(steps, said):
    """0 ± 0, exactly, whatever is asked."""
    [answer] = await steps.answer(since(said, FEMALE))

    assert (answer.count, answer.stderr, answer.interval) == (0, 0.0, (0, 0))
    assert (answer.since_epoch, answer.since_ms) == (2, answer.as_of_ms)


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        (0, "refused", "since_too_early"),
        ("1h", "refused", "since_too_early"),
        ("5 epochs", "refused", "since_too_early"),
        (3, "refused", "since_in_future"),
        ("2096-01-01", "refused", "since_in_future"),
        ("yesterday", "invalid", "invalid_predicate"),
    ],
)
async def test_what_is_not_kept_or_not_come_or_no_time_is_refused(
    steps, said, status, code
):
    """And not passed on to the curator, which would count."""
    [answer] = await steps.answer(since(said, FEMALE))

    assert (answer.status, answer.error.code, answer.count) == (status, code, None)
    assert steps.out.on(TOPICS.fresh) == []


async def test_the_refusal_names_the_oldest_epoch_that_is_kept(redis, keys):
    """Of as many as the operator keeps."""
    steps = await steps_of(redis, keys, history=HistoryLimits(1, 2**20))
    await steps.curator.tick()

    found = await steps.answer(since(1, FEMALE), since(2, FEMALE))

    assert "oldest epoch that is kept is 2, of 20" in found[0].error.message
    assert (found[1].status, found[1].since_epoch) == ("ok", 2)


async def test_a_message_of_the_first_version_is_refused(steps):
    """A worker that does not know ``since`` would answer it with a count."""
    [answer] = await steps.answer(since(1, FEMALE, v=1))

    assert (answer.status, answer.error.code) == ("invalid", "invalid_message")
    assert "must be 2 where since is asked" in answer.error.message


@pytest.mark.parametrize("history", [ALL, HistoryLimits()])
async def test_under_fixed_noise_changes_are_refused_with_the_reason(
    redis, keys, history
):
    """They would be exact."""
    steps = await steps_of(redis, keys, FixedNoise(RHO), history)

    [answer] = await steps.answer(since(1, FEMALE))

    assert (answer.status, answer.error.code) == ("refused", "changes_not_told")
    assert "exactly, down to a single row" in answer.error.message


async def test_before_the_first_epoch_there_is_nothing_to_compare_with(redis, keys):
    """And it is not passed on either."""
    world = World.of(redis, keys)
    curator = await keeping(world, ALL, rule=Renew())
    steps = ResponderSteps(world, curator, MemoryPublisher(), MemoryConsumer())

    [answer] = await steps.answer(since("1h"))

    assert (answer.status, answer.error.code) == ("refused", "since_too_early")
    assert steps.out.on(TOPICS.fresh) == []


async def test_what_no_table_holds_has_no_change(steps):
    """Fresh noise of two epochs would have to be paid for twice: it is not begun."""
    found = await steps.answer(
        since(1, "job = 'cook'"), since(1, by=("sex", "job")), since(1, by=("sex",))
    )

    codes = [answer.error and answer.error.code for answer in found]
    assert codes == ["change_not_held", "change_not_held", None]
    assert steps.out.on(TOPICS.fresh) == []


async def test_a_set_that_another_plan_counted_then_has_no_change(steps):
    """The refusal says since when there is one; what both plans hold is told."""
    schema = steps.world.schema
    both = group(schema, "sex", "city"), group(schema, "job")
    await steps.curator.tick(*both, version=2)
    await steps.curator.tick()

    found = await steps.answer(
        since(1, "job = 'cook'"), since(3, "job = 'cook'"), since(1, FEMALE)
    )

    assert found[0].error.code == "plan_changed"
    assert "Ask since epoch 3, of 20" in found[0].error.message
    assert [answer.since_epoch for answer in found[1:]] == [3, 1]


async def test_an_accuracy_that_is_not_there_cannot_be_bought(steps):
    """Whatever may be spent."""
    [exact] = await steps.answer(since(1, FEMALE))
    half = exact.interval[1] - exact.count

    *_, fine, coarse = await steps.answer(
        since(1, FEMALE, error=half - 1, max_cost=10**9),
        since(1, FEMALE, error=half),
    )

    assert fine.error.code == "change_too_inexact"
    assert f"within {half:,} rows" in fine.error.message
    assert (coarse.count, coarse.interval) == (exact.count, exact.interval)


async def test_a_change_has_no_price(steps):
    """It is told from what was released."""
    [answer] = await steps.answer(since(1, FEMALE, price=True))

    assert (answer.status, answer.error.code) == ("invalid", "invalid_predicate")


async def test_a_table_of_changes_is_what_each_of_its_rows_is_alone(steps):
    """Below zero as well, where intervals of counts end."""
    [table] = await steps.answer(since(1, by=("city", "sex")))
    cells = [row.levels for row in table.table.rows]
    asked = (f"city = '{city}' AND sex = '{sex}'" for city, sex in cells)
    _, *alone = await steps.answer(*(since(1, where) for where in asked))

    shown = [(row.count, row.stderr, row.interval) for row in table.table.rows]
    assert shown == [(a.count, a.stderr, a.interval) for a in alone]
    assert table.count == sum(count for count, _, _ in shown)
    assert min(row.joint[0] for row in table.table.rows) < 0
    assert table.since_epoch == 1
    assert table.guarantee == alone[0].guarantee
