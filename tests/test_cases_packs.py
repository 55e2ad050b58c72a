"""Packs as their authors write them: each file keeps what is its own, and an error names its file and line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from support.commandline import done, kg

from kgplatform.checks.packs import read_packs
from kgplatform.derive.cells import turn
from kgplatform.errors import OntologyError
from kgplatform.model import Fact
from kgplatform.packs.folders import ontology_text, shapes_text
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import PROV, RDF, RDFS, SC, SH, SKOS, XSD, literal
from kgplatform.validate.gate import ClaimPattern, Gate
from kgplatform.validate.shapes import generate

PREFIXES: Final = """@prefix kg: <https://w3id.org/kgplatform/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
LINES: Final = PREFIXES.count("\n")


def read(folder: Path, files: Mapping[str, str]) -> Schema:
    """The schema of packs of these texts, in this order; `x.shapes.ttl` is the shapes of `x.ttl`."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    packs = [str(folder / name) for name in files if not name.endswith(".shapes.ttl")]
    return load_schema(ontology_text(packs), shapes_text(packs))


def test_each_pack_has_its_own_blank_nodes(tmp_path: Path) -> None:
    base = ":Thing a owl:Class ; rdfs:subClassOf _:r . _:r a owl:Restriction ; owl:onProperty :size ; owl:allValuesFrom xsd:integer ."
    top = ":Gadget a owl:Class ; rdfs:subClassOf _:r . _:r a owl:Restriction ; owl:onProperty :weight ; owl:allValuesFrom xsd:decimal ."
    schema = read(
        tmp_path,
        {
            "base.ttl": f"{PREFIXES}@prefix : <https://b.example/b#> .\n{base} :size a owl:DatatypeProperty .",
            "top.ttl": f"{PREFIXES}@prefix : <https://t.example/t#> .\n{top} :weight a owl:DatatypeProperty .",
        },
    )
    demands = {iri: [(r.relation, r.datatype) for r in class_.restrictions] for iri, class_ in schema.classes.items()}

    assert [("https://b.example/b#size", XSD.integer)] == demands["https://b.example/b#Thing"]
    assert [("https://t.example/t#weight", XSD.decimal)] == demands["https://t.example/t#Gadget"]


def test_a_prefix_and_a_base_of_one_file_do_not_reach_the_next(tmp_path: Path) -> None:
    first = f"{PREFIXES}@prefix mine: <https://a.example/> .\n@base <https://a.example/> .\nmine:A a owl:Class ."

    for second in ("mine:B a owl:Class .", "<B> a owl:Class ."):
        with pytest.raises(OntologyError) as caught:
            read(tmp_path, {"a.ttl": first, "b.ttl": f"{PREFIXES}\n{second}"})
        assert caught.value.where.endswith(f"b.ttl:{LINES + 2}")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("<x:A> a owl:Class .\n<x:B> a owl:Class ;\n  rdfs:subClassOf <x:Missing> .", 3, "no such class: <x:Missing>"),
        ("<x:p> a owl:ObjectProperty ;\n  rdfs:range <x:Missing> . <x:A> a owl:Class .", 2, "no such class: <x:Missing>"),
        ('<x:p> a owl:ObjectProperty ;\n  kg:functionalAtATime "yes" .', 2, "neither true nor false"),
        ("<x:p> a owl:ObjectProperty ;\n\n  rdfs:subPropertyOf <x:q> .", 3, "no such relation: <x:q>"),
        ("<x:p> a owl:ObjectProperty, owl:DatatypeProperty .", 1, "entities or literals"),
        ("<x:A> a owl:Class ;", 1, "not Turtle"),
    ],
)
def test_a_fault_of_a_pack_is_told_with_its_file_and_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    good = f"{PREFIXES}<x:Good> a owl:Class .\n"
    with pytest.raises(OntologyError) as caught:
        read(tmp_path, {"good.ttl": good, "bad.ttl": PREFIXES + text})

    assert f"bad.ttl:{LINES + line}" in caught.value.where and what in caught.value.what


def test_a_pack_that_is_not_utf_8_is_refused_by_name(tmp_path: Path) -> None:
    own = tmp_path / "latin.ttl"
    own.write_bytes("# é\n".encode("latin-1"))

    with pytest.raises(OntologyError, match="is not UTF-8") as caught:
        ontology_text([str(own)])
    assert str(own) == caught.value.where


def test_a_pack_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    own = tmp_path / "bom.ttl"
    own.write_text("<x:A> a <http://www.w3.org/2002/07/owl#Class> .", encoding="utf-8-sig")

    assert "x:A" in load_schema(ontology_text([str(own)])).classes


THESAURUS: Final = f"""{PREFIXES}
<http://ex.org/thes> a owl:Ontology .
skos:Concept a owl:Class ; rdfs:label "concept"@en .
skos:ConceptScheme a owl:Class ; rdfs:label "concept scheme"@en .
skos:prefLabel a owl:DatatypeProperty ; rdfs:subPropertyOf rdfs:label ; rdfs:label "preferred label"@en .
skos:broader a owl:ObjectProperty ; rdfs:domain skos:Concept ; rdfs:range skos:Concept ; rdfs:label "broader than"@en .
skos:narrower a owl:ObjectProperty ; owl:inverseOf skos:broader ; kg:storedAs skos:broader ; rdfs:label "narrower"@en .
skos:inScheme a owl:ObjectProperty ; rdfs:domain skos:Concept ; rdfs:range skos:ConceptScheme ; rdfs:label "in scheme"@en .
"""


def test_a_pack_may_declare_terms_of_a_vocabulary_that_the_platform_builds_on(tmp_path: Path) -> None:
    schema = read(tmp_path, {"thes.ttl": THESAURUS})

    assert SKOS.Concept in schema.classes and SKOS.Concept in schema.relations[SKOS.broader].domain
    assert PROV.Activity not in schema.classes
    provenance = (
        f"{PREFIXES}@prefix prov: <{PROV}> .\nprov:Activity a owl:Class . prov:value a owl:DatatypeProperty ; rdfs:domain prov:Activity ."
    )
    assert PROV.Activity in read(tmp_path, {"prov.ttl": provenance}).classes


def test_the_platforms_own_records_stay_its_own(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match="kg:Document is a class of the platform's own records"):
        read(tmp_path, {"own.ttl": f"{PREFIXES}kg:Document a owl:Class . <x:p> a owl:ObjectProperty ; rdfs:domain kg:Document ."})


def test_a_class_of_another_vocabulary_that_is_used_and_not_declared_is_taken_as_it_comes(tmp_path: Path) -> None:
    dcat = f"""{PREFIXES}@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
    dcat:Resource a rdfs:Class, owl:Class .
    dcat:Catalog a rdfs:Class, owl:Class ; rdfs:subClassOf dcat:Resource, foaf:Thing ,
        [ a owl:Restriction ; owl:onProperty foaf:member ; owl:minCardinality 1 ] .
    foaf:homepage a rdf:Property, owl:ObjectProperty ; rdfs:domain dcat:Resource ; rdfs:range foaf:Document .
    dcat:relation a rdf:Property, owl:ObjectProperty ; rdfs:domain rdfs:Resource ; rdfs:range rdfs:Resource ;
        rdfs:subPropertyOf foaf:related ; owl:inverseOf foaf:back .
    """
    schema = read(tmp_path, {"dcat.ttl": dcat.replace("@prefix dcat", f"@prefix rdf: <{RDF}> .\n@prefix dcat")})

    assert {"http://xmlns.com/foaf/0.1/Document"} == schema.relations["http://xmlns.com/foaf/0.1/homepage"].range
    assert "http://xmlns.com/foaf/0.1/Thing" in schema.classes
    relation = schema.relations["http://www.w3.org/ns/dcat#relation"]
    assert (frozenset(), frozenset(), frozenset(), "") == (relation.domain, relation.range, relation.parents, relation.inverse)


ITEMS: Final = f"{PREFIXES}@prefix p: <https://p.example/p#> .\np:Item a owl:Class .\n"


def judged(schema: Schema, relation: str, value: str) -> str:
    pattern = ClaimPattern(relation, frozenset({"https://p.example/p#Item"}), turn(Fact("item:1", relation, value), schema).object)
    reason = Gate(schema).judge([pattern])[pattern]
    return reason.message if reason else ""


@pytest.mark.parametrize(
    ("declared", "stated", "fits"),
    [
        ("decimal", "integer", True),
        ("decimal", "int", True),
        ("decimal", "decimal", True),
        ("integer", "decimal", False),
        ("integer", "nonNegativeInteger", True),
        ("double", "float", False),
        ("decimal", "double", False),
        ("dateTime", "date", False),
        ("string", "token", True),
        ("positiveInteger", "integer", True),
    ],
)
def test_a_value_of_a_derived_datatype_is_a_value_of_the_declared_one(tmp_path: Path, declared: str, stated: str, fits: bool) -> None:
    schema = read(tmp_path, {"p.ttl": f"{ITEMS}p:weight a owl:DatatypeProperty ; rdfs:domain p:Item ; rdfs:range xsd:{declared} ."})
    schema = load_schema(schema.turtle, generate(schema))
    value = literal("2024-01-01" if stated == "date" else "78", XSD[stated])

    assert fits == ("" == judged(schema, "https://p.example/p#weight", value))


def test_an_integer_and_a_decimal_of_one_relation_are_equal_by_value(tmp_path: Path) -> None:
    schema = read(tmp_path, {"p.ttl": f"{ITEMS}p:weight a owl:DatatypeProperty ; rdfs:domain p:Item ; rdfs:range xsd:decimal ."})
    facts = [
        Fact("item:1", "https://p.example/p#weight", literal(text, datatype))
        for text, datatype in (("78", XSD.integer), ("78.0", XSD.decimal))
    ]

    assert 1 == len({turn(fact, schema) for fact in facts})


def test_an_integer_fits_a_restriction_to_decimals(tmp_path: Path) -> None:
    restricted = "p:Item rdfs:subClassOf [ owl:onProperty p:weight ; owl:allValuesFrom xsd:decimal ] . p:weight a owl:DatatypeProperty ."
    schema = read(tmp_path, {"p.ttl": ITEMS + restricted})
    schema = load_schema(schema.turtle, generate(schema))

    assert "" == judged(schema, "https://p.example/p#weight", literal("78", XSD.integer))
    assert judged(schema, "https://p.example/p#weight", literal("78", XSD.double))


def test_a_restriction_on_the_inverse_of_a_relation_is_a_shape_over_its_inverse_path() -> None:
    text = f"""{PREFIXES}@prefix sc: <{SC}> .
    sc:Film a owl:Class ; rdfs:subClassOf [ owl:onProperty [ owl:inverseOf sc:made ] ; owl:maxCardinality 1 ] ,
        [ owl:onProperty [ owl:inverseOf sc:saw ] ; owl:allValuesFrom sc:Person ] .
    sc:Person a owl:Class . sc:made a owl:ObjectProperty ; kg:inverseLabel "made by"@en . sc:saw a owl:ObjectProperty .
    """
    shapes = generate(load_schema(text))

    assert "sh:path [ sh:inversePath sc:made ] ; sh:maxCount 1 ; sh:message \"'made by' of a Film: at most 1\"" in shapes
    assert "sh:path [ sh:inversePath sc:saw ] ; sh:class sc:Person" in shapes


@pytest.mark.parametrize(
    ("text", "line", "subject", "what"),
    [
        (
            "<x:o> a owl:Ontology ;\n owl:imports <https://nowhere.example/other> .",
            2,
            "<x:o>",
            "owl:imports <https://nowhere.example/other> is not found",
        ),
        (
            "sc:A a owl:Class ; rdfs:label 'a' ; rdfs:subClassOf\n [ owl:unionOf ( sc:B sc:C ) ] .",
            2,
            "a blank node",
            "owl:unionOf is ignored",
        ),
        ("sc:A a owl:Class ; rdfs:label 'a' ;\n owl:oneOf ( sc:a1 ) .", 2, "sc:A", "owl:oneOf is ignored: it is read of literals only"),
        (
            "sc:A a owl:Class ; rdfs:label 'a' ;\n owl:equivalentClass [ owl:intersectionOf ( sc:B sc:C ) ] .",
            2,
            "sc:A",
            "owl:equivalentClass is ignored",
        ),
        ("sc:r a owl:ObjectProperty ,\n owl:ReflexiveProperty ; rdfs:label 'meets' .", 1, "sc:r", "owl:ReflexiveProperty is ignored"),
        ("sc:r rdfs:domain sc:B .", 1, "sc:r", "rdfs:domain is ignored"),
        ("sc:A a owl:Class ; rdfs:label 'a' ;\n kg:functionalAtATime true .", 2, "sc:A", "kg:functionalAtATime is ignored"),
        ("sc:r a owl:ObjectProperty ; rdfs:label 'meets' ; kg:keyScheme 'r' .", 1, "sc:r", "kg:keyScheme is ignored"),
        ("sc:b1 a sc:B . sc:b2 a sc:B .", 1, "sc:B", "2 individuals are not read"),
        (
            "sc:r a owl:ObjectProperty ; rdfs:label 'meets' ;\n rdfs:range <http://other.example/X> .",
            2,
            "<http://other.example/X>",
            "taken for a class",
        ),
        (
            "sc:r a owl:ObjectProperty ; rdfs:label 'meets' ;\n rdfs:subPropertyOf <http://o.example/x> .",
            2,
            "<http://o.example/x>",
            "declared nowhere",
        ),
        ("sc:S a sh:NodeShape ; sh:targetClass sc:B .", 1, "sc:S", "a shape in an ontology file judges nothing"),
        ("sc:r a owl:ObjectProperty .", 1, "sc:r", "it has no label"),
        ("sc:r a owl:ObjectProperty ; rdfs:label 'trifft'@de .", 1, "sc:r", "its labels are in de only"),
        ("sc:r a owl:ObjectProperty ; rdfs:label 'meets' ;\n skos:altLabel '?!' .", 1, "sc:r", "has no letters"),
        ("sc:r a owl:ObjectProperty ; rdfs:label 'met by' ;\n kg:inverseLabel 'directed' .", 2, "sc:r", "a past form alone"),
        ("sc:r a owl:ObjectProperty ; rdfs:label 'meets' ;\n kg:inverseLabel '--' .", 2, "sc:r", "has no letters"),
        ("sc:r a owl:ObjectProperty ; rdfs:label 'has'@en .", 1, "sc:r", "the label 'has' is of function words alone"),
        (
            "sc:r a owl:ObjectProperty ; rdfs:label 'meets' ;\n kg:inverseLabel 'was the' .",
            2,
            "sc:r",
            "the label 'was the' is of function words",
        ),
        ("sc:D a owl:Class ; rdfs:label 'all' ; rdfs:subClassOf sc:B .", 1, "sc:D", "the label 'all' is of function words alone"),
        (
            "sc:r a owl:ObjectProperty ; rdfs:label 'meets' ; rdfs:domain sc:B ; rdfs:range sc:C .\nsc:Lone a owl:Class ; rdfs:label 'lone' .",
            *(2, "sc:Lone", "no relation, class or shape uses it"),
        ),
        (
            "sc:r a owl:ObjectProperty ; rdfs:label 'meets' ; rdfs:domain sc:B .\nsc:s a owl:ObjectProperty ; rdfs:label 'Meets'@en .",
            *(2, "sc:s", "the label 'meets' is that of sc:r too"),
        ),
    ],
)
def test_what_has_no_effect_is_listed_with_its_place(tmp_path: Path, text: str, line: int, subject: str, what: str) -> None:
    head = f"{PREFIXES}@prefix sc: <{SC}> . @prefix sh: <{SH}> .\nsc:B a owl:Class ; rdfs:label 'bee' . sc:C a owl:Class ; rdfs:label 'sea' .\n"
    (tmp_path / "p.ttl").write_text(head + text, encoding="utf-8")
    notes = read_packs((str(tmp_path / "p.ttl"),)).notes

    assert [(f"p.ttl:{head.count(chr(10)) + line}", subject)] == [note[:2] for note in notes]
    assert what in notes[0].message


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("sc:r a owl:ObjectProperty ; kg:inverseLable 'owns' .", "core declares no kg:inverseLable"),
        ("sc:r a owl:ObjectProperty ; kg:inverseLabel sc:owns .", "kg:inverseLabel wants a text"),
        ("sc:r a owl:ObjectProperty ; kg:licenses 'owns' .", "kg:licenses names a relation"),
        ("sc:r a owl:ObjectProperty ; kg:functionalAtATime 'yes' .", "kg:functionalAtATime is neither true nor false"),
    ],
)
def test_an_annotation_of_the_platform_that_cannot_be_read_is_refused(tmp_path: Path, text: str, what: str) -> None:
    head = f"{PREFIXES}@prefix sc: <{SC}> .\n"
    (tmp_path / "p.ttl").write_text(head + text, encoding="utf-8")
    with pytest.raises(OntologyError) as caught:
        read_packs((str(tmp_path / "p.ttl"),))

    assert f"p.ttl:{head.count(chr(10)) + 1}: sc:r" == caught.value.where and what in caught.value.what


@pytest.mark.parametrize(
    "text",
    [
        "sc:D a owl:Class ; rdfs:label 'dee' ; rdfs:subClassOf sc:B .",
        "sc:E a owl:Class ; rdfs:label 'ee' . sc:B rdfs:subClassOf sc:E .",
        "sc:D a owl:Class ; rdfs:label 'dee' ; kg:keyScheme 'd' .",
        "sc:D a owl:Class ; rdfs:label 'dee' . sc:any a owl:ObjectProperty ; rdfs:label 'joins' .",
        "sc:D a owl:Class ; rdfs:label 'dee' . sc:any a owl:DatatypeProperty ; rdfs:label 'size' ; rdfs:domain [ owl:unionOf ( sc:B sc:D ) ] .",
        "sc:t a owl:ObjectProperty ; rdfs:label 'is in' ; rdfs:domain sc:B ; rdfs:range sc:C .",
        "sc:t a owl:ObjectProperty ; rdfs:label 'was'@de , 'turns into' ; rdfs:domain sc:B ; rdfs:range sc:C .",
    ],
)
def test_what_has_an_effect_is_not_listed(tmp_path: Path, text: str) -> None:
    meets = "sc:r a owl:ObjectProperty ; rdfs:label 'meets' ; rdfs:domain sc:B ; rdfs:range sc:C ."
    classes = "sc:B a owl:Class ; rdfs:label 'bee' . sc:C a owl:Class ; rdfs:label 'sea' ."
    (tmp_path / "p.ttl").write_text(f"{PREFIXES}@prefix sc: <{SC}> .\n{classes} {meets} {text}", encoding="utf-8")

    assert () == read_packs((str(tmp_path / "p.ttl"),)).notes


def test_init_shows_what_has_no_effect(tmp_path: Path) -> None:
    (tmp_path / "p.ttl").write_text(f"{PREFIXES}<x:A> a owl:Class ; rdfs:label 'a' ; owl:oneOf ( <x:a1> ) .", encoding="utf-8")
    (tmp_path / "k.toml").write_text('packs = ["p.ttl"]\n', encoding="utf-8")
    shown = done("--config", tmp_path / "k.toml", "init", "--data", tmp_path / "kg").out

    assert f"note: p.ttl:{LINES + 1}: <x:A>: owl:oneOf is ignored" in shown
    assert "owl:oneOf is ignored" in done("shapes", "check", "--data", tmp_path / "kg").out
    assert "1 things that they say have no effect" in done("doctor", "--data", tmp_path / "kg").out


def test_a_pack_that_is_refused_is_refused_by_init_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "p.ttl").write_text(f"{PREFIXES}<x:A> a owl:Class ; rdfs:subClassOf <x:Missing> .", encoding="utf-8")
    (tmp_path / "k.toml").write_text('packs = ["p.ttl"]\n', encoding="utf-8")
    failed = kg("--config", tmp_path / "k.toml", "init", "--data", tmp_path / "kg")

    assert 1 == failed.code and f"p.ttl:{LINES + 1}" in failed.err and 1 == failed.err.count("\n")


def test_an_ontology_as_it_is_published_is_read_with_a_report_of_what_is_not(tmp_path: Path) -> None:
    text = f"""{PREFIXES}@prefix : <https://bank.example/parties/> . @prefix cmns: <https://commons.example/org/> .
    <https://bank.example/parties/> a owl:Ontology ; owl:imports <https://commons.example/org/> .
    :Owner a owl:Class ; rdfs:label "owner"@en ; rdfs:subClassOf cmns:Party ,
        [ a owl:Restriction ; owl:onProperty :owns ; owl:someValuesFrom [ owl:intersectionOf ( :Asset cmns:Thing ) ] ] ,
        [ a owl:Restriction ; owl:onProperty cmns:plays ; owl:someValuesFrom :Asset ] .
    :Asset a owl:Class ; rdfs:label "asset"@en . cmns:Party a owl:Class ; rdfs:label "party"@en .
    :owns a owl:ObjectProperty ; rdfs:label "owns"@en ; rdfs:domain :Owner ; rdfs:range :Asset ; owl:inverseOf :isOwnedBy .
    :isOwnedBy a owl:ObjectProperty ; rdfs:label "is owned by"@en ; owl:inverseOf :owns .
    :on a owl:DatatypeProperty ; rdfs:label "on"@en ; rdfs:domain :Owner ; rdfs:range cmns:DateTime .
    """
    (tmp_path / "parties.ttl").write_text(text, encoding="utf-8")
    report = read_packs((str(tmp_path / "parties.ttl"),))

    assert {"owl:imports", "owl:someValuesFrom", "owl:onProperty"} <= {word for note in report.notes for word in note.message.split()}
    assert all(note.where.startswith("parties.ttl:") for note in report.notes)
    schema = load_schema(*report.texts)
    assert RDFS.Literal == schema.relations["https://bank.example/parties/on"].datatype
    assert "https://bank.example/parties/isOwnedBy" == schema.relations["https://bank.example/parties/owns"].canonical
