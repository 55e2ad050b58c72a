"""RDF files as claims of that file: graph names stay on the claims, nothing is ever fetched."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from ..errors import LimitSourceError, SourceError, SyntaxSourceError
from ..model import Candidate, Fact, Notice, Problem
from ..packs.syntaxes import require_whole, unsafe_entities
from ..schema import Schema
from ..terms import EXPECTED_TYPE, TYPE, UNMAPPED, class_node, curie, entity_iri, entity_key, literal, noted_literal, text_parts
from .evidence import ReadClaims, candidate, line_of, trimmed
from .json_ld import Contexts, JsonLd
from .mappings import EVERY_SUBJECT
from .rdf_statements import PlacedQuad, StatementPiece, placed_quads, rdf_xml_pieces, turtle_pieces

EXTRACTOR: Final = "rdf/2"
_LINE_FORMATS: Final = (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS)
_MAX_PROBLEMS: Final = 20
_ROUNDS: Final = 8

Node = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


def read_rdf(
    text: str, path: str, format_: ox.RdfFormat, *, document: str, base: str, schema: Schema, contexts: Path | None = None
) -> ReadClaims:
    """The claims of an RDF text, each with the place of its statement.

    `document` is `collection/id`, below which relative IRIs and blank nodes are named; `contexts` is the folder with the
    JSON-LD contexts that files may name. At a syntax error Turtle, TriG and RDF/XML end, and N-Triples and N-Quads go on with the
    next line; the result is then not complete.
    """
    problems: list[Problem] = []
    inner = entity_iri(base, f"file:{document}") + "/"
    extractor, notices = EXTRACTOR, tuple[Notice, ...]()
    if format_ == ox.RdfFormat.JSON_LD:
        at_hand = Contexts(contexts)
        quads, notices = _json_ld(text, path, inner, at_hand)
        extractor += f"+contexts-{at_hand.signature}" if at_hand.used else ""
    elif format_ in _LINE_FORMATS:
        quads = _lines_parsed(text, path, format_, problems)
    else:
        quads = _parsed(text, path, format_, inner, problems)
    complete = not problems
    blanks = _blank_labels([quad for quad, _ in quads])
    claims: list[Candidate] = []
    for quad, span in quads:
        try:
            node, note = _object(quad, base, document, blanks)
            fact = Fact(_node(quad.subject, base, document, blanks), _relation(quad), node)
        except SourceError as error:
            problems.append(Problem(path, error.what, error.hint))
            complete = False
            continue
        graph = "" if isinstance(quad.graph_name, ox.DefaultGraph) else _graph(quad.graph_name, document, blanks)
        claims.append(candidate(text, fact, trimmed(text, *span), extractor, graph=graph, note=note))
    notices += _normalised(claims, text, path)
    unknown = _unknown_predicates(claims, schema, path)
    return ReadClaims(tuple(claims), extractor, (*problems, *unknown), complete, notices=notices)


def _parsed(text: str, path: str, format_: ox.RdfFormat, base: str, problems: list[Problem]) -> list[PlacedQuad]:
    """The statements of a document format up to its first error, which is added to the problems."""
    is_xml = format_ == ox.RdfFormat.RDF_XML
    if is_xml:
        _refuse_entities(text, path)
    quads: list[PlacedQuad] = []
    try:
        for quad, span in placed_quads(rdf_xml_pieces(text) if is_xml else turtle_pieces(text), format_, base=base):
            quads.append((quad, span))
        if is_xml:
            require_whole(text)
    except (SyntaxError, ValueError) as error:
        wrong = _syntax_error(error, path, 0)
        if not quads:
            raise wrong from error
        what = f"{wrong.what}; {len(quads)} statements before it are read, the rest is unread and ends nothing"
        problems.append(Problem(wrong.where, what, "correct this place and read the file again"))
    return quads


def _json_ld(text: str, path: str, base: str, contexts: Contexts) -> tuple[list[PlacedQuad], tuple[Notice, ...]]:
    """The statements of JSON-LD, which is read whole or not at all, and its terms without a mapping."""
    document = JsonLd.of(text, path, contexts)
    try:
        quads = list(placed_quads(document.pieces, ox.RdfFormat.STREAMING_JSON_LD, base=base))
    except (SyntaxError, ValueError):  # a few forms (@type in what is nested) cannot be streamed: these are cited as a whole
        whole = StatementPiece("".join(piece.text for piece in document.pieces), 0, len(text))
        try:
            quads = list(placed_quads([whole], ox.RdfFormat.JSON_LD, base=base))
        except (SyntaxError, ValueError) as error:
            raise _syntax_error(error, path, 0) from error
    return quads, tuple(document.unmapped((span for _quad, span in quads), path))


def _lines_parsed(text: str, path: str, format_: ox.RdfFormat, problems: list[Problem]) -> list[PlacedQuad]:
    """The statements of a line format without its bad lines, which are added to the problems; reading ends after 20 of them."""
    quads: list[PlacedQuad] = []
    for number, (start, line) in enumerate(_lines(text), 1):
        try:
            for quad in ox.parse(line, format=format_):
                quads.append((quad, (start, start + len(line))))
        except (SyntaxError, ValueError) as error:
            wrong = _syntax_error(error, path, number)
            problems.append(Problem(wrong.where, wrong.what, wrong.hint))
            if len(problems) >= _MAX_PROBLEMS:
                problems.append(Problem(path, f"is given up after {_MAX_PROBLEMS} bad lines", "correct them and read it again"))
                break
    return quads


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in io.StringIO(text, newline=""):
        yield start, line
        start += len(line)


def _syntax_error(error: Exception, path: str, line: int) -> SyntaxSourceError:
    reason = str(error.args[0] if error.args else error)
    number = line or getattr(error, "lineno", None) or 0
    reason = re.sub(r"^Parser error at line \d+[^:]*: ", "", reason)
    return SyntaxSourceError(f"is not valid RDF: {reason}", where=f"{path}:{number}" if number else path, hint="correct this place")


def _refuse_entities(text: str, path: str) -> None:
    for wrong in unsafe_entities(text):
        raise LimitSourceError(wrong, where=path, hint="write the text out")


# -- terms to nodes


def _node(term: Node, base: str, document: str, blanks: dict[str, str]) -> str:
    if isinstance(term, ox.BlankNode):
        return f"bnode:{document}|{blanks[term.value]}"
    assert isinstance(term, ox.NamedNode)
    iri = term.value
    if not iri.startswith(base):
        return "iri:" + iri
    key = entity_key(base, iri)
    scheme, _, rest = key.partition(":")
    broken = not scheme or not rest or scheme == "iri" or (scheme == "text" and not _is_text_key(key))
    if not iri.startswith(base + "id/") or broken:
        raise SourceError(f"names a record of the platform: <{iri}>", hint=f"entities stand below {base}id/")
    return key


def _is_text_key(key: str) -> bool:
    try:
        return text_parts(key) is not None
    except ValueError:
        return False


def _relation(quad: ox.Quad) -> str:
    """The predicate; `kg:expectedType`, which no file may claim, becomes an unmapped one."""
    predicate = quad.predicate.value
    return UNMAPPED["rdf/expectedType"] if predicate == EXPECTED_TYPE else predicate


def _object(quad: ox.Quad, base: str, document: str, blanks: dict[str, str]) -> tuple[str, str]:
    """The node of an object, and what was normalised on the way to it."""
    term = quad.object
    if isinstance(term, ox.Literal):
        return noted_literal(term.value, term.datatype.value, term.language or "")
    if isinstance(term, ox.Triple):
        return literal(str(term)), ""
    if quad.predicate.value == TYPE and isinstance(term, ox.NamedNode):
        return class_node(term.value), ""
    return _node(term, base, document, blanks), ""


def _normalised(claims: list[Candidate], text: str, path: str) -> tuple[Notice, ...]:
    """A line for each predicate with values that were normalised, with the first of them."""
    noted: dict[str, list[Candidate]] = {}
    for claim in claims:
        if claim.note:
            noted.setdefault(claim.fact.relation, []).append(claim)
    return tuple(
        Notice("guessed", f"values of {curie(relation)}: {some[0].note}", len(some), f"{path}:{line_of(text, some[0].start)}")
        for relation, some in noted.items()
    )


def _graph(name: ox.NamedNode | ox.BlankNode, document: str, blanks: dict[str, str]) -> str:
    return name.value if isinstance(name, ox.NamedNode) else f"bnode:{document}|{blanks[name.value]}"


# -- blank nodes


def _blank_labels(quads: list[ox.Quad]) -> dict[str, str]:
    """A label for each blank node, made from the statements about it, so that it keeps its name when the file is rewritten.

    Colour refinement over eight rounds; nodes that it cannot tell apart are numbered in file order.
    Unlike RDFC-1.0 it takes linear time on any input, and a change elsewhere in the file renames nothing.
    """
    around: dict[str, list[tuple[str, str, str, str]]] = {}
    for quad in quads:
        terms = [_name(t) for t in (quad.subject, quad.predicate, quad.object, quad.graph_name)]
        for term in dict.fromkeys(t for t in terms if t.startswith("_:")):
            around.setdefault(term, []).append((terms[0], terms[1], terms[2], terms[3]))
    colours = dict.fromkeys(around, "")
    for _ in range(_ROUNDS if colours else 0):
        colours = {node: _colour(node, around[node], colours) for node in colours}
    counts: Counter[str] = Counter()
    labels: dict[str, str] = {}
    for node, colour in colours.items():
        labels[node[2:]] = f"{colour}-{counts[colour]}" if counts[colour] else colour
        counts[colour] += 1
    return labels


def _name(term: Node | ox.DefaultGraph) -> str:
    return "_:" + term.value if isinstance(term, ox.BlankNode) else str(term)


def _colour(node: str, rows: list[tuple[str, str, str, str]], colours: dict[str, str]) -> str:
    lines = sorted("\t".join("self" if t == node else "_:" + colours[t] if t in colours else t for t in row) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


# -- unknown vocabularies


def _unknown_predicates(claims: list[Candidate], schema: Schema, path: str) -> tuple[Problem, ...]:
    known = EVERY_SUBJECT | schema.relations.keys()
    counts = Counter(c.fact.relation for c in claims if c.fact.relation not in known)
    if not counts:
        return ()
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]
    listed = ", ".join(f"{curie(iri)} ({n})" for iri, n in top)
    what = f"{counts.total()} of {len(claims)} statements use {len(counts)} predicates that the ontology does not declare: {listed}"
    return (Problem(path, what, "their claims are quarantined: declare the predicates in a pack, then `kgplatform quarantine retry`"),)
