//! Jobs, progress, change notices, health, the program itself.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JobDto {
    /// Its id.
    pub id: String,
    /// `add`, `sync`, `download`, …
    pub kind: String,
    /// What it works on.
    pub subject: String,
    /// In which library.
    pub library: Option<String>,
    /// `running`, `done`, `cancelled`, `failed`, `interrupted`.
    pub state: String,
    /// Why it failed.
    pub message: Option<String>,
    /// When begun.
    pub started: String,
    /// When ended.
    pub ended: Option<String>,
    /// Done so far, where known.
    #[ts(type = "number | null")]
    pub done: Option<u64>,
    /// In all, where known.
    #[ts(type = "number | null")]
    pub total: Option<u64>,
}

/// `jobs.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JobList {
    /// Running ones first, then newest first.
    pub jobs: Vec<JobDto>,
}

/// A job by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JobRef {
    /// Its id.
    pub id: String,
}

/// The part of a file that is being converted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FilePartDto {
    /// `page`, `scanned page`, `slide`, `sheet`, `chapter`, `message`, `file`, `part`; `second` of a recording.
    pub unit: String,
    /// Counts from 1.
    pub number: u32,
    /// How many there are; 0 where that is not known.
    pub of: u32,
}

/// How far the work of one library is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProgressDto {
    /// The library.
    pub library: String,
    /// Documents waiting for conversion.
    pub converting: u32,
    /// Passages waiting for their vectors.
    pub embedding: u32,
    /// Passages waiting for their line of context.
    #[serde(default)]
    pub enriching: u32,
    /// Documents done since the work began.
    pub done: u32,
    /// Documents in all since the work began.
    pub total: u32,
    /// File being converted.
    pub current: Option<String>,
    /// Which part of it, where it has several.
    pub part: Option<FilePartDto>,
    /// A scan is running.
    pub scanning: bool,
    /// Paused by the user.
    pub paused: bool,
}

/// `activity`: everything that works in the background.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ActivityDto {
    /// Libraries with work left.
    pub progress: Vec<ProgressDto>,
    /// Jobs.
    pub jobs: Vec<JobDto>,
}

/// `ingest.pause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PauseRequest {
    /// Pause or go on.
    pub paused: bool,
}

/// `call.cancel`: the id that the caller gave to its call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CallRef {
    /// Its id.
    pub call: String,
}

/// A line of `events.subscribe`: ask again for what carries these tags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangeNotice {
    /// `libraries`, `documents`, `sources`, `chats`, `jobs`, `models`, `settings`.
    pub tags: Vec<String>,
    /// In which library.
    pub library: Option<String>,
}

/// A line of `watch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum WatchEvent {
    /// Following began.
    Watching {
        /// Sources followed.
        sources: u32,
    },
    /// A document changed its state.
    Document {
        /// Which.
        uri: String,
        /// Its state now.
        state: String,
        /// Its library.
        library: String,
    },
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CheckDto {
    /// What.
    pub name: String,
    /// Well.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// Mended.
    pub mended: bool,
    /// There is nothing to look at, which is neither well nor wrong.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub absent: bool,
}

/// `doctor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DoctorReport {
    /// Nothing is wrong that was not mended.
    pub healthy: bool,
    /// Everything looked at.
    pub checks: Vec<CheckDto>,
}

/// `doctor`'s request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DoctorRequest {
    /// Mend what can be mended.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub repair: bool,
}

/// `app.info`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AppInfo {
    /// Of the program.
    pub version: String,
    /// The data folder.
    pub data: String,
    /// Where models lie.
    pub models: String,
    /// Id of the default embedder, where one is installed.
    pub embedder: Option<String>,
    /// Id of the chosen language model, where one is usable.
    pub language_model: Option<String>,
    /// Whether the chosen language model runs on this machine.
    pub language_model_local: bool,
    /// Where embedders and rerankers compute: `cpu`, `cuda:N` or `metal`.
    pub device: String,
    /// Why that is not what was chosen.
    pub device_note: Option<String>,
}
