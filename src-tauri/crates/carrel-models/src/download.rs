//! Downloads from the hub, into the hub's own cache layout.
//!
//! hf-hub gives the layout and the user's token. Its own downloads are not used: version 1 starts over when a connection
//! is cut, and these files are large. So the transfer is written here: an `.incomplete` file beside the target is
//! continued with a `Range` request, its SHA-256 is compared with the one pinned in the catalogue or, where none is
//! pinned, its content with what the hub states of it (its SHA-256, or for small files git's own hash; the SHA-256 is then kept beside the
//! file), and only then is it synced and renamed.
//! Invariant: a file with its final name has the right content; wrong bytes are never kept.

mod request;

#[cfg(test)]
mod tests;

use crate::catalogue::{CatalogueModel, ModelFile};
use crate::http::{Exchange, Patience, Redirects, agent, without_secrets};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use hf_hub::{Cache, Repo, RepoType};
use request::{Part, Request, Stated, blob_hash};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use ureq::Proxy;

const HUB: &str = "https://huggingface.co";
const PATIENCE: Patience =
    Patience { connect: Duration::from_secs(15), silence: Duration::from_mins(1), whole: None };
const CHUNK: usize = 256 << 10;
/// A connection that is cut this often without bringing anything is given up.
const FRUITLESS_ATTEMPTS: u32 = 3;

/// Where models come from, as the environment says (`HF_ENDPOINT`, `HF_TOKEN`, the token file of the hub's tools, and
/// the usual proxy variables).
#[derive(Clone)]
pub struct Hub {
    endpoint: String,
    /// Whether the address is the user's own: then it holds for models of other hubs too.
    named: bool,
    token: Option<String>,
    proxy: Option<Proxy>,
    patience: Patience,
}

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The file that is coming in.
    pub file: &'a str,
    /// Bytes there, over all files of the model.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

impl Hub {
    /// The hub that this process's environment names.
    pub fn from_env() -> Self {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name: &str| variable(name).filter(|v| !v.trim().is_empty());
        let endpoint = variable("HF_ENDPOINT");
        let named = endpoint.is_some();
        let endpoint = endpoint.unwrap_or_else(|| HUB.to_owned());
        // The hub's default folder is looked up in the home folder, which need not exist.
        let home = variable("HF_HOME").is_some() || variable("HOME").is_some() || cfg!(windows);
        let token = variable("HF_TOKEN").or_else(|| if home { Cache::from_env().token() } else { None });
        let token = token.map(|t| t.trim().to_owned());
        Self {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            named,
            token,
            proxy: None,
            patience: PATIENCE,
        }
    }

    /// A hub at another address, with no token. Proxies of the environment hold unless one is named here.
    pub fn at(endpoint: &str, proxy: Option<&str>) -> Result<Self, ModelError> {
        let proxy = proxy
            .map(|p| {
                Proxy::new(p)
                    .map_err(|e| ModelError::Failed(format!("the proxy {}: {e}", without_secrets(p))))
            })
            .transpose()?;
        Ok(Self {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            named: true,
            token: None,
            proxy,
            patience: PATIENCE,
        })
    }

    fn url(&self, model: &CatalogueModel, file: &ModelFile) -> String {
        let endpoint = self.other(model).unwrap_or(&self.endpoint);
        format!("{endpoint}/{}/resolve/{}/{}", model.repository, model.revision, file.path)
    }

    /// The hub of a model that is not on this one.
    fn other<'a>(&self, model: &'a CatalogueModel) -> Option<&'a str> {
        model.hub.as_deref().filter(|_| !self.named)
    }

    /// The user's token, which no other hub may see.
    fn token_for(&self, model: &CatalogueModel) -> Option<String> {
        self.token.clone().filter(|_| self.other(model).is_none())
    }
}

/// The folder of a model's files: `<models>/models--<organisation>--<name>/snapshots/<revision>`.
pub(crate) fn snapshot(models: &Path, model: &CatalogueModel) -> PathBuf {
    let repo = Repo::with_revision(model.repository.clone(), RepoType::Model, model.revision.clone());
    Cache::new(models.to_owned()).repo(repo).pointer_path(&model.revision)
}

/// Where a file grows until it is whole.
pub(crate) fn incomplete(path: &Path) -> PathBuf {
    with_suffix(path, ".incomplete")
}

/// Where the SHA-256 is kept that the hub stated for a file without a pinned one.
pub(crate) fn stated(path: &Path) -> PathBuf {
    with_suffix(path, ".sha256")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Fetches what is missing of `model`. Files that are there in the right size stay as they are. Cancelling keeps the
/// partial file for the next call.
pub(crate) fn fetch(
    hub: &Hub,
    models: &Path,
    model: &CatalogueModel,
    progress: &mut dyn FnMut(Progress<'_>),
    cancel: &Cancel,
) -> Result<(), ModelError> {
    let folder = snapshot(models, model);
    let mut total = model.bytes();
    let mut before = 0;
    for file in &model.files {
        let path = folder.join(&file.path);
        if size(&path).is_none_or(|size| file.wrong_size(size).is_some()) {
            let size = file.bytes;
            let mut transfer =
                Transfer { hub, model, file, path: &path, size, before, total, progress, cancel };
            transfer.run()?;
            total = transfer.total;
        }
        before += size(&path).unwrap_or(0);
        progress(Progress { file: &file.path, done: before, total: total.max(before) });
    }
    Ok(())
}

/// Size of a regular file, where there is one.
pub(crate) fn size(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|m| m.len())
}

/// SHA-256 of a file in hex; looks at `cancel` between pieces.
pub(crate) fn hash_file(path: &Path, cancel: &Cancel) -> Result<String, ModelError> {
    let mut file = File::open(path).map_err(|e| disk(path, &e))?;
    let mut hash = Sha256::new();
    feed(&mut file, path, &mut hash, cancel)?;
    Ok(hex(&hash.finalize()))
}

fn feed(file: &mut File, path: &Path, hash: &mut Sha256, cancel: &Cancel) -> Result<u64, ModelError> {
    let mut buffer = vec![0u8; CHUNK];
    let mut length = 0;
    loop {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        match file.read(&mut buffer) {
            Ok(0) => return Ok(length),
            Ok(n) => {
                hash.update(&buffer[..n]);
                length += n as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(disk(path, &e)),
        }
    }
}

/// SHA-256 of a text in hex.
pub(crate) fn hash_text(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{b:02x}");
        text
    })
}

/// The machine refused.
pub(crate) fn disk(path: &Path, error: &std::io::Error) -> ModelError {
    let hint = if error.kind() == ErrorKind::StorageFull { ": free some space and try again" } else { "" };
    ModelError::Failed(format!("{}: {error}{hint}", path.display()))
}

/// Makes a rename last through a power cut.
pub(crate) fn sync_folder(path: &Path) {
    // Not every system can sync a folder; the rename is in order anyway.
    if let Some(parent) = path.parent()
        && let Ok(folder) = File::open(parent)
    {
        let _ = folder.sync_all();
    }
}

struct Transfer<'a> {
    hub: &'a Hub,
    model: &'a CatalogueModel,
    file: &'a ModelFile,
    path: &'a Path,
    /// Of the file, once known.
    size: Option<u64>,
    /// Bytes of the files before this one.
    before: u64,
    /// Bytes of all files, as far as known.
    total: u64,
    progress: &'a mut dyn FnMut(Progress<'_>),
    cancel: &'a Cancel,
}

impl Transfer<'_> {
    fn run(&mut self) -> Result<(), ModelError> {
        let partial = incomplete(self.path);
        if let Some(parent) = self.path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| disk(parent, &e))?;
        }
        let mut out = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&partial)
            .map_err(|e| disk(&partial, &e))?;
        let mut hash = Sha256::new();
        let mut have = feed(&mut out, &partial, &mut hash, self.cancel)?;
        let mut wanted = self.file.sha256.clone().map(Stated::Sha256);
        let mut fruitless = 0;
        while self.size != Some(have) || wanted.is_none() {
            let began = have;
            match self.attempt(&mut out, &mut hash, &mut have, &mut wanted) {
                Ok(()) => break,
                Err(ModelError::Unreachable { .. })
                    if have > began && self.size.is_none_or(|size| have < size) =>
                {
                    fruitless = 0;
                }
                Err(error @ ModelError::Unreachable { .. }) => {
                    fruitless += 1;
                    if fruitless >= FRUITLESS_ATTEMPTS {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        let found = hex(&hash.finalize());
        let Some(wanted) = wanted else {
            return Err(self.refuse(&partial, "the hub does not state its hash, and none is pinned"));
        };
        if let Some(detail) = self.file.wrong_size(have) {
            return Err(self.refuse(&partial, &detail));
        }
        let (kind, found_so, wanted) = match wanted {
            Stated::Sha256(wanted) => ("SHA-256", found.clone(), wanted),
            Stated::Blob(wanted) => ("hash", blob_hash(&partial)?, wanted),
        };
        if !found_so.eq_ignore_ascii_case(&wanted) {
            return Err(self.refuse(&partial, &format!("its {kind} is {found_so} instead of {wanted}")));
        }
        out.sync_all().map_err(|e| disk(&partial, &e))?;
        drop(out);
        if self.file.sha256.is_none() {
            let kept = stated(self.path);
            std::fs::write(&kept, &found).map_err(|e| disk(&kept, &e))?;
        }
        std::fs::rename(&partial, self.path).map_err(|e| disk(self.path, &e))?;
        sync_folder(self.path);
        Ok(())
    }

    fn refuse(&self, partial: &Path, detail: &str) -> ModelError {
        // Nothing of it can be trusted; the next try starts over.
        let _ = std::fs::remove_file(partial);
        ModelError::Damaged { id: self.model.id.clone(), detail: format!("{}: {detail}", self.file.path) }
    }

    fn attempt(
        &mut self,
        out: &mut File,
        hash: &mut Sha256,
        have: &mut u64,
        wanted: &mut Option<Stated>,
    ) -> Result<(), ModelError> {
        let partial = incomplete(self.path);
        let restart = |out: &mut File, hash: &mut Sha256, have: &mut u64| -> Result<(), ModelError> {
            use std::io::Seek;
            out.set_len(0).and_then(|()| out.rewind()).map_err(|e| disk(&partial, &e))?;
            *hash = Sha256::new();
            *have = 0;
            Ok(())
        };
        if self.size.is_some_and(|size| *have > size) {
            restart(out, hash, have)?;
        }
        let request = Request {
            url: self.hub.url(self.model, self.file),
            token: self.hub.token_for(self.model),
            offset: *have,
            ask_for_hash: wanted.is_none(),
            patience: self.hub.patience,
            proxy: self.hub.proxy.clone(),
        };
        let shown = without_secrets(&request.url);
        let exchange = Exchange::start(
            agent(request.patience, request.proxy.clone(), Redirects::Follow),
            move |agent, parts| {
                request.run(agent, parts);
            },
        )
        .map_err(|e| ModelError::Failed(e.to_string()))?;
        loop {
            let part = exchange.next(self.cancel).map_err(|_| ModelError::Cancelled)?;
            match part {
                Some(Part::Start { offset, total, stated }) => {
                    if self.size.is_none() {
                        self.size = total;
                        self.total += total.unwrap_or(0);
                    }
                    if wanted.is_none() {
                        *wanted = stated;
                    }
                    if offset != *have {
                        if offset != 0 {
                            return Err(ModelError::Refused {
                                endpoint: shown,
                                detail: format!("it sent bytes from {offset} on, {have} was asked for"),
                            });
                        }
                        restart(out, hash, have)?;
                    }
                }
                Some(Part::Bytes(bytes)) => {
                    *have += bytes.len() as u64;
                    if let Some(size) = self.size.filter(|size| *have > *size) {
                        return Err(self.refuse(&partial, &format!("more than its {size} bytes came")));
                    }
                    out.write_all(&bytes).map_err(|e| disk(&partial, &e))?;
                    hash.update(&bytes);
                    (self.progress)(Progress {
                        file: &self.file.path,
                        done: self.before + *have,
                        total: self.total.max(self.before + *have),
                    });
                }
                Some(Part::PastTheEnd) => {
                    let detail = format!("it ends before byte {have}");
                    return Err(self.refuse(&partial, &detail));
                }
                Some(Part::Failed(error)) => return Err(error),
                Some(Part::Cut(detail)) => return Err(ModelError::Unreachable { endpoint: shown, detail }),
                // A body whose length nobody told ends where it ends.
                None if self.size.is_none_or(|size| size == *have) => {
                    self.size = Some(*have);
                    return Ok(());
                }
                None => {
                    let of = self.size.map_or_else(String::new, |size| format!(" of {size}"));
                    let detail = format!("the connection was cut after {have}{of} bytes");
                    return Err(ModelError::Unreachable { endpoint: shown, detail });
                }
            }
        }
    }
}
