"""The entrance: who is let in, how often, and with how much.

``tokens`` say who asks, ``limits`` how often; ``entrance`` holds a request to both, and
``patience`` a connection to its time.
"""

from workers.gateway.entrance.entrance import Entrance
from workers.gateway.entrance.limits import GatewayOptions
from workers.gateway.entrance.patience import PromptProtocol
from workers.gateway.entrance.tokens import (
    ClientTokens,
    TokensUnusable,
    new_token,
    revoke_tokens,
    token_names,
)

__all__ = [
    "ClientTokens",
    "Entrance",
    "GatewayOptions",
    "PromptProtocol",
    "TokensUnusable",
    "new_token",
    "revoke_tokens",
    "token_names",
]
