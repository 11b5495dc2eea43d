//! What kind of question it is: about passages, about what the library holds as a whole, for a summary, or for a comparison.
//!
//! By its form alone, in English and Chinese, without a model. Precise rather than greedy: "how many days of leave do I have" asks for a
//! fact in a text, "how many documents mention leave" for a count of what the library holds. What is counted or listed must be a thing of
//! the library (documents, notes, mails, …), and what is said of it something that the library itself can tell: what they speak of, their
//! type, date, folder or tag. Whatever fits no form is a question about passages.

mod chinese;
mod english;
mod things;

pub(super) use things::Thing;

use crate::prompt::Language;

/// A way to answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Route {
    /// From the best passages.
    Passages,
    /// From all documents.
    Inventory(Inventory),
    /// By reading something whole.
    Summary(Subject),
    /// From passages about each of two or more things.
    Comparison(Vec<String>),
}

/// A question about what the library holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Inventory {
    /// Whether only their number is asked for.
    pub(super) counts: bool,
    /// What is listed or counted.
    pub(super) thing: Thing,
    /// What they have to speak of.
    pub(super) about: Option<String>,
    /// Whether they must hold these words as they stand, as "mention" says, and not only speak of the matter.
    pub(super) mention: bool,
    /// Filters as a search takes them: `type`, `path`, `tag`, `after`, `before`.
    pub(super) filters: Vec<(&'static str, String)>,
}

/// What is summarised.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Subject {
    /// The documents that were attached ("this document").
    Attached,
    /// A document by the words that the question has for it.
    Document(String),
    /// All documents of a folder.
    Folder(String),
}

/// The route of a question.
pub(super) fn of(question: &str) -> Route {
    let question = question.trim().trim_end_matches(['?', '？', '.', '。', '!', '！', ' ']).trim();
    let route = match Language::of(question) {
        Language::Chinese => chinese::route(question),
        Language::English => english::route(question),
    };
    route.unwrap_or(Route::Passages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(question: &str) -> String {
        match of(question) {
            Route::Passages => "passages".to_owned(),
            Route::Inventory(i) => {
                let verb = if i.counts { "count" } else { "list" };
                let link = if i.mention { "mention" } else { "about" };
                let about = i.about.map(|about| format!(" {link} {about}")).unwrap_or_default();
                let filters: String =
                    i.filters.iter().map(|(key, value)| format!(" {key}:{value}")).collect();
                format!("{verb} {}{about}{filters}", i.thing.name())
            }
            Route::Summary(Subject::Attached) => "summary".to_owned(),
            Route::Summary(Subject::Document(name)) => format!("summary of {name}"),
            Route::Summary(Subject::Folder(name)) => format!("summary of folder {name}"),
            Route::Comparison(sides) => format!("compare {}", sides.join(" | ")),
        }
    }

    #[test]
    fn questions_about_the_library_as_a_whole() {
        for (question, route) in [
            ("List all documents about Quay Street", "list documents about Quay Street"),
            ("Please list every file on the office move.", "list documents about the office move"),
            ("Show me all my notes about sourdough", "list notes about sourdough"),
            ("Which documents mention Li Wei?", "list documents mention Li Wei"),
            ("which of my files talk about the deposit", "list documents about the deposit"),
            ("What documents do I have about taxes?", "list documents about taxes"),
            ("Which documents are PDF files?", "list documents type:pdf"),
            ("Which documents are about the garden?", "list documents about the garden"),
            ("In which documents is Li Wei mentioned?", "list documents mention Li Wei"),
            ("Where is Kestrel Hosting mentioned?", "list documents mention Kestrel Hosting"),
            ("How many documents mention Li Wei?", "count documents mention Li Wei"),
            ("How many PDFs are there?", "count pdf"),
            ("How many PDF files do I have?", "count pdf"),
            ("how many documents are there in my library", "count documents"),
            ("How many documents are there about the audit?", "count documents about the audit"),
            ("How many e-mails do I have about the move?", "count mails about the move"),
            ("What is the number of spreadsheets that mention Lyon?", "count spreadsheets mention Lyon"),
            ("List all documents", "list documents"),
            ("List all documents from 2025", "list documents after:2025 before:2026"),
            ("List all files in the folder Work", "list documents path:Work/**"),
            ("How many notes are tagged tax?", "count notes tag:tax"),
            ("List all documents about rent since 2025", "list documents about rent after:2025"),
            ("列出所有关于图书馆的文档", "list documents about 图书馆"),
            ("请列出提到王建国的文件", "list documents mention 王建国"),
            ("有多少个文档提到租金？", "count documents mention 租金"),
            ("有几份关于押金的文件？", "count documents about 押金"),
            ("哪些文档提到了赵强？", "list documents mention 赵强"),
            ("有哪些关于预约系统的资料？", "list documents about 预约系统"),
            ("一共有多少个文档？", "count documents"),
            ("库里有多少PDF文件？", "count pdf"),
            ("关于租房的文档有哪些？", "list documents about 租房"),
            ("提到服务器的文档有多少？", "count documents mention 服务器"),
        ] {
            assert_eq!(told(question), route, "{question}");
        }
    }

    #[test]
    fn questions_that_only_look_like_these() {
        for question in [
            "How many days of leave do I have?",
            "How many controls does Annex A have?",
            "How many documents do I need for the visa?",
            "How many documents must be handed in for the audit?",
            "Which document do I need to sign first?",
            "Which files does the converter read?",
            "How many pages does the lease have?",
            "How many weekly backups are kept?",
            "How many people mention the noise?",
            "List the ingredients of the sourdough bread",
            "List all controls of Annex A",
            "What does the document say about the deposit?",
            "Who files the documents?",
            "Where is the meeting?",
            "Which documents are needed for the passport?",
            "Show me how to oil the chain",
            "多少天的年假？",
            "附录A有多少项控制？",
            "申请签证需要哪些文件？",
            "办理入住需要多少份文件？",
            "列出茶叶蛋的材料",
            "文档里说押金是多少？",
            "哪些人参加了会议？",
        ] {
            assert_eq!(told(question), "passages", "{question}");
        }
    }

    #[test]
    fn summaries_and_comparisons() {
        for (question, route) in [
            ("Summarise this document", "summary"),
            ("Summarize it", "summary"),
            ("Can you give me a summary of this file?", "summary"),
            ("Summarise the lease agreement", "summary of the lease agreement"),
            ("Give me a summary of the minutes of 12 March", "summary of the minutes of 12 March"),
            ("Summarise the folder Work", "summary of folder Work"),
            ("Summarise all documents in the folder Home", "summary of folder Home"),
            ("总结这份文档", "summary"),
            ("概括一下这个文件", "summary"),
            ("总结租房须知", "summary of 租房须知"),
            ("总结文件夹中文里的所有文档", "summary of folder 中文"),
            (
                "Compare the lease agreement and the house rules",
                "compare the lease agreement | the house rules",
            ),
            ("Compare Sungold with Black Krim", "compare Sungold | Black Krim"),
            ("What is the difference between stage 1 and stage 2?", "compare stage 1 | stage 2"),
            ("比较租房须知和补充协议", "compare 租房须知 | 补充协议"),
            ("红茶和绿茶有什么区别？", "compare 红茶 | 绿茶"),
            ("Who wrote the summary of the audit?", "passages"),
            ("How do prices compare?", "passages"),
        ] {
            assert_eq!(told(question), route, "{question}");
        }
    }
}
