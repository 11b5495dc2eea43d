//! Formats that are known by their first bytes, or by what lies in them, and that no converter takes.

/// First bytes, and what such a file is called.
const STARTS: [(&[u8], &str); 27] = [
    (b"\xffWPC", "WordPerfect"),
    (&[0x09, 0x00, 0x04, 0x00], "Excel 2"),
    (&[0x09, 0x02, 0x06, 0x00], "Excel 3"),
    (&[0x09, 0x04, 0x06, 0x00], "Excel 4"),
    (&[0x00, 0x00, 0x02, 0x00, 0x20, 0x51], "Quattro Pro"),
    (&[0x00, 0x00, 0x02, 0x00, 0x06, 0x04], "Lotus 1-2-3"),
    (&[0x00, 0x00, 0x02, 0x00, 0x04, 0x04], "Lotus 1-2-3"),
    (&[0x00, 0x00, 0x1a, 0x00, 0x00, 0x10], "Lotus 1-2-3"),
    (&[0x00, 0x00, 0x1a, 0x00, 0x02, 0x10], "Lotus 1-2-3"),
    (&[0xdb, 0xa5, 0x2d, 0x00], "Word 2"),
    (&[0x9b, 0xa5, 0x21, 0x00], "Word 1"),
    (&[0x31, 0xbe, 0x00, 0x00, 0x00, 0xab], "Word for DOS and Write"),
    (&[0xfe, 0x37, 0x00, 0x1c], "Word for Mac"),
    (&[0xd7, 0xcd, 0xc6, 0x9a], "WMF image"),
    (&[0x01, 0x00, 0x09, 0x00, 0x00, 0x03], "WMF image"),
    (b"AT&TFORM", "DjVu"),
    (b"%!PS", "PostScript"),
    (&[0xc5, 0xd0, 0xd3, 0xc6], "PostScript"),
    (b"ITSF", "Windows help"),
    (b"!BDN", "Outlook data"),
    (b"SQLite format 3\0", "database"),
    (b"\0\x01\0\0Standard ACE DB", "database"),
    (b"\0\x01\0\0Standard Jet DB", "database"),
    (b"PAR1", "database"),
    (&[0xe4, 0x52, 0x5c, 0x7b, 0x8c, 0xd8, 0xa7, 0x4d], "OneNote"),
    (b"HWP Document File", "Hangul"),
    (b"bplist00", "property list"),
];

/// What lies at a place.
const INSIDE: [(usize, &[u8], &str); 3] =
    [(40, b" EMF", "EMF image"), (60, b"BOOKMOBI", "e-book"), (60, b"TEXtREAd", "e-book")];

/// Streams of a compound file, and what one with it is called.
const STREAMS: [(&str, &str); 8] = [
    ("VisioDocument", "Visio"),
    ("StarWriterDocument", "StarOffice"),
    ("StarCalcDocument", "StarOffice"),
    ("StarDrawDocument3", "StarOffice"),
    ("MatOST", "Works"),
    ("Quill/QuillSub/CONTENTS", "Publisher"),
    ("BodyText/Section0", "Hangul"),
    ("PP40", "PowerPoint 4"),
];

/// The everyday name of what begins like this.
pub(super) fn format(bytes: &[u8]) -> Option<&'static str> {
    let starts = STARTS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| *name);
    starts.or_else(|| {
        let mut inside = INSIDE.iter();
        let found = inside.find(|(at, word, _)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(word)));
        found.map(|(_, _, name)| *name)
    })
}

/// The everyday name of a compound file that has these streams.
pub(super) fn compound(has: impl Fn(&str) -> bool) -> &'static str {
    STREAMS.iter().find(|(stream, _)| has(stream)).map_or("other Office 97–2003", |(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_formats_are_called_by_their_names() {
        assert_eq!(format(b"\xffWPC\x10\0\0\0"), Some("WordPerfect"));
        assert_eq!(format(&[9, 4, 6, 0, 0, 0, 0x10, 0]), Some("Excel 4"));
        assert_eq!(format(b"A text"), None);
        assert_eq!(compound(|stream| stream == "VisioDocument"), "Visio");
    }
}
