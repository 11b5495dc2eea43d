//! Which tokens of a vocabulary may come next.

/// One bit for each token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mask {
    bits: Vec<u64>,
}

impl Mask {
    /// None of so many tokens.
    pub(super) fn none(tokens: usize) -> Self {
        Self { bits: vec![0; tokens.div_ceil(64)] }
    }

    /// Allows a token, which must be one of them.
    pub(super) fn allow(&mut self, token: u32) {
        if let Some(word) = self.bits.get_mut(token as usize / 64) {
            *word |= 1 << (token % 64);
        }
    }

    pub(super) fn allows(&self, token: u32) -> bool {
        self.bits.get(token as usize / 64).is_some_and(|word| word >> (token % 64) & 1 == 1)
    }

    /// The allowed tokens, in order.
    pub(super) fn tokens(&self) -> impl Iterator<Item = u32> + '_ {
        self.bits.iter().enumerate().flat_map(|(i, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(i as u32 * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_allowed_is_listed() {
        let mut mask = Mask::none(130);
        for token in [0, 63, 64, 129] {
            mask.allow(token);
        }
        assert_eq!(mask.tokens().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(mask.allows(129) && !mask.allows(128) && !mask.allows(100_000));
    }
}
