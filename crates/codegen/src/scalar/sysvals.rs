//! Built-in values that the hardware or the driver provides.

use crestline_isa::{ArfKind, Type};
use crestline_ssa::ir::{SysVal, Value};

use super::blocks::{Place, Reuse};
use super::{SelectError, Selector};
use crate::ir::Operand;
use crate::select::Class;
use crate::surface::Surface;

/// Byte offsets in r0 of the workgroup's x, y and z.
const WORKGROUP_ID: [u32; 3] = [4, 24, 28];

impl Selector<'_> {
    /// Selects a read of the clock: the time stamp register, of which tm0.0 is the low half and tm0.1 the high one (PRM,
    /// "Timestamp Register"). One instruction reads both.
    pub(super) fn clock(&mut self, result: Value) {
        let time = Operand::vgrf(self.out.vregs.bytes(2 * Type::Ud.size()), Type::Ud);
        let mut b = self.b();
        b.no_mask().exec(2).mov(time, Operand::arf(ArfKind::Timestamp, 0, Type::Ud));
        for half in 0..2 {
            let element = time.byte_offset(half * Type::Ud.size()).with_stride(0);
            self.locate(result, half as usize, element);
        }
    }

    /// Selects a built-in value. Values that can be computed from others must have been lowered.
    pub(super) fn sysval(&mut self, sysval: SysVal, result: Value) -> Result<(), SelectError> {
        if let Some(&place) = self.interface.draw_values.get(&sysval) {
            self.locate(result, 0, payload(place));
            return Ok(());
        }
        match sysval {
            SysVal::WorkgroupId => {
                for (comp, place) in WORKGROUP_ID.into_iter().enumerate() {
                    self.locate(result, comp, payload(place));
                }
            }
            SysVal::SubgroupId => {
                let subgroup = self.subgroup_id()?;
                self.locate(result, 0, subgroup);
            }
            SysVal::LocalInvocationIndex => {
                let subgroup = self.subgroup_id()?;
                let (width, channels) = (self.out.dispatch_width, self.channels());
                let index = self.define(result, 0, Class::Unsigned);
                let mut b = self.b();
                let first = b.scalar(Type::Ud);
                b.uniform().shl(first, subgroup, Operand::imm_ud(width.ilog2()));
                b.add(index, channels, first);
            }
            SysVal::NumWorkgroups => {
                let index = self.interface.num_workgroups;
                let index =
                    index.ok_or(SelectError::NotInLayout { what: "the number of workgroups" })?;
                let surface = Surface::Index(index);
                let place = Place::start(surface);
                let dwords = self.uniform_read(place, Operand::imm_ud(0), 3, Reuse::Always)?;
                for (comp, dword) in dwords.into_iter().take(3).enumerate() {
                    self.locate(result, comp, dword);
                }
            }
            SysVal::SubgroupInvocation => {
                let channels = self.channels();
                self.locate(result, 0, channels);
            }
            _ if self.stage_sysval(sysval, result)? => {}
            _ if self.fragment_sysval(sysval, result)? => {}
            _ => return Err(SelectError::NotLowered { what: "a built-in" }),
        }
        Ok(())
    }

    /// The index of the thread in its workgroup.
    fn subgroup_id(&self) -> Result<Operand, SelectError> {
        let place = self.interface.subgroup_id;
        Ok(payload(place.ok_or(SelectError::NotInLayout { what: "the subgroup's index" })?))
    }

    /// A register with the number of each channel as a dword.
    pub(super) fn channels(&mut self) -> Operand {
        self.pool.channels(&mut self.out)
    }
}

/// A dword of the payload at byte offset `place`, the same for all channels.
pub(super) fn payload(place: u32) -> Operand {
    Operand::grf(0, Type::Ud).with_stride(0).byte_offset(place)
}
