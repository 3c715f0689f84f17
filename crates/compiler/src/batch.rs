//! Compilation of many shaders on several threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::{CompileError, Options, Program, Source, compile, compile_spirv};

/// A shader of a [`Job`].
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A source text, as for [`compile`].
    Source(Source<'a>),
    /// The words of a SPIR-V module, as for [`compile_spirv`].
    Spirv(&'a [u32]),
}

/// A shader and how to compile it.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The shader.
    pub input: Input<'a>,
    /// How to compile it.
    pub options: Options,
}

impl Job<'_> {
    fn run(&self) -> Result<Program, CompileError> {
        match &self.input {
            Input::Source(source) => compile(source, &self.options),
            Input::Spirv(words) => compile_spirv(words, &self.options),
        }
    }
}

/// Compiles independent shaders on at most `threads` threads; if it is `None`, on as many as the machine can run at
/// the same time. Each thread compiles one shader at a time.
///
/// The results are in the order of the jobs and do not depend on the number of threads. An error of one job does not
/// affect the others.
///
/// ```
/// use crestline::{Input, Job, Language, Options, Platform, Source, compile_all};
///
/// let shader = |text: &'static str| {
///     let source = Source { name: "shader.wgsl", language: Language::Wgsl, bytes: text.as_bytes() };
///     Job { input: Input::Source(source), options: Options::new(Platform::Skl) }
/// };
/// let jobs = [shader("@compute @workgroup_size(8) fn main() {}"), shader("fn broken(")];
/// let results = compile_all(&jobs, None);
/// assert!(results[0].is_ok() && results[1].is_err());
/// ```
pub fn compile_all(
    jobs: &[Job<'_>],
    threads: Option<NonZero<usize>>,
) -> Vec<Result<Program, CompileError>> {
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    // The jobs take very different times, so each thread takes the next job when it has finished one.
    let work = || {
        let claim = || next.fetch_add(1, Ordering::Relaxed);
        let mine = std::iter::repeat_with(claim).map_while(|at| Some((at, jobs.get(at)?.run())));
        mine.collect::<Vec<_>>()
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(jobs.len())).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
