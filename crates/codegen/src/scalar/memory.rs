//! Loads, stores, atomics, buffer sizes and barriers: the choice of message and surface.

use crestline_isa::message::ByteSize;
use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{
    AtomicOp, InstKind, Memory, MemorySemantics, Resource, Scope, Src, Ty, Value, WriteMask,
};

use super::blocks::{Place, Reuse};
use super::operands::is_thread_scalar;
use super::sysvals::payload;
use super::{SelectError, Selector};
use crate::ir::{GRF_BYTES, Op, Operand};
use crate::select::{Class, MemoryMessages, offset_of};
use crate::surface::{self, Surface};

impl Selector<'_> {
    /// Selects a memory access, the query of a buffer's size, or a barrier.
    pub(super) fn memory(
        &mut self,
        kind: &InstKind,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        match (kind, result) {
            (InstKind::Load { memory, offset, access, .. }, Some(result)) => {
                self.load(memory, *offset, Reuse::of(memory, *access), result)
            }
            (InstKind::Store { memory, offset, data, comps, mask, .. }, _) => {
                self.store(memory, *offset, *data, *comps, *mask)
            }
            (InstKind::Atomic { memory, op, offset, data, compare, .. }, result) => {
                self.atomic(memory, *op, *offset, *data, *compare, result)
            }
            (InstKind::BufferSize(resource), Some(result)) => self.buffer_size(resource, result),
            (InstKind::Barrier { execution, memory, semantics }, _) => {
                self.barrier(*execution, *memory, *semantics)
            }
            _ => Ok(()),
        }
    }

    /// Selects a load.
    fn load(
        &mut self,
        memory: &Memory,
        offset: Src,
        reuse: Reuse,
        result: Value,
    ) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(result);
        let effect = reuse.effect();
        let surface = match memory {
            Memory::PushConstant => return self.load_push_constant(offset, result),
            Memory::Scratch => return self.load_scratch(offset, result),
            Memory::Global(address) if self.bits(address.value) == 64 => {
                return self.load_global(*address, reuse, result);
            }
            Memory::Global(_) => Surface::Stateless,
            Memory::Shared => Surface::Shared,
            Memory::Ubo(resource) | Memory::Ssbo(resource) | Memory::Image(resource) => {
                self.surface(resource)?
            }
            Memory::ConstData => {
                let index = self.interface.const_data;
                Surface::Index(index.ok_or(SelectError::NotInLayout { what: "constant data" })?)
            }
        };
        let place = Place::in_surface(&self.shader.func, surface, offset_of(memory, offset));
        let offset = self.src(offset_of(memory, offset), Class::Unsigned);
        if let (32, Some(at)) = (ty.bits(), offset.imm_bits().filter(|at| at % 4 == 0))
            && let Some((range, at)) =
                self.interface.pushed(memory, at as u32, ty.comps() as u32 * 4)
        {
            for comp in 0..ty.comps() {
                let dword = payload(range.offset + at + comp as u32 * Type::Ud.size());
                self.locate(result, comp, dword);
            }
            return Ok(());
        }
        match ty.bits() {
            32 if self.uniform.is(result) => {
                let dwords = self.uniform_read(place, offset, ty.comps(), reuse)?;
                for (comp, dword) in dwords.into_iter().take(ty.comps()).enumerate() {
                    self.locate(result, comp, dword);
                }
            }
            32 => {
                let (target, comps) = (self.target, ty.comps() as u32);
                let dwords = surface::read(&mut self.b(), target, surface, offset, comps, effect)?;
                for (comp, dword) in dwords.into_iter().enumerate() {
                    self.locate(result, comp, dword);
                }
            }
            8 | 16 => {
                let (target, size) = (self.target, byte_size(ty));
                let uniform = self.uniform.is(result);
                let mut b = self.b();
                let dword = if uniform {
                    // Eight channels, whether enabled or not, read the same element.
                    let mut b = b.no_mask();
                    let mut b = b.exec(8);
                    let element =
                        surface::read_scattered(&mut b, target, surface, offset, size, effect)?;
                    element.with_stride(0)
                } else {
                    surface::read_scattered(&mut b, target, surface, offset, size, effect)?
                };
                self.locate(result, 0, dword);
            }
            bits => return Err(SelectError::BitSize { op: "load", bits }),
        }
        Ok(())
    }

    /// Selects a load of push constants, which are in registers: an operand if the offset is constant, otherwise an
    /// indirect move.
    fn load_push_constant(&mut self, offset: Src, result: Value) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(result);
        let missing = SelectError::NotInLayout { what: "push constants" };
        let Some(push) = self.interface.push_constants else { return Err(missing) };
        if ty.bits() != 32 {
            return Err(SelectError::BitSize { op: "load of a push constant", bits: ty.bits() });
        }
        let base = push.offset % GRF_BYTES;
        let offset = self.src(offset, Class::Unsigned);
        let size = Type::Ud.size();
        for comp in 0..ty.comps() {
            let step = comp as u32 * size;
            if let Some(bits) = offset.imm_bits() {
                let at = (bits as u32).wrapping_add(step).wrapping_sub(push.first);
                // Only invalid layouts have dwords at other offsets than multiples of 4.
                let inside = at <= push.bytes.saturating_sub(size) && at % size == 0;
                let dword = Operand::uniform(base + at, Type::Ud);
                self.locate(result, comp, if inside { dword } else { Operand::imm_ud(0) });
                continue;
            }
            let dst = self.define(result, comp, Class::Unsigned);
            let index = self.new_register(result);
            let last = push.bytes.saturating_sub(size);
            self.b_for(result, |b| {
                let distance = step.wrapping_sub(push.first);
                let moved = if distance == 0 {
                    offset
                } else {
                    b.add(index, offset, Operand::imm_ud(distance)).dst
                };
                // An offset out of range must read some push constant, never another register.
                b.min_max(index, moved, Operand::imm_ud(last), CondMod::L);
                let range = Operand::uniform(base, Type::Ud);
                let bytes = Operand::imm_ud(push.bytes);
                b.emit(Op::MovIndirect, dst, &[range, index, bytes]);
            });
        }
        Ok(())
    }

    /// The dword index in the thread's scratch space of a dword in the channel's scratch memory. `offset` is the byte
    /// offset there, and `dwords` is added to it. The dwords of all channels with the same offset are adjacent.
    fn scratch_index(&mut self, offset: Src, dwords: u32) -> Operand {
        let offset = self.src(offset, Class::Unsigned);
        let width = u32::from(self.out.dispatch_width);
        let channel = self.channels();
        let index = self.out.lanes(Type::Ud, 1);
        match offset.imm_bits() {
            Some(bits) => {
                let first = (bits as u32 / 4 + dwords).wrapping_mul(width);
                self.b().add(index, channel, Operand::imm_ud(first));
            }
            None => {
                // This is offset / 4 * width, because the width is a multiple of 4.
                let shift = Operand::imm_ud((width / 4).ilog2());
                let scaled = self.out.lanes(Type::Ud, 1);
                let mut b = self.b();
                b.shl(scaled, offset, shift);
                b.add(index, scaled, channel);
                if dwords > 0 {
                    b.add(index, index, Operand::imm_ud(dwords * width));
                }
            }
        }
        index
    }

    /// Selects a load from scratch memory, with a message per component.
    fn load_scratch(&mut self, offset: Src, result: Value) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(result);
        self.check_scratch(ty)?;
        for comp in 0..ty.comps() {
            let index = self.scratch_index(offset, comp as u32);
            let target = self.target;
            let dword = surface::read_scratch(&mut self.b(), target, index)?;
            self.locate(result, comp, dword);
        }
        Ok(())
    }

    /// Checks that scratch memory can be accessed with a type.
    fn check_scratch(&self, ty: Ty) -> Result<(), SelectError> {
        match ty.bits() {
            1 | 32 => Ok(()),
            bits => Err(SelectError::BitSize { op: "scratch access", bits }),
        }
    }

    /// Selects a store. `comps` is the number of components of the data, `mask` those that are stored.
    fn store(
        &mut self,
        memory: &Memory,
        offset: Src,
        data: Src,
        comps: u8,
        mask: WriteMask,
    ) -> Result<(), SelectError> {
        let ty = self.shader.func.ty(data.value);
        let comps = usize::from(comps);
        if *memory == Memory::Scratch {
            self.check_scratch(ty)?;
            for comp in (0..comps).filter(|&comp| mask.has(comp)) {
                let index = self.scratch_index(offset, comp as u32);
                let data = self.src_comp(data, comp, Class::Unsigned).retype(Type::Ud);
                let target = self.target;
                surface::write_scratch(&mut self.b(), target, index, data)?;
            }
            return Ok(());
        }
        let surface = match memory {
            Memory::Global(address) if self.bits(address.value) == 64 => {
                return self.store_global(*address, data, comps);
            }
            Memory::Global(_) => Surface::Stateless,
            Memory::Shared => Surface::Shared,
            Memory::Ssbo(resource) | Memory::Image(resource) => self.surface(resource)?,
            _ => return Err(SelectError::Memory { what: "a store to read-only memory" }),
        };
        let offset = offset_of(memory, offset);
        if matches!(ty.bits(), 8 | 16) && comps == 1 {
            let place = self.src(offset, Class::Unsigned);
            let (target, dword) = (self.target, self.read_dword(data, 0).retype(Type::Ud));
            let size = byte_size(ty);
            self.b_live(|b| surface::write_scattered(b, target, surface, place, dword, size))?;
            return Ok(());
        }
        if ty.bits() != 32 {
            return Err(SelectError::BitSize { op: "store", bits: ty.bits() });
        }
        // One message for each run of consecutive components.
        let mut comp = 0;
        while comp < comps {
            let run = (comp..comps).take_while(|&c| mask.has(c)).count();
            if run == 0 {
                comp += 1;
                continue;
            }
            let place = self.offset_plus(offset, comp as u32 * Type::Ud.size());
            let values: Vec<Operand> =
                (comp..comp + run).map(|c| self.src_comp(data, c, Class::Unsigned)).collect();
            let target = self.target;
            self.b_live(|b| surface::write(b, target, surface, place, &values))?;
            comp += run;
        }
        Ok(())
    }

    /// A byte offset plus a constant, as an operand.
    fn offset_plus(&mut self, offset: Src, bytes: u32) -> Operand {
        let operand = self.src(offset, Class::Unsigned);
        match (bytes, operand.imm_bits()) {
            (0, _) => operand,
            (_, Some(bits)) => Operand::imm_ud((bits as u32).wrapping_add(bytes)),
            _ => {
                let sum = self.new_register(offset.value).retype(Type::Ud);
                self.b_for(offset.value, |b| _ = b.add(sum, operand, Operand::imm_ud(bytes)));
                sum
            }
        }
    }

    /// Selects an atomic.
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
        let surface = match memory {
            Memory::Global(address) if self.bits(address.value) == 64 => {
                return self.atomic_global(*address, op, data, compare, result);
            }
            Memory::Ssbo(resource) if bits == 64 && self.target.has_a64_messages() => {
                return self.wide_atomic(resource, op, offset, data, compare, result);
            }
            Memory::Shared if bits != 32 => {
                return Err(SelectError::AtomicSize { bits, what: "shared memory" });
            }
            _ if bits != 32 => {
                return Err(SelectError::AtomicSize { bits, what: "storage buffers" });
            }
            Memory::Global(_) => Surface::Stateless,
            Memory::Shared => Surface::Shared,
            Memory::Ssbo(resource) => self.surface(resource)?,
            _ => return Err(SelectError::Memory { what: "an atomic on read-only memory" }),
        };
        let (op, operands) = self.atomic_operands(op, data, compare)?;
        let offset = self.src(offset_of(memory, offset), Class::Unsigned);
        let target = self.target;
        self.with_old_value(result, |selector, asked| {
            Ok(selector
                .b_live(|b| surface::atomic(b, target, surface, op, offset, &operands, asked))?)
        })
    }

    /// Selects the size of a buffer: a dword of the payload. The dwords of an array's elements are at a constant
    /// distance.
    fn buffer_size(&mut self, resource: &Resource, result: Value) -> Result<(), SelectError> {
        let interface = self.interface;
        let binding = resource.binding;
        let place = |element| interface.buffer_sizes.get(&(binding, element)).copied();
        let missing = SelectError::NotInLayout { what: "a buffer's size" };
        self.payload_dword(resource, &place, missing, result)
    }

    /// Makes a dword of the payload the location of a result. Each element of the binding's array has its own dword,
    /// all at a constant distance; `place` returns the byte offset of an element's dword.
    pub(super) fn payload_dword(
        &mut self,
        resource: &Resource,
        place: &dyn Fn(u32) -> Option<u32>,
        missing: SelectError,
        result: Value,
    ) -> Result<(), SelectError> {
        let dword = match self.known_dword(resource, place) {
            Some(known) => known.ok_or(missing)?,
            None => {
                let dst = self.define(result, 0, Class::Unsigned);
                self.chosen_dword(resource, place, missing, dst)?
            }
        };
        self.locate(result, 0, dword);
        Ok(())
    }

    /// The dword of an array element with a constant index, `Some(None)` if the layout does not contain it; `None` if
    /// the index is not constant.
    pub(super) fn known_dword(
        &mut self,
        resource: &Resource,
        place: &dyn Fn(u32) -> Option<u32>,
    ) -> Option<Option<Operand>> {
        let last = self.last_element(resource);
        let element = match resource.element {
            None => 0,
            Some(src) => (self.src(src, Class::Unsigned).imm_bits()? as u32).min(last),
        };
        Some(place(element).map(payload))
    }

    /// Emits an indirect move of an element's dword to `dst`. The array index is known at run time only, one per
    /// channel or one for the thread.
    pub(super) fn chosen_dword(
        &mut self,
        resource: &Resource,
        place: &dyn Fn(u32) -> Option<u32>,
        missing: SelectError,
        dst: Operand,
    ) -> Result<Operand, SelectError> {
        let (Some(first), Some(element)) = (place(0), resource.element) else {
            return Err(missing);
        };
        let element = self.src(element, Class::Unsigned);
        let (last, size) = (self.last_element(resource), Type::Ud.size());
        let distance = place(1).map_or(size, |second| second - first);
        let scalar = is_thread_scalar(&dst);
        let mut b = self.b();
        let mut b = if scalar { b.uniform() } else { b };
        let [index, bytes] =
            [(); 2].map(|()| if scalar { b.scalar(Type::Ud) } else { b.lanes(Type::Ud, 1) });
        b.min_max(index, element, Operand::imm_ud(last), CondMod::L);
        b.mul(bytes, index, Operand::imm_ud(distance));
        let range = Operand::imm_ud(last * distance + size);
        b.emit(Op::MovIndirect, dst, &[payload(first), bytes, range]);
        Ok(dst)
    }

    /// Index of the last element of a binding's array.
    fn last_element(&self, resource: &Resource) -> u32 {
        self.shader.binding(resource.binding).count.map_or(0, |count| count.saturating_sub(1))
    }

    /// The surface of a binding, or of one element if it is an array.
    pub(super) fn surface(&mut self, resource: &Resource) -> Result<Surface, SelectError> {
        let missing = SelectError::NotInLayout { what: "a binding" };
        let &first = self.interface.surfaces.get(&resource.binding).ok_or(missing)?;
        self.index_from(first, resource)
    }

    /// Selects a barrier: fences for the memories, then a barrier of the workgroup, as far as they are needed.
    fn barrier(
        &mut self,
        execution: Option<Scope>,
        memory: Scope,
        semantics: MemorySemantics,
    ) -> Result<(), SelectError> {
        let target = self.target;
        let width = u64::from(self.out.dispatch_width);
        let alone = self.shader.compute().is_some_and(|compute| compute.invocations() <= width);
        let across = semantics.buffer || semantics.image || semantics.shared;
        // Accesses of one thread are in order; so are those of a workgroup that consists of one thread.
        let fenced = across && memory >= Scope::Workgroup && !(alone && memory == Scope::Workgroup);
        if fenced {
            let MemorySemantics { buffer: buffers, image: images, shared, .. } = semantics;
            let memory = surface::Fenced { buffers, images, shared };
            surface::fence(&mut self.b(), target, memory)?;
        }
        if matches!(execution, Some(Scope::Workgroup | Scope::Device)) && !alone {
            match self.patch_threads() {
                Some(0 | 1) => {}
                Some(threads) => surface::patch_barrier(&mut self.b(), target, threads)?,
                None => surface::barrier(&mut self.b(), target)?,
            }
        }
        Ok(())
    }
}

impl<'a> MemoryMessages<'a> for Selector<'a> {
    fn is_used(&self, value: Value) -> bool {
        self.used[value.index()]
    }

    fn constant_dword(&mut self, src: Src) -> Option<u32> {
        self.src(src, Class::Unsigned).imm_bits().map(|bits| bits as u32)
    }

    fn dword(&mut self, src: Src) -> Operand {
        self.src(src, Class::Unsigned)
    }

    fn thread_dword(&mut self, src: Src) -> Option<Operand> {
        self.uniform.is(src.value).then(|| self.dword(src))
    }

    fn channel_dwords(&mut self, src: Src) -> Operand {
        self.dword(src)
    }

    fn any_channel(&mut self, src: Src) -> Operand {
        self.first_live(src)
    }

    fn locate_response(&mut self, value: Value, register: Operand) {
        self.locate(value, 0, register);
    }
}

/// The message field for the size of an element of 8 or 16 bits.
pub(super) fn byte_size(ty: Ty) -> ByteSize {
    if ty.bits() == 8 { ByteSize::Byte } else { ByteSize::Word }
}
