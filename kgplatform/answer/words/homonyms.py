"""Things of one name in one answer, told apart by their kind, or as an ambiguous name is: by the facts in which they differ."""

from __future__ import annotations

from ...query.entity_names import types_of
from ...query.graphview import GraphView
from ...question.link import told_apart


def distinct_names(view: GraphView, names: dict[str, str]) -> dict[str, str]:
    """The names, with what tells their bearers apart where several bear one: `Alex Kim (works for Platform)`, `Tax (team)`."""
    bearers: dict[str, list[str]] = {}
    for iri, name in names.items():
        bearers.setdefault(name.casefold(), []).append(iri)
    apart: dict[str, str] = {}
    for iris in (iris for iris in bearers.values() if len(iris) > 1):
        kinds = {iri: ", ".join(sorted(map(view.schema.label, held))) for iri, held in types_of(view, iris).items()}
        if len(set(kinds.values())) == len(iris):
            apart |= {iri: f"{names[iri]} ({kinds[iri]})" for iri in iris}
        else:
            apart |= {candidate.iri: str(candidate) for candidate in told_apart(view, iris, is_brief=True)}
    return names | apart
