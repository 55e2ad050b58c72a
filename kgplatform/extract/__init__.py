"""Text to candidate claims: passages, read with patterns that come from the ontology."""
