//! Fat binaries: `ar` archives, which `ocloc` writes for several devices. The names of members are
//! `BITS.MAJOR.MINOR.REVISION`: the pointer size, and the version of the device. Members `pad_N`
//! align the next member. Other members (SPIR-V, options) contain no machine code.

use object::read::archive::ArchiveFile;

use super::device::{Made, from_version};
use super::part::Part;
use super::{Container, Kernel, patch_tokens, zebin};
use crate::ContainerError;

/// The first bytes of an archive.
pub(super) const MAGIC: [u8; 8] = *b"!<arch>\n";

/// Reads the kernels of all devices.
pub(super) fn read(part: Part<'_>) -> Result<Vec<Kernel<'_>>, ContainerError> {
    let wrap = |at: usize| {
        move |error: object::Error| part.error("archive", at, "an archive", error.to_string())
    };
    let mut kernels = Vec::new();
    let mut at = MAGIC.len();
    for member in ArchiveFile::parse(part.bytes).map_err(wrap(0))?.members() {
        let member = member.map_err(wrap(at))?;
        let (start, length) = member.file_range();
        let data = part.get(start, length).ok_or_else(|| {
            let found = format!("{length:#x} bytes at {start:#x}");
            part.error("archive", at, "a member within the archive", found)
        })?;
        at = usize::try_from(start.saturating_add(length)).unwrap_or(usize::MAX);
        let found = match Container::detect(data.bytes) {
            Container::Elf => zebin::read(data)?,
            Container::PatchTokens => patch_tokens::read(data)?,
            _ => continue,
        };
        let name = String::from_utf8_lossy(member.name());
        let device = name.split_once('.').map_or(&*name, |(_, device)| device);
        let Made { device, generation } = from_version(device);
        kernels.extend(found.into_iter().map(|kernel| Kernel {
            device: device.clone(),
            generation,
            ..kernel
        }));
    }
    Ok(kernels)
}
