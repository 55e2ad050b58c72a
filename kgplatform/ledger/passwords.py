"""Passwords: which ones are accepted, and their argon2id hashes.

The rules are those of NIST SP 800-63B: length alone counts, any character may stand anywhere, and the two ways in which
Unicode spells one text (composed, compatible) are one password.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from ..errors import DataDirError, UsageError

SHORTEST: Final = 12
LONGEST: Final = 1024
"""Characters. The longest is there because normalising takes time that grows faster than the text."""

_HASHER: Final = PasswordHasher()
"""With the library's parameters: the second choice of RFC 9106, 64 MiB and three passes."""


def hashed(password: str, *, name: str) -> str:
    """The hash of a new password of the principal `name`. Raises UsageError for one that is not accepted."""
    if len(password) > LONGEST:
        raise UsageError("the password is too long", hint=f"take at most {LONGEST:,} characters")
    plain = _normal(password)
    if len(plain) < SHORTEST:
        raise UsageError("the password is too short", hint=f"take at least {SHORTEST} characters, for example a few words")
    if plain.casefold() == _normal(name).casefold():
        raise UsageError("the password is the name", hint="take another one")
    try:
        return _HASHER.hash(plain)
    except UnicodeEncodeError:
        raise UsageError("the password is no text", hint="type it in UTF-8") from None  # the cause would quote the password


def is_password(password: str, stored: str | None) -> bool:
    """Whether this is the password whose hash is stored. Where none is stored it is False, after the same time of work."""
    none = _nobodys()
    plain = _normal(password) if len(password) <= LONGEST else ""
    try:
        return _HASHER.verify(stored or none, plain) and stored is not None
    except VerifyMismatchError:
        return False
    except (InvalidHashError, VerificationError) as error:
        raise DataDirError(f"a stored password cannot be read: {error}", hint="set it again: kgplatform principal password") from error


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


@cache
def _nobodys() -> str:
    """The hash of a password that no principal can have."""
    return _HASHER.hash("")
