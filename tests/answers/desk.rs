//! The sample library with the documents of the question set, converted and embedded by the real parts. Only the language model is
//! scripted: it says what the set says is right, or what a test wants it to say.

use carrel_convert::{WorkerConfig, WorkerPool};
use carrel_engine::answer::{Answer, AskEvent, AskRequest, ask};
use carrel_engine::cancel::Cancel;
use carrel_engine::library::{AddItem, AddOptions, Library, Parts};
use carrel_engine::retrieve::SearchRequest;
use carrel_engine::seams::{Embedder, LanguageModel, ModelError, ModelProvider, Transcriber};
use carrel_models::{Models, ModelsConfig};
use carrel_testkit::{Fakes, ScriptedModel};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A question of `fixtures/answers/questions.jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) question: String,
    pub(crate) answer: Option<String>,
    pub(crate) sources: Vec<Right>,
    /// Of an unanswerable one: it is about something that the library holds.
    #[serde(default)]
    pub(crate) near: bool,
}

/// A right source.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Right {
    /// Name of the file.
    pub(crate) document: String,
    /// Words of its Markdown.
    #[serde(default)]
    pub(crate) quote: String,
}

/// The questions of some kinds.
pub(crate) fn questions(kind: &str) -> Vec<Question> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/answers/questions.jsonl");
    let lines = std::fs::read_to_string(file).unwrap();
    let all: Vec<Question> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all.len(), 60);
    all.into_iter().filter(|question| question.kind == kind).collect()
}

/// The real embedder beside a scripted language model.
struct Provider {
    real: Models,
    scripted: Mutex<Option<Arc<ScriptedModel>>>,
}

impl ModelProvider for Provider {
    fn default_embedder(&self) -> Option<String> {
        Some(EMBEDDER.to_owned())
    }

    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        self.real.embedder(id)
    }

    fn language_model(&self, _: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let scripted = self.scripted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let missing = || ModelError::NotInstalled { id: "language model".to_owned() };
        scripted.map(|model| model as Arc<dyn LanguageModel>).ok_or_else(missing)
    }

    fn default_transcriber(&self) -> Option<String> {
        None
    }

    fn transcriber(&self) -> Result<Arc<dyn Transcriber>, ModelError> {
        Err(ModelError::NotInstalled { id: "transcriber".to_owned() })
    }
}

const EMBEDDER: &str = "all-minilm-l6-v2";

/// The library, and what it is asked with.
pub(crate) struct Desk {
    _folder: tempfile::TempDir,
    provider: Arc<Provider>,
    pub(crate) library: Arc<Library>,
}

static DESK: LazyLock<Option<Desk>> = LazyLock::new(Desk::open);

/// The desk that all tests share; `None` where the embedder is not installed, which is said.
pub(crate) fn desk(test: &str) -> Option<&'static Desk> {
    let desk = DESK.as_ref();
    if desk.is_none() {
        println!("{test}: skipped, the default embedder is not installed");
    }
    desk
}

impl Desk {
    fn open() -> Option<Self> {
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share/carrel/models"));
        let models = std::env::var_os("CARREL_MODELS").map(PathBuf::from).or_else(home)?;
        let real =
            Models::open(ModelsConfig { folder: models.clone(), threads: 2, ..ModelsConfig::default() });
        real.embedder(EMBEDDER).ok()?;
        let provider = Arc::new(Provider { real, scripted: Mutex::default() });
        let mut program = std::env::current_exe().unwrap();
        program.pop();
        program.pop();
        program.push(format!("carrel-worker{}", std::env::consts::EXE_SUFFIX));
        let converter = WorkerPool::new(WorkerConfig {
            program,
            pdfium: WorkerConfig::locate_pdfium(Some(&models)),
            ocr: None,
            workers: 2,
        });
        let fakes = Fakes::default();
        let parts = Parts { converter: Arc::new(converter), models: provider.clone(), ..fakes.parts() };
        let folder = tempfile::tempdir().unwrap();
        let library = Library::create(&folder.path().join("library"), parts).unwrap();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let items = [here.join("../assets/library"), here.join("fixtures/answers/documents")];
        let items = items.map(|path| AddItem::Path { path: path.canonicalize().unwrap(), watch: false });
        library.add(&items, &AddOptions::default(), true, &Cancel::new()).unwrap();
        library.wait_idle(&Cancel::new()).unwrap();
        Some(Self { _folder: folder, provider, library })
    }

    /// Asks as the window does, with a language model that says `answer`; with none where there is no answer.
    pub(crate) fn ask(&self, question: &str, answer: Option<&str>) -> (Answer, Vec<AskEvent>) {
        self.try_ask(question, answer).unwrap()
    }

    /// The same where it may fail; the error with all that it says.
    pub(crate) fn try_ask(
        &self,
        question: &str,
        answer: Option<&str>,
    ) -> Result<(Answer, Vec<AskEvent>), String> {
        let search = SearchRequest { n: 5, multi_hop: true, reuse: true, ..SearchRequest::new(question) };
        // Tests of one process take turns: each has a model of its own.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        *self.provider.scripted.lock().unwrap_or_else(PoisonError::into_inner) =
            answer.map(|answer| Arc::new(ScriptedModel::new([answer])));
        let mut events = Vec::new();
        let libraries = [self.library.clone()];
        let request = AskRequest::new(search);
        ask(&libraries, &request, &*self.provider, &Cancel::new(), &mut |e| events.push(e))
            .map(|answer| (answer, events))
            .map_err(|error| format!("{error:?}"))
    }

    /// The names of the files that an answer cites.
    pub(crate) fn cited(answer: &Answer) -> Vec<String> {
        answer.citations.iter().map(|c| file_name(&c.hit.document.path)).collect()
    }
}

/// The last part of a document's path.
pub(crate) fn file_name(path: &[u8]) -> String {
    let path = String::from_utf8_lossy(path);
    path.rsplit('/').next().unwrap_or_default().to_owned()
}
