//! Loads, stores and atomics: the choice of message and surface. Push constants are in the payload.

use crestline_isa::{CondMod, Swizzle, Type};
use crestline_ssa::ir::{
    Access, Align, AtomicOp, InstKind, Memory, MemorySemantics, Resource, Scope, Src, Value,
    WriteMask,
};

use super::array::Spot;
use super::operands::{
    Form, Lanes, VECTOR_BYTES, ValueLocation, VectorRegister, in_channel_order, swizzled,
};
use super::{SelectError, Selector};
use crate::ir::{Effect, Op, Operand, Region};
use crate::select::{Class, MemoryMessages, offset_of};
use crate::surface::{self, Surface};

/// Size of a dword in bytes.
const DWORD: u32 = 4;

/// The effect of a load: [`Effect::Pure`] if it returns the same value whenever it is executed.
fn effect(memory: &Memory, access: Access) -> Effect {
    let stable = (memory.is_read_only() || access.readonly) && !access.volatile;
    if stable { Effect::Pure } else { Effect::Read }
}

impl Selector<'_> {
    /// Selects a memory access, a query of a buffer or image parameter, or a barrier.
    pub(super) fn memory(
        &mut self,
        kind: &InstKind,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        match (kind, result) {
            (InstKind::Load { memory, offset, access, align }, Some(result)) => {
                self.load(memory, *offset, *align, effect(memory, *access), result)
            }
            (InstKind::Store { memory, offset, data, mask, align, .. }, _) => {
                self.store(memory, *offset, *align, *data, *mask)
            }
            (InstKind::Atomic { memory, op, offset, data, compare, .. }, result) => {
                self.atomic(memory, *op, *offset, *data, *compare, result)
            }
            (InstKind::BufferSize(resource), Some(result)) => {
                let interface = self.interface;
                let binding = resource.binding;
                let place = |element| interface.buffer_sizes.get(&(binding, element)).copied();
                self.payload_dword(resource, &place, "a buffer's size", result)
            }
            (InstKind::ImageParam { image, param, comp }, Some(result)) => {
                let (interface, binding) = (self.interface, image.binding);
                let (param, comp) = (*param, u32::from(*comp));
                let place = |element| {
                    let first = interface.image_params.get(&(binding, param, element));
                    first.map(|at| at + DWORD * comp)
                };
                self.payload_dword(image, &place, "an image parameter", result)
            }
            (InstKind::Barrier { execution, memory, semantics }, _) => {
                self.barrier(*execution, *memory, *semantics)
            }
            _ => self.image(kind, result),
        }
    }

    /// Selects a load: from push constants, a pushed buffer range, scratch space or a surface.
    fn load(
        &mut self,
        memory: &Memory,
        offset: Src,
        align: Align,
        effect: Effect,
        result: Value,
    ) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(result);
        if !matches!(ty.bits(), 1 | 32 | 64) {
            return Err(SelectError::BitSize { op: "load", bits: ty.bits() });
        }
        if *memory == Memory::PushConstant {
            return self.load_push_constant(offset, result);
        }
        let bytes = ty.comps() as u32 * ty.comp_bytes();
        if let Some(at) = self.known_scalar(offset)
            && let Some((pushed, at)) = self.interface.pushed(memory, at, bytes)
        {
            self.load_uniform(pushed.offset, pushed.bytes, at, result);
            return Ok(());
        }
        let offset = offset_of(memory, offset);
        let surface = match memory {
            Memory::Scratch => None,
            _ => Some(self.surface_of(memory)?),
        };
        // Doubles are read two at a time, as four dwords.
        let wide = ty.bits() == 64;
        let register = wide.then(|| self.define(result));
        let (mut first, comps) = (0, ty.comps() as u32);
        while first < comps {
            let count = if wide { (comps - first).min(2) } else { comps };
            let dwords = if wide { 2 * count } else { count };
            let distance = first * ty.comp_bytes();
            let vector = match surface {
                Some(surface) => self.read(surface, offset, distance, dwords, effect)?,
                None => {
                    let at = Spot { offset, align: align.plus(distance), distance, dwords };
                    self.read_scratch(at)?
                }
            };
            if let Some(register) = register {
                let to: Vec<u8> =
                    (first..first + count).map(|c| register.lanes.channels()[c as usize]).collect();
                let part = VectorRegister { lanes: Lanes::of(&to), ..register };
                self.widen(vector, [0, 1, 2, 3], part);
            } else {
                let last = dwords as u8 - 1;
                let swizzle = Swizzle([0, 1, 2, 3].map(|i: u8| i.min(last)));
                let location = vector.with_region(Region::Swizzle(swizzle));
                self.set_location(result, ValueLocation::Register(location));
            }
            first += count;
        }
        Ok(())
    }

    /// The surface of a memory.
    fn surface_of(&mut self, memory: &Memory) -> Result<Surface, SelectError> {
        match memory {
            Memory::Ubo(resource) | Memory::Ssbo(resource) | Memory::Image(resource) => {
                self.surface(resource)
            }
            Memory::ConstData => {
                let index = self.interface.const_data;
                let missing = SelectError::NotInLayout { what: "constant data" };
                Ok(Surface::Index(index.ok_or(missing)?))
            }
            Memory::Global(address) if self.bits(address.value) == 32 => Ok(Surface::Stateless),
            Memory::Global(_) => Err(SelectError::Memory {
                what: "an access by a 64-bit address in SIMD4x2 threads",
            }),
            Memory::Shared | Memory::PushConstant | Memory::Scratch => {
                Err(SelectError::Memory { what: "shared memory in this stage" })
            }
        }
    }

    /// Emits a read of `dwords` dwords per vertex, from `offset` plus `distance` on.
    fn read(
        &mut self,
        surface: Surface,
        offset: Src,
        distance: u32,
        dwords: u32,
        effect: Effect,
    ) -> Result<Operand, SelectError> {
        let address = self.address(offset, distance);
        let target = self.target;
        let b = &mut self.b();
        Ok(surface::read_vectors(b, target, surface, address, dwords, effect)?)
    }

    /// A register whose first component is a byte offset plus a constant distance.
    fn address(&mut self, offset: Src, distance: u32) -> Operand {
        let known = self.known_scalar(offset);
        if distance == 0
            && known.is_none()
            && let Some(register) = self.in_first(offset)
        {
            return register;
        }
        let register = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(1) };
        let offset = self.src(offset.select(0), 1, Class::Unsigned, Form::Any);
        let dst = register.dst(Type::Ud);
        let mut b = self.b();
        match known {
            Some(bits) => b.mov(dst, Operand::imm_ud(bits.wrapping_add(distance))),
            None if distance == 0 => b.mov(dst, offset),
            None => b.add(dst, offset, Operand::imm_ud(distance)),
        };
        register.vector
    }

    /// The register whose first component is the source, if the source is in such a register.
    fn in_first(&mut self, src: Src) -> Option<Operand> {
        let operand = self.src(src.select(0), 1, Class::Unsigned, Form::Register);
        let first = matches!(operand.region, Region::Swizzle(Swizzle([0, ..])));
        let whole = operand.offset.is_multiple_of(crate::ir::GRF_BYTES);
        (first && whole && operand.in_grf() && !operand.has_modifiers()).then_some(operand)
    }

    /// Moves a source to the first component of a register, if it is not there already.
    pub(super) fn lane(&mut self, src: Src) -> Operand {
        if let Some(register) = self.in_first(src) {
            return register;
        }
        let register = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(1) };
        let operand = self.src(src.select(0), 1, Class::Unsigned, Form::Any);
        self.b().mov(register.dst(Type::Ud), operand);
        register.vector
    }

    /// A register with the components of a source in order; at least those of `mask` are valid.
    fn data(&mut self, src: Src, mask: u8) -> Operand {
        let operand = self.src(src, mask, Class::Unsigned, Form::Any);
        let in_order = match operand.region {
            Region::Swizzle(Swizzle(from)) => {
                (0..4).all(|i| mask >> i & 1 == 0 || usize::from(from[i]) == i)
            }
            _ => false,
        };
        if in_order && operand.in_grf() && operand.offset.is_multiple_of(crate::ir::GRF_BYTES) {
            return operand;
        }
        let to: Vec<u8> = (0..4).filter(|i| mask >> i & 1 == 1).collect();
        let parts: Vec<Src> = to.iter().map(|&i| src.select(usize::from(i))).collect();
        let register = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::of(&to) };
        self.move_parts(&parts, register, Class::Unsigned);
        register.vector
    }

    /// Selects a store. Doubles are stored two at a time, as four dwords.
    fn store(
        &mut self,
        memory: &Memory,
        offset: Src,
        align: Align,
        data: Src,
        mask: WriteMask,
    ) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(data.value);
        if !matches!(ty.bits(), 1 | 32 | 64) {
            return Err(SelectError::BitSize { op: "store", bits: ty.bits() });
        }
        let offset = offset_of(memory, offset);
        let surface = match memory {
            Memory::Scratch => None,
            Memory::Ssbo(_) | Memory::Image(_) | Memory::Global(_) => {
                Some(self.surface_of(memory)?)
            }
            _ => return Err(SelectError::Memory { what: "a store to read-only memory" }),
        };
        if ty.bits() != 64 {
            let vector = self.data(data, mask.0);
            return self.write(surface, (offset, align), 0, vector, mask.0);
        }
        for first in [0, 2] {
            let comps: Vec<usize> = (first..first + 2).filter(|&c| mask.has(c)).collect();
            if comps.is_empty() {
                continue;
            }
            let vector = self.vector(Type::Ud);
            let dwords: Vec<u8> = (0..8).map(|i: u8| i.wrapping_sub(2 * first as u8)).collect();
            self.store_doubles(data, vector, &dwords, &comps, None);
            let mask = comps.iter().fold(0, |mask, c| mask | 0b11 << (2 * (c - first)));
            self.write(surface, (offset, align), 8 * first as u32, vector, mask)?;
        }
        Ok(())
    }

    /// Writes the components of `mask` to consecutive dwords, from `offset` plus `distance` on. Without a surface,
    /// they go to scratch space.
    fn write(
        &mut self,
        surface: Option<Surface>,
        (offset, align): (Src, Align),
        distance: u32,
        vector: Operand,
        mask: u8,
    ) -> Result<(), SelectError> {
        let target = self.target;
        let Some(surface) = surface else {
            let dwords = 8 - mask.leading_zeros();
            let at = Spot { offset, align: align.plus(distance), distance, dwords };
            if let Some(array) = self.array {
                self.write_array(array, at, vector, mask);
                return Ok(());
            }
            let index = self.scratch_index(offset, distance);
            let header = self.pool.scratch_header(&mut self.out);
            let b = &mut self.b();
            surface::write_scratch_vectors(b, target, header, index, vector, mask)?;
            return Ok(());
        };
        let address = match target.messages.vector_writes {
            true => self.address(offset, distance),
            false => self.dword_addresses(offset, distance),
        };
        surface::write_vectors(&mut self.b(), target, surface, address, vector, mask)?;
        Ok(())
    }

    /// The byte offset in memory of each component of a vector.
    fn dword_addresses(&mut self, offset: Src, distance: u32) -> Operand {
        let register = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) };
        let step = |first: u32| [0, 1, 2, 3].map(|i: u32| first.wrapping_add(DWORD * i));
        if let Some(offset) = self.known_scalar(offset) {
            let dwords = step(offset.wrapping_add(distance)).map(|at| Some(u64::from(at)));
            super::consts::fill_channels(&mut self.b(), register.vector, dwords);
            return register.vector;
        }
        let steps = step(distance).map(u64::from);
        let steps = self.constant_operand(steps, 0xf, Type::Ud, Form::Register);
        let offset = self.index(offset);
        self.b().add(register.dst(Type::Ud), offset, steps);
        register.vector
    }

    /// The dword number in the thread's scratch space of each component. The dwords of the two vertices alternate.
    fn scratch_index(&mut self, offset: Src, distance: u32) -> Operand {
        let register = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) };
        let steps = self.pool.scratch_steps(&mut self.out);
        let known = self.known_scalar(offset);
        if let Some(offset) = known {
            let first = Operand::imm_ud(offset.wrapping_add(distance) / 2);
            self.b().add(register.dst(Type::Ud), steps, first);
            return register.vector;
        }
        let offset = self.index(offset);
        let half = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) };
        let mut b = self.b();
        b.shr(half.dst(Type::Ud), offset, Operand::imm_ud(1));
        b.add(register.dst(Type::Ud), steps, half.src());
        if distance > 0 {
            b.add(register.dst(Type::Ud), register.src(), Operand::imm_ud(distance / 2));
        }
        register.vector
    }

    /// Reads dwords of scratch space into the first components of a register.
    fn read_scratch(&mut self, at: Spot) -> Result<Operand, SelectError> {
        if let Some(array) = self.array {
            return Ok(self.read_array(array, at));
        }
        let Spot { offset, distance, .. } = at;
        let index = self.scratch_index(offset, distance);
        let header = self.pool.scratch_header(&mut self.out);
        let target = self.target;
        Ok(surface::read_scratch_vectors(&mut self.b(), target, header, index)?)
    }

    /// Selects an atomic on a storage buffer.
    fn atomic(
        &mut self,
        memory: &Memory,
        op: AtomicOp,
        offset: Src,
        data: Src,
        compare: Option<Src>,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        let bits = self.bits(data.value);
        if bits != 32 {
            return Err(SelectError::AtomicSize { bits, what: "buffers in SIMD4x2 threads" });
        }
        let surface = match memory {
            Memory::Ssbo(_) | Memory::Global(_) => self.surface_of(memory)?,
            _ => return Err(SelectError::Memory { what: "an atomic on memory of another stage" }),
        };
        let mut parts = vec![self.lane(offset_of(memory, offset))];
        let (op, operands) = self.atomic_operands(op, data, compare)?;
        parts.extend(operands);
        let target = self.target;
        self.with_old_value(result, |selector, asked| {
            let b = &mut selector.b();
            Ok(surface::atomic_vectors(b, target, surface, op, &parts, asked)?)
        })
    }

    /// Makes the first component of a register the location of a value.
    pub(super) fn set_first_component_location(&mut self, result: Value, register: Operand) {
        let region = Region::Swizzle(Swizzle([0; 4]));
        self.set_location(result, ValueLocation::Register(register.with_region(region)));
    }

    /// Selects a load of push constants, which are in the payload: an operand if the offset is constant, otherwise an
    /// indirect move.
    fn load_push_constant(&mut self, offset: Src, result: Value) -> Result<(), SelectError> {
        let missing = SelectError::NotInLayout { what: "push constants" };
        let Some(push) = self.interface.push_constants else { return Err(missing) };
        if let Some(offset) = self.known_scalar(offset) {
            let at = offset.wrapping_sub(push.first);
            self.load_uniform(push.offset, push.bytes, at, result);
            return Ok(());
        }
        let (index, size) = (self.index(offset), self.bits(result) / 8);
        self.load_uniform_indexed(push.offset, push.bytes, index, size, push.first, result);
        Ok(())
    }

    /// Emits an indirect move from a range of the payload that both vertices share. `index` is a byte index in the
    /// memory of the range, whose first byte is number `first`; `size` is the size of a component in bytes.
    fn load_uniform_indexed(
        &mut self,
        offset: u32,
        bytes: u32,
        index: Operand,
        size: u32,
        first: u32,
        result: Value,
    ) {
        let value = self.define(result);
        let ty = if size == 8 { Type::Df } else { Type::Ud };
        let [moved, clamped] = [(); 2]
            .map(|()| VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) });
        // Each channel reads the component that it will hold.
        let order = value.lanes.spread(Src::new(result)).swizzle;
        let range = Operand::uniform(offset, ty).with_region(Region::Swizzle(Swizzle(order)));
        let last = bytes.saturating_sub(self.comps(result) as u32 * size);
        let mut b = self.b();
        let index = match first {
            0 => index,
            _ => {
                let back = Operand::imm_d((first as i32).wrapping_neg());
                b.add(moved.dst(Type::Ud), index, back.retype(Type::Ud));
                moved.src()
            }
        };
        // An index out of range must read some constant, never another register.
        b.min_max(clamped.dst(Type::Ud), index, Operand::imm_ud(last), CondMod::L);
        b.emit(Op::MovIndirect, value.dst(ty), &[range, clamped.src(), Operand::imm_ud(bytes)]);
    }

    /// Selects a load at constant byte `at` of a range of the payload that both vertices share. Components outside
    /// the range are 0.
    pub(super) fn load_uniform(&mut self, offset: u32, bytes: u32, at: u32, result: Value) {
        let (size, comps) = (self.bits(result) / 8, self.comps(result) as u32);
        let ty = if size == 8 { Type::Df } else { Type::Ud };
        let first = at % VECTOR_BYTES / size;
        let last = first + comps - 1;
        let inside = at.checked_add(comps * size).is_some_and(|end| end <= bytes);
        if inside && last < 4 {
            let vector = Operand::uniform(offset + at - at % VECTOR_BYTES, ty);
            let swizzle = Swizzle([0, 1, 2, 3].map(|i| (first + i).min(last) as u8));
            let location = vector.with_region(Region::Swizzle(swizzle));
            return self.set_location(result, ValueLocation::Register(location));
        }
        let value = self.define(result);
        for (comp, &to) in value.lanes.channels().to_vec().iter().enumerate() {
            let at = at.wrapping_add(comp as u32 * size);
            let dst = VectorRegister { lanes: Lanes::of(&[to]), ..value }.dst(ty);
            let there = at.checked_add(size).is_some_and(|end| end <= bytes);
            let src = if there {
                let vector = Operand::uniform(offset + at - at % VECTOR_BYTES, ty);
                let comp = (at % VECTOR_BYTES / size) as u8;
                vector.with_region(Region::Swizzle(Swizzle([comp; 4])))
            } else {
                Operand::imm(0, ty)
            };
            self.b().mov(dst, src);
        }
    }

    /// Makes a dword of the payload the location of a result. Each element of the binding's array has its own dword,
    /// all at a constant distance; `place` returns the byte offset of an element's dword.
    fn payload_dword(
        &mut self,
        resource: &Resource,
        place: &dyn Fn(u32) -> Option<u32>,
        what: &'static str,
        result: Value,
    ) -> Result<(), SelectError> {
        let missing = SelectError::NotInLayout { what };
        let count = self.shader.binding(resource.binding).count;
        let last = count.map_or(0, |count| count.saturating_sub(1));
        let known = resource.element.map_or(Some(0), |element| self.known_scalar(element));
        if let Some(element) = known {
            let at = place(element.min(last)).ok_or(missing)?;
            let vector = Operand::uniform(at - at % VECTOR_BYTES, Type::Ud);
            let comp = (at % VECTOR_BYTES / DWORD) as u8;
            let location = vector.with_region(Region::Swizzle(Swizzle([comp; 4])));
            self.set_location(result, ValueLocation::Register(location));
            return Ok(());
        }
        let (Some(first), Some(element)) = (place(0), resource.element) else {
            return Err(missing);
        };
        let distance = place(1).map_or(DWORD, |second| second - first);
        let element = self.index(element);
        let [index, bytes] = [(); 2]
            .map(|()| VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) });
        let start = first - first % VECTOR_BYTES;
        let comp = (first % VECTOR_BYTES / DWORD) as u8;
        let range = Operand::uniform(start, Type::Ud);
        let range = range.with_region(Region::Swizzle(Swizzle([comp; 4])));
        let size = Operand::imm_ud(first - start + last * distance + DWORD);
        let dst = self.define(result).dst(Type::Ud);
        let mut b = self.b();
        b.min_max(index.dst(Type::Ud), element, Operand::imm_ud(last), CondMod::L);
        b.mul(bytes.dst(Type::Ud), index.src(), Operand::imm_ud(distance));
        b.emit(Op::MovIndirect, dst, &[range, bytes.src(), size]);
        Ok(())
    }

    /// The surface of a binding, or of one element if it is an array.
    pub(super) fn surface(&mut self, resource: &Resource) -> Result<Surface, SelectError> {
        let missing = SelectError::NotInLayout { what: "a binding" };
        let &first = self.interface.surfaces.get(&resource.binding).ok_or(missing)?;
        self.index_from(first, resource)
    }

    /// Selects a barrier: a fence for the memories, then a barrier of the patch's threads, as far as they are needed.
    fn barrier(
        &mut self,
        execution: Option<Scope>,
        memory: Scope,
        semantics: MemorySemantics,
    ) -> Result<(), SelectError> {
        let MemorySemantics { buffer: buffers, image: images, .. } = semantics;
        let target = self.target;
        if (buffers || images) && memory >= Scope::Workgroup {
            let memory = surface::Fenced { buffers, images, shared: false };
            surface::fence(&mut self.b().align1(), target, memory)?;
        }
        match execution {
            Some(Scope::Workgroup | Scope::Device) => self.meet(),
            _ => Ok(()),
        }
    }

    /// Moves the first component of each register to a component of the result.
    pub(super) fn gather(&mut self, registers: &[Operand], result: Value) {
        let whole = self.define(result);
        for (&register, &to) in registers.iter().zip(whole.lanes.channels().to_vec().iter()) {
            let dst = VectorRegister { lanes: Lanes::of(&[to]), ..whole }.dst(Type::Ud);
            let first = VectorRegister { vector: register, lanes: Lanes::first(1) };
            let operand = swizzled(in_channel_order(first), [0; 4]);
            self.b().mov(dst, operand);
        }
    }
}

impl<'a> MemoryMessages<'a> for Selector<'a> {
    fn is_used(&self, value: Value) -> bool {
        self.used[value.index()]
    }

    fn constant_dword(&mut self, src: Src) -> Option<u32> {
        self.known_scalar(src)
    }

    fn dword(&mut self, src: Src) -> Operand {
        self.lane(src)
    }

    /// A vec4 thread has no values for the whole thread.
    fn thread_dword(&mut self, _: Src) -> Option<Operand> {
        None
    }

    fn channel_dwords(&mut self, src: Src) -> Operand {
        let copy = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) };
        let operand = self.index(src);
        self.b().mov(copy.dst(Type::Ud), operand);
        copy.vector.with_stride(1)
    }

    fn locate_response(&mut self, value: Value, register: Operand) {
        self.set_first_component_location(value, register);
    }
}
