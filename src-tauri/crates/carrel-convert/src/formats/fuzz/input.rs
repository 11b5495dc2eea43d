//! Bytes read as values: whatever they are, they are some input.

/// What is left of the bytes. At their end every value is zero.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }

    pub(crate) fn short(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    pub(crate) fn double(&mut self) -> f64 {
        f64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A place: mostly in steps of a quarter point from `from`, now and then any number at all.
    pub(crate) fn place(&mut self, from: f32) -> f32 {
        match self.byte() {
            255 => f32::from_le_bytes(std::array::from_fn(|_| self.byte())),
            254 => f32::from(self.short()),
            step => from + f32::from(step) / 4.0 - 16.0,
        }
    }

    /// One of some things.
    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        of.get(usize::from(self.byte()) % of.len().max(1)).copied()
    }

    /// Some bytes, their number before them.
    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()).min(self.0.len());
        let (taken, rest) = self.0.split_at_checked(length).unwrap_or_default();
        self.0 = rest;
        taken
    }

    /// Some text.
    pub(crate) fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }
}
