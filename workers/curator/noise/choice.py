"""Choice: which keeping of noise a rule needs."""

from __future__ import annotations

from sigmacount.accounting import Continual, EvolvingRule
from sigmacount.mechanisms import Measure
from workers.audit import AuditLog
from workers.curator.connections import CuratorStores
from workers.curator.noise.ahead import TicksAhead
from workers.curator.noise.blocks import TreeUnits
from workers.curator.noise.generations import Generations
from workers.curator.noise.keeping import NoiseKeeping, NoiseSource
from workers.curator.noise.kept_draws import KeptDraws
from workers.curator.noise.ticking import TickingUnits
from workers.running.long_acts import LongActs


def keeping_for(
    rule: EvolvingRule,
    generations: Generations,
    measure: Measure,
    stores: CuratorStores,
    draw: NoiseSource,
    token: int,
    audit: AuditLog,
    acts: LongActs,
) -> NoiseKeeping:
    """Counters, or trees in pure ε, where they are paid for once; else draws."""
    if not isinstance(rule, Continual):
        return KeptDraws(rule, stores.vault, draw, token, audit, acts)
    ahead, vault = TicksAhead(draw, acts), stores.vault
    if measure is Measure.EPSILON:
        return TreeUnits(rule, generations, vault, ahead, token, audit)
    return TickingUnits(rule, generations, vault, stores.ticks, ahead, token, audit)
