//! Parsers of files that contain machine code: raw code, hexadecimal text, and the binaries of
//! Intel's OpenCL and Level Zero compilers.
//!
//! * [`elf`] reads the sections of ELF files, [`zebin`] and [`ze_info`] the content of Intel's
//!   sections,
//! * [`patch_tokens`] reads the older format,
//! * [`dump`] reads the output of `xxd`, `hexdump` and `od`,
//! * [`archive`] reads files with one binary for each of several devices,
//! * [`device`] translates the numbers of devices in binaries,
//! * [`write_zebin()`] writes a zebin.
//!
//! Files are untrusted: every offset and count is checked against the file before it is used.
//! Binary code is borrowed, not copied. Errors contain the byte offset, or line and column.

mod archive;
mod device;
mod dump;
mod elf;
mod part;
mod patch_tokens;
mod text;
mod write_zebin;
mod yaml;
mod ze_info;
mod zebin;

use std::borrow::Cow;

use crestline_device::Gen;

use crate::{CODE_LIMIT, ContainerError};
use part::Part;

pub(crate) use text::parse_hex;
pub use text::write_hex;
pub use write_zebin::{ZebinKernel, write_zebin};
pub use yaml::{Node, Value};

/// A container for machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// Only code, without a container.
    Raw,
    /// Text: one instruction per line, bytes in memory order, 32 hex digits or 16 for a compacted
    /// instruction. Also the output of `xxd`, `hexdump` and `od`, and numbers with `0x`.
    Hex,
    /// Text like [`Hex`](Container::Hex) in which each group of eight digits is a little-endian
    /// dword. [`Container::detect`] never returns it.
    Dwords,
    /// An ELF file: Intel's zebin, or an OpenCL device binary with a zebin or patch tokens in
    /// one of its sections.
    Elf,
    /// Intel's binaries before zebin: kernels, each followed by a list of tokens.
    PatchTokens,
    /// A "fat binary": an `ar` archive with a binary for each of several devices.
    Archive,
}

/// One kernel of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel<'a> {
    /// Name; empty in containers without names.
    pub name: String,
    /// The device that it was compiled for, as the container names it: a version in archives
    /// (`9.0.9`), a platform in a zebin, a generation with patch tokens. A number if the device is
    /// not one of this project's. Empty if the container does not name a device.
    pub device: String,
    /// The generation of that device; `None` if unknown.
    pub generation: Option<Gen>,
    /// Byte offset of the code in the file.
    pub offset: usize,
    /// The code, with the padding behind it. The bytes are in the order of memory.
    pub code: Cow<'a, [u8]>,
    /// Number of channels of a thread; `None` if the container does not contain it.
    pub simd_width: Option<u32>,
    /// The kernel's node in the `.ze_info` of a zebin.
    pub attributes: Option<Node>,
    /// Whether the container is text that consists only of groups of eight hex digits. These were
    /// read as bytes in memory order, but may be dwords.
    pub maybe_dwords: bool,
}

impl Kernel<'_> {
    /// The code without the zero bytes that follow the last instruction.
    pub fn instructions(&self) -> &[u8] {
        without_padding(&self.code)
    }
}

impl Container {
    /// Guesses the container of a file. Files with a magic number are recognised by it. Text of hex
    /// digits and white space, or in the format of a known dump, is [`Hex`](Container::Hex).
    /// Everything else is [`Raw`](Container::Raw).
    pub fn detect(bytes: &[u8]) -> Container {
        let magic = [
            (&elf::MAGIC[..], Container::Elf),
            (&patch_tokens::MAGIC[..], Container::PatchTokens),
            (&archive::MAGIC[..], Container::Archive),
        ];
        if let Some((_, container)) = magic.iter().find(|(magic, _)| bytes.starts_with(magic)) {
            return *container;
        }
        let text = bytes.iter().all(|b| b.is_ascii_hexdigit() || b.is_ascii_whitespace());
        if (text && !bytes.is_empty()) || dump::is_dump(bytes) {
            Container::Hex
        } else {
            Container::Raw
        }
    }
}

/// Reads every kernel of a container, in the order of the file. Raw code and text contain one
/// kernel without a name. Does not check that the code consists of whole instructions.
///
/// # Errors
/// [`ContainerError`] if the container is damaged or not of this kind, or if a kernel has no code
/// or more than [`CODE_LIMIT`] bytes of it.
pub fn read_kernels(bytes: &[u8], container: Container) -> Result<Vec<Kernel<'_>>, ContainerError> {
    let kernels = match container {
        Container::Raw => vec![nameless(Cow::Borrowed(bytes))],
        Container::Hex => {
            let text = String::from_utf8_lossy(bytes);
            let code = nameless(Cow::Owned(dump::read(&text, false)?));
            vec![Kernel { maybe_dwords: dump::maybe_dwords(&text), ..code }]
        }
        Container::Dwords => {
            vec![nameless(Cow::Owned(dump::read(&String::from_utf8_lossy(bytes), true)?))]
        }
        Container::Elf => zebin::read(Part::whole(bytes))?,
        Container::PatchTokens => patch_tokens::read(Part::whole(bytes))?,
        Container::Archive => archive::read(Part::whole(bytes))?,
    };
    for Kernel { code, .. } in &kernels {
        if code.is_empty() || code.len() > CODE_LIMIT {
            return Err(ContainerError::Length { length: code.len() });
        }
    }
    Ok(kernels)
}

/// A kernel that consists of code only.
fn nameless(code: Cow<'_, [u8]>) -> Kernel<'_> {
    Kernel {
        name: String::new(),
        device: String::new(),
        generation: None,
        offset: 0,
        code,
        simd_width: None,
        attributes: None,
        maybe_dwords: false,
    }
}

/// Removes the zero bytes behind the last instruction. Finds instructions by their size bit: all
/// generations with containers have compacted instructions.
fn without_padding(code: &[u8]) -> &[u8] {
    let (mut at, mut end) = (0, 0);
    while at < code.len() {
        let size = text::instruction_size(&code[at..]);
        if code[at..at + size].iter().any(|byte| *byte != 0) {
            end = at + size;
        }
        at += size;
    }
    &code[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_is_detected_by_what_is_not_hex() {
        assert_eq!(Container::detect(&[0, 1, 2]), Container::Raw);
        assert_eq!(Container::detect(b"\x7fELF"), Container::Elf);
        assert_eq!(Container::detect(b"CTNI"), Container::PatchTokens);
        assert_eq!(Container::detect(b"!<arch>\n"), Container::Archive);
        assert_eq!(read_kernels(b"", Container::Raw), Err(ContainerError::Length { length: 0 }));
    }

    #[test]
    fn padding_is_whole_instructions_of_zeros() {
        // The upper half of the first instruction is zero, but is not padding.
        let mut code = vec![0; 48];
        code[0] = 0x7e;
        assert_eq!(without_padding(&code).len(), 16);
        code[19] = 0x20;
        assert_eq!(without_padding(&code).len(), 24);
        assert_eq!(without_padding(&[0; 24]).len(), 0);
    }
}
