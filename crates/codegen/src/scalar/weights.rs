//! Weights (barycentric coordinates) at a place in the pixel that the shader chooses, and interpolation with them.
//!
//! The payload has the weights at the centre of the pixel, at the centroid and at the invocation's own sample. A
//! message to the pixel interpolator returns the weights at another sample or offset, in the same register layout
//! ([`Pairs`]). `pln` reads this layout directly. For instructions that read the weights as a vector of two floats,
//! moves copy them to the layout of other vectors.

use std::collections::BTreeMap;

use crestline_isa::message::{InterpolateAt, SAMPLE_BIT};
use crestline_isa::{CondMod, Opcode, PredCtrl, Predicate, Type};
use crestline_program::COMPONENT_BYTES;
use crestline_ssa::analysis::Divergence;
use crestline_ssa::ir::{BaryPlace, InterpMode, InterpPlace, Interpolation, IoSlot, Src, Value};

use super::{SelectError, Selector};
use crate::ir::{Builder, Flag, GRF_BYTES, Op, Operand};
use crate::select::{Class, MemoryMessages};
use crate::stage::{FragmentStep, barycentric};
use crate::surface;

/// Largest number of channels of a message. Each part of the payload exists once for this many channels.
const HALF: u8 = 16;

/// Number of units in a pixel: messages have offsets in sixteenths of a pixel.
const STEPS: f32 = 16.0;

/// The least and the greatest offset in sixteenths of a pixel: a signed number of four bits.
const OFFSETS: [i32; 2] = [-8, 7];

/// Weights in the layout that `pln` reads: the first registers for channels 0 to 15 and for channels 16 to 31. For each
/// eight channels, a register with the weights of vertex 1 is followed by a register with those of vertex 2.
pub(super) type Pairs = [Operand; 2];

/// The weights in the layout of [`Pairs`] of each value that a `barycentric` instruction defined.
pub(super) type KnownWeights = BTreeMap<Value, Pairs>;

impl Selector<'_> {
    /// Selects a `barycentric` instruction: the result is the vector of the weights of vertices 1 and 2 at `at`. Also
    /// records the registers of the weights, which `pln` reads. If the framebuffer has one sample, the place of a
    /// sample is the centre.
    pub(super) fn weights(
        &mut self,
        mode: InterpMode,
        at: BaryPlace,
        result: Value,
    ) -> Result<(), SelectError> {
        let io = self.fragment_io()?;
        let place = match at {
            BaryPlace::Place(place) => Some(place),
            BaryPlace::AtSample(_) if io.one_sample => Some(InterpPlace::Centre),
            BaryPlace::AtSample(_) | BaryPlace::AtOffset(_) => None,
        };
        let linear = mode == InterpMode::NoPerspective;
        let pairs = match (place, at) {
            (Some(place), _) => {
                let place = if io.one_sample && place == InterpPlace::Sample {
                    InterpPlace::Centre
                } else {
                    place
                };
                let missing = SelectError::NotInLayout { what: "barycentric coordinates" };
                let set = barycentric(Interpolation { mode, place }).ok_or(missing.clone())?;
                let places = *io.barycentrics.get(&set).ok_or(missing)?;
                places.map(|place| Operand::grf(0, Type::F).byte_offset(place))
            }
            (None, BaryPlace::AtOffset(offset)) => self.weights_at_offset(offset, linear)?,
            (None, BaryPlace::AtSample(sample)) => self.weights_at_sample(sample, linear)?,
            (None, BaryPlace::Place(_)) => return Err(SelectError::NotLowered { what: "a place" }),
        };
        self.fragment.weights.insert(result, pairs);
        for comp in 0..2 {
            let dst = self.define(result, comp, Class::Float);
            self.for_halves(|b, half, group| {
                for eight in (0..b.exec_size()).step_by(8) {
                    let register = u32::from(eight) / 8 * 2 + comp as u32;
                    let from = pairs[half].byte_offset(register * GRF_BYTES);
                    let to = dst.byte_offset(u32::from(group + eight) * Type::F.size());
                    let mut b = b.exec(8);
                    b.group(group + eight).mov(to, from);
                }
            });
        }
        Ok(())
    }

    /// Requests the weights at an offset in pixels from the centre of the pixel. The offset is rounded to sixteenths of
    /// a pixel and clamped to the range of the message. A constant offset is an immediate of the message; any other
    /// offset is in the payload, one for each channel.
    fn weights_at_offset(&mut self, offset: Src, linear: bool) -> Result<Pairs, SelectError> {
        let comps = [0, 1].map(|comp| self.src_comp(offset, comp, Class::Float));
        let steps = comps.map(|comp| {
            let bits = comp.imm_bits()? as u32;
            Some((f32::from_bits(bits) * STEPS).round_ties_even() as i32)
        });
        if let [Some(x), Some(y)] = steps {
            let [x, y] = [x, y].map(|step| step.clamp(OFFSETS[0], OFFSETS[1]) as u8 & 0xf);
            return self.request(InterpolateAt::Offset, x | y << 4, None, &[], linear);
        }
        let parts = comps.map(|comp| {
            let comp = self.in_register(comp);
            let mut b = self.b();
            let (scaled, rounded) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            let (whole, clamped) = (b.lanes(Type::D, 1), b.lanes(Type::D, 1));
            b.mul(scaled, comp, Operand::imm_f(STEPS));
            b.rnde(rounded, scaled);
            b.mov(whole, rounded);
            b.min_max(clamped, whole, Operand::imm_d(OFFSETS[0]), CondMod::Ge);
            b.min_max(clamped, clamped, Operand::imm_d(OFFSETS[1]), CondMod::L);
            clamped
        });
        self.request(InterpolateAt::PerSlotOffset, 0, None, &parts, linear)
    }

    /// Requests the weights at the position of a sample. A message names one sample for all channels.
    ///
    /// # Errors
    /// The number of the sample may differ between channels.
    fn weights_at_sample(&mut self, sample: Src, linear: bool) -> Result<Pairs, SelectError> {
        let at = InterpolateAt::Sample;
        if let Some(number) = self.constant_dword(sample) {
            return self.request(at, (number as u8 & 0xf) << SAMPLE_BIT, None, &[], linear);
        }
        let number = match self.thread_dword(sample) {
            Some(number) => number,
            None if Divergence::new(self.shader).is_divergent(sample.value) => {
                let what = "interpolation at a sample whose number differs between invocations";
                return Err(SelectError::NotLowered { what });
            }
            None => self.any_channel(sample),
        };
        self.request(at, 0, Some(number), &[], linear)
    }

    /// Emits messages to the pixel interpolator; the parameters are those of [`surface::interpolate_at`].
    fn request(
        &mut self,
        at: InterpolateAt,
        data: u8,
        number: Option<Operand>,
        offsets: &[Operand],
        linear: bool,
    ) -> Result<Pairs, SelectError> {
        let (target, given) = (self.target, self.does(FragmentStep::OtherPlace));
        let (at, data, offsets) =
            if given { (at, data, offsets) } else { (InterpolateAt::Offset, 0, [].as_slice()) };
        let mut b = self.b();
        Ok(surface::interpolate_at(&mut b, target, at, data, number, offsets, linear)?)
    }

    /// Selects the interpolation of an input with weights: `pln`, or `mad` if the weights do not have the layout of
    /// `pln` or the input has an index.
    pub(super) fn interpolate_with(
        &mut self,
        slot: IoSlot,
        weights: Src,
        index: Option<Src>,
        comp: u8,
        result: Value,
    ) -> Result<(), SelectError> {
        let (first, slots) = self.input_place(slot, comp, false)?;
        let known = self.fragment.weights.get(&weights.value).copied();
        let whole = weights.is_identity(2);
        for at in 0..self.shader.func.ty(result).comps() {
            let plane = first + at as u32 * COMPONENT_BYTES;
            match (known.filter(|_| whole), index) {
                (Some(pairs), None) => self.interpolate(plane, pairs, result, at),
                (_, index) => {
                    let terms = self.plane(plane, slots, index);
                    let weights = [0, 1].map(|comp| {
                        let weight = self.src_comp(weights, comp, Class::Float);
                        self.in_register(weight)
                    });
                    let dst = self.define(result, at, Class::Float);
                    let mut b = self.b();
                    b.mad(dst, terms[2], terms[0], weights[0]);
                    b.mad(dst, dst, terms[1], weights[1]);
                }
            }
        }
        Ok(())
    }

    /// Selects an `all_killed` instruction: whether a boolean is true in all those invocations of a quad that execute
    /// the instruction.
    pub(super) fn all_killed(&mut self, src: Src, result: Value) {
        let value = self.src(src, Class::Signed);
        let value = self.in_register(value);
        if !self.does(FragmentStep::AllKilled) {
            self.locate(result, 0, Operand::imm_d(0));
            return;
        }
        let dst = self.define(result, 0, Class::Signed);
        let mut b = self.b();
        let flag = b.flag();
        let Flag::Virtual(vreg) = flag else { return };
        // `cmp` writes no flag bits of disabled channels, so the bits are set before: these channels count as true.
        let ty = if b.dispatch_width() > HALF { Type::Ud } else { Type::Uw };
        let ones = Operand::imm(if ty == Type::Ud { 0xffff_ffff } else { 0xffff }, ty);
        b.uniform().mov(Operand::scalar(vreg, ty), ones);
        b.cmp(Operand::null(Type::D), value, CondMod::Nz, Operand::imm_d(0), flag);
        b.mov(dst, Operand::imm_d(0));
        let all = Predicate { ctrl: PredCtrl::All4H, inverse: false };
        b.predicate(flag, all).mov(dst, Operand::imm_d(-1));
    }

    /// Emits `pln`, which computes component `comp` of `result` from the weights in `pairs` and the setup data at byte
    /// offset `plane` of the payload.
    pub(super) fn interpolate(&mut self, plane: u32, pairs: Pairs, result: Value, comp: usize) {
        let dst = self.define(result, comp, Class::Float);
        self.for_halves(|b: &mut Builder<'_>, half, group| {
            let dst = dst.byte_offset(u32::from(group) * Type::F.size());
            let plane = Operand::grf(0, Type::F).with_stride(0).byte_offset(plane);
            b.emit(Op::Hw(Opcode::Pln), dst, &[plane, pairs[half]]);
        });
    }
}
