//! A BEIR-style collection: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` (or `qrels/test.tsv`).

use crate::problem::Problem;
use carrel_engine::domain::{Block, BlockKind, Converted, ConverterId, Span};
use carrel_engine::evaluate::Judgements;
use carrel_engine::library::DirectDocument;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::path::Path;

/// A collection in memory.
pub(super) struct Collection {
    pub(super) documents: Vec<Entry>,
    /// Only those with judgements, in the file's order.
    pub(super) queries: Vec<(Entry, Judgements)>,
}

/// A line of the corpus or of the queries.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Entry {
    #[serde(rename = "_id")]
    pub(super) id: String,
    #[serde(default)]
    pub(super) title: String,
    pub(super) text: String,
}

impl Collection {
    pub(super) fn read(folder: &Path) -> Result<Self, Problem> {
        let documents = lines(&folder.join("corpus.jsonl"))?;
        let queries: Vec<Entry> = lines(&folder.join("queries.jsonl"))?;
        let own = folder.join("qrels.tsv");
        let mut judged = judgements(&if own.is_file() { own } else { folder.join("qrels/test.tsv") })?;
        let queries = queries.into_iter().filter_map(|q| judged.remove(&q.id).map(|j| (q, j))).collect();
        Ok(Self { documents, queries })
    }
}

fn read(path: &Path) -> Result<String, Problem> {
    std::fs::read_to_string(path).map_err(|error| {
        Problem::bad_request(format!("{}: {error}", path.display()))
            .hint(
            "a collection holds corpus.jsonl, queries.jsonl and qrels.tsv or qrels/test.tsv; one of whole documents docs/NAME.md \
             and spans.jsonl",
        )
    })
}

/// The objects of a file with one a line.
pub(super) fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Problem> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parse = |(n, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| Problem::bad_request(format!("{} line {}: {error}", path.display(), n + 1)))
    };
    lines.map(parse).collect()
}

fn judgements(path: &Path) -> Result<HashMap<String, Judgements>, Problem> {
    let text = read(path)?;
    let mut all: HashMap<String, Judgements> = HashMap::new();
    for (n, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        // Three columns as BEIR has them, or four as TREC has them.
        let (query, document, grade) = match fields.as_slice() {
            [query, document, grade] | [query, _, document, grade] => (*query, *document, *grade),
            _ if line.trim().is_empty() => continue,
            _ => {
                return Err(Problem::bad_request(format!(
                    "{} line {}: not three columns",
                    path.display(),
                    n + 1
                )));
            }
        };
        match grade.trim().parse::<i64>() {
            Ok(grade) => {
                all.entry(query.to_owned()).or_default().insert(document.to_owned(), grade.max(0) as u32);
            }
            Err(_) if n == 0 => {}
            Err(error) => {
                return Err(Problem::bad_request(format!("{} line {}: {error}", path.display(), n + 1)));
            }
        }
    }
    Ok(all)
}

impl Entry {
    /// The document as final text: its title as a heading, its paragraphs as they are.
    pub(super) fn document(&self) -> DirectDocument {
        let mut markdown = String::new();
        let mut blocks = Vec::new();
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if !title.is_empty() {
            markdown.push_str("# ");
            markdown.push_str(&title);
            markdown.push('\n');
            blocks.push(Block {
                kind: BlockKind::Heading { level: 1, text: title.clone() },
                span: Span::new(0, markdown.len()),
                children: Vec::new(),
            });
        }
        for paragraph in self.text.split("\n\n").map(str::trim).filter(|p| !p.is_empty()) {
            if !markdown.is_empty() {
                markdown.push('\n');
            }
            let start = markdown.len();
            markdown.push_str(paragraph);
            markdown.push('\n');
            blocks.push(Block {
                kind: BlockKind::Paragraph,
                span: Span::new(start, markdown.len()),
                children: Vec::new(),
            });
        }
        DirectDocument {
            id: self.id.clone(),
            title: if title.is_empty() { self.id.clone() } else { title.clone() },
            converted: Converted {
                markdown,
                blocks,
                locations: Vec::new(),
                media_type: "text/markdown".to_owned(),
                title: Some(title).filter(|t| !t.is_empty()),
                complete: true,
                warnings: Vec::new(),
                converter: ConverterId { id: "collection".to_owned(), version: 1 },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_is_read_and_only_judged_queries_count() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "corpus.jsonl",
            "{\"_id\":\"d1\",\"title\":\"T\",\"text\":\"one\\n\\ntwo\"}\n\n{\"_id\":\"d2\",\"text\":\"x\"}\n",
        );
        write("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"?\"}\n{\"_id\":\"q2\",\"text\":\"?\"}\n");
        write("qrels.tsv", "query-id\tcorpus-id\tscore\nq2\td1\t2\nq2\td2\t0\n");
        let collection = Collection::read(folder.path()).unwrap();
        assert_eq!(collection.documents.len(), 2);
        assert_eq!(collection.queries.len(), 1);
        assert_eq!(collection.queries[0].1["d1"], 2);
        let document = collection.documents[0].document();
        assert_eq!(document.converted.markdown, "# T\n\none\n\ntwo\n");
        let texts: Vec<&str> = document
            .converted
            .blocks
            .iter()
            .map(|b| b.span.of(&document.converted.markdown).unwrap())
            .collect();
        assert_eq!(texts, ["# T\n", "one\n", "two\n"]);
        write("qrels.tsv", "q2\td1\tgood\nq2\td1\tbad\n");
        assert!(Collection::read(folder.path()).err().unwrap().message.contains("line 2"));
    }
}
