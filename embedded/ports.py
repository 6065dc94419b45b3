"""Ports of this machine's loopback that are free to listen on."""

from __future__ import annotations

import socket

HOST = "127.0.0.1"


def free_port() -> int:
    """A TCP port of the loopback that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def claimed(port: int) -> bool:
    """Whether this process has a port of the loopback now, until it ends.

    Nobody listens there, and no other process claims it: the UDP port of that number is
    what is held, because a TCP port that is held could not be listened on by a child.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        claim = socket.socket(type=socket.SOCK_DGRAM)
        try:
            probe.bind((HOST, port))
            claim.bind((HOST, port))
        except OSError:
            claim.close()
            return False
        claim.detach()
        return True
