//! The engines that run a run test: the interpreter and the emulator. Each gets a module and the initial buffers, and
//! returns the buffers afterwards.

use crestline::{CompileError, Options, Simd, compile_spirv};
use crestline_device::{Device, Pipeline, Platform, SurfaceFormat};
use crestline_emu::{
    Class, Draw, ImageDimension, ImageShape, Kernel, Layout, MemoryModel, Policy, Problem,
    Resources, SurfaceName,
};
use crestline_frontend::{TranslateOptions, translate};
use crestline_isa::{Inst, Opcode};
use crestline_judges::lavapipe::{Buffer, BufferKind, Dimension, Image, SpecConstant, Texture};
use crestline_program::{Program, ResourceRef, StageMetadata};
use crestline_ssa::interp;
use crestline_ssa::ir::Shader;
use crestline_ssa::passes::ImageStep;

use crate::case::Case;
use crate::corpus::RunTest;

/// No surface is so large that it has bytes at this address.
pub const OUTSIDE: u64 = 0xffff_fff0;

/// Why an engine has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The shader exceeds a limit of the chip at this width, but not at a narrower one. This is not a defect.
    #[error("{0}")]
    Limit(String),
    /// The shader was refused or the run was stopped.
    #[error("{0}")]
    Wrong(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Wrong(message)
    }
}

/// An engine, which runs shaders.
pub trait Engine {
    /// Its name in reports: `ssa`, `skl at SIMD16`.
    fn name(&self) -> String;

    /// Runs a test and returns all its buffers in the order of the case.
    ///
    /// # Errors
    ///
    /// See [`Failure`].
    fn run(&self, test: &RunTest) -> Result<Vec<Vec<u8>>, Failure>;
}

/// Translates the test's module with the front end.
///
/// # Errors
///
/// The front end's message.
pub fn shader(test: &RunTest) -> Result<Shader, String> {
    let spec: Vec<(u32, u64)> = test.case.spec.iter().map(spec_bits).collect();
    let options = TranslateOptions {
        entry: Some(&test.case.entry),
        spec: &spec,
        image_formats: &image_formats(test),
        ..TranslateOptions::default()
    };
    translate(&test.spirv, &options).map_err(|error| error.to_string())
}

/// The formats of the test's images, by set and binding.
pub(crate) fn image_formats(test: &RunTest) -> Vec<((u32, u32), SurfaceFormat)> {
    let buffers = test.case.buffers.iter();
    buffers
        .filter_map(|buffer| match &buffer.kind {
            BufferKind::Image(image) => {
                Some(((buffer.set, buffer.binding), SurfaceFormat::from_glsl(image.format)?))
            }
            _ => None,
        })
        .collect()
}

/// Tells the compiler the formats of a test's images, and the sizes of arrays that the shader declares without one.
pub(crate) fn tell_resources(options: &mut Options, test: &RunTest) {
    options.image_formats = image_formats(test);
    for buffer in &test.case.buffers {
        // The last element gives the size.
        let count = options.descriptor_counts.entry((buffer.set, buffer.binding)).or_default();
        *count = (*count).max(buffer.element + 1);
    }
}

/// A specialization constant in the front end's form: id, and bits, zero extended.
pub fn spec_bits(constant: &SpecConstant) -> (u32, u64) {
    let mut bits = [0; 8];
    bits[..constant.value.len()].copy_from_slice(&constant.value);
    (constant.id, u64::from_le_bytes(bits))
}

/// The interpreter of the mid-level IR.
#[derive(Debug, Clone, Copy)]
pub struct Interpreter;

impl Engine for Interpreter {
    fn name(&self) -> String {
        "ssa".into()
    }

    fn run(&self, test: &RunTest) -> Result<Vec<Vec<u8>>, Failure> {
        Ok(interpret(&shader(test)?, test)?)
    }
}

/// The interpreter's name for a buffer of a case.
pub fn interpreter_key(buffer: &Buffer) -> interp::BufferKey {
    interp::BufferKey { set: buffer.set, binding: buffer.binding, element: buffer.element }
}

/// The address of a buffer of a case in the interpreter. Buffers are smaller than the distance between addresses.
fn interpreter_address(buffer: &Buffer) -> u64 {
    let number = u64::from(buffer.set) << 20 | u64::from(buffer.binding) << 8;
    0x5000_0000_0000 + ((number + u64::from(buffer.element)) << 32)
}

/// The emulator's name for a buffer of a case.
pub fn emulator_key(buffer: &Buffer) -> ResourceRef {
    ResourceRef { set: buffer.set, binding: buffer.binding, element: buffer.element }
}

/// The resources of a case, for the interpreter.
pub fn interpreter_resources(case: &Case) -> interp::Resources {
    let (buffers, push_constants) = with_addresses(case, &interpreter_address);
    let mut resources = interp::Resources { push_constants, ..interp::Resources::default() };
    for buffer in &buffers {
        if !case.addresses.is_empty() && buffer.kind == BufferKind::Storage {
            resources.addresses.insert(interpreter_key(buffer), interpreter_address(buffer));
        }
        let (key, bytes) = (interpreter_key(buffer), buffer.contents.clone());
        let mut add = |image: Image, (levels, samples), bytes| {
            let (format, size) = (surface_format(&image), image.size);
            resources.images.insert(key, interp::Image { format, size, levels, samples, bytes });
        };
        match buffer.kind {
            BufferKind::Image(image) => add(image, (1, 1), bytes),
            BufferKind::Texture(Texture { image, levels, samples, sampler, .. }) => {
                add(image, (levels, samples), bytes);
                resources.samplers.extend(sampler.map(|sampler| (key, sampler)));
            }
            BufferKind::Sampler(sampler) => _ = resources.samplers.insert(key, sampler),
            BufferKind::Storage | BufferKind::Uniform => {
                _ = resources.buffers.insert(key, bytes);
            }
        }
    }
    resources
}

/// The resources of a case, for the emulator. Images that can be tiled have the memory layout `layout`.
///
/// # Errors
///
/// The emulator's message.
pub fn emulator_resources(case: &Case, layout: Option<Layout>) -> Result<Resources, String> {
    let mut resources = bound_resources(&case.buffers, &case.push, layout)?;
    if case.addresses.is_empty() {
        return Ok(resources);
    }
    resources.assign_addresses().map_err(|error| error.to_string())?;
    let address = |buffer: &Buffer| resources.address(emulator_key(buffer)).unwrap_or_default();
    let (buffers, push) = with_addresses(case, &address);
    for buffer in buffers.iter().filter(|buffer| buffer.kind == BufferKind::Storage) {
        resources.set_buffer(emulator_key(buffer), &buffer.contents);
    }
    resources.set_push_constants(&push);
    Ok(resources)
}

/// The buffers and push constants of a case with the addresses that it places in them. `address` is the address of a
/// buffer.
fn with_addresses(case: &Case, address: &dyn Fn(&Buffer) -> u64) -> (Vec<Buffer>, Vec<u8>) {
    let (mut buffers, mut push) = (case.buffers.clone(), case.push.clone());
    for placed in &case.addresses {
        let at = address(&case.buffers[placed.target]);
        let contents = match placed.place {
            None => &mut push,
            Some(index) => &mut buffers[index].contents,
        };
        placed.write(contents, at);
    }
    (buffers, push)
}

/// Replaces the addresses in the buffers after a run by the bytes that they replaced.
fn restore_addresses(case: &Case, address: &dyn Fn(&Buffer) -> u64, after: &mut [Vec<u8>]) {
    for placed in &case.addresses {
        if let Some(index) = placed.place {
            let at = address(&case.buffers[placed.target]);
            placed.restore(&mut after[index], at, &case.buffers[index].contents);
        }
    }
}

/// The buffers and images of a case after a run in the emulator, with the bytes that addresses replaced.
pub fn contents_after(case: &Case, resources: &Resources) -> Vec<Vec<u8>> {
    let buffers = case.buffers.iter();
    let mut after: Vec<Vec<u8>> = buffers
        .map(|buffer| match buffer.kind {
            BufferKind::Image(_) | BufferKind::Texture(_) => resources.image(emulator_key(buffer)),
            _ => resources.buffer(emulator_key(buffer)),
        })
        .map(Option::unwrap_or_default)
        .collect();
    let address = |buffer: &Buffer| resources.address(emulator_key(buffer)).unwrap_or_default();
    restore_addresses(case, &address, &mut after);
    after
}

/// Buffers, images, samplers and push constants for the emulator.
///
/// # Errors
///
/// The emulator's message about an image.
pub fn bound_resources(
    buffers: &[Buffer],
    push: &[u8],
    layout: Option<Layout>,
) -> Result<Resources, String> {
    let mut resources = Resources::new();
    for buffer in buffers {
        let name = emulator_key(buffer);
        match buffer.kind {
            BufferKind::Image(image) => {
                let shape = image_shape(&image);
                // One-dimensional images and buffers are never tiled.
                let flat = shape.dimension == ImageDimension::D1;
                match layout.filter(|_| !flat) {
                    Some(layout) => resources.set_image_in(name, shape, layout, &buffer.contents),
                    None => resources.set_image(name, shape, &buffer.contents),
                }
                .map_err(|error| error.to_string())?;
            }
            BufferKind::Texture(Texture { image, levels, samples, sampler, .. }) => {
                let shape = ImageShape { levels, samples, ..image_shape(&image) };
                resources
                    .set_image(name, shape, &buffer.contents)
                    .map_err(|error| error.to_string())?;
                if let Some(sampler) = sampler {
                    resources.set_sampler(name, sampler);
                }
            }
            BufferKind::Sampler(sampler) => resources.set_sampler(name, sampler),
            BufferKind::Storage | BufferKind::Uniform => {
                resources.set_buffer(name, &buffer.contents);
            }
        }
    }
    resources.set_push_constants(push);
    Ok(resources)
}

/// Interprets a shader on a test's buffers.
///
/// # Errors
///
/// The interpreter's message, or the first access out of bounds.
pub fn interpret(shader: &Shader, test: &RunTest) -> Result<Vec<Vec<u8>>, String> {
    let buffers = &test.case.buffers;
    let mut resources = interpreter_resources(&test.case);
    let options = interp::Options::default();
    let report = interp::run(shader, &mut resources, test.case.groups, &options)
        .map_err(|error| error.to_string())?;
    if test.case.in_bounds
        && let Some(access) = report.out_of_bounds.first()
    {
        return Err(format!("an access out of bounds: {access:?}"));
    }
    let mut after: Vec<Vec<u8>> = buffers
        .iter()
        .map(|buffer| match buffer.kind {
            BufferKind::Image(_) | BufferKind::Texture(_) => {
                resources.images.remove(&interpreter_key(buffer)).map(|image| image.bytes)
            }
            _ => resources.buffers.remove(&interpreter_key(buffer)),
        })
        .map(Option::unwrap_or_default)
        .collect();
    restore_addresses(&test.case, &interpreter_address, &mut after);
    Ok(after)
}

/// The format of an image of a case. All formats that an image can be sampled in are known.
pub fn surface_format(image: &Image) -> SurfaceFormat {
    SurfaceFormat::from_sampled(image.format).unwrap_or(SurfaceFormat::R32_UINT)
}

/// The shape of an image of a case in the emulator's form.
pub fn image_shape(image: &Image) -> ImageShape {
    let dimension = match image.dimension {
        Dimension::D1 | Dimension::Buffer => ImageDimension::D1,
        Dimension::D1Array => ImageDimension::D1Array,
        Dimension::D2 => ImageDimension::D2,
        Dimension::D2Array => ImageDimension::D2Array,
        Dimension::D3 => ImageDimension::D3,
        Dimension::Cube => ImageDimension::Cube,
        Dimension::CubeArray => ImageDimension::CubeArray,
    };
    let [width, height, depth] = image.size;
    ImageShape {
        dimension,
        format: surface_format(image),
        width,
        height,
        depth,
        levels: 1,
        samples: 1,
    }
}

/// Our compiler and our emulator.
#[derive(Debug, Clone, Copy)]
pub struct Emulator {
    /// The chip.
    pub platform: Platform,
    /// The SIMD width.
    pub simd: Simd,
    /// The memory layout of images; `None` if they are packed.
    pub layout: Option<Layout>,
    /// Whether typed reads out of bounds return 1 in the fourth component, not 0.
    pub alpha_one: bool,
    /// Whether typed writes of integers out of range keep the low bits, instead of clamping.
    pub wrap_integers: bool,
    /// The memory model.
    pub memory: MemoryModel,
    /// A step of the image lowering to leave out, to test that the comparison finds wrong programs.
    pub without: Option<ImageStep>,
}

impl Emulator {
    /// The engine for a chip at a SIMD width.
    pub fn new(platform: Platform, simd: Simd) -> Emulator {
        Emulator {
            platform,
            simd,
            layout: None,
            alpha_one: false,
            wrap_integers: false,
            memory: MemoryModel::Strong,
            without: None,
        }
    }

    /// Every platform and width that the differential tests compare.
    pub fn all() -> Vec<Emulator> {
        Emulator::all_and(&[])
    }

    /// Like [`Emulator::all`], with additional chips.
    pub fn all_and(also: &[Platform]) -> Vec<Emulator> {
        let widths = [Simd::Simd8, Simd::Simd16, Simd::Simd32];
        [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl]
            .into_iter()
            .chain(also.iter().copied())
            .flat_map(|platform| widths.map(|simd| Emulator::new(platform, simd)))
            .collect()
    }

    /// Whether the test can run at this width: the case allows it, the chip supports a workgroup of that size, and a
    /// thread has the scratch memory that the case needs.
    pub fn suits(&self, test: &RunTest, shader: &Shader) -> bool {
        let Some(channels) = self.simd.channels().map(u32::from) else { return true };
        let device = Device::new(self.platform);
        let limits = *device.limits();
        let Some(compute) = shader.compute() else { return false };
        test.case.widths.contains(&channels)
            && test.case.scratch.saturating_mul(channels)
                <= device.max_scratch_bytes(Pipeline::Compute)
            && compute.invocations() <= limits.max_workgroup_invocations(channels).into()
    }

    /// The options with which a test's module is compiled.
    pub fn options(&self, test: &RunTest) -> Options {
        let mut options = Options::new(self.platform).with_simd(self.simd);
        options.entry = Some(test.case.entry.clone());
        options.specialization = test.case.spec.iter().map(spec_bits).collect();
        tell_resources(&mut options, test);
        options.verify = true;
        options.without_image_step = self.without;
        // For finding a faulty pass: names of `opt_` passes to leave out.
        let skip = std::env::var("CRESTLINE_SKIP").unwrap_or_default();
        options.disabled = skip.split(',').map(str::to_owned).collect();
        options
    }

    /// Compiles the test's module.
    ///
    /// # Errors
    ///
    /// [`Failure::Limit`] if only narrower threads have enough scratch memory; else the compiler's message.
    pub fn compile(&self, test: &RunTest) -> Result<Program, Failure> {
        compile_spirv(&test.spirv, &self.options(test)).map_err(|error| match error {
            CompileError::Scratch { .. } if self.simd != Simd::Simd8 => {
                Failure::Limit(error.to_string())
            }
            _ => Failure::Wrong(error.to_string()),
        })
    }

    /// Runs a program on a test's buffers. Every diagnostic is an error, with the exceptions below. A vertex shader
    /// runs for as many vertices as the case has workgroups in x.
    ///
    /// # Errors
    ///
    /// The emulator's message.
    pub fn execute(&self, program: &Program, test: &RunTest) -> Result<Vec<Vec<u8>>, String> {
        let device = Device::new(self.platform);
        let kernel = Kernel::load(&program.code, program.metadata.clone(), &device)
            .map_err(|error| error.to_string())?;
        let mut resources = emulator_resources(&test.case, self.layout)?;
        let mut options =
            crestline_emu::Options::strict().with_policy(Class::UninitializedRead, Policy::Warn);
        if !test.case.in_bounds {
            options = options.with_policy(Class::OutOfBounds, Policy::Ignore);
        } else if test.case.buffers.iter().any(|b| matches!(b.kind, BufferKind::Image(_))) {
            options = options.with_policy(Class::OutOfBounds, Policy::Warn);
        }
        options.alpha_one = self.alpha_one;
        options.wrap_integers = self.wrap_integers;
        options.memory = self.memory;
        let report = match program.metadata.stage {
            StageMetadata::Vertex(_) => {
                let draw = Draw::vertices(test.case.groups[0]);
                kernel.run_vertices(&draw, &resources, &options, None).map(|(_, report)| report)
            }
            _ => kernel.dispatch(test.case.groups, &mut resources, &options),
        }
        .map_err(|error| error.to_string())?;
        let vectors = matches!(program.metadata.stage, StageMetadata::Vertex(_));
        let wrong = |found: &&crestline_emu::Diagnostic| match found.problem {
            // Vertex shaders move whole vectors, of which some components may not be written.
            Problem::UninitializedRead { .. } if vectors || test.case.inactive => false,
            // Accesses to texels out of bounds are defined. If the shader computes addresses, such a texel has an
            // address beyond every buffer.
            Problem::OutOfBounds { surface, address, .. } => {
                !matches!(surface, SurfaceName::Image(_)) && address < OUTSIDE
            }
            _ => !multiplies_for_all(&kernel.instructions()[found.location.instruction]),
        };
        if let Some(wrong) = report.diagnostics.iter().find(wrong) {
            return Err(wrong.to_string());
        }
        Ok(contents_after(&test.case, &resources))
    }
}

/// Whether an instruction computes high products for disabled channels too, as Ivy Bridge requires. An uninitialised
/// read there is not an error: the product of a channel depends on its own sources only, and only the products of
/// enabled channels are used.
fn multiplies_for_all(inst: &Inst) -> bool {
    inst.no_mask && inst.opcode == Opcode::Mach && inst.exec_size == 8
}

impl Engine for Emulator {
    fn name(&self) -> String {
        format!("{} at {:?}", self.platform, self.simd)
    }

    fn run(&self, test: &RunTest) -> Result<Vec<Vec<u8>>, Failure> {
        Ok(self.execute(&self.compile(test)?, test)?)
    }
}
