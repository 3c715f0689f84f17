//! Sampler messages: texel fetches, and sampling of one level with nearest or linear filter.
//!
//! Implicit levels of detail need derivatives, which compute threads do not have; they mean
//! level 0 here. A uniform buffer is fetched as 16-byte texels at a pitch of one byte, so its
//! coordinate is a byte offset.

use super::typed::View;
use super::{Access, Bound, Call, World, with_surface};
use crate::Problem;
use crate::exec::access::lanes_of;
use crate::exec::thread::{Fault, Thread};
use crate::image::{AddressMode, Filter, ImageDimension, Level, Sampler};
use crate::texel::decode;
use crestline_isa::message::{Bti, SamplerOp, SamplerSimd};

/// Channels of a sampler message, for the modes that are supported; the slots of SIMD4x2.
pub(super) fn lanes(simd: SamplerSimd) -> Option<usize> {
    match simd {
        SamplerSimd::Simd4x2 => Some(SLOTS),
        SamplerSimd::Simd8 => Some(8),
        SamplerSimd::Simd16 => Some(16),
        _ => None,
    }
}

/// Slots of a SIMD4x2 message. Each has half of every register: the parameters four to a
/// register, the response as a vector.
const SLOTS: usize = 2;

/// Whether an operation is supported.
pub(super) fn supports(op: SamplerOp) -> bool {
    use SamplerOp::*;
    matches!(op, Ld | LdLz | Sample | SampleL | SampleLz | SampleB | ResInfo)
}

/// Parameters by their place in the payload; absent ones are zero.
#[derive(Clone, Copy)]
struct Order {
    coordinates: [usize; 3],
    level: Option<usize>,
}

fn order(op: SamplerOp, level_precedes_v: bool, vec4: bool) -> Order {
    match op {
        SamplerOp::Ld if vec4 => Order { coordinates: [0, 1, 2], level: Some(3) },
        SamplerOp::SampleL | SamplerOp::SampleB if vec4 => {
            Order { coordinates: [0, 1, 2], level: Some(4) }
        }
        SamplerOp::SampleL | SamplerOp::SampleB => Order { coordinates: [1, 2, 3], level: Some(0) },
        SamplerOp::Ld if level_precedes_v => Order { coordinates: [0, 2, 3], level: Some(1) },
        SamplerOp::Ld => Order { coordinates: [0, 1, 3], level: Some(2) },
        SamplerOp::ResInfo => Order { coordinates: [9; 3], level: Some(0) },
        _ => Order { coordinates: [0, 1, 2], level: None },
    }
}

/// What one message asks of all channels.
struct Request {
    op: SamplerOp,
    lanes: usize,
    order: Order,
    /// Parameters in the payload.
    parameters: usize,
    /// Components to return, in order.
    components: Vec<usize>,
    /// Texel offsets from the header.
    offsets: [i64; 3],
}

pub(super) fn execute(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    op: SamplerOp,
    bti: Bti,
    sampler: u8,
    lanes: usize,
) {
    let vec4 = lanes == SLOTS;
    let registers = if vec4 { 1 } else { lanes / 8 };
    if !call.fits(t, call.header_registers() + usize::from(op != SamplerOp::ResInfo), 0) {
        return;
    }
    let header = if call.descriptor.header_present { call.header(t, 2) } else { 0 };
    // A response of SIMD4x2 has all components in one register.
    let room = usize::from(call.descriptor.rlen) * if vec4 { 4 } else { 1 } / registers;
    let payload = usize::from(call.descriptor.mlen) + usize::from(call.descriptor.ex_mlen);
    let signed = |shift: u32| i64::from((header >> shift & 15) as i32) << 60 >> 60;
    let request = Request {
        op,
        lanes,
        order: order(op, call.message.level_precedes_v, vec4),
        parameters: (payload - call.header_registers()) * if vec4 { 4 } else { 1 } / registers,
        components: (0..4).filter(|c| header >> (12 + c) & 1 == 0).take(room).collect(),
        offsets: [signed(8), signed(4), signed(0)],
    };
    match world.surfaces.get(usize::from(bti.0)) {
        Some(Bound::Image(view)) => {
            let view = *view;
            image(call, t, world, &request, &view, sampler);
        }
        _ if matches!(op, SamplerOp::Ld | SamplerOp::LdLz) => buffer(call, t, world, &request, bti),
        Some(Bound::Unbound) | None => {
            t.report(Problem::Unbound { index: bti.0 }, None);
            respond_all(call, t, &request, |_| [0; 4]);
        }
        Some(Bound::Null) => respond_all(call, t, &request, |_| [0; 4]),
        Some(Bound::Buffer(_) | Bound::Other(_)) => {
            t.fail(Fault::Message("sampling a buffer".into()));
        }
    }
}

fn respond_all(
    call: &Call<'_>,
    t: &mut Thread,
    request: &Request,
    texel: impl Fn(usize) -> [u32; 4],
) {
    for lane in request.channels(call) {
        respond(call, t, request, lane, texel(lane));
    }
}

impl Request {
    fn is_vec4(&self) -> bool {
        self.lanes == SLOTS
    }

    /// The channels, or slots, that take part.
    fn channels(&self, call: &Call<'_>) -> impl Iterator<Item = usize> + use<> {
        let mask = if self.is_vec4() {
            u32::from(call.mask & 0xf != 0) | u32::from(call.mask & 0xf0 != 0) << 1
        } else {
            call.mask & (u32::MAX >> (32 - self.lanes))
        };
        lanes_of(mask)
    }
}

fn respond(call: &Call<'_>, t: &mut Thread, request: &Request, lane: usize, texel: [u32; 4]) {
    if request.is_vec4() {
        for &component in &request.components {
            let channel = 4 * lane + component;
            if call.mask >> channel & 1 == 1 {
                call.respond(t, channel, texel[component]);
            }
        }
        return;
    }
    for (position, component) in request.components.iter().enumerate() {
        call.respond(t, position * request.lanes + lane, texel[*component]);
    }
}

/// A parameter of a channel; 0 if the payload ends before it.
fn parameter(call: &Call<'_>, t: &mut Thread, request: &Request, index: usize, lane: usize) -> u32 {
    if index >= request.parameters {
        return 0;
    }
    if !request.is_vec4() {
        return call.dword(t, index, request.lanes, lane);
    }
    let offset = call.payload(call.header_registers() + index / 4) + 16 * lane + index % 4 * 4;
    if !t.registers.all_written(offset, 4) {
        t.report_unwritten(offset, 4, Some((4 * lane) as u8));
    }
    t.registers.u32(offset)
}

/// `ld` on a buffer.
fn buffer(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>, request: &Request, bti: Bti) {
    with_surface(t, world, bti, |t, memory, name, base| {
        let access = Access { name, base, write: false };
        for lane in request.channels(call) {
            let offset = u64::from(parameter(call, t, request, 0, lane));
            let mut texel = [0; 4];
            for &component in &request.components {
                let at = offset + 4 * component as u64;
                texel[component] = access
                    .locate(t, memory, at, 4, Some(lane))
                    .map_or(0, |offset| memory.load(offset, 4));
            }
            respond(call, t, request, lane, texel);
        }
    });
}

fn image(
    call: &Call<'_>,
    t: &mut Thread,
    world: &World<'_>,
    request: &Request,
    view: &View<'_>,
    sampler: u8,
) {
    let shape = &view.shape;
    if matches!(request.op, SamplerOp::Ld | SamplerOp::LdLz) {
        for lane in request.channels(call) {
            let at = request
                .order
                .coordinates
                .map(|index| i64::from(parameter(call, t, request, index, lane).cast_signed()));
            let level =
                request.order.level.map_or(0, |index| parameter(call, t, request, index, lane));
            let at: [i64; 3] = std::array::from_fn(|i| at[i] + request.offsets[i]);
            let texel = shape.level(level).map(|level| fetch(view, &level, shape.place(at)));
            respond(call, t, request, lane, texel.flatten().unwrap_or_default());
        }
        return;
    }
    if request.op == SamplerOp::ResInfo {
        for lane in request.channels(call) {
            let level = parameter(call, t, request, 0, lane);
            respond(call, t, request, lane, size(view, level));
        }
        return;
    }
    let state = world.samplers.get(usize::from(sampler)).copied().flatten();
    let Some(state) = state else {
        t.fail(Fault::Message(format!("sampler {sampler}, which is not bound,")));
        return;
    };
    if matches!(shape.dimension, ImageDimension::Cube | ImageDimension::CubeArray) {
        t.fail(Fault::Message("sampling a cube".into()));
        return;
    }
    for lane in request.channels(call) {
        let at = request
            .order
            .coordinates
            .map(|index| f32::from_bits(parameter(call, t, request, index, lane)));
        let lod = match (request.op, request.order.level) {
            (SamplerOp::SampleL, Some(index)) => {
                f32::from_bits(parameter(call, t, request, index, lane))
            }
            _ => 0.0,
        };
        let last = shape.levels.saturating_sub(1) as f32;
        let level = lod.round_ties_even().clamp(0.0, last) as u32;
        let texel =
            shape.level(level).map(|level| sample(view, &level, &state, at, request.offsets));
        respond(call, t, request, lane, texel.unwrap_or_default());
    }
}

/// What `resinfo` says: the sizes of a level, or zeros, and the number of levels.
fn size(view: &View<'_>, level: u32) -> [u32; 4] {
    let shape = &view.shape;
    let [width, height, depth] = match shape.level(level) {
        Some(level) => level.size,
        None => [0; 3],
    };
    let (y, z) = match shape.dimension {
        ImageDimension::D1 => (0, 0),
        ImageDimension::D1Array => (depth, 0),
        ImageDimension::D2 => (height, 0),
        _ => (height, depth),
    };
    [width, y, z, shape.levels]
}

/// The texel at integer coordinates, `None` outside.
fn fetch(view: &View<'_>, level: &Level, at: [i64; 3]) -> Option<[u32; 4]> {
    let offset = view.offset(level, at)?;
    Some(decode(view.format, &view.load(offset)))
}

/// Samples a level at float coordinates.
fn sample(
    view: &View<'_>,
    level: &Level,
    sampler: &Sampler,
    at: [f32; 3],
    offsets: [i64; 3],
) -> [u32; 4] {
    let shape = &view.shape;
    // The layer of an array is not filtered.
    let (axes, layer) = match shape.dimension {
        ImageDimension::D1 => (1, None),
        ImageDimension::D1Array => (1, Some(at[1])),
        ImageDimension::D2 => (2, None),
        ImageDimension::D2Array => (2, Some(at[2])),
        _ => (3, None),
    };
    let layer = layer.map_or(0, |layer| {
        layer.round_ties_even().clamp(0.0, level.size[2].saturating_sub(1) as f32) as i64
    });
    let mut bases = [0i64; 3];
    let mut weights = [0f32; 3];
    for axis in 0..axes {
        let size = level.size[axis] as f32;
        let scaled = if sampler.normalized { at[axis] * size } else { at[axis] };
        let place = scaled + offsets[axis] as f32;
        match sampler.filter {
            Filter::Nearest => bases[axis] = place.floor() as i64,
            Filter::Linear => {
                bases[axis] = (place - 0.5).floor() as i64;
                weights[axis] = place - 0.5 - bases[axis] as f32;
            }
        }
    }
    let texel = |corner: usize| {
        let mut at = [0; 3];
        for axis in 0..axes {
            let next = (corner >> axis & 1) as i64;
            at[axis] = wrap(bases[axis] + next, level.size[axis], sampler.address);
        }
        if axes < 3 {
            at[2] = layer;
        }
        fetch(view, level, at).unwrap_or(sampler.border.map(f32::to_bits))
    };
    if sampler.filter == Filter::Nearest {
        return texel(0);
    }
    let mut sum = [0f32; 4];
    for corner in 0..1 << axes {
        let weight: f32 = (0..axes)
            .map(|axis| if corner >> axis & 1 == 1 { weights[axis] } else { 1.0 - weights[axis] })
            .product();
        if weight != 0.0 {
            for (sum, value) in sum.iter_mut().zip(texel(corner)) {
                *sum += weight * f32::from_bits(value);
            }
        }
    }
    sum.map(f32::to_bits)
}

/// A coordinate brought into the image; with a border it may stay outside.
fn wrap(at: i64, size: u32, mode: AddressMode) -> i64 {
    let size = i64::from(size);
    match mode {
        AddressMode::Repeat => at.rem_euclid(size),
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * size);
            at.min(2 * size - 1 - at)
        }
        AddressMode::Clamp => at.clamp(0, size - 1),
        AddressMode::Border => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_wrap() {
        let all = |mode| [-5, -1, 0, 3, 4, 7, 8].map(|at| wrap(at, 4, mode));
        assert_eq!(all(AddressMode::Repeat), [3, 3, 0, 3, 0, 3, 0]);
        assert_eq!(all(AddressMode::Mirror), [3, 0, 0, 3, 3, 0, 0]);
        assert_eq!(all(AddressMode::Clamp), [0, 0, 0, 3, 3, 3, 3]);
        assert_eq!(all(AddressMode::Border), [-5, -1, 0, 3, 4, 7, 8]);
    }
}
