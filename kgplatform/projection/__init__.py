"""What the ledger derives to, as quads in a store: as a whole, and after a change; whether the two belong together."""
