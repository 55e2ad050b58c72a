"""The tables of the ledger. `FORMAT` is the data directory's format number."""

from typing import Final

FORMAT: Final = 3

TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- what happened, in order; `seq` is what the projection's appliedSeq counts
CREATE TABLE journal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, recorded TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL);

CREATE TABLE collection (
    name TEXT PRIMARY KEY, kind TEXT NOT NULL, scopes TEXT NOT NULL, trust TEXT NOT NULL, texts TEXT NOT NULL, typed TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE document (
    id INTEGER PRIMARY KEY, collection TEXT NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL,
    scopes TEXT NOT NULL, is_text INTEGER NOT NULL, UNIQUE (collection, name));

-- the content of a document as one extractor read it
CREATE TABLE version (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL, hash TEXT NOT NULL, extractor TEXT NOT NULL, complete INTEGER NOT NULL,
    UNIQUE (document, hash, extractor, complete));

-- which version a document had from when on, as which file below which folder said it; a superseded reading was another extractor's
-- of the same content, or is corrected in its place
CREATE TABLE reading (
    document INTEGER NOT NULL, ordinal INTEGER NOT NULL, version INTEGER NOT NULL, declared TEXT NOT NULL, date TEXT NOT NULL,
    recorded TEXT NOT NULL, supersedes INTEGER, root TEXT NOT NULL DEFAULT '', file TEXT NOT NULL DEFAULT '', PRIMARY KEY (document, ordinal)) WITHOUT ROWID;

-- the erased documents whose bytes are not known to be gone yet, sealed
CREATE TABLE unpurged (id INTEGER PRIMARY KEY, recorded TEXT NOT NULL, pad BLOB NOT NULL, sealed BLOB NOT NULL);

-- the erased documents by keyed hashes of their names
CREATE TABLE erased (name TEXT PRIMARY KEY, scopes TEXT NOT NULL, recorded TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE claim (
    version INTEGER NOT NULL, id TEXT NOT NULL, subject TEXT NOT NULL, relation TEXT NOT NULL, object TEXT NOT NULL,
    valid_from TEXT NOT NULL, valid_to TEXT NOT NULL, qualifiers TEXT NOT NULL, positive INTEGER NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL, quote TEXT NOT NULL, extractor TEXT NOT NULL, confidence REAL NOT NULL,
    graph TEXT NOT NULL, surface TEXT, note TEXT NOT NULL DEFAULT '', line INTEGER NOT NULL DEFAULT 0);
CREATE INDEX claim_version ON claim (version);
CREATE INDEX claim_subject ON claim (subject);
CREATE INDEX claim_object ON claim (object) WHERE object NOT GLOB '["<]*';
CREATE INDEX claim_surface ON claim (surface) WHERE surface IS NOT NULL;
CREATE INDEX claim_id ON claim (id);

CREATE TABLE passage (version INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, PRIMARY KEY (version, start)) WITHOUT ROWID;

-- what a version's reading did not take, or changed: see model.Notice; `place` is a line or cell of it
CREATE TABLE notice (version INTEGER, kind TEXT, what TEXT, count INTEGER, place TEXT, PRIMARY KEY (version, kind, what)) WITHOUT ROWID;

-- files below an ingested folder that its last ingest did not read, and why: see model.SKIPPED
CREATE TABLE skipped (path TEXT PRIMARY KEY, reason TEXT, what TEXT) WITHOUT ROWID;

-- text mentions by the surface and class by which labels find them
CREATE TABLE mention (surface TEXT NOT NULL, class TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (surface, class, key)) WITHOUT ROWID;

CREATE TABLE decision (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL, scopes TEXT NOT NULL, score REAL NOT NULL,
    by TEXT NOT NULL, recorded TEXT NOT NULL, ended TEXT, reason TEXT NOT NULL DEFAULT '', ended_by TEXT NOT NULL DEFAULT '');
CREATE INDEX decision_a ON decision (a);
CREATE INDEX decision_b ON decision (b);

CREATE TABLE release (id INTEGER PRIMARY KEY, recorded TEXT NOT NULL, hash TEXT NOT NULL, ontology TEXT NOT NULL, shapes TEXT NOT NULL);

CREATE TABLE principal (
    name TEXT PRIMARY KEY, scopes TEXT NOT NULL, roles TEXT NOT NULL, min_trust TEXT NOT NULL, recorded TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE token (
    hash TEXT PRIMARY KEY, principal TEXT NOT NULL, note TEXT NOT NULL, created TEXT NOT NULL) WITHOUT ROWID;
-- argon2id, with its parameters and salt
CREATE TABLE password (principal TEXT PRIMARY KEY, hash TEXT NOT NULL, changed TEXT NOT NULL) WITHOUT ROWID;
"""
