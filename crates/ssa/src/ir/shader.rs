//! A shader: the interface around one function.

use super::{ComputeInfo, Function, ImageTy, IoVar, StageInfo, TextureTy, Ty};

/// Float behaviour the module asks for, per bit size where `16`, `32`, `64` are bits 0, 1, 2 of a mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatControls {
    /// Denormals are kept.
    pub denorm_preserve: u8,
    /// Denormals are flushed to zero.
    pub denorm_flush: u8,
    /// Signed zero, infinities and NaN are honoured.
    pub signed_zero_inf_nan_preserve: u8,
    /// Rounding is to nearest even.
    pub rounding_rte: u8,
    /// Rounding is toward zero.
    pub rounding_rtz: u8,
}

typed_index! {
    /// Names a binding of a shader: an index into [`Shader::bindings`].
    pub struct BindingId(pub u32), "b";
    /// Names a private variable: an index into [`Shader::vars`].
    pub struct VarId(pub u32), "v";
}

/// What a binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// A uniform buffer.
    UniformBuffer,
    /// A storage buffer.
    StorageBuffer,
    /// OpenGL's atomic counters: a buffer of dwords that only atomics touch.
    AtomicCounters,
    /// A storage image, or texels in a buffer that are accessed like one.
    Image(ImageTy),
    /// An image, or texels in a buffer, that is read through the sampler unit; it may bring a sampler of its own.
    Texture(TextureTy),
    /// A sampler.
    Sampler,
}

/// A descriptor binding that the shader uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Descriptor set.
    pub set: u32,
    /// Binding number in the set.
    pub binding: u32,
    /// What it holds.
    pub kind: BindingKind,
    /// Elements of a descriptor array; `None` for a binding that is no array, `Some(0)` for one without a bound.
    pub count: Option<u32>,
    /// The name in the source, for people.
    pub name: String,
    /// The shader never writes it.
    pub readonly: bool,
}

/// The shape of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VarTy {
    /// A scalar or vector. Matrices are arrays of columns.
    Vector(Ty),
    /// So many elements, at least 1.
    Array(Box<VarTy>, u32),
    /// Members in order.
    Struct(Vec<VarTy>),
}

/// What keeps a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarStorage {
    /// One invocation's own, undefined at the start unless [`Variable::init`] says otherwise.
    Private,
}

/// A variable that loads and stores reach by paths, not by addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source, for people.
    pub name: String,
    /// Its shape.
    pub ty: VarTy,
    /// What keeps it.
    pub storage: VarStorage,
    /// First values of all scalars in order, zero extended, or `None` if undefined.
    pub init: Option<Vec<u64>>,
}

/// One entry point, everything inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// The entry point's name.
    pub name: String,
    /// Its stage and what only that has.
    pub stage: StageInfo,
    /// Float behaviour asked for.
    pub float_controls: FloatControls,
    /// Bindings used, sorted by set, then binding.
    pub bindings: Vec<Binding>,
    /// What it gets from the stage before, or from vertex buffers. No two have a component of a slot in common.
    pub inputs: Vec<IoVar>,
    /// What it gives the stage behind it, likewise.
    pub outputs: Vec<IoVar>,
    /// Private variables.
    pub vars: Vec<Variable>,
    /// Bytes of push constants that may be read.
    pub push_constant_bytes: u32,
    /// Bytes of scratch memory of one invocation.
    pub scratch_bytes: u32,
    /// Constant memory that belongs to the program.
    pub const_data: Vec<u8>,
    /// The code.
    pub func: Function,
}

impl Shader {
    /// An empty compute shader with workgroups of one invocation.
    pub fn new_compute(name: impl Into<String>) -> Shader {
        Shader::new(name, StageInfo::Compute(ComputeInfo::new([1; 3])))
    }

    /// An empty shader.
    pub fn new(name: impl Into<String>, stage: StageInfo) -> Shader {
        Shader {
            name: name.into(),
            stage,
            float_controls: FloatControls::default(),
            bindings: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            vars: Vec::new(),
            push_constant_bytes: 0,
            scratch_bytes: 0,
            const_data: Vec::new(),
            func: Function::new(),
        }
    }

    /// A binding.
    pub fn binding(&self, id: BindingId) -> &Binding {
        &self.bindings[id.index()]
    }

    /// The type of a binding that is an image.
    pub fn image(&self, id: BindingId) -> Option<ImageTy> {
        match self.bindings.get(id.index())?.kind {
            BindingKind::Image(ty) => Some(ty),
            _ => None,
        }
    }

    /// The type of a binding that is a texture.
    pub fn texture(&self, id: BindingId) -> Option<TextureTy> {
        match self.bindings.get(id.index())?.kind {
            BindingKind::Texture(ty) => Some(ty),
            _ => None,
        }
    }

    /// A variable.
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.index()]
    }
}

impl VarTy {
    /// Number of scalars in the variable, counted depth first.
    pub fn num_scalars(&self) -> u64 {
        match self {
            VarTy::Vector(ty) => ty.comps() as u64,
            VarTy::Array(element, count) => element.num_scalars().saturating_mul(u64::from(*count)),
            VarTy::Struct(members) => {
                members.iter().fold(0, |n, m| n.saturating_add(m.num_scalars()))
            }
        }
    }

    /// The part of the variable one step down: a member, an element or a component, if there is such a part.
    pub fn step(&self, index: Option<u32>) -> Option<VarTy> {
        match self {
            VarTy::Vector(ty) if ty.comps() > 1 => {
                index.is_none_or(|i| (i as usize) < ty.comps()).then(|| VarTy::Vector(ty.scalar()))
            }
            VarTy::Vector(_) => None,
            VarTy::Array(element, count) => {
                index.is_none_or(|i| i < *count).then(|| (**element).clone())
            }
            VarTy::Struct(members) => members.get(index? as usize).cloned(),
        }
    }
}
