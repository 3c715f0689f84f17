//! Checks that there are no import cycles between the modules of a crate. ARCHITECTURE.md shows the imports as arrows;
//! `UPDATE_EXPECT=1` draws them again.
//!
//! **The rule.** A module here is one that a crate's `lib.rs` declares: all files below `src/exec/` belong to `exec`,
//! `src/mask.rs` is `mask`. One module imports another if one of its files names an item of it: in a `use`, or in a
//! path that starts with `crate` or enough `super`s. An item that `lib.rs` re-exports counts as an item of the module
//! that defines it, and items that `lib.rs` defines belong to a module `lib`. Code behind `#[cfg(test)]` and comments,
//! with their links, do not count. No set of modules may import each other in a cycle, not even two. Imports between
//! the files of one module are not checked.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The crates that are read.
const CRATES: &[&str] = &["isa", "ssa", "codegen", "emu"];

/// The module of the items that `lib.rs` defines.
const ROOT: &str = "lib";

/// A source file, by its path below `src`.
struct Source {
    path: String,
    text: String,
}

/// A path in code, from the root of the crate, and where it stands.
struct Named {
    segments: Vec<String>,
    line: usize,
}

/// What one file says.
#[derive(Default)]
struct Said {
    paths: Vec<Named>,
    /// Modules that are declared behind `#[cfg(test)]` and have a file of their own.
    test_modules: Vec<Vec<String>>,
    /// `pub use` in the file's own module: the name that is offered, and what it means.
    offers: Vec<(String, Vec<String>)>,
    /// Modules that the file declares.
    declares: BTreeSet<String>,
}

/// Which module imports which, with one place of each import: `file:line names path`.
#[derive(Default)]
struct Imports {
    modules: BTreeSet<String>,
    edges: BTreeMap<(String, String), String>,
}

/// The module path of a file below `src`.
fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
    if matches!(segments.last().map(String::as_str), Some("mod" | "lib")) {
        segments.pop();
    }
    segments
}

/// Reads the tokens of a module, which may lie within a file.
struct Reader<'a> {
    said: &'a mut Said,
    /// The module of the file.
    file: &'a [String],
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

/// Whether `::` stands at `at`.
fn is_colons(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

fn group(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<TokenStream> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group.stream()),
        _ => None,
    }
}

/// A path in a module, from the root of the crate; `None` if it does not begin with `crate`, `self` or `super`.
fn resolve(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut base = module.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            base.pop();
        }
        _ => return None,
    }
    rest = &rest[1..];
    while rest.first().is_some_and(|segment| segment == "super") {
        base.pop();
        rest = &rest[1..];
    }
    base.extend_from_slice(rest);
    Some(base)
}

impl Reader<'_> {
    fn module(&mut self, module: &[String], tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        let mut public = false;
        while at < tokens.len() {
            if is_punct(tokens.get(at), '#')
                && let Some(attribute) = group(tokens.get(at + 1), Delimiter::Bracket)
            {
                at += 2;
                if attribute.to_string().replace(' ', "") == "cfg(test)" {
                    at = self.skip_item(module, &tokens, at);
                }
                continue;
            }
            match ident(tokens.get(at)).as_deref() {
                Some("pub") => {
                    // `pub(in crate::x)` names no import.
                    let scope = group(tokens.get(at + 1), Delimiter::Parenthesis);
                    at += if scope.is_some() { 2 } else { 1 };
                    public = true;
                    continue;
                }
                Some("use") => {
                    let end = (at..tokens.len())
                        .find(|&end| is_punct(tokens.get(end), ';'))
                        .unwrap_or(tokens.len());
                    self.tree(module, Vec::new(), &tokens[at + 1..end], public);
                    at = end;
                }
                Some("mod") => {
                    if let Some(name) = ident(tokens.get(at + 1)) {
                        if module == self.file {
                            self.said.declares.insert(name.clone());
                        }
                        if let Some(body) = group(tokens.get(at + 2), Delimiter::Brace) {
                            let inner: Vec<String> = module.iter().cloned().chain([name]).collect();
                            self.module(&inner, body);
                            at += 2;
                        }
                    }
                }
                Some("crate" | "super" | "self") if is_colons(&tokens, at + 1) => {
                    let line = tokens[at].span().start().line;
                    let mut path = vec![ident(tokens.get(at)).unwrap_or_default()];
                    while is_colons(&tokens, at + 1)
                        && let Some(segment) = ident(tokens.get(at + 3))
                    {
                        path.push(segment);
                        at += 3;
                    }
                    self.name(module, &path, line);
                }
                _ => {
                    if let Some(TokenTree::Group(group)) = tokens.get(at) {
                        self.module(module, group.stream());
                    }
                }
            }
            public = false;
            at += 1;
        }
    }

    /// The place behind the item that begins at `at`.
    fn skip_item(&mut self, module: &[String], tokens: &[TokenTree], mut at: usize) -> usize {
        let mut name = None;
        while at < tokens.len() {
            if ident(tokens.get(at)).as_deref() == Some("mod") {
                name = ident(tokens.get(at + 1));
            }
            if is_punct(tokens.get(at), ';') {
                if let Some(name) = name {
                    let path = module.iter().cloned().chain([name]).collect();
                    self.said.test_modules.push(path);
                }
                return at + 1;
            }
            if group(tokens.get(at), Delimiter::Brace).is_some() {
                return at + 1;
            }
            at += 1;
        }
        at
    }

    /// A tree of `use` behind a prefix.
    fn tree(&mut self, module: &[String], prefix: Vec<String>, tokens: &[TokenTree], public: bool) {
        let mut path = prefix;
        let mut at = 0;
        while at < tokens.len() {
            if let Some(inner) = group(tokens.get(at), Delimiter::Brace) {
                let inner: Vec<TokenTree> = inner.into_iter().collect();
                for branch in inner.split(|token| is_punct(Some(token), ',')) {
                    if !branch.is_empty() {
                        self.tree(module, path.clone(), branch, public);
                    }
                }
                return;
            }
            match ident(tokens.get(at)).as_deref() {
                Some("as") => {
                    let offered = ident(tokens.get(at + 1)).unwrap_or_default();
                    return self.used(module, path, tokens, offered, public);
                }
                // `x::{self}` is `x`.
                Some("self") if !path.is_empty() => {}
                Some(segment) => path.push(segment.to_owned()),
                None if is_punct(tokens.get(at), '*') => path.push("*".to_owned()),
                None => {}
            }
            at += 1;
        }
        let offered = path.last().cloned().unwrap_or_default();
        self.used(module, path, tokens, offered, public);
    }

    fn used(
        &mut self,
        module: &[String],
        path: Vec<String>,
        tokens: &[TokenTree],
        offered: String,
        public: bool,
    ) {
        let line = tokens.first().map_or(0, |token| token.span().start().line);
        self.name(module, &path, line);
        if public && module == self.file {
            // Behind a re-export a path may also begin with a module declared beside it.
            let meaning = resolve(module, &path)
                .unwrap_or_else(|| module.iter().cloned().chain(path).collect());
            self.said.offers.push((offered, meaning));
        }
    }

    fn name(&mut self, module: &[String], path: &[String], line: usize) {
        if let Some(segments) = resolve(module, path) {
            self.said.paths.push(Named { segments, line });
        }
    }
}

/// Reads the sources of a crate.
fn imports(sources: &[Source]) -> Imports {
    let mut files = Vec::new();
    for source in sources {
        let mut said = Said::default();
        let file = module_of(&source.path);
        let tokens = source.text.parse().unwrap_or_else(|e| panic!("{}: {e}", source.path));
        Reader { said: &mut said, file: &file }.module(&file, tokens);
        files.push((source, file, said));
    }
    let tests: Vec<&Vec<String>> =
        files.iter().flat_map(|(_, _, said)| &said.test_modules).collect();
    let root = files.iter().find(|(_, file, _)| file.is_empty()).map(|(_, _, said)| said);
    let root = root.expect("a crate has a lib.rs");
    let mut found = Imports { modules: root.declares.clone(), edges: BTreeMap::new() };
    let home = |segments: &[String]| -> String {
        let Some(first) = segments.first() else { return ROOT.to_owned() };
        if root.declares.contains(first) {
            return first.clone();
        }
        let offer = root.offers.iter().find(|(name, _)| name == first);
        match offer.and_then(|(_, meaning)| meaning.first()) {
            Some(module) if root.declares.contains(module) => module.clone(),
            // Of another crate, or defined in `lib.rs`.
            Some(_) => String::new(),
            None => ROOT.to_owned(),
        }
    };
    for (source, file, said) in &files {
        if file.is_empty() || tests.iter().any(|test| file.starts_with(test)) {
            continue;
        }
        for named in &said.paths {
            let to = home(&named.segments);
            if to != file[0] && !to.is_empty() {
                found.modules.insert(to.clone());
                found.edges.entry((file[0].clone(), to)).or_insert_with(|| {
                    format!("{}:{} names {}", source.path, named.line, named.segments.join("::"))
                });
            }
        }
    }
    found
}

impl Imports {
    fn imported<'a>(&'a self, module: &'a str) -> impl Iterator<Item = &'a str> {
        self.edges.keys().filter(move |(from, _)| from == module).map(|(_, to)| to.as_str())
    }

    /// All modules that a module imports directly or indirectly.
    fn reached<'a>(&'a self, module: &'a str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = self.imported(module).collect();
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(self.imported(next));
            }
        }
        found
    }

    /// The cycles: for each set of modules that import each other, directly or indirectly, the imports among them.
    fn circles(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut circles = Vec::new();
        for module in &self.modules {
            let reached = self.reached(module);
            if !reached.contains(module.as_str()) || seen.contains(module.as_str()) {
                continue;
            }
            let mut members = reached;
            members.retain(|other| self.reached(other).contains(module.as_str()));
            let mut text = format!("{members:?} import each other in a circle:");
            for ((from, to), place) in &self.edges {
                if members.contains(from.as_str()) && members.contains(to.as_str()) {
                    text += &format!("\n  {from} -> {to}: {place}");
                }
            }
            seen.extend(members);
            circles.push(text);
        }
        circles
    }

    /// The imports, one line for each module. An imported module is below. Imports that follow from others are left
    /// out.
    fn picture(&self) -> String {
        // The longest way down from a module decides its line.
        let mut height: BTreeMap<&str, usize> = BTreeMap::new();
        for _ in &self.modules {
            for module in &self.modules {
                let below = self.imported(module).map(|to| height.get(to).map_or(1, |h| h + 1));
                let below = below.max().unwrap_or(0);
                height.insert(module, below);
            }
        }
        let mut modules: Vec<&str> = self.modules.iter().map(String::as_str).collect();
        modules.sort_by_key(|module| (std::cmp::Reverse(height[module]), *module));
        let width = modules.iter().map(|module| module.len()).max().unwrap_or(0);
        let mut text = String::new();
        for module in modules {
            let direct: BTreeSet<&str> = self.imported(module).collect();
            let follows = |to: &&str| direct.iter().any(|via| self.reached(via).contains(to));
            let arrows: Vec<&str> = direct.iter().copied().filter(|to| !follows(to)).collect();
            let line = match arrows.is_empty() {
                true => format!("    {module}"),
                false => format!("    {module:width$} -> {}", arrows.join(", ")),
            };
            text += &line;
            text.push('\n');
        }
        text
    }
}

fn read_sources(root: &Path, folder: &Path, found: &mut Vec<Source>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder of sources")
        .map(|entry| entry.expect("a folder entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read_sources(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            let path = path.strip_prefix(root).expect("a file below src").to_string_lossy();
            found.push(Source { path: path.replace('\\', "/"), text });
        }
    }
}

fn imports_of(name: &str) -> Imports {
    let src = crestline_filetests::repository().join("crates").join(name).join("src");
    let mut sources = Vec::new();
    read_sources(&src, &src, &mut sources);
    let found = imports(&sources);
    assert!(found.edges.len() > 5, "only {} imports found in {name}", found.edges.len());
    found
}

#[test]
fn modules_import_each_other_in_one_direction() {
    let mut wrong = Vec::new();
    for name in CRATES {
        wrong.extend(imports_of(name).circles().iter().map(|circle| format!("{name}: {circle}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn architecture_shows_the_imports() {
    let path = crestline_filetests::repository().join("ARCHITECTURE.md");
    let mut new = std::fs::read_to_string(&path).expect("a page of ours");
    for name in CRATES {
        let begin =
            format!("<!-- modules of {name}: drawn by crates/filetests/tests/modules.rs -->\n");
        let start = new.find(&begin).unwrap_or_else(|| panic!("no place for {name}")) + begin.len();
        let length = new[start..].find("<!-- end -->").expect("the end of a picture");
        let picture = format!("\n{}\n", imports_of(name).picture());
        new.replace_range(start..start + length, &picture);
    }
    crestline_testing::golden::check([(path, new)]);
}

/// The imports of a crate given as `(path, text)`.
fn small(files: &[(&str, &str)]) -> Imports {
    let source = |&(path, text): &(&str, &str)| Source { path: path.into(), text: text.into() };
    imports(&files.iter().map(source).collect::<Vec<_>>())
}

fn edges(imports: &Imports) -> Vec<String> {
    imports.edges.keys().map(|(from, to)| format!("{from}>{to}")).collect()
}

const LIB: (&str, &str) = (
    "lib.rs",
    "mod a; pub(crate) mod b; mod c; mod d; pub use c::{Thing as Other, deep::Far}; pub struct Own;",
);

#[test]
fn a_seeded_circle_is_found() {
    let imports = small(&[
        LIB,
        ("a/mod.rs", "mod x;"),
        ("a/x.rs", "use crate::b::{self, f as g};"),
        ("b.rs", "fn f() { let y = 1 + super::c::deep::CONST; }"),
        ("c.rs", "pub mod deep { use super::super::a; }"),
        ("d.rs", "use crate::a::x;"),
    ]);
    let circles = imports.circles();
    assert_eq!(circles.len(), 1);
    for part in ["{\"a\", \"b\", \"c\"}", "a -> b: a/x.rs:1 names b", "c -> a: c.rs:1 names a"] {
        assert!(circles[0].contains(part), "{part} in {}", circles[0]);
    }
    assert!(!circles[0].contains("d ->"), "{}", circles[0]);
    // Two are a circle too.
    let two = small(&[LIB, ("a.rs", "use crate::b::X;"), ("b.rs", "impl crate::a::Y for X {}")]);
    assert_eq!(two.circles().len(), 1);
}

#[test]
fn imports_are_read_where_they_stand() {
    let read = |text: &str| edges(&small(&[LIB, ("a/mod.rs", ""), ("a/x/y.rs", text)]));
    let none: [&str; 0] = [];
    // Trees, with names that `lib.rs` offers, and what it defines.
    assert_eq!(read("use crate::{b::{c, d::{e}}, d};"), ["a>b", "a>d"]);
    assert_eq!(read("use crate::Other; use crate::Far;"), ["a>c"]);
    assert_eq!(read("use crate::Own;"), ["a>lib"]);
    assert_eq!(read("pub(super) use super::super::super::b::*;"), ["a>b"]);
    // Paths in code, also in macros.
    assert_eq!(read("fn f() { g!(x, [crate::b::h::<crate::d::T>()]) }"), ["a>b", "a>d"]);
    assert_eq!(read("macro_rules! m { () => { $crate::d::T } }"), ["a>d"]);
    // Nothing of the module itself, of other crates, of comments, of texts, of visibilities, of tests.
    assert_eq!(
        read("use super::super::z; use self::q; use std::b::c; use crestline_isa::d;"),
        none
    );
    assert_eq!(read("/// [b](crate::b)\nfn f() { \"crate::b::x\"; } // crate::d::x"), none);
    assert_eq!(read("pub(in crate::b) fn f() {} pub(crate) struct S;"), none);
    assert_eq!(
        read("#[cfg(test)]\nmod tests { use crate::b::X; }\n#[cfg(test)] use crate::d;"),
        none
    );
    let in_file =
        small(&[LIB, ("a/mod.rs", "#[cfg(test)]\nmod t;"), ("a/t/u.rs", "use crate::b;")]);
    assert_eq!(edges(&in_file), none);
    // Behind the tests one reads on.
    assert_eq!(read("#[cfg(test)] impl S { fn f() {} } use crate::d;"), ["a>d"]);
}

#[test]
fn pictures_leave_out_what_follows() {
    let imports = small(&[
        LIB,
        ("a.rs", "use crate::{b, c, d};"),
        ("b.rs", "use crate::c;"),
        ("c.rs", ""),
        ("d.rs", ""),
    ]);
    assert_eq!(imports.picture(), "    a -> b, d\n    b -> c\n    c\n    d\n");
}
