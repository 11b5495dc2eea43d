//! Where a question looks: what a chat keeps, what a question names, and the two together. `scope.find`.

use crate::app::App;
use crate::call::Call;
use crate::dto::{
    AskParams, ChatScope, FoundFolder, FoundTag, ScopeChoices, ScopeDocument, ScopeFolder, ScopeQuery,
};
use crate::problem::Problem;
use carrel_engine::data_folder::{ChatEntry, DEFAULT_LIBRARY};
use carrel_engine::domain::{Document, DocumentId, DocumentState, Source, SourceKind};
use carrel_engine::library::{DocumentOrder, DocumentQuery, Library, Narrowing};
use std::sync::Arc;

/// Places of each kind that are offered when the caller does not say, and at most.
const OFFERED: (u32, u32) = (8, 100);

/// Where a question looks.
pub(super) struct Look {
    pub(super) libraries: Vec<Arc<Library>>,
    /// Named by the user: the gate does not filter them.
    pub(super) named: Vec<DocumentId>,
    /// Looked into beside `folders`.
    pub(super) documents: Vec<DocumentId>,
    pub(super) folders: Vec<String>,
    /// `key=value`.
    pub(super) filters: Vec<String>,
}

impl ChatScope {
    /// What a chat has kept.
    pub(super) fn of(chat: &ChatEntry) -> Self {
        serde_json::from_str(&chat.scope).unwrap_or_default()
    }

    /// What a question names of itself, in the libraries that it names or that are kept.
    pub(super) fn named(&self, app: &App, request: &AskParams) -> Result<Self, Problem> {
        let libraries = if request.libraries.is_empty() { &self.libraries } else { &request.libraries };
        let scope = match libraries.as_slice() {
            [one] if one != "*" => Some(one.as_str()),
            [] => Some(DEFAULT_LIBRARY),
            _ => None,
        };
        let document = |name: &String| -> Result<ScopeDocument, Problem> {
            let (library, _, document) = app.find_document(name, scope)?;
            Ok(kept(document, library))
        };
        let (tags, filters) = request.options.filters.iter().cloned().partition(|f| f.starts_with("tag="));
        let tags: Vec<String> = tags;
        Ok(Self {
            libraries: request.libraries.clone(),
            folders: Vec::new(),
            tags: tags.iter().filter_map(|tag| tag.strip_prefix("tag=")).map(str::to_owned).collect(),
            documents: request.documents.iter().map(document).collect::<Result<_, _>>()?,
            filters,
        })
    }

    /// What is kept, with what a question names in the place of what is kept of the same kind.
    pub(super) fn with(mut self, named: Self) -> Self {
        if !named.libraries.is_empty() {
            self.libraries = named.libraries;
        }
        if !named.documents.is_empty() {
            (self.folders, self.documents) = (Vec::new(), named.documents);
        }
        if !named.tags.is_empty() {
            self.tags = named.tags;
        }
        let key = |filter: &String| filter.split('=').next().unwrap_or_default().to_owned();
        let keys: Vec<String> = named.filters.iter().map(key).collect();
        self.filters.retain(|filter| !keys.contains(&key(filter)));
        self.filters.extend(named.filters);
        self
    }

    /// The same for the engine. What is gone is told by the name that people know.
    pub(super) fn look(&self, app: &App) -> Result<Look, Problem> {
        let named_only = self.libraries.is_empty() && !(self.folders.is_empty() && self.documents.is_empty());
        let mut libraries = if named_only { Vec::new() } else { app.libraries(&self.libraries)? };
        let mut add = |library: Arc<Library>| {
            if !libraries.iter().any(|l| l.id() == library.id()) {
                libraries.push(library);
            }
        };
        for folder in &self.folders {
            add(app.library(&folder.library)?);
        }
        let mut documents = Vec::new();
        for one in &self.documents {
            let found = app.document(&one.id, Some(&one.library));
            let (_, library, document) = found.map_err(|problem| match problem.code.as_str() {
                "not_found" => Problem::not_found("document", &one.title)
                    .hint("take it out of what the chat looks at, and ask again"),
                _ => problem,
            })?;
            add(library);
            documents.push(document.id);
        }
        let folders: Vec<String> = self.folders.iter().map(|folder| folder.path.clone()).collect();
        let filters = self.tags.iter().map(|tag| format!("tag={tag}")).chain(self.filters.iter().cloned());
        let filters = filters.collect();
        let (named, documents) =
            if folders.is_empty() { (documents, Vec::new()) } else { (Vec::new(), documents) };
        Ok(Look { libraries, named, documents, folders, filters })
    }

    /// Refuses what is not there or is no filter, and fills in what was only named. What stood there `before` may be gone meanwhile:
    /// taking one thing out must not fail for another.
    pub(super) fn checked(mut self, app: &App, before: &Self) -> Result<Self, Problem> {
        for library in self.libraries.iter().filter(|one| *one != "*" && !before.libraries.contains(one)) {
            app.library(library)?;
        }
        for folder in self.folders.iter_mut().filter(|one| !before.folders.contains(one)) {
            *folder = found_folder(app, folder)?;
        }
        for document in self.documents.iter_mut().filter(|one| !before.documents.contains(one)) {
            let library = Some(document.library.as_str()).filter(|name| !name.is_empty());
            let (library, _, found) = app.document(&document.id, library)?;
            *document = kept(found, library);
        }
        super::search::filter(&self.filters)?;
        Ok(self)
    }

    /// Follows a library to its new name. Whether it was named here.
    fn rename(&mut self, old: &str, new: &str) -> bool {
        let of_folders = self.folders.iter_mut().map(|folder| &mut folder.library);
        let of_documents = self.documents.iter_mut().map(|document| &mut document.library);
        let mut was_named = false;
        for name in self.libraries.iter_mut().chain(of_folders).chain(of_documents) {
            if name.as_str() == old {
                new.clone_into(name);
                was_named = true;
            }
        }
        was_named
    }
}

/// Lets the scopes of all chats follow a library to its new name.
pub(super) fn follow_rename(app: &App, old: &str, new: &str) -> Result<(), Problem> {
    for chat in app.data.chats()? {
        let mut scope = ChatScope::of(&chat);
        if scope.rename(old, new) {
            app.data.scope_chat(chat.id, &json(&scope)?)?;
        }
    }
    Ok(())
}

/// As it is kept.
pub(super) fn json(scope: &ChatScope) -> Result<String, Problem> {
    serde_json::to_string(scope).map_err(Problem::internal)
}

fn kept(document: Document, library: String) -> ScopeDocument {
    ScopeDocument {
        library,
        id: document.id.to_string(),
        title: document.title,
        media_type: document.media_type,
    }
}

/// A folder with its library, if documents can lie in it.
fn found_folder(app: &App, folder: &ScopeFolder) -> Result<ScopeFolder, Problem> {
    let path = super::place(&folder.path)?;
    let library = Some(folder.library.as_str()).filter(|name| !name.is_empty());
    for (library, opened) in app.scope(library)? {
        let holds = |source: &Source| {
            source.kind == SourceKind::Files
                || (source.kind == SourceKind::Folder
                    && (path.starts_with(&source.root) || source.root.starts_with(&path)))
        };
        if opened.sources()?.iter().any(holds) {
            return Ok(ScopeFolder { library, path: path.to_string_lossy().into_owned() });
        }
    }
    Err(Problem::not_found("folder", &folder.path).hint("add it to a library first"))
}

pub(crate) fn scope_find(call: &Call<'_>, request: ScopeQuery) -> Result<ScopeChoices, Problem> {
    let words = request.words.as_deref().map(str::trim).unwrap_or_default();
    let most = request.limit.unwrap_or(OFFERED.0).min(OFFERED.1) as usize;
    let all = ["*".to_owned()];
    let libraries =
        call.app.libraries(if request.libraries.is_empty() { &all } else { &request.libraries })?;
    let names = call.app.names(&libraries)?;
    let mut choices = ScopeChoices::default();
    for library in &libraries {
        let name = names.get(&library.id()).cloned().unwrap_or_default();
        let folder = |found: Narrowing| FoundFolder {
            folder: ScopeFolder { library: name.clone(), path: found.value },
            name: found.name,
            documents: found.documents as u32,
        };
        choices.folders.extend(library.folders_named(words, most)?.into_iter().map(folder));
        for tag in library.tags_named(words, most)? {
            match choices.tags.iter_mut().find(|known| known.name == tag.value) {
                Some(known) => known.documents += tag.documents as u32,
                None => choices.tags.push(FoundTag { name: tag.value, documents: tag.documents as u32 }),
            }
        }
        let query = DocumentQuery {
            states: DocumentState::ALL.into_iter().filter(|state| state.is_searchable()).collect(),
            name: (!words.is_empty()).then(|| words.to_owned()),
            order: DocumentOrder::Modified,
            limit: most,
            ..DocumentQuery::default()
        };
        let documents = library.documents(&query)?.0;
        choices.documents.extend(documents.into_iter().map(|document| kept(document, name.clone())));
    }
    choices.folders.sort_by_key(|folder| folder.folder.path.len());
    choices.tags.sort_by_key(|tag| std::cmp::Reverse(tag.documents));
    choices.folders.truncate(most);
    choices.tags.truncate(most);
    choices.documents.truncate(most);
    Ok(choices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_a_question_names_stands_in_the_place_of_what_the_chat_has_of_its_kind() {
        let kept = ChatScope {
            libraries: words(&["Home"]),
            folders: vec![ScopeFolder { library: "Home".into(), path: "/papers/tax".into() }],
            tags: words(&["tax"]),
            filters: words(&["type=pdf", "after=2025"]),
            ..ChatScope::default()
        };
        assert_eq!(kept.clone().with(ChatScope::default()), kept);
        let named = ChatScope { filters: words(&["after=2026"]), ..ChatScope::default() };
        assert_eq!(kept.clone().with(named).filters, ["type=pdf", "after=2026"]);
        let document = ScopeDocument { title: "Lease".into(), ..ScopeDocument::default() };
        let named = ChatScope { documents: vec![document.clone()], ..ChatScope::default() };
        let scope = kept.with(named);
        assert!(scope.folders.is_empty() && scope.documents == [document] && scope.tags == ["tax"]);
    }

    #[test]
    fn a_scope_follows_its_library() {
        let mut scope = ChatScope {
            libraries: words(&["Home", "Work"]),
            documents: vec![ScopeDocument { library: "Home".into(), ..ScopeDocument::default() }],
            ..ChatScope::default()
        };
        assert!(scope.rename("Home", "Flat") && !scope.rename("Nowhere", "X"));
        assert_eq!(
            (scope.libraries, scope.documents[0].library.as_str()),
            (words(&["Flat", "Work"]), "Flat")
        );
    }
}
