//! Where the models of a folder compute.

use super::Models;
use crate::encode::device::{Chosen, Compute, Place};
use candle_core::Device;
use carrel_engine::seams::ModelError;
use std::sync::PoisonError;

impl Models {
    /// Where embedders and rerankers are to compute from now on; those that are loaded are loaded again when they are asked for.
    pub fn set_place(&self, place: Place) {
        if std::mem::replace(&mut self.settings().place, place) == place {
            return;
        }
        *self.device.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.embedders.clear();
        self.rerankers.clear();
    }

    /// Where they compute.
    pub fn compute(&self) -> Compute {
        self.device().compute
    }

    fn device(&self) -> Chosen {
        let place = self.settings().place;
        let mut device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        device.get_or_insert_with(|| Chosen::of(place)).clone()
    }

    /// Loads a model on the device, or on the processor where the device fails, and then stays there.
    pub(super) fn on_device<T>(
        &self,
        load: impl Fn(&Device) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        let chosen = self.device();
        match load(&chosen.device) {
            Err(ModelError::Failed(detail)) if !chosen.device.is_cpu() => {
                let loaded = load(&Device::Cpu)?;
                let note = format!("{} failed ({detail}): models run on the processor", chosen.compute.used);
                *self.device.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Chosen::processor(Some(note)));
                Ok(loaded)
            }
            loaded => loaded,
        }
    }
}
