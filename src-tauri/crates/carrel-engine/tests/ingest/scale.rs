//! What must not grow faster than the folder.

use crate::fixture::Fixture;
use std::time::Instant;

#[test]
fn a_rescan_of_many_unchanged_files_reads_none_and_grows_with_their_number() {
    let f = Fixture::new();
    let time = |from: usize, to: usize| {
        for i in from..to {
            f.write(&format!("{}/{i}.md", i % 20), &format!("text {i}"));
        }
        f.add_folder(false);
        let conversions = f.conversions();
        let begun = Instant::now();
        let report = f.sync();
        assert_eq!((report.unchanged, f.conversions()), (to, conversions));
        begun.elapsed()
    };
    let small = time(0, 120);
    let large = time(120, 960);
    assert!(large < small * 60, "{small:?} for 120 files, {large:?} for 960");
}
