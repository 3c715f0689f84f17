//! Fragment shaders: interpolated inputs, derivatives, discarded pixels, and outputs. `pixel` has the built-in values.
//!
//! - An interpolated input is linear in the weights (barycentric coordinates): value = a * weight 1 + b * weight 2 + c.
//!   The setup data of a component are the numbers a, b and c, and `pln` computes the value from them and the weights
//!   in the payload. A flat component is a dword of the setup data, the same for all channels.
//! - The last instructions of the thread write the outputs. If all stores to a component are outside of regions, the
//!   component is the operand of its last store; any other component has a register, to which each store copies.
//! - The *helper flag* has a bit for each channel whose invocation is a helper: its pixel is not covered by the primitive, or
//!   was discarded. Messages that write memory are predicated on the opposite, so that helper invocations have
//!   no effect. The flag exists only if the code needs it:
//!   it discards pixels, or it has helper invocations and writes memory or queries whether an invocation is a helper.

use std::collections::{BTreeMap, BTreeSet};

use crestline_isa::{CondMod, Swizzle, Type, WriteMask};
use crestline_program::{ATTRIBUTE_BYTES, Barycentric, COMPONENT_BYTES};
use crestline_ssa::ir::{
    AluOp, Axis, DerivativeRule, InstId, InstKind, IoSlot, RegionId, Shader, Src, Value,
    WriteMask as Components,
};
use smallvec::SmallVec;

use super::sysvals::payload;
use super::weights::{KnownWeights, Pairs};
use super::{SelectError, Selector};
use crate::ir::{Builder, Flag, GRF_BYTES, Op, Operand, Region};
use crate::select::{Class, Conditions, Test};
use crate::stage::{FragmentIo, FragmentStep, StageIo, barycentric};
use crate::surface::{self, Colour, Outputs};

/// Byte offset in a component's setup data of a value at a vertex: the provoking vertex of a flat input, the first
/// vertex of an interpolated one.
const VERTEX_VALUE: u32 = 12;

/// Channels of one half of a SIMD32 thread. In SIMD32, most parts of the payload exist once for each half.
pub(super) const HALF: u8 = 16;

/// Byte offset in r1 of the mask of the pixels that the primitive covers.
const PIXEL_MASK: u32 = 28;

/// The state of selection that only fragment shaders have.
#[derive(Debug, Default)]
pub(super) struct Fragment {
    /// The helper flag, if there is one. See [`Selector::helper_flag`].
    helper_flag: Option<Flag>,
    /// Whether the shader discards pixels.
    discards: bool,
    /// The value of each output component that is stored so far or has a register, by slot and component.
    outputs: BTreeMap<(IoSlot, u8), Output>,
    /// The registers of the weights that `barycentric` instructions defined.
    pub(super) weights: KnownWeights,
    /// For each value of `FragCoord`, the register with the positions of its pixels as words: see
    /// [`Selector::corner`].
    pub(super) corners: Vec<(Value, Operand)>,
}

/// The value of an output component.
#[derive(Clone, Copy, Debug)]
enum Output {
    /// The operand of the last store.
    Operand(Operand),
    /// The register to which all stores copy.
    Register(Operand),
}

/// Facts on the whole shader that decide which outputs have registers and whether there is a helper flag.
#[derive(Default)]
struct Survey {
    demotes: bool,
    /// Whether an instruction other than a discard depends on the helper flag: a write to memory, or a query whether the
    /// invocation is a helper.
    asks_for_helpers: bool,
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
                | InstKind::ImageAtomic { .. } => self.asks_for_helpers = true,
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
pub(super) fn element(register: u32, bytes: u32, ty: Type) -> Operand {
    Operand::grf(register, ty).with_stride(0).byte_offset(bytes)
}

/// The mask of the pixels that the primitive covers, one bit per channel of the thread: a UW in the payload, or for 32
/// channels a new UD register with the two UW of the payload.
pub(super) fn covered_pixels(b: &mut Builder<'_>) -> Operand {
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

    /// Initialises the helper flag and the registers of outputs, at the start of the program.
    pub(super) fn start_fragment(&mut self) -> Result<(), SelectError> {
        let io = self.fragment_io()?;
        let survey = Survey::of(self.shader);
        let mut fragment = Fragment { discards: survey.demotes, ..Fragment::default() };
        if survey.demotes || survey.asks_for_helpers && io.helpers {
            let covers = self.does(FragmentStep::CoveredPixels);
            let mut b = self.b();
            let covered = covers.then(|| covered_pixels(&mut b));
            let flag = b.flag();
            if let Flag::Virtual(vreg) = flag {
                let ty = if b.dispatch_width() > HALF { Type::Ud } else { Type::Uw };
                let bits = Operand::scalar(vreg, ty);
                match covered {
                    Some(covered) => b.uniform().not(bits, covered),
                    None => b.uniform().mov(bits, Operand::imm(0, ty)),
                };
            }
            fragment.helper_flag = Some(flag);
        }
        for &place in &survey.nested {
            let register = self.out.lanes(Type::Ud, 1);
            self.b().no_mask().emit(Op::Undef, register, &[]);
            fragment.outputs.insert(place, Output::Register(register));
        }
        self.fragment = fragment;
        Ok(())
    }

    /// The helper flag: its bits are set for helper invocations, those without a covered pixel and those that were discarded.
    /// Writes to memory are predicated on the opposite. `None` if all enabled channels write.
    ///
    /// For `if (a < b) discard;`, one predicated comparison sets bits of this flag. A flag of the live pixels would need the
    /// opposite of `a < b`, and because of NaNs this is not `a >= b`.
    pub(super) fn helper_flag(&self) -> Option<Flag> {
        self.fragment.helper_flag
    }

    /// Calls `build` with a builder for messages that write memory, which the helper flag predicates if there is one. So
    /// helper invocations and discarded pixels write nothing.
    pub(super) fn b_live<R>(&mut self, build: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        let helpers = self.helper_flag().filter(|_| self.does(FragmentStep::LiveWrites));
        let mut b = self.b();
        match helpers {
            Some(helpers) => build(&mut b.predicated(helpers, true)),
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

    /// Selects a `demote`: sets the bits of the enabled channels in the helper flag, with a `mov.z` of 0.
    fn demote(&mut self) {
        if let Some(helpers) = self.helper_flag().filter(|_| self.does(FragmentStep::Discard)) {
            let zero = Operand::imm_ud(0);
            let mut b = self.b();
            let set = b.mov(Operand::null(Type::Ud), zero);
            set.cond_mod = CondMod::Z;
            set.flag = helpers;
        }
    }

    /// Selects an `if` without a branch if one of its regions is a single `demote` and the other is empty. The helper
    /// flag becomes the disjunction of itself and of the condition under which the pixel is discarded: the condition
    /// of the `if` for a `demote` in the first region, its negation for one in the second. Returns false,
    /// without any code, if the instruction cannot be selected this way.
    pub(super) fn conditional_demote(&mut self, id: InstId) -> bool {
        let func = &self.shader.func;
        let InstKind::If { cond, then, else_ } = func.inst(id).kind else { return false };
        let Some(helpers) = self.helper_flag().filter(|_| self.does(FragmentStep::Discard)) else {
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
            (true, _) => false,
            (_, true) => true,
            _ => return false,
        };
        let mut parts = SmallVec::new();
        if self.comparisons(cond.select(0), negate, &mut parts) {
            let test = Test { flag: helpers, all: false, within: Some(true) };
            for (part, negate) in parts {
                self.write_flag(part, negate, test);
            }
            return true;
        }
        // The code below combines whole flag registers. Inside a region that would be wrong, because the bits of
        // disabled channels are undefined in the condition's flag.
        if !self.frames.is_outside() {
            return false;
        }
        let cond = self.cond(cond.select(0)).inverse_if(negate);
        let (Flag::Virtual(helpers), Flag::Virtual(bits)) = (helpers, cond.flag) else {
            return false;
        };
        let ty = if self.out.dispatch_width > HALF { Type::Ud } else { Type::Uw };
        let (helpers, bits) = (Operand::scalar(helpers, ty), Operand::scalar(bits, ty));
        let mut b = self.b();
        let other = b.scalar(ty);
        let mut b = b.uniform();
        // The second source must be a general register.
        match cond.predicate.inverse {
            true => b.not(other, bits),
            false => b.mov(other, bits),
        };
        b.or(helpers, helpers, other);
        true
    }

    /// Collects the comparisons of which a boolean (negated, if `negate`) is the disjunction, with whether each is negated.
    /// Returns false if it has another form.
    fn comparisons(&self, src: Src, negate: bool, parts: &mut SmallVec<[(Src, bool); 4]>) -> bool {
        let (src, inverse) = self.through_not(src);
        let negate = negate ^ inverse;
        match self.connective(src.value) {
            Some((op, srcs)) => {
                (op == AluOp::IOr) ^ negate
                    && srcs
                        .iter()
                        .all(|part| self.comparisons(part.then(src.swizzle), negate, parts))
            }
            None => {
                parts.push((src, negate));
                self.booleans.form(src.value).is_leaf(negate)
            }
        }
    }

    /// Selects an `is_helper`: whether the invocation is a helper at this point, that is its bit in the helper flag is
    /// set.
    fn is_helper(&mut self, result: Value) {
        let helpers = self.helper_flag();
        let dst = self.define(result, 0, Class::Signed);
        let mut b = self.b();
        b.mov(dst, Operand::imm_d(0));
        if let Some(helpers) = helpers {
            b.predicated(helpers, false).mov(dst, Operand::imm_d(-1));
        }
    }

    /// The registers of the payload with the weights for a kind of interpolation.
    pub(super) fn payload_weights(&self, weights: Barycentric) -> Result<Pairs, SelectError> {
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
            let plain = value.ty == Type::F && value.vreg().is_some() && value.is_packed();
            let lanes = if plain && !value.has_modifiers() {
                value
            } else {
                let lanes = self.out.lanes(Type::F, 1);
                self.b().mov(lanes, value);
                lanes
            };
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
            helpers: self
                .fragment
                .helper_flag
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
