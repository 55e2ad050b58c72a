"""Kubernetes manifests to claims: workloads are components, with images, replicas and ports; they depend on what their variables name.

A host that only the cluster can resolve is a dependency, expected to be a component, even if no manifest of the file declares it; a bare
`name:port` in another variable is claimed too, and the gate accepts it where something of that name is known. Everything else in a
manifest becomes an unmapped claim, at the depth where fields are no longer known; masked secrets give no claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from ..model import Fact, Notice
from ..terms import ALT_LABEL, EXPECTED_TYPE, LABEL, SC, TYPE, XSD, class_node, literal
from .backstage_references import REFERENCE, is_unfilled
from .evidence import ReadClaims, candidate, compact, line_of, lines_around, unmapped
from .kubernetes_cluster import Cluster, Name, below, cluster, is_service, key_of, manifests_of, name_of, pod_path
from .kubernetes_hosts import expanded, flags, hosts
from .kubernetes_routes import FIELDS as ROUTING
from .kubernetes_routes import routes
from .readers import SourceFile
from .secrets import is_masked
from .yaml_documents import Node, Scalar, YamlMapping, YamlSequence, as_value

EXTRACTOR: Final = "kubernetes/3"
_CONTAINERS: Final = ("containers", "initContainers")
_SECRETS: Final = ("data", "stringData")


class StatedResource(NamedTuple):
    """A fact, and the node that says it; `extractor` is REFERENCE for what follows from the name of another thing.

    `note` says how it was read where the node does not say it by itself.
    """

    fact: Fact
    node: Node
    extractor: str = EXTRACTOR
    note: str = ""


class Workload(NamedTuple):
    """The component whose manifest is read, and the others of its file."""

    name: Name
    kind: str
    cluster: Cluster

    @property
    def key(self) -> str:
        """The mention key of the component."""
        return key_of(self.name)


Parts = Iterator[StatedResource]


def is_manifest(document: YamlMapping) -> bool:
    """Whether a document states an API version and a kind, as manifests and catalogue entities do."""
    return bool(document.text("apiVersion") and document.text("kind"))


def manifest_claims(document: YamlMapping, text: str, path: str, fallback: str, cluster: Cluster) -> ReadClaims:
    """Every claim of one manifest, or of those in a list; `fallback` names what has no metadata.name (the document's id).

    A manifest whose name a template has yet to fill in is counted, not claimed.
    """
    manifests = list(manifests_of(document))
    unfilled = [manifest for manifest in manifests if is_unfilled(" ".join(name_of(manifest)))]
    parts = [part for manifest in manifests if manifest not in unfilled for part in _facts(manifest, fallback, cluster)]
    if not parts and not unfilled:
        parts = list(_unknown(document, fallback))
    claims = (
        candidate(text, part.fact, lines_around(text, part.node.start, part.node.end), part.extractor, note=part.note) for part in parts
    )
    once = {(claim.fact, claim.start if claim.extractor == EXTRACTOR else 0): claim for claim in claims}
    notices = [Notice("skipped", "placeholder", len(unfilled), f"{path}:{line_of(text, unfilled[0].start)}")] if unfilled else []
    return ReadClaims(tuple(once.values()), EXTRACTOR, notices=tuple(notices))


class KubernetesFormat:
    """Manifests, each read in sight of the others of its file."""

    words: ClassVar[Sequence[str]] = ("apiVersion", "kind")

    def __init__(self, file: SourceFile, roots: Sequence[Node | None]) -> None:
        self._file, self._cluster = file, cluster(roots)

    @staticmethod
    def is_one(root: YamlMapping) -> bool:
        """Whether it states an API version and a kind."""
        return is_manifest(root)

    def read(self, root: YamlMapping) -> ReadClaims:
        """Every claim of one manifest, or of a list of them."""
        return manifest_claims(root, self._file.text, self._file.path, self._file.place.document, self._cluster)


def _facts(document: YamlMapping, fallback: str, cluster: Cluster) -> Parts:
    path = pod_path(document)
    namespace, name = name_of(document)
    if path is not None:
        yield from _workload(document, Workload((namespace, name or fallback), document.text("kind"), cluster), path)
    elif is_service(document) and name:
        yield from _service(document, cluster)
    elif routes(document):
        yield from _routes(document, cluster)
    else:
        yield from _unknown(document, fallback)


def _unknown(document: YamlMapping, fallback: str) -> Parts:
    kind = document.text("kind")
    namespace, name = name_of(document)
    subject = key_of((namespace, name or fallback), kind.lower())
    yield StatedResource(unmapped(subject, "kubernetes", "kind", kind), document.entries["kind"])
    yield from _rest(document, subject, kind, known=())


def _rest(document: YamlMapping, subject: str, kind: str, *, known: tuple[str, ...]) -> Parts:
    """All fields beside the known ones of `metadata` and `spec`, as unmapped claims; nothing of the data of a Secret."""
    for field, node in document.entries.items():
        if field in ("apiVersion", "kind") or kind == "Secret" and field in _SECRETS:
            continue
        if field not in ("metadata", "spec") or not isinstance(node, YamlMapping):
            yield from _unread(subject, f"{kind}.{field}", node)
            continue
        for inner, value in node.entries.items():
            if field == "metadata" and inner in ("name", "namespace") or field == "spec" and inner in known:
                continue
            yield from _unread(subject, f"{kind}.{field}.{inner}", value)


def _service(document: YamlMapping, cluster: Cluster) -> Parts:
    """A Service gives its name and ports to the workload behind it; without one in the file, it is a component of its own name."""
    own = name_of(document)
    bearer = cluster.bearer(own)
    subject, at = key_of(bearer), document.mapping("metadata").entries["name"]
    if bearer == own and own not in cluster.workloads:
        yield StatedResource(Fact(subject, TYPE, class_node(SC.Component)), document.entries["kind"])
        yield StatedResource(Fact(subject, LABEL, literal(own[1])), at)
    elif bearer != own:
        yield StatedResource(Fact(subject, ALT_LABEL, literal(own[1])), at)
    yield from _rest(
        document,
        subject,
        "Service",
        known=("ports", "selector") if isinstance(document.mapping("spec").get("ports"), YamlSequence) else ("selector",),
    )
    yield from _ports(subject, "Service.spec.ports", document.mapping("spec").get("ports"), "port", SC.service_port)


def _routes(document: YamlMapping, cluster: Cluster) -> Parts:
    """The Services that an Ingress or a route leads to are reached at its addresses; nothing else is claimed of it."""
    for route in routes(document):
        bearer = cluster.bearer(route.service)
        yield StatedResource(Fact(key_of(bearer), SC.route, literal(route.address)), route.node)
        yield from _expected(route.service, route.node, cluster)
    kind = document.text("kind")
    yield from _rest(document, key_of(name_of(document), kind.lower()), kind, known=ROUTING[kind])


def _expected(service: Name, node: Node, cluster: Cluster) -> Parts:
    """A Service that is named and has no manifest in the file is expected to be a component."""
    if not cluster.declares(service):
        other = key_of(cluster.bearer(service))
        yield StatedResource(Fact(other, EXPECTED_TYPE, class_node(SC.Component)), node, REFERENCE)
        yield StatedResource(Fact(other, ALT_LABEL, literal(service[1])), node, REFERENCE)


def _workload(document: YamlMapping, workload: Workload, path: tuple[str, ...]) -> Parts:
    subject, kind = workload.key, workload.kind
    metadata, spec = document.mapping("metadata"), document.mapping("spec")
    yield StatedResource(Fact(subject, TYPE, class_node(SC.Component)), document.entries["kind"])
    if metadata.text("name"):
        yield StatedResource(Fact(subject, LABEL, literal(metadata.text("name"))), metadata.entries["name"])
    is_pod = not path
    governing = (workload.name[0], spec.text("serviceName"))
    is_governed = workload.cluster.services.get(governing) == workload.name
    if is_governed and governing != workload.name:
        yield StatedResource(Fact(subject, ALT_LABEL, literal(governing[1])), spec.entries["serviceName"])
    read_fields = ("replicas", path[1], *(("serviceName",) if is_governed else ())) if path else tuple(spec.entries)
    yield from _rest(document, subject, kind, known=read_fields)
    if not is_pod and (replicas := spec.get("replicas")):
        yield from _number(subject, SC.replicas, f"{kind}.spec.replicas", replicas)
    pod = below(document, path)
    for place, holder in _around(document, path):
        yield from (
            part
            for field, node in holder.entries.items()
            if field not in path
            for part in _unread(subject, f"{kind}.{place}.{field}", node)
        )
    inner = ".".join((*path, "spec"))
    for field, node in pod.mapping("spec").entries.items():
        if field in _CONTAINERS and isinstance(node, YamlSequence):
            for container in node.items:
                yield from _container(workload, f"{kind}.{inner}.{field}", container, is_main=field == "containers")
        else:
            yield from _unread(subject, f"{kind}.{inner}.{field}", node)


def _around(document: YamlMapping, path: tuple[str, ...]) -> Iterator[tuple[str, YamlMapping]]:
    """The mappings between a workload's own `spec` and its pod's, with their places."""
    for n in range(2, len(path) + 1):
        yield ".".join(path[:n]), below(document, path[:n])


def _container(workload: Workload, place: str, container: Node, *, is_main: bool) -> Parts:
    if not isinstance(container, YamlMapping):
        yield from _unread(workload.key, place, container)
        return
    variables: dict[str, str] = {}
    for field in sorted(container.entries, key=lambda name: name not in ("env", "envFrom")):
        node = container.entries[field]
        if field == "env" and isinstance(node, YamlSequence):
            for variable in node.items:
                yield from _variable(workload, f"{place}.env", variable, variables)
        elif field == "envFrom" and isinstance(node, YamlSequence):
            for source in node.items:
                yield from _variables_from(workload, f"{place}.envFrom", source, variables)
        elif field in ("args", "command") and isinstance(node, YamlSequence):
            yield from _arguments(workload, f"{place}.{field}", node, variables)
        elif field == "image" and is_main and isinstance(node, Scalar) and not node.is_null and not is_unfilled(node.text):
            yield StatedResource(Fact(workload.key, SC.image, literal(node.text.strip())), node)
        elif field == "ports" and is_main:
            yield from _ports(workload.key, f"{place}.ports", node, "containerPort", SC.port)
        elif field != "name" or not is_main:
            yield from _unread(workload.key, f"{place}.{field}", node)


# -- what variables name


def _variable(workload: Workload, place: str, node: Node, variables: dict[str, str]) -> Parts:
    name, value, source = _stated(workload, node)
    variables[name] = expanded(value, variables)
    note = source or _expansion(value, variables[name])
    parts = list(_dependencies(workload, name, variables[name], node, note=note)) if name and value else []
    yield from parts or _unread(workload.key, place, node)


def _stated(workload: Workload, node: Node) -> tuple[str, str, str]:
    """Name and value of a variable, also of one that takes its value from a ConfigMap of the file, and from which."""
    if not isinstance(node, YamlMapping):
        return "", "", ""
    name = node.text("name")
    if set(node.entries) == {"name", "value"}:
        return name, node.text("value"), ""
    reference = node.mapping("valueFrom").mapping("configMapKeyRef")
    held = workload.cluster.config.get((workload.name[0], reference.text("name")))
    if held is None or set(node.entries) != {"name", "valueFrom"}:
        return "", "", ""
    value = held.text(reference.text("key"))
    return name, value, f"the value is {value}, of the ConfigMap {reference.text('name')}"


def _expansion(written: str, value: str) -> str:
    return "" if written == value else f"the value is {value}"


def _variables_from(workload: Workload, place: str, node: Node, variables: dict[str, str]) -> Parts:
    reference = node.mapping("configMapRef").text("name") if isinstance(node, YamlMapping) else ""
    held = workload.cluster.config.get((workload.name[0], reference))
    if held is None or not isinstance(node, YamlMapping):
        yield from _unread(workload.key, place, node)
        return
    for name, value in held.entries.items():
        variables[name] = held.text(name)
        note = f"a value of the ConfigMap {reference}"
        yield from _dependencies(workload, node.text("prefix") + name, held.text(name), value, note=note)


def _arguments(workload: Workload, place: str, node: YamlSequence, variables: dict[str, str]) -> Parts:
    words = [expanded(item.text, variables) if isinstance(item, Scalar) else "" for item in node.items]
    parts = [part for n, name, value in flags(words) for part in _dependencies(workload, name, value, node.items[n], is_word=not name)]
    yield from parts
    if not parts:
        yield from _unread(workload.key, place, node)


def _dependencies(workload: Workload, name: str, value: str, node: Node, *, is_word: bool = False, note: str = "") -> Parts:
    """The dependencies that a value names; a word of a command line names one in a URL only."""
    if is_word and "://" not in value:
        return
    services = {each for _, each in workload.cluster.services}
    for host in hosts(name, value, lambda text: text in workload.cluster.namespaces or text == "default", services.__contains__):
        namespace = "" if host.namespace == "default" else host.namespace or workload.name[0]
        bearer = workload.cluster.bearer((namespace, host.name))
        if bearer == workload.name:
            continue
        other = key_of(bearer)
        service = "" if bearer[1] == host.name else f"the service {host.name} selects {bearer[1]}"
        yield StatedResource(Fact(workload.key, SC.depends_on, other), node, note="; ".join(filter(None, (note, service))))
        if host.is_sure:
            yield from _expected((namespace, host.name), node, workload.cluster)


# -- values


def _ports(subject: str, place: str, node: Node | None, field: str, relation: str) -> Parts:
    if node is None:
        return
    if not isinstance(node, YamlSequence):
        yield from _unread(subject, place, node)
        return
    for item in node.items:
        number = item.get(field) if isinstance(item, YamlMapping) else None
        if not isinstance(item, YamlMapping) or number is None:
            yield from _unread(subject, place, item)
            continue
        yield from _number(subject, relation, f"{place}.{field}", number)
        for other, value in item.entries.items():
            if other != field:
                yield from _unread(subject, f"{place}.{other}", value)


def _number(subject: str, relation: str, place: str, node: Node) -> Parts:
    if isinstance(node, Scalar) and isinstance(as_value(node), int):
        number = str(as_value(node))
        yield StatedResource(
            Fact(subject, relation, literal(number, XSD.integer)), node, note="" if node.text == number else f"written {node.text}"
        )
    else:
        yield from _unread(subject, place, node)


def _unread(subject: str, place: str, node: Node) -> Parts:
    """A field that no rule reads, as an unmapped claim; nothing for a value that was masked."""
    if isinstance(node, YamlMapping) and is_masked(node.text("value")) or isinstance(node, Scalar) and is_masked(node.text):
        return
    text = node.text if isinstance(node, Scalar) else compact(as_value(node))
    yield StatedResource(unmapped(subject, "kubernetes", place, text), node)
