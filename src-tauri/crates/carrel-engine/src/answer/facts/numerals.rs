//! Numbers that are written as words.

/// English number words up to a hundred and their multipliers; a number of words is at least 2: "one" is rarely a number.
const ENGLISH: &[(&str, f64)] = &[
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
];
const SCALES: &[(&str, f64)] =
    &[("hundred", 100.0), ("thousand", 1_000.0), ("million", 1_000_000.0), ("billion", 1_000_000_000.0)];

/// What an English word stands for, below a hundred.
pub(super) fn english(word: &str) -> Option<f64> {
    ENGLISH.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

/// What an English word multiplies by.
pub(super) fn scale(word: &str) -> Option<f64> {
    SCALES
        .iter()
        .find(|(known, _)| known == &word || word.strip_suffix('s') == Some(known))
        .map(|(_, value)| *value)
}

/// Whether a character is a Chinese numeral.
pub(super) fn is_chinese(c: char) -> bool {
    digit(c).is_some() || multiplier(c).is_some()
}

/// The value of a Chinese digit.
pub(super) fn digit(c: char) -> Option<u32> {
    Some(match c {
        '〇' | '零' => 0,
        '一' | '壹' => 1,
        '二' | '两' | '贰' | '兩' => 2,
        '三' | '叁' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陆' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        _ => return None,
    })
}

/// What a Chinese numeral multiplies by.
pub(super) fn multiplier(c: char) -> Option<f64> {
    Some(match c {
        '十' | '拾' => 10.0,
        '百' | '佰' => 100.0,
        '千' | '仟' => 1_000.0,
        '万' | '萬' => 10_000.0,
        '亿' | '億' => 100_000_000.0,
        _ => return None,
    })
}

/// The value of a run of Chinese numerals: 四十八万, 二〇二六, 两百零三.
pub(super) fn chinese(run: &str) -> Option<f64> {
    if run.chars().all(|c| digit(c).is_some()) {
        return run.chars().try_fold(0.0, |value, c| Some(value * 10.0 + f64::from(digit(c)?)));
    }
    let (mut total, mut section, mut current) = (0.0, 0.0, None);
    for c in run.chars() {
        if let Some(value) = digit(c) {
            current = Some(f64::from(value));
            continue;
        }
        let by = multiplier(c)?;
        if by < 10_000.0 {
            section += current.take().unwrap_or(1.0) * by;
        } else {
            section += current.take().unwrap_or(0.0);
            total += if section > 0.0 { section } else { 1.0 } * by;
            section = 0.0;
        }
    }
    Some(total + section + current.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_numerals() {
        for (run, value) in [
            ("四十八万", 480_000.0),
            ("二〇二六", 2026.0),
            ("两百零三", 203.0),
            ("十五", 15.0),
            ("一亿", 1e8),
            ("三", 3.0),
            ("二十八", 28.0),
        ] {
            assert_eq!(chinese(run), Some(value), "{run}");
        }
    }
}
