"""The projection: the RDF that is derived from the ledger, in embedded Oxigraph or any SPARQL 1.1 server."""
