"""`/sparql`: the SPARQL 1.1 protocol over what its caller may see. Reading only, in workers that can be killed.

Results are complete before their first byte is sent, so that none ever breaks off in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from flask import Blueprint, Response, current_app, request
from msgspec import UNSET, Meta, UnsetType, field

from ..errors import StoreError, UsageError
from ..views.formats import SHORT_NAMES, SOLUTION_FORMATS, TRIPLE_FORMATS, Kind, QueryResult
from ..views.sparql import EXAMPLE, MAX_CHARACTERS
from ..views.sparql import query as run_query
from . import access
from .access import view_at
from .description import described
from .limits import place
from .parameters import pairs, read_parameters
from .problems import HttpProblem
from .replies import best_match, kept
from .request_forms import DatedForm, Line

FORM: Final = "application/x-www-form-urlencoded"
QUERY: Final = "application/sparql-query"
UPDATE: Final = "application/sparql-update"
ELSEWHERE: Final = ("default-graph-uri", "named-graph-uri", "using-graph-uri", "using-named-graph-uri")
IGNORED: Final = ("output", "results")
"""What common clients send beside `format`, with the same value."""

MAX_BODY: Final = 4 * MAX_CHARACTERS
_ALSO: Final = {"application/json": "json", "application/xml": "xml", "text/xml": "xml"}
"""Types that clients ask for when they mean the kind of result that has this short name."""
_CLIENTS: Final = {"json-ld": "jsonld", "n3": "turtle", "ttl": "turtle", "nt": "ntriples", "rdf": "rdfxml", "rdf+xml": "rdfxml"}
"""Short names of other tools for `format`."""


RESULT_TYPES: Final = (*SOLUTION_FORMATS, *TRIPLE_FORMATS)
QUERY_EXAMPLE: Final = EXAMPLE


class QueryText(str):
    """A SPARQL query."""

    # no maxLength: who tests by the description would send millions of characters
    SCHEMA: ClassVar[dict[str, Any]] = {"type": "string", "minLength": 1, "format": "sparql-query"}

    @classmethod
    def read(cls, value: object) -> Self:
        """Raises ValueError for what is no text of that length."""
        if not isinstance(value, str) or not value.strip():
            raise ValueError("is empty")
        if len(value) > MAX_CHARACTERS:
            raise ValueError(f"has {len(value):,} characters, and at most {MAX_CHARACTERS:,} are read")
        if any(ord(character) < 32 and character not in "\t\r\n" for character in value):
            raise ValueError("holds a character that is no text")
        return cls(value)


class SparqlForm(DatedForm, frozen=True):
    """A query. `format` takes further names of the same formats."""

    query: Annotated[
        QueryText,
        Meta(
            description=f"Read-only SPARQL 1.1, at most {MAX_CHARACTERS:,} characters. A GET without any parameter is answered with the service description.",
            examples=[QUERY_EXAMPLE],
        ),
    ]
    dataset: Annotated[Literal["facts", "full"], Meta(description="The facts alone, or with the records behind them.")] = "facts"
    timeout: (
        Annotated[float, Meta(gt=0, description="Seconds until the query is ended; the server has an upper limit.", examples=[10])]
        | UnsetType
    ) = UNSET
    format: Annotated[Line, Meta(description="Counts more than Accept.", extra_json_schema={"enum": list(SHORT_NAMES)})] = field(
        default_factory=str
    )


blueprint = Blueprint("endpoint", __name__)
access.install(blueprint)


@blueprint.route("/sparql", methods=["GET", "POST"])
def sparql() -> Response:
    """A query's result, or, where nothing is asked at all, what this endpoint is."""
    given = _given()
    if request.method != "POST" and not request.args:
        return described(_media_type("triples", ""))
    for name in (*ELSEWHERE, "update"):
        if name in given:
            what = "updates are not allowed" if name == "update" else f"{name} is not allowed: a query is about the default dataset"
            raise HttpProblem("query-refused", what, hint="facts come in by documents" if name == "update" else "leave it out")
    asked = read_parameters(SparqlForm, {name: value for name, value in given.items() if name not in IGNORED})
    longest: float = current_app.config["QUERY_SECONDS"]
    timeout = longest if asked.timeout is UNSET else min(asked.timeout, longest)
    form = _short_name(asked.format)
    _require_some_format(form)
    return _written(_result(str(asked.query), asked.dataset, timeout, *asked.dates), form)


def _given() -> dict[str, str]:
    """The parameters, wherever this kind of request has them."""
    if request.method != "POST":
        return pairs(request.args.items(multi=True))
    request.max_content_length = request.max_form_memory_size = MAX_BODY
    if request.mimetype == FORM:
        return pairs(request.args.items(multi=True), request.form.items(multi=True))
    if request.mimetype == QUERY:
        return pairs(request.args.items(multi=True), [("query", _body())])
    if request.mimetype == UPDATE:
        raise HttpProblem("query-refused", "updates are not allowed: this is a read-only endpoint", hint="facts come in by documents")
    raise HttpProblem("unsupported-media-type", f"a query is posted as {QUERY} or {FORM}")


def _body() -> str:
    try:
        return request.get_data().decode("utf-8")
    except UnicodeDecodeError as error:
        raise HttpProblem("bad-body", "the query is not UTF-8") from error


def _result(text: str, dataset: str, timeout: float, valid_at: str, recorded_at: str) -> QueryResult:
    """The query's result in its caller's view; once more in a newer view if a writer retired the checkpoint meanwhile."""
    with place("query"):
        for is_last in (False, True):
            try:
                with view_at(valid_at=valid_at, recorded_at=recorded_at) as view:
                    return run_query(view, text, dataset=dataset, timeout=timeout)
            except StoreError as error:
                if is_last or type(error) is not StoreError:
                    raise
    raise AssertionError


def _written(result: QueryResult, form: str) -> Response:
    media_type = _media_type(result.kind, form)
    try:
        body = result.serialised(media_type)
    except UsageError as error:
        raise HttpProblem("not-acceptable", error.what, hint=error.hint) from error
    finally:
        if not isinstance(result.source, bytes):
            result.source.close()
    return kept(body, f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type)


# -- formats


def _short_name(given: str) -> str:
    name = _CLIENTS.get(given.lower(), given.lower())
    known = {full: short for short, full in SHORT_NAMES.items()}
    name = known.get(name, name)
    if name and name not in SHORT_NAMES:
        raise HttpProblem("bad-parameter", f"format is {given[:80]!r}", hint=f"one of {', '.join(SHORT_NAMES)}")
    return name


def _offered(kind: Kind) -> tuple[str, ...]:
    return tuple(TRIPLE_FORMATS if kind == "triples" else SOLUTION_FORMATS)


def _media_type(kind: Kind, form: str) -> str:
    """The media type of a result: what `format` says if this kind has it, else the best that Accept lists."""
    offered = _offered(kind)
    if form:
        twin = {"json": "jsonld", "xml": "rdfxml"} if kind == "triples" else {"jsonld": "json", "rdfxml": "xml"}
        full = SHORT_NAMES[twin.get(form, form)]
        if full not in offered:
            raise _not_acceptable(kind)
        return full
    if not request.headers.get("Accept", "").strip():
        return offered[0]
    found = best_match([*offered, *_ALSO])
    if found is None:
        raise _not_acceptable(kind)
    return _media_type(kind, _ALSO[found]) if found in _ALSO else found


def _not_acceptable(kind: Kind) -> HttpProblem:
    what = "triples are" if kind == "triples" else "solutions and booleans are"
    return HttpProblem("not-acceptable", f"{what} written as {', '.join(_offered(kind))}", hint="or leave out Accept")


def _require_some_format(form: str) -> None:
    """Before a query runs: at least one kind of result can be written as the caller wants."""
    kinds: Iterator[Kind] = iter(("solutions", "triples"))
    refused = []
    for kind in kinds:
        try:
            _media_type(kind, form)
        except HttpProblem as problem:
            refused.append(problem)
    if len(refused) == 2:
        raise refused[0]
