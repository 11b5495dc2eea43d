//! Chats: the list, a branch of turns, where its questions look, what the user thinks of an answer.

use super::AnswerDto;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A folder that questions look into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ScopeFolder {
    /// Its library.
    pub library: String,
    /// Its absolute path.
    pub path: String,
}

/// A document that questions are about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ScopeDocument {
    /// Its library.
    pub library: String,
    /// Its id.
    pub id: String,
    /// Its title when it was chosen.
    pub title: String,
    /// As sniffed.
    pub media_type: String,
}

/// Where the questions of a chat look: in these libraries, or in these folders and documents alone; of those, at what has one of
/// the tags and fits the other filters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ChatScope {
    /// Libraries by name, `*` for all. Where none is named: those of the folders and documents, else `default`.
    #[ts(optional = nullable)]
    pub libraries: Vec<String>,
    /// Folders, with everything below.
    #[ts(optional = nullable)]
    pub folders: Vec<ScopeFolder>,
    /// Tags: one of them.
    #[ts(optional = nullable)]
    pub tags: Vec<String>,
    /// Documents: without folders beside them, the gate does not filter them.
    #[ts(optional = nullable)]
    pub documents: Vec<ScopeDocument>,
    /// Other filters, `key=value` as of a search.
    #[ts(optional = nullable)]
    pub filters: Vec<String>,
}

/// A chat in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatDto {
    /// Its id.
    pub id: String,
    /// First question, or the user's title.
    pub title: String,
    /// When begun.
    pub created: String,
    /// When it last grew.
    pub updated: String,
    /// Questions in it, those of all branches.
    pub turns: u32,
    /// Whether it stands above the others.
    pub pinned: bool,
    /// Where its questions look.
    pub scope: ChatScope,
    /// The words looked for in their surroundings; only in a list made by words, and where a turn has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub excerpt: Option<String>,
}

/// `chats.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ChatsRequest {
    /// Only chats that hold each of these words in their title, a question or an answer.
    #[ts(optional = nullable)]
    pub words: Option<String>,
}

/// The chats there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatList {
    /// Pinned ones first, then the last grown.
    pub chats: Vec<ChatDto>,
}

/// A chat by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatId {
    /// Its id.
    pub id: String,
}

/// A chat, or one turn of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatPlace {
    /// Its id.
    pub id: String,
    /// A turn by its number; the branch in sight when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub turn: Option<u32>,
}

/// `chats.branch`: a turn whose branch comes into sight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatTurn {
    /// The chat's id.
    pub id: String,
    /// The turn's number.
    pub turn: u32,
}

/// `chats.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatRename {
    /// Its id.
    pub id: String,
    /// New title.
    pub title: String,
}

/// `chats.pin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatPin {
    /// Its id.
    pub id: String,
    /// Above the others, or back among them.
    pub pinned: bool,
}

/// `chats.scope`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatScopeChange {
    /// Its id.
    pub id: String,
    /// Where its later questions look.
    pub scope: ChatScope,
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct TurnDto {
    /// From 1.
    pub number: u32,
    /// The turn that it follows; none for a first question.
    pub parent: Option<u32>,
    /// The turns that follow the same one, itself among them: the branches to choose from.
    pub siblings: Vec<u32>,
    /// As typed.
    pub question: String,
    /// As kept.
    pub answer: AnswerDto,
    /// When.
    pub created: String,
    /// `good`, `bad`; none where nobody said.
    pub rating: Option<String>,
    /// Why, in the user's words.
    pub note: Option<String>,
}

/// `chats.show`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ChatView {
    /// The chat.
    pub chat: ChatDto,
    /// One branch, oldest first.
    pub turns: Vec<TurnDto>,
}

/// `chats.export`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatExportRequest {
    /// The chat's id.
    pub id: String,
    /// This turn alone; the branch in sight when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub turn: Option<u32>,
    /// A file to write it to: an absolute path or a `file:` URI that ends with `.md`.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub path: Option<String>,
}

/// Markdown with sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatExport {
    /// The text.
    pub markdown: String,
}

/// `chats.rate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatRate {
    /// The chat's id.
    pub id: String,
    /// The turn's number.
    pub turn: u32,
    /// `good`, `bad`; none to take it back.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub rating: Option<String>,
    /// Why.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub note: Option<String>,
}

/// What a rating did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Rated {
    /// Libraries whose questions now have this one, with the cited spans as what answers it.
    pub libraries: Vec<String>,
}

/// An answer that was not good, of which what answers its question is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RatedTurn {
    /// The chat's id.
    pub chat: String,
    /// The turn's number.
    pub turn: u32,
    /// The question, as it stands alone.
    pub question: String,
    /// Why it was not good.
    pub note: Option<String>,
    /// The libraries that its chat looks into, as in a scope.
    pub libraries: Vec<String>,
    /// When it was asked.
    pub created: String,
}

/// `chats.rated`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RatedList {
    /// Newest first.
    pub turns: Vec<RatedTurn>,
}

/// `scope.find`: places by name that questions can be narrowed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ScopeQuery {
    /// Which libraries; all when empty.
    #[ts(optional = nullable)]
    pub libraries: Vec<String>,
    /// Part of a name; without it, folders are those that were added, and documents the newest.
    #[ts(optional = nullable)]
    pub words: Option<String>,
    /// How many of each kind; 8 when not given.
    #[ts(optional = nullable)]
    pub limit: Option<u32>,
}

/// A folder that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundFolder {
    /// The folder.
    #[serde(flatten)]
    pub folder: ScopeFolder,
    /// The last part of its path.
    pub name: String,
    /// Documents below it.
    pub documents: u32,
}

/// A tag that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundTag {
    /// The tag.
    pub name: String,
    /// Documents that have it.
    pub documents: u32,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ScopeChoices {
    /// Those with the shortest path first.
    pub folders: Vec<FoundFolder>,
    /// The most used first.
    pub tags: Vec<FoundTag>,
    /// Documents that answer.
    pub documents: Vec<ScopeDocument>,
}
