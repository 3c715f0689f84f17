//! Pointers. The translation resolves each pointer to a variable or memory, and the path or offset of a part of it.

use std::rc::Rc;

use crestline_ssa::ir::{
    Access, Align, AluOp, Binding, BindingKind, Memory, PathStep, Resource, Src, StageInfo, SysVal,
    Ty, Value, VarId,
};
use rspirv::spirv::{Decoration, Dim, Op, StorageClass};

use super::Translator;
use super::builtin::Builtin;
use super::image::TexelPtr;
use super::io::SlotPtr;
use super::pointer_value::Choice;
use super::value::Val;
use super::width::Narrow;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::layout::{Layout, MatrixLayout, Rules, fit};
use crate::spirv::{Const, Deco, ImageType, Inst, Type};

/// The largest alignment of offsets that is tracked, in bytes: a cache line, the size of the largest access.
pub(super) const MAX_ALIGN: u32 = 64;

/// The dimension of input attachments.
const SUBPASS_DATA: u32 = Dim::DimSubpassData as u32;

/// An index of an access chain.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index {
    /// A constant.
    Const(u32),
    /// A value of 32 bits that is computed at run time.
    Dyn(Value),
}

/// A pointer.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    /// The storage, and the position in it.
    pub(super) base: Base,
    /// The type of the value that it points to.
    pub(super) pointee: u32,
}

/// The storage that a pointer points into, and the position in it.
#[derive(Clone, Debug)]
pub(super) enum Base {
    /// A private variable.
    Var {
        /// Which.
        var: VarId,
        /// The path to the part.
        path: Vec<PathStep>,
    },
    /// A buffer, push constants, shared memory, or an image without a texel.
    Mem(MemPtr),
    /// A storage buffer that is known at run time only.
    Choice(Rc<Choice>),
    /// A built-in variable.
    Builtin {
        /// Which.
        builtin: Builtin,
        /// A component of it.
        comp: Option<Index>,
    },
    /// A block of built-in variables, before an index selects one.
    Builtins(Rc<[Builtin]>),
    /// An array of descriptors, before an index selects one.
    Descriptors(MemPtr),
    /// An array of descriptors that is known at run time only, before an index selects one.
    DescriptorChoice(Rc<Choice>),
    /// A variable that keeps a resource: its number.
    Kept(usize),
    /// A texel of an image.
    Texel(TexelPtr),
    /// Slots of inputs or outputs.
    Slots(SlotPtr),
    /// The result of `OpSampledImage`: a texture and a sampler of different bindings.
    Sampled {
        /// The texture.
        texture: Resource,
        /// The sampler.
        sampler: Resource,
    },
}

/// A place in memory.
#[derive(Clone, Debug)]
pub(super) struct MemPtr {
    /// Which memory.
    pub(super) memory: Memory,
    /// The part of the byte offset that is computed at run time.
    pub(super) dynamic: Option<Value>,
    /// The constant part of the byte offset.
    pub(super) offset: u32,
    /// The known alignment of `dynamic` + `offset`.
    pub(super) align: Align,
    /// Qualifiers of accesses: read-only, volatile, coherent, restrict, aliased.
    pub(super) access: Access,
    /// Whether writing is allowed.
    pub(super) writable: bool,
    /// Which rules give the layout.
    pub(super) rules: Rules,
    /// The layout of matrices in the value pointed to, if a structure member on the path declares one.
    pub(super) matrix: Option<MatrixLayout>,
    /// Bytes from one component to the next, for a column of a row-major matrix; `None` if they are contiguous.
    pub(super) comp_stride: Option<u32>,
}

impl Pointer {
    /// The pointer with the volatile and coherent qualifiers of `access` added.
    pub(super) fn with_access(mut self, access: Access) -> Pointer {
        let mem = match &mut self.base {
            Base::Mem(mem) => mem,
            Base::Choice(choice) => &mut Rc::make_mut(choice).mem,
            _ => return self,
        };
        mem.access.volatile |= access.volatile;
        mem.access.coherent |= access.coherent;
        self
    }

    /// This pointer with `f` applied to every IR value in it.
    pub(super) fn map(&self, f: &mut dyn FnMut(Value) -> Value) -> Pointer {
        let mut pointer = self.clone();
        match &mut pointer.base {
            Base::Var { path, .. } => {
                for step in path {
                    if let PathStep::Dyn(src) = step {
                        src.value = f(src.value);
                    }
                }
            }
            Base::Mem(mem) | Base::Descriptors(mem) => {
                map_element(&mut mem.memory, f);
                mem.dynamic = mem.dynamic.map(&mut *f);
            }
            Base::Choice(choice) | Base::DescriptorChoice(choice) => {
                let choice = Rc::make_mut(choice);
                choice.number = f(choice.number);
                choice.element = f(choice.element);
                choice.mem.dynamic = choice.mem.dynamic.map(&mut *f);
            }
            Base::Texel(texel) => {
                if let Some(element) = &mut texel.image.element {
                    element.value = f(element.value);
                }
                texel.coord = f(texel.coord);
            }
            Base::Slots(slots) => slots.map(f),
            Base::Kept(_) | Base::Builtins(_) => {}
            Base::Sampled { texture, sampler } => {
                for element in [&mut texture.element, &mut sampler.element].into_iter().flatten() {
                    element.value = f(element.value);
                }
            }
            Base::Builtin { comp, .. } => {
                if let Some(Index::Dyn(value)) = comp {
                    *value = f(*value);
                }
            }
        }
        pointer
    }
}

fn map_element(memory: &mut Memory, f: &mut dyn FnMut(Value) -> Value) {
    if let Some(src) = memory.src_mut() {
        src.value = f(src.value);
    }
}

impl MemPtr {
    /// A pointer to offset 0 of `memory`.
    pub(super) fn start(memory: Memory, rules: Rules) -> MemPtr {
        MemPtr {
            memory,
            dynamic: None,
            offset: 0,
            align: Align::to(MAX_ALIGN),
            access: Access::default(),
            writable: !memory.is_read_only(),
            rules,
            matrix: None,
            comp_stride: None,
        }
    }

    /// This place moved forward by `bytes`.
    pub(super) fn plus(&self, bytes: u32) -> Result<MemPtr> {
        self.nth(1, bytes)
    }

    /// The place `index * stride` bytes further on.
    pub(super) fn nth(&self, index: u32, stride: u32) -> Result<MemPtr> {
        let mut mem = self.clone();
        if matches!(self.memory, Memory::Global(_)) {
            // An index and the offset from an address are signed.
            let bytes = i64::from(index.cast_signed()) * i64::from(stride);
            let offset = i64::from(self.offset.cast_signed()) + bytes;
            let Ok(offset) = i32::try_from(offset) else {
                let detail = format!("expected an offset of less than 2^31 bytes, found {offset}");
                return Err(FrontendError::new(ErrorCode::TooLarge, detail));
            };
            mem.offset = offset.cast_unsigned();
            mem.align = self.align.plus(bytes as u32);
            return Ok(mem);
        }
        // Layouts fit in 32 bits, so an offset that does not is out of bounds. The last place before 2^32 is, too.
        let last = (u32::MAX - MAX_ALIGN).saturating_sub(self.offset) & !(MAX_ALIGN - 1);
        let bytes = u64::from(index) * u64::from(stride);
        let bytes = u32::try_from(bytes).map_or(last, |bytes| bytes.min(last));
        mem.offset = self.offset.saturating_add(bytes);
        mem.align = self.align.plus(bytes);
        Ok(mem)
    }

    /// Adds the access qualifiers that decorations of the variable or of a member give.
    pub(super) fn decorate(&mut self, decorations: &[Deco<'_>]) {
        for deco in decorations {
            match deco.kind {
                // glslang writes through pointers to blocks that it declares a second time, as read-only.
                Decoration::NonWritable if matches!(self.memory, Memory::Global(_)) => {}
                Decoration::NonWritable => self.writable = false,
                Decoration::Coherent => self.access.coherent = true,
                Decoration::Volatile => self.access.volatile = true,
                // Two addresses are never known to differ.
                Decoration::Restrict if !matches!(self.memory, Memory::Global(_)) => {
                    self.access.restrict = true;
                }
                Decoration::Aliased => self.access.aliased = true,
                _ => {}
            }
        }
    }
}

impl<'m, 'w> Translator<'m, 'w> {
    /// The layout functions for the module.
    pub(super) fn layout(&self) -> Layout<'m, 'w> {
        Layout { module: self.module, globals: self.globals }
    }

    /// The pointer in operand word `index`.
    pub(super) fn pointer(&mut self, inst: &Inst<'_>, index: usize) -> Result<Pointer> {
        match self.operand(inst, index)? {
            (Val::Pointer(pointer), _) => Ok((*pointer).clone()),
            (val, ty) => {
                if let Some(pointer) =
                    self.pointer_at(&val, ty).map_err(|e| e.at(inst.position()))?
                {
                    return Ok(pointer);
                }
                let found = self.globals.types.get(ty).map_or("nothing".into(), Type::describe);
                Err(inst
                    .error(ErrorCode::NotAPointer, format!("expected a pointer, found {found}")))
            }
        }
    }

    /// The pointer to a module variable; `None` if `id` is not one. The first use of a variable allocates its memory.
    pub(super) fn module_variable(&mut self, id: u32) -> Result<Option<Pointer>> {
        if let Some(pointer) = self.variables.get(&id) {
            return Ok(Some(pointer.clone()));
        }
        let Some(inst) = self.module.def(id).filter(|i| i.op == Op::Variable).copied() else {
            return Ok(None);
        };
        let Some(&Type::Pointer { class, pointee }) = self.globals.types.get(inst.ty) else {
            return Err(inst.error(ErrorCode::ResultType, "expected a pointer type"));
        };
        let base = self.variable_base(&inst, class, pointee).map_err(|e| e.at(inst.position()))?;
        let pointer = Pointer { base, pointee };
        self.variables.insert(id, pointer.clone());
        Ok(Some(pointer))
    }

    /// The base of a pointer to the module variable that `inst` declares.
    fn variable_base(
        &mut self,
        inst: &Inst<'_>,
        class: StorageClass,
        pointee: u32,
    ) -> Result<Base> {
        let id = inst.result;
        match class {
            StorageClass::Private => self.private_base(inst, pointee, true),
            StorageClass::Input | StorageClass::Output => self.io_base(inst, class, pointee),
            StorageClass::StorageBuffer => {
                self.buffer_base(id, pointee, BindingKind::StorageBuffer)
            }
            StorageClass::Uniform => {
                let kind = if self.module.has(self.block_of(pointee), Decoration::BufferBlock) {
                    BindingKind::StorageBuffer
                } else {
                    BindingKind::UniformBuffer
                };
                self.buffer_base(id, pointee, kind)
            }
            StorageClass::PushConstant => {
                let mut mem = MemPtr::start(Memory::PushConstant, Rules::Explicit);
                mem.access.readonly = true;
                let size = self.layout().size(pointee, Rules::Explicit, None)?;
                let bytes = &mut self.shader.push_constant_bytes;
                *bytes = (*bytes).max(size);
                Ok(Base::Mem(mem))
            }
            StorageClass::Workgroup => self.shared_base(inst, pointee),
            StorageClass::AtomicCounter => self.counter_base(id, pointee),
            StorageClass::UniformConstant => match self.globals.types.get(self.block_of(pointee)) {
                // Typed messages have no sample number, so the sampler reads multisampled storage images.
                Some(Type::Image(ImageType { sampled: 1, .. }))
                | Some(Type::Image(ImageType { multisampled: true, .. }))
                | Some(Type::Image(ImageType { dim: SUBPASS_DATA, .. }))
                | Some(Type::SampledImage { .. } | Type::Sampler) => {
                    self.texture_base(inst, pointee)
                }
                _ => self.image_base(inst, pointee),
            },
            other => Err(inst.error(
                ErrorCode::Unsupported,
                format!("expected a storage class of shaders, found {other:?}"),
            )),
        }
    }

    /// Makes a private variable. With `at_start`, its initializer becomes the variable's initial value.
    pub(super) fn private_base(
        &mut self,
        inst: &Inst<'_>,
        pointee: u32,
        at_start: bool,
    ) -> Result<Base> {
        if let Some(base) = self.resource_variable(pointee) {
            return Ok(base);
        }
        self.count_scalars(pointee).map_err(|e| e.at(inst.position()))?;
        let ty = self.globals.types.var_ty(pointee)?;
        let init = match inst.operands.get(1) {
            Some(&id) if at_start => Some(self.initial_scalars(id, pointee)?),
            _ => None,
        };
        let name = self.module.name(inst.result).to_owned();
        Ok(Base::Var { var: self.new_var(name, ty, init), path: vec![] })
    }

    /// Adds a private variable of type `ty` to the count of scalars.
    ///
    /// # Errors
    /// If all variables together are too large.
    pub(super) fn count_scalars(&mut self, ty: u32) -> Result<()> {
        /// The most scalars in all private variables: 16 MB per invocation.
        const MAX_SCALARS: u64 = 1 << 22;
        let scalars = self.globals.types.leaves(ty).saturating_mul(4);
        self.var_scalars = self.var_scalars.saturating_add(scalars);
        if self.var_scalars > MAX_SCALARS {
            let detail = format!("expected at most {} vectors in variables", MAX_SCALARS / 4);
            return Err(FrontendError::new(ErrorCode::TooManyParts, detail));
        }
        Ok(())
    }

    /// The base of a pointer to a buffer variable. Adds the binding, and checks the layout of the block.
    fn buffer_base(&mut self, id: u32, pointee: u32, kind: BindingKind) -> Result<Base> {
        let (set, binding) = self.binding_place(id)?;
        let block = self.block_of(pointee);
        let count = self.descriptors(pointee)?;
        // Checks that everything has an offset and that offsets fit.
        self.layout().size(block, Rules::Explicit, None)?;
        let mut name = self.module.name(id);
        if name.is_empty() {
            name = self.module.name(block);
        }
        let name = name.to_owned();
        let binding = self.add_binding(Binding {
            set,
            binding,
            kind,
            count,
            name,
            readonly: true,
            non_uniform: false,
        })?;
        let resource = Resource { binding, element: None };
        let memory = match kind {
            BindingKind::UniformBuffer => Memory::Ubo(resource),
            BindingKind::StorageBuffer | BindingKind::AtomicCounters => Memory::Ssbo(resource),
            _ => Memory::Image(resource),
        };
        let mut mem = MemPtr::start(memory, Rules::Explicit);
        mem.access.readonly = memory.is_read_only();
        mem.decorate(self.module.decorations(id));
        Ok(if count.is_some() { Base::Descriptors(mem) } else { Base::Mem(mem) })
    }

    /// An atomic counter of OpenGL, or an array of them: dwords at an offset in the buffer of the binding. The
    /// descriptor set is 0 unless declared, because OpenGL has no descriptor sets.
    fn counter_base(&mut self, id: u32, pointee: u32) -> Result<Base> {
        let place = |kind: Decoration| {
            self.module.decoration_word(id, kind)?.ok_or_else(|| {
                let detail = format!("expected a {kind:?} decoration of %{id}");
                FrontendError::new(ErrorCode::MissingBinding, detail)
            })
        };
        let (binding, offset) = (place(Decoration::Binding)?, place(Decoration::Offset)?);
        let set = self.module.decoration_word(id, Decoration::DescriptorSet)?.unwrap_or(0);
        let counter = self.globals.types.leaf(self.block_of(pointee));
        if counter != Some(Ty::X32) || !offset.is_multiple_of(4) {
            let detail = format!(
                "expected 32-bit integers at a multiple of 4, found %{pointee} at {offset}"
            );
            return Err(FrontendError::new(ErrorCode::BadAtomic, detail));
        }
        let size = self.layout().size(pointee, Rules::Natural, None)?;
        fit(u64::from(offset) + u64::from(size))?;
        let name = self.module.name(id).to_owned();
        let kind = BindingKind::AtomicCounters;
        let binding = self.add_binding(Binding {
            set,
            binding,
            kind,
            count: None,
            name,
            readonly: true,
            non_uniform: false,
        })?;
        let memory = Memory::Ssbo(Resource { binding, element: None });
        Ok(Base::Mem(MemPtr::start(memory, Rules::Natural).plus(offset)?))
    }

    /// The base of a pointer to a variable in shared memory. Allocates its bytes, aligned to at least 16.
    fn shared_base(&mut self, inst: &Inst<'_>, pointee: u32) -> Result<Base> {
        if let Some(&initial) = inst.operands.get(1) {
            if self.globals.get(initial).is_none_or(|(_, value)| *value != Const::Null) {
                let detail =
                    "expected OpConstantNull, the only initializer that shared memory may have";
                return Err(inst.error(ErrorCode::Unsupported, detail));
            }
            self.zero_shared = true;
        }
        let layout = self.layout();
        let StageInfo::Compute(compute) = &mut self.shader.stage else {
            let detail = "expected a compute shader, the only stage with shared memory";
            return Err(inst.error(ErrorCode::Unsupported, detail));
        };
        // Blocks in shared memory (WorkgroupMemoryExplicitLayoutKHR) all start at offset 0 and overlap.
        if self.module.has(pointee, Decoration::Block) {
            let size = layout.size(pointee, Rules::Explicit, None)?;
            compute.shared_bytes = compute.shared_bytes.max(size);
            return Ok(Base::Mem(MemPtr::start(Memory::Shared, Rules::Explicit)));
        }
        let (size, align) = (layout.size(pointee, Rules::Natural, None)?, layout.align(pointee)?);
        let start = u64::from(compute.shared_bytes).next_multiple_of(u64::from(align.max(16)));
        compute.shared_bytes = fit(start + u64::from(size))?;
        Ok(Base::Mem(MemPtr::start(Memory::Shared, Rules::Natural).plus(fit(start)?)?))
    }

    /// Number of descriptors of a variable of that type; `None` if it is not an array, `Some(0)` for a runtime array.
    pub(super) fn descriptors(&self, ty: u32) -> Result<Option<u32>> {
        match self.globals.types.get(ty) {
            Some(&Type::Array { elem, count }) => {
                let inner = self.descriptors(elem)?.unwrap_or(1);
                Ok(Some(fit(u64::from(inner) * u64::from(count))?))
            }
            Some(Type::RuntimeArray { .. }) => Ok(Some(0)),
            _ => Ok(None),
        }
    }

    /// Whether a type is an array, of known or unknown size.
    pub(super) fn is_array(&self, ty: u32) -> bool {
        matches!(self.globals.types.get(ty), Some(Type::Array { .. } | Type::RuntimeArray { .. }))
    }

    /// The element type of (nested) arrays; any other type itself.
    pub(super) fn block_of(&self, ty: u32) -> u32 {
        match self.globals.types.get(ty) {
            Some(Type::Array { elem, .. } | Type::RuntimeArray { elem }) => self.block_of(*elem),
            _ => ty,
        }
    }

    /// `OpAccessChain` and `OpInBoundsAccessChain`: operand 0 is the base pointer, the indices start at operand
    /// `first`.
    pub(super) fn access_chain(&mut self, inst: &Inst<'_>, first: usize) -> Result<()> {
        let pointer = self.pointer(inst, 0)?;
        self.finish_chain(inst, pointer, first)
    }

    /// Applies the indices from operand `first` on to a pointer, and makes it the result.
    pub(super) fn finish_chain(
        &mut self,
        inst: &Inst<'_>,
        mut pointer: Pointer,
        first: usize,
    ) -> Result<()> {
        let mut non_uniform = false;
        for at in first..inst.operands.len() {
            non_uniform |= self.module.has(inst.word(at)?, Decoration::NonUniform);
            pointer = match self.wide_step(inst, &pointer, at)? {
                Some(pointer) => pointer,
                None => {
                    let mut index = self.index(inst, at)?;
                    if self.robust_access {
                        index =
                            self.in_bounds(&pointer, index).map_err(|e| e.at(inst.position()))?;
                    }
                    self.step(pointer, index).map_err(|e| e.at(inst.position()))?
                }
            };
        }
        match self.globals.types.get(inst.ty) {
            Some(Type::Pointer { pointee, .. }) if *pointee == pointer.pointee => {}
            _ => {
                let detail = format!("expected a pointer to %{}", pointer.pointee);
                return Err(inst.error(ErrorCode::ResultType, detail));
            }
        }
        if non_uniform {
            self.mark_non_uniform(&pointer.base);
        }
        self.bind(inst.result, Val::Pointer(pointer.into()));
        Ok(())
    }

    /// The pointer to an element of an array in memory by address, if the index has 64 bits and is not constant: then the
    /// address is moved, because an offset has 32 bits.
    fn wide_step(
        &mut self,
        inst: &Inst<'_>,
        pointer: &Pointer,
        at: usize,
    ) -> Result<Option<Pointer>> {
        let (Base::Mem(mem), (Val::Leaf(index), _)) = (&pointer.base, self.operand(inst, at)?)
        else {
            return Ok(None);
        };
        let (Memory::Global(_), Some(&(Type::Array { elem, .. } | Type::RuntimeArray { elem }))) =
            (mem.memory, self.globals.types.get(pointer.pointee))
        else {
            return Ok(None);
        };
        if self.shader.func.ty(index) != Ty::X64 {
            return Ok(None);
        }
        let stride = self.layout().array_stride(pointer.pointee, elem, mem.rules);
        let stride = stride.map_err(|e| e.at(inst.position()))?;
        let base = Base::Mem(self.far(mem.clone(), index, stride));
        Ok(Some(Pointer { base, pointee: elem }))
    }

    /// An index clamped into the bounds of what `pointer` points to, as a signed number. An index into an empty array
    /// becomes 0.
    fn in_bounds(&mut self, pointer: &Pointer, index: Index) -> Result<Index> {
        let types = &self.globals.types;
        if let Some(count) = types.parts(pointer.pointee) {
            let Index::Dyn(value) = index else { return Ok(index) };
            let last = self.imm(count.saturating_sub(1));
            return Ok(Index::Dyn(self.clamped(value, last)));
        }
        let Base::Mem(mem) = &pointer.base else { return Ok(index) };
        let (Memory::Ssbo(resource), Some(Type::RuntimeArray { elem })) =
            (mem.memory, types.get(pointer.pointee))
        else {
            return Ok(index);
        };
        // An array without a size is the last member of its block, so its place is a constant.
        let stride = self.layout().array_stride(pointer.pointee, *elem, mem.rules)?;
        let length = self.elements(resource, mem.offset, stride);
        let one = self.imm(1);
        let last = self.alu(AluOp::ISub, &[length, one]);
        let value = match index {
            Index::Const(i) => self.imm(i),
            Index::Dyn(value) => value,
        };
        Ok(Index::Dyn(self.clamped(value, last)))
    }

    /// A signed number that is at least 0, and at most `last` if that is not negative.
    fn clamped(&mut self, value: Value, last: Value) -> Value {
        let zero = self.imm(0);
        let below = self.alu(AluOp::IMin, &[value, last]);
        self.alu(AluOp::IMax, &[below, zero])
    }

    /// An index operand, as a constant or as a value of 32 bits. SPIR-V indices are signed. An index that does not fit
    /// in 32 bits becomes another index that is out of bounds.
    pub(super) fn index(&mut self, inst: &Inst<'_>, at: usize) -> Result<Index> {
        let (val, ty) = self.operand(inst, at)?;
        if !matches!(self.globals.types.get(ty), Some(Type::Int { .. })) {
            return Err(inst.error(ErrorCode::OperandType, "expected an integer scalar as index"));
        }
        match val {
            Val::Const(value) => Ok(Index::Const(u32::try_from(value.bits()).unwrap_or(u32::MAX))),
            Val::Leaf(value) => Ok(Index::Dyn(self.narrowed(value, Narrow::Index))),
            _ => Err(inst.error(ErrorCode::OperandType, "expected an integer scalar as index")),
        }
    }

    /// The pointer to the member, element, column or component number `index` of what `pointer` points to.
    pub(super) fn step(&mut self, pointer: Pointer, index: Index) -> Result<Pointer> {
        let outside = |found: String| {
            let detail = format!("expected an index into {found}");
            FrontendError::new(ErrorCode::BadAccessChain, detail)
        };
        let ty = self.globals.types.expect(pointer.pointee)?.clone();
        let pointee = match (&ty, index) {
            (Type::Struct { members }, Index::Const(i)) => *members
                .get(i as usize)
                .ok_or_else(|| outside(format!("{} members, found {i}", members.len())))?,
            (Type::Struct { .. }, Index::Dyn(_)) => {
                return Err(outside("a structure that is a constant".into()));
            }
            (Type::Array { elem, .. } | Type::RuntimeArray { elem }, _) => *elem,
            (Type::Matrix { column, .. }, _) => *column,
            (Type::Vector { elem, .. }, _) => *elem,
            (other, _) => return Err(outside(format!("a composite, found {}", other.describe()))),
        };
        // Specialization can make an array shorter than a constant index, in code that never runs. Clamp the index.
        let clamped = match (index, self.globals.types.parts(pointer.pointee)) {
            (Index::Const(i), Some(count)) => Index::Const(i.min(count - 1)),
            _ => index,
        };
        let base = match pointer.base {
            Base::Var { var, mut path } => {
                path.push(match clamped {
                    Index::Const(i) => PathStep::Const(i),
                    Index::Dyn(value) => PathStep::Dyn(Src::new(value)),
                });
                Base::Var { var, path }
            }
            Base::Builtin { builtin, comp: None } => Base::Builtin { builtin, comp: Some(clamped) },
            Base::Builtin { .. } => return Err(outside("a component".into())),
            Base::Builtins(members) => {
                let member = match index {
                    Index::Const(i) => members.get(i as usize).copied(),
                    Index::Dyn(_) => None,
                };
                let builtin = member.ok_or_else(|| outside("a structure".into()))?;
                Base::Builtin { builtin, comp: None }
            }
            Base::Descriptors(mem) => {
                let mem = self.choose_descriptor(mem, pointer.pointee, clamped);
                match self.is_array(pointee) {
                    true => Base::Descriptors(mem),
                    false => Base::Mem(mem),
                }
            }
            Base::DescriptorChoice(mut choice) => {
                let inner = self.element_number(Some(choice.element), pointer.pointee, clamped);
                Rc::make_mut(&mut choice).element = inner;
                match self.is_array(pointee) {
                    true => Base::DescriptorChoice(choice),
                    false => Base::Choice(choice),
                }
            }
            Base::Mem(mem) => Base::Mem(self.mem_step(mem, pointer.pointee, &ty, index)?),
            Base::Choice(mut choice) => {
                let choice_mut = Rc::make_mut(&mut choice);
                let mem = choice_mut.mem.clone();
                choice_mut.mem = self.mem_step(mem, pointer.pointee, &ty, index)?;
                Base::Choice(choice)
            }
            Base::Slots(slots) => {
                Base::Slots(self.slot_step(slots, pointer.pointee, &ty, clamped)?)
            }
            Base::Kept(_) => return Err(outside("a composite, found a resource".into())),
            Base::Texel(_) => return Err(outside("a composite, found a texel".into())),
            Base::Sampled { .. } => return Err(outside("a composite, found a texture".into())),
        };
        Ok(Pointer { base, pointee })
    }

    /// Applies one index to a descriptor array.
    fn choose_descriptor(&mut self, mut mem: MemPtr, array: u32, index: Index) -> MemPtr {
        if let Memory::Ubo(resource) | Memory::Ssbo(resource) | Memory::Image(resource) =
            &mut mem.memory
        {
            let outer = resource.element.map(|outer| outer.value);
            resource.element = Some(Src::new(self.element_number(outer, array, index)));
        }
        mem
    }

    /// The number of the descriptor that an index into an array of type `array` selects. In arrays of arrays the elements are numbered
    /// in row-major order; `outer` is the number of this array among those of its type.
    fn element_number(&mut self, outer: Option<Value>, array: u32, index: Index) -> Value {
        let element = match index {
            Index::Const(i) => self.imm(i),
            Index::Dyn(value) => value,
        };
        let Some(outer) = outer else { return element };
        let count = self.globals.types.parts(array).unwrap_or(1);
        let before = self.strided(outer, count);
        self.alu(AluOp::IAdd, &[before, element])
    }

    /// The place of part `index` of the composite at `mem`, which has the type `ty` with the id `id`.
    fn mem_step(&mut self, mem: MemPtr, id: u32, ty: &Type, index: Index) -> Result<MemPtr> {
        let layout = self.layout();
        match (ty, index) {
            (Type::Struct { .. }, Index::Const(member)) => {
                let mut mem = mem.plus(layout.member_offset(id, member, mem.rules)?)?;
                mem.decorate(self.module.member_decorations(id, member));
                mem.matrix = layout.member_matrix(id, member)?.or(mem.matrix);
                Ok(mem)
            }
            (Type::Array { elem, .. } | Type::RuntimeArray { elem }, _) => {
                let stride = layout.array_stride(id, *elem, mem.rules)?;
                self.advance(mem, index, stride)
            }
            (Type::Matrix { column, .. }, _) => {
                let matrix = layout.matrix(*column, mem.rules, mem.matrix)?;
                if !matrix.row_major {
                    return self.advance(mem, index, matrix.stride);
                }
                let bytes = self.globals.types.leaf(*column).map_or(4, Ty::comp_bytes);
                let mut mem = self.advance(mem, index, bytes)?;
                mem.comp_stride = Some(matrix.stride);
                Ok(mem)
            }
            (Type::Vector { elem, .. }, _) => {
                let bytes = self.globals.types.leaf(*elem).map_or(4, Ty::comp_bytes);
                let mut mem = self.advance(mem.clone(), index, mem.comp_stride.unwrap_or(bytes))?;
                mem.comp_stride = None;
                Ok(mem)
            }
            _ => Ok(mem),
        }
    }

    /// The place `index * stride` bytes further on.
    fn advance(&mut self, mut mem: MemPtr, index: Index, stride: u32) -> Result<MemPtr> {
        match index {
            Index::Const(i) => match (mem.nth(i, stride), mem.memory) {
                // An offset has 32 bits, so the address is moved.
                (Err(_), Memory::Global(_)) => {
                    let count = self.imm_int(Ty::X64, i64::from(i.cast_signed()).cast_unsigned());
                    Ok(self.far(mem, count, stride))
                }
                (place, _) => place,
            },
            Index::Dyn(value) => {
                let bytes = self.strided(value, stride);
                mem.dynamic = Some(self.sum(mem.dynamic, bytes));
                mem.align = mem.align.at_multiple(stride);
                Ok(mem)
            }
        }
    }

    /// `value * stride`.
    pub(super) fn strided(&mut self, value: Value, stride: u32) -> Value {
        if stride == 1 {
            return value;
        }
        let stride = self.imm(stride);
        self.alu(AluOp::IMul, &[value, stride])
    }

    /// `sum + more`; `more` if there is no sum yet.
    pub(super) fn sum(&mut self, sum: Option<Value>, more: Value) -> Value {
        match sum {
            None => more,
            Some(sum) => self.alu(AluOp::IAdd, &[sum, more]),
        }
    }

    /// The byte offset of a place as one IR value.
    pub(super) fn address(&mut self, mem: &MemPtr) -> Value {
        match (mem.dynamic, mem.offset) {
            (None, offset) => self.imm(offset),
            (Some(value), 0) => value,
            (Some(value), offset) => {
                let offset = self.imm(offset);
                self.alu(AluOp::IAdd, &[value, offset])
            }
        }
    }

    /// A system value.
    pub(super) fn sysval(&mut self, sysval: SysVal) -> Value {
        self.b().sysval(sysval)
    }
}
