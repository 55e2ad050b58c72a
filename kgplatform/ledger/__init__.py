"""The ground: documents, claims, decisions, releases, principals, in one SQLite file (the commit point).

tables           the schema of the file and its format number
base             opening, transactions, the journal
maintenance      copies, checks, upgrades of an older format
documents        appending what was read; erasing
readings         which readings of a document count, and in what order
claims           the evidence for derivation, whole or by keys
notices          what readings did not take or changed
decisions        what humans decided
moved_mentions   decisions that follow their mentions to new keys
people           collections, principals, tokens, ontology releases
document_views   documents as one audience may read them
citations        claims with their quotes, as one audience may see them
receipts, residue, unpurged   erased documents: that they were, what must be gone, what is not known to be gone yet
"""
