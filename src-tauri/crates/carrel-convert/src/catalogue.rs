//! The formats that are known, by name: which converter takes them, and what those are called that none takes yet.

use carrel_engine::domain::ConverterId;

/// The reader of PDF where the PDFium library is not there. `outdated`: as its successor, which converts again what it made.
pub(crate) fn simple_pdf(outdated: bool) -> ConverterId {
    ConverterId { id: "pdf_simple".into(), version: 2 + u32::from(outdated) }
}

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
    Pptx,
    Xls,
    Xlsb,
    Ods,
    Odt,
    Odp,
    Rtf,
    Doc,
    Ppt,
    Archive,
    Mail,
    Mailbox,
    Outlook,
    WebArchive,
    Epub,
    Notebook,
    Json,
    Xml,
    Subtitles,
    Image,
    Audio,
}

impl Converter {
    pub(crate) const ALL: [Converter; 29] = [
        Self::Markdown,
        Self::Text,
        Self::Html,
        Self::Csv,
        Self::Code,
        Self::Pdf,
        Self::Docx,
        Self::Xlsx,
        Self::Pptx,
        Self::Xls,
        Self::Xlsb,
        Self::Ods,
        Self::Odt,
        Self::Odp,
        Self::Rtf,
        Self::Doc,
        Self::Ppt,
        Self::Archive,
        Self::Mail,
        Self::Mailbox,
        Self::Outlook,
        Self::WebArchive,
        Self::Epub,
        Self::Notebook,
        Self::Json,
        Self::Xml,
        Self::Subtitles,
        Self::Image,
        Self::Audio,
    ];

    /// Name and version. The version is raised whenever the output changes.
    pub(crate) fn id(self) -> ConverterId {
        let (id, version) = self.name_and_version();
        // What holds other files changes with all that they may be.
        let inner = match self {
            Self::Archive | Self::Mail | Self::Mailbox | Self::Outlook => {
                Self::ALL.into_iter().map(|c| c.name_and_version().1).sum()
            }
            Self::WebArchive | Self::Epub | Self::Xml | Self::Docx => Self::Html.name_and_version().1,
            Self::Notebook => Self::Html.name_and_version().1 + Self::Markdown.name_and_version().1,
            _ => 0,
        };
        ConverterId { id: id.into(), version: version + inner }
    }

    /// Whether its files are no text.
    pub(crate) fn is_binary(self) -> bool {
        match self {
            Self::Pdf
            | Self::Docx
            | Self::Xlsx
            | Self::Pptx
            | Self::Xls
            | Self::Xlsb
            | Self::Ods
            | Self::Odt
            | Self::Odp
            | Self::Rtf
            | Self::Doc
            | Self::Ppt
            | Self::Archive
            | Self::Outlook
            | Self::Epub
            | Self::Image
            | Self::Audio => true,
            Self::Markdown
            | Self::Text
            | Self::Html
            | Self::Csv
            | Self::Code
            | Self::Mail
            | Self::Mailbox
            | Self::WebArchive
            | Self::Notebook
            | Self::Json
            | Self::Xml
            | Self::Subtitles => false,
        }
    }

    fn name_and_version(self) -> (&'static str, u32) {
        match self {
            Self::Markdown => ("markdown", 3),
            Self::Text => ("text", 3),
            Self::Html => ("html", 3),
            Self::Csv => ("csv", 2),
            Self::Code => ("code", 3),
            Self::Pdf => ("pdf", 5),
            Self::Docx => ("docx", 4),
            Self::Xlsx => ("xlsx", 4),
            Self::Pptx => ("pptx", 3),
            Self::Xls => ("xls", 3),
            Self::Xlsb => ("xlsb", 3),
            Self::Ods => ("ods", 3),
            Self::Odt => ("odt", 3),
            Self::Odp => ("odp", 3),
            Self::Rtf => ("rtf", 3),
            Self::Doc => ("doc", 3),
            Self::Ppt => ("ppt", 2),
            Self::Archive => ("zip", 2),
            Self::Mail => ("mail", 1),
            Self::Mailbox => ("mbox", 1),
            Self::Outlook => ("msg", 1),
            Self::WebArchive => ("mhtml", 2),
            Self::Epub => ("epub", 2),
            Self::Notebook => ("ipynb", 1),
            Self::Json => ("json", 1),
            Self::Xml => ("xml", 1),
            Self::Subtitles => ("subtitles", 3),
            Self::Image => ("image", 1),
            Self::Audio => ("audio", 2),
        }
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
    let path = match name.split_once("://") {
        // The name of a host has no extension.
        Some((_, address)) => address.split(['?', '#']).next().and_then(|path| path.split_once('/'))?.1,
        None => name,
    };
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let (stem, extension) = last.rsplit_once('.')?;
    let plausible =
        !extension.is_empty() && extension.len() <= 12 && !extension.contains(char::is_whitespace);
    (!stem.is_empty() && plausible).then(|| extension.to_lowercase())
}

/// What the name promises.
pub(crate) fn promise(name: &str) -> Promise {
    let extension = extension(name);
    let readable = match extension.as_deref().unwrap_or_default() {
        "json" | "jsonc" | "json5" | "jsonl" | "ndjson" | "geojson" | "webmanifest" => Converter::Json,
        "xml" | "rss" | "atom" | "rdf" | "xsd" | "xsl" | "xslt" | "plist" | "kml" | "gpx" | "opml" => {
            Converter::Xml
        }
        "ipynb" => Converter::Notebook,
        "srt" | "vtt" => Converter::Subtitles,
        "eml" | "emlx" => Converter::Mail,
        "mbox" | "mbx" => Converter::Mailbox,
        "msg" | "oft" => Converter::Outlook,
        "mht" | "mhtml" => Converter::WebArchive,
        "epub" => Converter::Epub,
        "zip" => Converter::Archive,
        "mp3" | "wav" | "m4a" | "m4b" | "flac" | "ogg" | "oga" | "aac" => Converter::Audio,
        _ if language_of(name).is_some() => Converter::Code,
        "md" | "markdown" | "mdown" | "mkd" | "mkdn" | "mdx" | "qmd" | "rmd" => Converter::Markdown,
        "txt" | "text" | "log" | "rst" | "adoc" | "asciidoc" | "org" | "ics" | "vcf" | "bib" | "nfo" => {
            Converter::Text
        }
        "html" | "htm" | "xhtml" => Converter::Html,
        "csv" | "tsv" | "tab" => Converter::Csv,
        "pdf" => Converter::Pdf,
        "docx" | "docm" | "dotx" => Converter::Docx,
        "xlsx" | "xlsm" | "xltx" => Converter::Xlsx,
        "xls" | "xlt" => Converter::Xls,
        "xlsb" => Converter::Xlsb,
        "ods" | "ots" | "fods" => Converter::Ods,
        "odt" | "ott" | "fodt" => Converter::Odt,
        "odp" | "otp" | "fodp" | "odg" | "otg" | "fodg" => Converter::Odp,
        "rtf" => Converter::Rtf,
        "doc" | "dot" => Converter::Doc,
        "ppt" | "pps" | "pot" => Converter::Ppt,
        "pptx" | "pptm" | "ppsx" | "ppsm" | "potx" => Converter::Pptx,
        "png" | "jpg" | "jpeg" | "jpe" | "jfif" | "gif" | "bmp" | "tif" | "tiff" | "webp" => Converter::Image,
        "" => return Promise::Unknown,
        other => return unreadable(other).map_or(Promise::Unknown, Promise::Unreadable),
    };
    Promise::Readable(readable)
}

/// The everyday name of a format that no converter takes yet.
fn unreadable(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "mobi" | "azw3" | "fb2" => "e-book",
        "pst" | "ost" => "mail",
        "pages" => "Pages",
        "numbers" => "Numbers",
        "key" => "Keynote",
        "wpd" => "WordPerfect",
        "wk1" | "wk3" | "wk4" => "Lotus 1-2-3",
        "vsd" | "vsdx" => "Visio",
        "hwp" | "hwpx" => "Hangul",
        "djvu" | "xps" => "page image",
        "heic" | "heif" | "avif" | "ico" | "icns" | "svg" | "psd" | "ai" | "eps" | "wmf" | "emf" | "raw"
        | "cr2" | "nef" | "dng" => "image",
        "opus" | "wma" | "aiff" | "mid" => "audio",
        "mp4" | "mov" | "mkv" | "avi" | "webm" | "wmv" | "m4v" | "flv" | "mpg" | "mpeg" => "video",
        "rar" | "7z" | "tar" | "gz" | "tgz" | "bz2" | "xz" | "zst" | "jar" | "war" | "iso" | "dmg"
        | "cab" => "archive",
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
        assert_eq!(promise("https://docs.rs"), Promise::Unknown);
        assert_eq!(promise("CMakeLists.txt"), Promise::Readable(Converter::Code));
        assert_eq!(promise("x.mobi"), Promise::Unreadable("e-book"));
        assert_eq!(promise("x.TIFF"), Promise::Readable(Converter::Image));
        assert_eq!(promise("x.heic"), Promise::Unreadable("image"));
        assert_eq!(promise(".gitignore"), Promise::Unknown);
        assert_eq!(promise("Version 1. Draft of it"), Promise::Unknown);
    }
}
