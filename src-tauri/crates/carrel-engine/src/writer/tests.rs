//! The writer thread: what fails, fails alone; what returned, is on disk.

use super::{WriteTx, Writer};
use crate::cancel::Cancel;
use crate::domain::{Converted, ConverterId, LibraryId};
use crate::error::{EngineError, Result};
use crate::ledger::content::Contents;
use crate::ledger::generations::{self, Recipe};
use crate::ledger::{self, ReadPool, meta, set_meta};
use crate::library::Parts;
use crate::seams::{
    Clock, ConvertError, ConvertRequest, DocumentConverter, Embedder, Event, EventSink, FilePart,
    LanguageModel, ModelError, ModelProvider, Tag, Transcriber,
};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Enough of the engine's parts for a writer: no converter, no model.
#[derive(Default)]
struct Bare {
    events: Mutex<Vec<Tag>>,
}

impl Clock for Bare {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::UNIX_EPOCH
    }
}

impl EventSink for Bare {
    fn emit(&self, event: Event) {
        self.events.lock().unwrap().push(event.tag);
    }
}

impl DocumentConverter for Bare {
    fn converter_for(&self, _name: &str) -> Option<ConverterId> {
        None
    }

    fn converters(&self) -> Vec<ConverterId> {
        Vec::new()
    }

    fn convert_by_parts(
        &self,
        _request: &ConvertRequest,
        _cancel: &Cancel,
        _begun: &mut dyn FnMut(&FilePart),
    ) -> Result<Converted, ConvertError> {
        Err(ConvertError::Cancelled)
    }
}

impl ModelProvider for Bare {
    fn default_embedder(&self) -> Option<String> {
        None
    }

    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        Err(ModelError::NotInstalled { id: id.to_owned() })
    }

    fn language_model(&self, _id: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError> {
        Err(ModelError::NotInstalled { id: String::new() })
    }

    fn default_transcriber(&self) -> Option<String> {
        None
    }

    fn transcriber(&self) -> Result<Arc<dyn Transcriber>, ModelError> {
        Err(ModelError::NotInstalled { id: String::new() })
    }
}

struct Open {
    writer: Writer,
    reads: ReadPool,
    bare: Arc<Bare>,
}

fn open(folder: &Path) -> Open {
    let bare = Arc::new(Bare::default());
    let parts =
        Parts { clock: bare.clone(), converter: bare.clone(), models: bare.clone(), events: bare.clone() };
    let path = folder.join(ledger::FILE);
    let create = (!path.exists()).then(LibraryId::random);
    let (conn, id) = ledger::open(&path, create).unwrap();
    if !generations::any(&conn).unwrap() {
        let recipe = Recipe {
            chunker: "none/1".to_owned(),
            tokenizer: "words".to_owned(),
            space: None,
            analyzer: crate::text::ANALYZER.to_owned(),
            enriched: false,
        };
        let mut tx = WriteTx::new(&conn, jiff::Timestamp::UNIX_EPOCH);
        generations::create_first(&mut tx, &recipe).unwrap();
    }
    let (writer, _) = Writer::start(conn, folder, id, &parts, Arc::new(Contents::default())).unwrap();
    Open { writer, reads: ReadPool::new(&path), bare }
}

impl Open {
    fn set(&self, key: &'static str, value: &'static str) -> Result<()> {
        self.writer.run(move |tx| set_meta(tx, key, value))
    }

    fn get(&self, key: &str) -> Option<String> {
        self.reads.with(|conn| meta(conn, key)).unwrap()
    }
}

#[test]
fn a_write_is_seen_by_readers_when_it_returns_and_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    library.set("a", "1").unwrap();
    assert_eq!(library.get("a").as_deref(), Some("1"));
    drop(library);
    assert_eq!(open(folder.path()).get("a").as_deref(), Some("1"));
}

#[test]
fn one_that_fails_or_panics_undoes_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    // Held up, so that the others gather into one group behind it.
    let (go, wait) = crossbeam_channel::bounded::<()>(0);
    std::thread::scope(|scope| {
        let library = &library;
        scope.spawn(move || {
            library.writer.run(move |tx| {
                wait.recv().map_err(|e| EngineError::Internal(e.to_string()))?;
                set_meta(tx, "first", "in")
            })
        });
        let failing = scope.spawn(|| {
            library.writer.run(|tx| -> Result<()> {
                set_meta(tx, "failing", "in")?;
                Err(EngineError::Invalid("no".to_owned()))
            })
        });
        let panicking = scope.spawn(|| {
            library.writer.run(|tx| -> Result<()> {
                set_meta(tx, "panicking", "in")?;
                panic!("on purpose")
            })
        });
        let last = scope.spawn(|| library.set("last", "in"));
        go.send(()).unwrap();
        assert!(matches!(failing.join().unwrap(), Err(EngineError::Invalid(_))));
        assert!(
            matches!(panicking.join().unwrap(), Err(EngineError::Internal(said)) if said.contains("on purpose"))
        );
        last.join().unwrap().unwrap();
    });
    assert_eq!(library.get("first").as_deref(), Some("in"));
    assert_eq!(library.get("last").as_deref(), Some("in"));
    assert_eq!((library.get("failing"), library.get("panicking")), (None, None));
}

#[test]
fn a_full_disk_is_said_and_the_thread_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    library.set("kept", "1").unwrap();
    library
        .writer
        .run(|tx| {
            let pages: i64 = tx.pragma_query_value(None, "page_count", |row| row.get(0))?;
            tx.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
            Ok(())
        })
        .unwrap();
    let large = "x".repeat(1 << 20);
    let full = library.writer.run(move |tx| set_meta(tx, "large", &large));
    assert!(matches!(full, Err(EngineError::DiskFull { .. })), "{full:?}");
    assert_eq!(library.get("kept").as_deref(), Some("1"));
    library
        .writer
        .run(|tx| Ok(tx.pragma_update_and_check(None, "max_page_count", 1_000_000, |_| Ok(()))?))
        .unwrap();
    library.set("after", "2").unwrap();
    assert_eq!(library.get("after").as_deref(), Some("2"));
}

#[test]
fn listeners_hear_of_a_committed_change_and_not_of_one_undone() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    library
        .writer
        .run(|tx| {
            tx.changed(Tag::Sources);
            Ok(())
        })
        .unwrap();
    let undone = library.writer.run(|tx| -> Result<()> {
        tx.changed(Tag::Models);
        Err(EngineError::Cancelled)
    });
    assert!(undone.is_err());
    let bare = Arc::clone(&library.bare);
    drop(library);
    let events = bare.events.lock().unwrap();
    assert!(events.contains(&Tag::Sources) && !events.contains(&Tag::Models));
}

#[test]
fn a_reader_sees_one_state_from_beginning_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    library.set("a", "old").unwrap();
    library
        .reads
        .with(|conn| {
            assert_eq!(meta(conn, "a")?.as_deref(), Some("old"));
            library.set("a", "new")?;
            assert_eq!(meta(conn, "a")?.as_deref(), Some("old"));
            Ok(())
        })
        .unwrap();
    assert_eq!(library.get("a").as_deref(), Some("new"));
}
