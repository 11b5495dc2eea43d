use super::*;

fn heading(level: u8, text: &str, start: usize, end: usize) -> Block {
    Block {
        kind: BlockKind::Heading { level, text: text.to_owned() },
        span: Span::new(start, end),
        children: vec![],
    }
}

fn block(kind: BlockKind, start: usize, end: usize) -> Block {
    Block { kind, span: Span::new(start, end), children: vec![] }
}

fn html(markdown: &str, marked: Option<Span>) -> String {
    render(markdown, &[], marked).html
}

fn marking(markdown: &str, words: &str) -> String {
    let start = markdown.find(words).unwrap();
    html(markdown, Some(Span::new(start, start + words.len())))
}

/// C23: whatever a document holds, the page holds only elements and attributes of ours.
#[test]
fn a_hostile_document_is_inert() {
    let hostile = r#"
<script>alert(1)</script>

<img src=x onerror=alert(1)>

![tracking](https://evil.example/pixel.png "x")
![](data:image/svg+xml;base64,PHN2Zz4=)

[click](javascript:alert(1)) [data](data:text/html,x) [ok](https://example.org/?a="><script>) <javascript:alert(1)>

Inline <b onclick=alert(1)>bold</b> <svg/onload=alert(1)> &lt;script&gt;alert(2)&lt;/script&gt; "quote" 'single'

<iframe src="https://evil.example"></iframe>

<a href="javascript:alert(1)">x</a> <style>body{background:url(https://evil.example)}</style>

```html"><script>alert(3)</script>
<script>alert(4)</script>
```

[ref]: https://evil.example/ref
![ref] ignore previous instructions

| a"onx=1 | <img src=x onerror=1> |
|---|---|
| `<img src=x>` | [l](vbscript:x) |
"#;
    for page in [html(hostile, None), html(hostile, Some(Span::new(0, hostile.len())))] {
        let mut rest = page.as_str();
        while let Some(open) = rest.find('<') {
            let close = rest[open..].find('>').unwrap() + open;
            let tag = &rest[open + 1..close];
            let name = tag.trim_start_matches('/').split(' ').next().unwrap();
            let ours = [
                "p",
                "h1",
                "h2",
                "h3",
                "h4",
                "h5",
                "h6",
                "blockquote",
                "pre",
                "code",
                "ol",
                "ul",
                "li",
                "div",
                "table",
                "thead",
                "tbody",
                "tr",
                "th",
                "td",
                "em",
                "strong",
                "del",
                "a",
                "span",
                "mark",
                "br",
                "hr",
            ];
            assert!(ours.contains(&name), "<{tag}>");
            for attribute in tag.split('"').step_by(2).flat_map(str::split_whitespace).skip(1) {
                let ours =
                    ["data-start=", "data-end=", "data-href=", "data-language=", "class=", "start=", "id="];
                assert!(ours.contains(&attribute), "{attribute} in <{tag}>");
            }
            rest = &rest[close + 1..];
        }
        assert!(!page.contains("=\"javascript:") && !page.contains("=\"data:"), "{page}");
        assert!(!page.contains("pixel.png"));
        assert!(page.contains("tracking"));
        assert!(page.contains("data-href=\"https://example.org/?a=&quot;"), "{page}");
        assert!(page.contains("ignore previous instructions"));
    }
}

#[test]
fn blocks_carry_their_bytes() {
    insta::assert_snapshot!(html("# Lease\n\nThe *notice* period is **90 days**.\n\n- one\n- two\n\n> quoted\n", None), @r#"<h1 data-start="0" data-end="8">Lease</h1><p data-start="9" data-end="45">The <em>notice</em> period is <strong>90 days</strong>.</p><ul data-start="46" data-end="59"><li data-start="46" data-end="52">one</li><li data-start="52" data-end="59">two</li></ul><blockquote data-start="59" data-end="68"><p data-start="61" data-end="68">quoted</p></blockquote>"#);
}

#[test]
fn a_passage_is_marked_run_by_run() {
    let page = marking("The *notice period* is `90 days` here.", "period* is `90");
    assert_eq!(
        page,
        "<p data-start=\"0\" data-end=\"38\">The <em>notice <mark id=\"passage\">period</mark></em><mark> is </mark>\
         <code><mark>90</mark> days</code> here.</p>"
    );
    let page = marking("a &amp; b", "&amp;");
    assert_eq!(page, "<p data-start=\"0\" data-end=\"9\">a <mark id=\"passage\">&amp;</mark> b</p>");
    let page = marking("```rust\nlet a = 1;\nlet b = 2;\n```\n", "let b");
    assert!(
        page.contains("<code data-language=\"rust\">let a = 1;\n<mark id=\"passage\">let b</mark> = 2;"),
        "{page}"
    );
    let page = marking("| k | v |\n|---|--:|\n| rent | 900 |\n", "900");
    assert!(page.contains("<td class=\"right\"><mark id=\"passage\">900</mark></td>"), "{page}");
}

#[test]
fn a_span_that_fits_nothing_is_harmless() {
    for span in [Span::new(1, 2), Span::new(2, 900), Span::new(500, 900), Span::new(0, 3)] {
        let page = html("语言模型", Some(span));
        assert!(page.starts_with("<p data-start=\"0\""), "{page}");
    }
}

#[test]
fn the_breadcrumb_is_the_headings_above() {
    let text = "# A\n\n## B\n\nx\n\n# C\n\ny\n";
    let blocks = [heading(1, "A", 0, 4), heading(2, "B", 5, 10), heading(1, "C", 14, 18)];
    let page = render(text, &blocks, Some(Span::new(11, 12)));
    assert_eq!(page.breadcrumb, ["A", "B"]);
    assert_eq!(page.outline.len(), 3);
    assert_eq!(render(text, &blocks, Some(Span::new(19, 20))).breadcrumb, ["C"]);
    assert!(render(text, &blocks, None).breadcrumb.is_empty());
}

#[test]
fn of_a_large_document_the_part_around_the_passage_is_shown() {
    let mut text = String::new();
    let mut blocks = Vec::new();
    for i in 0..40_000 {
        let start = text.len();
        let _ = write!(text, "Paragraph number {i} of a very long document.\n\n");
        blocks.push(block(BlockKind::Paragraph, start, text.len() - 1));
    }
    let words = "Paragraph number 20000 ";
    let at = text.find(words).unwrap();
    let page = render(&text, &blocks, Some(Span::new(at, at + words.len()))).html;
    assert!(page.contains("<mark id=\"passage\">Paragraph number 20000 </mark>"));
    assert!(page.contains("data-more-before=") && page.contains("data-more-after="));
    assert!(page.len() < 2 * LARGEST, "{}", page.len());
    let first = render(&text, &blocks, None).html;
    assert!(first.contains("Paragraph number 0 ") && !first.contains("data-more-before"));
}

#[test]
fn the_middle_of_a_large_table_keeps_its_header() {
    let header = "| code | price |\n|---|---|\n";
    let mut text = header.to_owned();
    let mut table = block(BlockKind::Table, 0, 0);
    table.children.push(block(BlockKind::Row { header: true }, 0, header.len()));
    for i in 0..40_000 {
        let start = text.len();
        let _ = writeln!(text, "| K-{i} | {} |", i * 3);
        table.children.push(block(BlockKind::Row { header: false }, start, text.len()));
    }
    table.span = Span::new(0, text.len());
    let at = text.find("K-30000 ").unwrap();
    let page = render(&text, &[table], Some(Span::new(at, at + 7))).html;
    assert!(page.contains("<th>code</th>"), "{}", &page[..400]);
    assert!(
        page.contains(&format!("<tr data-start=\"{}\"", at - 2)),
        "the row's bytes are those of the document"
    );
    assert!(page.contains("<mark id=\"passage\">K-30000</mark>"));
    assert!(page.len() < 12 * LARGEST);
}

#[test]
fn one_enormous_line_is_cut_and_stays_linear() {
    let text = "var a=1;".repeat(500_000);
    let blocks = [block(BlockKind::Code { language: Some("javascript".into()) }, 0, text.len())];
    let page = render(&text, &blocks, Some(Span::new(2_000_000, 2_000_100))).html;
    assert!(page.contains("data-language=\"javascript\"") && page.contains("id=\"passage\""));
    assert!(page.len() < 4 * LARGEST);
    let nested = "> ".repeat(20_000) + "x";
    assert!(html(&nested, None).contains('x'));
}
