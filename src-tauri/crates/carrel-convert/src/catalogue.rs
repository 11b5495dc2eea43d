//! The formats that are known, by name: which converter takes them, and what those are called that none takes yet.

use carrel_engine::domain::ConverterId;

/// A converter of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Converter {
    Markdown,
    Text,
    Html,
    Csv,
    Code,
    Pdf,
    Docx,
    Xlsx,
}

impl Converter {
    pub(crate) const ALL: [Converter; 8] =
        [Self::Markdown, Self::Text, Self::Html, Self::Csv, Self::Code, Self::Pdf, Self::Docx, Self::Xlsx];

    /// Name and version. The version is raised whenever the output changes.
    pub(crate) fn id(self) -> ConverterId {
        let (id, version) = match self {
            Self::Markdown => ("markdown", 1),
            Self::Text => ("text", 1),
            Self::Html => ("html", 1),
            Self::Csv => ("csv", 1),
            Self::Code => ("code", 1),
            Self::Pdf => ("pdf", 2),
            Self::Docx => ("docx", 1),
            Self::Xlsx => ("xlsx", 1),
        };
        ConverterId { id: id.into(), version }
    }
}

/// What a name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// A converter takes it.
    Readable(Converter),
    /// A format that no converter takes yet, by its everyday name.
    Unreadable(&'static str),
    /// No or an unknown extension: the content decides.
    Unknown,
}

/// The lower-case extension of a file name or URL, without query and fragment.
pub(crate) fn extension(name: &str) -> Option<String> {
    let path = if name.contains("://") { name.split(['?', '#']).next().unwrap_or(name) } else { name };
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let (stem, extension) = last.rsplit_once('.')?;
    let plausible =
        !extension.is_empty() && extension.len() <= 12 && !extension.contains(char::is_whitespace);
    (!stem.is_empty() && plausible).then(|| extension.to_lowercase())
}

/// What the name promises.
pub(crate) fn promise(name: &str) -> Promise {
    if let Some(language) = language_of(name) {
        let _: &str = language;
        return Promise::Readable(Converter::Code);
    }
    let Some(extension) = extension(name) else { return Promise::Unknown };
    let readable = match extension.as_str() {
        "md" | "markdown" | "mdown" | "mkd" | "mkdn" | "mdx" | "qmd" | "rmd" => Converter::Markdown,
        "txt" | "text" | "log" | "srt" | "vtt" | "rst" | "adoc" | "asciidoc" | "org" | "ics" | "vcf"
        | "bib" | "nfo" => Converter::Text,
        "html" | "htm" | "xhtml" => Converter::Html,
        "csv" | "tsv" | "tab" => Converter::Csv,
        "pdf" => Converter::Pdf,
        "docx" | "docm" | "dotx" => Converter::Docx,
        "xlsx" | "xlsm" | "xltx" => Converter::Xlsx,
        _ => return unreadable(&extension).map_or(Promise::Unknown, Promise::Unreadable),
    };
    Promise::Readable(readable)
}

/// The everyday name of a format that no converter takes yet.
fn unreadable(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "doc" | "dot" => "Word 97–2003",
        "xls" | "xlt" => "Excel 97–2003",
        "xlsb" => "Excel binary",
        "ppt" | "pps" => "PowerPoint 97–2003",
        "pptx" | "pptm" | "ppsx" => "PowerPoint",
        "odt" | "ods" | "odp" | "odg" => "OpenDocument",
        "rtf" => "RTF",
        "epub" | "mobi" | "azw3" | "fb2" => "e-book",
        "eml" | "msg" | "mbox" | "pst" => "mail",
        "mht" | "mhtml" => "web archive",
        "ipynb" => "Jupyter notebook",
        "pages" | "numbers" | "key" => "iWork",
        "djvu" | "xps" => "page image",
        "png" | "jpg" | "jpeg" | "gif" | "bmp" | "tif" | "tiff" | "webp" | "heic" | "heif" | "avif"
        | "ico" | "icns" | "svg" | "psd" | "ai" | "eps" | "raw" | "cr2" | "nef" | "dng" => "image",
        "mp3" | "wav" | "m4a" | "flac" | "ogg" | "oga" | "opus" | "aac" | "wma" | "aiff" | "mid" => "audio",
        "mp4" | "mov" | "mkv" | "avi" | "webm" | "wmv" | "m4v" | "flv" | "mpg" | "mpeg" => "video",
        "zip" | "rar" | "7z" | "tar" | "gz" | "tgz" | "bz2" | "xz" | "zst" | "jar" | "war" | "iso"
        | "dmg" | "cab" => "archive",
        "exe" | "dll" | "so" | "dylib" | "o" | "a" | "lib" | "obj" | "bin" | "class" | "pyc" | "wasm"
        | "app" | "deb" | "rpm" | "msi" | "apk" => "program",
        "db" | "sqlite" | "sqlite3" | "mdb" | "accdb" | "parquet" | "arrow" | "dta" | "sav" => "database",
        "ttf" | "otf" | "woff" | "woff2" => "font",
        "safetensors" | "gguf" | "onnx" | "pt" | "pth" | "npy" | "npz" | "pkl" | "h5" => "model",
        _ => return None,
    })
}

/// The language of source code by its file name, as fences write it.
pub(crate) fn language_of(name: &str) -> Option<&'static str> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match last {
        "Makefile" | "makefile" | "GNUmakefile" => return Some("makefile"),
        "Dockerfile" | "Containerfile" => return Some("dockerfile"),
        "CMakeLists.txt" => return Some("cmake"),
        "Gemfile" | "Rakefile" => return Some("ruby"),
        _ => {}
    }
    let extension = extension(name)?;
    Some(match extension.as_str() {
        "rs" => "rust",
        "py" | "pyi" | "pyw" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "jsx",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "tsx",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "scala" | "sc" => "scala",
        "groovy" | "gradle" => "groovy",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hpp" | "hxx" | "hh" | "ino" => "cpp",
        "cs" => "csharp",
        "fs" | "fsx" => "fsharp",
        "vb" => "vb",
        "go" => "go",
        "swift" => "swift",
        "m" | "mm" => "objectivec",
        "rb" => "ruby",
        "php" => "php",
        "pl" | "pm" => "perl",
        "lua" => "lua",
        "r" => "r",
        "jl" => "julia",
        "dart" => "dart",
        "ex" | "exs" => "elixir",
        "erl" | "hrl" => "erlang",
        "hs" => "haskell",
        "ml" | "mli" => "ocaml",
        "clj" | "cljs" | "edn" => "clojure",
        "lisp" | "el" | "scm" => "lisp",
        "zig" => "zig",
        "nim" => "nim",
        "sol" => "solidity",
        "sh" | "bash" | "zsh" | "fish" => "bash",
        "ps1" | "psm1" => "powershell",
        "bat" | "cmd" => "batch",
        "sql" => "sql",
        "proto" => "protobuf",
        "graphql" | "gql" => "graphql",
        "tf" | "hcl" => "hcl",
        "css" => "css",
        "scss" | "sass" => "scss",
        "less" => "less",
        "vue" => "vue",
        "svelte" => "svelte",
        "json" | "jsonc" | "json5" | "jsonl" | "ndjson" | "geojson" | "webmanifest" => "json",
        "xml" | "xsd" | "xsl" | "xslt" | "rss" | "atom" | "plist" | "kml" | "gpx" => "xml",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "ini" | "cfg" | "conf" | "properties" | "env" => "ini",
        "tex" | "sty" | "cls" => "latex",
        "diff" | "patch" => "diff",
        "asm" | "s" => "asm",
        "v" | "sv" => "verilog",
        "vhd" | "vhdl" => "vhdl",
        "cmake" => "cmake",
        "mk" => "makefile",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_urls() {
        assert_eq!(promise("a/B.PDF"), Promise::Readable(Converter::Pdf));
        assert_eq!(promise("https://x.org/a.html?b=c.pdf"), Promise::Readable(Converter::Html));
        assert_eq!(promise("CMakeLists.txt"), Promise::Readable(Converter::Code));
        assert_eq!(promise("x.pptx"), Promise::Unreadable("PowerPoint"));
        assert_eq!(promise(".gitignore"), Promise::Unknown);
        assert_eq!(promise("Version 1. Draft of it"), Promise::Unknown);
    }
}
