//! The road of a chat: asked, narrowed, branched, rated, renamed, found again, and its old citation after the document changed.

use crate::stage::Stage;
use crate::webdriver::Session;
use crate::{LONG, SHORT, add_by_path, marked, view};

#[test]
fn a_chat_is_kept_with_its_branches_and_leads_to_the_version_it_was_made_from() {
    let Some(stage) = Stage::open("chats") else { return };
    let page = stage.page();
    let lease = stage.papers.join("Lease.md");
    std::fs::write(
        &lease,
        "# Lease\n\nThe deposit is two months' rent.\n\nThe rent is due on the third day.\n",
    )
    .expect("written");
    view(page, "library");
    add_by_path(page, &stage.papers.to_string_lossy());
    page.until("the lease to be ready", LONG, || {
        page.all("[data-testid=library-row][data-state=ready]").into_iter().next()
    });

    // Narrowed before the first question, by its name.
    view(page, "ask");
    page.click(&page.get("scope-narrow"));
    page.type_into(&page.get("scope-words"), "lease");
    page.until("the document to choose", SHORT, || page.list("scope-choice").into_iter().next());
    page.click(&page.list("scope-choice").into_iter().last().expect("a choice"));
    stage.picture("1-narrow");
    page.type_into(&page.get("scope-words"), "\u{E00C}");
    page.get("scope-chip");
    page.type_into(&page.get("ask-input"), "How much is the deposit?");
    page.click(&page.get("ask-send"));
    answered(page, 1);
    page.until("a citation", SHORT, || page.list("citation").into_iter().next());
    stage.picture("2-answered");

    // The question asked otherwise stands beside it, and the first can be gone back to.
    edit(page, "What is the deposit?");
    answered(page, 1);
    page.until("two branches", SHORT, || page.text(&page.get("branch")).contains("2 of 2").then_some(()));
    stage.picture("3-branch");
    page.click(&page.all("[aria-label='Branch before']").into_iter().next().expect("the branch before"));
    page.until("the first branch", SHORT, || page.text(&page.get("branch")).contains("1 of 2").then_some(()));

    page.click(&page.get("rate-good"));
    page.until("the rating to be kept", SHORT, || {
        page.all("[data-testid=rate-good][aria-pressed=true]").into_iter().next()
    });

    // Renamed in place, and found by words of an answer.
    page.type_into(&page.get("chat"), "\u{E032}");
    let title = page.get("chat-title");
    page.clear(&title);
    page.type_into(&title, "About the lease\u{E007}");
    page.until("the new title", SHORT, || listed(page).contains("About the lease").then_some(()));
    page.script("document.querySelector('[data-testid=chats-find]').click()");
    page.type_into(&page.get("chats-words"), "deposit");
    page.until("the chat that holds it, with the words", SHORT, || {
        let listed = listed(page);
        (listed.contains("About the lease") && listed.contains("two months")).then_some(())
    });
    stage.picture("4-found");

    // The document changes: the citation still opens what was cited, and says that it is superseded.
    std::fs::write(&lease, "# Lease\n\nNothing is paid in advance.\n").expect("written");
    page.click(&page.get("citation"));
    page.until("the superseded version", LONG, || page.list("reader-superseded").into_iter().next());
    let mark = marked(page);
    assert!(mark.contains("deposit is two months"), "the words as they were cited: {mark}");
    stage.picture("5-superseded");
}

fn answered(page: &Session, turns: usize) {
    page.until("the answers to be kept", LONG, || {
        let done = page.all("[data-testid=answer][data-state=done]").len() == turns;
        (done && page.list("question-edit").len() == turns && page.list("ask-stop").is_empty()).then_some(())
    });
}

/// Changes the first question.
fn edit(page: &Session, question: &str) {
    page.script("document.querySelector('[data-testid=question-edit]').click()");
    let field = page.get("question-field");
    page.clear(&field);
    page.type_into(&field, &format!("{question}\u{E007}"));
    page.until("the other question", SHORT, || {
        page.all("h2").iter().any(|heading| page.text(heading).contains(question)).then_some(())
    });
}

/// The chats of the sidebar as they read.
fn listed(page: &Session) -> String {
    let text =
        "return [...document.querySelectorAll('[data-testid=chat]')].map(one => one.innerText).join(' ')";
    page.script(text).as_str().unwrap_or_default().to_owned()
}
