//! Formulas in the tree of a page.

use super::elements::{attribute, name};
use super::survey::text;
use crate::formats::mathml::Node;
use markup5ever_rcdom::Handle;

impl Node for Handle {
    fn name(&self) -> Option<&str> {
        name(self)
    }

    fn children(&self) -> Vec<Self> {
        self.children.borrow().clone()
    }

    fn text(&self) -> String {
        text(self)
    }

    fn attribute(&self, wanted: &str) -> Option<String> {
        attribute(self, wanted)
    }
}
