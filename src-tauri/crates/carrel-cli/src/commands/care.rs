//! `doctor`

use crate::args::DoctorArgs;
use crate::output::Output;
use crate::session::Session;
use crate::style::Look;
use crate::table::plain;
use carrel_api::dto::{DoctorReport, DoctorRequest};
use carrel_api::{App, AppConfig, Problem};

/// Without its list a data folder cannot even be opened, so this comes first.
pub(crate) fn restore_list(config: &AppConfig, output: &Output) -> Result<(), Problem> {
    if let Some(said) = App::restore_list(config)? {
        output.message(said);
    }
    Ok(())
}

pub(crate) fn doctor(args: DoctorArgs, session: &Session, output: &Output) -> Result<u8, Problem> {
    let report: DoctorReport = session.call("doctor", &DoctorRequest { repair: args.repair })?;
    if output.json {
        output.document(&report);
        return Ok(u8::from(!report.healthy));
    }
    let width = report.checks.iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
    for check in &report.checks {
        let (look, mark) = match check {
            check if check.mended => (Look::Warn, "mended"),
            check if check.absent => (Look::Quiet, "none  "),
            check if check.ok => (Look::Good, "well  "),
            _ => (Look::Bad, "wrong "),
        };
        let (name, message) = (plain(&check.name), plain(&check.message));
        output.line(format!("{}  {name:width$}  {message}", output.paint.paint(look, mark)));
    }
    if !report.healthy && !args.repair {
        output.message("mend what can be mended with `carrel doctor --repair`");
    }
    Ok(u8::from(!report.healthy))
}
