"""Backstage catalogue entities to claims: kinds, references, literals; what no field rule knows stays as unmapped claims.

Entities that only say how others are made or found (Template, Location), entities of kinds that are not known, and what a
scaffolder has yet to fill in are counted, not claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from ..errors import SyntaxSourceError
from ..model import Candidate, Fact, Notice
from ..terms import PP, SC, TYPE, XSD, class_node, literal
from .backstage_fields import EXTRACTOR, CountedNode, Parts, StatedField, metadata_field, named, scalar, spec_field, unmapped_field
from .backstage_references import DEFAULT, KINDS, NOT_ENTITIES, REFERENCE, is_unfilled, reference
from .evidence import ReadClaims, candidate, line_of, lines_around
from .readers import SourceFile
from .yaml_documents import Node, YamlMapping

API_GROUP: Final = "backstage.io"
PROFILE: Final = {"email": (PP.email, XSD.string), "picture": (PP.picture, XSD.anyURI)}


def is_backstage(document: YamlMapping) -> bool:
    """Whether it is an entity of `backstage.io/v1alpha1` or of a group below it, such as `scaffolder.backstage.io/v1beta3`."""
    group = document.text("apiVersion").partition("/")[0].lower()
    return group == API_GROUP or group.endswith(f".{API_GROUP}")


def entity_claims(document: YamlMapping, text: str, path: str) -> ReadClaims:
    """Every claim of one catalogue entity, and notices of what is only counted. SyntaxSourceError where it has no kind or no name."""
    claims: list[Candidate] = []
    counted: dict[tuple[str, str], Notice] = {}
    for part in _parts(document, text, path):
        if isinstance(part, StatedField):
            claims.append(candidate(text, part.fact, lines_around(text, part.node.start, part.node.end), part.extractor, note=part.note))
        else:
            first = counted.get(part[:2]) or Notice(part.kind, part.what, 0, f"{path}:{line_of(text, part.node.start)}")
            counted[part[:2]] = Notice(part.kind, part.what, first.count + 1, first.where)
    return ReadClaims(tuple(claims), EXTRACTOR, notices=tuple(counted.values()))


class BackstageFormat:
    """Catalogue entities."""

    words: ClassVar[Sequence[str]] = ("apiVersion", "kind")

    def __init__(self, file: SourceFile, roots: Sequence[Node | None]) -> None:
        self._file = file

    @staticmethod
    def is_one(root: YamlMapping) -> bool:
        """Whether it is an entity of a group of Backstage."""
        return is_backstage(root)

    def read(self, root: YamlMapping) -> ReadClaims:
        """Every claim of one entity."""
        return entity_claims(root, self._file.text, self._file.path)


def described_once(claims: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The claims of one file. What references claim of an entity comes once, and not at all where the file describes the entity."""
    every = tuple(claims)
    described = {claim.fact.subject for claim in every if claim.fact.relation == TYPE}
    kept: dict[object, Candidate] = {}
    for position, claim in enumerate(every):
        if claim.extractor != REFERENCE:
            kept[position] = claim
        elif claim.fact.subject not in described:
            kept.setdefault(claim.fact, claim)
    return tuple(kept.values())


def _parts(document: YamlMapping, text: str, path: str) -> Parts:
    metadata, spec = document.mapping("metadata"), document.mapping("spec")
    name, kind = metadata.text("name"), document.text("kind")
    if not name or not kind:
        missing = "metadata.name" if kind else "kind"
        raise SyntaxSourceError(
            f"a catalogue entity without {missing}", where=f"{path}:{line_of(text, document.start)}", hint=f"add {missing}"
        )
    namespace = metadata.text("namespace").lower() or DEFAULT
    at = document.entries["kind"]
    if is_unfilled(f"{kind} {namespace} {name}"):
        yield CountedNode("skipped", "placeholder", at)
        return
    if kind.lower() in NOT_ENTITIES:
        yield CountedNode("skipped", f"kind {NOT_ENTITIES[kind.lower()]}", at)
        return
    subject = reference(f"{kind}:{namespace}/{name}", "", "")
    if kind.lower() not in KINDS or subject is None:
        yield CountedNode("unmapped", f"kind {kind}", at)
        return
    is_team = kind.lower() == "group" and spec.text("type").lower() == "team"
    yield StatedField(Fact(subject.key, TYPE, class_node(SC.Team if is_team else subject.class_)), at)
    yield from named(document, subject)
    for field, node in metadata.entries.items():
        yield from metadata_field(subject, kind.lower(), field, node)
    for field, node in spec.entries.items():
        if field == "profile" and isinstance(node, YamlMapping):
            yield from _profile(subject.key, node)
        else:
            yield from spec_field(subject, kind.lower(), field, node)
    for field, node in document.entries.items():
        whole = field in ("metadata", "spec") and isinstance(node, YamlMapping)
        if not whole and field not in ("apiVersion", "kind"):
            yield from unmapped_field(subject.key, field, node)


def _profile(subject: str, profile: YamlMapping) -> Parts:
    for field, node in profile.entries.items():
        if field in PROFILE and scalar(node):
            relation, datatype = PROFILE[field]
            yield StatedField(Fact(subject, relation, literal(scalar(node), datatype)), node)
        elif field != "displayName" or not scalar(node):
            yield from unmapped_field(subject, f"spec.profile.{field}", node)
