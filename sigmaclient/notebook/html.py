"""Answers as HTML for a notebook: what is not ours is escaped, nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sigmaclient.row import Row

MOST_SHOWN = 50  # rows; the others are counted in a line below
BAR_EM = 12  # the width of the longest bar
BAR = "display:inline-block;height:.7em;background:#4878a8;width:{:.2f}em"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and what they are, a line each."""
    lines = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(fact)}</td></tr>"
        for name, fact in pairs
    )
    return f"<table>{lines}</table>"


def table(by: Sequence[str], rows: Sequence[Row], covers: str) -> str:
    """Levels, count, joint interval and a bar for each row."""
    longest = max((row.count for row in rows), default=0)
    heads = "".join(f"<th>{escape(name)}</th>" for name in by)
    body = "".join(_row(row, longest) for row in rows[:MOST_SHOWN])
    more = len(rows) - MOST_SHOWN
    rest = f"<p>and {more:,} more rows</p>" if more > 0 else ""
    return (
        f"<table><thead><tr>{heads}<th>count</th><th>between</th><th></th></tr></thead>"
        f"<tbody>{body}</tbody></table>{rest}<p><small>between:"
        f" {escape(covers)}</small></p>"
    )


def _row(row: Row, longest: int) -> str:
    levels = "".join(f"<td>{escape(_level(each))}</td>" for each in row.levels)
    low, high = row.joint
    bar = BAR.format(BAR_EM * row.count / longest if longest else 0)
    return (
        f"<tr>{levels}<td>{row.count:,}</td><td>{low:,} … {high:,}</td>"
        f"<td style='text-align:left'><span style='{bar}'></span></td></tr>"
    )


def _level(level: str | None) -> str:
    return "NULL" if level is None else level
