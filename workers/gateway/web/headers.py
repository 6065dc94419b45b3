"""Headers: what a browser is told beside a page, so that it runs nothing of others."""

from __future__ import annotations

from typing import Final

# A form's Origin would be "null" under no-referrer: same-origin tells nobody else more.
SAFE: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
FRESH: Final = SAFE | {"cache-control": "no-store"}
KEPT: Final = SAFE | {"cache-control": "public, max-age=31536000, immutable"}
