"""Packs in every syntax of RDF, as vocabularies are published: the same schema, with the lines of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pyoxigraph as ox
import pytest
from support.commandline import done, kg

from kgplatform.checks.packs import read_packs
from kgplatform.errors import OntologyError
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import OWL, RDF, RDFS, XSD

Z: Final = "https://zoo.example/zoo#"
TURTLE: Final = f"""@prefix owl: <{OWL}> .
@prefix rdfs: <{RDFS}> .
@prefix z: <{Z}> .
<https://zoo.example/zoo> a owl:Ontology .
z:Animal a owl:Class ; rdfs:label "animal"@en .
z:Pen a owl:Class ; rdfs:label "pen"@en ;
    rdfs:subClassOf [ a owl:Restriction ; owl:onProperty z:houses ; owl:maxCardinality 3 ] .
z:houses a owl:ObjectProperty ; rdfs:label "houses"@en ; rdfs:domain z:Pen ; rdfs:range z:Animal .
"""
XML: Final = f"""<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY owl "{OWL}" > <!ENTITY z "{Z}" > ]>
<rdf:RDF xmlns:rdf="{RDF}" xmlns:rdfs="{RDFS}" xmlns:owl="&owl;" xmlns:z="{Z}">
  <owl:Ontology rdf:about="https://zoo.example/zoo"/>
  <owl:Class rdf:about="&z;Animal"><rdfs:label xml:lang="en">animal</rdfs:label></owl:Class>
  <owl:Class rdf:about="&z;Pen"><rdfs:label xml:lang="en">pen</rdfs:label>
    <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="&z;houses"/>
      <owl:maxCardinality rdf:datatype="{XSD}integer">3</owl:maxCardinality></owl:Restriction></rdfs:subClassOf></owl:Class>
  <owl:ObjectProperty rdf:about="&z;houses"><rdfs:label xml:lang="en">houses</rdfs:label>
    <rdfs:domain rdf:resource="&z;Pen"/><rdfs:range rdf:resource="&z;Animal"/></owl:ObjectProperty>
</rdf:RDF>
"""


def serialised(format_: ox.RdfFormat) -> str:
    quads = list(ox.parse(TURTLE, format=ox.RdfFormat.TURTLE))
    return (ox.serialize(quads, format=format_) or b"").decode()


def schema_of(path: Path, text: str | bytes) -> Schema:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    report = read_packs((str(path),))
    return load_schema(report.ontology, report.shapes)


SYNTAXES: Final = {
    "zoo.ttl": TURTLE,
    "zoo.rdf": XML,
    "zoo.owl": XML,
    "turtle.owl": TURTLE,
    "xml.ttl": XML,
    "commented.xml": XML.replace('<?xml version="1.0"?>', "<!-- animals -->"),
    "zoo.nt": serialised(ox.RdfFormat.N_TRIPLES),
    "zoo.nq": serialised(ox.RdfFormat.N_QUADS),
    "zoo.trig": TURTLE.replace("z:Animal a", "z:g { z:Animal a").replace("z:Pen a owl", "} z:h { z:Pen a owl") + "}",
    "zoo.jsonld": serialised(ox.RdfFormat.JSON_LD),
    "json.owl": serialised(ox.RdfFormat.JSON_LD),
}


@pytest.mark.parametrize("name", SYNTAXES)
def test_a_pack_is_the_same_schema_in_every_syntax(tmp_path: Path, name: str) -> None:
    schema = schema_of(tmp_path / name, SYNTAXES[name])

    assert [(Z + "houses", 3)] == [(r.relation, r.count) for r in schema.classes[Z + "Pen"].restrictions]
    assert (frozenset({Z + "Pen"}), frozenset({Z + "Animal"})) == (
        schema.relations[Z + "houses"].domain,
        schema.relations[Z + "houses"].range,
    )
    assert (("houses", "en"),) == schema.relations[Z + "houses"].labels
    assert () == read_packs((str(tmp_path / name),)).notes


@pytest.mark.parametrize("name", SYNTAXES)
def test_a_pack_that_did_not_change_is_the_same_text_at_every_reading(tmp_path: Path, name: str) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    schema_of(tmp_path / "a" / name, SYNTAXES[name])
    schema_of(tmp_path / "b" / name, SYNTAXES[name])

    assert read_packs((str(tmp_path / "a" / name),)).texts == read_packs((str(tmp_path / "b" / name),)).texts


def test_prefixes_of_rdf_xml_are_names(tmp_path: Path) -> None:
    assert Z + "Pen" == schema_of(tmp_path / "zoo.rdf", XML).names.expand("z:Pen")


BROKEN: Final = {
    "zoo.rdf": (XML.replace('rdf:resource="&z;Animal"', f'rdf:resource="{Z}Animl"'), "zoo.rdf:10"),
    "zoo.nt": (serialised(ox.RdfFormat.N_TRIPLES).replace(f"range> <{Z}Animal>", f"range> <{Z}Animl>"), "zoo.nt:"),
    "zoo.trig": ("z:g { " .join(TURTLE.partition("z:Animal")[::2]).replace("range z:Animal", "range z:Animl").replace("z:g {  a", "z:g { z:Animal a") + "}", "zoo.trig:8"),
    "zoo.jsonld": (
        f'[\n{{"@type":"{OWL.ObjectProperty}",\n"@id":"{Z}p",\n"{RDFS.range}":{{"@id":"{Z}Animl"}}}},\n{{"@type":"{OWL.Class}",\n"@id":"{Z}Pen"}}]',
        "zoo.jsonld:4",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_fault_is_told_with_the_line_of_the_file(tmp_path: Path, name: str) -> None:
    text, where = BROKEN[name]
    with pytest.raises(OntologyError, match="no such class") as caught:
        schema_of(tmp_path / name, text)

    assert caught.value.where.startswith(where)


def test_a_file_whose_lines_cannot_be_had_is_named(tmp_path: Path) -> None:
    text = f'[\n{{"@id":"{Z}p",\n"@type":"{OWL.ObjectProperty}",\n"{RDFS.range}":{{"@id":"{Z}Animl"}}}}, {{"@id":"{Z}A","@type":"{OWL.Class}"}}]'
    with pytest.raises(OntologyError, match="no such class") as caught:
        schema_of(tmp_path / "zoo.jsonld", text)

    assert caught.value.where.startswith("zoo.jsonld: ")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f'<?xml version="1.0"?>\n<Ontology xmlns="{OWL}"><Declaration><Class IRI="#A"/></Declaration></Ontology>', "OWL/XML"),
        ("Prefix(:=<http://x.example/>)\nOntology(<http://x.example/>\nDeclaration(Class(:A)))", "functional syntax"),
        ("# made by hand\nPrefix: : <http://x.example/>\nOntology: <http://x.example/>\nClass: A", "Manchester syntax"),
        ("format-version: 1.2\nontology: go\n\n[Term]\nid: GO:1", "OBO"),
        ("<!DOCTYPE html>\n<html><head><title>t</title></head></html>", "an HTML page"),
        ('<?xml version="1.0"?>\n<note>hello</note>', "not RDF/XML"),
        ("hello", "not Turtle"),
        (XML.replace("</rdf:RDF>", ""), "not RDF/XML"),
        (XML.replace('<!ENTITY z "', '<!ENTITY y "&owl;&owl;" > <!ENTITY z "'), "declares an entity that names others: y"),
        ('{"@context": "https://nowhere.example/context.jsonld", "@id": "http://x.example/A"}', "not JSON-LD"),
        (XML.replace('"1.0"?>', '"1.0" encoding="klingon"?>'), "states the encoding klingon"),
    ],
)
@pytest.mark.parametrize("name", ["a.owl", "a.ttl", "a.rdf"])
def test_what_is_no_rdf_is_refused_with_its_file_and_what_to_do(tmp_path: Path, text: str, what: str, name: str) -> None:
    with pytest.raises(OntologyError) as caught:
        schema_of(tmp_path / name, text)

    assert what in caught.value.what and str(tmp_path / name) in caught.value.where and caught.value.hint


def test_xml_is_read_in_the_encoding_that_it_states(tmp_path: Path) -> None:
    text = XML.replace(">pen<", ">é<")
    for name, content in (
        ("latin.owl", text.replace('"1.0"?>', '"1.0" encoding="ISO-8859-1"?>').encode("latin-1")),
        ("wide.owl", text.replace('"1.0"?>', "'1.0' encoding='UTF-16'?>").encode("utf-16")),
        ("marked.owl", text.replace('"1.0"?>', '"1.0" encoding="utf-8"?>').encode("utf-8-sig")),
    ):
        assert (("é", "en"),) == schema_of(tmp_path / name, content).classes[Z + "Pen"].labels


def test_relative_iris_of_rdf_xml_are_relative_to_its_ontology(tmp_path: Path) -> None:
    text = XML.replace('rdf:about="&z;Animal"', 'rdf:ID="Animal"').replace('rdf:about="&z;Pen"', 'rdf:about="#Pen"')

    assert {Z + "Animal", Z + "Pen"} <= schema_of(tmp_path / "zoo.rdf", text).classes.keys()
    with pytest.raises(OntologyError) as caught:
        schema_of(tmp_path / "nameless.rdf", text.replace('  <owl:Ontology rdf:about="https://zoo.example/zoo"/>\n', ""))
    assert "xml:base" in caught.value.hint


def test_blank_nodes_of_one_label_in_two_files_are_two(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(serialised(ox.RdfFormat.N_TRIPLES), encoding="utf-8")
    (tmp_path / "b.rdf").write_text(XML.replace("zoo#", "farm#").replace(">3<", ">4<"), encoding="utf-8")
    report = read_packs((str(tmp_path / "a.nt"), str(tmp_path / "b.rdf")))
    classes = load_schema(report.ontology).classes

    assert [3, 4] == [classes[iri].restrictions[0].count for iri in (Z + "Pen", Z.replace("zoo#", "farm#") + "Pen")]


def test_a_pack_in_rdf_xml_works_from_init_to_doctor_backup_and_shapes(tmp_path: Path) -> None:
    (tmp_path / "zoo.owl").write_text(XML, encoding="utf-8")
    (tmp_path / "zoo.shapes.ttl").write_text(f"# by hand\n<{Z}S> a <http://www.w3.org/ns/shacl#NodeShape> .", encoding="utf-8")
    (tmp_path / "k.toml").write_text('packs = ["zoo.owl"]\n', encoding="utf-8")
    failed = kg("--config", tmp_path / "k.toml", "init", "--data", tmp_path / "kg")
    assert 1 == failed.code and "zoo.shapes.ttl:2" in failed.err
    (tmp_path / "zoo.shapes.ttl").unlink()
    done("--config", tmp_path / "k.toml", "init", "--data", tmp_path / "kg")

    assert "zoo.shapes.ttl" in done("shapes", "generate", "--write", "--data", tmp_path / "kg").out
    done("quarantine", "retry", "--data", tmp_path / "kg")
    assert "released as the packs say" in done("doctor", "--data", tmp_path / "kg").out
    done("backup", tmp_path / "copy", "--data", tmp_path / "kg")
    assert {"zoo.owl", "zoo.shapes.ttl"} <= {path.name for path in (tmp_path / "copy").rglob("*")}


def test_a_file_of_facts_among_the_packs_is_listed(tmp_path: Path) -> None:
    (tmp_path / "zoo.rdf").write_text(XML, encoding="utf-8")
    (tmp_path / "facts.nt").write_text(f"<x:pen1> <{Z}houses> <x:ox> .\n", encoding="utf-8")
    notes = read_packs((str(tmp_path / "zoo.rdf"), str(tmp_path / "facts.nt"))).notes

    assert [("facts.nt", "the pack")] == [note[:2] for note in notes]


# -- vocabularies as they are published


def test_a_property_of_rdfs_has_literals_where_its_range_says_so(tmp_path: Path) -> None:
    text = TURTLE + f"""@prefix rdf: <{RDF}> . @prefix xsd: <{XSD}> .
    z:nick a rdf:Property ; rdfs:label "nick" ; rdfs:domain z:Animal ; rdfs:range rdfs:Literal .
    z:born a rdf:Property ; rdfs:label "birthday" ; rdfs:domain z:Animal ; rdfs:range xsd:date .
    z:keeper a rdf:Property ; rdfs:label "keeper" ; rdfs:domain z:Pen ; rdfs:range <http://other.example/Person> .
    z:order a rdf:Property ; rdfs:label "order" ; rdfs:domain z:Pen ; rdfs:range rdf:List .
    """  # fmt: skip
    relations = schema_of(tmp_path / "zoo.ttl", text).relations

    assert [True, True, False, False] == [relations[Z + each].is_literal for each in ("nick", "born", "keeper", "order")]
    assert (XSD.date, frozenset({"http://other.example/Person"})) == (relations[Z + "born"].datatype, relations[Z + "keeper"].range)


WIDER: Final = "@prefix f: <https://farm.example/f#> . z:Ox a owl:Class ; rdfs:label 'ox' ; rdfs:subClassOf z:Animal . z:Hut a owl:Class ; rdfs:label 'hut' ."


@pytest.mark.parametrize(
    ("range_", "effective", "why"),
    [
        ("z:Animal", {Z + "Animal"}, ""),
        ("z:Ox", {Z + "Ox"}, ""),
        ("[ owl:unionOf ( z:Animal z:Hut ) ]", {Z + "Animal"}, "wider than that of"),
        ("z:Hut", {Z + "Hut"}, "lies beside that of"),
    ],
)
def test_a_range_holds_together_with_that_of_the_property_above(tmp_path: Path, range_: str, effective: set[str], why: str) -> None:
    text = f"{TURTLE}{WIDER}\nf:keeps a owl:ObjectProperty ; rdfs:label 'keeps' ; rdfs:subPropertyOf z:houses ; rdfs:range {range_} ."
    schema = schema_of(tmp_path / "zoo.ttl", text)

    assert effective == schema.relations["https://farm.example/f#keeps"].range
    notes = [note for note in read_packs((str(tmp_path / "zoo.ttl"),)).notes if "range" in note.message]
    assert ([f"zoo.ttl:{text.count(chr(10)) + 1}"] if why else []) == [note.where for note in notes] and all(
        why in note.message for note in notes
    )


def test_a_wider_range_in_one_namespace_is_a_slip(tmp_path: Path) -> None:
    text = f"{TURTLE}{WIDER}\nz:keeps a owl:ObjectProperty ; rdfs:subPropertyOf z:houses ; rdfs:range z:Hut ."
    with pytest.raises(OntologyError, match="its domain or range is wider") as caught:
        schema_of(tmp_path / "zoo.ttl", text)
    assert caught.value.where.startswith(f"zoo.ttl:{text.count(chr(10)) + 1}")


def test_ranges_of_disjoint_classes_that_must_both_hold_are_refused(tmp_path: Path) -> None:
    text = f"{TURTLE}{WIDER} z:Hut owl:disjointWith z:Animal .\nf:keeps a owl:ObjectProperty ; rdfs:subPropertyOf z:houses ; rdfs:range z:Hut ."
    with pytest.raises(OntologyError, match="nothing fits its rdfs:range and that of") as caught:
        schema_of(tmp_path / "zoo.ttl", text)
    assert caught.value.where.startswith(f"zoo.ttl:{text.count(chr(10)) + 1}")


@pytest.mark.long
def test_all_of_fibo_is_read_as_it_is(shared: Path) -> None:
    files = sorted(map(str, (shared / "data/ontologies/fibo-subset").rglob("*.rdf")))
    report = read_packs(tuple(files))
    schema = load_schema(report.ontology, report.shapes)

    assert 35 == len(files) and len(schema.classes) > 300 and len(schema.relations) > 200
    assert all(".rdf" in note.where for note in report.notes)
