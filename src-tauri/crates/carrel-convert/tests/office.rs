//! Office formats: what is kept of each, on small files made for it, and what is refused.

mod common;

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::Converted;
use carrel_engine::seams::{ConvertError, ConvertRequest, DocumentConverter};
use common::expected::fixture;
use common::make::package;
use common::{answer, bytes, convert, place, pool};

fn try_convert(name: &str, content: &[u8]) -> Result<Converted, ConvertError> {
    answer(&pool(1), &bytes(name, content))
}

fn relations(targets: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        format!("<Relationship Id=\"{id}\" Type=\"x/{kind}\" Target=\"{target}\"/>")
    };
    format!("<Relationships>{}</Relationships>", targets.iter().map(one).collect::<String>())
}

fn slide(attributes: &str, shapes: &str) -> String {
    format!("<p:sld {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
}

fn shape(holder: &str, text: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"1\" name=\"x\"/><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>"
    )
}

fn line(properties: &str, text: &str) -> String {
    format!("<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>")
}

/// Three slides, listed against the order of their names; the second is damaged, the third hidden.
fn presentation() -> Vec<u8> {
    let title = "<p:ph type=\"title\"/>";
    let group = format!("<p:grpSp><p:grpSp>{}</p:grpSp></p:grpSp>", shape("", &line("", "in two groups")));
    let table = "<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan=\"2\"><a:txBody><a:p><a:r><a:t>wide</a:t></a:r></a:p>\
        </a:txBody></a:tc><a:tc hMerge=\"1\"/></a:tr><a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc>\
        <a:tc><a:txBody><a:p><a:r><a:t>b|c</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>";
    let chart = "<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id=\"c\"/></a:graphicData></a:graphic></p:graphicFrame>";
    let picture =
        "<p:pic><p:nvPicPr><p:cNvPr id=\"4\" name=\"p\" descr=\"A lamp on a desk\"/></p:nvPicPr></p:pic>";
    let body = line("<a:pPr><a:buChar char=\"x\"/></a:pPr>", "one")
        + &line("<a:pPr lvl=\"1\"><a:buAutoNum type=\"arabicPeriod\"/></a:pPr>", "inner")
        + &line("<a:pPr><a:buChar char=\"x\"/></a:pPr>", "two");
    let shapes = shape("<p:ph type=\"body\" idx=\"1\"/>", &body)
        + &shape(title, &line("", "First"))
        + &group
        + table
        + chart
        + picture
        + &shape("<p:ph type=\"sldNum\"/>", &line("", "77"));
    let first = slide("", &shapes);
    let last = slide("show=\"0\"", &shape(title, &line("", "Last")));
    let notes = slide("", &shape("<p:ph type=\"body\"/>", &line("", "Say this aloud")));
    let chart_part = "<c:chartSpace><c:chart><c:plotArea><c:ser><c:tx><c:v>Sales</c:v></c:tx><c:cat><c:strLit><c:pt idx=\"0\"><c:v>May</c:v></c:pt></c:strLit></c:cat>\
        <c:val><c:numLit><c:pt idx=\"0\"><c:v>4.2999999999999998</c:v></c:pt></c:numLit></c:val></c:ser></c:plotArea></c:chart></c:chartSpace>";
    let comments = "<p:cmLst><p:cm authorId=\"0\"><p:text>Is this so?</p:text></p:cm></p:cmLst>";
    let parts: Vec<(&str, String)> = vec![
        ("[Content_Types].xml", "<Types/>".into()),
        ("_rels/.rels", relations(&[("m", "officeDocument", "ppt/presentation.xml")])),
        (
            "ppt/presentation.xml",
            "<p:presentation><p:sldIdLst><p:sldId id=\"256\" r:id=\"s9\"/><p:sldId id=\"257\" r:id=\"s5\"/><p:sldId id=\"258\" r:id=\"s1\"/>\
             </p:sldIdLst></p:presentation>"
                .into(),
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            relations(&[
                ("s1", "slide", "slides/slide1.xml"),
                ("s5", "slide", "slides/slide5.xml"),
                ("s9", "slide", "slides/slide9.xml"),
                ("a", "commentAuthors", "commentAuthors.xml"),
            ]),
        ),
        ("ppt/commentAuthors.xml", "<p:cmAuthorLst><p:cmAuthor id=\"0\" name=\"Ann\"/></p:cmAuthorLst>".into()),
        ("ppt/slides/slide9.xml", first),
        (
            "ppt/slides/_rels/slide9.xml.rels",
            relations(&[
                ("c", "chart", "../charts/chart1.xml"),
                ("n", "notesSlide", "../notes/n.xml"),
                ("k", "comments", "../comments/k.xml"),
            ]),
        ),
        ("ppt/charts/chart1.xml", chart_part.into()),
        ("ppt/notes/n.xml", notes),
        ("ppt/comments/k.xml", comments.into()),
        ("ppt/slides/slide5.xml", "<p:sld></p:cSld>".into()),
        ("ppt/slides/slide1.xml", last),
    ];
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(n, c)| (*n, c.as_bytes())).collect();
    package(&parts)
}

#[test]
fn slides_in_their_order_with_all_that_hangs_on_them() {
    let converted = convert("a.pptx", &presentation());
    let expected = "## First\n\n- one\n  1. inner\n- two\n\nin two groups\n\n| wide | |\n| --- | --- |\n| a | b\\|c |\n\n\
        | | Sales |\n| --- | --- |\n| May | 4.3 |\n\nA lamp on a desk\n\n### Notes\n\nSay this aloud\n\n### Comments\n\nAnn: Is this so?\n\n## Last (hidden)";
    assert_eq!(converted.markdown, expected);
    assert_eq!(place(&converted, "Last").slide, Some(3));
    assert_eq!(place(&converted, "aloud").slide, Some(1));
    assert!(
        !converted.complete && converted.warnings[0].message.contains("slide 2"),
        "{:?}",
        converted.warnings
    );
}

fn open_document(kind: &str, content: &str) -> Vec<u8> {
    let kind = format!("application/vnd.oasis.opendocument.{kind}");
    package(&[
        ("mimetype", kind.as_bytes()),
        ("META-INF/manifest.xml", b"<manifest/>"),
        ("content.xml", format!("<office:document-content>{content}</office:document-content>").as_bytes()),
    ])
}

#[test]
fn sheets_of_opendocument_as_shown() {
    let cell = |attributes: &str, text: &str| {
        format!("<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>")
    };
    let row = |cells: &str| format!("<table:table-row>{cells}</table:table-row>");
    let content = format!(
        "<office:automatic-styles><style:style style:name=\"h\" style:family=\"table\"><style:table-properties table:display=\"false\"/></style:style>\
         </office:automatic-styles><office:body><office:spreadsheet><table:tracked-changes><table:cell-content-change><text:p>OLD</text:p>\
         </table:cell-content-change></table:tracked-changes>\
         <table:table table:name=\"One\">{}{}<table:table-row table:number-rows-repeated=\"1048574\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row></table:table>\
         <table:table table:name=\"Two\" table:style-name=\"h\">{}</table:table><table:table table:name=\"Third\">{}</table:table>\
         </office:spreadsheet></office:body>",
        row(&(cell("", "day") + &cell("", "share"))),
        row(&(cell("office:value-type=\"date\" office:date-value=\"2026-03-02T00:00:00\"", "2. M&#228;rz")
            + &cell("office:value-type=\"percentage\" office:value=\"0.255\"", "25.5%"))),
        row(&cell("", "x")),
        row(&cell("", "ZX-4711-Q<office:annotation/>")),
    );
    let converted = convert("a.ods", &open_document("spreadsheet", &content));
    let expected = "## One\n\n| day | share |\n| --- | --- |\n| 2026-03-02 | 25.5% |\n\n## Two (hidden)\n\nx\n\n## Third\n\nZX-4711-Q";
    assert_eq!(converted.markdown, expected);
    assert_eq!(place(&converted, "ZX-4711").sheet.as_deref(), Some("Third"));
}

#[test]
fn texts_of_opendocument() {
    let content = "<office:automatic-styles><style:style style:name=\"B\" style:family=\"text\"><style:text-properties fo:font-weight=\"bold\"/></style:style>\
        <text:list-style style:name=\"N\"><text:list-level-style-number text:level=\"1\" style:num-format=\"1\"/></text:list-style></office:automatic-styles>\
        <office:body><office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>DELETED</text:p></text:deletion></text:changed-region></text:tracked-changes>\
        <text:h text:outline-level=\"2\">Head</text:h><text:p>A <text:span text:style-name=\"B\">bold</text:span> word<text:note text:note-class=\"footnote\">\
        <text:note-citation>1</text:note-citation><text:note-body><text:p>below</text:p></text:note-body></text:note>.<office:annotation><dc:creator>Ann</dc:creator>\
        <text:p>why</text:p></office:annotation></text:p><text:list text:style-name=\"N\"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>inner</text:p>\
        </text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list><table:table><table:table-row>\
        <table:table-cell table:number-columns-spanned=\"2\"><text:p>wide</text:p></table:table-cell><table:covered-table-cell/></table:table-row><table:table-row><table:table-cell>\
        <text:p>a</text:p><table:table><table:table-row><table:table-cell><text:p>n1</text:p></table:table-cell><table:table-cell><text:p>n2</text:p></table:table-cell></table:table-row></table:table>\
        </table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table><text:p><draw:frame><draw:text-box><text:p>in a box</text:p></draw:text-box></draw:frame></text:p>\
        </office:text></office:body>";
    let expected = "## Head\n\nA **bold** word[^1].[^2]\n\n1. one\n   - inner\n2. two\n\n| wide | |\n| --- | --- |\n| a | b |\n\n| n1 | n2 |\n| --- | --- |\n\nin a box\n\n\
        [^1]: below\n\n[^2]: Comment by Ann: why";
    assert_eq!(convert("a.odt", &open_document("text", content)).markdown, expected);
    let flat = format!("<?xml version=\"1.0\"?><office:document>{content}</office:document>");
    assert_eq!(convert("a.fodt", flat.as_bytes()).markdown, expected);
}

#[test]
fn pages_of_opendocument() {
    let content = "<office:automatic-styles><style:style style:name=\"h\" style:family=\"drawing-page\"><style:drawing-page-properties presentation:visibility=\"hidden\"/></style:style>\
        </office:automatic-styles><office:body><office:presentation><draw:page><draw:frame presentation:class=\"outline\"><draw:text-box><text:p>body</text:p></draw:text-box></draw:frame>\
        <draw:frame presentation:class=\"title\"><draw:text-box><text:p>First</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame presentation:class=\"notes\">\
        <draw:text-box><text:p>aloud</text:p></draw:text-box></draw:frame></presentation:notes></draw:page><draw:page draw:style-name=\"h\"><draw:g><draw:custom-shape><text:p>shape</text:p></draw:custom-shape></draw:g></draw:page>\
        </office:presentation></office:body>";
    let converted = convert("a.odp", &open_document("presentation", content));
    assert_eq!(converted.markdown, "## First\n\nbody\n\n### Notes\n\naloud\n\n## Slide 2 (hidden)\n\nshape");
    assert_eq!(place(&converted, "shape").slide, Some(2));
}

#[test]
fn rtf_in_the_encodings_of_its_fonts() {
    let rtf = "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset128 MS Mincho;}{\\f2\\fcharset204 Arial Cyr;}}\
        {\\stylesheet{\\s1 heading 1;}}{\\info{\\title The title}}{\\*\\unknown gone}\\pard\\s1 Head\\par\\pard caf\\'e9 {\\f1 \\'83A\\'83C} {\\f2 \\'cf\\'f0}\
        {\\uc2\\u30693\\'92\\'6d\\u-10179??\\u-8704??}{\\deleted lost}{\\v hidden} {\\b bold}\\par\
        {\\listtext 1.\\tab}\\ls1 one\\par{\\listtext 2.\\tab}\\ls1 two\\par\\pard\\trowd\\cellx1\\cellx2\\intbl a\\cell b\\cell\\row\\intbl c\\cell d\\cell\\row\\pard \
        end{\\footnote below}.{\\field{\\*\\fldinst HYPERLINK \"https://example.org/\"}{\\fldrslt link}}\\par}";
    let converted = convert("a.rtf", rtf.as_bytes());
    let expected = "# Head\n\ncafé アイ Пр知😀 **bold**\n\n1. one\n2. two\n\n| a | b |\n| --- | --- |\n| c | d |\n\nend[^1].[link](https://example.org/)\n\n[^1]: below";
    assert_eq!((converted.markdown.as_str(), converted.title.as_deref()), (expected, Some("The title")));
    let deep = format!("{{\\rtf1 {}", "{".repeat(5_000));
    assert_eq!(try_convert("a.rtf", deep.as_bytes()).unwrap_err().code(), "damaged");
}

#[test]
fn docx_notes_comments_charts_and_headers() {
    let document = "<w:document><w:body><w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r><w:r><w:commentReference w:id=\"0\"/></w:r>\
        <w:hyperlink r:id=\"l\"><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><w:rPr><w:rStyle w:val=\"Secret\"/></w:rPr><w:t>HIDDEN</w:t></w:r><w:del><w:r><w:delText>OLD</w:delText></w:r></w:del>\
        <w:r><w:drawing><wp:docPr descr=\"A lamp\"/><c:chart r:id=\"c\"/></w:drawing></w:r></w:p><w:sdt><w:sdtContent><w:p><w:r><w:t>controlled</w:t></w:r></w:p></w:sdtContent></w:sdt>\
        <w:p><w:r><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r></w:p></w:body></w:document>";
    let part = |name: &str, inner: &str| format!("<w:{name}>{inner}</w:{name}>");
    let p = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let parts: Vec<(&str, String)> = vec![
        ("[Content_Types].xml", "<Types/>".into()),
        ("word/document.xml", document.into()),
        (
            "word/_rels/document.xml.rels",
            relations(&[("c", "chart", "charts/c.xml"), ("h", "header", "h1.xml"), ("h2", "header", "h2.xml"), ("f", "footer", "f.xml")])
                .replace("</Rel", "<Relationship Id=\"l\" Type=\"x/hyperlink\" TargetMode=\"External\" Target=\"https://example.org/\"/></Rel"),
        ),
        ("word/styles.xml", "<w:styles><w:style w:type=\"character\" w:styleId=\"Secret\"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>".into()),
        ("word/footnotes.xml", part("footnotes", &format!("<w:footnote w:id=\"2\">{}</w:footnote>", p("below")))),
        ("word/comments.xml", part("comments", &format!("<w:comment w:id=\"0\" w:author=\"Ann\">{}</w:comment>", p("why")))),
        (
            "word/charts/c.xml",
            "<c:chartSpace><c:chart><c:title><a:t>Lamps</a:t></c:title><c:plotArea><c:ser><c:tx><c:v>Lit</c:v></c:tx><c:val><c:numLit><c:pt idx=\"0\"><c:v>3</c:v></c:pt></c:numLit></c:val></c:ser></c:plotArea></c:chart></c:chartSpace>"
                .into(),
        ),
        ("word/h1.xml", part("hdr", &p("Running head"))),
        ("word/h2.xml", part("hdr", &p("Running head"))),
        ("word/f.xml", part("ftr", &p("12"))),
    ];
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(n, c)| (*n, c.as_bytes())).collect();
    let expected = "Text[^1][^2][link](https://example.org/)\n\nA lamp\n\n**Lamps**\n\n| | Lit |\n| --- | --- |\n| | 3 |\n\ncontrolled\n\nin a box\n\nRunning head\n\n\
        [^1]: below\n\n[^2]: Comment by Ann: why";
    assert_eq!(convert("a.docx", &package(&parts)).markdown, expected);
}

#[test]
fn lists_in_cells_of_docx_keep_their_numbers_and_what_is_struck_out_is_marked() {
    let item = |text: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
        )
    };
    let cell = |inner: &str| format!("<w:tc>{inner}</w:tc>");
    let row = |cells: &str| format!("<w:tr>{cells}</w:tr>");
    let struck = "<w:p><w:r><w:t xml:space=\"preserve\">now </w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t>before</w:t></w:r><w:del><w:r><w:delText>OLD</w:delText></w:r></w:del></w:p>";
    let document = format!(
        "<w:document><w:body><w:tbl>{}{}{}</w:tbl>{}{struck}<w:altChunk r:id=\"x\"/></w:body></w:document>",
        row(&(cell("<w:p><w:r><w:t>No</w:t></w:r></w:p>") + &cell("<w:p><w:r><w:t>What</w:t></w:r></w:p>"))),
        row(&(cell(&item("")) + &cell(&(item("one") + &item("two"))))),
        row(&(cell(&item("")) + &cell(struck))),
        item("after"),
    );
    let numbering = "<w:numbering><w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"0\"/><w:numFmt w:val=\"decimal\"/>\
        <w:lvlText w:val=\"%1)\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>";
    let file = package(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", document.as_bytes()),
        ("word/_rels/document.xml.rels", relations(&[("x", "aFChunk", "laid.html")]).as_bytes()),
        ("word/numbering.xml", numbering.as_bytes()),
        ("word/Laid.html", b"<html><body><h2>Laid in</h2><p>A page of its own.</p></body></html>"),
    ]);
    let expected = "| No | What |\n| --- | --- |\n| 0) | 1) one 2) two |\n| 3) | now ~~before~~ |\n\n4. after\n\nnow ~~before~~\n\n\
        ## Laid in\n\nA page of its own.";
    assert_eq!(convert("a.docx", &file).markdown, expected);
}

#[test]
fn what_stands_on_the_masters_of_opendocument_is_read_once_and_prompts_are_not() {
    let frame = |attributes: &str, text: &str| {
        format!(
            "<draw:frame {attributes}><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"
        )
    };
    let master = |name: &str, inner: &str| {
        format!("<style:master-page style:name=\"{name}\">{inner}</style:master-page>")
    };
    let masters = master(
        "M",
        &(frame("presentation:class=\"title\" presentation:placeholder=\"true\"", "Click to edit")
            + &frame("presentation:class=\"footer\"", "For Zoë only")
            + &frame("presentation:class=\"page-number\"", "&lt;number&gt;")
            + &frame("", "Lamps &amp; Sons")),
    ) + &master("Unused", &frame("", "UNUSED"));
    let flat = |body: &str| {
        format!(
            "<?xml version=\"1.0\"?><office:document><office:master-styles>{masters}</office:master-styles><office:body>{body}</office:body></office:document>"
        )
    };
    let page = format!("<draw:page draw:master-page-name=\"M\">{}</draw:page>", frame("", "body"));
    let slides = flat(&format!("<office:presentation>{page}{page}</office:presentation>"));
    let expected = "## Slide 1\n\nbody\n\n## Slide 2\n\nbody\n\nFor Zoë only\n\nLamps & Sons";
    assert_eq!(convert("a.fodp", slides.as_bytes()).markdown, expected);
}

#[test]
fn lists_in_cells_of_opendocument_keep_their_numbers() {
    let content = "<office:automatic-styles><style:style style:name=\"S\" style:family=\"text\"><style:text-properties style:text-line-through-style=\"solid\"/></style:style>\
        <text:list-style style:name=\"N\"><text:list-level-style-number text:level=\"1\" style:num-format=\"1\" text:start-value=\"4\"/></text:list-style></office:automatic-styles>\
        <office:body><office:text><table:table><table:table-row><table:table-cell><text:p>steps</text:p><text:list text:style-name=\"N\"><text:list-item><text:p>one</text:p>\
        <text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list></table:table-cell>\
        <table:table-cell><text:p><text:span text:style-name=\"S\">gone</text:span></text:p></table:table-cell></table:table-row></table:table></office:text></office:body>";
    let expected = "| steps 4. one inner 5. two | ~~gone~~ |\n| --- | --- |";
    assert_eq!(convert("a.odt", &open_document("text", content)).markdown, expected);
}

#[test]
fn files_under_the_name_of_an_office_file_are_read_as_what_they_are() {
    let web = "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b\"\r\n\r\n--b\r\nContent-Location: file:///C:/a.htm\r\n\
        Content-Transfer-Encoding: quoted-printable\r\nContent-Type: text/html; charset=\"utf-8\"\r\n\r\n<html><body><h1>Caf=C3=A9</h1><p>one</p></body></html>\r\n--b--\r\n";
    assert_eq!(convert("a.doc", web.as_bytes()).markdown, "# Café\n\none");
    let rtf = b"\r\n{\\rtf1\\ansi text}";
    assert_eq!(convert("a.doc", rtf).markdown, "text");
    let table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>";
    assert_eq!(convert("a.xls", table.as_bytes()).markdown, "| a | b |\n| --- | --- |\n| 1 | 2 |");
    let xml = "<?xml version=\"1.0\"?><?mso-application progid=\"Excel.Sheet\"?><Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\">\
        <Worksheet ss:Name=\"S\"><Table><Row><Cell><Data ss:Type=\"String\">a</Data></Cell><Cell><Data ss:Type=\"Number\">1.5</Data></Cell></Row></Table></Worksheet></Workbook>";
    let sheet = convert("a.xls", xml.as_bytes());
    assert_eq!(sheet.markdown, "## S\n\n| a | 1.5 |\n| --- | --- |");
    assert_eq!(place(&sheet, "1.5").cells.as_deref(), Some("A1:B1"));
}

#[test]
fn of_a_workbook_without_cells_that_is_said() {
    let error = try_convert("a.xlsx", &common::make::xlsx(&[("Sheet1", &[])])).unwrap_err();
    assert!(matches!(&error, ConvertError::NoText { detail } if detail.contains("sheets")), "{error:?}");
}

#[test]
fn a_wrong_checksum_of_an_encrypted_package_is_said() {
    let mut file = std::fs::read(fixture("testEXCEL_protected_passtika_2.xlsx")).unwrap();
    let pool = pool(1);
    let convert = |file: &[u8]| {
        let request = ConvertRequest { password: Some("tika".into()), ..bytes("a.xlsx", file) };
        pool.convert(&request, &Cancel::new()).unwrap()
    };
    let warned = |converted: &Converted| converted.warnings.iter().any(|w| w.code == "altered");
    assert!(!warned(&convert(&file)));
    let value = b"encryptedHmacValue=\"";
    let at = file.windows(value.len()).position(|w| w == value).unwrap() + value.len();
    file[at] = if file[at] == b'A' { b'B' } else { b'A' };
    let converted = convert(&file);
    assert!(warned(&converted) && converted.markdown.contains("This is an Encrypted Excel spreadsheet"));
}

#[test]
fn encrypted_packages_ask_for_their_password() {
    let pool = pool(1);
    for (name, password, inside) in [
        ("testWORD_protected_passtika.docx", "tika", "This is an encrypted Word 2007 File."),
        ("testEXCEL_protected_passtika_2.xlsx", "tika", "This is an Encrypted Excel spreadsheet"),
    ] {
        let convert = |password: Option<&str>| {
            let request =
                ConvertRequest { password: password.map(str::to_owned), ..common::path(&fixture(name)) };
            pool.convert(&request, &Cancel::new())
        };
        assert_eq!(convert(None).unwrap_err(), ConvertError::NeedsPassword, "{name}");
        assert_eq!(convert(Some("wrong")).unwrap_err(), ConvertError::WrongPassword, "{name}");
        assert!(convert(Some(password)).unwrap().markdown.contains(inside), "{name}");
    }
}

#[test]
fn attacks_on_office_files_meet_limits() {
    let bomb = vec![b' '; 120 << 20];
    for (name, part) in [("a.pptx", "ppt/presentation.xml"), ("a.odt", "content.xml")] {
        let file = package(&[
            ("[Content_Types].xml", b"<Types/>"),
            ("META-INF/manifest.xml", b"<manifest/>"),
            ("content.xml", b"<x/>"),
            ("ppt/slides/slide1.xml", b"<x/>"),
        ]);
        assert!(try_convert(name, &file).is_err());
        let parts: Vec<(&str, &[u8])> = if part == "content.xml" {
            vec![("META-INF/manifest.xml", b"<manifest/>"), (part, &bomb)]
        } else {
            vec![("[Content_Types].xml", b"<Types/>"), (part, &bomb)]
        };
        assert_eq!(
            try_convert(name, &package(&parts)).unwrap_err(),
            ConvertError::LimitExceeded { limit: "size" },
            "{name}"
        );
    }
    let laughs = "<!DOCTYPE x [<!ENTITY a \"ha\">]><office:body><office:text><text:p>&a;</text:p></office:text></office:body>";
    let file = package(&[("META-INF/manifest.xml", b"<manifest/>"), ("content.xml", laughs.as_bytes())]);
    assert_eq!(try_convert("a.odt", &file).unwrap_err().code(), "damaged");
    // One cell that says that it fills the sheet.
    let content = "<office:body><office:spreadsheet><table:table table:name=\"S\"><table:table-row table:number-rows-repeated=\"1048576\">\
        <table:table-cell table:number-columns-repeated=\"16384\"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body>";
    let converted = convert("a.ods", &open_document("spreadsheet", content));
    assert!(converted.markdown.len() < 16 << 20, "{}", converted.markdown.len());
}
