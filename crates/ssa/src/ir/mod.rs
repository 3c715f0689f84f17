//! The data structure: types, operations, instructions, regions, shaders.

#[macro_use]
mod id;

mod alu;
mod builder;
mod compact;
mod debug;
mod facts;
mod feedback;
mod fuel;
mod func;
mod image;
mod inst;
mod reads;
mod shader;
mod stage;
mod subgroup;
mod sysval;
mod texture;
mod ty;
mod visit;

pub use alu::{AluOp, AluRow, BitRule, Class, CompRule, Operand};
pub use builder::Builder;
pub use debug::{DebugLoc, DebugLocs, FileId, Place};
pub use facts::{Control, Convergence, Facts, Results, Storages};
pub use feedback::{Capture, Feedback, FeedbackBuffer, MAX_FEEDBACK_BUFFERS, MAX_FEEDBACK_STRIDE};
pub use fuel::{Fuel, LastChange};
pub use func::{Function, InstId, RegionData, RegionId, Value, ValueData, ValueDef};
pub use image::{ImageDim, ImageForm, ImageParam, ImageTy, SurfaceFormat, channels};
pub use inst::{
    Access, Align, AtomicOp, InstData, InstKind, Memory, MemorySemantics, PathStep, Resource,
    Scope, Src, Srcs, Swizzle, WriteMask,
};
pub use reads::{MAX_DEPTH, Targets};
pub use shader::{
    Binding, BindingId, BindingKind, Distances, FloatControls, Shader, VarId, VarStorage, VarTy,
    Variable,
};
pub(crate) use stage::STAGE_NAMES;
pub use stage::{
    ComputeInfo, DepthMode, FragmentInfo, GeometryInfo, InputPrimitive, Interlock, InterpMode,
    InterpPlace, Interpolation, IoSlot, IoVar, MAX_PATCH_VERTICES, MAX_STREAMS, OutputPrimitive,
    Stage, StageInfo, TessControlInfo, TessDomain, TessEvalInfo, TessSpacing, UnknownStage,
};
pub use subgroup::{SubgroupOp, identity};
pub use sysval::{Axis, BaryPlace, DerivativeRule, SysVal};
pub use texture::{TextureForm, TextureOp, TextureRead, TextureTy};
pub use ty::{Ty, TyError};
