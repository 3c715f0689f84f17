//! Makes inputs with a little damage. These pass the first checks of a parser more often than random bytes do.

use fastrand::Rng;

/// Flips a random bit `count` times. The same bit may flip twice. `bytes` must not be empty.
pub fn flip_bits(bytes: &mut [u8], count: usize, random: &mut Rng) {
    for _ in 0..count {
        let bit = random.usize(..8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

/// Replaces a random decimal digit `count` times, sometimes by itself. The same digit may change twice. A text without
/// digits stays as it is.
pub fn change_digits(text: &str, count: usize, random: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
    for _ in 0..count {
        if let Some(&at) = random.choice(&digits) {
            bytes[at] = random.u8(b'0'..=b'9');
        }
    }
    String::from_utf8(bytes).expect("ASCII digits took the place of ASCII digits")
}

/// Repeats, removes, copies or replaces pieces of a source text, up to four times. The text must not be empty. The
/// result is often far longer.
pub fn scramble(text: &str, random: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.usize(1..=4) {
        let at = random.usize(..bytes.len());
        let end = (at + random.usize(1..=40)).min(bytes.len());
        match random.usize(..6) {
            0 => bytes[at] = one_of(b"()[]{}<>+-*/;,=#\\\n \"ad0", random),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].repeat(random.usize(1..=2000));
                bytes.splice(at..at, piece);
            }
            3 => {
                let to = random.usize(..bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(to..to, piece);
            }
            4 => bytes.truncate(at),
            _ => {
                let openings = ["const a = array(", "#define M ", "struct S {", "/*", "fn f("];
                bytes.splice(at..at, one_of(&openings, random).bytes());
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Damages a SPIR-V module at one place: it flips a bit, changes, inserts or removes a word, or removes the rest of the
/// module. The header does not change, and a module that consists of a header only stays as it is.
pub fn spirv(words: &mut Vec<u32>, random: &mut Rng) {
    const HEADER: usize = 5;
    if words.len() <= HEADER {
        return;
    }
    let at = random.usize(HEADER..words.len());
    let bound = words[3];
    match random.u8(..16) {
        0..4 => words[at] ^= 1 << random.u32(..32),
        // A nearby number is often another id.
        4..7 => words[at] = words[at].wrapping_add(random.u32(..9)).wrapping_sub(4),
        7 | 8 => words[at] = words[random.usize(HEADER..words.len())],
        9 => words[at] = random.u32(..bound.max(1)),
        // Just inside and outside of the bound of ids.
        10 => words[at] = bound.wrapping_sub(1).wrapping_add(random.u32(..3)),
        11 => {
            words[at] = one_of(&[0, 1, 2, 3, 7, 31, 32, u32::MAX, 1 << 31, i32::MAX as u32], random)
        }
        12 => words[at] = random.u32(..),
        13 => drop(words.remove(at)),
        14 => words.insert(at, words[random.usize(HEADER..words.len())]),
        _ => words.truncate(at),
    }
}

/// One of `items`, which must not be empty.
pub fn one_of<T: Copy>(items: &[T], random: &mut Rng) -> T {
    items[random.usize(..items.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_changes_no_more_than_it_says() {
        let mut random = Rng::with_seed(1);
        let (mut bits, mut digits) = (Vec::new(), Vec::new());
        for _ in 0..1000 {
            let mut bytes = [0; 32];
            flip_bits(&mut bytes, 6, &mut random);
            bits.push(bytes.iter().map(|byte| byte.count_ones()).sum::<u32>());
            let text = change_digits("a 1111111111 b", 3, &mut random);
            assert!(text.starts_with("a ") && text.ends_with(" b"), "{text}");
            digits.push(text.bytes().filter(|byte| (b'2'..=b'9').contains(byte)).count());
        }
        assert_eq!(bits.iter().max(), Some(&6));
        assert_eq!(digits.iter().max(), Some(&3));
        assert_eq!(change_digits("none", 3, &mut random), "none");
    }

    #[test]
    fn scrambled_texts_differ_and_follow_from_the_seed() {
        let text = "fn main() { d[0] = d[1] + d[1]; }";
        let all = |seed| {
            let mut random = Rng::with_seed(seed);
            (0..200).map(|_| scramble(text, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(all(3), all(3));
        let changed = all(3).iter().filter(|new| *new != text).count();
        assert!(changed > 190, "{changed}");
        assert!(all(3).iter().any(|new| new.len() > 100 * text.len()), "no text grew");
    }
}
