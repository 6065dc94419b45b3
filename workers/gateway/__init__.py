"""The gateway: the service's questions and answers over HTTP, for whoever has a token.

``tokens`` say who asks, ``bodies`` what, ``limits`` how often; ``questions`` are in
flight on Kafka; ``pages`` are the addresses, ``open_api`` their description.
"""

from workers.gateway.gateway import Gateway
from workers.gateway.limits import GatewayOptions
from workers.gateway.tokens import (
    TokensUnusable,
    new_token,
    revoke_tokens,
    token_names,
)

__all__ = [
    "Gateway",
    "GatewayOptions",
    "TokensUnusable",
    "new_token",
    "revoke_tokens",
    "token_names",
]
