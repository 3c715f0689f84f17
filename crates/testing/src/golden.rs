//! Golden files: files of the repository that hold the expected output of a test.
//!
//! `expect-test` compares texts, prints the difference, and rewrites the files if the environment variable
//! `UPDATE_EXPECT` is set. It marks the difference by colours within the whole text, so the place of the first difference
//! is named at the end. Paths are absolute, so that its search for the root of the workspace is never needed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use expect_test::expect_file;

/// Compares texts with golden files, given as `(path, text)`, or rewrites the files that differ.
///
/// # Panics
///
/// If files differ: prints each difference, then panics with the first different line of each of these files.
pub fn check<P: AsRef<Path>>(texts: impl IntoIterator<Item = (P, String)>) {
    let mut different = Vec::new();
    for (path, text) in texts {
        let path = path.as_ref();
        assert!(path.is_absolute(), "{}: a golden file needs an absolute path", path.display());
        let compare = || expect_file![path].assert_eq(&text);
        if catch_unwind(AssertUnwindSafe(compare)).is_err() {
            different.push(first_difference(path, &text));
        }
    }
    assert!(
        different.is_empty(),
        "golden files differ (UPDATE_EXPECT=1 rewrites them):\n{}",
        different.join("\n")
    );
}

/// The first line of a golden file that is not that of the text, and both lines.
fn first_difference(path: &Path, text: &str) -> String {
    let file = std::fs::read_to_string(path).unwrap_or_default();
    let (mut expected, mut found) = (file.split_inclusive('\n'), text.split_inclusive('\n'));
    let mut number = 1;
    loop {
        match (expected.next(), found.next()) {
            (Some(expected), Some(found)) if expected == found => number += 1,
            (expected, found) => {
                let [expected, found] = [expected, found]
                    .map(|line| line.map_or("no line".into(), |l| format!("{l:?}")));
                return format!(
                    "{}:{number}:\n  expected {expected}\n  found    {found}",
                    path.display()
                );
            }
        }
    }
}

/// The content of a golden file that is not text, such as a picture. If `UPDATE_EXPECT` is set, writes `new` to the file
/// first.
///
/// # Panics
///
/// If the file cannot be read or written.
pub fn bytes(path: &Path, new: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let result = if updates() { std::fs::write(path, new()) } else { Ok(()) };
    result
        .and_then(|()| std::fs::read(path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether golden files are rewritten. `expect-test` asks the same question.
fn updates() -> bool {
    std::env::var("UPDATE_EXPECT").is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with the files `a` and `b`, removed at the end.
    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path =
                std::env::temp_dir().join(format!("crestline-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a folder");
            for file in ["a", "b"] {
                std::fs::write(path.join(file), format!("the text of\n{file}\n")).expect("a file");
            }
            Folder(path)
        }

        fn texts(&self, a: &str, b: &str) -> [(std::path::PathBuf, String); 2] {
            [(self.0.join("a"), a.to_owned()), (self.0.join("b"), b.to_owned())]
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn equal_files_pass() {
        let folder = Folder::new("equal");
        check(folder.texts("the text of\na\n", "the text of\nb\n"));
        assert_eq!(std::fs::read(folder.0.join("a")).expect("a file"), b"the text of\na\n");
    }

    /// Also with a file that is absent.
    #[test]
    fn all_files_that_differ_are_named_or_rewritten() {
        let folder = Folder::new("different");
        std::fs::remove_file(folder.0.join("b")).expect("a file");
        let texts = folder.texts("the text of\nc\n", "new\n");
        let result = catch_unwind(AssertUnwindSafe(|| check(texts.clone())));
        if updates() {
            result.expect("nothing fails");
            for (path, text) in &texts {
                assert_eq!(std::fs::read_to_string(path).expect("a file"), *text);
            }
        } else {
            let message = result.expect_err("both differ");
            let message = message.downcast_ref::<String>().expect("a message");
            for part in [
                "a:2:\n  expected \"a\\n\"\n  found    \"c\\n\"",
                "b:1:\n  expected no line\n  found    \"new\\n\"",
            ] {
                assert!(message.contains(part), "{part} in {message}");
            }
        }
    }
}
