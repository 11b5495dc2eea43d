//! HTML through an own walk over the tree of html5ever.
//!
//! The walk is iterative: a page nested 20,000 deep is read like any other. Scripts, styles, templates, navigation
//! and hidden parts are dropped; links other than `http`, `https` and `mailto` become their text.

mod elements;
mod table;
mod walk;

pub(super) use elements::kept_link;

use crate::build::Draft;
use carrel_engine::seams::{ConvertError, Limits};
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;

pub(super) fn convert(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(text);
    let layout = table::layout_tables(&dom.document);
    let mut walk = walk::Walk::new(limits.output_bytes, layout);
    walk.run(&dom.document);
    walk.finish()
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
    fn tables_with_spans() {
        let html = "<table><tr><th>a<th colspan=2>b</tr><tr><td rowspan=2>1<td>2<td>x|y</tr><tr><td>3<td>4</tr></table>";
        assert_eq!(markdown(html), "| a | b | |\n| --- | --- | --- |\n| 1 | 2 | x\\|y |\n| | 3 | 4 |");
    }

    #[test]
    fn layout_tables_are_read_as_blocks() {
        assert_eq!(markdown("<table><tr><td><h2>H</h2><p>one<p>two</table>"), "## H\n\none\n\ntwo");
    }

    #[test]
    fn twenty_thousand_levels() {
        let html = format!("{}deep{}", "<div><b><ul><li>".repeat(5000), "</div>".repeat(5000));
        assert!(markdown(&html).contains("deep"));
    }

    #[test]
    fn text_that_looks_like_markup_is_inert() {
        let md = markdown("<p>&lt;img src=x onerror=alert(1)&gt; *x*</p><p># no</p><p>1. no</p>");
        assert_eq!(md, "\\<img src=x onerror=alert(1)> \\*x\\*\n\n\\# no\n\n1\\. no");
    }
}
