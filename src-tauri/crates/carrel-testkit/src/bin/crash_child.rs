//! Does real ingest in a library until a fault point ends it: the child of the kill test.
//!
//! Arguments: the library's folder, the folder of documents. Says on standard output what was acknowledged.

use carrel_engine::cancel::Cancel;
use carrel_engine::error::Result;
use carrel_engine::library::{AddItem, AddOptions, Library};
use carrel_testkit::Fakes;
use std::io::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(folder), Some(documents)) = (arguments.next(), arguments.next()) else {
        return Err(carrel_engine::error::EngineError::Invalid(
            "usage: crash_child LIBRARY DOCUMENTS".to_owned(),
        ));
    };
    let fakes = Fakes::default();
    let library = Library::create(&folder, fakes.parts())?;
    let cancel = Cancel::new();
    let item = AddItem::Path { path: documents.clone(), watch: false };
    library.add(&[item], &AddOptions::default(), true, &cancel)?;
    library.wait_idle(&cancel)?;
    say("added");
    change(&documents);
    library.sync(&cancel)?;
    library.wait_idle(&cancel)?;
    say("synced");
    drop(library);
    say("closed");
    Ok(())
}

/// Edits, removes, renames and adds files.
fn change(documents: &Path) {
    let done = (0..4)
        .try_for_each(|n| {
            let text =
                format!("# Changed {n}\n\nthe revised wording of document {n} speaks of tin and zinc\n");
            std::fs::write(documents.join(format!("doc-{n}.md")), text)
        })
        .and_then(|()| std::fs::remove_file(documents.join("doc-5.md")))
        .and_then(|()| std::fs::rename(documents.join("doc-6.md"), documents.join("moved.md")))
        .and_then(|()| std::fs::write(documents.join("new.md"), "# New\n\na document that came later\n"));
    if let Err(e) = done {
        say(&format!("could not change the documents: {e}"));
    }
}

fn say(word: &str) {
    let mut out = std::io::stdout().lock();
    // The parent may be gone.
    let _ = writeln!(out, "{word}").and_then(|()| out.flush());
}
