//! Where encoders compute: on the processor, or by candle on a graphics card.
//!
//! CUDA and Metal are features of the build. A device that is asked for and cannot be had is never an error: the processor computes, and
//! why is said.

use candle_core::Device;
use std::str::FromStr;

/// What the user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// A graphics card where this build and this machine have one, else the processor.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// The CUDA card with this number.
    Cuda(usize),
    /// Apple's graphics.
    Metal,
}

impl FromStr for Place {
    type Err = String;

    /// `auto`, `cpu`, `cuda:N` or `metal`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "metal" => Ok(Self::Metal),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|number| number.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| format!("{text} is not a device: use auto, cpu, cuda:0 or metal")),
        }
    }
}

/// Where encoders compute now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compute {
    /// `cpu`, `cuda:N` or `metal`.
    pub used: String,
    /// Why it is not what was asked for.
    pub note: Option<String>,
}

/// A device to load models on.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) device: Device,
    pub(crate) compute: Compute,
}

impl Chosen {
    /// The processor, in place of what could not be had.
    pub(crate) fn processor(note: Option<String>) -> Self {
        Self { device: Device::Cpu, compute: Compute { used: "cpu".into(), note } }
    }

    /// The device for `place`, or the processor.
    pub(crate) fn of(place: Place) -> Self {
        match place {
            Place::Cpu => Self::processor(None),
            Place::Cuda(number) => cuda(number).unwrap_or_else(|why| Self::processor(Some(why))),
            Place::Metal => metal().unwrap_or_else(|why| Self::processor(Some(why))),
            Place::Auto => cuda(0).or_else(|_| metal()).unwrap_or_else(|_| Self::processor(None)),
        }
    }
}

fn cuda(number: usize) -> Result<Chosen, String> {
    if !candle_core::utils::cuda_is_available() {
        return Err("this build of Carrel cannot use CUDA: models run on the processor".into());
    }
    let device = Device::new_cuda(number)
        .map_err(|e| format!("the CUDA device {number} cannot be used ({e}): models run on the processor"))?;
    Ok(Chosen { device, compute: Compute { used: format!("cuda:{number}"), note: None } })
}

fn metal() -> Result<Chosen, String> {
    if !candle_core::utils::metal_is_available() {
        return Err("this build of Carrel cannot use Metal: models run on the processor".into());
    }
    let device = Device::new_metal(0)
        .map_err(|e| format!("Metal cannot be used ({e}): models run on the processor"))?;
    Ok(Chosen { device, compute: Compute { used: "metal".into(), note: None } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_others_refused() {
        assert_eq!("auto".parse(), Ok(Place::Auto));
        assert_eq!("cuda:1".parse(), Ok(Place::Cuda(1)));
        for wrong in ["", "cuda", "cuda:", "cuda:x", "CPU", "gpu"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_had_is_the_processor_and_said() {
        assert_eq!(Chosen::of(Place::Cpu).compute, Compute { used: "cpu".into(), note: None });
        if cfg!(not(any(feature = "cuda", feature = "metal"))) {
            assert_eq!(Chosen::of(Place::Auto).compute.note, None);
            for place in [Place::Cuda(0), Place::Metal] {
                let chosen = Chosen::of(place);
                assert!(chosen.device.is_cpu() && chosen.compute.note.is_some());
            }
        }
    }
}
