//! What a library holds: things that can be listed and counted.

/// A kind of document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::answer) enum Thing {
    /// Any.
    #[default]
    Documents,
    /// PDF.
    Pdf,
    /// Text and Markdown.
    Notes,
    /// Messages.
    Mails,
    /// Tables.
    Spreadsheets,
    /// Slides.
    Presentations,
    /// Pages of the web.
    WebPages,
    /// Pictures.
    Pictures,
    /// Sound.
    Recordings,
    /// Books.
    Books,
    /// Source code.
    Code,
    /// Word.
    Word,
}

use Thing::{
    Books, Code, Documents, Mails, Notes, Pdf, Pictures, Presentations, Recordings, Spreadsheets, WebPages,
    Word,
};

/// Names in a question; the longest that fits counts.
const NAMES: &[(Thing, &[&str])] = &[
    (
        Documents,
        &[
            "documents",
            "document",
            "files",
            "file",
            "docs",
            "papers",
            "texts",
            "items",
            "文档",
            "文件",
            "资料",
            "文章",
            "材料文件",
        ],
    ),
    (Pdf, &["pdfs", "pdf files", "pdf documents", "pdf file", "pdf document", "pdf", "pdf文件", "pdf文档"]),
    (Notes, &["notes", "note", "markdown files", "text files", "笔记", "便笺"]),
    (
        Mails,
        &["e-mails", "emails", "mails", "e-mail messages", "messages", "e-mail", "email", "邮件", "电子邮件"],
    ),
    (
        Spreadsheets,
        &[
            "spreadsheets",
            "spreadsheet",
            "excel files",
            "tables files",
            "workbooks",
            "电子表格",
            "表格文件",
            "excel文件",
        ],
    ),
    (
        Presentations,
        &["presentations", "presentation", "slide decks", "powerpoint files", "演示文稿", "幻灯片"],
    ),
    (WebPages, &["web pages", "webpages", "web page", "html files", "网页"]),
    (Pictures, &["pictures", "images", "photos", "scans", "图片", "照片", "扫描件"]),
    (Recordings, &["recordings", "audio files", "recording", "录音", "音频文件"]),
    (Books, &["e-books", "ebooks", "books", "epubs", "电子书"]),
    (Code, &["source files", "code files", "scripts", "代码文件", "源文件"]),
    (Word, &["word documents", "word files", "word文档", "word文件"]),
];

impl Thing {
    /// The thing that a text begins with, and what follows it. A word is taken whole.
    pub(super) fn at_start(text: &str) -> Option<(Self, &str)> {
        let lower = text.to_lowercase();
        let mut best: Option<(Self, usize)> = None;
        for (thing, names) in NAMES {
            for name in *names {
                let fits = lower.starts_with(name)
                    && (!name.ends_with(|c: char| c.is_ascii_alphabetic())
                        || !lower[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric()));
                if fits && lower.len() == text.len() && best.is_none_or(|(_, length)| name.len() > length) {
                    best = Some((*thing, name.len()));
                }
            }
        }
        best.and_then(|(thing, length)| Some((thing, text.get(length..)?)))
    }

    /// The thing that a text ends with, and what stands before it.
    pub(super) fn at_end(text: &str) -> Option<(Self, &str)> {
        let lower = text.to_lowercase();
        let mut best: Option<(Self, usize)> = None;
        for (thing, names) in NAMES {
            for name in names.iter().filter(|name| lower.ends_with(**name) && lower.len() == text.len()) {
                if best.is_none_or(|(_, length)| name.len() > length) {
                    best = Some((*thing, name.len()));
                }
            }
        }
        best.and_then(|(thing, length)| Some((thing, text.get(..text.len() - length)?)))
    }

    /// Its plural in English.
    pub(in crate::answer) fn name(self) -> &'static str {
        match self {
            Documents => "documents",
            Pdf => "pdf",
            Notes => "notes",
            Mails => "mails",
            Spreadsheets => "spreadsheets",
            Presentations => "presentations",
            WebPages => "web pages",
            Pictures => "pictures",
            Recordings => "recordings",
            Books => "books",
            Code => "source files",
            Word => "word documents",
        }
    }

    /// Values of the filter `type` that it stands for; none for any type.
    pub(in crate::answer) fn types(self) -> &'static [&'static str] {
        match self {
            Documents => &[],
            Pdf => &["pdf"],
            Notes => &["markdown", "text", "md", "txt"],
            Mails => &["eml", "msg", "mbox", "message/rfc822", "application/vnd.ms-outlook"],
            Spreadsheets => &["xlsx", "xls", "xlsb", "ods", "csv", "tsv"],
            Presentations => &["pptx", "ppt", "odp"],
            WebPages => &["html", "htm", "mhtml"],
            Pictures => &["png", "jpg", "jpeg", "gif", "webp", "tiff", "tif", "bmp"],
            Recordings => &["wav", "mp3", "m4a", "flac", "ogg", "aac"],
            Books => &["epub"],
            Code => &["code"],
            Word => &["docx", "doc"],
        }
    }
}
