"""Sigma-counting: private counts that add up (Gao and Ding), without any server.

Declare a schema, parse queries, plan for them within an ε, release, answer::

    import sigmacount as sc

    age = sc.Attribute.binned("age", "integer", [0, 18, 40, 65, 120])
    city = sc.Attribute.categorical("city", ["Lyon", "Oslo", "Turin"])
    schema = sc.Schema("people", (age, city))
    queries = [sc.parse(schema, text) for text in ("age >= 40", "city = 'Oslo'")]
    plan = sc.plan_for(schema, queries, epsilon=0.5, fresh_epsilon=0.1)
    counts = sc.Release(schema, rows, plan, budget=1.0)
    answer = counts.answer(queries[0])  # .count, .stderr, .interval

The names live in rooms (``sigmacount.domain``, ``sigmacount.planner`` …) and are
fetched when first used: ``import sigmacount.errors`` loads neither OpenDP nor sqlglot.
The types are declared in ``__init__.pyi``, and a house test holds the two together.
"""

from importlib import import_module

_ROOMS = {
    "Attribute": "domain",
    "Estimate": "release",
    "Plan": "release",
    "Query": "sets",
    "Release": "in_memory",
    "Schema": "domain",
    "describe": "language",
    "parse": "language",
    "plan_for": "planner",
}
__all__ = [
    "Attribute",
    "Estimate",
    "Plan",
    "Query",
    "Release",
    "Schema",
    "describe",
    "errors",
    "parse",
    "plan_for",
]


def __getattr__(name: str) -> object:
    """A public name, out of the room that it lives in (PEP 562)."""
    if name == "errors":
        return import_module("sigmacount.errors")
    if name not in _ROOMS:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
