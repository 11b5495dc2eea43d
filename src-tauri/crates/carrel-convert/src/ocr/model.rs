//! The three networks of the model: detector, recogniser, and the one that knows upside down from upright.

use carrel_engine::seams::ConvertError;
use rten::{ModelOptions, RunOptions, ThreadPool, Value, ValueOrView};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Detector, recogniser, and what tells upside down from upright, in the folder of the model.
pub const FILES: [&str; 3] = [
    "onnx/PP-OCRv6/det/PP-OCRv6_det_small.onnx",
    "onnx/PP-OCRv6/rec/PP-OCRv6_rec_small.onnx",
    "onnx/PP-OCRv4/cls/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
];

/// The model, loaded.
pub(crate) struct Model {
    pub(super) detector: Network,
    pub(super) recogniser: Network,
    pub(super) turns: Network,
    /// What the recogniser's classes stand for; the first is "nothing".
    pub(super) letters: Vec<String>,
}

/// One network with one input and one output.
pub(super) struct Network {
    model: rten::Model,
    threads: Arc<ThreadPool>,
}

/// Whether all files of the model lie in the folder.
pub(crate) fn is_there(folder: &Path) -> bool {
    FILES.iter().all(|file| folder.join(file).is_file())
}

impl Model {
    /// The model of this folder. It is loaded once and kept for the files that follow.
    pub(crate) fn shared(folder: &Path) -> Result<Arc<Self>, ConvertError> {
        static LOADED: Mutex<Option<(PathBuf, Arc<Model>)>> = Mutex::new(None);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((from, model)) = &*loaded
            && from == folder
        {
            return Ok(Arc::clone(model));
        }
        let model = Self::load(folder).map_err(|detail| {
            ConvertError::Crashed(format!("the model that reads images cannot be loaded: {detail}"))
        })?;
        let model = Arc::new(model);
        *loaded = Some((folder.to_owned(), Arc::clone(&model)));
        Ok(model)
    }

    fn load(folder: &Path) -> Result<Self, String> {
        // A worker has one core to itself: the pool runs as many workers as there is room for.
        let threads = Arc::new(ThreadPool::with_num_threads(1));
        let network = |file: &str| Network::load(&folder.join(file), &threads);
        let [detector, recogniser, turns] = FILES;
        let recogniser = network(recogniser)?;
        let letters = recogniser.model.metadata().get("character").ok_or("it does not list its letters")?;
        let letters =
            std::iter::once("").chain(letters.split('\n')).chain([" "]).map(str::to_owned).collect();
        Ok(Self { detector: network(detector)?, turns: network(turns)?, letters, recogniser })
    }
}

impl Network {
    fn load(path: &Path, threads: &Arc<ThreadPool>) -> Result<Self, String> {
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let model = options.load_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { model, threads: Arc::clone(threads) })
    }

    /// Runs it on an image of three planes; returns the output with its shape.
    pub(super) fn run<const N: usize>(
        &self,
        planes: Vec<f32>,
        (width, height): (usize, usize),
    ) -> Result<([usize; N], Vec<f32>), String> {
        let failed = |error: &dyn std::fmt::Display| format!("the model that reads images failed: {error}");
        let input = Value::from_shape([1, 3, height, width], planes).map_err(|error| failed(&error))?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let output =
            self.model.run_one(ValueOrView::from(input), Some(options)).map_err(|error| failed(&error))?;
        output.into_shape_vec::<f32, N>().map_err(|error| failed(&error))
    }
}
