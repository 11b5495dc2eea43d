//! Texts that end an answer: nothing of them is ever handed out, also where one comes in pieces.

/// Looks for the stops in what passes through.
pub(crate) struct Stops<'a> {
    stops: &'a [String],
    /// What may be the beginning of a stop.
    held: String,
}

impl<'a> Stops<'a> {
    /// Empty stops must have been left out.
    pub(crate) fn new(stops: &'a [String]) -> Self {
        Self { stops, held: String::new() }
    }

    /// Hands out what cannot belong to a stop any more. True when one was met: the answer ends before it, and nothing may follow.
    pub(crate) fn push(&mut self, piece: &str, on_text: &mut dyn FnMut(&str)) -> bool {
        self.held.push_str(piece);
        let met = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min();
        let free = met.unwrap_or_else(|| self.held.len() - self.begun());
        if free > 0 {
            on_text(&self.held[..free]);
        }
        self.held.drain(..free);
        if met.is_some() {
            self.held.clear();
        }
        met.is_some()
    }

    /// The end: what was held is no stop.
    pub(crate) fn finish(&mut self, on_text: &mut dyn FnMut(&str)) {
        if !self.held.is_empty() {
            on_text(&self.held);
            self.held.clear();
        }
    }

    /// Bytes at the end of `held` that begin a stop.
    fn begun(&self) -> usize {
        let beginnings =
            self.stops.iter().flat_map(|stop| stop.char_indices().map(move |(at, _)| &stop[..at]));
        beginnings.filter(|b| self.held.ends_with(b)).map(str::len).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(stops: &[&str], pieces: &[&str]) -> (Vec<String>, bool) {
        let stops: Vec<String> = stops.iter().map(|s| (*s).to_owned()).collect();
        let mut seen = Vec::new();
        let mut filter = Stops::new(&stops);
        let met = pieces.iter().any(|piece| filter.push(piece, &mut |t| seen.push(t.to_owned())));
        if !met {
            filter.finish(&mut |t| seen.push(t.to_owned()));
        }
        (seen, met)
    }

    #[test]
    fn a_stop_is_never_shown_also_across_pieces() {
        assert_eq!(through(&["\n\n"], &["One.\n", "\nTwo"]), (vec!["One.".into()], true));
        assert_eq!(through(&["<end>"], &["a<e", "n", "d>b"]), (vec!["a".into()], true));
        assert_eq!(through(&["结束"], &["好结", "束"]), (vec!["好".into()], true));
        assert_eq!(through(&["x", "abc"], &["ab", "cx"]), (vec![], true));
    }

    #[test]
    fn what_only_began_like_a_stop_is_shown() {
        assert_eq!(through(&["<end>"], &["a<e", "x"]), (vec!["a".into(), "<ex".into()], false));
        assert_eq!(through(&["<end>"], &["a<en"]), (vec!["a".into(), "<en".into()], false));
        assert_eq!(through(&["aab"], &["aa", "ab"]), (vec!["a".into()], true));
        assert_eq!(through(&[], &["all", " of it"]), (vec!["all".into(), " of it".into()], false));
    }
}
