"""Backstage catalogues made by hypothesis: all kinds, namespaces, reference forms, field orders, capitals, several entities a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

NAMESPACES = ("default", "payments", "web.Shop")
NAMES = ("ledger", "Tax", "cart_2", "a.b", "core", "Data-Lake", "007")
ASSETS = ("Component", "API", "Resource", "System", "Domain")
LIFECYCLES = ("production", "Production", "beta", "experimental")
FIELDS: dict[str, tuple[tuple[str, tuple[str, ...], bool], ...]] = {
    "Component": (("owner", ("Group", "User"), False), ("system", ("System",), False), ("subcomponentOf", ("Component",), False),
                  ("dependsOn", ("Component", "Resource", "API", "System", "Domain", "Group", "User"), True),
                  ("dependencyOf", ("Component", "Resource", "System"), True),
                  ("providesApis", ("API",), True), ("consumesApis", ("API",), True)),
    "API": (("owner", ("Group", "User"), False), ("system", ("System",), False)),
    "Resource": (("owner", ("Group", "User"), False), ("system", ("System",), False), ("dependsOn", ("Component", "Resource"), True),
                 ("dependencyOf", ("Component",), True)),
    "System": (("owner", ("Group", "User"), False), ("domain", ("Domain",), False)),
    "Domain": (("owner", ("Group", "User"), False), ("subdomainOf", ("Domain",), False)),
    "Group": (("parent", ("Group",), False), ("children", ("Group",), True), ("members", ("User",), True)),
    "User": (("memberOf", ("Group",), True),),
}  # fmt: skip
"""Kind -> (field, kinds it names, whether it takes a list); the first kind is the default of its references."""
DEFAULTS = {"owner": "Group", "dependsOn": "Component", "dependencyOf": "Component"}


def written(draw: Callable[..., Any], text: str) -> str:
    """The text in some of its cases."""
    return str(draw(st.sampled_from((text, text.lower(), text.upper()))))


@st.composite
def references(draw: Callable[..., Any], field: str, kinds: tuple[str, ...], namespace: str) -> str:
    """`[kind:][namespace/]name` in every form, also of what no file describes."""
    kind, name, other = (
        draw(st.sampled_from(kinds)),
        draw(st.sampled_from((*NAMES, "nowhere"))),
        draw(st.sampled_from((*NAMESPACES, namespace))),
    )
    must_say = kind != DEFAULTS.get(field, kinds[0])
    stated = f"{written(draw, kind)}:" if must_say or draw(st.booleans()) else ""
    spaced = "" if other == namespace and draw(st.booleans()) else f"{written(draw, other)}/"
    return f"{stated}{spaced}{written(draw, name)}"


@st.composite
def entities(draw: Callable[..., Any]) -> dict[str, Any]:
    kind, namespace = draw(st.sampled_from(tuple(FIELDS))), draw(st.sampled_from(NAMESPACES))
    metadata: dict[str, Any] = {"name": draw(st.sampled_from(NAMES))}
    if namespace != "default" or draw(st.booleans()):
        metadata["namespace"] = namespace
    if draw(st.booleans()):
        metadata["description"] = "What it is: a {thing} of its own"
    if draw(st.booleans()):
        metadata["title"] = f"{draw(st.sampled_from(('Aurora', 'Blue Whale', 'northwind')))} {draw(st.integers(1, 999))}"
    spec: dict[str, Any] = {"type": draw(st.sampled_from(("service", "team", "Squad", "1.10", "openapi")))}
    if kind in ("Component", "API"):
        spec["lifecycle"] = draw(st.sampled_from(LIFECYCLES))
    for field, kinds, is_list in FIELDS[kind]:
        if draw(st.booleans()):
            one = references(field, kinds, namespace)
            spec[field] = draw(st.lists(one, min_size=1, max_size=3)) if is_list and draw(st.booleans()) else draw(one)
    entity = {
        "apiVersion": "backstage.io/" + draw(st.sampled_from(("v1alpha1", "v1beta1"))),
        "kind": written(draw, kind),
        "metadata": metadata,
    }
    return ordered(draw, {**entity, "spec": ordered(draw, spec)})


def ordered(draw: Callable[..., Any], mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: mapping[key] for key in draw(st.permutations(list(mapping)))}


NOISE = (
    "apiVersion: scaffolder.backstage.io/v1beta3\nkind: Template\nmetadata: {name: start}\nspec: {owner: web, type: service, steps: []}\n",
    "apiVersion: backstage.io/v1alpha1\nkind: Location\nmetadata: {name: all}\nspec: {targets: [./*.yaml]}\n",
    "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: '${{ values.name }}'}\nspec: {owner: '${{ values.owner }}'}\n",
)


@st.composite
def catalogues(draw: Callable[..., Any]) -> dict[str, str]:
    """Path -> text of the files of one catalogue; flow and block style, several documents a file."""
    files: dict[str, list[str]] = {}
    for entity in draw(st.lists(entities(), min_size=12, max_size=30)):
        path = draw(st.sampled_from(("catalog-info.yaml", "services/a.yml", "services/deep/catalog-info.yaml", "org/groups.yaml")))
        files.setdefault(path, []).append(block(entity) if draw(st.booleans()) else json.dumps(entity) + "\n")
    for noise in draw(st.sets(st.sampled_from(NOISE))):
        files.setdefault("catalog-info.yaml", []).append(noise)
    return {path: "---\n".join(parts) for path, parts in files.items()}


def block(value: dict[str, Any], indent: str = "") -> str:
    """The mapping in block style, its texts in quotes."""
    lines = []
    for key, inner in value.items():
        if isinstance(inner, dict):
            lines.append(f"{indent}{key}:\n{block(inner, indent + '  ')}")
        elif isinstance(inner, list):
            lines.append(f"{indent}{key}:\n" + "".join(f"{indent}  - {json.dumps(item)}\n" for item in inner))
        else:
            lines.append(f"{indent}{key}: {json.dumps(inner)}\n")
    return "".join(lines)
