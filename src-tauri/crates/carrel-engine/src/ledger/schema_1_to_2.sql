-- Lines of context in front of passages.
ALTER TABLE generation ADD COLUMN enriched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE generation ADD COLUMN lines INTEGER NOT NULL DEFAULT 0;
ALTER TABLE passage ADD COLUMN context TEXT;
ALTER TABLE passage ADD COLUMN context_key BLOB;
ALTER TABLE passage ADD COLUMN bare INTEGER NOT NULL DEFAULT 0;
CREATE INDEX passage_bare ON passage (generation, id) WHERE bare = 1;
CREATE INDEX passage_bare_version ON passage (version) WHERE bare = 1;
CREATE INDEX passage_by_context ON passage (context_key) WHERE context_key IS NOT NULL;
