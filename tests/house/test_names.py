"""One name for one thing: no public class or type is defined under one name twice."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.house import tree

# Names that two modules define, and why they are one thing.
SAME = {
    "ContinualGuarantee": "the core writes the form that the wire reads and checks",
    "ContinualZcdpGuarantee": "the same",
    "CountTable": "the client hands out what the wire carries",
    "FixedNoiseGuarantee": "the core writes the form that the wire reads and checks",
    "FixedNoiseZcdpGuarantee": "the same",
    "Guarantee": "the same",
    "GuaranteeOfAnyRule": "the same",
    "Question": "what a client asks is what a worker reads",
    "Quote": "the client hands out what the wire carries",
    "RenewGuarantee": "the core writes the form that the wire reads and checks",
    "RenewZcdpGuarantee": "the same",
    "ZcdpGuaranteeOfAnyRule": "the same",
}


def types(module: ast.Module) -> Iterator[str]:
    """Public classes and type aliases at the top of a module, one letter left out."""
    for node in module.body:
        match node:
            case ast.ClassDef(name=name):
                pass
            case ast.Assign(targets=[ast.Name(id=name)]):
                pass
            case ast.AnnAssign(target=ast.Name(id=name)):
                pass
            case _:
                continue
        if len(name) > 1 and name[0].isupper() and not name.isupper():
            yield name


def defined() -> dict[str, list[str]]:
    """Where each name is defined."""
    found = defaultdict(list)
    for path in tree.code():
        for name in types(tree.tree(path)):
            found[name].append(tree.name(path))
    return found


def test_each_name_is_of_one_thing():
    """A reader who searches for a type finds one; exceptions are named above."""
    twice = {name: where for name, where in defined().items() if len(where) > 1}

    assert {n: where for n, where in twice.items() if n not in SAME} == {}


def test_exceptions_are_needed():
    """A name that became unique leaves the list."""
    assert {name for name, where in defined().items() if len(where) > 1} >= set(SAME)
    assert "Algebra" in defined()
