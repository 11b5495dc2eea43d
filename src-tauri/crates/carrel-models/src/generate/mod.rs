//! Local language models: GGUF files of the families of [`config`], with tokenizer and chat template from the file.
//!
//! A prompt that does not fit the context is an error, never cut. Text comes out as valid UTF-8. Cancelling is looked at
//! several times per layer, so that the decoder halts within 200 ms even in the middle of a long prompt.

mod attention;
mod cache;
mod config;
mod decoder;
mod footprint;
mod gguf;
mod kept;
mod mask;
mod matrix;
mod pieces;
mod sample;
mod shape;
mod template;
mod tokenizer;
mod weights;

#[cfg(test)]
mod tests;

use crate::catalogue::{CatalogueModel, READS_TOKENS};
use crate::stops::Stops;
use cache::Cache;
use candle_core::quantized::gguf_file::Content;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{
    Finish, GenerateRequest, Generated, LanguageModel, LanguageModelSpec, Message, ModelError, Sampling,
};
use config::Config;
use decoder::Decoder;
pub(crate) use footprint::Footprint;
use gguf::Metadata;
use kept::Kept;
use matrix::{ROWS_FOR_GEMM, said};
use pieces::Pieces;
use sample::Sampler;
use shape::{Shaped, Shapes, Vocabulary};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};
use template::ChatTemplate;
use tokenizer::GgufTokenizer;
use weights::Weights;

/// Tokens whose keys and values may be in memory: what a question with its passages and its answer needs. A longer request gets what it
/// needs.
const WORKING_TOKENS: usize = 4_096;

/// The header of a GGUF file, and the file.
fn header(id: &str, path: &Path) -> Result<(Content, BufReader<File>), ModelError> {
    let damaged = |detail: String| ModelError::Damaged { id: id.to_owned(), detail };
    let file = File::open(path).map_err(|e| damaged(format!("{}: {e}", path.display())))?;
    let mut file = BufReader::new(file);
    let content = Content::read(&mut file).map_err(|e| damaged(said(&e)))?;
    Ok((content, file))
}

/// A language model on this machine's processor.
pub(crate) struct LocalLanguageModel {
    spec: LanguageModelSpec,
    decoder: Decoder,
    footprint: Footprint,
    kept: Kept,
    tokenizer: GgufTokenizer,
    shapes: Shapes,
    vocabulary: Vocabulary,
    template: ChatTemplate,
    threads: rayon::ThreadPool,
}

impl LocalLanguageModel {
    /// Loads a GGUF file. Refuses one without a chat template: such a model completes text, it does not answer.
    pub(crate) fn open(model: &CatalogueModel, path: &Path, threads: usize) -> Result<Self, ModelError> {
        let id = &model.id;
        let damaged = |detail: String| ModelError::Damaged { id: id.to_owned(), detail };
        let footprint = Footprint::read(id, path)?;
        let (content, mut file) = header(id, path)?;
        let meta = Metadata::new(&content, id);
        let template = meta
            .text("tokenizer.chat_template")
            .ok_or_else(|| damaged("it has no chat template: use a model that was made for chats".into()))?;
        let template = ChatTemplate::compile(template)
            .map_err(|e| damaged(format!("its chat template cannot be read: {e}")))?;
        let tokenizer = GgufTokenizer::read(&meta)?;
        let config = Config::read(&meta)?;
        let context_tokens = config.context;
        let kept = Kept::new(config.kv_width(), WORKING_TOKENS.min(context_tokens));
        let mut weights = Weights { content: &content, meta: &meta, file: &mut file };
        let decoder = Decoder::read(config, &mut weights)?;
        let vocabulary = tokenizer.vocabulary();
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
        let shapes = Shapes::default();
        Ok(Self { spec, decoder, footprint, kept, tokenizer, shapes, vocabulary, template, threads })
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

    /// Reads what of a prompt is not in the cache yet, piece by piece; returns the logits after it.
    fn read(&self, prompt: &[u32], cache: &mut Cache, cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        let mut logits = Vec::new();
        while let Some(rest) = prompt.get(cache.tokens..).filter(|rest| !rest.is_empty()) {
            let mut length = self.decoder.piece(cache.tokens).min(rest.len());
            // Few rows meet the matrices otherwise: how a prompt was cut must not change what it says.
            if (1..ROWS_FOR_GEMM).contains(&(rest.len() - length)) {
                length = rest.len().div_ceil(2);
            }
            logits = self.threads.install(|| self.decoder.forward(&rest[..length], cache, cancel))?;
        }
        Ok(logits)
    }

    /// What it takes of memory.
    pub(crate) fn footprint(&self) -> Footprint {
        self.footprint
    }

    /// How long it takes to read a prompt of so many tokens that nothing is known of, and to write so many after it.
    pub(crate) fn measure(
        &self,
        prompt: usize,
        tokens: usize,
        cancel: &Cancel,
    ) -> Result<(Duration, Duration), ModelError> {
        let window = self.spec.context_tokens;
        if prompt == 0 || prompt + tokens > window {
            return Err(ModelError::TooLong { tokens: prompt + tokens, window });
        }
        let text =
            self.tokenizer.encode("The keeper of the lighthouse lights the lamp at dusk, every day. ")?;
        let prompt: Vec<u32> = text.into_iter().cycle().take(prompt).collect();
        let (mut cache, config) = (Cache::default(), self.decoder.config());
        cache.reserve(config.layers, config.kv_width(), prompt.len() + tokens);
        let mut sampler = Sampler::new(&Sampling::default());
        let began = Instant::now();
        let mut logits = self.read(&prompt, &mut cache, cancel)?;
        let reading = began.elapsed();
        let began = Instant::now();
        for _ in 0..tokens {
            let token = sampler.next(&mut logits, None).unwrap_or_default();
            logits = self.threads.install(|| self.decoder.forward(&[token], &mut cache, cancel))?;
        }
        Ok((reading, began.elapsed()))
    }

    /// Reads the prompt and writes tokens until one ends it. `result` counts; the last token of `tokens` need not be in the cache.
    fn speak(
        &self,
        tokens: &mut Vec<u32>,
        cache: &mut Cache,
        speech: &mut Speech<'_>,
        result: &mut Generated,
        cancel: &Cancel,
    ) -> Result<(), ModelError> {
        while result.tokens < speech.most {
            let mut logits = match self.read(tokens, cache, cancel) {
                Err(ModelError::Cancelled) => {
                    result.finish = Finish::Cancelled;
                    return Ok(());
                }
                logits => logits?,
            };
            if logits.iter().any(|l| l.is_nan()) {
                return Err(ModelError::Failed(format!("{} computed what is not a number", self.spec.id)));
            }
            let allowed = speech.shaped.as_ref().map(|shaped| shaped.mask(&self.vocabulary));
            let token = speech.sampler.next(&mut logits, allowed.as_deref());
            let token = token.filter(|token| !self.tokenizer.is_end(*token));
            let Some(token) = token else {
                // The model ended, or its vocabulary cannot spell what the shape needs.
                result.finish = Finish::Stop;
                return Ok(());
            };
            result.tokens += 1;
            tokens.push(token);
            let mut bytes = self.tokenizer.bytes(token);
            if result.tokens == 1 && self.tokenizer.space_in_front() {
                bytes = bytes.strip_prefix(b" ").unwrap_or(bytes);
            }
            if speech.say(bytes) {
                result.finish = Finish::Stop;
                return Ok(());
            }
        }
        Ok(())
    }
}

/// What is being said, on its way from tokens to the listener.
struct Speech<'a> {
    /// Tokens at most.
    most: usize,
    sampler: Sampler,
    /// The shape that it is held to.
    shaped: Option<Shaped>,
    pieces: Pieces,
    stops: Stops<'a>,
    stopped: bool,
    on_text: &'a mut dyn FnMut(&str),
}

impl Speech<'_> {
    /// Says the bytes of a token; true when a stop was met, or the shape is whole.
    fn say(&mut self, bytes: &[u8]) -> bool {
        let Self { pieces, stops, stopped, on_text, shaped, .. } = self;
        pieces.push(bytes, &mut |text| *stopped = *stopped || stops.push(text, on_text));
        if let Some(shaped) = shaped {
            shaped.take(bytes);
        }
        *stopped || shaped.as_ref().is_some_and(Shaped::is_over)
    }

    /// Says what was held back, unless a stop was met. A shape is closed, unless nobody waits for it any more.
    fn finish(self, finish: Finish) {
        let Self { mut pieces, mut stops, mut stopped, on_text, shaped, .. } = self;
        if let Some(shaped) = shaped.filter(|_| finish != Finish::Cancelled) {
            pieces.push(&shaped.closing(), on_text);
        }
        if !stopped {
            pieces.finish(&mut |text| stopped = stops.push(text, on_text));
        }
        if !stopped {
            stops.finish(on_text);
        }
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
        let mut tokens = self.prompt(&request.messages)?;
        let (prompt_tokens, window) = (tokens.len(), self.spec.context_tokens);
        if tokens.is_empty() || prompt_tokens >= window {
            return Err(ModelError::TooLong { tokens: prompt_tokens, window });
        }
        let most = request.max_tokens.min(window - prompt_tokens);
        let needed = self.footprint.beyond(prompt_tokens + most);
        if let Some(available) = crate::memory::available().filter(|available| needed > *available) {
            return Err(ModelError::NoMemory { id: self.spec.id.clone(), needed, available });
        }
        let mut cache = self.kept.take(&tokens, prompt_tokens + most);
        cache.reserve(self.decoder.config().layers, self.decoder.config().kv_width(), prompt_tokens + most);
        let mut result =
            Generated { finish: Finish::Length, prompt_tokens, reused_tokens: cache.tokens, tokens: 0 };
        let mut speech = Speech {
            most,
            sampler: Sampler::new(&request.sampling),
            shaped: request.schema.as_ref().map(|schema| self.shapes.begin(schema)).transpose()?,
            pieces: Pieces::default(),
            stops: Stops::new(if request.schema.is_none() { &request.stop } else { &[] }),
            stopped: false,
            on_text,
        };
        self.speak(&mut tokens, &mut cache, &mut speech, &mut result, cancel)?;
        speech.finish(result.finish);
        self.kept.put(tokens, cache);
        Ok(result)
    }
}
