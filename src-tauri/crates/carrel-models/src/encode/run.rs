//! Runs an encoder over many sequences on the inference workers.

use super::pool::{Lane, Pool};
use super::{Encoder, Scratch, Tokens};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How often a waiting caller looks at its cancel flag.
const LOOK: Duration = Duration::from_millis(20);

struct Batch {
    /// Where the results go.
    places: Vec<usize>,
    sequences: Vec<Tokens>,
}

/// Longest first, so that no long batch is left alone at the end, and each of at most `most` tokens.
fn batches(sequences: Vec<Tokens>, most: usize) -> Vec<Batch> {
    let mut sorted: Vec<(usize, Tokens)> = sequences.into_iter().enumerate().collect();
    sorted.sort_by_key(|(_, s)| std::cmp::Reverse(s.ids.len()));
    let mut batches: Vec<Batch> = Vec::new();
    let mut tokens = usize::MAX;
    for (place, sequence) in sorted {
        if tokens.saturating_add(sequence.ids.len()) > most {
            batches.push(Batch { places: Vec::new(), sequences: Vec::new() });
            tokens = 0;
        }
        tokens += sequence.ids.len();
        if let Some(batch) = batches.last_mut() {
            batch.places.push(place);
            batch.sequences.push(sequence);
        }
    }
    batches
}

/// What `finish` makes of the rows of each sequence, in order. It runs on the workers. Blocks; looks at `cancel` every few tens of milliseconds,
/// and the workers between halves of layers.
pub(crate) fn encode<T: Send + 'static>(
    encoder: &Arc<dyn Encoder>,
    pool: &Pool,
    lane: Lane,
    sequences: Vec<Tokens>,
    cancel: &Cancel,
    finish: impl Fn(&[f32]) -> T + Send + Sync + 'static,
) -> Result<Vec<T>, ModelError> {
    let mut found: Vec<Option<T>> = sequences.iter().map(|_| None).collect();
    let finish = Arc::new(finish);
    let mut batches = batches(sequences, encoder.batch_tokens()).into_iter();
    let in_flight = 2 * pool.threads();
    let (done, results) = sync_channel(in_flight);
    let mut running = 0;
    loop {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        while running < in_flight
            && let Some(batch) = batches.next()
        {
            let (encoder, cancel) = (Arc::clone(encoder), cancel.clone());
            let (finish, done) = (Arc::clone(&finish), done.clone());
            let job = move |scratch: &mut Scratch| {
                // A panic must reach the caller, who would wait for it for ever.
                let made =
                    catch_unwind(AssertUnwindSafe(|| run(&*encoder, &batch, scratch, &cancel, &*finish)));
                // The caller may have left.
                let _ = done.send((batch.places, made.unwrap_or_else(|_| Err(stopped()))));
            };
            pool.submit(lane, Box::new(job));
            running += 1;
        }
        if running == 0 {
            return found.into_iter().collect::<Option<Vec<T>>>().ok_or_else(stopped);
        }
        match results.recv_timeout(LOOK) {
            Ok((places, made)) => {
                running -= 1;
                for (place, one) in places.into_iter().zip(made?) {
                    found[place] = Some(one);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(stopped()),
        }
    }
}

fn run<T>(
    encoder: &dyn Encoder,
    batch: &Batch,
    scratch: &mut Scratch,
    cancel: &Cancel,
    finish: &dyn Fn(&[f32]) -> T,
) -> Result<Vec<T>, ModelError> {
    let mut rows = encoder.forward(&batch.sequences, scratch, cancel)?;
    let mut made = Vec::with_capacity(batch.sequences.len());
    for sequence in &batch.sequences {
        let (own, others) = rows.split_at(sequence.ids.len() * encoder.width());
        made.push(finish(own));
        rows = others;
    }
    Ok(made)
}

fn stopped() -> ModelError {
    ModelError::Failed("an inference worker stopped".into())
}
