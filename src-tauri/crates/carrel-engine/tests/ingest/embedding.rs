//! Vectors: failing, recovering, later versions.

use crate::fixture::Fixture;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::DocumentState;
use carrel_engine::library::AddOptions;
use carrel_testkit::Fakes;

#[test]
fn an_embedder_that_fails_for_a_while_is_tried_again() {
    let f = Fixture::new();
    f.fakes.embedder.fail(2);
    f.write("a.md", "alpha text");
    f.add_folder(false);
    assert_eq!(f.ready(), ["a.md"]);
}

#[test]
fn an_embedder_that_is_gone_leaves_words_and_recovers() {
    let mut f = Fixture::new();
    f.fakes.models.uninstall("hash-96");
    f.write("a.md", "alpha text");
    f.write("b.md", "beta text");
    let report = f.add_folder(false);
    assert_eq!(report.added, 2);
    let document = f.find("a.md");
    assert_eq!(document.state, DocumentState::Words);
    let reason = document.reason.unwrap();
    assert!(
        reason.code == "embedding_failed" && reason.retryable && reason.message.contains("not installed")
    );
    assert!(f.indexed("alpha"), "words answer");
    f.fakes.models.install(f.fakes.embedder.clone());
    f.library().retry(None).unwrap();
    f.until("recovered", |f| f.ready().len() == 2);
    assert_eq!(f.find("a.md").reason, None);
    assert_eq!(f.conversions(), 2);
    f.reopen();
    f.idle();
    assert_eq!(f.library().status().unwrap().vectors, 2);
}

#[test]
fn stopping_while_an_embedder_says_nothing_loses_no_text() {
    let mut f = Fixture::new();
    f.write("a.md", "the first text");
    f.add_folder(false);
    f.fakes.models.hang(true);
    f.write("a.md", "quite other second words");
    f.write("b.md", "a new text");
    let item = carrel_engine::library::AddItem::Path { path: f.root(), watch: false };
    f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    f.until_busy("converted", |f| f.conversions() >= 2);
    let models = f.fakes.models.clone();
    let silent = std::thread::spawn(move || {
        // Closing has told everybody to stop by then.
        std::thread::sleep(std::time::Duration::from_millis(300));
        models.hang(false);
    });
    f.close();
    silent.join().unwrap();
    f.open();
    f.sync();
    f.idle();
    assert_eq!(f.ready(), ["a.md", "b.md"]);
    assert!(f.indexed("second") && f.indexed("new") && !f.indexed("first"));
}

#[test]
fn c8_the_old_version_answers_until_the_new_one_has_its_vectors() {
    let mut f = Fixture::new();
    f.write("a.md", "the first text");
    f.add_folder(false);
    f.fakes.embedder.fail(3);
    f.write("a.md", "quite other second words");
    let item = carrel_engine::library::AddItem::Path { path: f.root(), watch: false };
    f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    // Backing off: the new version is written, the old one answers.
    f.until("activated", |f| f.find("a.md").version == Some(2) && f.ready() == ["a.md"]);
    assert!(f.indexed("second") && !f.indexed("first"));
    // It fails for good: the new words answer all the same, after the next start its vectors follow.
    f.fakes.embedder.fail(1_000);
    f.write("a.md", "third words entirely");
    f.sync();
    let document = f.find("a.md");
    assert_eq!((document.version, document.state), (Some(3), DocumentState::Words));
    assert!(f.indexed("third"));
    f.close();
    f.fakes.embedder.fail(0);
    f.open();
    f.until("completed", |f| f.find("a.md").state == DocumentState::Ready);
    assert_eq!(f.library().versions(f.find("a.md").id).unwrap().len(), 3);
}

#[test]
fn c8_a_pending_version_survives_the_end_of_the_process() {
    let mut f = Fixture::new();
    f.write("a.md", "the first text");
    f.add_folder(true);
    f.fakes.embedder.fail(3);
    f.write("a.md", "quite other second words");
    f.until_busy("written", |f| f.find("a.md").state == DocumentState::Words);
    assert!(f.indexed("first"), "the old version answers");
    f.close();
    f.open();
    f.until("completed", |f| f.find("a.md").version == Some(2) && f.ready() == ["a.md"]);
    assert!(f.indexed("second") && !f.indexed("first"));
    assert_eq!(f.conversions(), 2);
}

#[test]
fn going_back_to_an_earlier_text_embeds_nothing() {
    let f = Fixture::new();
    f.write("a.md", "the first text");
    f.add_folder(false);
    f.write("a.md", "the second text");
    f.sync();
    f.write("a.md", "the first text");
    f.sync();
    assert_eq!(f.find("a.md").version, Some(3));
    assert_eq!(f.fakes.embedder.embedded_again(), Vec::<String>::new());
}

#[test]
fn words_alone_without_an_embedder() {
    let f = Fixture::with(Fakes::words_only());
    f.write("a.md", "alpha text");
    f.add_folder(false);
    assert_eq!(f.ready(), ["a.md"]);
    assert!(f.indexed("alpha"));
    assert_eq!(f.embedded(), 0);
}

#[test]
fn pausing_halts_and_nests() {
    let f = Fixture::new();
    f.library().pause_ingest(true);
    f.library().pause_ingest(true);
    f.idle();
    f.write("a.md", "alpha text");
    let item = carrel_engine::library::AddItem::Path { path: f.root(), watch: false };
    f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    f.library().pause_ingest(false);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(f.conversions(), 0);
    f.library().pause_ingest(false);
    f.idle();
    assert_eq!(f.ready(), ["a.md"]);
}

#[test]
fn a_queue_goes_on_after_the_library_was_closed() {
    let mut f = Fixture::new();
    f.library().pause_ingest(true);
    for i in 0..50 {
        f.write(&format!("{i}.md"), &format!("# Title {i}\n\ntext {i}"));
    }
    let item = carrel_engine::library::AddItem::Path { path: f.root(), watch: false };
    f.library().add(&[item], &AddOptions::default(), false, &Cancel::new()).unwrap();
    f.reopen();
    f.idle();
    assert_eq!(f.ready().len(), 50);
    assert_eq!(f.fakes.embedder.embedded_again(), Vec::<String>::new());
}
