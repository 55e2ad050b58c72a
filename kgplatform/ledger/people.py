"""Collections, principals with their hashed tokens and passwords, and releases of the ontology."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping

from ..errors import UnknownName, UsageError
from ..model import ANONYMOUS, Audience, Collection, Principal
from ..times import Instant
from .base import Ledger, scopes_of, scopes_text


def collections(ledger: Ledger) -> dict[str, Collection]:
    """The collections as the ledger last recorded them (paths and mappings are settings, not ground)."""
    rows = ledger.rows("SELECT name, kind, scopes, trust, texts, typed FROM collection")
    return {row[0]: Collection(row[0], row[1], scopes_of(row[2]), row[3], row[4], row[5]) for row in rows}


def changed_collections(ledger: Ledger, wanted: Mapping[str, Collection]) -> list[Collection]:
    """The wanted collections that the ledger does not have like this yet."""
    known = collections(ledger)

    def ground(collection: Collection | None) -> tuple[object, ...]:
        return (collection.kind, collection.scopes, collection.trust, collection.texts, collection.typed) if collection else ()

    return [collection for name, collection in sorted(wanted.items()) if ground(known.get(name)) != ground(collection)]


def set_collection(ledger: Ledger, collection: Collection) -> None:
    """Record how a collection is read, or replace what is recorded; its documents stay."""
    ledger.run(
        "INSERT OR REPLACE INTO collection VALUES (?, ?, ?, ?, ?, ?)",
        *(collection.name, collection.kind, scopes_text(collection.scopes), collection.trust, collection.texts, collection.typed),
    )


def principals(ledger: Ledger) -> list[Principal]:
    """Every recorded principal, by name; the anonymous public is none of them."""
    rows = ledger.rows("SELECT name, scopes, roles, min_trust FROM principal ORDER BY name")
    return [Principal(row[0], scopes_of(row[1]), tuple(row[2].split()), row[3]) for row in rows]


def principal(ledger: Ledger, name: str) -> Principal:
    """The principal of that name; '' and `public` are the anonymous public. Raises UnknownName."""
    if name in ("", ANONYMOUS.name):
        return ANONYMOUS
    for known in principals(ledger):
        if known.name == name:
            return known
    raise UnknownName(f"no principal {name}", hint="see `kgplatform principal list`")


def add_principal(ledger: Ledger, who: Principal, *, recorded: Instant) -> None:
    """Record a principal, or replace one of the same name, whose tokens and password stay. Raises UsageError for a wrong name or scope."""
    if who.name in ("", ANONYMOUS.name):
        raise UsageError(f"{who.name!r} is nobody's name", hint="public is whoever gives no name, and holds no scopes")
    for scope in who.scopes:
        if scope.split() != [scope] or scope == ANONYMOUS.name:
            raise UsageError(f"{scope!r} is no scope", hint="name one scope at a time, without spaces; everyone sees what is public")
    ledger.run(
        "INSERT OR REPLACE INTO principal VALUES (?, ?, ?, ?, ?)",
        *(who.name, scopes_text(who.scopes), " ".join(who.roles), who.min_trust, recorded),
    )


def remove_principal(ledger: Ledger, name: str) -> None:
    """Remove the principal, all its tokens and its password. Raises UnknownName."""
    principal(ledger, name)
    ledger.run("DELETE FROM token WHERE principal = ?", name)
    ledger.run("DELETE FROM password WHERE principal = ?", name)
    ledger.run("DELETE FROM principal WHERE name = ?", name)


def audiences(ledger: Ledger) -> tuple[Audience, ...]:
    """Every set of scopes that some principal holds; always the public one."""
    return tuple(sorted({frozenset[str](), *(known.scopes for known in principals(ledger))}, key=sorted))


def create_token(ledger: Ledger, name: str, *, note: str, recorded: Instant) -> str:
    """A new token of the principal; only its SHA-256 is stored."""
    principal(ledger, name)
    token = "kg_" + secrets.token_urlsafe(32)
    ledger.run("INSERT INTO token VALUES (?, ?, ?, ?)", _token_hash(token), name, note, recorded)
    return token


def _token_hash(token: str) -> str:
    """The hash by which a token is stored (SHA-256, hexadecimal)."""
    return hashlib.sha256(token.encode()).hexdigest()


def tokens(ledger: Ledger) -> list[dict[str, str]]:
    """Principal, note, creation time and the first characters of each token's hash, by which it is revoked."""
    rows = ledger.rows("SELECT hash, principal, note, created FROM token ORDER BY created, hash")
    return [{"id": row[0][:12], "principal": row[1], "note": row[2], "created": row[3]} for row in rows]


def revoke_token(ledger: Ledger, token: str) -> None:
    """Revoke by the token itself or by its id. Raises UnknownName."""
    found = ledger.row("SELECT hash FROM token WHERE hash = ? OR substr(hash, 1, 12) = ?", _token_hash(token), token)
    if not found:
        raise UnknownName("no such token", hint="see `kgplatform token list`")
    ledger.run("DELETE FROM token WHERE hash = ?", found[0])


def token_principal(ledger: Ledger, token: str) -> Principal | None:
    """Whose token this is, None if it is nobody's."""
    found = ledger.row("SELECT principal FROM token WHERE hash = ?", _token_hash(token))
    return principal(ledger, found[0]) if found else None


def set_password(ledger: Ledger, name: str, hashed: str, *, recorded: Instant) -> None:
    """Store the hash of the principal's password, made by `passwords.hashed`. Raises UnknownName, also for the anonymous public."""
    if principal(ledger, name) == ANONYMOUS:
        raise UnknownName("the public has no password", hint="add a principal: kgplatform principal add")
    ledger.run("INSERT OR REPLACE INTO password VALUES (?, ?, ?)", name, hashed, recorded)


def remove_password(ledger: Ledger, name: str) -> None:
    """Take the principal's password away. Raises UnknownName where there is none."""
    if password_hash(ledger, name) is None:
        raise UnknownName(f"no principal {name} with a password", hint="see `kgplatform principal list`")
    ledger.run("DELETE FROM password WHERE principal = ?", name)


def password_hash(ledger: Ledger, name: str) -> str | None:
    """The stored hash of the principal's password, None where there is no password or no principal."""
    found = ledger.row("SELECT hash FROM password WHERE principal = ?", name)
    return str(found[0]) if found else None


def with_password(ledger: Ledger) -> frozenset[str]:
    """The names of the principals that have one."""
    return frozenset(row[0] for row in ledger.rows("SELECT principal FROM password"))


def credentials(ledger: Ledger, name: str) -> frozenset[str]:
    """What may stand in a session of the principal: the `token_credential` of each of its tokens, and its `password_credential`."""
    stored = password_hash(ledger, name)
    held = {f"token {row[0]}" for row in ledger.rows("SELECT substr(hash, 1, 12) FROM token WHERE principal = ?", name)}
    return frozenset(held | ({password_credential(stored)} if stored else set()))


def token_credential(token: str) -> str:
    """What a session notes of the token by which it was opened: the token's id, never the token."""
    return f"token {_token_hash(token)[:12]}"


def password_credential(hashed: str) -> str:
    """What a session notes of the password by which it was opened. It changes whenever a password is set, since each hash has a new salt."""
    return f"password {hashlib.sha256(hashed.encode()).hexdigest()[:32]}"


def release(ledger: Ledger, *, as_of: Instant = "") -> tuple[str, str] | None:
    """(ontology, shapes) of the release in force now or at `as_of`; the first one for any time before it."""
    found = ledger.row("SELECT ontology, shapes FROM release WHERE ? = '' OR recorded <= ? ORDER BY id DESC LIMIT 1", as_of, as_of)
    found = found or ledger.row("SELECT ontology, shapes FROM release ORDER BY id LIMIT 1")
    return (str(found[0]), str(found[1])) if found else None


def add_release(ledger: Ledger, ontology: str, shapes: str, *, recorded: Instant) -> None:
    """Append a release of ontology and shapes, both as Turtle; it is in force from `recorded` on."""
    digest = hashlib.sha256(f"{ontology}\0{shapes}".encode()).hexdigest()
    ledger.run("INSERT INTO release (recorded, hash, ontology, shapes) VALUES (?, ?, ?, ?)", recorded, digest, ontology, shapes)
