//! Numbers as a sheet shows them: decimals, thousands, percent and what stands around them. Dates in ISO form.

use calamine::{ExcelDateTime, ExcelDateTimeType};

/// A number in a format such as `#,##0.00" €"` or `0.0%`.
pub(in crate::formats) fn shown(value: f64, format: Option<&str>) -> String {
    match format.and_then(Format::parse) {
        Some(format) => format.apply(value),
        None => general(value),
    }
}

/// A number of which only the format says whether it is a date.
pub(in crate::formats) fn cached(value: f64, format: Option<&str>) -> String {
    match format.filter(|code| is_date(code)) {
        Some(code) if (0.0..2_958_466.0).contains(&value) => {
            let kind = if code.contains("[h") || code.contains("[m") || code.contains("[s") {
                ExcelDateTimeType::TimeDelta
            } else {
                ExcelDateTimeType::DateTime
            };
            moment(&ExcelDateTime::new(value, kind, false), Some(code))
        }
        _ => shown(value, format),
    }
}

/// Days between the two epochs.
const EPOCHS: f64 = 1462.0;

/// The same, of a workbook that may count its days from 1904.
pub(super) fn styled(value: f64, format: Option<&str>, from_1904: bool) -> String {
    let counted = format.is_some_and(|c| c.contains("[h") || c.contains("[m") || c.contains("[s"));
    let dated = format.is_some_and(is_date) && !counted;
    cached(if from_1904 && dated { value + EPOCHS } else { value }, format)
}

/// Whether a format shows dates or times: what stands in quotes, in brackets or after a backslash does not count.
pub(in crate::formats) fn is_date(code: &str) -> bool {
    let mut chars = code.split(';').next().unwrap_or_default().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => drop(chars.by_ref().find(|c| *c == '"')),
            '\\' | '_' | '*' => drop(chars.next()),
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                let lower = inside.to_ascii_lowercase();
                if !lower.is_empty() && lower.chars().all(|c| matches!(c, 'h' | 'm' | 's')) {
                    return true;
                }
            }
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return true,
            // General holds letters of dates.
            'G' | 'g' | '0' | '#' | '?' | '@' | 'E' => return false,
            _ => {}
        }
    }
    false
}

/// From here on a sheet keeps zeros for the digits behind the fifteenth.
const EXACT: f64 = 1e15;

/// At most 15 digits, as sheets compute: 0.1 + 0.2 is 0.3. What has more than 21 is shown with an exponent, and so is what is very small.
fn general(value: f64) -> String {
    if value.fract().abs() < f64::EPSILON && value.abs() < EXACT {
        return format!("{value:.0}");
    }
    let magnitude = value.abs().log10().floor();
    if (15.0..21.0).contains(&magnitude) {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", fixed(value.abs(), 0));
    }
    if !(-9.0..15.0).contains(&magnitude) {
        let text = format!("{value:.14e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |e| ('-', e));
        return format!("{digits}E{sign}{exponent:0>2}");
    }
    let decimals = (14.0 - magnitude).clamp(0.0, 20.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number that is not negative with so many decimals, and zeros behind its fifteenth digit in front of the point.
fn fixed(value: f64, decimals: usize) -> String {
    if value < EXACT || !value.is_finite() {
        // Sheets round halves up; half of what a float can tell is added, so that 2.5 is such a half.
        return format!("{:.decimals$}", value * (1.0 + 4.0 * f64::EPSILON));
    }
    let text = format!("{value:.14e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "14"));
    let zeros = exponent.parse::<usize>().unwrap_or(14).saturating_sub(14);
    let whole = digits.replace('.', "") + &"0".repeat(zeros);
    if decimals == 0 { whole } else { format!("{whole}.{}", "0".repeat(decimals)) }
}

/// The part of a number format that is read.
#[derive(Debug, Default, PartialEq)]
struct Format {
    before: String,
    after: String,
    decimals: usize,
    /// Decimals that are shown only where they are not zero (`#`).
    optional: usize,
    thousands: bool,
    percent: bool,
    /// Digits at least in front of the point: `00000` shows a postal code.
    digits: usize,
}

impl Format {
    /// `None` for formats that show the number as it is (`General`, text) or in a way that is not read here (fractions, exponents).
    fn parse(code: &str) -> Option<Self> {
        let section = code.split(';').next().unwrap_or_default();
        let mut format = Self::default();
        let (mut seen, mut point) = (false, false);
        let mut chars = section.chars();
        while let Some(c) = chars.next() {
            let literal = if seen { &mut format.after } else { &mut format.before };
            match c {
                '"' => literal.extend(chars.by_ref().take_while(|c| *c != '"')),
                '\\' => literal.extend(chars.next()),
                '_' | '*' => {
                    chars.next();
                }
                '[' => {
                    let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                    // A currency: [$€-407]. Anything else is a colour or a condition.
                    if let Some(currency) = inside.strip_prefix('$') {
                        literal.push_str(currency.split('-').next().unwrap_or_default());
                    }
                }
                '0' | '#' | '?' => {
                    seen = true;
                    match (point, c) {
                        (true, '0') => format.decimals += 1,
                        (true, _) => format.optional += 1,
                        (false, '0') => format.digits += 1,
                        (false, _) => {}
                    }
                }
                '.' if seen || section.contains(".0") => {
                    seen = true;
                    point = true;
                }
                ',' => format.thousands = true,
                '%' => {
                    format.percent = true;
                    format.after.push('%');
                }
                'E' | 'e' | '/' | '@' | 'G' => return None,
                c if seen => format.after.push(c),
                c => format.before.push(c),
            }
        }
        (seen && format.decimals + format.optional <= 20).then_some(format)
    }

    fn apply(&self, value: f64) -> String {
        let value = if self.percent { value * 100.0 } else { value };
        let most = self.decimals + self.optional;
        let text = fixed(value.abs(), most);
        let (whole, mut decimals) = match text.split_once('.') {
            Some((whole, decimals)) => (whole.to_owned(), decimals.to_owned()),
            None => (text, String::new()),
        };
        while decimals.len() > self.decimals && decimals.ends_with('0') {
            decimals.pop();
        }
        let mut whole = format!("{whole:0>width$}", width = self.digits);
        if self.thousands {
            let digits = whole.len();
            whole = whole
                .chars()
                .enumerate()
                .flat_map(|(i, c)| {
                    let comma = i > 0 && (digits - i).is_multiple_of(3);
                    comma.then_some(',').into_iter().chain([c])
                })
                .collect();
        }
        let zero = whole.chars().all(|c| c == '0' || c == ',') && decimals.chars().all(|c| c == '0');
        let sign = if value < 0.0 && !zero { "-" } else { "" };
        let point = if decimals.is_empty() { "" } else { "." };
        let (before, after) = (self.before.trim(), self.after.trim_end());
        format!("{sign}{before}{whole}{point}{decimals}{after}")
    }
}

/// A date, a time or a duration.
pub(in crate::formats) fn moment(moment: &ExcelDateTime, format: Option<&str>) -> String {
    if moment.is_duration() {
        let seconds = (moment.as_f64() * 86_400.0).round() as i64;
        let sign = if seconds < 0 { "-" } else { "" };
        let seconds = seconds.abs();
        return format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let second = if milli >= 500 && second < 59 { second + 1 } else { second };
    let date = format!("{year:04}-{month:02}-{day:02}");
    let time = if second == 0 {
        format!("{hour:02}:{minute:02}")
    } else {
        format!("{hour:02}:{minute:02}:{second:02}")
    };
    let code = format.unwrap_or_default().to_ascii_lowercase();
    let dated = code.contains(['d', 'y']) || !code.contains(['h', 's']);
    if moment.as_f64() < 1.0 && !dated {
        time
    } else if moment.as_f64().fract().abs() < 1e-9
        || (dated && !code.is_empty() && !code.contains(['h', 's']))
    {
        date
    } else {
        format!("{date} {time}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_shown() {
        for (value, format, expected) in [
            (1350.0, "#,##0", "1,350"),
            (-1_234_567.891, "#,##0.00", "-1,234,567.89"),
            (0.125, "0.0%", "12.5%"),
            (12.5, "#,##0.00\" €\"", "12.50 €"),
            (12.5, "[$€-407] 0.00", "€12.50"),
            (42.0, "00000", "00042"),
            (0.1 + 0.2, "General", "0.3"),
            (1.5, "0.##", "1.5"),
            (-0.001, "0.00", "0.00"),
            (0.025, "0%", "3%"),
            (12_345_678_901_234_567.0, "0", "12345678901234600"),
            (12_345_678_901_234_567.0, "General", "12345678901234600"),
            (9_876_543_210_987_654_000.0, "#,##0.00", "9,876,543,210,987,650,000.00"),
            (-1.5e-10, "General", "-1.5E-10"),
        ] {
            assert_eq!(shown(value, Some(format)), expected, "{value} {format}");
        }
        assert_eq!(shown(3.0, None), "3");
        assert_eq!(shown(1e20, None), "100000000000000000000");
        assert_eq!(shown(1.25e22, None), "1.25E+22");
    }

    #[test]
    fn dates_times_and_durations() {
        let at = |value, kind| ExcelDateTime::new(value, kind, false);
        assert_eq!(moment(&at(45_943.0, ExcelDateTimeType::DateTime), Some("mm-dd-yy")), "2025-10-13");
        assert_eq!(
            moment(&at(45_943.5, ExcelDateTimeType::DateTime), Some("m/d/yy h:mm")),
            "2025-10-13 12:00"
        );
        assert_eq!(moment(&at(0.25, ExcelDateTimeType::DateTime), Some("h:mm")), "06:00");
        assert_eq!(moment(&at(1.5, ExcelDateTimeType::TimeDelta), Some("[h]:mm:ss")), "36:00:00");
    }
}
