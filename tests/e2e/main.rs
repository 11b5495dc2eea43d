//! The real window, driven as a person would: under a display of its own, with a fresh home, the real models and real files.
//!
//! Runs inside `cargo xtask test` alone, which has built the program, fetched the models and set `CARREL_E2E`; elsewhere each test
//! says that it was skipped. Pictures of every view go to the folder that `CARREL_E2E` names.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::manual_assert,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and one that is skipped says so"
)]

mod chats;
mod stage;
mod start;
mod webdriver;

use stage::Stage;
use std::time::Duration;
use webdriver::{Element, Session};

/// Models load and answer within this, even on a busy machine.
const LONG: Duration = Duration::from_secs(400);
const SHORT: Duration = Duration::from_secs(60);

#[test]
fn the_main_job_from_a_folder_to_the_passage_behind_an_answer() {
    let Some(stage) = Stage::open("main-job") else { return };
    let page = stage.page();
    stage.paper("Home/Lease agreement.pdf");
    stage.paper("Travel/Kyoto plan.docx");
    let minutes = stage.paper("Work/Minutes 12 March 2026.md");

    view(page, "library");
    stage.picture("1-library-empty");
    add_by_path(page, &stage.papers.to_string_lossy());
    page.until("three documents to be ready", LONG, || {
        let rows = page.all("[data-testid=library-row][data-state=ready]");
        (rows.len() == 3).then_some(())
    });
    stage.picture("2-library");

    // By words and by meaning, from each kind of file.
    for (query, document, words) in [
        ("deposit", "Lease agreement", "2,360"),
        ("booking code", "Kyoto", "QK7M2R"),
        ("who tests whether copies can be restored", "Minutes", "Li Wei"),
    ] {
        let hit = first_hit(page, query, words);
        assert!(page.text(&hit).contains(words), "{query}: {}", page.text(&hit));
        let results = page.text(&page.get("search-results"));
        assert!(results.contains(document), "{query} should find {document}: {results}");
    }
    stage.picture("3-search");
    page.click(&first_hit(page, "deposit", "2,360"));
    let mark = marked(page);
    assert!(mark.contains("2,360"), "the Reader marks the passage of the hit: {mark}");
    stage.picture("4-search-and-reader");
    page.click(&page.get("reader-close"));

    view(page, "ask");
    stage.picture("5-ask-empty");
    page.type_into(&page.get("ask-input"), "How much is the deposit?");
    page.click(&page.get("ask-send"));
    page.until("a sentence that is cited", LONG, || {
        let cited = page.all("[data-testid=answer] [data-testid=citation]");
        (!cited.is_empty() && page.text(&page.get("answer")).contains("2,360")).then_some(())
    });
    // What stands there when it is stopped stays.
    if let Some(stop) = page.list("ask-stop").into_iter().next() {
        page.try_click(&stop);
    }
    page.until("the answer to be over", LONG, || {
        page.all("[data-testid=answer][data-state=done]").into_iter().next()
    });
    let answer = page.text(&page.get("answer"));
    assert!(answer.contains("2,360"), "the model reads the lease: {answer}");
    page.click(&page.get("citation"));
    let mark = marked(page);
    assert!(
        mark.contains("deposit is two months"),
        "the citation opens the sentence about the deposit: {mark}"
    );
    stage.picture("6-answer-and-passage");
    page.click(&page.get("reader-close"));

    // The file changes on disk: the new text is found, the old is gone.
    let text = std::fs::read_to_string(&minutes).expect("the minutes");
    assert!(text.contains("eleven days old"));
    std::fs::write(&minutes, text.replace("eleven days old", "a fortnight old, said the zeppelin report"))
        .expect("written");
    first_hit(page, "zeppelin report", "zeppelin");
    search(page, "eleven days old");
    page.until("the old text to be gone", SHORT, || {
        (!page.list("search-hit").iter().any(|hit| page.text(hit).contains("eleven days"))).then_some(())
    });

    for name in ["activity", "models", "settings", "library"] {
        view(page, name);
        stage.picture(&format!("7-{name}"));
    }
}

#[test]
fn a_file_dragged_from_another_program_is_added() {
    let Some(mut stage) = Stage::open("drop") else { return };
    let file = stage.paper("Bicycle/Owner's manual Heron 7.pdf");
    view(stage.page(), "library");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e/drag_source.py");
    stage.keep("/usr/bin/python3", &[script, &file.to_string_lossy()]);
    std::thread::sleep(Duration::from_secs(2));

    stage.mouse(&["mousemove", "60", "40", "mousedown", "1"]);
    // A drag begins only once the mouse has moved a little, and is followed in steps.
    for step in 1..=30 {
        let (x, y) = (60 + step * 20, 40 + step * 12);
        stage.mouse(&["mousemove", &x.to_string(), &y.to_string()]);
        std::thread::sleep(Duration::from_millis(30));
    }
    stage.page().get("drop-overlay");
    stage.picture("1-held-over-the-window");
    stage.mouse(&["mouseup", "1"]);

    let page = stage.page();
    page.until("the dropped file to be ready", LONG, || {
        page.all("[data-testid=library-row][data-state=ready]").into_iter().next()
    });
    let hit = first_hit(page, "tyre pressure", "4.5 bar");
    assert!(page.text(&hit).contains("4.5 bar"));
    stage.picture("2-found");
}

fn view(page: &Session, name: &str) {
    page.click(&page.get(&format!("nav-{name}")));
    page.get(&format!("view-{name}"));
}

/// The dialog for a typed path stands in the library's empty state as a button, and else in its menu.
fn add_by_path(page: &Session, path: &str) {
    page.click(&page.get("add-path"));
    page.type_into(&page.get("add-path-input"), path);
    page.click(&page.get("add-path-submit"));
}

fn search(page: &Session, query: &str) {
    view(page, "search");
    let field = page.get("search-input");
    page.clear(&field);
    page.type_into(&field, query);
}

/// The first hit of a search once it holds these words.
fn first_hit(page: &Session, query: &str, words: &str) -> Element {
    search(page, query);
    page.until(&format!("a hit with “{words}” for “{query}”"), SHORT, || {
        // Until it is answered, the hits of the query before stand there.
        page.all("[data-testid=search-results][aria-busy=false]").first()?;
        page.list("search-hit").into_iter().find(|hit| page.text(hit).contains(words))
    })
}

/// What the Reader marks, once it is open and in sight.
fn marked(page: &Session) -> String {
    page.get("reader-mark");
    let visible = "const box = document.querySelector('[data-testid=reader-mark]').getBoundingClientRect();
        return box.top >= 0 && box.top < window.innerHeight;";
    page.until("the passage to be in sight", SHORT, || (page.script(visible) == true).then_some(()));
    page.list("reader-mark").iter().map(|mark| page.text(mark)).collect::<Vec<_>>().join(" ")
}
