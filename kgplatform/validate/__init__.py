"""Shapes and the gate: what the ontology demands of claims, and what a claim alone can break."""
