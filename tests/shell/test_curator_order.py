"""Everything told in one epoch keeps its order, fresh answers among it."""

from __future__ import annotations

import itertools

import pytest

from sigmacount.errors import QueryTooComplex
from sigmacount.language import parse
from sigmacount.release import IndependentAlgebras, OrderedAnswers, Plan
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import World, asking, group
from workers.answering.served_epoch import ServedEpoch

pytestmark = pytest.mark.redis
QUESTIONS = (
    "sex = 'F'",
    "sex = 'F' AND city = 'Oslo'",
    "sex = 'F' AND city IN ('Oslo', 'Rome')",
    "city = 'Oslo'",
    "city = 'Oslo' AND job = 'cook'",
    "city IN ('Oslo', 'Rome') AND job = 'cook'",
    "job = 'cook'",
    "job = 'cook' AND sex = 'F'",
    "sex = 'F' AND city = 'Oslo' AND job = 'cook'",
    "NOT (sex = 'M' AND city = 'Paris' AND job = 'nurse')",
    "NOT (sex = 'M' AND job = 'nurse')",
)


async def test_a_subset_is_never_told_more(redis, keys):
    """Two noisy algebras and noisier fresh draws over four rows, epoch by epoch."""
    world = World.of(redis, keys)
    await world.change(
        a=("F", "Oslo", "cook"),
        b=("M", "Oslo", "cook"),
        c=("F", "Rome", "nurse"),
        d=("M", "Paris", "nurse"),
    )
    curator = await world.curator(fresh=50_000)
    groups = (
        group(world.schema, "sex", "city", price=100_000),
        group(world.schema, "city", "job", price=90_000),
    )
    await curator.tick(*groups, version=1)

    for turn in range(4):
        said = await answer_to(world, curator, QUESTIONS[turn:] + QUESTIONS[:turn])
        routes = {answer.route for answer in said.values()}
        assert "algebra" in routes
        assert routes & {"fresh", "memo"}
        for (one, small), (two, large) in itertools.permutations(said.items(), 2):
            subset = parse(world.schema, one).issubset(parse(world.schema, two))
            assert small.count <= large.count or not subset, (one, two)
        await world.change(**{f"p{turn}": ("F", "Oslo", "nurse")})
        await curator.tick()


async def answer_to(world, curator, questions):
    """Each question's answer: the responder's, or else the curator's."""
    head, noisy = await curator.released.current("noisy")
    _, counts = await curator.released.current("counts")
    groups = Plan.from_wire(world.schema, head.plan).groups
    serving = ServedEpoch(head, IndependentAlgebras(groups, noisy, counts), 0.95)
    said = {}
    for where in questions:
        answer = serving.answer(parse(world.schema, where))
        if answer is None:
            [answer] = await curator.ask(asking(world.schema, where))
        assert answer.status == "ok"
        said[where] = answer
    return said


async def test_all_algebras_of_an_epoch_share_one_total(redis, keys):
    """`simplex`: what is known of the number of rows is known to each of them."""
    world = World.of(redis, keys)
    await world.change(**{f"p{n}": ("F", "Oslo", "cook") for n in range(30)})
    curator = await world.curator(postprocess="simplex", draw=Large)
    groups = (group(world.schema, "sex"), group(world.schema, "city", "job"))

    await curator.tick(*groups, version=1)

    _, counts = await curator.released.current("counts")
    assert len({int(each.sum()) for each in counts.values()}) == 1
    assert len(counts) == 2


async def test_what_cannot_be_compared_is_refused_and_costs_nothing(
    redis, keys, monkeypatch
):
    """Nor is it remembered; the rest of its batch is answered."""
    world = World.of(redis, keys)
    await world.change(ada=("F", "Oslo", "cook"))
    curator = await world.curator(fresh=20_000)
    await curator.tick()
    complex_, simple = (asking(world.schema, w) for w in ("sex = 'F'", "job = 'cook'"))
    place = OrderedAnswers.place

    def too_complex(self, query):
        if query.key == complex_.key:
            raise QueryTooComplex("2^21 combinations")  # noqa: EM101, TRY003 - any words
        place(self, query)

    with monkeypatch.context() as patched:
        patched.setattr(OrderedAnswers, "place", too_complex)
        refused, other = await curator.ask(complex_, simple)
    before = await curator.spent()
    [answer] = await curator.ask(complex_)

    assert (refused.status, refused.count) == ("refused", None)
    assert "Nothing was spent" in refused.error.message
    assert (other.status, before) == ("ok", 20_000)
    assert (answer.status, answer.spent_micro_epsilon) == ("ok", 20_000)
