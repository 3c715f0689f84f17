//! The files of `--programs`.

use std::path::{Path, PathBuf};

use crestline_batch::Key;

use super::process::Compiled;
use crate::error::Failure;
use crate::files;

/// The most bytes of a name of a file or folder; systems allow 255.
const NAME_BYTES: usize = 120;

/// Writes programs to `FOLDER/MODULE/ENTRY.STAGE.TARGET.WIDTH.json`.
pub(super) fn write(folder: &Path, module: &str, programs: &[Compiled]) -> Result<(), Failure> {
    let folder = folder_of(folder, module);
    let outputs: Vec<(PathBuf, Vec<u8>)> = programs
        .iter()
        .map(|compiled| {
            let Compiled { entry, stage, wanted, program } = compiled;
            let (entry, target, width) = (clean(entry), &wanted.target, &wanted.width);
            let name = format!("{entry}.{stage}.{target}.{width}.json");
            (folder.join(name), format!("{program}\n").into_bytes())
        })
        .collect();
    if outputs.is_empty() { Ok(()) } else { files::write_all(&folder, &outputs) }
}

/// A folder below `folder`, whatever the module's name is.
fn folder_of(folder: &Path, module: &str) -> PathBuf {
    let parts = module.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.fold(folder.to_owned(), |folder, part| folder.join(clean(part)))
}

/// A text as the name of a file. A text that cannot be a name everywhere gets a hash behind it, so that two have two names.
fn clean(text: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-+=@#".contains(c);
    let dots = text.chars().all(|c| c == '.');
    if text.len() <= NAME_BYTES && text.chars().all(fits) && !dots {
        return text.to_owned();
    }
    let name = text.chars().take(NAME_BYTES / 2).map(|c| if fits(c) { c } else { '_' });
    let hash = Key::of(&[text.as_bytes()]);
    format!("{}-{}", name.collect::<String>(), &hash.text()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_the_folder() {
        let folder = Path::new("out");
        assert_eq!(folder_of(folder, "a/b.comp"), Path::new("out/a/b.comp"));
        assert_eq!(folder_of(folder, "/a//./b"), Path::new("out/a/b"));
        let up = folder_of(folder, "../x");
        assert!(up.starts_with("out/__-") || up.to_string_lossy().starts_with("out/..-"), "{up:?}");
        assert!(up.components().all(|part| part.as_os_str() != ".."));
        let long = clean(&"x".repeat(1 << 16));
        assert!(long.len() < 200, "{long}");
        assert_ne!(clean("a b"), clean("a_b"));
        assert_ne!(clean("a b"), clean("a\0b"));
    }
}
