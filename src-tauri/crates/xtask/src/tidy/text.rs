//! What must not stand in a file.

use super::Source;

/// Colours live in one file.
const TOKENS: &str = "tokens.css";

pub(super) fn check(sources: &[Source], faults: &mut Vec<String>) {
    for source in sources {
        if source.is("lock") || source.path.ends_with("-lock.json") || source.path.contains("/fixtures/") {
            continue;
        }
        for (number, line) in source.text.lines().enumerate() {
            let mut fault = |what: &str| faults.push(format!("{}:{}: {what}", source.path, number + 1));
            if names_a_registry(line) {
                fault(
                    "names a package registry's host; packages are named, clients know where they come from",
                );
            }
            if names_a_machine(line) {
                fault("names a folder of one machine");
            }
            if is_unfinished(line) && !source.path.contains("/xtask/src/tidy/") {
                fault("unfinished work: do it, or say why it is so");
            }
            if source.path.starts_with("ui/src/")
                && !source.path.starts_with("ui/src/host/")
                && !source.path.contains(".test.ts")
                && line.contains("@tauri-apps/")
            {
                fault("only ui/src/host may import @tauri-apps");
            }
            if source.path.starts_with("ui/src/")
                && source.is("css")
                && !source.path.ends_with(TOKENS)
                && names_a_colour(line)
            {
                fault("colours are named in tokens.css alone");
            }
        }
    }
}

fn names_a_registry(line: &str) -> bool {
    // Split, so that this file passes its own rule.
    const HOSTS: &[(&str, &str)] = &[
        ("crates", ".io"),
        ("pypi", ".org"),
        ("pythonhosted", ".org"),
        ("registry.npm", "js.org"),
        ("npmjs", ".com"),
        ("debian", ".org"),
    ];
    HOSTS.iter().any(|(name, ending)| {
        line.match_indices(name).any(|(at, _)| line[at + name.len()..].starts_with(ending))
    })
}

fn names_a_machine(line: &str) -> bool {
    const FOLDERS: &[(&str, &str)] =
        &[("/wo", "rk/"), ("/ro", "ot/"), ("/far", "m/"), ("/tmp/bash", "_jobs")];
    FOLDERS.iter().any(|(start, end)| {
        line.match_indices(start).any(|(at, _)| {
            // `../work/x` and `https://host/home/` are not absolute paths.
            let before = line[..at].chars().next_back();
            line[at + start.len()..].starts_with(end)
                && before.is_none_or(|letter| " \"'`=(:,".contains(letter))
        })
    })
}

fn is_unfinished(line: &str) -> bool {
    const MARKS: &[(&str, &str)] = &[("TO", "DO"), ("FIX", "ME"), ("todo", "!("), ("unimple", "mented!(")];
    MARKS.iter().any(|(start, end)| {
        line.match_indices(start).any(|(at, _)| {
            let rest = &line[at + start.len()..];
            let word_before = line[..at]
                .chars()
                .next_back()
                .is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            let word_after = rest
                .strip_prefix(end)
                .and_then(|rest| rest.chars().next())
                .is_some_and(char::is_alphanumeric);
            rest.starts_with(end) && !word_before && (!word_after || end.ends_with('('))
        })
    })
}

fn names_a_colour(line: &str) -> bool {
    let line = line.split("/*").next().unwrap_or_default();
    let hexadecimal = line.split('#').skip(1).any(|rest| {
        let digits = rest.chars().take_while(char::is_ascii_hexdigit).count();
        let ends = rest[digits..]
            .chars()
            .next()
            .is_none_or(|letter| !letter.is_alphanumeric() && letter != '-' && letter != '_');
        matches!(digits, 3 | 4 | 6 | 8) && ends && line.contains(':')
    });
    hexadecimal
        || ["rgb(", "rgba(", "hsl(", "hsla(", "oklch(", "oklab("].iter().any(|call| line.contains(call))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_told_from_other_things() {
        for colour in ["color: #fff;", "  border: 1px solid #1a2b3c;", "background: oklch(0.9 0.01 80);"] {
            assert!(names_a_colour(colour), "{colour}");
        }
        for other in ["#app { margin: 0 }", "color: var(--ink-9);", "/* issue #1234: why */"] {
            assert!(!names_a_colour(other), "{other}");
        }
    }

    #[test]
    fn unfinished_work_is_told_from_words() {
        assert!(is_unfinished(concat!("// TO", "DO: later")));
        assert!(!is_unfinished("the TODOS of a user"));
        assert!(!is_unfinished("mastodon"));
    }

    #[test]
    fn machine_folders_are_told_from_addresses() {
        assert!(names_a_machine(concat!("let x = \"/ro", "ot/x\";")));
        assert!(!names_a_machine("see https://example.net/root/page"));
    }
}
