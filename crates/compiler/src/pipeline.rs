//! The steps from a shader of the front end to machine code.
//!
//! Once per shader: [`passes::optimize`](crestline_ssa::passes::optimize), the mid-end's list of passes. Then, for
//! each SIMD width that is tried:
//!
//! 1. the mid-end's list again with the width as a constant, if the shader reads its subgroup size;
//! 2. the layout of the stage's payload and surfaces;
//! 3. instruction selection;
//! 4. the back end's list of passes, register allocation and encoding.

use std::borrow::Cow;

use crestline_codegen::backend::{self, BackendError, Compiled};
use crestline_codegen::interface::Interface;
use crestline_codegen::ir::Function;
use crestline_codegen::regalloc::AllocError;
use crestline_codegen::target::Target;
use crestline_codegen::{scalar, vec4};
use crestline_isa::validate::{Severity, Validator};
use crestline_isa::{Inst, Opcode};
use crestline_isa::{decode_program, encode_program};
use crestline_program::{Program, Statistics};
use crestline_ssa::ir::{Fuel, InterpPlace, IoSlot, IoVar, Shader, Stage, SysVal, TessSpacing};
use crestline_ssa::passes::{Doubles, LowerOptions, SystemValues};
use crestline_ssa::runner::Broken;
use crestline_ssa::{passes, verify};

use crate::lines;
use crate::simd::{self, Attempt};
use crate::stages::{Layout, Threads};
use crate::{CompileError, FuelReport, Ir, Observer, Options, PassReport, WidthReport};

/// The most samples of a pixel on any device.
const MOST_SAMPLES: u32 = 16;

/// The offset of each instruction from the start of the code, in bytes.
pub(crate) fn offsets(insts: &[Inst]) -> impl Iterator<Item = usize> {
    insts.iter().scan(0, |end, inst| {
        let start = *end;
        *end += inst.size() as usize;
        Some(start)
    })
}

/// The state of a compilation: runs passes and calls the observer.
pub(crate) struct Pipeline<'a> {
    options: &'a Options,
    target: Target,
    observer: &'a mut dyn Observer,
    /// The SIMD width that is being compiled, in channels; `None` while no width is chosen.
    simd: Option<u8>,
    /// Whether the program is SIMD4x2: the back end works on vectors, and the mid-end does not scalarise.
    vec4: bool,
    /// Whether a fragment shader is compiled for framebuffers with one sample.
    one_sample: bool,
    /// The remaining part of [`Options::fuel`].
    fuel: Fuel,
    /// The SIMD width at which the fuel was used up.
    empty_at: Option<u8>,
}

impl<'a> Pipeline<'a> {
    pub(crate) fn new(options: &'a Options, observer: &'a mut dyn Observer) -> Pipeline<'a> {
        let fuel = options.fuel.map_or_else(Fuel::default, Fuel::new);
        let target = Target::new(options.device);
        Pipeline {
            options,
            target,
            observer,
            simd: None,
            vec4: false,
            one_sample: false,
            fuel,
            empty_at: None,
        }
    }

    /// The device as the back end sees it.
    pub(crate) fn target(&self) -> Target {
        self.target
    }

    /// Changes the pipeline to compile for SIMD4x2.
    pub(crate) fn for_vec4(mut self) -> Pipeline<'a> {
        self.vec4 = true;
        self
    }

    /// Calls the observer after a pass.
    fn report(&mut self, name: &'static str, ir: Ir<'_>) {
        self.observer.after_pass(&PassReport { name, simd: self.simd, ir });
    }

    /// Records the SIMD width if the fuel has just been used up.
    fn note_fuel(&mut self, was_empty: bool) {
        if !was_empty && self.fuel.is_empty() {
            self.empty_at = self.simd;
        }
    }

    /// Reports the used fuel to the observer, if there is a limit.
    pub(crate) fn report_fuel(&mut self) {
        if let Some(limit) = self.options.fuel {
            let (used, last) = (self.fuel.used(), self.fuel.last_change().cloned());
            self.observer.fuel_used(&FuelReport { limit, used, last, simd: self.empty_at });
        }
    }

    /// Reports and verifies the output of the front end. It is verified in release builds too, so that a bug of the
    /// front end is reported as an error and does not cause a panic later.
    pub(crate) fn accept(&mut self, shader: &Shader) -> Result<(), CompileError> {
        self.report("frontend", Ir::Ssa(shader));
        verify::verify(shader).map_err(|error| internal("frontend", &error))
    }

    /// The most samples of a pixel for which the code is; `None` if there is one.
    fn most_samples(&self) -> Option<u32> {
        let known = self.options.samples.map(u32::from);
        let device = self.target.device();
        let most = || (1..=MOST_SAMPLES).rev().find(|&samples| device.has_samples(samples));
        known.or_else(most).filter(|_| !self.one_sample)
    }

    /// Runs the mid-end: optimises and lowers the shader, for a SIMD width if one is chosen.
    pub(crate) fn optimize(
        &mut self,
        shader: &mut Shader,
        simd: Option<u8>,
    ) -> Result<(), CompileError> {
        self.simd = simd;
        let target = self.target;
        let doubles = Doubles { fused: target.has_fused_64bit_mad() };
        #[allow(clippy::needless_update, reason = "a field exists only with the feature testing")]
        let options = passes::Options {
            lower: LowerOptions {
                scalarize: !self.vec4,
                subgroups: !self.vec4,
                dwords: !self.vec4,
                small_in_dwords: self.vec4,
                half_floats: !self.vec4 && target.has_half_float(),
                int64_sums: !self.vec4 && target.has_plain_64bit_int(),
                addresses_32: !target.has_a64_messages(),
                doubles: target.has_64bit_float().then_some(doubles),
                system_values: SystemValues {
                    local_invocation_index: true,
                    subgroup_size: if self.vec4 {
                        Some(vec4::MODE.invocations)
                    } else {
                        simd.map(u32::from)
                    },
                    patch_vertices: self.options.patch.input_vertices,
                    one_sample: self.one_sample,
                    ..SystemValues::default()
                },
                tess_domain: Some(self.options.patch.domain()),
                // A second run, for a chosen width, must not change the levels again.
                quad_levels: simd.is_none()
                    && target.needs_larger_quad_levels()
                    && self.options.patch.spacing == Some(TessSpacing::Equal),
                unsupported_ops: crestline_codegen::unsupported_operations().collect(),
                most_samples: self.most_samples(),
                images: Some(*target.device()),
                #[cfg(feature = "testing")]
                without: self.options.without_image_step,
                // Without the feature `testing`, this crate has no access to the field `without`, but the tests of
                // another crate may enable the feature in `crestline_ssa`.
                ..LowerOptions::default()
            },
            disabled: self.options.disabled.clone(),
            fuel: std::mem::take(&mut self.fuel),
            // If this is the second run, for a chosen width, only that width is new.
            resumed: simd.is_some(),
            verify: self.options.verify,
            optimize_everywhere: self.options.optimize_everywhere,
        };
        let was_empty = options.fuel.is_empty();
        let left = passes::optimize(shader, &options, &mut |name, shader| {
            self.report(name, Ir::Ssa(shader));
        });
        self.fuel = left.map_err(|Broken { pass, error }| internal(pass, &error))?;
        self.note_fuel(was_empty);
        if simd.is_none() {
            self.observer.optimized(shader);
        }
        Ok(())
    }

    /// The interface between the stage's layout and instruction selection.
    fn interface<'l>(&self, layout: &'l Layout) -> Cow<'l, Interface> {
        #[cfg(feature = "testing")]
        if self.options.fault == Some(crestline_codegen::backend::Fault::Locations) {
            return Cow::Owned(Interface { forgets: true, ..layout.interface.clone() });
        }
        #[cfg(feature = "testing")]
        if let without @ Some(_) = self.options.without_fragment_step {
            return Cow::Owned(Interface { without, ..layout.interface.clone() });
        }
        Cow::Borrowed(&layout.interface)
    }

    /// Compiles the shader at one SIMD width, from the end of the mid-end to machine code, and tells the observer what
    /// came of it.
    pub(crate) fn generate(
        &mut self,
        shader: &Shader,
        simd: u8,
        may_spill: bool,
    ) -> Result<Attempt, CompileError> {
        let attempt = self.generate_at(shader, simd, may_spill);
        let result = simd::result(&attempt, &self.target);
        self.observer.width_tried(&WidthReport { simd, result });
        attempt
    }

    fn generate_at(
        &mut self,
        shader: &Shader,
        simd: u8,
        may_spill: bool,
    ) -> Result<Attempt, CompileError> {
        let target = self.target;
        self.simd = Some(simd);
        let mut own = None;
        if passes::reads_subgroup_size(shader) {
            self.optimize(own.insert(shader.clone()), Some(simd))?;
        }
        let shader = own.as_ref().unwrap_or(shader);
        let threads = match shader.stage.stage() {
            Stage::Fragment => Threads::Pixels {
                simd,
                one_sample: self.one_sample,
                alpha_to_coverage: self.options.alpha_to_coverage,
            },
            Stage::Compute => Threads::Simd(simd),
            Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {
                Threads::Mode(&scalar::MODE)
            }
        };
        let layout = Layout::new(shader, &target, threads, self.options.patch)?;
        let function = scalar::select(shader, &target, &self.interface(&layout), simd)?;
        self.finish(shader, &layout, function, simd, may_spill)
    }

    /// Compiles a fragment shader at all SIMD widths that the options allow and a driver would use.
    pub(crate) fn generate_fragment(
        &mut self,
        shader: &mut Shader,
        options: &Options,
    ) -> Result<Program, CompileError> {
        let target = self.target;
        let narrow = shader
            .outputs
            .iter()
            .any(|output| matches!(output.slot, IoSlot::SecondColour(_) | IoSlot::StencilRef));
        let widths = simd::allowed_for_fragments(narrow, &target, options)?;
        // The number of the sample also selects the bit of the input sample mask in a shader that runs once for each sample.
        let reads = |value| passes::reads_system_value(shader, value);
        let at_sample =
            |input: &IoVar| input.interp.is_some_and(|i| i.place == InterpPlace::Sample);
        let per_sample = reads(SysVal::SamplePosition)
            || shader.fragment().is_some_and(|info| info.per_sample)
            || shader.inputs.iter().any(at_sample);
        let by_number = !target.has_sample_ids_in_payload()
            && (reads(SysVal::SampleId) || per_sample && reads(SysVal::SampleMaskIn));
        self.one_sample = options.samples.map_or(by_number, |samples| samples == 1);
        if self.one_sample {
            // The only sample is at the centre.
            for interp in shader.inputs.iter_mut().filter_map(|input| input.interp.as_mut()) {
                if interp.place == InterpPlace::Sample {
                    interp.place = InterpPlace::Centre;
                }
            }
        }
        self.optimize(shader, None)?;
        let attempts = simd::choose_all(&widths, &target, |simd, may_spill| {
            self.generate(shader, simd, may_spill)
        })?;
        let nop = encode_program(&[Inst::new(Opcode::Nop)], target.generation())
            .map_err(|error| internal("finish", &error))?;
        simd::join(attempts, &nop).ok_or_else(|| internal("finish", &"no program"))
    }

    /// Compiles the shader for SIMD4x2, after [`optimize`](Self::optimize).
    pub(crate) fn generate_vec4(&mut self, shader: &Shader) -> Result<Program, CompileError> {
        let target = self.target;
        let layout = Layout::new(shader, &target, Threads::Mode(&vec4::MODE), self.options.patch)?;
        let function = vec4::select(shader, &target, &self.interface(&layout))?;
        Ok(self.finish(shader, &layout, function, vec4::CHANNELS, true)?.program)
    }

    /// Runs the back end's passes on selected instructions, encodes and validates the code, and adds the metadata.
    fn finish(
        &mut self,
        shader: &Shader,
        layout: &Layout,
        function: Function,
        simd: u8,
        may_spill: bool,
    ) -> Result<Attempt, CompileError> {
        let target = self.target;
        let pipeline = pipeline_of(shader.stage.stage());
        let options = backend::Options {
            disabled: self.options.disabled.clone(),
            verify: self.options.verify,
            optimize_everywhere: self.options.optimize_everywhere,
            // Only the changes of successful attempts count, so an attempt gets a copy of the fuel.
            fuel: self.fuel.clone(),
            may_spill,
            pipeline,
            #[cfg(feature = "testing")]
            fault: self.options.fault,
            ..backend::Options::default()
        };
        // Spilling only increases the scratch size, so a program that already exceeds the limit is rejected here.
        check_scratch(&target, pipeline, function.scratch_bytes)?;
        let mut compiled = backend::generate(function, &target, options, &mut |name, function| {
            self.report(name, Ir::Codegen(function));
        })
        .map_err(|error| match error {
            BackendError::Alloc(AllocError::OutOfScratch { bytes, limit }) => {
                CompileError::Scratch { bytes, limit }
            }
            error => error.into(),
        })?;
        let was_empty = self.fuel.is_empty();
        self.fuel = std::mem::take(&mut compiled.fuel);
        self.note_fuel(was_empty);
        check_scratch(&target, pipeline, compiled.scratch_bytes)?;
        let code = encode_program(&compiled.insts, target.generation())
            .map_err(|error| internal("finish", &error))?;
        let mut metadata = layout.metadata(shader, &target, simd.into(), compiled.scratch_bytes);
        #[cfg(feature = "testing")]
        if let Some(step) = self.options.without_fragment_step {
            leave_out(step, &mut metadata.stage);
        }
        metadata.dispatches.first_mut().statistics = Some(statistics(&compiled, simd));
        metadata.lines = lines::table(&compiled);
        self.validate(compiled.insts, &code)?;
        let program = Program { code, metadata };
        Ok(Attempt { program, estimate: compiled.estimate })
    }

    /// Checks that the instructions obey the rules of the hardware, in every build. With [`Options::verify`], also
    /// checks that the encoded code decodes to the same instructions.
    fn validate(&self, insts: Vec<Inst>, code: &[u8]) -> Result<(), CompileError> {
        let target = self.target;
        let places: Vec<usize> = offsets(&insts).collect();
        let insts: Vec<(usize, Inst)> = places.into_iter().zip(insts).collect();
        if self.options.verify {
            let decoded = decode_program(code, target.generation())
                .map_err(|error| internal("finish", &error))?;
            let differs = insts.iter().zip(&decoded).find(|(made, read)| made != read);
            if let Some(((at, made), (_, read))) = differs {
                let what = format!(
                    "at {at:#x} the instruction {made:?} was encoded, but decodes as {read:?}"
                );
                return Err(internal("finish", &what));
            }
        }
        let found = Validator::new(*target.device()).check_program(&insts);
        match found.iter().find(|finding| finding.rule.severity == Severity::Error) {
            Some(finding) => Err(internal("finish", finding)),
            None => Ok(()),
        }
    }
}

/// Leaves out a step of fragment shaders that only changes the metadata.
#[cfg(feature = "testing")]
fn leave_out(step: crate::FragmentStep, stage: &mut crestline_program::StageMetadata) {
    use crate::FragmentStep as Step;
    let crestline_program::StageMetadata::Fragment(stage) = stage else { return };
    match step {
        Step::HelperDispatch => stage.vector_mask = false,
        Step::KillState => stage.kills_pixels = false,
        Step::DepthState => stage.computed_depth = crestline_program::ComputedDepth::Off,
        Step::MaskState => stage.output_sample_mask = false,
        Step::EarlyTests => stage.early_tests = false,
        _ => {}
    }
}

/// Counts the instructions of the code by kind.
fn statistics(compiled: &Compiled, simd: u8) -> Statistics {
    let count = |wanted: fn(&Inst) -> bool| {
        compiled.insts.iter().filter(|inst| wanted(inst)).count() as u32
    };
    Statistics {
        simd_width: simd.into(),
        instructions: compiled.insts.len() as u32,
        sends: count(|inst| inst.send().is_some()),
        loops: count(|inst| inst.opcode == Opcode::While),
        spills: compiled.spills,
        fills: compiled.fills,
        registers: compiled.registers,
        estimated_cycles: compiled.estimate.cycles,
    }
}

/// The part of the device that starts a stage's threads.
const fn pipeline_of(stage: Stage) -> crestline_device::Pipeline {
    match stage {
        Stage::Compute => crestline_device::Pipeline::Compute,
        _ => crestline_device::Pipeline::Graphics,
    }
}

/// Checks that a thread can have this many bytes of scratch memory.
///
/// # Errors
/// [`CompileError::Scratch`] if it cannot.
fn check_scratch(
    target: &Target,
    pipeline: crestline_device::Pipeline,
    bytes: u32,
) -> Result<(), CompileError> {
    match target.scratch_size(pipeline, bytes) {
        Some(_) => Ok(()),
        None => {
            let limit = target.max_scratch_bytes(pipeline);
            Err(CompileError::Scratch { bytes: bytes.into(), limit })
        }
    }
}

/// The error for a bug of this compiler, with the verifier's message.
pub(crate) fn internal(pass: &'static str, error: &dyn std::fmt::Display) -> CompileError {
    CompileError::Internal { pass, message: error.to_string() }
}
