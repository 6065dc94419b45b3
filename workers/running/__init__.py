"""What every worker is built on: retries, leases, readers, refusals; no role.

``retrying`` waits out failures that may pass, ``leadership`` keeps one process of a
role active, ``long_acts`` draws, fits and plans beside the event loop, ``connecting``
and ``consumers`` read topics, ``intake`` takes events out of what was read,
``refusing`` counts what is none.
"""
