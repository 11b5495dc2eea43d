//! Questions of a library, runs over them, and a copy to try settings on.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{QuestionId, Span};
use carrel_engine::error::EngineError;
use carrel_engine::library::{AddItem, AddOptions, Library};
use carrel_engine::quality::{
    Case, CaseRight, Fault, Generated, How, Outcome, Place, Question, QuestionKind, Right, Run, compare,
    generate, run,
};
use carrel_engine::retrieve::{Leg, Rerank, SearchRequest};
use carrel_testkit::{Fakes, ScriptedModel, WordReranker};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const LEASE: &str = "# Lease\n\n## Notice\n\nThe lease of the flat in the Lindenstrasse may be ended by either side with a notice \
    period of ninety days to the end of a month.\n\n## Pets\n\nDogs and cats are welcome as long as the neighbours do not complain \
    about them, and the landlord is told beforehand in writing.\n";
const BREAD: &str = "# Bread\n\nA levain is a mixture of flour and water that wild yeast has made sour. Knead the dough for ten \
    minutes, let it rest for an hour in a warm place, and bake it at 240 degrees until the crust is brown.\n";

struct Desk {
    folder: tempfile::TempDir,
    fakes: Fakes,
    library: Arc<Library>,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let fakes = Fakes::default();
    let library = Library::create(&folder.path().join("library"), fakes.parts()).unwrap();
    let desk = Desk { folder, fakes, library };
    desk.put("lease", LEASE);
    desk.put("bread", BREAD);
    for n in 0..30 {
        let text = format!(
            "# Note {n}\n\nThe item number {n} is kept in shelf {}, beside the boxes of last year.\n",
            n * 7
        );
        desk.put(&format!("note-{n}"), &text);
    }
    desk
}

impl Desk {
    fn put(&self, id: &str, text: &str) {
        let item = AddItem::Text { id: id.to_owned(), text: text.to_owned() };
        self.library.add(&[item], &AddOptions::default(), true, &Cancel::new()).unwrap();
        self.library.wait_idle(&Cancel::new()).unwrap();
    }

    /// A question by a person whose answer is these words of this document.
    fn ask(&self, text: &str, document: &str, quote: &str) -> Question {
        let document = self.library.find_document(&format!("text:{document}")).unwrap();
        let markdown = self.library.version_text(document.id, None).unwrap().markdown;
        let start = markdown.find(quote).unwrap();
        let right = Right {
            document: document.id,
            title: document.title,
            version: 1,
            span: Some(Span::new(start, start + quote.len())),
            quote: quote.to_owned(),
        };
        let question = Question {
            id: QuestionId::random(),
            text: text.to_owned(),
            kind: QuestionKind::Written,
            answer: None,
            right: vec![right],
            created: self.library.now(),
        };
        self.library.add_question(&question).unwrap();
        question
    }

    fn run_with(&self, request: &SearchRequest) -> Run {
        let cases: Vec<Case> =
            self.library.questions().unwrap().iter().map(|q| Case::from(&q.question)).collect();
        let how = How { request, settings: BTreeMap::new(), gate: true };
        run(&self.library, &cases, &how, &*self.fakes.models, &mut |_, _| (), &Cancel::new()).unwrap()
    }

    fn run(&self) -> Run {
        self.run_with(&SearchRequest::new(""))
    }

    fn generate(&self, wanted: usize) -> Generated {
        generate(&self.library, wanted, &*self.fakes.models, &mut |_, _| (), &Cancel::new()).unwrap()
    }
}

fn outcomes(run: &Run) -> Vec<Outcome> {
    run.results.iter().map(|result| result.outcome).collect()
}

#[test]
fn a_question_finds_its_answer_in_a_later_version_or_says_that_it_is_gone() {
    let desk = desk();
    desk.ask("How long is the notice period?", "lease", "a notice period of ninety days");
    desk.ask("Are dogs welcome?", "lease", "Dogs and cats are welcome");
    desk.ask("Where is item number 3?", "note-3", "item number 3");
    desk.put(
        "lease",
        &format!("# Foreword\n\nRead this first.\n\n{}", LEASE.replace("Dogs and cats", "Cats")),
    );
    let note = desk.library.find_document("text:note-3").unwrap().id;
    desk.library.remove_document(note).unwrap();

    let places: Vec<Place> =
        desk.library.questions().unwrap().into_iter().map(|q| q.places[0].clone()).collect();
    let lease = desk.library.find_document("text:lease").unwrap().id;
    let markdown = desk.library.version_text(lease, None).unwrap().markdown;
    let Place::Here(Some(span)) = places[0] else { panic!("{places:?}") };
    assert_eq!(span.of(&markdown), Some("a notice period of ninety days"));
    assert_eq!(places[1..], [Place::Gone, Place::Gone]);

    let run = desk.run();
    assert_eq!(outcomes(&run), [Outcome::Found, Outcome::Gone, Outcome::Gone]);
    assert_eq!(run.results[0].rank, Some(1));
    assert!((run.metrics["recall@10"] - 1.0 / 3.0).abs() < 1e-9, "what is gone counts as not found: {run:?}");
    assert!((run.results[0].metrics["context_recall"] - 1.0).abs() < 1e-9);
}

#[test]
fn questions_and_runs_stay_with_the_library() {
    let desk = desk();
    let question = desk.ask("How long is the notice period?", "lease", "a notice period of ninety days");
    let first = desk.run();
    desk.library.keep_run(&first).unwrap();
    let second = desk.run();
    desk.library.keep_run(&second).unwrap();
    let Desk { folder, fakes, library } = desk;
    drop(library);

    let library = Library::open(&folder.path().join("library"), fakes.parts()).unwrap();
    assert_eq!(library.questions().unwrap()[0].question, question);
    let kept = library.runs().unwrap();
    assert_eq!(kept.iter().map(|run| run.id).collect::<Vec<_>>(), [first.id, second.id]);
    assert_eq!(kept[1].settings, second.settings);
    assert_eq!(outcomes(&library.run(second.id).unwrap()), outcomes(&second));
    assert!((kept[1].metrics["ndcg@10"] - second.metrics["ndcg@10"]).abs() < 1e-9);
    library.remove_run(first.id).unwrap();
    assert!(matches!(library.remove_run(first.id), Err(EngineError::NotFound { .. })));
    library.remove_questions(&[question.id, question.id]).unwrap();
    assert!(library.questions().unwrap().is_empty());
    assert_eq!(library.runs().unwrap().len(), 1);
}

#[test]
fn a_ledger_of_schema_1_takes_questions() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-1.db");
    std::fs::copy(kept, folder.path().join("ledger.db")).unwrap();
    let fakes = Fakes::default();
    let library = Library::open(folder.path(), fakes.parts()).unwrap();
    assert!(library.questions().unwrap().is_empty() && library.runs().unwrap().is_empty());
    let made = generate(&library, 1, &*fakes.models, &mut |_, _| (), &Cancel::new()).unwrap();
    assert_eq!(library.questions().unwrap().len(), made.questions.len());
}

#[test]
fn a_failure_is_blamed_on_the_stage_where_it_was_lost() {
    let desk = desk();
    // Found by its words, and so much like nothing in the library that no answer would be tried.
    desk.ask("notice period of the lease in ninety days", "lease", "a notice period of ninety days");
    // Its words stand in thirty notes, and not in its answer.
    desk.ask("shelf boxes item number last year", "bread", "A levain is a mixture");
    let mut unknown = Case::from(&desk.library.questions().unwrap()[0].question);
    unknown.right = vec![CaseRight::Unknown("letter.pdf".to_owned())];
    let request = SearchRequest::new("");
    let how = How { request: &request, settings: BTreeMap::new(), gate: false };
    let models = &*desk.fakes.models;
    let run = run(&desk.library, &[unknown], &how, models, &mut |_, _| (), &Cancel::new()).unwrap();
    assert_eq!(outcomes(&run), [Outcome::Gone]);

    let run = desk.run();
    assert_eq!(run.results[0].outcome, Outcome::Found, "{:?}", run.results[0]);
    let lost = &run.results[1];
    assert!(matches!(lost.outcome, Outcome::NotRetrieved | Outcome::RankedLow), "{lost:?}");
    assert_eq!(lost.rank, None);
    assert_eq!(lost.lexical, None, "no word of it");
    assert!(lost.dense.is_none_or(|rank| rank > 10));
    assert!(lost.metrics.values().all(|value| *value == 0.0));
}

#[test]
fn what_one_leg_had_and_the_fusion_put_behind_is_said() {
    let desk = desk();
    // Eleven texts that both legs like, above one that the words alone like.
    for n in 0..14 {
        desk.put(
            &format!("pair-{n}"),
            &format!("# Heron {n}\n\nThe heron stands in the reeds of the pond.\n"),
        );
    }
    desk.put(
        "long",
        &format!(
            "# Reeds\n\n{} heron heron heron reeds pond.\n",
            "Other things are said here of it. ".repeat(12)
        ),
    );
    desk.ask("heron reeds pond", "long", "heron heron heron reeds pond");
    let alone = |leg: Leg| {
        desk.run_with(&SearchRequest { legs: vec![leg], ..SearchRequest::new("") }).results[0].rank
    };
    let both = desk.run();
    let result = &both.results[0];
    match (alone(Leg::Lexical), alone(Leg::Dense), result.rank) {
        (None, None, None) => assert!(matches!(result.outcome, Outcome::RankedLow | Outcome::NotRetrieved)),
        (_, _, None) => assert_eq!(result.outcome, Outcome::LostInFusion),
        _ => assert_eq!(result.outcome, Outcome::Found),
    }
}

#[test]
fn what_the_reranker_pushed_out_is_said_and_only_of_it() {
    let desk = desk();
    // It takes any note for better than what answers.
    desk.fakes.models.install_reranker("judge", Arc::new(WordReranker::new("judge@1").favouring("shelf")));
    desk.ask("notice period of the lease in ninety days", "lease", "a notice period of ninety days");
    desk.ask("shelf boxes item number last year", "bread", "A levain is a mixture");
    let asked = |rerank: Rerank, min_score: Option<f32>| {
        desk.run_with(&SearchRequest { rerank, min_score, ..SearchRequest::new("") })
    };
    let by_judge = || Rerank::By(vec!["judge".to_owned()]);

    let plain = asked(Rerank::Off, None);
    assert_eq!((plain.results[0].rank, plain.settings["rerank"].as_str()), (Some(1), "none"));
    let run = asked(by_judge(), None);
    assert_eq!(run.settings["rerank"], "judge");
    let lost = &run.results[0];
    assert_eq!(
        (lost.outcome, lost.rank, lost.lexical),
        (Outcome::LostInReranking, None, Some(1)),
        "{lost:?}"
    );
    assert_eq!(run.results[1].outcome, plain.results[1].outcome, "it was not there before either");
    assert_eq!(run.outcomes().get(&Outcome::LostInReranking), Some(&1));
    let strict = asked(by_judge(), Some(0.9));
    assert_eq!(strict.results[0].outcome, Outcome::LostInReranking, "its score was too low");

    desk.fakes.models.choose_reranker(Some("judge"));
    assert_eq!(outcomes(&desk.run()), outcomes(&run), "chosen by the user");
    // One that fails orders nothing, and is not to blame.
    let broken = Arc::new(WordReranker::new("broken@1"));
    broken.fail(usize::MAX);
    desk.fakes.models.install_reranker("broken", broken);
    let unjudged = asked(Rerank::By(vec!["broken".to_owned()]), None);
    assert_eq!(outcomes(&unjudged), outcomes(&plain));
}

#[test]
fn runs_are_compared_question_by_question() {
    let desk = desk();
    for n in 0..12 {
        desk.ask(
            &format!("where is item number {n} kept"),
            &format!("note-{n}"),
            &format!("item number {n}"),
        );
    }
    let both = desk.run();
    let again = desk.run();
    let same = compare(&both, &again);
    assert!(
        same.iter().all(|side| side.difference.mean == 0.0 && side.difference.questions == 12),
        "{same:?}"
    );
    let mut worse = again;
    for result in &mut worse.results {
        for value in result.metrics.values_mut() {
            *value /= 2.0;
        }
    }
    let side = compare(&both, &worse).into_iter().find(|side| side.metric == "ndcg@10").unwrap();
    assert_eq!(side.difference.verdict(), carrel_engine::evaluate::Verdict::Worse, "{side:?}");
}

#[test]
fn a_model_makes_questions_and_only_the_good_ones_stay() {
    let desk = desk();
    let model = Arc::new(ScriptedModel::new([
        "What does the passage say?",
        "What is a levain made of?",
        "How long is the notice period of the lease in the Lindenstrasse?",
    ]));
    desk.fakes.models.set_language_model(Some(model.clone()));
    let made = desk.generate(2);
    assert_eq!(made.model.as_deref(), Some("scripted"));
    assert!(made.refused.contains_key(&Fault::AboutTheText), "{:?}", made.refused);
    for question in &made.questions {
        let right = &question.right[0];
        let markdown = desk.library.version_text(right.document, None).unwrap().markdown;
        assert_eq!(right.span.unwrap().of(&markdown), Some(right.quote.as_str()));
        if question.kind == QuestionKind::Generated {
            let answer = question.answer.as_deref().unwrap();
            assert!(right.quote.contains(answer) && right.quote.contains("notice period"), "{question:?}");
        }
    }
    assert_eq!(desk.library.questions().unwrap().len(), made.questions.len(), "each is kept at once");
    let prompts = model.asked();
    assert!(prompts.iter().all(|request| request.sampling.temperature == 0.0 && request.max_tokens < 200));

    let again = desk.generate(2);
    let texts =
        |made: &Generated| made.questions.iter().map(|q| q.right[0].quote.clone()).collect::<Vec<_>>();
    assert!(texts(&again).iter().all(|quote| !texts(&made).contains(quote)), "it goes on where it was");
}

#[test]
fn without_a_model_that_speaks_the_language_code_asks() {
    let desk = desk();
    desk.put(
        "zh",
        "# 电视手册\n\n## 频道\n\n频道列表是保存所有电视频道的菜单，打开菜单后可以添加新的频道。默认有十二个频道，第一次使用时需要输入密码，\
         密码写在说明书的最后一页，请不要把密码告诉别人。\n",
    );
    let model = Arc::new(ScriptedModel::new(["I am not asked"]).speaking(&["de"]));
    desk.fakes.models.set_language_model(Some(model.clone()));
    let made = desk.generate(30);
    assert!(model.asked().is_empty());
    assert!(made.questions.iter().all(|q| q.kind == QuestionKind::Made && q.answer.is_none()));
    let texts: Vec<&str> = made.questions.iter().map(|q| q.text.as_str()).collect();
    assert!(texts.contains(&"What is a levain?"), "{texts:?}");
    assert!(texts.contains(&"什么是频道列表？"), "{texts:?}");
    assert_eq!(desk.run().results.len(), made.questions.len());
}

#[test]
fn making_questions_stops_at_once() {
    let desk = desk();
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = generate(&desk.library, 5, &*desk.fakes.models, &mut |_, _| (), &cancel);
    assert!(matches!(stopped, Err(EngineError::Cancelled)), "{stopped:?}");
}

#[test]
fn a_copy_answers_alike_and_what_is_tried_on_it_leaves_the_library_alone() {
    let desk = desk();
    let file = desk.folder.path().join("kept.md");
    std::fs::write(&file, "# Kept\n\nThe kingfisher dives under the bridge.\n").unwrap();
    let item = AddItem::Path { path: desk.folder.path().join("kept.md"), watch: false };
    desk.library.add(&[item], &AddOptions::default(), true, &Cancel::new()).unwrap();
    desk.library.wait_idle(&Cancel::new()).unwrap();
    desk.ask("Where does the kingfisher dive?", "bread", "A levain is a mixture");
    let embedded = desk.fakes.embedder.passages_embedded();

    let copy = desk
        .library
        .copy_alone(&desk.folder.path().join("copy"), desk.fakes.parts(), &Cancel::new())
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    copy.wait_idle(&Cancel::new()).unwrap();
    assert_eq!(desk.fakes.embedder.passages_embedded(), embedded, "its vectors came along");
    assert!(copy.questions().unwrap().is_empty());
    let find = |library: &Arc<Library>| {
        let found = carrel_engine::retrieve::search(
            std::slice::from_ref(library),
            &SearchRequest::new("kingfisher bridge"),
            &*desk.fakes.models,
            &Cancel::new(),
        );
        found.unwrap().hits.into_iter().map(|hit| (hit.document.id, hit.passage.span)).collect::<Vec<_>>()
    };
    assert_eq!(find(&copy)[0], find(&desk.library)[0], "without its file");

    copy.change_settings(&BTreeMap::from([("chunking".to_owned(), "64/8".to_owned())])).unwrap();
    copy.wait_idle(&Cancel::new()).unwrap();
    assert!(copy.is_settled().unwrap());
    assert_eq!(copy.settings().unwrap()["chunking"], "64/8");
    assert_ne!(desk.library.settings().unwrap()["chunking"], "64/8");
}
