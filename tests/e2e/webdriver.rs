//! A small W3C WebDriver client: what driving one window needs. It never asks for a screenshot, which hangs in WebKitGTK.

use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The key under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
const POLL: Duration = Duration::from_millis(100);
/// Longer than any notice stays.
const COVERED: Duration = Duration::from_secs(15);

/// A session with one window.
pub(crate) struct Session {
    agent: ureq::Agent,
    base: String,
}

/// An element of the page.
#[derive(Clone, Debug)]
pub(crate) struct Element(String);

impl Session {
    /// Starts `program` through the driver that listens on `port`.
    pub(crate) fn start(port: u16, program: &str) -> Result<Self, String> {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)));
        let agent: ureq::Agent = config.build().into();
        let driver = format!("http://127.0.0.1:{port}");
        let options = json!({ "capabilities": { "alwaysMatch": { "webkitgtk:browserOptions": { "binary": program, "args": [] } } } });
        let begun = call(&agent, "POST", &format!("{driver}/session"), Some(options))?;
        let id = begun["sessionId"].as_str().ok_or_else(|| format!("no session: {begun}"))?;
        Ok(Self { agent, base: format!("{driver}/session/{id}") })
    }

    /// Ends the session and with it the program.
    pub(crate) fn end(&self) {
        drop(call(&self.agent, "DELETE", &self.base, None));
    }

    /// All elements that match a CSS selector now.
    pub(crate) fn all(&self, css: &str) -> Vec<Element> {
        let found =
            self.post("elements", json!({ "using": "css selector", "value": css })).unwrap_or_default();
        let id = |element: &Value| Some(Element(element[ELEMENT].as_str()?.to_owned()));
        found.as_array().map(|list| list.iter().filter_map(id).collect()).unwrap_or_default()
    }

    /// The element with this `data-testid`, waited for.
    pub(crate) fn get(&self, id: &str) -> Element {
        let css = format!("[data-testid=\"{id}\"]");
        self.until(&format!("{id} to appear"), Duration::from_secs(30), || self.all(&css).into_iter().next())
    }

    /// All elements with this `data-testid` now.
    pub(crate) fn list(&self, id: &str) -> Vec<Element> {
        self.all(&format!("[data-testid=\"{id}\"]"))
    }

    /// Clicks; waits while something passing (a notice, a panel that slides in) lies over the element.
    pub(crate) fn click(&self, element: &Element) {
        let begun = Instant::now();
        while let Err(error) = self.post(&format!("element/{}/click", element.0), json!({})) {
            let covered = error.contains("click intercepted");
            assert!(covered && begun.elapsed() < COVERED, "click: {error}");
            std::thread::sleep(POLL);
        }
    }

    /// Clicks what may be gone by now.
    pub(crate) fn try_click(&self, element: &Element) {
        drop(self.post(&format!("element/{}/click", element.0), json!({})));
    }

    /// Types into an element; `\u{E007}` is Enter.
    pub(crate) fn type_into(&self, element: &Element, text: &str) {
        self.post(&format!("element/{}/value", element.0), json!({ "text": text }))
            .unwrap_or_else(|error| panic!("typing: {error}"));
    }

    /// Empties a field as a person would, so that the page hears of it.
    pub(crate) fn clear(&self, element: &Element) {
        self.type_into(element, "\u{E009}a\u{E000}\u{E003}");
    }

    /// Its text as shown; nothing when it is gone.
    pub(crate) fn text(&self, element: &Element) -> String {
        let text = call(&self.agent, "GET", &format!("{}/element/{}/text", self.base, element.0), None);
        text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Runs a script in the page and returns its value.
    pub(crate) fn script(&self, body: &str) -> Value {
        self.post("execute/sync", json!({ "script": body, "args": [] }))
            .unwrap_or_else(|error| panic!("script: {error}"))
    }

    /// Asks again until there is an answer; panics with what it waited for and what the page says.
    pub(crate) fn until<T>(&self, what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = ask() {
                return found;
            }
            if begun.elapsed() > limit {
                panic!(
                    "waited {} s for {what}; the page says:\n{}",
                    limit.as_secs(),
                    self.script("return document.body.innerText")
                );
            }
            std::thread::sleep(POLL);
        }
    }

    fn post(&self, path: &str, body: Value) -> Result<Value, String> {
        call(&self.agent, "POST", &format!("{}/{path}", self.base), Some(body))
    }
}

fn call(agent: &ureq::Agent, method: &str, url: &str, body: Option<Value>) -> Result<Value, String> {
    let answer = match (method, body) {
        ("POST", body) => agent.post(url).send_json(body.unwrap_or_default()),
        ("DELETE", _) => agent.delete(url).call(),
        _ => agent.get(url).call(),
    };
    let mut answer = answer.map_err(|error| error.to_string())?;
    let status = answer.status();
    let mut value: Value = answer.body_mut().read_json().map_err(|error| error.to_string())?;
    let value = value["value"].take();
    if status.is_success() { Ok(value) } else { Err(format!("{}: {}", value["error"], value["message"])) }
}
