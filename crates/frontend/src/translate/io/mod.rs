//! Inputs and outputs: the slots of each variable, and pointers to parts of it.
//!
//! An access to an input, or to an output of a tessellation control shader (which other invocations read), is
//! translated to a load or store of slots in place. All other outputs are private variables until a vertex is complete:
//! see [`outputs`].

mod access;
mod feedback;
mod interpolation;
mod outputs;
mod shape;

use crestline_ssa::ir::{InstKind, Interpolation, IoSlot, MAX_STREAMS, Stage, Ty, Value};
use crestline_ssa::verify;
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

use super::Translator;
use super::pointer::{Base, Index};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{Deco, Inst, Type};

pub(super) use feedback::captures_outputs;
use interpolation::Qualifiers;
pub(super) use outputs::Output;

/// The most slots of one kind in a stage: 128 components (Vulkan: `maxVertexOutputComponents` and similar limits of
/// these chips). Vertex fetch delivers fewer attributes than this.
const MAX_LOCATIONS: u32 = 32;

/// Colour attachments (Vulkan: `maxFragmentOutputAttachments` of these chips).
const MAX_COLOURS: u32 = 8;

/// The most clip and cull distances together (Vulkan: `maxCombinedClipAndCullDistances`).
const MAX_DISTANCES: u32 = 8;

/// A pointer into inputs or outputs.
#[derive(Clone, Debug)]
pub(super) struct SlotPtr {
    /// Whether it points to an output.
    output: bool,
    vertex: Vertex,
    root: Root,
    /// Constant part of the slot offset from the root.
    slots: u32,
    /// Part of the slot offset that is computed at run time, 32 bits.
    index: Option<Value>,
    /// Offset in the slot, in components of 32 bits.
    comp: u8,
    /// For a pointer to a component of the vector there whose number is computed at run time: the number, and the
    /// vector's type.
    part: Option<(Value, u32)>,
    /// How the variable and the member of its block are interpolated.
    qualifiers: Qualifiers,
}

impl SlotPtr {
    /// Whether the next index selects a vertex.
    fn selects_vertex(&self) -> bool {
        matches!(self.vertex, Vertex::All)
    }
}

/// The vertex of a primitive or patch that a pointer refers to.
#[derive(Clone, Copy, Debug)]
enum Vertex {
    /// The variable is not an array of vertices.
    One,
    /// The pointer refers to the array of all vertices; the next index selects one.
    All,
    /// The vertex with this number.
    At(Index),
}

/// The part of a variable from which a pointer's offset counts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Root {
    /// A block; the next index selects a member.
    Block(Block),
    /// Consecutive slots from this one on.
    Row(IoSlot),
    /// An array of scalars, four per slot.
    Compact(Compact),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    ty: u32,
    /// The location of the variable.
    location: Option<u32>,
    patch: bool,
}

#[derive(Clone, Copy, Debug)]
struct Compact {
    slot: IoSlot,
    /// Position of the first element, in scalars from the slot's start. It may lie in a later slot.
    start: u32,
    /// Number of elements.
    count: u32,
    /// The element that the pointer refers to; `None` for the whole array.
    at: Option<Index>,
}

impl PartialEq for Compact {
    fn eq(&self, other: &Compact) -> bool {
        (self.slot, self.start, self.count) == (other.slot, other.start, other.count)
    }
}

impl SlotPtr {
    /// Applies `f` to every IR value in the pointer.
    pub(super) fn map(&mut self, f: &mut dyn FnMut(Value) -> Value) {
        let mut compact = None;
        let vertex = match &mut self.vertex {
            Vertex::At(index) => Some(index),
            _ => None,
        };
        if let Root::Compact(Compact { at, .. }) = &mut self.root {
            compact = at.as_mut();
        }
        for index in vertex.into_iter().chain(compact) {
            if let Index::Dyn(value) = index {
                *value = f(*value);
            }
        }
        self.index = self.index.map(&mut *f);
        if let Some((comp, _)) = &mut self.part {
            *comp = f(*comp);
        }
    }
}

/// The built-ins that have slots, and the required form of their variables.
const BUILTINS: &[(BuiltIn, IoSlot, Form)] = &[
    (BuiltIn::Position, IoSlot::Position, Form::Vector(4)),
    (BuiltIn::PointSize, IoSlot::PointSize, Form::Vector(1)),
    (BuiltIn::Layer, IoSlot::Layer, Form::Vector(1)),
    (BuiltIn::ViewportIndex, IoSlot::ViewportIndex, Form::Vector(1)),
    (BuiltIn::PrimitiveId, IoSlot::PrimitiveId, Form::Vector(1)),
    (BuiltIn::ClipDistance, IoSlot::ClipDistances { first: 0 }, Form::Array(MAX_DISTANCES)),
    (BuiltIn::CullDistance, IoSlot::ClipDistances { first: 0 }, Form::Array(MAX_DISTANCES)),
    (BuiltIn::TessLevelOuter, IoSlot::TessLevelOuter, Form::Array(4)),
    (BuiltIn::TessLevelInner, IoSlot::TessLevelInner, Form::Array(2)),
    (BuiltIn::FragDepth, IoSlot::Depth, Form::Vector(1)),
    (BuiltIn::FragStencilRefEXT, IoSlot::StencilRef, Form::Vector(1)),
    (BuiltIn::SampleMask, IoSlot::SampleMask, Form::Array(1)),
];

/// The form of a built-in: a vector of this many components of 32 bits, or an array of at most this many.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Vector(usize),
    Array(u32),
}

impl Translator<'_, '_> {
    /// The base of a pointer to an input or output variable.
    pub(super) fn io_base(
        &mut self,
        inst: &Inst<'_>,
        class: StorageClass,
        pointee: u32,
    ) -> Result<Base> {
        let output = class == StorageClass::Output;
        let stage = self.shader.stage.stage();
        if stage == Stage::Compute || !output && self.is_system_value(inst.result, pointee)? {
            return match output {
                true => {
                    Err(inst.error(ErrorCode::Unsupported, "expected a stage that has outputs"))
                }
                false => self.builtin_base(inst, pointee),
            };
        }
        if !output || stage == Stage::TessControl {
            return Ok(Base::Slots(self.slot_pointer(inst, output, pointee)?));
        }
        let base = self.private_base(inst, pointee, true)?;
        if let Base::Var { var, .. } = base {
            let stored = inst.operands.len() > 1;
            self.outputs.push(Output { id: inst.result, var, ty: pointee, stored });
        }
        Ok(base)
    }

    /// Whether the outputs of an invocation are stored at its end.
    pub(super) fn stores_at_end(&self) -> bool {
        matches!(self.shader.stage.stage(), Stage::Vertex | Stage::TessEval | Stage::Fragment)
    }

    /// `OpEmitVertex`, `OpEndPrimitive` and their forms with a stream.
    pub(super) fn op_stream(&mut self, inst: &Inst<'_>) -> Result<()> {
        let stream = match inst.op {
            Op::EmitStreamVertex | Op::EndStreamPrimitive => {
                self.globals.int(inst.word(0)?).map_err(|e| e.at(inst.position()))?
            }
            _ => 0,
        };
        if self.shader.stage.stage() != Stage::Geometry {
            return Err(inst.error(ErrorCode::Unsupported, "expected a geometry shader"));
        }
        let Some(stream) = u8::try_from(stream).ok().filter(|&stream| stream < MAX_STREAMS) else {
            let detail = format!("expected a stream below {MAX_STREAMS}, found {stream}");
            return Err(inst.error(ErrorCode::BadInterface, detail));
        };
        let kind = match inst.op {
            Op::EmitVertex | Op::EmitStreamVertex => InstKind::EmitVertex { stream },
            _ => InstKind::EndPrimitive { stream },
        };
        self.b().inst(kind, &[]);
        Ok(())
    }

    /// Checks that no two inputs and no two outputs share a component.
    pub(super) fn check_interface(&self) -> Result<()> {
        verify::interface(&self.shader)
            .map_err(|kind| FrontendError::new(ErrorCode::BadInterface, kind))
    }

    /// Whether an input is a system value, which has no slot, or a block of system values. `pointee` is its type.
    fn is_system_value(&self, id: u32, pointee: u32) -> Result<bool> {
        let is_one = |number: u32| {
            let row = BUILTINS.iter().find(|row| row.0 as u32 == number);
            row.is_none_or(|row| match self.shader.stage.stage() {
                Stage::Fragment => !self.has_slot(false, row.0),
                _ => row.0 == BuiltIn::PrimitiveId,
            })
        };
        if let Some(number) = self.module.decoration_word(id, Decoration::BuiltIn)? {
            return Ok(is_one(number));
        }
        let Some(Type::Struct { members }) = self.globals.types.get(pointee) else {
            return Ok(false);
        };
        for number in 0..members.len() as u32 {
            match self.module.member_word(pointee, number, Decoration::BuiltIn)? {
                Some(number) if is_one(number) => {}
                _ => return Ok(false),
            }
        }
        Ok(!members.is_empty())
    }

    /// The pointer to a whole input or output variable.
    fn slot_pointer(&mut self, inst: &Inst<'_>, output: bool, pointee: u32) -> Result<SlotPtr> {
        let id = inst.result;
        let stage = self.shader.stage.stage();
        let levels = [BuiltIn::TessLevelOuter as u32, BuiltIn::TessLevelInner as u32];
        let number = self.module.decoration_word(id, Decoration::BuiltIn)?;
        let block = self.block_of(pointee);
        let patch = self.module.has(id, Decoration::Patch)
            || self.module.member_decorations(block, 0).iter().any(|d| d.kind == Decoration::Patch)
            || number.is_some_and(|number| levels.contains(&number));
        let qualifiers = Qualifiers::of(self.module.decorations(id))
            .and(Qualifiers::of(self.module.member_decorations(block, 0)));
        let arrays = match output {
            true => stage == Stage::TessControl,
            false if stage == Stage::Fragment => qualifiers.is_per_vertex(),
            false => matches!(stage, Stage::TessControl | Stage::TessEval | Stage::Geometry),
        };
        let (mut ty, mut vertex) = (pointee, Vertex::One);
        if arrays && !patch {
            let Some(&Type::Array { elem, .. }) = self.globals.types.get(pointee) else {
                let detail = "expected an array with an element per vertex";
                return Err(inst.error(ErrorCode::BadInterface, detail));
            };
            (ty, vertex) = (elem, Vertex::All);
        }
        if patch
            && !matches!((stage, output), (Stage::TessControl, true) | (Stage::TessEval, false))
        {
            let detail = "expected a variable without Patch: only outputs of tessellation control \
                          shaders and inputs of tessellation evaluation shaders are per patch";
            return Err(inst.error(ErrorCode::BadInterface, detail));
        }
        let mut pointer = SlotPtr {
            output,
            vertex,
            root: Root::Row(IoSlot::Position),
            slots: 0,
            index: None,
            comp: 0,
            part: None,
            qualifiers: Qualifiers::of(self.module.decorations(id)),
        };
        let location = self.module.decoration_word(id, Decoration::Location)?;
        let structure = matches!(self.globals.types.get(ty), Some(Type::Struct { .. }));
        // Each member may be interpolated in its own way.
        if self.is_block(ty) || structure && stage == Stage::Fragment && !output {
            pointer.root = Root::Block(Block { ty, location, patch });
            return Ok(pointer);
        }
        let decorations = self.module.decorations(id);
        let name = self.module.name(id).to_owned();
        let location = match self.globals.types.get(ty) {
            // An array of blocks starts at the location of the first block's first member.
            Some(Type::Array { .. }) if location.is_none() && number.is_none() => {
                self.module.member_word(block, 0, Decoration::Location)?
            }
            _ => location,
        };
        self.place(&mut pointer, ty, decorations, location, patch, None, name)?;
        Ok(pointer)
    }

    /// Whether each member of the type has its own location: a block, or a structure of built-ins.
    fn is_block(&self, ty: u32) -> bool {
        let members = self.module.member_decorations(ty, 0);
        matches!(self.globals.types.get(ty), Some(Type::Struct { .. }))
            && (self.module.has(ty, Decoration::Block)
                || members.iter().any(|d| d.kind == Decoration::BuiltIn))
    }

    /// The number of clip distances of the block, or of the variables if there is no block. The cull distances follow
    /// them.
    fn clip_distances(&self, output: bool, block: Option<u32>) -> Result<u32> {
        let is_clip = |number| number == Some(BuiltIn::ClipDistance as u32);
        let types = &self.globals.types;
        if let Some(block) = block {
            for member in 0..types.parts(block).unwrap_or(0) {
                if is_clip(self.module.member_word(block, member, Decoration::BuiltIn)?) {
                    let ty = types.part(block, member).unwrap_or(0);
                    return Ok(types.parts(ty).unwrap_or(0));
                }
            }
            return Ok(0);
        }
        let class = if output { StorageClass::Output } else { StorageClass::Input };
        for inst in self.module.globals.iter().map(|&at| &self.module.insts[at]) {
            let Some(&Type::Pointer { class: found, pointee }) = types.get(inst.ty) else {
                continue;
            };
            if inst.op == Op::Variable
                && found == class
                && is_clip(self.module.decoration_word(inst.result, Decoration::BuiltIn)?)
            {
                // The variable may be an array of vertices, each with an array of distances.
                let inner = types.part(pointee, 0).and_then(|ty| types.parts(ty));
                return Ok(inner.or(types.parts(pointee)).unwrap_or(0));
            }
        }
        Ok(0)
    }

    /// Sets the root of a pointer to a variable, or to a member of `block`, and declares its slots.
    #[allow(clippy::too_many_arguments, reason = "what a variable and a member have in common")]
    fn place(
        &mut self,
        pointer: &mut SlotPtr,
        ty: u32,
        decorations: &[Deco<'_>],
        location: Option<u32>,
        patch: bool,
        block: Option<u32>,
        name: String,
    ) -> Result<()> {
        let word = |kind| {
            decorations.iter().find(|d| d.kind == kind).and_then(|d| d.args.first().copied())
        };
        pointer.qualifiers = pointer.qualifiers.and(Qualifiers::of(decorations));
        if let Some(number) = word(Decoration::BuiltIn) {
            return self.place_builtin(pointer, ty, number, block, name);
        }
        let Some(location) = location else {
            let detail = format!("expected a location of \"{name}\", found none");
            return Err(FrontendError::new(ErrorCode::BadInterface, detail));
        };
        let comp = word(Decoration::Component).unwrap_or(0);
        let stream = word(Decoration::Stream).unwrap_or(0);
        let fragment_output = pointer.output && self.shader.stage.stage() == Stage::Fragment;
        let slot = match word(Decoration::Index) {
            Some(1) if fragment_output => IoSlot::SecondColour(location),
            None | Some(0) => {
                if patch {
                    IoSlot::Patch(location)
                } else {
                    IoSlot::Location(location)
                }
            }
            Some(index) => {
                let detail =
                    format!("expected index 0 or 1 of a colour, found {index} of \"{name}\"");
                return Err(FrontendError::new(ErrorCode::BadInterface, detail));
            }
        };
        let limit = if fragment_output { MAX_COLOURS } else { MAX_LOCATIONS };
        let (Ok(comp @ 0..=3), Ok(stream @ 0..=3)) = (u8::try_from(comp), u8::try_from(stream))
        else {
            let detail = format!("expected component and stream 0 to 3 of \"{name}\"");
            return Err(FrontendError::new(ErrorCode::BadInterface, detail));
        };
        pointer.root = Root::Row(slot);
        pointer.comp = comp;
        let mut var = self.row(slot, comp, ty, stream, name)?;
        if u64::from(location) + u64::from(var.slots()) > u64::from(limit) {
            let named =
                if var.name.is_empty() { String::new() } else { format!(" for {:?}", var.name) };
            let detail = format!(
                "expected locations below {limit}, found {} locations from {location} on{named}",
                var.slots()
            );
            return Err(FrontendError::new(ErrorCode::BadInterface, detail));
        }
        if !pointer.output {
            var.interp = self.interpolation(ty, pointer.qualifiers, &var.name)?;
        }
        self.declare(pointer.output, var)?;
        Ok(())
    }

    /// Sets the root of a pointer to a built-in variable or member, and declares its slots.
    fn place_builtin(
        &mut self,
        pointer: &mut SlotPtr,
        ty: u32,
        number: u32,
        block: Option<u32>,
        name: String,
    ) -> Result<()> {
        let builtin = BuiltIn::from_u32(number);
        let row = BUILTINS.iter().find(|row| row.0 as u32 == number);
        let Some(&(builtin, slot, form)) = row.filter(|row| self.has_slot(pointer.output, row.0))
        else {
            let stage = self.shader.stage.stage();
            let way = if pointer.output { "output" } else { "input" };
            let found = builtin.map_or("none".into(), |builtin| format!("{builtin:?}"));
            let detail = format!("expected an {way} of {stage:?} shaders, found {found}");
            return Err(FrontendError::new(ErrorCode::UnsupportedBuiltin, detail));
        };
        // Outside of fragment shaders, arrays of vertices have all built-ins but the levels.
        let arrays = match (pointer.output, self.shader.stage.stage()) {
            (true, stage) => stage == Stage::TessControl,
            (false, stage) => {
                matches!(stage, Stage::TessControl | Stage::TessEval | Stage::Geometry)
            }
        };
        let levels = matches!(builtin, BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner);
        if arrays && levels != matches!(pointer.vertex, Vertex::One) {
            let wanted = if levels { "a variable for each patch" } else { "an element per vertex" };
            let detail = format!("expected {wanted} for {builtin:?}");
            return Err(FrontendError::new(ErrorCode::BadInterface, detail));
        }
        let types = &self.globals.types;
        // naga makes the sample mask a scalar, which has the same meaning as an array of one element.
        let scalar = builtin == BuiltIn::SampleMask && types.leaf(ty) == Some(Ty::X32);
        let form = if scalar { Form::Vector(1) } else { form };
        let fits = match form {
            Form::Vector(comps) => {
                types.leaf(ty).is_some_and(|t| t.bits() == 32 && t.comps() == comps)
            }
            Form::Array(most) => {
                let scalar = types.part(ty, 0).and_then(|elem| types.leaf(elem));
                matches!(types.get(ty), Some(Type::Array { count, .. }) if *count <= most)
                    && scalar.is_some_and(|t| t.bits() == 32 && t.comps() == 1)
            }
        };
        if !fits {
            let wanted = match form {
                Form::Vector(comps) => format!("{comps} components of 32 bits"),
                Form::Array(most) => format!("an array of at most {most} floats"),
            };
            let detail = format!("expected {wanted} for {builtin:?}");
            return Err(FrontendError::new(ErrorCode::UnsupportedBuiltin, detail));
        }
        let Form::Array(_) = form else {
            pointer.root = Root::Row(slot);
            let mut var = self.row(slot, 0, ty, 0, name)?;
            if !pointer.output && self.shader.stage.stage() == Stage::Fragment {
                // The built-in inputs of fragment shaders that have slots and are not arrays are integers.
                var.interp = Some(Interpolation::FLAT);
            }
            self.declare(pointer.output, var)?;
            return Ok(());
        };
        let start = match builtin {
            BuiltIn::CullDistance => self.clip_distances(pointer.output, block)?,
            _ => 0,
        };
        let count = types.parts(ty).unwrap_or(0);
        if start.saturating_add(count) > MAX_DISTANCES {
            let detail = format!("expected at most {MAX_DISTANCES} clip and cull distances");
            return Err(FrontendError::new(ErrorCode::BadInterface, detail));
        }
        if pointer.output {
            let distances = &mut self.shader.distances;
            let mask = (((1u32 << count) - 1) << start) as u8;
            match builtin {
                BuiltIn::ClipDistance => distances.clip |= mask,
                BuiltIn::CullDistance => distances.cull |= mask,
                _ => {}
            }
        }
        let compact = Compact { slot, start, count, at: None };
        pointer.root = Root::Compact(compact);
        let interp = match pointer.output {
            true => None,
            false => self.interpolation(ty, pointer.qualifiers, &name)?,
        };
        self.declare_compact(pointer.output, &compact, interp, &name)
    }

    /// Whether the built-in is an input (or output, if `output` is set) of the stage that has a slot.
    fn has_slot(&self, output: bool, builtin: BuiltIn) -> bool {
        let stage = self.shader.stage.stage();
        let levels = matches!(builtin, BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner);
        let vertex = matches!(
            builtin,
            BuiltIn::Position | BuiltIn::PointSize | BuiltIn::ClipDistance | BuiltIn::CullDistance
        );
        let fragment = matches!(
            builtin,
            BuiltIn::FragDepth | BuiltIn::FragStencilRefEXT | BuiltIn::SampleMask
        );
        if fragment || output && stage == Stage::Fragment {
            return fragment && output && stage == Stage::Fragment;
        }
        match (output, stage) {
            (false, Stage::Fragment) => matches!(
                builtin,
                BuiltIn::Layer
                    | BuiltIn::ViewportIndex
                    | BuiltIn::PrimitiveId
                    | BuiltIn::ClipDistance
                    | BuiltIn::CullDistance
            ),
            (true, Stage::TessControl) | (false, Stage::TessEval) => levels || vertex,
            (true, Stage::Geometry) => !levels,
            (true, _) => !levels && builtin != BuiltIn::PrimitiveId,
            (false, Stage::TessControl | Stage::Geometry) => vertex,
            (false, _) => false,
        }
    }

    /// The pointer to part `index` of what `pointer` points to: a composite of type `ty`, with id `id`.
    pub(super) fn slot_step(
        &mut self,
        mut pointer: SlotPtr,
        id: u32,
        ty: &Type,
        index: Index,
    ) -> Result<SlotPtr> {
        if let Vertex::All = pointer.vertex {
            pointer.vertex = Vertex::At(index);
            return Ok(pointer);
        }
        match (pointer.root, index) {
            (Root::Block(block), Index::Const(member)) => {
                self.choose_member(&mut pointer, block, member)?
            }
            (Root::Compact(Compact { at: None, slot, start, count }), at) => {
                pointer.root = Root::Compact(Compact { slot, start, count, at: Some(at) });
            }
            (Root::Row(_), _) => self.row_step(&mut pointer, id, ty, index)?,
            (Root::Block(_) | Root::Compact(_), _) => {
                let detail = "expected an index into an array or structure of an input or output";
                return Err(FrontendError::new(ErrorCode::BadAccessChain, detail));
            }
        }
        Ok(pointer)
    }

    /// Moves a pointer to a block to its member number `member`.
    fn choose_member(&mut self, pointer: &mut SlotPtr, block: Block, member: u32) -> Result<()> {
        let Block { ty, location, patch } = block;
        let decorations = self.module.member_decorations(ty, member);
        let mut own = self.module.member_word(ty, member, Decoration::Location)?;
        if own.is_none()
            && let Some(start) = location
        {
            let before = self.slots_before(ty, member)?;
            own = Some(start.saturating_add(before));
        }
        let part = self.globals.types.part(ty, member).unwrap_or(0);
        let name = format!("{}.{member}", self.module.name(ty));
        self.place(pointer, part, decorations, own, patch, Some(ty), name)
    }

    /// Moves a pointer in consecutive slots to part `index` of the composite that it points to.
    fn row_step(&mut self, pointer: &mut SlotPtr, id: u32, ty: &Type, index: Index) -> Result<()> {
        match (ty, index) {
            (Type::Struct { .. }, Index::Const(member)) => {
                pointer.slots = pointer.slots.saturating_add(self.slots_before(id, member)?);
                Ok(())
            }
            (Type::Array { elem, .. }, _) => {
                let stride = self.slots_of(*elem)?;
                self.advance_slots(pointer, index, stride)
            }
            (Type::Matrix { column, .. }, _) => {
                let stride = self.slots_of(*column)?;
                self.advance_slots(pointer, index, stride)
            }
            (Type::Vector { elem, .. }, Index::Const(comp)) => {
                let dwords = self.globals.types.leaf(*elem).map_or(1, |t| t.bits().div_ceil(32));
                let at = u32::from(pointer.comp) + comp * dwords;
                pointer.slots = pointer.slots.saturating_add(at / 4);
                pointer.comp = (at % 4) as u8;
                Ok(())
            }
            (Type::Vector { .. }, Index::Dyn(comp)) => {
                pointer.part = Some((comp, id));
                Ok(())
            }
            (other, _) => {
                let detail =
                    format!("expected an index into a composite, found {}", other.describe());
                Err(FrontendError::new(ErrorCode::BadAccessChain, detail))
            }
        }
    }

    /// Moves a pointer by `index * stride` slots.
    fn advance_slots(&mut self, pointer: &mut SlotPtr, index: Index, stride: u32) -> Result<()> {
        match index {
            Index::Const(i) => {
                pointer.slots = pointer.slots.saturating_add(i.saturating_mul(stride));
            }
            Index::Dyn(value) => {
                let slots = self.strided(value, stride);
                pointer.index = Some(self.sum(pointer.index, slots));
            }
        }
        Ok(())
    }
}
