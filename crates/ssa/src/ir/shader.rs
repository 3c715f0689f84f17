//! A shader: the interface around one function.

use super::{ComputeInfo, Feedback, Function, ImageTy, IoVar, StageInfo, TextureTy, Ty};

/// Float behaviour that the source module requests. Each field is a mask: bits 0, 1, 2 are set if the request applies
/// to floats of 16, 32, 64 bits.
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
    /// OpenGL's atomic counters: a buffer of dwords that only atomics access.
    AtomicCounters,
    /// A storage image, or a texel buffer that is accessed like one.
    Image(ImageTy),
    /// An image or texel buffer that is read through the sampler unit; it may be combined with a sampler.
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
    /// The kind of resource that the binding refers to.
    pub kind: BindingKind,
    /// Number of elements of a descriptor array; `None` if the binding is no array, `Some(0)` if the array is
    /// unbounded.
    pub count: Option<u32>,
    /// The name in the source, for messages and the text form.
    pub name: String,
    /// Whether the shader never writes the resource.
    pub readonly: bool,
    /// Whether invocations that execute an access together may select different elements of the array (`NonUniform` in
    /// SPIR-V). Otherwise the shader promises that they select the same one, and passes must keep that: none
    /// may merge accesses to different elements.
    pub non_uniform: bool,
}

/// The shape of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VarTy {
    /// A scalar or vector. Matrices are arrays of columns.
    Vector(Ty),
    /// An array: the element type, and the number of elements, at least 1.
    Array(Box<VarTy>, u32),
    /// The members, in order.
    Struct(Vec<VarTy>),
}

/// The storage class of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarStorage {
    /// One copy per invocation; undefined at the start unless [`Variable::init`] has values.
    Private,
}

/// A variable. Loads and stores select a part of it by a path ([`PathStep`](super::PathStep)s), not by an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source, for messages and the text form.
    pub name: String,
    /// Its shape.
    pub ty: VarTy,
    /// Its storage class.
    pub storage: VarStorage,
    /// Initial values of all scalars in order, zero extended to 64 bits, or `None` if undefined.
    pub init: Option<Vec<u64>>,
}

/// One entry point, with all calls inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// The entry point's name.
    pub name: String,
    /// Its stage, with the properties that only this stage has.
    pub stage: StageInfo,
    /// Float behaviour that the source module requests.
    pub float_controls: FloatControls,
    /// The bindings that the shader uses, sorted by set, then binding number.
    pub bindings: Vec<Binding>,
    /// Data from the previous stage or from vertex buffers. No two variables share a component of a slot.
    pub inputs: Vec<IoVar>,
    /// Data for the next stage. No two variables share a component of a slot.
    pub outputs: Vec<IoVar>,
    /// The parts of the outputs that transform feedback captures.
    pub feedback: Feedback,
    /// The clip and cull distances of the outputs, for stages whose vertices reach the rasterizer.
    pub distances: Distances,
    /// Private variables.
    pub vars: Vec<Variable>,
    /// Size in bytes of the push constants.
    pub push_constant_bytes: u32,
    /// Bytes of scratch memory per invocation.
    pub scratch_bytes: u32,
    /// Bytes of the constant memory that is part of the program.
    pub const_data: Vec<u8>,
    /// The code.
    pub func: Function,
}

/// Which of the eight distances in the slots of [`IoSlot::ClipDistances`](super::IoSlot::ClipDistances) clip and which cull. The cull distances
/// follow all clip distances that the interface declares, also those that the shader does not use.
///
/// **Invariant.** No distance does both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Distances {
    /// The clip distances: bit `i` is distance `i`.
    pub clip: u8,
    /// The cull distances: bit `i` is distance `i`.
    pub cull: u8,
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
            feedback: Feedback::default(),
            distances: Distances::default(),
            vars: Vec::new(),
            push_constant_bytes: 0,
            scratch_bytes: 0,
            const_data: Vec::new(),
            func: Function::new(),
        }
    }

    /// The binding with this id.
    pub fn binding(&self, id: BindingId) -> &Binding {
        &self.bindings[id.index()]
    }

    /// The image type of a binding; `None` if the binding is no storage image.
    pub fn image(&self, id: BindingId) -> Option<ImageTy> {
        match self.bindings.get(id.index())?.kind {
            BindingKind::Image(ty) => Some(ty),
            _ => None,
        }
    }

    /// The texture type of a binding; `None` if the binding is no texture.
    pub fn texture(&self, id: BindingId) -> Option<TextureTy> {
        match self.bindings.get(id.index())?.kind {
            BindingKind::Texture(ty) => Some(ty),
            _ => None,
        }
    }

    /// The variable with this id.
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.index()]
    }
}

impl VarTy {
    /// Number of scalars in the variable. They are numbered depth first.
    pub fn num_scalars(&self) -> u64 {
        match self {
            VarTy::Vector(ty) => ty.comps() as u64,
            VarTy::Array(element, count) => element.num_scalars().saturating_mul(u64::from(*count)),
            VarTy::Struct(members) => {
                members.iter().fold(0, |n, m| n.saturating_add(m.num_scalars()))
            }
        }
    }

    /// The type of the member, element or component that one path step selects. `index` is `None` for a dynamic index.
    /// Returns `None` if a constant index is out of range, or if this type has no such part.
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
