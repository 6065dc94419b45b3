"""Parse: SQL text or a JSON object → Query."""

from __future__ import annotations

from collections.abc import Mapping

from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.language import json_form
from sigmacount.language.sql import grammar, habits, translate
from sigmacount.predicates import query_of
from sigmacount.sets import Query


def parse(schema: Schema, where: str | Mapping[str, object] | None) -> Query:
    """The rows for which ``where`` is true, as a canonical query.

    Text is a SQL condition under SQL's three truth values: ``NOT (age >= 30)`` does
    not hold for a missing age. Blank text and ``{}`` are every row; None is no query.
    Equal sets give equal queries, however they are written.

    Raises:
        InvalidPredicate: no meaning in this schema. UnknownName offers the closest
            names, EdgeInsideBin the nearest edges; the caller mends the query.
        QueryTooComplex: more than 16 KiB, 1,000 constants, 24 levels of nesting or
            2^20 combinations of values; refused before that work is done.
    """
    if isinstance(where, Mapping):
        return query_of(schema, json_form.logic_of(schema, where))
    if not isinstance(where, str):
        msg = "a query is text or an object; blank text and {} are every row"
        raise InvalidPredicate(msg)
    try:
        tree = grammar.read(where)
        if tree is None:
            return Query.everything(schema)
        return query_of(schema, translate.logic_of(schema, tree))
    except InvalidPredicate as refused:
        raise habits.helped(where, refused) from None
