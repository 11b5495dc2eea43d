//! `bench …`

use crate::args::{BenchCommand, BenchCommon};
use crate::output::Output;
use crate::style::Look;
use crate::{progress, signals};
use carrel_api::measure::{
    self, AnswerOptions, Common, EmbedOptions, IngestOptions, ScaleOptions, SearchOptions,
};
use carrel_api::{AppConfig, Problem};
use serde_json::{Map, Value};

pub(crate) fn run(command: BenchCommand, config: &AppConfig, output: &Output) -> Result<u8, Problem> {
    let cancel = signals::cancel_on_interrupt();
    let mut told = |text: &str| progress::show(text);
    let result = match command {
        BenchCommand::Embed { model, corpus, batch, passages, tokens, common } => {
            let options = EmbedOptions { model, corpus, batch, passages, tokens, common: shared(common) };
            measure::embed(config, &options, &mut told, &cancel)
        }
        BenchCommand::Rerank { model, corpus, tokens, common } => {
            let options =
                EmbedOptions { model, corpus, tokens, common: shared(common), ..EmbedOptions::default() };
            measure::rerank(config, &options, &mut told, &cancel)
        }
        BenchCommand::Ingest { folder, files, common } => {
            let options = IngestOptions { folder, files, common: shared(common) };
            measure::ingest(config, &options, &mut told, &cancel)
        }
        BenchCommand::Search { folder, files, queries, common } => {
            let options = SearchOptions { folder, files, queries, common: shared(common) };
            measure::search(config, &options, &mut told, &cancel)
        }
        BenchCommand::Answer { model, prompt, tokens, common } => {
            let options = AnswerOptions { model, prompt, tokens, common: shared(common) };
            measure::answer(config, &options, &mut told, &cancel)
        }
        BenchCommand::Scale { collection, passages, queries, common } => {
            let options = ScaleOptions { collection, passages, queries, common: shared(common) };
            measure::scale(config, &options, &mut told, &cancel)
        }
    };
    progress::show("");
    let result = result?;
    if output.json {
        output.document(&result);
    } else {
        print(&result, "", output);
    }
    Ok(0)
}

fn shared(common: BenchCommon) -> Common {
    Common { threads: common.threads, peer: common.peer, runs: common.runs }
}

fn print(values: &Map<String, Value>, indent: &str, output: &Output) {
    for (key, value) in values {
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                output.line(format!("{indent}{}", output.paint.paint(Look::Strong, key)));
                print(inner, "  ", output);
            }
            Value::Object(_) | Value::Null => {}
            Value::String(text) => output.line(format!("{indent}{key:<20}{text}")),
            other => output.line(format!("{indent}{key:<20}{other}")),
        }
    }
}
