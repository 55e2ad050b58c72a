"""The ground: documents, claims, decisions, releases, principals, in one SQLite file (the commit point).

tables     the schema of the file and its format number
base       opening, transactions, the journal
documents  appending what was read; erasing
readings   which readings of a document count, and in what order
ground     the evidence for derivation, whole or by keys
decisions  what humans decided
people     collections, principals, tokens, ontology releases
"""
