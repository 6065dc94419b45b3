"""The catalog of a dataset: made from its declaration, and kept on its topic.

``contents`` says what may be asked, ``promise`` what is promised, ``topic`` publishes
both where something else is there.
"""

from workers.catalog.contents import catalog_of
from workers.catalog.promise import (
    errors_over_time,
    evolving_rule,
    fresh_noise,
    promise_of,
)
from workers.catalog.topic import CatalogTopic

__all__ = [
    "CatalogTopic",
    "catalog_of",
    "errors_over_time",
    "evolving_rule",
    "fresh_noise",
    "promise_of",
]
