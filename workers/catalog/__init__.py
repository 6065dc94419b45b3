"""The catalog of a dataset: made from its declaration, and kept on its topic.

``contents`` says what may be asked, ``promise`` what is promised, ``topic`` publishes
both where something else is there.
"""

from workers.catalog.contents import catalog_of
from workers.catalog.promise import evolving_rule
from workers.catalog.topic import CatalogTopic

__all__ = [
    "CatalogTopic",
    "catalog_of",
    "evolving_rule",
]
