"""What pages show of a view: documents with their claims, the ontology with counts, entities, excerpts, questions to begin with."""
