//! One request to the hub: the rest of a file, and what the hub states of it.

use super::{CHUNK, disk, hex};
use crate::http::{Patience, describe, without_secrets};
use carrel_engine::seams::ModelError;
use sha1::{Digest, Sha1};
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::SyncSender;
use ureq::{Agent, Proxy};

/// What a file must hash to.
#[derive(Clone)]
pub(super) enum Stated {
    /// Its SHA-256.
    Sha256(String),
    /// Its name as a blob of git: SHA-1 over its size and its content. Hubs state it for files that are not kept apart.
    Blob(String),
}

impl Stated {
    fn of(text: &str) -> Option<Self> {
        let hash = text.trim_start_matches("W/").trim_matches('"').to_ascii_lowercase();
        if !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        match hash.len() {
            64 => Some(Self::Sha256(hash)),
            40 => Some(Self::Blob(hash)),
            _ => None,
        }
    }
}

/// Git's name of a file.
pub(super) fn blob_hash(path: &Path) -> Result<String, ModelError> {
    let content = std::fs::read(path).map_err(|e| disk(path, &e))?;
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", content.len()));
    hash.update(&content);
    Ok(hex(&hash.finalize()))
}

/// What comes in.
pub(super) enum Part {
    /// The body begins at this offset of the whole file; the hub states this of it.
    Start {
        offset: u64,
        total: Option<u64>,
        stated: Option<Stated>,
    },
    Bytes(Vec<u8>),
    /// Nothing lies at or after the offset that was asked for.
    PastTheEnd,
    Failed(ModelError),
    /// The connection broke; what came in so far is good.
    Cut(String),
}

/// One request for the rest of a file.
pub(super) struct Request {
    pub(super) url: String,
    pub(super) token: Option<String>,
    pub(super) offset: u64,
    pub(super) ask_for_hash: bool,
    pub(super) patience: Patience,
    pub(super) proxy: Option<Proxy>,
}

impl Request {
    /// Asks, and hands out what comes in.
    pub(super) fn run(&self, agent: &Agent, parts: &SyncSender<Part>) {
        let shown = without_secrets(&self.url);
        let authorization = self.token.as_ref().map(|t| format!("Bearer {t}"));
        let stated = if self.ask_for_hash { self.stated_hash(agent, authorization.as_deref()) } else { None };
        let mut request = agent.get(&self.url).header("accept-encoding", "identity");
        if let Some(value) = &authorization {
            request = request.header("authorization", value);
        }
        if self.offset > 0 {
            request = request.header("range", format!("bytes={}-", self.offset));
        }
        let response = match request.call() {
            Ok(response) => response,
            Err(error) => {
                let _ = parts.send(Part::Cut(describe(&error)));
                return;
            }
        };
        let status = response.status().as_u16();
        let start = match status {
            200 => {
                let length = response.headers().get("content-length");
                let total = length.and_then(|v| v.to_str().ok()?.parse().ok());
                Part::Start { offset: 0, total, stated }
            }
            206 => {
                let range = response.headers().get("content-range").and_then(|v| v.to_str().ok());
                match range.and_then(first_byte) {
                    Some(offset) => {
                        let total = range.and_then(|r| r.rsplit('/').next()?.parse().ok());
                        Part::Start { offset, total, stated }
                    }
                    None => Part::Failed(ModelError::Refused {
                        endpoint: shown,
                        detail: "it does not say which bytes it sends".into(),
                    }),
                }
            }
            416 => Part::PastTheEnd,
            401 | 403 => Part::Failed(ModelError::Refused {
                endpoint: shown,
                detail: format!(
                    "status {status}: it asks for a token (set HF_TOKEN) or for its terms to be accepted"
                ),
            }),
            500..=599 => Part::Cut(format!("status {status}")),
            _ => Part::Failed(ModelError::Refused { endpoint: shown, detail: format!("status {status}") }),
        };
        let body_follows = matches!(start, Part::Start { .. });
        if parts.send(start).is_err() || !body_follows {
            return;
        }
        let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0u8; CHUNK];
        loop {
            let part = match reader.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => Part::Bytes(buffer[..n].to_vec()),
                Err(error) => Part::Cut(error.to_string()),
            };
            let cut = matches!(part, Part::Cut(_));
            if parts.send(part).is_err() || cut {
                return;
            }
        }
    }

    /// The hub names the SHA-256 of large files in the answer that redirects to their store, and git's hash of others.
    fn stated_hash(&self, agent: &Agent, authorization: Option<&str>) -> Option<Stated> {
        let mut request =
            agent.head(&self.url).config().max_redirects(0).max_redirects_will_error(false).build();
        if let Some(value) = authorization {
            request = request.header("authorization", value);
        }
        let response = request.call().ok()?;
        ["x-linked-etag", "etag"]
            .iter()
            .find_map(|name| Stated::of(response.headers().get(*name)?.to_str().ok()?))
    }
}

/// `bytes 400-999/1000` begins at 400.
fn first_byte(range: &str) -> Option<u64> {
    range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}
