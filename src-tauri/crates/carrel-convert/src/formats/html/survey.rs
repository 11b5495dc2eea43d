//! A look over the whole page before it is read: its title, and whether its links are content or navigation.

use super::elements::{Role, name, role};
use markup5ever_rcdom::{Handle, NodeData};

/// A page with more links than this is full of navigation: its links become their text.
const MANY_LINKS: usize = 100;
/// A list of so many items, nothing but links, is navigation.
const NAVIGATION_ITEMS: usize = 25;

/// What was seen.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) title: String,
    pub(super) keeps_links: bool,
}

impl Survey {
    pub(super) fn of(root: &Handle) -> Self {
        let mut seen = Self::default();
        let mut links = 0;
        let mut stack = vec![root.clone()];
        while let Some(node) = stack.pop() {
            match name(&node).map(role) {
                Some(Role::Dropped) => continue,
                Some(Role::Link) => links += 1,
                Some(Role::Title) if seen.title.is_empty() => seen.title = text(&node),
                _ => {}
            }
            stack.extend(node.children.borrow().iter().rev().cloned());
        }
        seen.keeps_links = links <= MANY_LINKS;
        seen
    }
}

/// All text below a node.
pub(super) fn text(node: &Handle) -> String {
    let mut out = String::new();
    let mut stack = vec![node.clone()];
    while let Some(node) = stack.pop() {
        if let NodeData::Text { contents } = &node.data {
            out.push_str(&contents.borrow());
        }
        stack.extend(node.children.borrow().iter().rev().cloned());
    }
    out
}

/// Whether a list is a long one of links and nothing else. Looks no further than it must to know.
pub(super) fn is_navigation(list: &Handle) -> bool {
    let items = list.children.borrow().iter().filter(|c| name(c) == Some("li")).count();
    if items < NAVIGATION_ITEMS {
        return false;
    }
    let mut stack: Vec<(Handle, bool)> = vec![(list.clone(), false)];
    let (mut linked, mut free) = (0_usize, 0_usize);
    while let Some((node, in_link)) = stack.pop() {
        if let NodeData::Text { contents } = &node.data {
            let letters = contents.borrow().chars().filter(|c| c.is_alphanumeric()).count();
            if in_link { linked += letters } else { free += letters }
        }
        if free > 200 && free * 20 > linked {
            return false;
        }
        let in_link = in_link || name(&node) == Some("a");
        stack.extend(node.children.borrow().iter().cloned().map(|child| (child, in_link)));
    }
    free * 20 <= linked && linked > 0 && linked < items * 40
}
