//! A second copy of the driver for shaders with doubles.
//!
//! llvmpipe 22.3 has vectors of as many elements as 32-bit floats fit in its vector registers. It rounds vectors of doubles (`round`,
//! `trunc`, `floor`) with one instruction if the processor has one for their length, and otherwise with a formula for 32-bit
//! floats, which returns doubles above 2^24 as they are. On processors with AVX2 but without AVX-512, eight doubles
//! have no such instruction, but four have. The length is fixed for the whole process, and subgroups
//! depend on it. So shaders with doubles and without subgroup operations run in a copy of the driver's library, which the
//! dynamic linker loads beside the first one, with vectors of 128 bits.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{JobError, Lavapipe};

/// Where Debian's packages say which library the driver is.
const MANIFESTS: &str = "/usr/share/vulkan/icd.d";

const HEADER_WORDS: usize = 5;
const OP_CAPABILITY: u32 = 17;
const FLOAT64: u32 = 10;
/// `GroupNonUniform` to `GroupNonUniformQuad`.
const SUBGROUPS: std::ops::RangeInclusive<u32> = 61..=68;

impl Lavapipe {
    /// The copy of the driver that must run shaders: this one or the second.
    ///
    /// # Errors
    ///
    /// [`JobError::Interface`] if the second copy cannot be opened.
    pub(super) fn copy_for<'a>(
        &self,
        shaders: impl IntoIterator<Item = &'a [u32]>,
    ) -> Result<&Lavapipe, JobError> {
        let mut shaders = shaders.into_iter();
        if shaders.any(needs_copy) { second() } else { Ok(self) }
    }
}

/// Whether a shader must run in the second copy of the driver.
fn needs_copy(spirv: &[u32]) -> bool {
    let mut rest = spirv.get(HEADER_WORDS..).unwrap_or_default();
    let (mut doubles, mut subgroups) = (false, false);
    while let [word, capability, ..] = rest
        && word & 0xffff == OP_CAPABILITY
    {
        doubles |= *capability == FLOAT64;
        subgroups |= SUBGROUPS.contains(capability);
        rest = rest.get((word >> 16).max(1) as usize..).unwrap_or_default();
    }
    doubles && !subgroups && !rounds_doubles()
}

/// Whether the processor has an instruction that rounds as many doubles as the driver has in a vector.
#[cfg(target_arch = "x86_64")]
fn rounds_doubles() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
}

#[cfg(not(target_arch = "x86_64"))]
const fn rounds_doubles() -> bool {
    true
}

/// The second copy, opened once per process.
///
/// # Errors
///
/// [`JobError::Interface`] if the driver's library cannot be copied or opened.
fn second() -> Result<&'static Lavapipe, JobError> {
    static DEVICE: Mutex<Option<&'static Lavapipe>> = Mutex::new(None);
    let mut device = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = *device {
        return Ok(device);
    }
    let failed = |reason: String| JobError::Interface(format!("a driver for doubles: {reason}"));
    let opened = open().map_err(failed)?;
    Ok(*device.insert(Box::leak(Box::new(opened))))
}

/// Copies the driver's library to a temporary folder, and opens it.
fn open() -> Result<Lavapipe, String> {
    let library = library()?;
    let folder = std::env::temp_dir().join(format!("crestline-lavapipe-{}", std::process::id()));
    let opened = open_in(&folder, &library);
    // The linker has the library in memory.
    _ = std::fs::remove_dir_all(&folder);
    opened
}

fn open_in(folder: &Path, library: &Path) -> Result<Lavapipe, String> {
    let named = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| named(folder, error))?;
    let copy = folder.join("libvulkan_lvp_doubles.so");
    std::fs::copy(library, &copy).map_err(|error| named(library, error))?;
    let manifest = folder.join("doubles.json");
    let text = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "api_version": "1.1.230", "library_path": copy },
    });
    std::fs::write(&manifest, text.to_string()).map_err(|error| named(&manifest, error))?;
    // Programs of both lengths would be mixed up in the driver's cache on the disk.
    let variables = [
        ("VK_ICD_FILENAMES", manifest.as_os_str()),
        ("LP_NATIVE_VECTOR_WIDTH", "128".as_ref()),
        ("MESA_SHADER_CACHE_DISABLE", "true".as_ref()),
    ];
    let before = variables.map(|(name, _)| (name, std::env::var_os(name)));
    for (name, value) in variables {
        // SAFETY: Rust's standard library synchronises its own accesses. The first copy of the driver reads its environment when it is
        // opened, and it is open.
        unsafe { std::env::set_var(name, value) };
    }
    let opened = Lavapipe::create();
    for (name, value) in before {
        match value {
            // SAFETY: as above; the second copy is open too.
            Some(value) => unsafe { std::env::set_var(name, value) },
            // SAFETY: as above.
            None => unsafe { std::env::remove_var(name) },
        }
    }
    opened
}

/// The path of the driver's library.
fn library() -> Result<PathBuf, String> {
    let folder = std::fs::read_dir(MANIFESTS).map_err(|error| format!("{MANIFESTS}: {error}"))?;
    let is_lavapipe = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp"))
    };
    let paths = folder.filter_map(|entry| Some(entry.ok()?.path())).filter(is_lavapipe);
    let read = |path: PathBuf| -> Option<PathBuf> {
        let manifest: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
        Some(PathBuf::from(manifest["ICD"]["library_path"].as_str()?))
    };
    let found = paths.filter_map(read).find(|path| path.is_absolute());
    found.ok_or_else(|| format!("{MANIFESTS} has no manifest of lavapipe with an absolute path"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(capabilities: &[u32]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x1_0500, 0, 1, 0];
        words.extend(
            capabilities.iter().flat_map(|&capability| [2 << 16 | OP_CAPABILITY, capability]),
        );
        words.extend([3 << 16 | 14, 0, 1]);
        words
    }

    #[test]
    fn only_doubles_without_subgroups_need_the_copy() {
        assert_eq!(needs_copy(&module(&[1, FLOAT64])), !rounds_doubles());
        assert!(!needs_copy(&module(&[1])));
        assert!(!needs_copy(&module(&[1, FLOAT64, 61])));
        assert!(!needs_copy(&[]));
    }
}
