//! The targets by name: how their inputs are changed, and where seeds and words come from. `cargo xtask fuzz` reads this too.

/// What an input is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Bytes, or text.
    Plain,
    /// A zip archive: its parts are changed inside.
    Zip,
    /// A compound file: its streams are changed inside.
    Compound,
}

/// A target.
#[derive(Debug)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// How inputs are changed.
    pub shape: Shape,
    /// Endings of files that are seeds.
    pub seeds: &'static [&'static str],
    /// Modules whose words are tried, below `src-tauri/crates`.
    pub sources: &'static [&'static str],
}

const fn target(
    name: &'static str,
    shape: Shape,
    seeds: &'static [&'static str],
    sources: &'static [&'static str],
) -> Target {
    Target { name, shape, seeds, sources }
}

/// Every target.
#[rustfmt::skip]
pub const TARGETS: &[Target] = &[
    target("archive", Shape::Zip, &["zip"], &["carrel-convert/src/formats/archive.rs"]),
    target("chunk", Shape::Plain, &["md", "html", "csv", "txt", "rs", "py"], &["carrel-engine/src/chunk"]),
    target("code", Shape::Plain, &["rs", "py", "sh", "js", "sql"], &["carrel-convert/src/formats/code"]),
    target("data", Shape::Plain, &["json", "ndjson", "ipynb"], &["carrel-convert/src/formats/json.rs", "carrel-convert/src/formats/notebook.rs"]),
    target("doc", Shape::Compound, &["doc"], &["carrel-convert/src/formats/doc"]),
    target("docx", Shape::Zip, &["docx", "docm"], &["carrel-convert/src/formats/docx", "carrel-convert/src/formats/math.rs", "carrel-convert/src/formats/chart.rs", "carrel-convert/src/formats/ooxml.rs"]),
    target("encrypted", Shape::Compound, &["docx", "xlsx"], &["carrel-convert/src/formats/encrypted.rs"]),
    target("epub", Shape::Zip, &["epub"], &["carrel-convert/src/formats/epub.rs", "carrel-convert/src/formats/html"]),
    target("html", Shape::Plain, &["html", "htm"], &["carrel-convert/src/formats/html", "carrel-convert/src/formats/mathml.rs"]),
    target("image", Shape::Plain, &["png", "jpg", "tif", "gif", "bmp", "webp"], &["carrel-convert/src/formats/image.rs"]),
    target("lines", Shape::Plain, &["csv", "tsv", "srt", "vtt"], &["carrel-convert/src/formats/csv.rs", "carrel-convert/src/formats/subtitles.rs"]),
    target("mail", Shape::Plain, &["eml", "mbox", "mht"], &["carrel-convert/src/formats/mail", "carrel-convert/src/formats/webarchive.rs"]),
    target("markdown", Shape::Plain, &["md"], &["carrel-convert/src/formats/markdown.rs", "carrel-convert/src/build"]),
    target("msg", Shape::Compound, &["msg"], &["carrel-convert/src/formats/mail"]),
    target("odf", Shape::Zip, &["odt", "odp", "ods", "fodt", "fods"], &["carrel-convert/src/formats/odf", "carrel-convert/src/formats/sheets/ods.rs"]),
    target("pdf", Shape::Plain, &["pdf"], &["carrel-convert/src/formats/pdf"]),
    target("pdf_layout", Shape::Plain, &[], &[]),
    target("pieces", Shape::Plain, &[], &["carrel-convert/src/formats/math.rs", "carrel-convert/src/formats/mathml.rs", "carrel-convert/src/formats/sheets/number.rs"]),
    target("ppt", Shape::Compound, &["ppt"], &["carrel-convert/src/formats/ppt"]),
    target("pptx", Shape::Zip, &["pptx", "pptm"], &["carrel-convert/src/formats/pptx", "carrel-convert/src/formats/chart.rs", "carrel-convert/src/formats/ooxml.rs"]),
    target("query", Shape::Plain, &["txt", "md"], &["carrel-engine/src/text"]),
    target("reading", Shape::Plain, &[], &[]),
    target("rtf", Shape::Plain, &["rtf"], &["carrel-convert/src/formats/rtf"]),
    target("sheets", Shape::Zip, &["xlsx", "xlsm", "xlsb"], &["carrel-convert/src/formats/sheets"]),
    target("text", Shape::Plain, &["txt", "csv"], &["carrel-convert/src/text"]),
    target("writer", Shape::Plain, &[], &["carrel-convert/src/build"]),
    target("xls", Shape::Compound, &["xls"], &["carrel-convert/src/formats/sheets"]),
    target("xml", Shape::Plain, &["xml", "rss"], &["carrel-convert/src/formats/feed.rs", "carrel-convert/src/formats/xml.rs"]),
];
