//! The transcriber against real weights and a recording of known words.

use super::*;
use crate::catalogue::Catalogue;
use crate::testing;
use carrel_engine::seams::Transcript;

fn whisper(id: &str) -> Option<Arc<Whisper>> {
    let model = Catalogue::embedded().get(id).unwrap();
    let folder = testing::snapshot(model)?;
    Some(Arc::new(Whisper::open(model, &folder, 2).unwrap()))
}

#[test]
fn silence_and_a_click_are_no_speech_and_are_not_heard_by_the_model() {
    let Some(whisper) = whisper("whisper-tiny-en") else { return };
    let mut samples = vec![0_i16; 600 * 16_000];
    samples[4_000_000..4_000_200].fill(9_000);
    let mut session = Session::new(whisper);
    session.hear(&samples, &Cancel::new()).unwrap();
    assert_eq!(session.windows, 0);
    assert_eq!(Box::new(session).finish(&Cancel::new()).unwrap(), Transcript::default());
}

#[test]
fn a_cancelled_recording_ends() {
    let Some(whisper) = whisper("whisper-tiny-en") else { return };
    let cancel = Cancel::new();
    cancel.cancel();
    let mut recording = whisper.begin();
    let noise: Vec<i16> = (0..WINDOW as i32).map(|n| (n.wrapping_mul(7_919) % 4_000) as i16).collect();
    assert_eq!(recording.hear(&noise, &cancel).unwrap_err(), ModelError::Cancelled);
}

#[test]
fn weights_that_are_none_are_damaged_and_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let model = Catalogue::embedded().get("whisper-tiny-en").unwrap();
    let mut claims = 6_u32.to_le_bytes().to_vec();
    claims.extend(12_u16.to_le_bytes());
    claims.extend(b"WhisperSpec\0");
    claims.extend([3, 0, 0, 0, 1, 0, 0, 0, 2, 0, b'x', 0, 1, 255, 255, 255, 255, 4, 255, 255, 255, 255]);
    for bytes in [b"GGUF".to_vec(), Vec::new(), claims] {
        std::fs::write(folder.path().join("model.bin"), bytes).unwrap();
        let error = Whisper::open(model, folder.path(), 1).err().unwrap();
        assert!(matches!(error, ModelError::Damaged { .. }), "{error}");
    }
}
