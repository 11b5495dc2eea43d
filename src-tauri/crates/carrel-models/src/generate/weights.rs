//! Reads the tensors of a GGUF file, each of the shape that the model needs.

use super::gguf::Metadata;
use super::matrix::{Matrix, said};
use candle_core::Device;
use candle_core::quantized::QTensor;
use candle_core::quantized::gguf_file::Content;
use carrel_engine::seams::ModelError;
use std::fs::File;
use std::io::{BufReader, Seek};

/// The tensors of one file.
pub(super) struct Weights<'a> {
    pub(super) content: &'a Content,
    pub(super) meta: &'a Metadata<'a>,
    pub(super) file: &'a mut BufReader<File>,
}

impl Weights<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.content.tensor_infos.contains_key(name)
    }

    fn tensor(&mut self, name: &str) -> Result<QTensor, ModelError> {
        self.file.rewind().map_err(|e| self.meta.damaged(e.to_string()))?;
        self.content
            .tensor(self.file, name, &Device::Cpu)
            .map_err(|e| self.meta.damaged(format!("{name}: {}", said(&e))))
    }

    /// A matrix of so many outputs and inputs; of any number of outputs where none is told.
    pub(super) fn matrix(
        &mut self,
        name: &str,
        outputs: Option<usize>,
        inputs: usize,
    ) -> Result<Matrix, ModelError> {
        let matrix = Matrix::new(self.tensor(name)?)?;
        if matrix.inputs != inputs || outputs.is_some_and(|outputs| outputs != matrix.outputs) {
            return Err(self.meta.damaged(format!("{name} has the wrong shape")));
        }
        Ok(matrix)
    }

    pub(super) fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f32>, ModelError> {
        let values: Vec<f32> = self
            .tensor(name)?
            .dequantize(&Device::Cpu)
            .and_then(|t| t.flatten_all()?.to_vec1())
            .map_err(|e| self.meta.damaged(format!("{name}: {}", said(&e))))?;
        if values.len() != length {
            return Err(self.meta.damaged(format!("{name} has the wrong length")));
        }
        Ok(values)
    }

    /// The same, where it is there or the model cannot do without.
    pub(super) fn vector_if(
        &mut self,
        needed: bool,
        name: &str,
        length: usize,
    ) -> Result<Option<Vec<f32>>, ModelError> {
        if needed || self.has(name) { self.vector(name, length).map(Some) } else { Ok(None) }
    }
}
