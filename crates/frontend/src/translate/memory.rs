//! Loads, stores and copies. A composite is moved part by part.

use crestline_ssa::ir::{Access, AluOp, Memory, Resource, Src, Ty, Value};
use rspirv::spirv::MemoryAccess;

use super::Translator;
use super::pointer::{Base, Index, MemPtr, Pointer};
use super::value::Val;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::layout::MatrixLayout;
use crate::spirv::{Inst, Type};

impl Translator<'_, '_> {
    /// `OpLoad`.
    pub(super) fn op_load(&mut self, inst: &Inst<'_>) -> Result<()> {
        let pointer = self.pointer(inst, 0)?;
        if pointer.pointee != inst.ty {
            let detail =
                format!("expected the type that the pointer points to, %{}", pointer.pointee);
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        let Operands { access, align, .. } = memory_operands(inst.rest(1));
        let pointer = pointer.aligned(align);
        let in_memory = matches!(pointer.base, Base::Var { .. } | Base::Mem(_));
        let val = match in_memory && self.is_bulky(inst.ty) {
            true => self.load_bulky(inst, pointer, access)?,
            false => self.load(&pointer, access)?,
        };
        self.bind(inst.result, val);
        Ok(())
    }

    /// `OpStore`.
    pub(super) fn op_store(&mut self, inst: &Inst<'_>) -> Result<()> {
        let pointer = self.pointer(inst, 0)?;
        let (val, ty) = self.operand(inst, 1)?;
        if pointer.pointee != ty {
            let detail = format!("expected a value of type %{}, found %{ty}", pointer.pointee);
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let Operands { access, align, .. } = memory_operands(inst.rest(2));
        self.store(&pointer.aligned(align), &val, access)
    }

    /// `OpCopyMemory`.
    pub(super) fn op_copy_memory(&mut self, inst: &Inst<'_>) -> Result<()> {
        let target = self.pointer(inst, 0)?;
        let source = self.pointer(inst, 1)?;
        if !self.globals.types.same_shape(source.pointee, target.pointee) {
            let detail = "expected both pointers to point to the same type";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let Operands { access, align, words } = memory_operands(inst.rest(2));
        // A second set of operands is for the source; without one, the first is for both.
        let from = match inst.rest(2 + words) {
            [] => Operands { access, align, words },
            rest => memory_operands(rest),
        };
        let (target, source) = (target.aligned(align), source.aligned(from.align));
        // SPIR-V requires that the source and the target do not overlap.
        if self.is_bulky(target.pointee) && matches!(source.base, Base::Var { .. } | Base::Mem(_)) {
            let (target, source) = (target.with_access(access), source.with_access(from.access));
            return self.store(&target, &Val::InMemory(source.into()), access);
        }
        let val = self.load(&source, from.access)?;
        self.store(&target, &val, access)
    }

    /// Reads what a pointer points to.
    pub(super) fn load(&mut self, pointer: &Pointer, access: Access) -> Result<Val> {
        match &pointer.base {
            Base::Var { .. } | Base::Mem(_) | Base::Choice(_) if self.is_bulky(pointer.pointee) => {
                self.snapshot(&pointer.clone().with_access(access))
            }
            Base::Var { var, path } => self.load_var(*var, path, pointer.pointee),
            Base::Builtin { builtin, comp } => {
                let builtin = if access.volatile { builtin.read_anew() } else { *builtin };
                let whole = self.load_builtin(builtin)?;
                if self.shader.func.ty(whole).comps() == 1 {
                    // An array of one element, or that element.
                    let parts = self.globals.types.parts(pointer.pointee).is_some();
                    let leaf = Val::Leaf(whole);
                    return Ok(if parts { Val::Parts([leaf].into()) } else { leaf });
                }
                Ok(Val::Leaf(match *comp {
                    None => whole,
                    Some(Index::Const(i)) => self.b().comp(whole, i as usize),
                    Some(Index::Dyn(index)) => self.dynamic_comp(whole, index),
                }))
            }
            // The value of an image or sampler, or of an array of them, is its pointer.
            Base::Mem(MemPtr { memory: Memory::Image(_), .. })
            | Base::Descriptors(MemPtr { memory: Memory::Image(_), .. }) => {
                Ok(Val::Pointer(pointer.clone().into()))
            }
            Base::Mem(mem) => {
                let mut mem = mem.clone();
                merge(&mut mem.access, access);
                self.load_mem(&mem, pointer.pointee, mem.matrix)
            }
            Base::Choice(choice) => self.load_choice(choice, pointer.pointee, access),
            Base::Slots(slots) => self.load_slots(slots, pointer.pointee),
            Base::Builtins(members) => {
                let parts = (0..members.len() as u32).map(|number| {
                    let member = self.step(pointer.clone(), Index::Const(number))?;
                    self.load(&member, access)
                });
                Ok(Val::Parts(parts.collect::<Result<_>>()?))
            }
            Base::Descriptors(_) | Base::DescriptorChoice(_) => Err(whole_descriptors()),
            Base::Kept(variable) => {
                Ok(Val::Pointer(self.load_resource(*variable, pointer.pointee)?.into()))
            }
            Base::Texel(_) | Base::Sampled { .. } => Err(bare_texel()),
        }
    }

    /// Writes what a pointer points to.
    pub(super) fn store(&mut self, pointer: &Pointer, val: &Val, access: Access) -> Result<()> {
        match &pointer.base {
            Base::Var { .. } | Base::Mem(_) | Base::Choice(_)
                if val.is_copied() && self.is_bulky(pointer.pointee) =>
            {
                self.copy_bulky(&pointer.clone().with_access(access), val)
            }
            Base::Var { var, path } => {
                self.check_apart(pointer.pointee)?;
                self.store_var(*var, path, pointer.pointee, val)
            }
            Base::Builtin { .. } | Base::Builtins(_) => Err(FrontendError::new(
                ErrorCode::NotWritable,
                "expected a writable variable, found an input",
            )),
            Base::Mem(mem) => {
                let mut mem = mem.clone();
                merge(&mut mem.access, access);
                if !mem.writable || matches!(mem.memory, Memory::Image(_)) {
                    let detail = "expected a writable variable, found read-only memory";
                    return Err(FrontendError::new(ErrorCode::NotWritable, detail));
                }
                self.store_mem(&mem, pointer.pointee, mem.matrix, val)
            }
            Base::Choice(choice) => {
                let any = choice.options.iter().any(|option| option.is_writable());
                if !any || !choice.mem.writable {
                    let detail = "expected a writable variable, found read-only memory";
                    return Err(FrontendError::new(ErrorCode::NotWritable, detail));
                }
                let pointee = pointer.pointee;
                self.each_option(choice, &mut |t, mem| match mem.writable {
                    true => t.store(&Pointer { base: Base::Mem(mem), pointee }, val, access),
                    false => Ok(()),
                })
            }
            Base::Slots(slots) => {
                self.check_parts(pointer.pointee)?;
                self.store_slots(slots, pointer.pointee, val)
            }
            Base::Descriptors(_) | Base::DescriptorChoice(_) => Err(whole_descriptors()),
            Base::Kept(variable) => self.store_resource(*variable, val),
            Base::Texel(_) | Base::Sampled { .. } => Err(bare_texel()),
        }
    }

    /// The parts of a composite of type `ty` at `mem`: place, type, and layout of matrices in it.
    fn mem_parts(
        &self,
        mem: &MemPtr,
        ty: u32,
        matrix: Option<MatrixLayout>,
    ) -> Result<Vec<(MemPtr, u32, Option<MatrixLayout>)>> {
        self.check_apart(ty)?;
        let layout = self.layout();
        let mut parts = Vec::new();
        match self.globals.types.expect(ty)? {
            Type::Struct { members } => {
                for (index, &member) in members.iter().enumerate() {
                    let index = index as u32;
                    let mut part = mem.plus(layout.member_offset(ty, index, mem.rules)?)?;
                    part.decorate(self.module.member_decorations(ty, index));
                    parts.push((part, member, layout.member_matrix(ty, index)?.or(matrix)));
                }
            }
            Type::Array { elem, count } => {
                let stride = layout.array_stride(ty, *elem, mem.rules)?;
                for index in 0..*count {
                    parts.push((mem.nth(index, stride)?, *elem, matrix));
                }
            }
            Type::Matrix { column, count } => {
                let matrix = layout.matrix(*column, mem.rules, matrix)?;
                let bytes = self.globals.types.leaf(*column).map_or(4, Ty::comp_bytes);
                for index in 0..*count {
                    let step = if matrix.row_major { bytes } else { matrix.stride };
                    let mut part = mem.nth(index, step)?;
                    part.comp_stride = matrix.row_major.then_some(matrix.stride);
                    parts.push((part, *column, None));
                }
            }
            other => {
                let detail = format!(
                    "expected a type that can be loaded and stored, found {}",
                    other.describe()
                );
                return Err(FrontendError::new(ErrorCode::UnsupportedType, detail));
            }
        }
        Ok(parts)
    }

    /// Loads a value of type `ty`, part by part. `matrix` is the layout of matrices in it, if declared.
    fn load_mem(&mut self, mem: &MemPtr, ty: u32, matrix: Option<MatrixLayout>) -> Result<Val> {
        if let Some(leaf) = self.globals.types.leaf(ty) {
            return Ok(Val::Leaf(self.load_leaf(mem, leaf)?));
        }
        let mut parts = Vec::new();
        for (part, ty, matrix) in self.mem_parts(mem, ty, matrix)? {
            parts.push(self.load_mem(&part, ty, matrix)?);
        }
        self.check_budget()?;
        Ok(Val::Parts(parts.into()))
    }

    /// Stores a value of type `ty`, part by part. `matrix` is the layout of matrices in it, if declared.
    fn store_mem(
        &mut self,
        mem: &MemPtr,
        ty: u32,
        matrix: Option<MatrixLayout>,
        val: &Val,
    ) -> Result<()> {
        if self.globals.types.leaf(ty).is_some() {
            let data = self.as_leaf(val, ty)?;
            return self.store_leaf(mem, data);
        }
        if val.is_copied() && self.is_bulky(ty) {
            let mem = MemPtr { matrix, ..mem.clone() };
            return self.copy_bulky(&Pointer { base: Base::Mem(mem), pointee: ty }, val);
        }
        let places = self.mem_parts(mem, ty, matrix)?;
        for (index, (place, part_ty, matrix)) in places.into_iter().enumerate() {
            let (part, _) = self.part(val, ty, index as u32)?;
            self.store_mem(&place, part_ty, matrix, &part)?;
        }
        self.check_budget()
    }

    /// Reads a scalar or vector. A boolean is true if its 32-bit number in memory is not 0.
    pub(super) fn load_leaf(&mut self, mem: &MemPtr, ty: Ty) -> Result<Value> {
        let stored = if ty.is_bool() { Ty::X32.with_comps(ty.comps()) } else { ty };
        let loaded = match mem.comp_stride.filter(|_| ty.comps() > 1) {
            None => {
                let offset = self.address(mem);
                self.b().load(mem.memory, offset, mem.align, mem.access, stored)
            }
            Some(stride) => {
                let mut comps = Vec::new();
                for comp in 0..ty.comps() as u32 {
                    let place = mem.nth(comp, stride)?;
                    let offset = self.address(&place);
                    let scalar = stored.scalar();
                    let value =
                        self.b().load(place.memory, offset, place.align, place.access, scalar);
                    comps.push(Src::new(value));
                }
                self.b().vec(&comps)
            }
        };
        if !ty.is_bool() {
            return Ok(loaded);
        }
        let zero = self.imm_bits(stored, [0; 4]);
        Ok(self.alu(AluOp::INe, &[loaded, zero]))
    }

    /// Writes a scalar or vector. A boolean is stored as the 32-bit number 0 or 1.
    pub(super) fn store_leaf(&mut self, mem: &MemPtr, data: Value) -> Result<()> {
        let ty = self.shader.func.ty(data);
        let data = if ty.is_bool() { self.b().convert(AluOp::B2I, 32, data) } else { data };
        match mem.comp_stride.filter(|_| ty.comps() > 1) {
            None => {
                let offset = self.address(mem);
                self.b().store(mem.memory, offset, data, mem.align, mem.access);
            }
            Some(stride) => {
                for comp in 0..ty.comps() {
                    let place = mem.nth(comp as u32, stride)?;
                    let offset = self.address(&place);
                    let data = self.b().comp(data, comp);
                    self.b().store(place.memory, offset, data, place.align, place.access);
                }
            }
        }
        Ok(())
    }

    /// `OpArrayLength`: the number of elements of the runtime array that is the last member of the structure pointed
    /// to.
    pub(super) fn op_array_length(&mut self, inst: &Inst<'_>) -> Result<()> {
        let pointer = self.pointer(inst, 0)?;
        let member = inst.word(1)?;
        let types = &self.globals.types;
        let array = types.part(pointer.pointee, member);
        let Some((array, &Type::RuntimeArray { elem })) =
            array.and_then(|array| Some((array, types.get(array)?)))
        else {
            let detail = "expected a structure in a buffer whose member is a runtime array";
            return Err(inst.error(ErrorCode::OperandType, detail));
        };
        // The length of the array in the buffer of a place.
        let length = |t: &mut Self, mem: &MemPtr| {
            let Memory::Ssbo(resource) = mem.memory else {
                return Err(inst.error(ErrorCode::OperandType, "expected a storage buffer"));
            };
            let layout = t.layout();
            let stride = layout.array_stride(array, elem, mem.rules)?;
            if stride == 0 {
                return Err(inst.error(ErrorCode::BadDecoration, "expected an ArrayStride above 0"));
            }
            let start = layout.member_offset(pointer.pointee, member, mem.rules)?;
            Ok(t.elements(resource, mem.offset.saturating_add(start), stride))
        };
        let value = match &pointer.base {
            Base::Mem(mem) => Val::Leaf(length(self, mem)?),
            Base::Choice(choice) => {
                let shape = self.globals.types.var_ty(inst.ty)?;
                let var = self.new_var(String::new(), shape, None);
                self.each_option(choice, &mut |t, mem| {
                    let length = length(t, &mem)?;
                    t.store_var(var, &[], inst.ty, &Val::Leaf(length))
                })?;
                self.load_var(var, &[], inst.ty)?
            }
            _ => {
                let detail = "expected a structure in a buffer whose member is a runtime array";
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
        };
        self.bind(inst.result, value);
        Ok(())
    }

    /// The number of elements of `stride` bytes in a storage buffer from byte `start` on. `stride` 0 counts bytes.
    pub(super) fn elements(&mut self, resource: Resource, start: u32, stride: u32) -> Value {
        let size = self.b().buffer_size(resource);
        // If the buffer ends before the array, the length is 0: the maximum prevents that the difference wraps.
        let start = self.imm(start);
        let end = self.alu(AluOp::UMax, &[size, start]);
        let bytes = self.alu(AluOp::ISub, &[end, start]);
        let stride = self.imm(stride.max(1));
        self.alu(AluOp::UDiv, &[bytes, stride])
    }

    /// `OpVariable` in a function.
    pub(super) fn op_variable(&mut self, inst: &Inst<'_>) -> Result<()> {
        let Some(&Type::Pointer { pointee, .. }) = self.globals.types.get(inst.ty) else {
            return Err(inst.error(ErrorCode::ResultType, "expected a pointer type"));
        };
        // The entry function runs once, so the initializer can be the initial value. Other functions store it at each
        // call.
        let at_start = self.frame().is_entry;
        let base = self.private_base(inst, pointee, at_start)?;
        if let (Base::Var { var, .. }, false, true) = (&base, at_start, inst.operands.len() > 1) {
            let (val, ty) = self.operand(inst, 1)?;
            if ty != pointee {
                let detail = format!("expected an initializer of type %{pointee}, found %{ty}");
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
            self.store_var(*var, &[], ty, &val)?;
        }
        self.bind(inst.result, Val::Pointer(Pointer { base, pointee }.into()));
        Ok(())
    }

    /// All scalars of a constant initializer in order.
    pub(super) fn initial_scalars(&mut self, id: u32, pointee: u32) -> Result<Vec<u64>> {
        let Some((ty, value)) = self.globals.get(id).filter(|(ty, _)| *ty == pointee) else {
            let detail = format!("expected a constant initializer of type %{pointee}, found %{id}");
            return Err(FrontendError::new(ErrorCode::NotAConstant, detail));
        };
        let mut scalars = Vec::new();
        flatten(&self.globals.types, *ty, value, &mut scalars);
        Ok(scalars)
    }

    /// Component `index` of a vector, where `index` is computed at run time. Any bits if the index is out of range.
    pub(super) fn dynamic_comp(&mut self, vector: Value, index: Value) -> Value {
        let comps = self.shader.func.ty(vector).comps();
        let mut chosen = self.b().comp(vector, 0);
        for comp in 1..comps {
            let number = self.imm(comp as u32);
            let hit = self.alu(AluOp::IEq, &[index, number]);
            let this = self.b().comp(vector, comp);
            chosen = self.alu(AluOp::Select, &[hit, this, chosen]);
        }
        chosen
    }
}

/// Appends the scalars of a constant of type `ty` to `out`, in order.
fn flatten(types: &crate::spirv::Types, ty: u32, value: &crate::spirv::Const, out: &mut Vec<u64>) {
    match types.parts(ty) {
        // A pointer to a storage buffer has several scalars. The null pointer is the only constant one.
        None => {
            let scalars = types.leaf(ty).map_or(1, |leaf| leaf.comps());
            out.extend(std::iter::repeat_n(value.bits(), scalars));
        }
        Some(count) => {
            for index in 0..count {
                let part = types.part(ty, index).unwrap_or(0);
                flatten(types, part, &value.part(index), out);
            }
        }
    }
}

/// The memory operands of a load, store or copy.
struct Operands {
    /// The access qualifiers that they require.
    access: Access,
    /// The alignment of the address in bytes that they guarantee.
    align: Option<u32>,
    /// Number of operand words.
    words: usize,
}

/// Reads memory operands from the start of `words`, which may be empty.
fn memory_operands(words: &[u32]) -> Operands {
    let flags = MemoryAccess::from_bits_truncate(words.first().copied().unwrap_or(0));
    let aligned = flags.contains(MemoryAccess::ALIGNED);
    let scopes = [MemoryAccess::MAKE_POINTER_AVAILABLE, MemoryAccess::MAKE_POINTER_VISIBLE];
    let count = scopes.into_iter().filter(|&scope| flags.contains(scope)).count();
    let align = words.get(1).copied().filter(|_| aligned);
    let words = words.len().min(1 + usize::from(aligned) + count);
    let shared = MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
    let access = Access {
        volatile: flags.contains(MemoryAccess::VOLATILE),
        coherent: flags.intersects(shared),
        ..Access::default()
    };
    Operands { access, align, words }
}

fn merge(access: &mut Access, more: Access) {
    access.volatile |= more.volatile;
    access.coherent |= more.coherent;
}

fn bare_texel() -> FrontendError {
    let detail =
        "expected a pointer to a variable, found a pointer to a texel (only atomics accept one)";
    FrontendError::new(ErrorCode::OperandType, detail)
}

fn whole_descriptors() -> FrontendError {
    FrontendError::new(
        ErrorCode::Unsupported,
        "expected an access chain that selects a descriptor, found the whole array",
    )
}
