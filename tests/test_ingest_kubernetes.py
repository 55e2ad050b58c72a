"""Kubernetes manifests: workloads, their dependencies, and what stays unmapped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ingesting import Desk, claim_of, facts
from ruamel.yaml import YAML
from test_ingest_backstage import read_all, settings_of

from kgplatform.terms import LABEL, SC, TYPE, UNMAPPED, class_node, literal, literal_value

SIX = {"productcatalogservice", "shippingservice", "paymentservice", "emailservice", "currencyservice", "cartservice"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "kgplatform.toml").write_text('[collections.k8s]\nkind = "snapshot"\npaths = ["{id}"]\n')
    return Desk(tmp_path)


def deployment(env: str, *, kind: str = "Deployment", namespace: str = "") -> str:
    space = f"\n  namespace: {namespace}" if namespace else ""
    return f"apiVersion: apps/v1\nkind: {kind}\nmetadata:\n  name: shop{space}\nspec:\n  template:\n    spec:\n      containers:\n      - env:\n{env}"


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet"])
def test_a_workload_is_a_component(desk: Desk, kind: str) -> None:
    reading = desk.one("a.yaml", deployment("        - {name: CART_SERVICE_ADDR, value: 'cart:7070'}\n", kind=kind))

    assert {
        ("component:shop", TYPE, class_node(SC.Component)),
        ("component:shop", LABEL, literal("shop")),
        ("component:shop", SC.depends_on, "component:cart"),
    } == facts(reading)


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("cart:7070", "component:cart"),
        ("http://cart:7070/v1", "component:cart"),
        ("cart", "component:cart"),
        ("cart.default.svc.cluster.local:7070", "component:cart"),
        ("cart.prod.svc.cluster.local", "component:prod/cart"),
    ],
)
def test_the_host_of_an_address_is_the_dependency(desk: Desk, value: str, key: str) -> None:
    reading = desk.one("a.yaml", deployment(f"        - name: CART_SERVICE_ADDR\n          value: '{value}'\n"))
    claim = claim_of(reading, SC.depends_on)

    assert key == claim.fact.object
    assert f"- env:\n        - name: CART_SERVICE_ADDR\n          value: '{value}'".removeprefix("- env:\n        ") == claim.quote


@pytest.mark.parametrize(
    "entry",
    [
        "{name: REDIS_ADDR, value: 'redis:6379'}",
        "{name: CART_SERVICE_ADDR, valueFrom: {configMapKeyRef: {name: a, key: b}}}",
        "{name: CART_SERVICE_ADDR, value: '10.0.0.7:80'}",
        "{name: CART_SERVICE_ADDR, value: ''}",
        "{name: CART_SERVICE_ADDR, value: 'localhost:80'}",
        "{name: CART_SERVICE_ADDR, value: 'cart:1', odd: x}",
    ],
)
def test_other_variables_stay_unmapped(desk: Desk, entry: str) -> None:
    reading = desk.one("a.yaml", deployment(f"        - {entry}\n"))
    (claim,) = [c for c in reading.claims if c.fact.relation.startswith(str(UNMAPPED))]

    assert UNMAPPED["kubernetes/Deployment.spec.template.spec.containers.env"] == claim.fact.relation
    assert {"name"} < set(json.loads(literal_value(claim.fact.object)))


def test_a_commented_variable_says_nothing(desk: Desk) -> None:
    text = deployment("        - {name: CART_SERVICE_ADDR, value: 'cart:7070'}\n        # - {name: AD_SERVICE_ADDR, value: 'ad:1'}\n")

    assert "component:cart" == claim_of(desk.one("a.yaml", text), SC.depends_on).fact.object


def test_names_outside_the_default_namespace_carry_it(desk: Desk) -> None:
    reading = desk.one("a.yaml", deployment("        - {name: CART_SERVICE_ADDR, value: 'cart:7070'}\n", namespace="prod"))

    assert ("component:prod/shop", SC.depends_on, "component:prod/cart") in facts(reading)


def test_other_kinds_stay_unmapped_where_they_stop_being_known(desk: Desk) -> None:
    text = "apiVersion: v1\nkind: Service\nmetadata:\n  name: cart\nspec:\n  type: ClusterIP\n  ports:\n  - port: 7070\n"

    assert {
        ("service:cart", UNMAPPED["kubernetes/kind"], literal("Service")),
        ("service:cart", UNMAPPED["kubernetes/Service.spec.type"], literal("ClusterIP")),
        ("service:cart", UNMAPPED["kubernetes/Service.spec.ports"], literal('[{"port":7070}]')),
    } == facts(desk.one("a.yaml", text))


def test_a_manifest_without_a_name_is_named_by_its_document(desk: Desk) -> None:
    desk.lay("deploy/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n")
    (reading,), _ = desk.read()

    assert {"kustomization:deploy/kustomization.yaml"} == {c.fact.subject for c in reading.claims}


def test_checkoutservice_of_the_real_demo_depends_on_six(shared: Path, tmp_path: Path) -> None:
    readings = read_all(shared / "data" / "services" / "microservices-demo", settings_of(tmp_path))
    said = {c.fact for r in readings for c in r.claims if c.fact.relation == SC.depends_on}

    assert {f"component:{name}" for name in SIX} == {f.object for f in said if f.subject == "component:checkoutservice"}


def test_the_real_demo_adds_up_to_its_yaml(shared: Path, tmp_path: Path) -> None:
    readings = read_all(shared / "data" / "services" / "microservices-demo", settings_of(tmp_path))
    entities = [e for r in readings if r.path.endswith(".yaml") for e in YAML(typ="safe", pure=True).load_all(r.text) if e]
    workloads = [e for e in entities if e["kind"] == "Deployment"]
    variables = [
        (e["metadata"]["name"], variable)
        for e in workloads
        for holder in ("containers", "initContainers")
        for container in e["spec"]["template"]["spec"].get(holder, [])
        for variable in container.get("env", [])
    ]
    wanted = {(n, v["value"].partition(":")[0]) for n, v in variables if v["name"].endswith("_SERVICE_ADDR")}
    claims = [c.fact for r in readings for c in r.claims]

    assert {f"component:{e['metadata']['name']}" for e in workloads} == {f.subject for f in claims if f.relation == TYPE}
    assert {(f"component:{a}", f"component:{b}") for a, b in wanted} == {(f.subject, f.object) for f in claims if f.relation == SC.depends_on}
    assert len(variables) - len(wanted) == sum(f.relation.endswith("ontainers.env") for f in claims)
    assert len(entities) - len(workloads) == sum(f.relation == UNMAPPED["kubernetes/kind"] for f in claims)
