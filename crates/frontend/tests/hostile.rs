//! Tests source texts that are written to exhaust a reader's stack, memory or time: reading them ends, with an error or
//! not. These tests are for the readers in this process; the command line's tests do the same for its child process.

use crestline_frontend::{ErrorCode, Language, Source, to_spirv};
use crestline_testing::damage::scramble;
use crestline_testing::hostile::{NESTED, glsl, macros, nest, sum, wgsl, wgsl_arrays};
use crestline_testing::{MUTATIONS, rounds};

/// Reads a text; `None` if it is read, else the code of the error.
fn read(language: Language, text: &str) -> Option<ErrorCode> {
    let name = if language == Language::Wgsl { "a.wgsl" } else { "a.comp" };
    to_spirv(&Source { name, language, bytes: text.as_bytes() }).err().map(|error| error.code)
}

/// A GLSL shader with `count` macros, each of which expands the one before twice.
fn glsl_macros(count: usize, join: &str) -> String {
    let (globals, value) = macros(count, join);
    glsl(&globals, &value)
}

#[test]
fn what_exhausts_a_reader_is_refused() {
    for text in [wgsl("", &sum(16_000)), wgsl_arrays(28)] {
        assert_eq!(read(Language::Wgsl, &text), Some(ErrorCode::ReaderLimit));
    }
    for text in
        [glsl("", &sum(16_000)), glsl_macros(30, "+"), glsl_macros(30, "*"), glsl_macros(30, ", ")]
    {
        assert_eq!(read(Language::Glsl, &text), Some(ErrorCode::ReaderLimit));
    }
}

/// The same texts, as large as the limits allow, must not exhaust the reader's stack or memory.
#[test]
fn what_the_limits_allow_is_read() {
    assert_eq!(read(Language::Wgsl, &wgsl("", &sum(1300))), None);
    assert_eq!(read(Language::Wgsl, &wgsl_arrays(12)), None);
    assert_eq!(read(Language::Glsl, &glsl("", &sum(1300))), None);
    assert_eq!(read(Language::Glsl, &glsl_macros(9, "+")), None);
}

/// Nested expressions, types and statements with depths around the limit: any result is right if reading ends.
#[test]
fn nested_shapes_end() {
    for count in [100, 180, 250, 1000, 1950, 4000, 5000] {
        for shape in NESTED.iter().copied().chain([
            ("~", ""),
            ("d[0] * ", ""),
            ("select(1u, ", ", true)"),
            ("vec2<u32>(", ").x"),
            ("array(", ")[0]"),
            ("array<u32, ", ">"),
            ("a<", ">"),
            ("d[0] < ", ""),
        ]) {
            let value = nest(shape, count, "1u");
            read(Language::Wgsl, &wgsl("", &value));
            read(Language::Glsl, &glsl("", &value));
        }
        for shape in
            [("{", "}"), ("if d[0] == 1u {", "}"), ("loop {", "}"), ("if true {} else ", "{}")]
        {
            let body = nest(shape, count, "");
            read(Language::Wgsl, &(wgsl("", "1u") + &format!("fn f() {{ {body} }}\n")));
        }
        let chain = |piece: &dyn Fn(usize) -> String| (1..count).map(piece).collect::<String>();
        for globals in [
            chain(&|n| format!("const a{n} = a{} + 1u;\n", n + 1))
                + &format!("const a{count} = 1u;"),
            chain(&|n| format!("struct S{n} {{ a: S{} }}\n", n + 1))
                + &format!("struct S{count} {{ a: u32 }}\nvar<private> s: S1;"),
            chain(&|n| format!("alias S{n} = S{};\n", n + 1)) + &format!("alias S{count} = u32;"),
            chain(&|n| format!("fn f{n}() {{ f{}(); }}\n", n + 1)) + &format!("fn f{count}() {{}}"),
            chain(&|n| format!("const a{n} = array(a{}, 1u);\n", n + 1)),
        ] {
            read(Language::Wgsl, &wgsl(&globals, "1u"));
        }
    }
}

/// Hostile texts with pieces repeated, cut and exchanged: any result is right if reading ends.
#[test]
fn mutations_of_hostile_texts_end() {
    let texts = [
        (Language::Wgsl, wgsl("", &sum(16_000))),
        (Language::Wgsl, wgsl("", &sum(1000))),
        (Language::Wgsl, wgsl_arrays(28)),
        (Language::Wgsl, wgsl_arrays(10)),
        (Language::Glsl, glsl_macros(30, "+")),
        (Language::Glsl, glsl_macros(8, "+")),
    ];
    let mut random = fastrand::Rng::with_seed(1);
    for (language, text) in texts.iter().cycle().take(rounds(MUTATIONS, 300)) {
        read(*language, &scramble(text, &mut random));
    }
}
