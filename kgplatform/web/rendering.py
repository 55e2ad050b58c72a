"""What templates know: links for IRIs, dates for people, who is looking and at which day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from flask import Flask, url_for

from ..errors import KgError
from ..model import ANONYMOUS, Principal
from ..terms import XSD, curie, document_iri, expand
from ..times import parse_stated, shown_instant
from ..views.view import View
from .callers import chosen_day, current_principal, has_role, here, own_day, settings
from .problems import HttpProblem


def install(app: Flask) -> None:
    """Give the templates of an application their filters and surroundings."""
    app.add_template_filter(entity_href)
    app.add_template_filter(source_href)
    app.add_template_filter(class_href)
    app.add_template_filter(relation_href)
    app.add_template_filter(document_href)
    app.add_template_filter(full_iri)
    app.add_template_filter(day)
    app.add_template_filter(dates)
    app.add_template_filter(curie)
    app.add_template_filter(validity)
    app.add_template_filter(grouped)
    app.add_template_filter(quantity)
    app.add_template_filter(plain)
    app.context_processor(_surroundings)
    app.jinja_env.globals.update(dict=dict, here=here)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True


def _surroundings() -> dict[str, Any]:
    """Who looks at the page, and at which day. Also an error page has them; where nobody can be looked up it is the public's."""
    try:
        caller: Principal = current_principal()
        roles = {role: has_role(role) for role in ("steward", "editor", "admin")}
    except (HttpProblem, KgError):
        caller, roles = ANONYMOUS, {}
    own = own_day()
    chosen = own or chosen_day()
    return {
        "caller": caller,
        "is_public": caller == ANONYMOUS,
        "may": roles,
        "chosen_day": chosen,
        "chosen_words": day(chosen),
        "is_of_page": bool(own),
    }


def entity_href(iri: str) -> str:
    """The path of an entity's page: that of its own IRI where it is one of ours."""
    base = settings().base_iri
    if iri.startswith(f"{base}id/"):
        return urlsplit(base).path + iri[len(base) :]
    return f"{url_for('entities.by_name')}?{urlencode({'name': iri})}"


def source_href(citation: Mapping[str, Any]) -> str:
    """The place of a citation in its document."""
    asked = {"version": str(citation["version"])[:16], "start": citation["start"], "end": citation["end"]}
    return f"{document_href(citation['document'])}?{urlencode(asked)}#focus"


def document_href(name: str) -> str:
    """The path of a document's page, by its name (collection/id)."""
    base = settings().base_iri
    return urlsplit(base).path + document_iri(base, *name.split("/", 1))[len(base) :]


def class_href(iri: str) -> str:
    """The path of a class's page."""
    return url_for("ontology.one_class", name=_short(iri))


def relation_href(iri: str) -> str:
    """The path of a relation's page."""
    return url_for("ontology.relation", name=_short(iri))


def _short(iri: str) -> str:
    short = curie(iri)
    return iri if short.startswith("<") else short


def full_iri(short: str) -> str:
    """The IRI of a name as `curie` shortened it."""
    return short[1:-1] if short.startswith("<") else expand(short)


def day(instant: str) -> str:
    """A date for people; what is no date comes back as it is."""
    if not instant:
        return ""
    try:
        bound = parse_stated(instant)
    except ValueError:
        return instant
    return shown_instant(bound.at, bound.precision)


def dates(text: str) -> str:
    """The dates that an answer about time has, in words: `2024-03-01`, `2022-06/2024-03-01`, `2022-06/..`, several with commas."""

    def words(one: str) -> str:
        since, slash, until = one.partition("/")
        if not slash:
            return day(since)
        bounds = (f"since {day(since)}" if since != ".." else "", f"until {day(until)}" if until != ".." else "")
        return " ".join(part for part in bounds if part).replace("since ", "from " if all(bounds) else "since ", 1)

    return ", ".join(words(one) for one in text.split(", "))


def validity(fact: Mapping[str, Any]) -> str:
    """The bounds of an answer's assertion in words; '' where neither is known."""
    start, end = fact["start"], fact["end"]
    since = "" if not start["at"] else f"first seen {start['shown']}" if start["kind"] == "unknown" else f"since {start['shown']}"
    until = f"until {end['shown']}" if end["at"] else ""
    if since and until:
        since = since.replace("since between", "from between").replace("since ", "from ", 1)
    return " ".join(part for part in (since, until) if part)


_DATES: Final = (XSD.date, XSD.dateTime, XSD.gYear, XSD.gYearMonth)


def dated(view: View, relation: str, end: Mapping[str, Any]) -> dict[str, Any]:
    """The object of a fact, in words where the relation leads to dates."""
    declared = view.schema.relations.get(relation)
    return {**end, "label": day(end["label"])} if declared and declared.datatype in _DATES else dict(end)


def grouped(number: int) -> str:
    """`12,345`."""
    return f"{number:,}"


def quantity(number: int, noun: str, plural: str = "") -> str:
    """`1 fact`, `12 facts`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def plain(code: str) -> str:
    """`unknown-relation` as words."""
    return code.replace("-", " ")


def path_of(text: str) -> str:
    """A path of this server that a form named to go back to; the home page for anything else."""
    is_ours = text.startswith("/") and not text.startswith(("//", "/\\"))
    return quote(text, safe="/?&=#%:+,;@!~*'()[]$-._") if is_ours else url_for("pages.home")
