//! Options of a compilation.

use std::collections::{BTreeMap, BTreeSet};

#[cfg(feature = "testing")]
use crestline_codegen::backend::Fault;
use crestline_codegen::ir::Function;
use crestline_device::{Device, Platform};
use crestline_ssa::ir::{LastChange, Shader, Stage};
#[cfg(feature = "testing")]
use crestline_ssa::passes::ImageStep;

use crate::stages::Linkage;

/// The SIMD width of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simd {
    /// The compiler chooses the width. A width is allowed if the device can run all threads of the workgroup at once.
    ///
    /// - SIMD16 is compiled first (SIMD8 if the workgroup has at most eight invocations, SIMD32 if no narrower width is
    ///   allowed).
    /// - If SIMD16 would spill, or if the pressure estimate after instruction selection exceeds the registers, the result is
    ///   SIMD8.
    /// - If SIMD16 uses at most half of the registers, SIMD32 is compiled too. It is the result if it does not spill, and if the
    ///   estimated time per invocation of an EU whose thread slots are all in use is at most nine tenths of that of SIMD16.
    ///   This happens if much of the work is uniform, or if the EU's threads do not hide latencies.
    #[default]
    Auto,
    /// 8 channels.
    Simd8,
    /// 16 channels.
    Simd16,
    /// 32 channels.
    Simd32,
    /// Two vertices of four components: the only width of vertex, tessellation and geometry shaders, which gen7 and gen7.5
    /// have by default and Broadwell on request.
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
    /// The entry point's name; may be absent where the module has only one.
    pub entry: Option<String>,
    /// Values of specialization constants by id: the bits, zero extended.
    pub specialization: Vec<(u32, u64)>,
    /// Elements of arrays of descriptors that the shader declares without a bound, by set and binding: as many as the
    /// driver will bind. Elements beyond are never accessed.
    pub descriptor_counts: BTreeMap<(u32, u32), u32>,
    /// The entry point's stage; may be absent where no other stage has an entry point of that name.
    pub stage: Option<Stage>,
    /// Properties of a tessellation shader that its module does not contain. On gen7 and gen7.5 the number of input control points
    /// must be known to run on hardware: without it their URB entries are never given back.
    pub patch: Linkage,
    /// The SIMD width.
    pub simd: Simd,
    /// Names of `opt_` passes, of the mid-end and the back end, that are switched off.
    pub disabled: BTreeSet<String>,
    /// The number of changes that `opt_` passes may make: in the mid-end, then for each SIMD width that is tried in the
    /// mid-end and the back end. A change is one replaced, moved or removed instruction, variable or value, or one
    /// reordered block. `None` means no limit. A bisection of this number finds the change that breaks a program; the
    /// [`Observer`] gets the last change.
    pub fuel: Option<u64>,
    /// Whether the back end's optimisations also run after every single `lower_` pass. The program must remain correct; for
    /// tests of the passes.
    pub optimize_everywhere: bool,
    /// A step of image accesses that is left out, which makes the program wrong; for the test that every step is needed.
    #[cfg(feature = "testing")]
    pub without_image_step: Option<ImageStep>,
    /// A mistake of the back end to make: for the test that it is found. [`Fault::Allocation`] only is where
    /// [`verify`](Self::verify) is on.
    #[cfg(feature = "testing")]
    pub fault: Option<Fault>,
    /// Whether each pass is followed by the verifier of its form. On by default in debug builds.
    pub verify: bool,
}

impl Options {
    /// The defaults for a platform: optimised, at the SIMD width that the compiler chooses.
    pub fn new(platform: Platform) -> Options {
        Options {
            device: Device::new(platform),
            entry: None,
            stage: None,
            specialization: Vec::new(),
            descriptor_counts: BTreeMap::new(),
            patch: Linkage::default(),
            simd: Simd::Auto,
            disabled: BTreeSet::new(),
            fuel: None,
            optimize_everywhere: false,
            #[cfg(feature = "testing")]
            without_image_step: None,
            #[cfg(feature = "testing")]
            fault: None,
            verify: cfg!(debug_assertions),
        }
    }

    /// With a SIMD width.
    #[must_use]
    pub fn with_simd(mut self, simd: Simd) -> Options {
        self.simd = simd;
        self
    }
}

/// The program after a pass.
#[derive(Clone, Copy, Debug)]
pub enum Ir<'a> {
    /// In the mid-end.
    Ssa(&'a Shader),
    /// In the back end.
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
    /// Its name.
    pub name: &'static str,
    /// The SIMD width that is being compiled, in channels, where one is decided.
    pub simd: Option<u8>,
    /// The program as it left it.
    pub ir: Ir<'a>,
}

/// Observes compilation; `-v` and `--print-after` of the command line use it. To measure times, an observer reads a clock in
/// each call. The compiler does not read a clock, because not every host has one.
pub trait Observer {
    /// A pass has changed the program.
    fn after_pass(&mut self, report: &PassReport<'_>);

    /// Compiling has ended, well or not, and there was a limit of changes.
    fn fuel_used(&mut self, _report: &FuelReport) {}
}

/// How many changes optimisations have made under [`Options::fuel`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuelReport {
    /// The limit.
    pub limit: u64,
    /// Changes made, at all SIMD widths that were compiled together.
    pub used: u64,
    /// The change at the limit, if it was reached.
    pub last: Option<LastChange>,
    /// The SIMD width at which that was made, in channels, where one was decided.
    pub simd: Option<u8>,
}

/// Watches nothing.
impl Observer for () {
    fn after_pass(&mut self, _: &PassReport<'_>) {}
}
