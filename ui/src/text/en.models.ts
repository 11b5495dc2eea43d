/** English sentences of the Models view; `zh.models.ts` has the same keys. */

export const models = {
  intro: "Models run on this computer. Nothing is downloaded without being asked.",
  role: {
    embedder: "Search by meaning",
    reranker: "Reranking",
    language_model: "Answers",
    ocr: "Text in images",
    transcriber: "Speech in recordings",
  },
  roleHint: {
    embedder: "Turns passages and questions into meaning, so that other words find them too.",
    reranker: "Reads the passages found again, together with the question, and puts the best first.",
    language_model: "Writes answers from the passages found.",
    ocr: "Reads scanned pages and pictures.",
    transcriber: "Writes down what is said in recordings.",
  },
  state: {
    installed: "Installed",
    absent: "Not installed",
    downloading: "Downloading",
    damaged: "Damaged",
    left_out: "Left out",
    remote: "Endpoint",
  },
  leftOutBody: "Carrel ended twice while it was loading this model. It is not loaded until you try it again.",
  inUse: "In use",
  use: "Use",
  get: "Get",
  getAgain: "Get again",
  test: "Test",
  testing: "Testing",
  works: (ms: string) => `Works, ${ms}`,
  fails: (message: string) => `Does not work: ${message}`,
  progress: (done: string, total: string) => `${done} of ${total}`,
  memory: (size: string) => `takes ${size} of memory`,
  cancel: "Cancel download",
  import: "Import",
  importTitle: "Import a model",
  importBody: "A GGUF file, or a folder with the files of a model.",
  importPath: "Path",
  importHint: "/home/anna/models/model.gguf",
  chooseFile: "Choose file",
  chooseFolder: "Choose folder",
  addEndpoint: "Add endpoint",
  endpointTitle: "Add an endpoint",
  endpointRole: "What its model does",
  endpointBody:
    "Any server that speaks the OpenAI protocol: Ollama, LM Studio, llama.cpp, or a service of your choice. Questions and passages are sent to it.",
  url: "Address",
  urlHint: "http://localhost:11434/v1",
  model: "Model",
  modelHint: "The first that it offers",
  key: "Environment variable with the key",
  keyHint: "OPENAI_API_KEY",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeBody: (size: string) => `Its files (${size}) will be deleted. You can get it again.`,
  removeEndpointBody: "Only the address is forgotten.",
  about: {
    "all-minilm-l6-v2": "Small and fast; finds English text by meaning.",
    "multilingual-e5-small":
      "Finds text by meaning in English, Chinese and a hundred other languages, also across them.",
    "ms-marco-minilm-l6-v2":
      "Small and fast; reads English passages again with the question and puts the best first.",
    "gte-reranker-modernbert-base":
      "Judges English passages and code better than the small one, at several times its cost.",
    "bge-reranker-v2-m3":
      "Judges passages in English, Chinese and many other languages; slow without a strong processor.",
    "qwen3-reranker-0.6b":
      "Judges passages in many languages and code; the slowest, and it needs 2 GB of memory.",
    "pp-ocrv6-small": "Reads print in scans and pictures: English, Chinese, Japanese and other languages.",
    "smollm2-135m-instruct":
      "Tiny; answers short English questions from the passages given, on any computer.",
    "qwen3-0.6b": "Small; answers short questions in English, Chinese and many other languages.",
    "qwen3-1.7b":
      "Answers well in English, Chinese and many other languages; for computers with 16 GB of memory.",
    "qwen3-4b": "Answers and reasons best of these, in many languages; slow without a strong processor.",
    "gemma-3-1b-it": "Small; answers in many languages, with good wording. Its licence has terms of use.",
    "gemma-3-4b-it":
      "Answers well in many languages; slow without a strong processor. Its licence has terms of use.",
    "smollm2-1.7b-instruct":
      "Answers English questions from the passages given, much better than the tiny one.",
    "whisper-base": "Writes down what is said in recordings, in English, Chinese and many other languages.",
    "whisper-tiny-en": "Small and fast; writes down what is said in English recordings, with more mistakes.",
  },
  aboutEndpoint: "Answers at this address; questions and the passages used go there.",
  languagesMany: "many languages",
  none: "No models are known",
  noneBody: "Import one, or add an endpoint.",
  missingEmbedder: "No model for meaning is installed. Documents are found by their words alone.",
  missingLanguageModel: "No language model is installed. Search works; answers need one.",
  missingOcr:
    "Scanned pages and pictures are not read. Those that were left out are read when this model is there.",
  missingTranscriber: "Recordings are not read. Those that were left out are read when this model is there.",
};
