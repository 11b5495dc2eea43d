//! Points, directions and the boxes of lines, in pixels of the page; the y axis points down.

/// A point or a direction.
pub(super) type Vector = (f32, f32);

pub(super) fn dot(a: Vector, b: Vector) -> f32 {
    a.0 * b.0 + a.1 * b.1
}

/// A quarter turn clockwise: from the direction of reading to the direction of the next line.
pub(super) fn down(along: Vector) -> Vector {
    (-along.1, along.0)
}

/// A rectangle around a line of text, turned as the line is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) centre: Vector,
    /// Direction of reading, of length 1.
    pub(super) along: Vector,
    /// Size along the line.
    pub(super) length: f32,
    /// Size across it.
    pub(super) thickness: f32,
}

impl Region {
    /// The same line read the other way.
    pub(super) fn reversed(&self) -> Self {
        Self { along: (-self.along.0, -self.along.1), ..*self }
    }

    /// The point at these shares of length and thickness, from where reading begins.
    pub(super) fn at(&self, along: f32, across: f32) -> Vector {
        let down = down(self.along);
        let (a, d) = ((along - 0.5) * self.length, (across - 0.5) * self.thickness);
        (self.centre.0 + self.along.0 * a + down.0 * d, self.centre.1 + self.along.1 * a + down.1 * d)
    }

    /// Its extent along two directions: left, top, right, bottom.
    pub(super) fn extent(&self, across: Vector, down: Vector) -> [f32; 4] {
        let corners = [self.at(0.0, 0.0), self.at(1.0, 0.0), self.at(0.0, 1.0), self.at(1.0, 1.0)];
        let mut bounds = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        for corner in corners {
            let (x, y) = (dot(corner, across), dot(corner, down));
            bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
        }
        bounds
    }
}

/// The middle of some numbers; `None` of none.
pub(super) fn median(numbers: impl IntoIterator<Item = f32>) -> Option<f32> {
    let mut numbers: Vec<f32> = numbers.into_iter().filter(|n| n.is_finite()).collect();
    numbers.sort_by(f32::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
