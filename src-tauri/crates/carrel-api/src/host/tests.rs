use super::*;
use protocol::{Greeting, PROTOCOL, Reply, Request};
use serde_json::json;
use std::io::BufReader;
use std::path::Path;

fn config(folder: &Path) -> AppConfig {
    AppConfig { data: folder.join("data"), models: folder.join("models"), worker: None }
}

fn host(folder: &Path) -> Host {
    Host::connect_or_own(config(folder), false, |_| ()).unwrap()
}

fn call(host: &Host, name: &str, params: Value) -> Result<Value, Problem> {
    host.call(&uuid::Uuid::now_v7().to_string(), name, params, &Cancel::new(), &mut |_| ())
}

#[test]
fn only_what_can_be_done_twice_is_repeated() {
    assert!(is_repeatable("search") && is_repeatable("sync") && is_repeatable("doctor"));
    assert!(!is_repeatable("library.create") && !is_repeatable("document.remove") && !is_repeatable("ask"));
}

#[test]
fn a_client_is_served_and_takes_over() {
    let folder = tempfile::tempdir().unwrap();
    let owner = host(folder.path());
    let client = host(folder.path());
    assert!(owner.is_owner() && !client.is_owner());
    call(&client, "library.create", json!({ "name": "Research" })).unwrap();
    let problem = call(&client, "library.create", json!({ "name": "Research" })).unwrap_err();
    assert_eq!(problem.code, "exists");
    assert_eq!(call(&client, "no.such", json!({})).unwrap_err().code, "unknown_command");
    assert_eq!(call(&client, "library.create", json!({ "nome": 1 })).unwrap_err().code, "bad_request");
    drop(owner);
    let list = call(&client, "library.list", Value::Null).unwrap();
    assert_eq!(list["libraries"].as_array().unwrap().len(), 2);
    assert!(client.is_owner());
}

#[test]
fn changes_reach_a_client_until_it_stops_listening() {
    let folder = tempfile::tempdir().unwrap();
    let owner = host(folder.path());
    let client = host(folder.path());
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let stop = cancel.clone();
        let listening = scope.spawn(move || {
            client.call("listen", "events.subscribe", json!({}), &cancel, &mut |line| {
                if line["tags"].as_array().unwrap().contains(&json!("libraries")) {
                    cancel.cancel();
                }
            })
        });
        let mut n = 0;
        while !listening.is_finished() {
            n += 1;
            call(&owner, "library.create", json!({ "name": format!("L{n}") })).unwrap();
            std::thread::sleep(Duration::from_millis(50));
            assert!(n < 400, "no notice came");
        }
        assert_eq!(listening.join().unwrap().unwrap(), json!({}));
        drop(stop);
    });
}

#[test]
fn the_end_of_a_connection_stops_its_calls() {
    let folder = tempfile::tempdir().unwrap();
    let owner = host(folder.path());
    let Role::Owner(role) = owner.role().unwrap() else { panic!("not the owner") };
    let address = Address::recorded(&folder.path().join("data")).unwrap();
    let stream = address.connect().unwrap();
    let request = Request { id: "watching".into(), name: "watch".into(), params: json!({}) };
    protocol::write(&stream, &request).unwrap();
    let mut reader = BufReader::new(&stream);
    let greeting: Greeting = protocol::read(&mut reader, &|| false).unwrap().unwrap();
    assert_eq!(greeting.carrel, PROTOCOL);
    let first: Reply = protocol::read(&mut reader, &|| false).unwrap().unwrap();
    assert_eq!(first.id, "watching");
    assert!(role.app.calls.is_running("watching"));
    drop(stream);
    // A call that goes on is stopped by the runner.
    while role.app.calls.is_running("watching") {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_owner_of_another_version_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    let (address, listener) = Address::listen(&folder.path().join("data")).unwrap();
    std::thread::spawn(move || {
        use interprocess::local_socket::prelude::*;
        let stream = listener.accept().unwrap();
        protocol::write(&stream, &Greeting { carrel: PROTOCOL + 1, version: "9.9.9".into() }).unwrap();
    });
    let Err(Outcome::Refused(problem)) = client::greet(&address) else { panic!("it was not refused") };
    assert_eq!(problem.code, "owner_version");
    assert!(problem.message.contains("9.9.9"));
}

#[test]
fn a_fault_of_ours_ends_one_call_with_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let owner = host(folder.path());
    let Role::Owner(role) = owner.role().unwrap() else { panic!("not the owner") };
    let mut broken = |_: Value| panic!("the window is gone");
    let cancel = Cancel::new();
    let problem = role.app.call("x", "watch", json!({}), &cancel, &mut broken).unwrap_err();
    assert_eq!(problem.code, "internal");
    assert!(problem.message.contains("the window is gone"));
    assert!(call(&owner, "library.list", json!({})).is_ok());
}
