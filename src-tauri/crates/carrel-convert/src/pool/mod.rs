//! The pool of worker processes: the engine's `DocumentConverter`.
//!
//! Invariants: at most `workers` processes live at once, started when needed; a call returns within one second
//! once its worker has computed for its time limit, or several times that has passed (what a recording takes to be transcribed does not count), and within 100 ms of a cancel (half a second while a
//! recording is heard), whatever the worker does; a worker that did not answer cleanly is never used again.

mod clock;
mod config;
mod hearing;

mod process;
mod spawner;
mod watch;

pub use config::WorkerConfig;

use crate::catalogue::{Converter, Promise, promise, simple_pdf};
use crate::formats::scan;
use crate::ocr;
use crate::worker::OUT_OF_MEMORY;
use crate::worker::protocol::{Reply, Request, WireLimits, path_bytes};
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{Converted, ConverterId};
use carrel_engine::seams::{
    ConvertError, ConvertInput, ConvertRequest, DocumentConverter, FilePart, ModelProvider,
};
use clock::{Clock, Up};
use hearing::Hearing;
use process::{Ended, Message, Worker};
use spawner::Spawner;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use watch::ProcessWatch;

/// A worker is replaced after this many files, so that what leaked does not add up.
const FILES_A_WORKER: u32 = 200;
/// How often a waiting call looks at its cancel flag.
const TICK: Duration = Duration::from_millis(20);
/// What is said of a conversion that had no time to compute in.
const STOOD_STILL: &str = "its conversion stood still, as where the machine is too busy; it is tried again by the next `carrel sync`";
/// Time on top of the limit, by size of the input.
const TIME_PER_MIB: Duration = Duration::from_millis(500);

/// Converts in worker processes. Cheap to create: the first conversion starts the first worker.
pub struct WorkerPool {
    config: WorkerConfig,
    spawner: Spawner,
    models: Option<Arc<dyn ModelProvider>>,
    slots: Mutex<Slots>,
    freed: Condvar,
}

struct Slots {
    idle: Vec<Worker>,
    busy: usize,
}

/// A turn to use a worker; gives its slot back when dropped.
struct Turn<'a>(&'a WorkerPool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.slots().busy -= 1;
        self.0.freed.notify_one();
    }
}

impl WorkerPool {
    /// A pool. Nothing is started yet.
    pub fn new(config: WorkerConfig) -> Self {
        let spawner = Spawner::new(config.program.clone());
        Self {
            config,
            spawner,
            models: None,
            slots: Mutex::new(Slots { idle: Vec::new(), busy: 0 }),
            freed: Condvar::new(),
        }
    }

    /// With models that transcribe what is said in recordings. Each is looked for when it is needed: it may come later.
    #[must_use]
    pub fn with_models(mut self, models: Arc<dyn ModelProvider>) -> Self {
        self.models = Some(models);
        self
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_offered(&self, converter: Converter) -> bool {
        match converter {
            Converter::Image => self.config.ocr.as_deref().is_some_and(ocr::is_there),
            Converter::Audio => {
                self.models.as_ref().is_some_and(|models| models.default_transcriber().is_some())
            }
            _ => true,
        }
    }

    /// Who converts it here: PDF is read by another where PDFium is not there.
    fn id_of(&self, converter: Converter) -> ConverterId {
        if converter == Converter::Pdf && self.config.pdfium.is_none() {
            simple_pdf(false)
        } else {
            converter.id()
        }
    }

    /// Waits for a free slot.
    fn turn(&self, cancel: &Cancel) -> Result<(Turn<'_>, Option<Worker>), ConvertError> {
        let mut slots = self.slots();
        while slots.busy >= self.config.workers.max(1) {
            if cancel.is_cancelled() {
                return Err(ConvertError::Cancelled);
            }
            slots = self.freed.wait_timeout(slots, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
        slots.busy += 1;
        Ok((Turn(self), slots.idle.pop()))
    }

    /// Has one worker do one request. `Ok(None)`: the worker, which had idled, was dead before it began.
    fn attempt(
        &self,
        worker: &mut Worker,
        request: &ConvertRequest,
        limit: Duration,
        cancel: &Cancel,
        told: &mut dyn FnMut(&FilePart),
    ) -> Result<Option<Converted>, ConvertError> {
        let mut clock = Clock::new(limit, request.limits.pages);
        let mut begun = false;
        let mut at: Option<FilePart> = None;
        let mut hearing: Option<Hearing> = None;
        let mut watch = worker.id().and_then(ProcessWatch::new);
        let before = watch.as_mut().and_then(ProcessWatch::computed);
        worker.send(self.wire(request), payload(request));
        loop {
            if cancel.is_cancelled() {
                worker.kill();
                return Err(ConvertError::Cancelled);
            }
            let computed = || Some(watch.as_mut()?.computed()?.saturating_sub(before?));
            let left = match clock.left(computed) {
                Ok(left) => left,
                Err(up) => {
                    worker.kill();
                    return Err(match up {
                        Up::Used => ConvertError::LimitExceeded { limit: "time" },
                        Up::Waited => ConvertError::Unreadable(STOOD_STILL.to_owned()),
                    });
                }
            };
            match worker.receive(left.min(TICK)) {
                Message::Nothing => {
                    if watch.as_mut().is_some_and(|watch| watch.exceeds(request.limits.memory_bytes)) {
                        worker.kill();
                        return Err(ConvertError::LimitExceeded { limit: "memory" });
                    }
                }
                Message::Reply(Reply::Started) => begun = true,
                Message::Reply(Reply::At { unit, part, of }) => {
                    clock.at(&unit, part, of);
                    let part = FilePart { unit, number: part, of };
                    let began = Instant::now();
                    told(&part);
                    clock.aside(began.elapsed());
                    at = Some(part);
                }
                Message::Reply(Reply::Samples(samples)) => {
                    let heard = match &mut hearing {
                        Some(hearing) => Ok(hearing),
                        none => Hearing::begin(self.models.as_deref()).map(|begun| none.insert(begun)),
                    };
                    let began = Instant::now();
                    if let Err(error) = heard.and_then(|hearing| hearing.hear(&samples, cancel)) {
                        worker.kill();
                        return Err(error);
                    }
                    clock.aside(began.elapsed());
                }
                Message::Reply(Reply::Heard(recording)) => {
                    worker.files += 1;
                    let hearing =
                        hearing.take().map_or_else(|| Hearing::begin(self.models.as_deref()), Ok)?;
                    return hearing.finish(recording, &request.limits, cancel).map(Some);
                }
                Message::Reply(Reply::Done(converted)) => {
                    worker.files += 1;
                    return Ok(Some(*converted));
                }
                Message::Reply(Reply::Failed(wire)) => {
                    worker.files += 1;
                    let error = ConvertError::from(wire);
                    if matches!(error, ConvertError::Crashed(_)) {
                        // A panic was caught: what it left behind in the process is unknown.
                        worker.kill();
                    }
                    return Err(error);
                }
                Message::Ended(Ended { .. }) if !begun && worker.files > 0 => return Ok(None),
                Message::Ended(ended) => return Err(crash(&ended, at)),
            }
        }
    }

    fn wire(&self, request: &ConvertRequest) -> Request {
        Request {
            name: request.name.clone(),
            is_path: matches!(request.input, ConvertInput::Path(_)),
            password: request.password.clone(),
            limits: WireLimits::of(&request.limits),
            pdfium: self.config.pdfium.clone(),
            ocr: self.config.ocr.clone(),
        }
    }
}

impl DocumentConverter for WorkerPool {
    fn converter_for(&self, name: &str) -> Option<ConverterId> {
        match promise(name) {
            // Without its model an image or a recording is no unknown format: converting it says what is missing.
            Promise::Readable(converter) => {
                let waits = matches!(converter, Converter::Image | Converter::Audio);
                (waits || self.is_offered(converter)).then(|| self.id_of(converter))
            }
            Promise::Unreadable(_) => None,
            Promise::Unknown => Some(Converter::Text.id()),
        }
    }

    fn converters(&self) -> Vec<ConverterId> {
        let offered = Converter::ALL.into_iter().filter(|c| self.is_offered(*c)).map(|c| self.id_of(c));
        // What the simpler reader read is converted again once PDFium is there.
        offered.chain(self.config.pdfium.as_ref().map(|_| simple_pdf(true))).collect()
    }

    fn convert_by_parts(
        &self,
        request: &ConvertRequest,
        cancel: &Cancel,
        begun: &mut dyn FnMut(&FilePart),
    ) -> Result<Converted, ConvertError> {
        let size = input_size(request)?;
        if size > request.limits.input_bytes {
            return Err(ConvertError::LimitExceeded { limit: "size" });
        }
        if let Promise::Readable(converter) = promise(&request.name)
            && !self.is_offered(converter)
        {
            match converter {
                Converter::Image => return Err(scan::needs_model("it is an image")),
                Converter::Audio => {
                    return Err(Hearing::begin(self.models.as_deref())
                        .err()
                        .unwrap_or_else(hearing::no_models));
                }
                _ => {}
            }
        }
        let extra = TIME_PER_MIB.saturating_mul(u32::try_from(size >> 20).unwrap_or(u32::MAX));
        let limit = request.limits.time.saturating_add(extra);
        let (_turn, mut idle) = self.turn(cancel)?;
        let mut again = false;
        loop {
            let mut worker = match idle.take() {
                Some(worker) => worker,
                None => self.spawner.spawn().map_err(|error| {
                    let program = self.config.program.display();
                    ConvertError::Crashed(format!("{program} could not be started: {error}"))
                })?,
            };
            let outcome = self.attempt(&mut worker, request, limit, cancel, begun);
            if worker.is_usable() && worker.files < FILES_A_WORKER {
                self.slots().idle.push(worker);
            }
            match outcome {
                Ok(Some(converted)) => return Ok(converted),
                Ok(None) => {}
                // Whatever ended the process may have had nothing to do with the file.
                Err(ConvertError::Crashed(_)) if !again => again = true,
                Err(error) => return Err(error),
            }
        }
    }
}

fn input_size(request: &ConvertRequest) -> Result<u64, ConvertError> {
    match &request.input {
        ConvertInput::Bytes(bytes) => Ok(bytes.len() as u64),
        ConvertInput::Path(path) => match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(metadata.len()),
            Ok(_) => Err(ConvertError::Unreadable("it is not a regular file".into())),
            Err(error) => Err(ConvertError::unreadable(&error)),
        },
    }
}

fn payload(request: &ConvertRequest) -> Vec<u8> {
    match &request.input {
        ConvertInput::Path(path) => path_bytes(&std::path::absolute(path).unwrap_or_else(|_| path.clone())),
        ConvertInput::Bytes(bytes) => bytes.clone(),
    }
}

/// Why a worker ended, with what is known.
fn crash(ended: &Ended, at: Option<FilePart>) -> ConvertError {
    if ended.stderr.contains(OUT_OF_MEMORY.trim_end()) || ended.stderr.contains("memory allocation of") {
        return ConvertError::LimitExceeded { limit: "memory" };
    }
    let place =
        at.map(|FilePart { unit, number, of }| format!(" at {unit} {number} of {of}")).unwrap_or_default();
    let said = ended.stderr.lines().rev().find(|l| !l.trim().is_empty() && !l.starts_with("note:"));
    let said = said.map(|line| format!(": {}", line.trim())).unwrap_or_default();
    ConvertError::Crashed(format!("{}{place}{said}", ended.status))
}
