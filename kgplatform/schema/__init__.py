"""The ontology as a value: what `derive`, the gate, extraction and plans know about classes and relations."""

from ..terms import EXPECTED_TYPE
from .turtle import load_schema
from .values import Class, Labels, Relation, Restriction, Schema, best_label

__all__ = ["EXPECTED_TYPE", "Class", "Labels", "Relation", "Restriction", "Schema", "best_label", "load_schema"]
