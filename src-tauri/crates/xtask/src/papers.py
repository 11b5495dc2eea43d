"""Writes documents of retrieval collections as Markdown files: collections folder, target folder, how many."""

import json
import pathlib
import sys

collections, target, wanted = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
written = 0
for name in ("scifact", "cranfield", "2wiki-101"):
    folder = target / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(collections / name / "corpus.jsonl", encoding="utf-8") as corpus:
        for line in corpus:
            if written == wanted:
                break
            entry = json.loads(line)
            title = entry.get("title") or entry["_id"]
            (folder / f"{written:05}.md").write_text(f"# {title}\n\n{entry['text']}\n", encoding="utf-8")
            written += 1
