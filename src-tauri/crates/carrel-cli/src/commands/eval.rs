//! `eval …`

use crate::args::Retrieval;
use crate::output::Output;
use crate::style::Look;
use crate::table::{bytes, count};
use crate::{progress, signals};
use carrel_api::measure::{self, BeirOptions};
use carrel_api::{AppConfig, Problem};
use std::path::{Path, PathBuf};

pub(crate) fn beir(
    config: &AppConfig,
    folder: &Path,
    chunking: Option<String>,
    cache: Option<PathBuf>,
    retrieval: &Retrieval,
    output: &Output,
) -> Result<u8, Problem> {
    let options = BeirOptions {
        folder: std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()),
        chunking,
        cache,
        retrieval: retrieval.options()?,
    };
    let cancel = signals::cancel_on_interrupt();
    let report = measure::beir(config, &options, &mut |text| progress::show(text), &cancel);
    progress::show("");
    let report = report?;
    if output.json {
        output.document(&report);
        return Ok(0);
    }
    let paint = output.paint;
    output.line(format!(
        "{}  {} · {} · {}",
        paint.paint(Look::Strong, &report.collection),
        count(report.documents, "document", "documents"),
        count(report.passages, "passage", "passages"),
        count(report.queries, "question", "questions")
    ));
    for (name, value) in &report.metrics {
        output.line(format!("  {name:<12}{:.4}", value.as_f64().unwrap_or_default()));
    }
    for (name, value) in &report.settings {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        output.line(paint.paint(Look::Quiet, format!("  {name:<12}{value}")));
    }
    output.line(paint.paint(
        Look::Quiet,
        format!(
            "  {:<12}{:.1} s to index, {:.1} ms a question ({:.1} at p95), {} on disk, {} MB of memory",
            "cost",
            report.index_seconds,
            report.query_ms.p50,
            report.query_ms.p95,
            bytes(report.index_bytes),
            report.peak_rss_mb
        ),
    ));
    Ok(0)
}
