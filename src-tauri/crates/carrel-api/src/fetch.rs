//! Fetching the web page that a user adds. The only outgoing connection of this crate, and only when asked.
//!
//! It refuses other schemes than `http` and `https`, pages above [`LARGEST`], and servers that take longer than [`PATIENCE`]. It
//! looks at no content but to write text in UTF-8 that its server said to be in another encoding: the bytes go to the converter's
//! process.

use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::io::Read;
use std::time::Duration;
use ureq::ResponseExt;

/// Largest page in bytes.
pub(crate) const LARGEST: u64 = 32 << 20;
/// Longest time for all of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page as the server gave it.
#[derive(Debug)]
pub(crate) struct Page {
    /// Where it was found, after redirects.
    pub(crate) url: String,
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
    let asked: Option<ureq::http::Uri> = url.parse().ok();
    let found = response.get_uri();
    let found = if asked.as_ref() == Some(found) { url.to_owned() } else { found.to_string() };
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
            let bytes = in_utf8(bytes, media_type.as_deref());
            return Ok(Page { url: found, bytes, media_type });
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

/// Text in UTF-8 with a mark that says so, where the server names another encoding and all of the text is in it. The one that servers
/// name unasked (ISO 8859-1) says nothing, and a server that is
/// wrong, as many are, is not believed: then the text is left to be recognised.
fn in_utf8(bytes: Vec<u8>, media_type: Option<&str>) -> Vec<u8> {
    let label =
        media_type.filter(|t| t.trim_start().to_ascii_lowercase().starts_with("text/")).and_then(|t| {
            let (_, label) = t.split_once(';')?.1.split(';').find_map(|p| {
                p.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
            })?;
            Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
        });
    let Some(encoding) =
        label.filter(|e| *e != UTF_8 && *e != WINDOWS_1252 && std::str::from_utf8(&bytes).is_err())
    else {
        return bytes;
    };
    match encoding.decode_without_bom_handling_and_without_replacement(&bytes) {
        Some(text) => format!("\u{feff}{text}").into_bytes(),
        None => bytes,
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
    fn the_encoding_that_the_server_names_is_taken_where_it_fits() {
        let gbk = encoding_rs::GBK.encode("知识库在本地").0.into_owned();
        let with = |bytes: &[u8], media_type| in_utf8(bytes.to_vec(), Some(media_type));
        assert_eq!(with(&gbk, "text/html; charset=\"GBK\""), "\u{feff}知识库在本地".as_bytes());
        assert_eq!(with("知识".as_bytes(), "text/html; charset=iso-8859-1"), "知识".as_bytes());
        assert_eq!(with(&gbk, "text/html; charset=utf-8"), gbk);
        assert_eq!(with(&gbk, "text/html"), gbk);
        assert_eq!(with(&gbk, "application/pdf; charset=gbk"), gbk);
    }

    #[test]
    fn a_redirect_is_followed_to_its_page() {
        let page_url = serve(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec());
        let answer = format!("HTTP/1.1 302 Found\r\nLocation: {page_url}\r\nContent-Length: 0\r\n\r\n");
        let page = page(&serve(answer.into_bytes()), &Cancel::new()).unwrap();
        assert_eq!((page.url, page.bytes), (page_url, b"hi".to_vec()));
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
