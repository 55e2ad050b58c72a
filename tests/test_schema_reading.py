"""The schema is read out of OWL (ends, datatypes, inverses, restrictions), and what is wrong in it is said with its name or its line."""

from __future__ import annotations

import pyoxigraph as ox
import pytest

from kgplatform.errors import OntologyError
from kgplatform.packs.folders import ontology_text, shapes_text
from kgplatform.schema import Class, Relation, Restriction, Schema, load_schema
from kgplatform.terms import OWL, RDF, RDFS, SC, XSD
from kgplatform.validate.owl_shapes import PREFIXES


@pytest.fixture(scope="module")
def schema() -> Schema:
    return load_schema(ontology_text(("service-catalog",)), shapes_text(("service-catalog",)))


def relation(text: str, iri: str = SC.r) -> Relation:
    return load_schema(PREFIXES + text).relations[iri]


AB = "sc:A a owl:Class . sc:B a owl:Class . sc:C a owl:Class ; rdfs:subClassOf sc:B . "


def test_a_domain_of_several_classes_is_a_union() -> None:
    read = relation(AB + "sc:r a owl:ObjectProperty ; rdfs:domain [ owl:unionOf ( sc:A [ owl:unionOf ( sc:B ) ] ) ] .")

    assert frozenset({SC.A, SC.B}) == read.domain


def test_of_several_domains_the_narrowest_is_taken() -> None:
    assert frozenset({SC.C}) == relation(AB + "sc:r a owl:ObjectProperty ; rdfs:domain sc:B, sc:C .").domain


def test_a_domain_of_everything_is_none() -> None:
    assert frozenset() == relation(AB + "sc:r a owl:ObjectProperty ; rdfs:domain owl:Thing .").domain


def test_a_value_set_is_read_as_literal_nodes() -> None:
    read = relation("sc:r a owl:DatatypeProperty ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ( 1 02 ) ] .")

    assert (XSD.integer, frozenset({f'"1"^^<{XSD.integer}>', f'"2"^^<{XSD.integer}>'})) == (read.datatype, read.values)


def test_a_restricted_datatype_is_read_with_its_facets() -> None:
    text = "sc:r a owl:DatatypeProperty ; rdfs:range [ owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 0 ] ) ] ."
    read = relation(text)

    assert (XSD.integer, ((XSD.minInclusive, f'"0"^^<{XSD.integer}>'),)) == (read.datatype, read.facets)


def test_a_named_datatype_is_read_by_its_definition() -> None:
    read = relation(
        'sc:Size a rdfs:Datatype ; owl:equivalentClass [ owl:oneOf ( "S" "L" ) ] . sc:r a owl:DatatypeProperty ; rdfs:range sc:Size .'
    )

    assert frozenset({'"S"', '"L"'}) == read.values


def test_a_literal_relation_without_a_range_admits_every_literal() -> None:
    read = relation("sc:r a owl:DatatypeProperty .")

    assert read.admits(XSD.date) and read.admits(RDF.langString)


@pytest.mark.parametrize(
    ("datatype", "found", "admits"),
    [(XSD.string, RDF.langString, True), (RDF.PlainLiteral, XSD.string, True), (RDF.PlainLiteral, XSD.integer, False),
     (XSD.date, XSD.dateTime, False), ("", XSD.string, False), (RDFS.Literal, XSD.date, True)],
)  # fmt: skip
def test_a_relation_admits_literals_of_its_datatype(datatype: str, found: str, admits: bool) -> None:
    assert admits is Relation(SC.r, datatype=datatype).admits(found)


ENDS = AB + "sc:C a owl:Class . sc:r a owl:ObjectProperty ; rdfs:domain sc:A ; rdfs:range sc:B ; "


def test_a_source_may_state_a_relation_of_further_classes_than_questions_and_texts_expect() -> None:
    read = relation(ENDS + "kg:alsoFrom sc:B ; kg:alsoTo sc:A, sc:C .")

    assert (frozenset({SC.A}), frozenset({SC.A, SC.B})) == (read.domain, read.subjects)
    assert (frozenset({SC.B}), frozenset({SC.A, SC.B, SC.C})) == (read.range, read.objects)


def test_an_inverse_takes_the_further_classes_turned_round() -> None:
    read = relation(ENDS + "kg:alsoTo sc:C . sc:i a owl:ObjectProperty ; owl:inverseOf sc:r ; kg:storedAs sc:r .", SC.i)

    assert (frozenset({SC.B, SC.C}), frozenset({SC.A})) == (read.subjects, read.objects)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ENDS + "kg:alsoTo sc:Nowhere .", "sc:Nowhere"),
        (
            "sc:r a owl:ObjectProperty ; kg:alsoTo sc:A . sc:A a owl:Class .",
            "kg:alsoTo has no effect on sc:r without a class as rdfs:range",
        ),
        ("sc:r a owl:DatatypeProperty ; kg:alsoFrom sc:A . sc:A a owl:Class .", "kg:alsoFrom has no effect on sc:r without rdfs:domain"),
    ],
)
def test_a_further_class_that_can_have_no_effect_is_refused(text: str, says: str) -> None:
    with pytest.raises(OntologyError, match=says):
        relation(text)


def test_an_inverse_takes_its_ends_turned_round() -> None:
    text = (
        AB
        + "sc:r a owl:ObjectProperty ; rdfs:domain sc:A ; rdfs:range sc:B . sc:i a owl:ObjectProperty ; owl:inverseOf sc:r ; kg:storedAs sc:r ."
    )
    read = load_schema(PREFIXES + text).relations

    assert (frozenset({SC.B}), frozenset({SC.A})) == (read[SC.i].domain, read[SC.i].range)
    assert (SC.i, SC.r) == (read[SC.r].inverse, read[SC.i].inverse)
    assert ("", SC.r) == (read[SC.r].canonical, read[SC.i].canonical)


def test_a_subproperty_takes_from_above_what_it_does_not_say() -> None:
    text = (
        AB
        + "sc:p a owl:ObjectProperty, owl:FunctionalProperty ; rdfs:domain sc:A ; rdfs:range sc:B . sc:r a owl:ObjectProperty ; rdfs:subPropertyOf sc:p ; rdfs:range sc:C ."
    )
    read = relation(text)

    assert (frozenset({SC.A}), frozenset({SC.C}), True) == (read.domain, read.range, read.functional)


def test_restrictions_are_read_from_superclasses_and_intersections() -> None:
    text = (
        AB
        + """sc:r a owl:ObjectProperty . sc:A rdfs:subClassOf [ owl:onProperty sc:r ; owl:cardinality 1 ] ,
        [ owl:intersectionOf ( sc:B [ owl:onProperty sc:r ; owl:allValuesFrom sc:B ] ) ] ."""
    )
    read = load_schema(PREFIXES + text).classes[SC.A]

    assert (Restriction(SC.r, "all", 0, frozenset({SC.B})), Restriction(SC.r, "max", 1), Restriction(SC.r, "min", 1)) == read.restrictions
    assert frozenset({SC.B}) == read.parents


def test_an_intersection_that_holds_itself_adds_nothing() -> None:
    assert (
        load_schema(PREFIXES + AB).classes
        == load_schema(PREFIXES + AB + "sc:A rdfs:subClassOf _:i . _:i owl:intersectionOf ( _:i ) .").classes
    )


@pytest.mark.long
@pytest.mark.parametrize(("kind", "axiom"), [("owl:Class", "rdfs:subClassOf"), ("owl:ObjectProperty", "rdfs:subPropertyOf")])
def test_a_chain_of_any_length_is_read(kind: str, axiom: str) -> None:
    links = [f"sc:x{number} a {kind} ; {axiom} sc:x{number + 1} ." for number in range(1500)]
    read = load_schema("\n".join([PREFIXES, *links, f"sc:x1500 a {kind} ."]))

    assert 1501 == len(read.classes or read.relations)


def test_members_of_a_disjoint_union_are_subclasses() -> None:
    read = load_schema(PREFIXES + AB + "sc:U a owl:Class ; owl:disjointUnionOf ( sc:A sc:B ) .")

    assert frozenset({SC.U}) == read.classes[SC.A].parents and read.disjoint(SC.A, SC.C)


def test_the_texts_are_carried_along() -> None:
    read = load_schema(PREFIXES, PREFIXES + "sc:x sc:y sc:z .")

    assert (PREFIXES, PREFIXES + "sc:x sc:y sc:z .", {}, {}) == (read.turtle, read.shapes, read.classes, read.relations)


def test_the_same_ontology_in_another_order_is_the_same_schema(schema: Schema) -> None:
    lines = [str(quad.triple) + " ." for quad in ox.parse(schema.turtle.encode(), format=ox.RdfFormat.TURTLE)]
    other = load_schema("\n".join(sorted(lines, reverse=True)))

    assert (schema.classes, schema.relations) == (other.classes, other.relations)
    assert list(schema.relations) == list(other.relations) and list(schema.classes) == list(other.classes)


def test_a_class_knows_what_it_is() -> None:
    read = load_schema(PREFIXES + 'sc:A a rdfs:Class ; rdfs:label "a"@en ; skos:altLabel "as"@en ; rdfs:comment "An a."@en .')

    assert Class(SC.A, (("a", "en"),), (("as", "en"),), "An a.") == read.classes[SC.A]


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("sc:r owl:inverseOf sc:s .", {SC.r: SC.s}),
        ("sc:s owl:inverseOf sc:r .", {SC.s: SC.r}),
        ("sc:r owl:inverseOf sc:s . sc:s owl:inverseOf sc:r .", {SC.s: SC.r}),
        ("sc:r owl:inverseOf sc:s . sc:r kg:storedAs sc:s .", {SC.r: SC.s}),
        ("sc:r owl:inverseOf sc:s . sc:s kg:storedAs sc:r .", {SC.s: SC.r}),
        ("sc:r owl:inverseOf sc:r .", {}),
        ("sc:r owl:inverseOf sc:s . sc:s owl:inverseOf sc:t .", {SC.r: SC.s}),
    ],
)
def test_of_two_inverses_one_is_stored(text: str, turned: dict[str, str]) -> None:
    declared = " ".join(f"sc:{name} a owl:ObjectProperty ." for name in "rst")
    read = load_schema(PREFIXES + declared + text)

    assert turned == {iri: relation.canonical for iri, relation in read.relations.items() if relation.canonical}


# -- what is wrong is said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sc:A rdfs:subClassOf sc:B . sc:B rdfs:subClassOf sc:A .", "rdfs:subClassOf goes round in a circle: sc:A -> sc:B -> sc:A"),
        ("sc:A rdfs:subClassOf sc:A .", "rdfs:subClassOf goes round in a circle: sc:A -> sc:A"),
        ("sc:r a owl:ObjectProperty ; rdfs:subPropertyOf sc:s . sc:s a owl:ObjectProperty ; rdfs:subPropertyOf sc:r .", "rdfs:subPropertyOf goes round"),
        ("sc:r a owl:ObjectProperty ; rdfs:domain sc:X ; rdfs:range [ owl:unionOf ( sc:A sc:Y ) ] .", "no such classes: sc:X, sc:Y"),
        ("sc:A rdfs:subClassOf sc:X .", "no such class: sc:X"),
        ("sc:A owl:disjointWith sc:X .", "no such class: sc:X"),
        ("sc:r a owl:ObjectProperty ; rdfs:subPropertyOf sc:s .", "sc:r: no such relation: sc:s"),
        ("sc:r a owl:ObjectProperty ; kg:licenses sc:s .", "sc:r: no such relation: sc:s"),
        ("sc:r a owl:ObjectProperty ; kg:storedAs sc:s .", "sc:r: no such relation: sc:s"),
        ("sc:A rdfs:subClassOf [ owl:onProperty sc:s ; owl:minCardinality 1 ] .", "sc:A: no such relation: sc:s"),
        ("sc:r a owl:ObjectProperty, owl:DatatypeProperty .", "sc:r: a relation has entities or literals as objects, not both"),
        ("sc:r a owl:ObjectProperty ; rdfs:domain sc:A, sc:B .", "sc:r: several rdfs:domain mean all of them at once"),
        ("sc:r a owl:ObjectProperty ; rdfs:domain [ owl:complementOf sc:A ] .", "sc:r: a domain, range or restriction is neither"),
        ("sc:r a owl:ObjectProperty ; rdfs:domain _:u . _:u owl:unionOf ( _:u ) .", "sc:r: a domain, range or restriction is neither"),
        ("sc:r a owl:ObjectProperty ; rdfs:domain [ owl:unionOf () ] .", "sc:r: a domain, range or restriction is neither"),
        ("sc:D a rdfs:Datatype ; owl:equivalentClass sc:D . sc:r a owl:DatatypeProperty ; rdfs:range sc:D .", "sc:r: sc:D is defined by itself"),
        ("sc:r a owl:DatatypeProperty ; rdfs:range sc:Text .", "sc:r: no such datatype: sc:Text"),
        ("sc:r a owl:DatatypeProperty ; rdfs:range xsd:date, xsd:string .", "sc:r: a literal relation has one rdfs:range"),
        ('sc:r a owl:DatatypeProperty ; rdfs:range [ owl:oneOf ( 1 "a" ) ] .', "sc:r: the values of a value set have one datatype"),
        ("sc:r a owl:DatatypeProperty ; rdfs:range [ owl:onDatatype xsd:string ; owl:withRestrictions ( [ xsd:totalDigits 2 ] ) ] .", "a facet of the datatype"),
        ("sc:r a owl:ObjectProperty ; kg:storedAs sc:s . sc:s a owl:ObjectProperty ; kg:storedAs sc:r .", "cannot be stored as"),
        ("sc:r a owl:ObjectProperty, owl:SymmetricProperty ; rdfs:domain sc:A ; rdfs:range sc:B .", "sc:r: a symmetric relation has one class at both ends"),
        ("sc:p a owl:ObjectProperty ; rdfs:range sc:C . sc:r a owl:ObjectProperty ; rdfs:subPropertyOf sc:p ; rdfs:range sc:B .", "sc:r: its domain or range is wider"),
        ("sc:p a owl:ObjectProperty . sc:r a owl:DatatypeProperty ; rdfs:subPropertyOf sc:p .", "sc:r: cannot be a subproperty of sc:p"),
        ('sc:r a owl:ObjectProperty ; kg:functionalAtATime "maybe" .', "sc:r: kg:functionalAtATime is neither true nor false"),
        ("[] a owl:AllDisjointClasses ; owl:members sc:A .", "a list is broken"),
        ("sc:A rdfs:subClassOf [ owl:onProperty sc:p ; owl:minCardinality \"one\" ] . sc:p a owl:ObjectProperty .", "owl:minCardinality is no number"),
        ("kg:Rec a owl:Class ; kg:assertable false . sc:r a owl:ObjectProperty ; rdfs:domain kg:Rec .", "kg:Rec is a class of the platform's own records"),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_named(text: str, says: str) -> None:
    with pytest.raises(OntologyError) as error:
        load_schema(PREFIXES + AB + text)

    assert says in str(error.value)


@pytest.mark.parametrize("name", ["ontology", "shapes"])
def test_text_that_is_no_turtle_is_an_error_with_its_line(name: str) -> None:
    bad = "\n\n<https://x.example/a> a .\n"

    with pytest.raises(OntologyError) as error:
        load_schema(*((bad, "") if name == "ontology" else ("", bad)))

    assert f"{name}, line 3" == error.value.where and error.value.what.startswith("not Turtle: ")


def test_the_namespace_of_owl_is_not_of_the_ontology(schema: Schema) -> None:
    assert OWL.Thing not in schema.classes
