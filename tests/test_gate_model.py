"""The gate says what the executable model of the design says, for any ontology and any claim."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgplatform.schema import Class, Relation, Schema
from kgplatform.terms import LABEL, SC, TYPE, XSD, class_node, literal
from kgplatform.validate.gate import ClaimPattern, Gate


@pytest.fixture(scope="module")
def model(shared: Path) -> ModuleType:
    name = "kgplatform_model"
    spec = importlib.util.spec_from_file_location(name, shared / "model/model.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


MODEL_CLASSES = ["a", "b", "c", "d"]
MODEL_WORDS = {
    "unknown class": {"unknown-class"},
    "unknown relation": {"unknown-relation"},
    "unknown type of subject": {"unknown-subject-type"},
    "unknown type of object": {"unknown-object-type"},
    "wrong argument": {"malformed-value", "wrong-subject-type"},
    "wrong type": {"wrong-subject-type", "wrong-object-type"},
    "wrong type: swap?": {"swapped"},
}
ends = st.lists(st.sampled_from(MODEL_CLASSES), min_size=1, max_size=2, unique=True)
ontologies = st.tuples(
    st.tuples(*(st.sampled_from([None, *MODEL_CLASSES[:i]]) for i in range(len(MODEL_CLASSES)))),
    st.lists(st.tuples(ends, st.one_of(ends, st.just(["lit"]))), min_size=1, max_size=3),
)
model_types = st.frozensets(st.sampled_from([*MODEL_CLASSES, "nonsense"]), max_size=2)
model_claims = st.tuples(
    st.sampled_from(["r0", "r1", "r2", "type", "label"]),
    model_types,
    st.sampled_from(["e:object", "lit:x", "class:a", "class:nonsense"]),
    model_types,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ontology=ontologies, claim=model_claims)
def test_the_gate_says_what_the_model_says(model: ModuleType, ontology: tuple, claim: tuple) -> None:  # type: ignore[type-arg]
    above, relations = ontology
    relation, subject_types, target, object_types = claim
    if (relation in ("type", "label")) != (target.startswith("class:") if relation == "type" else target.startswith("lit:")):
        return  # the model gives type claims classes, labels literals, and relations neither class
    if relation.startswith("r") and target.startswith("class:"):
        return
    parents = dict(zip(MODEL_CLASSES, above, strict=True))
    world = model.Ontology(parents, {f"r{i}": {"dom": dom, "ran": ran} for i, (dom, ran) in enumerate(relations)})
    known = {"s": {t for t in subject_types if t in parents}, "e:object": {t for t in object_types if t in parents}}
    said = model.judge(
        model.Ev(model.Claim("s", relation, target), "d", frozenset(), 0, (), "", "", False),
        {"s": "s", "e:object": "e:object"},
        known,
        world,
    )

    iri = {"type": TYPE, "label": LABEL}.get(relation, SC[relation])
    declared = [
        Relation(
            SC[f"r{i}"],
            domain=named(dom),
            range=named(ran) if ran != ["lit"] else frozenset(),
            datatype=XSD.string if ran == ["lit"] else "",
        )
        for i, (dom, ran) in enumerate(relations)
    ]
    classes = {SC[c]: Class(SC[c], parents=frozenset({SC[p]} if p else ())) for c, p in parents.items()}
    node = {"e:object": "", "lit:x": literal("x")}.get(target, class_node(SC[target[6:]]))
    pattern = ClaimPattern(iri, named(subject_types), node, named(object_types) if not node else frozenset())
    reason = Gate(Schema(classes, {r.iri: r for r in declared})).judge([pattern])[pattern]

    assert (said is None) == (reason is None)
    if reason and not (reason.code == "malformed-value" and not node):  # an entity for a literal: the model calls it a wrong type
        assert reason.code in MODEL_WORDS[said]


def named(classes: object) -> frozenset[str]:
    assert isinstance(classes, list | frozenset)
    return frozenset(SC[c] for c in classes)
