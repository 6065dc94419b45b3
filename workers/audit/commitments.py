"""Auditing: the store held to what the audit trail says was charged and shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from sigmacount.mechanisms import commitment
from sigmacount.models import NoiseName
from store.releases.noise_vault import NoiseVault
from streams.audit.trail import Trail

SHOWN = 3  # names that a message lists; a vault that was emptied would list them all


async def unfaithful(vault: NoiseVault, dataset: str, trail: Trail) -> list[NoiseName]:
    """Noise that was shown, may be shown again, and is not in the vault as it was.

    COST: every such noise is read once.
    """
    binding = trail.binding()
    by_generation: dict[int, list[str]] = defaultdict(list)
    for name in binding:
        by_generation[name.generation].append(name.unit)
    found = []
    for generation, units in by_generation.items():
        noises = await vault.get_many(units, generation)
        keys = await vault.keys_of(units, generation)
        for unit, noise in noises.items():
            name, key = vault.name(unit, generation), keys[unit]
            figure = None
            if noise is not None and key is not None:
                figure = commitment(key, dataset, str(name), noise)
            if figure != binding[name]:
                found.append(name)
    return found


def newest(paid: Iterable[NoiseName | None], trail: Trail) -> dict[int, list[str]]:
    """Units whose newest noise no message binds, by generation.

    ``paid`` are the noises that were charged for; older ones are never shown again.
    """
    last: dict[str, NoiseName] = {}
    for name in sorted(name for name in paid if name is not None):
        last[name.unit] = name
    unbound: dict[int, list[str]] = defaultdict(list)
    for name in last.values():
        lost = name.lost < trail.lost.get((name.unit, name.generation), 0)
        bound = name in trail.commitments or name in trail.ticks
        if not bound and not lost:
            unbound[name.generation].append(name.unit)
    return unbound


def listed(names: Collection[NoiseName]) -> str:
    """Some of the names, for a message."""
    some = ", ".join(map(str, _first(names)))
    more = len(names) - SHOWN
    return f"{some} and {more:,} more" if more > 0 else some


def _first(names: Iterable[NoiseName]) -> list[NoiseName]:
    return sorted(names)[:SHOWN]
