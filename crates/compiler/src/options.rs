//! Options of a compilation.

use std::collections::{BTreeMap, BTreeSet};

#[cfg(feature = "testing")]
use crestline_codegen::backend::Fault;
use crestline_codegen::ir::Function;
#[cfg(feature = "testing")]
use crestline_codegen::stage::FragmentStep;
use crestline_device::{Device, Platform};
use crestline_ssa::ir::{LastChange, Shader, Stage, SurfaceFormat};
#[cfg(feature = "testing")]
use crestline_ssa::passes::ImageStep;

use crate::CompileError;
use crate::stages::Linkage;

/// The SIMD width of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simd {
    /// The compiler chooses the width. A width is allowed if the device can run all threads of the workgroup at once.
    ///
    /// - SIMD16 is compiled first (SIMD8 if the workgroup has at most eight invocations, SIMD32 if no narrower width is
    ///   allowed).
    /// - If SIMD16 would spill, or if the pressure estimate after instruction selection exceeds the registers, the
    ///   result is SIMD8.
    /// - If SIMD16 uses at most half of the registers, and a lower bound of the time per invocation of SIMD32 is at most nine
    ///   tenths of the estimate of SIMD16, SIMD32 is compiled too. It is the result if it does not spill, and if its estimate
    ///   is less. The times are those of an EU whose thread slots are all in use. This happens if much of the work is
    ///   uniform, or if the EU's threads do not hide latencies.
    ///
    /// A fragment shader is compiled at several widths, among which the hardware chooses for each group of pixels:
    /// SIMD8; SIMD16, if neither width spills; SIMD32, by the rule above. If it runs once for each sample, the result
    /// has the widest of these only.
    #[default]
    Auto,
    /// 8 channels.
    Simd8,
    /// 16 channels.
    Simd16,
    /// 32 channels.
    Simd32,
    /// Two vertices of four components, for vertex, tessellation and geometry shaders. It is the only width of these
    /// stages on gen7 and gen7.5, and must be requested on Broadwell. Elsewhere they have [`Simd::Simd8`] only.
    Simd4x2,
}

impl Simd {
    /// The number of channels; `None` for [`Simd::Auto`].
    pub const fn channels(self) -> Option<u8> {
        match self {
            Simd::Auto => None,
            Simd::Simd8 | Simd::Simd4x2 => Some(8),
            Simd::Simd16 => Some(16),
            Simd::Simd32 => Some(32),
        }
    }
}

impl std::fmt::Display for Simd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Simd::Auto => "any SIMD width",
            Simd::Simd8 => "SIMD8",
            Simd::Simd16 => "SIMD16",
            Simd::Simd32 => "SIMD32",
            Simd::Simd4x2 => "SIMD4x2",
        })
    }
}

/// What to compile for, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The device to compile for.
    pub device: Device,
    /// The entry point's name. It may be omitted if the module has only one entry point.
    pub entry: Option<String>,
    /// Values of specialization constants by id: their bits, zero extended.
    pub specialization: Vec<(u32, u64)>,
    /// Sizes of the descriptor arrays that the shader declares without a size, by set and binding: the number of
    /// elements that the driver binds. Elements beyond are never accessed. An array without an entry gets as many
    /// elements as the binding table, the sampler table and the payload have room for, the same number for all such
    /// arrays; the binding table in the metadata lists them.
    pub descriptor_counts: BTreeMap<(u32, u32), u32>,
    /// Formats of storage images that the shader declares without a format: set and binding, and the format. Reads of
    /// such images need it, because typed reads do not convert all formats, on gen9 neither.
    pub image_formats: Vec<((u32, u32), SurfaceFormat)>,
    /// Whether an image that the shader reads without a format, and that [`Options::image_formats`] does not name, is
    /// compiled for four components of 32 bits, instead of being an error. The code is then right for images of these
    /// formats only, and [`Observer::image_format_assumed`] is called.
    pub assume_image_formats: bool,
    /// The entry point's stage. It may be omitted if only one stage has an entry point of that name.
    pub stage: Option<Stage>,
    /// Properties of other stages that the module does not contain, most of them for tessellation shaders. On gen7 and gen7.5, programs can run on
    /// hardware only if the number of input control points is known: otherwise the input URB entries are never
    /// released.
    pub patch: Linkage,
    /// Number of samples of the framebuffer, for fragment shaders. If it is not given, the code is for any number; on
    /// gen7 and gen7.5, a shader that reads the number of its sample, or that runs once for each sample and reads the input
    /// sample mask, is then for one sample only, because the payload does not tell one sample from several.
    pub samples: Option<u8>,
    /// Whether the code is for alpha to coverage: fragment shaders of several attachments then send the alpha of attachment 0
    /// with the colour of each other attachment (source 0 alpha).
    pub alpha_to_coverage: bool,
    /// Whether indices of arrays, matrices and vectors are clamped into their bounds; see
    /// [`TranslateOptions::robust_access`](crestline_frontend::TranslateOptions::robust_access).
    pub robust_access: bool,
    /// The SIMD width.
    pub simd: Simd,
    /// The number of invocations of a subgroup that the driver requires: 8, 16 or 32 in compute and fragment shaders. A
    /// subgroup is a thread, so only the SIMD width of this number of channels is tried. A compute shader can require a
    /// size itself (execution modes `SubgroupSize` and `SubgroupsPerWorkgroup`).
    pub subgroup_size: Option<u32>,
    /// Whether all invocations of each subgroup of a compute shader must exist: only SIMD widths that divide the number of
    /// invocations of a workgroup are tried.
    pub full_subgroups: bool,
    /// Names of `opt_*` passes, of the mid-end and the back end, that do not run.
    pub disabled: BTreeSet<String>,
    /// The number of changes that `opt_*` passes may make, counted in the mid-end, and then for each SIMD width that
    /// is tried, in the mid-end and the back end. A change is one replaced, moved or removed instruction, variable or
    /// value, or one reordered block. `None` means no limit. A bisection of this number finds the change that breaks
    /// a program; the [`Observer`] gets the last change.
    pub fuel: Option<u64>,
    /// Whether the optimisations of the mid-end and the back end also run after every single `lower_*` pass, as a
    /// test of the passes. The program must remain correct.
    pub optimize_everywhere: bool,
    /// A step for the image lowerings to leave out, which makes the program wrong. A test uses it to show that every
    /// step is needed.
    #[cfg(feature = "testing")]
    pub without_image_step: Option<ImageStep>,
    /// A step of fragment shaders for the back end to leave out, which makes the program wrong. A test uses it to show
    /// that every step is needed.
    #[cfg(feature = "testing")]
    pub without_fragment_step: Option<FragmentStep>,
    /// An error for the back end to make. Tests use it to show that the error is detected. [`Fault::Allocation`]
    /// requires [`verify`](Self::verify).
    #[cfg(feature = "testing")]
    pub fault: Option<Fault>,
    /// Whether the verifier runs after each pass. On by default in debug builds.
    pub verify: bool,
}

impl Options {
    /// The defaults for a platform: optimised, with a SIMD width that the compiler chooses.
    pub fn new(platform: Platform) -> Options {
        Options {
            device: Device::new(platform),
            entry: None,
            stage: None,
            specialization: Vec::new(),
            descriptor_counts: BTreeMap::new(),
            image_formats: Vec::new(),
            assume_image_formats: false,
            robust_access: false,
            patch: Linkage::default(),
            samples: None,
            alpha_to_coverage: false,
            simd: Simd::Auto,
            subgroup_size: None,
            full_subgroups: false,
            disabled: BTreeSet::new(),
            fuel: None,
            optimize_everywhere: false,
            #[cfg(feature = "testing")]
            without_image_step: None,
            #[cfg(feature = "testing")]
            without_fragment_step: None,
            #[cfg(feature = "testing")]
            fault: None,
            verify: cfg!(debug_assertions),
        }
    }

    /// Returns the options with this SIMD width.
    #[must_use]
    pub fn with_simd(mut self, simd: Simd) -> Options {
        self.simd = simd;
        self
    }
}

/// The program after a pass.
#[derive(Clone, Copy, Debug)]
pub enum Ir<'a> {
    /// In the form of the mid-end.
    Ssa(&'a Shader),
    /// In the form of the back end.
    Codegen(&'a Function),
}

impl std::fmt::Display for Ir<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ir::Ssa(shader) => write!(f, "{shader}"),
            Ir::Codegen(function) => write!(f, "{function}"),
        }
    }
}

/// A pass that has run.
#[derive(Clone, Copy, Debug)]
pub struct PassReport<'a> {
    /// The name of the pass.
    pub name: &'static str,
    /// The SIMD width that is being compiled, in channels; `None` while no width is chosen.
    pub simd: Option<u8>,
    /// The program after the pass.
    pub ir: Ir<'a>,
}

/// Observes a compilation; `-v` and `--print-after` of the command line use it. To measure times, an observer can
/// read a clock in each call. The compiler itself does not read a clock, because not every host has one.
pub trait Observer {
    /// Called after a pass that changed the program.
    fn after_pass(&mut self, report: &PassReport<'_>);

    /// Called when the mid-end has optimised the shader, before a SIMD width is chosen. A shader with descriptor arrays
    /// without a size may be optimised several times; the last call counts.
    fn optimized(&mut self, _shader: &Shader) {}

    /// Called at the end of a compilation, successful or not, if there is a limit of changes.
    fn fuel_used(&mut self, _report: &FuelReport) {}

    /// Called after each attempt to compile at a SIMD width.
    fn width_tried(&mut self, _report: &WidthReport<'_>) {}

    /// Called before all passes for each image whose format is assumed ([`Options::assume_image_formats`]).
    fn image_format_assumed(&mut self, _set: u32, _binding: u32) {}
}

/// A SIMD width at which the compiler tried to compile a shader.
#[derive(Clone, Copy, Debug)]
pub struct WidthReport<'a> {
    /// The width, in channels.
    pub simd: u8,
    /// What came of it.
    pub result: WidthResult<'a>,
}

/// What came of an attempt to compile at a SIMD width.
#[derive(Clone, Copy, Debug)]
pub enum WidthResult<'a> {
    /// The shader was compiled. A narrower program may have been chosen nevertheless.
    Compiled {
        /// Registers that the program uses.
        registers: u32,
        /// Messages that store or load spilled registers.
        spills: u32,
        /// Estimated cycles of an EU with all its threads in use, by which widths are compared.
        cycles: u64,
    },
    /// The shader needs more registers at the same time than there are, and may not spill at this width.
    Registers {
        /// Registers that the shader needs.
        needed: u32,
        /// Registers that a thread has.
        available: u32,
    },
    /// Another limit is exceeded.
    Refused(&'a CompileError),
}

/// The number of changes that optimisations made under [`Options::fuel`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuelReport {
    /// The limit.
    pub limit: u64,
    /// Number of changes made, at all SIMD widths that were compiled together.
    pub used: u64,
    /// The last change that was allowed, if the limit was reached.
    pub last: Option<LastChange>,
    /// The SIMD width at which that change was made, in channels; `None` if no width was chosen.
    pub simd: Option<u8>,
}

/// An observer that does nothing.
impl Observer for () {
    fn after_pass(&mut self, _: &PassReport<'_>) {}
}
