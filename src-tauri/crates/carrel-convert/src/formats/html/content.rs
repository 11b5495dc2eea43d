//! Which part of a page is what it is about.
//!
//! Prose decides: text that runs on, outside links. The content is what the page calls its main part, or the smallest element that
//! holds nearly all prose. Inside and around it goes what is named as navigation, advertisement, consent or footer and holds hardly any
//! prose. Where the page has little prose, or too little would remain, everything is content.

use super::elements::{Role, attribute, is_hidden, is_navigation_by_role, name, role};
use super::table::key;
use markup5ever_rcdom::{Handle, NodeData};
use std::collections::{HashMap, HashSet};

/// So many letters in a row, outside links, are prose. A letter of East Asia counts for three.
const PROSE_RUN: usize = 60;
/// What is left must hold this many letters.
const SUBSTANTIAL: usize = 300;
/// Of 100 letters of prose, those that the content must hold.
const NEARLY_ALL: usize = 95;

/// What an element holds.
#[derive(Clone, Copy, Default)]
struct Amount {
    letters: usize,
    linked: usize,
    prose: usize,
}

/// The content of a page.
#[derive(Default)]
pub(super) struct Content {
    /// The element to read; the whole page where there is none.
    pub(super) root: Option<Handle>,
    /// The heading of the page, where it stands outside `root`.
    pub(super) heading: Option<Handle>,
    /// Elements that are left out, by [`key`].
    pub(super) left_out: HashSet<usize>,
}

struct Frame {
    node: Handle,
    amount: Amount,
    /// Letters of the text that runs on in it: outside and inside links.
    run: (usize, usize),
    in_link: bool,
}

/// Looks at a page.
pub(super) fn of(document: &Handle) -> Content {
    let mut look = Look::default();
    look.measure(document);
    let whole = look.amount(document);
    let root = look.root(document, whole);
    let mut content = Content { heading: None, left_out: HashSet::new(), root: None };
    let inside = root.as_ref().map_or(whole, |root| look.amount(root));
    let start = root.as_ref().unwrap_or(document);
    let gone = look.leave_out(start, inside, &mut content.left_out);
    let remains = inside.letters.saturating_sub(gone);
    if remains < SUBSTANTIAL || remains * 4 < inside.letters {
        content.left_out.clear();
    }
    if let Some(root) = root {
        content.heading = look.heading.filter(|heading| !ancestors(heading).contains(&key(&root)));
        content.root = Some(root);
    }
    content
}

#[derive(Default)]
struct Look {
    amounts: HashMap<usize, Amount>,
    stated: Option<Handle>,
    heading: Option<Handle>,
}

impl Look {
    fn amount(&self, node: &Handle) -> Amount {
        self.amounts.get(&key(node)).copied().unwrap_or_default()
    }

    /// Measures every element, without recursion.
    fn measure(&mut self, document: &Handle) {
        enum Step {
            Enter(Handle),
            Leave,
        }
        let mut frames: Vec<Frame> = Vec::new();
        let mut steps = vec![Step::Enter(document.clone())];
        while let Some(step) = steps.pop() {
            let node = match step {
                Step::Enter(node) => node,
                Step::Leave => {
                    if let Some(frame) = frames.pop() {
                        self.leave(&frame, frames.last_mut());
                    }
                    continue;
                }
            };
            match (&node.data, frames.last_mut()) {
                (NodeData::Text { contents }, Some(frame)) => {
                    let letters = contents.borrow().chars().map(weight).sum::<usize>();
                    frame.amount.letters += letters;
                    if frame.in_link {
                        frame.amount.linked += letters;
                        frame.run.1 += letters;
                    } else {
                        frame.run.0 += letters;
                    }
                }
                (NodeData::Document | NodeData::Element { .. }, parent) => {
                    let own = name(&node).map(role);
                    if own == Some(Role::Dropped) || is_hidden(&node) || is_navigation_by_role(&node) {
                        continue;
                    }
                    let in_link = own == Some(Role::Link) || parent.is_some_and(|frame| frame.in_link);
                    self.mark(&node);
                    frames.push(Frame {
                        node: node.clone(),
                        amount: Amount::default(),
                        run: (0, 0),
                        in_link,
                    });
                    steps.push(Step::Leave);
                    steps.extend(node.children.borrow().iter().rev().cloned().map(Step::Enter));
                }
                _ => {}
            }
        }
    }

    /// Notes what says of itself what it is.
    fn mark(&mut self, node: &Handle) {
        let is_main = name(node) == Some("main") || attribute(node, "role").as_deref() == Some("main");
        if is_main && self.stated.is_none() {
            self.stated = Some(node.clone());
        }
        if name(node) == Some("h1") && self.heading.is_none() {
            self.heading = Some(node.clone());
        }
    }

    fn leave(&mut self, frame: &Frame, parent: Option<&mut Frame>) {
        let mut amount = frame.amount;
        let flows = matches!(
            name(&frame.node).map(role),
            Some(
                Role::Inline
                    | Role::Mark(_)
                    | Role::Link
                    | Role::Code
                    | Role::Break
                    | Role::Math
                    | Role::Image
            )
        );
        if !flows && frame.run.0 >= PROSE_RUN && frame.run.0 >= frame.run.1 {
            amount.prose += frame.run.0;
        }
        self.amounts.insert(key(&frame.node), amount);
        if let Some(parent) = parent {
            parent.amount.letters += amount.letters;
            parent.amount.linked += amount.linked;
            parent.amount.prose += amount.prose;
            if flows {
                parent.run.0 += frame.run.0;
                parent.run.1 += frame.run.1;
            }
        }
    }

    /// The element that holds the content.
    fn root(&self, document: &Handle, whole: Amount) -> Option<Handle> {
        let stated = self.stated.as_ref().filter(|main| {
            let amount = self.amount(main);
            amount.letters >= SUBSTANTIAL
                && amount.prose * 2 >= whole.prose
                && amount.letters * 4 >= whole.letters
        });
        if let Some(main) = stated {
            return Some(main.clone());
        }
        let enough =
            whole.prose >= SUBSTANTIAL && whole.prose * 2 >= whole.letters.saturating_sub(whole.linked);
        if !enough {
            return None;
        }
        let mut at = document.clone();
        loop {
            let next = at
                .children
                .borrow()
                .iter()
                .find(|child| {
                    let flows = matches!(
                        name(child).map(role),
                        Some(Role::Block | Role::Table | Role::Row | Role::Cell | Role::Inline)
                    );
                    flows && self.amount(child).prose * 100 >= whole.prose * NEARLY_ALL
                })
                .cloned();
            match next {
                // A single paragraph is not the page.
                Some(next) if name(&next) != Some("p") => at = next,
                _ => break,
            }
        }
        // Where nothing but the page holds it all, it is the page.
        (!matches!(name(&at), None | Some("html" | "body"))).then_some(at)
    }

    /// Collects what is left out below `start`, and returns how many letters that are.
    fn leave_out(&self, start: &Handle, inside: Amount, left_out: &mut HashSet<usize>) -> usize {
        let mut gone = 0;
        let around_heading = self.heading.as_ref().map(ancestors).unwrap_or_default();
        let mut stack: Vec<(Handle, bool)> = vec![(start.clone(), false)];
        while let Some((node, in_article)) = stack.pop() {
            let open =
                key(&node) == key(start) || name(&node).is_none() || around_heading.contains(&key(&node));
            if !open && self.is_around(&node, inside, in_article) {
                gone += self.amount(&node).letters;
                left_out.insert(key(&node));
            } else {
                let in_article = in_article || name(&node) == Some("article");
                stack.extend(node.children.borrow().iter().map(|child| (child.clone(), in_article)));
            }
        }
        gone
    }

    /// Whether an element stands around the content: by its tag or by what it is called, and because it holds little prose.
    fn is_around(&self, node: &Handle, inside: Amount, in_article: bool) -> bool {
        let amount = self.amount(node);
        let little = amount.prose * 5 <= inside.prose;
        let hardly_any = amount.prose * 20 <= inside.prose.max(1)
            && (amount.prose < 400 || amount.linked * 2 > amount.letters);
        let of_links = amount.linked * 2 > amount.letters;
        match name(node) {
            Some("footer") if little && !in_article => return true,
            Some("aside") if little && (of_links || amount.prose == 0) => return true,
            Some("form") if hardly_any => return true,
            Some("header") if hardly_any && of_links => return true,
            Some(
                "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "html" | "body" | "article" | "main" | "a",
            )
            | None => return false,
            _ => {}
        }
        let mut named = Named::Nothing;
        for called in [attribute(node, "class"), attribute(node, "id")].into_iter().flatten() {
            for word in called.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).take(60)
            {
                named = named.max(meaning(&word.to_ascii_lowercase()));
            }
        }
        match named {
            Named::Around => little,
            Named::Perhaps => hardly_any,
            Named::Nothing => false,
        }
    }
}

/// What the name of an element says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Nothing,
    Perhaps,
    Around,
}

fn meaning(word: &str) -> Named {
    match word {
        "cookie" | "cookies" | "consent" | "gdpr" | "sidebar" | "footer" | "navbox" | "navbar"
        | "catlinks" | "editsection" | "printfooter" | "advert" | "advertisement" | "advertising" | "ads"
        | "breadcrumb" | "breadcrumbs" | "siteheader" | "disqus" | "paywall" | "noprint" | "masthead" => {
            Named::Around
        }
        "share" | "sharing" | "sharedaddy" | "social" | "newsletter" | "subscribe" | "subscription"
        | "signup" | "login" | "ad" | "promo" | "promotion" | "sponsor" | "sponsored" | "related"
        | "recommended" | "recommendations" | "popular" | "trending" | "popup" | "modal" | "overlay"
        | "nav" | "navigation" | "menu" | "pagination" | "pager" | "skip" | "toolbar" | "banner"
        | "widget" | "rail" | "tags" | "taglist" | "jump" | "search" | "follow" | "outbrain" | "taboola"
        | "tooltip" => Named::Perhaps,
        _ => Named::Nothing,
    }
}

/// The elements that hold `node`, and itself.
fn ancestors(node: &Handle) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut at = Some(node.clone());
    while let Some(node) = at {
        found.insert(key(&node));
        let parent = node.parent.take();
        at = parent.as_ref().and_then(std::rc::Weak::upgrade);
        node.parent.set(parent);
    }
    found
}

fn weight(c: char) -> usize {
    match c {
        '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => 3,
        c => usize::from(c.is_alphanumeric()),
    }
}
