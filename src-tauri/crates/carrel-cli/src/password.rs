//! Where a password comes from. It is neither kept nor printed.

use carrel_api::Problem;
use std::io::Read as _;

/// Bytes read of the standard input.
const MOST: u64 = 64 << 10;

/// The password given on the command line, on the standard input (several, one a line) or in `CARREL_PASSWORD`.
pub(crate) fn read(given: Option<String>, from_stdin: bool) -> Result<Option<String>, Problem> {
    if given.is_some() {
        return Ok(given);
    }
    if !from_stdin {
        return Ok(std::env::var("CARREL_PASSWORD").ok().filter(|p| !p.is_empty()));
    }
    let mut text = String::new();
    // Whoever gives more gives no passwords.
    std::io::stdin()
        .take(MOST)
        .read_to_string(&mut text)
        .map_err(|error| Problem::bad_request(format!("the password could not be read: {error}")))?;
    let passwords: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    if passwords.is_empty() {
        return Err(Problem::bad_request("the standard input holds no password"));
    }
    Ok(Some(passwords.join("\n")))
}
