//! Tessellation control shaders: one invocation per output control point, two invocations per thread. Inputs are read
//! from URB entries whose handles are in the payload. Outputs are written to the patch's entry at each store, slot by
//! slot, because other invocations may read them.
//!
//! All channels are enabled at the start. If the number of control points is odd, the shader's code is inside a
//! conditional that disables the surplus invocation.

use std::rc::Rc;

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{InstId, InstKind, MAX_PATCH_VERTICES, Shader, SysVal, Value};

use super::operands::{Lanes, VECTOR_BYTES, ValueLocation, VectorRegister};
use super::urb::{Entries, PATCH_ENTRY, payload_dword};
use super::{SelectError, Selector};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand};
use crate::stage::{Access, JoinedStores, StageIo, Target, TessControlIo, VueSlot, joined_stores};
use crate::surface::{self, header};

/// Byte offsets in the payload: the primitive id; the thread's number and the barrier's number.
const PRIMITIVE: u32 = 4;
const THREAD: u32 = 8;

/// Mask of the thread's number.
const THREAD_BITS: u32 = 0x7f;

/// The state of selection for a tessellation control shader.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// The number of each invocation, in the first component of a register.
    invocation: Operand,
    /// Stores that are joined with a later store to the same slot, which sends one message for all.
    joined: Rc<JoinedStores>,
}

impl Patch {
    pub(super) fn new(shader: &Shader, out: &mut crate::ir::Function) -> Patch {
        let invocation = Operand::vgrf(out.vregs.bytes(GRF_BYTES), Type::Ud);
        Patch { invocation, joined: Rc::new(joined_stores(shader)) }
    }

    fn number(&self) -> VectorRegister {
        VectorRegister { vector: self.invocation, lanes: Lanes::of(&[0, 0, 0, 0]) }
    }
}

impl Selector<'_> {
    /// Computes the numbers of the invocations, and opens a conditional if one invocation may be surplus.
    pub(super) fn open_patch(&mut self, io: &TessControlIo, patch: &Patch) {
        let shift = self.target.tess_instance_shift();
        let thread = self.out.scalar(Type::Ud);
        let first = patch.invocation.with_stride(0);
        let mut b = Builder::new(&mut self.out);
        let mut b = b.uniform();
        b.and(thread, payload_dword(THREAD), Operand::imm_ud(THREAD_BITS << shift));
        // Each thread has two invocations, so the first one's number is twice the thread's.
        b.shr(first, thread, Operand::imm_ud(shift - 1));
        b.add(first.byte_offset(GRF_BYTES / 2), first, Operand::imm_ud(1));
        if !io.output_vertices.is_multiple_of(2) {
            let mut b = self.b();
            let flag = b.flag();
            let count = Operand::imm_ud(io.output_vertices);
            b.cmp(Operand::null(Type::Ud), patch.number().src(), CondMod::L, count, flag);
            b.if_(flag, false);
        }
    }

    /// Emits the end of the thread: the release of the inputs, if the device needs it, and the last message.
    pub(super) fn close_patch(
        &mut self,
        io: &TessControlIo,
        patch: &Patch,
    ) -> Result<(), SelectError> {
        if !io.output_vertices.is_multiple_of(2) {
            self.b().endif();
        }
        if self.target.releases_patch_inputs() {
            self.release_inputs(io, patch)?;
        }
        // The last message writes only the reserved dword of the patch header, which has no meaning.
        let target = self.target;
        let last = Operand::vgrf(self.out.vregs.bytes(2 * GRF_BYTES), Type::Ud);
        if let Some(info) = last.vreg().and_then(|vreg| self.out.vregs.get_mut(vreg)) {
            info.min_register = target.registers.first_end_of_thread as u8;
            info.no_spill = true;
        }
        let mut b = Builder::new(&mut self.out);
        let mut all = b.no_mask();
        let mut all = all.exec(8);
        all.mov(last, Operand::imm_ud(0));
        all.mov(last.byte_offset(GRF_BYTES), Operand::imm_ud(0));
        let mut one = all.uniform();
        one.mov(last.with_stride(0), PATCH_ENTRY);
        let mask = Operand::imm_ud(header::FIRST_DWORD);
        one.mov(last.with_stride(0).byte_offset(header::MASK), mask);
        surface::end_patch(&mut b, target, last)?;
        Ok(())
    }

    /// Emits the release of the input entries: the first thread releases them when all threads have read them.
    fn release_inputs(&mut self, io: &TessControlIo, patch: &Patch) -> Result<(), SelectError> {
        let threads = io.output_vertices.div_ceil(2);
        if threads > 1 {
            self.meet()?;
            let mut b = self.b();
            let flag = b.flag();
            // The first thread's invocations are 0 and 1.
            let null = Operand::null(Type::Ud);
            b.cmp(null, patch.number().src(), CondMod::L, Operand::imm_ud(2), flag);
            b.if_(flag, false);
        }
        match io.input_vertices {
            Some(vertices) => {
                for first in (0..vertices).step_by(2) {
                    // With an odd number of vertices, the last message releases one entry only.
                    self.release_entries(io, first, (vertices - first).min(2) as u8)?;
                }
            }
            None => self.release_unknown(io)?,
        }
        if threads > 1 {
            self.b().endif();
        }
        Ok(())
    }

    /// Emits the release of the input entries one by one, as many as the payload says.
    fn release_unknown(&mut self, io: &TessControlIo) -> Result<(), SelectError> {
        let missing = SelectError::NotInLayout { what: "the number of a patch's vertices" };
        let place = *self.interface.draw_values.get(&SysVal::PatchVertices).ok_or(missing)?;
        let dword = (place % VECTOR_BYTES / 4) as u8;
        let vector = Operand::uniform(place - place % VECTOR_BYTES, Type::Ud);
        let count = VectorRegister { vector, lanes: Lanes::of(&[dword; 4]) };
        for vertex in 0..MAX_PATCH_VERTICES {
            let mut b = self.b();
            let flag = b.flag();
            let null = Operand::null(Type::Ud);
            b.cmp(null, count.src(), CondMod::G, Operand::imm_ud(vertex), flag);
            b.if_(flag, false);
            self.release_entries(io, vertex, 1)?;
            self.b().endif();
        }
        Ok(())
    }

    /// Emits a message that releases the entries of one or two input vertices.
    fn release_entries(
        &mut self,
        io: &TessControlIo,
        first: u32,
        count: u8,
    ) -> Result<(), SelectError> {
        let target = self.target;
        let header = Operand::vgrf(self.out.vregs.bytes(GRF_BYTES), Type::Ud);
        let mut b = Builder::new(&mut self.out);
        let mut all = b.no_mask();
        all.exec(8).mov(header, Operand::imm_ud(0));
        let handles = Operand::grf(0, Type::Ud).byte_offset(io.handles + 4 * first);
        all.exec(count)
            .mov(header.with_stride(u8::from(count > 1)), handles.with_stride(u8::from(count > 1)));
        surface::release(&mut b, target, header)?;
        Ok(())
    }

    /// Emits a barrier for the threads of the patch.
    pub(super) fn meet(&mut self) -> Result<(), SelectError> {
        let StageIo::TessControl(io) = &self.interface.io else {
            return Err(SelectError::NotLowered { what: "a barrier in this stage" });
        };
        let threads = io.output_vertices.div_ceil(2);
        if threads > 1 {
            let target = self.target;
            surface::patch_barrier(&mut Builder::new(&mut self.out), target, threads)?;
        }
        Ok(())
    }

    /// Selects a load of an input or output, or a store to an output.
    pub(super) fn tess_control_access(
        &mut self,
        io: &TessControlIo,
        patch: &Patch,
        id: InstId,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        let shader = self.shader;
        let kind = &shader.func.inst(id).kind;
        match (kind, result) {
            (InstKind::LoadInput { comp, .. }, Some(result)) => {
                let input = Target::of(kind)
                    .and_then(|target| io.input(shader, target, &|src| self.known_scalar(src)));
                let missing = SelectError::NotInLayout { what: "an input" };
                // Inputs are never in the payload.
                let Some(Access::Entry { handle, offset, slot }) = input else {
                    return Err(missing);
                };
                self.read_input(handle, &offset, slot, *comp, result)?;
            }
            (InstKind::LoadOutput { comp, .. }, Some(result)) => {
                let (entries, number, slot) = self.output_slot(io, kind)?;
                let dwords = slot.dwords_from(*comp);
                if dwords.len() < self.dwords_of(result) {
                    return Err(SelectError::NotInLayout { what: "an output" });
                }
                let vector = self.read_entry(entries, number, Effect::Read)?;
                self.set_dword_location(result, vector, dwords);
            }
            (InstKind::StoreOutput { .. }, _) if patch.joined.is_joined(id) => {}
            (InstKind::StoreOutput { .. }, _) => {
                let (entries, number, slot) = self.output_slot(io, kind)?;
                let payload = self.slot_payload();
                let mut written = 0;
                for store in patch.joined.of(id) {
                    let kind = &shader.func.inst(store).kind;
                    written |= self.store_part(kind, slot, payload.byte_offset(GRF_BYTES))?;
                }
                self.write_entry(entries, number, payload, written)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Moves the stored components to the register of their slot. Returns the mask of written dwords.
    fn store_part(
        &mut self,
        kind: &InstKind,
        slot: VueSlot,
        register: Operand,
    ) -> Result<u8, SelectError> {
        let InstKind::StoreOutput { data, comp, mask, .. } = kind else { return Ok(0) };
        let dwords = slot.dwords_from(*comp);
        self.store_comps(*data, register, dwords, mask.0, None);
        let wide = self.bits(data.value) == 64;
        let written = (0..4).filter(|&c| mask.has(c)).flat_map(|c| match wide {
            true => [2 * c, 2 * c + 1],
            false => [c, c],
        });
        let missing = SelectError::NotInLayout { what: "an output" };
        let mut all = 0;
        for at in written {
            all |= 1 << dwords.get(at).ok_or(missing.clone())?;
        }
        Ok(all)
    }

    /// The slot of an output in the patch's entry: the entry, the slot's number, and the dwords of its components.
    fn output_slot(
        &mut self,
        io: &TessControlIo,
        kind: &InstKind,
    ) -> Result<(Entries, u32, VueSlot), SelectError> {
        let output = Target::of(kind)
            .and_then(|target| io.output(self.shader, target, &|src| self.known_scalar(src)));
        let (offset, slot) = output.ok_or(SelectError::NotInLayout { what: "an output" })?;
        let distance = self.weighted_sum(&offset.terms);
        Ok((Entries { handles: PATCH_ENTRY, distance }, offset.constant, slot))
    }

    /// Selects a built-in value.
    pub(super) fn tess_control_sysval(
        &mut self,
        patch: &Patch,
        sysval: SysVal,
        result: Value,
    ) -> Result<(), SelectError> {
        match sysval {
            SysVal::InvocationId => {
                let location = patch.number().src();
                self.set_location(result, ValueLocation::Register(location));
            }
            SysVal::PrimitiveId => self.payload_scalar(result, PRIMITIVE),
            _ => return Err(SelectError::NotLowered { what: "a built-in" }),
        }
        Ok(())
    }
}
