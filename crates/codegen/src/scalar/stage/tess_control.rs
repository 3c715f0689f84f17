//! Tessellation control shaders: one invocation per output control point, eight invocations of one patch per thread.
//! Inputs are read from URB entries whose handles are in the payload. Each store to an output writes to the patch's
//! entry with a message, because other invocations may read the output. Only stores to the same slot that nothing can
//! observe in between share a message ([`joined_stores`]).
//!
//! All channels are enabled at the start. If the number of control points is not a multiple of eight, the shader's code
//! is inside a conditional that disables the surplus invocations.

use std::rc::Rc;

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{InstId, InstKind, Src, SysVal, Value};

use super::super::sysvals::payload;
use super::super::{SelectError, Selector};
use super::urb::InputHandles;
use super::{CHANNELS, State, lanes};
use crate::ir::{Effect, Operand};
use crate::select::Class;
use crate::stage::{
    Access, HEADER, Handle, JoinedStores, StageIo, Target, TessControlIo, VueSlot, is_own_number,
    joined_stores,
};
use crate::surface::{self, EntryAddress};

/// Byte offset in the payload of the primitive id.
const PRIMITIVE: u32 = 4;

/// Byte offset in the payload of the dword with the number of the thread in its patch and the barrier id.
const THREAD: u32 = 8;

/// Mask of the thread's number, after a shift that moves it to bit 0.
const THREAD_BITS: u32 = 0x7f;

/// The state of selection for a tessellation control shader.
#[derive(Clone, Debug)]
pub(in crate::scalar) struct Patch {
    /// A register with the number of each invocation.
    invocation: Operand,
    /// For each store that is joined with a later store to the same slot, that later store. The message of the later
    /// store writes the dwords of all of them.
    joined: Rc<JoinedStores>,
}

/// Number of threads that run a patch.
fn threads(io: &TessControlIo) -> u32 {
    io.output_vertices.div_ceil(CHANNELS.into())
}

/// Whether the last thread of a patch has more channels than there are control points left.
fn has_surplus(io: &TessControlIo) -> bool {
    !io.output_vertices.is_multiple_of(CHANNELS.into())
}

impl Selector<'_> {
    /// Computes the number of the invocation in each channel. If the last thread has surplus channels, opens a
    /// conditional that disables them, which [`Self::close_patch`] closes.
    pub(super) fn open_patch(&mut self, io: &TessControlIo) -> Patch {
        let shift = self.target.tess_instance_shift();
        let mut invocation = self.channels();
        if threads(io) > 1 {
            let channels = invocation;
            let mut b = self.b();
            let thread = b.scalar(Type::Ud);
            invocation = b.lanes(Type::Ud, 1);
            let mut one = b.uniform();
            one.and(thread, payload(THREAD), Operand::imm_ud(THREAD_BITS << shift));
            // The number of the thread's first invocation.
            one.shr(thread, thread, Operand::imm_ud(shift - CHANNELS.ilog2()));
            b.no_mask().add(invocation, channels, thread);
        }
        if has_surplus(io) {
            let mut b = self.b();
            let flag = b.flag();
            let count = Operand::imm_ud(io.output_vertices);
            b.cmp(Operand::null(Type::Ud), invocation, CondMod::L, count, flag);
            b.if_(flag, false);
        }
        Patch { invocation, joined: Rc::new(joined_stores(self.shader)) }
    }

    /// Closes the conditional of [`Self::open_patch`] and emits the message that ends the thread.
    pub(super) fn close_patch(&mut self, io: &TessControlIo) -> Result<(), SelectError> {
        if has_surplus(io) {
            self.b().endif();
        }
        // The last message writes 0 to the first dword of the patch header, which is reserved (Broadwell needs that,
        // PRM of Broadwell, "Hull shader thread").
        let handles = self.patch_handles();
        let address = EntryAddress { handles, slot: HEADER, distance: None };
        let (target, zero) = (self.target, [Some(Operand::imm_ud(0))]);
        Ok(surface::write_entry(&mut self.b(), target, address, &zero, false, true)?)
    }

    /// Number of threads that wait for each other at a barrier of a tessellation control shader: those of a patch.
    /// `None` for other stages.
    pub(in crate::scalar) fn patch_threads(&self) -> Option<u32> {
        match &self.interface.io {
            StageIo::TessControl(io) => Some(threads(io)),
            _ => None,
        }
    }

    /// Selects a load of an input or output, or a store to an output. A store that is joined with a later one emits
    /// nothing; the last of the joined stores emits the message for all of them.
    pub(super) fn tess_control_access(
        &mut self,
        io: &TessControlIo,
        id: InstId,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        let State::Patch(patch) = &self.stage else { return Ok(()) };
        let (patch, shader) = (patch.clone(), self.shader);
        let kind = &shader.func.inst(id).kind;
        match (kind, result) {
            (InstKind::LoadInput { comp, .. }, Some(result)) => {
                let input = Target::of(kind)
                    .and_then(|target| io.input(shader, target, &|src| self.known_scalar(src)));
                // Inputs are never in the payload.
                let Some(Access::Entry {
                    handle: Handle::Vertex { first, number, last },
                    offset,
                    slot,
                }) = input
                else {
                    return Err(SelectError::NotInLayout { what: "an input" });
                };
                let handles = self.control_point_handles(io, first, number, last);
                let address = self.address(handles, &offset);
                self.read_slot(address, slot, *comp, Effect::Pure, result)
            }
            (InstKind::LoadOutput { comp, .. }, Some(result)) => {
                let (address, slot) = self.output_slot(io, kind)?;
                self.read_slot(address, slot, *comp, Effect::Read, result)
            }
            (InstKind::StoreOutput { .. }, _) if patch.joined.is_joined(id) => Ok(()),
            (InstKind::StoreOutput { .. }, _) => {
                let (address, slot) = self.output_slot(io, kind)?;
                let mut dwords = [None; 4];
                for store in patch.joined.of(id) {
                    self.store_part(&shader.func.inst(store).kind, slot, &mut dwords);
                }
                let count = dwords.iter().rposition(Option::is_some).map_or(0, |at| at + 1);
                let target = self.target;
                let mut b = self.b();
                Ok(surface::write_entry(&mut b, target, address, &dwords[..count], true, false)?)
            }
            _ => Err(SelectError::NotLowered { what: "an instruction of another stage" }),
        }
    }

    /// A register with the handle of an input control point's entry for each channel. The payload has the handles from
    /// byte `first` on; `number` is the number of the control point, `last` the last valid number.
    fn control_point_handles(
        &mut self,
        io: &TessControlIo,
        first: u32,
        number: Option<Src>,
        last: u32,
    ) -> Operand {
        let own = number.is_some_and(|number| {
            let value = self.peel(number, Class::Unsigned).src.value;
            is_own_number(self.shader, value, last)
        });
        if own && threads(io) == 1 {
            // Channel i reads control point i, and dword i of the register is the handle of control point i.
            return lanes(first);
        }
        self.input_handles(InputHandles { first, last, own: false }, number)
    }

    /// Sets elements of `dwords`, the operands of the four dwords of a slot: those of the dwords that a store writes.
    fn store_part(&mut self, kind: &InstKind, slot: VueSlot, dwords: &mut [Option<Operand>; 4]) {
        let InstKind::StoreOutput { data, comp, mask, .. } = kind else { return };
        for (at, value) in self.stored_dwords(*data, *mask, slot.dwords_from(*comp)) {
            dwords[usize::from(at & 3)] = Some(value);
        }
    }

    /// The address in the patch's entry of the slot that a load or store of an output accesses, and the dwords of the
    /// output's components in the slot.
    fn output_slot(
        &mut self,
        io: &TessControlIo,
        kind: &InstKind,
    ) -> Result<(EntryAddress, VueSlot), SelectError> {
        let output = Target::of(kind)
            .and_then(|target| io.output(self.shader, target, &|src| self.known_scalar(src)));
        let (offset, slot) = output.ok_or(SelectError::NotInLayout { what: "an output" })?;
        let handles = self.patch_handles();
        Ok((self.address(handles, &offset), slot))
    }

    /// Selects a built-in value. Returns whether it is one of tessellation control shaders.
    pub(super) fn tess_control_sysval(
        &mut self,
        sysval: SysVal,
        result: Value,
    ) -> Result<bool, SelectError> {
        match (sysval, &self.stage) {
            (SysVal::InvocationId, State::Patch(patch)) => {
                let invocation = patch.invocation;
                self.locate(result, 0, invocation);
            }
            (SysVal::PrimitiveId, _) => self.locate(result, 0, payload(PRIMITIVE)),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
