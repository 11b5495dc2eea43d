//! Passages fit the embedder: every strategy over every fixture, random text and files on one line, counted by the real tokenizer.
//! Skipped, and said so, where the default embedder is not installed.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops where something is missing, and says what it skips"
)]

use carrel_convert::{WorkerConfig, WorkerPool};
use carrel_engine::cancel::Cancel;
use carrel_engine::chunk::{Chunking, Reader, Text, chunk};
use carrel_engine::domain::{Block, BlockKind, Converted, Span};
use carrel_engine::seams::{
    ConvertInput, ConvertRequest, DocumentConverter, Embedder, Limits, ModelProvider,
};
use carrel_models::{Models, ModelsConfig};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

static EMBEDDER: LazyLock<Option<Arc<dyn Embedder>>> = LazyLock::new(|| {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share/carrel/models"));
    let folder = std::env::var_os("CARREL_MODELS").map(PathBuf::from).or_else(home)?;
    let config = ModelsConfig { folder, threads: 1, ..ModelsConfig::default() };
    Models::open(config).embedder("all-minilm-l6-v2").ok()
});

fn embedder(test: &str) -> Option<&'static dyn Embedder> {
    let embedder = EMBEDDER.as_deref();
    if embedder.is_none() {
        println!("{test}: skipped, the default embedder is not installed");
    }
    embedder
}

/// What every way to cut keeps to. `meaning`: with the strategy that embeds sentences.
fn check(text: &Text<'_>, embedder: &dyn Embedder, meaning: bool) -> usize {
    let window = embedder.space().window as usize;
    let tokenizer = embedder.tokenizer();
    let mut most = 0;
    for setting in Chunking::ALL.iter().chain(&["none", "32/6"]) {
        let reader = Reader { tokenizer, window: Some(window), embedder: meaning.then_some(embedder) };
        let passages = chunk(text, &reader, Chunking::parse(setting).unwrap(), &Cancel::new()).unwrap();
        let mut at = 0;
        for passage in &passages {
            let Span { start, end } = passage.span;
            assert!(start >= at && start < end, "{setting}: spans ascend");
            assert!(text.markdown[at..start].trim().is_empty(), "{setting}: nothing is lost");
            assert!(!text.markdown[start..end].trim().is_empty());
            assert!(passage.embed_span.start <= start && passage.embed_span.end == end);
            let embedded = passage.embedded_text(text.markdown);
            let tokens = tokenizer.count(&embedded).unwrap() + tokenizer.overhead();
            assert_eq!(tokens, passage.tokens as usize, "{setting}: tokens are exact");
            assert!(tokens <= window, "{setting}: {tokens} tokens in {embedded:?}");
            at = end;
        }
        assert!(text.markdown[at..].trim().is_empty(), "{setting}: nothing is lost at the end");
        most = most.max(passages.len());
    }
    most
}

fn of(converted: &Converted) -> Text<'_> {
    let Converted { markdown, blocks, locations, .. } = converted;
    Text { markdown, blocks, locations }
}

fn pool() -> WorkerPool {
    let mut program = std::env::current_exe().unwrap();
    program.pop();
    program.pop();
    program.push(format!("carrel-worker{}", std::env::consts::EXE_SUFFIX));
    let models = std::env::var_os("CARREL_MODELS").map(PathBuf::from);
    WorkerPool::new(WorkerConfig {
        program,
        pdfium: WorkerConfig::locate_pdfium(models.as_deref()),
        ocr: None,
        workers: 1,
    })
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

fn request(name: &str, input: ConvertInput) -> ConvertRequest {
    ConvertRequest { input, name: name.to_owned(), password: None, limits: Limits::default() }
}

#[test]
fn no_passage_of_any_fixture_exceeds_the_window() {
    let Some(embedder) = embedder("fixtures") else { return };
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"), &mut found);
    // A source file of this repository goes the same way.
    found.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("chunking/main.rs"));
    let pool = pool();
    let mut converted = 0;
    for path in found {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Ok(text) = pool.convert(&request(&name, ConvertInput::Path(path)), &Cancel::new()) {
            converted += 1;
            assert!(check(&of(&text), embedder, true) > 0, "{name}");
        }
    }
    assert!(converted >= 5, "{converted} files were converted");
}

#[test]
fn two_megabytes_on_one_line_fit_the_model() {
    let Some(embedder) = embedder("one line") else { return };
    let pool = pool();
    let cases = [
        ("x.min.js", "var a=b(c,d);function e(){return'f'};".repeat(57_000)),
        ("x.txt", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(60_000)),
    ];
    for (name, line) in cases {
        let input = ConvertInput::Bytes(line.into_bytes());
        let text = pool.convert(&request(name, input), &Cancel::new()).unwrap();
        let reader = Reader { tokenizer: embedder.tokenizer(), window: Some(256), embedder: None };
        let passages = chunk(&of(&text), &reader, Chunking::default(), &Cancel::new()).unwrap();
        assert!(passages.len() > 100, "{name}");
        assert!(passages.iter().all(|p| p.tokens <= 256 && p.span.len() < 64 << 10), "{name}");
    }
}

#[test]
fn a_source_file_is_cut_along_its_functions_with_their_lines() {
    let Some(embedder) = embedder("source") else { return };
    let function = |i: usize| {
        format!(
            "    def step{i}(self, x):\n        \"\"\"Step {i}.\"\"\"\n        y = x + {i}\n\n        return y * {i}\n"
        )
    };
    let body: Vec<String> = (0..60).map(function).collect();
    let source = format!("import os\n\n\nclass Machine(Base):\n{}", body.join("\n"));
    let input = ConvertInput::Bytes(source.clone().into_bytes());
    let text = pool().convert(&request("machine.py", input), &Cancel::new()).unwrap();
    let part = |block: &Block| matches!(block.kind, BlockKind::Part { .. });
    assert!(text.blocks[0].children.iter().any(part));
    let reader = Reader { tokenizer: embedder.tokenizer(), window: Some(256), embedder: None };
    let passages = chunk(&of(&text), &reader, Chunking::default(), &Cancel::new()).unwrap();
    for wanted in &body {
        let holding = passages.iter().filter(|p| p.span.of(&text.markdown).unwrap().contains(wanted.trim()));
        assert_eq!(holding.count(), 1, "{wanted}");
    }
    let inner = passages.iter().filter(|p| p.heading_path == ["class Machine(Base)"]).count();
    assert!(inner + 1 >= passages.len(), "{inner} of {}", passages.len());
    assert!(passages.last().unwrap().embedded_text(&text.markdown).contains("import os"));
}

fn run() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{1,12}( [a-z]{1,9}){0,60}[.!?]?",
        2 => "[一-龥]{1,120}[。！？]?",
        1 => "[ぁ-ん가-힣]{1,60}",
        1 => "[A-Za-z0-9+/]{100,900}",
        1 => "[=\\-_*|#>`~0-9]{1,80}",
        2 => "\\PC{0,120}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_passage_of_random_text_exceeds_the_window(parts in prop::collection::vec((run(), 0..6u8), 1..30)) {
        let Some(embedder) = EMBEDDER.as_deref() else { return Ok(()) };
        let (mut markdown, mut blocks) = (String::new(), Vec::new());
        for (text, kind) in parts {
            let start = markdown.len();
            markdown.push_str(&text);
            let span = Span::new(start, markdown.len());
            markdown.push_str("\n\n");
            let kind = match kind {
                0 => BlockKind::Heading { level: 2, text: text.clone() },
                1 => BlockKind::Code { language: None },
                2 => BlockKind::Table,
                _ => BlockKind::Paragraph,
            };
            if !span.is_empty() {
                blocks.push(Block { kind, span, children: Vec::new() });
            }
        }
        check(&Text { markdown: &markdown, blocks: &blocks, locations: &[] }, embedder, false);
    }
}
