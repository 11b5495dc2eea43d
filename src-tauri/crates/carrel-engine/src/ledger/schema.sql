-- The ledger of one library: the only truth. Schema 2.
-- Row keys that an index uses are never used twice (AUTOINCREMENT). Order is by sequence, never by clock.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- keys: library_id, oldest_program (the oldest program that may open this file, as a number), change_floor (the last
-- entry trimmed from change), text_bytes (of the active text of visible documents), setting.<name> (settings of the library),
-- question.<id>, run.<id> (the questions by which its search is measured, and the runs over them, each as JSON),
-- enriched_by (the language model that last wrote lines of context)

CREATE TABLE source (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    kind               TEXT    NOT NULL,             -- folder | files | texts | pages
    root               BLOB    NOT NULL,             -- raw bytes of the folder's path; empty otherwise
    watched            INTEGER NOT NULL DEFAULT 0,
    present            INTEGER NOT NULL DEFAULT 1,
    needs_confirmation INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, root)
) STRICT;

CREATE TABLE exclusion (
    source INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    path   BLOB    NOT NULL,
    PRIMARY KEY (source, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE document (
    row           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            BLOB    NOT NULL UNIQUE,           -- UUIDv7
    source        INTEGER NOT NULL REFERENCES source (id),
    path          BLOB    NOT NULL,                  -- relative to the source's root, raw bytes
    uri           TEXT    NOT NULL,
    name          TEXT    NOT NULL,                  -- file name, for display and name search
    title         TEXT    NOT NULL,
    title_given   INTEGER NOT NULL DEFAULT 0,        -- the user's own title: conversion does not replace it
    media_type    TEXT    NOT NULL DEFAULT '',
    bytes         INTEGER NOT NULL DEFAULT 0,
    modified_ns   INTEGER,                           -- the cheap check: size, mtime, file id
    file_id       BLOB,                              -- device and inode, or the platform's like
    content_hash  BLOB,                              -- BLAKE3 of the bytes last taken in
    state         TEXT    NOT NULL,
    reason_code   TEXT,
    reason        TEXT,
    retryable     INTEGER NOT NULL DEFAULT 0,
    attempts      INTEGER NOT NULL DEFAULT 0,
    hidden_ns     INTEGER,                           -- when it went missing; purged after 30 days
    converter     TEXT,                              -- who made or refused it last, with version (id/version):
                                                     -- raising it queues the document again
    queued        INTEGER NOT NULL DEFAULT 0,        -- waits for conversion
    inline_bytes  BLOB,                              -- the content itself for pasted texts and fetched pages (zstd)
    UNIQUE (source, path)
) STRICT;
CREATE INDEX document_by_state ON document (state);
CREATE INDEX document_by_uri ON document (uri);
CREATE INDEX document_by_content ON document (content_hash) WHERE content_hash IS NOT NULL;
CREATE INDEX document_queued ON document (bytes) WHERE queued = 1;

CREATE TABLE tag (
    document INTEGER NOT NULL REFERENCES document (row) ON DELETE CASCADE,
    name     TEXT    NOT NULL,
    PRIMARY KEY (document, name)
) STRICT, WITHOUT ROWID;

-- The converted content, shared by versions with the same text.
CREATE TABLE content (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB    NOT NULL UNIQUE,              -- first 16 bytes of BLAKE3 of Markdown, blocks and locations
    markdown   BLOB    NOT NULL,                     -- zstd
    structure  BLOB    NOT NULL,                     -- zstd of JSON: blocks and locations; the dictionary is the beginning of
                                                     -- the Markdown, which headings repeat, and an example
    characters INTEGER NOT NULL,
    bytes      INTEGER NOT NULL                      -- of the Markdown, uncompressed
) STRICT;

CREATE TABLE version (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    document          INTEGER NOT NULL REFERENCES document (row) ON DELETE CASCADE,
    number            INTEGER NOT NULL,
    content           INTEGER NOT NULL REFERENCES content (id),
    content_hash      BLOB    NOT NULL,              -- BLAKE3 of the original's bytes
    converter         TEXT    NOT NULL,
    converter_version INTEGER NOT NULL,
    created_ns        INTEGER NOT NULL,
    complete          INTEGER NOT NULL,
    warnings          TEXT    NOT NULL,              -- JSON
    state             TEXT    NOT NULL,              -- pending | active | superseded
    UNIQUE (document, number)
) STRICT;
-- Exactly one version of a document is active, at most one is pending.
CREATE UNIQUE INDEX version_active ON version (document) WHERE state = 'active';
CREATE UNIQUE INDEX version_pending ON version (document) WHERE state = 'pending';
CREATE INDEX version_by_content ON version (content);

CREATE TABLE space (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    key  TEXT NOT NULL UNIQUE,                       -- EmbeddingSpace::key
    spec TEXT NOT NULL                               -- JSON
) STRICT;

CREATE TABLE generation (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    chunker   TEXT    NOT NULL,
    tokenizer TEXT    NOT NULL,
    space     INTEGER REFERENCES space (id),
    analyzer  TEXT    NOT NULL,
    state     TEXT    NOT NULL,                      -- active | building | kept
    filled    INTEGER NOT NULL DEFAULT 0,            -- while building: the last version (by id) that was cut for it
    passages  INTEGER NOT NULL DEFAULT 0,            -- counters: live passages (active version, visible document) ...
    vectors   INTEGER NOT NULL DEFAULT 0,            -- ... and those of them with a vector
    enriched  INTEGER NOT NULL DEFAULT 0,            -- a line of context is written for each passage
    lines     INTEGER NOT NULL DEFAULT 0             -- counter: live passages with a line
) STRICT;
CREATE UNIQUE INDEX generation_active ON generation (state) WHERE state = 'active';
CREATE UNIQUE INDEX generation_building ON generation (state) WHERE state = 'building';

-- Vectors, stored once: f16, little endian. Also the embedding cache. Rows come in order, so pages fill; the hash,
-- which comes in no order, has an index of its own.
CREATE TABLE vector (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL REFERENCES space (id),
    hash  BLOB    NOT NULL,                          -- as passage.embed_hash
    data  BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX vector_by_hash ON vector (hash, space);

CREATE TABLE passage (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    version      INTEGER NOT NULL REFERENCES version (id) ON DELETE CASCADE,
    generation   INTEGER NOT NULL REFERENCES generation (id),
    ordinal      INTEGER NOT NULL,
    start        INTEGER NOT NULL,
    "end"        INTEGER NOT NULL,
    embed_start  INTEGER NOT NULL,
    embed_end    INTEGER NOT NULL,
    lead_start   INTEGER,
    lead_end     INTEGER,
    headings     TEXT    NOT NULL,                   -- JSON array; '' for none
    tokens       INTEGER NOT NULL,
    embed_hash   BLOB    NOT NULL,                   -- first 16 bytes of BLAKE3 of the exact text handed to the model
    vector       INTEGER REFERENCES vector (id),     -- in the generation's space; never a made-up one
    waits        INTEGER NOT NULL DEFAULT 0,         -- to be embedded: active or pending version, visible document, no vector
    embed_failed INTEGER NOT NULL DEFAULT 0,         -- attempts that failed
    context      TEXT,                               -- the line in front of it, written by a language model
    context_key  BLOB,                               -- first 16 bytes of BLAKE3 of what the model was told: equal passages in equal
                                                     -- surroundings have one line; there without a line: none could be written
    bare         INTEGER NOT NULL DEFAULT 0          -- waits for its line
) STRICT;
CREATE INDEX passage_by_version ON passage (version, generation, ordinal);
CREATE INDEX passage_by_vector ON passage (vector) WHERE vector IS NOT NULL;
-- Empty when everything is embedded.
CREATE INDEX passage_waiting ON passage (generation, embed_failed, id) WHERE waits = 1;
CREATE INDEX passage_waiting_version ON passage (version, generation) WHERE waits = 1;
CREATE INDEX passage_waiting_hash ON passage (embed_hash) WHERE waits = 1;
CREATE INDEX passage_bare ON passage (generation, id) WHERE bare = 1;
CREATE INDEX passage_bare_version ON passage (version) WHERE bare = 1;
CREATE INDEX passage_by_context ON passage (context_key) WHERE context_key IS NOT NULL;

-- What the indexes follow. Applying an entry twice changes nothing: an index asks the ledger what the passage is now.
CREATE TABLE change (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    generation INTEGER NOT NULL,
    passage    INTEGER NOT NULL,
    kind       INTEGER NOT NULL                      -- 1 words in, 2 passage out, 3 vector in
) STRICT;
