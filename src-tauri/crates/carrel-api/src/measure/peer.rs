//! The program that is measured in turn.

use super::rounded;
use crate::problem::Problem;
use serde_json::{Map, Value};
use std::process::{Command, Stdio};

/// Runs the peer once and takes the last JSON object that it prints.
pub(super) fn run(command: &str) -> Result<Map<String, Value>, Problem> {
    let mut shell = if cfg!(windows) {
        let mut shell = Command::new("cmd");
        shell.args(["/C", command]);
        shell
    } else {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        shell
    };
    let failed = |detail: String| Problem::bad_request(format!("the peer `{command}` {detail}"));
    let output =
        shell.stdin(Stdio::null()).stderr(Stdio::inherit()).output().map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(format!("ended with {}", output.status)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let object =
        text.lines().rev().find_map(|line| serde_json::from_str::<Map<String, Value>>(line.trim()).ok());
    object.ok_or_else(|| failed("printed no JSON object".to_owned()))
}

/// Ours over theirs, for every speed that both tell.
pub(super) fn ratio(ours: &Map<String, Value>, theirs: &Map<String, Value>) -> Map<String, Value> {
    let speeds = ours.iter().filter(|(key, _)| key.ends_with("_per_s") || key.ends_with("_per_cpu_s"));
    let ratio = |(key, value): (&String, &Value)| {
        let (ours, theirs) = (value.as_f64()?, theirs.get(key)?.as_f64()?);
        (theirs > 0.0).then(|| (key.clone(), Value::from(rounded(ours / theirs))))
    };
    speeds.filter_map(ratio).collect()
}

/// Runs ours and, where there is one, the peer in turn; the medians of both with the ratios.
pub(super) fn in_turn(
    runs: usize,
    peer: Option<&str>,
    progress: &mut dyn FnMut(&str),
    mut ours: impl FnMut() -> Result<Map<String, Value>, Problem>,
) -> Result<Map<String, Value>, Problem> {
    let (mut our_runs, mut their_runs) = (Vec::new(), Vec::new());
    let runs = runs.max(1);
    for n in 1..=runs {
        progress(&format!("run {n} of {runs}"));
        our_runs.push(ours()?);
        if let Some(peer) = peer {
            progress(&format!("run {n} of {runs}: the peer"));
            their_runs.push(run(peer)?);
        }
    }
    let mut result = super::medians(&our_runs);
    let theirs = super::medians(&their_runs);
    let ratio = ratio(&result, &theirs);
    result.insert("peer".to_owned(), if peer.is_some() { Value::Object(theirs) } else { Value::Null });
    result.insert("ratio".to_owned(), Value::Object(ratio));
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_peer_is_run_in_turn_and_compared() {
        let mut order = 0.0;
        let result = in_turn(3, Some(r#"echo noise; echo '{"passages_per_s": 4.0}'"#), &mut |_| (), || {
            order += 1.0;
            Ok(json!({"engine": "e", "passages_per_s": order}).as_object().cloned().unwrap())
        });
        let result = result.unwrap();
        assert_eq!(result["passages_per_s"], json!(2.0));
        assert_eq!(result["peer"], json!({"passages_per_s": 4.0}));
        assert_eq!(result["ratio"], json!({"passages_per_s": 0.5}));
    }

    #[test]
    fn a_peer_that_fails_is_told() {
        assert!(run("exit 3").unwrap_err().message.contains("exit"));
        assert!(run("echo hello").unwrap_err().message.contains("JSON"));
    }
}
