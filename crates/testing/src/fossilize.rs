//! A writer of Fossilize databases, for tests of the reader.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The tags of entries.
pub mod tag {
    /// A shader module.
    pub const MODULE: u64 = 4;
    /// A graphics pipeline.
    pub const GRAPHICS: u64 = 6;
    /// A compute pipeline.
    pub const COMPUTE: u64 = 7;
}

/// How a payload is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    Stored,
    /// Deflated.
    Deflated,
    /// As it is, without a checksum.
    Unchecked,
}

/// A database that grows.
#[derive(Clone, Debug)]
pub struct Writer {
    bytes: Vec<u8>,
    form: Form,
}

impl Writer {
    /// An empty database.
    pub fn new(form: Form) -> Writer {
        Writer { bytes: b"\x81FOSSILIZEDB\0\0\0\x06".to_vec(), form }
    }

    /// The bytes of the file.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds an entry.
    pub fn entry(&mut self, tag: u64, hash: u64, payload: &[u8]) {
        let (flags, stored) = match self.form {
            Form::Deflated => (2, miniz_oxide::deflate::compress_to_vec_zlib(payload, 6)),
            Form::Stored | Form::Unchecked => (1, payload.to_vec()),
        };
        let checksum = match self.form {
            Form::Unchecked => 0,
            _ => crc32fast::hash(&stored),
        };
        self.bytes.extend(format!("{tag:024x}{hash:016x}").bytes());
        let numbers = [stored.len() as u32, flags, checksum, payload.len() as u32];
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.bytes.extend(stored);
    }

    /// Adds a shader module.
    pub fn module(&mut self, hash: u64, words: &[u32]) {
        let mut varints = Vec::new();
        for &word in words {
            let mut rest = word;
            while rest >= 0x80 {
                varints.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            varints.push(rest as u8);
        }
        let info = json!({ "varintOffset": 0, "varintSize": varints.len(), "codeSize": 4 * words.len(), "flags": 0 });
        let json = json!({ "version": 6, "shaderModules": { format!("{hash:016x}"): info } });
        let mut payload = json.to_string().into_bytes();
        payload.push(0);
        payload.extend(varints);
        self.entry(tag::MODULE, hash, &payload);
    }

    /// Adds a compute pipeline.
    pub fn compute(&mut self, hash: u64, stage: &Value) {
        let info = json!({ "flags": 0, "layout": "0", "stage": stage, "basePipelineHandle": "0", "basePipelineIndex": -1 });
        let json = json!({ "version": 6, "computePipelines": { format!("{hash:016x}"): info } });
        self.entry(tag::COMPUTE, hash, json.to_string().as_bytes());
    }

    /// Adds a graphics pipeline.
    pub fn graphics(&mut self, hash: u64, stages: &[Value]) {
        let info =
            json!({ "flags": 0, "layout": "0", "renderPass": "0", "subpass": 0, "stages": stages });
        let json = json!({ "version": 6, "graphicsPipelines": { format!("{hash:016x}"): info } });
        self.entry(tag::GRAPHICS, hash, json.to_string().as_bytes());
    }
}

/// A stage: the bit of `VkShaderStageFlagBits`, the entry point, the module, and 32-bit specialization constants.
pub fn stage(bit: u32, entry: &str, module: u64, constants: &[(u32, u32)]) -> Value {
    let mut stage =
        json!({ "flags": 0, "name": entry, "module": format!("{module:016x}"), "stage": bit });
    if !constants.is_empty() {
        let data: Vec<u8> = constants.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        let entries: Vec<Value> = constants
            .iter()
            .enumerate()
            .map(|(at, (id, _))| json!({ "constantID": id, "offset": 4 * at, "size": 4 }))
            .collect();
        stage["specializationInfo"] = json!({
            "dataSize": data.len(), "data": STANDARD.encode(&data), "mapEntries": entries,
        });
    }
    stage
}
