-- Chats become trees of turns that are found by their words, pinned, rated and bound to a scope.

ALTER TABLE chat ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chat ADD COLUMN scope  TEXT    NOT NULL DEFAULT '{}';
ALTER TABLE chat ADD COLUMN leaf   INTEGER;
UPDATE chat SET leaf = turns WHERE turns > 0;

ALTER TABLE turn ADD COLUMN parent INTEGER;
ALTER TABLE turn ADD COLUMN said   TEXT NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN rating TEXT;
ALTER TABLE turn ADD COLUMN note   TEXT;
UPDATE turn SET parent = number - 1 WHERE number > 1;
UPDATE turn SET said = coalesce(json_extract(answer, '$.answer'), '') WHERE json_valid(answer);
