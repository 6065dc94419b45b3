"""Memory: a worker makes millions of objects that die young, and few that last."""

from __future__ import annotations

import gc

# Records and events hold no cycles: looking for some at every 700th object, as Python
# does by itself, takes a fifth of a counter's time.
YOUNG = 50_000  # new objects between two looks at the youngest
MIDDLE, OLD = 20, 100  # looks at one generation before the next is looked at


def calm_collector() -> None:
    """What is loaded now is never looked at again, and the rest less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
