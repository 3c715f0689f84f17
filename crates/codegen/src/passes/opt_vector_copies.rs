//! `opt_vector_copies`: copy propagation for Align16 instructions, component by component, within a block.
//!
//! ```text
//! mov v2.x, v1.w
//! mov v2.y, v1.z
//! add v3.xy, v2.xy, v4.xy    ->    add v3.xy, v1.wz, v4.xy
//! ```
//!
//! For each component of a vector, the pass tracks from which component of another vector, or from which constant, it
//! was copied. A source is replaced if all components that it reads were copied from one vector; its swizzle then
//! selects those components. Different constants become a VF immediate if the instruction can have one.
//!
//! All channels of a vector are enabled together, so a masked copy wrote every channel that a masked instruction on
//! the same vectors reads.

use hashbrown::HashMap;

use crate::target::Target;
use crestline_isa::semantics::convert::vector_vf;
use crestline_isa::{AccessMode, Swizzle, Type};
use crestline_ssa::ir::Fuel;

use super::opt_copy_propagation::{propagate_all, stays_legal, with_source};
use super::{PassError, legal};
use crate::ir::{File, Function, Inst, Operand, Region, packed_floats};

/// Replaces Align16 sources that were copied, component by component. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_vector_copies(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let mut changed = false;
    let fuel = &mut function.fuel;
    for block in &mut function.blocks {
        let mut copies = Copies::default();
        for inst in &mut block.insts {
            if inst.access_mode == AccessMode::Align16 && legal::has_regions(inst.op) {
                changed |= propagate_all(inst, |inst, index| {
                    propagate(inst, index, &copies, target, fuel)
                });
            }
            copies.kill(inst);
            copies.add(inst);
        }
    }
    Ok(changed)
}

/// A component of a register: file and byte offset of its vector, size in bytes, and number in the vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Component {
    file: File,
    offset: u32,
    size: u32,
    number: u8,
}

/// The source of a copied component, as an operand that reads it in all channels.
#[derive(Clone, Copy, Debug)]
struct Origin {
    src: Operand,
    ty: Type,
    exec_size: u8,
    group: u8,
    no_mask: bool,
}

/// Whether an instruction overwrites an element that an operand reads. The operand reads one component of each
/// vector.
fn overwrites(inst: &Inst, operand: &Operand, exec_size: u8) -> bool {
    let written = inst.span_written();
    let size = inst.dst.ty.size();
    let components = match inst.dst.region {
        Region::Mask(mask) if legal::has_regions(inst.op) => Some(mask.0),
        _ => None,
    };
    operand.file == written.file
        && (0..u32::from(exec_size)).step_by(4).any(|channel| {
            let start = operand.offset + operand.channel_offset(channel);
            let end = start + operand.ty.size();
            let meets = |first: u32, last: u32| first < end && start < last;
            let element = |channel: u32| {
                let at = inst.dst.offset + inst.dst.channel_offset(channel);
                meets(at, at + size)
            };
            meets(written.start, written.end)
                && components.is_none_or(|mask| {
                    (0..u32::from(inst.exec_size))
                        .any(|channel| mask >> (channel % 4) & 1 == 1 && element(channel))
                })
        })
}

/// The copies that are valid at this point.
#[derive(Default)]
struct Copies {
    of: HashMap<Component, Origin>,
}

impl Copies {
    /// Removes the copies whose source or destination an instruction overwrites.
    fn kill(&mut self, inst: &Inst) {
        if inst.dst.is_null() || self.of.is_empty() {
            return;
        }
        let written = inst.span_written();
        if matches!(written.file, File::Indirect { .. }) {
            self.of.clear();
            return;
        }
        self.of.retain(|component, origin| {
            let region = Region::Swizzle(Swizzle([component.number; 4]));
            let own = Operand::imm(0, origin.ty).with_region(region);
            let own = Operand { file: component.file, offset: component.offset, ..own };
            let source = overwrites(inst, &origin.src, origin.exec_size);
            !source && !overwrites(inst, &own, origin.exec_size)
        });
    }

    /// Adds the copies of an instruction's components, if it is a move that this pass can propagate.
    fn add(&mut self, inst: &Inst) {
        let Region::Mask(mask) = inst.dst.region else { return };
        let Some(&src) = inst.srcs.first() else { return };
        let same = src.ty == inst.dst.ty;
        let vf = src.ty == Type::Vf && inst.dst.ty == Type::F;
        // Some instructions negate an unsigned source with more than 32 bits.
        let modified =
            !src.has_modifiers() || same && (src.ty.is_float() || src.ty.is_signed_int());
        let plain = inst.access_mode == AccessMode::Align16
            && inst.is_mov()
            && !inst.is_predicated()
            && !inst.saturate
            && !inst.writes_flag()
            && (same || vf || legal::keeps_bits(inst.dst.ty, src.ty))
            && modified
            && inst.dst.vreg().is_some()
            && matches!(src.file, File::Vgrf(_) | File::Grf | File::Uniform | File::Imm(_))
            && !inst.dst_overlaps_src(0);
        if !plain {
            return;
        }
        for number in (0..4u8).filter(|number| mask.0 >> number & 1 == 1) {
            let size = inst.dst.ty.size();
            let (file, offset) = (inst.dst.file, inst.dst.offset);
            let Some(src) = component_of(&src, number) else { continue };
            let origin = Origin {
                src,
                ty: inst.dst.ty,
                exec_size: inst.exec_size,
                group: inst.group,
                no_mask: inst.no_mask,
            };
            self.of.insert(Component { file, offset, size, number }, origin);
        }
    }
}

/// The element that channel `channel` of each vector reads from the source of a copy, as an operand that reads it in
/// all channels.
fn component_of(src: &Operand, channel: u8) -> Option<Operand> {
    if let Some(bits) = src.imm_bits() {
        let bits = match src.ty {
            Type::Vf => vector_vf(bits as u32, channel.into()).to_bits(),
            ty if ty.is_packed_vector() => return None,
            _ => return Some(*src),
        };
        return Some(Operand::imm(u64::from(bits), Type::F));
    }
    match src.vectors() {
        Some((Swizzle(swizzle), _)) => {
            Some(src.with_swizzle(Swizzle([swizzle[usize::from(channel)]; 4])))
        }
        None => (src.region == Region::SCALAR).then_some(*src),
    }
}

/// Tries to replace source `index` by the sources of copies; returns whether it did.
fn propagate(
    inst: &mut Inst,
    index: usize,
    copies: &Copies,
    target: &Target,
    fuel: &mut Fuel,
) -> bool {
    let src = inst.srcs[index];
    let Some((Swizzle(swizzle), 4)) = src.vectors() else { return false };
    let channels = inst.channels_read(index);
    let enabled = || (0..4usize).filter(|channel| channels.0 >> channel & 1 == 1);
    let origin = |channel: usize| {
        let (file, offset, size) = (src.file, src.offset, src.ty.size());
        let component = Component { file, offset, size, number: swizzle[channel] };
        copies.of.get(&component).filter(|origin| {
            let covers = inst.exec_size == origin.exec_size && inst.group == origin.group;
            covers && (origin.no_mask || !inst.no_mask)
        })
    };
    let mut origins = [None; 4];
    for channel in enabled() {
        let Some(found) = origin(channel) else { return false };
        if found.src.has_modifiers() && src.ty != found.ty {
            return false;
        }
        origins[channel] = Some(found.src);
    }
    let Some(new) = together(origins, src.ty) else { return false };
    let floats = inst.dst.ty == Type::F && inst.srcs.iter().all(|src| src.ty == Type::F);
    if new.ty == Type::Vf && !floats {
        return false;
    }
    let Some(changed) = with_source(inst, index, new) else { return false };
    if !stays_legal(inst, &changed, target) || !fuel.take(|| inst.to_string()) {
        return false;
    }
    *inst = changed;
    true
}

/// One operand of type `ty` that reads, in each of the four channels of a vector, what the channel's origin reads;
/// `None` if no operand does. An origin of `None` is a channel that the instruction does not read; the operand may read
/// anything there.
fn together(origins: [Option<Operand>; 4], ty: Type) -> Option<Operand> {
    let first = origins.into_iter().flatten().next()?;
    if let Some(bits) = first.imm_bits() {
        let all = origins.map(|origin| origin.map_or(Some(bits), |origin| origin.imm_bits()));
        let [Some(x), Some(y), Some(z), Some(w)] = all else { return None };
        if [x, y, z, w] == [bits; 4] {
            return Some(Operand::imm(bits, ty));
        }
        if ty != Type::F {
            return None;
        }
        return packed_floats([x, y, z, w], 15);
    }
    let same = |origin: &Operand| {
        origin.file == first.file
            && origin.offset == first.offset
            && (origin.negate, origin.abs) == (first.negate, first.abs)
            && origin.vectors().map(|(_, step)| step) == first.vectors().map(|(_, step)| step)
    };
    if !origins.iter().flatten().all(same) {
        return None;
    }
    let number = |origin: Option<Operand>| {
        origin.unwrap_or(first).vectors().map_or(0, |(Swizzle([number, ..]), _)| number)
    };
    let new = match first.vectors() {
        Some(_) => first.with_swizzle(Swizzle(origins.map(number))),
        None => first,
    };
    Some(Operand { ty, ..new })
}
