//! The command table: every command once, with request, response, stream line, and the tags it provides or invalidates.
//!
//! Tauri, socket, HTTP and MCP hosts and the TypeScript bindings follow from it. A read provides tags: its answer is stale when
//! one of them changes. A write invalidates tags.

use crate::codegen::Types;
#[allow(clippy::wildcard_imports, reason = "the table names nearly every type of the border")]
use crate::dto::*;

/// One command of the table, for hosts and code generation.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// `library.list`.
    pub name: &'static str,
    /// TypeScript name of the request.
    pub request: fn(&ts_rs::Config) -> String,
    /// TypeScript name of the response.
    pub response: fn(&ts_rs::Config) -> String,
    /// TypeScript name of a stream line, where the command streams.
    pub stream: Option<fn(&ts_rs::Config) -> String>,
    /// Shows the types that the command uses to the code generator.
    pub types: fn(&mut Types),
    /// What a read shows.
    pub provides: &'static [&'static str],
    /// What a write changes.
    pub invalidates: &'static [&'static str],
}

/// Hands the table to a macro: `name: Request => Response [stream Line] { provides a b } { invalidates c d }`.
#[macro_export]
macro_rules! for_each_command {
    ($use:ident) => {
        $use! {
            app_info "app.info": Empty => AppInfo, stream (), provides [models settings], invalidates [];
            events_subscribe "events.subscribe": Empty => Empty, stream (ChangeNotice), provides [], invalidates [];
            call_cancel "call.cancel": CallRef => Empty, stream (), provides [], invalidates [];
            library_list "library.list": Empty => LibraryList, stream (), provides [libraries documents], invalidates [];
            library_create "library.create": LibraryName => LibraryDto, stream (), provides [], invalidates [libraries];
            library_rename "library.rename": LibraryRename => LibraryDto, stream (), provides [], invalidates [libraries];
            library_remove "library.remove": LibraryName => Empty, stream (), provides [], invalidates [libraries documents sources];
            library_settings "library.settings": LibrarySettingsRequest => Settings, stream (), provides [settings], invalidates [settings];
            library_enrichment "library.enrichment": EnrichmentRequest => EnrichmentDto, stream (), provides [settings documents jobs], invalidates [];
            library_advice "library.advice": LibraryScope => LibraryAdvice, stream (), provides [settings models], invalidates [];
            add "add": AddRequest => SyncReportDto, stream (), provides [], invalidates [documents sources];
            sync "sync": LibraryScope => SyncReportDto, stream (), provides [], invalidates [documents sources];
            watch "watch": LibraryScope => Empty, stream (WatchEvent), provides [], invalidates [];
            status "status": LibraryScope => StatusDto, stream (), provides [documents sources], invalidates [];
            source_list "source.list": LibraryScope => SourceList, stream (), provides [sources documents], invalidates [];
            source_remove "source.remove": SourceRemove => Empty, stream (), provides [], invalidates [sources documents];
            source_watch "source.watch": SourceWatch => Empty, stream (), provides [], invalidates [sources];
            source_confirm "source.confirm": SourceConfirm => Empty, stream (), provides [], invalidates [sources documents];
            documents_list "documents.list": DocumentsRequest => DocumentPage, stream (), provides [documents], invalidates [];
            folders_list "folders.list": FoldersRequest => FolderList, stream (), provides [documents sources], invalidates [];
            document_show "document.show": DocumentRequest => DocumentText, stream (), provides [documents], invalidates [];
            document_passages "document.passages": DocumentRequest => PassageList, stream (), provides [documents], invalidates [];
            document_versions "document.versions": DocumentRequest => VersionList, stream (), provides [documents], invalidates [];
            document_remove "document.remove": DocumentRequest => Empty, stream (), provides [], invalidates [documents];
            document_retry "document.retry": RetryRequest => Empty, stream (), provides [], invalidates [documents];
            document_unlock "document.unlock": UnlockRequest => DocumentDto, stream (), provides [], invalidates [documents];
            reader_open "reader.open": ReaderRequest => ReaderView, stream (), provides [documents], invalidates [];
            convert "convert": ConvertRequestDto => ConvertedDto, stream (), provides [], invalidates [];
            search "search": SearchParams => SearchResult, stream (), provides [documents], invalidates [];
            ask "ask": AskParams => AnswerDto, stream (AskStreamEvent), provides [], invalidates [chats];
            chats_list "chats.list": ChatsRequest => ChatList, stream (), provides [chats], invalidates [];
            chats_show "chats.show": ChatPlace => ChatView, stream (), provides [chats], invalidates [];
            chats_branch "chats.branch": ChatTurn => Empty, stream (), provides [], invalidates [chats];
            chats_export "chats.export": ChatExportRequest => ChatExport, stream (), provides [chats], invalidates [];
            chats_rename "chats.rename": ChatRename => ChatDto, stream (), provides [], invalidates [chats];
            chats_pin "chats.pin": ChatPin => ChatDto, stream (), provides [], invalidates [chats];
            chats_scope "chats.scope": ChatScopeChange => ChatDto, stream (), provides [], invalidates [chats];
            chats_rate "chats.rate": ChatRate => Rated, stream (), provides [], invalidates [chats quality];
            chats_rated "chats.rated": Empty => RatedList, stream (), provides [chats quality], invalidates [];
            chats_remove "chats.remove": ChatId => Empty, stream (), provides [], invalidates [chats];
            scope_find "scope.find": ScopeQuery => ScopeChoices, stream (), provides [documents sources libraries], invalidates [];
            jobs_list "jobs.list": Empty => JobList, stream (), provides [jobs], invalidates [];
            jobs_cancel "jobs.cancel": JobRef => Empty, stream (), provides [], invalidates [jobs];
            activity "activity": Empty => ActivityDto, stream (), provides [jobs documents], invalidates [];
            ingest_pause "ingest.pause": PauseRequest => Empty, stream (), provides [], invalidates [jobs];
            models_list "models.list": Empty => ModelList, stream (), provides [models], invalidates [];
            models_get "models.get": ModelRef => ModelDto, stream (DownloadEvent), provides [], invalidates [models jobs];
            models_import "models.import": ModelImport => ModelDto, stream (), provides [], invalidates [models];
            models_remove "models.remove": ModelRef => Empty, stream (), provides [], invalidates [models];
            models_test "models.test": ModelRef => ModelTest, stream (), provides [], invalidates [];
            endpoint_add "endpoint.add": EndpointAdd => EndpointDto, stream (), provides [], invalidates [models];
            endpoint_list "endpoint.list": Empty => EndpointList, stream (), provides [models], invalidates [];
            endpoint_remove "endpoint.remove": ModelRef => Empty, stream (), provides [], invalidates [models];
            settings_get "settings.get": Empty => Settings, stream (), provides [settings], invalidates [];
            settings_set "settings.set": SettingsChange => Settings, stream (), provides [], invalidates [settings models];
            quality_questions "quality.questions": LibraryScope => QuestionList, stream (), provides [quality documents], invalidates [];
            quality_write "quality.write": QuestionWrite => QuestionDto, stream (), provides [], invalidates [quality];
            quality_remove "quality.remove": QuestionRefs => Empty, stream (), provides [], invalidates [quality];
            quality_generate "quality.generate": GenerateRequestDto => GeneratedDto, stream (QualityEvent), provides [], invalidates [quality jobs];
            quality_run "quality.run": QualityRunRequest => EvaluationRun, stream (QualityEvent), provides [], invalidates [quality jobs];
            quality_runs "quality.runs": LibraryScope => RunList, stream (), provides [quality], invalidates [];
            quality_show "quality.show": RunRef => EvaluationRun, stream (), provides [quality], invalidates [];
            quality_forget "quality.forget": RunRef => Empty, stream (), provides [], invalidates [quality];
            quality_compare "quality.compare": RunPair => ComparisonDto, stream (), provides [quality], invalidates [];
            quality_estimate "quality.estimate": TuneRequest => TuneEstimate, stream (), provides [], invalidates [];
            quality_tune "quality.tune": TuneRequest => TuneDto, stream (QualityEvent), provides [], invalidates [quality jobs];
            quality_tuned "quality.tuned": LibraryScope => Tuned, stream (), provides [quality], invalidates [];
            doctor "doctor": DoctorRequest => DoctorReport, stream (), provides [], invalidates [];
        }
    };
}

macro_rules! table {
    ($($id:ident $name:literal: $req:ty => $res:ty, stream ($($line:ty)?), provides [$($p:ident)*], invalidates [$($i:ident)*];)*) => {
        /// Every command.
        pub const COMMANDS: &[CommandSpec] = &[$(CommandSpec {
            name: $name,
            request: <$req as ts_rs::TS>::name,
            response: <$res as ts_rs::TS>::name,
            stream: table!(@stream $($line)?),
            types: |types| {
                types.add::<$req>();
                types.add::<$res>();
                $(types.add::<$line>();)?
            },
            provides: &[$(stringify!($p)),*],
            invalidates: &[$(stringify!($i)),*],
        }),*];
    };
    (@stream) => { None };
    (@stream $line:ty) => { Some(<$line as ts_rs::TS>::name) };
}

for_each_command!(table);
