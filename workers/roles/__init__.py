"""Roles: each process of the service, built from one reading of the settings.

One file a role says which clients, stores and options it is made of; ``run`` waits for
the servers, builds the role that is asked for, and runs it with its pages.
"""

from workers.roles.parts import ASKED_WAIT_MS, FETCH_WAIT_MS
from workers.roles.process import run

__all__ = ["ASKED_WAIT_MS", "FETCH_WAIT_MS", "run"]
