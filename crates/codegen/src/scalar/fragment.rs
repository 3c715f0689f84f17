//! Fragment shaders: interpolated inputs, built-in values, derivatives, discarded pixels, and outputs.
//!
//! - An interpolated input is linear in the weights (barycentric coordinates): value = a * weight 1 + b * weight 2 + c.
//!   The setup data of a component are the numbers a, b and c, and `pln` computes the value from them and the weights
//!   in the payload. A flat component is a dword of the setup data, the same for all channels.
//! - The last instructions of the thread write the outputs. If all stores to a component are outside of regions, the
//!   component is the operand of its last store; any other component has a register, to which each store copies.
//! - The *live flag* has a bit for each pixel that the primitive covers and that is not discarded. It predicates
//!   messages that write memory, so that helper invocations have no effect. The flag exists only if the code needs it:
//!   it discards pixels, or it has helper invocations and writes memory or queries whether an invocation is a helper.

use std::collections::{BTreeMap, BTreeSet};

use crestline_isa::{CondMod, MathFn, Swizzle, Type, WriteMask};
use crestline_program::{ATTRIBUTE_BYTES, Barycentric, COMPONENT_BYTES};
use crestline_ssa::ir::{
    Axis, DerivativeRule, InstId, InstKind, IoSlot, RegionId, Shader, Src, SysVal, Value,
    WriteMask as Components,
};

use super::sysvals::payload;
use super::weights::{KnownWeights, Pairs};
use super::{SelectError, Selector};
use crate::ir::{Builder, Flag, GRF_BYTES, Op, Operand, Region};
use crate::select::{Class, Conditions, Test};
use crate::stage::{FragmentIo, FragmentStep, PerHalf, StageIo, barycentric};
use crate::surface::{self, Colour, Outputs};

/// Byte offset in a component's setup data of a value at a vertex: the provoking vertex of a flat input, the first
/// vertex of an interpolated one.
const VERTEX_VALUE: u32 = 12;

/// Channels of one half of a SIMD32 thread. In SIMD32, most parts of the payload exist once for each half.
const HALF: u8 = 16;

/// Byte offset in r1 of the positions of the first 2x2 block: x and y as words; the other blocks follow.
const POSITIONS: u32 = 8;

/// Byte offset in r1 of the mask of the pixels that the primitive covers.
const PIXEL_MASK: u32 = 28;

/// The unit of sample positions in the payload, in pixels.
const SAMPLE_STEP: f32 = 1.0 / 16.0;

/// The state of selection that only fragment shaders have.
#[derive(Debug, Default)]
pub(super) struct Fragment {
    /// The live flag, if there is one.
    live: Option<Flag>,
    /// Whether the shader discards pixels.
    discards: bool,
    /// The value of each output component that is stored so far or has a register, by slot and component.
    outputs: BTreeMap<(IoSlot, u8), Output>,
    /// The registers of the weights that `barycentric` instructions defined.
    pub(super) weights: KnownWeights,
}

/// The value of an output component.
#[derive(Clone, Copy, Debug)]
enum Output {
    /// The operand of the last store.
    Operand(Operand),
    /// The register to which all stores copy.
    Register(Operand),
}

/// Facts on the whole shader that decide which outputs have registers and whether there is a live flag.
#[derive(Default)]
struct Survey {
    demotes: bool,
    /// Whether an instruction other than a discard depends on the live flag: a write to memory, or a query whether the
    /// invocation is a helper.
    uses_live: bool,
    /// Output components that are stored inside of a region.
    nested: BTreeSet<(IoSlot, u8)>,
    /// All output components that are stored.
    stored: BTreeSet<(IoSlot, u8)>,
}

impl Survey {
    fn of(shader: &Shader) -> Survey {
        let mut survey = Survey::default();
        let body = shader.func.body();
        survey.visit(shader, body, body);
        survey
    }

    fn visit(&mut self, shader: &Shader, region: RegionId, body: RegionId) {
        for &id in &shader.func.region(region).insts {
            let kind = &shader.func.inst(id).kind;
            match kind {
                InstKind::Demote => self.demotes = true,
                InstKind::IsHelper
                | InstKind::Store { .. }
                | InstKind::Atomic { .. }
                | InstKind::ImageStore { .. }
                | InstKind::ImageAtomic { .. } => self.uses_live = true,
                InstKind::StoreOutput { slot, comp, mask, .. } => {
                    for at in (0..mask.width()).filter(|&at| mask.has(at)) {
                        let place = (*slot, *comp + at as u8);
                        self.stored.insert(place);
                        if region != body {
                            self.nested.insert(place);
                        }
                    }
                }
                _ => {}
            }
            for inner in kind.regions() {
                self.visit(shader, inner, body);
            }
        }
    }
}

/// A scalar operand: the element of type `ty` at byte `bytes` of GRF register number `register`.
fn element(register: u32, bytes: u32, ty: Type) -> Operand {
    Operand::grf(register, ty).with_stride(0).byte_offset(bytes)
}

/// The mask of the pixels that the primitive covers, one bit per channel of the thread: a UW in the payload, or for 32
/// channels a new UD register with the two UW of the payload.
fn covered_pixels(b: &mut Builder<'_>) -> Operand {
    let [low, high] = [1, 2].map(|register| element(register, PIXEL_MASK, Type::Uw));
    if b.dispatch_width() <= HALF {
        return low;
    }
    let mask = b.scalar(Type::Ud);
    for (word, half) in [low, high].into_iter().zip(0..) {
        let part = mask.subscript(Type::Uw, half).unwrap_or(mask);
        b.uniform().mov(part.with_stride(0), word);
    }
    mask
}

impl<'a> Selector<'a> {
    /// The fragment shader's part of the interface.
    pub(super) fn fragment_io(&self) -> Result<&'a FragmentIo, SelectError> {
        match &self.interface.io {
            StageIo::Fragment(io) => Ok(io),
            _ => Err(SelectError::NotInLayout { what: "the interface of a fragment shader" }),
        }
    }

    /// Whether selection does a step; see [`crate::interface::Interface::does`].
    pub(super) fn does(&self, step: FragmentStep) -> bool {
        self.interface.does(step)
    }

    /// Initialises the live flag and the registers of outputs, at the start of the program.
    pub(super) fn start_fragment(&mut self) -> Result<(), SelectError> {
        let io = self.fragment_io()?;
        let survey = Survey::of(self.shader);
        let mut fragment = Fragment { discards: survey.demotes, ..Fragment::default() };
        if survey.demotes || survey.uses_live && io.helpers {
            let covers = self.does(FragmentStep::CoveredPixels);
            let mut b = self.b();
            let covered = match covers {
                true => covered_pixels(&mut b),
                false => Operand::imm_ud(u32::MAX),
            };
            let flag = b.flag();
            if let Flag::Virtual(vreg) = flag {
                let ty = if b.dispatch_width() > HALF { Type::Ud } else { Type::Uw };
                b.uniform().mov(Operand::scalar(vreg, ty), covered);
            }
            fragment.live = Some(flag);
        }
        for &place in &survey.nested {
            let register = self.out.lanes(Type::Ud, 1);
            self.b().no_mask().emit(Op::Undef, register, &[]);
            fragment.outputs.insert(place, Output::Register(register));
        }
        self.fragment = fragment;
        Ok(())
    }

    /// The live flag, which predicates writes to memory; `None` if all enabled channels write.
    pub(super) fn live(&self) -> Option<Flag> {
        self.fragment.live
    }

    /// Calls `build` with a builder for messages that write memory, which the live flag predicates if there is one. So
    /// helper invocations and discarded pixels write nothing.
    pub(super) fn b_live<R>(&mut self, build: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        let live = self.live().filter(|_| self.does(FragmentStep::LiveWrites));
        let mut b = self.b();
        match live {
            Some(live) => build(&mut b.predicated(live, false)),
            None => build(&mut b),
        }
    }

    /// Selects an instruction that only fragment shaders have, or that has another meaning in them.
    pub(super) fn fragment_inst(
        &mut self,
        kind: &InstKind,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        match (kind, result) {
            (InstKind::LoadInput { slot, vertex: None, index, comp }, Some(result)) => {
                self.load_fragment_input(*slot, *index, *comp, result)
            }
            (InstKind::LoadInput { vertex: Some(_), .. }, _) => {
                // The setup data has differences between vertices, which do not give the values exactly.
                Err(SelectError::Absent { what: "inputs of single vertices (PerVertexKHR)" })
            }
            (InstKind::Barycentric { mode, at }, Some(result)) => self.weights(*mode, *at, result),
            (InstKind::Interpolate { slot, weights, index, comp }, Some(result)) => {
                self.interpolate_with(*slot, *weights, *index, *comp, result)
            }
            (InstKind::AllKilled(src), Some(result)) => {
                self.all_killed(*src, result);
                Ok(())
            }
            (InstKind::Interlock { begins }, _) => self.interlock(*begins),
            (InstKind::StoreOutput { slot, data, vertex: None, index: None, comp, mask }, _) => {
                self.store_fragment_output(*slot, *data, *comp, *mask)
            }
            (InstKind::StoreOutput { index: Some(_), .. }, _) => Err(SelectError::Memory {
                what: "a store to an output with an index known at run time",
            }),
            (InstKind::Derivative { src, axis, rule }, Some(result)) => {
                self.derivative(*src, *axis, *rule, result);
                Ok(())
            }
            (InstKind::Demote, _) => {
                self.demote();
                Ok(())
            }
            (InstKind::IsHelper, Some(result)) => {
                self.is_helper(result);
                Ok(())
            }
            _ => Err(SelectError::NotLowered { what: "an instruction of another stage" }),
        }
    }

    /// Selects the begin or end of a critical section.
    fn interlock(&mut self, begins: bool) -> Result<(), SelectError> {
        let target = self.target;
        if !target.has_fragment_interlock() {
            return Err(SelectError::Absent {
                what: "critical sections (fragment shader interlock)",
            });
        }
        Ok(surface::interlock(&mut self.b(), target, begins)?)
    }

    /// Selects a `demote`: clears the bits of the enabled channels in the live flag, with a `mov.nz` of 0.
    fn demote(&mut self) {
        if let Some(live) = self.live().filter(|_| self.does(FragmentStep::Discard)) {
            let zero = Operand::imm_ud(0);
            let mut b = self.b();
            let clear = b.mov(Operand::null(Type::Ud), zero);
            clear.cond_mod = CondMod::Nz;
            clear.flag = live;
        }
    }

    /// Selects an `if` without a branch if one of its regions is a single `demote` and the other is empty. The live
    /// flag becomes the conjunction of itself and of the condition under which the pixel is kept: the negated condition
    /// of the `if` for a `demote` in the first region, the condition itself for one in the second. Returns false,
    /// without any code, if the instruction cannot be selected this way.
    pub(super) fn conditional_demote(&mut self, id: InstId) -> bool {
        let func = &self.shader.func;
        let InstKind::If { cond, then, else_ } = func.inst(id).kind else { return false };
        let Some(live) = self.live().filter(|_| self.does(FragmentStep::Discard)) else {
            return false;
        };
        let only = |region: RegionId, demotes: usize| {
            let insts = &func.region(region).insts;
            let count = insts.iter().filter(|&&id| func.inst(id).kind == InstKind::Demote).count();
            count == demotes
                && insts.iter().all(|&id| match &func.inst(id).kind {
                    InstKind::Demote => true,
                    InstKind::Yield(srcs) => srcs.is_empty(),
                    _ => false,
                })
        };
        let negate = match (only(then, 1) && only(else_, 0), only(then, 0) && only(else_, 1)) {
            (true, _) => true,
            (_, true) => false,
            _ => return false,
        };
        let (src, inverse) = self.through_not(cond.select(0));
        let negate = negate ^ inverse;
        if self.booleans.form(src.value).is_leaf(negate) {
            let test = Test { flag: live, all: false, within: Some(false) };
            self.write_flag(src, negate, test);
            return true;
        }
        // The code below combines whole flag registers. Inside a region that would be wrong, because the bits of
        // disabled channels are undefined in the condition's flag.
        if !self.frames.is_outside() {
            return false;
        }
        let cond = self.cond(src);
        let (Flag::Virtual(live), Flag::Virtual(bits)) = (live, cond.flag) else { return false };
        let ty = if self.out.dispatch_width > HALF { Type::Ud } else { Type::Uw };
        let (live, bits) = (Operand::scalar(live, ty), Operand::scalar(bits, ty));
        let mut b = self.b();
        let other = b.scalar(ty);
        let mut b = b.uniform();
        match negate ^ cond.predicate.inverse {
            true => b.not(other, bits),
            false => b.mov(other, bits),
        };
        b.and(live, live, other);
        true
    }

    /// Selects an `is_helper`: whether the invocation is a helper at this point, that is its bit in the live flag is
    /// clear.
    fn is_helper(&mut self, result: Value) {
        let live = self.live();
        let dst = self.define(result, 0, Class::Signed);
        let mut b = self.b();
        b.mov(dst, Operand::imm_d(if live.is_some() { -1 } else { 0 }));
        if let Some(live) = live {
            b.predicated(live, false).mov(dst, Operand::imm_d(0));
        }
    }

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
        for comp in 0..2u32 {
            let offset = match io.position_offsets {
                Some(_) => self.sample_offset(comp)?,
                None if self.does(FragmentStep::PixelCentre) => Operand::imm_f(0.5),
                None => Operand::imm_f(0.0),
            };
            let dst = self.define(result, comp as usize, Class::Float);
            let float = self.out.lanes(Type::F, 1);
            self.for_halves(|b, _, group| {
                let place = 2 * u32::from(group) + 4 * comp;
                let corner = corners
                    .byte_offset(place * Type::Uw.size())
                    .with_region(Region::Rect { vstride: 8, width: 4, hstride: 1 });
                b.mov(float.byte_offset(u32::from(group) * Type::F.size()), corner);
            });
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

    /// The registers of the payload with the weights for a kind of interpolation.
    fn payload_weights(&self, weights: Barycentric) -> Result<Pairs, SelectError> {
        let missing = SelectError::NotInLayout { what: "barycentric coordinates" };
        let sets = &self.fragment_io()?.barycentrics;
        let found = match self.does(FragmentStep::Weights) {
            true => sets.get(&weights),
            false => sets.values().last(),
        };
        let places = *found.ok_or(missing)?;
        Ok(places.map(|place| Operand::grf(0, Type::F).byte_offset(place)))
    }

    /// The byte offset in the payload of the setup data of a component of an input slot, and the number of slots of the
    /// variable from this slot on, which an index can select.
    pub(super) fn input_place(
        &self,
        slot: IoSlot,
        comp: u8,
        flat: bool,
    ) -> Result<(u32, u32), SelectError> {
        let missing = SelectError::NotInLayout { what: "an input" };
        let var = self.shader.input_component(slot, comp).ok_or(missing.clone())?;
        let &first = self.fragment_io()?.attributes.get(&(slot, flat)).ok_or(missing)?;
        let slots = var.slots() - var.index_of(slot).unwrap_or(0);
        Ok((first + u32::from(comp) * COMPONENT_BYTES, slots))
    }

    /// The setup data of a component as three operands: the factor of weight 1, the factor of weight 2, and the value
    /// at the first vertex. `place` is the byte offset in the payload of the component's setup data in the slot that
    /// index 0 selects; `slots` is the number of slots that an index can select.
    pub(super) fn plane(&mut self, place: u32, slots: u32, index: Option<Src>) -> [Operand; 3] {
        [0, 4, VERTEX_VALUE].map(|dword| {
            let element = payload(place + dword).retype(Type::F);
            match index {
                None => element,
                Some(index) => self.fetch(element, slots, index),
            }
        })
    }

    /// Copies an element of the setup data of the slot that an index selects, for each channel. `first` is the element
    /// in the slot that index 0 selects. An index of `slots` or more selects the last slot.
    fn fetch(&mut self, first: Operand, slots: u32, index: Src) -> Operand {
        let index = self.src(index, Class::Unsigned);
        let mut b = self.b();
        let (clamped, bytes) = (b.lanes(Type::Ud, 1), b.lanes(Type::Ud, 1));
        match index.imm_bits() {
            Some(bits) => _ = b.mov(clamped, Operand::imm_ud((bits as u32).min(slots - 1))),
            None => _ = b.min_max(clamped, index, Operand::imm_ud(slots - 1), CondMod::L),
        }
        b.shl(bytes, clamped, Operand::imm_ud(ATTRIBUTE_BYTES.ilog2()));
        let range = Operand::imm_ud((slots - 1) * ATTRIBUTE_BYTES + Type::Ud.size());
        let dst = b.lanes(first.ty, 1);
        b.emit(Op::MovIndirect, dst, &[first, bytes, range]);
        dst
    }

    /// Selects a load of an input: the interpolated value, or the setup data of a flat input.
    fn load_fragment_input(
        &mut self,
        slot: IoSlot,
        index: Option<Src>,
        comp: u8,
        result: Value,
    ) -> Result<(), SelectError> {
        let missing = SelectError::NotInLayout { what: "an input" };
        let var = self.shader.input_component(slot, comp).ok_or(missing)?;
        let weights = var.interp.and_then(barycentric);
        let (first, slots) = self.input_place(slot, comp, weights.is_none())?;
        let ty = self.shader.func.ty(result);
        let dwords = (ty.bits() / 32).max(1);
        for at in 0..ty.comps() {
            let place = first + at as u32 * dwords * COMPONENT_BYTES;
            let Some(weights) = weights else {
                let vertex = if self.does(FragmentStep::FlatValue) { VERTEX_VALUE } else { 0 };
                let values: Vec<Operand> = (0..dwords)
                    .map(|dword| {
                        let value = payload(place + dword * COMPONENT_BYTES + vertex);
                        index.map_or(value, |index| self.fetch(value, slots, index))
                    })
                    .collect();
                match values[..] {
                    [low, high] => self.locate_dwords(result, at, [low, high]),
                    _ => self.locate(result, at, values[0]),
                }
                continue;
            };
            let pairs = self.payload_weights(weights)?;
            if index.is_none() {
                self.interpolate(place, pairs, result, at);
                continue;
            }
            let [along_1, along_2, value] = self.plane(place, slots, index);
            let dst = self.define(result, at, Class::Float);
            let width = self.out.dispatch_width;
            let mut b = self.b();
            // The setup data differ between channels, so `pln` cannot compute the value. `mad` reads weights from one
            // register, which has those of eight channels, so each eight channels have their own instructions.
            for group in (0..width).step_by(8) {
                let (half, inner) = (usize::from(group / HALF), u32::from(group % HALF) / 8);
                let lanes = u32::from(group) * Type::F.size();
                let weight =
                    |vertex: u32| pairs[half].byte_offset((2 * inner + vertex) * GRF_BYTES);
                let mut b = b.exec(8);
                let mut b = b.group(group);
                let sum = dst.byte_offset(lanes);
                b.mad(sum, value.byte_offset(lanes), along_1.byte_offset(lanes), weight(0));
                b.mad(sum, sum, along_2.byte_offset(lanes), weight(1));
            }
        }
        Ok(())
    }

    /// Selects a store to an output: copies the components to their registers, or records their operands.
    fn store_fragment_output(
        &mut self,
        slot: IoSlot,
        data: Src,
        comp: u8,
        mask: Components,
    ) -> Result<(), SelectError> {
        let bits = self.bits(data.value);
        if bits != 32 {
            return Err(SelectError::BitSize { op: "store_output", bits });
        }
        for at in (0..mask.width()).filter(|&at| mask.has(at)) {
            let place = (slot, comp + at as u8);
            let operand = self.src_comp(data, at, Class::Unsigned).retype(Type::Ud);
            match self.fragment.outputs.get(&place) {
                Some(&Output::Register(register)) => _ = self.b().mov(register, operand),
                _ => _ = self.fragment.outputs.insert(place, Output::Operand(operand)),
            }
        }
        Ok(())
    }

    /// Selects a derivative: the difference of two channels of each block of 2x2 pixels.
    fn derivative(&mut self, src: Src, axis: Axis, rule: DerivativeRule, result: Value) {
        for comp in 0..self.shader.func.ty(result).comps() {
            let value = self.src_comp(src, comp, Class::Float);
            if value.imm_bits().is_some() || value.region == Region::Stride(0) {
                self.locate(result, comp, Operand::imm_f(0.0));
                continue;
            }
            // The regions below need packed floats without source modifiers.
            let lanes = self.out.lanes(Type::F, 1);
            self.b().mov(lanes, value);
            let dst = self.define(result, comp, Class::Float);
            let fine = rule == DerivativeRule::Fine && self.does(FragmentStep::FineDerivative);
            let width = self.out.dispatch_width;
            let mut b = self.b();
            if axis == Axis::Y && fine {
                // Only a swizzle can read the channels 0, 1, 0, 1 of each block.
                for group in (0..width).step_by(8) {
                    let at = u32::from(group) * Type::F.size();
                    let block =
                        |swizzle| lanes.byte_offset(at).with_region(Region::Swizzle(swizzle));
                    let (upper, lower) = (Swizzle([0, 1, 0, 1]), Swizzle([2, 3, 2, 3]));
                    let mask = Region::Mask(WriteMask::XYZW);
                    let mut b = b.exec(8);
                    let mut b = b.group(group);
                    let dst = dst.byte_offset(at).with_region(mask);
                    b.align16().add(dst, block(lower), block(upper).negated());
                }
                continue;
            }
            let (step, region) = match (axis, fine) {
                (Axis::X, false) => (1, Region::Rect { vstride: 4, width: 4, hstride: 0 }),
                (Axis::X, true) => (1, Region::Rect { vstride: 2, width: 2, hstride: 0 }),
                (Axis::Y, _) => (2, Region::Rect { vstride: 4, width: 4, hstride: 0 }),
            };
            let first = lanes.with_region(region);
            let second = first.byte_offset(step * Type::F.size());
            b.add(dst, second, first.negated());
        }
    }

    /// Writes the outputs and ends the thread.
    pub(super) fn end_fragment(&mut self) -> Result<(), SelectError> {
        let io = self.fragment_io()?;
        let value = |place: (IoSlot, u8)| {
            self.fragment.outputs.get(&place).map(|output| match *output {
                Output::Operand(operand) | Output::Register(operand) => operand,
            })
        };
        let colour = |slot: fn(u32) -> IoSlot, number: u32| {
            [0, 1, 2, 3].map(|comp: u8| value((slot(number), comp)))
        };
        let mut colours: Vec<Colour> = io
            .targets
            .iter()
            .map(|(&number, &bti)| {
                let second = match self.does(FragmentStep::SecondColour) {
                    true => colour(IoSlot::SecondColour, number),
                    false => [None; 4],
                };
                Colour {
                    number,
                    bti,
                    first: colour(IoSlot::Location, number),
                    second: second.iter().any(Option::is_some).then_some(second),
                }
            })
            .collect();
        if let (true, Some(bti)) = (colours.is_empty(), io.null_target) {
            colours.push(Colour { bti, ..Colour::default() });
        }
        if colours.is_empty() {
            return Err(SelectError::NotInLayout { what: "a render target" });
        }
        let source0_alpha = value((IoSlot::Location(0), 3))
            .filter(|_| io.source0_alpha && self.does(FragmentStep::Source0Alpha));
        let outputs = Outputs {
            colours,
            source0_alpha,
            depth: value((IoSlot::Depth, 0)).filter(|_| self.does(FragmentStep::Depth)),
            stencil: value((IoSlot::StencilRef, 0)).filter(|_| self.does(FragmentStep::Stencil)),
            sample_mask: value((IoSlot::SampleMask, 0))
                .filter(|_| self.does(FragmentStep::SampleMask)),
            live: self
                .fragment
                .live
                .filter(|_| self.fragment.discards && self.does(FragmentStep::LiveTargets)),
            numbered: self.does(FragmentStep::TargetNumber),
            last: self.does(FragmentStep::LastTarget),
        };
        if outputs.stencil.is_some() && !self.target.has_computed_stencil() {
            return Err(SelectError::Absent {
                what: "stencil value from the shader (FragStencilRefEXT)",
            });
        }
        if outputs.is_narrow() && self.out.dispatch_width > 8 {
            return Err(SelectError::Memory { what: "an output that needs SIMD8" });
        }
        let target = self.target;
        Ok(surface::write_targets(&mut self.b(), target, &outputs)?)
    }
}
