//! Compilation of the stages of a pipeline together.

use std::collections::BTreeSet;

use crestline_frontend::{TranslateOptions, load, translate};
use crestline_program::{SLOT_BYTES, StageMetadata, Varying};
use crestline_ssa::ir::{Fuel, IoSlot, IoVar, Shader, Stage, StageInfo};
use crestline_ssa::passes::{self, CleanError};

#[cfg(feature = "testing")]
pub use crestline_ssa::link::LinkStep;
use crestline_ssa::link::{self as mid_end, LinkFailure};
pub use crestline_ssa::link::{Components, LinkError, Moved, Report, Slots, check};

use crate::pipeline::internal;
use crate::stages::{is_vec4, stage_name};
use crate::{CompileError, Input, Job, Options, Platform, Program, compile_shader, translation};

/// What a pipeline does with outputs apart from what its shaders read.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// The slots of the last stage before the rasterizer that transform feedback captures: locations, and `primitive_id`.
    /// Other built-ins stay anyway. Outputs that the module declares as captured need not be
    /// given.
    pub captured: BTreeSet<IoSlot>,
    /// Whether no fragment shader follows if the list has none, so that nothing reads the locations of its last stage.
    /// Otherwise a fragment shader that is not in the list may read them.
    pub no_fragment_shader: bool,
    /// A condition to leave out, which makes the programs wrong. A test uses it to show that every condition is needed.
    #[cfg(feature = "testing")]
    pub without: Option<LinkStep>,
}

/// The program of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedStage {
    /// The stage.
    pub stage: Stage,
    /// The number of its job.
    pub job: usize,
    /// The program.
    pub program: Program,
}

/// The layout of the URB entries between two stages. Each list has the contents of each slot of 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryLayout {
    /// The stage that writes the entries.
    pub before: Stage,
    /// The stage that reads them.
    pub after: Stage,
    /// The first part of a patch's entry; empty if the entries do not belong to patches.
    pub patch: Vec<Varying>,
    /// A vertex, or a control point of a patch.
    pub vertex: Vec<Varying>,
    /// Size in bytes of an entry, or of a vertex that a geometry shader emits.
    pub bytes: u32,
}

/// A pipeline whose stages were compiled together.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// The programs, in the order of the pipeline.
    pub stages: Vec<LinkedStage>,
    /// What linking changed.
    pub report: Report,
    /// The layouts on which each two stages agree.
    pub entries: Vec<EntryLayout>,
}

impl Linked {
    /// The program of a stage.
    pub fn program(&self, stage: Stage) -> Option<&Program> {
        self.stages.iter().find(|of| of.stage == stage).map(|of| &of.program)
    }
}

/// Why a pipeline was not compiled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// A stage does not compile.
    #[error("{}{error}", prefix(.stage))]
    Stage {
        /// The number of its job.
        job: usize,
        /// The stage; `None` if the front end rejected the module.
        stage: Option<Stage>,
        /// Its error.
        error: CompileError,
    },
    /// The stages do not fit together.
    #[error("{}{error}", prefix(.stage))]
    Interface {
        /// The number of the job of the stage that is wrong; `None` if there are no jobs.
        job: Option<usize>,
        /// The stage.
        stage: Option<Stage>,
        /// What is wrong.
        error: LinkError,
    },
    /// Two stages are compiled for different platforms.
    #[error("all stages of a pipeline have one platform: found {first} and {other}")]
    Platforms {
        /// The number of the job with the second platform.
        job: usize,
        /// The platform of the first job.
        first: Platform,
        /// Another platform.
        other: Platform,
    },
}

impl PipelineError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            PipelineError::Stage { error, .. } => error.code(),
            PipelineError::Interface { .. } => "E0918",
            PipelineError::Platforms { .. } => "E0919",
        }
    }
}

/// The start of a message about a stage.
fn prefix(stage: &Option<Stage>) -> String {
    stage.map_or(String::new(), |stage| format!("{} shader: ", stage_name(stage)))
}

/// Compiles the stages of a pipeline together.
///
/// - Outputs that nothing reads are removed with what feeds them. Inputs that are constants, or that no stage writes, are
///   replaced. Locations are packed into few slots. [`Linked::report`] lists the changes.
/// - Entries of vertices without clip distances have no slots for them.
/// - A tessellation control shader gets the domain and the spacing of the evaluation shader, which gets the number of
///   control points of the control shader ([`Options::patch`]).
///
/// The jobs may be in any order. Stages at the start or end of the pipeline may be missing: the inputs of the first stage,
/// and the outputs of the last one, then stay as they are.
///
/// ```
/// use crestline::{Input, Job, Language, LinkOptions, Options, Platform, Source, Stage, link};
///
/// let text = "
///     struct Out { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32>, @location(1) unread: vec4<f32> }
///     @vertex fn v(@location(0) a: vec4<f32>) -> Out { return Out(a, a.zw, a * a); }
///     @fragment fn f(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> { return uv.xyxy; }";
/// let source = Source { name: "pair.wgsl", language: Language::Wgsl, bytes: text.as_bytes() };
/// let job = |stage| {
///     let options = Options { stage: Some(stage), ..Options::new(Platform::Skl) };
///     Job { input: Input::Source(source), options }
/// };
/// let linked = link(&[job(Stage::Vertex), job(Stage::Fragment)], &LinkOptions::default())?;
/// assert_eq!(linked.report.removed[0].mask, 0b1111);
/// # Ok::<(), crestline::PipelineError>(())
/// ```
///
/// # Errors
/// See [`PipelineError`].
pub fn link(jobs: &[Job<'_>], options: &LinkOptions) -> Result<Linked, PipelineError> {
    let mut stages = Vec::new();
    for (job, Job { input, options }) in jobs.iter().enumerate() {
        let fail = |error| PipelineError::Stage { job, stage: options.stage, error };
        let translation = TranslateOptions { unwritten_outputs: true, ..translation(options) };
        let shader = match input {
            Input::Source(source) => load(source, &translation),
            Input::Spirv(words) => translate(words, &translation),
        };
        let shader = shader.map_err(|error| fail(error.into()))?;
        stages.push(Unlinked { job, shader, options: options.clone() });
    }
    run(stages, options)
}

/// Does the same as [`link`], for shaders in the mid-level IR.
///
/// # Errors
/// See [`PipelineError`].
pub fn link_shaders(
    shaders: Vec<(Shader, Options)>,
    options: &LinkOptions,
) -> Result<Linked, PipelineError> {
    let stage = |(job, (shader, options))| Unlinked { job, shader, options };
    run(shaders.into_iter().enumerate().map(stage).collect(), options)
}

/// A stage before linking.
struct Unlinked {
    job: usize,
    shader: Shader,
    options: Options,
}

impl Unlinked {
    fn stage(&self) -> Stage {
        self.shader.stage.stage()
    }

    fn fail(&self, error: CompileError) -> PipelineError {
        PipelineError::Stage { job: self.job, stage: Some(self.stage()), error }
    }
}

/// Links and compiles.
fn run(mut stages: Vec<Unlinked>, options: &LinkOptions) -> Result<Linked, PipelineError> {
    // Each stage occurs once, so the order does not depend on that of the jobs. Compute comes last.
    stages.sort_by_key(|of| of.stage() as u8);
    if let Some(first) = stages.first() {
        let platform = |of: &Unlinked| of.options.device.platform();
        let first = platform(first);
        if let Some(other) = stages.iter().find(|of| platform(of) != first) {
            return Err(PipelineError::Platforms { job: other.job, first, other: platform(other) });
        }
    }
    for of in &stages {
        if let Err(error) = crestline_ssa::verify::verify(&of.shader) {
            return Err(of.fail(internal("frontend", &error)));
        }
    }
    tell_patches(&mut stages);
    let report = link_stages(&mut stages, options)?;
    leave_out_clip_distances(&mut stages);
    let mut linked = Linked { stages: Vec::new(), report, entries: Vec::new() };
    for of in stages {
        let (stage, job) = (of.stage(), of.job);
        let program = compile_shader(of.shader, &of.options)
            .map_err(|error| PipelineError::Stage { job, stage: Some(stage), error })?;
        linked.stages.push(LinkedStage { stage, job, program });
    }
    for pair in linked.stages.windows(2) {
        linked.entries.extend(agreed(&pair[0], &pair[1])?);
    }
    Ok(linked)
}

/// Sets the properties of each tessellation shader that follow from the other one.
fn tell_patches(stages: &mut [Unlinked]) {
    let (mut control, mut eval) = (None, None);
    for of in stages.iter() {
        match of.shader.stage {
            StageInfo::TessControl(info) => control = Some(info),
            StageInfo::TessEval(info) => eval = Some(info),
            _ => {}
        }
    }
    for of in stages {
        let patch = &mut of.options.patch;
        match (of.shader.stage, control, eval) {
            (StageInfo::TessControl(_), _, Some(eval)) => {
                (patch.domain, patch.spacing) = (Some(eval.domain), Some(eval.spacing));
            }
            (StageInfo::TessEval(_), Some(control), _) => {
                patch.input_vertices = Some(control.output_vertices);
            }
            _ => {}
        }
    }
}

/// Makes each two stages agree on entries without clip distances, if neither has any.
fn leave_out_clip_distances(stages: &mut [Unlinked]) {
    let clips =
        |vars: &[IoVar]| vars.iter().any(|var| matches!(var.slot, IoSlot::ClipDistances { .. }));
    for at in 1..stages.len() {
        let (before, after) = stages.split_at_mut(at);
        let (before, after) = (&mut before[at - 1], &mut after[0]);
        let without = !clips(&before.shader.outputs) && !clips(&after.shader.inputs);
        before.options.patch.outputs_without_clip_distances = without;
        after.options.patch.inputs_without_clip_distances = without;
    }
}

/// Links the shaders in the mid-end.
fn link_stages(stages: &mut [Unlinked], options: &LinkOptions) -> Result<Report, PipelineError> {
    #[allow(clippy::needless_update, reason = "a field exists only with the feature testing")]
    let options = mid_end::Options {
        captured: options.captured.clone(),
        no_fragment_shader: options.no_fragment_shader,
        vectors: stages
            .iter()
            .any(|of| is_vec4(of.stage(), &of.options.device, of.options.simd).unwrap_or(false)),
        #[cfg(feature = "testing")]
        without: options.without,
        // Without the feature `testing`, this crate has no access to the field `without`, but the tests of another crate may
        // enable the feature in `crestline_ssa`.
        ..mid_end::Options::default()
    };
    let mut shaders: Vec<Shader> = stages.iter().map(|of| of.shader.clone()).collect();
    let of_stages: &mut [Unlinked] = stages;
    let report = mid_end::link(&mut shaders, &options, |at, shader| {
        clean(shader, &mut of_stages[at].options)
    });
    let report = report.map_err(|failure| match failure {
        LinkFailure::Interface { stage, error } => {
            let job = of_stages.iter().rfind(|of| Some(of.stage()) == stage).map(|of| of.job);
            PipelineError::Interface { job, stage, error }
        }
        LinkFailure::Clean { stage, error } => {
            let job = of_stages.iter().find(|of| of.stage() == stage).map_or(0, |of| of.job);
            let error = internal(error.pass, &error.error);
            PipelineError::Stage { job, stage: Some(stage), error }
        }
    })?;
    for (of, shader) in of_stages.iter_mut().zip(shaders) {
        of.shader = shader;
        if of.options.verify
            && let Err(error) = crestline_ssa::verify::verify(&of.shader)
        {
            return Err(of.fail(internal("link", &error)));
        }
    }
    Ok(report)
}

/// Runs the passes of the mid-end that lower nothing. The fuel that they use is taken from the options.
fn clean(shader: &mut Shader, options: &mut Options) -> Result<(), CleanError> {
    let of_passes = passes::Options {
        disabled: options.disabled.clone(),
        fuel: options.fuel.map_or_else(Fuel::default, Fuel::new),
        verify: options.verify,
        ..passes::Options::default()
    };
    let left = passes::clean(shader, &of_passes, &mut |_, _| {})?;
    options.fuel = options.fuel.map(|fuel| fuel.saturating_sub(left.used()));
    Ok(())
}

/// The layout of the entries between two stages, on which both must agree.
fn agreed(before: &LinkedStage, after: &LinkedStage) -> Result<Option<EntryLayout>, PipelineError> {
    let (patch, vertex, bytes) = match &before.program.metadata.stage {
        StageMetadata::Vertex(stage) => (&[][..], &stage.outputs, stage.entry_bytes),
        StageMetadata::TessControl(stage) => {
            (&stage.patch_outputs[..], &stage.vertex_outputs, stage.entry_bytes)
        }
        StageMetadata::TessEval(stage) => (&[][..], &stage.outputs, stage.entry_bytes),
        StageMetadata::Geometry(stage) => (&[][..], &stage.outputs, stage.vertex_bytes),
        _ => return Ok(None),
    };
    let agree = match &after.program.metadata.stage {
        StageMetadata::TessControl(stage) => within(&stage.inputs, vertex),
        StageMetadata::Geometry(stage) => within(&stage.inputs, vertex),
        StageMetadata::TessEval(stage) if before.stage == Stage::TessControl => {
            // The distance between control points follows from the number of slots.
            stage.patch_inputs == patch
                && stage.vertex_inputs.len() == vertex.len()
                && within(&stage.vertex_inputs, vertex)
        }
        _ => true,
    };
    if !agree {
        let error = internal("link", &"the stages have different layouts of the URB entry");
        return Err(PipelineError::Stage { job: after.job, stage: Some(after.stage), error });
    }
    let (before, after) = (before.stage, after.stage);
    let (patch, vertex) = (patch.to_vec(), vertex.clone());
    debug_assert!(bytes >= SLOT_BYTES);
    Ok(Some(EntryLayout { before, after, patch, vertex, bytes }))
}

/// Whether the slots that a stage reads are those that the stage before writes.
fn within(read: &[Varying], written: &[Varying]) -> bool {
    let location = |varying: &Varying| {
        matches!(varying, Varying::Location { .. } | Varying::ClipDistances { .. })
    };
    let mut read = read.iter().enumerate().filter(|(_, varying)| location(varying));
    read.all(|(at, varying)| written.get(at) == Some(varying))
}
