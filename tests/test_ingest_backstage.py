"""Backstage catalogue entities: keys, relations, literals, and what stays unmapped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from support.ingesting import Desk, assert_quotes, claim_of, facts, schema

from kgplatform.ingest.backstage_references import reference
from kgplatform.ingest.evidence import unmapped_keys
from kgplatform.ingest.files import read_paths
from kgplatform.model import Notice, Reading
from kgplatform.settings.load import Settings, load_settings
from kgplatform.terms import ALT_LABEL, DESCRIPTION, EXPECTED_TYPE, LABEL, PP, SC, TYPE, UNMAPPED, XSD, class_node, literal

SETTINGS = '[collections.catalogue]\nkind = "snapshot"\npaths = ["catalogue/{date}/{id}", "catalogue/{id}"]\n'


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "kgplatform.toml").write_text(SETTINGS)
    return Desk(tmp_path)


def entity(kind: str, spec: str = "", metadata: str = "name: tax") -> str:
    def indented(text: str) -> str:
        return "".join(f"  {line}\n" for line in text.splitlines())

    return f"apiVersion: backstage.io/v1alpha1\nkind: {kind}\nmetadata:\n{indented(metadata)}" + (
        f"spec:\n{indented(spec)}" if spec else ""
    )


def test_a_component_has_type_label_owner_and_dependencies(desk: Desk) -> None:
    spec = "type: service\nlifecycle: production\nowner: group:commerce\nsystem: shop\ndependsOn:\n  - component:rates\n  - resource:db"
    reading = desk.one("catalogue/a.yaml", entity("Component", spec, "name: tax\ntitle: Tax\ndescription: Computes tax\ntags: [go]"))

    assert {
        ("component:tax", TYPE, class_node(SC.Component)),
        ("component:tax", LABEL, literal("Tax")),
        ("component:tax", DESCRIPTION, literal("Computes tax")),
        ("component:tax", SC.tag, literal("go")),
        ("component:tax", SC.component_type, literal("service")),
        ("component:tax", SC.lifecycle, literal("production")),
        ("component:tax", SC.owned_by, "team:commerce"),
        ("component:tax", SC.part_of, "system:shop"),
        ("component:tax", SC.depends_on, "component:rates"),
        ("component:tax", SC.depends_on, "resource:db"),
    } == stated(reading)
    assert "backstage/3" == reading.extractor


def test_a_claim_quotes_the_line_of_its_value(desk: Desk) -> None:
    reading = desk.one("catalogue/a.yaml", entity("Component", "owner: group:commerce # since long\ndependsOn:\n  - component:rates"))

    assert "owner: group:commerce # since long" == claim_of(reading, SC.owned_by).quote
    assert "- component:rates" == claim_of(reading, SC.depends_on).quote


def test_a_long_value_is_quoted_by_its_first_lines(desk: Desk) -> None:
    definition = "definition: |\n" + "".join(f"  line {n} of the definition\n" for n in range(40))
    claim = claim_of(desk.one("catalogue/a.yaml", entity("API", definition)), SC.definition)

    assert claim.quote.startswith("definition: |\n    line 0 of the definition\n")
    assert claim.quote.endswith(" of the definition")
    assert len(claim.quote) <= 300


@pytest.mark.parametrize(
    ("ref", "kind", "namespace", "key"),
    [
        ("tax", "component", "default", "component:tax"),
        ("Component:Default/Tax", "group", "other", "component:tax"),
        ("group:team-A", "user", "default", "team:team-a"),
        ("tax", "component", "shop", "component:shop/tax"),
        ("shop/tax", "component", "default", "component:shop/tax"),
        ("user:jane", "group", "default", "person:jane"),
        ("artists@example.com", "group", "default", "team:artists@example.com"),
        ("template:start", "component", "default", "template:start"),
        ("text:default/Tax", "component", "default", "reference:text:default/tax"),
        ("iri:tax", "component", "default", "reference:iri:tax"),
        ('"a":b', "component", "default", 'reference:"a":b'),
        ("GROUP:My.Space/Team_A-1", "user", "default", "team:my.space/team_a-1"),
        (" group: default / Team A ", "user", "default", "team:team a"),
        ("default/tax", "component", "shop", "component:tax"),
        ("group:", "user", "default", ""),
        ("group:default/", "user", "default", ""),
    ],
)
def test_references_follow_the_catalogue_rules(ref: str, kind: str, namespace: str, key: str) -> None:
    named = reference(ref, kind, namespace)

    assert key == (named.key if named else "")


def test_a_reference_without_a_name_stays_unmapped(desk: Desk) -> None:
    """Else all such references of a catalogue would name one entity."""
    reading = desk.one("catalogue/a.yaml", entity("Component", spec="owner: 'group:'\ndependsOn: ['component:default/']"))

    assert {UNMAPPED["backstage/spec.owner"], UNMAPPED["backstage/spec.dependsOn"]} <= {c.fact.relation for c in reading.claims}


def test_a_name_beside_a_title_is_another_label(desk: Desk) -> None:
    reading = desk.one("catalogue/a.yaml", entity("API", metadata="name: apps.example.io\ntitle: App"))

    assert literal("App") == claim_of(reading, LABEL).fact.object
    assert literal("apps.example.io") == claim_of(reading, ALT_LABEL).fact.object


def test_a_group_of_type_team_is_a_team_and_another_a_group(desk: Desk) -> None:
    text = entity("Group", "type: team\nparent: shop\nchildren: [payments]\nmembers: [Jane]")
    reading = desk.one("catalogue/a.yaml", text + "---\n" + entity("Group", "type: organization", "name: shop"))

    assert ("team:tax", TYPE, class_node(SC.Team)) in facts(reading)
    assert ("team:shop", TYPE, class_node(SC.Group)) in facts(reading)
    assert ("team:tax", SC.subgroup_of, "team:shop") in facts(reading)
    assert ("team:payments", SC.subgroup_of, "team:tax") in facts(reading)
    assert ("person:jane", PP.member_of, "team:tax") in facts(reading)
    assert ("team:shop", SC.group_type, literal("organization")) in facts(reading)


def test_a_user_is_a_person(desk: Desk) -> None:
    spec = "profile:\n  displayName: Jane Doe\n  email: jane@example.com\nmemberOf: [tax]"
    reading = desk.one("catalogue/a.yaml", entity("User", spec, "name: jane"))

    assert {
        ("person:jane", TYPE, class_node(PP.Person)),
        ("person:jane", LABEL, literal("Jane Doe")),
        ("person:jane", ALT_LABEL, literal("jane")),
        ("person:jane", PP.email, literal("jane@example.com")),
        ("person:jane", PP.member_of, "team:tax"),
    } == stated(reading)


def test_an_annotation_names_the_rotation_of_a_group(desk: Desk) -> None:
    reading = desk.one("catalogue/a.yaml", entity("Group", "type: team", "name: platform\nannotations:\n  kgplatform/on-call: R7"))

    assert ("team:platform", SC.on_call, "rotation:r7") in facts(reading)
    assert ("rotation:r7", TYPE, class_node(SC.Rotation)) in facts(reading)
    assert ("rotation:r7", LABEL, literal("R7")) in facts(reading)


def test_other_annotations_carry_their_key_as_a_qualifier(desk: Desk) -> None:
    reading = desk.one("catalogue/a.yaml", entity("Component", metadata='name: tax\nannotations:\n  example.com/managed: "true"'))
    fact = claim_of(reading, SC.annotation).fact

    assert literal("true") == fact.object
    assert ((SC.annotation_key, literal("example.com/managed")),) == fact.qualifiers


def test_a_link_is_an_address_and_is_said_again_with_its_title_type_and_icon(desk: Desk) -> None:
    metadata = "name: tax\nlinks:\n  - url: https://example.com\n    title: Home\n    icon: house\n    type: runbook\n    weight: 7"
    reading = desk.one("catalogue/a.yaml", entity("Component", metadata=metadata))
    links = [c.fact for c in reading.claims if c.fact.relation == SC.link]

    assert {literal("https://example.com", XSD.anyURI)} == {fact.object for fact in links}
    said = ((SC.link_title, literal("Home")), (SC.link_type, literal("runbook")), (SC.link_icon, literal("house")))
    assert [(), said] == sorted(fact.qualifiers for fact in links)
    assert literal("7") == claim_of(reading, UNMAPPED["backstage/metadata.links.weight"]).fact.object


def test_a_dependency_stated_at_its_other_end_is_turned(desk: Desk) -> None:
    assert ("component:cart", SC.depends_on, "component:tax") in facts(
        desk.one("catalogue/a.yaml", entity("Component", "dependencyOf: [cart]"))
    )


def test_what_no_rule_knows_is_an_unmapped_claim(desk: Desk) -> None:
    spec = "colour: blue\nlimits: {cpu: 2}\nowner: {name: x}\nnothing: ~"
    reading = desk.one("catalogue/a.yaml", entity("Component", spec, "name: tax\ncolours: {tier: gold}") + "relations:\n  - type: x\n")
    left = {c.fact.relation.removeprefix(str(UNMAPPED)): c.fact.object for c in reading.claims if c.fact.relation.startswith(str(UNMAPPED))}

    assert {
        "backstage/spec.colour": literal("blue"),
        "backstage/spec.limits": literal('{"cpu":2}'),
        "backstage/spec.owner": literal('{"name":"x"}'),
        "backstage/metadata.colours": literal('{"tier":"gold"}'),
        "backstage/relations": literal('[{"type":"x"}]'),
    } == left
    assert {("unmapped", field.replace("/", " "), 1) for field in left} == {(n.kind, n.what, n.count) for n in unmapped_keys(reading)}
    assert () == reading.notices


def test_kinds_that_are_no_entities_are_one_line_each(desk: Desk) -> None:
    scaffold = entity("Template", "owner: web", "name: start").replace("backstage.io/v1alpha1", "scaffolder.backstage.io/v1beta3")
    locations = "---\n".join(entity("Location", "targets: [./a.yaml]", f"name: all-{n}") for n in range(3))
    reading = desk.one("catalogue/a.yaml", "---\n".join([locations, scaffold, entity("Gadget", "owner: web"), entity("gadget")]))

    assert () == reading.claims
    assert [
        ("skipped", "kind Location", 3),
        ("skipped", "kind Template", 1),
        ("unmapped", "kind Gadget", 1),
        ("unmapped", "kind gadget", 1),
    ] == [(n.kind, n.what, n.count) for n in reading.notices]
    assert ":2" == reading.notices[0].where[-2:]


@pytest.mark.parametrize("name", ["${{ values.name }}", '"{{cookiecutter.name}}"', "'<%= name %>'", "${{values.name}}-api"])
def test_what_a_scaffolder_fills_in_is_no_component(desk: Desk, name: str) -> None:
    reading = desk.one("catalogue/a.yaml", entity("Component", "owner: web", f"name: {name}") + "---\n" + entity("API"))

    assert {"api:tax"} == {c.fact.subject for c in reading.claims}
    assert [Notice("skipped", "placeholder", 1, f"{desk.root}/catalogue/a.yaml:2")] == list(reading.notices)


def test_a_scaffold_that_is_no_yaml_yet_is_one_line(desk: Desk) -> None:
    unfilled = "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata:\n  name: {{cookiecutter.name}}\n{% if owner %}\nspec: {}\n{% endif %}\n"
    reading = desk.one("catalogue/a.yaml", entity("API") + "---\n" + unfilled)

    assert reading.complete
    assert {"api:tax"} == {c.fact.subject for c in reading.claims}
    assert [("skipped", "placeholder", 1)] == [(n.kind, n.what, n.count) for n in reading.notices]


def test_a_placeholder_in_a_field_costs_that_field(desk: Desk) -> None:
    spec = (
        "type: ${{ values.type }}\nlifecycle: beta\nowner: ${{ values.owner }}\ndependsOn: ['resource:${{ values.db }}', 'component:rates']"
    )
    reading = desk.one("catalogue/a.yaml", entity("Component", spec, "name: tax\ndescription: 'fills ${{ values.name }}'"))

    assert {TYPE, LABEL, DESCRIPTION, SC.lifecycle, SC.depends_on} == {c[1] for c in stated(reading)}
    assert [("skipped", "placeholder", 3)] == [(n.kind, n.what, n.count) for n in reading.notices]


def test_a_reference_states_the_kind_and_the_short_name_of_what_it_names(desk: Desk) -> None:
    spec = "owner: Squad\nsystem: Bank\ndependsOn: ['Resource:payments/DB', 'rates']\nproviderOf: x"
    reading = desk.one("catalogue/a.yaml", entity("Component", spec))
    named = {(c.fact.subject, c.fact.relation, c.fact.object) for c in reading.claims if c.extractor == "reference"}

    assert {
        ("team:squad", EXPECTED_TYPE, class_node(SC.Group)),
        ("team:squad", ALT_LABEL, literal("Squad")),
        ("system:bank", EXPECTED_TYPE, class_node(SC.System)),
        ("system:bank", ALT_LABEL, literal("Bank")),
        ("resource:payments/db", EXPECTED_TYPE, class_node(SC.Resource)),
        ("resource:payments/db", ALT_LABEL, literal("DB")),
        ("resource:payments/db", ALT_LABEL, literal("payments/DB")),
        ("resource:payments/db", SC.namespace, literal("payments")),
        ("component:rates", EXPECTED_TYPE, class_node(SC.Component)),
        ("component:rates", ALT_LABEL, literal("rates")),
    } == named


def test_what_a_file_describes_its_references_do_not_name_and_what_they_name_they_name_once(desk: Desk) -> None:
    specs = [entity("Component", "owner: squad\nsystem: bank", f"name: c{n}") for n in range(3)]
    reading = desk.one("catalogue/a.yaml", "---\n".join([*specs, entity("Group", "type: squad", "name: squad")]))

    assert [("system:bank", EXPECTED_TYPE), ("system:bank", ALT_LABEL)] == [
        c.fact[:2] for c in reading.claims if c.extractor == "reference"
    ]


def test_an_entity_of_a_namespace_bears_its_short_name_and_its_full_one(desk: Desk) -> None:
    reading = desk.one("catalogue/a.yaml", entity("Component", "owner: core", "name: Tax\nnamespace: Payments"))

    assert {
        ("component:payments/tax", TYPE, class_node(SC.Component)),
        ("component:payments/tax", LABEL, literal("Tax")),
        ("component:payments/tax", ALT_LABEL, literal("payments/Tax")),
        ("component:payments/tax", SC.namespace, literal("payments")),
        ("component:payments/tax", SC.owned_by, "team:payments/core"),
    } == stated(reading)


def test_values_keep_their_text_and_single_values_stand_for_lists(desk: Desk) -> None:
    metadata = (
        "name: 007\ntags: [007, 1.10, 018, yes]\nannotations: {example.com/v: 1.10}\nlabels: {tier: 018}\nlinks: {url: https://x.example}"
    )
    reading = desk.one("catalogue/a.yaml", entity("Component", "type: 1.10\nlifecycle: Production\ndependsOn: resource:db", metadata))

    assert "component:007" == claim_of(reading, TYPE).fact.subject
    assert {literal(text) for text in ("007", "1.10", "018", "yes")} == {c.fact.object for c in reading.claims if c.fact.relation == SC.tag}
    assert {literal("1.10"), literal("018")} == {c.fact.object for c in reading.claims if c.fact.relation == SC.annotation}
    assert ("component:007", SC.depends_on, "resource:db") in facts(reading)
    assert literal("https://x.example", XSD.anyURI) == claim_of(reading, SC.link).fact.object
    assert literal("Production") == claim_of(reading, SC.lifecycle).fact.object
    assert () == reading.notices


@pytest.mark.parametrize("form", ["$text", "$json", "$yaml"])
def test_a_definition_that_stands_elsewhere_is_an_address(desk: Desk, form: str) -> None:
    reading = desk.one("catalogue/a.yaml", entity("API", f"definition:\n  {form}: ./openapi.yaml"))

    assert literal("./openapi.yaml", XSD.anyURI) == claim_of(reading, SC.definition_at).fact.object


JSON_ENTITY = """{
\t"apiVersion": "backstage.io/v1alpha1",\t"kind": "Component",
\t"metadata": {"name": "tax", "description": "a\\/b \\ud83d\\ude00", "links": []},
\t"spec": {"owner": "group:commerce"}
}"""


@pytest.mark.parametrize("text", [JSON_ENTITY, f"[{JSON_ENTITY}, {JSON_ENTITY.replace('tax', 'cart')}]"])
def test_json_is_read_as_yaml_is(desk: Desk, text: str) -> None:
    reading = desk.one("catalogue/a.json", text)

    assert {
        ("component:tax", TYPE, class_node(SC.Component)),
        ("component:tax", LABEL, literal("tax")),
        ("component:tax", DESCRIPTION, literal("a/b \U0001f600")),
        ("component:tax", SC.owned_by, "team:commerce"),
    } == {fact for fact in stated(reading) if fact[0] == "component:tax"}
    assert '"owner": "group:commerce"' in claim_of(reading, SC.owned_by, "component:tax").quote
    assert () == reading.notices


def test_a_list_of_entities_is_read_as_its_entities(desk: Desk) -> None:
    items = [entity(kind, "owner: web").replace("\n", "\n  ").rstrip() for kind in ("Component", "API")]
    reading = desk.one("catalogue/a.yaml", "".join(f"- {item}\n" for item in items))

    assert {"component:tax", "api:tax"} == {c.fact.subject for c in reading.claims if c.fact.relation == SC.owned_by}


def test_a_bad_document_makes_the_reading_incomplete_and_leaves_the_others(desk: Desk) -> None:
    desk.lay("catalogue/a.yaml", entity("Component") + "---\n" + entity("Component", metadata="title: Nameless") + "---\n" + entity("API"))
    (reading,), (problem,) = desk.read()

    assert not reading.complete
    assert {"component:tax", "api:tax"} == {c.fact.subject for c in reading.claims}
    assert ("a catalogue entity without metadata.name", "6") == (problem.what, problem.where.rpartition(":")[2])


def stated(reading: Reading) -> set[tuple[str, str, str]]:
    """What the entities of a file say themselves."""
    return {c.fact[:3] for c in reading.claims if c.extractor != "reference"}


# -- the real catalogues, against counts made from the YAML by another reader


def test_every_field_of_the_real_catalogues_is_claimed(shared: Path, tmp_path: Path) -> None:
    """Leaves counted from the YAML = claims that a leaf gives, field by field."""
    for folder in ("giantswarm", "backstage-examples"):
        readings = read_all(shared / "data" / "services" / folder, settings_of(tmp_path))
        entities = [entity for reading in readings for entity in YAML(typ="safe", pure=True).load_all(reading.text) if entity]
        claims = Counter(c.fact.relation for reading in readings for c in reading.claims)
        known = [e for e in entities if e["kind"] != "Location"]

        assert len(known) == claims[TYPE]
        assert sum("owner" in e["spec"] for e in known) == claims[SC.owned_by]
        assert sum(len(e["metadata"].get("annotations", {})) for e in known) == claims[SC.annotation]
        assert sum(len(e["metadata"].get("tags", [])) for e in known) == claims[SC.tag]
        assert sum(len(e["spec"].get("members", [])) + len(e["spec"].get("memberOf", [])) for e in known) == claims[PP.member_of]
        assert sum(len(e["spec"].get("children") or []) + ("parent" in e["spec"]) for e in known) == claims[SC.subgroup_of]
        assert sum(isinstance(e["spec"].get("definition"), str) for e in known) == claims[SC.definition]
        assert len(entities) - len(known) == sum(n.count for r in readings for n in r.notices if n.what == "kind Location")


def test_the_components_of_a_real_team_are_those_of_the_yaml(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "services" / "giantswarm"
    readings = read_all(folder, settings_of(tmp_path))
    owned = {c.fact.subject for r in readings for c in r.claims if (c.fact.relation, c.fact.object) == (SC.owned_by, "team:team-bumblebee")}
    wanted: set[str] = set()
    for reading in readings:
        for e in YAML(typ="safe", pure=True).load_all(reading.text):
            if e and e["spec"].get("owner") in ("group:team-bumblebee", "group:default/team-bumblebee", "team-bumblebee"):
                wanted.add(f"{e['kind'].lower()}:{e['metadata']['name'].lower()}")

    assert wanted == owned
    assert owned


def settings_of(tmp_path: Path) -> Settings:
    (tmp_path / "kgplatform.toml").write_text(SETTINGS)
    return load_settings(tmp_path / "kgdata", config=tmp_path / "kgplatform.toml")


def read_all(folder: Path, settings: Settings) -> list[Reading]:
    found: list[Any] = list(read_paths([folder], settings=settings, schema=schema(), collection="catalogue"))
    for reading in found:
        assert isinstance(reading, Reading)
        assert reading.complete and not reading.problems
        assert_quotes(reading)
    return [reading for reading in found if not reading.is_text]
