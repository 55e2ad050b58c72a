"""Where the ontology files are, in which syntax of RDF, and on which line a statement stands."""
