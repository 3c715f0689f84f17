//! The modules of a batch.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crestline_batch::{Row, Shard, hexadecimal};
use crestline_fossilize::{Database, FozError, Kind, Pipeline};
use sha2::{Digest, Sha256};

use super::process::{Answer, Request, Source, Wanted};
use crate::error::{Code, Failure, warn};
use crate::files::{self, Limit};

/// A module to compile.
pub(super) struct Task {
    /// Its names in rows: one, or the stages of several pipelines that are equal.
    pub(super) names: Vec<String>,
    pub(super) input: Input,
    /// What [`Input::hash`] was when the batch began.
    pub(super) hash: Option<String>,
    /// What to compile for, without what the cache had.
    pub(super) wanted: Vec<Wanted>,
    /// What the cache had.
    pub(super) cached: Answer,
}

/// Where a module comes from.
pub(super) enum Input {
    /// A file.
    File(PathBuf),
    /// A shader module of a Fossilize database, as a stage of a pipeline or as a whole.
    Module { database: Arc<Mutex<Database<File>>>, module: u64, stage: Option<Stage> },
    /// A database, a pipeline or a module that cannot be read, with the reason.
    Unreadable(String),
}

/// What a pipeline takes of a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stage {
    name: String,
    entry: String,
    /// `SpecId` and bits.
    specialization: Vec<(u32, u64)>,
}

impl Input {
    /// SHA-256 of the module in hexadecimal digits; `None` if it cannot be read.
    pub(super) fn hash(&self) -> Option<String> {
        match self {
            Input::File(path) => {
                let bytes = files::read(path, Limit::SHADER).ok()?;
                Some(hexadecimal(&Sha256::digest(bytes)))
            }
            Input::Module { database, module, stage } => {
                let mut hash = Sha256::new();
                for word in words_of(database, *module).ok()? {
                    hash.update(word.to_le_bytes());
                }
                if let Some(stage) = stage {
                    hash.update(stage.text());
                }
                Some(hexadecimal(&hash.finalize()))
            }
            Input::Unreadable(_) => None,
        }
    }

    /// What the result depends on besides the module itself.
    pub(super) fn context(&self) -> String {
        match self {
            // The language and, for GLSL, the stage.
            Input::File(path) => {
                path.extension().unwrap_or_default().to_string_lossy().into_owned()
            }
            Input::Module { stage, .. } => {
                stage.as_ref().map_or(String::from("spv"), |stage| format!("spv {}", stage.text()))
            }
            Input::Unreadable(_) => String::new(),
        }
    }

    /// What a process is told.
    fn source(&self) -> Result<Source, Failure> {
        match self {
            Input::File(path) => Ok(Source::File(path.clone())),
            Input::Module { database, module, stage } => {
                let words = words_of(database, *module)
                    .map_err(|error| Failure::new(Code::Container, error))?;
                let (entry, specialization) = match stage {
                    None => (None, Vec::new()),
                    Some(stage) => (
                        Some((stage.name.clone(), stage.entry.clone())),
                        stage.specialization.clone(),
                    ),
                };
                Ok(Source::Module { words, entry, specialization })
            }
            Input::Unreadable(reason) => Err(Failure::new(Code::Container, reason)),
        }
    }
}

impl Stage {
    /// A text that two stages have in common only if they are equal.
    fn text(&self) -> String {
        format!("{:?}", (&self.name, &self.entry, &self.specialization))
    }
}

fn words_of(database: &Mutex<Database<File>>, module: u64) -> Result<Vec<u32>, FozError> {
    database.lock().unwrap_or_else(PoisonError::into_inner).module(module)
}

impl Task {
    /// What a process is asked for this task.
    pub(super) fn request(&self, spec: &[String], programs: bool) -> Result<Request, Failure> {
        Ok(Request {
            module: self.names[0].clone(),
            source: self.input.source()?,
            wanted: self.wanted.clone(),
            spec: spec.to_vec(),
            programs,
        })
    }

    /// The rows for each of the names.
    pub(super) fn rows(&self, rows: &[Row], hash: Option<&str>) -> Vec<Row> {
        let named = |name: &String| {
            let (module, hash) = (name.clone(), hash.unwrap_or_default().to_owned());
            move |row: &Row| Row { module: module.clone(), hash: hash.clone(), ..row.clone() }
        };
        self.names.iter().flat_map(|name| rows.iter().map(named(name))).collect()
    }
}

/// The tasks of files that belong to a shard. The modules of a database are those of its pipelines' stages, and each shader module
/// that no pipeline uses.
pub(super) fn tasks(paths: Vec<PathBuf>, wanted: &[Wanted], shard: Shard) -> Vec<Task> {
    let mut tasks = Vec::new();
    for path in paths {
        let module = path.to_string_lossy().replace('\\', "/");
        if is_database(&path) {
            of_database(&path, &module, wanted, shard, &mut tasks);
        } else if shard.has(&module) {
            tasks.push(task(vec![module], Input::File(path), wanted));
        }
    }
    tasks
}

fn task(names: Vec<String>, input: Input, wanted: &[Wanted]) -> Task {
    let hash = input.hash();
    Task { names, input, hash, wanted: wanted.to_vec(), cached: Answer::default() }
}

/// Whether a file is a Fossilize database, by its name.
fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "foz")
}

/// Adds the tasks of a database. Equal stages of several pipelines are one task: its first name decides to which shard it belongs.
fn of_database(path: &Path, name: &str, wanted: &[Wanted], shard: Shard, tasks: &mut Vec<Task>) {
    let mut add = |names: Vec<String>, input: Input| {
        if shard.has(&names[0]) {
            tasks.push(task(names, input, wanted));
        }
    };
    let mut database = match File::open(path).map_err(FozError::from).and_then(Database::read) {
        Ok(database) => database,
        Err(error) => return add(vec![name.to_owned()], Input::Unreadable(error.to_string())),
    };
    if database.is_truncated() {
        warn(format_args!("{name}: the last entry is cut off and left out"));
    }
    let mut unused: BTreeSet<u64> = database.modules().collect();
    let mut stages: BTreeMap<(u64, Stage), Vec<String>> = BTreeMap::new();
    for kind in Kind::ALL {
        for hash in database.pipelines(kind).collect::<Vec<_>>() {
            let name = format!("{name}/{}/{hash:016x}", kind.name());
            match database.pipeline(kind, hash) {
                Ok(pipeline) => of_pipeline(&name, pipeline, &mut stages),
                Err(error) => add(vec![name], Input::Unreadable(error.to_string())),
            }
        }
    }
    for (module, _) in stages.keys() {
        unused.remove(module);
    }
    let database = Arc::new(Mutex::new(database));
    for ((module, stage), names) in stages {
        let stage = Some(stage);
        add(names, Input::Module { database: Arc::clone(&database), module, stage });
    }
    for module in unused {
        let database = Arc::clone(&database);
        let name = format!("{name}/module/{module:016x}");
        add(vec![name], Input::Module { database, module, stage: None });
    }
}

/// Adds the stages of a pipeline, each with its name in rows.
fn of_pipeline(name: &str, pipeline: Pipeline, stages: &mut BTreeMap<(u64, Stage), Vec<String>>) {
    for stage in pipeline.stages {
        let (kind, module) = (stage.kind.name(), stage.module);
        let name = format!("{name}/{kind}");
        let mut specialization = stage.specialization;
        specialization.sort_unstable();
        let stage = Stage { name: kind, entry: stage.entry, specialization };
        let names = stages.entry((module, stage)).or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
}
