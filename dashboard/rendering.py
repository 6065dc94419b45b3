"""Rendering: values to HTML, by templates that escape all that they are given."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dashboard.assets import assets
from dashboard.navigation import NAV

TEMPLATES: Final = Path(__file__).parent / "templates"
# htmx runs no text as code and adds no style of its own, asks nobody else, and keeps
# no page in the browser's storage; a refusal is shown where the answer would be.
HTMX: Final = {
    "allowEval": False,
    "allowScriptTags": False,
    "historyEnabled": False,
    "historyCacheSize": 0,
    "includeIndicatorStyles": False,
    "selfRequestsOnly": True,
    "responseHandling": [
        {"code": "204", "swap": False},
        {"code": "...", "swap": True},
    ],
}


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "address": {name: each.address for name, each in assets().items()},
        "nav": NAV,
        "htmx": HTMX,
    }
    made.filters["grouped"] = "{:,}".format
    return made


def whole(template: str, page: object, here: str, client: str | None) -> str:
    """A page of ``page``'s values; ``here`` is its address.

    ``client`` is who is signed in; None where nobody is.
    """
    return (
        _environment()
        .get_template(template)
        .render(page=page, here=here, client=client)
    )


def part(template: str, page: object) -> str:
    """A part of a page, as htmx puts it into one."""
    return _environment().get_template(template).render(page=page)
