//! Greetings and thanks: answered kindly, without searching and without citations.
//!
//! By a list of whole utterances: a question that only begins with a greeting is a question.

use crate::prompt::Language;
use crate::text::fold_key;

const GREETINGS: &[&str] = &[
    "hello",
    "hi",
    "hey",
    "hello there",
    "hi there",
    "hey there",
    "good morning",
    "good afternoon",
    "good evening",
    "greetings",
    "howdy",
    "hello carrel",
    "hi carrel",
    "hey carrel",
    "你好",
    "您好",
    "嗨",
    "哈喽",
    "大家好",
    "你们好",
    "早上好",
    "早安",
    "下午好",
    "晚上好",
    "你好呀",
    "你好啊",
    "在吗",
];
const THANKS: &[&str] = &[
    "thanks",
    "thank you",
    "thanks a lot",
    "thank you very much",
    "many thanks",
    "thx",
    "ty",
    "cheers",
    "great thanks",
    "ok thanks",
    "谢谢",
    "谢谢你",
    "谢谢您",
    "多谢",
    "非常感谢",
    "感谢",
    "谢了",
    "好的谢谢",
];
const FAREWELLS: &[&str] = &[
    "bye",
    "goodbye",
    "good bye",
    "see you",
    "see you later",
    "good night",
    "再见",
    "拜拜",
    "晚安",
    "回头见",
    "下次见",
];
const FEELINGS: &[&str] = &[
    "how are you",
    "how are you doing",
    "how is it going",
    "hows it going",
    "whats up",
    "你好吗",
    "你怎么样",
    "最近怎么样",
    "最近好吗",
];
const IDENTITY: &[&str] = &[
    "who are you",
    "what are you",
    "what can you do",
    "what do you do",
    "what is your name",
    "whats your name",
    "can you help me",
    "help",
    "你是谁",
    "你是什么",
    "你能做什么",
    "你会做什么",
    "你叫什么",
    "你叫什么名字",
    "你可以做什么",
    "帮助",
];

/// The answer to small talk, or `None` where `text` is a question.
pub(super) fn reply(text: &str) -> Option<&'static str> {
    let letters: String = fold_key(text)
        .chars()
        .map(|c| {
            if c.is_alphanumeric() {
                c
            } else if c == '\'' {
                '\u{0}'
            } else {
                ' '
            }
        })
        .collect();
    let letters = letters.replace('\u{0}', "");
    let said = letters.split_whitespace().collect::<Vec<_>>().join(" ");
    let chinese = Language::of(text) == Language::Chinese;
    let replies = [
        (
            GREETINGS,
            "Hello! Ask me anything about the documents in your library.",
            "你好！可以就资料库里的文档向我提问。",
        ),
        (THANKS, "You're welcome!", "不客气！"),
        (FAREWELLS, "Goodbye! Your library stays here for you.", "再见！你的资料库一直都在这里。"),
        (
            FEELINGS,
            "I'm well, thank you. What would you like to find in your library?",
            "我很好，谢谢。想在资料库里找些什么？",
        ),
        (
            IDENTITY,
            "I'm Carrel. I search the documents in your library and answer questions from them, with the passage that each sentence comes from.",
            "我是 Carrel。我在你的资料库中查找，并根据其中的文档回答问题，每句话都附上它出自的段落。",
        ),
    ];
    replies
        .into_iter()
        .find(|(list, ..)| list.iter().any(|entry| *entry == said))
        .map(|(_, english, in_chinese)| if chinese { in_chinese } else { english })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_in_both_languages() {
        for text in [
            "Hello",
            "hello!",
            "Hi there.",
            "Thank you!",
            "你好",
            "您好！",
            "謝謝",
            "晚安。",
            "What's up?",
            "你是谁？",
        ] {
            assert!(reply(text).is_some(), "{text}");
        }
        assert!(reply("谢谢").unwrap().contains('不'));
        assert!(reply("Thanks").unwrap().is_ascii());
    }

    #[test]
    fn a_question_that_begins_with_a_greeting_is_a_question() {
        for text in [
            "Hello, what is the boiling point of water?",
            "hello world in Rust",
            "你好世界程序怎么写",
            "help with taxes",
            "",
        ] {
            assert!(reply(text).is_none(), "{text}");
        }
    }
}
