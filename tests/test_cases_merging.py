"""A merge whose two sides are of disjoint classes is refused, in what the caller sees; one that becomes so later is a finding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commandline import done, kg
from test_writer import reading

from kgplatform.curation.identity import decide_identity
from kgplatform.errors import UsageError
from kgplatform.model import ANONYMOUS, Collection, Fact, Principal
from kgplatform.schema import load_schema
from kgplatform.settings.load import Settings
from kgplatform.terms import LABEL, OWL, PP, SC, TYPE, class_node, literal
from kgplatform.validate.report import validate_graph
from kgplatform.validate.shapes import generate
from kgplatform.views.opening import open_view
from kgplatform.writing.writer import Writer

MORGANS = {
    "a.md": "---\ndate: 2026-02-01\n---\n\nMorgan is a person. Morgan works for Northwind.\n",
    "b.md": "---\ndate: 2026-02-01\n---\n\nMorgan is a company. Rosa Meier works for Morgan.\n",
}
A, B, C = "one:a", "two:b", "three:c"
FINANCE = frozenset({"finance"})


def test_two_morgans_who_are_a_person_and_a_company_are_not_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGPLATFORM_NOW", "2026-06-01")
    for name, text in MORGANS.items():
        (tmp_path / name).write_text(text)
    done("init")
    done("ingest", "a.md", "b.md", "--collection", "documents")
    found = done("sparql", "SELECT ?m WHERE { ?m rdfs:label 'Morgan' }", "--json").json
    one, other = (row["m"]["value"] for row in found["results"]["bindings"])

    said = kg("merge", one, other)
    assert 2 == said.code and 1 == len(said.err.splitlines())
    for word in ("Morgan", "a.md", "b.md", "person", "organisation", "disjoint classes"):
        assert word in said.err, said.err


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    collections = {"rows": Collection("rows"), "secret": Collection("secret", scopes=FINANCE)}
    with Writer.create(Settings(tmp_path / "kg", collections=collections, now="2025-11-01T00:00:00Z")) as opened:
        opened.add_principal(Principal("fin", FINANCE))
        yield opened


def typed(key: str, class_: str) -> Fact:
    return Fact(key, TYPE, class_node(class_))


def named(key: str) -> Fact:
    return Fact(key, LABEL, literal(f"Thing {key[-1].upper()}"))


def merge(writer: Writer, a: str, b: str, who: Principal = ANONYMOUS) -> int:
    return decide_identity(writer, who, a, b)


@pytest.mark.parametrize(("one", "other"), [(PP.Person, SC.Team), (PP.City, PP.Organisation), (PP.City, PP.Country), (PP.Country, PP.City)])
def test_classes_below_disjoint_ones_are_disjoint(writer: Writer, one: str, other: str) -> None:
    writer.ingest([reading(typed(A, one), typed(B, other), named(A))])

    with pytest.raises(UsageError, match=r"Thing A \(one:a\) is of the class .* and two:b of the class .*disjoint classes"):
        merge(writer, A, B)


def test_classes_that_share_members_are_merged(writer: Writer) -> None:
    writer.ingest([reading(typed(A, PP.Organisation), typed(B, SC.Team))])

    assert merge(writer, A, B)


@pytest.mark.parametrize("order", [((A, B), (B, C)), ((B, C), (A, B)), ((C, B), (A, B))])
def test_what_was_merged_before_counts(writer: Writer, order: tuple[tuple[str, str], ...]) -> None:
    writer.ingest([reading(typed(A, PP.Person), named(B), typed(C, PP.Organisation))])
    first, second = order
    merge(writer, *first)

    with pytest.raises(UsageError, match="disjoint classes"):
        merge(writer, *second)


def test_a_class_that_only_others_know_of_refuses_nothing(writer: Writer) -> None:
    writer.ingest([reading(typed(A, PP.Person), named(B)), reading(typed(B, PP.Organisation), collection="secret", document="s.csv")])

    with pytest.raises(UsageError, match="disjoint classes"):
        merge(writer, A, B, Principal("fin", FINANCE))
    assert merge(writer, A, B)


def test_a_thing_that_has_both_classes_already_is_not_the_fault_of_a_merge(writer: Writer) -> None:
    writer.ingest([reading(typed(A, PP.Person), typed(A, PP.Organisation), typed(B, PP.Organisation))])

    assert merge(writer, A, B)


def test_the_two_may_always_be_kept_apart(writer: Writer) -> None:
    writer.ingest([reading(typed(A, PP.Person), typed(B, PP.Organisation))])

    assert decide_identity(writer, ANONYMOUS, A, B, apart=True)


def test_a_merge_whose_classes_become_disjoint_later_is_a_finding(writer: Writer) -> None:
    writer.ingest([reading(typed(A, PP.Person), named(A), named(B))])
    merge(writer, A, B)
    assert [] == findings(writer)

    writer.ingest([reading(typed(B, PP.Organisation), document="late.csv")])
    assert findings(writer)


def test_a_merge_whose_classes_an_ontology_makes_disjoint_is_a_finding(writer: Writer) -> None:
    classes = "".join(f"<https://own.example/{name}> a <{OWL.Class}> ." for name in ("Boat", "Ship"))
    writer.release(f"{writer.schema.turtle}\n{classes}", writer.schema.shapes)
    writer.ingest([reading(typed(A, "https://own.example/Boat"), typed(B, "https://own.example/Ship"), named(A))])
    merge(writer, A, B)
    assert [] == findings(writer)

    apart = f"<https://own.example/Boat> <{OWL.disjointWith}> <https://own.example/Ship> ."
    ontology = f"{writer.schema.turtle}\n{apart}"
    writer.release(ontology, generate(load_schema(ontology)))
    assert findings(writer)


def findings(writer: Writer) -> list[str]:
    writer.projection.publish()
    with open_view(writer.settings) as view:
        return [row.message for row in validate_graph(view.triples("full"), view.schema).rows]
