//! Geometry shaders. Each `EmitVertex` writes the vertex to the URB entry, after the space for the control data. The
//! control data is written at the end of the thread.
//!
//! If all vertices are emitted outside control flow, their number is known at each point: slots of the entry and the
//! control data are constants. Otherwise a register counts the vertices.
//!
//! Stores that the plan assigns to an `EmitVertex` write directly to the payloads of its messages. Other stores write
//! to one register per slot.

use std::collections::BTreeMap;

use crestline_isa::{CondMod, Type, WriteMask};
use crestline_ssa::ir::{Function, InstId, InstKind, Shader, Src, SysVal, Value};

use super::entry::Message;
use super::operands::{Form, Lanes, VECTOR_BYTES, VectorRegister, in_channel_order};
use super::{SelectError, Selector};
use crate::ir::{Builder, GRF_BYTES, Op, Operand, Region};
use crate::stage::{Access, GeometryIo, HEADER, Plan, Target};
use crate::surface::{self, MAX_SLOTS, UrbAddress, header};

/// Bit position of the invocation's number in the dword of the output handle.
const INVOCATION_SHIFT: u16 = 27;

/// Number of control data bits in one register, per vertex.
const CONTROL_BITS: u32 = 128;

/// The number of vertices emitted so far.
#[derive(Clone, Copy, Debug)]
enum Count {
    Known(u32),
    /// A number known at run time only, in the first component of a register.
    Register(Operand),
}

/// The state of selection for a geometry shader.
#[derive(Debug)]
pub(super) struct Vertices {
    count: Count,
    plan: Plan,
    /// For each slot with stores that do not go directly to an `EmitVertex`, its register.
    variables: BTreeMap<u32, Operand>,
    /// The messages of each `EmitVertex`.
    emits: BTreeMap<InstId, Vec<Message>>,
    /// A register with the header that all messages copy.
    header: Operand,
    /// The control data: constant dwords if the number of vertices is known, otherwise registers.
    known: Vec<u32>,
    control: Vec<Operand>,
}

impl Vertices {
    /// Plans the stores and allocates the registers of a geometry shader.
    pub(super) fn new(shader: &Shader, io: &GeometryIo, out: &mut crate::ir::Function) -> Vertices {
        let plan = Plan::new(shader, io);
        let register =
            |out: &mut crate::ir::Function| Operand::vgrf(out.vregs.bytes(GRF_BYTES), Type::Ud);
        let variables: BTreeMap<u32, Operand> =
            plan.variables().iter().map(|&slot| (slot, register(out))).collect();
        let all = plan.vertex_slots(true);
        let mut emits = BTreeMap::new();
        for &id in plan.emits() {
            emits.insert(id, Message::for_slots(all.iter().copied(), out));
        }
        let nested = plan.is_nested();
        let count = if nested { Count::Register(register(out)) } else { Count::Known(0) };
        let registers = if nested { io.control_slots().len() } else { 0 };
        let control = (0..registers).map(|_| register(out)).collect();
        let known = vec![0; if nested { 0 } else { io.control_bytes as usize / 4 }];
        let header = register(out);
        Vertices { count, plan, variables, emits, header, known, control }
    }

    /// Emits the initialisation of the registers before the shader's code.
    pub(super) fn open(&self, out: &mut crate::ir::Function) {
        let mut b = Builder::new(out);
        surface::fill_header(&mut b, self.header);
        for (slot, variable) in &self.variables {
            if *slot == HEADER {
                b.mov(*variable, Operand::imm_ud(0));
            } else {
                b.no_mask().emit(Op::Undef, *variable, &[]);
            }
        }
        if let Count::Register(count) = self.count {
            b.mov(count, Operand::imm_ud(0));
        }
        for control in &self.control {
            b.mov(*control, Operand::imm_ud(0));
        }
    }

    /// For a store whose value can be computed directly in a message's payload: the value and its register.
    pub(super) fn only_store(
        &self,
        func: &Function,
        io: &GeometryIo,
        id: InstId,
    ) -> Option<(Src, VectorRegister)> {
        let InstKind::StoreOutput { slot, data, comp, mask, .. } = &func.inst(id).kind else {
            return None;
        };
        let emit = self.plan.emit_of(id)?;
        let at = io.outputs.slots.get(slot)?;
        let comps = mask.width();
        if func.ty(data.value).bits() == 64 || mask.0 != (1 << comps) - 1 {
            return None;
        }
        let lanes: Vec<u8> =
            (0..comps).map(|c| at.dwords_from(*comp).get(c).copied()).collect::<Option<_>>()?;
        let vector = self.slot(emit, at.slot)?;
        self.plan
            .is_alone(func, io, id)
            .then(|| (*data, VectorRegister { vector, lanes: Lanes::of(&lanes) }))
    }

    /// The payload register of a slot in the messages of an `EmitVertex`.
    fn slot(&self, emit: InstId, slot: u32) -> Option<Operand> {
        let found = self.emits.get(&emit)?.iter().find(|message| message.run.has(slot))?;
        Some(found.register(slot - found.run.first))
    }
}

impl Selector<'_> {
    /// Selects a load of an input: from a pushed slot, by an indirect move if its number is known at run time only,
    /// or from a URB entry.
    pub(super) fn geometry_input(
        &mut self,
        io: &GeometryIo,
        kind: &InstKind,
        result: Value,
    ) -> Result<(), SelectError> {
        let (InstKind::LoadInput { comp, .. }, Some(target)) = (kind, Target::of(kind)) else {
            return Ok(());
        };
        let access = io.input(self.shader, target, &|src| self.known_scalar(src));
        let (offset, slot) = match access.ok_or(SelectError::NotInLayout { what: "an input" })? {
            Access::Pushed { offset, slot } => (offset, slot),
            Access::Entry { handle, offset, slot } => {
                return self.read_input(handle, &offset, slot, *comp, result);
            }
        };
        let dwords = slot.dwords_from(*comp);
        // For two primitives per thread, a slot is one register, whose low half belongs to the first primitive. For
        // one primitive, slots are 16 bytes apart.
        let stride = if io.dual_object { GRF_BYTES } else { VECTOR_BYTES };
        let distance = self.weighted_sum(&offset.terms);
        let byte = io.pushed + offset.constant * stride;
        let Some(distance) = distance else {
            if io.dual_object {
                let vector = Operand::grf(0, Type::Ud).byte_offset(byte);
                self.set_dword_location(result, vector, dwords);
            } else {
                self.pushed_slot(byte, dwords, result);
            }
            return Ok(());
        };
        let [bytes, value] = [(); 2]
            .map(|()| VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) });
        let first = if io.dual_object {
            Operand::grf(0, Type::Ud).byte_offset(byte)
        } else {
            Operand::uniform(byte, Type::Ud)
        };
        let distance = VectorRegister { vector: distance, lanes: Lanes::of(&[0, 0, 0, 0]) };
        let range = in_channel_order(VectorRegister { vector: first, lanes: Lanes::first(4) });
        let size = Operand::imm_ud((io.all_pushed_slots() - offset.constant) * stride);
        let mut b = self.b();
        b.shl(bytes.dst(Type::Ud), distance.src(), Operand::imm_ud(stride.ilog2()));
        b.emit(Op::MovIndirect, value.dst(Type::Ud), &[range, bytes.src(), size]);
        self.set_dword_location(result, value.vector, dwords);
        Ok(())
    }

    /// Selects a built-in value.
    pub(super) fn geometry_sysval(
        &mut self,
        io: &GeometryIo,
        sysval: SysVal,
        result: Value,
    ) -> Result<(), SelectError> {
        match sysval {
            SysVal::PrimitiveId => {
                let missing = SelectError::NotInLayout { what: "the primitive's number" };
                self.payload_vector(result, io.primitive_id.ok_or(missing)?, 0);
            }
            SysVal::InvocationId => {
                let register = self.vector(Type::Ud);
                let mut b = self.b();
                let mut b = b.align1();
                let mut b = b.no_mask();
                let shift = Operand::imm_uw(INVOCATION_SHIFT);
                b.exec(2).shr(register.with_stride(4), Operand::grf(0, Type::Ud), shift);
                self.set_first_component_location(result, register);
            }
            _ => return Err(SelectError::NotLowered { what: "a built-in" }),
        }
        Ok(())
    }

    /// Selects a store to an output, an `EmitVertex` or an `EndPrimitive`.
    pub(super) fn geometry_output(
        &mut self,
        io: &GeometryIo,
        vertices: &mut Vertices,
        id: InstId,
    ) -> Result<(), SelectError> {
        let shader = self.shader;
        match &shader.func.inst(id).kind {
            kind @ InstKind::StoreOutput { .. } => self.store_vertex(io, vertices, id, kind),
            InstKind::EmitVertex { stream } => self.emit_vertex(io, vertices, id, *stream),
            InstKind::EndPrimitive { .. } if !io.streams => {
                self.end_primitive(io, vertices);
                Ok(())
            }
            // With several streams, all primitives are points, which need no `EndPrimitive`.
            _ => Ok(()),
        }
    }

    /// Selects a store to an output: to the payload of an `EmitVertex`, or to the slot's register.
    fn store_vertex(
        &mut self,
        io: &GeometryIo,
        vertices: &Vertices,
        id: InstId,
        kind: &InstKind,
    ) -> Result<(), SelectError> {
        let emit = vertices.plan.emit_of(id);
        self.store_slots(&io.outputs, kind, &|slot| match emit {
            Some(emit) => vertices.slot(emit, slot),
            None => vertices.variables.get(&slot).copied(),
        })
    }

    /// Selects an `EmitVertex`: completes the payloads of its messages, sends them and counts the vertex. If the
    /// count is known at run time only, all this is conditional on the declared maximum.
    fn emit_vertex(
        &mut self,
        io: &GeometryIo,
        vertices: &mut Vertices,
        id: InstId,
        stream: u8,
    ) -> Result<(), SelectError> {
        let known = match vertices.count {
            // Vertices beyond the declared maximum are not written.
            Count::Known(count) if count >= io.max_vertices => return Ok(()),
            Count::Known(count) => Some(count),
            Count::Register(count) => {
                let vector = VectorRegister { vector: count, lanes: Lanes::of(&[0, 0, 0, 0]) };
                let limit = Operand::imm_ud(io.max_vertices);
                let mut b = self.b();
                let flag = b.flag();
                b.cmp(Operand::null(Type::Ud), vector.src(), CondMod::L, limit, flag);
                b.if_(flag, false);
                None
            }
        };
        for message in vertices.emits.get(&id).cloned().unwrap_or_default() {
            for index in 0..message.run.count {
                let slot = message.run.first + index;
                let register = message.register(index);
                let missing = 0xf & !vertices.plan.stored(id, slot);
                self.fill_slot(slot, register, missing, vertices.variables.get(&slot).copied());
            }
            self.write_vertex(io, vertices, message, known)?;
        }
        if io.streams && stream > 0 {
            self.mark(io, vertices, stream.into(), 0);
        }
        match &mut vertices.count {
            Count::Known(count) => *count += 1,
            Count::Register(count) => {
                let register = VectorRegister { vector: *count, lanes: Lanes::first(1) };
                let mut b = self.b();
                b.add(register.dst(Type::Ud), register.src(), Operand::imm_ud(1));
                b.endif();
            }
        }
        Ok(())
    }

    /// Fills dwords of a slot that no store for this vertex wrote, from the slot's register for other stores.
    fn fill_slot(&mut self, slot: u32, register: Operand, missing: u8, variable: Option<Operand>) {
        if missing == 0 {
            return;
        }
        let dst = register.with_region(Region::Mask(WriteMask(missing)));
        let mut b = self.b();
        match variable {
            Some(variable) => {
                let whole = VectorRegister { vector: variable, lanes: Lanes::first(4) };
                b.mov(dst, in_channel_order(whole));
            }
            None if slot == HEADER => _ = b.mov(dst, Operand::imm_ud(0)),
            None => {}
        }
    }

    /// Emits a message that writes slots of the current vertex to the URB entry. If the number of vertices is known
    /// at run time only, the header contains the vertex's offset in the entry.
    fn write_vertex(
        &mut self,
        io: &GeometryIo,
        vertices: &Vertices,
        message: Message,
        known: Option<u32>,
    ) -> Result<(), SelectError> {
        let first = io.first_vertex_slot(message.run.first);
        let header = message.payload;
        let target = self.target;
        let mut b = Builder::new(&mut self.out);
        b.no_mask().exec(8).mov(header, vertices.header);
        let address = match known {
            Some(count) => {
                let slot = first + count * io.vertex_slots;
                UrbAddress { slot, single: false, distances: false }
            }
            None => {
                if let Count::Register(count) = vertices.count {
                    let distances = header.byte_offset(header::DISTANCES);
                    let pairs = Operand::imm_uw((io.vertex_slots / 2) as u16);
                    b.no_mask().exec(2).mul(distances, count.with_stride(4), pairs);
                }
                UrbAddress { slot: first, single: false, distances: true }
            }
        };
        let (payload, count) = (message.payload, message.run.count);
        surface::write_slots(&mut b, target, payload, address, count, WriteMask::XYZW, false)?;
        Ok(())
    }

    /// Sets the control data bit of the last vertex, after which the strip ends. Without a vertex there is nothing to
    /// do.
    fn end_primitive(&mut self, io: &GeometryIo, vertices: &mut Vertices) {
        if matches!(vertices.count, Count::Known(0)) || io.control_bytes == 0 {
            return;
        }
        self.mark(io, vertices, 1, u32::MAX);
    }

    /// Sets the control data of the vertex whose number is the count plus `offset` to `value`. If the count is known,
    /// the constant control data is changed. Otherwise instructions compute the bit's position: a shift places it in
    /// its dword, and comparisons select the dword.
    fn mark(&mut self, io: &GeometryIo, vertices: &mut Vertices, value: u32, offset: u32) {
        let bits = io.control_bits();
        let count = match vertices.count {
            Count::Known(count) => {
                let bit = count.wrapping_add(offset).wrapping_mul(bits);
                if let Some(dword) = vertices.known.get_mut(bit as usize / 32) {
                    *dword |= value << (bit % 32);
                }
                return;
            }
            Count::Register(count) => count,
        };
        let all = Lanes::of(&[0, 0, 0, 0]);
        let count = VectorRegister { vector: count, lanes: all };
        let [bit, shifted, word] = [(); 3]
            .map(|()| VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(4) });
        let value = self.constant_operand([value.into(); 4], 0xf, Type::Ud, Form::Register);
        let mut b = self.b();
        if offset == 0 {
            b.shl(bit.dst(Type::Ud), count.src(), Operand::imm_ud(bits - 1));
        } else {
            b.add(bit.dst(Type::Ud), count.src(), Operand::imm_ud(offset));
        }
        // The hardware takes shift counts modulo 32.
        b.shl(shifted.dst(Type::Ud), value, bit.src());
        if io.max_vertices * bits <= 32 {
            for control in &vertices.control {
                let register = VectorRegister { vector: *control, lanes: Lanes::first(1) };
                b.or(register.dst(Type::Ud), register.src(), shifted.src());
            }
            return;
        }
        b.shr(word.dst(Type::Ud), bit.src(), Operand::imm_ud(5));
        for (number, &control) in vertices.control.iter().enumerate() {
            let first = number as u64 * u64::from(CONTROL_BITS / 32);
            let words = [first, first + 1, first + 2, first + 3];
            let words = self.constant_operand(words, 0xf, Type::Ud, Form::Register);
            let register = VectorRegister { vector: control, lanes: Lanes::first(4) };
            let mut b = self.b();
            let flag = b.flag();
            b.cmp(Operand::null(Type::Ud), word.src(), CondMod::Z, words, flag);
            let mut b = b.predicated(flag, false);
            b.or(register.dst(Type::Ud), register.src(), shifted.src());
        }
    }

    /// Emits the messages that write the control data and end the thread; the last one contains the number of
    /// vertices.
    pub(super) fn close_geometry(
        &mut self,
        io: &GeometryIo,
        vertices: &Vertices,
    ) -> Result<(), SelectError> {
        let target = self.target;
        let mut first = 0;
        let (before, slots) = (io.control_slots().start, io.control_slots().len() as u32);
        while first < slots {
            let count = (slots - first).min(MAX_SLOTS);
            let payload = Operand::vgrf(self.out.vregs.bytes((1 + count) * GRF_BYTES), Type::Ud);
            for index in 0..count {
                let register = payload.byte_offset((1 + index) * GRF_BYTES);
                let number = (first + index) as usize;
                match vertices.control.get(number) {
                    Some(&control) => _ = Builder::new(&mut self.out).mov(register, control),
                    None => {
                        let known = std::array::from_fn(|dword| {
                            vertices.known.get(4 * number + dword).map(|&bits| u64::from(bits))
                        });
                        super::consts::fill_channels(&mut self.b(), register, known);
                    }
                }
            }
            let mut b = Builder::new(&mut self.out);
            b.no_mask().exec(8).mov(payload, vertices.header);
            let address = UrbAddress { slot: before + first, single: false, distances: false };
            surface::write_slots(&mut b, target, payload, address, count, WriteMask::XYZW, false)?;
            first += count;
        }
        // The number of vertices is in a slot of the entry or in the header, depending on the device.
        let in_entry = io.count_bytes > 0;
        let registers = 1 + u32::from(in_entry);
        let last = Operand::vgrf(self.out.vregs.bytes(registers * GRF_BYTES), Type::Ud);
        if let Some(info) = last.vreg().and_then(|vreg| self.out.vregs.get_mut(vreg)) {
            info.min_register = target.registers.first_end_of_thread as u8;
            info.no_spill = true;
        }
        let mut b = Builder::new(&mut self.out);
        b.no_mask().exec(8).mov(last, vertices.header);
        let (counts, slot) = (last.byte_offset(header::COUNTS), last.byte_offset(GRF_BYTES));
        match vertices.count {
            Count::Known(count) if in_entry => _ = b.mov(slot, Operand::imm_ud(count)),
            Count::Register(count) if in_entry => {
                let register = VectorRegister { vector: count, lanes: Lanes::of(&[0, 0, 0, 0]) };
                b.align16().mov(slot.with_region(Region::Mask(WriteMask::XYZW)), register.src());
            }
            Count::Known(count) => {
                let both = count | count << 16;
                b.uniform().mov(counts.with_stride(0), Operand::imm_ud(both));
            }
            Count::Register(count) => {
                let words = count.retype(Type::Uw).with_stride(8);
                b.no_mask().exec(2).mov(counts.retype(Type::Uw), words);
            }
        }
        let address = UrbAddress { slot: 0, single: in_entry, distances: false };
        let slots = u32::from(in_entry);
        surface::write_slots(&mut b, target, last, address, slots, WriteMask::XYZW, true)?;
        Ok(())
    }
}
