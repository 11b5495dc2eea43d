//! How storage grows. Run by hand: `CARREL_SCALE=20000 cargo nextest run … --run-ignored only --no-capture scale`.

use crate::support::{assert_healthy, code, documents};
use carrel_engine::cancel::Cancel;
use carrel_engine::library::{DirectDocument, Library};
use carrel_testkit::{Fakes, plain};
use std::time::Instant;

/// A text of five sections.
fn long_text(n: usize) -> String {
    let mut text = format!("# Book {n}\n\n{}\n\n", code(n));
    for section in 0..5 {
        let body: Vec<String> =
            (0..90).map(|k| format!("w{}", (n * 31 + section * 17 + k * k) % 5_000)).collect();
        text.push_str(&format!("## Part {section}\n\n{}\n\n", body.join(" ")));
    }
    text
}

#[test]
#[ignore = "takes minutes; prints what it measured"]
fn writing_opening_and_asking_do_not_grow_faster_than_the_library() {
    let most: usize = std::env::var("CARREL_SCALE").ok().and_then(|n| n.parse().ok()).unwrap_or(4_000);
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    let mut last = 0;
    for upto in [most / 4, most / 2, most] {
        let begun = Instant::now();
        let mut texts = (last..upto).map(|n| DirectDocument {
            id: format!("book-{n}"),
            title: format!("Book {n}"),
            converted: plain(&long_text(n)),
        });
        library.add_direct(&mut texts, &mut |_| {}, &Cancel::new()).unwrap();
        let added = begun.elapsed();
        let begun = Instant::now();
        let status = library.status().unwrap();
        println!(
            "{upto} documents, {} passages: {:.0} passages/s, status {:?}, {:.2} bytes on disk per byte of text",
            status.passages,
            (upto - last) as f64 * 5.0 / added.as_secs_f64(),
            begun.elapsed(),
            status.bytes as f64 / status.text_bytes as f64,
        );
        last = upto;
    }
    let begun = Instant::now();
    drop(library);
    println!("close {:?}", begun.elapsed());
    let begun = Instant::now();
    let library = Library::open(folder.path(), fakes.parts()).unwrap();
    println!("open {:?}", begun.elapsed());
    library.wait_idle(&Cancel::new()).unwrap();
    let document = documents(&library).remove(most / 3 % 10_000);
    let begun = Instant::now();
    let passages = library.passages(document.id, None).unwrap();
    println!("{} passages of one document {:?}", passages.len(), begun.elapsed());
    let begun = Instant::now();
    library.rebuild_indexes().unwrap();
    println!("rebuild {:?}", begun.elapsed());
    let begun = Instant::now();
    library.remove_document(document.id).unwrap();
    println!("remove {:?}", begun.elapsed());
    assert_healthy(&library);
}
