"""Whether an ontology contradicts itself, asked of HermiT through owlready2 (the extra `reason`, and Java)."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyoxigraph as ox

from ..errors import OntologyError, ValidationEngineError
from ..terms import OWL, XSD

CONSISTENT: Final = "consistent"
INCONSISTENT: Final = "inconsistent"
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Consistency:
    """CONSISTENT, INCONSISTENT or UNKNOWN, and the classes that can have no instance (IRIs, sorted).

    `why` says in one sentence why it is unknown; it is '' otherwise. A class that can have no instance
    does not make an ontology inconsistent, and is an error all the same.
    """

    verdict: str
    unsatisfiable: tuple[str, ...] = ()
    why: str = ""


def check_consistency(turtle: str) -> Consistency:
    """Raises OntologyError for Turtle that does not parse, ValidationEngineError where the reasoner fails."""
    triples = _for_reasoner(turtle)
    try:
        import owlready2
    except ImportError:
        return Consistency(UNKNOWN, why="owlready2 is not installed (pip install 'kgplatform[reason]')")
    if shutil.which(owlready2.JAVA_EXE) is None:
        return Consistency(UNKNOWN, why="HermiT needs Java, and no java was found")
    world = owlready2.World()
    try:
        ontology = world.get_ontology("urn:kgplatform:checked#").load(fileobj=io.BytesIO(triples))
        with ontology:
            owlready2.sync_reasoner_hermit(world, debug=0)
        return Consistency(CONSISTENT, tuple(sorted(c.iri for c in world.inconsistent_classes() if c is not owlready2.Nothing)))
    except owlready2.OwlReadyInconsistentOntologyError:
        return Consistency(INCONSISTENT)
    except (owlready2.base.OwlReadyError, OSError, ValueError, TypeError, AttributeError) as error:
        raise ValidationEngineError(f"HermiT failed: {error}") from error
    finally:
        world.close()


def _for_reasoner(turtle: str) -> bytes:
    """The ontology as owlready2 and HermiT can read it.

    N-Triples, since owlready2 loads Turtle as nothing or not at all; no imports, which it would fetch;
    xsd:dateTime for xsd:date, which is none of the datatypes of OWL 2 (Structural Specification, section 4).
    """
    try:
        return ox.serialize(_mapped(turtle), format=ox.RdfFormat.N_TRIPLES) or b""
    except SyntaxError as error:
        raise OntologyError(f"the ontology does not parse: {error}", hint="check the Turtle syntax") from error


def _mapped(turtle: str) -> Iterator[ox.Triple]:
    date, moment = ox.NamedNode(XSD.date), ox.NamedNode(XSD.dateTime)
    for quad in ox.parse(turtle, format=ox.RdfFormat.TURTLE):
        value: Any = quad.object
        if quad.predicate.value == OWL.imports:
            continue
        if isinstance(value, ox.Literal) and value.datatype == date:
            day = re.match(r".*-\d\d-\d\d", value.value)
            end = day.end() if day else len(value.value)
            value = ox.Literal(f"{value.value[:end]}T00:00:00{value.value[end:]}", datatype=moment)
        yield ox.Triple(quad.subject, quad.predicate, moment if value == date else value)
