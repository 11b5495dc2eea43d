//! Recordings with a real model, where it is installed: words, their seconds, and what waits for the model.

use crate::models::{installed, json};
use crate::support::Carrel;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of Whisper tiny in the folder of models.
const WHISPER: &str = "models--Systran--faster-whisper-tiny.en";

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/audio");
    folder.join(name).to_str().unwrap().to_owned()
}

/// The models, where one that transcribes is among them.
fn with_whisper() -> Option<PathBuf> {
    let models = installed()?;
    let there = models.join(WHISPER).is_dir();
    if !there {
        eprintln!("skipped: whisper-tiny-en is not installed");
    }
    there.then_some(models)
}

/// A folder of models that holds the transcriber alone, or nothing.
#[cfg(unix)]
fn only(carrel: &Carrel, models: Option<&Path>) -> PathBuf {
    let own = carrel.files().join("models");
    std::fs::create_dir_all(&own).unwrap();
    if let Some(models) = models {
        std::os::unix::fs::symlink(models.join(WHISPER), own.join(WHISPER)).unwrap();
    }
    own
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
    let Some(models) = with_whisper() else { return };
    let carrel = Carrel::new();
    let own = only(&carrel, Some(&models));
    let converted = json(&carrel, &own, &["convert", &fixture("lighthouse.mp3")]).ended_with(0).json();
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
    for name in ["lighthouse.m4a", "lighthouse.flac", "lighthouse.ogg"] {
        let converted = json(&carrel, &own, &["convert", &fixture(name)]).ended_with(0).json();
        let said = converted["markdown"].as_str().unwrap().to_lowercase();
        assert!(said.contains("keeper wrote the weather"), "{name}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn a_recording_waits_for_a_model_and_is_taken_up_when_it_comes() {
    let Some(models) = with_whisper() else { return };
    let carrel = Carrel::new();
    let own = only(&carrel, None);
    let file = carrel.file("docs/lighthouse.mp3", std::fs::read(fixture("lighthouse.mp3")).unwrap());
    let refused = json(&carrel, &own, &["convert", &file]).ended_with(1);
    assert_eq!(refused.code(), "needs_model");
    assert!(
        refused.json()["problem"]["message"].as_str().unwrap().contains("carrel models get whisper-base")
    );
    json(&carrel, &own, &["add", &file]);
    let listed = json(&carrel, &own, &["documents", "--state", "skipped"]).json();
    assert_eq!(listed["documents"][0]["code"], "needs_model", "{listed}");
    only(&carrel, Some(&models));
    // All its files are there: nothing is fetched.
    json(&carrel, &own, &["models", "get", "whisper-tiny-en"]).ended_with(0);
    json(&carrel, &own, &["add", &file]).ended_with(0);
    let found = json(&carrel, &own, &["search", "ship without lights"]).ended_with(0).json();
    let place = &found["hits"][0];
    assert_eq!(place["document"]["title"], "lighthouse.mp3", "{found}");
    assert!(place.to_string().contains("\"seconds\""), "{place}");
}
