//! Weights of vertices at a place that the shader chooses, and interpolation with them.
//!
//! Weights at the pixel, centroid or sample of the invocation are in the payload. Others come from the pixel interpolator,
//! whose response has the layout of the payload. `pln` reads weights in this layout directly; an instruction that reads
//! them as a vector gets copies.

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

/// Channels of one message, and of one part of the payload.
const HALF: u8 = 16;

/// Sixteenths of a pixel, the unit of offsets.
const STEPS: f32 = 16.0;

/// The least and the greatest offset in sixteenths of a pixel: a signed number of four bits.
const OFFSETS: [i32; 2] = [-8, 7];

/// The registers of weights, for channels 0 to 15 and 16 to 31: for each eight channels a register with the weights of
/// vertex 1, then a register with those of vertex 2.
pub(super) type Pairs = [Operand; 2];

/// The weights that each value holds, by value.
pub(super) type KnownWeights = BTreeMap<Value, Pairs>;

impl Selector<'_> {
    /// Selects weights.
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

    /// Requests weights at an offset in pixels from the centre.
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

    /// Requests weights at the position of a sample.
    ///
    /// # Errors
    /// The number of the sample differs between channels.
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

    /// Sends messages to the pixel interpolator. `number` is the number of a sample, `offsets` are the offsets of each channel, x and y.
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

    /// Selects the interpolation of an input with weights.
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

    /// Selects whether a boolean is true in all invocations of a quad that execute the instruction.
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
        // The bits of channels that do not execute the instruction count as true.
        let ty = if b.dispatch_width() > HALF { Type::Ud } else { Type::Uw };
        let ones = Operand::imm(if ty == Type::Ud { 0xffff_ffff } else { 0xffff }, ty);
        b.uniform().mov(Operand::scalar(vreg, ty), ones);
        b.cmp(Operand::null(Type::D), value, CondMod::Nz, Operand::imm_d(0), flag);
        b.mov(dst, Operand::imm_d(0));
        let all = Predicate { ctrl: PredCtrl::All4H, inverse: false };
        b.predicate(flag, all).mov(dst, Operand::imm_d(-1));
    }

    /// Emits `pln` for component `comp` of a value. `plane` is the byte offset of its setup data.
    pub(super) fn interpolate(&mut self, plane: u32, pairs: Pairs, result: Value, comp: usize) {
        let dst = self.define(result, comp, Class::Float);
        self.for_halves(|b: &mut Builder<'_>, half, group| {
            let dst = dst.byte_offset(u32::from(group) * Type::F.size());
            let plane = Operand::grf(0, Type::F).with_stride(0).byte_offset(plane);
            b.emit(Op::Hw(Opcode::Pln), dst, &[plane, pairs[half]]);
        });
    }
}
