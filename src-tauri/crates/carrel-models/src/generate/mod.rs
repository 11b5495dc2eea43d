//! Local language models: GGUF files of the Llama family, with tokenizer and chat template from the file.
//!
//! A prompt that does not fit the context is an error, never cut. Text comes out as valid UTF-8. Cancelling is looked at
//! several times per layer, so that the decoder halts within 200 ms even in the middle of a long prompt.

mod gguf;
mod llama;
mod matrix;
mod pieces;
mod sample;
mod template;
mod tokenizer;

#[cfg(test)]
mod tests;

use crate::catalogue::{CatalogueModel, READS_TOKENS};
use candle_core::quantized::gguf_file::Content;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{
    Finish, GenerateRequest, Generated, LanguageModel, LanguageModelSpec, Message, ModelError,
};
use gguf::Metadata;
use llama::{Cache, Llama};
use matrix::said;
use pieces::Pieces;
use sample::Sampler;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use template::ChatTemplate;
use tokenizer::GgufTokenizer;

/// A language model on this machine's processor.
pub(crate) struct LocalLanguageModel {
    spec: LanguageModelSpec,
    llama: Llama,
    tokenizer: GgufTokenizer,
    template: ChatTemplate,
    threads: rayon::ThreadPool,
}

impl LocalLanguageModel {
    /// Loads a GGUF file. Refuses one without a chat template: such a model completes text, it does not answer.
    pub(crate) fn open(model: &CatalogueModel, path: &Path, threads: usize) -> Result<Self, ModelError> {
        let id = &model.id;
        let damaged = |detail: String| ModelError::Damaged { id: id.to_owned(), detail };
        let file = File::open(path).map_err(|e| damaged(format!("{}: {e}", path.display())))?;
        let mut file = BufReader::new(file);
        let content = Content::read(&mut file).map_err(|e| damaged(said(&e)))?;
        let meta = Metadata::new(&content, id);
        let template = meta
            .text("tokenizer.chat_template")
            .ok_or_else(|| damaged("it has no chat template: use a model that was made for chats".into()))?;
        let template = ChatTemplate::compile(template)
            .map_err(|e| damaged(format!("its chat template cannot be read: {e}")))?;
        let tokenizer = GgufTokenizer::read(&meta)?;
        let context_tokens = meta.size("llama.context_length")?;
        let llama = Llama::read(&content, &meta, &mut file)?;
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .thread_name(|n| format!("carrel-decode-{n}"))
            .build()
            .map_err(|e| ModelError::Failed(e.to_string()))?;
        let spec = LanguageModelSpec {
            id: id.clone(),
            context_tokens,
            local: true,
            reads_tokens: model.reads_tokens.unwrap_or(READS_TOKENS),
            rewords: model.rewords.unwrap_or(true),
            languages: model.languages.clone(),
        };
        Ok(Self { spec, llama, tokenizer, template, threads })
    }

    /// The tokens that a conversation becomes.
    fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, ModelError> {
        let harmless: Vec<Message> = messages
            .iter()
            .map(|m| Message { role: m.role, content: self.tokenizer.harmless(&m.content) })
            .collect();
        let rendered = self.template.render(&harmless, self.tokenizer.bos(), self.tokenizer.eos())?;
        self.tokenizer.conversation(&rendered)
    }

    /// Reads a prompt piece by piece; returns the logits after it.
    fn read(&self, prompt: &[u32], cache: &mut Cache, cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        let mut logits = Vec::new();
        for piece in prompt.chunks(self.llama.piece()) {
            logits = self.threads.install(|| self.llama.forward(piece, cache, cancel))?;
        }
        Ok(logits)
    }
}

impl LanguageModel for LocalLanguageModel {
    fn spec(&self) -> &LanguageModelSpec {
        &self.spec
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        self.tokenizer.count(text)
    }

    fn generate(
        &self,
        request: &GenerateRequest,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generated, ModelError> {
        let prompt = self.prompt(&request.messages)?;
        let window = self.spec.context_tokens;
        if prompt.is_empty() || prompt.len() >= window {
            return Err(ModelError::TooLong { tokens: prompt.len(), window });
        }
        let most = request.max_tokens.min(window - prompt.len());
        let mut result = Generated { finish: Finish::Length, prompt_tokens: prompt.len(), tokens: 0 };
        let mut cache = Cache::default();
        let mut pieces = Pieces::default();
        let mut sampler = Sampler::new(request.temperature);
        let mut next = self.read(&prompt, &mut cache, cancel);
        while result.tokens < most {
            let mut logits = match next {
                Ok(logits) => logits,
                Err(ModelError::Cancelled) => {
                    result.finish = Finish::Cancelled;
                    break;
                }
                Err(error) => return Err(error),
            };
            if logits.iter().any(|l| l.is_nan()) {
                return Err(ModelError::Failed(format!("{} computed what is not a number", self.spec.id)));
            }
            let token = sampler.next(&mut logits);
            if self.tokenizer.is_end(token) {
                result.finish = Finish::Stop;
                break;
            }
            result.tokens += 1;
            pieces.push(self.tokenizer.bytes(token), on_text);
            if result.tokens == most {
                break;
            }
            next = self.threads.install(|| self.llama.forward(&[token], &mut cache, cancel));
        }
        pieces.finish(on_text);
        Ok(result)
    }
}
