//! Limits on scripts. A script that exceeds one is refused with an error that contains the limit.

/// The most bytes of a script's text.
pub const SCRIPT_BYTES: usize = 16 << 20;
/// The most bytes of all buffers of a script together.
pub const BUFFER_BYTES: u64 = 512 << 20;
/// The most buffers, shaders, samplers, virtual files or pipelines of a script, of each.
pub const OBJECTS: usize = 4096;
/// The most commands that a script runs, where each repetition of a command counts.
pub const COMMANDS: u64 = 1 << 20;
/// The most bytes of the buffers of a script together with what a command needs beside them: copies of what is bound and attached,
/// and vertices.
pub const MEMORY_BYTES: u64 = 1536 << 20;
/// The bytes of a vertex between two stages, about, with the values of its outputs.
pub const VERTEX_BYTES: u64 = 512;
/// The bytes of a point that the tessellator makes, about, with the vertices of its primitives.
pub const POINT_BYTES: u64 = 2048;
/// The most workgroups of a dispatch.
pub const WORKGROUPS: u64 = 1 << 22;
/// The most vertices of a draw call, over all its instances.
pub const VERTICES: u64 = 1 << 20;
/// The most work of all commands of a script; [`Settings`](crate::run::Settings) has the unit. The emulator does it in a few hours.
pub const WORK: u64 = 1 << 40;
/// The most cells of `DRAW_GRID`.
pub const CELLS: u64 = 1 << 16;
/// The most values of a type: the elements of its sized arrays and members, together.
pub const TYPE_VALUES: u64 = 1 << 16;
/// The largest width and height of an image or framebuffer in pixels (gen7 to gen9).
pub const IMAGE_SIDE: u32 = 16384;
/// The deepest nesting of `#include` lines.
pub const INCLUDES: u32 = 32;
/// The most bytes of a shader text after its `#include` lines are replaced.
pub const SHADER_BYTES: usize = 1 << 20;
