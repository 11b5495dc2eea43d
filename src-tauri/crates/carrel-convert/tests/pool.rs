//! The pool against a real worker that misbehaves: each call returns, says why, and the next one works.

#![expect(clippy::unwrap_used, reason = "a test stops where something is missing")]

mod common;

use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{ConvertError, DocumentConverter, Limits};
use common::{bytes, faulty_pool, pool, request_with};
use std::time::{Duration, Instant};

fn works(pool: &impl DocumentConverter) {
    assert_eq!(pool.convert(&bytes("a.txt", b"still here"), &Cancel::new()).unwrap().markdown, "still here");
}

#[cfg(unix)]
#[test]
fn a_crash_costs_one_file() {
    let (_folder, pool) = faulty_pool(1);
    works(&pool);
    let error = pool.convert(&bytes("fault-abort.txt", b"x"), &Cancel::new()).unwrap_err();
    assert!(matches!(&error, ConvertError::Crashed(detail) if detail.contains("signal")), "{error:?}");
    works(&pool);
}

#[cfg(unix)]
#[test]
fn a_panic_is_caught_and_named() {
    let (_folder, pool) = faulty_pool(1);
    let error = pool.convert(&bytes("fault-panic.txt", b"x"), &Cancel::new()).unwrap_err();
    assert_eq!(error, ConvertError::Crashed("a test asked for it".into()));
    works(&pool);
}

#[cfg(unix)]
#[test]
fn a_hang_ends_at_the_time_limit() {
    let (_folder, pool) = faulty_pool(1);
    works(&pool);
    let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
    let error = pool.convert(&request_with("fault-hang.txt", b"x", limits), &Cancel::new()).unwrap_err();
    let ConvertError::Unreadable(said) = error else { panic!("{error}") };
    assert!(said.contains("stood still"), "{said}");
    works(&pool);
}

#[cfg(unix)]
#[test]
fn endless_work_ends_at_the_time_limit() {
    let (_folder, pool) = faulty_pool(1);
    works(&pool);
    let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
    let error = pool.convert(&request_with("fault-work.txt", b"x", limits), &Cancel::new()).unwrap_err();
    // On a machine that is busy enough it hardly computes.
    let ended = matches!(error, ConvertError::LimitExceeded { limit: "time" } | ConvertError::Unreadable(_));
    assert!(ended && error.retryable(), "{error}");
    works(&pool);
}

#[cfg(target_os = "linux")]
#[cfg(unix)]
#[test]
fn a_memory_bomb_meets_its_limit() {
    let (_folder, pool) = faulty_pool(1);
    let limits = Limits { memory_bytes: 256 << 20, ..Limits::default() };
    let error = pool.convert(&request_with("fault-memory.txt", b"x", limits), &Cancel::new()).unwrap_err();
    assert_eq!(error, ConvertError::LimitExceeded { limit: "memory" });
    works(&pool);
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_reaches_neither_the_network_nor_another_program() {
    let (_folder, pool) = faulty_pool(1);
    let error = pool.convert(&bytes("fault-network.txt", b"x"), &Cancel::new()).unwrap_err();
    let said = "network refused: true, program refused: true";
    assert_eq!(error, ConvertError::Crashed(said.into()));
    works(&pool);
}

#[cfg(unix)]
#[test]
fn cancelling_a_hang_returns_at_once() {
    let (_folder, pool) = faulty_pool(1);
    works(&pool);
    let cancel = Cancel::new();
    let canceller = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        canceller.cancel();
    });
    assert_eq!(pool.convert(&bytes("fault-hang.txt", b"x"), &cancel).unwrap_err(), ConvertError::Cancelled);
    thread.join().unwrap();
    works(&pool);
}

#[cfg(unix)]
#[test]
fn waiting_for_a_turn_can_be_cancelled() {
    let (_folder, pool) = faulty_pool(1);
    let pool = std::sync::Arc::new(pool);
    let busy = Cancel::new();
    let (p, b) = (pool.clone(), busy.clone());
    let hanging = std::thread::spawn(move || p.convert(&bytes("fault-hang.txt", b"x"), &b));
    std::thread::sleep(Duration::from_millis(300));
    let waiting = Cancel::new();
    waiting.cancel();
    assert_eq!(pool.convert(&bytes("a.txt", b"x"), &waiting).unwrap_err(), ConvertError::Cancelled);
    busy.cancel();
    assert_eq!(hanging.join().unwrap().unwrap_err(), ConvertError::Cancelled);
    works(&*pool);
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_killed_while_idle_is_replaced_unnoticed() {
    let pool = pool(1);
    works(&pool);
    for pid in common::children() {
        assert!(
            std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success()
        );
    }
    works(&pool);
}

#[cfg(target_os = "linux")]
#[test]
fn no_more_workers_than_asked_for_and_none_after_the_pool() {
    let pool = std::sync::Arc::new(pool(2));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let pool = pool.clone();
            std::thread::spawn(move || works(&*pool))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(
        (1..=2).contains(&common::children().len()),
        "threads that used a worker are gone, the workers are not"
    );
    drop(pool);
    let until = Instant::now() + Duration::from_secs(10);
    while !common::children().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(common::children(), Vec::<u32>::new());
}

#[test]
fn a_missing_program_is_said() {
    let pool = carrel_convert::WorkerPool::new(carrel_convert::WorkerConfig {
        program: "/nonexistent/carrel-worker".into(),
        pdfium: None,
        ocr: None,
        workers: 1,
    });
    let error = pool.convert(&bytes("a.txt", b"x"), &Cancel::new()).unwrap_err();
    assert!(error.to_string().contains("carrel-worker could not be started"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_pdf_that_unpacks_beyond_its_memory_is_no_fault() {
    if common::without_pdfium("a bomb") {
        return;
    }
    // The only part of a package, in the form of zlib, as digits.
    let package = common::make::package(&[("x", &vec![b' '; 300 << 20])]);
    let size = u32::from_le_bytes(package[18..22].try_into().unwrap()) as usize;
    let digits: String =
        [0x78, 0x9c].iter().chain(&package[31..31 + size]).map(|byte| format!("{byte:02x}")).collect();
    let bomb = common::make::pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R >>".to_owned(),
        format!(
            "<< /Length {} /Filter [/ASCIIHexDecode /FlateDecode] >>\nstream\n{digits}>\nendstream",
            digits.len() + 1
        ),
    ]);
    let pool = pool(1);
    let limits = Limits { memory_bytes: 256 << 20, ..Limits::default() };
    let error = pool.convert(&request_with("bomb.pdf", &bomb, limits), &Cancel::new()).unwrap_err();
    assert_eq!(error, ConvertError::LimitExceeded { limit: "memory" });
    works(&pool);
}

#[test]
fn files_above_the_limit_and_things_that_are_no_files_are_refused() {
    let pool = pool(1);
    let limits = Limits { input_bytes: 3, ..Limits::default() };
    let error = pool.convert(&request_with("a.txt", b"four", limits), &Cancel::new()).unwrap_err();
    assert_eq!(error, ConvertError::LimitExceeded { limit: "size" });
    let folder = tempfile::tempdir().unwrap();
    let error = pool.convert(&common::path(folder.path()), &Cancel::new()).unwrap_err();
    assert!(matches!(error, ConvertError::Unreadable(_)));
    let error = pool.convert(&common::path(&folder.path().join("gone.txt")), &Cancel::new()).unwrap_err();
    assert!(matches!(error, ConvertError::Unreadable(_)));
}
