"""Kubernetes manifests: workloads, their dependencies, and what stays unmapped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from support.ingesting import Desk, claim_of, facts
from test_ingest_backstage import read_all, settings_of

from kgplatform.terms import ALT_LABEL, EXPECTED_TYPE, LABEL, SC, TYPE, UNMAPPED, XSD, class_node, literal, literal_value

SIX = {"productcatalogservice", "shippingservice", "paymentservice", "emailservice", "currencyservice", "cartservice"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "kgplatform.toml").write_text('[collections.k8s]\nkind = "snapshot"\npaths = ["{id}"]\n')
    return Desk(tmp_path)


def deployment(env: str, *, kind: str = "Deployment", namespace: str = "") -> str:
    space = f"\n  namespace: {namespace}" if namespace else ""
    return f"apiVersion: apps/v1\nkind: {kind}\nmetadata:\n  name: shop{space}\nspec:\n  template:\n    spec:\n      containers:\n      - env:\n{env}"


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet", "Job", "Rollout"])
def test_a_workload_is_a_component(desk: Desk, kind: str) -> None:
    reading = desk.one("a.yaml", deployment("        - {name: CART_SERVICE_ADDR, value: 'cart:7070'}\n", kind=kind))

    assert {
        ("component:shop", TYPE, class_node(SC.Component)),
        ("component:shop", LABEL, literal("shop")),
        ("component:shop", SC.depends_on, "component:cart"),
        ("component:cart", EXPECTED_TYPE, class_node(SC.Component)),
        ("component:cart", ALT_LABEL, literal("cart")),
    } == facts(reading)


def named(desk: Desk, entry: str, more: str = "", *, namespace: str = "") -> set[str]:
    """What a workload with this variable depends on."""
    reading = desk.one("a.yaml", deployment(f"        - {entry}\n", namespace=namespace) + more)
    return {claim.fact.object for claim in reading.claims if claim.fact.relation == SC.depends_on}


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("cart:7070", "component:cart"),
        ("http://cart:7070/v1", "component:cart"),
        ("cart", "component:cart"),
        ("cart.default.svc.cluster.local:7070", "component:cart"),
        ("cart.prod.svc.cluster.local", "component:prod/cart"),
        ("cart.prod.svc", "component:prod/cart"),
        ("cart-0.cart.prod.svc.cluster.local", "component:prod/cart"),
        ("cart-0.cart:80,cart-1.cart:80", "component:cart"),
        ("pod-0.cart.prod.svc.cluster.local", "component:prod/cart"),
    ],
)
def test_the_host_of_an_address_is_the_dependency(desk: Desk, value: str, key: str) -> None:
    reading = desk.one("a.yaml", deployment(f"        - name: CART_SERVICE_ADDR\n          value: '{value}'\n"))
    claim = claim_of(reading, SC.depends_on)

    assert key == claim.fact.object
    assert f"- name: CART_SERVICE_ADDR\n          value: '{value}'" == claim.quote


@pytest.mark.parametrize(
    ("entry", "keys"),
    [
        ("{name: ORDERS_HOST, value: orders-db}", {"orders-db"}),
        ("{name: ORDERS_URL, value: 'http://orders/v1'}", {"orders"}),
        ("{name: ORDERS_ENDPOINT, value: orders}", {"orders"}),
        ("{name: DATABASE_URL, value: 'postgres://u:p@orders-db:5432/x?sslmode=off'}", {"orders-db"}),
        ("{name: DATABASE, value: 'jdbc:postgresql://orders-db/x'}", {"orders-db"}),
        ("{name: MONGO, value: 'mongodb://u:p@mongo-a:27017,mongo-b:27017/x'}", {"mongo-a", "mongo-b"}),
        ("{name: DB, value: 'Server=tcp:orders-db,1433;User ID=u;Password=p;'}", {"orders-db"}),
        ("{name: DB, value: 'host=orders-db port=5432 user=u'}", {"orders-db"}),
        ("{name: DB, value: 'u:p@tcp(orders-db:3306)/x'}", {"orders-db"}),
        ("{name: KAFKA_BROKERS, value: 'kafka-a:9092, kafka-b:9092'}", {"kafka-a", "kafka-b"}),
        ("{name: CACHE, value: 'redis:6379'}", {"redis"}),
        ("{name: PAYMENTS_HOST, value: $(PAYMENT_API_SERVICE_HOST)}", {"payment-api"}),
    ],
)
def test_hosts_connection_strings_and_ports_name_dependencies(desk: Desk, entry: str, keys: set[str]) -> None:
    assert {f"component:{key}" for key in keys} == named(desk, entry)


@pytest.mark.parametrize(
    "entry",
    [
        "{name: CART_SERVICE_ADDR, valueFrom: {configMapKeyRef: {name: a, key: b}}}",
        "{name: CART_SERVICE_ADDR, value: '10.0.0.7:80'}",
        "{name: CART_SERVICE_ADDR, value: '[::1]:80'}",
        "{name: CART_SERVICE_ADDR, value: ''}",
        "{name: CART_SERVICE_ADDR, value: 'localhost:80'}",
        "{name: CART_SERVICE_ADDR, value: 'cart:1', odd: x}",
        "{name: SMTP_HOST, value: smtp.example.com}",
        "{name: AUTH_URL, value: 'https://auth.example.com/token'}",
        "{name: CART_URL, value: '{{ .Values.cart }}'}",
        "{name: LISTEN_ADDR, value: ':8080'}",
        "{name: BIND_ADDRESS, value: '0.0.0.0:80'}",
        "{name: HOST, value: web}",
        "{name: TIMEOUT, value: '10:30'}",
        "{name: BUCKET_URL, value: 's3://bucket/x'}",
        "{name: FLAGS, value: 'a,b'}",
        "{name: SHOP_HOST, value: shop}",
    ],
)
def test_other_variables_stay_unmapped(desk: Desk, entry: str) -> None:
    reading = desk.one("a.yaml", deployment(f"        - {entry}\n"))
    (claim,) = [c for c in reading.claims if c.fact.relation.startswith(str(UNMAPPED))]

    assert UNMAPPED["kubernetes/Deployment.spec.template.spec.containers.env"] == claim.fact.relation
    assert {"name"} < set(json.loads(literal_value(claim.fact.object)))


def test_a_host_that_may_be_something_else_is_not_expected_to_be_a_component(desk: Desk) -> None:
    sure, unsure = (
        facts(desk.one("a.yaml", deployment(f"        - {{name: {name}, value: 'redis:6379'}}\n"))) for name in ("REDIS_ADDR", "CACHE")
    )
    expected = ("component:redis", EXPECTED_TYPE, class_node(SC.Component))

    assert expected in sure
    assert expected not in unsure


def service(name: str, app: str, *, more: str = "") -> str:
    return f"---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}{more}}}\nspec:\n  selector: {{app: {app}}}\n  ports: [{{port: 80}}]\n"


def labelled(name: str, app: str, env: str = "", *, more: str = "") -> str:
    pod = f"metadata: {{labels: {{app: {app}}}}}, spec: {{containers: [{{name: c, env: [{env}]}}]}}"
    return f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}{more}}}\nspec: {{template: {{{pod}}}}}\n"


def test_a_service_is_a_name_of_the_workload_behind_it(desk: Desk) -> None:
    said = facts(
        desk.one(
            "a.yaml",
            labelled("orders-v2", "orders") + service("orders", "orders") + labelled("web", "web", "{name: O_HOST, value: orders}"),
        )
    )

    assert ("component:orders-v2", ALT_LABEL, literal("orders")) in said
    assert ("component:web", SC.depends_on, "component:orders-v2") in said
    assert ("component:orders-v2", SC.service_port, literal("80", XSD.integer)) in said
    assert {"component:orders-v2", "component:web"} == {subject for subject, relation, _ in said if relation == TYPE}


@pytest.mark.parametrize("around", ["", labelled("a", "orders") + labelled("b", "orders"), labelled("a", "orders", more=", namespace: x")])
def test_a_service_without_one_workload_in_its_file_is_a_component_of_its_name(desk: Desk, around: str) -> None:
    said = facts(desk.one("a.yaml", around + service("orders", "orders")))

    assert {("component:orders", TYPE, class_node(SC.Component)), ("component:orders", LABEL, literal("orders"))} < said


def test_an_external_name_is_no_component(desk: Desk) -> None:
    text = "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {type: ExternalName, externalName: db.example.com}\n"

    assert UNMAPPED["kubernetes/kind"] in {claim.fact.relation for claim in desk.one("a.yaml", text).claims}


def test_manifests_in_a_list_are_read(desk: Desk) -> None:
    items = (labelled("web", "web", "{name: O_HOST, value: orders}") + service("orders", "o")).split("---\n")[1:]
    listed = "".join("- " + item.replace("\n", "\n  ").rstrip(" ") for item in items)

    assert ("component:web", SC.depends_on, "component:orders") in facts(
        desk.one("a.yaml", f"apiVersion: v1\nkind: List\nitems:\n{listed}")
    )


def test_values_of_a_config_map_of_the_file_count(desk: Desk) -> None:
    config = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  ORDERS_HOST: orders\n  log: debug\n"
    by_key = "{name: O_HOST, valueFrom: {configMapKeyRef: {name: c, key: ORDERS_HOST}}}"
    whole = deployment("        - {name: A, value: b}\n") + "        envFrom: [{configMapRef: {name: c}}]\n"

    assert {"component:orders"} == named(desk, by_key, config)
    assert "ORDERS_HOST: orders" == claim_of(desk.one("a.yaml", whole + config), SC.depends_on).quote


def test_flags_and_words_of_a_command_line_name_dependencies(desk: Desk) -> None:
    args = "        args: [serve, --orders-host=orders, --cache-addr, 'cache:6379', 'http://tax:80', --log, info, x:80]\n"
    reading = desk.one("a.yaml", deployment("        - {name: A, value: b}\n") + args)

    assert {"component:orders", "component:cache", "component:tax"} == {o for _, relation, o in facts(reading) if relation == SC.depends_on}


def test_a_namespace_of_the_file_makes_a_name_with_one_dot_a_service(desk: Desk) -> None:
    other = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: prod}\n"

    assert {"component:prod/cart"} == named(desk, "{name: CART_HOST, value: cart.prod}", other)
    assert set() == named(desk, "{name: CART_HOST, value: cart.prod}")
    assert {"component:prod/cart"} == named(desk, "{name: CART_HOST, value: cart}", namespace="prod")


def test_a_cron_job_is_read_down_to_its_containers(desk: Desk) -> None:
    env = "{containers: [{name: c, image: 'x/nightly:1.2', env: [{name: TAX_URL, value: 'http://tax'}]}], restartPolicy: Never}"
    text = f"apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: nightly}}\nspec: {{schedule: '@daily', jobTemplate: {{spec: {{template: {{spec: {env}}}}}}}}}\n"
    said = facts(desk.one("a.yaml", text))

    assert {("component:nightly", SC.depends_on, "component:tax"), ("component:nightly", SC.image, literal("x/nightly:1.2"))} < said
    assert ("component:nightly", UNMAPPED["kubernetes/CronJob.spec.schedule"], literal("@daily")) in said
    assert ("component:nightly", UNMAPPED["kubernetes/CronJob.spec.jobTemplate.spec.template.spec.restartPolicy"], literal("Never")) in said


def test_image_replicas_and_ports_are_properties(desk: Desk) -> None:
    text = deployment("        - {name: A, value: b}\n").replace("spec:\n  template", "spec:\n  replicas: 3\n  template", 1)
    more = "        image: x/shop@sha256:ab\n        ports: [{containerPort: 8080, name: http}, {containerPort: 9090}]\n      initContainers:\n      - image: busybox\n"
    said = facts(desk.one("a.yaml", text + more))
    numbers = {(SC.replicas, "3"), (SC.port, "8080"), (SC.port, "9090")}

    assert numbers == {(relation, literal_value(node)) for _, relation, node in said if relation in (SC.replicas, SC.port)}
    assert ("component:shop", SC.image, literal("x/shop@sha256:ab")) in said
    assert ("component:shop", UNMAPPED["kubernetes/Deployment.spec.template.spec.initContainers.image"], literal("busybox")) in said
    assert ("component:shop", UNMAPPED["kubernetes/Deployment.spec.template.spec.containers.ports.name"], literal("http")) in said


def test_a_secret_says_only_that_it_is_one(desk: Desk) -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ntype: Opaque\nstringData: {a: hunter2, b: hunter3}\n"

    assert {
        ("secret:db", UNMAPPED["kubernetes/kind"], literal("Secret")),
        ("secret:db", UNMAPPED["kubernetes/Secret.type"], literal("Opaque")),
    } == facts(desk.one("a.yaml", text))


def test_a_masked_value_is_no_claim_and_the_host_beside_one_is(desk: Desk) -> None:
    env = "        - {name: DB_PASSWORD, value: hunter2}\n        - {name: DATABASE_URL, value: 'postgres://u:hunter3@orders-db:5432/x'}\n"
    reading = desk.one("a.yaml", deployment(env))

    assert {"component:orders-db"} == {claim.fact.object for claim in reading.claims if claim.fact.relation == SC.depends_on}
    assert [] == [claim for claim in reading.claims if claim.fact.relation.startswith(str(UNMAPPED))]


def test_a_commented_variable_says_nothing(desk: Desk) -> None:
    text = deployment("        - {name: CART_SERVICE_ADDR, value: 'cart:7070'}\n        # - {name: AD_SERVICE_ADDR, value: 'ad:1'}\n")

    assert "component:cart" == claim_of(desk.one("a.yaml", text), SC.depends_on).fact.object


def test_names_outside_the_default_namespace_carry_it(desk: Desk) -> None:
    reading = desk.one("a.yaml", deployment("        - {name: CART_SERVICE_ADDR, value: 'cart:7070'}\n", namespace="prod"))

    assert ("component:prod/shop", SC.depends_on, "component:prod/cart") in facts(reading)


def test_other_kinds_stay_unmapped_where_they_stop_being_known(desk: Desk) -> None:
    text = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: cart\nspec:\n  ingressClassName: nginx\n  rules:\n  - host: x\n"

    assert {
        ("ingress:cart", UNMAPPED["kubernetes/kind"], literal("Ingress")),
        ("ingress:cart", UNMAPPED["kubernetes/Ingress.spec.ingressClassName"], literal("nginx")),
        ("ingress:cart", UNMAPPED["kubernetes/Ingress.spec.rules"], literal('[{"host":"x"}]')),
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
    wanted = [(n, v["value"].partition(":")[0]) for n, v in variables if v["name"].endswith("_ADDR")]
    claims = [c.fact for r in readings for c in r.claims]
    others = [e for e in entities if e["kind"] not in ("Deployment", "Service")]

    assert {f"component:{e['metadata']['name']}" for e in workloads} == {f.subject for f in claims if f.relation == TYPE}
    assert {(f"component:{a}", f"component:{b}") for a, b in wanted} == {
        (f.subject, f.object) for f in claims if f.relation == SC.depends_on
    }
    assert len(variables) - len(wanted) == sum(f.relation.endswith("ontainers.env") for f in claims)
    assert len(others) == sum(f.relation == UNMAPPED["kubernetes/kind"] for f in claims)


def ingress(backend: str, *, host: str = "shop.example.com") -> str:
    rule = f"{{host: {host}, http: {{paths: [{{path: /cart, pathType: Prefix, backend: {backend}}}]}}}}"
    return f"---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: edge}}\nspec: {{ingressClassName: nginx, rules: [{rule}]}}\n"


@pytest.mark.parametrize("backend", ["{service: {name: cart, port: {number: 80}}}", "{serviceName: cart, servicePort: 80}"])
def test_what_an_ingress_leads_to_is_reached_there(desk: Desk, backend: str) -> None:
    assert {
        ("component:cart", SC.route, literal("shop.example.com/cart")),
        ("component:cart", EXPECTED_TYPE, class_node(SC.Component)),
        ("component:cart", ALT_LABEL, literal("cart")),
        ("ingress:edge", UNMAPPED["kubernetes/Ingress.spec.ingressClassName"], literal("nginx")),
    } == facts(desk.one("a.yaml", ingress(backend)))


def test_an_ingress_leads_to_the_workload_behind_the_service(desk: Desk) -> None:
    text = labelled("cart-v2", "cart") + service("cart", "cart") + ingress("{service: {name: cart, port: {number: 80}}}")

    assert ("component:cart-v2", SC.route, literal("shop.example.com/cart")) in facts(desk.one("a.yaml", text))


ROUTES = {
    "kind: Ingress\nmetadata: {name: e}\nspec: {defaultBackend: {service: {name: web}}}": {("component:web", "*")},
    "kind: Ingress\nmetadata: {name: e, namespace: prod}\nspec: {rules: [{host: x, http: {paths: [{path: /, backend: {service: {name: web}}}]}}]}": {
        ("component:prod/web", "x")
    },
    "kind: HTTPRoute\nmetadata: {name: e}\nspec: {hostnames: [x, y], rules: [{matches: [{path: {value: /a}}], backendRefs: [{name: web, port: 80}]}]}": {
        ("component:web", "x/a"),
        ("component:web", "y/a"),
    },
    "kind: HTTPRoute\nmetadata: {name: e}\nspec: {rules: [{backendRefs: [{name: web, namespace: prod}, {name: b, kind: Bucket}]}]}": {
        ("component:prod/web", "*")
    },
    "kind: Route\nmetadata: {name: e}\nspec: {host: x, to: {kind: Service, name: web}}": {("component:web", "x")},
}


@pytest.mark.parametrize(("manifest", "reached"), ROUTES.items())
def test_other_entry_points_say_it_in_their_own_forms(desk: Desk, manifest: str, reached: set[tuple[str, str]]) -> None:
    said = facts(desk.one("a.yaml", f"apiVersion: example.k8s.io/v1\n{manifest}\n"))

    assert reached == {(subject, literal_value(node)) for subject, relation, node in said if relation == SC.route}


def test_the_service_that_governs_a_stateful_set_is_a_name_of_it(desk: Desk) -> None:
    text = deployment("        - {name: A, value: b}\n", kind="StatefulSet").replace(
        "spec:\n  template", "spec:\n  serviceName: shop-headless\n  template", 1
    )
    said = facts(desk.one("a.yaml", text + labelled("web", "web", "{name: S_HOST, value: shop-0.shop-headless}")))

    assert ("component:shop", ALT_LABEL, literal("shop-headless")) in said
    assert ("component:web", SC.depends_on, "component:shop") in said


@pytest.mark.parametrize("name", ["'{{ .Release.Name }}-web'", "${APP}", "'{{ include \"x.fullname\" . }}'"])
def test_a_manifest_whose_name_a_template_fills_in_is_one_line(desk: Desk, name: str) -> None:
    unfilled = deployment("        - {name: A, value: b}\n").replace("name: shop", f"name: {name}")
    reading = desk.one("a.yaml", labelled("web", "web") + "---\n" + unfilled)

    assert {"component:web"} == {claim.fact.subject for claim in reading.claims}
    assert [("skipped", "placeholder", 1)] == [(n.kind, n.what, n.count) for n in reading.notices]


def test_an_image_that_a_template_fills_in_is_none(desk: Desk) -> None:
    said = facts(desk.one("a.yaml", deployment("        - {name: A, value: b}\n") + "        image: 'x/shop:{{ .Values.tag }}'\n"))

    assert SC.image not in {relation for _, relation, _ in said}
