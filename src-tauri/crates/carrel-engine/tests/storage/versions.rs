//! Versions, shared content, counters, size.

use crate::support::{add_texts, assert_healthy, by_words, documents, found, nearest, put_text, text};
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::DocumentState;
use carrel_engine::library::{DirectDocument, IndexState, Library};
use carrel_engine::retrieve::Leg;
use carrel_testkit::{Fakes, plain, render_store};

#[test]
fn what_is_added_is_counted_found_and_survives_closing() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    add_texts(&library, 40);
    let status = library.status().unwrap();
    assert_eq!(status.documents[&DocumentState::Ready], 40);
    assert_eq!((status.lexical, status.dense), (IndexState::Current, IndexState::Current));
    assert_eq!(status.passages, status.vectors);
    assert!(status.passages >= 40);
    assert_eq!(status.text_bytes, (0..40).map(|n| text(n).len() as u64).sum::<u64>());
    assert_eq!(by_words(&library, &fakes, 7), ["Note 7"]);
    assert_eq!(nearest(&library, &fakes, 7), "Note 7");
    assert_healthy(&library);
    let before = render_store(&library).unwrap();
    drop(library);

    let embedded = fakes.embedder.passages_embedded();
    let library = Library::open(folder.path(), fakes.parts()).unwrap();
    assert_eq!(library.status().unwrap().dense, IndexState::Current, "a clean close leaves nothing to do");
    library.wait_idle(&Cancel::new()).unwrap();
    assert_eq!(render_store(&library).unwrap(), before);
    assert_eq!(fakes.embedder.passages_embedded(), embedded);
}

#[test]
fn a_new_version_replaces_the_old_everywhere_and_only_it_is_embedded() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    put_text(&library, "a", "# First\n\nthe heron stands in the reeds at dawn\n");
    put_text(&library, "b", "# Other\n\nnothing of interest happens here\n");
    let document = documents(&library).into_iter().find(|d| d.uri.ends_with(":a")).unwrap();
    let old = library.passages(document.id, None).unwrap();
    fakes.embedder.reset();
    put_text(&library, "a", "# First\n\nthe kingfisher dives under the bridge at noon\n");
    assert_eq!(fakes.embedder.passages_embedded(), 1);

    let versions = library.versions(document.id).unwrap();
    assert_eq!(versions.iter().map(|v| (v.number, v.active)).collect::<Vec<_>>(), [(1, false), (2, true)]);
    assert!(library.version_text(document.id, Some(1)).unwrap().markdown.contains("heron"));
    assert!(library.version_text(document.id, None).unwrap().markdown.contains("kingfisher"));
    let ids: Vec<_> = old.iter().map(|p| p.id).collect();
    assert!(library.live_passages(&ids).unwrap().is_empty());
    assert!(found(&library, &fakes, "heron", &[Leg::Lexical]).is_empty());
    assert_eq!(found(&library, &fakes, "kingfisher", &[Leg::Lexical]).len(), 1);
    let entries = library.index_entries().unwrap();
    assert!(entries.dense.iter().all(|(id, _)| !ids.contains(id)));
    assert_healthy(&library);
}

#[test]
fn the_same_text_again_is_no_new_version_and_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    put_text(&library, "a", &text(1));
    fakes.embedder.reset();
    put_text(&library, "a", &text(1));
    put_text(&library, "twin", &text(1));
    assert_eq!(fakes.embedder.passages_embedded(), 0, "equal text embeds once");
    let documents = documents(&library);
    assert_eq!(documents.len(), 2);
    for document in documents {
        assert_eq!(library.versions(document.id).unwrap().len(), 1);
        assert_eq!(document.state, DocumentState::Ready);
    }
}

#[test]
fn while_an_update_cannot_be_embedded_the_old_version_answers() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    put_text(&library, "a", "# First\n\nthe heron stands in the reeds at dawn\n");
    fakes.embedder.fail(1);
    put_text(&library, "a", "# First\n\nthe kingfisher dives under the bridge\n");
    // It was tried again and is in.
    assert_eq!(found(&library, &fakes, "kingfisher", &[Leg::Lexical]).len(), 1);
    assert!(found(&library, &fakes, "heron", &[Leg::Lexical]).is_empty());
    assert!(fakes.embedder.embedded_again().is_empty());
}

#[test]
fn removing_a_document_leaves_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    add_texts(&library, 10);
    for document in documents(&library) {
        library.remove_document(document.id).unwrap();
    }
    library.wait_idle(&Cancel::new()).unwrap();
    let status = library.status().unwrap();
    assert_eq!((status.passages, status.vectors, status.text_bytes), (0, 0, 0));
    assert_eq!(library.index_entries().unwrap(), carrel_engine::library::IndexEntries::default());
    assert_healthy(&library);
    drop(library);
    let conn = rusqlite::Connection::open(folder.path().join("ledger.db")).unwrap();
    for table in ["document", "version", "content", "passage", "vector"] {
        let rows: i64 = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |r| r.get(0)).unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}

/// Sentences of made-up words, about as varied as prose.
fn prose(n: usize, words: usize) -> String {
    let syllables = [
        "ka", "ro", "min", "tel", "su", "va", "den", "or", "pi", "lu", "sha", "ter", "non", "gri", "el", "bo",
    ];
    let mut state = n as u64 * 7919 + 13;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    };
    let mut text = format!("# Paper {n}\n\n");
    for k in 0..words {
        // Common words come often, as they do.
        let range = next(3_000);
        let mut word = next(1 + range);
        for _ in 0..=word % 3 {
            text.push_str(syllables[word % syllables.len()]);
            word /= 7;
        }
        text.push_str(if k % 15 == 14 { ". " } else { " " });
    }
    text
}

#[test]
fn the_ledger_is_small_against_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    // As long as those of the default model.
    let embedder = std::sync::Arc::new(carrel_testkit::HashEmbedder::new("hash-384", 384));
    fakes.models.install(embedder);
    fakes.models.set_default(Some("hash-384"));
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    let mut documents = (0..400).map(|n| DirectDocument {
        id: format!("paper-{n}"),
        title: format!("Paper {n}"),
        converted: plain(&prose(n, 450)),
    });
    library.add_direct(&mut documents, &mut |_| {}, &Cancel::new()).unwrap();
    let text = library.status().unwrap().text_bytes;
    drop(library);
    let ledger = folder.path().join("ledger.db").metadata().unwrap().len();
    let ratio = ledger as f64 / text as f64;
    assert!(ratio <= 2.5, "{ledger} bytes for {text} bytes of text: {ratio:.2}");
}
