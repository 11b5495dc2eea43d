//! Texts, pages, and documents that are text already.

use crate::fixture::{Fixture, text_item};
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::DocumentState;
use carrel_engine::library::{AddItem, AddOptions, DirectDocument};
use carrel_testkit::plain;

#[test]
fn the_same_id_again_is_a_new_version() {
    let mut f = Fixture::new();
    let add = |f: &Fixture, text| {
        f.library().add(&[text_item("n1", text)], &AddOptions::default(), true, &Cancel::new()).unwrap()
    };
    assert_eq!(add(&f, "the first note").added, 1);
    assert_eq!(add(&f, "the first note").unchanged, 1);
    assert_eq!(add(&f, "the second note").updated, 1);
    let document = f.library().find_document("text:n1").unwrap();
    assert_eq!((document.version, document.state), (Some(2), DocumentState::Ready));
    assert!(f.indexed("second") && !f.indexed("first"));
    f.close();
    f.fakes.converter.raise_version();
    f.open();
    f.idle();
    assert_eq!(f.text(&f.library().find_document("n1").unwrap()), "the second note", "its bytes are kept");
}

#[test]
fn a_page_is_converted_as_what_its_server_said() {
    let f = Fixture::new();
    let page = AddItem::Page {
        url: "https://example.org/a?b=c".to_owned(),
        bytes: b"# Page\n\nIts text.".to_vec(),
        media_type: Some("text/plain".to_owned()),
    };
    f.library().add(&[page], &AddOptions::default(), true, &Cancel::new()).unwrap();
    let document = f.library().find_document("https://example.org/a?b=c").unwrap();
    assert_eq!((document.title.as_str(), document.media_type.as_str()), ("Page", "text/plain"));
}

#[test]
fn titles_and_tags_are_the_users() {
    let f = Fixture::new();
    f.write("a.md", "# Own title\n\nalpha text");
    let item = AddItem::Path { path: f.path("a.md"), watch: false };
    let options =
        AddOptions { title: Some("Given".to_owned()), tags: vec!["t2".to_owned(), "t1".to_owned()] };
    f.library().add(std::slice::from_ref(&item), &options, true, &Cancel::new()).unwrap();
    let document = f.find("a.md");
    assert_eq!(
        (document.title.as_str(), document.tags.as_slice()),
        ("Given", ["t1".to_owned(), "t2".to_owned()].as_slice())
    );
    f.write("a.md", "# Another title\n\nalpha text");
    f.sync();
    assert_eq!(f.find("a.md").title, "Given");
    let more = AddOptions { title: None, tags: vec!["t3".to_owned()] };
    f.library().add(&[item], &more, true, &Cancel::new()).unwrap();
    assert_eq!(f.find("a.md").tags.len(), 3);
}

#[test]
fn a_path_that_is_not_there_fails_alone() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    let items = [f.path("none.md"), f.path("a.md")].map(|path| AddItem::Path { path, watch: false });
    let report = f.library().add(&items, &AddOptions::default(), true, &Cancel::new()).unwrap();
    assert_eq!((report.added, report.failed.len(), report.failed[0].code.as_str()), (1, 1, "unreadable"));
}

#[test]
fn a_hidden_file_that_is_named_is_taken() {
    let f = Fixture::new();
    f.write("a.md", "alpha text");
    f.write(".secret.md", "hidden text");
    f.add_folder(false);
    assert_eq!(f.add(&f.path(".secret.md"), false).added, 1);
    assert!(f.indexed("hidden"));
    assert_eq!(f.sync().unchanged, 2);
}

#[test]
fn direct_documents_are_cut_and_embedded_like_others() {
    let f = Fixture::new();
    let long = "word ".repeat(600);
    let mut documents = (0..300).map(|i| DirectDocument {
        id: format!("d{i}"),
        title: format!("Document {i}"),
        converted: if i == 7 { plain(&long) } else { plain(&format!("text number {i}")) },
    });
    let mut seen = 0;
    f.library().add_direct(&mut documents, &mut |n| seen = n, &Cancel::new()).unwrap();
    assert_eq!(seen, 300);
    let status = f.library().status().unwrap();
    assert_eq!(status.documents[&DocumentState::Ready], 300);
    assert!(status.passages > 300 && status.vectors == status.passages);
    let document = f.library().find_document("text:d7").unwrap();
    assert!(document.passages > 1 && document.title == "Document 7");
    let all: Vec<_> = f.library().passages(document.id, None).unwrap();
    assert!(all.iter().all(|p| p.tokens <= 256));
}
