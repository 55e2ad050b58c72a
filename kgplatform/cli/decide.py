"""Deciding: merge, unmerge, erase, principals and tokens."""

from __future__ import annotations

from dataclasses import asdict

import click

from ..errors import DataDirError, UsageError
from ..model import ROLES, TRUST_LEVELS, Principal
from .frame import Run, cli, confirm, pass_run
from .show import show_rows

SCOPES = click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="May be given more than once.")


@cli.command()
@click.argument("a")
@click.argument("b")
@click.option("--apart", is_flag=True, help="Decide that they are two.")
@SCOPES
@pass_run
def merge(run: Run, a: str, b: str, apart: bool, scopes: tuple[str, ...]) -> None:
    """Decide that two mention keys (component:tax, person:a-kim) are one entity.

    It holds for those who hold the scopes given, else for those who see the documents that name both keys.
    """
    from ..ledger.people import principal as known
    from ..review import decide_identity

    if a == b:
        raise UsageError("a key cannot be merged with itself", where=a)
    with run.writer() as writer:
        made = decide_identity(writer, known(writer.ledger, run.name), a, b, apart=apart, scopes=frozenset(scopes) if scopes else None)
    _decided(run, made, "kept apart" if apart else "merged", a, b)


@cli.command()
@click.argument("a")
@click.argument("b")
@pass_run
def unmerge(run: Run, a: str, b: str) -> None:
    """Take back what was decided of two mention keys, as if it had never been."""
    from ..ledger.people import principal as known
    from ..review import take_back

    with run.writer() as writer:
        ended = take_back(writer, known(writer.ledger, run.name), a, b)
    if run.json:
        run.emit({"ended": ended})
    else:
        run.say(f"taken back: decision {', '.join(map(str, ended))} of {a} and {b}")


def _decided(run: Run, made: int, what: str, a: str, b: str) -> None:
    if run.json:
        run.emit({"decision": made, "kind": what, "a": a, "b": b})
    else:
        run.say(f"{what}: {a} and {b} (decision {made}; back with: kgplatform unmerge {a} {b})")


@cli.command()
@click.argument("document")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_run
def erase(run: Run, document: str, yes: bool) -> None:
    """Forget a document in all its versions: at once in every answer, then in every byte of the data directory."""
    with run.writer() as writer:
        full = writer.find_document(document)[1]
        if not yes:
            confirm(f"erase {full} in all its versions, for good?")
        receipt = writer.erase(full)
        if not run.json:
            run.say(f"erased {full}: no answer speaks of it any more")
        receipt = writer.purge(receipt)
    if run.json:
        run.emit(receipt.as_json())
    if receipt.found:
        raise DataDirError(
            f"erased, but not purged: {full} left strings in {', '.join(receipt.found)}", where=str(run.data), hint="remove them"
        )
    if not run.json:
        gone = f"none of its {len(receipt.strings)} strings is in any byte of {run.data}"
        beyond = f"; the bytes of the remote store {receipt.out_of_reach} are out of reach from here, so that it is not purged"
        run.say(f"{receipt.state} {full}: {gone}{beyond if receipt.out_of_reach else ''}")


# -- principals and tokens


@cli.group()
def principal() -> None:
    """Who asks: names with scopes and roles."""


@principal.command("add")
@click.argument("name")
@SCOPES
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="May be given more than once (reader if none).")
@click.option("--min-trust", type=click.Choice(TRUST_LEVELS), default=TRUST_LEVELS[0], help="Least trust of what is shown.")
@pass_run
def add_principal(run: Run, name: str, scopes: tuple[str, ...], roles: tuple[str, ...], min_trust: str) -> None:
    """Add a principal, or replace one of the same name."""
    who = Principal(name, frozenset(scopes), roles or ("reader",), min_trust)
    with run.writer() as writer:
        writer.add_principal(who)
    if run.json:
        run.emit(asdict(who))
    else:
        run.say(f"{name} sees what is public{''.join(f' and {scope}' for scope in sorted(scopes))}")


@principal.command("list")
@pass_run
def list_principals(run: Run) -> None:
    """All principals."""
    from ..ledger.people import principals

    with run.ledger() as ledger:
        known = [asdict(who) for who in principals(ledger)]
    if run.json:
        run.emit(known)
    else:
        rows = [{**who, "scopes": " ".join(sorted(who["scopes"])) or "(public)", "roles": " ".join(who["roles"])} for who in known]
        show_rows(run, ("name", "scopes", "roles", "min_trust"), rows, empty="no principals; everyone is public")


@principal.command("remove")
@click.argument("name")
@pass_run
def remove_principal(run: Run, name: str) -> None:
    """Remove a principal and all its tokens."""
    with run.writer() as writer:
        writer.remove_principal(name)
    if run.json:
        run.emit({"removed": name})
    else:
        run.say(f"removed {name} and its tokens")


@cli.group()
def token() -> None:
    """Tokens by which principals will be known to the endpoint."""


@token.command("create")
@click.argument("name")
@click.option("--note", default="", help="What it is for.")
@pass_run
def create_token(run: Run, name: str, note: str) -> None:
    """Make a token of a principal. It is shown this once; only its hash is kept."""
    with run.writer() as writer:
        made = writer.create_token(name, note=note)
    if run.json:
        run.emit({"principal": name, "token": made})
    else:
        run.say(made)


@token.command("list")
@pass_run
def list_tokens(run: Run) -> None:
    """All tokens, by the id with which one is revoked."""
    from ..ledger.people import tokens

    with run.ledger() as ledger:
        known = tokens(ledger)
    if run.json:
        run.emit(known)
    else:
        show_rows(run, ("id", "principal", "note", "created"), known, empty="no tokens")


@token.command("revoke")
@click.argument("token")
@pass_run
def revoke_token(run: Run, token: str) -> None:
    """Revoke a token, named by itself or by its id."""
    with run.writer() as writer:
        writer.revoke_token(token)
    if run.json:
        run.emit({"revoked": True})
    else:
        run.say("revoked")
