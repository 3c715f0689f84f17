//! Sampler messages: their parameters and responses. [`filter`](super::filter) computes the results from texels.
//!
//! The implicit levels of detail of fragment and compute shaders are computed from the differences of the coordinates in a block
//! of 2x2 invocations, which are four channels of the thread. Channels of the block that are disabled contribute their coordinates,
//! too. Threads of the other stages have no such blocks; an implicit level is level 0 for them. The message `ld` reads a uniform buffer as 16-byte texels
//! that start at every byte, so its coordinate is a byte offset.

use super::filter::{SampleParameters, Texture, fetch, fetch_slice};
use super::multisample::{ONE_DWORD_SAMPLES, control_data, slice};
use super::plane::{Grid, Plane};
use super::surface::with_surface;
use super::typed::View;
use super::{Bound, Call, ROW, Row, World};
use crate::Problem;
use crate::image::{ImageDimension, Level};
use crate::mask::lanes_of;
use crate::thread::{Fault, Thread};
use crestline_isa::message::{Bti, SamplerOp, SamplerSimd};

/// Number of channels of a sampler message; for SIMD4x2 the number of slots ([`SLOTS`]). `None` if the emulator does
/// not support the mode.
pub(super) fn lanes(simd: SamplerSimd) -> Option<usize> {
    match simd {
        SamplerSimd::Simd4x2 => Some(SLOTS),
        SamplerSimd::Simd8 => Some(8),
        SamplerSimd::Simd16 => Some(16),
        _ => None,
    }
}

/// Number of slots of a SIMD4x2 message. A slot is one texel access, for one vertex of the thread. It uses half of
/// every register: four parameters in a payload register, the four components of the result in the response.
const SLOTS: usize = 2;

/// Whether the emulator supports an operation with this number of channels (the result of [`lanes`]).
pub(super) fn supports(op: SamplerOp, lanes: usize) -> bool {
    use SamplerOp::*;
    let fetches = matches!(op, Ld | LdLz | ResInfo | SampleInfo);
    let samples = matches!(op, Sample | SampleL | SampleLz | SampleB | SampleD | Lod);
    let compares = matches!(op, SampleC | SampleLC | SampleCLz | SampleBC | SampleDC);
    let gathers = matches!(op, Gather4 | Gather4C | Gather4Po | Gather4PoC);
    let of_samples = matches!(op, LdMcs | Ld2dms) || op == Ld2dmsW && lanes != SLOTS;
    fetches || samples || compares || gathers || of_samples
}

/// The positions of the parameters of an operation in the payload, counted in parameters after the header. `None` if
/// the operation has no such parameter. A parameter beyond the end of the payload is 0.
#[derive(Clone, Copy)]
struct Order {
    /// The reference value with which texels are compared.
    compare: Option<usize>,
    /// Three coordinates, and the layer of a cube array. The layer of other arrays is at the position of the coordinate
    /// after their last one.
    coordinates: [usize; 4],
    /// The level of detail, or the bias to it.
    level: Option<usize>,
    /// The derivative of each coordinate along x; its derivative along y is at the next position.
    gradients: Option<[usize; 3]>,
    /// Offsets of u and v in texels (gather with offsets).
    offsets: Option<[usize; 2]>,
    /// The number of the sample; the one or two dwords of the multisample control data are at the next positions.
    sample: Option<usize>,
    /// The least level of detail, after the last coordinate that the operation can have (gen9 on). It is there also if
    /// the surface has fewer coordinates.
    least: Option<usize>,
}

/// The order of an operation whose only parameters are coordinates.
const PLAIN: Order = Order {
    compare: None,
    coordinates: [0, 1, 2, 3],
    level: None,
    gradients: None,
    offsets: None,
    sample: None,
    least: None,
};

/// Whether an operation compares texels with a reference.
fn compares(op: SamplerOp) -> bool {
    use SamplerOp::*;
    matches!(op, SampleC | SampleLC | SampleCLz | SampleBC | SampleDC | Gather4C | Gather4PoC)
}

/// Whether an operation in a fragment shader computes its level of detail from the coordinates of neighbouring pixels.
fn has_implicit_level(op: SamplerOp) -> bool {
    use SamplerOp::*;
    matches!(op, Sample | SampleB | SampleC | SampleBC | Lod)
}

/// The parameter positions for SIMD4x2: four coordinates, then the other parameters. In a fetch (`ld`), the level
/// replaces the last coordinate; in a gather with offsets and comparison, the reference value does.
fn vec4_order(op: SamplerOp) -> Order {
    use SamplerOp::*;
    let first = compares(op).then_some(4);
    match op {
        ResInfo => Order { coordinates: [9; 4], level: Some(0), ..PLAIN },
        Ld => Order { level: Some(3), ..PLAIN },
        SampleL | SampleLC | SampleB | SampleBC => {
            let level = first.map_or(4, |compare| compare + 1);
            Order { compare: first, level: Some(level), ..PLAIN }
        }
        SampleD => Order { gradients: Some([4, 6, 8]), ..PLAIN },
        SampleDC => Order { gradients: Some([4, 6, 8]), compare: Some(10), ..PLAIN },
        LdMcs => Order { level: Some(3), ..PLAIN },
        Ld2dms => Order { level: Some(3), sample: Some(4), ..PLAIN },
        Gather4Po => Order { offsets: Some([4, 5]), ..PLAIN },
        Gather4PoC => Order { offsets: Some([4, 5]), compare: Some(3), ..PLAIN },
        _ => Order { compare: first, ..PLAIN },
    }
}

/// The parameter positions for SIMD8 and SIMD16. `level_precedes_v` is the order of `ld` up to gen8; see [`Call`].
fn order(op: SamplerOp, level_precedes_v: bool) -> Order {
    use SamplerOp::*;
    let (plain, compares) = (PLAIN, compares(op));
    let first = usize::from(compares);
    let compare = compares.then_some(0);
    let from = |at: usize| [at, at + 1, at + 2, at + 3];
    let least = match op {
        Sample | SampleC => Some(first + 4),
        SampleB | SampleBC => Some(first + 5),
        SampleD => Some(first + 10),
        _ => None,
    };
    let plain = Order { least, ..plain };
    match op {
        Ld if level_precedes_v => Order { coordinates: [0, 2, 3, 4], level: Some(1), ..plain },
        Ld => Order { coordinates: [0, 1, 3, 4], level: Some(2), ..plain },
        ResInfo => Order { coordinates: [9; 4], level: Some(0), ..plain },
        LdMcs => Order { coordinates: from(0), level: Some(3), ..plain },
        Ld2dms => Order { sample: Some(0), coordinates: from(2), level: Some(5), ..plain },
        Ld2dmsW => Order { sample: Some(0), coordinates: from(3), level: Some(6), ..plain },
        SampleL | SampleLC | SampleB | SampleBC => {
            Order { compare, coordinates: from(first + 1), level: Some(first), ..plain }
        }
        SampleD | SampleDC => {
            let coordinates = [0, 3, 6, 9].map(|at| first + at);
            let gradients = Some([1, 4, 7].map(|at| first + at));
            Order { compare, coordinates, gradients, ..plain }
        }
        Gather4Po | Gather4PoC => Order {
            compare,
            coordinates: [first, first + 1, first + 4, first + 5],
            offsets: Some([first + 2, first + 3]),
            ..plain
        },
        _ => Order { compare, coordinates: from(first), ..plain },
    }
}

/// The dword of the header that points to the first sampler state, and the low bits of this dword that are not part of
/// the pointer.
const STATES: usize = 3;
const STATES_LOW_BITS: u32 = 0x1f;

/// Size of a sampler state in bytes.
const STATE_BYTES: usize = 16;

/// Some of the four components of a texel, in order.
struct Components {
    numbers: [usize; 4],
    count: usize,
}

impl Components {
    /// The first `room` of the components whose bit in `without` is not set.
    fn new(without: u32, room: usize) -> Components {
        let mut components = Components { numbers: [0; 4], count: 0 };
        for number in (0..4).filter(|number| without >> number & 1 == 0).take(room) {
            components.numbers[components.count] = number;
            components.count += 1;
        }
        components
    }

    fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.numbers.into_iter().take(self.count)
    }
}

/// The parts of a sampler message that are the same for all channels.
struct Request {
    op: SamplerOp,
    /// Number of channels, or of slots for SIMD4x2.
    lanes: usize,
    order: Order,
    /// Number of parameters in the payload.
    parameters: usize,
    /// The components of the result that the response contains, in order.
    components: Components,
    /// Offsets of u, v and r in texels, from the header.
    offsets: [i64; 3],
    /// The component that a gather returns, from the header.
    gathered: usize,
    /// The index of the sampler in the driver's sampler table.
    sampler: usize,
}

/// Executes a sampler message: reads the header, and calls the function for the kind of surface, which reads the
/// parameters and writes the response. `sampler` is the index in the descriptor, counted from the sampler that the
/// header points to.
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
    let has_none = matches!(op, SamplerOp::ResInfo | SamplerOp::SampleInfo);
    if !call.fits(t, call.header_registers() + usize::from(!has_none), 0) {
        return;
    }
    if op == SamplerOp::SampleInfo && !call.descriptor.header_present {
        t.fail(Fault::Message("sampleinfo without a header".into()));
        return;
    }
    let header = if call.descriptor.header_present { call.header(t, 2) } else { 0 };
    // The emulator's sampler table starts at address 0 of the dynamic state, so the pointer divided by the size of a
    // state is an index.
    let states = if call.descriptor.header_present { call.header(t, STATES) } else { 0 };
    let first_sampler = (states & !STATES_LOW_BITS) as usize / STATE_BYTES;
    // The number of components in the response. SIMD4x2 has all four in one register.
    let room = usize::from(call.descriptor.rlen) * if vec4 { 4 } else { 1 } / registers;
    let payload = usize::from(call.descriptor.mlen) + usize::from(call.descriptor.ex_mlen);
    let signed = |shift: u32| i64::from((header >> shift & 15) as i32) << 60 >> 60;
    let request = Request {
        op,
        lanes,
        order: if vec4 { vec4_order(op) } else { order(op, call.level_precedes_v) },
        parameters: (payload - call.header_registers()) * if vec4 { 4 } else { 1 } / registers,
        components: Components::new(header >> 12 & 0xf, room),
        offsets: [signed(8), signed(4), signed(0)],
        gathered: (header >> 16 & 3) as usize,
        sampler: first_sampler + usize::from(sampler),
    };
    match world.surfaces.get(usize::from(bti.0)) {
        Some(Bound::Image(view)) => image(call, t, world, &request, view),
        Some(Bound::Null) => respond_all(call, t, &request, |_| [0; 4]),
        _ if matches!(op, SamplerOp::Ld | SamplerOp::LdLz) => buffer(call, t, world, &request, bti),
        Some(Bound::Unbound) | None => {
            t.report(Problem::Unbound { index: bti.0 }, None);
            respond_all(call, t, &request, |_| [0; 4]);
        }
        Some(Bound::Buffer(_) | Bound::RenderTarget(_) | Bound::Other(_)) => {
            t.fail(Fault::Message("sampling a surface that is no image".into()));
        }
    }
}

/// Writes the components of `texel(lane)` to the response, for each enabled channel `lane`.
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

    /// The enabled channels; for SIMD4x2 the slots with at least one enabled channel.
    fn mask(&self, call: &Call<'_>) -> u32 {
        if self.is_vec4() {
            u32::from(call.mask & 0xf != 0) | u32::from(call.mask & 0xf0 != 0) << 1
        } else {
            call.mask & (u32::MAX >> (32 - self.lanes))
        }
    }

    /// The numbers of the channels of [`mask`](Self::mask).
    fn channels(&self, call: &Call<'_>) -> impl Iterator<Item = usize> + use<> {
        lanes_of(self.mask(call))
    }
}

/// Writes the requested components of a texel to the response, for one channel or slot.
fn respond(call: &Call<'_>, t: &mut Thread, request: &Request, lane: usize, texel: [u32; 4]) {
    if request.is_vec4() {
        for component in request.components.iter() {
            let channel = 4 * lane + component;
            if call.mask >> channel & 1 == 1 {
                call.respond(t, channel, texel[component]);
            }
        }
        return;
    }
    for (position, component) in request.components.iter().enumerate() {
        call.respond(t, position * request.lanes + lane, texel[component]);
    }
}

/// The value of parameter number `index` for a channel or slot; 0 if the payload ends before it.
fn parameter(call: &Call<'_>, t: &mut Thread, request: &Request, index: usize, lane: usize) -> u32 {
    if index >= request.parameters {
        return 0;
    }
    if !request.is_vec4() {
        return call.dword(t, index, request.lanes, lane);
    }
    let offset = call.payload(call.header_registers() + index / 4) + 16 * lane + index % 4 * 4;
    t.written_u32(offset, 4 * lane)
}

/// The values of parameter number `index` for the channels or slots of `mask`; 0 if the payload ends before it.
fn parameters(call: &Call<'_>, t: &mut Thread, request: &Request, index: usize, mask: u32) -> Row {
    let mut row = [0; ROW];
    parameters_into(call, t, request, index, mask, &mut row);
    row
}

/// Sets a row of zeros to the values of [`parameters`].
#[inline]
fn parameters_into(
    call: &Call<'_>,
    t: &mut Thread,
    request: &Request,
    index: usize,
    mask: u32,
    row: &mut Row,
) {
    if index >= request.parameters {
        return;
    }
    if !request.is_vec4() {
        call.dwords(t, index, request.lanes, mask, row);
        return;
    }
    for slot in lanes_of(mask) {
        row[slot] = parameter(call, t, request, index, slot);
    }
}

/// Writes the requested components of the texels, which are given by component, to the response.
fn respond_rows(call: &Call<'_>, t: &mut Thread, request: &Request, rows: &[Row; 4]) {
    if request.is_vec4() {
        for slot in request.channels(call) {
            respond(call, t, request, slot, rows.each_ref().map(|row| row[slot]));
        }
        return;
    }
    let mask = request.mask(call);
    for (position, component) in request.components.iter().enumerate() {
        call.respond_row(t, position * request.lanes, request.lanes, mask, &rows[component]);
    }
}

/// Executes `ld` on a buffer: the coordinate is a byte offset, a texel has 16 bytes.
fn buffer(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>, request: &Request, bti: Bti) {
    with_surface(t, world, bti, |t, surface| {
        for lane in request.channels(call) {
            let offset = u64::from(parameter(call, t, request, 0, lane));
            let mut texel = [0; 4];
            for component in request.components.iter() {
                let at = offset + 4 * component as u64;
                texel[component] = surface.load(t, at, 4, Some(lane));
            }
            respond(call, t, request, lane, texel);
        }
    });
}

/// Executes a sampler message on an image: a fetch, a query, a sample or a gather.
fn image(call: &Call<'_>, t: &mut Thread, world: &World<'_>, request: &Request, view: &View<'_>) {
    use SamplerOp::*;
    match request.op {
        Ld | LdLz if view.shape.samples == 1 => return fetches(call, t, request, view),
        LdMcs | Ld2dms | Ld2dmsW => return samples(call, t, request, view),
        ResInfo => {
            for lane in request.channels(call) {
                let level = parameter(call, t, request, 0, lane);
                respond(call, t, request, lane, size(view, level));
            }
            return;
        }
        // On hardware, the fourth component is an index of the table of sample positions. The driver chooses it; it is
        // 0 here.
        SampleInfo => return respond_all(call, t, request, |_| [view.shape.samples, 0, 0, 0]),
        op if view.shape.samples > 1 => {
            t.fail(Fault::Message(format!("{} of a multisampled surface", op.name())));
            return;
        }
        _ => {}
    }
    let state = world.samplers.get(request.sampler).copied().flatten();
    let Some(state) = state else {
        t.fail(Fault::Message(format!("sampler {}, which is not bound,", request.sampler)));
        return;
    };
    let texture = Texture::new(view, &state);
    let (order, mask) = (&request.order, request.mask(call));
    let gathers = matches!(request.op, Gather4 | Gather4C | Gather4Po | Gather4PoC);
    let is_plain = !gathers && request.op != Lod && order.offsets.is_none();
    let in_blocks = world.blocks && has_implicit_level(request.op) && !request.is_vec4();
    // The differences are those of the first three channels of each block.
    let read = if in_blocks { mask | blocks_of(mask) & 0x7777 } else { mask };
    // An array of rows that a function returns would be copied.
    let mut at = [[0; ROW]; 4];
    for (row, index) in at.iter_mut().zip(order.coordinates) {
        parameters_into(call, t, request, index, read, row);
    }
    let mut row = |index| parameters(call, t, request, index, mask);
    // A parameter that the payload does not have is 0, as is one that the operation does not have.
    let given = |index: &usize| *index < request.parameters;
    let lod = order.level.filter(given).map(&mut row);
    let gradients = order.gradients.map(|all| all.map(|index| [index, index + 1].map(&mut row)));
    let compare = order.compare.map(&mut row);
    let least = order.least.filter(given).map(&mut row);
    let offsets = order.offsets.map(|all| all.map(&mut row));
    let float = |row: &Row, lane: usize| f32::from_bits(row[lane]);
    let has_gradients = gradients.is_some() || in_blocks;
    let needs_gradients = has_gradients && (request.op == Lod || !texture.is_same_at_all_levels());
    if let Some(plane) = Plane::new(&texture, request.offsets).filter(|_| is_plain) {
        let mut rows = [[0; ROW]; 4];
        plane.sample(t.host, [&at[0], &at[1]], compare.as_ref(), mask, &mut rows);
        respond_rows(call, t, request, &rows);
        return;
    }
    let mut rows = [[0; ROW]; 4];
    for lane in lanes_of(mask) {
        let differences = || {
            let block = lane / 4 * 4;
            [0, 1, 2].map(|axis| {
                let [first, right, below] = [0, 1, 2].map(|pixel| float(&at[axis], block + pixel));
                [right - first, below - first]
            })
        };
        let mut parameters = SampleParameters {
            at: [0, 1, 2, 3].map(|i| float(&at[i], lane)),
            lod: lod.as_ref().map_or(0.0, |lod| float(lod, lane)),
            gradients: needs_gradients.then(|| match &gradients {
                Some(all) => all.map(|along| along.map(|row| float(&row, lane))),
                None => differences(),
            }),
            compare: compare.as_ref().map(|compare| float(compare, lane)),
            least: least.as_ref().map_or(0.0, |least| float(least, lane)),
            offsets: request.offsets,
        };
        if let Some([u, v]) = &offsets {
            // An offset is a signed number in the low six bits of the parameter.
            let texels = |row: &Row| i64::from(row[lane] as i32) << 58 >> 58;
            parameters.offsets = [texels(u), texels(v), 0];
        }
        let texel = match (gathers, request.op) {
            (true, _) => texture.gather(&parameters, request.gathered),
            (false, SamplerOp::Lod) => texture.query_lod(&parameters),
            (false, _) => texture.sample(&parameters),
        };
        for (row, component) in rows.iter_mut().zip(texel) {
            row[lane] = component;
        }
    }
    respond_rows(call, t, request, &rows);
}

/// All channels of the blocks of four channels with at least one channel in `mask`.
fn blocks_of(mask: u32) -> u32 {
    let any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111;
    any * 15
}

/// Executes `ld` on an image with one sample.
fn fetches(call: &Call<'_>, t: &mut Thread, request: &Request, view: &View<'_>) {
    let mask = request.mask(call);
    let mut row = |index| parameters(call, t, request, index, mask);
    let [x, y, z, _] = request.order.coordinates.map(&mut row);
    let levels = request.order.level.map(&mut row);
    let [u, v, r] = request.offsets;
    let is_first = levels.is_none_or(|levels| lanes_of(mask).all(|lane| levels[lane] == 0));
    if let Some(grid) = Grid::new(view).filter(|_| is_first) {
        let rows = grid.fetch(t.host, [&x, &y], [u, v], mask);
        respond_rows(call, t, request, &rows);
        return;
    }
    let at = |row: &Row, lane: usize| i64::from(row[lane].cast_signed());
    let mut rows = [[0; ROW]; 4];
    for lane in lanes_of(mask) {
        let level = view.shape.level(levels.map_or(0, |levels| levels[lane]));
        let place = view.shape.place([at(&x, lane) + u, at(&y, lane) + v, at(&z, lane) + r]);
        let texel = level.and_then(|level| fetch(view, &level, place)).unwrap_or_default();
        for (row, component) in rows.iter_mut().zip(texel) {
            row[lane] = component;
        }
    }
    respond_rows(call, t, request, &rows);
}

/// The level and the position of the texel that a channel fetches; `None` if the image has no such level. The position
/// may be outside the level.
fn place(
    call: &Call<'_>,
    t: &mut Thread,
    request: &Request,
    view: &View<'_>,
    lane: usize,
) -> Option<(Level, [i64; 3])> {
    let [x, y, z, _] = request
        .order
        .coordinates
        .map(|index| i64::from(parameter(call, t, request, index, lane).cast_signed()));
    let level = request.order.level.map_or(0, |index| parameter(call, t, request, index, lane));
    let [u, v, r] = request.offsets;
    Some((view.shape.level(level)?, view.shape.place([x + u, y + v, z + r])))
}

/// Executes a message for multisampled images: `ld_mcs`, which reads the control data of a texel, or `ld2dms` or
/// `ld2dms_w`, which read the colour of one sample, given the control data. The result is 0 for texels outside the
/// image.
fn samples(call: &Call<'_>, t: &mut Thread, request: &Request, view: &View<'_>) {
    let count = view.shape.samples;
    if request.op == SamplerOp::Ld2dms && count > ONE_DWORD_SAMPLES {
        t.fail(Fault::Message(format!("ld2dms of a surface with {count} samples")));
        return;
    }
    for lane in request.channels(call) {
        let texel = place(call, t, request, view, lane);
        let texel = texel.filter(|(level, at)| level.contains(*at));
        let result = match (texel, request.order.sample) {
            (None, _) => [0; 4],
            (Some(_), None) => {
                let control = control_data(count);
                [control as u32, (control >> 32) as u32, 0, 0]
            }
            (Some((level, at)), Some(first)) => {
                let mut dword = |i| parameter(call, t, request, first + i, lane);
                let (sample, mut control) = (dword(0), u64::from(dword(1)));
                if request.op == SamplerOp::Ld2dmsW {
                    control |= u64::from(dword(2)) << 32;
                }
                slice(count, control, sample)
                    .and_then(|slice| fetch_slice(view, &level, at, slice))
                    .unwrap_or_default()
            }
        };
        respond(call, t, request, lane, result);
    }
}

/// The result of `resinfo`: the sizes of a level along up to three coordinates, and the number of levels. The last size
/// of an array is its number of layers. All sizes are 0 if the level does not exist.
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
