//! Compares `include/crestline.h` with what cbindgen makes of the sources. `UPDATE_EXPECT=1` rewrites it.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for module in ["lib", "error", "text", "input", "metadata", "compile", "tools"] {
        builder = builder.with_src(root.join("src").join(module).with_extension("rs"));
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    let header = String::from_utf8(header).unwrap();
    // What docstrings have for readers of the Rust sources only.
    let rules = " See the rules of all functions.";
    let header = header
        .replace(&format!("\n\n # Safety\n{rules}\n"), "\n")
        .replace(&format!("\n # Safety\n{rules}"), "\n")
        .replace("[`", "")
        .replace("`]", "")
        .replace('`', "")
        .replace("::", ".");
    expect_test::expect_file!["../include/crestline.h"].assert_eq(&header);
}
