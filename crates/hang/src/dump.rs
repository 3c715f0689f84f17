//! The text of an error state: registers and stored buffers.

use crestline_device::Platform;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};

use crate::DumpError;
use crate::ascii85;

/// Default of the most bytes of all buffers together: 256 MiB.
pub const MAX_BUFFER_BYTES: usize = 256 << 20;

/// The longest line of registers or headings that is read, in bytes. Longer ones are ignored.
const MAX_LINE: usize = 1024;

/// The platforms by the names that i915 prints. Source: `intel_device_info.c` of Linux.
const PLATFORMS: &[(&str, Platform)] = &[
    ("IVYBRIDGE", Platform::Ivb),
    ("VALLEYVIEW", Platform::Byt),
    ("HASWELL", Platform::Hsw),
    ("BROADWELL", Platform::Bdw),
    ("CHERRYVIEW", Platform::Chv),
    ("SKYLAKE", Platform::Skl),
    ("BROXTON", Platform::Bxt),
    ("KABYLAKE", Platform::Kbl),
    ("GEMINILAKE", Platform::Glk),
    ("COFFEELAKE", Platform::Cfl),
    ("COMETLAKE", Platform::Cfl),
    ("ICELAKE", Platform::Icl),
    ("ELKHARTLAKE", Platform::Ehl),
    ("JASPERLAKE", Platform::Ehl),
    ("TIGERLAKE", Platform::Tgl),
    ("ROCKETLAKE", Platform::Rkl),
    ("DG1", Platform::Dg1),
    ("ALDERLAKE_S", Platform::Adl),
    ("ALDERLAKE_P", Platform::Adl),
    ("DG2", Platform::Dg2),
];

/// An error state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dump {
    /// The platform that the driver named, with its line. Old drivers name none.
    pub platform: Option<(Platform, usize)>,
    /// The PCI id of the device.
    pub pci_id: Option<u64>,
    /// The register EIR, which is one for the device.
    pub eir: Option<u64>,
    /// The engines, in the order of the text.
    pub engines: Vec<Engine>,
    /// The stored buffers, in the order of the text.
    pub buffers: Vec<Buffer>,
}

/// The registers of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The driver's name, such as `rcs0` or `render ring`.
    pub name: String,
    /// The registers, in the order of the text.
    pub registers: Vec<Register>,
}

impl Engine {
    /// The value of a register.
    pub fn register(&self, name: &str) -> Option<u64> {
        self.registers.iter().find(|register| register.name == name).map(|found| found.value)
    }
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The driver's name, such as `ACTHD` or `ROW_INSTDONE[0][1]`.
    pub name: String,
    /// The value.
    pub value: u64,
}

/// A stored buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The engine that used it, by name.
    pub engine: String,
    /// The driver's name, such as `batch`, `user` or `ringbuffer`. Old drivers name a batch `gtt_offset`.
    pub name: String,
    /// The address in the GPU's address space.
    pub address: u64,
    /// The contents.
    pub bytes: Vec<u8>,
    /// Whether the contents end before the end of the buffer, because the compressed data end early.
    pub is_truncated: bool,
}

impl Buffer {
    /// Whether it lies in the address space of the program, as batches and the buffers of user space do.
    pub fn is_of_user(&self) -> bool {
        matches!(self.name.as_str(), "gtt_offset" | "batch" | "user" | "bo")
    }

    /// Whether it is the batch that the engine executed.
    pub fn is_batch(&self) -> bool {
        matches!(self.name.as_str(), "gtt_offset" | "batch")
    }
}

impl Dump {
    /// Reads the text. All buffers together may have [`MAX_BUFFER_BYTES`].
    ///
    /// # Errors
    /// If the text is no error state, or a number or a stored buffer is malformed.
    pub fn read(text: &[u8]) -> Result<Dump, DumpError> {
        Dump::read_with_limit(text, MAX_BUFFER_BYTES)
    }

    /// Reads the text; all buffers together may have `limit` bytes.
    ///
    /// # Errors
    /// Those of [`Dump::read`].
    pub fn read_with_limit(text: &[u8], limit: usize) -> Result<Dump, DumpError> {
        let mut reader = Reader { dump: Dump::default(), limit, left: limit, is_open: false };
        for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
            reader.line(number + 1, line.strip_suffix(b"\r").unwrap_or(line))?;
        }
        let dump = reader.dump;
        if !dump.engines.is_empty() || !dump.buffers.is_empty() {
            return Ok(dump);
        }
        let is_empty = text.to_ascii_lowercase().starts_with(b"no error state collected");
        Err(if is_empty { DumpError::Empty } else { DumpError::NotErrorState })
    }
}

struct Reader {
    dump: Dump,
    limit: usize,
    /// Bytes that buffers may still have.
    left: usize,
    /// Whether the last buffer may get contents.
    is_open: bool,
}

impl Reader {
    fn line(&mut self, number: usize, line: &[u8]) -> Result<(), DumpError> {
        match line {
            [b':', data @ ..] if self.is_open => return self.encoded(number, data, true),
            [b'~', data @ ..] if self.is_open => return self.encoded(number, data, false),
            _ => {}
        }
        if line.len() > MAX_LINE {
            return Ok(());
        }
        let line = String::from_utf8_lossy(line);
        if self.is_open && self.word(number, &line)? {
            return Ok(());
        }
        if let Some((engine, rest)) = line.split_once(" --- ") {
            return self.heading(number, engine, rest);
        }
        if let Some(name) = line.strip_suffix(" command stream:") {
            self.is_open = false;
            let engine = Engine { name: name.to_owned(), registers: Vec::new() };
            self.dump.engines.push(engine);
            return Ok(());
        }
        let Some((key, value)) = line.split_once(':') else { return Ok(()) };
        if let Some(key) = key.strip_prefix("  ") {
            return self.register(number, key.trim(), value);
        }
        match key {
            "Platform" => {
                let known = PLATFORMS.iter().find(|(name, _)| *name == value.trim());
                self.dump.platform = known.map(|(_, platform)| (*platform, number));
            }
            "PCI ID" => self.dump.pci_id = Some(hexadecimal(number, key, value)?),
            "EIR" => self.dump.eir = Some(hexadecimal(number, key, value)?),
            _ => {}
        }
        Ok(())
    }

    /// A line in front of a buffer: `rcs0 (submitted by glxgears [123]) --- user = 0x00000000 00010000`.
    fn heading(&mut self, number: usize, engine: &str, rest: &str) -> Result<(), DumpError> {
        self.is_open = false;
        // Lists, such as `--- 3 requests`, have no address.
        let Some((name, address)) = rest.split_once('=') else { return Ok(()) };
        let engine = engine.split(" (submitted by ").next().unwrap_or(engine).trim();
        let name = name.trim();
        self.dump.buffers.push(Buffer {
            engine: engine.to_owned(),
            name: name.to_owned(),
            address: hexadecimal(number, name, address)?,
            bytes: Vec::new(),
            is_truncated: false,
        });
        self.is_open = true;
        Ok(())
    }

    /// A line of an engine: `  ACTHD: 0x00000000 00010040`.
    fn register(&mut self, number: usize, name: &str, value: &str) -> Result<(), DumpError> {
        let Some(engine) = self.dump.engines.last_mut() else { return Ok(()) };
        // Lines of other kinds contain no hexadecimal number.
        if value.trim_start().starts_with("0x") {
            let value = hexadecimal(number, name, value)?;
            engine.registers.push(Register { name: name.to_owned(), value });
        }
        Ok(())
    }

    /// A line of the older form: `00000040 :  7b000005`, offset and dword. Returns whether the line has this form.
    fn word(&mut self, number: usize, line: &str) -> Result<bool, DumpError> {
        let Some((offset, word)) = line.split_once(" : ") else { return Ok(false) };
        let parse = |text: &str| match text.trim() {
            digits if digits.len() == 8 => u32::from_str_radix(digits, 16).ok(),
            _ => None,
        };
        let (Some(offset), Some(word)) = (parse(offset), parse(word)) else { return Ok(false) };
        let Some(buffer) = self.dump.buffers.last_mut() else { return Ok(false) };
        // The driver writes every dword. A gap would give the dwords behind it a wrong address.
        if offset as usize != buffer.bytes.len() {
            return Err(DumpError::Offset { line: number, expected: buffer.bytes.len() });
        }
        let too_large = DumpError::TooLarge { line: number, limit: self.limit };
        self.left = self.left.checked_sub(4).ok_or(too_large)?;
        buffer.bytes.extend(word.to_le_bytes());
        Ok(true)
    }

    /// A line that is a whole buffer in ascii85.
    fn encoded(&mut self, line: usize, data: &[u8], is_compressed: bool) -> Result<(), DumpError> {
        self.is_open = false;
        let Some(buffer) = self.dump.buffers.last_mut() else { return Ok(()) };
        let too_large = DumpError::TooLarge { line, limit: self.limit };
        let data = data.trim_ascii_end();
        // Compressed data are at most as long as the text.
        let most = if is_compressed { usize::MAX } else { self.left };
        let wrong = |(at, expected)| DumpError::Ascii85 { line, column: at + 2, expected };
        let mut bytes = ascii85::decode(data, most).map_err(wrong)?.ok_or(too_large.clone())?;
        if is_compressed {
            bytes = match decompress_to_vec_zlib_with_limit(&bytes, self.left) {
                Ok(bytes) => bytes,
                Err(error) if error.status == TINFLStatus::FailedCannotMakeProgress => {
                    buffer.is_truncated = true;
                    error.output
                }
                Err(error) if error.status == TINFLStatus::HasMoreOutput => return Err(too_large),
                Err(_) => return Err(DumpError::Inflate { line }),
            };
        }
        self.left = self.left.checked_sub(bytes.len()).ok_or(too_large)?;
        buffer.bytes = bytes;
        Ok(())
    }
}

/// A number at the start of a text: `0x00000000`, or the halves of 64 bits as `0x00000001 00000000` or
/// `0x00000001_00000000`.
fn hexadecimal(line: usize, after: &str, text: &str) -> Result<u64, DumpError> {
    let wrong = || DumpError::Number { line, after: after.to_owned() };
    let digits = text.trim_start().strip_prefix("0x").ok_or_else(wrong)?;
    let length = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
    let (high, rest) = digits.split_at(length);
    let value = u64::from_str_radix(high, 16).map_err(|_| wrong())?;
    let low = rest.get(..9).filter(|low| low.starts_with([' ', '_'])).map(|low| &low[1..]);
    let low = low.filter(|low| low.bytes().all(|byte| byte.is_ascii_hexdigit()));
    Ok(match (high.len(), low.and_then(|low| u32::from_str_radix(low, 16).ok())) {
        (8, Some(low)) => value << 32 | u64::from(low),
        _ => value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_or_two_halves() {
        let read = |text| hexadecimal(1, "X", text).ok();
        assert_eq!(read(" 0x0000abcd"), Some(0xabcd));
        assert_eq!(read(" 0x00000001 0000abcd"), Some(0x1_0000_abcd));
        assert_eq!(read(" 0x00000001_0000abcd, 0x2"), Some(0x1_0000_abcd));
        assert_eq!(read(" 0x00000010 [0x00000020]"), Some(0x10));
        assert_eq!(read(" abcd"), None);
        assert_eq!(read(" 0x"), None);
        assert_eq!(read(" 0x00000001 \u{e9}\u{e9}\u{e9}\u{e9}"), Some(1));
    }

    #[test]
    fn buffers_have_a_common_limit() {
        let text = b"rcs0 --- batch = 0x00000000 00001000\n~zzz\nrcs0 --- user = 0x00000000 00002000\n~zz\n";
        let dump = Dump::read_with_limit(text, 20).expect("20 bytes");
        assert_eq!(dump.buffers[1].bytes, [0; 8]);
        let limit = 19;
        assert_eq!(Dump::read_with_limit(text, limit), Err(DumpError::TooLarge { line: 4, limit }));
    }

    #[test]
    fn small_text_cannot_become_large() {
        let bomb = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; 1 << 20], 9);
        let mut text = b"rcs0 --- batch = 0x00000000 00001000\n:".to_vec();
        for word in bomb.chunks(4) {
            let mut bytes = [0; 4];
            bytes[..word.len()].copy_from_slice(word);
            let word = u32::from_le_bytes(bytes);
            text.extend((0..5).rev().map(|n| b'!' + (word / 85_u32.pow(n) % 85) as u8));
        }
        let limit = 1 << 16;
        assert_eq!(
            Dump::read_with_limit(&text, limit),
            Err(DumpError::TooLarge { line: 2, limit })
        );
        let dump = Dump::read(&text).expect("1 MiB is allowed");
        assert_eq!(dump.buffers[0].bytes.len(), 1 << 20);
    }

    #[test]
    fn other_text_is_refused() {
        assert_eq!(Dump::read(b"hello\n"), Err(DumpError::NotErrorState));
        assert_eq!(Dump::read(b"No error state collected\n"), Err(DumpError::Empty));
    }
}
