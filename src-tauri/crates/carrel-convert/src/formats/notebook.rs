//! Jupyter notebooks: Markdown cells as they are, code cells fenced by language, outputs as text. Pictures are left out.

use super::html;
use super::markdown;
use crate::build::Draft;
use crate::build::writer::Writer;
use carrel_engine::seams::{ConvertError, Limits};
use serde_json::Value;

/// Longer outputs are cut: they are logs.
const MAX_OUTPUT: usize = 20_000;

pub(super) fn convert(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let Ok(notebook) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) else {
        return super::json::convert(text, "x.json", limits);
    };
    let cells = cells(&notebook);
    if cells.is_empty() {
        return super::json::convert(text, "x.json", limits);
    }
    let metadata = notebook.get("metadata");
    let language = metadata
        .and_then(|m| m.pointer("/language_info/name").or_else(|| m.pointer("/kernelspec/language")))
        .and_then(Value::as_str)
        .unwrap_or("python")
        .to_ascii_lowercase();
    let language: String =
        language.chars().filter(|c| c.is_ascii_alphanumeric() || "+-#_.".contains(*c)).collect();
    let mut writer = Writer::new(limits.output_bytes);
    if let Some(title) = metadata.and_then(|m| m.get("title")).and_then(Value::as_str) {
        writer.title(title);
    }
    for cell in cells {
        if writer.is_full() {
            break;
        }
        write(cell, &language, limits, &mut writer)?;
    }
    writer.finish()
}

/// The cells; in older notebooks they lie in worksheets.
fn cells(notebook: &Value) -> Vec<&Value> {
    let own = notebook.get("cells").and_then(Value::as_array);
    let sheets = notebook.get("worksheets").and_then(Value::as_array).into_iter().flatten();
    let in_sheets = sheets.filter_map(|sheet| sheet.get("cells").and_then(Value::as_array)).flatten();
    own.into_iter().flatten().chain(in_sheets).collect()
}

fn write(cell: &Value, language: &str, limits: &Limits, writer: &mut Writer) -> Result<(), ConvertError> {
    let source = joined(cell.get("source").or_else(|| cell.get("input")));
    match cell.get("cell_type").and_then(Value::as_str) {
        Some("markdown" | "html") => {
            let draft = markdown::convert(&source, limits)?;
            if let Some(title) = &draft.title {
                writer.title(title);
            }
            writer.append(Draft { locations: Vec::new(), ..draft }, 0, None);
        }
        Some("heading") => {
            let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6) as u8;
            writer.heading(level, &crate::build::inline::escaped(&source), &source);
        }
        Some("raw") if !source.trim().is_empty() => writer.code(None, &source),
        Some("code") => {
            let language = cell.get("language").and_then(Value::as_str).unwrap_or(language);
            if !source.trim().is_empty() {
                writer.code(Some(language), &source);
            }
            for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
                self::output(output, limits, writer)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn output(output: &Value, limits: &Limits, writer: &mut Writer) -> Result<(), ConvertError> {
    // In older notebooks the kinds of data stand beside the other fields.
    let data = output.get("data").unwrap_or(output);
    let of = |kind: &str, old: &str| {
        let found = data.get(kind).or_else(|| output.get(old).filter(|_| output.get("data").is_none()));
        Some(joined(found)).filter(|t| !t.trim().is_empty())
    };
    if output.get("output_type").and_then(Value::as_str).is_some_and(|t| t == "error" || t == "pyerr") {
        let field = |name: &str| output.get(name).and_then(Value::as_str).unwrap_or_default();
        writer.code(None, &format!("{}: {}", field("ename"), field("evalue")));
        return Ok(());
    }
    if let Some(markdown) = of("text/markdown", "markdown") {
        let draft = markdown::convert(&markdown, limits)?;
        writer.append(Draft { locations: Vec::new(), ..draft }, 0, None);
    } else if let Some(table) = of("text/html", "html").filter(|t| t.contains("<table")) {
        writer.append(html::fragment(&table, limits)?, 0, None);
    } else if let Some(text) = of("text/plain", "text").or_else(|| Some(joined(output.get("text")))) {
        let mut text = without_colours(&text);
        if text.len() > MAX_OUTPUT {
            text.truncate(text.floor_char_boundary(MAX_OUTPUT));
            text.push_str("\n…");
        }
        if !text.trim().is_empty() {
            writer.code(None, &text);
        }
    }
    Ok(())
}

/// Text that may be given in lines.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// Text without the sequences that colour it in a terminal.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.strip_prefix('[').map_or(after, |sequence| {
            sequence
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';' || c == '?')
                .get(1..)
                .unwrap_or_default()
        });
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_outputs_of_both_kinds_of_notebooks() {
        let text = r##"{"cells":[{"cell_type":"markdown","source":["# A\n","text"]},
            {"cell_type":"code","source":"x","outputs":[{"output_type":"stream","text":["o\u001b[31mk\u001b[0m"]},
            {"output_type":"execute_result","data":{"text/html":["<table><tr><th>a<th>b</table>"],"text/plain":"p","image/png":"iVBOR"}}]}],
            "metadata":{"language_info":{"name":"R"}}}"##;
        let draft = convert(text, &Limits::default()).unwrap();
        assert_eq!(draft.markdown, "# A\ntext\n\n```r\nx\n```\n\n```\nok\n```\n\n| a | b |\n| --- | --- |");
        assert_eq!(draft.title.as_deref(), Some("A"));
        let old = r#"{"worksheets":[{"cells":[{"cell_type":"heading","level":2,"source":"H"},{"cell_type":"code","language":"python",
            "input":["a"],"outputs":[{"output_type":"pyout","text":["1"]}]}]}],"nbformat":3}"#;
        assert_eq!(
            convert(old, &Limits::default()).unwrap().markdown,
            "## H\n\n```python\na\n```\n\n```\n1\n```"
        );
    }
}
