-- The database of the data folder: the list of libraries, chats, settings, jobs. Schema 2.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- keys: oldest_program (the oldest program that may open this file, as a number)

CREATE TABLE library (
    id     BLOB PRIMARY KEY,                         -- UUIDv7, also the folder's name
    name   TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE                      -- the name for comparison
) STRICT, WITHOUT ROWID;

CREATE TABLE chat (
    row        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         BLOB    NOT NULL UNIQUE,              -- UUIDv7
    title      TEXT    NOT NULL,
    created_ns INTEGER NOT NULL,
    updated_ns INTEGER NOT NULL,
    grown      INTEGER NOT NULL,                     -- order of the last growth: a sequence, not a clock
    turns      INTEGER NOT NULL DEFAULT 0,
    pinned     INTEGER NOT NULL DEFAULT 0,
    scope      TEXT    NOT NULL DEFAULT '{}',        -- JSON: where its questions look
    leaf       INTEGER                               -- last turn of the branch in sight
) STRICT;
CREATE INDEX chat_by_growth ON chat (grown);

CREATE TABLE turn (
    chat       INTEGER NOT NULL REFERENCES chat (row) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    question   TEXT    NOT NULL,
    answer     TEXT    NOT NULL,                     -- JSON; its citations name library, document, version, span, quote hash
    created_ns INTEGER NOT NULL,
    parent     INTEGER,                              -- number of the turn that it follows; none for a first question
    said       TEXT    NOT NULL DEFAULT '',          -- the answer as text, for finding it by its words
    rating     TEXT,                                 -- good | bad
    note       TEXT,                                 -- why, in the user's words
    PRIMARY KEY (chat, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL                              -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
    row        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         BLOB    NOT NULL UNIQUE,              -- UUIDv7
    kind       TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    library    BLOB,
    state      TEXT    NOT NULL,                     -- running | done | cancelled | failed | interrupted
    message    TEXT,
    started_ns INTEGER NOT NULL,
    ended_ns   INTEGER
) STRICT;
CREATE INDEX job_running ON job (row) WHERE state = 'running';
