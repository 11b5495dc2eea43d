//! Ways to cut: what can be chosen for a library, how it is written down, and what it means for one document.

use super::kind::Kind;

/// Raised when the same text would be cut otherwise.
const VERSION: u32 = 2;

/// Tokens of a passage that is searched for its section, where the setting does not say otherwise, and of the section.
const CHILD: (usize, usize) = (150, 1500);

/// Tokens of a passage where the size asked for does not fit the window and becomes that of the section: small passages tell
/// better where something is said (measured in the README), and what surrounds them is read with them.
const SEARCHED: usize = 128;

/// How texts are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunking {
    /// By a preset for the kind of each document.
    #[default]
    Auto,
    /// Structure first.
    Recursive {
        /// Tokens of a passage, special ones, heading line and overlap included.
        size: usize,
        /// Tokens repeated from the passage before when it is embedded.
        overlap: usize,
    },
    /// So many tokens, whatever they are about; with an overlap the window slides.
    Window {
        /// Tokens of a passage.
        size: usize,
        /// Tokens repeated from the passage before when it is embedded.
        overlap: usize,
    },
    /// Structure first, and a new passage where the next sentences are about something else.
    Semantic {
        /// Most tokens of a passage.
        size: usize,
    },
    /// Small passages are searched; the model reads the section around them.
    ParentChild {
        /// Tokens of a passage.
        size: usize,
        /// Tokens of a section.
        section: usize,
    },
    /// A passage for each page, or for each section where there are no pages; in parts where it does not fit.
    Pages,
    /// One passage a text, cut only at the embedder's window. For evaluation collections of single passages.
    None,
}

/// What is done with one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) how: How,
    /// Tokens of a passage, before it is fitted to the window.
    pub(super) size: usize,
    pub(super) overlap: usize,
    /// Whether passages are as large as the window allows, because what they hold belongs together.
    pub(super) whole: bool,
}

impl Plan {
    /// Tokens of a passage and of its overlap for a model that reads `window`, in a language that takes `scale` times the tokens.
    pub(super) fn fitted(self, scale: f64, window: usize) -> (usize, usize) {
        let scaled = |tokens: usize| (tokens as f64 * scale) as usize;
        let wanted = scaled(self.size);
        let most = match self.how {
            How::Structure if wanted > window && !self.whole => scaled(SEARCHED).min(window),
            _ => wanted.min(window),
        };
        (most, (self.overlap as f64 * most as f64 / self.size.max(1) as f64) as usize)
    }
}

/// Where a document is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Structure,
    Window,
    Semantic,
    Pages,
    Whole,
}

impl Chunking {
    /// Every strategy in its usual size, for a comparison.
    pub const ALL: [&'static str; 9] = [
        "auto",
        "256/25",
        "512/64",
        "1024/128",
        "fixed:256",
        "sliding:256/32",
        "semantic:512",
        "parent-child:150/1500",
        "pages",
    ];

    /// What [`Chunking::parse`] reads, for people.
    pub const SETTINGS: &'static str = "auto, SIZE/OVERLAP, fixed:SIZE, sliding:SIZE/OVERLAP, semantic:SIZE, \
        parent-child:SIZE/SECTION, pages, none, or a preset (short, mixed, technical, tables); sizes in tokens from 32 \
        to 8192, an overlap of at most half the size";

    /// Reads a setting, as [`Chunking::SETTINGS`] says; `None` where it is none of these.
    pub fn parse(setting: &str) -> Option<Self> {
        let (name, numbers) = match setting.split_once(':') {
            Some((name, numbers)) => (name, Some(numbers)),
            None if setting.starts_with(|c: char| c.is_ascii_digit()) => ("recursive", Some(setting)),
            None => (setting, None),
        };
        let Some(numbers) = numbers else {
            return Some(match name {
                "auto" => Self::Auto,
                "short" => Self::Recursive { size: 256, overlap: 25 },
                "mixed" => Self::Recursive { size: 512, overlap: 64 },
                "technical" => Self::Recursive { size: 1024, overlap: 128 },
                "tables" | "pages" => Self::Pages,
                "semantic" => Self::Semantic { size: 512 },
                "parent-child" => Self::ParentChild { size: CHILD.0, section: CHILD.1 },
                "none" => Self::None,
                _ => return None,
            });
        };
        let (size, second) = match numbers.split_once('/') {
            Some((size, second)) => (size.parse().ok()?, Some(second.parse().ok()?)),
            None => (numbers.parse().ok()?, None),
        };
        let sound = |n: usize| (32..=8192).contains(&n);
        let overlaps = |n: usize| n * 2 <= size;
        if !sound(size) {
            return None;
        }
        Some(match (name, second) {
            ("recursive", Some(overlap)) if overlaps(overlap) => Self::Recursive { size, overlap },
            ("sliding", Some(overlap)) if overlaps(overlap) => Self::Window { size, overlap },
            ("fixed", None) => Self::Window { size, overlap: 0 },
            ("semantic", None) => Self::Semantic { size },
            ("parent-child", Some(section)) if sound(section) && section >= size => {
                Self::ParentChild { size, section }
            }
            _ => return None,
        })
    }

    /// The setting that [`Chunking::parse`] reads.
    pub fn setting(self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Recursive { size, overlap } => format!("{size}/{overlap}"),
            Self::Window { size, overlap: 0 } => format!("fixed:{size}"),
            Self::Window { size, overlap } => format!("sliding:{size}/{overlap}"),
            Self::Semantic { size } => format!("semantic:{size}"),
            Self::ParentChild { size, section } => format!("parent-child:{size}/{section}"),
            Self::Pages => "pages".to_owned(),
            Self::None => "none".to_owned(),
        }
    }

    /// What speaks against it, for the person who chose it.
    pub fn warning(self) -> Option<String> {
        match self {
            Self::Recursive { size, overlap } | Self::Window { size, overlap } if overlap * 5 > size => {
                Some(format!(
                    "an overlap of {overlap} tokens is more than a fifth of {size}: it costs time and space and finds hardly \
                     more"
                ))
            }
            _ => None,
        }
    }

    /// The name that stands in a generation, with the version of the rules (`chunker/2 512/64`).
    pub fn id(self) -> String {
        format!("chunker/{VERSION} {}", self.setting())
    }

    /// The chunking of a generation; `None` where other rules made it.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::parse(id.strip_prefix(&format!("chunker/{VERSION} "))?)
    }

    /// The most tokens around a passage that a language model reads with it; `None`: what fits its budget.
    pub fn section(self) -> Option<usize> {
        match self {
            Self::ParentChild { section, .. } => Some(section),
            _ => None,
        }
    }

    /// Whether it compares sentences by meaning.
    pub fn needs_embedder(self) -> bool {
        matches!(self, Self::Semantic { .. })
    }

    /// What it means for a document of this kind.
    pub(super) fn plan(self, kind: Kind) -> Plan {
        let plan = |how, size, overlap| Plan { how, size, overlap, whole: kind == Kind::Code };
        match self {
            Self::Auto => match kind {
                Kind::Short => plan(How::Structure, 256, 25),
                Kind::Article | Kind::Code => plan(How::Structure, 512, 64),
                Kind::Technical => plan(How::Structure, 1024, 128),
                Kind::Tables => plan(How::Pages, 1024, 0),
            },
            Self::Recursive { size, overlap } => plan(How::Structure, size, overlap),
            Self::Window { size, overlap } => plan(How::Window, size, overlap),
            Self::Semantic { size } => plan(How::Semantic, size, 0),
            Self::ParentChild { size, .. } => plan(How::Structure, size, 0),
            Self::Pages => plan(How::Pages, 1024, 0),
            Self::None => plan(How::Whole, usize::MAX / 64, 0),
        }
    }
}
