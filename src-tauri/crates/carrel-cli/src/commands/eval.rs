//! `eval …`

use crate::args::Retrieval;
use crate::output::Output;
use crate::style::Look;
use crate::table::{bytes, count};
use crate::{progress, signals};
use carrel_api::measure::{self, BeirOptions, SpansOptions, SpansReport};
use carrel_api::{AppConfig, Problem};
use std::path::{Path, PathBuf};

/// The options of `eval beir`.
pub(crate) fn beir_options(
    folder: &Path,
    chunking: Option<String>,
    unrelated: Option<&Path>,
    enriched: bool,
    cache: Option<PathBuf>,
    retrieval: &Retrieval,
) -> BeirOptions {
    BeirOptions {
        folder: whole(folder),
        chunking,
        unrelated: unrelated.map(whole),
        enriched,
        cache,
        retrieval: retrieval.options(),
    }
}

fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

pub(crate) fn beir(config: &AppConfig, options: &BeirOptions, output: &Output) -> Result<u8, Problem> {
    let cancel = signals::cancel_on_interrupt();
    let report = measure::beir(config, options, &mut |text| progress::show(text), &cancel);
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
        output.line(format!("  {name:<20}{:.4}", value.as_f64().unwrap_or_default()));
    }
    for (name, value) in &report.settings {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        output.line(paint.paint(Look::Quiet, format!("  {name:<20}{value}")));
    }
    output.line(paint.paint(
        Look::Quiet,
        format!(
            "  {:<20}{:.1} s to index, {:.1} ms a question ({:.1} at p95), {} on disk, {} MB of memory",
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

/// The options of `eval spans`.
pub(crate) fn spans_options(
    folder: &Path,
    budget: usize,
    chunkings: Vec<String>,
    enriched: bool,
    cache: Option<PathBuf>,
    retrieval: &Retrieval,
) -> SpansOptions {
    let all = chunkings.iter().any(|chunking| chunking == "all");
    let chunkings = if all { measure::STRATEGIES.map(str::to_owned).to_vec() } else { chunkings };
    SpansOptions { folder: whole(folder), budget, chunkings, enriched, cache, retrieval: retrieval.options() }
}

pub(crate) fn spans(config: &AppConfig, options: &SpansOptions, output: &Output) -> Result<u8, Problem> {
    let cancel = signals::cancel_on_interrupt();
    let reports = measure::spans(config, options, &mut |text| progress::show(text), &cancel);
    progress::show("");
    let reports = reports?;
    let Some(first) = reports.first() else { return Ok(0) };
    if output.json {
        let mut document = serde_json::to_value(first).map_err(Problem::internal)?;
        if reports.len() > 1 {
            document["strategies"] = serde_json::to_value(&reports).map_err(Problem::internal)?;
        }
        output.document(&document);
        return Ok(0);
    }
    let paint = output.paint;
    output.line(format!(
        "{}  {} · {} · at most {} returned",
        paint.paint(Look::Strong, &first.evaluation.collection),
        count(first.evaluation.documents, "document", "documents"),
        count(first.evaluation.queries, "question", "questions"),
        count(options.budget, "character", "characters")
    ));
    let chunking = |report: &SpansReport| {
        report.evaluation.settings.get("chunking").and_then(|c| c.as_str()).unwrap_or_default().to_owned()
    };
    let width = reports.iter().map(|report| chunking(report).len()).max().unwrap_or_default().max(8);
    let names: Vec<&str> = first.evaluation.metrics.keys().map(String::as_str).collect();
    let head: String = names.iter().map(|name| format!("{name:>16}")).collect();
    output.line(
        paint.paint(
            Look::Quiet,
            format!("  {:<width$}{:>10}{:>10}{head}", "chunking", "passages", "returned"),
        ),
    );
    for report in &reports {
        let values: String = names
            .iter()
            .map(|name| {
                format!(
                    "{:>16.4}",
                    report
                        .evaluation
                        .metrics
                        .get(*name)
                        .and_then(serde_json::Value::as_f64)
                        .unwrap_or_default()
                )
            })
            .collect();
        output.line(format!(
            "  {:<width$}{:>10}{:>10.0}{values}",
            chunking(report),
            report.evaluation.passages,
            report.returned_characters
        ));
    }
    Ok(0)
}
