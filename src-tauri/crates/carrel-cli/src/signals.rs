//! Interruption: the first Ctrl-C stops the work, the second ends the program at once.

use carrel_api::Cancel;

/// Exit status of an interrupted program.
pub(crate) const INTERRUPTED: u8 = 130;

/// A flag that is set by Ctrl-C (and, on Unix, by a polite request to end).
pub(crate) fn cancel_on_interrupt() -> Cancel {
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let listening = std::thread::Builder::new().name("signals".into()).spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            interrupted().await;
            flag.cancel();
            interrupted().await;
            carrel_api::leaving();
            std::process::exit(i32::from(INTERRUPTED));
        });
    });
    if let Err(error) = listening {
        tracing::warn!(%error, "interruptions end the program at once");
    }
    cancel
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        },
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn interrupted() {
    drop(tokio::signal::ctrl_c().await);
}
