//! The compression of RTF in messages of Outlook (LZFu): a dictionary of 4096 bytes that begins with words of every RTF.

const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const SIZE: usize = 4096;

/// The RTF, at most `limit` bytes of it; `None` where it is no such stream.
pub(in crate::formats) fn unpacked(bytes: &[u8], limit: usize) -> Option<Vec<u8>> {
    let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let (size, kind) = (word(4)? as usize, word(8)?);
    let body = bytes.get(16..)?;
    match kind {
        0x414c_454d => return body.get(..size.min(body.len())).map(<[u8]>::to_vec),
        0x7546_5a4c => {}
        _ => return None,
    }
    let mut window = [b' '; SIZE];
    window.get_mut(..DICTIONARY.len())?.copy_from_slice(DICTIONARY);
    let mut at = DICTIONARY.len();
    let mut out = Vec::new();
    let mut input = body.iter().copied();
    while out.len() < size.min(limit) {
        let Some(control) = input.next() else { break };
        for bit in 0..8 {
            let mut copied = [0; 17];
            let copied = if control >> bit & 1 == 0 {
                let Some(byte) = input.next() else { break };
                copied[0] = byte;
                &copied[..1]
            } else {
                let (Some(high), Some(low)) = (input.next(), input.next()) else { break };
                let reference = u16::from_be_bytes([high, low]);
                let (from, length) = (usize::from(reference >> 4), usize::from(reference & 0xf) + 2);
                if from == at {
                    return Some(out);
                }
                // What is copied may reach into what is being written: it repeats.
                let known = (at + SIZE - from) % SIZE;
                for (i, byte) in copied.iter_mut().take(length).enumerate() {
                    *byte = window.get((from + i % known) % SIZE).copied()?;
                }
                copied.get(..length)?
            };
            for byte in copied {
                out.push(*byte);
                *window.get_mut(at)? = *byte;
                at = (at + 1) % SIZE;
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification() {
        let packed = [
            0x2d, 0, 0, 0, 0x2b, 0, 0, 0, b'L', b'Z', b'F', b'u', 0xf1, 0xc5, 0xc7, 0xa7, 0x03, 0, 0x0a, 0,
            b'r', b'c', b'p', b'g', b'1', b'2', b'5', 0x42, 0x32, 0x0a, 0xf3, 0x20, b'h', b'e', b'l', 0x09,
            0, 0x20, b'b', b'w', 0x05, 0xb0, b'l', b'd', b'}', 0x0a, 0x80, 0x0f, 0xa0,
        ];
        let text = unpacked(&packed, 1000).unwrap();
        assert_eq!(text, b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        assert_eq!(unpacked(b"short", 10), None);
    }
}
