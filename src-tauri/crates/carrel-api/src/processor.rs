//! Whether this processor can run the program at all.
//!
//! Carrel is built for x86-64-v3. An older processor would end it with "illegal instruction" somewhere inside a model; every
//! program asks here first thing instead and says so.

/// `Err` with a sentence when the processor lacks something that the program was built for.
pub fn check_processor() -> Result<(), String> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "Carrel needs a processor with {} (Intel since 2013, AMD since 2015), which this one lacks. Build it yourself with \
         RUSTFLAGS=\"-C target-cpu=native\" to use it here.",
        missing.join(", ")
    ))
}

/// What x86-64-v3 has and this processor has not.
///
/// Asks the processor itself: `is_x86_feature_detected!` answers "yes" for whatever the program was compiled for.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
fn missing() -> Vec<&'static str> {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    let highest = __cpuid(0).eax;
    let basic = __cpuid(1).ecx;
    let extended = if highest >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
    let amd = if __cpuid(0x8000_0000).eax >= 0x8000_0001 { __cpuid(0x8000_0001).ecx } else { 0 };
    [
        ("FMA", basic >> 12),
        ("MOVBE", basic >> 22),
        ("AVX", basic >> 28),
        ("F16C", basic >> 29),
        ("BMI1", extended >> 3),
        ("AVX2", extended >> 5),
        ("BMI2", extended >> 8),
        ("LZCNT", amd >> 5),
    ]
    .into_iter()
    .filter(|(_, bit)| bit & 1 == 0)
    .map(|(name, _)| name)
    .collect()
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
fn missing() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_processor_that_runs_the_tests_passes() {
        assert_eq!(super::check_processor(), Ok(()));
    }
}
