"""Secrets are masked as soon as a file is read: bytes to bytes of equal length, before anything stores them.

A key says by its words whether its value is a secret (`names`), the value whether it can be one (`values`). Structure comes from
the format (`trees`, `graphs`, `rows`) and from lines of any text (`lines`); some secrets show by themselves (`shapes`), in base64, or
because they stand elsewhere in the same file (`encoded`).
"""

from .masking import Masked, masked, masked_text
from .values import is_masked

__all__ = ["Masked", "is_masked", "masked", "masked_text"]
