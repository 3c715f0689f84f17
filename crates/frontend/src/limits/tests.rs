use super::*;

fn said(text: &str, language: Language) -> String {
    check(text, language).map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
}

fn is_deep(text: &str, language: Language) -> bool {
    let said = said(text, language);
    assert!(said == "accepted" || said.contains("E0705"), "{said}");
    said.contains("4096 nested or chained operators")
}

fn is_long(text: &str, language: Language) -> bool {
    said(text, language).contains("1048576 tokens")
}

const ALL: [Language; 3] = [Language::Wgsl, Language::Glsl, Language::Hlsl];

#[test]
fn what_makes_trees_deep_is_counted() {
    for (around, before, after) in [
        ("", "a + ", ""),
        ("", "a.", ""),
        ("", "-", ""),
        ("", "(", ")"),
        ("", "f(", ")"),
        ("", "b[", "]"),
        ("", "a[0]", ""),
        ("", "a ? b : ", ""),
        ("", "c = ", ""),
        ("return ", "a, ", ""),
        ("", "(a, ", ")"),
        ("", "if (a) ", ""),
        ("", "if (a) { b; } else ", ""),
        ("", "if (a) b; else ", ""),
        ("", "{ a; ", "}"),
        ("", "do ", ""),
        ("", "float2(x[", "])"),
    ] {
        let text = |count| {
            format!("fn f() {{ {around}{}a{}; }}", before.repeat(count), after.repeat(count))
        };
        for language in ALL {
            assert!(!is_deep(&text(1000), language), "{before}");
            assert!(is_deep(&text(4200), language), "{before}");
        }
    }
}

#[test]
fn what_lies_side_by_side_is_not() {
    for piece in [
        "a = b + c;",
        "if (a) { b; }",
        "if (a) { b; } else { c; }",
        "for (i = 0; i < 4; i++) { b; }",
        "{ a; }",
        "float a = f(b, c);",
    ] {
        for language in ALL {
            let text = format!("void f() {{ {} }}", piece.repeat(20_000));
            assert_eq!(said(&text, language), "accepted", "{piece}");
        }
    }
    let list = "1, ".repeat(100_000);
    for text in [
        format!("const float a[] = {{ {list} 1 }};"),
        format!("const float a[] = float[]({list} 1);"),
        format!("const a = array({list} 1);"),
        format!("void f() {{ a = float[]({list} 1); }}"),
    ] {
        assert!(!is_deep(&text, Language::Glsl) && !is_deep(&text, Language::Wgsl), "{text:.40}");
    }
}

#[test]
fn macros_count_for_what_they_expand_to() {
    let chain = |first: &str, next: &str, count: usize, last: &str| {
        let mut text = format!("#define M0{first}\n");
        for n in 1..count {
            let line = next.replace("PREVIOUS", &format!("M{}", n - 1));
            text.push_str(&format!("#define M{n}{line}\n"));
        }
        text + &last.replace("LAST", &format!("M{}", count - 1))
    };
    let refused = |text: &str| is_long(text, Language::Glsl) || is_deep(text, Language::Glsl);
    for (first, next, last) in [
        (" a", " PREVIOUS + PREVIOUS", "b = LAST;"),
        (" a;", " PREVIOUS PREVIOUS", "LAST"),
        (" a;", " PREVIOUS \\\n PREVIOUS", "LAST"),
        ("(x) x;", "(x) PREVIOUS(x) PREVIOUS(x)", "LAST(a)"),
        ("(x) x x", "(x) PREVIOUS(PREVIOUS(x))", "LAST(a)"),
        (" (", " PREVIOUS PREVIOUS", "LAST"),
    ] {
        assert!(refused(&chain(first, next, 30, last)), "{next}");
        assert!(!refused(&chain(first, next, 5, last)), "{next}");
        assert_eq!(said(&chain(first, next, 30, last), Language::Wgsl), "accepted", "no macros");
    }
    let nested = format!("#define D(x) x x\nvoid f() {{ {}a{} }}", "D(".repeat(30), ")".repeat(30));
    assert!(refused(&nested));
    let handed = "#define D(x) x x\n#define C(f, x) f(x)\n";
    let handed = format!("{handed}void f() {{ {}a{} }}", "C(D, ".repeat(30), ")".repeat(30));
    assert!(refused(&handed));
    // A macro is not expanded inside its own expansion.
    assert_eq!(said("#define a a + a\nint f() { return a; }", Language::Glsl), "accepted");
    assert_eq!(said("#define a b b\n#define b a a\nint f() { a; }", Language::Glsl), "accepted");
    let conditions = format!("#if {}1{}\n#endif\n", "(".repeat(5000), ")".repeat(5000));
    assert!(is_deep(&conditions, Language::Glsl));
}

#[test]
fn arrays_and_structures_count_for_what_they_contain() {
    let chain = |first: &str, next: &str, count: usize| {
        let mut text = first.to_owned();
        for n in 1..count {
            let line = next.replace("PREVIOUS", &format!("a{}", n - 1));
            text.push_str(&line.replace("NAME", &format!("a{n}")));
        }
        text
    };
    for (language, first, next) in [
        (Language::Wgsl, "const a0 = array(1, 2);", "const NAME = array(PREVIOUS, PREVIOUS);"),
        (
            Language::Wgsl,
            "const a0: array<u32, 2> = array<u32, 2>(1, 2);",
            "const NAME: array<T, 2> = array<T, 2>(PREVIOUS, PREVIOUS);",
        ),
        (Language::Wgsl, "struct a0 { a: u32 }", "struct NAME { a: PREVIOUS, b: PREVIOUS }"),
        (Language::Glsl, "struct a0 { int a; };", "struct NAME { PREVIOUS a; PREVIOUS[2] b; };"),
        (
            Language::Glsl,
            "const float a0[2] = float[2](1, 2);",
            "const float NAME[2][2] = float[2][2](PREVIOUS, PREVIOUS);",
        ),
        (
            Language::Hlsl,
            "static const float a0[2] = { 1, 2 };",
            "static const float NAME[2][2] = { PREVIOUS, PREVIOUS };",
        ),
    ] {
        assert!(is_long(&chain(first, next, 28), language), "{next}");
        assert_eq!(said(&chain(first, next, 8), language), "accepted", "{next}");
    }
    // Constants that are numbers do not grow.
    let scalars = chain("const a0 = 1;", "const NAME = PREVIOUS * PREVIOUS + PREVIOUS;", 100);
    assert_eq!(said(&scalars, Language::Wgsl), "accepted");
    let elements =
        chain("const a0 = array(1, 2);", "const NAME = array(PREVIOUS[0], PREVIOUS[1]);", 100);
    assert_eq!(said(&elements, Language::Wgsl), "accepted");
    let order: String = (0..5000).map(|n| format!("fn f{n}() {{ f{}(); }}\n", n + 1)).collect();
    assert!(said(&order, Language::Wgsl).contains("4096 definitions"));
}

/// The time and memory that the check itself needs grow at most linearly with the text.
#[test]
fn the_measure_is_linear() {
    let count = 200_000;
    for piece in [
        "struct ",
        "struct a {",
        "fn a(",
        "const a = ",
        "const ",
        "typedef ",
        "f() {",
        "#",
        "/*",
        "\"",
    ] {
        for language in ALL {
            let _ = check(&piece.repeat(count), language);
        }
    }
    assert!(said(&" ".repeat(5 << 20), Language::Wgsl).contains("4194304 bytes"));
    assert!(is_long(&"a ".repeat(2 << 20), Language::Wgsl));
}

#[test]
fn the_place_is_named() {
    let text = format!("void f() {{\n  a = {}b;\n}}", "b + ".repeat(5000));
    let error = check(&text, Language::Glsl).unwrap_err();
    assert_eq!(error.source_position.map(|place| place.line), Some(2));
}
