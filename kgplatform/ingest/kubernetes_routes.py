"""Where an Ingress or a route says that the Service behind it is reached.

`host/path` of each rule that leads to a Service, in the three forms of https://kubernetes.io/docs/concepts/services-networking/ingress/
(`backend.service.name`, and `backend.serviceName` before networking.k8s.io/v1), https://gateway-api.sigs.k8s.io (`backendRefs`)
and OpenShift's Route (`to`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from .kubernetes_cluster import Name, namespace_of
from .yaml_documents import Node, YamlMapping, YamlSequence

FIELDS: Final = {
    "Ingress": ("rules", "defaultBackend", "backend"),
    "HTTPRoute": ("rules", "hostnames"),
    "Route": ("host", "path", "to", "alternateBackends"),
}
"""The fields of `spec` by kind that say where something is reached."""
_ANYWHERE: Final = "*"
"""What a rule without host and path takes: every request."""


class ServiceRoute(NamedTuple):
    """A Service, the `host/path` at which it is reached (`*` for every request), and the node that says so."""

    service: Name
    address: str
    node: Node


def routes(manifest: YamlMapping) -> tuple[ServiceRoute, ...]:
    """The Services that a manifest leads to; () of other kinds, and where it leads to none."""
    reader = _READERS.get(manifest.text("kind"))
    return tuple(reader(manifest.mapping("spec"), namespace_of(manifest))) if reader else ()


def _ingress(spec: YamlMapping, namespace: str) -> Iterator[ServiceRoute]:
    for field in ("defaultBackend", "backend"):
        if name := _backend(spec.mapping(field)):
            yield ServiceRoute((namespace, name), _ANYWHERE, spec.entries[field])
    for rule in _mappings(spec.get("rules")):
        for path in _mappings(rule.mapping("http").get("paths")):
            if name := _backend(path.mapping("backend")):
                yield ServiceRoute((namespace, name), _address(rule.text("host"), path.text("path")), path)


def _backend(backend: YamlMapping) -> str:
    return backend.mapping("service").text("name") or backend.text("serviceName")


def _http_route(spec: YamlMapping, namespace: str) -> Iterator[ServiceRoute]:
    hostnames = spec.get("hostnames")
    hosts = (
        [node.text for node in hostnames.items if not isinstance(node, YamlMapping | YamlSequence)]
        if isinstance(hostnames, YamlSequence)
        else [""]
    )
    for rule in _mappings(spec.get("rules")):
        paths = [match.mapping("path").text("value") for match in _mappings(rule.get("matches"))] or [""]
        for backend in _mappings(rule.get("backendRefs")):
            if backend.text("name") and backend.text("kind") in ("", "Service"):
                space = backend.text("namespace") or namespace
                service = ("" if space == "default" else space, backend.text("name"))
                yield from (ServiceRoute(service, _address(host, path), backend) for host in hosts for path in paths)


def _openshift_route(spec: YamlMapping, namespace: str) -> Iterator[ServiceRoute]:
    for backend in (spec.mapping("to"), *_mappings(spec.get("alternateBackends"))):
        if backend.text("name") and backend.text("kind") in ("", "Service"):
            yield ServiceRoute((namespace, backend.text("name")), _address(spec.text("host"), spec.text("path")), backend)


_READERS: Final = {"Ingress": _ingress, "HTTPRoute": _http_route, "Route": _openshift_route}


def _address(host: str, path: str) -> str:
    return f"{host}{'' if path == '/' and host else path}" or _ANYWHERE


def _mappings(node: Node | None) -> Iterator[YamlMapping]:
    if isinstance(node, YamlSequence):
        yield from (item for item in node.items if isinstance(item, YamlMapping))
