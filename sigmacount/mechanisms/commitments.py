"""Commitment: a figure that binds noise before it is shown, and tells nothing of it.

Noise is a small integer: its plain hash, or one salted with something published, is
guessed in microseconds. So the hash is keyed, and the key stays beside the noise.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Final

import numpy as np
from numpy.typing import NDArray

KEY_BYTES: Final = 32  # as long as the digest: more would be hashed down to it


def commitment(key: bytes, dataset: str, name: str, noise: NDArray[np.int64]) -> str:
    """Hex HMAC-SHA-256 over whose noise this is, and every number of it.

    Two different noises, or one under two names, never share a figure; who has the
    key and the noise finds the same figure again.

    Shapes: ``noise`` int64 (n,).

    Raises:
        ValueError: the key is too short to hide anything; the caller has a bug.
    """
    if len(key) < KEY_BYTES:
        msg = f"a commitment needs a key of {KEY_BYTES} random bytes"
        raise ValueError(msg)
    # JSON ends with ']', and the numbers have a fixed width: no two inputs collide.
    about = json.dumps([dataset, name, int(noise.size)], separators=(",", ":"))
    mac = hmac.new(key, about.encode(), hashlib.sha256)
    mac.update(np.ascontiguousarray(noise, dtype="<i8").tobytes())
    return mac.hexdigest()
