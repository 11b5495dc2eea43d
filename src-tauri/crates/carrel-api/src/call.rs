//! One call: from a command's name and JSON to its answer, over the command table.
//!
//! A command that is declared without a handler does not compile. Calls block their thread; hosts give each its own. Every call
//! can be stopped by the id that its caller gave to it.

use crate::app::App;
#[allow(clippy::wildcard_imports, reason = "the table names nearly every type of the border")]
use crate::dto::*;
use crate::handlers;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// Takes the lines of a stream, in order. Called from the thread of the call.
pub type Lines<'a> = &'a mut dyn FnMut(Value);

/// What a handler is given.
pub(crate) struct Call<'a> {
    /// The program.
    pub(crate) app: &'a App,
    /// Set when the caller stopped the call.
    pub(crate) cancel: &'a Cancel,
}

/// Running calls by the id that their callers gave to them.
#[derive(Default)]
pub(crate) struct Calls {
    running: Mutex<HashMap<String, Cancel>>,
}

impl Calls {
    /// Stops a call. Unknown ids are calls that just ended: nothing to do.
    pub(crate) fn cancel(&self, id: &str) {
        if let Some(cancel) = self.running.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
            cancel.cancel();
        }
    }

    /// Whether a call runs.
    #[cfg(test)]
    pub(crate) fn is_running(&self, id: &str) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).contains_key(id)
    }

    /// Stops all.
    pub(crate) fn cancel_all(&self) {
        for cancel in self.running.lock().unwrap_or_else(PoisonError::into_inner).values() {
            cancel.cancel();
        }
    }
}

impl App {
    /// Carries out a command and blocks until it is done. `id` names the call for `call.cancel` and is unique among running ones;
    /// `cancel` stops it as well. Lines of a stream go to `lines`.
    pub fn call(
        &self,
        id: &str,
        name: &str,
        params: Value,
        cancel: &Cancel,
        lines: Lines<'_>,
    ) -> Result<Value, Problem> {
        self.calls
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.to_owned(), cancel.clone());
        let span = tracing::debug_span!("call", name, id);
        // A fault of ours ends this call, with an answer to its caller, and no other.
        let work = AssertUnwindSafe(|| dispatch(&Call { app: self, cancel }, name, params, lines));
        let result = span.in_scope(|| catch_unwind(work)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|t| (*t).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(Problem::internal(text.unwrap_or_else(|| "a thread stopped".to_owned())))
        });
        self.calls.running.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Err(problem) = &result {
            tracing::debug!(
                name,
                code = problem.code,
                message = problem.message,
                "a call ended with a problem"
            );
        }
        result
    }
}

macro_rules! dispatch {
    ($($id:ident $name:literal: $req:ty => $res:ty, stream ($($line:ty)?), provides [$($p:ident)*], invalidates [$($i:ident)*];)*) => {
        fn dispatch(call: &Call<'_>, name: &str, params: Value, lines: Lines<'_>) -> Result<Value, Problem> {
            match name {
                $($name => {
                    let request: $req = parse($name, params)?;
                    let response: $res = handlers::$id(call, request $(, &mut |line: $line| lines(json(&line)))?)?;
                    Ok(json(&response))
                })*
                _ => Err(Problem::new("unknown_command", format!("there is no command {name}"))
                    .hint("update the older of the two programs")
                    .detail("name", name)),
            }
        }
    };
}

crate::for_each_command!(dispatch);

fn parse<T: DeserializeOwned>(name: &str, params: Value) -> Result<T, Problem> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    serde_json::from_value(params).map_err(|error| Problem::bad_request(format!("{name}: {error}")))
}

/// A value of the border as JSON. The types of the border have string keys and finite numbers, for which this cannot fail.
fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| {
        tracing::error!(%error, "a value could not be written as JSON");
        Value::Null
    })
}
