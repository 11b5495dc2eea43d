//! The worker: reads requests on stdin, converts, writes replies on stdout. The only place where converters run.
//!
//! One request at a time, on one thread with a large stack. When stdin ends, so does the process.

mod confine;
pub(crate) mod protocol;

use crate::audio;
use crate::formats::{self, Budget, Progress, Source};
use crate::sniff::sound;
use carrel_engine::seams::ConvertError;
use protocol::{Reply, Request, Wire, read_frame, write_reply};
use std::any::Any;
use std::cell::RefCell;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;

/// Stack of the converting thread: deep documents are walked iteratively, but not all of PDFium is ours.
const STACK: usize = 64 << 20;

/// On stderr before the process dies because memory was refused to it.
pub(crate) const OUT_OF_MEMORY: &str = "carrel-worker: out of memory\n";

/// Runs the worker until its parent goes away. Returns the exit status.
pub fn serve() -> i32 {
    confine::at_start();
    let (requests, inbox) = mpsc::sync_channel::<(Request, Vec<u8>)>(1);
    let converting = std::thread::Builder::new().name("convert".into()).stack_size(STACK).spawn(move || {
        for (request, payload) in inbox {
            if answer(&request, payload).is_err() {
                // Nobody listens any more.
                std::process::exit(0);
            }
        }
    });
    if converting.is_err() {
        return 1;
    }
    let mut stdin = io::stdin().lock();
    loop {
        let Ok(Some(request)) = read_message(&mut stdin) else {
            // The parent is gone: whatever is being converted is of no use.
            std::process::exit(0);
        };
        if requests.send(request).is_err() {
            return 1;
        }
    }
}

fn read_message(from: &mut impl Read) -> io::Result<Option<(Request, Vec<u8>)>> {
    let Some(head) = read_frame(from)? else { return Ok(None) };
    let request = serde_json::from_slice(&head).map_err(io::Error::other)?;
    Ok(read_frame(from)?.map(|payload| (request, payload)))
}

/// Converts and replies.
fn answer(request: &Request, payload: Vec<u8>) -> io::Result<()> {
    let out = RefCell::new(io::stdout().lock());
    let send = |reply: &Reply| -> io::Result<()> { write_reply(&mut *out.borrow_mut(), reply) };
    send(&Reply::Started)?;
    confine::memory(request.limits.memory_bytes);
    let progress = |p: Progress| {
        // A parent that went away is noticed by the reading thread.
        let _ = send(&Reply::At { unit: p.unit.to_owned(), part: p.part, of: p.of });
    };
    let give = |piece: audio::Piece<'_>| {
        send(&Reply::At { unit: audio::UNIT.to_owned(), part: piece.second, of: piece.of })?;
        send(&Reply::Samples(piece.samples.to_vec()))
    };
    let result = catch_unwind(AssertUnwindSafe(|| convert(request, payload, &progress, give)))
        .unwrap_or_else(|panic| Err(ConvertError::Crashed(panic_message(&*panic))));
    send(&match result {
        Ok(reply) => reply,
        Err(error) => Reply::Failed(Wire::from(error)),
    })
}

fn convert(
    request: &Request,
    payload: Vec<u8>,
    progress: &dyn Fn(Progress),
    give: impl FnMut(audio::Piece<'_>) -> io::Result<()>,
) -> Result<Reply, ConvertError> {
    let limits = request.limits.to_limits();
    let bytes = if request.is_path { read_file(&payload, limits.input_bytes)? } else { payload };
    if bytes.len() as u64 > limits.input_bytes {
        return Err(ConvertError::LimitExceeded { limit: "size" });
    }
    fault(&request.name);
    if let Some(media_type) = sound(&bytes, &request.name) {
        return audio::decode(bytes, media_type, audio::MOST_SECONDS, give).map(Reply::Heard);
    }
    let passwords: Vec<&str> = request.password.iter().flat_map(|all| all.lines()).collect();
    let converted = formats::convert(&Source {
        bytes: &bytes,
        name: &request.name,
        password: None,
        passwords: &passwords,
        limits: &limits,
        pdfium: request.pdfium.as_deref(),
        ocr: request.ocr.as_deref(),
        budget: &Budget::new(bytes.len() as u64),
        depth: 0,
        progress,
    })?;
    Ok(Reply::Done(Box::new(converted)))
}

/// Reads a regular file, at most one byte more than allowed.
fn read_file(path: &[u8], limit: u64) -> Result<Vec<u8>, ConvertError> {
    let path =
        protocol::path_from(path).ok_or_else(|| ConvertError::Unreadable("its path is not valid".into()))?;
    let unreadable = |error: io::Error| ConvertError::unreadable(&error);
    let metadata = std::fs::metadata(&path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(ConvertError::Unreadable("it is not a regular file".into()));
    }
    if metadata.len() > limit {
        return Err(ConvertError::LimitExceeded { limit: "size" });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    std::fs::File::open(&path)
        .map_err(unreadable)?
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    Ok(bytes)
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let said = panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    said.unwrap_or_else(|| "a fault in the converter".to_owned())
}

/// Misbehaves for the tests of the pool: only where the environment of the process allows it, and only for a file of that name.
fn fault(name: &str) {
    let name = Path::new(name).file_name().and_then(|n| n.to_str()).unwrap_or_default();
    if !name.starts_with("fault-") || std::env::var_os("CARREL_WORKER_FAULTS").is_none() {
        return;
    }
    match name {
        "fault-abort.txt" => std::process::abort(),
        "fault-hang.txt" => loop {
            std::thread::park();
        },
        "fault-work.txt" => loop {
            std::hint::spin_loop();
        },
        "fault-memory.txt" => {
            let mut hoard: Vec<Vec<u8>> = Vec::new();
            loop {
                hoard.push(vec![1; 16 << 20]);
            }
        }
        "fault-network.txt" => {
            let refused = |error: std::io::Error| error.kind() == io::ErrorKind::PermissionDenied;
            let network = std::net::UdpSocket::bind("127.0.0.1:0").is_err_and(refused);
            let program = std::process::Command::new("/bin/true").status().is_err_and(refused);
            std::panic::resume_unwind(Box::new(format!(
                "network refused: {network}, program refused: {program}"
            )))
        }
        "fault-panic.txt" => std::panic::resume_unwind(Box::new("a test asked for it".to_owned())),
        _ => {}
    }
}
