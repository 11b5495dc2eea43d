//! Where a password comes from. It is neither kept nor printed.

use carrel_api::Problem;
use std::io::Read as _;

/// The password given on the command line, on the standard input or in `CARREL_PASSWORD`.
pub(crate) fn read(given: Option<String>, from_stdin: bool) -> Result<Option<String>, Problem> {
    if given.is_some() {
        return Ok(given);
    }
    if !from_stdin {
        return Ok(std::env::var("CARREL_PASSWORD").ok().filter(|p| !p.is_empty()));
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Problem::bad_request(format!("the password could not be read: {error}")))?;
    let line = text.lines().next().unwrap_or_default().to_owned();
    if line.is_empty() {
        return Err(Problem::bad_request("the standard input holds no password"));
    }
    Ok(Some(line))
}
