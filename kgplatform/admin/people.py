"""Who may ask: principals with their tokens and passwords, looked up and changed. Each change opens the data directory for writing."""

from __future__ import annotations

from dataclasses import asdict
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from ..data_directory import DataDir
from ..ledger import passwords, people
from ..model import Principal
from ..projection.consistency import open_ledger
from ..settings.load import Settings
from ..writing.writer import Writer

SHORTEST_PASSWORD: Final = passwords.SHORTEST
"""Characters."""


class SignIn(NamedTuple):
    """Who signed in, and the credential by which they did: the session ends when it no longer stands."""

    principal: Principal
    credential: str


class People:
    """Principals, tokens and passwords as they are now. Use it in a `with` block, or call `close`."""

    def __init__(self, settings: Settings) -> None:
        self._ledger = open_ledger(DataDir(settings.data))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Give free what it holds open."""
        self._ledger.close()

    def principal(self, name: str) -> Principal:
        """The principal of that name, the public for ''. Raises UnknownName."""
        return people.principal(self._ledger, name)

    def principals(self) -> list[dict[str, Any]]:
        """Every principal with its fields, and `has_password`."""
        holders = people.with_password(self._ledger)
        return [{**asdict(who), "has_password": who.name in holders} for who in people.principals(self._ledger)]

    def tokens(self) -> list[dict[str, str]]:
        """Every token: `id`, with which it is revoked, `principal`, `note`, `created`."""
        return people.tokens(self._ledger)

    def has_password(self, name: str) -> bool:
        """Whether the principal can sign in by a password."""
        return people.password_hash(self._ledger, name) is not None

    def by_token(self, token: str) -> SignIn | None:
        """Whose token this is; None for a token that nobody has."""
        found = people.token_principal(self._ledger, token)
        return SignIn(found, people.token_credential(token)) if found else None

    def by_password(self, name: str, password: str) -> SignIn | None:
        """Who signs in with name and password; None where they do not belong together, after the same work whatever the reason."""
        stored = people.password_hash(self._ledger, name)
        if not passwords.is_password(password, stored) or stored is None:
            return None
        return SignIn(people.principal(self._ledger, name), people.password_credential(stored))

    def by_credential(self, name: str, credential: str) -> SignIn | None:
        """Who signed in before; None once the token was revoked, the password changed, or the principal removed."""
        if credential not in people.credentials(self._ledger, name):
            return None
        return SignIn(people.principal(self._ledger, name), credential)


def add_principal(settings: Settings, who: Principal) -> None:
    """Add a principal, or replace one of the same name, who keeps tokens and password. Raises UsageError for what is no name or scope."""
    with Writer.open(settings) as writer:
        writer.add_principal(who)


def remove_principal(settings: Settings, name: str) -> None:
    """Remove a principal with its tokens and its password. Raises UnknownName."""
    with Writer.open(settings) as writer:
        writer.remove_principal(name)


def hashed(password: str, *, name: str) -> str:
    """The hash of a new password of the principal `name`. Raises UsageError for one that is not taken."""
    return passwords.hashed(password, name=name)


def set_password(settings: Settings, name: str, hash_: str, *, wait: float = 0.0) -> str:
    """Keep the hash of a principal's password, from `hashed`; the credential of who signs in by it from now on.

    Another process that writes is waited for so many seconds.
    """
    with Writer.open(settings, wait=wait) as writer:
        writer.set_password(name, hash_)
    return people.password_credential(hash_)


def remove_password(settings: Settings, name: str) -> None:
    """Take a principal's password away. Raises UnknownName where there is none."""
    with Writer.open(settings) as writer:
        writer.remove_password(name)


def create_token(settings: Settings, name: str, *, note: str = "") -> str:
    """A new token of a principal. It is shown this once; only its hash is kept."""
    with Writer.open(settings) as writer:
        return writer.create_token(name, note=note)


def revoke_token(settings: Settings, token: str) -> None:
    """Revoke a token, by itself or by its id. Raises UnknownName."""
    with Writer.open(settings) as writer:
        writer.revoke_token(token)
