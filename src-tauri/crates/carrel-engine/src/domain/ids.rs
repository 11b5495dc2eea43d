//! Identities. Outside the process every id is an opaque string.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new identity (`UUIDv7`), for life.
            pub fn random() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

uuid_id!(
    /// A library, kept through renames and copies of its folder.
    LibraryId
);
uuid_id!(
    /// A document, kept through renames, moves and versions.
    DocumentId
);
uuid_id!(
    /// A chat of the data folder.
    ChatId
);
uuid_id!(
    /// A job of the data folder.
    JobId
);
uuid_id!(
    /// A question of a library's set, by which its search is measured.
    QuestionId
);
uuid_id!(
    /// A run over a library's questions.
    RunId
);
row_id!(
    /// A source of one library.
    SourceId
);
row_id!(
    /// A version row of one library.
    VersionId
);
row_id!(
    /// A generation of one library.
    GenerationId
);
row_id!(
    /// A passage of one library: the key in both indexes, never used twice.
    PassageId
);
row_id!(
    /// A position in a library's change log.
    ChangeSeq
);
