//! Reads `.ze_info`, the YAML text that describes the kernels of a zebin. Extracts only names and
//! SIMD widths; the whole entry of a kernel is kept as a YAML tree.

use super::yaml::{self, Node};
use crate::ContainerError;

/// A kernel's entry.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Number of channels of a thread.
    pub(super) simd_width: Option<u32>,
    pub(super) attributes: Node,
}

/// Reads all entries.
pub(super) fn read(text: &str) -> Result<Vec<Entry>, ContainerError> {
    // The section may be padded with zeros.
    let root = yaml::parse(text.trim_end_matches('\0'))?;
    let version = root.get("version").ok_or_else(|| root.error("a map with `version`"))?;
    let major = version.text()?.split('.').next().unwrap_or_default();
    if major != "1" {
        return Err(version.error("version 1"));
    }
    let Some(kernels) = root.get("kernels") else { return Ok(Vec::new()) };
    kernels.list()?.iter().map(entry).collect()
}

/// Reads the entry of a kernel.
fn entry(node: &Node) -> Result<Entry, ContainerError> {
    let name = node.get("name").ok_or_else(|| node.error("a kernel with `name`"))?;
    let simd_width = node.get("execution_env").and_then(|env| env.get("simd_size"));
    Ok(Entry {
        name: name.text()?.to_owned(),
        simd_width: simd_width.map(Node::number).transpose()?,
        attributes: node.clone(),
    })
}
