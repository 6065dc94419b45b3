"""Select: one SELECT … COUNT(*) as a condition, attributes, and an arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from sigmacount.domain import Schema, find_name, shortened, suggestion
from sigmacount.errors import InvalidPredicate, UnknownName
from sigmacount.language.sql.literals import bare_node, constant, position_of

_CLAUSES: Final = {
    "expressions", "from_", "where", "group", "having", "order", "limit",
}  # fmt: skip
_COMPARED: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: "eq", exp.NEQ: "ne", exp.LT: "lt", exp.LTE: "le", exp.GT: "gt",
    exp.GTE: "ge",
}  # fmt: skip
_MIRRORED: Final = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_TIGHTER: Final = {"lt": min, "le": min, "gt": max, "ge": max}


@dataclass(slots=True)
class SelectParts:
    """What the clauses of a SELECT say, by name.

    Attributes:
        where: the tree of its condition; None: every row.
        by: attributes, in the order of the columns.
    """

    where: exp.Expr | None = None
    by: tuple[str, ...] = ()
    having: dict[str, int] = field(default_factory=dict)
    order_by: tuple[str, ...] = ()
    limit: int | None = None


def parts_of(schema: Schema, tree: exp.Expr) -> SelectParts:
    """The parts of a SELECT; its condition is not looked into.

    Raises:
        InvalidPredicate, UnknownName: it asks for something else than counts of rows
            of this dataset; the text says what to write instead.
    """
    for clause, node in tree.args.items():
        if node and clause not in _CLAUSES:
            msg = "a SELECT has FROM, WHERE, GROUP BY, HAVING, ORDER BY and LIMIT alone"
            raise InvalidPredicate(msg, _place(node))
    _check_source(schema, tree.args.get("from_"))
    columns = _Columns(schema, tree)
    having, order, limit = (tree.args.get(k) for k in ("having", "order", "limit"))
    where = tree.args.get("where")
    return SelectParts(
        None if where is None else where.this,
        columns.by,
        {} if having is None else _having(columns, having.this),
        () if order is None else tuple(map(columns.order, order.expressions)),
        None if limit is None else _limit(limit.expression),
    )


def _check_source(schema: Schema, source: exp.Expr | None) -> None:
    """FROM names the dataset, or the data that is meant is not here."""
    table = None if source is None else source.this
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        msg = f"say whose rows are counted: FROM {schema.name}"
        raise InvalidPredicate(msg, None if table is None else position_of(table))
    if table.name.casefold() != schema.name.casefold():
        name = shortened(table.name)
        msg = f"there is no dataset {name} here: write FROM {schema.name}"
        raise UnknownName(msg, position_of(table))


class _Columns:
    """The columns of a SELECT: attributes it is grouped by, and the count."""

    def __init__(self, schema: Schema, tree: exp.Expr) -> None:
        self._schema = schema
        self._aliases: dict[str, exp.Expr] = {}
        self._listed = [self._column(node) for node in tree.expressions]
        counts = [node for node in self._listed if isinstance(node, exp.Count)]
        if len(counts) != 1:
            msg = "a question is answered by one count: SELECT …, COUNT(*) FROM …"
            raise InvalidPredicate(msg, _place(counts[1:] or self._listed))
        group = tree.args.get("group")
        self._grouped = [] if group is None else list(self._groups(group))
        shown = list(dict.fromkeys(self._shown()))
        self.by = (*shown, *(name for name in self._grouped if name not in shown))

    def _shown(self) -> Iterator[str]:
        """Names of the attributes in the list, all of which must be grouped by."""
        for node in self._listed:
            if isinstance(node, exp.Column):
                name = self._name(node)
                if name not in self._grouped:
                    wanted = ", ".join([*self._grouped, name])
                    msg = f"{name} is selected but not grouped: GROUP BY {wanted}"
                    raise InvalidPredicate(msg, position_of(node))
                yield name

    def is_count(self, node: exp.Expr) -> bool:
        """Whether a node is the count, by its name, alias or function."""
        found = self._meant(bare_node(node))
        return isinstance(found, exp.Count)

    def order(self, node: exp.Expr) -> str:
        """What ORDER BY says of one column, as an arrangement names it."""
        column = self._meant(bare_node(node.this), places=True)
        if isinstance(column, exp.Count):
            _only_rows(column)
            name = "count"
        else:
            name = self._known(column)
            if name.casefold() == "count":
                msg = (
                    f"rows cannot be ordered by the attribute {name}, only by COUNT(*)"
                )
                raise InvalidPredicate(msg, position_of(node))
        return f"-{name}" if node.args.get("desc") else name

    def _known(self, node: exp.Expr) -> str:
        if not isinstance(node, exp.Column):
            msg = "ORDER BY takes COUNT(*), columns, and their numbers"
            raise InvalidPredicate(msg, position_of(node))
        name = self._name(node)
        if name not in self.by:
            offered = suggestion(name, ["COUNT(*)", *self.by])
            msg = f"{name} is no column here. {offered}"
            raise UnknownName(msg, position_of(node))
        return name

    def _column(self, node: exp.Expr) -> exp.Expr:
        """One of the select list, its alias noted."""
        bare = bare_node(node.this if isinstance(node, exp.Alias) else node)
        if isinstance(bare, exp.Count):
            _only_rows(bare)
        elif not isinstance(bare, exp.Column) or isinstance(bare.this, exp.Star):
            msg = "a SELECT lists attributes that it is grouped by, and COUNT(*)"
            raise InvalidPredicate(msg, position_of(bare))
        if isinstance(node, exp.Alias):
            self._aliases[node.alias.casefold()] = bare
        return bare

    def _meant(self, node: exp.Expr, *, places: bool = False) -> exp.Expr:
        """The column that an alias or a number in the list stands for."""
        if isinstance(node, exp.Literal) and places:
            at = _whole(node, "a column's number")
            if not 1 <= at <= len(self._listed):
                msg = f"there is no column {at}: the SELECT lists {len(self._listed)}"
                raise InvalidPredicate(msg, position_of(node))
            return self._listed[at - 1]
        if isinstance(node, exp.Column):
            return self._aliases.get(node.name.casefold(), node)
        return node

    def _groups(self, group: exp.Expr) -> Iterator[str]:
        for node in group.expressions:
            column = self._meant(bare_node(node), places=True)
            if not isinstance(column, exp.Column):
                msg = "GROUP BY takes attributes alone"
                raise InvalidPredicate(msg, position_of(node))
            yield self._name(column)

    def _name(self, node: exp.Expr) -> str:
        names = self._schema.names
        return names[find_name(node.name, names, "attribute", position_of(node))]


def _only_rows(count: exp.Count) -> None:
    """COUNT counts rows: ``*``, or a constant that is never missing."""
    what = count.this
    literal = isinstance(what, exp.Literal)
    if not isinstance(what, exp.Star) and not literal:
        msg = "COUNT(*) counts rows; of those that have a value: WHERE … IS NOT NULL"
        raise InvalidPredicate(msg, None if what is None else position_of(what))


def _having(columns: _Columns, node: exp.Expr) -> dict[str, int]:
    """Bounds of the count, several of them tightened to one of each kind."""
    found: dict[str, int] = {}
    for word, bound in _bounds(columns, node):
        if found.get(word, bound) == bound:
            found[word] = bound
        elif word in _TIGHTER:
            found[word] = _TIGHTER[word](found[word], bound)
        else:
            msg = "HAVING compares the count by = or <> once"
            raise InvalidPredicate(msg, position_of(node))
    return found


def _bounds(columns: _Columns, node: exp.Expr) -> Iterator[tuple[str, int]]:
    waiting = [bare_node(node)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.And):
            waiting += bare_node(part.expression), bare_node(part.this)
        elif isinstance(part, exp.Between) and columns.is_count(part.this):
            yield "ge", _whole(part.args["low"], "HAVING")
            yield "le", _whole(part.args["high"], "HAVING")
        elif type(part) in _COMPARED and columns.is_count(part.this):
            yield _COMPARED[type(part)], _whole(part.expression, "HAVING")
        elif type(part) in _COMPARED and columns.is_count(part.expression):
            word = _COMPARED[type(part)]
            yield _MIRRORED.get(word, word), _whole(part.this, "HAVING")
        else:
            msg = (
                "HAVING compares COUNT(*) with whole numbers, joined by AND; conditions"
                " on attributes stand in WHERE"
            )
            raise InvalidPredicate(msg, position_of(part))


def _limit(node: exp.Expr) -> int:
    if (limit := _whole(node, "LIMIT")) < 0:
        msg = "LIMIT takes 0 or more rows"
        raise InvalidPredicate(msg, position_of(node))
    return limit


def _whole(node: exp.Expr, what: str) -> int:
    found = constant(node)
    value = None if found is None else found.value
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{what} takes a whole number"
        raise InvalidPredicate(msg, position_of(node))
    return value


def _place(node: Any) -> int | None:  # noqa: ANN401 - an argument of a sqlglot tree
    """Where a clause stands, if it says so."""
    first = node[0] if isinstance(node, list) and node else node
    return position_of(first) if isinstance(first, exp.Expr) else None
