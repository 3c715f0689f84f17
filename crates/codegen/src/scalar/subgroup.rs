//! Operations on the values of a subgroup, which is a thread: each channel is an invocation.
//!
//! - A ballot is a comparison into a flag of which all bits are clear before, so that bits of disabled channels stay
//!   clear. An instruction with one channel reads the flag register.
//! - A shuffle from a channel that is the same for all, or from a channel of a constant pattern, reads the source through
//!   a region. Any other shuffle is an indirect move.
//! - A reduction or scan copies the values into a register in which all channels have the identity before, so that
//!   disabled channels do not count. NoMask instructions then combine elements of this register through regions.
//!
//! Results of NoMask instructions are in registers of their own, never in one with a hint: the register of a region's
//! result may contain values of channels that are disabled here.

use crestline_isa::{CondMod, Opcode, Type};
use crestline_ssa::ir::{AluOp, InstKind, Src, Stage, SubgroupOp, SysVal, Value, identity};

use super::location::ValueLocation;
use super::{SelectError, Selector};
use crate::ir::{Builder, Flag, GRF_BYTES, Op, Operand, Region};
use crate::select::{Class, Conditions, Test};

/// The channel that each channel reads, where this is known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    /// The own number with these bits flipped.
    Xor(u32),
    /// The channel of the own quad with this number, 0 to 3.
    OfQuad(u32),
}

impl Selector<'_> {
    /// Selects an operation that combines the values of the subgroup.
    pub(super) fn subgroup(
        &mut self,
        op: SubgroupOp,
        src: Src,
        result: Value,
    ) -> Result<(), SelectError> {
        match op {
            SubgroupOp::Ballot => self.ballot(src, result),
            SubgroupOp::ReadFirst => {
                if self.uniform.is(src.value) {
                    self.alias(result, 0, src);
                } else {
                    let first = self.first_live(src);
                    self.locate(result, 0, first);
                }
            }
            SubgroupOp::Reduce { op, cluster } => {
                let width = self.out.dispatch_width;
                // A cluster of the whole subgroup has one result for all channels, which selection may not know.
                let size = if cluster == 0 || cluster > width { width } else { cluster };
                let ty = self.combined_type(op, src)?;
                let values = self.active_values(op, src, ty, 0);
                let mut b = Builder::new(&mut self.out);
                let combined = reduce(&mut b, op, values, size);
                self.locate_combined(result, combined, size);
            }
            SubgroupOp::Scan { op, inclusive } => {
                let ty = self.combined_type(op, src)?;
                let values = self.active_values(op, src, ty, u32::from(!inclusive));
                let mut b = Builder::new(&mut self.out);
                scan(&mut b, op, values);
                self.locate_combined(result, values, 1);
            }
        }
        Ok(())
    }

    /// The type of the elements of a reduction or scan.
    ///
    /// # Errors
    /// The size is one that a pass should have lowered.
    fn combined_type(&self, op: AluOp, src: Src) -> Result<Type, SelectError> {
        let bits = self.bits(src.value);
        if bits != 32 {
            return Err(SelectError::NotLowered { what: "a reduction of 64-bit values" });
        }
        Ok(combining_class(op).ty(bits))
    }

    /// Selects a ballot.
    fn ballot(&mut self, src: Src, result: Value) {
        let dst = self.new_register(result);
        self.locate(result, 0, dst);
        if let ValueLocation::Constant(bits, _) = self.known_boolean(src) {
            let mask = if bits & 1 == 1 { self.live_mask() } else { Operand::imm_ud(0) };
            self.b().uniform().mov(dst, mask);
            return;
        }
        let (flag, bits) = self.clear_flag();
        let negate = !self.booleans.form(src.value).direct;
        self.write_flag(src, negate, Test { flag, all: false, within: None });
        if !negate {
            self.b().uniform().mov(dst, bits);
            return;
        }
        let live = self.live_mask();
        let mut b = self.b();
        let wrong = b.scalar(Type::Ud);
        let mut b = b.uniform();
        b.mov(wrong, bits);
        // The bits that are set in `wrong` are set in `live` too.
        b.xor(dst, live, wrong);
    }

    /// A new flag with all bits clear, and the operand that reads its register.
    fn clear_flag(&mut self) -> (Flag, Operand) {
        let width = self.out.dispatch_width;
        let ty = if width > 16 { Type::Ud } else { Type::Uw };
        let register = self.out.vregs.flag(width);
        let bits = Operand::scalar(register, ty);
        self.b().uniform().mov(bits, Operand::imm(0, ty));
        (Flag::Virtual(register), bits)
    }

    /// The mask of the enabled channels, as a scalar. In a fragment shader helper pixels are enabled, but they are not in the
    /// dispatch mask from which [`Op::LiveChannels`] computes the mask, so there each enabled channel sets its bit in a flag.
    fn live_mask(&mut self) -> Operand {
        if self.shader.stage.stage() != Stage::Fragment {
            let mut b = self.b();
            let live = b.scalar(Type::Ud);
            b.uniform().emit(Op::LiveChannels, live, &[]);
            return live;
        }
        let (flag, bits) = self.clear_flag();
        let mut b = self.b();
        let mark = b.mov(Operand::null(Type::Ud), Operand::imm_ud(0));
        mark.cond_mod = CondMod::Z;
        mark.flag = flag;
        let live = b.scalar(Type::Ud);
        b.uniform().mov(live, bits);
        live
    }

    /// The first component of a source in the first enabled channel, as a scalar.
    pub(super) fn first_live(&mut self, src: Src) -> Operand {
        let values = self.src(src, Class::Unsigned);
        let channel = self.out.scalar(Type::Ud);
        if self.shader.stage.stage() == Stage::Fragment {
            let live = self.live_mask();
            self.b().uniform().fbl(channel, live);
        } else {
            self.b().uniform().emit(Op::FindLiveChannel, channel, &[]);
        }
        let mut b = self.b();
        let value = b.scalar(Type::Ud);
        b.uniform().read_channel(value, values, channel);
        value
    }

    /// The location of a boolean, which is a constant if it is known.
    fn known_boolean(&self, src: Src) -> ValueLocation {
        let comp = usize::from(src.swizzle[0]);
        self.locations.get(src.value, comp).unwrap_or(ValueLocation::Flags)
    }

    /// Selects a read of another channel's value. The channel's number is limited to those that the thread has.
    pub(super) fn shuffle(&mut self, src: Src, lane: Src, result: Value) {
        let width = self.out.dispatch_width;
        if self.uniform.is(src.value) && self.uniform.is(result) {
            return self.alias(result, 0, src);
        }
        let values = self.src(src, Class::Unsigned);
        let last = Operand::imm_ud(u32::from(width) - 1);
        if values.is_scalar() {
            let dst = self.new_register(result);
            self.locate(result, 0, dst);
            self.b_for(result, |b| _ = b.mov(dst, values));
            return;
        }
        if self.uniform.is(lane.value) {
            let lane = self.src(lane, Class::Unsigned);
            let dst = self.new_register(result);
            self.locate(result, 0, dst);
            let mut b = self.b();
            let lane = match lane.imm_bits() {
                Some(number) => Operand::imm_ud(number as u32 & (u32::from(width) - 1)),
                None => {
                    let limited = b.scalar(Type::Ud);
                    b.uniform().and(limited, lane, last);
                    limited
                }
            };
            self.b_for(result, |b| b.read_channel(dst, values, lane));
            return;
        }
        if let Some(pattern) = self.pattern(lane)
            && let Some(dst) = self.shuffle_by_regions(values, pattern)
        {
            return self.locate(result, 0, dst);
        }
        let lane = self.src(lane, Class::Unsigned);
        let dst = self.new_register(result);
        self.locate(result, 0, dst);
        let mut b = self.b();
        let limited = b.lanes(Type::Ud, 1);
        b.and(limited, lane, last);
        b.emit(Op::Shuffle, dst, &[values, limited]);
    }

    /// The pattern of the channel numbers that a source has.
    fn pattern(&self, lane: Src) -> Option<Pattern> {
        let (op, other, bits) = self.with_constant(lane)?;
        match op {
            AluOp::IXor if self.is_channel_number(other) => Some(Pattern::Xor(bits)),
            AluOp::IAnd if bits == !3 && self.is_channel_number(other) => Some(Pattern::OfQuad(0)),
            AluOp::IOr | AluOp::IAdd if bits < 4 => match self.with_constant(other)? {
                (AluOp::IAnd, number, mask) if mask == !3 && self.is_channel_number(number) => {
                    Some(Pattern::OfQuad(bits))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// If a source is an operation with a constant as one of two operands: the operation, the other operand and the
    /// constant.
    fn with_constant(&self, src: Src) -> Option<(AluOp, Src, u32)> {
        let InstKind::Alu { op, srcs, .. } = &self.shader.func.def(src.value)?.kind else {
            return None;
        };
        let (other, bits) = self.split_constant(srcs)?;
        (self.bits(other.value) == 32).then_some((*op, other, bits))
    }

    /// Whether a source is the number of the own channel.
    fn is_channel_number(&self, src: Src) -> bool {
        self.shader
            .func
            .def(src.value)
            .is_some_and(|inst| inst.kind == InstKind::SysVal(SysVal::SubgroupInvocation))
    }

    /// Reads the channels of a pattern through regions, for all channels of the thread. `None` if no few regions have the
    /// pattern.
    fn shuffle_by_regions(&mut self, values: Operand, pattern: Pattern) -> Option<Operand> {
        let width = self.out.dispatch_width;
        let flipped = match pattern {
            Pattern::OfQuad(_) => 0,
            Pattern::Xor(bits) if bits < u32::from(width) && (bits < 4 || bits % 4 == 0) => bits,
            Pattern::Xor(_) => return None,
        };
        let dwords = values.is_packed() && values.ty.size() == Type::Ud.size();
        let packed = if dwords && values.in_grf() && !values.has_modifiers() {
            values.with_region(Region::PACKED)
        } else {
            let packed = self.out.lanes(Type::Ud, 1);
            self.b().mov(packed, values);
            packed
        };
        let dst = self.out.lanes(Type::Ud, 1);
        let mut b = Builder::new(&mut self.out);
        let mut b = b.no_mask();
        if let Pattern::OfQuad(number) = pattern {
            let whole = Region::Rect { vstride: 4, width: 4, hstride: 0 };
            b.mov(dst, packed.byte_offset(number * Type::Ud.size()).with_region(whole));
            return Some(dst);
        }
        let at = |operand: Operand, channel: u32| operand.byte_offset(channel * Type::Ud.size());
        if flipped < 4 {
            let step = if flipped < 2 { 2 } else { 4 };
            let mut b = b.exec(width / step);
            for own in 0..u32::from(step) {
                let to = at(dst, own).with_stride(step);
                b.mov(to, at(packed, own ^ flipped).with_stride(step));
            }
        } else {
            let step = 1 << flipped.trailing_zeros();
            let mut b = b.exec(step as u8);
            for own in (0..u32::from(width)).step_by(step as usize) {
                b.mov(at(dst, own), at(packed, own ^ flipped));
            }
        }
        Some(dst)
    }

    /// A register with the values of the enabled channels, from channel `shift` on; the other channels have the identity
    /// of the operation.
    fn active_values(&mut self, op: AluOp, src: Src, ty: Type, shift: u32) -> Operand {
        let value = self.src(src, combining_class(op));
        let bits = 8 * ty.size();
        let neutral = Operand::imm(identity(op, bits).unwrap_or(0), ty);
        let width = u32::from(self.out.dispatch_width);
        if shift == 0 {
            let values = self.out.lanes(ty, 1);
            let mut b = self.b();
            b.no_mask().mov(values, neutral);
            b.mov(values, value);
            return values;
        }
        // The values are after a register of which the last elements have the identity. A region that starts at these
        // elements has the values one channel later.
        let padded = Operand::vgrf(self.out.vregs.bytes(GRF_BYTES + width * ty.size()), ty);
        let values = padded.byte_offset(GRF_BYTES);
        let before = padded.byte_offset(GRF_BYTES - shift * ty.size());
        let shifted = self.out.lanes(ty, 1);
        let mut b = self.b();
        b.uniform().mov(before.with_stride(0), neutral);
        b.no_mask().mov(values, neutral);
        b.mov(values, value);
        // A row must not cross a register boundary, so rows of eight channels have one element.
        let region = |channels| match channels {
            1 => Region::SCALAR,
            8 => Region::Rect { vstride: 1, width: 1, hstride: 0 },
            _ => Region::PACKED,
        };
        let part = GRF_BYTES / ty.size();
        // Before gen8 all channels of a part that starts in the middle of a register must be in the same one.
        let pieces = match self.target.has_compressed_instructions() {
            true => &[(0, 1), (1, 4), (5, 2), (7, 1)][..],
            false => &[(0, 8)],
        };
        let mut b = Builder::new(&mut self.out);
        let mut b = b.no_mask();
        for first in (0..width).step_by(part as usize) {
            for &(start, channels) in pieces {
                let at = (first + start) * ty.size();
                let from = before.byte_offset(at).with_region(region(channels));
                b.exec(channels).mov(shifted.byte_offset(at), from);
            }
        }
        shifted
    }

    /// Makes a register with one element for each `size` channels the location of a result.
    fn locate_combined(&mut self, result: Value, combined: Operand, size: u8) {
        let width = self.out.dispatch_width;
        let combined = combined.retype(Type::Ud);
        if size == 1 {
            return self.locate(result, 0, combined.with_region(Region::PACKED));
        }
        if size == width {
            return self.locate(result, 0, combined.with_region(Region::SCALAR));
        }
        let dst = self.out.lanes(Type::Ud, 1);
        let mut b = self.b();
        let mut b = b.no_mask();
        // Each row of the region is one element for all channels of a cluster.
        let part = width.min(16);
        for first in (0..width).step_by(part.into()) {
            let from = combined.byte_offset(u32::from(first / size) * Type::Ud.size());
            let region = match size >= part {
                true => Region::SCALAR,
                false => Region::Rect { vstride: 1, width: size, hstride: 0 },
            };
            let to = dst.byte_offset(u32::from(first) * Type::Ud.size());
            b.exec(part).mov(to, from.with_region(region));
        }
        self.locate(result, 0, dst);
    }
}

/// The class of the sources and the result of an operation that combines values.
fn combining_class(op: AluOp) -> Class {
    match op {
        AluOp::FAdd | AluOp::FMul | AluOp::FMin | AluOp::FMax => Class::Float,
        AluOp::UMin | AluOp::UMax => Class::Unsigned,
        AluOp::IAnd | AluOp::IOr | AluOp::IXor => Class::Unsigned,
        _ => Class::Signed,
    }
}

/// Emits an operation that combines values.
fn combine(b: &mut Builder<'_>, op: AluOp, dst: Operand, x: Operand, y: Operand) {
    match op {
        AluOp::FAdd | AluOp::IAdd => b.add(dst, x, y),
        AluOp::FMul | AluOp::IMul => b.mul(dst, x, y),
        AluOp::FMin | AluOp::IMin | AluOp::UMin => b.min_max(dst, x, y, CondMod::L),
        AluOp::FMax | AluOp::IMax | AluOp::UMax => b.min_max(dst, x, y, CondMod::Ge),
        AluOp::IAnd => b.and(dst, x, y),
        AluOp::IOr => b.or(dst, x, y),
        _ => b.emit(Op::Hw(Opcode::Xor), dst, &[x, y]),
    };
}

/// Combines the elements of each `size` channels. Returns a register with one element for each of these clusters.
///
/// If the whole thread is one cluster, each step combines the lower half of the elements with the upper half, which are
/// packed regions. Otherwise, each step combines neighbours, which have a stride of two elements.
fn reduce(b: &mut Builder<'_>, op: AluOp, values: Operand, size: u8) -> Operand {
    let mut left = b.dispatch_width();
    let (whole, clusters) = (size == left, left / size);
    let bytes = values.ty.size();
    let mut b = b.no_mask();
    let mut from = values;
    while left > clusters {
        left /= 2;
        let mut b = b.exec(left);
        let to = b.lanes(values.ty, 1);
        let (x, y) = match whole {
            true => (from, from.byte_offset(u32::from(left) * bytes)),
            false => (from.with_stride(2), from.byte_offset(bytes).with_stride(2)),
        };
        combine(&mut b, op, to, x, y);
        from = to;
    }
    from
}

/// Replaces each element by the combination of all elements up to it. After step `n`, each group of `2^n` elements
/// contains its own scan; the next step combines the last element of each even group with all elements of the group after
/// it.
fn scan(b: &mut Builder<'_>, op: AluOp, values: Operand) {
    let width = b.dispatch_width();
    let at = |element: u8| values.byte_offset(u32::from(element) * values.ty.size());
    let mut b = b.no_mask();
    for group in [1, 2] {
        // One instruction for each place in a group, with all groups of the thread.
        let stride = 2 * group;
        let mut b = b.exec(width / stride);
        for own in group..2 * group {
            let to = at(own).with_stride(stride);
            combine(&mut b, op, to, at(group - 1).with_stride(stride), to);
        }
    }
    let mut group = 4;
    while group < width {
        let mut b = b.exec(group);
        for first in (0..width).step_by(usize::from(2 * group)) {
            let to = at(first + group);
            combine(&mut b, op, to, at(first + group - 1).with_stride(0), to);
        }
        group *= 2;
    }
}
