"""The pure heart: from the ground (claims, decisions, ontology, now) to assertions and quads.

evidence   the runs of a claim over the versions of its document
identity   mention keys -> clusters, canonical keys, types
intervals  the claims of one fact -> dated intervals
cells      the claims of one (subject, relation) -> assertions and conflicts, closing included
project    assertions, claims and documents -> triples
derivation what is derived together, once for each distinct view, and the whole
"""

DERIVE_VERSION = "5"
"""Change it whenever the same ground derives to other quads: older projections are then rebuilt."""
