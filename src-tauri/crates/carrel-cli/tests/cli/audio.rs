//! Recordings with a real model, where it is installed: words, their seconds, and what waits for the model.

use crate::models::installed;
use crate::support::{Carrel, name};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folders of both in the folder of models.
const TINY: &str = "models--Systran--faster-whisper-tiny.en";
const BASE: &str = "models--Systran--faster-whisper-base";

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/audio");
    folder.join(name).to_str().unwrap().to_owned()
}

/// The models, where this one is among them.
fn with(whisper: &str) -> Option<PathBuf> {
    let models = installed()?;
    let there = models.join(whisper).is_dir();
    if !there {
        eprintln!("skipped: {whisper} is not installed");
    }
    there.then_some(models)
}

/// Lays a transcriber where this program looks for models.
#[cfg(unix)]
fn lay(carrel: &Carrel, models: &Path, whisper: &str) {
    let own = carrel.data().with_file_name("models");
    std::fs::create_dir_all(&own).unwrap();
    std::os::unix::fs::symlink(models.join(whisper), own.join(whisper)).unwrap();
}

/// The seconds of the location that the place of `words` in the Markdown has.
fn seconds_of(converted: &Value, words: &str) -> (f64, f64) {
    let at =
        converted["markdown"].as_str().unwrap().find(words).unwrap_or_else(|| panic!("{words}: {converted}"));
    let all = converted["locations"].as_array().unwrap();
    let found = all
        .iter()
        .find(|l| (l["start"].as_u64().unwrap()..l["end"].as_u64().unwrap()).contains(&(at as u64)));
    let seconds = &found.unwrap()["seconds"];
    (seconds[0].as_f64().unwrap(), seconds[1].as_f64().unwrap())
}

#[cfg(unix)]
#[test]
fn a_recording_becomes_words_with_their_seconds() {
    let Some(models) = with(TINY) else { return };
    let carrel = Carrel::new();
    lay(&carrel, &models, TINY);
    let converted = carrel.json(&["convert", &fixture("lighthouse.mp3")]).ended_with(0).json();
    assert_eq!(converted["media_type"], "audio/mpeg");
    let said = converted["markdown"].as_str().unwrap().to_lowercase();
    for words in ["wrote the weather into the", "evening", "march", "ship without lights", "nobody believed"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    // The pauses between the sentences are from 3.5 to 3.9 and from 7.2 to 7.6.
    for (words, from, to) in [("keeper", 0.0, 3.6), ("ship without", 3.9, 7.2), ("Nobody", 7.6, 10.5)] {
        let found = seconds_of(&converted, words);
        assert!(found.0 < to && found.1 > from, "{words} at {found:?}, not from {from} to {to}");
    }
    for name in ["lighthouse.wav", "lighthouse.m4a", "lighthouse.flac", "lighthouse.ogg"] {
        let converted = carrel.json(&["convert", &fixture(name)]).ended_with(0).json();
        let said = converted["markdown"].as_str().unwrap().to_lowercase();
        assert!(said.contains("keeper wrote the weather"), "{name}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn a_recording_waits_for_a_model_and_is_taken_up_when_it_comes() {
    let Some(models) = with(TINY) else { return };
    let carrel = Carrel::new();
    let file = carrel.file("docs/lighthouse.mp3", std::fs::read(fixture("lighthouse.mp3")).unwrap());
    let refused = carrel.json(&["convert", &file]).ended_with(1);
    assert_eq!(refused.code(), "needs_model");
    assert!(
        refused.json()["problem"]["message"].as_str().unwrap().contains("carrel models get whisper-base")
    );
    carrel.json(&["add", &file]);
    let listed = carrel.json(&["documents", "--state", "skipped"]).json();
    assert_eq!(listed["documents"][0]["code"], "needs_model", "{listed}");
    lay(&carrel, &models, TINY);
    carrel.json(&["sync"]).ended_with(0);
    let found = carrel.json(&["search", "ship without lights"]).ended_with(0).json();
    let place = &found["hits"][0];
    assert_eq!(place["document"]["title"], "lighthouse.mp3", "{found}");
    assert!(place["passage"]["location"]["seconds"].is_array(), "{place}");
}

#[cfg(unix)]
#[test]
fn an_open_library_takes_recordings_up_when_the_model_is_got() {
    let Some(models) = with(TINY) else { return };
    let carrel = Carrel::new();
    let watcher = carrel.stay(&["--json", "watch"]);
    watcher.line(|l| l["event"] == "watching");
    let file = carrel.file("docs/lighthouse.ogg", std::fs::read(fixture("lighthouse.ogg")).unwrap());
    carrel.json(&["add", &file]);
    let of_it = |l: &Value, state: &str| {
        l["event"] == "document" && l["state"] == state && name(&l["uri"]) == "lighthouse.ogg"
    };
    watcher.line(|l| of_it(l, "skipped"));
    lay(&carrel, &models, TINY);
    // All its files are there: nothing is fetched.
    carrel.json(&["models", "get", "whisper-tiny-en"]).ended_with(0);
    watcher.line(|l| of_it(l, "ready"));
}

#[cfg(unix)]
#[test]
fn the_language_of_a_recording_is_found() {
    let Some(models) = with(BASE) else { return };
    let carrel = Carrel::new();
    lay(&carrel, &models, BASE);
    for (name, words) in [
        ("mietvertrag.mp3", ["beginnt im april", "zwei jahren"]),
        ("lighthouse.ogg", ["keeper wrote", "weather"]),
    ] {
        let converted = carrel.json(&["convert", &fixture(name)]).ended_with(0).json();
        let said = converted["markdown"].as_str().unwrap().to_lowercase();
        assert!(words.iter().all(|word| said.contains(word)), "{name}: {said}");
    }
}
