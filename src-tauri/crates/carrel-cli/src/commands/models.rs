//! `models …`

use super::libraries::told;
use crate::args::{EndpointCommand, ModelsCommand};
use crate::output::Output;
use crate::session::Session;
use crate::style::Look;
use crate::table::{Cell, Column, Table, bytes};
use crate::{places, progress};
use carrel_api::Problem;
use carrel_api::dto::{
    AppInfo, DownloadEvent, Empty, EndpointAdd, EndpointDto, EndpointList, ModelDto, ModelImport, ModelList,
    ModelRef, ModelTest, Settings, SettingsChange,
};
use std::collections::BTreeMap;

pub(crate) fn run(command: ModelsCommand, session: &Session, output: &Output) -> Result<u8, Problem> {
    match command {
        ModelsCommand::List => {
            let list: ModelList = session.get("models.list")?;
            if output.json {
                output.document(&list);
            } else {
                print(&list, output);
            }
        }
        ModelsCommand::Get { id } => {
            let model: ModelDto =
                session.stream("models.get", &ModelRef { id }, &mut |event: DownloadEvent| {
                    let DownloadEvent::Progress { file, done, total } = event;
                    progress::show(&format!("{} of {} · {file}", bytes(done), bytes(total)));
                })?;
            progress::show("");
            told(&model, format!("{} is installed", model.id), output);
        }
        ModelsCommand::Import { path } => {
            let path = places::place(path);
            let model: ModelDto = session.call("models.import", &ModelImport { path })?;
            told(&model, format!("{} is installed", model.id), output);
        }
        ModelsCommand::Remove { id } => {
            let sentence = format!("removed the files of {id}");
            let _: Empty = session.call("models.remove", &ModelRef { id })?;
            told(&Empty {}, sentence, output);
        }
        ModelsCommand::Test { id } => {
            let waiting = progress::Waiting::new();
            waiting.begin(&id);
            let test: ModelTest = session.call("models.test", &ModelRef { id })?;
            drop(waiting);
            told(&test, test.message.clone(), output);
            return Ok(u8::from(!test.ok));
        }
        ModelsCommand::Device { place } => {
            if let Some(place) = place {
                let changes = BTreeMap::from([("device".to_owned(), Some(place))]);
                let _: Settings = session.call("settings.set", &SettingsChange { changes })?;
            }
            let info: AppInfo = session.get("app.info")?;
            let note = info.device_note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
            let sentence = format!("models for search compute on {}{note}", info.device);
            told(&info, sentence, output);
        }
        ModelsCommand::Endpoint(command) => endpoint(command, session, output)?,
    }
    Ok(0)
}

fn endpoint(command: EndpointCommand, session: &Session, output: &Output) -> Result<(), Problem> {
    match command {
        EndpointCommand::Add { url, role, model, key_env, window } => {
            let request = EndpointAdd { url, role, model, key_env, window };
            let endpoint: EndpointDto = session.call("endpoint.add", &request)?;
            told(&endpoint, format!("added {}", endpoint.id), output);
        }
        EndpointCommand::List => {
            let list: EndpointList = session.get("endpoint.list")?;
            if output.json {
                output.document(&list);
                return Ok(());
            }
            let mut table = Table::new(&[Column::Left, Column::Left, Column::Flexible, Column::Left]);
            for e in &list.endpoints {
                table.row(vec![
                    e.id.as_str().into(),
                    e.role.as_str().into(),
                    e.url.as_str().into(),
                    e.model.as_deref().unwrap_or_default().into(),
                ]);
            }
            table.lines(output.width()).iter().for_each(|line| output.line(line));
        }
        EndpointCommand::Remove { id } => {
            let sentence = format!("removed {id}");
            let _: Empty = session.call("endpoint.remove", &ModelRef { id })?;
            told(&Empty {}, sentence, output);
        }
    }
    Ok(())
}

fn print(list: &ModelList, output: &Output) {
    let paint = output.paint;
    let mut table = Table::new(&[
        Column::Left,
        Column::Left,
        Column::Left,
        Column::Right,
        Column::Right,
        Column::Left,
        Column::Flexible,
    ]);
    for model in &list.models {
        let look = match model.state.as_str() {
            "installed" | "remote" => Look::Good,
            "damaged" | "left_out" => Look::Bad,
            _ => Look::Quiet,
        };
        table.row(vec![
            Cell::painted(&model.id, move |t| paint.paint(Look::Strong, t)),
            model.role.replace('_', " ").into(),
            Cell::painted(&model.state, move |t| paint.paint(look, t)),
            if model.bytes > 0 { bytes(model.bytes) } else { String::new() }.into(),
            if model.memory > 0 { format!("{} memory", bytes(model.memory)) } else { String::new() }.into(),
            model.licence.as_str().into(),
            Cell::painted(&model.description, move |t| paint.paint(Look::Quiet, t)),
        ]);
    }
    for line in table.lines(output.width()) {
        output.line(line);
    }
}
