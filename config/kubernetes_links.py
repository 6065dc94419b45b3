"""Variables that Kubernetes sets by itself for each Service of a namespace.

A Service called ``sigma-redis`` gives every pod SIGMA_REDIS_SERVICE_HOST,
SIGMA_REDIS_PORT=tcp://… and more: they are no settings, and nobody misspelt one.
"""

from __future__ import annotations

import re

_NAMES = re.compile(
    r"SIGMA(_[A-Z0-9_]+)?_"
    r"(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?"
    r"|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_ADDRESS = re.compile(r"(tcp|udp|sctp)://\S+")


def is_link(name: str, value: str) -> bool:
    """Whether Kubernetes set it: known by its name or, at …_PORT, by its value."""
    address = name.endswith("_PORT") and _ADDRESS.fullmatch(value) is not None
    return address or _NAMES.fullmatch(name) is not None


def complaint(variable: str, value: str) -> str | None:
    """What to say when a link stands where a setting of ours should; else None."""
    if not is_link(variable, value):
        return None
    return (
        f"{variable} holds the address of a Kubernetes Service, not a setting: set"
        " enableServiceLinks: false in the pod, or give the Service another name."
    )
