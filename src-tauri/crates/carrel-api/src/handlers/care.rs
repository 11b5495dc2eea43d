//! `doctor`: every library, the models, the disk and the converter's program.

use crate::call::Call;
use crate::dto::{CheckDto, DoctorReport, DoctorRequest};
use crate::models;
use crate::problem::Problem;
use carrel_engine::seams::{ConvertInput, ConvertRequest, Limits};

pub(crate) fn doctor(call: &Call<'_>, request: DoctorRequest) -> Result<DoctorReport, Problem> {
    let mut checks = Vec::new();
    let entries = call.app.data.libraries()?;
    for entry in &entries {
        let prefix = |check: &str| {
            if entries.len() > 1 { format!("{}/{check}", entry.name) } else { check.to_owned() }
        };
        match call.app.data.doctor(&entry.name, request.repair, call.cancel) {
            Ok(found) => checks
                .extend(found.into_iter().map(|c| CheckDto { name: prefix(&c.name), ..CheckDto::of(c) })),
            Err(error) => checks.push(bad(&prefix("ledger"), error.into())),
        }
    }
    checks.extend(models::checks(&call.app.models));
    checks.push(worker(call));
    let healthy = checks.iter().all(|c| c.ok || c.mended);
    Ok(DoctorReport { healthy, checks })
}

/// One real conversion: the program is there, starts, and answers.
fn worker(call: &Call<'_>) -> CheckDto {
    let request = ConvertRequest {
        input: ConvertInput::Bytes(b"# Carrel\n".to_vec()),
        name: "check.md".to_owned(),
        password: None,
        limits: Limits::default(),
    };
    match call.app.converter.convert(&request, call.cancel) {
        Ok(converted) if converted.markdown.contains("Carrel") => good("converter", "files can be read"),
        Ok(_) => bad("converter", Problem::internal("the converter gave another text than it was given")),
        Err(error) => bad("converter", error.into()),
    }
}

pub(crate) fn good(name: &str, message: impl Into<String>) -> CheckDto {
    CheckDto { name: name.to_owned(), ok: true, message: message.into(), mended: false, absent: false }
}

pub(crate) fn absent(name: &str, message: impl Into<String>) -> CheckDto {
    CheckDto { absent: true, ..good(name, message) }
}

pub(crate) fn bad(name: &str, problem: Problem) -> CheckDto {
    let message = match problem.hint {
        Some(hint) => format!("{}: {hint}", problem.message),
        None => problem.message,
    };
    CheckDto { ok: false, ..good(name, message) }
}
