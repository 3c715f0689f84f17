//! Source texts that are written to exhaust a reader's stack, memory or time: they end with an error, or are read. This is
//! about the readers that are built in; the command line's tests do the same with its own.

use crestline_frontend::{ErrorCode, Language, Source, to_spirv};

/// Reads a text; `None` if it is read, else the code of the error.
fn read(language: Language, text: &str) -> Option<ErrorCode> {
    let name = if language == Language::Wgsl { "a.wgsl" } else { "a.comp" };
    to_spirv(&Source { name, language, bytes: text.as_bytes() }).err().map(|error| error.code)
}

fn wgsl(globals: &str, value: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> d: array<u32>;\n{globals}\n\
         @compute @workgroup_size(1) fn main() {{ d[0] = {value}; }}\n"
    )
}

fn glsl(globals: &str, value: &str) -> String {
    format!(
        "#version 450\n{globals}\nlayout(set = 0, binding = 0) buffer B {{ uint d[]; }};\n\
         void main() {{ d[0] = {value}; }}\n"
    )
}

fn sum(terms: usize) -> String {
    vec!["d[1]"; terms].join(" + ")
}

fn wgsl_arrays(count: usize) -> String {
    let mut text = "const a0 = array(1u, 2u);\n".to_owned();
    for n in 1..count {
        text.push_str(&format!("const a{n} = array(a{}, a{});\n", n - 1, n - 1));
    }
    wgsl(&text, &format!("a{}{}", count - 1, "[0]".repeat(count)))
}

fn macros(count: usize, join: &str) -> String {
    let mut text = "#define M0 d[1]\n".to_owned();
    for n in 1..count {
        text.push_str(&format!("#define M{n} M{} {join} M{}\n", n - 1, n - 1));
    }
    glsl(&text, &format!("M{}", count - 1))
}

#[test]
fn what_exhausts_a_reader_is_refused() {
    for text in [wgsl("", &sum(16_000)), wgsl_arrays(28)] {
        assert_eq!(read(Language::Wgsl, &text), Some(ErrorCode::ReaderLimit));
    }
    for text in [glsl("", &sum(16_000)), macros(30, "+"), macros(30, "*"), macros(30, ", ")] {
        assert_eq!(read(Language::Glsl, &text), Some(ErrorCode::ReaderLimit));
    }
}

/// The same inputs, as large as the limits allow: the reader's stack and memory are enough.
#[test]
fn what_the_limits_allow_is_read() {
    assert_eq!(read(Language::Wgsl, &wgsl("", &sum(1300))), None);
    assert_eq!(read(Language::Wgsl, &wgsl_arrays(12)), None);
    assert_eq!(read(Language::Glsl, &glsl("", &sum(1300))), None);
    assert_eq!(read(Language::Glsl, &macros(9, "+")), None);
}

/// Shapes that nest, at every depth around the limit: an answer, whatever it is.
#[test]
fn nested_shapes_end() {
    for count in [100, 180, 250, 1000, 1950, 4000, 5000] {
        let nested = |before: &str, after: &str| {
            format!("{}1u{}", before.repeat(count), after.repeat(count))
        };
        for (before, after) in [
            ("(", ")"),
            ("-", ""),
            ("~", ""),
            ("1u + ", ""),
            ("1u + (", ")"),
            ("d[0] * ", ""),
            ("d[", "]"),
            ("min(1u, ", ")"),
            ("select(1u, ", ", true)"),
            ("vec2<u32>(", ").x"),
            ("array(", ")[0]"),
            ("array<u32, ", ">"),
            ("a<", ">"),
            ("d[0] < ", ""),
        ] {
            read(Language::Wgsl, &wgsl("", &nested(before, after)));
            read(Language::Glsl, &glsl("", &nested(before, after)));
        }
        for (before, after) in
            [("{", "}"), ("if d[0] == 1u {", "}"), ("loop {", "}"), ("if true {} else ", "{}")]
        {
            let body = format!("{}{}", before.repeat(count), after.repeat(count));
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

/// A small generator of pseudo-random numbers (xorshift), so that each run does the same.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Pieces of hostile texts, repeated, cut and exchanged: an answer, whatever it is.
#[test]
fn mutations_of_hostile_texts_end() {
    let texts = [
        (Language::Wgsl, wgsl("", &sum(16_000))),
        (Language::Wgsl, wgsl("", &sum(1000))),
        (Language::Wgsl, wgsl_arrays(28)),
        (Language::Wgsl, wgsl_arrays(10)),
        (Language::Glsl, macros(30, "+")),
        (Language::Glsl, macros(8, "+")),
    ];
    let rounds = std::env::var("CRESTLINE_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds.unwrap_or(300) {
        let (language, text) = &texts[round % texts.len()];
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            let end = (at + 1 + random.below(40)).min(bytes.len());
            match random.below(6) {
                0 => bytes[at] = b"()[]{}<>+-*/;,=#\\\n \"a0"[random.below(22)],
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let piece = bytes[at..end].repeat(1 + random.below(2000));
                    bytes.splice(at..at, piece);
                }
                3 => {
                    let to = random.below(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(to..to, piece);
                }
                4 => bytes.truncate(at.max(1)),
                _ => {
                    let marks =
                        [&b"const a = array("[..], b"#define M ", b"struct S {", b"/*", b"fn f("];
                    bytes.splice(at..at, marks[random.below(marks.len())].iter().copied());
                }
            }
        }
        read(*language, &String::from_utf8_lossy(&bytes));
    }
}
