"""A rule for one file, held over many: a case for each folder, that names all faults.

A case for each file would be thousands; they would take longer to count than to try.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path

import pytest

from tests.house import tree

Rule = Callable[[Path], None]


def each(paths: Iterable[Path]) -> Callable[[Rule], Callable[[str], None]]:
    """The rule, asked about every one of the files."""
    folders: dict[str, list[Path]] = defaultdict(list)
    for path in paths:
        folders[path.relative_to(tree.ROOT).parts[0]].append(path)

    def held(rule: Rule) -> Callable[[str], None]:
        @pytest.mark.parametrize("folder", sorted(folders))
        @wraps(rule)
        def test(folder: str) -> None:
            broken = list(faults(rule, folders[folder]))
            if broken:
                pytest.fail("\n\n".join(broken), pytrace=False)

        del test.__wrapped__  # or pytest would ask the rule for its fixtures
        return test

    return held


def faults(rule: Rule, paths: Iterable[Path]) -> Iterable[str]:
    """What is wrong, file by file."""
    for path in paths:
        try:
            rule(path)
        except AssertionError as fault:
            yield f"{tree.name(path)}: {fault}"
