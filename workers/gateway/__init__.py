"""The gateway: the service's questions and answers over HTTP, for whoever has a token.

``following`` reads the topics; ``entrance`` says who asks, and how often, ``bodies``
what; ``results`` has the questions that wait for their answers on Kafka. ``pages`` are
the addresses for programs, ``open_api`` their description; ``web`` those for people.
"""

from workers.gateway.entrance import (
    GatewayOptions,
    TokensUnusable,
    new_token,
    revoke_tokens,
    token_names,
)
from workers.gateway.following import GatewayReaders
from workers.gateway.gateway import Gateway, GatewayStores
from workers.gateway.web import BrokerSays

__all__ = [
    "BrokerSays",
    "Gateway",
    "GatewayOptions",
    "GatewayReaders",
    "GatewayStores",
    "TokensUnusable",
    "new_token",
    "revoke_tokens",
    "token_names",
]
