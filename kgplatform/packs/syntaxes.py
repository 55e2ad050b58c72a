"""Which syntax of RDF a text is in, by its first words and then by the name of its file; errors for other texts say what to do."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.parsers import expat

import pyoxigraph as ox

from ..errors import OntologyError

FORMATS: Final = {
    ".ttl": ox.RdfFormat.TURTLE,
    ".trig": ox.RdfFormat.TRIG,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".nq": ox.RdfFormat.N_QUADS,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".owl": ox.RdfFormat.RDF_XML,
    ".xml": ox.RdfFormat.RDF_XML,
    ".jsonld": ox.RdfFormat.JSON_LD,
}
MAX_ENTITY_CHARACTERS: Final = 1_000
"""Characters of one entity that an RDF/XML file declares."""

_ENTITY: Final = re.compile(r"<!ENTITY\s+(%?)\s*(\S+)\s+(SYSTEM\b|PUBLIC\b|\"([^\"]*)\"|'([^']*)')")
_ROOT: Final = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*<(?P<tag>[\w.:-]+)", re.DOTALL)
_XML: Final = re.compile(r"\s*(?:<\?xml\b|<!--|<!DOCTYPE\b|<(?:[\w.-]+:)?[\w.-]+\s+(?:[\w:.-]+\s*=|/?>))", re.IGNORECASE)
_JSON: Final = re.compile(r"\s*(?:\{\s*\"|\[\s*\{)")
_ENCODING: Final = re.compile(r"""^(<\?xml\b[^>]*?)\s+encoding\s*=\s*["']([\w.-]+)["']""")
_SAVE: Final = "save it as Turtle or RDF/XML, for example in Protégé with File, Save as"
_OTHERS: Final = (
    (re.compile(r"(?:Prefix|Ontology)\s*\(\s*[<:\w]"), "is OWL in functional syntax, no RDF", _SAVE),
    (re.compile(r"(?:Prefix|Ontology|Class|ObjectProperty|DataProperty|AnnotationProperty|Individual|Datatype):\s"),
     "is OWL in Manchester syntax, no RDF", _SAVE),
    (re.compile(r"(?:format-version|ontology|data-version|default-namespace):\s"), "is OBO, no RDF", "convert it to OWL, for example with `robot convert`"),
)  # fmt: skip


def syntax_of(text: str, name: str) -> ox.RdfFormat:
    """The syntax of the text of a file of that name. Raises OntologyError for what is known to be no RDF."""
    if _XML.match(text):
        root = _ROOT.match(text)
        tag = root["tag"].rpartition(":")[2] if root else ""
        if tag == "Ontology":
            raise OntologyError("is OWL/XML, no RDF", where=name, hint=_SAVE)
        if tag.lower() == "html":
            raise OntologyError("is an HTML page, no RDF", where=name, hint="download the file itself, not the page about it")
        return ox.RdfFormat.RDF_XML
    if _JSON.match(text):
        return ox.RdfFormat.JSON_LD
    first = re.sub(r"\A(?:\s|#[^\n]*)*", "", text)[:200]
    for expression, what, hint in _OTHERS:
        if expression.match(first):
            raise OntologyError(what, where=name, hint=hint)
    stated = FORMATS.get(Path(name).suffix.lower(), ox.RdfFormat.TURTLE)
    return ox.RdfFormat.TURTLE if stated in (ox.RdfFormat.RDF_XML, ox.RdfFormat.JSON_LD) and first else stated


def text_of_bytes(content: bytes, name: str) -> str:
    """The text of a file: UTF-8, or for XML what its first line or its byte order mark says. OntologyError for other bytes."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    declared = _ENCODING.match(content[:200].decode("ascii", "replace"))
    encoding = "utf-16" if wide else declared[2] if declared else "utf-8-sig"
    try:
        text = content.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = "UTF-8" if encoding == "utf-8-sig" else encoding
        raise OntologyError(f"is not {what}", where=f"{name}:{line}" if line > 1 else name, hint="save it as UTF-8") from error
    except LookupError as error:
        raise OntologyError(f"states the encoding {encoding}, which is not known", where=name, hint="save it as UTF-8") from error
    return _ENCODING.sub(r"\1", text, count=1)


def unsafe_entities(text: str) -> Iterator[str]:
    """What is wrong with the entities that an XML text declares, one sentence each.

    Entities that name others, or are long, grow without bound when they are expanded; external ones would be fetched.
    """
    for entity in _ENTITY.finditer(text):
        value = entity[4] or entity[5] or ""
        outer = entity[1] or entity[3] in ("SYSTEM", "PUBLIC")
        if outer or "&" in value or len(value) > MAX_ENTITY_CHARACTERS:
            why = "from outside" if outer else "that names others" if "&" in value else f"above {MAX_ENTITY_CHARACTERS} characters"
            yield f"declares an entity {why}: {entity[2]}"


def require_whole(text: str) -> None:
    """Raise SyntaxError, with its line, for an XML text that ends before its elements do: pyoxigraph 0.5 reads it without an error."""
    parser = expat.ParserCreate("utf-8")
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise SyntaxError(expat.ErrorString(error.code), (None, error.lineno, None, None)) from error
