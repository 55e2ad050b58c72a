"""Types decide what a reading means: which entity a name is, which relation a verb, and whether a step must be inserted.

There are two repairs, and an answer states both: a class that a relation cannot have is reached over the one relation that
links it (the rotation *on call for the team that* owns Tax), and a place is widened over declared containment (born in New
Jersey, *which is located in* the United States).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ..language.phrases import PhraseReading, with_article
from ..query.entity_names import Named
from ..query.expansion import can_be_both, domain_of, range_of
from ..schema import Relation, Schema
from ..terms import KG, TYPE, XSD
from .draft import THING, Draft, DraftNode
from .link import Links
from .reading import WHETHER

Classes = frozenset[str]


@dataclass(frozen=True, slots=True)
class Edge:
    """A hop between nodes, in the direction of its relation."""

    subject: int
    relation: str
    object: int
    step: int
    is_absent: bool = False
    equals: str = ""
    path: str = "one"


@dataclass
class Fitted:
    """A draft with one relation for each step, and what each node may be."""

    draft: Draft
    links: Links
    nodes: list[DraftNode]
    edges: list[Edge]
    known: dict[int, tuple[Named, ...]] = field(default_factory=dict)
    classes: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    repairs: int = 0


class Misfit(Exception):
    """The reading's types do not fit: `reason` says where. `unknown` is a name that nothing bears."""

    def __init__(self, reason: str, *, suggestion: str = "", unknown: str = "") -> None:
        self.reason, self.suggestion, self.unknown = reason, suggestion, unknown
        super().__init__(reason)


def fitted(draft: Draft, choice: tuple[PhraseReading, ...], links: Links) -> Fitted:
    """The draft under one choice of relations. Raises Misfit."""
    edges = []
    for index, (step, reading) in enumerate(zip(draft.steps, choice, strict=True)):
        ends = (step.object, step.subject) if reading.turned else (step.subject, step.object)
        edges.append(Edge(ends[0], reading.relation, ends[1], index, step.is_absent, step.equals))
    fit = Fitted(draft, links, list(draft.nodes), edges)
    _check_question_word(fit)
    for index, node in enumerate(draft.nodes):
        if node.mention:
            fit.known[index] = links.candidates(node.mention)
            if not fit.known[index]:
                raise Misfit(
                    f"nothing is called “{node.mention.text}”", suggestion="search for it by another name", unknown=node.mention.text
                )
    _repair(fit)
    for index in range(len(fit.nodes)):
        _settle(fit, index)
    return fit


def _check_question_word(fit: Fitted) -> None:
    made = fit.draft
    if made.main < 0 or made.question.wh not in ("when", "where", "who", "whom"):
        return
    edge = fit.edges[made.main]
    relation = made.schema.relations[edge.relation]
    is_date = relation.datatype in (XSD.date, XSD.dateTime) and edge.object == made.focus
    if (made.question.wh == "when") != is_date:
        raise Misfit(f"'{made.schema.label(relation.iri)}' does not say {made.question.wh}")


# -- what the ends of relations demand


def _demands(fit: Fitted, index: int) -> Iterator[tuple[Edge, Relation, Classes]]:
    schema = fit.draft.schema
    for edge in fit.edges:
        relation = schema.relations[edge.relation]
        if edge.subject == index:
            yield edge, relation, domain_of(schema, relation)
        if edge.object == index and edge.relation != TYPE:
            yield edge, relation, range_of(schema, relation)


def _suits(fit: Fitted, index: int, wanted: Classes) -> bool:
    schema, node = fit.draft.schema, fit.nodes[index]
    if not wanted:
        return True
    if node.mention:
        return any(schema.may_fill(fit.links.types.get(n.iri, frozenset()), wanted) for n in fit.known[index])
    return not node.classes or any(can_be_both(schema, one, other) for one in node.classes for other in wanted)


def _is_further(fit: Fitted, index: int, further: Classes) -> bool:
    """Whether a node is of the classes that sources may state a relation of and questions do not expect (`also_from`, `also_to`)."""
    schema, node = fit.draft.schema, fit.nodes[index]
    if node.mention:
        return any(schema.is_a(fit.links.types.get(n.iri, frozenset()), further) for n in fit.known[index])
    return any(can_be_both(schema, one, other) for one in node.classes for other in further)


def _settle(fit: Fitted, index: int) -> None:
    """Which entities, or which class, meet every demand. Raises Misfit."""
    schema, node = fit.draft.schema, fit.nodes[index]
    for edge, relation, wanted in _demands(fit, index):
        if edge.object == index and relation.is_literal:
            if node.mention or node.classes:
                raise Misfit(f"'{schema.label(relation.iri)}' leads to a value, not to {node.mention.text if node.mention else 'a thing'}")
            continue
        if node.value and not relation.is_literal:
            raise Misfit(f"'{schema.label(relation.iri)}' leads to a thing, not to a value")
        further = relation.also_from if edge.subject == index else relation.also_to
        if not _suits(fit, index, wanted) and _is_further(fit, index, further):
            fit.repairs += 1  # readings whose ends are as expected are preferred
        elif not _suits(fit, index, wanted):
            is_swapped = _suits(fit, edge.subject, range_of(schema, relation)) and _suits(fit, edge.object, domain_of(schema, relation))
            hint = "asked the other way round it would fit" if is_swapped and not relation.is_literal else ""
            raise Misfit(_why(fit, index, edge, relation, wanted), suggestion=hint)
        if node.mention:
            types = {n: fit.links.types.get(n.iri, frozenset()) for n in fit.known[index]}
            usual = tuple(n for n in types if not wanted or schema.may_fill(types[n], wanted))
            fit.known[index] = usual or tuple(n for n in types if schema.is_a(types[n], further))
    if node.mention and not fit.known[index]:
        raise Misfit(f"no “{node.mention.text}” fits the question")
    stated_classes = [k for i, k in fit.draft.types if i == index]
    if not node.mention and (node.classes or stated_classes):
        fit.classes[index] = _class(fit, index, frozenset().union(node.classes, *stated_classes))


def _class(fit: Fitted, index: int, classes: Classes) -> str:
    schema = fit.draft.schema
    demands = [w | (r.also_from if e.subject == index else r.also_to) for e, r, w in _demands(fit, index) if w]
    fitting = [c for c in classes if all(any(can_be_both(schema, c, w) for w in wanted) for wanted in demands)]
    return min(fitting or classes, key=lambda c: (len(schema.ancestors(c)), c))


def _why(fit: Fitted, index: int, edge: Edge, relation: Relation, wanted: Classes) -> str:
    schema, node = fit.draft.schema, fit.nodes[index]
    verb = "starts from" if edge.subject == index else "leads to"
    names = " or ".join(sorted(with_article(schema.label(c)) for c in wanted))
    if node.mention:
        types = sorted({schema.label(t) for n in fit.known[index] for t in fit.links.types.get(n.iri, ())} - {""})
        actual = (
            f"{node.mention.text} is {' and '.join(map(with_article, types))}" if types else f"nothing says what {node.mention.text} is"
        )
    else:
        actual = f"{' or '.join(sorted(with_article(schema.label(c)) for c in node.classes))} is asked for"
    return f"'{schema.label(relation.iri)}' {verb} {names}, and {actual}"


# -- repairs


def _repair(fit: Fitted) -> None:
    schema = fit.draft.schema
    for step in range(len(fit.draft.steps)):
        for end in ("subject", "object"):
            edge = next(e for e in fit.edges if e.step == step)
            relation = schema.relations[edge.relation]
            index, wanted = (edge.subject, domain_of(schema, relation)) if end == "subject" else (edge.object, range_of(schema, relation))
            is_literal_end = relation.is_literal and end == "object"
            if not (edge.is_absent or edge.relation == TYPE or is_literal_end or _suits(fit, index, wanted)):
                _route(fit, edge, index, wanted)
    _widen(fit)


def _route(fit: Fitted, edge: Edge, index: int, wanted: Classes) -> None:
    """Reach a node that an edge cannot have over the one relation that links it to what the edge can have."""
    schema, node = fit.draft.schema, fit.nodes[index]
    position = fit.edges.index(edge)
    if node.mention:
        if fit.draft.question.form == WHETHER:
            return
        types = [fit.links.types.get(n.iri, frozenset()) for n in fit.known[index]]
        bridges = [
            (r.iri, False)
            for r in _bridges(schema)
            if r.functional and any(schema.is_a(t, r.domain) for t in types) and schema.is_a(r.range, wanted)
        ]
    elif index == fit.draft.focus:
        bridges = [
            (r.iri, turned)
            for r in _bridges(schema)
            if r.iri != schema.canonical(edge.relation)[0]  # the relation that does not fit cannot be the link
            for turned, here, there in ((False, r.domain, r.range), (True, r.range, r.domain))
            if all(schema.is_a([c], here) for c in node.classes) and _shared(schema, there, wanted)
        ]
    else:
        return
    if len(bridges) != 1:
        return
    relation, turned = bridges[0]
    wanted = _shared(schema, wanted, schema.relations[relation].domain if turned else schema.relations[relation].range)
    middle = _middle(fit, wanted)
    ends = {"subject": middle} if edge.subject == index else {"object": middle}
    fit.edges[position] = replace(edge, **ends)  # type: ignore[arg-type]
    subject, object_ = (middle, index) if turned else (index, middle)
    fit.edges.insert(0 if not node.mention else position + 1, Edge(subject, relation, object_, -1))
    fit.repairs += 1
    kind = " or ".join(sorted(with_article(schema.label(c)) for c in wanted))
    what = node.mention.text if node.mention else " or ".join(sorted(schema.label(c) for c in node.classes))
    over = schema.label(relation) if not turned else schema.inverse_label(relation) or schema.label(relation)
    fit.notes.append(f"'{schema.label(edge.relation)}' is of {kind}: {what} was linked to it by '{over}'")


def _shared(schema: Schema, one: Classes, other: Classes) -> Classes:
    """Those of the first classes that an entity of one of the other classes can be of too."""
    return frozenset(c for c in one if any(can_be_both(schema, c, o) for o in other))


def _bridges(schema: Schema) -> Iterator[Relation]:
    for relation in schema.relations.values():
        if (
            not relation.canonical
            and not relation.is_literal
            and relation.domain
            and relation.range
            and not relation.iri.startswith(str(KG))
        ):
            yield relation


def _middle(fit: Fitted, wanted: Classes) -> int:
    name = fit.draft.schema.label(min(wanted)).split()[-1].lower() if wanted else "between"
    name = name if name.isascii() and name.isidentifier() else "between"
    taken = {node.name for node in fit.nodes}
    fit.nodes.append(DraftNode(name if name not in taken else next(f"{name}{i}" for i in range(2, 99) if f"{name}{i}" not in taken)))
    return len(fit.nodes) - 1


def _widen(fit: Fitted) -> None:
    """Let a place stand for the places inside it: who was born in New Jersey was born in the United States."""
    schema, draft = fit.draft.schema, fit.draft
    dated = {draft.main, draft.beside} if draft.question.validity or draft.beside >= 0 else set()
    for position, edge in reversed(list(enumerate(fit.edges))):
        relation = schema.relations[edge.relation]
        if edge.is_absent or edge.step in dated or relation.is_literal or relation.canonical:
            continue
        container = next((r for r in _bridges(schema) if r.transitive and r.range == relation.range), None)
        if container is None or not _is_narrower(fit, edge.object, relation.range):
            continue
        if relation.transitive:
            fit.edges[position] = replace(edge, path="one-or-more")
            continue
        middle = _middle(fit, relation.range)
        fit.edges[position] = replace(edge, object=middle)
        fit.edges.insert(position + 1, Edge(middle, container.iri, edge.object, -1, path="zero-or-more"))


def _is_narrower(fit: Fitted, index: int, range_: Classes) -> bool:
    node, schema = fit.nodes[index], fit.draft.schema
    if node.mention:
        return True
    return node.classes != THING and not any(w in node.classes for w in range_) and schema.is_a(node.classes, range_)
