//! The data structure: types, operations, instructions, regions, shaders.

mod alu;
mod builder;
mod compact;
mod func;
mod image;
mod inst;
mod reads;
mod shader;
mod ty;

pub use alu::{AluOp, AluRow, BitRule, Class, CompRule, Operand};
pub use builder::Builder;
pub use func::{Function, InstId, RegionData, RegionId, Value, ValueData, ValueDef};
pub use image::{ImageDim, ImageForm, ImageParam, ImageTy, SurfaceFormat, channels};
pub use inst::{
    Access, Align, AtomicOp, InstData, InstKind, Memory, MemorySemantics, PathStep, Resource,
    Scope, Src, Srcs, Swizzle, SysVal, WriteMask,
};
pub use reads::{MAX_DEPTH, Targets};
pub use shader::{
    Binding, BindingId, BindingKind, ComputeInfo, FloatControls, Shader, Stage, VarId, VarStorage,
    VarTy, Variable,
};
pub use ty::{Ty, TyError};
