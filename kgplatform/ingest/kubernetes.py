"""Kubernetes manifests to claims: workloads are components, and their `*_SERVICE_ADDR` variables dependencies.

Everything else that a manifest says becomes an unmapped claim, at the depth where it stops being known.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Final

from ..model import Candidate, Fact
from ..terms import LABEL, SC, TYPE, class_node, identifier_key, literal
from .evidence import candidate, compact, lines_around, unmapped
from .yaml_documents import Mapping, Node, Scalar, Sequence, as_value

EXTRACTOR: Final = "kubernetes/1"
WORKLOADS: Final = ("Deployment", "StatefulSet", "DaemonSet")
ADDRESS: Final = "_SERVICE_ADDR"
_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d+)?(?:/.*)?\Z", re.IGNORECASE)

Placed = Iterator[tuple[Fact, Node]]


def is_manifest(document: Mapping) -> bool:
    return bool(document.text("apiVersion") and document.text("kind"))


def manifest_claims(document: Mapping, text: str, fallback: str) -> tuple[Candidate, ...]:
    """Every claim of one manifest; `fallback` names what has no metadata.name (the document's id)."""
    return tuple(candidate(text, fact, lines_around(text, node.start, node.end), EXTRACTOR) for fact, node in _facts(document, fallback))


def _facts(document: Mapping, fallback: str) -> Placed:
    kind, metadata = document.text("kind"), document.mapping("metadata")
    name, namespace = metadata.text("name") or fallback, metadata.text("namespace")
    if kind not in WORKLOADS:
        subject = _key(kind.lower(), name, namespace)
        yield unmapped(subject, "kubernetes", "kind", kind), document.entries["kind"]
        yield from _rest(document, subject, kind, known=())
        return
    subject = _key("component", name, namespace)
    yield Fact(subject, TYPE, class_node(SC.Component)), document.entries["kind"]
    if metadata.text("name"):
        yield Fact(subject, LABEL, literal(metadata.text("name"))), metadata.entries["name"]
    yield from _rest(document, subject, kind, known=("template",))
    template = document.mapping("spec").mapping("template")
    for field, node in template.entries.items():
        if field != "spec" or not isinstance(node, Mapping):
            yield _left(subject, f"{kind}.spec.template.{field}", node), node
    for field, node in template.mapping("spec").entries.items():
        place = f"{kind}.spec.template.spec.{field}"
        if field in ("containers", "initContainers") and isinstance(node, Sequence):
            for container in node.items:
                yield from _container(subject, place, namespace, container)
        else:
            yield _left(subject, place, node), node


def _rest(document: Mapping, subject: str, kind: str, *, known: tuple[str, ...]) -> Placed:
    for field, node in document.entries.items():
        if field in ("apiVersion", "kind"):
            continue
        if field not in ("metadata", "spec") or not isinstance(node, Mapping):
            yield _left(subject, f"{kind}.{field}", node), node
            continue
        for inner, value in node.entries.items():
            if field == "metadata" and inner in ("name", "namespace") or field == "spec" and inner in known and isinstance(value, Mapping):
                continue
            yield _left(subject, f"{kind}.{field}.{inner}", value), value


def _container(subject: str, place: str, namespace: str, container: Node) -> Placed:
    if not isinstance(container, Mapping):
        yield _left(subject, place, container), container
        return
    for field, node in container.entries.items():
        if field == "env" and isinstance(node, Sequence):
            for variable in node.items:
                host = _dependency(variable, namespace)
                yield (Fact(subject, SC.depends_on, host) if host else _left(subject, f"{place}.env", variable)), variable
        else:
            yield _left(subject, f"{place}.{field}", node), node


def _dependency(variable: Node, namespace: str) -> str:
    """The key of the component that an environment variable names; '' where it names none."""
    if not isinstance(variable, Mapping) or not variable.text("name").endswith(ADDRESS):
        return ""
    found = _HOST.match(variable.text("value"))
    if not found or set(variable.entries) != {"name", "value"} or _is_address(found[1]):
        return ""
    name, _, rest = found[1].lower().partition(".")
    return _key("component", name, rest.partition(".")[0] or namespace)


def _is_address(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


def _key(scheme: str, name: str, namespace: str) -> str:
    return identifier_key(scheme, name if namespace in ("", "default") else f"{namespace}/{name}")


def _left(subject: str, field: str, node: Node) -> Fact:
    return unmapped(subject, "kubernetes", field, node.text if isinstance(node, Scalar) else compact(as_value(node)))
