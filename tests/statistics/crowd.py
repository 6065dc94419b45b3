"""Many games in one release: every atom of a table has an Alice of its own.

Atoms are disjoint and their draws independent, so a release of K atoms, clamped one
by one, is K membership games at once. A real curator on a real store plays them all
in the time of one epoch.
"""

import numpy as np

from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group
from sigmacount.sets import Algebra
from tests.fixtures.curator_steps import PARTITIONS, World
from tests.statistics.audit import epsilon_at_least

SIDE, BATCH = 200, 5_000
GAMES = SIDE * SIDE  # Alice k lives in cell (k // SIDE, k % SIDE, "in")
PRESENT = np.arange(GAMES) % 2 == 0  # half of the games are played without her
OTHER = "bob"  # someone whose moves make an epoch; in a game of nobody's


def schema(name):
    """Two attributes that tell the Alices apart, and a third."""
    sides = [
        Attribute.categorical(axis, [f"{axis}{i}" for i in range(SIDE)])
        for axis in "xy"
    ]
    return Schema(name, (*sides, Attribute.categorical("z", ["in", "out"])))


async def crowded(redis, keys, present=PRESENT):
    """The world in which these Alices are present, and somebody else."""
    world = World(redis, keys, schema(keys.dataset))
    await world.change(**{OTHER: ("x0", "y0", "out")})
    await move(world, np.flatnonzero(present), there=True)
    return world


async def move(world, alices, *, there):
    """These Alices come, or go."""
    for partition in range(PARTITIONS):
        mine = alices[alices % PARTITIONS == partition]
        for some in np.split(mine, range(BATCH, mine.size, BATCH)):
            codes = 2 * some if there else np.full(some.size, -1)
            await world.apply(partition, [f"alice{k}" for k in some], codes)


async def somebody_moves(world, epoch):
    """Bob, who is in no game, so that there is something to publish."""
    await world.change(**{OTHER: (f"x{epoch}", "y0", "out")})


def by_two(world, price):
    """A table of one atom for each Alice."""
    return Group(Algebra.full(world.schema, [0, 1]), DiscreteLaplace.costing(price))


def by_three(world, price):
    """A table of two atoms for each Alice; she is in the first of them."""
    return Group(Algebra.full(world.schema, [0, 1, 2]), DiscreteLaplace.costing(price))


async def shown(curator, group, kind="counts"):
    """What is released of the atom of each Alice: int64 (games,)."""
    _, arrays = await curator.released.current(kind)
    return arrays[group.id].reshape(GAMES, -1)[:, 0]


def lost(event, alpha, present=PRESENT):
    """The ε that Alice lost at least, by how often an event (games,) came."""
    games = int(present.sum())
    assert 2 * games == event.size, "as many games with her as without"
    return epsilon_at_least((event[present].sum(), event[~present].sum()), games, alpha)
