//! Runs compute modules that come without inputs: gives them resources of the types that they declare, and compares the
//! interpreter with the emulator.
//!
//! The values are small, so that most computed indices stay within the buffers, and floats are small multiples of a
//! quarter, so that most sums and products are exact. Where the interpreter sees an access out of bounds, both engines run
//! the shader with its indices clamped. A shader whose results depend on undefined values, or which the interpreter cannot
//! run, proves nothing and is skipped.

mod layout;

use std::collections::{BTreeMap, HashMap};

use crestline::{CompileError, Options, Simd, compile_spirv};
use crestline_device::{Device, Platform, Sampler, SurfaceFormat};
use crestline_emu::{Class, Kernel, Policy};
use crestline_frontend::{TranslateOptions, translate};
use crestline_judges::lavapipe::{Buffer, BufferKind, Dimension, Image, SpecConstant, Texture};
use crestline_ssa::interp;
use crestline_ssa::ir::{BindingKind, ImageDim, Shader};
use rspirv::dr::{Module, Operand};
use rspirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass};

use crate::case::Case;
use crate::compare::Rule;
use crate::corpus::RunTest;
use crate::data::Random;
use crate::engine;
pub use layout::{Layout, Scalar, Scalars, Types};

/// Bytes of an array without a size.
const TAIL_BYTES: usize = 32 << 10;
/// The most elements of a descriptor array that get a resource.
const MAX_ELEMENTS: u32 = 64;
/// Operations of the interpreter, and instructions of a thread of the emulator.
const BUDGET: u64 = 1 << 25;

/// A module with resources for it.
#[derive(Debug)]
pub struct Real {
    /// The module as a test.
    pub test: RunTest,
    /// The layouts that the module's variables give each buffer.
    layouts: Vec<Vec<Layout>>,
    /// Whether indices are clamped.
    robust: bool,
    /// What the interpreter computes with subgroups of 8, 16 and 32 invocations.
    expected: BTreeMap<u32, Vec<Vec<u8>>>,
    /// Whether the results are equal for all sizes of subgroups.
    pub stable: bool,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The results are those of the interpreter.
    Equal,
    /// The device cannot run the shader at this width.
    Skipped(String),
    /// The compiler's error, the emulator's, or the difference.
    Wrong(String),
}

impl Real {
    /// Makes resources for a compute module, and interprets it. With `robust`, indices are clamped; so they are if a buffer is
    /// accessed out of bounds.
    ///
    /// # Errors
    ///
    /// Why the module proves nothing.
    pub fn new(name: &str, spirv: &[u32], seed: u64, robust: bool) -> Result<Real, String> {
        let module = load(spirv)?;
        let refused = [
            (Capability::PhysicalStorageBufferAddresses, "addresses"),
            (Capability::CooperativeMatrixKHR, "cooperative matrices"),
        ];
        for (capability, what) in refused {
            let has = |inst: &rspirv::dr::Instruction| {
                inst.operands.first() == Some(&Operand::Capability(capability))
            };
            if module.capabilities.iter().any(has) {
                return Err(format!("skip: {what}"));
            }
        }
        let compute = |inst: &&rspirv::dr::Instruction| {
            inst.operands.first()
                == Some(&Operand::ExecutionModel(rspirv::spirv::ExecutionModel::GLCompute))
        };
        let entry = module.entry_points.iter().find(compute).ok_or("skip: no compute shader")?;
        let Some(Operand::LiteralString(entry)) = entry.operands.get(2) else {
            return Err("parse: an entry point without a name".into());
        };
        let mut case = Case::empty();
        case.entry.clone_from(entry);
        case.groups = [2, 2, 1];
        case.in_bounds = false;
        case.inactive = true;
        case.spec = workgroup_constants(&module);
        let test =
            RunTest { name: name.to_owned(), source: String::new(), case, spirv: spirv.to_vec() };
        let mut real =
            Real { test, layouts: Vec::new(), robust, expected: BTreeMap::new(), stable: true };
        let shader = real.shader()?;
        if shader.compute().is_none_or(|compute| compute.invocations() > 1024) {
            return Err("skip: more than 1024 invocations".into());
        }
        real.bind(&module, &shader, seed)?;
        real.interpret()?;
        Ok(real)
    }

    /// The shader of the front end.
    fn shader(&self) -> Result<Shader, String> {
        let case = &self.test.case;
        let spec: Vec<_> = case.spec.iter().map(engine::spec_bits).collect();
        let formats = engine::image_formats(&self.test);
        let options = TranslateOptions {
            entry: Some(&case.entry),
            spec: &spec,
            image_formats: &formats,
            robust_access: self.robust,
            ..TranslateOptions::default()
        };
        translate(&self.test.spirv, &options).map_err(|error| format!("front end: {error}"))
    }

    /// Makes a resource for each binding.
    fn bind(&mut self, module: &Module, shader: &Shader, seed: u64) -> Result<(), String> {
        let types = Types::new(module);
        let mut random = Random::new(seed);
        let mut variables: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        let (mut sets, mut numbers) = (HashMap::new(), HashMap::new());
        for inst in &module.annotations {
            let (Some(target), Some(value)) = (layout::word(inst, 0), layout::word(inst, 2)) else {
                continue;
            };
            match inst.operands.get(1) {
                Some(Operand::Decoration(Decoration::DescriptorSet)) => {
                    sets.insert(target, value);
                }
                Some(Operand::Decoration(Decoration::Binding)) => {
                    numbers.insert(target, value);
                }
                _ => {}
            }
        }
        let mut push = Vec::new();
        for inst in &module.types_global_values {
            if inst.class.opcode != Op::Variable {
                continue;
            }
            let (Some(id), Some(ty)) = (inst.result_id, inst.result_type) else { continue };
            let pointee = types.inst(ty).and_then(|inst| layout::word(inst, 1));
            let Some(mut pointee) = pointee else { continue };
            if inst.operands.first() == Some(&Operand::StorageClass(StorageClass::PushConstant)) {
                push = fill(&types.layout(pointee).unwrap_or_default(), true, 128, &mut random);
            }
            if let (Some(&set), Some(&number)) = (sets.get(&id), numbers.get(&id)) {
                // Descriptor arrays.
                while let Some(inst) = types.inst(pointee)
                    && matches!(inst.class.opcode, Op::TypeArray | Op::TypeRuntimeArray)
                {
                    pointee = layout::word(inst, 0).ok_or("parse: an array without elements")?;
                }
                variables.entry((set, number)).or_default().push(pointee);
            }
        }
        push.resize(shader.push_constant_bytes as usize, 0);
        self.test.case.push = push;
        for binding in &shader.bindings {
            let place = (binding.set, binding.binding);
            let samples = |kind: &BufferKind| matches!(kind, BufferKind::Sampler(_));
            let sampler = binding.kind == BindingKind::Sampler;
            if self.test.case.buffers.iter().any(|buffer| {
                (buffer.set, buffer.binding) == place && samples(&buffer.kind) == sampler
            }) {
                return Err("skip: two resources with one binding".into());
            }
            let types_of = variables.get(&place).map(Vec::as_slice).unwrap_or_default();
            let sampled = types_of.iter().find_map(|&ty| sampled_type(&types, ty));
            let count = match binding.count {
                None => 1,
                Some(0) => 4,
                Some(count) => count.min(MAX_ELEMENTS),
            };
            let layouts: Vec<Layout> = types_of.iter().filter_map(|&ty| types.layout(ty)).collect();
            for element in 0..count {
                let (kind, contents, layouts) = match binding.kind {
                    BindingKind::UniformBuffer | BindingKind::StorageBuffer => {
                        let uniform = binding.kind == BindingKind::UniformBuffer;
                        let layout = layouts.first().ok_or("skip: a block without a layout")?;
                        let bytes = fill(layout, uniform, TAIL_BYTES, &mut random);
                        let kind = if uniform { BufferKind::Uniform } else { BufferKind::Storage };
                        (kind, bytes, layouts.clone())
                    }
                    BindingKind::AtomicCounters => (BufferKind::Storage, vec![0; 256], Vec::new()),
                    BindingKind::Sampler => {
                        (BufferKind::Sampler(Sampler::default()), Vec::new(), Vec::new())
                    }
                    BindingKind::Image(ty) => {
                        let format = ty.format.and_then(SurfaceFormat::glsl_name);
                        let format = format.or(sampled).unwrap_or("rgba32f");
                        let image = image((ty.dim, ty.arrayed), format);
                        let (contents, layout) = texels(&image, &mut random)?;
                        (BufferKind::Image(image), contents, vec![layout])
                    }
                    BindingKind::Texture(ty) => {
                        if ty.multisampled {
                            return Err("skip: a texture with several samples".into());
                        }
                        let image = image((ty.dim, ty.arrayed), sampled.unwrap_or("rgba32f"));
                        let (contents, layout) = texels(&image, &mut random)?;
                        let combined = types_of.iter().any(|&ty| {
                            types.inst(ty).map(|inst| inst.class.opcode)
                                == Some(Op::TypeSampledImage)
                        });
                        let buffer = ty.dim == ImageDim::Buffer;
                        let texture = Texture {
                            sampler: (combined && !buffer).then(Sampler::default),
                            ..Texture::new(image)
                        };
                        (BufferKind::Texture(texture), contents, vec![layout])
                    }
                };
                let (set, binding) = place;
                self.test.case.buffers.push(Buffer { set, binding, element, kind, contents });
                self.test.case.rules.push(Rule::exact());
                self.layouts.push(layouts);
            }
        }
        Ok(())
    }

    /// Interprets the shader with subgroups of each size.
    fn interpret(&mut self) -> Result<(), String> {
        let shader = self.shader()?;
        let run = |subgroup_size, undef| {
            let mut resources = engine::interpreter_resources(&self.test.case);
            let options =
                interp::Options { subgroup_size, undef, budget: BUDGET, ..Default::default() };
            let report = interp::run(&shader, &mut resources, self.test.case.groups, &options)
                .map_err(|error| format!("interpreter: {error}"))?;
            let after = self.test.case.buffers.iter().map(|buffer| {
                let key = engine::interpreter_key(buffer);
                match buffer.kind {
                    BufferKind::Image(_) | BufferKind::Texture(_) => {
                        resources.images.remove(&key).map(|image| image.bytes)
                    }
                    _ => resources.buffers.remove(&key),
                }
                .unwrap_or_default()
            });
            Ok::<_, String>((after.collect::<Vec<_>>(), report.out_of_bounds_count))
        };
        let (first, outside) = run(8, 0)?;
        if outside > 0 {
            if self.robust {
                return Err("skip: accesses out of bounds".into());
            }
            self.robust = true;
            return self.interpret();
        }
        let (other, _) = run(8, 0x5a5a_3c3c_4171_a5a5)?;
        let (wide, very_wide) = (run(16, 0)?.0, run(32, 0)?.0);
        if other != first {
            return Err("skip: the results depend on undefined values".into());
        }
        self.stable = wide == first && very_wide == first;
        self.expected = [(8, first), (16, wide), (32, very_wide)].into_iter().collect();
        Ok(())
    }

    /// Compiles the module for a platform at a width, and compares the emulator's results with the interpreter's.
    pub fn compare(&self, platform: Platform, simd: Simd) -> Outcome {
        match self.run(platform, simd) {
            Err(outcome) => outcome,
            Ok(found) => {
                let channels = simd.channels().map_or(8, u32::from);
                let expected = &self.expected[&channels];
                let buffers = self.test.case.buffers.iter().zip(&self.layouts);
                for ((buffer, layouts), (found, expected)) in
                    buffers.zip(found.iter().zip(expected))
                {
                    if let Some(difference) = difference(layouts, found, expected) {
                        let (set, binding) = (buffer.set, buffer.binding);
                        return Outcome::Wrong(format!("buffer {set}.{binding}: {difference}"));
                    }
                }
                Outcome::Equal
            }
        }
    }

    /// Runs the module in the emulator.
    fn run(&self, platform: Platform, simd: Simd) -> Result<Vec<Vec<u8>>, Outcome> {
        let case = &self.test.case;
        let mut options = Options::new(platform).with_simd(simd);
        options.entry = Some(case.entry.clone());
        options.specialization = case.spec.iter().map(engine::spec_bits).collect();
        options.image_formats = engine::image_formats(&self.test);
        options.robust_access = self.robust;
        options.verify = true;
        for buffer in &case.buffers {
            let count = options.descriptor_counts.entry((buffer.set, buffer.binding)).or_default();
            *count = (*count).max(buffer.element + 1);
        }
        let skip = std::env::var("CRESTLINE_SKIP").unwrap_or_default();
        options.disabled = skip.split(',').map(str::to_owned).collect();
        let program = compile_spirv(&self.test.spirv, &options).map_err(|error| {
            let text = error.to_string();
            match error {
                CompileError::Scratch { .. } => Outcome::Skipped(text),
                _ if refused(error.code()) => Outcome::Skipped(text),
                _ => Outcome::Wrong(format!("compiler: {}: {text}", error.code())),
            }
        })?;
        let wrong = |what: &dyn std::fmt::Display| Outcome::Wrong(format!("emulator: {what}"));
        let device = Device::new(platform);
        let kernel = Kernel::load(&program.code, program.metadata.clone(), &device)
            .map_err(|error| wrong(&error))?;
        let mut resources =
            engine::emulator_resources(case, None).map_err(|error| wrong(&error))?;
        let mut options = crestline_emu::Options::strict()
            .with_policy(Class::UninitializedRead, Policy::Ignore)
            .with_policy(Class::OutOfBounds, Policy::Ignore);
        options.budget = BUDGET;
        options.host_threads = 1;
        kernel.dispatch(case.groups, &mut resources, &options).map_err(|error| wrong(&error))?;
        Ok(engine::contents_after(case, &resources))
    }
}

/// The module in rspirv's form, of which types and names are read. Its loader refuses `OpExecutionModeId`, so these are left out.
fn load(spirv: &[u32]) -> Result<Module, String> {
    let (head, mut rest) = spirv.split_at(spirv.len().min(5));
    let mut words = head.to_vec();
    while let Some(&first) = rest.first() {
        let length = (first >> 16) as usize;
        if length == 0 || length > rest.len() {
            return Err("parse: an instruction of a wrong length".into());
        }
        let (inst, after) = rest.split_at(length);
        if first & 0xffff != Op::ExecutionModeId as u32 {
            words.extend(inst);
        }
        rest = after;
    }
    rspirv::dr::load_words(words).map_err(|error| format!("parse: {error}"))
}

/// Whether an error of this code says that the device cannot run the shader.
fn refused(code: &str) -> bool {
    code != "E0999"
}

/// Values for the specialization constants of the size of the workgroup, if all of them are 1: the driver chooses them.
fn workgroup_constants(module: &Module) -> Vec<SpecConstant> {
    let mut parts = Vec::new();
    for inst in &module.execution_modes {
        if inst.operands.get(1) == Some(&Operand::ExecutionMode(ExecutionMode::LocalSizeId)) {
            parts.extend((2..5).filter_map(|index| layout::word(inst, index)));
        }
    }
    let built_in = |inst: &&rspirv::dr::Instruction| {
        inst.operands.get(2) == Some(&Operand::BuiltIn(BuiltIn::WorkgroupSize))
    };
    let size = module.annotations.iter().find(built_in).and_then(|inst| layout::word(inst, 0));
    let find = |id| module.types_global_values.iter().find(|inst| inst.result_id == Some(id));
    if let Some(inst) = size.and_then(find) {
        parts.extend((0..3).filter_map(|index| layout::word(inst, index)));
    }
    let sizes: Option<Vec<u32>> =
        parts.iter().map(|&id| find(id).and_then(|inst| layout::word(inst, 0))).collect();
    if sizes.is_none_or(|sizes| sizes.iter().any(|&size| size != 1)) {
        return Vec::new();
    }
    let spec = |id| {
        let decorates = |inst: &&rspirv::dr::Instruction| {
            layout::word(inst, 0) == Some(id)
                && inst.operands.get(1) == Some(&Operand::Decoration(Decoration::SpecId))
        };
        module.annotations.iter().find(decorates).and_then(|inst| layout::word(inst, 2))
    };
    let sizes = [8u32, 4, 1].into_iter();
    parts
        .into_iter()
        .zip(sizes)
        .filter_map(|(id, size)| {
            Some(SpecConstant { id: spec(id)?, value: size.to_le_bytes().to_vec() })
        })
        .collect()
}

/// The format for images of the sampled type of an image type.
fn sampled_type(types: &Types, mut ty: u32) -> Option<&'static str> {
    let mut inst = types.inst(ty)?;
    if inst.class.opcode == Op::TypeSampledImage {
        ty = layout::word(inst, 0)?;
        inst = types.inst(ty)?;
    }
    if inst.class.opcode != Op::TypeImage {
        return None;
    }
    let sampled = types.inst(layout::word(inst, 0)?)?;
    Some(match (sampled.class.opcode, layout::word(sampled, 1)) {
        (Op::TypeFloat, _) => "rgba32f",
        (Op::TypeInt, Some(0)) => "rgba32ui",
        _ => "rgba32i",
    })
}

/// An image of a format with a few texels.
fn image((dim, arrayed): (ImageDim, bool), format: &'static str) -> Image {
    let (dimension, size) = match (dim, arrayed) {
        (ImageDim::D1, false) => (Dimension::D1, [32, 1, 1]),
        (ImageDim::D1, true) => (Dimension::D1Array, [32, 1, 4]),
        (ImageDim::D2, false) => (Dimension::D2, [32, 16, 1]),
        (ImageDim::D2, true) => (Dimension::D2Array, [16, 16, 4]),
        (ImageDim::D3, _) => (Dimension::D3, [16, 8, 8]),
        (ImageDim::Cube, false) => (Dimension::Cube, [8, 8, 6]),
        (ImageDim::Cube, true) => (Dimension::CubeArray, [8, 8, 12]),
        (ImageDim::Buffer, _) => (Dimension::Buffer, [1024, 1, 1]),
    };
    Image { dimension, size, format }
}

/// Texels of an image, and their layout.
fn texels(image: &Image, random: &mut Random) -> Result<(Vec<u8>, Layout), String> {
    let format = SurfaceFormat::from_sampled(image.format).ok_or("skip: an unknown format")?;
    let bytes = format.bytes() as usize * image.size.iter().map(|&n| n as usize).product::<usize>();
    let name = image.format;
    let scalar = match () {
        () if name.ends_with("32f") => Scalar::Float(4),
        () if name.ends_with("16f") => Scalar::Float(2),
        () if name == "r11f_g11f_b10f" => Scalar::Packed(&[11, 11, 10]),
        () if name == "rgb10_a2" => Scalar::Packed(&[10, 10, 10, 2]),
        () if name.ends_with('i') => Scalar::Int(format.bytes() as usize / components(name)),
        () if name.contains("16") => Scalar::Normal(2),
        () if name.contains('8') => Scalar::Normal(1),
        () => Scalar::Int(1),
    };
    let layout = Layout { scalars: Vec::new(), tail: Some((0, scalar.size(), vec![(0, scalar)])) };
    Ok((fill(&layout, false, bytes, random), layout))
}

/// The number of components of a format with this name in GLSL.
fn components(name: &str) -> usize {
    let letters = name.bytes().take_while(u8::is_ascii_lowercase).count();
    letters.clamp(1, 4)
}

/// Contents of a buffer: its scalars, and `tail` bytes of an array without a size.
fn fill(layout: &Layout, settings: bool, tail: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |at: usize, scalar: Scalar, random: &mut Random| {
        let end = at + scalar.size();
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        let value = match scalar {
            Scalar::Float(size) => {
                // No zeros: a quotient by zero is undefined.
                let value = (1 + random.below(8)) as f64 / 4.0;
                let value = if random.below(2) == 0 { -value } else { value };
                match size {
                    2 => u64::from(half(value)),
                    4 => u64::from((value as f32).to_bits()),
                    _ => value.to_bits(),
                }
            }
            // Sizes and strides.
            Scalar::Int(4 | 8) if settings => [1, 2, 4, 8][random.below(4)],
            Scalar::Int(1) | Scalar::Normal(_) | Scalar::Packed(_) => random.next() & 0x3fff_ffff,
            Scalar::Int(_) => 1 + random.below(15) as u64,
        };
        bytes[at..end].copy_from_slice(&value.to_le_bytes()[..scalar.size()]);
    };
    for &(at, scalar) in &layout.scalars {
        put(at, scalar, random);
    }
    if let Some((start, stride, element)) = &layout.tail {
        for n in 0..tail.div_ceil((*stride).max(1)) {
            for &(at, scalar) in element {
                put(start + n * stride + at, scalar, random);
            }
        }
    }
    let whole = bytes.len().next_multiple_of(4);
    bytes.resize(whole.max(16), 0);
    bytes
}

/// The bits of a small multiple of a quarter as a half.
fn half(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    if value == 0.0 {
        return 0;
    }
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    ((bits >> 16 & 0x8000) | (exponent as u32) << 10 | (bits >> 13 & 0x3ff)) as u16
}

/// The value of a half.
fn from_half(bits: u16) -> f64 {
    let magnitude = match (bits >> 10 & 31, f64::from(bits & 0x3ff)) {
        (0, fraction) => fraction * 2f64.powi(-24),
        (31, 0.0) => f64::INFINITY,
        (31, _) => f64::NAN,
        (exponent, fraction) => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The first difference, if the contents differ by each of the layouts.
fn difference(layouts: &[Layout], found: &[u8], expected: &[u8]) -> Option<String> {
    if found == expected {
        return None;
    }
    if found.len() != expected.len() {
        return Some(format!("{} bytes, expected {}", found.len(), expected.len()));
    }
    let mut first = None;
    for layout in layouts {
        first.get_or_insert(differs(layout, found, expected)?);
    }
    let at = (0..found.len()).find(|&at| found[at] != expected[at])?;
    first.or_else(|| Some(format!("byte {at} differs")))
}

/// The first difference by a layout. Bytes of no scalar, and values within the tolerance, do not differ.
fn differs(layout: &Layout, found: &[u8], expected: &[u8]) -> Option<String> {
    let (mut first, mut count) = (None::<(usize, String)>, 0);
    let mut compare = |at: usize, scalar: Scalar| {
        let range = at..at + scalar.size();
        let (Some(a), Some(b)) = (found.get(range.clone()), expected.get(range)) else { return };
        if a == b {
            return;
        }
        let bits = |bytes: &[u8]| {
            let mut wide = [0; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(wide)
        };
        let (a, b) = (bits(a), bits(b));
        let text = match scalar {
            Scalar::Int(_) => format!("{a:#x}, expected {b:#x}"),
            // A step up or down: an engine may round a float to either.
            Scalar::Normal(bytes) => {
                let last = (1 << (8 * bytes)) - 1;
                if a.abs_diff(b) == 1 || a.abs_diff(b) == last {
                    return;
                }
                format!("{a:#x}, expected {b:#x}")
            }
            Scalar::Packed(widths) => {
                let (mut shift, mut near) = (0, true);
                for &width in widths {
                    let field = |bits: u64| bits >> shift & ((1 << width) - 1);
                    near &= field(a).abs_diff(field(b)) <= 1;
                    shift += width;
                }
                if near {
                    return;
                }
                format!("{a:#x}, expected {b:#x}")
            }
            Scalar::Float(size) => {
                let value = |bits: u64| match size {
                    2 => from_half(bits as u16),
                    4 => f64::from(f32::from_bits(bits as u32)),
                    _ => f64::from_bits(bits),
                };
                let (a, b) = (value(a), value(b));
                let relative = if size == 2 { 2e-2 } else { 2e-3 };
                let near = (a - b).abs() <= 1e-3 + relative * b.abs();
                if a == b || near || (a.is_nan() && b.is_nan()) {
                    return;
                }
                format!("{a:e}, expected {b:e}")
            }
        };
        count += 1;
        if first.as_ref().is_none_or(|(place, _)| at < *place) {
            first = Some((at, text));
        }
    };
    for &(at, scalar) in &layout.scalars {
        compare(at, scalar);
    }
    if let Some((start, stride, element)) = &layout.tail {
        let mut base = *start;
        while base < found.len() {
            element.iter().for_each(|&(at, scalar)| compare(base + at, scalar));
            base += (*stride).max(1);
        }
    }
    first.map(|(at, text)| format!("byte {at}: {text} ({count} elements differ)"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::compile_source;
    use crestline_frontend::Language;

    fn real(body: &str) -> Result<Real, String> {
        let source = format!(
            "#version 450\nlayout(local_size_x = 8) in;\n\
             layout(binding = 0) buffer O {{ float o[]; }};\n\
             layout(binding = 1) buffer I {{ uint i[]; }};\n\
             void main() {{ uint id = gl_GlobalInvocationID.x + 16 * gl_GlobalInvocationID.y;\n{body} }}"
        );
        let language = Language::from_extension("comp").expect("GLSL");
        let words = compile_source("a.comp", language, &source).expect("a valid shader");
        Real::new("a.comp", &words, 1, false)
    }

    #[test]
    fn results_agree_and_a_planted_error_is_seen() {
        let mut real = real("o[id] = float(i[id] * 3) / 2.0;").unwrap();
        assert_eq!(real.compare(Platform::Skl, Simd::Simd8), Outcome::Equal);
        let buffers = real.expected.get_mut(&8).unwrap();
        buffers[0][7] ^= 0x40;
        let Outcome::Wrong(text) = real.compare(Platform::Skl, Simd::Simd8) else {
            panic!("the error is not seen");
        };
        assert!(text.starts_with("buffer 0.0: byte 4: "), "{text}");
    }

    #[test]
    fn indices_out_of_bounds_are_clamped() {
        let real = real("o[id] = float(i[id + 1000000]);").unwrap();
        assert!(real.robust);
        assert_eq!(real.compare(Platform::Hsw, Simd::Simd16), Outcome::Equal);
    }

    #[test]
    fn undefined_values_prove_nothing() {
        let text = real("float x; if (i[id] > 7) x = 1.0; o[id] = x;").unwrap_err();
        assert!(text.contains("undefined"), "{text}");
    }

    #[test]
    fn halves_are_converted_both_ways() {
        for value in [0.0, 0.25, -2.0, 1.75] {
            assert_eq!(from_half(half(value)), value);
        }
        assert!(from_half(0x7e00).is_nan());
        assert_eq!(from_half(0xfc00), f64::NEG_INFINITY);
    }
}
