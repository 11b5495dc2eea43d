//! The provider as the program uses it.

use super::*;
use crate::testing;
use crate::testing_server::Server;
use std::io::Write;

fn open(folder: &Path, endpoints: Vec<Endpoint>, chosen: Option<&str>) -> Models {
    let config = ModelsConfig {
        folder: folder.to_owned(),
        threads: 2,
        endpoints,
        chosen_language_model: chosen.map(str::to_owned),
        chosen_reranker: None,
    };
    // Nothing in these tests may reach the real hub.
    Models::open_with_hub(config, Hub::at("http://127.0.0.1:1", None).unwrap())
}

fn endpoint(id: &str) -> Endpoint {
    role_of(ModelRole::LanguageModel, id)
}

fn role_of(role: ModelRole, id: &str) -> Endpoint {
    let (url, model) = ("http://127.0.0.1:1/v1".into(), Some("big".into()));
    Endpoint { id: id.into(), url, role, model, key_env: None, window: None }
}

/// A folder with links to the weights of this machine, so that tests can damage it.
fn linked(id: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    let model = Catalogue::embedded().get(id).unwrap();
    let real = testing::snapshot(model)?;
    let folder = tempfile::tempdir().unwrap();
    let snapshot = download::snapshot(folder.path(), model);
    std::fs::create_dir_all(&snapshot).unwrap();
    for file in &model.files {
        if std::fs::hard_link(real.join(&file.path), snapshot.join(&file.path)).is_err() {
            std::fs::copy(real.join(&file.path), snapshot.join(&file.path)).unwrap();
        }
    }
    Some((folder, snapshot))
}

const EMBEDDER: &str = "all-minilm-l6-v2";
const LANGUAGE_MODEL: &str = "smollm2-135m-instruct";

#[test]
fn an_empty_folder_offers_everything_and_has_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let models = open(&folder.path().join("not-there-yet"), vec![], None);
    let list = models.list();
    assert!(list.iter().all(|m| m.state == ModelState::Absent && !m.chosen));
    assert_eq!(list[0].role, ModelRole::Embedder);
    assert_eq!(models.default_embedder(), None);
    assert!(matches!(models.embedder(EMBEDDER), Err(ModelError::NotInstalled { .. })));
    assert!(matches!(models.embedder("no-such"), Err(ModelError::Unknown { .. })));
    let error = models.language_model(None).err().unwrap();
    assert_eq!(error, ModelError::NotInstalled { id: LANGUAGE_MODEL.into() });
    assert!(!folder.path().join("not-there-yet").exists(), "looking makes nothing");
}

#[test]
fn endpoints_answer_where_no_local_model_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let models = open(folder.path(), vec![endpoint("cloud")], None);
    assert_eq!(models.language_model(None).unwrap().spec().id, "cloud");
    assert_eq!(models.info("cloud").unwrap().state, ModelState::Remote);
    assert!(models.info("cloud").unwrap().chosen);
    models.set_endpoints(vec![]);
    assert!(models.language_model(Some("cloud")).is_err());
    models.set_endpoints(vec![endpoint("a"), endpoint("b")]);
    models.set_chosen_language_model(Some("b".into()));
    assert_eq!(models.language_model(None).unwrap().spec().id, "b");
    models.set_chosen_language_model(Some("gone".into()));
    assert!(
        matches!(models.language_model(None), Err(ModelError::Unknown { .. })),
        "a choice is never replaced silently"
    );
}

#[test]
fn an_endpoint_does_what_its_role_says() {
    let folder = tempfile::tempdir().unwrap();
    let models = open(folder.path(), vec![], None);
    assert_eq!(models.default_reranker(), None);
    models.set_endpoints(vec![
        role_of(ModelRole::Embedder, "vectors"),
        role_of(ModelRole::Reranker, "judge"),
        endpoint("cloud"),
    ]);
    assert_eq!(models.default_embedder(), None, "passages leave only where a library names the endpoint");
    assert_eq!(models.default_reranker().as_deref(), Some("judge"));
    assert_eq!(models.chosen_language_model_id().as_deref(), Some("cloud"));
    assert!(models.reranker("judge").unwrap().key().starts_with("judge@"));
    let unknown = |error: Option<ModelError>| matches!(error, Some(ModelError::Unknown { .. }));
    assert!(unknown(models.reranker("cloud").err()) && unknown(models.embedder("judge").err()));
    assert!(unknown(models.language_model(Some("vectors")).err()));
    models.set_chosen_reranker(Some("none-of-these".into()));
    assert_eq!(models.default_reranker(), None, "a choice is never replaced silently");
    assert!(matches!(models.reranker("late-interaction"), Err(ModelError::NotInstalled { .. })));
}

#[test]
fn a_model_is_loaded_once_and_tested_with_a_real_call() {
    let Some((folder, snapshot)) = linked(EMBEDDER) else { return };
    let models = open(folder.path(), vec![], None);
    assert_eq!(models.default_embedder().as_deref(), Some(EMBEDDER));
    let (a, b) = std::thread::scope(|s| {
        let a = s.spawn(|| models.embedder(EMBEDDER).unwrap());
        let b = s.spawn(|| models.embedder(EMBEDDER).unwrap());
        (a.join().unwrap(), b.join().unwrap())
    });
    assert!(Arc::ptr_eq(&a, &b));
    assert_eq!(a.space().dimensions, 384);
    assert!(models.test(EMBEDDER, &Cancel::new()).unwrap().contains("384"));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 1, "no mark stays: {left:?}");

    // One byte of another size is seen at once; another content of the same size when it is tested.
    let config = snapshot.join("config.json");
    let good = std::fs::read(&config).unwrap();
    std::fs::remove_file(&config).unwrap();
    std::fs::write(&config, &good[1..]).unwrap();
    assert!(matches!(models.info(EMBEDDER).unwrap().state, ModelState::Damaged(_)));
    let mut wrong = good.clone();
    wrong[10] ^= 1;
    std::fs::write(&config, &wrong).unwrap();
    assert_eq!(models.info(EMBEDDER).unwrap().state, ModelState::Installed);
    assert!(matches!(models.test(EMBEDDER, &Cancel::new()), Err(ModelError::Damaged { .. })));

    models.remove(EMBEDDER).unwrap();
    assert_eq!(models.info(EMBEDDER).unwrap().state, ModelState::Absent);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing of it stays");
}

#[test]
fn a_model_that_ended_the_program_twice_is_not_loaded_again_unasked() {
    let Some((folder, _)) = linked(EMBEDDER) else { return };
    let mark = folder.path().join(format!(".loading-{EMBEDDER}.4242"));
    let die = || std::fs::write(&mark, "").unwrap();
    let usable = || open(folder.path(), vec![], None).default_embedder().as_deref() == Some(EMBEDDER);
    die();
    assert!(usable(), "the first death may have any cause");
    open(folder.path(), vec![], None).test(EMBEDDER, &Cancel::new()).unwrap();
    die();
    assert!(usable(), "a load went well in between");
    die();
    // As long as its process lives, a mark is no crash.
    let alive = std::fs::File::open(&mark).unwrap();
    alive.lock().unwrap();
    assert!(usable());
    drop(alive);
    let models = open(folder.path(), vec![], None);
    assert_eq!(models.default_embedder(), None);
    assert!(matches!(models.embedder(EMBEDDER), Err(ModelError::LeftOut { .. })));
    drop(models);
    let models = open(folder.path(), vec![], None);
    assert_eq!(models.info(EMBEDDER).unwrap().state, ModelState::LeftOut, "it is remembered");
    models.test(EMBEDDER, &Cancel::new()).unwrap();
    assert_eq!(models.default_embedder().as_deref(), Some(EMBEDDER));
    assert_eq!(open(folder.path(), vec![], None).default_embedder().as_deref(), Some(EMBEDDER));
}

#[test]
fn get_replaces_what_is_damaged() {
    let Some((folder, snapshot)) = linked(EMBEDDER) else { return };
    let config = snapshot.join("config.json");
    let good = std::fs::read(&config).unwrap();
    std::fs::remove_file(&config).unwrap();
    let mut wrong = good.clone();
    wrong[10] ^= 1;
    std::fs::write(&config, wrong).unwrap();
    let body = good.clone();
    let server = Server::start(move |_, _, stream| {
        crate::testing_server::respond(stream, "200 OK", "", &body);
        let _ = stream.flush();
    });
    let config_of = ModelsConfig { folder: folder.path().to_owned(), ..ModelsConfig::default() };
    let models = Models::open_with_hub(config_of, Hub::at(&server.url(), None).unwrap());
    let mut last = (0, 0);
    let info = models.get(EMBEDDER, &mut |p| last = (p.done, p.total), &Cancel::new()).unwrap();
    assert_eq!(info.state, ModelState::Installed);
    assert_eq!(last, (info.bytes, info.bytes));
    assert_eq!(std::fs::read(&config).unwrap(), good);
    assert_eq!(server.requests().len(), 1, "the good files are not fetched again");
    assert!(server.requests()[0].path().ends_with("/config.json"));
}

#[test]
fn imported_files_are_recognised_or_kept_under_their_name() {
    let Some((source, snapshot)) = linked(LANGUAGE_MODEL) else { return };
    let gguf = snapshot.join("SmolLM2-135M-Instruct.Q4_1.gguf");
    let folder = tempfile::tempdir().unwrap();
    let models = open(folder.path(), vec![], None);
    let info = models.import(&gguf, &Cancel::new()).unwrap();
    assert_eq!((info.id.as_str(), info.state), (LANGUAGE_MODEL, ModelState::Installed));
    assert!(models.test(LANGUAGE_MODEL, &Cancel::new()).unwrap().starts_with("It said: "));

    // The same weights with one byte more are another model to us.
    let other = source.path().join("My Own Model.gguf");
    std::fs::copy(&gguf, &other).unwrap();
    std::fs::OpenOptions::new().append(true).open(&other).unwrap().write_all(b"\0").unwrap();
    let info = models.import(&other, &Cancel::new()).unwrap();
    assert_eq!((info.id.as_str(), info.role), ("my-own-model", ModelRole::LanguageModel));
    assert_eq!(models.language_model(Some("my-own-model")).unwrap().spec().context_tokens, 8192);
    assert!(models.import(&other, &Cancel::new()).unwrap_err().to_string().contains("already"));
    models.remove("my-own-model").unwrap();
    assert!(matches!(models.info("my-own-model"), Err(ModelError::Unknown { .. })));

    let broken = source.path().join("broken.gguf");
    std::fs::write(&broken, b"GGUF, but not really").unwrap();
    assert!(matches!(models.import(&broken, &Cancel::new()), Err(ModelError::NotImported { .. })));
    assert!(!folder.path().join("imported").exists());
}

#[test]
fn what_is_no_model_is_refused_in_a_sentence_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let models = open(folder.path(), vec![], None);
    let own = tempfile::tempdir().unwrap();
    std::fs::write(own.path().join("notes.txt"), "words").unwrap();
    std::fs::write(own.path().join("cut.gguf"), "GGUF").unwrap();
    std::fs::write(own.path().join("empty"), "").unwrap();
    for name in ["notes.txt", "cut.gguf", "empty", ""] {
        let path = own.path().join(name);
        let error = models.import(&path, &Cancel::new()).unwrap_err();
        assert!(matches!(&error, ModelError::NotImported { path: told, .. } if *told == path), "{error}");
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
        assert!(!folder.path().join("imported").exists(), "{name}");
    }
}

#[test]
fn an_embedders_folder_can_be_imported() {
    let Some((source, snapshot)) = linked(EMBEDDER) else { return };
    let own = source.path().join("Own Embedder");
    std::fs::create_dir(&own).unwrap();
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        std::fs::copy(snapshot.join(file), own.join(file)).unwrap();
    }
    std::fs::write(own.join("sentence_bert_config.json"), r#"{"max_seq_length": 128}"#).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let models = open(folder.path(), vec![], None);
    assert_eq!(models.import(&own, &Cancel::new()).unwrap().id, EMBEDDER, "known by its hashes");
    std::fs::OpenOptions::new().append(true).open(own.join("config.json")).unwrap().write_all(b"\n").unwrap();
    assert_eq!(models.import(&own, &Cancel::new()).unwrap().id, "own-embedder");
    let embedder = models.embedder("own-embedder").unwrap();
    assert_eq!((embedder.space().window, embedder.space().dimensions), (128, 384));
    let error = models.import(source.path(), &Cancel::new()).unwrap_err();
    assert!(error.to_string().contains("missing"), "{error}");
}

#[test]
fn a_model_that_does_not_fit_is_refused_before_it_is_loaded() {
    let Some((folder, _)) = linked(LANGUAGE_MODEL) else { return };
    let mut models = open(folder.path(), vec![], None);
    models.available = || Some(100 << 20);
    let error = models.language_model(None).err().unwrap();
    assert!(matches!(&error, ModelError::NoMemory { available, .. } if *available == 100 << 20), "{error}");
    assert!(error.to_string().contains("105 MB are free"), "{error}");
    models.available = || None;
    assert!(models.language_model(None).is_ok(), "where the system does not say, it is tried");
}

#[test]
fn the_memory_that_the_catalogue_tells_is_what_the_file_says() {
    for model in Catalogue::embedded().models.iter().filter(|m| m.role == ModelRole::LanguageModel) {
        let Some(folder) = testing::snapshot(model) else { continue };
        let told = model.memory.unwrap();
        let found = Footprint::read(&model.id, &folder.join(&model.files[0].path)).unwrap().working();
        assert!(told.abs_diff(found) * 20 < found, "{}: {told} instead of {found}", model.id);
    }
}
