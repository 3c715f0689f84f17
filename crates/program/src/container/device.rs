//! The numbers of products and device families in Intel's binaries, as `ocloc` writes them.

use crestline_device::{Gen, Platform};

use super::part::Part;

/// The device that a binary was compiled for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// Its name, or its number if it is not a platform of this project. Empty if the binary does
    /// not contain it.
    pub(super) device: String,
    /// Its generation; `None` if unknown.
    pub(super) generation: Option<Gen>,
}

/// The numbers of products. If a platform has several numbers, [`product`] returns the first.
const PRODUCTS: [(u32, Platform); 17] = [
    (0x10, Platform::Bdw),
    (0x11, Platform::Chv),
    (0x12, Platform::Skl),
    (0x13, Platform::Kbl),
    (0x14, Platform::Cfl),
    (0x16, Platform::Bxt),
    (0x17, Platform::Glk),
    (0x1a, Platform::Icl),
    // Lakefield has the EUs of Ice Lake.
    (0x1b, Platform::Icl),
    (0x1c, Platform::Ehl),
    (0x1d, Platform::Tgl),
    (0x1e, Platform::Rkl),
    (0x1f, Platform::Adl),
    (0x20, Platform::Adl),
    (0x21, Platform::Adl),
    (0x4ba, Platform::Dg1),
    (0x4f6, Platform::Dg2),
];

/// The product number of a platform; `None` before Broadwell.
pub(super) fn product(platform: Platform) -> Option<u32> {
    PRODUCTS.iter().find(|(_, of)| *of == platform).map(|(number, _)| *number)
}

/// The device of a product number. Zero means that there is no number.
fn from_product(number: u32) -> Made {
    match PRODUCTS.iter().find(|(product, _)| *product == number) {
        _ if number == 0 => Made::default(),
        Some((_, platform)) => {
            Made { device: platform.to_string(), generation: Some(platform.generation()) }
        }
        // Xe-HP is not a platform of this project.
        None if number == 0x4e2 => from_family(0xc05),
        None => Made { device: format!("product {number:#x}"), generation: None },
    }
}

/// The device of a family number. Zero means that there is no number.
pub(super) fn from_family(number: u32) -> Made {
    let generation = match number {
        0 => return Made::default(),
        11 => Gen::Gen8,
        12 => Gen::Gen9,
        15 => Gen::Gen11,
        18 => Gen::Gen12,
        0xc05 | 0xc07 => Gen::Gen125,
        _ => return Made { device: format!("family {number:#x}"), generation: None },
    };
    Made { device: generation.to_string(), generation: Some(generation) }
}

/// The device of a version such as `9.0.9`, from the name of an archive member.
pub(super) fn from_version(version: &str) -> Made {
    let mut parts = version.split('.').map(str::parse);
    let generation = match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Gen::from_ip_version(major, minor),
        _ => None,
    };
    Made { device: version.to_owned(), generation }
}

/// The owner of Intel's notes.
pub(super) const OWNER: [u8; 8] = *b"IntelGT\0";

/// The kind of the note with the product.
pub(super) const PRODUCT: u32 = 1;

/// The kind of the note with the family.
pub(super) const FAMILY: u32 = 2;

/// The device in the notes of a zebin. A note consists of the length of its owner, the length of
/// its contents, and its kind, which are little-endian dwords; then owner and contents, each padded
/// to dwords. Prefers a product to a family. Damaged notes are ignored.
pub(super) fn from_notes(notes: Part<'_>) -> Made {
    let dword = |at: usize| {
        let bytes = notes.bytes.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let padded = |length: u32| usize::try_from(length).ok()?.checked_next_multiple_of(4);
    let mut family = Made::default();
    let mut at = 0usize;
    let mut next = || -> Option<(u32, Option<u32>)> {
        let (owner, contents, kind) = (dword(at)?, dword(at + 4)?, dword(at + 8)?);
        let start = (at + 12).checked_add(padded(owner)?)?;
        let ours = notes.bytes.get(at + 12..)?.starts_with(&OWNER) && owner as usize == OWNER.len();
        at = start.checked_add(padded(contents)?)?;
        Some((kind, if ours && contents == 4 { dword(start) } else { None }))
    };
    while let Some((kind, value)) = next() {
        match (kind, value) {
            (PRODUCT, Some(number)) if number != 0 => return from_product(number),
            (FAMILY, Some(number)) => family = from_family(number),
            _ => {}
        }
    }
    family
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(notes: &[(u32, u32)]) -> Made {
        let mut bytes = Vec::new();
        for (kind, value) in notes {
            [8, 4, *kind].iter().for_each(|word: &u32| bytes.extend(word.to_le_bytes()));
            bytes.extend(OWNER);
            bytes.extend(value.to_le_bytes());
        }
        from_notes(Part::whole(&bytes))
    }

    #[test]
    fn notes_name_product_or_family() {
        let named = |made: Made| (made.device, made.generation);
        assert_eq!(named(notes(&[(1, 0x1a), (2, 0)])), ("icl".into(), Some(Gen::Gen11)));
        assert_eq!(named(notes(&[(1, 0), (2, 18)])), ("gen12".into(), Some(Gen::Gen12)));
        assert_eq!(named(notes(&[(1, 0x4f7)])), ("product 0x4f7".into(), None));
        assert_eq!(named(notes(&[(2, 0xc08)])), ("family 0xc08".into(), None));
        assert_eq!(notes(&[]), Made::default());
        for platform in Platform::ALL {
            let Some(number) = product(platform) else { continue };
            assert_eq!(from_product(number).device, platform.name());
        }
    }

    #[test]
    fn damaged_notes_say_nothing() {
        for length in 0..64 {
            assert_eq!(from_notes(Part::whole(&vec![0xff; length])), Made::default());
        }
    }
}
