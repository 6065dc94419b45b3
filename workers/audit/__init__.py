"""The audit trail, as its curator writes it and whoever compares a store reads it.

``log`` is the curator's side: what is charged and shown is in the trail first;
``reading`` is how it comes to know what there is.
``commitments`` finds noise that is not what the trail says was shown, ``ticks`` the
same of counters.
"""

from workers.audit.commitments import listed, unfaithful
from workers.audit.log import AuditLog
from workers.audit.reading import TrailTopic
from workers.audit.ticks import unfaithful_ticks

__all__ = ["AuditLog", "TrailTopic", "listed", "unfaithful", "unfaithful_ticks"]
