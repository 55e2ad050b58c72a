"""What the manifests of one file say of each other: workloads, the Services in front of them, the values of ConfigMaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ..terms import identifier_key
from .yaml_documents import Node, YamlMapping, YamlSequence

WORKLOADS: Final = {
    **dict.fromkeys(
        ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Rollout", "Job"), ("spec", "template")
    ),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}
"""Where the pod stands in each kind of workload."""

_KNATIVE: Final = "serving.knative.dev/"

Name = tuple[str, str]
"""(namespace, name); '' for the namespace `default`."""


class Cluster(NamedTuple):
    """The workloads of a file by name, the workload that each Service stands for (the Service that governs a StatefulSet too), ConfigMaps,
    and the namespaces that are named."""

    workloads: frozenset[Name]
    services: dict[Name, Name]
    config: dict[Name, YamlMapping]
    namespaces: frozenset[str]

    def bearer(self, name: Name) -> Name:
        """Who answers to a Service's name: the one workload of the file that its selector fits, else who bears the name."""
        return self.services.get(name, name)

    def declares(self, name: Name) -> bool:
        return name in self.workloads or name in self.services


def cluster(roots: Iterable[Node | None]) -> Cluster:
    """The manifests of one file, also those in lists, seen together."""
    manifests = [each for root in roots for each in manifests_of(root)]
    labels = {name_of(each): pod_labels(each) for each in manifests if pod_path(each) is not None}
    services = {name_of(each): _stands_for(each, labels) for each in manifests if is_service(each)}
    for each in manifests:
        governing = (namespace_of(each), each.mapping("spec").text("serviceName"))
        if each.text("kind") == "StatefulSet" and governing[1] and governing not in services:
            services[governing] = name_of(each)
    return Cluster(
        frozenset(labels),
        services,
        {name_of(each): each.mapping("data") for each in manifests if each.text("kind") == "ConfigMap"},
        frozenset(namespace_of(each) for each in manifests)
        | {each.mapping("metadata").text("name") for each in manifests if each.text("kind") == "Namespace"},
    )


def manifests_of(root: Node | None) -> Iterator[YamlMapping]:
    """The manifest, or those of a list's `items`."""
    if not isinstance(root, YamlMapping):
        return
    items = root.get("items")
    if root.text("kind").endswith("List") and isinstance(items, YamlSequence):
        for item in items.items:
            yield from manifests_of(item)
    elif root.text("kind"):
        yield root


def pod_path(manifest: YamlMapping) -> tuple[str, ...] | None:
    """The fields down to a workload's pod; None for what is no workload."""
    if manifest.text("kind") == "Service" and manifest.text("apiVersion").startswith(_KNATIVE):
        return ("spec", "template")
    return WORKLOADS.get(manifest.text("kind"))


def is_service(manifest: YamlMapping) -> bool:
    """Whether a manifest is a Service of the cluster; one that is only another name of a host outside is not."""
    return (
        manifest.text("kind") == "Service"
        and manifest.text("apiVersion") == "v1"
        and manifest.mapping("spec").text("type") != "ExternalName"
    )


def namespace_of(manifest: YamlMapping) -> str:
    """The namespace, '' for `default`."""
    namespace = manifest.mapping("metadata").text("namespace")
    return "" if namespace == "default" else namespace


def name_of(manifest: YamlMapping) -> Name:
    return namespace_of(manifest), manifest.mapping("metadata").text("name")


def key_of(name: Name, scheme: str = "component") -> str:
    namespace, own = name
    return identifier_key(scheme, f"{namespace}/{own}" if namespace else own)


def below(manifest: YamlMapping, path: Iterable[str]) -> YamlMapping:
    for field in path:
        manifest = manifest.mapping(field)
    return manifest


def pod_labels(manifest: YamlMapping) -> dict[str, str]:
    labels = below(manifest, (*(pod_path(manifest) or ()), "metadata", "labels"))
    return {key: labels.text(key) for key in labels.entries}


def _stands_for(service: YamlMapping, labels: dict[Name, dict[str, str]]) -> Name:
    """The one workload whose pods the selector fits; the Service itself where there is none, or more than one."""
    own = name_of(service)
    selector = service.mapping("spec").mapping("selector")
    wanted = {key: selector.text(key) for key in selector.entries}
    fitting = [name for name, pod in labels.items() if name[0] == own[0] and wanted and wanted.items() <= pod.items()]
    return fitting[0] if len(fitting) == 1 else own
