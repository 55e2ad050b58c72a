"""The ontology as a value: what `derive`, the gate, extraction and plans know about classes and relations."""

from ..terms import EXPECTED_TYPE, NAMING
from .turtle import load_schema
from .values import Class, Labels, Relation, Restriction, Schema, best_label

__all__ = ["EXPECTED_TYPE", "NAMING", "Class", "Labels", "Relation", "Restriction", "Schema", "best_label", "load_schema"]
