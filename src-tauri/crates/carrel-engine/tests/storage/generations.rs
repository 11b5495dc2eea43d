//! C12: another embedder or chunking, built beside the one that answers.

use crate::support::{add_texts, assert_healthy, by_words, nearest};
use carrel_engine::cancel::Cancel;
use carrel_engine::library::Library;
use carrel_testkit::{Fakes, HashEmbedder};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn set(library: &Library, key: &str, value: &str) {
    library.change_settings(&BTreeMap::from([(key.to_owned(), value.to_owned())])).unwrap();
}

#[test]
fn changing_the_embedder_in_use_never_fails_a_search_and_going_back_embeds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let wide = Arc::new(HashEmbedder::new("hash-768", 768));
    fakes.models.install(Arc::clone(&wide));
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    add_texts(&library, 120);

    let search_while_changing_to = |embedder: &str| {
        let done = AtomicBool::new(false);
        let searches = std::thread::scope(|scope| {
            let searches = scope.spawn(|| {
                let mut n = 0;
                while !done.load(Ordering::SeqCst) {
                    assert_eq!(by_words(&library, &fakes, 17), ["Note 17"]);
                    assert_eq!(nearest(&library, &fakes, 17), "Note 17");
                    n += 1;
                }
                n
            });
            set(&library, "embedder", embedder);
            library.wait_idle(&Cancel::new()).unwrap();
            done.store(true, Ordering::SeqCst);
            searches.join().unwrap()
        });
        assert!(searches > 0);
    };
    search_while_changing_to("hash-768");
    let space = library.status().unwrap().space.unwrap();
    assert_eq!((space.model.as_str(), space.dimensions), ("hash-768", 768));
    assert_eq!(nearest(&library, &fakes, 5), "Note 5");
    assert_healthy(&library);

    fakes.embedder.reset();
    search_while_changing_to("hash-96");
    assert_eq!(library.status().unwrap().space.unwrap().dimensions, 96);
    assert_eq!(fakes.embedder.passages_embedded(), 0, "its vectors were kept");
    assert_eq!(nearest(&library, &fakes, 5), "Note 5");
    assert_healthy(&library);
    drop(library);
    let conn = rusqlite::Connection::open(folder.path().join("ledger.db")).unwrap();
    let states: Vec<String> = conn
        .prepare("SELECT state FROM generation ORDER BY id")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(states, ["kept", "active"], "one is kept, not every one");
}

#[test]
fn another_chunking_cuts_anew_and_bad_settings_are_refused_whole() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    add_texts(&library, 20);
    let before = library.status().unwrap().passages;
    set(&library, "chunking", "64/8");
    library.wait_idle(&Cancel::new()).unwrap();
    assert!(library.status().unwrap().passages > before);
    assert_eq!(library.settings().unwrap()["chunking"], "64/8");
    assert_healthy(&library);

    let bad =
        [("chunking", "64/60"), ("chunking", "none at all"), ("embedder", "unknown"), ("colour", "red")];
    for (key, value) in bad {
        let changes =
            BTreeMap::from([(key.to_owned(), value.to_owned()), ("chunking".to_owned(), value.to_owned())]);
        assert!(library.change_settings(&changes).is_err(), "{key}={value}");
    }
    assert_eq!(library.settings().unwrap()["chunking"], "64/8");
}

#[test]
fn a_library_made_without_an_embedder_takes_one_up_when_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::words_only();
    let library = Library::create(folder.path(), fakes.parts()).unwrap();
    add_texts(&library, 15);
    let status = library.status().unwrap();
    assert_eq!((status.vectors, status.space), (0, None));
    assert_eq!(by_words(&library, &fakes, 4)[0], "Note 4");
    drop(library);

    fakes.models.set_default(Some("hash-96"));
    let library = Library::open(folder.path(), fakes.parts()).unwrap();
    library.wait_idle(&Cancel::new()).unwrap();
    assert_eq!(library.status().unwrap().space.unwrap().model, "hash-96");
    assert_eq!(nearest(&library, &fakes, 4), "Note 4");
    assert_healthy(&library);
}
