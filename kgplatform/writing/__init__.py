"""Bringing in: from files to readings with claims, to the ledger, and what became of each. The only writer."""
