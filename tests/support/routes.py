"""Requests to every route of the web application, made of the words of one world.

A new route has no requests here until somebody writes them: the tests that look for leaks fail until then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlencode

import pyoxigraph as ox
from flask import Flask
from werkzeug.test import TestResponse

from kgplatform.store.results import TRIPLE_FORMATS

METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
RDF: Final = ("turtle", "ntriples", "jsonld", "rdfxml")
ACCEPTED: Final = ("text/turtle", "application/n-triples", "application/ld+json", "application/rdf+xml", "text/html", "image/png")
RESULTS: Final = ("json", "xml", "csv", "tsv", *RDF[:3])


_MASKED = (
    (re.compile(rb'name="csrf_token" value="[^"]+"'), b"a token"),
    (re.compile(rb'"milliseconds": \d+'), b"milliseconds"),
    (re.compile(rb"\b\d+ ms\b"), b"milliseconds"),
    (re.compile(rb"(?<=<h2>Milliseconds</h2>)\s*<p>[^<]*</p>"), b""),
    (re.compile(rb"^(kgplatform_request\w+_(?:sum|bucket|created)\b.*) [\d.e+-]+$", re.MULTILINE), rb"\1"),
)


class Asked(NamedTuple):
    """One request, with the options that the test client has for its body and headers."""

    method: str
    path: str
    options: Mapping[str, Any] = {}

    @property
    def typed(self) -> str:
        """Everything that the caller wrote."""
        body = {name: value for name, value in self.options.items() if name != "headers"}
        return f"{unquote(self.path.replace('+', ' '))} {body or ''}"


@dataclass(frozen=True)
class Words:
    """What requests are made of: words of what is there, what is hidden and what is neither.

    `names` are labels, keys and IRIs alike; `keys` look like component:tax and `documents` like memos/handover.md.
    `hidden_claims` and `hidden_decisions` are such that no caller may see them: others would be discarded and taken back.
    """

    names: tuple[str, ...]
    keys: tuple[str, ...]
    questions: tuple[str, ...]
    queries: tuple[str, ...]
    documents: tuple[str, ...]
    collections: tuple[str, ...]
    claims: tuple[str, ...]
    hidden_claims: tuple[str, ...]
    hidden_decisions: tuple[int, ...]
    plans: tuple[Mapping[str, Any], ...] = ()
    classes: tuple[str, ...] = ("sc:Team", "sc:Incident", "pp:Agent", "sc:Component", "sc:Absent")
    relations: tuple[str, ...] = ("sc:owned_by", "sc:owns", "sc:affects", "rdfs:label", "sc:absent")
    days: tuple[str, ...] = ("2023-06-15", "2025-08-01", "soon")


@dataclass(frozen=True)
class Caller:
    """Somebody at an application: with a token, or nobody. Each request comes in a session of its own."""

    app: Flask
    token: str = ""

    def send(self, asked: Asked) -> TestResponse:
        client = self.app.test_client()
        headers = {**({"Authorization": f"Bearer {self.token}"} if self.token else {}), **asked.options.get("headers", {})}
        if asked.method == "POST" and not asked.path.startswith(("/api/", "/sparql")):
            form = client.get("/sign-in").text
            headers["X-CSRFToken"] = re.findall(r'name="csrf_token" value="([^"]+)"', form)[0]
        return client.open(asked.path, method=asked.method, **{**asked.options, "headers": headers})


def rules(app: Flask) -> set[str]:
    return {rule.rule for rule in app.url_map.iter_rules()}


def requests_to(rule: str, words: Words) -> list[Asked]:
    """Requests to one route: those that mean something there, then every method."""
    made = list(WAYS[rule](words))
    return [*made, *(Asked(method, made[0].path) for method in METHODS if method not in ("GET", made[0].method))]


def told(asked: Asked, reply: TestResponse) -> tuple[int, list[tuple[str, str]], bytes]:
    """A reply without what differs from one application to the next: tokens of forms, time, the order of rows that have none."""
    body = reply.get_data()
    for pattern, words in _MASKED:
        body = pattern.sub(words, body)
    left_out = {"Set-Cookie", "Content-Length", "Date"}
    if asked.path.startswith(("/sparql", "/api/export")) and "ORDER BY" not in asked.typed:
        left_out |= {"ETag"}
        form = {**TRIPLE_FORMATS, "application/trig": ox.RdfFormat.TRIG}.get(reply.mimetype or "")
        body = repr(sorted(map(str, ox.parse(body, format=form)) if form else re.findall(rb"[^\s,{}\[\]]+", body))).encode()
    return reply.status_code, sorted((name, value) for name, value in reply.headers if name not in left_out), body


def get(path: str, headers: Mapping[str, str] | None = None, /, **query: str | int) -> Asked:
    named = urlencode({name.replace("_", "-"): value for name, value in query.items()})
    return Asked("GET", f"{path}?{named}" if named else path, {"headers": headers} if headers else {})


def post(path: str, **options: Any) -> Asked:
    return Asked("POST", path, options)


def _form(*, collection: str, file: str) -> dict[str, Any]:
    """The options of a post that sends an empty file of that name into a collection, byte for byte."""
    parts = (f'name="collection"\r\n\r\n{collection}', f'name="file"; filename="{file}"\r\n\r\n')
    body = "".join(f"--cut\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--cut--\r\n"
    return {"data": body.encode(), "content_type": "multipart/form-data; boundary=cut"}


def _each(path: str, name: str, values: Iterable[str]) -> list[Asked]:
    return [get(path, **{name: value}) for value in values]


def _dated(path: str, words: Words, **query: str) -> list[Asked]:
    """The request as it is and as of other days, one of them no day."""
    return [get(path, **query), *(get(path, **query, valid_at=day) for day in words.days)]


def _entity(words: Words) -> Iterable[Asked]:
    for key in words.keys:
        path = f"/id/{quote(key.replace(':', '/', 1))}"
        yield from _dated(path, words)
        yield from (get(path, format=form) for form in (*RDF, "pdf"))
        yield from (get(path, {"Accept": accept}) for accept in ACCEPTED)


def _sparql(words: Words) -> Iterable[Asked]:
    for text, form, day in zip(words.queries, cycle(RESULTS), cycle(words.days), strict=False):
        yield get("/sparql", query=text)
        yield get("/sparql", query=text, dataset="full")
        yield get("/sparql", query=text, format=form)
        yield get("/sparql", query=text, valid_at=day)
        yield post("/sparql", data={"query": text, "dataset": "full"})
        yield post("/sparql", data=text, content_type="application/sparql-query")
    yield from (get("/sparql", {"Accept": accept}) for accept in ACCEPTED)
    yield get("/sparql")
    yield get("/sparql", query="SELECT * {", absent="1")
    yield get("/sparql", query="SELECT * {")
    yield get("/sparql", query="ASK {}", recorded_at="2020-01-01")


def _ask(words: Words) -> Iterable[Asked]:
    for question in words.questions:
        yield from _dated("/api/ask", words, question=question)
        yield get("/api/ask", question=question, min_trust="authoritative")
        yield post("/api/ask", json={"question": question})
    yield get("/api/ask")
    yield get("/api/ask", question="Who owns Tax?", recorded_at="2020-01-01")
    yield post("/api/ask", data="{", content_type="application/json")


def _search(words: Words) -> Iterable[Asked]:
    for name in words.names:
        yield from _dated("/api/search", words, q=name)
        yield get("/api/search", q=name, limit=1)
        yield get("/api/search", q=name, limit=2, offset=1)


def _quarantine(words: Words) -> Iterable[Asked]:
    yield from _dated("/api/quarantine", words)
    yield from _each("/api/quarantine", "reason", ("unmapped", "unknown-relation", "unknown-subject-type", *words.names[:2]))
    yield get("/api/quarantine", limit=1)


def _ingest(words: Words) -> Iterable[Asked]:
    """None of these is taken: what is taken runs in a process."""
    for name in ("absent", *words.collections):
        yield post(f"/api/ingest?name={name}/x.pdf", data=b"")
        yield post(f"/api/ingest?name=x.bin&collection={name}", data=b"")
        yield post("/api/ingest", **_form(collection=name, file=""))


def _upload(words: Words) -> Iterable[Asked]:
    yield get("/upload")
    yield from (post("/upload", **_form(collection=name, file="")) for name in ("absent", *words.collections))


def _documents(words: Words) -> Iterable[Asked]:
    for name in words.documents:
        yield from _dated(f"/document/{quote(name)}", words)
        yield get(f"/document/{quote(name)}", version="0" * 64)
        yield get(f"/document/{quote(name)}", start=1, end=9)


def _discards(path: str, words: Words) -> Iterable[Asked]:
    return [post(f"{path}/{claim}/discard") for claim in (*words.hidden_claims, "zz")]


def _rejected(words: Words) -> list[dict[str, str]]:
    """What is refused: without a reason, of what is hidden, of nothing."""
    visible = [*({"claim": claim} for claim in words.claims), *({"document": name} for name in words.documents)]
    hidden = [{"claim": claim, "reason": "wrong"} for claim in (*words.hidden_claims, "zz")]
    return [*visible, *hidden, {"reason": "wrong"}]


WAYS: Final[dict[str, Callable[[Words], Iterable[Asked]]]] = {
    "/": lambda w: _dated("/", w),
    "/search": lambda w: [ask for name in w.names for ask in _dated("/search", w, q=name)],
    "/suggest": lambda w: [ask for name in w.names for ask in _dated("/suggest", w, q=name)],
    "/ask": lambda w: [ask for text in w.questions for ask in _dated("/ask", w, q=text)],
    "/date": lambda w: [post("/date", data={"day": day, "next": f"/id/{w.keys[0].replace(':', '/')}"}) for day in w.days],
    "/entity": lambda w: [ask for name in w.names for ask in _dated("/entity", w, name=name)],
    "/neighbours": lambda w: [ask for name in w.names for ask in _dated("/neighbours", w, iri=name)],
    "/id/<scheme>/<path:identifier>": _entity,
    "/document/<collection>/<path:name>": _documents,
    "/documents": lambda w: _dated("/documents", w),
    "/ontology": lambda w: _dated("/ontology", w),
    "/class/<path:name>": lambda w: [ask for name in w.classes for ask in _dated(f"/class/{name}", w)],
    "/relation/<path:name>": lambda w: [ask for name in w.relations for ask in _dated(f"/relation/{name}", w)],
    "/steward/report": lambda w: _dated("/steward/report", w),
    "/steward/conflicts": lambda w: _dated("/steward/conflicts", w),
    "/steward/history": lambda w: [get("/steward/history"), get("/steward/history", **{"from": 1})],
    "/steward/quarantine": lambda w: [*_dated("/steward/quarantine", w), *_each("/steward/quarantine", "reason", ("shape", w.names[0]))],
    "/steward/quarantine/<claim>": lambda w: [get(f"/steward/quarantine/{claim}") for claim in (*w.claims, "0", "zz")],
    "/steward/quarantine/<claim>/discard": lambda w: _discards("/steward/quarantine", w),
    "/steward/quarantine/retry": lambda w: [post("/steward/quarantine/retry", data={"decision": n}) for n in (*w.hidden_decisions, 0)],
    "/steward/unread": lambda w: [get("/steward/unread"), *_each("/steward/unread", "kind", ("silent", "unmapped", w.names[0]))],
    "/steward/decisions": lambda w: [get("/steward/decisions"), get("/steward/decisions", **{"from": 1})],
    "/steward/reject": lambda w: [
        *(get("/steward/reject", claim=claim) for claim in (*w.claims, *w.hidden_claims, "zz")),
        *(get("/steward/reject", document=name) for name in w.documents),
        *(post("/steward/reject", data=body) for body in _rejected(w)),
    ],
    "/steward/reject/undo": lambda w: [post("/steward/reject/undo", data={"decision": n}) for n in (*w.hidden_decisions, 0)],
    "/upload": _upload,
    "/jobs/<job_id>": lambda w: [get("/jobs/0"), get(f"/jobs/{quote(w.names[0])}")],
    "/jobs/<job_id>/state": lambda w: [get("/jobs/0/state")],
    "/sign-in": lambda w: [
        get("/sign-in"),
        get("/sign-in", next=f"/entity?name={w.names[0]}"),
        post("/sign-in", data={"token": w.names[0]}),
    ],
    "/sign-out": lambda w: [post("/sign-out")],
    "/me": lambda w: [get("/me")],
    "/me/password": lambda w: [post("/me/password", data=dict.fromkeys(("current", "new", "again"), w.names[0]))],
    "/sparql": _sparql,
    "/api/ask": _ask,
    "/api/plan": lambda w: [post("/api/plan", json=plan) for plan in ({}, {"hops": 1}, *w.plans)],
    "/api/entity": lambda w: [ask for name in w.names for ask in _dated("/api/entity", w, name=name)],
    "/api/search": _search,
    "/api/ingest": _ingest,
    "/api/jobs": lambda w: [get("/api/jobs")],
    "/api/jobs/<id_>": lambda w: [get("/api/jobs/0"), get(f"/api/jobs/{quote(w.names[0])}")],
    "/api/quarantine": _quarantine,
    "/api/quarantine/<id_>": lambda w: [get(f"/api/quarantine/{claim}") for claim in (*w.claims, "0", "zz")],
    "/api/quarantine/<id_>/discard": lambda w: _discards("/api/quarantine", w),
    "/api/quarantine/retry": lambda w: [post("/api/quarantine/retry", json={"decisions": [n]}) for n in (*w.hidden_decisions, 0)],
    "/api/unread": lambda w: [get("/api/unread"), get("/api/unread", kind="unmapped", limit=1), get("/api/unread", kind=w.names[0])],
    "/api/reject": lambda w: [post("/api/reject", json=body) for body in _rejected(w)],
    "/api/reject/undo": lambda w: [post("/api/reject/undo", json=body) for body in ({}, *({"claim": each} for each in w.hidden_claims))],
    "/api/decisions": lambda w: [get("/api/decisions"), get("/api/decisions", ended="true"), get("/api/decisions", limit=1)],
    "/api/validate": lambda w: [get("/api/validate"), get("/api/validate", valid_at="2025-08-01")],
    "/api/conflicts": lambda w: [*_dated("/api/conflicts", w), get("/api/conflicts", limit=1)],
    "/api/export": lambda w: [get("/api/export", format="rdf12"), get("/api/export", valid_at="2025-08-01")],
    "/api/openapi.json": lambda w: [get("/api/openapi.json")],
    "/api/docs": lambda w: [get("/api/docs")],
    "/healthz": lambda w: [get("/healthz")],
    "/readyz": lambda w: [get("/readyz")],
    "/metrics": lambda w: [get("/metrics")],
    "/static/<path:filename>": lambda w: [get("/static/absent.css"), get(f"/static/{quote(w.names[0])}")],
}
"""Requests by route. What changes something stands here only where it is refused."""

CHILDREN: Final = ("/api/validate", "/api/export")
"""Each request to these starts a process of seconds, so that few are made."""
