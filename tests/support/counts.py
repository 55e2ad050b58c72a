"""How many cases a long test takes: all that were promised with `make test-full`, a part of them in `make test-long`."""

from __future__ import annotations

import os
from typing import Final

IS_FULL: Final = bool(os.environ.get("KGPLATFORM_FULL"))


def cases(full: int, *, part: int) -> int:
    return full if IS_FULL else part
