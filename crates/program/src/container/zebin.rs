//! Reads a zebin: an ELF file with a section `.text.NAME` for each kernel and a YAML section
//! `.ze_info`. Also reads the older OpenCL device binary, an ELF file with a section that contains
//! a zebin or patch tokens.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::device::from_notes;
use super::elf::{self, Elf, Section};
use super::part::Part;
use super::ze_info::{self, Entry};
use super::{Container, Kernel, patch_tokens};
use crate::ContainerError;

/// `e_machine` of Intel's GPUs.
pub(super) const MACHINE: u16 = 205;

/// `sh_type` of the section of an OpenCL device binary that contains a zebin or patch tokens.
const DEVICE_BINARY: u32 = 0xff00_0005;

/// `sh_type` of `.ze_info`.
pub(super) const ZE_INFO: u32 = 0xff00_0011;

/// Maximum size of `.ze_info` in bytes; its tree needs many times as much memory.
const ZE_INFO_LIMIT: usize = 4 << 20;

/// Name of the section with notes about the device.
pub(super) const COMPATIBILITY: &str = ".note.intelgt.compat";

/// Prefix of the names of sections with a kernel's code.
pub(super) const TEXT: &str = ".text.";

/// Reads the kernels of a zebin or of an OpenCL device binary.
pub(super) fn read(part: Part<'_>) -> Result<Vec<Kernel<'_>>, ContainerError> {
    let elf = elf::read(part)?;
    match elf.sections.iter().find(|section| section.kind == DEVICE_BINARY) {
        None => kernels(part, &elf),
        Some(section) => match Container::detect(section.data.bytes) {
            Container::PatchTokens => patch_tokens::read(section.data),
            Container::Elf => kernels(section.data, &elf::read(section.data)?),
            _ => {
                let bytes = section.data.bytes;
                let found = format!("{:02x?}", &bytes[..bytes.len().min(4)]);
                Err(section.data.error("OpenCL device binary", 0, "patch tokens or ELF", found))
            }
        },
    }
}

/// Reads the kernels of a zebin.
fn kernels<'a>(part: Part<'a>, elf: &Elf<'a>) -> Result<Vec<Kernel<'a>>, ContainerError> {
    const MACHINE_OFFSET: usize = 18;
    if elf.machine != MACHINE {
        let expected = format!("machine {MACHINE} (Intel GPU)");
        return Err(part.error("ELF", MACHINE_OFFSET, expected, elf.machine.to_string()));
    }
    let is_info = |section: &&Section<'_>| section.kind == ZE_INFO;
    let info = elf
        .sections
        .iter()
        .find(is_info)
        .ok_or_else(|| part.error("zebin", 0, "a section .ze_info", "none"))?;
    let length = info.data.bytes.len();
    if length > ZE_INFO_LIMIT {
        let expected = format!("at most {ZE_INFO_LIMIT} bytes of .ze_info");
        return Err(info.data.error("zebin", 0, expected, length.to_string()));
    }
    let text = std::str::from_utf8(info.data.bytes).map_err(|error| {
        info.data.error("zebin", error.valid_up_to(), ".ze_info of UTF-8", "other bytes")
    })?;
    let described = ze_info::read(text)?;
    // A map, because a hostile file can have very many kernels and sections.
    let mut missing: BTreeMap<&str, &Entry> =
        described.iter().map(|entry| (entry.name.as_str(), entry)).collect();
    let notes = elf.sections.iter().find(|section| section.name == COMPATIBILITY);
    let made = notes.map(|section| from_notes(section.data)).unwrap_or_default();
    let mut kernels = Vec::new();
    for section in &elf.sections {
        let Some(name) = section.name.strip_prefix(TEXT) else { continue };
        let about = missing.remove(name);
        kernels.push(Kernel {
            name: name.to_owned(),
            device: made.device.clone(),
            generation: made.generation,
            offset: section.data.offset,
            code: Cow::Borrowed(section.data.bytes),
            simd_width: about.and_then(|kernel| kernel.simd_width),
            attributes: about.map(|kernel| kernel.attributes.clone()),
            maybe_dwords: false,
        });
    }
    match missing.keys().next() {
        Some(name) => {
            let expected = format!("a section {TEXT}{name} for a kernel of .ze_info");
            Err(part.error("zebin", 0, expected, "none"))
        }
        None => Ok(kernels),
    }
}
