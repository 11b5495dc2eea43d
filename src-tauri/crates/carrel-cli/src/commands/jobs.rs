//! `jobs …`

use super::libraries::told;
use crate::args::JobsCommand;
use crate::output::Output;
use crate::session::Session;
use crate::style::Look;
use crate::table::{Cell, Column, Table};
use carrel_api::Problem;
use carrel_api::dto::{Empty, JobList, JobRef};

pub(crate) fn run(command: JobsCommand, session: &Session, output: &Output) -> Result<u8, Problem> {
    match command {
        JobsCommand::List => {
            let list: JobList = session.get("jobs.list")?;
            if output.json {
                output.document(&list);
            } else {
                print(&list, output);
            }
        }
        JobsCommand::Cancel { id } => {
            let sentence = format!("stopped {id}");
            let _: Empty = session.call("jobs.cancel", &JobRef { id })?;
            told(&Empty {}, sentence, output);
        }
    }
    Ok(0)
}

fn print(list: &JobList, output: &Output) {
    let paint = output.paint;
    let mut table = Table::new(&[
        Column::Left,
        Column::Left,
        Column::Left,
        Column::Right,
        Column::Left,
        Column::Flexible,
    ]);
    for job in &list.jobs {
        let look = match job.state.as_str() {
            "running" => Look::Accent,
            "done" => Look::Good,
            "failed" => Look::Bad,
            _ => Look::Warn,
        };
        let progress = match (job.done, job.total) {
            (Some(done), Some(total)) if total > 0 => format!("{done} of {total}"),
            _ => String::new(),
        };
        table.row(vec![
            Cell::painted(&job.state, move |t| paint.paint(look, t)),
            job.kind.as_str().into(),
            Cell::painted(job.started.get(..19).unwrap_or_default().replace('T', " "), move |t| {
                paint.paint(Look::Quiet, t)
            }),
            progress.into(),
            Cell::painted(&job.id, move |t| paint.paint(Look::Quiet, t)),
            match &job.message {
                Some(message) => format!("{}: {message}", job.subject).into(),
                None => job.subject.as_str().into(),
            },
        ]);
    }
    for line in table.lines(output.width()) {
        output.line(line);
    }
}
