//! What a batch takes from the cache and stores there.
//!
//! An object has the rows of a module for a target and a width, another one the programs. Their keys are hashes of the module's
//! bytes, the options, the version and commit of this program, and the bytes of its file: a change of the compiler that is not
//! committed makes other keys too.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crestline_batch::{Cache, CacheError, Found, Key, Outcome, Row, VERSION, hexadecimal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::process::{Answer, Compiled, Wanted};
use super::task::Task;
use crate::error::{Code, Failure, warn};
use crate::reader;

/// The parts of a result, each an object of its own.
const ROWS: &str = "rows";
const PROGRAMS: &str = "programs";

/// Modules that are looked up at a time.
const AT_ONCE: usize = 256;

/// Codes of errors that do not only depend on the module: a file cannot be read, a parser was stopped by a limit or failed.
const NOT_KEPT: &[&str] = &["E0705", "E0706", "E0801", "E0820", "E1001", "E1301"];

/// A cache with what all keys of this batch have in common.
pub(super) struct Cached {
    cache: Cache,
    common: Vec<String>,
    /// Modules that were there for all that was wanted.
    pub(super) modules: AtomicUsize,
    damaged: AtomicUsize,
    /// Whether it gave an error and is not used any more.
    failed: AtomicBool,
}

impl Cached {
    pub(super) fn open(place: &str, spec: &[String]) -> Result<Cached, Failure> {
        let fail = |error: CacheError| Failure::new(Code::Batch, format!("--cache: {error}"));
        let cache = Cache::open(place).map_err(fail)?;
        let program = reader::program().and_then(std::fs::read).map_err(|error| {
            Failure::new(
                Code::Batch,
                format!("--cache: cannot read the file of this program: {error}"),
            )
        })?;
        let mut common = vec![
            format!("batch {VERSION}"),
            env!("CRESTLINE_VERSION").to_owned(),
            hexadecimal(&Sha256::digest(program)),
        ];
        common.extend_from_slice(spec);
        let (modules, damaged) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Ok(Cached { cache, common, modules, damaged, failed: AtomicBool::new(false) })
    }

    /// The key of a module's rows.
    fn rows_key(&self, task: &Task, wanted: &Wanted) -> Option<Key> {
        let context = task.input.context();
        let own = [task.hash.as_ref()?, &context, &wanted.target, &wanted.width];
        let values: Vec<&[u8]> =
            self.common.iter().chain(own).map(|value| value.as_bytes()).collect();
        Some(Key::of(&values))
    }

    /// The key of a module's programs, which have the file's name in their line tables.
    fn programs_key(&self, task: &Task, wanted: &Wanted) -> Option<Key> {
        let rows = self.rows_key(task, wanted)?;
        Some(Key::of(&[rows.text().as_bytes(), task.names[0].as_bytes()]))
    }

    /// Moves what the cache has from `wanted` to `cached` in each task.
    pub(super) fn find(&self, tasks: &mut [Task], programs: bool) {
        for tasks in tasks.chunks_mut(AT_ONCE) {
            if let Err(error) = self.find_some(tasks, programs) {
                self.fail(&error);
                return;
            }
        }
        let damaged = self.damaged.load(Ordering::Relaxed);
        if damaged > 0 {
            warn(format_args!("{damaged} damaged objects of the cache are made again"));
        }
    }

    fn find_some(&self, tasks: &mut [Task], programs: bool) -> Result<(), CacheError> {
        // The task and the place in its list of what is wanted.
        let mut places = Vec::new();
        let (mut row_keys, mut program_keys) = (Vec::new(), Vec::new());
        for (number, task) in tasks.iter().enumerate() {
            for wanted in &task.wanted {
                let keys = (self.rows_key(task, wanted), self.programs_key(task, wanted));
                if let (Some(rows), Some(programs)) = keys {
                    places.push((number, wanted.clone()));
                    row_keys.push(rows);
                    program_keys.push(programs);
                }
            }
        }
        let rows = self.cache.get(&row_keys, ROWS)?;
        let programs = match programs {
            true => self.cache.get(&program_keys, PROGRAMS)?,
            false => vec![Found::Bytes(b"[]".to_vec()); rows.len()],
        };
        for (((number, wanted), rows), programs) in places.iter().zip(rows).zip(programs) {
            let rows: Option<Vec<Row>> = self.value(rows);
            let programs: Option<Vec<Compiled>> = self.value(programs);
            if let (Some(rows), Some(programs)) = (rows, programs) {
                let task = &mut tasks[*number];
                task.wanted.retain(|other| other != wanted);
                task.cached.rows.extend(rows);
                task.cached.programs.extend(programs);
            }
        }
        let complete = tasks.iter().filter(|task| task.wanted.is_empty()).count();
        self.modules.fetch_add(complete, Ordering::Relaxed);
        Ok(())
    }

    /// The value of an object.
    fn value<T: DeserializeOwned>(&self, found: Found) -> Option<T> {
        let value = match found {
            Found::Nothing => return None,
            Found::Bytes(bytes) => serde_json::from_slice(&bytes).ok(),
            Found::Damaged => None,
        };
        if value.is_none() {
            self.damaged.fetch_add(1, Ordering::Relaxed);
        }
        value
    }

    /// Stores what a process answered, unless it may be another one the next time.
    pub(super) fn store(&self, task: &Task, answer: &Answer) {
        if self.failed.load(Ordering::Relaxed) {
            return;
        }
        let mut rows: BTreeMap<Wanted, Vec<Row>> = BTreeMap::new();
        for row in &answer.rows {
            let wanted = Wanted { target: row.target.clone(), width: row.asked.clone() };
            let row = Row { module: String::new(), hash: String::new(), ..row.clone() };
            rows.entry(wanted).or_default().push(row);
        }
        for (wanted, rows) in &rows {
            let kept = |row: &Row| {
                let not_kept = |code: &String| NOT_KEPT.contains(&code.as_str());
                row.outcome != Outcome::GivenUp && !row.error.as_ref().is_some_and(not_kept)
            };
            let keys = (self.rows_key(task, wanted), self.programs_key(task, wanted));
            if let (true, (Some(row_key), Some(program_key))) = (rows.iter().all(kept), keys) {
                let programs: Vec<&Compiled> =
                    answer.programs.iter().filter(|program| program.wanted == *wanted).collect();
                let stored = self.put(&program_key, PROGRAMS, &programs);
                if let Err(error) = stored.and_then(|()| self.put(&row_key, ROWS, rows)) {
                    self.fail(&error);
                    return;
                }
            }
        }
    }

    fn put(&self, key: &Key, part: &str, value: &impl Serialize) -> Result<(), CacheError> {
        // Structures of texts and numbers have a JSON form.
        self.cache.put(key, part, &serde_json::to_vec(value).unwrap_or_default())
    }

    /// Tells once that the cache cannot be used. The batch goes on without it.
    fn fail(&self, error: &CacheError) {
        static TOLD: OnceLock<()> = OnceLock::new();
        self.failed.store(true, Ordering::Relaxed);
        TOLD.get_or_init(|| {
            warn(format_args!("the batch goes on without the cache: {error}"));
        });
    }
}
