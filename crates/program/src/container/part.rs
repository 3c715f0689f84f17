//! [`Part`]: bytes of a file with their offset in it, so that errors in nested containers have
//! offsets in the file.

use crate::ContainerError;

/// Consecutive bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// The bytes.
    pub(super) bytes: &'a [u8],
    /// Their offset in the file.
    pub(super) offset: usize,
}

impl<'a> Part<'a> {
    /// A whole file.
    pub(super) fn whole(bytes: &'a [u8]) -> Part<'a> {
        Part { bytes, offset: 0 }
    }

    /// An error at byte `at` of this part.
    pub(super) fn error(
        &self,
        container: &'static str,
        at: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ContainerError {
        let offset = self.offset.saturating_add(at);
        ContainerError::Malformed {
            container,
            offset,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// The `length` bytes from byte `at` on; `None` if they are not within this part.
    pub(super) fn get(&self, at: u64, length: u64) -> Option<Part<'a>> {
        let start = usize::try_from(at).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        Some(Part { bytes: self.bytes.get(start..end)?, offset: self.offset + start })
    }
}

/// Reads a part from front to back.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    container: &'static str,
    part: Part<'a>,
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `part`. `container` is the kind of container, for errors.
    pub(super) fn new(container: &'static str, part: Part<'a>) -> Reader<'a> {
        Reader { container, part, at: 0 }
    }

    /// Whether all bytes have been read.
    pub(super) fn at_end(&self) -> bool {
        self.at == self.part.bytes.len()
    }

    /// An error at the value read last, which has `back` bytes.
    pub(super) fn error(
        &self,
        back: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ContainerError {
        self.part.error(self.container, self.at.saturating_sub(back), expected, found)
    }

    /// Reads the next `length` bytes. `what` names them in errors.
    pub(super) fn take(&mut self, length: u32, what: &str) -> Result<Part<'a>, ContainerError> {
        let part = self.part.get(self.at as u64, length.into()).ok_or_else(|| {
            let left = self.part.bytes.len() - self.at;
            self.error(0, format!("{length} bytes of {what}"), format!("{left} bytes"))
        })?;
        self.at += part.bytes.len();
        Ok(part)
    }

    /// Reads the next little-endian dword. `what` names it in errors.
    pub(super) fn dword(&mut self, what: &str) -> Result<u32, ContainerError> {
        let part = self.take(4, what)?;
        Ok(part.bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }
}
