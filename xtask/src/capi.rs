//! `install-capi`: builds and installs the C library.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The name by which programs load the library; `crates/capi/build.rs` writes it into the library.
const LOADED_AS: &str = "libcrestline.so.0";

/// Installs the library below a folder.
pub(crate) fn install(prefix: &Path) -> ExitCode {
    let build = ["build", "--profile", "dist", "-p", "crestline-capi", "--features", "glslang"];
    if !crate::succeeds(Command::new("cargo").args(build)) {
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
    fs::copy(root.join("crates/capi/include/crestline.h"), include.join("crestline.h"))?;
    fs::copy(built.join("libcrestline_capi.a"), lib.join("libcrestline.a"))?;
    fs::copy(built.join("libcrestline_capi.so"), lib.join(LOADED_AS))?;
    // A copy: not every file system has links.
    fs::copy(lib.join(LOADED_AS), lib.join("libcrestline.so"))?;
    let prefix = fs::canonicalize(prefix)?;
    fs::write(lib.join("pkgconfig/crestline.pc"), pkg_config(&prefix))
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
