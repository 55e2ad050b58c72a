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
    """The manifests of one file together: workloads, the workload behind each Service, values of ConfigMaps, namespaces.

    The governing Service of a StatefulSet is among the services, also where it has no manifest.
    """

    workloads: frozenset[Name]
    services: dict[Name, Name]
    config: dict[Name, YamlMapping]
    namespaces: frozenset[str]

    def bearer(self, name: Name) -> Name:
        """The workload behind the name of a Service: the one of the file that its selector fits, else the name itself."""
        return self.services.get(name, name)

    def declares(self, name: Name) -> bool:
        """Whether the file has a workload or a Service of this name."""
        return name in self.workloads or name in self.services


def cluster(roots: Iterable[Node | None]) -> Cluster:
    """The manifests of one file, also those in lists, seen together."""
    manifests = [manifest for root in roots for manifest in manifests_of(root)]
    labels = {name_of(manifest): _pod_labels(manifest) for manifest in manifests if pod_path(manifest) is not None}
    services = {name_of(manifest): _stands_for(manifest, labels) for manifest in manifests if is_service(manifest)}
    for manifest in manifests:
        governing = (namespace_of(manifest), manifest.mapping("spec").text("serviceName"))
        if manifest.text("kind") == "StatefulSet" and governing[1] and governing not in services:
            services[governing] = name_of(manifest)
    return Cluster(
        frozenset(labels),
        services,
        {name_of(manifest): manifest.mapping("data") for manifest in manifests if manifest.text("kind") == "ConfigMap"},
        frozenset(namespace_of(manifest) for manifest in manifests)
        | {manifest.mapping("metadata").text("name") for manifest in manifests if manifest.text("kind") == "Namespace"},
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
    """Namespace and name of a manifest; the name is '' where it states none."""
    return namespace_of(manifest), manifest.mapping("metadata").text("name")


def key_of(name: Name, scheme: str = "component") -> str:
    """The mention key of a name: `component:shop/cart`, without the namespace in `default`."""
    namespace, own = name
    return identifier_key(scheme, f"{namespace}/{own}" if namespace else own)


def below(manifest: YamlMapping, path: Iterable[str]) -> YamlMapping:
    """The mapping at a path of fields; an empty one where the path leads to no mapping."""
    for field in path:
        manifest = manifest.mapping(field)
    return manifest


def _pod_labels(manifest: YamlMapping) -> dict[str, str]:
    """The labels of a workload's pods, or of a manifest itself that is no workload."""
    labels = below(manifest, (*(pod_path(manifest) or ()), "metadata", "labels"))
    return {key: labels.text(key) for key in labels.entries}


def _stands_for(service: YamlMapping, labels: dict[Name, dict[str, str]]) -> Name:
    """The one workload whose pods the selector fits; the Service itself where there is none, or more than one."""
    own = name_of(service)
    selector = service.mapping("spec").mapping("selector")
    wanted = {key: selector.text(key) for key in selector.entries}
    fitting = [name for name, pod in labels.items() if name[0] == own[0] and wanted and wanted.items() <= pod.items()]
    return fitting[0] if len(fitting) == 1 else own
