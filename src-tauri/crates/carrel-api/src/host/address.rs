//! Where an owner listens: a socket in a folder that only its user may enter, recorded in the data folder.
//!
//! The socket lies in the data folder (`owner/socket`), or, where that path is longer than a socket's may be, in the runtime
//! folder. Whoever holds the data folder's lock may replace what is there: its maker is dead.

use interprocess::local_socket::prelude::*;
use interprocess::local_socket::{ConnectOptions, Listener, ListenerOptions, Name, Stream};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest socket path that every system takes, with its terminating zero.
#[cfg(unix)]
const LONGEST: usize = 100;

/// An owner's address, as it stands in `owner/address.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Address {
    /// Path of the socket, or name of the pipe.
    socket: String,
    /// The owner's process.
    pub(super) process: u32,
}

impl Address {
    /// What the owner of this data folder recorded; it may be dead.
    pub(super) fn recorded(data: &Path) -> Option<Address> {
        let text = std::fs::read(record(data)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Connects; `Err` when nobody listens.
    pub(super) fn connect(&self) -> io::Result<Stream> {
        ConnectOptions::new()
            .name(self.name()?)
            .wait_mode(interprocess::ConnectWaitMode::Timeout(Duration::from_secs(3)))
            .connect_sync()
    }

    /// Listens and records where. Only for the holder of the data folder's lock.
    pub(super) fn listen(data: &Path) -> io::Result<(Address, Listener)> {
        let folder = data.join("owner");
        private_folder(&folder)?;
        let address = Address { socket: socket(&folder)?, process: std::process::id() };
        address.clear_socket();
        if let Some(dead) = Self::recorded(data) {
            dead.clear_socket();
        }
        let listener = address.options()?.create_sync()?;
        let temporary = folder.join("address.new");
        std::fs::write(&temporary, serde_json::to_vec(&address)?)?;
        std::fs::rename(&temporary, record(data))?;
        Ok((address, listener))
    }

    /// Removes socket and record. Only for the holder of the data folder's lock.
    pub(super) fn clear(&self, data: &Path) {
        self.clear_socket();
        let _ = std::fs::remove_file(record(data));
    }

    #[cfg(unix)]
    fn clear_socket(&self) {
        let _ = std::fs::remove_file(&self.socket);
    }

    #[cfg(not(unix))]
    fn clear_socket(&self) {}

    #[cfg(unix)]
    fn name(&self) -> io::Result<Name<'_>> {
        self.socket.as_str().to_fs_name::<interprocess::local_socket::GenericFilePath>()
    }

    #[cfg(not(unix))]
    fn name(&self) -> io::Result<Name<'_>> {
        self.socket.as_str().to_ns_name::<interprocess::local_socket::GenericNamespaced>()
    }

    #[cfg(target_os = "linux")]
    fn options(&self) -> io::Result<ListenerOptions<'_>> {
        use interprocess::os::unix::local_socket::ListenerOptionsExt as _;
        Ok(ListenerOptions::new().name(self.name()?).reclaim_name(false).mode(0o600))
    }

    #[cfg(not(target_os = "linux"))]
    fn options(&self) -> io::Result<ListenerOptions<'_>> {
        Ok(ListenerOptions::new().name(self.name()?).reclaim_name(false))
    }
}

fn record(data: &Path) -> PathBuf {
    data.join("owner").join("address.json")
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Refused by the system where the folder is another user's.
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

#[cfg(unix)]
fn socket(folder: &Path) -> io::Result<String> {
    let near = folder.join("socket");
    let path = if near.as_os_str().len() < LONGEST && near.to_str().is_some() {
        near
    } else {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|p| p.is_absolute());
        let runtime = match runtime {
            Some(folder) => folder.join("carrel"),
            None => std::env::temp_dir().join(format!("carrel-{}", user()?)),
        };
        private_folder(&runtime)?;
        runtime.join(uuid::Uuid::now_v7().simple().to_string())
    };
    let text = path.into_os_string().into_string();
    text.map_err(|path| io::Error::other(format!("{} is not a path that a socket can have", path.display())))
}

#[cfg(not(unix))]
fn socket(_folder: &Path) -> io::Result<String> {
    // Not to be guessed: only who may read the data folder learns it.
    Ok(format!("carrel-{}", uuid::Uuid::now_v7().simple()))
}

/// The user's number, as the owner of a file just made has it.
#[cfg(unix)]
fn user() -> io::Result<u32> {
    use std::os::unix::fs::MetadataExt as _;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    home.map_or(Ok(0), |h| std::fs::metadata(h).map(|m| m.uid()))
}
