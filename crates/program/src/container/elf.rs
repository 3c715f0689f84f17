//! Reads the sections of an ELF file, with names, kinds and bytes. The `object` crate parses the
//! file; this module adds byte offsets to errors, and refuses sections that overlap.

use object::Endianness;
use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader};

use super::part::Part;
use crate::ContainerError;

/// The first bytes of an ELF file.
pub(super) const MAGIC: [u8; 4] = *b"\x7fELF";

/// Offset of the header's byte that is 1 in 32-bit files and 2 in 64-bit files.
const CLASS: usize = 4;

/// An ELF file.
#[derive(Debug)]
pub(super) struct Elf<'a> {
    /// `e_machine`.
    pub(super) machine: u16,
    /// The sections that have bytes in the file, in the order of the section table.
    pub(super) sections: Vec<Section<'a>>,
}

/// A section.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    /// `sh_type`.
    pub(super) kind: u32,
    pub(super) data: Part<'a>,
}

/// Reads header and section table.
pub(super) fn read(part: Part<'_>) -> Result<Elf<'_>, ContainerError> {
    match part.bytes.get(CLASS) {
        Some(1) => sections::<FileHeader32<Endianness>>(part),
        Some(2) => sections::<FileHeader64<Endianness>>(part),
        other => Err(part.error("ELF", CLASS, "class 1 or 2", format!("{other:?}"))),
    }
}

/// [`read`] for the header type of 32-bit or 64-bit files.
fn sections<H: FileHeader<Endian = Endianness>>(part: Part<'_>) -> Result<Elf<'_>, ContainerError> {
    let wrap = |at: usize, expected: &'static str| {
        move |error: object::Error| part.error("ELF", at, expected, error.to_string())
    };
    let header = H::parse(part.bytes).map_err(wrap(0, "a header"))?;
    let endian = header.endian().map_err(wrap(5, "a byte order"))?;
    // Offsets of the header fields for the section table's offset and for the index of the section
    // with the names.
    let (table_field, names_field) = if header.is_class_64() { (40, 62) } else { (32, 50) };
    let headers = header
        .section_headers(endian, part.bytes)
        .map_err(wrap(table_field, "the place of a section table"))?;
    let names = header
        .section_strings(endian, part.bytes, headers)
        .map_err(wrap(names_field, "the number of the section with the names"))?;
    let table = usize::try_from(header.e_shoff(endian).into()).unwrap_or(usize::MAX);
    let mut sections = Vec::new();
    for (index, section) in headers.iter().enumerate() {
        let place = table.saturating_add(index * size_of::<H::SectionHeader>());
        let Some((at, length)) = section.file_range(endian) else { continue };
        if length == 0 {
            continue;
        }
        let name = section.name(endian, names).map_err(wrap(place, "a section with a name"))?;
        let name = std::str::from_utf8(name).map_err(|_| {
            part.error("ELF", place, "a section name of UTF-8", format!("{name:?}"))
        })?;
        let data = part.get(at, length).ok_or_else(|| {
            let expected = format!("section {name:?} within {} bytes", part.bytes.len());
            let found = format!("{length:#x} bytes at {at:#x}");
            part.error("ELF", place, expected, found)
        })?;
        sections.push(Section { name, kind: section.sh_type(endian).0, data });
    }
    disjoint(part, &sections)?;
    Ok(Elf { machine: header.e_machine(endian).0, sections })
}

/// Fails if sections share bytes. Without overlaps, the total size of all sections is at most the
/// size of the file.
fn disjoint(part: Part<'_>, sections: &[Section<'_>]) -> Result<(), ContainerError> {
    let mut order: Vec<&Section<'_>> = sections.iter().collect();
    order.sort_by_key(|section| section.data.offset);
    for pair in order.windows(2) {
        let [first, second] = pair else { continue };
        let end = first.data.offset + first.data.bytes.len();
        if second.data.offset < end {
            let at = second.data.offset - part.offset;
            let expected = format!("section {:?} after {end:#x}", second.name);
            let found = format!("an overlap with section {:?}", first.name);
            return Err(part.error("ELF", at, expected, found));
        }
    }
    Ok(())
}
