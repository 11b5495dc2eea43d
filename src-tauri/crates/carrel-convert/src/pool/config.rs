//! Where the worker program, the PDFium library and the model that reads images lie.

use std::path::{Path, PathBuf};

/// How a pool is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerConfig {
    /// The program `carrel-worker`.
    pub program: PathBuf,
    /// The PDFium library; without it PDF files are read by a simpler reader.
    pub pdfium: Option<PathBuf>,
    /// The folder of the model that reads images. It is looked for at each conversion: the model may come later.
    pub ocr: Option<PathBuf>,
    /// Most processes at once; at least one.
    pub workers: usize,
}

impl WorkerConfig {
    /// Finds the worker (`CARREL_WORKER`, next to the current program, or one folder up, where the programs lie beside
    /// which test programs are built), PDFium (see [`WorkerConfig::locate_pdfium`]), and the place of the model that reads images in
    /// the folder of models. Two workers.
    pub fn locate(models: Option<&Path>) -> Self {
        let file = format!("carrel-worker{}", std::env::consts::EXE_SUFFIX);
        let program = named("CARREL_WORKER")
            .or_else(|| beside().map(|folder| folder.join(&file)).find(|path| path.is_file()))
            .unwrap_or_else(|| PathBuf::from(file));
        let ocr = models.map(|folder| folder.join(crate::ocr::FOLDER));
        Self { program, pdfium: Self::locate_pdfium(models), ocr, workers: 2 }
    }

    /// Finds PDFium: `CARREL_PDFIUM`, then `pdfium/` in the folder of models, then next to the current program.
    pub fn locate_pdfium(models: Option<&Path>) -> Option<PathBuf> {
        let file = format!("{}pdfium{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        named("CARREL_PDFIUM").filter(|path| path.is_file()).or_else(|| {
            let in_models = models.map(|folder| folder.join("pdfium").join(&file));
            in_models.into_iter().chain(beside().map(|folder| folder.join(&file))).find(|path| path.is_file())
        })
    }
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folder of the current program, and the one above it.
fn beside() -> impl Iterator<Item = PathBuf> {
    let folder = std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf));
    let above = folder.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    folder.into_iter().chain(above)
}
