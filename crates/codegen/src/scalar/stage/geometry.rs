//! Geometry shaders: eight primitives per thread, or up to eight invocations of one primitive. Each channel has its own
//! output entry: the number of vertices, then the control data, then the vertices. Each `EmitVertex` emits messages
//! that write the vertex. Messages at the end of the thread write the control data and the number of vertices.
//!
//! If all `EmitVertex` and `EndPrimitive` are outside control flow, the number of vertices is known at each point of
//! the program, so the slots of each vertex and the control data are constants. Otherwise a register counts the
//! vertices of each channel.
//!
//! [`Plan`] assigns some stores to one `EmitVertex`. The messages of this `EmitVertex` have the operands of these
//! stores as their payload. Other stores copy to registers, one for each dword, which each `EmitVertex` reads.

use std::collections::BTreeMap;

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{InstId, InstKind, SysVal, Value};

use super::super::sysvals::payload;
use super::super::{SelectError, Selector};
use super::lanes;
use super::outputs::Place;
use super::urb::InputHandles;
use crate::ir::{Effect, GRF_BYTES, Operand};
use crate::select::Class;
use crate::stage::{Access, GeometryIo, HEADER, Handle, Plan, Target, Usage, groups};
use crate::surface::{self, EntryAddress, MAX_DWORDS};

/// Byte offset in the payload of the handles of the output entries.
const HANDLES: u32 = GRF_BYTES;

/// Position of the lowest bit of the invocation's number in the dword that also has the output handle.
const INVOCATION_SHIFT: u32 = 27;

/// Bits of a dword.
const DWORD_BITS: u32 = 32;

/// Dwords of a slot.
const SLOT_DWORDS: u32 = 4;

/// The number of vertices that a channel has emitted so far.
#[derive(Clone, Copy, Debug)]
enum Count {
    Known(u32),
    /// A number for each channel, known at run time only.
    Register(Operand),
}

/// The state of selection for a geometry shader.
#[derive(Debug)]
pub(in crate::scalar) struct Vertices {
    count: Count,
    plan: Plan,
    /// For each `EmitVertex`, the operands of the dwords whose stores the plan assigns to it.
    direct: BTreeMap<InstId, BTreeMap<Place, Operand>>,
    /// The registers of the dwords that other stores write.
    variables: BTreeMap<Place, Operand>,
    /// The slots of a vertex, grouped by the message that writes them; the same for each `EmitVertex`.
    groups: Vec<Vec<u32>>,
    /// The dwords of the control data so far. A dword is a constant if the number of vertices is known or no vertex has
    /// bits in it, otherwise a register.
    control: Vec<Operand>,
}

impl Selector<'_> {
    /// Plans the stores and initialises the registers of a geometry shader.
    pub(super) fn open_geometry(&mut self, io: &GeometryIo) -> Vertices {
        let plan = Plan::new(self.shader, io);
        let usage = Usage::of(self.shader, &io.outputs);
        let mut variables = BTreeMap::new();
        for &slot in plan.variables() {
            for dword in (0..SLOT_DWORDS as u8).filter(|dword| usage.stored(slot) >> dword & 1 == 1)
            {
                variables.insert((slot, dword), self.output_register(slot == HEADER));
            }
        }
        let nested = plan.is_nested();
        let count = match nested {
            true => Count::Register(self.output_register(true)),
            false => Count::Known(0),
        };
        // The control data are rounded up to whole registers, so no vertex has bits in the last dwords.
        let used = (io.max_vertices * io.control_bits()).div_ceil(DWORD_BITS);
        let dwords = io.control_bytes / Type::Ud.size();
        let control = (0..dwords).map(|dword| match nested && dword < used {
            true => self.output_register(true),
            false => Operand::imm_ud(0),
        });
        let control = control.collect();
        let groups = groups(plan.vertex_slots(false), (MAX_DWORDS / SLOT_DWORDS) as usize);
        Vertices { count, plan, direct: BTreeMap::new(), variables, groups, control }
    }

    /// Selects a load of an input: from a pushed slot, or from a URB entry.
    pub(super) fn geometry_input(
        &mut self,
        io: &GeometryIo,
        kind: &InstKind,
        result: Value,
    ) -> Result<(), SelectError> {
        let missing = SelectError::NotInLayout { what: "an input" };
        let (InstKind::LoadInput { comp, .. }, Some(target)) = (kind, Target::of(kind)) else {
            return Ok(());
        };
        match io.input(self.shader, target, &|src| self.known_scalar(src)) {
            Some(Access::Pushed { offset, slot }) if io.dual_object => {
                let slots = io.all_pushed_slots();
                let dwords = slot.dwords_from(*comp);
                self.read_pushed(io.pushed, slots, &offset, dwords, result)
            }
            Some(Access::Entry {
                handle: Handle::Vertex { first, number, last },
                offset,
                slot,
            }) => {
                let handles = InputHandles { first, last, own: io.dual_object };
                let handles = self.input_handles(handles, number);
                let address = self.address(handles, &offset);
                self.read_slot(address, slot, *comp, Effect::Pure, result)
            }
            _ => Err(missing),
        }
    }

    /// Selects a built-in value. Returns whether it is one of geometry shaders.
    pub(super) fn geometry_sysval(
        &mut self,
        io: &GeometryIo,
        sysval: SysVal,
        result: Value,
    ) -> Result<bool, SelectError> {
        match sysval {
            SysVal::PrimitiveId => {
                let missing = SelectError::NotInLayout { what: "the primitive's number" };
                let place = io.primitive_id.ok_or(missing)?;
                let ids = if io.dual_object { lanes(place) } else { payload(place) };
                self.locate(result, 0, ids);
            }
            SysVal::InvocationId => {
                let number = self.define(result, 0, Class::Unsigned);
                self.b().shr(number, lanes(HANDLES), Operand::imm_ud(INVOCATION_SHIFT));
            }
            _ => return Ok(false),
        }
        Ok(true)
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
            InstKind::EmitVertex { stream } => return self.emit_vertex(io, vertices, id, *stream),
            InstKind::EndPrimitive { .. } if !io.streams => self.end_primitive(vertices, io),
            // With several streams, all primitives are points, which need no `EndPrimitive`.
            InstKind::EndPrimitive { .. } => {}
            _ => return Err(SelectError::NotLowered { what: "an instruction of another stage" }),
        }
        Ok(())
    }

    /// Selects a store to an output: records the operands if the plan assigns the store to an `EmitVertex`, otherwise
    /// copies them to the registers of the dwords.
    fn store_vertex(
        &mut self,
        io: &GeometryIo,
        vertices: &mut Vertices,
        id: InstId,
        kind: &InstKind,
    ) {
        let emit = vertices.plan.emit_of(id);
        self.for_each_stored(&io.outputs, kind, |selector, stored| match emit {
            Some(emit) => {
                let dwords = vertices.direct.entry(emit).or_default();
                dwords.insert(stored.place, stored.value);
            }
            None => {
                if let Some(&register) = vertices.variables.get(&stored.place) {
                    selector.copy_stored(register, stored);
                }
            }
        });
    }

    /// Selects an `EmitVertex`: writes the vertex, sets its stream in the control data, and increments the count.
    /// Vertices beyond the declared maximum are not written or counted: if the count is known at run time only, the
    /// code is inside a conditional.
    fn emit_vertex(
        &mut self,
        io: &GeometryIo,
        vertices: &mut Vertices,
        id: InstId,
        stream: u8,
    ) -> Result<(), SelectError> {
        let (first, distance) = match vertices.count {
            // Vertices beyond the declared maximum are not written.
            Count::Known(count) if count >= io.max_vertices => return Ok(()),
            Count::Known(count) => (count * io.vertex_slots, None),
            Count::Register(count) => {
                let limit = Operand::imm_ud(io.max_vertices);
                let mut b = self.b();
                let flag = b.flag();
                b.cmp(Operand::null(Type::Ud), count, CondMod::L, limit, flag);
                b.if_(flag, false);
                let distance = b.lanes(Type::Ud, 1);
                b.mul(distance, count, Operand::imm_uw(io.vertex_slots as u16));
                (0, Some(distance))
            }
        };
        let direct = vertices.direct.remove(&id).unwrap_or_default();
        for group in &vertices.groups {
            let places =
                group.iter().flat_map(|&slot| (0..SLOT_DWORDS as u8).map(move |at| (slot, at)));
            let mut dwords: Vec<Option<Operand>> = places
                .map(|place| {
                    let found = direct.get(&place).or_else(|| vertices.variables.get(&place));
                    found.copied().or((place.0 == HEADER).then_some(Operand::imm_ud(0)))
                })
                .collect();
            let Some(last) = dwords.iter().rposition(Option::is_some) else { continue };
            dwords.truncate(last + 1);
            let slot = io.first_vertex_slot(group[0]) + first;
            let address = EntryAddress { handles: lanes(HANDLES), slot, distance };
            let target = self.target;
            surface::write_entry(&mut self.b(), target, address, &dwords, false, false)?;
        }
        if io.streams && stream > 0 {
            self.mark(io, vertices, stream.into(), 0);
        }
        match &mut vertices.count {
            Count::Known(count) => *count += 1,
            Count::Register(count) => {
                let count = *count;
                let mut b = self.b();
                b.add(count, count, Operand::imm_ud(1));
                b.endif();
            }
        }
        Ok(())
    }

    /// Selects an `EndPrimitive`: sets the control data bit of the last emitted vertex, which ends the strip after it.
    /// Emits nothing if no vertex has been emitted.
    fn end_primitive(&mut self, vertices: &mut Vertices, io: &GeometryIo) {
        if !matches!(vertices.count, Count::Known(0)) {
            self.mark(io, vertices, 1, u32::MAX);
        }
    }

    /// Sets the control data of a vertex to `value`. The number of the vertex is the count plus `offset`, modulo 2^32:
    /// `offset` is 0 for the vertex that is being emitted, `u32::MAX` (-1) for the last emitted one. If the count is
    /// known, the constant control data change. Otherwise instructions compute the position of the bits: a shift places
    /// `value` in its dword, and comparisons select the dword. In a channel that has emitted no vertex, the number is
    /// -1, and no dword is selected.
    fn mark(&mut self, io: &GeometryIo, vertices: &mut Vertices, value: u32, offset: u32) {
        let bits = io.control_bits();
        let count = match vertices.count {
            Count::Known(count) => {
                let bit = count.wrapping_add(offset).wrapping_mul(bits);
                if let Some(dword) = vertices.control.get_mut((bit / DWORD_BITS) as usize) {
                    let known = dword.imm_bits().unwrap_or(0) as u32;
                    *dword = Operand::imm_ud(known | value << (bit % DWORD_BITS));
                }
                return;
            }
            Count::Register(count) => count,
        };
        let value = self.in_register(Operand::imm_ud(value));
        let mut b = self.b();
        let [bit, shifted, dword] = [(); 3].map(|()| b.lanes(Type::Ud, 1));
        if offset == 0 {
            b.shl(bit, count, Operand::imm_ud(bits - 1));
        } else {
            b.add(bit, count, Operand::imm_ud(offset));
        }
        // The hardware takes shift counts modulo 32.
        b.shl(shifted, value, bit);
        let mut registers = vertices.control.iter().copied().filter(|control| !control.is_imm());
        // If all vertices have their bits in one dword, no comparison is needed. A channel that has emitted no vertex
        // then sets bit 31. That is the bit of vertex 31, if there is one: the last possible vertex, after which the
        // strip ends in any case.
        if io.max_vertices * bits <= DWORD_BITS {
            registers.for_each(|control| _ = b.or(control, control, shifted));
            return;
        }
        b.shr(dword, bit, Operand::imm_ud(DWORD_BITS.ilog2()));
        for (number, control) in (0..).zip(registers.by_ref()) {
            let flag = b.flag();
            let null = Operand::null(Type::Ud);
            b.cmp(null, dword, CondMod::Z, Operand::imm_ud(number), flag);
            b.predicated(flag, false).or(control, control, shifted);
        }
    }

    /// Emits the messages that write the control data and the number of vertices; the last one ends the thread.
    pub(super) fn close_geometry(
        &mut self,
        io: &GeometryIo,
        vertices: &Vertices,
    ) -> Result<(), SelectError> {
        if io.count_bytes == 0 {
            return Err(SelectError::NotInLayout { what: "the number of vertices" });
        }
        let target = self.target;
        let dwords: Vec<Option<Operand>> = vertices.control.iter().copied().map(Some).collect();
        let mut slot = io.control_slots().start;
        for part in dwords.chunks(MAX_DWORDS as usize) {
            let address = EntryAddress { handles: lanes(HANDLES), slot, distance: None };
            surface::write_entry(&mut self.b(), target, address, part, false, false)?;
            slot += MAX_DWORDS / SLOT_DWORDS;
        }
        let count = match vertices.count {
            Count::Known(count) => Operand::imm_ud(count),
            Count::Register(count) => count,
        };
        let address = EntryAddress { handles: lanes(HANDLES), slot: 0, distance: None };
        Ok(surface::write_entry(&mut self.b(), target, address, &[Some(count)], false, true)?)
    }
}
