//! Layout of fragment shaders.
//!
//! The payload has these parts in this order, which the hardware defines (PRM, "Pixel shader thread payload"):
//!
//! - r0;
//! - a register with the positions of the pixels, for each 16 channels;
//! - for each 16 channels, the parts that the code reads: barycentric coordinates, depth, w, positions of samples,
//!   input sample mask;
//! - the constants;
//! - the setup data of the attributes.
//!
//! The attributes are the input slots that the code reads. Interpolated slots come first, then flat ones, each in the
//! order of slots, so that the elements of an array are consecutive. `gl_PointCoord` is the last attribute.

use std::collections::{BTreeMap, BTreeSet};

use crestline_codegen::interface::Interface;
use crestline_codegen::scalar::SelectError;
use crestline_codegen::stage::{FragmentIo, PerHalf, StageIo, barycentric};
use crestline_codegen::target::Target;
use crestline_program::{
    ATTRIBUTE_BYTES, Attribute, AttributeSource, Barycentric, COMPONENT_BYTES, ColourOutput,
    ComputedDepth, FragmentMetadata, GRF_BYTES, InputCoverage, MAX_ATTRIBUTES, MAX_COLOUR_TARGETS,
    StageMetadata, ThreadPayload, Varying,
};
use crestline_ssa::ir::{
    BaryPlace, DepthMode, InstKind, InterpPlace, Interpolation, IoSlot, RegionId, Shader, SysVal,
    Targets, TextureOp,
};

use super::Layout;
use super::resources::{Demand, registers_between};
use super::unsupported;
use crate::CompileError;

/// The bit of the alpha in a mask of components.
const ALPHA: u8 = 1 << 3;

/// The parts of the payload and the features of the stage that the code uses.
#[derive(Default)]
struct Uses {
    barycentrics: BTreeSet<Barycentric>,
    /// The slots of inputs that are read: whether the read is flat, and the slot.
    inputs: BTreeSet<(bool, IoSlot)>,
    /// The components of each output slot that are written; bit `i` is component `i`.
    outputs: BTreeMap<IoSlot, u8>,
    /// The components of `gl_FragCoord` that are read; bit `i` is component `i`.
    coordinates: u32,
    /// Whether an input is interpolated at the position of the sample.
    at_sample: bool,
    /// Whether an instruction depends on other invocations of the quad, so that helper invocations must run.
    quads: bool,
    /// Whether the shader discards pixels.
    kills: bool,
    /// Whether the shader writes memory other than scratch.
    side_effects: bool,
    /// Whether the code requests weights from the pixel interpolator.
    pixel_interpolator: bool,
    /// Whether the framebuffer has one sample.
    one_sample: bool,
}

impl Uses {
    fn of(shader: &Shader, one_sample: bool) -> Uses {
        let mut uses = Uses { one_sample, ..Uses::default() };
        uses.visit(shader, shader.func.body());
        uses
    }

    fn visit(&mut self, shader: &Shader, region: RegionId) {
        let func = &shader.func;
        for &id in &func.region(region).insts {
            let inst = func.inst(id);
            match &inst.kind {
                InstKind::LoadInput { slot, index, comp, .. } => {
                    let Some(var) = shader.input_component(*slot, *comp) else { continue };
                    let weights = var.interp.and_then(barycentric);
                    self.barycentrics.extend(weights);
                    self.at_sample |= weights.is_some()
                        && var.interp.is_some_and(|interp| interp.place == InterpPlace::Sample);
                    let from = var.index_of(*slot).unwrap_or(0);
                    let count = if index.is_some() { var.slots() - from } else { 1 };
                    let slots = (0..count).filter_map(|at| slot.plus(at));
                    self.inputs.extend(slots.map(|slot| (weights.is_none(), slot)));
                }
                InstKind::Interpolate { slot, index, comp, .. } => {
                    let Some(var) = shader.input_component(*slot, *comp) else { continue };
                    let from = var.index_of(*slot).unwrap_or(0);
                    let count = if index.is_some() { var.slots() - from } else { 1 };
                    self.inputs.extend((0..count).filter_map(|at| Some((false, slot.plus(at)?))));
                }
                InstKind::Barycentric { mode, at } => match at {
                    BaryPlace::Place(place) => {
                        let place = match place {
                            InterpPlace::Sample if self.one_sample => InterpPlace::Centre,
                            place => *place,
                        };
                        self.at_sample |= place == InterpPlace::Sample;
                        self.barycentrics.extend(barycentric(Interpolation { mode: *mode, place }));
                    }
                    BaryPlace::AtSample(_) if self.one_sample => {
                        let place = InterpPlace::Centre;
                        self.barycentrics.extend(barycentric(Interpolation { mode: *mode, place }));
                    }
                    BaryPlace::AtSample(_) | BaryPlace::AtOffset(_) => {
                        self.pixel_interpolator = true;
                    }
                },
                InstKind::AllKilled(_) => self.quads = true,
                InstKind::StoreOutput { slot, comp, mask, .. } => {
                    *self.outputs.entry(*slot).or_default() |= mask.0 << comp;
                }
                InstKind::SysVal(SysVal::PointCoord) => {
                    self.barycentrics.insert(Barycentric::PerspectivePixel);
                }
                InstKind::Derivative { .. } => self.quads = true,
                InstKind::Texture(read) => {
                    self.quads |= read.implicit && read.op == TextureOp::Sample;
                }
                InstKind::Demote => self.kills = true,
                InstKind::Store { memory, .. } => {
                    self.side_effects |= *memory != crestline_ssa::ir::Memory::Scratch;
                }
                InstKind::Atomic { .. }
                | InstKind::ImageStore { .. }
                | InstKind::ImageAtomic { .. } => self.side_effects = true,
                _ => {}
            }
            shader.for_each_read(&Targets::default(), id, |src, comps| {
                let read = func.def(src.value).map(|def| &def.kind);
                if let Some(InstKind::SysVal(SysVal::FragCoord)) = read {
                    let read = &src.swizzle[..comps.min(4)];
                    read.iter().for_each(|&comp| self.coordinates |= 1 << comp);
                }
            });
            for inner in inst.kind.regions() {
                self.visit(shader, inner);
            }
        }
    }
}

/// The state of the layout of the payload before the constants.
struct Payload {
    /// The next free byte.
    next: u32,
    /// Number of registers that one float per channel takes, for at most 16 channels.
    lanes: u32,
}

impl Payload {
    /// Adds a part of `registers` registers, and returns its byte offset.
    fn add(&mut self, registers: u32) -> u32 {
        let place = self.next;
        self.next += registers * GRF_BYTES;
        place
    }
}

/// Lays out the payload and binding table of an optimised shader for `simd` channels. `one_sample` states whether the
/// shader was compiled for framebuffers with one sample, `alpha_to_coverage` whether it was compiled for alpha to
/// coverage.
///
/// # Errors
/// The shader is of another stage, it has too many attributes or a colour attachment beyond the last one, or the
/// payload, the binding table or the sampler table has no room.
pub(super) fn layout(
    shader: &Shader,
    target: &Target,
    simd: u8,
    one_sample: bool,
    alpha_to_coverage: bool,
) -> Result<Layout, CompileError> {
    let info = shader.fragment().ok_or_else(|| unsupported(shader))?;
    let (demand, mut uses) = (Demand::of(shader)?, Uses::of(shader, one_sample));
    let reads = |value: SysVal| demand.sysvals.contains(&value);
    let per_sample = !one_sample
        && (info.per_sample
            || uses.at_sample
            || reads(SysVal::SampleId)
            || reads(SysVal::SamplePosition));
    let fetches_w = uses.coordinates & 8 != 0;
    let fetches_depth = uses.coordinates & 4 != 0;
    let positions = reads(SysVal::SamplePosition) || per_sample && uses.coordinates & 3 != 0;
    let (sample_mask, inner) = (reads(SysVal::SampleMaskIn), reads(SysVal::FullyCovered));
    let coverage = sample_mask || inner;
    // "Input Coverage Mask State" of 3DSTATE_PS_EXTRA has inner coverage since it has coverage after the tests.
    let absent = match (sample_mask, inner) {
        (_, true) if !target.has_coverage_after_tests() => {
            "coverage of whole pixels (FullyCoveredEXT)"
        }
        (true, true) => "coverage of whole pixels (FullyCoveredEXT) beside an input sample mask",
        _ => "",
    };
    if !absent.is_empty() {
        return Err(SelectError::Absent { what: absent }.into());
    }
    if sample_mask && info.post_depth_coverage && !target.has_coverage_after_tests() {
        let what = "input sample mask after the tests (PostDepthCoverage)";
        return Err(SelectError::Absent { what }.into());
    }
    let setup = setup_data(&uses, reads(SysVal::PointCoord))?;
    let constants = demand.has_constants();
    if target.needs_fragment_payload()
        && uses.barycentrics.is_empty()
        && setup.attributes.is_empty()
        && !(fetches_w || fetches_depth || positions || coverage || constants)
    {
        uses.barycentrics.insert(Barycentric::PerspectivePixel);
    }
    let helpers = uses.quads || info.full_quads;
    let halves = u32::from(simd).div_ceil(16);
    let mut payload =
        Payload { next: (1 + halves) * GRF_BYTES, lanes: u32::from(simd.min(16)) / 8 };
    let mut io = FragmentIo { helpers, per_sample, one_sample, ..FragmentIo::default() };
    for half in 0..halves as usize {
        let put = |place: &mut Option<PerHalf>, at: u32| {
            place.get_or_insert([at; 2])[half] = at;
        };
        let lanes = payload.lanes;
        for &set in &uses.barycentrics {
            let at = payload.add(2 * lanes);
            io.barycentrics.entry(set).or_insert([at; 2])[half] = at;
        }
        if fetches_depth {
            put(&mut io.source_depth, payload.add(lanes));
        }
        if fetches_w {
            put(&mut io.source_w, payload.add(lanes));
        }
        if positions {
            put(&mut io.position_offsets, payload.add(1));
        }
        if coverage {
            put(&mut io.input_coverage, payload.add(lanes));
        }
    }
    let mut interface = Interface::default();
    let mut next = payload.next;
    let first = next / GRF_BYTES;
    let mut registers = ThreadPayload::default();
    let items = &mut registers.items;
    demand.place_constants(shader, target, 4, &mut interface, items, &mut next)?;
    let setup_registers = setup.attributes.len() as u32 * ATTRIBUTE_BYTES / GRF_BYTES;
    demand.place_buffers(shader, target, setup_registers, &mut interface, items, &mut next);
    let end = next.div_ceil(GRF_BYTES);
    registers.cross_thread = registers_between(first, end);
    let last = end + setup_registers;
    registers.setup = registers_between(end, last);
    let limit = target.registers.for_payload();
    if last > limit {
        return Err(CompileError::Payload { stage: "fragment", registers: last, limit });
    }
    interface.payload_registers = last;
    io.attributes = setup.places.iter().map(|(&key, at)| (key, end * GRF_BYTES + at)).collect();
    io.point_coord = setup.point_coord.map(|at| end * GRF_BYTES + at);
    let colour_outputs = colours(&uses)?;
    let numbers: Vec<u32> = colour_outputs.iter().map(|out| u32::from(out.target)).collect();
    let (targets, tables) = demand.fragment_tables(shader, target, &mut interface, &numbers)?;
    let alpha_of_first =
        |output: &ColourOutput| output.target == 0 && output.components & ALPHA != 0;
    let source0_alpha =
        alpha_to_coverage && colour_outputs.len() > 1 && colour_outputs.iter().any(alpha_of_first);
    io.source0_alpha = source0_alpha;
    io.null_target = targets.is_empty().then_some(0);
    io.targets = targets;
    interface.io = StageIo::Fragment(io.clone());
    let computed_depth = match (uses.outputs.contains_key(&IoSlot::Depth), info.depth) {
        (false, _) => ComputedDepth::Off,
        (true, DepthMode::Any) => ComputedDepth::Any,
        (true, DepthMode::Greater) => ComputedDepth::GreaterOrEqual,
        (true, DepthMode::Less) => ComputedDepth::LessOrEqual,
        // The shader promises to write the depth of the primitive. The device could use that depth instead; it is
        // correct to use the written one.
        (true, DepthMode::Unchanged) => ComputedDepth::Any,
    };
    let stage = StageMetadata::Fragment(FragmentMetadata {
        barycentrics: uses.barycentrics.into_iter().collect(),
        source_depth: fetches_depth,
        source_w: fetches_w,
        position_offsets: positions,
        input_coverage: match (sample_mask, info.post_depth_coverage) {
            _ if inner => InputCoverage::Inner,
            (false, _) => InputCoverage::Off,
            (true, false) => InputCoverage::Covered,
            (true, true) => InputCoverage::AfterTests,
        },
        attributes: setup.attributes,
        colour_outputs,
        source0_alpha,
        dual_source: uses.outputs.keys().any(|slot| matches!(slot, IoSlot::SecondColour(_))),
        computed_depth,
        computed_stencil: uses.outputs.contains_key(&IoSlot::StencilRef),
        output_sample_mask: uses.outputs.contains_key(&IoSlot::SampleMask),
        kills_pixels: uses.kills,
        early_tests: info.early_tests,
        per_sample,
        one_sample,
        side_effects: uses.side_effects,
        pixel_interpolator: uses.pixel_interpolator,
        vector_mask: helpers,
    });
    Ok(Layout { interface, payload: registers, tables, stage })
}

/// The attributes, and the positions of their setup data, in bytes from the start of all setup data.
struct Setup {
    attributes: Vec<Attribute>,
    /// The position of component 0 of each input slot. The key states whether the input is flat.
    places: BTreeMap<(IoSlot, bool), u32>,
    point_coord: Option<u32>,
}

/// Lays out the setup data: makes a list of the attributes that the code reads, each of which takes
/// [`ATTRIBUTE_BYTES`].
///
/// # Errors
/// The code reads more than [`MAX_ATTRIBUTES`] attributes.
fn setup_data(uses: &Uses, point_coord: bool) -> Result<Setup, CompileError> {
    let mut setup = Setup { attributes: Vec::new(), places: BTreeMap::new(), point_coord: None };
    for &(flat, slot) in &uses.inputs {
        let Some((varying, comp)) = varying(slot) else { continue };
        let source = AttributeSource::Varying { varying };
        // Layer and viewport index are components of one varying, the vertex header, and share an attribute.
        let attribute = Attribute { source, flat };
        let index = setup.attributes.iter().position(|&other| other == attribute);
        let index = index.unwrap_or_else(|| {
            setup.attributes.push(attribute);
            setup.attributes.len() - 1
        });
        let place = index as u32 * ATTRIBUTE_BYTES + comp * COMPONENT_BYTES;
        setup.places.insert((slot, flat), place);
    }
    if point_coord {
        setup.point_coord = Some(setup.attributes.len() as u32 * ATTRIBUTE_BYTES);
        setup.attributes.push(Attribute { source: AttributeSource::PointCoord, flat: false });
    }
    if setup.attributes.len() > MAX_ATTRIBUTES {
        let slots = setup.attributes.len() as u32;
        return Err(CompileError::Inputs { slots, limit: MAX_ATTRIBUTES as u32 });
    }
    Ok(setup)
}

/// The varying of an input slot, and the component of the varying that is component 0 of the slot.
fn varying(slot: IoSlot) -> Option<(Varying, u32)> {
    Some(match slot {
        IoSlot::Location(location) => (Varying::Location { location }, 0),
        IoSlot::ClipDistances { first } => (Varying::ClipDistances { first }, 0),
        IoSlot::PrimitiveId => (Varying::PrimitiveId, 0),
        IoSlot::Layer => (Varying::Header, 1),
        IoSlot::ViewportIndex => (Varying::Header, 2),
        _ => return None,
    })
}

/// The colour outputs that the code writes, in the order of their attachments.
///
/// # Errors
/// A location is beyond the last colour attachment.
fn colours(uses: &Uses) -> Result<Vec<ColourOutput>, CompileError> {
    let mut outputs = Vec::new();
    for (&slot, &components) in &uses.outputs {
        let IoSlot::Location(location) = slot else { continue };
        match u8::try_from(location).ok().filter(|&target| target < MAX_COLOUR_TARGETS) {
            Some(target) => outputs.push(ColourOutput { target, components, ty: None }),
            None => {
                let limit = MAX_COLOUR_TARGETS.into();
                return Err(CompileError::Location { location, limit });
            }
        }
    }
    Ok(outputs)
}
