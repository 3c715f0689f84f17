//! Built-in values of a pixel or sample: its place, its number, its coverage, and whether the primitive faces the viewer.

use crestline_isa::{MathFn, Type};
use crestline_program::{Barycentric, COMPONENT_BYTES};
use crestline_ssa::ir::{AluOp, Src, SysVal, Value};

use super::fragment::{HALF, covered_pixels, element};
use super::{SelectError, Selector};
use crate::ir::{Builder, Operand, Region};
use crate::select::Class;
use crate::stage::{FragmentStep, PerHalf};

/// Byte offset in r1 of the positions of the first 2x2 block: x and y as words; the other blocks follow.
const POSITIONS: u32 = 8;

/// The unit of sample positions in the payload, in pixels.
const SAMPLE_STEP: f32 = 1.0 / 16.0;

impl Selector<'_> {
    /// Selects a built-in value that only fragment shaders have. Returns false for other built-ins.
    pub(super) fn fragment_sysval(
        &mut self,
        sysval: SysVal,
        result: Value,
    ) -> Result<bool, SelectError> {
        match sysval {
            SysVal::FragCoord => self.frag_coord(result)?,
            SysVal::FrontFacing => {
                // Bit 15 of r0.0 is set for back faces (PRM, "Pixel shader thread payload").
                let mut b = self.b();
                let (back, front) = (b.scalar(Type::D), b.scalar(Type::D));
                let mut b = b.uniform();
                b.asr(back, element(0, 0, Type::W), Operand::imm_d(15));
                b.not(front, back);
                let front = if self.does(FragmentStep::FrontFacing) { front } else { back };
                self.locate(result, 0, front);
            }
            SysVal::PointCoord => {
                let missing = SelectError::NotInLayout { what: "gl_PointCoord" };
                let first = self.fragment_io()?.point_coord.ok_or(missing)?;
                for comp in 0..2 {
                    let plane = first + comp as u32 * COMPONENT_BYTES;
                    let pairs = self.payload_weights(Barycentric::PerspectivePixel)?;
                    self.interpolate(plane, pairs, result, comp);
                }
            }
            SysVal::SampleId => {
                let id = self.sample_id()?;
                self.locate(result, 0, id);
            }
            SysVal::SamplePosition => {
                for comp in 0..2 {
                    let offset = self.sample_offset(comp as u32)?;
                    let dst = self.define(result, comp, Class::Float);
                    self.b().mov(dst, offset);
                }
            }
            SysVal::SampleMaskIn => self.sample_mask_in(result)?,
            SysVal::FullyCovered => {
                let missing = SelectError::NotInLayout { what: "the coverage of whole pixels" };
                let place = self.fragment_io()?.input_coverage.ok_or(missing)?;
                let samples = self.payload_lanes(place, Type::D);
                let dst = self.define(result, 0, Class::Signed);
                // A mask of samples is not negative, so its negation is -1 (true) in all bits after the shift, or 0 (false).
                let mut b = self.b();
                let negated = b.lanes(Type::D, 1);
                b.mov(negated, samples.negated());
                b.asr(dst, negated, Operand::imm_d(31));
            }
            SysVal::HelperInvocation => self.initial_helper(result)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Selects the built-in `HelperInvocation`: whether the invocation was a helper when the thread started.
    fn initial_helper(&mut self, result: Value) -> Result<(), SelectError> {
        if !self.fragment_io()?.helpers {
            self.locate(result, 0, Operand::imm_d(0));
            return Ok(());
        }
        let channels = self.channels();
        let dst = self.define(result, 0, Class::Signed);
        let mut b = self.b();
        let mask = covered_pixels(&mut b);
        let bits = b.lanes(Type::Ud, 1);
        b.shr(bits, mask, channels);
        b.and(bits, bits, Operand::imm_ud(1));
        // The bit of a helper is 0, so the sum is -1 (true); the bit of any other invocation is 1, so the sum is 0
        // (false).
        b.add(dst, bits.retype(Type::D), Operand::imm_d(-1));
        Ok(())
    }

    /// Calls `build` for each 16 channels of the thread, or once for a smaller thread. The arguments are a builder for
    /// these channels, the number of the half (0 or 1), and the number of its first channel.
    pub(super) fn for_halves(&mut self, mut build: impl FnMut(&mut Builder<'_>, usize, u8)) {
        let width = self.out.dispatch_width;
        let each = width.min(HALF);
        let upper = self.does(FragmentStep::UpperHalf);
        let mut b = self.b();
        for half in 0..width / each {
            let group = half * each;
            let mut b = b.exec(each);
            let own = if upper { usize::from(half) } else { 0 };
            build(&mut b.group(group), own, group);
        }
    }

    /// A part of the payload with one element per channel, as one operand for all channels of the thread. In SIMD32,
    /// the parts of both halves are copied to a new register.
    fn payload_lanes(&mut self, places: PerHalf, ty: Type) -> Operand {
        let place = |half: usize| Operand::grf(0, ty).byte_offset(places[half]);
        if self.out.dispatch_width <= HALF {
            return place(0);
        }
        let whole = self.out.lanes(ty, 1);
        self.for_halves(|b, half, group| {
            let dst = whole.byte_offset(u32::from(group) * ty.size());
            b.mov(dst, place(half));
        });
        whole
    }

    /// Selects the built-in `FragCoord`: x and y of the pixel or sample in the framebuffer, the depth, and 1 / w.
    fn frag_coord(&mut self, result: Value) -> Result<(), SelectError> {
        let io = self.fragment_io()?;
        // The payload has the position of the upper left pixel of each 2x2 block, x and y side by side. One addition for several
        // blocks gives x of the four pixels of a block, then y of these. The V immediate has the position of each pixel in its
        // block, 0 or 1. Gen7 cannot write two registers with words of one.
        let each = self.does(FragmentStep::BlockPosition);
        let corners = self.out.lanes(Type::Uw, 2);
        let at_once = if self.target.writes_two_registers_from_words() { HALF } else { 8 };
        self.for_halves(|b, half, group| {
            let width = b.exec_size();
            let mut b = b.no_mask();
            let mut b = b.group(0);
            for first in (0..width).step_by(usize::from(at_once)) {
                let vstride = u8::from(each);
                let position = POSITIONS + u32::from(first) * Type::Uw.size() / 2;
                let blocks = Operand::grf(1 + half as u32, Type::Uw)
                    .byte_offset(position)
                    .with_region(Region::Rect { vstride, width: 4, hstride: 0 });
                let dst = corners.byte_offset(2 * u32::from(group + first) * Type::Uw.size());
                let pixels = Operand::imm(0x1100_1010, Type::V);
                b.exec(2 * at_once.min(width)).add(dst, blocks, pixels);
            }
        });
        self.fragment.corners.push((result, corners));
        for comp in 0..2u32 {
            let offset = match io.position_offsets {
                Some(_) => self.sample_offset(comp)?,
                None if self.does(FragmentStep::PixelCentre) => Operand::imm_f(0.5),
                None => Operand::imm_f(0.0),
            };
            let dst = self.define(result, comp as usize, Class::Float);
            let float = self.out.lanes(Type::F, 1);
            self.corner(corners, comp, float);
            self.b().add(dst, float, offset);
        }
        // The layout has the depth and w only if an instruction reads these components.
        match io.source_depth {
            Some(places) if self.does(FragmentStep::SourceDepth) => {
                let depth = self.payload_lanes(places, Type::F);
                self.locate(result, 2, depth);
            }
            _ => self.locate(result, 2, Operand::imm_f(0.0)),
        }
        match io.source_w {
            Some(places) => {
                let w = self.payload_lanes(places, Type::F);
                let dst = self.define(result, 3, Class::Float);
                match self.does(FragmentStep::ReciprocalW) {
                    true => _ = self.b().math(MathFn::Inv, dst, &[w]),
                    false => _ = self.b().mov(dst, w),
                }
            }
            None => self.locate(result, 3, Operand::imm_f(0.0)),
        }
        Ok(())
    }

    /// Copies x (`comp` 0) or y (`comp` 1) of each channel's pixel from `corners`, where x of the four pixels of a block
    /// and y of these take turns.
    fn corner(&mut self, corners: Operand, comp: u32, dst: Operand) {
        self.for_halves(|b, _, group| {
            let place = 2 * u32::from(group) + 4 * comp;
            let corner = corners.byte_offset(place * Type::Uw.size()).with_region(Region::Rect {
                vstride: 8,
                width: 4,
                hstride: 1,
            });
            b.mov(dst.byte_offset(u32::from(group) * dst.ty.size()), corner);
        });
    }

    /// Selects the integer part of x or y of `FragCoord`, which is the position of the pixel: the position of a sample in
    /// it is at least 0 and less than 1. Returns false for other operations and sources.
    pub(super) fn integer_position(&mut self, op: AluOp, srcs: &[Src], result: Value) -> bool {
        let class = match op {
            AluOp::F2I => Class::Signed,
            AluOp::F2U => Class::Unsigned,
            AluOp::FFloor | AluOp::FTrunc => Class::Float,
            _ => return false,
        };
        let &[src] = srcs else { return false };
        let comp = u32::from(src.swizzle[0]);
        let known = self.fragment.corners.iter().find(|(value, _)| *value == src.value);
        let (Some(&(_, corners)), 0..=1, 32) = (known, comp, self.bits(result)) else {
            return false;
        };
        let dst = self.define(result, 0, class);
        self.corner(corners, comp, dst);
        true
    }

    /// The position in the pixel of each channel's sample, x (`comp` 0) or y (`comp` 1), as floats: at least 0, less
    /// than 1.
    fn sample_offset(&mut self, comp: u32) -> Result<Operand, SelectError> {
        let missing = SelectError::NotInLayout { what: "the positions of samples" };
        let places = self.fragment_io()?.position_offsets.ok_or(missing)?;
        if !self.does(FragmentStep::SamplePosition) {
            return Ok(Operand::imm_f(0.5));
        }
        let float = self.out.lanes(Type::F, 1);
        self.for_halves(|b, half, group| {
            let bytes = Operand::grf(0, Type::Ub).byte_offset(places[half] + comp).with_stride(2);
            let dst = float.byte_offset(u32::from(group) * Type::F.size());
            b.mov(dst, bytes);
            b.mul(dst, dst, Operand::imm_f(SAMPLE_STEP));
        });
        Ok(float)
    }

    /// The number of each channel's sample.
    fn sample_id(&mut self) -> Result<Operand, SelectError> {
        if !self.does(FragmentStep::SampleNumber) {
            return Ok(self.in_register(Operand::imm_ud(0)));
        }
        let in_payload = self.target.has_sample_ids_in_payload();
        let words = self.out.lanes(Type::Uw, 1);
        let id = self.out.lanes(Type::Ud, 1);
        let first = self.out.scalar(Type::Uw);
        if !in_payload {
            // Bits 7:6 of r0.0 are the number of the first pair of samples, so the number of the first sample is twice
            // that. Each four channels (a 2x2 block) have the next sample.
            let mut b = self.b();
            let mut b = b.uniform();
            b.shr(first, element(0, 0, Type::Uw), Operand::imm_uw(5));
            b.and(first, first, Operand::imm_uw(6));
        }
        self.for_halves(|b, half, group| {
            let dst = words.byte_offset(u32::from(group) * Type::Uw.size());
            if in_payload {
                // Each four channels have four bits of r1.0, so each eight channels have a byte. The V immediate shifts
                // the byte by 0 for the first four channels, and by 4 for the next four.
                let bytes = Region::Rect { vstride: 1, width: 8, hstride: 0 };
                let ids = Operand::grf(1 + half as u32, Type::Ub).with_region(bytes);
                b.shr(dst, ids, Operand::imm(0x4444_0000, Type::V));
                b.and(dst, dst, Operand::imm_uw(0xf));
            } else {
                for four in 0..b.exec_size() / 4 {
                    let part = dst.byte_offset(u32::from(four) * 4 * Type::Uw.size());
                    let mut b = b.no_mask();
                    b.exec(4).group(0).add(part, first, Operand::imm_uw(u16::from(four)));
                }
            }
        });
        self.b().mov(id, words);
        Ok(id)
    }

    /// Selects the built-in `SampleMaskIn`, the mask of the samples that the primitive covers. If the shader runs once
    /// for each sample, only the bit of the invocation's own sample stays in the mask.
    fn sample_mask_in(&mut self, result: Value) -> Result<(), SelectError> {
        let io = self.fragment_io()?;
        let missing = SelectError::NotInLayout { what: "the input sample mask" };
        let covered = self.payload_lanes(io.input_coverage.ok_or(missing)?, Type::Ud);
        if !io.per_sample || !self.does(FragmentStep::SampleBit) {
            self.locate(result, 0, covered);
            return Ok(());
        }
        let id = self.sample_id()?;
        let one = self.in_register(Operand::imm_ud(1));
        let dst = self.define(result, 0, Class::Unsigned);
        let mut b = self.b();
        let bit = b.lanes(Type::Ud, 1);
        b.shl(bit, one, id);
        b.and(dst, covered, bit);
        Ok(())
    }
}
