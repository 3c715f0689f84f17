//! Sampler messages: fetches, filtered samples, gathers, and queries of sizes.
//!
//! A message has 16 channels if its parameters (a register for each eight channels of a parameter) and its header fit
//! in eleven registers, and none of the parameters is a derivative (PRM, "Sampling Engine", message lengths);
//! otherwise it has 8. Parameters are in the order of the operation's table in the PRM; trailing parameters that are
//! 0 may be omitted. A SIMD4x2 message has a different order of parameters, with four parameters in each register for
//! each of the two vertices.

use crate::target::Target;
use crestline_isa::message::{self as isa, DescriptorError, SamplerOp, SamplerSimd};
use crestline_isa::{Type, WriteMask};
use crestline_ssa::ir::TextureOp;

use super::memory::join;
use super::vec4::register;
use super::{Shape, Surface, at, message, parts};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Region, Space};

/// Largest number of payload registers, including the header.
const MAX_REGISTERS: usize = 11;

/// Number of components of a response.
const COMPONENTS: u32 = 4;

/// Byte offset in the header of the dword with the texel offsets, the components that are not returned, and the
/// component of a gather.
const OFFSETS: u32 = 8;

/// Byte offset in the header of the pointer to the sampler states. A message selects one of the 16 samplers from there on.
const STATES: u32 = 12;

/// Number of samplers among which a descriptor selects.
const SELECTABLE: u8 = 16;

/// log2 of the size of a sampler state in bytes.
const STATE_SHIFT: u32 = 4;

/// The parameters of a read.
#[derive(Clone, Copy, Debug)]
pub struct SamplerParameters {
    /// Number of coordinates, including the array layer.
    pub coordinates: usize,
    /// Number of coordinates with derivatives.
    pub gradients: usize,
    /// Number of texel offsets that are known at run time only.
    pub offsets: usize,
    /// Whether there is a level of detail other than 0.
    pub level: bool,
    /// Whether there is a reference value with which texels are compared.
    pub compare: bool,
    /// Whether the level of detail follows from the coordinates of neighbouring channels.
    pub implicit: bool,
    /// Whether there is a least level of detail.
    pub min_level: bool,
    /// Number of dwords of the multisample control data, if the read selects a sample; else 0.
    pub control: usize,
}

/// A parameter of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A coordinate; the layer is the last one.
    Coordinate(usize),
    /// The level of detail; 0 if the read has none. If the level is implicit, the bias.
    Level,
    /// The least level of detail.
    MinLevel,
    /// The number of the sample.
    Sample,
    /// A dword of the multisample control data.
    Control(usize),
    /// The reference value with which texels are compared.
    Compare,
    /// The derivative of a coordinate along x.
    AlongX(usize),
    /// The derivative of a coordinate along y.
    AlongY(usize),
    /// An offset in texels.
    Offset(usize),
    /// The constant 0.
    Zero,
}

/// The index of a sampler, split as a message needs it.
#[derive(Clone, Copy, Debug)]
pub struct SamplerIndex {
    /// The index modulo 16, for the descriptor: [`Surface::Index`] or [`Surface::Dynamic`].
    low: Surface,
    /// Bytes to add to the pointer to the sampler states, as a UD scalar; `None` for the first 16 samplers.
    advance: Option<Operand>,
}

impl SamplerIndex {
    /// The index of messages that use no sampler.
    pub const NONE: SamplerIndex = SamplerIndex { low: Surface::Index(0), advance: None };

    /// Splits an index. `last` is the largest value that an index known at run time only can have.
    pub fn new(b: &mut Builder<'_>, index: Surface, last: u8) -> SamplerIndex {
        match index {
            Surface::Index(index) => {
                let first = index - index % SELECTABLE;
                let bytes = Operand::imm_ud(u32::from(first) << STATE_SHIFT);
                let low = Surface::Index(index - first);
                SamplerIndex { low, advance: (first > 0).then_some(bytes) }
            }
            Surface::Dynamic(index) if last >= SELECTABLE => {
                let mut b = b.uniform();
                let [low, first, bytes] = [(); 3].map(|()| b.scalar(Type::Ud));
                b.and(low, index, Operand::imm_ud(u32::from(SELECTABLE) - 1));
                b.and(first, index, Operand::imm_ud(!(u32::from(SELECTABLE) - 1)));
                b.shl(bytes, first, Operand::imm_ud(STATE_SHIFT));
                SamplerIndex { low: Surface::Dynamic(low), advance: Some(bytes) }
            }
            low => SamplerIndex { low, advance: None },
        }
    }
}

/// A sampler read, with its operands for all channels.
#[derive(Clone, Debug)]
pub struct SamplerRead {
    /// The operation.
    pub op: TextureOp,
    /// The texture.
    pub surface: Surface,
    /// The sampler's index.
    pub sampler: SamplerIndex,
    /// The header from [`sampler_header`], if the read needs one.
    pub header: Option<Operand>,
    /// The coordinates; the layer is the last one.
    pub coordinates: Vec<Operand>,
    /// The level of detail; `None` means 0. If the level is implicit, the bias.
    pub level: Option<Operand>,
    /// Whether the level of detail follows from the coordinates of neighbouring channels.
    pub implicit: bool,
    /// The least level of detail.
    pub min_level: Option<Operand>,
    /// The number of the sample, for a multisampled texture.
    pub sample: Option<Operand>,
    /// Whether a read of a sample has the control data of the texel. Only tests leave them out.
    pub with_control_data: bool,
    /// The reference value with which texels are compared.
    pub compare: Option<Operand>,
    /// The derivatives of the coordinates along x and along y.
    pub gradients: Option<[Vec<Operand>; 2]>,
    /// Texel offsets that are known at run time only, for a gather.
    pub offset: Option<Vec<Operand>>,
}

impl SamplerRead {
    /// The parameters that the read has.
    fn parameters(&self) -> SamplerParameters {
        SamplerParameters {
            coordinates: self.coordinates.len(),
            gradients: self.gradients.as_ref().map_or(0, |[x, _]| x.len()),
            offsets: self.offset.as_ref().map_or(0, Vec::len),
            level: self.level.is_some_and(|level| level.imm_bits() != Some(0)),
            compare: self.compare.is_some(),
            implicit: self.implicit,
            min_level: self.min_level.is_some(),
            control: 0,
        }
    }

    /// The operand for a parameter; 0 for a level that the read does not have.
    fn operand(&self, b: &mut Builder<'_>, parameter: Parameter, control: &[Operand]) -> Operand {
        let along = |direction: usize, axis: usize| self.gradients.as_ref()?[direction].get(axis);
        let found = match parameter {
            Parameter::Coordinate(axis) => self.coordinates.get(axis),
            Parameter::Level => self.level.as_ref(),
            Parameter::MinLevel => self.min_level.as_ref(),
            Parameter::Sample => self.sample.as_ref(),
            Parameter::Control(dword) => control.get(dword),
            Parameter::Compare => self.compare.as_ref(),
            Parameter::AlongX(axis) => along(0, axis),
            Parameter::AlongY(axis) => along(1, axis),
            Parameter::Offset(axis) => self.offset.as_ref().and_then(|offset| offset.get(axis)),
            Parameter::Zero => None,
        };
        found.copied().unwrap_or_else(|| {
            if !matches!(parameter, Parameter::Level | Parameter::Zero) {
                b.fault("an operand of a sampler message is missing");
            }
            Operand::imm_ud(0)
        })
    }
}

/// The header for a read with a constant `offset` (-8 to 7 texels), for a gather of a component other than the first, for a
/// sampler after the first 16, or for a query of the number of samples: a copy of r0 with the offset, the component and the
/// pointer to the sampler states. `None` for other reads.
pub fn sampler_header(
    b: &mut Builder<'_>,
    op: TextureOp,
    offset: [i8; 3],
    sampler: SamplerIndex,
) -> Option<Operand> {
    let component = if let TextureOp::Gather(component) = op { component } else { 0 };
    let plain = offset == [0; 3] && component == 0 && sampler.advance.is_none();
    if plain && op != TextureOp::Samples {
        return None;
    }
    let mut b = b.no_mask();
    let header = b.exec(8).lanes(Type::Ud, 1);
    b.exec(8).mov(header, Operand::grf(0, Type::Ud));
    let [u, v, r] = offset.map(|texels| u32::from(texels.cast_unsigned()) & 0xf);
    let bits = u << 8 | v << 4 | r | u32::from(component) << 16;
    b.uniform().mov(header.byte_offset(OFFSETS), Operand::imm_ud(bits));
    if let Some(bytes) = sampler.advance {
        let states = Operand::grf(0, Type::Ud).byte_offset(STATES);
        b.uniform().add(header.byte_offset(STATES), states, bytes);
    }
    Some(header)
}

/// Emits a read. Returns four registers, one per component; also for a query of a size.
///
/// A read of a sample needs the multisample control data of the texel, which another message reads first.
///
/// # Errors
/// The device does not have the message.
pub fn read_sampler(
    b: &mut Builder<'_>,
    target: &Target,
    read: &SamplerRead,
) -> Result<Vec<Operand>, DescriptorError> {
    let mut parameters = read.parameters();
    if read.sample.is_none() {
        let op = sampler_op(target, read.op, parameters);
        return emit(b, target, read, op, parameters, &[]);
    }
    let control = match read.with_control_data {
        true => emit(b, target, read, SamplerOp::LdMcs, parameters, &[])?,
        false => vec![Operand::imm_ud(0); COMPONENTS as usize],
    };
    parameters.control = target.multisample_control_dwords();
    let op = if parameters.control > 1 { SamplerOp::Ld2dmsW } else { SamplerOp::Ld2dms };
    emit(b, target, read, op, parameters, &control)
}

/// Emits the messages of an operation. `control` are the dwords of the multisample control data.
///
/// # Errors
/// The device does not have the message.
fn emit(
    b: &mut Builder<'_>,
    target: &Target,
    read: &SamplerRead,
    op: SamplerOp,
    parameters: SamplerParameters,
    control: &[Operand],
) -> Result<Vec<Operand>, DescriptorError> {
    let mut parameters: Vec<Operand> = message_parameters(target, op, parameters)
        .into_iter()
        .map(|parameter| read.operand(b, parameter, control))
        .collect();
    if parameters.is_empty() && read.header.is_none() {
        // A message has at least one register.
        parameters.push(Operand::imm_ud(0));
    }
    let registers = usize::from(read.header.is_some()) + 2 * parameters.len();
    let derivatives = matches!(op, SamplerOp::SampleD | SamplerOp::SampleDC);
    let most = if derivatives || registers > MAX_REGISTERS { 8 } else { 16 };
    let addend = addend(b, read.surface, read.sampler.low);
    let mut responses = Vec::new();
    for (group, channels) in parts(b, most) {
        let simd = if channels > 8 { SamplerSimd::Simd16 } else { SamplerSimd::Simd8 };
        let headers = u8::from(read.header.is_some());
        let shape = Shape {
            headers,
            first: headers + parameters.len() as u8,
            response: u32::from(channels) / 8 * GRF_BYTES * COMPONENTS,
            // Within one dispatch, no invocation writes to a texture that the sampler reads.
            effect: Effect::Pure,
            space: Space::Global,
        };
        let message = message(target, sample(op, read.surface, read.sampler.low, simd), shape)?;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::Ud, COMPONENTS);
        let lanes = parameters.iter().map(|&parameter| at(&mut b, parameter, group));
        let payload: Vec<Operand> = read.header.into_iter().chain(lanes).collect();
        b.group(group).message(message, dst, addend, &payload);
        responses.push(dst);
    }
    Ok(join(b, &responses, COMPONENTS))
}

/// Emits a SIMD4x2 read for two vertices. `rows` are registers with the parameters in the order of
/// [`vector_parameters`]. Returns the register with the two result vectors.
///
/// # Errors
/// The device does not have the message.
pub fn read_sampler_vectors(
    b: &mut Builder<'_>,
    target: &Target,
    op: SamplerOp,
    surface: Surface,
    sampler: SamplerIndex,
    header: Option<Operand>,
    rows: &[Operand],
) -> Result<Operand, DescriptorError> {
    let headers = u8::from(header.is_some());
    let first = headers + rows.len() as u8;
    let sampler = sampler.low;
    let (effect, space) = (Effect::Pure, Space::Global);
    let shape = Shape { headers, first, response: GRF_BYTES, effect, space };
    let message = message(target, sample(op, surface, sampler, SamplerSimd::Simd4x2), shape)?;
    let addend = addend(b, surface, sampler);
    let dst = Operand::vgrf(b.vregs().bytes(GRF_BYTES), Type::Ud);
    let whole = dst.with_region(Region::Mask(WriteMask::XYZW));
    let parts: Vec<Operand> =
        header.into_iter().chain(rows.iter().copied()).map(register).collect();
    b.align16().message(message, whole, addend, &parts);
    Ok(dst)
}

/// The sampler message for an operation, texture and sampler.
fn sample(op: SamplerOp, surface: Surface, sampler: Surface, simd: SamplerSimd) -> isa::Message {
    isa::Message::Sample {
        op,
        bti: surface.bti(),
        sampler: sampler.bti().0,
        simd,
        half_return: false,
    }
}

/// The operand that is OR-ed into the descriptor at run time: the texture's index, and the sampler's index shifted to
/// its field.
fn addend(b: &mut Builder<'_>, surface: Surface, sampler: Surface) -> Operand {
    let Surface::Dynamic(sampler) = sampler else { return surface.addend() };
    let shifted = b.scalar(Type::Ud);
    let mut b = b.uniform();
    b.shl(shifted, sampler, Operand::imm_ud(isa::SAMPLER_BIT));
    let Surface::Dynamic(surface) = surface else { return shifted };
    let both = b.scalar(Type::Ud);
    b.or(both, shifted, surface);
    both
}

/// The sampler operation for a read with these parameters.
pub fn sampler_op(target: &Target, op: TextureOp, parameters: SamplerParameters) -> SamplerOp {
    let level_zero = !parameters.level && target.has_level_zero_messages();
    match (op, parameters.compare) {
        (TextureOp::Size, _) => SamplerOp::ResInfo,
        (TextureOp::Samples, _) => SamplerOp::SampleInfo,
        (TextureOp::Lod, _) => SamplerOp::Lod,
        (TextureOp::Fetch, _) if level_zero => SamplerOp::LdLz,
        (TextureOp::Fetch, _) => SamplerOp::Ld,
        (TextureOp::Gather(_), false) if parameters.offsets > 0 => SamplerOp::Gather4Po,
        (TextureOp::Gather(_), true) if parameters.offsets > 0 => SamplerOp::Gather4PoC,
        (TextureOp::Gather(_), false) => SamplerOp::Gather4,
        (TextureOp::Gather(_), true) => SamplerOp::Gather4C,
        (TextureOp::Sample, false) if parameters.implicit && parameters.level => SamplerOp::SampleB,
        (TextureOp::Sample, true) if parameters.implicit && parameters.level => SamplerOp::SampleBC,
        (TextureOp::Sample, false) if parameters.implicit => SamplerOp::Sample,
        (TextureOp::Sample, true) if parameters.implicit => SamplerOp::SampleC,
        (TextureOp::Sample, false) if parameters.gradients > 0 => SamplerOp::SampleD,
        (TextureOp::Sample, true) if parameters.gradients > 0 => SamplerOp::SampleDC,
        (TextureOp::Sample, false) if level_zero => SamplerOp::SampleLz,
        (TextureOp::Sample, true) if level_zero => SamplerOp::SampleCLz,
        (TextureOp::Sample, false) => SamplerOp::SampleL,
        (TextureOp::Sample, true) => SamplerOp::SampleLC,
    }
}

/// The parameters of a SIMD8 or SIMD16 message, in the order of the operation's table in the PRM.
fn message_parameters(
    target: &Target,
    op: SamplerOp,
    parameters: SamplerParameters,
) -> Vec<Parameter> {
    use Parameter::{
        AlongX, AlongY, Compare, Control, Coordinate, Level, MinLevel, Offset, Sample, Zero,
    };
    /// Number of parameters between the first coordinate and the least level of detail: four coordinates; with
    /// derivatives, two more for each of the first three.
    const COORDINATES: usize = 4;
    const GRADIENTS: usize = 10;
    let mut list: Vec<Parameter> = if parameters.compare { vec![Compare] } else { Vec::new() };
    let coordinates = (0..parameters.coordinates).map(Coordinate);
    match op {
        SamplerOp::ResInfo => list.push(Level),
        SamplerOp::Ld => {
            list.extend(coordinates);
            let index = if target.ld_level_precedes_v() { 1 } else { 2 };
            if parameters.level || list.len() > index {
                list.resize(list.len().max(index), Zero);
                list.insert(index, Level);
            }
        }
        SamplerOp::Gather4Po | SamplerOp::Gather4PoC => {
            list.extend(coordinates.clone().take(2));
            list.extend((0..parameters.offsets).map(Offset));
            list.extend(coordinates.skip(2));
        }
        SamplerOp::SampleD | SamplerOp::SampleDC => {
            for axis in 0..parameters.coordinates {
                list.push(Coordinate(axis));
                if axis < parameters.gradients {
                    list.extend([AlongX(axis), AlongY(axis)]);
                }
            }
        }
        SamplerOp::SampleL | SamplerOp::SampleLC | SamplerOp::SampleB | SamplerOp::SampleBC => {
            list.push(Level);
            list.extend(coordinates);
        }
        SamplerOp::Ld2dms | SamplerOp::Ld2dmsW => {
            list.push(Sample);
            list.extend((0..parameters.control).map(Control));
            list.extend(coordinates);
        }
        SamplerOp::SampleInfo => {}
        _ => list.extend(coordinates),
    }
    if parameters.min_level {
        let first = usize::from(parameters.compare)
            + usize::from(matches!(op, SamplerOp::SampleB | SamplerOp::SampleBC));
        let place = if parameters.gradients > 0 { GRADIENTS } else { COORDINATES };
        list.resize(first + place, Zero);
        list.push(MinLevel);
    }
    list
}

/// The parameters of a SIMD4x2 message, in order, four per register. The coordinates fill the first register; its
/// last component is the level of a fetch, or the reference value of a gather with offsets. The second register
/// starts with the reference value, then the level. Derivatives start in the second register too, coordinate by
/// coordinate, along x and then along y; in that case the reference value comes after them. A read of a sample has the
/// number of the sample and then the control data there. A query of the number of samples has no parameters.
pub fn vector_parameters(op: SamplerOp, parameters: SamplerParameters) -> Vec<Parameter> {
    use Parameter::{AlongX, AlongY, Compare, Control, Coordinate, Level, Offset, Sample, Zero};
    const REGISTER: usize = 4;
    match op {
        SamplerOp::ResInfo => return vec![Level],
        SamplerOp::SampleInfo => return Vec::new(),
        _ => {}
    }
    let mut list: Vec<Parameter> = (0..parameters.coordinates).map(Coordinate).collect();
    list.resize(REGISTER, Zero);
    let along = |axis: usize| match axis < parameters.gradients {
        true => [AlongX(axis), AlongY(axis)],
        false => [Zero, Zero],
    };
    match op {
        SamplerOp::Ld => list[REGISTER - 1] = Level,
        SamplerOp::SampleL => list.push(Level),
        SamplerOp::SampleLC => list.extend([Compare, Level]),
        SamplerOp::SampleD => {
            list.extend((0..parameters.gradients.max(2)).flat_map(along));
        }
        SamplerOp::SampleDC => {
            list.extend((0..3).flat_map(along));
            list.push(Compare);
        }
        SamplerOp::Gather4C | SamplerOp::SampleCLz => list.push(Compare),
        SamplerOp::Ld2dms | SamplerOp::Ld2dmsW => {
            list.push(Sample);
            list.extend((0..parameters.control).map(Control));
        }
        SamplerOp::Gather4Po => list.extend([Offset(0), Offset(1)]),
        SamplerOp::Gather4PoC => {
            list[REGISTER - 1] = Compare;
            list.extend([Offset(0), Offset(1)]);
        }
        _ => {}
    }
    list
}
