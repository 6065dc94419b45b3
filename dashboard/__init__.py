"""The dashboard: released data as pages that a gateway serves; pure, text from values.

A page has three parts, and a fourth where a gateway serves it.

``pages/NAME.py``        a function from values (of the wire, of the core, or plain) to
                         a frozen dataclass of what the page shows; all thinking is
                         here, and tests need neither server nor browser
``templates/NAME.html``  extends ``base.html``, and fills the blocks ``title`` and
                         ``main``; that dataclass is ``page`` in it. What htmx fetches
                         by itself is a template of its own in ``templates/parts/``,
                         which the page includes
``navigation.NAV``       a line: address and title; all pages have one
workers/gateway/web      ``shown/NAME.py`` gathers the values from the store and the
                         topics, and a line of ``table.py`` says at which address

Nothing here reads a clock, a store or a topic. Templates escape all that they are
given; no page holds a script or a style of its own, for the browser runs none: scripts
are in ``static/``, each page's behind ``data-…`` attributes. Every page has one
``main`` with an ``h1``. What is asked for comes into an element with ``aria-live``;
what changes by itself says so in ``data-news`` of the part, which ``#news`` tells once.
What scrolls has a name and a ``tabindex``, and every figure that a picture shows is in
a table beside it. Classes are in
``static/dashboard.css``: ``card``, ``facts``, ``number``, ``note``, ``trouble``,
``chips``, ``scroll``.
"""

from dashboard.assets import Asset, asset
from dashboard.rendering import part, whole

__all__ = ["Asset", "asset", "part", "whole"]
