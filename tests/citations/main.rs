//! What a kept citation leads to after its document, or the name of its library, has changed.

#![expect(clippy::unwrap_used, reason = "a test stops where something is missing")]

use carrel_api::{App, AppConfig, Cancel, Problem};
use serde_json::{Value, json};
use std::sync::Arc;

const BEFORE: &str = "# Garage\n\nThe notice period of the garage is thirty days.\n";
const QUOTE: &str = "The notice period of the garage is thirty days.";

struct Desk {
    app: Arc<App>,
    _folder: tempfile::TempDir,
}

impl Desk {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The worker lies beside the folder of the test programs.
        let worker = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("carrel-worker");
        let at = |name: &str| folder.path().join(name);
        let config = AppConfig { data: at("data"), models: at("models"), worker: Some(worker) };
        let desk = Self { app: App::open(config).unwrap(), _folder: folder };
        desk.call("library.create", json!({"name": "Work"})).unwrap();
        desk
    }

    fn call(&self, name: &str, params: Value) -> Result<Value, Problem> {
        self.app.call(name, name, params, &Cancel::new(), &mut |_| ())
    }

    fn write(&self, text: &str) {
        let what = json!([{"kind": "text", "id": "garage", "text": text}]);
        self.call("add", json!({"what": what, "library": "Work", "wait": true})).unwrap();
    }

    /// The Reader at what was cited, in a version.
    fn read(&self, document: &str, version: Option<u32>) -> Result<Value, Problem> {
        let start = BEFORE.find(QUOTE).unwrap();
        let place = json!({"document": document, "library": "Work", "version": version,
            "start": start, "end": start + QUOTE.len(), "quote": QUOTE});
        self.call("reader.open", place)
    }
}

#[test]
fn a_citation_opens_the_version_that_it_was_made_from() {
    let desk = Desk::open();
    desk.write(BEFORE);
    let documents = desk.call("documents.list", json!({"library": "Work"})).unwrap();
    let document = documents["documents"][0]["id"].as_str().unwrap().to_owned();
    let flags = |view: &Value| (view["active"] == true, view["quoted"] == true);
    let marks = |view: &Value| {
        let html = view["html"].as_str().unwrap();
        html.contains("<mark id=\"passage\">") && html.contains(QUOTE)
    };
    let now = desk.read(&document, Some(1)).unwrap();
    assert_eq!((flags(&now), marks(&now)), ((true, true), true), "{now}");

    desk.write("# Garage\n\nNew rules.\n\nThe notice of the garage is a fortnight.\n");
    let old = desk.read(&document, Some(1)).unwrap();
    assert_eq!((flags(&old), marks(&old)), ((false, true), true), "{old}");
    let active = desk.read(&document, None).unwrap();
    assert_eq!(flags(&active), (true, false), "other words are not shown as what was cited");
    assert!(!active["html"].as_str().unwrap().contains("<mark"), "{active}");

    // The same words further down are found there.
    desk.write(&format!("# Garage\n\nA page of other rules came before it.\n\n{QUOTE}\n"));
    let moved = desk.read(&document, None).unwrap();
    assert_eq!((flags(&moved), marks(&moved)), ((true, true), true), "{moved}");

    assert_eq!(desk.read(&document, Some(9)).unwrap_err().code, "not_found");
    desk.call("library.rename", json!({"old": "Work", "new": "Office"})).unwrap();
    assert!(marks(&desk.read(&document, Some(1)).unwrap()), "by the name that its library had");
    desk.call("document.remove", json!({"document": document, "library": "Office"})).unwrap();
    assert_eq!(desk.read(&document, Some(1)).unwrap_err().code, "not_found");
}
