//! C31 against a local server: cut at 40 %, resumed, wrong bytes, a proxy, another endpoint.

use super::*;
use crate::catalogue::ModelRole;
use crate::testing_server::{Request as Incoming, Server, respond};
use sha1::Sha1;
use std::net::TcpStream;

const SIZE: usize = 1_000_000;

fn content() -> Vec<u8> {
    let mut state = 1u32;
    (0..SIZE)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect()
}

fn model(sha256: Option<String>) -> CatalogueModel {
    let file =
        ModelFile { path: "weights.bin".into(), bytes: Some(SIZE as u64), sha256, packages: Vec::new() };
    CatalogueModel {
        id: "m".into(),
        name: "M".into(),
        role: ModelRole::LanguageModel,
        default: false,
        licence: "MIT".into(),
        languages: vec![],
        description: "A test.".into(),
        hub: None,
        repository: "org/name".into(),
        revision: "abc".into(),
        files: vec![file],
        memory: None,
        reads_tokens: None,
        rewords: None,
        embedding: None,
        reranking: None,
    }
}

fn pinned() -> CatalogueModel {
    model(Some(hex(&Sha256::digest(content()))))
}

fn get(hub: &Hub, folder: &Path, model: &CatalogueModel) -> Result<u64, ModelError> {
    let mut last = 0;
    fetch(hub, folder, model, &mut |p| last = p.done, &Cancel::new())?;
    Ok(last)
}

/// Serves `content()` from the range that is asked for, `most` bytes at a time.
fn serve(request: &Incoming, stream: &mut TcpStream, most: usize) {
    let body = content();
    let from: usize = request
        .header("range")
        .and_then(|r| r.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok())
        .unwrap_or(0);
    let head = if from > 0 {
        format!("HTTP/1.1 206 Partial Content\r\ncontent-range: bytes {from}-{}/{SIZE}\r\n", SIZE - 1)
    } else {
        "HTTP/1.1 200 OK\r\n".into()
    };
    let end = SIZE.min(from + most);
    let head = format!("{head}connection: close\r\ncontent-length: {}\r\n\r\n", SIZE - from);
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body[from..end]));
}

#[test]
fn a_cut_download_is_resumed_with_the_bytes_that_are_there() {
    let server =
        Server::start(|n, request, stream| serve(request, stream, if n == 0 { SIZE * 2 / 5 } else { SIZE }));
    let folder = tempfile::tempdir().unwrap();
    let model = pinned();
    assert_eq!(get(&Hub::at(&server.url(), None).unwrap(), folder.path(), &model).unwrap(), SIZE as u64);
    let path = snapshot(folder.path(), &model).join("weights.bin");
    assert!(path.ends_with("models--org--name/snapshots/abc/weights.bin"));
    assert!(std::fs::read(&path).unwrap() == content());
    assert!(!incomplete(&path).exists());
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].path(), "/org/name/resolve/abc/weights.bin");
    assert_eq!(requests[0].header("range"), None);
    let from: usize =
        requests[1].header("range").unwrap()["bytes=".len()..].trim_end_matches('-').parse().unwrap();
    assert!(from > 0 && from <= SIZE * 2 / 5, "{from}");
    get(&Hub::at(&server.url(), None).unwrap(), folder.path(), &model).unwrap();
    assert_eq!(server.requests().len(), 2, "what is there is not fetched again");
}

#[test]
fn cancel_keeps_the_partial_file_for_the_next_run() {
    let server = Server::start(|n, request, stream| {
        serve(request, stream, if n == 0 { SIZE / 2 } else { SIZE });
        if n == 0 {
            std::thread::sleep(Duration::from_secs(30));
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let (hub, model) = (Hub::at(&server.url(), None).unwrap(), pinned());
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let result = fetch(
        &hub,
        folder.path(),
        &model,
        &mut |p| {
            if p.done >= 400_000 {
                stop.cancel();
            }
        },
        &cancel,
    );
    assert_eq!(result, Err(ModelError::Cancelled));
    let path = snapshot(folder.path(), &model).join("weights.bin");
    let kept = size(&incomplete(&path)).unwrap();
    assert!(kept >= 400_000 && !path.exists());
    get(&hub, folder.path(), &model).unwrap();
    assert_eq!(server.requests()[1].header("range").unwrap(), format!("bytes={kept}-"));
    assert!(std::fs::read(&path).unwrap() == content());
}

#[test]
fn wrong_bytes_are_refused_and_not_kept() {
    let server = Server::start(|_, request, stream| serve(request, stream, SIZE));
    let folder = tempfile::tempdir().unwrap();
    let model = model(Some("0".repeat(64)));
    let error = get(&Hub::at(&server.url(), None).unwrap(), folder.path(), &model).unwrap_err();
    assert!(matches!(&error, ModelError::Damaged { detail, .. } if detail.contains("SHA-256")), "{error}");
    let path = snapshot(folder.path(), &model).join("weights.bin");
    assert!(!path.exists() && !incomplete(&path).exists());
}

#[test]
fn a_server_that_ignores_the_range_starts_over() {
    let server = Server::start(|_, _, stream| respond(stream, "200 OK", "", &content()));
    let folder = tempfile::tempdir().unwrap();
    let model = pinned();
    let path = snapshot(folder.path(), &model).join("weights.bin");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(incomplete(&path), b"something else").unwrap();
    get(&Hub::at(&server.url(), None).unwrap(), folder.path(), &model).unwrap();
    assert_eq!(server.requests()[0].header("range").unwrap(), "bytes=14-");
    assert!(std::fs::read(&path).unwrap() == content());
}

#[test]
fn a_damaged_partial_file_is_found_out() {
    let server = Server::start(|_, request, stream| serve(request, stream, SIZE));
    let folder = tempfile::tempdir().unwrap();
    let model = pinned();
    let path = snapshot(folder.path(), &model).join("weights.bin");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(incomplete(&path), vec![7u8; 1000]).unwrap();
    let hub = Hub::at(&server.url(), None).unwrap();
    assert!(matches!(get(&hub, folder.path(), &model), Err(ModelError::Damaged { .. })));
    get(&hub, folder.path(), &model).unwrap();
    assert!(std::fs::read(&path).unwrap() == content());
}

#[test]
fn without_a_pinned_hash_the_hubs_own_is_checked_and_kept() {
    let hash = hex(&Sha256::digest(content()));
    let stated_hash = hash.clone();
    let server = Server::start(move |_, request, stream| {
        if request.line.starts_with("HEAD") {
            let headers = format!("location: /elsewhere\r\nx-linked-etag: \"{stated_hash}\"\r\n");
            respond(stream, "302 Found", &headers, b"");
        } else {
            serve(request, stream, SIZE);
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let model = model(None);
    get(&Hub::at(&server.url(), None).unwrap(), folder.path(), &model).unwrap();
    let path = snapshot(folder.path(), &model).join("weights.bin");
    assert_eq!(std::fs::read_to_string(stated(&path)).unwrap(), hash);

    // Small files are stated by git's name of them, and their size is nowhere in the catalogue.
    let blob = {
        let mut hash = Sha1::new();
        hash.update(format!("blob {SIZE}\0"));
        hash.update(content());
        hex(&hash.finalize())
    };
    for (name, good) in [(blob, true), ("0".repeat(40), false)] {
        let server = Server::start(move |_, request, stream| {
            if request.line.starts_with("HEAD") {
                respond(stream, "200 OK", &format!("etag: \"{name}\"\r\n"), b"");
            } else {
                serve(request, stream, SIZE);
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let mut small = model.clone();
        small.files[0].bytes = None;
        let got = get(&Hub::at(&server.url(), None).unwrap(), folder.path(), &small);
        assert_eq!(got.is_ok(), good, "{got:?}");
        let path = snapshot(folder.path(), &small).join("weights.bin");
        assert_eq!(std::fs::read_to_string(stated(&path)).ok(), good.then(|| hash.clone()));
        assert_eq!(path.exists(), good);
    }

    let silent = Server::start(|_, request, stream| serve(request, stream, SIZE));
    let folder = tempfile::tempdir().unwrap();
    let error = get(&Hub::at(&silent.url(), None).unwrap(), folder.path(), &model).unwrap_err();
    assert!(error.to_string().contains("does not state"), "{error}");
}

#[test]
fn a_proxy_is_used_and_refusals_are_told() {
    let proxy = Server::start(|_, request, stream| {
        if request.line.starts_with("CONNECT") {
            stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
            let request = crate::testing_server::read_request(stream).unwrap();
            assert_eq!(request.header("host"), Some("hub.example"));
            serve(&request, stream, SIZE);
        } else {
            serve(request, stream, SIZE);
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::at("http://hub.example", Some(&proxy.url())).unwrap();
    get(&hub, folder.path(), &pinned()).unwrap();
    assert!(proxy.requests()[0].line.contains("hub.example"), "{:?}", proxy.requests()[0].line);

    let closed = Server::start(|_, _, stream| respond(stream, "401 Unauthorized", "", b""));
    let folder = tempfile::tempdir().unwrap();
    let error = get(&Hub::at(&closed.url(), None).unwrap(), folder.path(), &pinned()).unwrap_err();
    assert!(matches!(&error, ModelError::Refused { detail, .. } if detail.contains("HF_TOKEN")), "{error}");
}

#[test]
fn the_environments_endpoint_and_token_are_honoured() {
    let server = Server::start(|_, request, stream| serve(request, stream, SIZE));
    let endpoint = format!("{}/", server.url());
    let hub = Hub::from_variables(|name| match name {
        "HF_ENDPOINT" => Some(endpoint.clone()),
        "HF_TOKEN" => Some("hf_test\n".into()),
        _ => None,
    });
    let folder = tempfile::tempdir().unwrap();
    get(&hub, folder.path(), &pinned()).unwrap();
    assert_eq!(server.requests()[0].path(), "/org/name/resolve/abc/weights.bin");
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer hf_test"));
    let plain = Hub::from_variables(|_| None);
    assert_eq!(plain.endpoint, HUB);
}
