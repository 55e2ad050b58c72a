"""Who asks: principals, their tokens and their passwords."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict

import click

from ..errors import UsageError
from ..model import ROLES, TRUST_LEVELS, Principal
from .frame import Run, cli, pass_run
from .show import Json, show, show_done, show_rows


@cli.group()
def principal() -> None:
    """Who asks: names with scopes and roles."""


@principal.command("add")
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="May be given more than once.")
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="May be given more than once (reader if none).")
@click.option("--min-trust", type=click.Choice(TRUST_LEVELS), default=TRUST_LEVELS[0], help="Least trust of what is shown.")
@pass_run
def add_principal(run: Run, name: str, scopes: tuple[str, ...], roles: tuple[str, ...], min_trust: str) -> None:
    """Add a principal, or replace one of the same name, who keeps tokens and password."""
    from ..admin import people

    who = Principal(name, frozenset(scopes), roles or ("reader",), min_trust)
    people.add_principal(run.settings, who)
    show_done(run, asdict(who), f"{name} sees what is public{''.join(f' and {scope}' for scope in sorted(scopes))}")


@principal.command("list")
@pass_run
def list_principals(run: Run) -> None:
    """All principals."""
    from ..admin.people import People

    with People(run.settings) as people:
        known = people.principals()
    show(run, known, _show_principals)


def _show_principals(run: Run, known: Sequence[Json]) -> None:
    rows = [
        {
            **who,
            "scopes": " ".join(sorted(who["scopes"])) or "(public)",
            "roles": " ".join(who["roles"]),
            "password": "set" if who["has_password"] else "",
        }
        for who in known
    ]
    show_rows(run, ("name", "scopes", "roles", "min_trust", "password"), rows, empty="no principals; everyone is public")


@principal.command("remove")
@click.argument("name")
@pass_run
def remove_principal(run: Run, name: str) -> None:
    """Remove a principal with all its tokens and its password."""
    from ..admin import people

    people.remove_principal(run.settings, name)
    show_done(run, {"removed": name}, f"removed {name}, its tokens and its password")


@principal.command("password")
@click.argument("name")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read it from standard input, one line, instead of asking.")
@click.option("--remove", is_flag=True, help="Take it away.")
@pass_run
def set_password(run: Run, name: str, from_stdin: bool, remove: bool) -> None:
    """Set the password with which a principal signs in to the pages; asks for it twice.

    It has 12 characters or more, of any kind. Sessions that began with the one before end. Only its hash is kept.
    """
    from ..admin import people

    if remove and from_stdin:
        raise UsageError("--remove and --stdin exclude each other")
    if remove:
        people.remove_password(run.settings, name)
        show_done(run, {"principal": name, "has_password": False}, f"{name} has no password any more")
        return
    with people.People(run.settings) as known:
        known.principal(name)
    made = people.hashed(_line_of_stdin() if from_stdin else _asked_twice(name), name=name)
    people.set_password(run.settings, name, made)
    show_done(run, {"principal": name, "has_password": True}, f"{name} signs in with this password from now on")


def _line_of_stdin() -> str:
    try:
        return sys.stdin.buffer.readline().decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise UsageError("the password is no text", hint="send it in UTF-8") from None  # the cause would quote it


def _asked_twice(name: str) -> str:
    if not sys.stdin.isatty():
        raise UsageError("this asks for the password, and nobody is there to answer", hint="say --stdin, and send it there")
    asked: str = click.prompt(f"new password of {name}", hide_input=True, confirmation_prompt="once more", err=True)
    return asked


@cli.group()
def token() -> None:
    """Tokens by which principals are known to the endpoint, the API and the pages."""


@token.command("create")
@click.argument("name")
@click.option("--note", default="", help="What it is for.")
@pass_run
def create_token(run: Run, name: str, note: str) -> None:
    """Make a token of a principal. It is shown this once; only its hash is kept."""
    from ..admin import people

    made = people.create_token(run.settings, name, note=note)
    show_done(run, {"principal": name, "token": made}, made)


@token.command("list")
@pass_run
def list_tokens(run: Run) -> None:
    """All tokens, by the id with which one is revoked."""
    from ..admin.people import People

    with People(run.settings) as people:
        known = people.tokens()
    show(run, known, _show_tokens)


def _show_tokens(run: Run, known: Sequence[Json]) -> None:
    show_rows(run, ("id", "principal", "note", "created"), known, empty="no tokens")


@token.command("revoke")
@click.argument("token")
@pass_run
def revoke_token(run: Run, token: str) -> None:
    """Revoke a token, named by itself or by its id."""
    from ..admin import people

    people.revoke_token(run.settings, token)
    show_done(run, {"revoked": True}, "revoked")
