//! `install-capi`: builds and installs the C library.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The name by which programs load the library; `crates/capi/build.rs` writes it into the library.
const LOADED_AS: &str = "libcrestline.so.0";

/// Installs the library below a folder.
pub(crate) fn install(prefix: &Path) -> ExitCode {
    let build = ["build", "--profile", "dist", "-p", "crestline-capi", "--features", "glslang"];
    // Four fifths of the libraries would be debug information.
    let config = ["--config", "profile.dist.debug=false"];
    if !crate::succeeds(Command::new("cargo").args(build).args(config)) {
        return ExitCode::FAILURE;
    }
    match copy(prefix) {
        Ok(()) => {
            println!("installed below {}", prefix.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}

fn copy(prefix: &Path) -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let built = target.join("dist");
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    fs::create_dir_all(&include)?;
    fs::create_dir_all(lib.join("pkgconfig"))?;
    let header = fs::read(root.join("crates/capi/include/crestline.h"))?;
    replace(&include.join("crestline.h"), &header)?;
    replace(&lib.join("libcrestline.a"), &fs::read(built.join("libcrestline_capi.a"))?)?;
    let shared = fs::read(built.join("libcrestline_capi.so"))?;
    // Two copies: not every file system has links.
    replace(&lib.join(LOADED_AS), &shared)?;
    replace(&lib.join("libcrestline.so"), &shared)?;
    let prefix = fs::canonicalize(prefix)?;
    replace(&lib.join("pkgconfig/crestline.pc"), pkg_config(&prefix).as_bytes())
}

/// Writes a file whole or not at all. Programs that have loaded the old library keep it.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let written = fs::write(&name, bytes).and_then(|()| fs::rename(&name, path));
    if written.is_err() {
        // The error of writing matters more than that of removing.
        let _ = fs::remove_file(&name);
    }
    written
}

/// The text of the pkg-config file.
fn pkg_config(prefix: &Path) -> String {
    format!(
        "prefix={}\n\
         libdir=${{prefix}}/lib\n\
         includedir=${{prefix}}/include\n\
         \n\
         Name: crestline\n\
         Description: A shader compiler for Intel GPUs\n\
         Version: {}\n\
         Libs: -L${{libdir}} -lcrestline\n\
         Libs.private: -lstdc++ -lpthread -ldl -lm\n\
         Cflags: -I${{includedir}}\n",
        prefix.display(),
        env!("CARGO_PKG_VERSION"),
    )
}
