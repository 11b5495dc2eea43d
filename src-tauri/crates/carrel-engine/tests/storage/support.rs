//! What the tests of storage share.

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::Document;
use carrel_engine::library::{AddItem, AddOptions, DirectDocument, DocumentQuery, Library};
use carrel_engine::retrieve::{Leg, SearchRequest, search};
use carrel_engine::seams::ModelProvider;
use carrel_testkit::{Fakes, plain};
use std::path::Path;
use std::sync::Arc;

const WORDS: [&str; 24] = [
    "harbour", "lantern", "orchard", "granite", "ledger", "meadow", "copper", "thistle", "anchor", "willow",
    "ember", "cinder", "marble", "falcon", "juniper", "quarry", "saddle", "timber", "velvet", "walnut",
    "yarrow", "zephyr", "basalt", "clover",
];

/// A word that stands only in text `n`.
pub(crate) fn code(n: usize) -> String {
    let letters = b"bcdfghjklm";
    let digits = [n / 1000, n / 100, n / 10, n].map(|d| letters[d % 10] as char);
    format!("qx{}", String::from_iter(digits))
}

/// A text of two sections with words that `n` decides, and its [`code`] in the first.
pub(crate) fn text(n: usize) -> String {
    let word = |k: usize| WORDS[(n * 7 + k * k * 3 + k) % WORDS.len()];
    let sentence = |from: usize| (from..from + 60).map(word).collect::<Vec<_>>().join(" ");
    let code = [code(n), code(n), code(n)].join(" ");
    format!("# Note {n}\n\n{code} {}\n\n## Details\n\n{}\n", sentence(1), sentence(90))
}

/// What finds text `n` by words.
pub(crate) fn by_words(library: &Arc<Library>, fakes: &Fakes, n: usize) -> Vec<String> {
    found(library, fakes, &code(n), &[Leg::Lexical])
}

/// What is nearest to the first section of text `n`.
pub(crate) fn nearest(library: &Arc<Library>, fakes: &Fakes, n: usize) -> String {
    let text = text(n);
    let section = text.split("## Details").next().unwrap_or_default();
    found(library, fakes, section, &[Leg::Dense]).into_iter().next().unwrap_or_default()
}

/// Adds `count` texts of [`text`].
pub(crate) fn add_texts(library: &Library, count: usize) {
    let mut documents = (0..count).map(|n| DirectDocument {
        id: format!("note-{n}"),
        title: format!("Note {n}"),
        converted: plain(&text(n)),
    });
    library.add_direct(&mut documents, &mut |_| {}, &Cancel::new()).unwrap();
}

/// Adds or replaces one text and waits.
pub(crate) fn put_text(library: &Library, id: &str, text: &str) {
    let item = AddItem::Text { id: id.to_owned(), text: text.to_owned() };
    library.add(&[item], &AddOptions::default(), true, &Cancel::new()).unwrap();
    library.wait_idle(&Cancel::new()).unwrap();
}

/// A library with `count` texts, closed again.
pub(crate) fn closed_library(folder: &Path, fakes: &Fakes, count: usize) {
    let library = Library::create(folder, fakes.parts()).unwrap();
    add_texts(&library, count);
    drop(library);
}

/// Titles of the hits for a query, by these legs.
pub(crate) fn found(library: &Arc<Library>, fakes: &Fakes, query: &str, legs: &[Leg]) -> Vec<String> {
    let request = SearchRequest { legs: legs.to_vec(), ..SearchRequest::new(query) };
    let models: &dyn ModelProvider = &*fakes.models;
    let response = search(&[Arc::clone(library)], &request, models, &Cancel::new()).unwrap();
    response.hits.into_iter().map(|hit| hit.document.title).collect()
}

/// All documents.
pub(crate) fn documents(library: &Library) -> Vec<Document> {
    let query = DocumentQuery { limit: 10_000, ..DocumentQuery::default() };
    library.documents(&query).unwrap().0
}

/// Fails unless every check of the doctor is well.
pub(crate) fn assert_healthy(library: &Library) {
    for check in library.doctor(false).unwrap() {
        assert!(check.ok, "{}: {}", check.name, check.message);
    }
}
