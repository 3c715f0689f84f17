//! Tests of the text form: parsing a printed shader gives the same shader, and errors have the right position.

mod random;

use std::path::PathBuf;

use crestline_ssa::text::{ParseErrorKind, parse};
use crestline_testing::golden;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ssa/text")
}

/// Files in canonical form are printed exactly as they were.
#[test]
fn files_survive_the_round_trip() {
    let mut printed_texts = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let shader = parse(&text).unwrap_or_else(|e| panic!("{}:{e}", path.display()));
        let printed = shader.to_string();
        let again = parse(&printed).unwrap();
        assert_eq!(again, shader, "{}", path.display());
        let mut compacted = shader.clone();
        compacted.compact();
        assert_eq!(compacted, shader, "{}", path.display());
        printed_texts.push((path, printed));
    }
    assert!(!printed_texts.is_empty());
    golden::check(printed_texts);
}

/// Random shaders, in canonical form, are equal to what is parsed from their text.
#[test]
fn random_shaders_survive_the_round_trip() {
    for seed in 0..300 {
        let (mut shader, _) = random::shader(seed);
        let as_made = shader.to_string();
        let from_text = parse(&as_made).unwrap_or_else(|e| panic!("{e}\n{as_made}"));
        shader.compact();
        assert_eq!(from_text, shader);
        let again = parse(&shader.to_string()).unwrap();
        assert_eq!(again, shader);
    }
}

/// Texts with errors, and the exact messages with positions.
#[test]
fn errors_name_place_and_expectation() {
    let body = |text: &str| format!("compute \"t\" {{\nlocal_size 1, 1, 1\n{text}\n}}\n");
    let cases = [
        (
            "",
            "1:1: expected a stage (vertex, tess_control, tess_eval, geometry, fragment, compute), found the end of the text",
        ),
        (
            "kernel \"x\" {",
            "1:1: expected a stage (vertex, tess_control, tess_eval, geometry, fragment, compute), found `kernel`",
        ),
        ("compute x", "1:9: expected a string, found `x`"),
        ("compute \"x", "1:9: expected a string, found a malformed string"),
        ("compute \"x\" {", "1:14: expected an instruction or `}`, found the end of the text"),
        ("compute \"x\" { } }", "1:17: expected the end of the text, found '}'"),
        (&body("    frobnicate %1"), "3:5: expected an instruction or `}`, found `frobnicate`"),
        (
            &body("%0: 33 = undef"),
            "3:5: expected a type (`1`, `8`, `16`, `32` or `64`, and `x2` to `x4`), found `33`",
        ),
        (
            &body("%0: 32x5 = undef"),
            "3:5: expected a type (`1`, `8`, `16`, `32` or `64`, and `x2` to `x4`), found `32x5`",
        ),
        (&body("%0: 32 = ineg %1"), "3:15: %1 is never defined"),
        (&body("%0: 32 = undef\n%0: 32 = undef"), "4:1: %0 is defined a second time"),
        (&body("%0: 32x2 = undef\n%1: 32 = ineg %0"), "4:15: expected 1 components of %0, found 2"),
        (
            &body("%0: 32 = undef\n%1: 32x3 = ineg %0.xx"),
            "4:17: expected 3 components of %0, found 2",
        ),
        (
            &body("%0: 32 = undef\n%1: 32 = ineg %0.q"),
            "4:18: expected one to four components out of `xyzw`, found `q`",
        ),
        (&body("%0: 8 = const 256"), "3:15: the number 256 does not fit a component of the type"),
        (&body("%0: 8 = const -129"), "3:15: the number 129 does not fit a component of the type"),
        (&body("%0: 32x2 = const 1"), "4:1: expected ',', found '}'"),
        (
            &body("%0: 32 = const 99999999999999999999"),
            "3:16: expected a number, found `99999999999999999999`",
        ),
        (
            &body("%0: 32 = undef\n%1: 32 = load shared, %0"),
            "5:1: expected `, align` and a number of bytes, found '}'",
        ),
        (
            &body("%0: 32 = undef\n%1: 32 = load heap, %0, align 4"),
            "4:15: expected a memory, found `heap`",
        ),
        (
            &body("%0: 32 = undef\n%1: 32 = load shared, %0, align 4, fast"),
            "4:36: expected `align`, `mask` or a flag, found `fast`",
        ),
        (
            &body("barrier memory galaxy"),
            "3:16: expected a scope (invocation, subgroup, workgroup, device), found `galaxy`",
        ),
        (&body("binding b1: ssbo set 0 binding 0 \"x\""), "3:9: expected `b0`, found `b1`"),
        (
            &body("const_data 0x123"),
            "3:12: expected `0x` and two hexadecimal digits for each byte, found `0x123`",
        ),
        (&body("denorm_flush 256"), "4:1: the number 256 does not fit a mask of 8 bits"),
    ];
    for (text, message) in cases {
        match parse(text) {
            Ok(_) => panic!("accepted:\n{text}"),
            Err(error) => assert_eq!(error.to_string(), message, "\n{text}"),
        }
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let code = "compute \"t\" {".to_owned() + &"loop {".repeat(100_000);
    assert!(matches!(parse(&code).unwrap_err().kind, ParseErrorKind::TooDeep(_)));
    let structures = "compute \"t\" { var v0: ".to_owned() + &"{".repeat(100_000);
    assert!(matches!(parse(&structures).unwrap_err().kind, ParseErrorKind::TooDeep(_)));
    let arrays = "compute \"t\" { var v0: 32".to_owned() + &"[1]".repeat(100_000);
    assert!(matches!(parse(&arrays).unwrap_err().kind, ParseErrorKind::TooDeep(_)));
}

/// Damages each file: truncates it, or removes, inserts or replaces a byte. The parser returns an error or a shader
/// that can be printed; it never panics.
#[test]
fn damaged_texts_do_not_panic() {
    let mut random = fastrand::Rng::with_seed(1);
    for entry in std::fs::read_dir(folder()).unwrap() {
        let text = std::fs::read(entry.unwrap().path()).unwrap();
        for _ in 0..3000 {
            let mut bytes = text.clone();
            let at = random.usize(..bytes.len());
            match random.u8(..4) {
                0 => bytes.truncate(at),
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, text[random.usize(..text.len())]),
                _ => bytes[at] = text[random.usize(..text.len())],
            }
            if let Ok(shader) = parse(&String::from_utf8_lossy(&bytes)) {
                let printed = shader.to_string();
                let again = parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
                assert_eq!(again.to_string(), printed);
            }
        }
    }
}
