//! Division of the modules among several machines.

use std::fmt;
use std::str::FromStr;

/// A part of the modules: number `index` (from 0) of `count` parts.
///
/// A module's part follows from its name alone, so the parts are disjoint, and the same on every machine, whatever the
/// order of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

/// A text that is no part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// The text has another form.
    #[error("expected a part as K/N with K from 1 to N, such as 2/8, found `{0}`")]
    Form(String),
    /// No environment variable names a part.
    #[error(
        "expected a part from CRESTLINE_SHARD, SLURM_ARRAY_TASK_ID with SLURM_ARRAY_TASK_COUNT, SLURM_PROCID with \
         SLURM_NTASKS, or JOB_COMPLETION_INDEX with JOB_COMPLETIONS, found none of them"
    )]
    NoEnvironment,
    /// An environment variable has no number that fits.
    #[error("environment variable {name}: expected {expected}, found `{found}`")]
    Environment {
        /// The variable.
        name: &'static str,
        /// What it must be.
        expected: &'static str,
        /// Its value.
        found: String,
    },
}

impl Shard {
    /// All modules.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Part `index`, from 0, of `count`; `None` if there is no such part.
    pub fn new(index: u32, count: u32) -> Option<Shard> {
        (index < count).then_some(Shard { index, count })
    }

    /// Whether a module belongs to this part. The name has `/` between folders.
    pub fn has(&self, module: &str) -> bool {
        // FNV-1a with 64 bits: short, and the same on every machine.
        let hash = module.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        // The upper bits depend on all bytes.
        (hash >> 32) % u64::from(self.count) == u64::from(self.index)
    }

    /// The part that a job scheduler gives this process by environment variables: `CRESTLINE_SHARD` as K/N (for GitHub matrices),
    /// Slurm's arrays and tasks, indexed jobs of Kubernetes (with `JOB_COMPLETIONS` set by the job's author, since
    /// Kubernetes gives the index only). `get` reads a variable.
    ///
    /// # Errors
    ///
    /// No variable is set, or one has no number that fits.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Result<Shard, ShardError> {
        if let Some(text) = get("CRESTLINE_SHARD") {
            return text.parse();
        }
        // The index, the number that the first part has, the count.
        let forms = [
            ("SLURM_ARRAY_TASK_ID", Some("SLURM_ARRAY_TASK_MIN"), "SLURM_ARRAY_TASK_COUNT"),
            ("SLURM_PROCID", None, "SLURM_NTASKS"),
            ("JOB_COMPLETION_INDEX", None, "JOB_COMPLETIONS"),
        ];
        for (index, first, count) in forms {
            let number = |name: &'static str| match get(name) {
                None => Ok(None),
                Some(text) => match text.parse::<u32>() {
                    Ok(number) => Ok(Some(number)),
                    Err(_) => Err(ShardError::Environment {
                        name,
                        expected: "a whole number",
                        found: text,
                    }),
                },
            };
            let (Some(at), Some(count)) = (number(index)?, number(count)?) else { continue };
            let first = first.map(number).transpose()?.flatten().unwrap_or(0);
            let shard = at.checked_sub(first).and_then(|at| Shard::new(at, count));
            return shard.ok_or(ShardError::Environment {
                name: index,
                expected: "a number below that of the parts",
                found: at.to_string(),
            });
        }
        Err(ShardError::NoEnvironment)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let shard = text.split_once('/').and_then(|(number, count)| {
            let number = number.parse::<u32>().ok()?;
            Shard::new(number.checked_sub(1)?, count.parse().ok()?)
        });
        shard.ok_or_else(|| ShardError::Form(text.to_owned()))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_module_belongs_to_one_part() {
        for count in 1..9 {
            let parts: Vec<Shard> = (0..count).filter_map(|i| Shard::new(i, count)).collect();
            let mut sizes = vec![0; parts.len()];
            for number in 0..4000 {
                let module = format!("shaders/effect_{number}.frag");
                let owners: Vec<usize> =
                    (0..parts.len()).filter(|&part| parts[part].has(&module)).collect();
                assert_eq!(owners.len(), 1);
                sizes[owners[0]] += 1;
            }
            // No part has more than twice its share.
            assert!(sizes.iter().all(|size| size * count < 8000), "{sizes:?}");
        }
    }

    #[test]
    fn parts_are_read_from_texts() {
        assert_eq!("1/1".parse(), Ok(Shard::WHOLE));
        assert_eq!("3/8".parse::<Shard>().map(|shard| shard.to_string()), Ok("3/8".to_owned()));
        for wrong in ["", "0/3", "4/3", "3", "1/0", "a/b", "-1/3", "1/4294967296"] {
            assert_eq!(wrong.parse::<Shard>(), Err(ShardError::Form(wrong.to_owned())));
        }
    }

    #[test]
    fn parts_are_read_from_job_schedulers() {
        let from = |variables: &[(&str, &str)]| {
            let get = |name: &str| {
                let found = variables.iter().find(|variable| variable.0 == name);
                found.map(|variable| variable.1.to_owned())
            };
            Shard::from_environment(get).map(|shard| shard.to_string())
        };
        let array = [
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_MIN", "5"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
        ];
        assert_eq!(from(&array).as_deref(), Ok("3/4"));
        assert_eq!(from(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "2")]).as_deref(), Ok("1/2"));
        let job = [("JOB_COMPLETION_INDEX", "9"), ("JOB_COMPLETIONS", "10")];
        assert_eq!(from(&job).as_deref(), Ok("10/10"));
        assert_eq!(from(&[("CRESTLINE_SHARD", "2/3")]).as_deref(), Ok("2/3"));
        assert_eq!(from(&[("JOB_COMPLETION_INDEX", "9")]), Err(ShardError::NoEnvironment));
        let beyond = from(&[("SLURM_PROCID", "2"), ("SLURM_NTASKS", "2")]);
        assert!(matches!(beyond, Err(ShardError::Environment { name: "SLURM_PROCID", .. })));
        let word = from(&[("SLURM_PROCID", "x"), ("SLURM_NTASKS", "2")]);
        assert!(matches!(word, Err(ShardError::Environment { name: "SLURM_PROCID", .. })));
    }
}
