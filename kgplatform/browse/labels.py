"""Labels of entities and of the nodes of claims, as a view knows them."""

from __future__ import annotations

from collections.abc import Iterable

from ..query.entity_names import names_of
from ..terms import class_iri, entity_iri, is_class, is_entity, is_literal, literal_value
from ..views.view import View


def labels(view: View, iris: Iterable[str]) -> dict[str, str]:
    """Entity -> its label at the view's instant, its identifier where it has none."""
    return names_of(view, iris)


def node_label(view: View, node: str) -> str:
    """A node of a claim for people: a literal's value, the label of a class or of an entity."""
    if is_literal(node):
        return literal_value(node)
    if is_class(node):
        return view.schema.label(class_iri(node))
    if is_entity(node):
        iri = entity_iri(view.base, node)
        return names_of(view, [iri])[iri]
    return node
