"""Vault: noise is drawn once; whatever is offered later, the first draw stays.

The pure model of ``store/lua/noise_put.lua``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sigmacount.lease import Fence


@dataclass(frozen=True, slots=True)
class Vault:
    """The noise of every unit and generation ever drawn.

    Attributes:
        held: (unit, generation) → noise (n,), as a tuple.
        fence: older curators put nothing here.
    """

    held: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    fence: Fence = field(default_factory=Fence)

    def put(
        self, token: int, generation: int, drawn: Mapping[str, tuple[int, ...]]
    ) -> Vault:
        """The vault that holds all units of ``drawn``, older noise unchanged.

        Raises:
            Fenced: a newer curator was here; nothing is kept.
        """
        fence = self.fence.admit(token)
        offered = {(unit, generation): noise for unit, noise in drawn.items()}
        return Vault(MappingProxyType(offered | dict(self.held)), fence)
