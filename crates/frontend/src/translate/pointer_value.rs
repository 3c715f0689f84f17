//! Pointers as values: pointers that are kept in memory or variables, selected, passed by phis, compared, and moved by
//! elements.
//!
//! A [`Pointer`] needs no instructions as long as the variable is known that it points into. A pointer that is stored or
//! selected becomes a value ([`Translator::pointer_value`]), and an access through such a value makes a pointer of it
//! again ([`Translator::pointer_at`]). The value is, by storage class of the pointer:
//!
//! - physical storage buffer: the 64-bit address;
//! - shared memory: the byte offset plus [`SHARED_BIAS`], so that 0 is the null pointer;
//! - storage buffer: three dwords, which are the number of the binding (0 for the null pointer), the index in an array of
//!   descriptors (of the first element, for a pointer to an array of descriptors), and the byte offset.
//!
//! An access through a value of the last kind is an `if` for each buffer that the pointer may point into
//! ([`Choice`]). If optimisation finds out the value, the conditions are constant and only one access remains.
//!
//! Pointers of other storage classes have no value.

use std::rc::Rc;

use crestline_ssa::ir::{Access, Align, AluOp, Memory, Resource, Src, Ty, Value};
use rspirv::spirv::{Decoration, Op, StorageClass};

use super::Translator;
use super::pointer::{Base, MAX_ALIGN, MemPtr, Pointer};
use super::value::Val;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::layout::Rules;
use crate::spirv::{Inst, Type};

/// The difference between the value of a pointer to shared memory and the byte offset.
const SHARED_BIAS: u32 = 16;

/// A place in a storage buffer that is known at run time only.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The place in the buffer. Its memory is that of the first option.
    pub(super) mem: MemPtr,
    /// The number of the buffer among the options.
    pub(super) number: Value,
    /// The index in the array of descriptors, if the buffer is in one.
    pub(super) element: Value,
    /// The buffers that the pointer may point into.
    pub(super) options: Rc<[BufferOption]>,
}

/// A buffer that a pointer may point into.
#[derive(Clone, Debug)]
pub(super) struct BufferOption {
    /// The number in values of pointers, at least 1.
    number: u32,
    /// The start of the buffer, or of the first one of an array.
    start: MemPtr,
    /// Whether the binding is an array of buffers.
    is_array: bool,
}

impl Choice {
    /// The place in the buffer of one option.
    fn place(&self, option: &BufferOption) -> MemPtr {
        let mut mem = self.mem.clone();
        mem.memory = option.memory(self.element);
        mem.access.coherent |= option.start.access.coherent;
        mem.access.volatile |= option.start.access.volatile;
        mem.access.restrict &= option.start.access.restrict;
        mem.access.aliased |= option.start.access.aliased;
        mem.writable &= option.start.writable;
        mem
    }
}

impl BufferOption {
    /// Whether the shader may write the buffer.
    pub(super) fn is_writable(&self) -> bool {
        self.start.writable
    }

    /// The memory of the buffer; `element` is the index in an array of descriptors.
    fn memory(&self, element: Value) -> Memory {
        match self.start.memory {
            Memory::Ssbo(resource) if self.is_array => {
                Memory::Ssbo(Resource { element: Some(Src::new(element)), ..resource })
            }
            memory => memory,
        }
    }
}

impl MemPtr {
    /// The place at a 64-bit address, of which no alignment is known.
    fn global(address: Value) -> MemPtr {
        let start = MemPtr::start(Memory::Global(Src::new(address)), Rules::Explicit);
        MemPtr { align: Align::to(1), ..start }
    }
}

impl Pointer {
    /// The pointer with the alignment that the memory operands of an access guarantee. Only that of an address is of use:
    /// elsewhere the offset shows it.
    pub(super) fn aligned(mut self, bytes: Option<u32>) -> Pointer {
        if let (Base::Mem(mem), Some(bytes)) = (&mut self.base, bytes)
            && matches!(mem.memory, Memory::Global(_))
            && bytes.is_power_of_two()
            && bytes > mem.align.bytes()
        {
            mem.align = Align::to(bytes.min(MAX_ALIGN));
        }
        self
    }
}

impl Translator<'_, '_> {
    /// The pointer that a value of type `ty` is; `None` if the type is no pointer that has values.
    pub(super) fn pointer_at(&mut self, val: &Val, ty: u32) -> Result<Option<Pointer>> {
        let Some(&Type::Pointer { class, pointee }) = self.globals.types.get(ty) else {
            return Ok(None);
        };
        if self.globals.types.leaf(ty).is_none() {
            return Ok(None);
        }
        let value = self.as_leaf(val, ty)?;
        let base = match class {
            StorageClass::PhysicalStorageBuffer => Base::Mem(MemPtr::global(value)),
            StorageClass::Workgroup => {
                let bias = self.imm(SHARED_BIAS.wrapping_neg());
                let offset = self.alu(AluOp::IAdd, &[value, bias]);
                let start = MemPtr::start(Memory::Shared, self.shared_rules());
                Base::Mem(MemPtr { dynamic: Some(offset), align: Align::to(1), ..start })
            }
            _ => self.buffer_at(value, pointee)?,
        };
        Ok(Some(Pointer { base, pointee }))
    }

    /// The value of a pointer of type `ty`.
    pub(super) fn pointer_value(&mut self, pointer: &Pointer, ty: u32) -> Result<Value> {
        let split = "a pointer to a part of a row-major matrix";
        match &pointer.base {
            Base::Mem(mem) if mem.comp_stride.is_some() => Err(self.no_value(ty, split)),
            Base::Choice(choice) if choice.mem.comp_stride.is_some() => {
                Err(self.no_value(ty, split))
            }
            Base::Mem(mem) | Base::Descriptors(mem) => match mem.memory {
                Memory::Global(address) => Ok(self.global_address(mem, address)),
                Memory::Shared => {
                    let offset = self.address(mem);
                    let bias = self.imm(SHARED_BIAS);
                    Ok(self.alu(AluOp::IAdd, &[offset, bias]))
                }
                Memory::Ssbo(resource) => {
                    let number = self.imm(resource.binding.0 + 1);
                    let element = match resource.element {
                        Some(element) => element,
                        None => Src::new(self.imm(0)),
                    };
                    let offset = self.address(mem);
                    Ok(self.b().vec(&[Src::new(number), element, Src::new(offset)]))
                }
                _ => Err(self.no_value(ty, "a pointer to other memory")),
            },
            // The offset of a pointer to an array of descriptors is 0.
            Base::Choice(choice) | Base::DescriptorChoice(choice) => {
                let offset = self.address(&choice.mem);
                let parts = [choice.number, choice.element, offset].map(Src::new);
                Ok(self.b().vec(&parts))
            }
            _ => Err(self.no_value(ty, "a pointer to other memory")),
        }
    }

    fn no_value(&self, ty: u32, found: &str) -> FrontendError {
        let expected = self.globals.types.get(ty).map_or("nothing".into(), Type::describe);
        let detail = format!("expected {expected} that can be kept in a variable, found {found}");
        FrontendError::new(ErrorCode::VariablePointer, detail)
    }

    /// The 64-bit address of a place in memory by address.
    fn global_address(&mut self, mem: &MemPtr, address: Src) -> Value {
        let address = self.b().comp(address.value, usize::from(address.swizzle[0]));
        if mem.dynamic.is_none() && mem.offset == 0 {
            return address;
        }
        let offset = self.address(mem);
        let offset = self.b().convert(AluOp::I2I, 64, offset);
        self.alu(AluOp::IAdd, &[address, offset])
    }

    /// The rules for the layout of shared memory: either all variables are blocks with a layout, or none is.
    fn shared_rules(&self) -> Rules {
        let blocks = self
            .variables_of(StorageClass::Workgroup)
            .any(|(_, pointee)| self.module.has(pointee, Decoration::Block));
        if blocks { Rules::Explicit } else { Rules::Natural }
    }

    /// The module's variables of a storage class: ids and the types that they contain.
    fn variables_of(&self, class: StorageClass) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        self.module.insts.iter().take_while(|inst| inst.op != Op::Function).filter_map(
            move |inst| match self.globals.types.get(inst.ty) {
                Some(&Type::Pointer { class: found, pointee })
                    if inst.op == Op::Variable && found == class =>
                {
                    Some((inst.result, pointee))
                }
                _ => None,
            },
        )
    }

    /// The place in a storage buffer that a value describes, which points to type `pointee`.
    fn buffer_at(&mut self, value: Value, pointee: u32) -> Result<Base> {
        let options = match self.choices.get(&pointee) {
            Some(options) => options.clone(),
            None => {
                let options: Rc<[BufferOption]> = self.buffers_with(pointee)?.into();
                self.choices.insert(pointee, options.clone());
                options
            }
        };
        let Some(first) = options.first() else {
            let detail = format!("expected a storage buffer that contains type %{pointee}");
            return Err(FrontendError::new(ErrorCode::VariablePointer, detail));
        };
        let [number, element, offset] = [0, 1, 2].map(|comp| self.b().comp(value, comp));
        let start = MemPtr {
            memory: first.start.memory,
            dynamic: Some(offset),
            align: Align::to(1),
            ..first.start.clone()
        };
        let mem = MemPtr {
            access: Access { restrict: true, ..Access::default() },
            writable: true,
            ..start
        };
        for option in options.iter() {
            self.mark_non_uniform(&Base::Mem(option.start.clone()));
        }
        let choice = Choice { mem, number, element, options: options.clone() };
        // Blocks have no blocks in them, so an array of blocks is one of descriptors.
        let of_descriptors =
            self.is_array(pointee) && self.module.has(self.block_of(pointee), Decoration::Block);
        Ok(match (&*options, of_descriptors) {
            ([only], false) => Base::Mem(choice.place(only)),
            ([only], true) => Base::Descriptors(choice.place(only)),
            (_, false) => Base::Choice(choice.into()),
            (_, true) => Base::DescriptorChoice(choice.into()),
        })
    }

    /// The storage buffers of the module that contain a part of type `pointee`.
    fn buffers_with(&mut self, pointee: u32) -> Result<Vec<BufferOption>> {
        let fitting: Vec<u32> = self
            .variables_of(StorageClass::StorageBuffer)
            .filter(|&(_, ty)| self.globals.types.contains(ty, pointee))
            .map(|(id, _)| id)
            .collect();
        let mut options: Vec<BufferOption> = Vec::new();
        for id in fitting {
            let (start, is_array) = match self.module_variable(id)?.map(|pointer| pointer.base) {
                Some(Base::Mem(start)) => (start, false),
                Some(Base::Descriptors(start)) => (start, true),
                _ => continue,
            };
            let Memory::Ssbo(resource) = start.memory else { continue };
            let number = resource.binding.0 + 1;
            // Several variables may have one binding.
            match options.iter_mut().find(|option| option.number == number) {
                Some(option) => {
                    option.start.writable |= start.writable;
                    option.start.access.coherent |= start.access.coherent;
                    option.start.access.volatile |= start.access.volatile;
                    option.start.access.restrict &= start.access.restrict;
                    option.start.access.aliased |= start.access.aliased;
                }
                None => options.push(BufferOption { number, start, is_array }),
            }
        }
        Ok(options)
    }

    /// Emits `body` for each buffer that a pointer may point into, under the condition that it does.
    pub(super) fn each_option(
        &mut self,
        choice: &Choice,
        body: &mut dyn FnMut(&mut Self, MemPtr) -> Result<()>,
    ) -> Result<()> {
        for option in choice.options.iter() {
            let number = self.imm(option.number);
            let hit = self.alu(AluOp::IEq, &[choice.number, number]);
            self.if_(hit, |t| body(t, choice.place(option)), |_| Ok(()))?;
        }
        self.check_budget()
    }

    /// Reads a value of type `ty` from the buffer that a pointer selects.
    pub(super) fn load_choice(&mut self, choice: &Choice, ty: u32, access: Access) -> Result<Val> {
        self.count_scalars(ty)?;
        let shape = self.globals.types.var_ty(ty)?;
        let var = self.new_var(String::new(), shape, None);
        self.each_option(choice, &mut |t, mem| {
            let val = t.load(&Pointer { base: Base::Mem(mem), pointee: ty }, access)?;
            t.store_var(var, &[], ty, &val)
        })?;
        self.load_var(var, &[], ty)
    }

    /// Bytes from one element to the next for arithmetic on pointers of type `ty`.
    fn pointer_stride(&self, inst: &Inst<'_>, ty: u32) -> Result<u32> {
        let Some(&Type::Pointer { class, pointee }) = self.globals.types.get(ty) else {
            return Err(inst.error(ErrorCode::NotAPointer, "expected a pointer"));
        };
        let rules = match class {
            StorageClass::Workgroup => self.shared_rules(),
            _ => Rules::Explicit,
        };
        self.layout().array_stride(ty, pointee, rules).map_err(|e| e.at(inst.position()))
    }

    /// `OpPtrAccessChain` and `OpInBoundsPtrAccessChain`: operand 0 is the base pointer, operand 1 the number of elements
    /// by which to move it, and the indices follow.
    pub(super) fn ptr_access_chain(&mut self, inst: &Inst<'_>) -> Result<()> {
        let pointer = self.pointer(inst, 0)?;
        let (_, ty) = self.operand(inst, 0)?;
        let (count, count_ty) = self.operand(inst, 1)?;
        let Some(&Type::Int { bits, signed }) = self.globals.types.get(count_ty) else {
            let detail = "expected an integer scalar as number of elements";
            return Err(inst.error(ErrorCode::OperandType, detail));
        };
        let pointer = match count {
            Val::Const(zero) if zero.bits() == 0 => pointer,
            _ => {
                let stride = self.pointer_stride(inst, ty)?;
                let count = self.as_leaf(&count, count_ty)?;
                let widen = if signed { AluOp::I2I } else { AluOp::U2U };
                let count = if bits < 32 { self.b().convert(widen, 32, count) } else { count };
                self.moved(inst, pointer, count, stride)?
            }
        };
        self.finish_chain(inst, pointer, 2)
    }

    /// The pointer moved by `count` (32 or 64 bits) times `stride` bytes.
    fn moved(
        &mut self,
        inst: &Inst<'_>,
        mut pointer: Pointer,
        count: Value,
        stride: u32,
    ) -> Result<Pointer> {
        let place = match &mut pointer.base {
            Base::Mem(mem) => mem,
            Base::Choice(choice) => &mut Rc::make_mut(choice).mem,
            _ => {
                let detail = "expected a pointer to a buffer or shared memory";
                return Err(inst.error(ErrorCode::VariablePointer, detail));
            }
        };
        let moved = self.far(place.clone(), count, stride);
        *place = moved;
        Ok(pointer)
    }

    /// The place `count` (32 or 64 bits) times `stride` bytes further on. An offset has 32 bits, so that a count of 64
    /// bits moves the address, if the memory has one.
    pub(super) fn far(&mut self, mut mem: MemPtr, count: Value, stride: u32) -> MemPtr {
        let wide = self.shader.func.ty(count) == Ty::X64;
        if let (Memory::Global(address), true) = (mem.memory, wide) {
            let size = self.imm_int(Ty::X64, stride.into());
            let bytes = self.alu(AluOp::IMul, &[count, size]);
            let address = self.b().comp(address.value, usize::from(address.swizzle[0]));
            mem.memory = Memory::Global(Src::new(self.alu(AluOp::IAdd, &[address, bytes])));
        } else {
            let count = if wide { self.b().convert(AluOp::U2U, 32, count) } else { count };
            let bytes = self.strided(count, stride);
            mem.dynamic = Some(self.sum(mem.dynamic, bytes));
        }
        mem.align = mem.align.at_multiple(stride);
        mem
    }

    /// `OpPtrEqual` and `OpPtrNotEqual`.
    pub(super) fn op_ptr_equal(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (a, b) = (self.leaf(inst, 0)?, self.leaf(inst, 1)?);
        let ty = self.shader.func.ty(a);
        if self.shader.func.ty(b) != ty {
            let detail = "expected two pointers of the same type";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let parts = self.alu(AluOp::IEq, &[a, b]);
        let mut equal = self.b().comp(parts, 0);
        for comp in 1..ty.comps() {
            let part = self.b().comp(parts, comp);
            equal = self.alu(AluOp::IAnd, &[equal, part]);
        }
        if inst.op == Op::PtrNotEqual {
            equal = self.alu(AluOp::INot, &[equal]);
        }
        self.bind_leaf(inst, equal)
    }

    /// Bytes from one element to the next, for pointers of a type without an ArrayStride: only `OpPtrAccessChain` requires
    /// one. It is the stride of the arrays with elements of that type, if all of them have the same.
    fn element_stride(&self, ty: u32) -> Result<Option<u32>> {
        let Some(&Type::Pointer { class, pointee }) = self.globals.types.get(ty) else {
            return Ok(None);
        };
        let stride = |ty| self.module.decoration_word(ty, Decoration::ArrayStride);
        if class == StorageClass::Workgroup || stride(ty)?.is_some() {
            return Ok(None);
        }
        let mut found = None;
        for array in self.globals.types.arrays_of(pointee) {
            match (stride(array)?, found) {
                (Some(one), Some(other)) if one != other => return Ok(None),
                (Some(one), _) => found = Some(one),
                (None, _) => {}
            }
        }
        Ok(found)
    }

    /// `OpPtrDiff`: the number of elements between two pointers into one array.
    pub(super) fn op_ptr_diff(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (_, ty) = self.operand(inst, 0)?;
        let stride = match self.element_stride(ty)? {
            Some(stride) => stride,
            None => self.pointer_stride(inst, ty)?,
        };
        let (mut a, mut b) = (self.leaf(inst, 0)?, self.leaf(inst, 1)?);
        if self.shader.func.ty(a) != self.shader.func.ty(b) || stride == 0 {
            let detail = "expected two pointers of the same type, whose ArrayStride is above 0";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        // The last part is the offset or address. The others are equal.
        let last = self.shader.func.ty(a).comps() - 1;
        (a, b) = (self.b().comp(a, last), self.b().comp(b, last));
        let bytes = self.alu(AluOp::ISub, &[a, b]);
        let from = self.shader.func.ty(bytes);
        let count = match stride.is_power_of_two() {
            true => {
                let shift = self.imm(stride.trailing_zeros());
                self.alu(AluOp::IShr, &[bytes, shift])
            }
            false => {
                let size = self.imm_int(from, stride.into());
                self.alu(AluOp::IDiv, &[bytes, size])
            }
        };
        let to = self.result_leaf(inst)?;
        let count = match to.bits() == from.bits() {
            true => count,
            false => self.b().convert(AluOp::I2I, to.bits(), count),
        };
        self.bind_leaf(inst, count)
    }

    /// `OpConvertPtrToU` and `OpConvertUToPtr`: an address as an integer and the reverse. An integer of another size is
    /// cut off or extended with zeros.
    pub(super) fn op_convert_pointer(&mut self, inst: &Inst<'_>) -> Result<()> {
        let value = self.leaf(inst, 0)?;
        let (from, to) = (self.shader.func.ty(value), self.result_leaf(inst)?);
        let (_, ty) = self.operand(inst, 0)?;
        let address = |ty: u32| {
            let class = StorageClass::PhysicalStorageBuffer;
            matches!(self.globals.types.get(ty), Some(Type::Pointer { class: found, .. }) if *found == class)
        };
        let number = |ty: u32| matches!(self.globals.types.get(ty), Some(Type::Int { .. }));
        let fits = match inst.op {
            Op::ConvertPtrToU => address(ty) && number(inst.ty),
            _ => number(ty) && address(inst.ty),
        };
        if !fits {
            let detail = "expected a physical storage buffer pointer and an integer";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let value = match from.bits() == to.bits() {
            true => value,
            false => self.b().convert(AluOp::U2U, to.bits(), value),
        };
        self.bind_leaf(inst, value)
    }
}
