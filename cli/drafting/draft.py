"""The draft of a declaration: what is known, questions for the rest, and why not."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Final

from cli.drafting import questions, toml_text
from cli.drafting.columns import Column, TableColumns
from config.declarations.questions import MARK, open_question
from sigmacount.domain import MOST_LEVELS

HEAD: Final = f"""\
# A draft made from {{source}}; no row was read. A value that begins with "{MARK}" is
# a question, and the loader refuses the file until all are answered: `sigma check`.
"""
_STRANGE: Final = re.compile(r"[^A-Za-z0-9_.-]+")


def dataset_name(words: str) -> str:
    """A name that topics and keys can hold, as near to ``words`` as can be."""
    return _STRANGE.sub("-", words).strip("-_.")[:64] or "dataset"


def draft(name: str, source: str, columns: TableColumns) -> str:
    """The text of a TOML file. TableColumns that are left out are said at its end."""
    counted = [column for column in columns if column.left_out is None]
    ids = [column.name for column in columns if column.is_id]
    head = HEAD.format(source=toml_text.text(source))
    parts = [f"{head}\nname = {toml_text.text(name)}\n"]
    if len(ids) == 1:
        parts.append(f"[source]\nid = {toml_text.text(ids[0])}\n")
    parts += ["\n".join(_attribute(column)) + "\n" for column in counted]
    if left := [column for column in columns if column.left_out is not None]:
        lines = (f"#   {toml_text.text(c.name)}: {c.left_out}\n" for c in left)
        parts.append("# Left out:\n" + "".join(lines))
    return "\n".join(parts)


def asked(text: str) -> int:
    """How many questions a draft holds."""
    tables = tomllib.loads(text)["attributes"].values()
    return sum(
        open_question(key, value) is not None
        for table in tables
        for key, value in table.items()
    )


def _attribute(column: Column) -> Iterator[str]:
    yield f"[attributes.{toml_text.key(column.name)}]"
    if column.kind is None:
        yield questions.question("kind", questions.KIND)
        yield "# then levels (categorical), or edges (all others but boolean)"
    else:
        yield f'kind = "{column.kind}"'
        yield from _values(column)
    if column.nullable is None:
        yield questions.question("nullable", questions.NULLABLE)
    elif column.nullable:
        yield "nullable = true"


def _values(column: Column) -> Iterator[str]:
    if column.kind == "boolean":
        return
    if column.kind == "categorical":
        if column.values is None:
            yield questions.question("levels", questions.LEVELS)
        else:
            yield toml_text.texts("levels", column.values)
    elif (numbers := _whole(column)) is not None:
        yield f"edges = {questions.each_whole(numbers)}"
    else:
        yield questions.question("edges", questions.of_edges(column))


def _whole(column: Column) -> list[int] | None:
    """The whole numbers that it may have, where they are listed or few."""
    if column.kind != "integer":
        return None
    if column.values is not None:
        listed = sorted({int(value) for value in column.values})
        return listed if 0 < len(listed) <= MOST_LEVELS // 2 else None
    low, stop = column.whole_bounds or (0, 0)
    return list(range(low, stop)) if 0 < stop - low <= questions.FEW else None
