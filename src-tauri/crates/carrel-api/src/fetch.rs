//! Fetching the web page that a user adds. The only outgoing connection of this crate, and only when asked.
//!
//! It refuses other schemes than `http` and `https`, pages above [`LARGEST`], and servers that take longer than [`PATIENCE`]. It
//! looks at no content: the bytes go to the converter's process.

use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use std::io::Read;
use std::time::Duration;

/// Largest page in bytes.
pub(crate) const LARGEST: u64 = 32 << 20;
/// Longest time for all of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page as the server gave it.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// `Content-Type`, parameters included.
    pub(crate) media_type: Option<String>,
}

/// Whether a word is the URL of a page.
pub fn is_url(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// Fetches one page. Follows at most ten redirects.
pub(crate) fn page(url: &str, cancel: &Cancel) -> Result<Page, Problem> {
    if !is_url(url) {
        return Err(Problem::bad_request(format!(
            "{url} cannot be added: only files, folders and web pages (http:// or https://) can"
        )));
    }
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .timeout_connect(Some(Duration::from_secs(15)))
        .max_redirects(10)
        .user_agent(concat!("Carrel/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .build()
        .into();
    let mut response = agent
        .get(url)
        .header(
            "accept",
            "text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf;q=0.9,*/*;q=0.5",
        )
        .call()
        .map_err(|error| unreachable(url, &error))?;
    let status = response.status();
    if !status.is_success() {
        return Err(Problem::new("page_refused", format!("{url} answered with {status}"))
            .hint("open it in a browser: it may need an account")
            .detail("url", url)
            .detail("status", status.as_u16()));
    }
    let media_type = response
        .headers()
        .get("content-type")
        .and_then(|v| v.to_str().ok())
        .map(str::to_owned)
        .filter(|t| !t.is_empty());
    let mut bytes = Vec::new();
    let mut reader = response.body_mut().as_reader();
    let mut buffer = vec![0_u8; 64 << 10];
    loop {
        if cancel.is_cancelled() {
            return Err(Problem::cancelled());
        }
        let read = reader.read(&mut buffer).map_err(|error| unreachable(url, &error))?;
        if read == 0 {
            return Ok(Page { bytes, media_type });
        }
        bytes.extend_from_slice(&buffer[..read]);
        if bytes.len() as u64 > LARGEST {
            return Err(Problem::new("page_too_large", format!("{url} is larger than {} MB", LARGEST >> 20))
                .hint("download it and add the file")
                .detail("url", url)
                .detail("megabytes", LARGEST >> 20));
        }
    }
}

fn unreachable(url: &str, error: &dyn std::fmt::Display) -> Problem {
    let detail = error.to_string();
    Problem::new("page_unreachable", format!("{url} could not be fetched: {detail}"))
        .hint("check the address and the connection, and try again")
        .detail("url", url)
        .detail("detail", detail)
        .retryable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    fn serve(answer: Vec<u8>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut seen = Vec::new();
            let mut buffer = [0; 1024];
            while !seen.ends_with(b"\r\n\r\n") {
                let n = stream.read(&mut buffer).unwrap();
                seen.extend_from_slice(&buffer[..n]);
            }
            let _ = stream.write_all(&answer);
        });
        format!("http://{address}/page")
    }

    #[test]
    fn a_page_comes_with_its_type() {
        let url = serve(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gbk\r\nContent-Length: 5\r\n\r\nhello"
                .to_vec(),
        );
        let page = page(&url, &Cancel::new()).unwrap();
        assert_eq!(page.bytes, b"hello");
        assert_eq!(page.media_type.as_deref(), Some("text/html; charset=gbk"));
    }

    #[test]
    fn refusals_and_silence_are_told_apart() {
        let url = serve(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".to_vec());
        assert_eq!(page(&url, &Cancel::new()).unwrap_err().code, "page_refused");
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert_eq!(page(&format!("http://{closed}/"), &Cancel::new()).unwrap_err().code, "page_unreachable");
        for scheme in ["file:///etc/passwd", "ftp://example.org/x", "javascript:alert(1)"] {
            assert_eq!(page(scheme, &Cancel::new()).unwrap_err().code, "bad_request");
        }
    }

    #[test]
    fn a_page_above_the_limit_is_refused() {
        let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", LARGEST + 1).into_bytes();
        answer.resize(answer.len() + LARGEST as usize + 1, b'x');
        let url = serve(answer);
        assert_eq!(page(&url, &Cancel::new()).unwrap_err().code, "page_too_large");
    }
}
