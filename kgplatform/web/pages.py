"""Home, search, and answers with their evidence."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, redirect, render_template, request, session, url_for

from ..answer.ask import ask_with_mention
from ..browse.documents import version_dates
from ..browse.examples import example_questions
from ..browse.excerpts import excerpts
from ..browse.ontology import largest_classes
from ..results import Answer
from ..retrieve.lexical import search
from ..views.view import View
from .asking import planner_for_people
from .callers import instant, settings, view_for_request
from .drawing import path_graph
from .rendering import dated, entity_href, full_iri, path_of

blueprint = Blueprint("pages", __name__)

LONGEST_QUESTION: Final = 500
EXAMPLES: Final = 4
SUGGESTED: Final = 8
SHOWN: Final = 40
"""Answers, facts and sources that stand open; the rest of the facts and sources is behind a fold."""
_SECTIONS: Final = ("plan", "checks", "query", "parameters", "milliseconds", "distinct solutions")


@blueprint.get("/")
def home() -> str:
    """Questions to begin with, the largest classes, and the date of the newest source."""
    view = view_for_request()
    return render_template(
        "home.html", examples=example_questions(view, most=EXAMPLES), classes=largest_classes(view)[:12], newest=view.newest_source()
    )


@blueprint.get("/search")
def find() -> str:
    """Entities by name."""
    text = request.args.get("q", "").strip()[:LONGEST_QUESTION]
    hits = search(view_for_request(), text, limit=50) if text else ()
    return render_template("search.html", text=text, hits=hits)


@blueprint.get("/suggest")
def suggest() -> Response:
    """The best names for what is being typed, as JSON: what `find` would list first."""
    text = request.args.get("q", "").strip()[:LONGEST_QUESTION]
    hits = search(view_for_request(), text, limit=SUGGESTED) if text else ()
    items = [{"label": h.label, "kind": h.types, "matched": h.matched, "href": entity_href(h.iri)} for h in hits]
    return jsonify({"items": items})


@blueprint.post("/date")
def choose_date() -> Response:
    """The day that all pages of this session show; none is now."""
    text = "" if "now" in request.form else request.form.get("day", "").strip()
    instant(text, name="the day")
    session["valid_at"] = text
    return redirect(path_of(request.form.get("next", "")), 303)  # type: ignore[return-value]


@blueprint.get("/ask")
def answer() -> str | Response:
    """The answer to a question, with its evidence."""
    question = request.args.get("q", "").strip()[:LONGEST_QUESTION]
    if not question:
        return redirect(url_for("pages.home"))  # type: ignore[return-value]
    view = view_for_request()
    return answer_page(view, *ask_with_mention(view, question, planner=planner_for_people()))


def answer_page(view: View, found: Answer, mention: str = "") -> str:
    """The page of an answer, whatever its outcome; `mention` is what of the question is ambiguous.

    Where nothing was planned, it offers what is called as the question says.
    """
    told = found.to_dict()
    told["assertions"] = [{**a, "object": dated(view, full_iri(a["relation"]), a["object"])} for a in told["assertions"]]
    return render_template(
        "answer.html",
        answer=told,
        graph=path_graph(told["assertions"][:SHOWN], told["answers"], view),
        relations={a["relation"]: view.schema.label(full_iri(a["relation"])) for a in told["assertions"]},
        sources=_sources(view, told["citations"]),
        disagreeing=_disagreeing(told),
        candidates=[(each, _asked_again(found.question, mention, each.iri)) for each in found.candidates],
        hits=() if found.plan or found.candidates else search(view, found.question.rstrip("?"), limit=SUGGESTED),
        explanation=_sections(found.explanation),
        shown=SHOWN,
        valid_at=view.valid_at,
    )


def _sources(view: View, citations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each citation with its excerpt, the date of its version, and where the same words stand already."""
    dates = version_dates(view, {c["document"] for c in citations})
    said_before = _said_before(citations)
    return [
        {"citation": c, "excerpt": excerpt, "dated": dates.get((c["document"], c["version"]), ""), "said_before": before}
        for c, excerpt, before in zip(citations, excerpts(settings(), citations), said_before, strict=True)
    ]


def _said_before(citations: list[dict[str, Any]]) -> list[int | None]:
    """For each citation, the number of the first one with the same words at the same place of its document; None if it is it."""
    first: dict[tuple[str, str, int], int] = {}
    found = [first.setdefault((c["document"], c["quote"], c["start"]), number) for number, c in enumerate(citations)]
    return [known if known != number else None for number, known in enumerate(found)]


def _disagreeing(told: dict[str, Any]) -> set[str]:
    """The assertions that another one shown here contradicts."""
    shown = {fact["iri"] for fact in told["assertions"]}
    return {fact["iri"] for fact in told["assertions"] if shown & set(fact["conflicts_with"])}


def _asked_again(question: str, mention: str, iri: str) -> str:
    """The same question with one candidate's IRI for the words that may mean several; '' where they are not found in it."""
    words = r"\s+".join(re.escape(word) for word in mention.split())
    again, count = re.subn(words, lambda _: iri, question, count=1, flags=re.IGNORECASE) if words else ("", 0)
    return f"{url_for('pages.answer')}?{urlencode({'q': again})}" if count else ""


def _sections(explanation: str) -> list[tuple[str, list[str]]]:
    """The explanation's lines under the headings that it has."""
    found: list[tuple[str, list[str]]] = []
    for line in explanation.splitlines():
        heading, colon, rest = line.partition(":")
        if colon and heading in _SECTIONS:
            found.append((heading, [rest.strip()] if rest.strip() else []))
        elif found:
            found[-1][1].append(line.removeprefix("  "))
        else:
            found.append(("plan", [line]))
    return found
