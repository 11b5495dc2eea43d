//! What a sentence states that can be compared without understanding it: numbers with their units, dates, names, and whether it denies.
//!
//! The same fact in other writing is the same: `1,180 euros` and `EUR 1180`, `12 March 2026` and `2026-03-12`, 四十八万元 and 480,000 元.
//! Refuses to guess: what can be read in two ways is taken as it is written.

mod dates;
mod denial;
mod numbers;
mod numerals;
mod people;

pub(super) use dates::{Date, dates, without_dates};
pub(super) use denial::denies;
pub(super) use numbers::Number;
pub(super) use people::people;

/// Numbers and dates of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Facts {
    pub(super) numbers: Vec<Number>,
    pub(super) dates: Vec<Date>,
}

impl Facts {
    pub(super) fn of(text: &str) -> Self {
        let (dates, rest) = dates::taken_out(text);
        Self { numbers: numbers::numbers(&rest), dates }
    }

    /// What is stated by one of two texts.
    pub(super) fn joined(&self, other: &Self) -> Self {
        Self {
            numbers: self.numbers.iter().chain(&other.numbers).cloned().collect(),
            dates: self.dates.iter().chain(&other.dates).copied().collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.dates.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len() + self.dates.len()
    }

    /// How many of these the other states too.
    pub(super) fn held_by(&self, other: &Self) -> usize {
        self.numbers.iter().filter(|number| other.states(number)).count()
            + self.dates.iter().filter(|date| other.dates_say(**date)).count()
    }

    /// Whether all of these are stated by the other.
    pub(super) fn are_held_by(&self, other: &Self) -> bool {
        self.held_by(other) == self.len()
    }

    /// A number may be a part of a date (`in 2026`, `on the 12th`).
    fn states(&self, number: &Number) -> bool {
        self.numbers.iter().any(|own| own.is_same(number))
            || self.dates.iter().any(|date| number.unit.is_none() && date.has_part(number.value))
    }

    /// A date may be written as single numbers (`| 2026 | 3 |`).
    fn dates_say(&self, date: Date) -> bool {
        self.dates.iter().any(|own| own.includes(date))
            || date.is_year().is_some_and(|year| self.numbers.iter().any(|n| n.value == f64::from(year)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_fact_in_other_writing_is_the_same() {
        for (claim, span) in [
            ("The deposit is 2360 euros.", "The deposit is 2,360 euros."),
            ("The deposit is €2,360.", "The deposit is 2360 EUR"),
            ("It costs 1 180 euros", "1,180 euros a month"),
            ("Three months' notice.", "3 months' notice"),
            ("It rose by 8 %.", "by at most eight per cent"),
            ("预算为 48 万元。", "预算为四十八万元。"),
            ("预算为 480,000 元", "预算为四十八万元。"),
            ("提前 2 个月", "提前两个月"),
            ("占 25%", "占百分之二十五"),
            ("on 2026-03-12", "12 March 2026"),
            ("on March 12th, 2026", "2026-03-12"),
            ("2026年3月12日", "12 March 2026"),
            ("in March 2026", "on 12 March 2026"),
            ("on 12 March", "12 March 2026"),
            ("in 1951", "born on 3 May 1951"),
            ("一八四五年七月四日", "1845 年 7 月 4 日"),
            ("the 22nd and 23rd of June", "22 and 23 June"),
            ("from 22:00 to 07:00", "from 22:00 to 7:00"),
            ("at 10 pm", "at 22:00"),
        ] {
            assert!(
                Facts::of(claim).are_held_by(&Facts::of(span)),
                "{claim} / {span}: {:?} {:?}",
                Facts::of(claim),
                Facts::of(span)
            );
        }
    }

    #[test]
    fn another_fact_is_another() {
        for (claim, span) in [
            ("The deposit is 2,361 euros.", "The deposit is 2,360 euros."),
            ("The bread weighs 900 kg.", "about 900 g"),
            ("2360 dollars", "2,360 euros"),
            ("four months", "three months"),
            ("预算为四十九万元。", "预算为四十八万元。"),
            ("on 13 March 2026", "12 March 2026"),
            ("on 12 March 2027", "12 March 2026"),
            ("12 May", "12 March 2026"),
            ("6 percent", "8 percent"),
            ("8 percent", "8 euros"),
            ("from 23:00", "from 22:00"),
            ("on 12 March 2026", "in March 2026"),
        ] {
            assert!(
                !Facts::of(claim).are_held_by(&Facts::of(span)),
                "{claim} / {span}: {:?} {:?}",
                Facts::of(claim),
                Facts::of(span)
            );
        }
    }
}
