//! Words that say nothing about what a text is about.
//!
//! They are indexed (a phrase may need them) but count neither for length, nor for ranking beside other words, nor for the
//! question whether a library holds an answer.

const ENGLISH_WORDS: &str = "a about above after again against all also am an and any are aren't as at be because been before \
    being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each \
    eg etc few for from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him \
    himself his how how's i i'd i'll i'm i've ie if in into is isn't it it's its itself let's me more most mustn't my myself no \
    nor not of off on once only or other ought our ours ourselves out over own please same shall shan't she she'd she'll \
    she's should shouldn't so some such tell than that that's the their theirs them themselves then there there's these they \
    they'd they'll they're they've this those through to too under until up upon very was wasn't we we'd we'll we're we've \
    were weren't what what's when when's where where's which while who who's whom whose why why's will with won't would \
    wouldn't you you'd you'll you're you've your yours yourself yourselves";

/// Chinese words of asking and binding, in simplified form, longest first: they split a run into its content.
const CHINESE: &[&str] = &[
    "有没有",
    "为什么",
    "是不是",
    "能不能",
    "怎么样",
    "什么样",
    "是什么",
    "哪一个",
    "告诉我",
    "什么",
    "怎么",
    "怎样",
    "如何",
    "为何",
    "哪些",
    "哪个",
    "哪里",
    "哪儿",
    "哪位",
    "哪年",
    "多少",
    "几个",
    "是否",
    "可以",
    "能否",
    "请问",
    "关于",
    "以及",
    "或者",
    "还是",
    "但是",
    "因为",
    "所以",
    "如果",
    "这个",
    "那个",
    "这些",
    "那些",
    "我们",
    "你们",
    "他们",
    "它们",
    "一个",
    "一下",
    "谁",
    "吗",
    "呢",
    "吧",
    "啊",
    "呀",
    "的",
    "了",
    "是",
    "在",
    "和",
    "与",
    "及",
    "或",
    "这",
    "那",
    "哪",
    "我",
    "你",
    "他",
    "她",
    "它",
    "们",
    "请",
];

/// The stop words of English.
pub(super) fn english() -> impl Iterator<Item = &'static str> {
    ENGLISH_WORDS.split_whitespace()
}

/// For a run of folded characters, which of them are content (true) and which belong to a stop word.
pub(crate) fn chinese_content(units: &[&str]) -> Vec<bool> {
    let mut content = vec![true; units.len()];
    let mut at = 0;
    while at < units.len() {
        let longest = CHINESE.iter().find_map(|stop| {
            let mut length = 0;
            let mut rest = *stop;
            while !rest.is_empty() {
                rest = rest.strip_prefix(units.get(at + length)?)?;
                length += 1;
            }
            Some(length)
        });
        match longest {
            Some(length) => {
                content[at..at + length].fill(false);
                at += length;
            }
            None => at += 1,
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chinese_question_keeps_its_content() {
        let units = ["巴", "黎", "的", "首", "都", "是", "什", "么"];
        assert_eq!(chinese_content(&units), [true, true, false, true, true, false, false, false]);
    }
}
