//! HTML through an own walk over the tree of html5ever.
//!
//! The tree is built to a bounded depth, and the walk is iterative: a page nested without end is read like any other. Scripts, styles, templates, navigation
//! and hidden parts are dropped, and of a whole page what stands around its content. Links other than `http`,
//! `https` and `mailto`, and all links of a page that is full of them, become their text: addresses are noise to a search.

mod content;
mod elements;
mod mathml;
mod shallow;
mod survey;
mod table;
mod walk;

pub(super) use elements::kept_link;

use crate::build::Draft;
use carrel_engine::seams::{ConvertError, Limits};

/// A page: what stands around its content is left out.
pub(super) fn convert(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    let xhtml = text.trim_start().starts_with("<?xml");
    read(text, limits, Kind { page: true, xhtml })
}

/// A piece of HTML, such as the text of a message: all of it is content.
pub(super) fn fragment(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    read(text, limits, Kind { page: false, xhtml: false })
}

/// A chapter of a book: XHTML, all of it content.
pub(super) fn chapter(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    read(text, limits, Kind { page: false, xhtml: true })
}

/// The text of a piece of HTML on one line.
pub(super) fn plain(text: &str, limits: &Limits) -> Option<String> {
    super::within(limits, text.len()).ok()?;
    Some(survey::text(&shallow::parse(text, false).document))
}

/// A page with fewer letters may be one of navigation alone.
const LITTLE: usize = 100;

/// What is read.
#[derive(Clone, Copy)]
struct Kind {
    /// A whole page, with parts that are not content.
    page: bool,
    /// An empty element may be written as one tag.
    xhtml: bool,
}

fn read(text: &str, limits: &Limits, kind: Kind) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let dom = shallow::parse(text, kind.xhtml);
    let seen = survey::Survey::of(&dom.document);
    let layout = table::layout_tables(&dom.document);
    let content = if kind.page { content::of(&dom.document) } else { content::Content::default() };
    let new = |layout, left_out| walk::Walk::new(limits.output_bytes, layout, left_out, seen.keeps_links);
    let mut walk = new(layout.clone(), content.left_out);
    if let Some(heading) = &content.heading {
        walk.run(heading);
    }
    walk.run(content.root.as_ref().unwrap_or(&dom.document));
    let draft = walk.finish(&seen.title)?;
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    if !kind.page || letters(&draft.markdown) >= LITTLE {
        return Ok(draft);
    }
    // Hardly anything but navigation: then that is what the page is.
    let mut all = new(layout, std::collections::HashSet::new()).with_navigation();
    all.run(&dom.document);
    let all = all.finish(&seen.title)?;
    Ok(if letters(&all.markdown) > letters(&draft.markdown) * 3 { all } else { draft })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(html: &str) -> String {
        convert(html, &Limits::default()).unwrap().markdown
    }

    #[test]
    fn structure() {
        let html = "<title>T &amp; t</title><nav>menu</nav><h1>Head <em>one</em></h1><p>Para <b>bold</b> and\n <a href='https://x.org/a b'>link</a>, \
            <a href='javascript:alert(1)'>no</a>.</p><ul><li>a<li>b<ol start=3><li>c</ol></ul><blockquote><p>q</p></blockquote>\
            <pre><code class='language-rust'>fn x() {\n  1 }\n</code></pre><script>LEAK</script><template>LEAK</template><p hidden>LEAK</p>";
        insta::assert_snapshot!(markdown(html));
        assert_eq!(convert(html, &Limits::default()).unwrap().title.as_deref(), Some("T & t"));
    }

    #[test]
    fn the_main_part_is_read_and_long_lists_of_links_are_not() {
        let links = "<li><a href='https://x.org/1'>Language one</a></li>".repeat(60);
        let body = "Words of the article itself. ".repeat(20);
        let html = format!(
            "<title>T</title><p>cookies</p><main><h1>H</h1><ul>{links}</ul><p>{body}<a href='https://x.org/a'>link</a></main><p>imprint"
        );
        let draft = convert(&html, &Limits::default()).unwrap();
        assert!(
            draft.markdown.starts_with("# H\n\nWords of the article")
                && draft.markdown.ends_with("[link](https://x.org/a)")
        );
        assert_eq!(draft.title.as_deref(), Some("T"));
        let many = format!("{html}{}", "<a href='https://x.org/b'>b</a> ".repeat(50));
        assert!(markdown(&many).ends_with("itself. link"), "addresses are left out where links are many");
    }

    #[test]
    fn tables_with_spans() {
        let html = "<table><tr><th>a<th colspan=2>b</tr><tr><td rowspan=2>1<td>2<td>x|y</tr><tr><td>3<td>4</tr></table>";
        assert_eq!(markdown(html), "| a | b | |\n| --- | --- | --- |\n| 1 | 2 | x\\|y |\n| 1 | 3 | 4 |");
    }

    #[test]
    fn formulas_are_tex() {
        let own = "<p>a <math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics></math> b";
        assert_eq!(markdown(own), "a $x_1$ b");
        let symbols = "<p><math display='block'><mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>\
            <msup><mi>sin</mi><mn>2</mn></msup><msqrt><mi>c</mi></msqrt></math>";
        assert_eq!(markdown(symbols), "$$x = \\frac{-b}{2a}\\mathrm{sin}^{2}\\sqrt{c}$$");
        let deep = format!("<math>{}<mi>x</mi>{}</math>", "<msqrt>".repeat(400), "</msqrt>".repeat(400));
        assert!(markdown(&deep).contains('x'));
    }

    #[test]
    fn a_table_in_a_table_follows_it() {
        let html = "<table><tr><th>a<th>b</tr><tr><td>1<table><tr><td>x<td>y</table><td>2</table><p>end";
        assert_eq!(markdown(html), "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n| x | y |\n| --- | --- |\n\nend");
    }

    #[test]
    fn lists_in_cells_keep_their_numbers() {
        let html =
            "<table><tr><th>a<th>b</tr><tr><td>do<ol start=3><li>x<ul><li>y</ul><li>z</ol><td>2</table>";
        assert_eq!(markdown(html), "| a | b |\n| --- | --- |\n| do 3. x y 4. z | 2 |");
    }

    #[test]
    fn a_table_of_few_words_stays_one_where_a_cell_holds_a_heading() {
        let html = "<table><tr><td><h3>A</h3><td>B</tr><tr><td>1<td>2</tr></table>";
        assert_eq!(markdown(html), "| A | B |\n| --- | --- |\n| 1 | 2 |");
    }

    #[test]
    fn what_stands_around_the_content_is_left_out() {
        let prose = "Words that run on, and on, for a good long while, as an article does. ".repeat(12);
        let html = format!(
            "<body><div id='top'><ul class='menu'><li><a href='/'>Home</a><li><a href='/b'>About</a></ul></div><div class='wrap'><h1>Head</h1>\
             <div class='post'><p>{prose}<p>{prose}<div class='share'><a href='/x'>SHARE</a></div><aside class='related'><a href='/y'>MORE</a></aside></div></div>\
             <div class='cookie-banner'>We use COOKIES</div><footer>IMPRINT</footer>"
        );
        let text = markdown(&html);
        assert!(text.starts_with("# Head\n\nWords that run"), "{text}");
        for gone in ["Home", "SHARE", "MORE", "COOKIES", "IMPRINT"] {
            assert!(!text.contains(gone), "{gone} in {text}");
        }
        // Of a page with little prose all is content.
        assert_eq!(
            markdown("<div class='menu'>Soup</div><footer>Open till nine</footer>"),
            "Soup\n\nOpen till nine"
        );
    }

    #[test]
    fn a_row_that_only_heads_others_is_in_them() {
        let html = "<table><tr><th>y<th>m<tr><th rowspan=3>2025<tr><td>May<tr><td>June</table>";
        assert_eq!(markdown(html), "| y | m |\n| --- | --- |\n| 2025 | May |\n| 2025 | June |");
    }

    #[test]
    fn a_page_of_navigation_alone_is_its_navigation() {
        let html = "<ul class='nav'><li><a href='#'>Home</a><ul role='menu'><li>More text with words</ul></ul><nav>Contents</nav>";
        let text = markdown(html);
        assert!(text.contains("More text with words") && text.contains("Contents"), "{text}");
    }

    #[test]
    fn navigation_through_the_page_itself_is_its_table_of_contents() {
        let links = |to: &str| {
            let item = |n: u32| format!("<li><a href='{to}s{n}'>Part {n}</a></li>");
            format!("<ul>{}</ul>", (1..30).map(item).collect::<String>())
        };
        let prose = "Words that run on, and on, for a good long while, as an article does. ".repeat(12);
        let page =
            |nav: &str| markdown(&format!("<main><h1>Head</h1>{nav}<h2 id='s1'>Part</h2><p>{prose}</main>"));
        for nav in [
            format!("<nav><h2>Contents</h2>{}</nav>", links("#")),
            format!("<div role='navigation'>Contents{}</div>", links("#")),
        ] {
            let text = page(&nav);
            assert!(text.contains("Contents") && text.contains("- Part 29"), "{text}");
        }
        assert!(!page(&format!("<nav>{}</nav>", links("/other#"))).contains("Part 29"));
    }

    #[test]
    fn layout_tables_are_read_as_blocks() {
        assert_eq!(markdown("<table><tr><td><h2>H</h2><p>one<p>two</table>"), "## H\n\none\n\ntwo");
    }

    #[test]
    fn nesting_without_end_takes_linear_time_and_keeps_the_text() {
        for (open, close) in [
            ("<div>", "</div>"),
            ("<ul>", "</ul>"),
            ("<ul><li>", "</li></ul>"),
            ("<div><b><ul><li>", "</div>"),
        ] {
            let html =
                format!("<p>above{}deep<p>deeper{}<p>below", open.repeat(50_000), close.repeat(50_000));
            let text = markdown(&html);
            for word in ["above", "deep", "deeper", "below"] {
                assert!(
                    text.split(|c: char| !c.is_alphabetic()).any(|w| w == word),
                    "{open}: no {word} in {text:.200}"
                );
            }
        }
    }

    #[test]
    fn what_follows_a_deep_place_is_read_as_usual() {
        let deep = format!("{}x{}", "<section>".repeat(2000), "</section>".repeat(2000));
        assert_eq!(
            markdown(&format!("{deep}<script>LEAK</script><p>one<p>two<h2>H</h2>")),
            "x\n\none\n\ntwo\n\n## H"
        );
    }

    #[test]
    fn text_that_looks_like_markup_is_inert() {
        let md = markdown("<p>&lt;img src=x onerror=alert(1)&gt; *x*</p><p># no</p><p>1. no</p>");
        assert_eq!(md, "\\<img src=x onerror=alert(1)> \\*x\\*\n\n\\# no\n\n1\\. no");
    }
}
