"""noise_put.lua and noise_drop.lua beside ``sigmacount.models.vault.Vault``."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigmacount.errors import Fenced, Mismatch
from sigmacount.models.vault import StoredNoise, Vault
from store.keys import NOISE_UNIT, Keys
from store.releases.noise_vault import NoiseVault

pytestmark = pytest.mark.redis

UNITS = {"g1": 1, "g2": 3, "q-0": 1}  # unit → atoms
values = st.sampled_from(
    [0, 1, -1, 127, -129, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63)]
)
drawn = st.fixed_dictionaries(
    {}, optional={u: st.tuples(*[values] * n) for u, n in UNITS.items()}
)
puts = st.tuples(st.integers(1, 3), st.integers(0, 1), drawn)  # token, generation
drops = st.tuples(
    st.integers(1, 3), st.integers(0, 1), st.sets(st.sampled_from([*UNITS]))
)


@given(history=st.lists(st.one_of(puts, puts, drops), min_size=3, max_size=12))
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_the_scripts_agree_with_the_pure_vault(redis, history):
    """Same acts, same order: the same noise is held, the same curators are refused."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    vault, model = NoiseVault(redis, keys), Vault()
    for token, generation, offered in history:
        if isinstance(offered, set):
            model = await dropped(
                vault, model, token, [(u, generation) for u in offered]
            )
            assert await held(vault) == {n: h.noise for n, h in model.held.items()}
            continue
        arrays = {unit: np.array(noise) for unit, noise in offered.items()}
        wanted = {unit: StoredNoise(noise, b"?") for unit, noise in offered.items()}
        try:
            model = model.put(token, generation, wanted)
        except Fenced:
            with pytest.raises(Fenced):
                await vault.put_many(token, generation, arrays)
        else:
            kept = await vault.put_many(token, generation, arrays)
            assert {(u, generation): tuple(a.tolist()) for u, a in kept.items()} == {
                (unit, generation): model.held[unit, generation].noise
                for unit in offered
            }
        assert await held(vault) == {name: h.noise for name, h in model.held.items()}


async def dropped(
    vault: NoiseVault, model: Vault, token: int, names: list[tuple[str, int]]
) -> Vault:
    """Both without these, or both refuse."""
    given = [vault.name(*name) for name in names]
    try:
        model = model.drop(token, names)
    except Fenced:
        with pytest.raises(Fenced):
            await vault.drop(token, given)
    else:
        await vault.drop(token, given)
    return model


async def held(vault: NoiseVault) -> dict[tuple[str, int], tuple[int, ...]]:
    """All that the shared vault holds."""
    return {
        (unit, generation): tuple(noise.tolist())
        for generation in (0, 1)
        for unit, noise in (await vault.get_many(list(UNITS), generation)).items()
        if noise is not None
    }


async def test_each_noise_has_a_random_key_that_stays(redis, keys):
    """As the noise does; two units never share one."""
    vault = NoiseVault(redis, keys)
    await vault.put_many(1, 0, {"g1": np.array([3]), "g2": np.array([3])})
    first = await vault.keys_of(["g1", "g2"], 0)

    await vault.put(2, "g1", 0, np.array([4]))

    assert await vault.keys_of(["g1", "g2"], 0) == first
    assert sorted(map(len, first.values())) == [32, 32]
    assert len(set(first.values())) == 2


async def test_noise_that_had_no_key_is_given_one_and_keeps_it(redis, keys):
    """A vault that is older than the keys; the model says the same."""
    vault, model = NoiseVault(redis, keys), Vault({("g1", 0): StoredNoise((3,), None)})
    await vault.put(1, "g1", 0, np.array([3]))
    await redis.hdel(keys.of(NOISE_UNIT, unit="g1", gen=0), "key")

    kept = await vault.put(1, "g1", 0, np.array([4]))
    given = await vault.keys_of(["g1"], 0)
    await vault.put(1, "g1", 0, np.array([4]))

    assert kept.tolist() == [3]
    assert len(given["g1"]) == 32
    assert await vault.keys_of(["g1"], 0) == given
    for key in (b"a", b"b"):
        model = model.put(1, 0, {"g1": StoredNoise((4,), key)})
    assert model.held["g1", 0] == StoredNoise((3,), b"a")


async def test_noise_that_was_lost_is_drawn_under_another_name(redis, keys):
    """What is found later under the old name is never shown again."""
    vault = NoiseVault(redis, keys)
    await vault.put(1, "g1", 0, np.array([3]))

    vault.mark_lost({("g1", 0): 2})

    assert await vault.get("g1", 0) is None
    await vault.put(1, "g1", 0, np.array([5]))
    assert str(vault.name("g1", 0)) == "g1:0.2"
    assert (await vault.get("g1", 0)).tolist() == [5]
    assert (await NoiseVault(redis, keys).get("g1", 0)).tolist() == [3]


async def test_a_unit_keeps_its_number_of_atoms(redis, keys):
    """Noise of another shape under a known name is a defect, not an answer."""
    vault = NoiseVault(redis, keys)
    await vault.put(1, "g1", 0, np.array([3, 4]))

    with pytest.raises(Mismatch, match="2 atoms, not 3"):
        await vault.put(1, "g1", 0, np.array([3, 4, 5]))


async def test_noise_that_was_never_drawn_is_none(redis, keys):
    """Absence is None: noise that happens to be 0 is noise."""
    vault = NoiseVault(redis, keys)
    await vault.put(1, "g1", 0, np.array([0]))

    assert await vault.get("g2", 0) is None
    assert (await vault.get("g1", 0)).tolist() == [0]
