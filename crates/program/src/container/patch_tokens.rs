//! Intel's binary format before zebin: a header, then kernels. Each kernel has heaps, the first of
//! which contains the code, and a list of tokens that say how a driver must patch them.
//!
//! Layout, in little-endian dwords:
//!
//! * header: magic, version, device (the number of its family), pointer size, number of kernels,
//!   stepping, size of the program's tokens in bytes, those tokens;
//! * each kernel: checksum, hash (two dwords), sizes in bytes of name, tokens, kernel heap, general
//!   heap, dynamic heap and surface heap, size of the code without padding; then the name, the
//!   heaps in this order, and the tokens;
//! * each token: its number, its size in bytes including these two dwords, its fields.
//!
//! Confirmed by `ocloc disasm` on binaries of every device.

use std::borrow::Cow;

use super::Kernel;
use super::device::{Made, from_family};
use super::part::{Part, Reader};
use crate::ContainerError;

/// The first bytes of a file.
pub(super) const MAGIC: [u8; 4] = *b"CTNI";

const NAME: &str = "patch tokens";

/// Number of the token that describes how a kernel is started.
const EXECUTION_ENVIRONMENT: u32 = 23;

/// Index of the dword with the SIMD width among the fields of that token: behind the three of the
/// required workgroup size.
const SIMD_WIDTH: usize = 3;

/// Reads all kernels.
pub(super) fn read(part: Part<'_>) -> Result<Vec<Kernel<'_>>, ContainerError> {
    let mut reader = Reader::new(NAME, part);
    let magic = reader.take(4, "magic")?;
    if magic.bytes != MAGIC {
        return Err(reader.error(4, format!("{MAGIC:02x?}"), format!("{:02x?}", magic.bytes)));
    }
    reader.dword("version")?;
    let made = from_family(reader.dword("device")?);
    reader.dword("pointer size")?;
    let count = reader.dword("number of kernels")?;
    reader.dword("stepping")?;
    let size = reader.dword("size of the program's tokens")?;
    let list = reader.take(size, "the program's tokens")?;
    tokens(list, |_, _| {})?;
    // Do not reserve memory for `count` kernels: the number may be wrong.
    let mut kernels = Vec::new();
    for _ in 0..count {
        kernels.push(kernel(&mut reader, &made)?);
    }
    if reader.at_end() {
        return Ok(kernels);
    }
    Err(reader.error(0, format!("the end after {count} kernels"), "more bytes"))
}

/// Reads one kernel.
fn kernel<'a>(reader: &mut Reader<'a>, made: &Made) -> Result<Kernel<'a>, ContainerError> {
    for what in ["checksum", "hash", "hash"] {
        reader.dword(what)?;
    }
    let name_size = reader.dword("size of the name")?;
    let tokens_size = reader.dword("size of the tokens")?;
    let heap = reader.dword("size of the kernel heap")?;
    let other_heaps = [
        reader.dword("size of the general heap")?,
        reader.dword("size of the dynamic heap")?,
        reader.dword("size of the surface heap")?,
    ];
    let unpadded = reader.dword("size of the code")?;
    if unpadded > heap {
        let expected = format!("at most the kernel heap's {heap:#x} bytes of code");
        return Err(reader.error(4, expected, format!("{unpadded:#x}")));
    }
    let name = reader.take(name_size, "the name")?.bytes;
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let name = std::str::from_utf8(&name[..length])
        .map_err(|_| reader.error(name.len(), "a name of UTF-8", format!("{name:?}")))?;
    let code = reader.take(heap, "the kernel heap")?;
    for size in other_heaps {
        reader.take(size, "a heap")?;
    }
    let mut simd_width = None;
    let list = reader.take(tokens_size, "the kernel's tokens")?;
    tokens(list, |token, fields| {
        if token == EXECUTION_ENVIRONMENT {
            simd_width = fields.get(4 * SIMD_WIDTH..).and_then(|rest| rest.first_chunk());
        }
    })?;
    Ok(Kernel {
        name: name.to_owned(),
        device: made.device.clone(),
        generation: made.generation,
        offset: code.offset,
        code: Cow::Borrowed(code.bytes),
        simd_width: simd_width.map(|bytes| u32::from_le_bytes(*bytes)).filter(|width| *width != 0),
        attributes: None,
        maybe_dwords: false,
    })
}

/// Calls `found` with the number and the fields of each token of a list.
fn tokens<'a>(list: Part<'a>, mut found: impl FnMut(u32, &'a [u8])) -> Result<(), ContainerError> {
    const HEAD: u32 = 8;
    // Tokens of the program with data: token number, and offset of the field with the data's
    // length. The data follow the token and are not included in its size.
    const WITH_DATA: [(u32, usize); 2] = [(41, 8), (42, 4)];
    let mut reader = Reader::new(NAME, list);
    while !reader.at_end() {
        let token = reader.dword("a token")?;
        let size = reader.dword("a token's size")?;
        if size < HEAD {
            return Err(reader.error(4, "a token's size of at least 8", size.to_string()));
        }
        let fields = reader.take(size - HEAD, "a token")?.bytes;
        found(token, fields);
        if let Some((_, at)) = WITH_DATA.iter().find(|(with, _)| *with == token) {
            let length = fields.get(*at..).and_then(|rest| rest.first_chunk());
            reader.take(length.map_or(0, |bytes| u32::from_le_bytes(*bytes)), "a token's data")?;
        }
    }
    Ok(())
}
