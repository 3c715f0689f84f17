//! Reads through the sampler unit: fetches, filtered samples, gathers, and questions about sizes.
//!
//! A message serves sixteen channels where its parameters, a register for eight channels each, fit eleven registers with
//! the header, and none of them is a derivative (PRM, "Sampling Engine", message lengths). Parameters stand in the order of the
//! operation's table; those at the end that are 0 may be left out.

use crestline_device::Device;
use crestline_isa::Type;
use crestline_isa::message::{self as isa, DescriptorError, SamplerOp, SamplerSimd};

use super::memory::join;
use super::{Shape, Surface, at, message, parts};
use crate::ir::{Builder, Effect, GRF_BYTES, Operand, Space};

/// Most registers of a payload with its header.
const MAX_REGISTERS: usize = 11;

/// Components of a response.
const COMPONENTS: u32 = 4;

/// Byte in the header of offsets, of components that are not wanted and of the component of a gather.
const OFFSETS: u32 = 8;

/// What the sampler unit is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The texel at integer coordinates.
    Fetch,
    /// A filtered texel.
    Sample,
    /// A component of four texels.
    Gather,
    /// The size of a level and the number of levels.
    Size,
}

/// A read, with its operands for all channels.
#[derive(Clone, Debug)]
pub struct SamplerRead {
    /// What is asked.
    pub question: Question,
    /// The texture.
    pub surface: Surface,
    /// The sampler's index: [`Surface::Index`] or [`Surface::Dynamic`].
    pub sampler: Surface,
    /// See [`sampler_header`].
    pub header: Option<Operand>,
    /// Coordinates, then the layer.
    pub coordinates: Vec<Operand>,
    /// The level of detail; 0 if there is none.
    pub level: Option<Operand>,
    /// What texels are compared with.
    pub compare: Option<Operand>,
    /// Derivatives of each coordinate, along x and along y.
    pub gradients: Option<[Vec<Operand>; 2]>,
    /// Offsets in texels, of a gather.
    pub offset: Option<Vec<Operand>>,
}

/// The header that a read with constant offsets or of another component than the first needs: the thread's own, with
/// `offset` (-8 to 7 texels) and the `component` of a gather.
pub fn sampler_header(b: &mut Builder<'_>, offset: [i8; 3], component: u8) -> Operand {
    let mut b = b.no_mask();
    let header = b.exec(8).lanes(Type::Ud, 1);
    b.exec(8).mov(header, Operand::grf(0, Type::Ud));
    let [u, v, r] = offset.map(|texels| u32::from(texels.cast_unsigned()) & 0xf);
    let bits = u << 8 | v << 4 | r | u32::from(component) << 16;
    b.uniform().mov(header.byte_offset(OFFSETS), Operand::imm_ud(bits));
    header
}

/// Reads. Returns four registers, of a question about sizes too.
///
/// # Errors
/// A device without the message.
pub fn read_sampler(
    b: &mut Builder<'_>,
    device: &Device,
    read: &SamplerRead,
) -> Result<Vec<Operand>, DescriptorError> {
    let (op, parameters) = parameters(device, read);
    let registers = usize::from(read.header.is_some()) + 2 * parameters.len();
    let derivatives = matches!(op, SamplerOp::SampleD | SamplerOp::SampleDC);
    let most = if derivatives || registers > MAX_REGISTERS { 8 } else { 16 };
    let addend = addend(b, read);
    let mut responses = Vec::new();
    for (group, channels) in parts(b, most) {
        let kind = isa::Message::Sample {
            op,
            bti: read.surface.bti(),
            sampler: read.sampler.bti().0,
            simd: if channels > 8 { SamplerSimd::Simd16 } else { SamplerSimd::Simd8 },
            half_return: false,
        };
        let headers = u8::from(read.header.is_some());
        let shape = Shape {
            headers,
            first: headers + parameters.len() as u8,
            response: u32::from(channels) / 8 * GRF_BYTES * COMPONENTS,
            // What the sampler unit reads nobody writes in the same dispatch.
            effect: Effect::Pure,
            space: Space::Global,
        };
        let message = message(device, kind, shape)?;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::Ud, COMPONENTS);
        let lanes = parameters.iter().map(|&parameter| at(parameter, group));
        let payload: Vec<Operand> = read.header.into_iter().chain(lanes).collect();
        b.group(group).message(message, dst, addend, &payload);
        responses.push(dst);
    }
    Ok(join(b, &responses, COMPONENTS))
}

/// What is added to the descriptor at run time: the texture's index, and the sampler's in bits 11:8.
fn addend(b: &mut Builder<'_>, read: &SamplerRead) -> Operand {
    let Surface::Dynamic(sampler) = read.sampler else { return read.surface.addend() };
    let shifted = b.scalar(Type::Ud);
    let mut b = b.uniform();
    b.shl(shifted, sampler, Operand::imm_ud(8));
    let Surface::Dynamic(surface) = read.surface else { return shifted };
    let both = b.scalar(Type::Ud);
    b.or(both, shifted, surface);
    both
}

/// The operation, and its parameters in order.
fn parameters(device: &Device, read: &SamplerRead) -> (SamplerOp, Vec<Operand>) {
    let zero = Operand::imm_ud(0);
    let level = read.level.filter(|level| level.imm_bits() != Some(0));
    let coordinates = &read.coordinates;
    let mut list: Vec<Operand> = read.compare.into_iter().collect();
    let compares = read.compare.is_some();
    let op = match (read.question, level) {
        (Question::Size, level) => {
            list.push(level.unwrap_or(zero));
            SamplerOp::ResInfo
        }
        (Question::Fetch, None) if device.has_level_zero_messages() => {
            list.extend(coordinates);
            SamplerOp::LdLz
        }
        (Question::Fetch, level) => {
            list.extend(coordinates);
            let place = if device.ld_level_precedes_v() { 1 } else { 2 };
            if level.is_some() || list.len() > place {
                list.resize(list.len().max(place), zero);
                list.insert(place, level.unwrap_or(zero));
            }
            SamplerOp::Ld
        }
        (Question::Gather, _) => {
            let (first, rest) = coordinates.split_at(coordinates.len().min(2));
            list.extend(first);
            list.extend(read.offset.iter().flatten());
            list.extend(rest);
            match (read.offset.is_some(), compares) {
                (false, false) => SamplerOp::Gather4,
                (false, true) => SamplerOp::Gather4C,
                (true, false) => SamplerOp::Gather4Po,
                (true, true) => SamplerOp::Gather4PoC,
            }
        }
        (Question::Sample, level) => match &read.gradients {
            Some([x, y]) => {
                for (i, &coordinate) in coordinates.iter().enumerate() {
                    list.push(coordinate);
                    list.extend(x.get(i).into_iter().chain(y.get(i)));
                }
                if compares { SamplerOp::SampleDC } else { SamplerOp::SampleD }
            }
            None if level.is_none() && device.has_level_zero_messages() => {
                list.extend(coordinates);
                if compares { SamplerOp::SampleCLz } else { SamplerOp::SampleLz }
            }
            None => {
                list.push(level.unwrap_or(zero));
                list.extend(coordinates);
                if compares { SamplerOp::SampleLC } else { SamplerOp::SampleL }
            }
        },
    };
    (op, list)
}
