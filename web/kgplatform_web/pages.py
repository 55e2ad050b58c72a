"""Home, search, and answers with their evidence."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, Response, redirect, render_template, request, session, url_for

from kgplatform.answer.ask import ask
from kgplatform.answer.result import Answer
from kgplatform.query.naming import names_of
from kgplatform.query.plan import Planned, plan_question
from kgplatform.query.tallies import class_sizes, sample_facts
from kgplatform.retrieve.lexical import search
from kgplatform.terms import PP
from kgplatform.views import View

from .callers import instant, view_for_request
from .drawing import path_graph
from .excerpts import excerpts
from .rendering import full_iri, path_of

blueprint = Blueprint("pages", __name__)

LONGEST_QUESTION: Final = 500
EXAMPLES: Final = 4
_FORMS: Final = ("{other} {inverse} {subject}?", "{one} {label} {object}?", "What does {subject} {verb}?")
_SECTIONS: Final = ("plan", "checks", "query", "parameters", "milliseconds", "distinct solutions")


@blueprint.get("/")
def home() -> str:
    view = view_for_request()
    sizes = class_sizes(view)
    classes = sorted(
        ((view.schema.label(iri), iri, n) for iri, n in sizes.items() if iri in view.schema.classes), key=lambda c: (-c[2], c[0])
    )
    return render_template("home.html", examples=_examples(view), classes=classes[:12], newest=view.newest_source())


def _examples(view: View) -> list[str]:
    """Questions that the view has an answer to, made from its own facts."""
    found: list[str] = []
    facts = sample_facts(view, limit=8)
    names = names_of(view, {f.subject for f in facts} | {f.object.value for f in facts})
    for fact in facts:
        label, inverse = view.schema.label(fact.relation), view.schema.inverse_label(fact.relation)
        declared = view.schema.relations[fact.relation]
        one, other = (
            "Who" if ends and all(view.schema.is_a([c], [PP.Agent]) for c in ends) else "What" for ends in (declared.domain, declared.range)
        )
        said = {
            "one": one,
            "other": other,
            "label": label,
            "inverse": inverse,
            "verb": re.sub(r"s\b", "", label, count=1),
            "subject": names[fact.subject],
        }
        said["object"] = names[fact.object.value]
        for form in _FORMS:
            question = form.format(**said)
            if (inverse or "{inverse}" not in form) and isinstance(plan_question(view, question), Planned):
                found.append(question)
                break
        if len(found) == EXAMPLES:
            break
    return found


@blueprint.get("/search")
def find() -> str:
    text = request.args.get("q", "").strip()[:LONGEST_QUESTION]
    hits = search(view_for_request(), text, limit=50) if text else ()
    return render_template("search.html", text=text, hits=hits)


@blueprint.post("/date")
def choose_date() -> Response:
    """The day that all pages of this session show; none is now."""
    text = "" if "now" in request.form else request.form.get("day", "").strip()
    instant(text, name="the day")
    session["valid_at"] = text
    return redirect(path_of(request.form.get("next", "")), 303)  # type: ignore[return-value]


@blueprint.get("/ask")
def answer() -> str | Response:
    question = request.args.get("q", "").strip()[:LONGEST_QUESTION]
    if not question:
        return redirect(url_for("pages.home"))  # type: ignore[return-value]
    view = view_for_request()
    found = ask(view, question, explain=True)
    told = found.as_json()
    return render_template(
        "answer.html",
        answer=told,
        graph=path_graph(told["assertions"], told["answers"], view.schema),
        relations={a["relation"]: view.schema.label(full_iri(a["relation"])) for a in told["assertions"]},
        excerpts=excerpts(told["citations"]),
        said_before=_said_before(told["citations"]),
        disagreeing=_disagreeing(told),
        candidates=[(each, _asked_again(found, each.iri)) for each in found.candidates],
        explanation=_sections(found.explanation),
        valid_at=view.valid_at,
    )


def _said_before(citations: list[dict[str, Any]]) -> list[int | None]:
    """For each citation, the number of the first one with the same words at the same place, in another version; None if it is it."""
    first: dict[tuple[str, str, int], int] = {}
    found = [first.setdefault((c["document"], c["quote"], c["start"]), number) for number, c in enumerate(citations)]
    return [known if known != number else None for number, known in enumerate(found)]


def _disagreeing(told: dict[str, Any]) -> set[str]:
    """The assertions that another one shown here contradicts."""
    shown = {fact["iri"] for fact in told["assertions"]}
    return {fact["iri"] for fact in told["assertions"] if shown & set(fact["conflicts_with"])}


def _asked_again(found: Answer, iri: str) -> str:
    """The same question with one candidate's IRI for the words that may mean several; '' where they are not found in it."""
    words = r"\s+".join(re.escape(word) for word in found.mention.split())
    again, count = re.subn(words, lambda _: iri, found.question, count=1, flags=re.IGNORECASE) if words else ("", 0)
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
