//! Every input that fuzzing found, against the target that found it. See `tests/README.md`.

use carrel_fuzz::table::TARGETS;
use std::path::Path;

/// As the worker has it.
const STACK: usize = 64 << 20;

#[test]
fn every_target_has_its_parser() {
    for target in TARGETS {
        assert!(carrel_fuzz::run(target).is_some(), "{} is no target", target.name);
    }
    let own = carrel_convert::fuzz::TARGETS.iter().map(|(name, _)| *name);
    assert!(own.into_iter().all(|name| carrel_fuzz::target(name).is_some()), "a parser is no target");
}

#[test]
fn what_was_found_once_holds() {
    for target in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("found").join(target.name);
        let Ok(files) = std::fs::read_dir(&folder) else { continue };
        let run = carrel_fuzz::run(target).unwrap();
        for file in files.flatten() {
            let bytes = std::fs::read(file.path()).unwrap();
            let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&bytes)).unwrap();
            assert!(thread.join().is_ok(), "{} fails on {}", target.name, file.path().display());
        }
    }
}

#[test]
fn nothing_at_all_and_one_byte_are_taken_by_every_target() {
    for target in TARGETS {
        let run = carrel_fuzz::run(target).unwrap();
        run(&[]);
        (0..=u8::MAX).for_each(|byte| run(&[byte]));
    }
}
