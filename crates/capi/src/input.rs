//! What a caller gives to the compiler.

use std::ffi::c_char;

use crestline::{Input, Job, Language, LinkOptions, Options, Simd, Source, Stage};
use crestline::{TessDomain, TessSpacing};
use crestline_device::SurfaceFormat;

use crate::arguments::{Result, array, object, optional_text, platform, sized};
use crate::error::CrestlineError;

/// The language of a shader.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineLanguage {
    /// SPIR-V, binary, in either byte order.
    Spirv = 0,
    /// WGSL.
    Wgsl = 1,
    /// GLSL for Vulkan. Without the feature `glslang` of the library, what naga reads of it.
    Glsl = 2,
    /// HLSL, only with the feature `glslang` of the library.
    Hlsl = 3,
}

/// A stage.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineStage {
    /// In options: the stage of the only entry point with the name.
    Any = 0,
    /// Vertex shader.
    Vertex = 1,
    /// Tessellation control (hull) shader.
    TessControl = 2,
    /// Tessellation evaluation (domain) shader.
    TessEval = 3,
    /// Geometry shader.
    Geometry = 4,
    /// Fragment (pixel) shader.
    Fragment = 5,
    /// Compute shader.
    Compute = 6,
}

/// A SIMD width.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineSimd {
    /// The compiler chooses the width; for fragment shaders, it may compile for several.
    Auto = 0,
    /// 8 channels.
    Simd8 = 1,
    /// 16 channels.
    Simd16 = 2,
    /// 32 channels.
    Simd32 = 3,
    /// Two vertices of four components, for vertex, tessellation and geometry shaders up to gen8.
    Simd4x2 = 4,
}

/// The domain of a tessellation evaluation shader.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineDomain {
    /// In options: not known.
    Unknown = 0,
    /// Quads.
    Quads = 1,
    /// Triangles.
    Triangles = 2,
    /// Isolines.
    Isolines = 3,
}

/// How the tessellator rounds levels.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineSpacing {
    /// In options: not known.
    Unknown = 0,
    /// To the next integer.
    Equal = 1,
    /// To odd numbers of segments.
    FractionalOdd = 2,
    /// To even numbers of segments.
    FractionalEven = 3,
}

/// In `CrestlineOptions::flags`: indices of arrays, matrices and vectors are clamped into their bounds.
pub const CRESTLINE_OPTION_ROBUST_ACCESS: u32 = 1;
/// In `CrestlineOptions::flags`: the code of fragment shaders is for alpha to coverage.
pub const CRESTLINE_OPTION_ALPHA_TO_COVERAGE: u32 = 2;
/// In `CrestlineOptions::flags`: all invocations of each subgroup of a compute shader exist.
pub const CRESTLINE_OPTION_FULL_SUBGROUPS: u32 = 4;
/// In `CrestlineOptions::flags`: an image that is read without a format has four components of 32 bits.
pub const CRESTLINE_OPTION_ASSUME_IMAGE_FORMATS: u32 = 8;
const ALL_FLAGS: u32 = CRESTLINE_OPTION_ROBUST_ACCESS
    | CRESTLINE_OPTION_ALPHA_TO_COVERAGE
    | CRESTLINE_OPTION_FULL_SUBGROUPS
    | CRESTLINE_OPTION_ASSUME_IMAGE_FORMATS;

/// The value of a specialization constant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineSpecialization {
    /// The constant's id (`SpecId`).
    pub id: u32,
    /// Its bits, zero extended.
    pub value: u64,
}

/// The size of a descriptor array that the shader declares without a size.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineDescriptorCount {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Number of elements.
    pub count: u32,
}

/// The format of a storage image that the shader declares without a format.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineImageFormat {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// The code of the format in RENDER_SURFACE_STATE (Surface Format).
    pub format: u32,
}

/// What to compile for, and how. Set all bytes to 0, then `size` and `platform`; the other fields are optional.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineOptions {
    /// `sizeof(CrestlineOptions)`.
    pub size: usize,
    /// The name of the platform, such as "skl"; see `crestline_target_name`.
    pub platform: *const c_char,
    /// The name of the entry point. NULL: the only one.
    pub entry: *const c_char,
    /// A constant of `CrestlineStage`.
    pub stage: u32,
    /// A constant of `CrestlineSimd`.
    pub simd: u32,
    /// Bits `CRESTLINE_OPTION_`...
    pub flags: u32,
    /// Number of samples of the framebuffer, for fragment shaders. 0: any number.
    pub samples: u32,
    /// Required number of invocations of a subgroup: 8, 16 or 32. 0: any.
    pub subgroup_size: u32,
    /// Number of control points of an input patch, for tessellation shaders. 0: not known.
    pub input_vertices: u32,
    /// Domain of the evaluation shader, for control shaders: a constant of `CrestlineDomain`.
    pub domain: u32,
    /// Spacing of the evaluation shader, for control shaders: a constant of `CrestlineSpacing`.
    pub spacing: u32,
    /// Values of specialization constants.
    pub specializations: *const CrestlineSpecialization,
    /// Number of elements of `specializations`.
    pub specialization_count: usize,
    /// Sizes of descriptor arrays.
    pub descriptor_counts: *const CrestlineDescriptorCount,
    /// Number of elements of `descriptor_counts`.
    pub descriptor_count_count: usize,
    /// Formats of storage images.
    pub image_formats: *const CrestlineImageFormat,
    /// Number of elements of `image_formats`.
    pub image_format_count: usize,
}

/// A shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineSource {
    /// A constant of `CrestlineLanguage`.
    pub language: u32,
    /// The name of the file, for messages. For GLSL and HLSL its ending may give the stage (`.vert`). NULL: "shader".
    pub name: *const c_char,
    /// The text or module. A text needs no zero byte at its end.
    pub bytes: *const u8,
    /// Number of bytes.
    pub size: usize,
}

/// A shader of a pipeline.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineShader {
    /// The shader.
    pub source: *const CrestlineSource,
    /// How to compile it. All shaders of a pipeline must have the same platform.
    pub options: *const CrestlineOptions,
}

/// In `CrestlineLinkOptions::flags`: no fragment shader follows if none is given.
pub const CRESTLINE_LINK_NO_FRAGMENT_SHADER: u32 = 1;

/// How to link. Set all bytes to 0, then `size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineLinkOptions {
    /// `sizeof(CrestlineLinkOptions)`.
    pub size: usize,
    /// Bits `CRESTLINE_LINK_`...
    pub flags: u32,
    /// Locations of the last stage before the rasterizer that transform feedback captures, although the module does not
    /// declare it.
    pub captured_locations: *const u32,
    /// Number of elements of `captured_locations`.
    pub captured_location_count: usize,
}

fn wrong(name: &str, value: u32) -> CrestlineError {
    CrestlineError::argument(format!("{name}: {value} is none of its constants"))
}

fn flags(value: u32, all: u32) -> Result<u32> {
    match value & !all {
        0 => Ok(value),
        unknown => Err(CrestlineError::argument(format!("flags: unknown bits {unknown:#x}"))),
    }
}

fn language(value: u32) -> Result<Language> {
    const ALL: [Language; 4] = [Language::Spirv, Language::Wgsl, Language::Glsl, Language::Hlsl];
    ALL.get(value as usize).copied().ok_or_else(|| wrong("language", value))
}

fn stage(value: u32) -> Result<Option<Stage>> {
    use Stage::{Compute, Fragment, Geometry, TessControl, TessEval, Vertex};
    let all = [Vertex, TessControl, TessEval, Geometry, Fragment, Compute].map(Some);
    let found = (value as usize).checked_sub(1).map_or(Some(&None), |at| all.get(at));
    found.copied().ok_or_else(|| wrong("stage", value))
}

fn simd(value: u32) -> Result<Simd> {
    let all = [Simd::Auto, Simd::Simd8, Simd::Simd16, Simd::Simd32, Simd::Simd4x2];
    all.get(value as usize).copied().ok_or_else(|| wrong("simd", value))
}

fn domain(value: u32) -> Result<Option<TessDomain>> {
    let all = [TessDomain::Quads, TessDomain::Triangles, TessDomain::Isolines].map(Some);
    let found = (value as usize).checked_sub(1).map_or(Some(&None), |at| all.get(at));
    found.copied().ok_or_else(|| wrong("domain", value))
}

fn spacing(value: u32) -> Result<Option<TessSpacing>> {
    use TessSpacing::{Equal, FractionalEven, FractionalOdd};
    let all = [Equal, FractionalOdd, FractionalEven].map(Some);
    let found = (value as usize).checked_sub(1).map_or(Some(&None), |at| all.get(at));
    found.copied().ok_or_else(|| wrong("spacing", value))
}

fn image_format(given: &CrestlineImageFormat) -> Result<((u32, u32), SurfaceFormat)> {
    let format = u16::try_from(given.format).ok().and_then(SurfaceFormat::from_code);
    let format = format.ok_or_else(|| wrong("image_formats", given.format))?;
    Ok(((given.set, given.binding), format))
}

/// Reads the options.
///
/// # Safety
/// By the rules of all functions, the pointer and those in the struct are NULL or valid.
pub(crate) unsafe fn options(pointer: *const CrestlineOptions) -> Result<Options> {
    // SAFETY: as promised by the caller; numbers and pointers may have all bit patterns.
    let given = unsafe { sized(pointer, "options") }?;
    // SAFETY: as promised by the caller.
    let (platform, entry) =
        unsafe { (platform(given.platform)?, optional_text(given.entry, "entry")?) };
    // SAFETY: as promised by the caller.
    let (specializations, counts, formats) = unsafe {
        (
            array(given.specializations, given.specialization_count, "specializations")?,
            array(given.descriptor_counts, given.descriptor_count_count, "descriptor_counts")?,
            array(given.image_formats, given.image_format_count, "image_formats")?,
        )
    };
    let flags = flags(given.flags, ALL_FLAGS)?;
    let mut options = Options::new(platform);
    options.entry = entry.map(str::to_owned);
    options.stage = stage(given.stage)?;
    options.simd = simd(given.simd)?;
    options.robust_access = flags & CRESTLINE_OPTION_ROBUST_ACCESS != 0;
    options.alpha_to_coverage = flags & CRESTLINE_OPTION_ALPHA_TO_COVERAGE != 0;
    options.full_subgroups = flags & CRESTLINE_OPTION_FULL_SUBGROUPS != 0;
    options.assume_image_formats = flags & CRESTLINE_OPTION_ASSUME_IMAGE_FORMATS != 0;
    options.samples = match given.samples {
        0 => None,
        1 | 2 | 4 | 8 | 16 => Some(given.samples as u8),
        other => {
            let message = format!("samples: {other}: expected 0, 1, 2, 4, 8 or 16");
            return Err(CrestlineError::argument(message));
        }
    };
    options.subgroup_size = Some(given.subgroup_size).filter(|&size| size != 0);
    options.patch.input_vertices = Some(given.input_vertices).filter(|&count| count != 0);
    options.patch.domain = domain(given.domain)?;
    options.patch.spacing = spacing(given.spacing)?;
    options.specialization = specializations.iter().map(|of| (of.id, of.value)).collect();
    options.descriptor_counts = counts.iter().map(|of| ((of.set, of.binding), of.count)).collect();
    options.image_formats = formats.iter().map(image_format).collect::<Result<_>>()?;
    Ok(options)
}

/// Reads a shader.
///
/// # Safety
/// By the rules of all functions, the pointer and those in the struct are NULL or valid for the lifetime.
pub(crate) unsafe fn source<'a>(pointer: *const CrestlineSource) -> Result<Source<'a>> {
    // SAFETY: as promised by the caller.
    let given = unsafe { object(pointer, "source") }?;
    // SAFETY: as promised by the caller.
    let (name, bytes) =
        unsafe { (optional_text(given.name, "name")?, array(given.bytes, given.size, "bytes")?) };
    Ok(Source { name: name.unwrap_or("shader"), language: language(given.language)?, bytes })
}

/// Checks the number of shaders of a pipeline.
pub(crate) fn check_count(count: usize) -> Result<()> {
    /// A pipeline has at most five stages. More shaders than stages get the compiler's error.
    const MOST: usize = 16;
    if count > MOST {
        let message = format!("count: {count} shaders: expected at most {MOST}");
        return Err(CrestlineError::argument(message));
    }
    Ok(())
}

/// Reads the shaders of a pipeline.
///
/// # Safety
/// By the rules of all functions, the pointer and those in the structs are NULL or valid for the lifetime.
pub(crate) unsafe fn jobs<'a>(
    shaders: *const CrestlineShader,
    count: usize,
) -> Result<Vec<Job<'a>>> {
    // SAFETY: as promised by the caller.
    let shaders = unsafe { array(shaders, count, "shaders") }?;
    // SAFETY: as promised by the caller.
    let job = |of: &CrestlineShader| unsafe {
        Ok(Job { input: Input::Source(source(of.source)?), options: options(of.options)? })
    };
    shaders.iter().map(job).collect()
}

/// Reads the options of linking; NULL means the defaults.
///
/// # Safety
/// By the rules of all functions, the pointer and those in the struct are NULL or valid.
pub(crate) unsafe fn link_options(pointer: *const CrestlineLinkOptions) -> Result<LinkOptions> {
    if pointer.is_null() {
        return Ok(LinkOptions::default());
    }
    // SAFETY: as promised by the caller; numbers and pointers may have all bit patterns.
    let given = unsafe { sized(pointer, "link options") }?;
    // SAFETY: as promised by the caller.
    let captured = unsafe {
        array(given.captured_locations, given.captured_location_count, "captured_locations")
    }?;
    let flags = flags(given.flags, CRESTLINE_LINK_NO_FRAGMENT_SHADER)?;
    #[allow(
        clippy::needless_update,
        reason = "a field exists only with the feature testing of the compiler"
    )]
    let options = LinkOptions {
        captured: captured.iter().map(|&at| crestline::IoSlot::Location(at)).collect(),
        no_fragment_shader: flags & CRESTLINE_LINK_NO_FRAGMENT_SHADER != 0,
        ..LinkOptions::default()
    };
    Ok(options)
}
