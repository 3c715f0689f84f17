/* The C interface of the Crestline shader compiler. docs/c-api.md is the guide.
 *
 * Rules of all functions:
 *
 * - A pointer is NULL or points to memory of the type and size that the function names. NULL is an error with the code
 *   E1401, except where a function allows it; so is a number that no constant of its enumeration has.
 * - No C++ exception and no Rust panic leaves a function. A panic becomes an error with the code E0999.
 * - All functions may be called by several threads at the same time, with the same objects, except the function that
 *   releases an object.
 */

#ifndef CRESTLINE_H
#define CRESTLINE_H

/* Written by cbindgen from crates/capi (UPDATE_EXPECT=1 cargo test -p crestline-capi --test header). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 The version of this interface: the value of crestline_abi_version in the library that belongs to this header.
 It increases if programs that were compiled with an older header can no longer run with the library.
 */
#define CRESTLINE_ABI_VERSION 1

/*
 In CrestlineOptions.flags: indices of arrays, matrices and vectors are clamped into their bounds.
 */
#define CRESTLINE_OPTION_ROBUST_ACCESS 1

/*
 In CrestlineOptions.flags: the code of fragment shaders is for alpha to coverage.
 */
#define CRESTLINE_OPTION_ALPHA_TO_COVERAGE 2

/*
 In CrestlineOptions.flags: all invocations of each subgroup of a compute shader exist.
 */
#define CRESTLINE_OPTION_FULL_SUBGROUPS 4

/*
 In CrestlineOptions.flags: an image that is read without a format has four components of 32 bits.
 */
#define CRESTLINE_OPTION_ASSUME_IMAGE_FORMATS 8

/*
 In CrestlineLinkOptions.flags: no fragment shader follows if none is given.
 */
#define CRESTLINE_LINK_NO_FRAGMENT_SHADER 1

/*
 The value of fields that are absent.
 */
#define CRESTLINE_NONE UINT32_MAX

/*
 Whether a function succeeded.
 */
enum CrestlineStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The function succeeded.
   */
  CRESTLINE_STATUS_OK = 0,
  /*
   The function failed. The error object gives the reason.
   */
  CRESTLINE_STATUS_ERROR = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineStatus CrestlineStatus;
#else
typedef uint32_t CrestlineStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What the numbers of a CrestlinePlace count.
 */
enum CrestlinePlaceKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The error has no place.
   */
  CRESTLINE_PLACE_KIND_NONE = 0,
  /*
   line and column of a source text.
   */
  CRESTLINE_PLACE_KIND_SOURCE = 1,
  /*
   offset is the number of a 32-bit word of a SPIR-V module.
   */
  CRESTLINE_PLACE_KIND_WORD = 2,
  /*
   offset is a byte of machine code.
   */
  CRESTLINE_PLACE_KIND_BYTE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlinePlaceKind CrestlinePlaceKind;
#else
typedef uint32_t CrestlinePlaceKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 The language of a shader.
 */
enum CrestlineLanguage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   SPIR-V, binary, in either byte order.
   */
  CRESTLINE_LANGUAGE_SPIRV = 0,
  /*
   WGSL.
   */
  CRESTLINE_LANGUAGE_WGSL = 1,
  /*
   GLSL for Vulkan. Without the feature glslang of the library, what naga reads of it.
   */
  CRESTLINE_LANGUAGE_GLSL = 2,
  /*
   HLSL, only with the feature glslang of the library.
   */
  CRESTLINE_LANGUAGE_HLSL = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineLanguage CrestlineLanguage;
#else
typedef uint32_t CrestlineLanguage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 A stage.
 */
enum CrestlineStage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   In options: the stage of the only entry point with the name.
   */
  CRESTLINE_STAGE_ANY = 0,
  /*
   Vertex shader.
   */
  CRESTLINE_STAGE_VERTEX = 1,
  /*
   Tessellation control (hull) shader.
   */
  CRESTLINE_STAGE_TESS_CONTROL = 2,
  /*
   Tessellation evaluation (domain) shader.
   */
  CRESTLINE_STAGE_TESS_EVAL = 3,
  /*
   Geometry shader.
   */
  CRESTLINE_STAGE_GEOMETRY = 4,
  /*
   Fragment (pixel) shader.
   */
  CRESTLINE_STAGE_FRAGMENT = 5,
  /*
   Compute shader.
   */
  CRESTLINE_STAGE_COMPUTE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineStage CrestlineStage;
#else
typedef uint32_t CrestlineStage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 A SIMD width.
 */
enum CrestlineSimd
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The compiler chooses the width; for fragment shaders, it may compile for several.
   */
  CRESTLINE_SIMD_AUTO = 0,
  /*
   8 channels.
   */
  CRESTLINE_SIMD_SIMD8 = 1,
  /*
   16 channels.
   */
  CRESTLINE_SIMD_SIMD16 = 2,
  /*
   32 channels.
   */
  CRESTLINE_SIMD_SIMD32 = 3,
  /*
   Two vertices of four components, for vertex, tessellation and geometry shaders up to gen8.
   */
  CRESTLINE_SIMD_SIMD4X2 = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineSimd CrestlineSimd;
#else
typedef uint32_t CrestlineSimd;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 The domain of a tessellation evaluation shader.
 */
enum CrestlineDomain
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   In options: not known.
   */
  CRESTLINE_DOMAIN_UNKNOWN = 0,
  /*
   Quads.
   */
  CRESTLINE_DOMAIN_QUADS = 1,
  /*
   Triangles.
   */
  CRESTLINE_DOMAIN_TRIANGLES = 2,
  /*
   Isolines.
   */
  CRESTLINE_DOMAIN_ISOLINES = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineDomain CrestlineDomain;
#else
typedef uint32_t CrestlineDomain;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How the tessellator rounds levels.
 */
enum CrestlineSpacing
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   In options: not known.
   */
  CRESTLINE_SPACING_UNKNOWN = 0,
  /*
   To the next integer.
   */
  CRESTLINE_SPACING_EQUAL = 1,
  /*
   To odd numbers of segments.
   */
  CRESTLINE_SPACING_FRACTIONAL_ODD = 2,
  /*
   To even numbers of segments.
   */
  CRESTLINE_SPACING_FRACTIONAL_EVEN = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineSpacing CrestlineSpacing;
#else
typedef uint32_t CrestlineSpacing;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 A syntax of assembly text.
 */
enum CrestlineSyntax
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The syntax of Mesa.
   */
  CRESTLINE_SYNTAX_MESA = 0,
  /*
   The syntax of Intel's iga64.
   */
  CRESTLINE_SYNTAX_IGA = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineSyntax CrestlineSyntax;
#else
typedef uint32_t CrestlineSyntax;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What breaking a rule means.
 */
enum CrestlineSeverity
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Known compilers avoid this; whether the hardware has a problem with it is not public.
   */
  CRESTLINE_SEVERITY_WARNING = 0,
  /*
   The result is undefined, or the hardware hangs.
   */
  CRESTLINE_SEVERITY_ERROR = 1,
  /*
   The instruction does not decode.
   */
  CRESTLINE_SEVERITY_UNDECODED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineSeverity CrestlineSeverity;
#else
typedef uint32_t CrestlineSeverity;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What a binding table entry is.
 */
enum CrestlineSurface
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   A null surface.
   */
  CRESTLINE_SURFACE_NULL = 0,
  /*
   A storage buffer, as a raw surface.
   */
  CRESTLINE_SURFACE_STORAGE_BUFFER = 1,
  /*
   The buffer of an atomic counter binding of OpenGL, as a raw surface.
   */
  CRESTLINE_SURFACE_ATOMIC_COUNTERS = 2,
  /*
   The colour attachment target; a null surface if there is none.
   */
  CRESTLINE_SURFACE_RENDER_TARGET = 3,
  /*
   A uniform buffer: R32G32B32A32_FLOAT texels with a pitch of one byte.
   */
  CRESTLINE_SURFACE_UNIFORM_BUFFER = 4,
  /*
   The constant data of the program, like a uniform buffer.
   */
  CRESTLINE_SURFACE_CONSTANT_DATA = 5,
  /*
   A buffer with the numbers of workgroups: three dwords.
   */
  CRESTLINE_SURFACE_NUM_WORKGROUPS = 6,
  /*
   A buffer with the contents bytes, like a uniform buffer.
   */
  CRESTLINE_SURFACE_LITERAL = 7,
  /*
   A texel buffer.
   */
  CRESTLINE_SURFACE_TEXEL_BUFFER = 8,
  /*
   A storage image or storage texel buffer.
   */
  CRESTLINE_SURFACE_STORAGE_IMAGE = 9,
  /*
   An image that the sampler reads.
   */
  CRESTLINE_SURFACE_SAMPLED_IMAGE = 10,
  /*
   A surface that this version of the interface does not describe.
   */
  CRESTLINE_SURFACE_OTHER = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineSurface CrestlineSurface;
#else
typedef uint32_t CrestlineSurface;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How a storage image is accessed through an entry.
 */
enum CrestlineAccess
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Read.
   */
  CRESTLINE_ACCESS_READ = 0,
  /*
   Written.
   */
  CRESTLINE_ACCESS_WRITE = 1,
  /*
   Both.
   */
  CRESTLINE_ACCESS_READ_WRITE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineAccess CrestlineAccess;
#else
typedef uint32_t CrestlineAccess;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What bytes of the payload hold.
 */
enum CrestlineContent
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Push constants of the application, from byte value on.
   */
  CRESTLINE_CONTENT_PUSH_CONSTANT = 0,
  /*
   The uniform buffer resource, from byte value on; 0 past its end.
   */
  CRESTLINE_CONTENT_UNIFORM_BUFFER = 1,
  /*
   Number of the thread in its workgroup.
   */
  CRESTLINE_CONTENT_SUBGROUP_ID = 2,
  /*
   Three dwords that the code adds to the workgroup id.
   */
  CRESTLINE_CONTENT_BASE_WORKGROUP_ID = 3,
  /*
   Three dwords: number of workgroups.
   */
  CRESTLINE_CONTENT_NUM_WORKGROUPS = 4,
  /*
   Three dwords: invocations of a workgroup.
   */
  CRESTLINE_CONTENT_LOCAL_SIZE = 5,
  /*
   Three dwords: invocations of the dispatch.
   */
  CRESTLINE_CONTENT_GLOBAL_SIZE = 6,
  /*
   Three dwords that the code adds to global invocation ids.
   */
  CRESTLINE_CONTENT_GLOBAL_OFFSET = 7,
  /*
   Number of dimensions of the dispatch.
   */
  CRESTLINE_CONTENT_WORK_DIMENSIONS = 8,
  /*
   Number of the view.
   */
  CRESTLINE_CONTENT_VIEW_INDEX = 9,
  /*
   Number of control points of an input patch.
   */
  CRESTLINE_CONTENT_PATCH_VERTICES = 10,
  /*
   Address of the buffer resource, a qword.
   */
  CRESTLINE_CONTENT_BUFFER_ADDRESS = 11,
  /*
   Size of the buffer resource in bytes.
   */
  CRESTLINE_CONTENT_BUFFER_SIZE = 12,
  /*
   Address of the constant data, a qword.
   */
  CRESTLINE_CONTENT_CONSTANT_DATA_ADDRESS = 13,
  /*
   Address of the private memory, a qword.
   */
  CRESTLINE_CONTENT_PRIVATE_MEMORY_ADDRESS = 14,
  /*
   The parameter value (a CrestlineImageParameter) of the storage image resource.
   */
  CRESTLINE_CONTENT_IMAGE_PARAMETER = 15,
  /*
   The contents bytes.
   */
  CRESTLINE_CONTENT_LITERAL = 16,
  /*
   A content that this version of the interface does not describe.
   */
  CRESTLINE_CONTENT_OTHER = 17,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineContent CrestlineContent;
#else
typedef uint32_t CrestlineContent;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 A parameter of a storage image; docs/metadata.md describes each.
 */
enum CrestlineImageParameter
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Position of level and first layer.
   */
  CRESTLINE_IMAGE_PARAMETER_OFFSET = 0,
  /*
   Number of texels along each coordinate.
   */
  CRESTLINE_IMAGE_PARAMETER_SIZE = 1,
  /*
   Distances between texels, rows and slices.
   */
  CRESTLINE_IMAGE_PARAMETER_STRIDE = 2,
  /*
   Size of a tile.
   */
  CRESTLINE_IMAGE_PARAMETER_TILING = 3,
  /*
   Address bits that change bit 6.
   */
  CRESTLINE_IMAGE_PARAMETER_SWIZZLING = 4,
  /*
   A parameter that this version of the interface does not describe.
   */
  CRESTLINE_IMAGE_PARAMETER_OTHER = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineImageParameter CrestlineImageParameter;
#else
typedef uint32_t CrestlineImageParameter;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What a slot of 16 bytes of a URB entry holds.
 */
enum CrestlineVarying
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Nothing.
   */
  CRESTLINE_VARYING_PADDING = 0,
  /*
   The header of a vertex.
   */
  CRESTLINE_VARYING_HEADER = 1,
  /*
   The position.
   */
  CRESTLINE_VARYING_POSITION = 2,
  /*
   Clip and cull distances value to value + 3.
   */
  CRESTLINE_VARYING_CLIP_DISTANCES = 3,
  /*
   The location value.
   */
  CRESTLINE_VARYING_LOCATION = 4,
  /*
   The primitive id.
   */
  CRESTLINE_VARYING_PRIMITIVE_ID = 5,
  /*
   Half value of the patch header.
   */
  CRESTLINE_VARYING_PATCH_HEADER = 6,
  /*
   The per-patch location value.
   */
  CRESTLINE_VARYING_PATCH = 7,
  /*
   The point coordinate, in CrestlineAttribute only.
   */
  CRESTLINE_VARYING_POINT_COORD = 8,
  /*
   A content that this version of the interface does not describe.
   */
  CRESTLINE_VARYING_OTHER = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineVarying CrestlineVarying;
#else
typedef uint32_t CrestlineVarying;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What an input slot of a vertex shader holds.
 */
enum CrestlineVertexInput
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The attribute location, from byte offset on.
   */
  CRESTLINE_VERTEX_INPUT_ATTRIBUTE = 0,
  /*
   First vertex, first instance, vertex id, instance id.
   */
  CRESTLINE_VERTEX_INPUT_SYSTEM_VALUES = 1,
  /*
   Draw id, all ones if the draw call is indexed, 0, 0.
   */
  CRESTLINE_VERTEX_INPUT_DRAW_PARAMETERS = 2,
  /*
   A content that this version of the interface does not describe.
   */
  CRESTLINE_VERTEX_INPUT_OTHER = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineVertexInput CrestlineVertexInput;
#else
typedef uint32_t CrestlineVertexInput;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How threads of the geometry pipeline work on objects.
 */
enum CrestlineDispatch
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Two vertices, control points or domain points in a thread.
   */
  CRESTLINE_DISPATCH_SIMD4X2 = 0,
  /*
   Eight vertices, control points, domain points, primitives or invocations in a thread.
   */
  CRESTLINE_DISPATCH_SIMD8 = 1,
  /*
   Geometry shaders: one primitive in a thread.
   */
  CRESTLINE_DISPATCH_SINGLE = 2,
  /*
   Geometry shaders: two invocations for one primitive in a thread.
   */
  CRESTLINE_DISPATCH_DUAL_INSTANCE = 3,
  /*
   Geometry shaders: two primitives in a thread.
   */
  CRESTLINE_DISPATCH_DUAL_OBJECT = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineDispatch CrestlineDispatch;
#else
typedef uint32_t CrestlineDispatch;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Primitives that the tessellator makes.
 */
enum CrestlineTessOutput
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Points.
   */
  CRESTLINE_TESS_OUTPUT_POINTS = 0,
  /*
   Lines.
   */
  CRESTLINE_TESS_OUTPUT_LINES = 1,
  /*
   Triangles, clockwise as the hardware defines it.
   */
  CRESTLINE_TESS_OUTPUT_TRIANGLES_CW = 2,
  /*
   Triangles, counter-clockwise as the hardware defines it.
   */
  CRESTLINE_TESS_OUTPUT_TRIANGLES_CCW = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineTessOutput CrestlineTessOutput;
#else
typedef uint32_t CrestlineTessOutput;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Primitives that a geometry shader emits.
 */
enum CrestlineGeometryOutput
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Points.
   */
  CRESTLINE_GEOMETRY_OUTPUT_POINTS = 0,
  /*
   Line strips.
   */
  CRESTLINE_GEOMETRY_OUTPUT_LINE_STRIP = 1,
  /*
   Triangle strips.
   */
  CRESTLINE_GEOMETRY_OUTPUT_TRIANGLE_STRIP = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineGeometryOutput CrestlineGeometryOutput;
#else
typedef uint32_t CrestlineGeometryOutput;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 A relocated number.
 */
enum CrestlineRelocationValue
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Bits 31:0 of the address of the constant data.
   */
  CRESTLINE_RELOCATION_VALUE_CONSTANT_DATA_ADDRESS_LOW = 0,
  /*
   Bits 63:32 of the address of the constant data.
   */
  CRESTLINE_RELOCATION_VALUE_CONSTANT_DATA_ADDRESS_HIGH = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineRelocationValue CrestlineRelocationValue;
#else
typedef uint32_t CrestlineRelocationValue;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 A rounding mode, with the codes of state packets (Rounding Mode).
 */
enum CrestlineRounding
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   To the nearest, ties to even.
   */
  CRESTLINE_ROUNDING_NEAREST_EVEN = 0,
  /*
   Up.
   */
  CRESTLINE_ROUNDING_UP = 1,
  /*
   Down.
   */
  CRESTLINE_ROUNDING_DOWN = 2,
  /*
   To zero.
   */
  CRESTLINE_ROUNDING_ZERO = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineRounding CrestlineRounding;
#else
typedef uint32_t CrestlineRounding;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 The type of a colour output.
 */
enum CrestlineColourType
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Not known.
   */
  CRESTLINE_COLOUR_TYPE_UNKNOWN = 0,
  /*
   Float.
   */
  CRESTLINE_COLOUR_TYPE_FLOAT = 1,
  /*
   Signed integer.
   */
  CRESTLINE_COLOUR_TYPE_INT = 2,
  /*
   Unsigned integer.
   */
  CRESTLINE_COLOUR_TYPE_UINT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CrestlineColourType CrestlineColourType;
#else
typedef uint32_t CrestlineColourType;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Why a function failed.
 */
typedef struct CrestlineError CrestlineError;

/*
 The result of a validation, sorted by byte offset.
 */
typedef struct CrestlineFindings CrestlineFindings;

/*
 A compiled program: machine code and metadata. It does not change.
 */
typedef struct CrestlineProgram CrestlineProgram;

/*
 A text in UTF-8.
 */
typedef struct CrestlineText CrestlineText;

/*
 A shader.
 */
typedef struct CrestlineSource {
  /*
   A constant of CrestlineLanguage.
   */
  uint32_t language;
  /*
   The name of the file, for messages. For GLSL and HLSL its ending may give the stage (.vert). NULL: "shader".
   */
  const char *name;
  /*
   The text or module. A text needs no zero byte at its end.
   */
  const uint8_t *bytes;
  /*
   Number of bytes.
   */
  size_t size;
} CrestlineSource;

/*
 The value of a specialization constant.
 */
typedef struct CrestlineSpecialization {
  /*
   The constant's id (SpecId).
   */
  uint32_t id;
  /*
   Its bits, zero extended.
   */
  uint64_t value;
} CrestlineSpecialization;

/*
 The size of a descriptor array that the shader declares without a size.
 */
typedef struct CrestlineDescriptorCount {
  /*
   Descriptor set.
   */
  uint32_t set;
  /*
   Binding in the set.
   */
  uint32_t binding;
  /*
   Number of elements.
   */
  uint32_t count;
} CrestlineDescriptorCount;

/*
 The format of a storage image that the shader declares without a format.
 */
typedef struct CrestlineImageFormat {
  /*
   Descriptor set.
   */
  uint32_t set;
  /*
   Binding in the set.
   */
  uint32_t binding;
  /*
   The code of the format in RENDER_SURFACE_STATE (Surface Format).
   */
  uint32_t format;
} CrestlineImageFormat;

/*
 What to compile for, and how. Set all bytes to 0, then size and platform; the other fields are optional.
 */
typedef struct CrestlineOptions {
  /*
   sizeof(CrestlineOptions).
   */
  size_t size;
  /*
   The name of the platform, such as "skl"; see crestline_target_name.
   */
  const char *platform;
  /*
   The name of the entry point. NULL: the only one.
   */
  const char *entry;
  /*
   A constant of CrestlineStage.
   */
  uint32_t stage;
  /*
   A constant of CrestlineSimd.
   */
  uint32_t simd;
  /*
   Bits CRESTLINE_OPTION_...
   */
  uint32_t flags;
  /*
   Number of samples of the framebuffer, for fragment shaders. 0: any number.
   */
  uint32_t samples;
  /*
   Required number of invocations of a subgroup: 8, 16 or 32. 0: any.
   */
  uint32_t subgroup_size;
  /*
   Number of control points of an input patch, for tessellation shaders. 0: not known.
   */
  uint32_t input_vertices;
  /*
   Domain of the evaluation shader, for control shaders: a constant of CrestlineDomain.
   */
  uint32_t domain;
  /*
   Spacing of the evaluation shader, for control shaders: a constant of CrestlineSpacing.
   */
  uint32_t spacing;
  /*
   Values of specialization constants.
   */
  const struct CrestlineSpecialization *specializations;
  /*
   Number of elements of specializations.
   */
  size_t specialization_count;
  /*
   Sizes of descriptor arrays.
   */
  const struct CrestlineDescriptorCount *descriptor_counts;
  /*
   Number of elements of descriptor_counts.
   */
  size_t descriptor_count_count;
  /*
   Formats of storage images.
   */
  const struct CrestlineImageFormat *image_formats;
  /*
   Number of elements of image_formats.
   */
  size_t image_format_count;
} CrestlineOptions;

/*
 A shader of a pipeline.
 */
typedef struct CrestlineShader {
  /*
   The shader.
   */
  const struct CrestlineSource *source;
  /*
   How to compile it. All shaders of a pipeline must have the same platform.
   */
  const struct CrestlineOptions *options;
} CrestlineShader;

/*
 How to link. Set all bytes to 0, then size.
 */
typedef struct CrestlineLinkOptions {
  /*
   sizeof(CrestlineLinkOptions).
   */
  size_t size;
  /*
   Bits CRESTLINE_LINK_...
   */
  uint32_t flags;
  /*
   Locations of the last stage before the rasterizer that transform feedback captures, although the module does not
   declare it.
   */
  const uint32_t *captured_locations;
  /*
   Number of elements of captured_locations.
   */
  size_t captured_location_count;
} CrestlineLinkOptions;

/*
 Registers of 32 bytes.
 */
typedef struct CrestlineRegisters {
  /*
   The first register.
   */
  uint32_t first;
  /*
   Number of registers; 0 if there are none.
   */
  uint32_t count;
} CrestlineRegisters;

/*
 A resource of the shader's interface.
 */
typedef struct CrestlineResource {
  /*
   Descriptor set.
   */
  uint32_t set;
  /*
   Binding in the set.
   */
  uint32_t binding;
  /*
   Element of a descriptor array.
   */
  uint32_t element;
} CrestlineResource;

/*
 Bytes of the payload.
 */
typedef struct CrestlinePayloadItem {
  /*
   Position in the register file: 32 * register + byte.
   */
  uint32_t offset;
  /*
   Number of bytes.
   */
  uint32_t size;
  /*
   A constant of CrestlineContent.
   */
  uint32_t content;
  /*
   An offset or parameter, see CrestlineContent.
   */
  uint32_t value;
  /*
   The resource, for contents that have one.
   */
  struct CrestlineResource resource;
  /*
   Contents of a literal.
   */
  const uint8_t *bytes;
  /*
   Number of bytes of the contents.
   */
  size_t byte_count;
} CrestlinePayloadItem;

/*
 Counts of the compiler for the code of an entry.
 */
typedef struct CrestlineStatistics {
  /*
   Instructions.
   */
  uint32_t instructions;
  /*
   Messages.
   */
  uint32_t sends;
  /*
   Loops.
   */
  uint32_t loops;
  /*
   Messages that store spilled registers.
   */
  uint32_t spills;
  /*
   Messages that load spilled registers.
   */
  uint32_t fills;
  /*
   The largest number of registers in use at the same time.
   */
  uint32_t registers;
  /*
   Estimated cycles of one thread.
   */
  uint64_t estimated_cycles;
} CrestlineStatistics;

/*
 A code entry: where threads may start.
 */
typedef struct CrestlineEntry {
  /*
   Channels of a thread.
   */
  uint32_t simd_width;
  /*
   Bytes from the start of the code, a multiple of 64: Kernel Start Pointer.
   */
  uint32_t offset;
  /*
   Fragment shaders: the number of the Kernel Start Pointer; otherwise CRESTLINE_NONE.
   */
  uint32_t kernel_start_slot;
  /*
   Dispatch GRF Start Register: the first register after the fixed payload. 0 for compute shaders and where the
   hardware pushes nothing.
   */
  uint32_t dispatch_grf_start;
  /*
   Constants that are the same in all threads.
   */
  struct CrestlineRegisters cross_thread;
  /*
   Constants of each thread of a workgroup.
   */
  struct CrestlineRegisters per_thread;
  /*
   Setup data of fragment shaders.
   */
  struct CrestlineRegisters setup;
  /*
   First register of the local invocation ids that the driver supplies.
   */
  uint32_t local_ids_first;
  /*
   Registers of one dimension of these.
   */
  uint32_t local_ids_registers;
  /*
   Number of dimensions of these; 0 if the driver supplies none.
   */
  uint32_t local_ids_dimensions;
  /*
   Compute shaders: threads of a workgroup; otherwise 0.
   */
  uint32_t threads;
  /*
   Compute shaders: Right Execution Mask of GPGPU_WALKER, the channels of the last thread; otherwise 0.
   */
  uint32_t right_mask;
  /*
   Contents of the constants. Later items overwrite earlier ones; bytes without an item are 0.
   */
  const struct CrestlinePayloadItem *items;
  /*
   Number of items.
   */
  size_t item_count;
  /*
   Counts of the compiler; NULL if there are none.
   */
  const struct CrestlineStatistics *statistics;
} CrestlineEntry;

/*
 A binding table entry.
 */
typedef struct CrestlineBinding {
  /*
   Binding table index.
   */
  uint32_t index;
  /*
   A constant of CrestlineSurface.
   */
  uint32_t surface;
  /*
   The resource, for surfaces that have one.
   */
  struct CrestlineResource resource;
  /*
   Surface Format of RENDER_SURFACE_STATE; CRESTLINE_NONE: the format of the image, or none.
   */
  uint32_t format;
  /*
   Storage images: a constant of CrestlineAccess; otherwise CRESTLINE_NONE.
   */
  uint32_t access;
  /*
   Number of the colour attachment; CRESTLINE_NONE for other surfaces.
   */
  uint32_t target;
  /*
   Contents of a literal buffer.
   */
  const uint8_t *bytes;
  /*
   Number of bytes of the contents.
   */
  size_t byte_count;
} CrestlineBinding;

/*
 An entry of the sampler table.
 */
typedef struct CrestlineSampler {
  /*
   Index in the table.
   */
  uint32_t index;
  /*
   The sampler, or combined image sampler.
   */
  struct CrestlineResource resource;
} CrestlineSampler;

/*
 A number that the driver writes into the code.
 */
typedef struct CrestlineRelocation {
  /*
   Byte offset in the code of the 4 bytes to write, least significant byte first.
   */
  uint32_t offset;
  /*
   A constant of CrestlineRelocationValue.
   */
  uint32_t value;
  /*
   Added to the value, modulo 2^32.
   */
  int32_t delta;
} CrestlineRelocation;

/*
 Facts of a compute shader.
 */
typedef struct CrestlineCompute {
  /*
   Invocations of a workgroup in x, y and z.
   */
  uint32_t local_size[3];
  /*
   Bytes of shared memory of a workgroup.
   */
  uint32_t shared_bytes;
  /*
   The same, rounded up to a size that the hardware has.
   */
  uint32_t shared_size;
  /*
   Whether the threads of a workgroup wait at barriers: Barrier Enable.
   */
  bool uses_barrier;
} CrestlineCompute;

/*
 An input slot of a vertex shader.
 */
typedef struct CrestlineVertexSlot {
  /*
   A constant of CrestlineVertexInput.
   */
  uint32_t input;
  /*
   Location of an attribute.
   */
  uint32_t location;
  /*
   First byte of an attribute: 0 or 16.
   */
  uint32_t offset;
} CrestlineVertexSlot;

/*
 The content of a slot of a URB entry.
 */
typedef struct CrestlineSlot {
  /*
   A constant of CrestlineVarying.
   */
  uint32_t varying;
  /*
   A location or number, see CrestlineVarying; otherwise 0.
   */
  uint32_t value;
} CrestlineSlot;

/*
 The layout of a URB entry: the contents of its slots of 16 bytes.
 */
typedef struct CrestlineLayout {
  /*
   The slots.
   */
  const struct CrestlineSlot *slots;
  /*
   Number of slots.
   */
  size_t count;
} CrestlineLayout;

/*
 A buffer of transform feedback.
 */
typedef struct CrestlineFeedbackBuffer {
  /*
   Its number, 0 to 3.
   */
  uint32_t buffer;
  /*
   Surface Pitch of 3DSTATE_SO_BUFFER, in bytes.
   */
  uint32_t stride;
  /*
   The stream whose vertices it gets.
   */
  uint32_t stream;
} CrestlineFeedbackBuffer;

/*
 Dwords that transform feedback captures.
 */
typedef struct CrestlineFeedbackCapture {
  /*
   Number of the buffer.
   */
  uint32_t buffer;
  /*
   Byte offset in the record of a vertex.
   */
  uint32_t offset;
  /*
   The content of the captured slot.
   */
  struct CrestlineSlot slot;
  /*
   First captured dword of the slot.
   */
  uint32_t first;
  /*
   Number of captured dwords.
   */
  uint32_t count;
} CrestlineFeedbackCapture;

/*
 Facts of stages that write vertices.
 */
typedef struct CrestlineVertexOutput {
  /*
   The layout of a vertex.
   */
  struct CrestlineLayout layout;
  /*
   User Clip Distance Clip Test Enable Bitmask.
   */
  uint32_t clip_distances;
  /*
   User Clip Distance Cull Test Enable Bitmask.
   */
  uint32_t cull_distances;
  /*
   Buffers of transform feedback.
   */
  const struct CrestlineFeedbackBuffer *feedback_buffers;
  /*
   Number of these buffers.
   */
  size_t feedback_buffer_count;
  /*
   What transform feedback captures.
   */
  const struct CrestlineFeedbackCapture *feedback_captures;
  /*
   Number of these captures.
   */
  size_t feedback_capture_count;
} CrestlineVertexOutput;

/*
 Facts of a vertex shader.
 */
typedef struct CrestlineVertex {
  /*
   A constant of CrestlineDispatch.
   */
  uint32_t dispatch;
  /*
   The first register of the inputs.
   */
  uint32_t first_input_register;
  /*
   The input slots, which vertex fetch delivers.
   */
  const struct CrestlineVertexSlot *inputs;
  /*
   Number of input slots.
   */
  size_t input_count;
  /*
   The vertices that the shader writes.
   */
  struct CrestlineVertexOutput output;
  /*
   Bytes of an output entry, a multiple of 64. The allocated entry must also hold the input slots.
   */
  uint32_t entry_bytes;
} CrestlineVertex;

/*
 Facts of a tessellation control shader.
 */
typedef struct CrestlineTessControl {
  /*
   A constant of CrestlineDispatch.
   */
  uint32_t dispatch;
  /*
   Control points of an input patch; 0 if the code is for any number.
   */
  uint32_t input_vertices;
  /*
   Control points of an output patch.
   */
  uint32_t output_vertices;
  /*
   Threads of a patch: Instance Count is one less.
   */
  uint32_t threads;
  /*
   The layout of an input control point.
   */
  struct CrestlineLayout inputs;
  /*
   The layout of the first part of the patch entry.
   */
  struct CrestlineLayout patch_outputs;
  /*
   The layout of an output control point in the patch entry.
   */
  struct CrestlineLayout vertex_outputs;
  /*
   Bytes of the patch entry, a multiple of 64.
   */
  uint32_t entry_bytes;
  /*
   Whether the threads of a patch wait at barriers.
   */
  bool uses_barrier;
} CrestlineTessControl;

/*
 Facts of a tessellation evaluation shader.
 */
typedef struct CrestlineTessEval {
  /*
   A constant of CrestlineDispatch.
   */
  uint32_t dispatch;
  /*
   A constant of CrestlineDomain.
   */
  uint32_t domain;
  /*
   A constant of CrestlineSpacing.
   */
  uint32_t spacing;
  /*
   A constant of CrestlineTessOutput.
   */
  uint32_t primitives;
  /*
   The layout of the first part of the patch entry.
   */
  struct CrestlineLayout patch_inputs;
  /*
   The layout of a control point in the patch entry.
   */
  struct CrestlineLayout vertex_inputs;
  /*
   The first register of the pushed slots.
   */
  uint32_t first_input_register;
  /*
   Slots of the patch entry that the hardware pushes, an even number.
   */
  uint32_t pushed_slots;
  /*
   The vertices that the shader writes.
   */
  struct CrestlineVertexOutput output;
  /*
   Bytes of an output entry, a multiple of 64.
   */
  uint32_t entry_bytes;
} CrestlineTessEval;

/*
 Facts of a geometry shader.
 */
typedef struct CrestlineGeometry {
  /*
   A constant of CrestlineDispatch.
   */
  uint32_t dispatch;
  /*
   Vertices of an input primitive.
   */
  uint32_t input_vertices;
  /*
   Invocations for each primitive: Instance Control is one less.
   */
  uint32_t invocations;
  /*
   Include Primitive ID.
   */
  bool primitive_id;
  /*
   The register of the handles of input vertices; CRESTLINE_NONE if there are none (Include Vertex Handles).
   */
  uint32_t vertex_handles;
  /*
   The layout of an input vertex.
   */
  struct CrestlineLayout inputs;
  /*
   The first register of the pushed slots.
   */
  uint32_t first_input_register;
  /*
   Slots of each input vertex that the hardware pushes, an even number.
   */
  uint32_t pushed_slots;
  /*
   A constant of CrestlineGeometryOutput.
   */
  uint32_t primitives;
  /*
   Bytes of the vertex count at the start of an output entry.
   */
  uint32_t count_bytes;
  /*
   Bytes of the control data, a multiple of 32.
   */
  uint32_t control_bytes;
  /*
   Control Data Format: 0 for cut bits, 1 for stream ids.
   */
  uint32_t control_data;
  /*
   Bytes from a vertex to the next, a multiple of 32.
   */
  uint32_t vertex_bytes;
  /*
   The vertices that the shader writes.
   */
  struct CrestlineVertexOutput output;
  /*
   Bytes of an output entry, a multiple of 64.
   */
  uint32_t entry_bytes;
} CrestlineGeometry;

/*
 An attribute of a fragment shader.
 */
typedef struct CrestlineAttribute {
  /*
   What the slot of the entry of the stage before holds, or the point coordinate.
   */
  struct CrestlineSlot source;
  /*
   Constant Interpolation Enable.
   */
  bool flat;
} CrestlineAttribute;

/*
 A colour output of a fragment shader.
 */
typedef struct CrestlineColourOutput {
  /*
   Number of the attachment.
   */
  uint32_t target;
  /*
   Written components, a bit each.
   */
  uint32_t components;
  /*
   A constant of CrestlineColourType.
   */
  uint32_t ty;
} CrestlineColourOutput;

/*
 Facts of a fragment shader; docs/metadata.md names the state of each.
 */
typedef struct CrestlineFragment {
  /*
   Barycentric Interpolation Mode.
   */
  uint32_t barycentric_modes;
  /*
   Pixel Shader Uses Source Depth.
   */
  bool source_depth;
  /*
   Pixel Shader Uses Source W.
   */
  bool source_w;
  /*
   Position XY Offset Select: sample.
   */
  bool position_offsets;
  /*
   Input coverage: 0 off, 1 covered samples, 2 samples that passed the tests, 3 whole pixels.
   */
  uint32_t input_coverage;
  /*
   The attributes.
   */
  const struct CrestlineAttribute *attributes;
  /*
   Number of attributes: Number of SF Output Attributes.
   */
  size_t attribute_count;
  /*
   The colour outputs.
   */
  const struct CrestlineColourOutput *colour_outputs;
  /*
   Number of colour outputs.
   */
  size_t colour_output_count;
  /*
   Messages have the alpha of attachment 0.
   */
  bool source0_alpha;
  /*
   Output 0 has a second colour.
   */
  bool dual_source;
  /*
   Pixel Shader Computed Depth Mode: 0 off, 1 on, 2 greater or equal, 3 less or equal.
   */
  uint32_t computed_depth_mode;
  /*
   Pixel Shader Computes Stencil.
   */
  bool computed_stencil;
  /*
   oMask Present to Render Target.
   */
  bool output_sample_mask;
  /*
   Pixel Shader Kills Pixel.
   */
  bool kills_pixels;
  /*
   Tests come before the shader.
   */
  bool early_tests;
  /*
   Pixel Shader Is Per Sample.
   */
  bool per_sample;
  /*
   The code is right for one sample only.
   */
  bool one_sample;
  /*
   Pixel Shader Has UAV.
   */
  bool side_effects;
  /*
   Pixel Shader Pulls Bary.
   */
  bool pixel_interpolator;
  /*
   Vector Mask Enable.
   */
  bool vector_mask;
} CrestlineFragment;

/*
 Everything that a driver needs besides the code.
 */
typedef struct CrestlineMetadata {
  /*
   Number of bytes of this struct that the library has filled. A field beyond is not there.
   */
  size_t size;
  /*
   The name of the platform, such as "skl".
   */
  const char *platform;
  /*
   Ten times the generation: 70, 75, 80 or 90 for compiled programs.
   */
  uint32_t generation;
  /*
   A constant of CrestlineStage.
   */
  uint32_t stage;
  /*
   The name of the entry point.
   */
  const char *entry_point;
  /*
   The code entries, at least one.
   */
  const struct CrestlineEntry *entries;
  /*
   Number of code entries.
   */
  size_t entry_count;
  /*
   The binding table.
   */
  const struct CrestlineBinding *bindings;
  /*
   Number of entries of the binding table that the code uses.
   */
  size_t binding_count;
  /*
   The sampler table.
   */
  const struct CrestlineSampler *samplers;
  /*
   Number of entries of the sampler table that the code uses.
   */
  size_t sampler_count;
  /*
   Bytes of scratch memory that a thread needs.
   */
  uint32_t scratch_bytes;
  /*
   The same, rounded up to a size that the hardware has.
   */
  uint32_t scratch_size;
  /*
   Per-Thread Scratch Space: the code of scratch_size. 0 also means no scratch memory.
   */
  uint32_t scratch_code;
  /*
   Bytes of private memory of a channel.
   */
  uint32_t private_bytes_per_channel;
  /*
   Size of the addresses that the code uses: 32 or 64 bits; 0 if it uses none.
   */
  uint32_t address_bits;
  /*
   Constants that the code reads.
   */
  const uint8_t *constant_data;
  /*
   Number of bytes of the constants.
   */
  size_t constant_data_size;
  /*
   Alignment of the address of the constants; 0 if there are none.
   */
  uint32_t constant_data_alignment;
  /*
   Numbers that the driver writes into the code.
   */
  const struct CrestlineRelocation *relocations;
  /*
   Number of relocations.
   */
  size_t relocation_count;
  /*
   A constant of CrestlineRounding: the rounding mode at thread start.
   */
  uint32_t rounding;
  /*
   Whether denormals of 16 bits are preserved at thread start.
   */
  bool preserve_half_denormals;
  /*
   The same for 32 bits.
   */
  bool preserve_single_denormals;
  /*
   The same for 64 bits.
   */
  bool preserve_double_denormals;
  /*
   Facts of a compute shader; NULL for other stages.
   */
  const struct CrestlineCompute *compute;
  /*
   Facts of a vertex shader; NULL for other stages.
   */
  const struct CrestlineVertex *vertex;
  /*
   Facts of a tessellation control shader; NULL for other stages.
   */
  const struct CrestlineTessControl *tess_control;
  /*
   Facts of a tessellation evaluation shader; NULL for other stages.
   */
  const struct CrestlineTessEval *tess_eval;
  /*
   Facts of a geometry shader; NULL for other stages.
   */
  const struct CrestlineGeometry *geometry;
  /*
   Facts of a fragment shader; NULL for other stages.
   */
  const struct CrestlineFragment *fragment;
} CrestlineMetadata;

/*
 The place of the input that an error concerns.
 */
typedef struct CrestlinePlace {
  /*
   A constant of CrestlinePlaceKind: what the other fields mean.
   */
  uint32_t kind;
  /*
   Line, from 1.
   */
  uint32_t line;
  /*
   Column in characters, from 1; 0 if only the line is known.
   */
  uint32_t column;
  /*
   Word of a module or byte of machine code.
   */
  uint64_t offset;
  /*
   The number of the shader in the array that crestline_link got; 0 for other functions.
   */
  size_t shader;
} CrestlinePlace;

/*
 An instruction that breaks a rule or does not decode. The texts are valid until the findings are released.
 */
typedef struct CrestlineFinding {
  /*
   A constant of CrestlineSeverity.
   */
  uint32_t severity;
  /*
   Byte offset of the instruction.
   */
  uint64_t offset;
  /*
   Id of the rule in docs/validation-rules.md; "" if the instruction does not decode.
   */
  const char *rule;
  /*
   The rule in one sentence, or why the instruction does not decode.
   */
  const char *sentence;
} CrestlineFinding;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns the version of the interface that the library has: CRESTLINE_ABI_VERSION of its header.
 */
uint32_t crestline_abi_version(void);

/*
 Returns the version of the compiler, such as "0.1.0". The text is static.
 */
const char *crestline_version(void);

/*
 Compiles one entry point of a shader. Stores the program, which the caller releases with crestline_program_free.

 A failure stores NULL, and the error, which the caller releases with crestline_error_free. error may be NULL.
 */
CrestlineStatus crestline_compile(const struct CrestlineSource *source,
                                  const struct CrestlineOptions *options,
                                  struct CrestlineProgram **program,
                                  struct CrestlineError **error);

/*
 Compiles the shaders of a pipeline together: removes outputs that no stage reads, carries constants from stage to
 stage, and packs varyings. Stores the program of shader i as programs[i].

 The shaders may be in any order. options may be NULL. A failure stores NULL for all programs, and the error, whose
 place gives the number of the shader.

 programs has count elements.
 */
CrestlineStatus crestline_link(const struct CrestlineShader *shaders,
                               size_t count,
                               const struct CrestlineLinkOptions *options,
                               struct CrestlineProgram **programs,
                               struct CrestlineError **error);

/*
 Reads a program from the JSON document that crestline_program_json and crestline compile --emit json write.

 text has size bytes.
 */
CrestlineStatus crestline_program_from_json(const uint8_t *text,
                                            size_t size,
                                            struct CrestlineProgram **program,
                                            struct CrestlineError **error);

/*
 Stores code and metadata as a JSON document, described in docs/metadata.md.
 */
CrestlineStatus crestline_program_json(const struct CrestlineProgram *program,
                                       struct CrestlineText **text,
                                       struct CrestlineError **error);

/*
 Returns the machine code, relocations not applied, and stores its number of bytes. The pointer is valid until the
 program is released. Returns NULL, and stores 0, if program is NULL. size may be NULL.
 */
const uint8_t *crestline_program_code(const struct CrestlineProgram *program, size_t *size);

/*
 Returns everything that a driver needs besides the code. It is valid until the program is released. Returns NULL if
 program is NULL.
 */
const struct CrestlineMetadata *crestline_program_metadata(const struct CrestlineProgram *program);

/*
 Releases a program with its metadata. NULL is allowed.
 */
void crestline_program_free(struct CrestlineProgram *program);

/*
 Returns the name of a platform that the compiler supports, such as "skl", by its number from 0 on; NULL beyond the last
 one. The text is static.
 */
const char *crestline_target_name(size_t number);

/*
 Returns the stable code of an error, such as "E0703", or "" if the error is NULL. E1401 is a wrong argument, E0999
 a bug of the compiler. The text is valid until the error is released.
 */
const char *crestline_error_code(const struct CrestlineError *error);

/*
 Returns the message of an error, in UTF-8, or "" if the error is NULL. The text is valid until the error is released.
 */
const char *crestline_error_message(const struct CrestlineError *error);

/*
 Stores the place of the input that an error concerns. Its kind is CRESTLINE_PLACE_KIND_NONE if the error is NULL or
 has no place. Does nothing if place is NULL.
 */
void crestline_error_place(const struct CrestlineError *error, struct CrestlinePlace *place);

/*
 Returns whether an error is a bug of the compiler, whatever the input.
 */
bool crestline_error_is_defect(const struct CrestlineError *error);

/*
 Releases an error. NULL is allowed.
 */
void crestline_error_free(struct CrestlineError *error);

/*
 Returns the bytes of a text. A zero byte follows them. The pointer is valid until the text is released. Returns "" for
 NULL.
 */
const char *crestline_text_data(const struct CrestlineText *text);

/*
 Returns the number of bytes of a text, without the zero byte at its end. Returns 0 for NULL.
 */
size_t crestline_text_size(const struct CrestlineText *text);

/*
 Releases a text. NULL is allowed.
 */
void crestline_text_free(struct CrestlineText *text);

/*
 Disassembles machine code, one instruction or label per line. platform is a name such as "skl"; all platforms from
 gen4 to gen12.5 are allowed. syntax is a constant of CrestlineSyntax.

 code has size bytes.
 */
CrestlineStatus crestline_disassemble(const uint8_t *code,
                                      size_t size,
                                      const char *platform,
                                      uint32_t syntax,
                                      struct CrestlineText **text,
                                      struct CrestlineError **error);

/*
 Checks machine code against the rules of the hardware. Code that breaks rules is no failure of the function: the
 findings list it.

 code has size bytes.
 */
CrestlineStatus crestline_validate(const uint8_t *code,
                                   size_t size,
                                   const char *platform,
                                   struct CrestlineFindings **findings,
                                   struct CrestlineError **error);

/*
 Returns the number of findings; 0 for NULL.
 */
size_t crestline_findings_count(const struct CrestlineFindings *findings);

/*
 Stores a finding by its number, from 0 on. Returns whether there is one; otherwise, and if a pointer is NULL, it stores
 nothing.
 */
bool crestline_findings_get(const struct CrestlineFindings *findings, size_t number, struct CrestlineFinding *finding);

/*
 Releases findings. NULL is allowed.
 */
void crestline_findings_free(struct CrestlineFindings *findings);

/*
 Analyses machine code: cycles, unit loads, register pressure, messages, hints. Stores a JSON document, whose schema is
 docs/analysis.schema.json. simd_width is the number of channels of a thread, or 0 if it is not known.

 code has size bytes.
 */
CrestlineStatus crestline_analyze(const uint8_t *code,
                                  size_t size,
                                  const char *platform,
                                  uint32_t simd_width,
                                  struct CrestlineText **json,
                                  struct CrestlineError **error);

/*
 Analyses all code entries of a program, with its metadata. Stores a JSON document as crestline_analyze does.
 */
CrestlineStatus crestline_analyze_program(const struct CrestlineProgram *program,
                                          struct CrestlineText **json,
                                          struct CrestlineError **error);

/*
 Returns the stable code of an error, such as "E0703", or "" if the error is NULL. E1401 is a wrong argument, E0999
 a bug of the compiler. The text is valid until the error is released.
 */
const char *crestline_error_code(const struct CrestlineError *error);

/*
 Returns the message of an error, in UTF-8, or "" if the error is NULL. The text is valid until the error is released.
 */
const char *crestline_error_message(const struct CrestlineError *error);

/*
 Stores the place of the input that an error concerns. Its kind is CRESTLINE_PLACE_KIND_NONE if the error is NULL or
 has no place. Does nothing if place is NULL.
 */
void crestline_error_place(const struct CrestlineError *error, struct CrestlinePlace *place);

/*
 Returns whether an error is a bug of the compiler, whatever the input.
 */
bool crestline_error_is_defect(const struct CrestlineError *error);

/*
 Releases an error. NULL is allowed.
 */
void crestline_error_free(struct CrestlineError *error);

/*
 Returns the bytes of a text. A zero byte follows them. The pointer is valid until the text is released. Returns "" for
 NULL.
 */
const char *crestline_text_data(const struct CrestlineText *text);

/*
 Returns the number of bytes of a text, without the zero byte at its end. Returns 0 for NULL.
 */
size_t crestline_text_size(const struct CrestlineText *text);

/*
 Releases a text. NULL is allowed.
 */
void crestline_text_free(struct CrestlineText *text);

/*
 Compiles one entry point of a shader. Stores the program, which the caller releases with crestline_program_free.

 A failure stores NULL, and the error, which the caller releases with crestline_error_free. error may be NULL.
 */
CrestlineStatus crestline_compile(const struct CrestlineSource *source,
                                  const struct CrestlineOptions *options,
                                  struct CrestlineProgram **program,
                                  struct CrestlineError **error);

/*
 Compiles the shaders of a pipeline together: removes outputs that no stage reads, carries constants from stage to
 stage, and packs varyings. Stores the program of shader i as programs[i].

 The shaders may be in any order. options may be NULL. A failure stores NULL for all programs, and the error, whose
 place gives the number of the shader.

 programs has count elements.
 */
CrestlineStatus crestline_link(const struct CrestlineShader *shaders,
                               size_t count,
                               const struct CrestlineLinkOptions *options,
                               struct CrestlineProgram **programs,
                               struct CrestlineError **error);

/*
 Reads a program from the JSON document that crestline_program_json and crestline compile --emit json write.

 text has size bytes.
 */
CrestlineStatus crestline_program_from_json(const uint8_t *text,
                                            size_t size,
                                            struct CrestlineProgram **program,
                                            struct CrestlineError **error);

/*
 Stores code and metadata as a JSON document, described in docs/metadata.md.
 */
CrestlineStatus crestline_program_json(const struct CrestlineProgram *program,
                                       struct CrestlineText **text,
                                       struct CrestlineError **error);

/*
 Returns the machine code, relocations not applied, and stores its number of bytes. The pointer is valid until the
 program is released. Returns NULL, and stores 0, if program is NULL. size may be NULL.
 */
const uint8_t *crestline_program_code(const struct CrestlineProgram *program, size_t *size);

/*
 Returns everything that a driver needs besides the code. It is valid until the program is released. Returns NULL if
 program is NULL.
 */
const struct CrestlineMetadata *crestline_program_metadata(const struct CrestlineProgram *program);

/*
 Releases a program with its metadata. NULL is allowed.
 */
void crestline_program_free(struct CrestlineProgram *program);

/*
 Returns the name of a platform that the compiler supports, such as "skl", by its number from 0 on; NULL beyond the last
 one. The text is static.
 */
const char *crestline_target_name(size_t number);

/*
 Disassembles machine code, one instruction or label per line. platform is a name such as "skl"; all platforms from
 gen4 to gen12.5 are allowed. syntax is a constant of CrestlineSyntax.

 code has size bytes.
 */
CrestlineStatus crestline_disassemble(const uint8_t *code,
                                      size_t size,
                                      const char *platform,
                                      uint32_t syntax,
                                      struct CrestlineText **text,
                                      struct CrestlineError **error);

/*
 Checks machine code against the rules of the hardware. Code that breaks rules is no failure of the function: the
 findings list it.

 code has size bytes.
 */
CrestlineStatus crestline_validate(const uint8_t *code,
                                   size_t size,
                                   const char *platform,
                                   struct CrestlineFindings **findings,
                                   struct CrestlineError **error);

/*
 Returns the number of findings; 0 for NULL.
 */
size_t crestline_findings_count(const struct CrestlineFindings *findings);

/*
 Stores a finding by its number, from 0 on. Returns whether there is one; otherwise, and if a pointer is NULL, it stores
 nothing.
 */
bool crestline_findings_get(const struct CrestlineFindings *findings, size_t number, struct CrestlineFinding *finding);

/*
 Releases findings. NULL is allowed.
 */
void crestline_findings_free(struct CrestlineFindings *findings);

/*
 Analyses machine code: cycles, unit loads, register pressure, messages, hints. Stores a JSON document, whose schema is
 docs/analysis.schema.json. simd_width is the number of channels of a thread, or 0 if it is not known.

 code has size bytes.
 */
CrestlineStatus crestline_analyze(const uint8_t *code,
                                  size_t size,
                                  const char *platform,
                                  uint32_t simd_width,
                                  struct CrestlineText **json,
                                  struct CrestlineError **error);

/*
 Analyses all code entries of a program, with its metadata. Stores a JSON document as crestline_analyze does.
 */
CrestlineStatus crestline_analyze_program(const struct CrestlineProgram *program,
                                          struct CrestlineText **json,
                                          struct CrestlineError **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CRESTLINE_H */
