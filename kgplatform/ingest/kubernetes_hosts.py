"""Which hosts of the cluster a variable, a flag or a connection string names.

A name without dots is resolved by the cluster's DNS alone, so it names a Service; `name.namespace.svc...` does too, and `name.namespace`
where the namespace is known. Other names with dots are hosts outside, and addresses name nothing
(https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

_NAMING: Final = frozenset(
    {"host", "hosts", "hostname", "url", "urls", "uri", "addr", "addrs", "address", "addresses", "endpoint", "endpoints", "dsn"}
)
_WITH_PORT: Final = frozenset({"server", "servers", "broker", "brokers", "upstream", "target", "backend", "service"})
"""Last words of variables that name a host only where a port stands with it."""

_OWN: Final = frozenset({"listen", "bind", "advertise", "advertised", "self", "own", "pod", "node", "public", "external"})
"""Words of variables that say where a workload itself is."""

_NO_HOSTS: Final = frozenset({"file", "unix", "s3", "gs", "data", "classpath", "docker", "oci", "git", "mailto", "arn"})
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME: Final = re.compile(rf"(?P<host>{_LABEL}(?:\.{_LABEL})*)\.?(?::(?P<port>\d{{1,5}}))?(?:/\S*)?", re.IGNORECASE)
_URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://)(?:[^\s/?#@]*@)?(?P<hosts>[^\s/?#;\"']+)")
_SETTING: Final = re.compile(
    r"(?:^|[;\s])(?:host|server|data source|addr|address|hostaddr)\s*=\s*(?:tcp:)?(?P<host>[\w.-]+)(?:[,:]\d+)?", re.IGNORECASE
)
_DIALLED: Final = re.compile(r"@tcp\((?P<host>[\w.-]+)(?::\d+)?\)")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_INJECTED: Final = re.compile(r"(?P<name>[A-Z0-9_]+)_SERVICE_HOST")
_VARIABLE: Final = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)")


class Host(NamedTuple):
    """A Service by name and namespace ('' for the namespace of the workload that names it). `is_sure` where the value can name nothing but a Service."""

    name: str
    namespace: str
    is_sure: bool


def hosts(variable: str, value: str, is_namespace: Callable[[str], bool], is_service: Callable[[str], bool]) -> Iterator[Host]:
    """The Services that the value of a variable names, each once. `is_service` says which names the Services of the file bear."""
    value = value.strip()
    words = [word.lower() for word in _WORD.findall(variable)]
    if not value or _OWN.intersection(words):
        return
    candidates: list[tuple[str, bool]] = []
    if "://" in value:
        for url in _URL.finditer(value):
            if url["scheme"].lower() not in _NO_HOSTS:
                candidates.extend((host_text, True) for host_text in url["hosts"].split(","))
    elif ";" in value or "=" in value or "(" in value:
        candidates.extend((setting["host"], True) for form in (_SETTING, _DIALLED) for setting in form.finditer(value))
    else:
        is_naming = len(words) > 1 and words[-1] in _NAMING
        candidates.extend((host_text, is_naming) for host_text in re.split(r"[,;\s]+", value) if is_naming or _has_port(host_text))
    for text, is_sure in dict.fromkeys(candidates):
        match = _NAME.fullmatch(text)
        host = match and _service(match["host"].lower(), is_namespace, is_service)
        if host:
            yield Host(*host, is_sure or bool(words) and words[-1] in _WITH_PORT)


def _has_port(text: str) -> bool:
    match = _NAME.fullmatch(text)
    return bool(match and match["port"] and 0 < int(match["port"]) < 65536 and re.search("[a-z]", match["host"], re.IGNORECASE))


def _service(host: str, is_namespace: Callable[[str], bool], is_known: Callable[[str], bool]) -> tuple[str, str] | None:
    """(name, namespace) of the Service behind a host; None where it is an address, the own machine or a host outside."""
    labels = host.split(".")
    if _is_address(host) or host == "localhost" or not re.search("[a-z]", host):
        return None
    is_service = len(labels) > 2 and "svc" in labels[1:4]
    if is_service:
        labels = labels[: labels.index("svc", 1)]
    is_pod = len(labels) > 1 and re.fullmatch(r".+-\d+", labels[0])
    if is_pod and (labels[0].rpartition("-")[0] == labels[1] or is_known(labels[1]) or is_service and len(labels) == 3):
        labels = labels[1:]  # a pod of a headless Service
    if len(labels) == 1:
        return labels[0], ""
    if len(labels) == 2 and (is_service or is_namespace(labels[1])):
        return labels[0], labels[1]
    return None


def _is_address(host: str) -> bool:
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


def expanded(value: str, variables: dict[str, str]) -> str:
    """The value with `$(NAME)` replaced: by an earlier variable, or by the Service that Kubernetes gives as NAME_SERVICE_HOST."""

    def value_of(match: re.Match[str]) -> str:
        injected = _INJECTED.fullmatch(match[1])
        return variables.get(match[1]) or (injected["name"].lower().replace("_", "-") if injected else match[0])

    return _VARIABLE.sub(value_of, value)


def flags(arguments: list[str]) -> Iterator[tuple[int, str, str]]:
    """(place, name, value) of the flags of a command line, `--name=value` and `--name value`; other words have no name."""
    before = ""
    for n, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if re.fullmatch(r"--?[A-Za-z][\w.-]*", name) and (equals or n + 1 < len(arguments)):
            if equals:
                yield n, name, value
            before = "" if equals else name
        else:
            yield n, before, word
            before = ""
