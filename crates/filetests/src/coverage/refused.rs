//! The modules that the compiler must refuse: `tests/coverage/refused/*.spvasm`, in the text form of SPIR-V.
//!
//! Lines that start with `;!` say what is expected:
//!
//! ```text
//! ;! refuses opcode ImageSparseFetch      a feature of the module: its kind and name
//! ;! error E0507 SparseResidency          the code of the error, and the part of its text that names the feature
//! ```

use std::path::PathBuf;

use crestline::{Options, Stage, TARGETS, compile_spirv};
use crestline_frontend::assemble;

use super::Feature;
use super::feature::{all_features, features};

/// The version of the modules: SPIR-V 1.6.
const VERSION: u32 = 0x0001_0600;

/// A module that the compiler must refuse.
#[derive(Debug)]
pub struct Refused {
    /// The name of the file, without its folder.
    pub name: String,
    /// The features for which it is refused.
    pub features: Vec<Feature>,
    /// The stage of the module; `None` if these devices have none of its execution model.
    pub stage: Option<Stage>,
    /// The code of the error.
    pub code: String,
    /// The part of the error's text that names the feature.
    pub text: String,
    words: Vec<u32>,
}

/// All files, sorted by name.
///
/// # Errors
///
/// The first file that cannot be read, with the reason.
pub fn all() -> Result<Vec<Refused>, String> {
    let folder = crate::repository().join("tests/coverage/refused");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "spvasm"));
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
            read(name.clone(), &text).map_err(|error| format!("{name}: {error}"))
        })
        .collect()
}

fn read(name: String, text: &str) -> Result<Refused, String> {
    let (mut list, mut expected) = (Vec::new(), None);
    for line in text.lines().filter_map(|line| line.strip_prefix(";! ")) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "refuses" => {
                // Kinds may have a space, names do not.
                let (kind, name) = rest.rsplit_once(' ').ok_or("expected a kind and a name")?;
                list.push(Feature::parse(kind, name)?);
            }
            "error" => expected = rest.split_once(' '),
            _ => return Err(format!("{word:?}: expected refuses or error")),
        }
    }
    let (code, part) = expected.ok_or("expected `;! error CODE TEXT`")?;
    let words = assemble(text, VERSION).map_err(|e| format!("line {}: {e}", e.line))?;
    let stage = features(&words, "main", None).ok().map(|(stage, _)| stage);
    Ok(Refused { name, stage, features: list, code: code.to_owned(), text: part.to_owned(), words })
}

impl Refused {
    /// Whether the module is refused for this feature in this stage.
    pub fn refuses(&self, feature: &Feature, stage: Stage) -> bool {
        self.stage == Some(stage) && self.features.contains(feature)
    }

    /// Compiles the module for all devices. Returns what is not as expected, one line each.
    pub fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        match all_features(&self.words) {
            Ok(found) => {
                let absent = self.features.iter().filter(|feature| !found.contains(feature));
                failures.extend(absent.map(|feature| format!("the module has no {feature}")));
            }
            Err(error) => failures.push(error),
        }
        for &platform in TARGETS {
            match compile_spirv(&self.words, &Options::new(platform)) {
                Ok(_) => failures.push(format!("{platform}: expected an error")),
                Err(error) => {
                    let text = error.to_string();
                    if error.code() != self.code || !text.contains(&self.text) {
                        failures.push(format!("{platform}: {}: {text}", error.code()));
                    }
                }
            }
        }
        failures.into_iter().map(|failure| format!("{}: {failure}", self.name)).collect()
    }
}
