//! Invariants of stages: their properties, the slots they declare, and the accesses that are allowed.

use super::{Result, Verifier, VerifyErrorKind, check_mask};
use crate::ir::{
    InstKind, InterpMode, InterpPlace, Interpolation, IoSlot, IoVar, MAX_PATCH_VERTICES,
    MAX_STREAMS, Shader, Src, Stage, StageInfo, Ty,
};

/// Checks the properties of the stage, its declarations and its transform feedback.
pub(super) fn stage(shader: &Shader) -> Result<()> {
    match shader.stage {
        StageInfo::Compute(info) if info.local_size.contains(&0) => {
            return Err(VerifyErrorKind::LocalSize(info.local_size));
        }
        StageInfo::TessControl(info)
            if !(1..=MAX_PATCH_VERTICES).contains(&info.output_vertices) =>
        {
            return Err(VerifyErrorKind::Stage("a patch has 1 to 32 control points"));
        }
        StageInfo::Fragment(info) if info.post_depth_coverage && !info.early_tests => {
            return Err(VerifyErrorKind::Stage("post_depth_coverage needs early_tests"));
        }
        StageInfo::Geometry(info) if info.invocations == 0 => {
            return Err(VerifyErrorKind::Stage("a primitive has at least 1 invocation"));
        }
        _ => {}
    }
    let stage = shader.stage.stage();
    declarations(&shader.inputs, stage != Stage::Compute, false)?;
    declarations(&shader.outputs, stage != Stage::Compute, stage == Stage::Geometry)?;
    shader.inputs.iter().try_for_each(|var| fragment_slot(var, stage, false))?;
    shader.outputs.iter().try_for_each(|var| fragment_slot(var, stage, true))?;
    if shader.distances.clip & shader.distances.cull != 0 {
        return Err(VerifyErrorKind::Stage("a distance cannot both clip and cull"));
    }
    shader.feedback.check(shader).map_err(|(slot, what)| match slot {
        Some(slot) => VerifyErrorKind::Slot { slot, what },
        None => VerifyErrorKind::Stage(what),
    })
}

/// Checks the rules for inputs and outputs of fragment shaders, and that other stages have none of their slots.
fn fragment_slot(var: &IoVar, stage: Stage, output: bool) -> Result<()> {
    let wrong = |what| Err(VerifyErrorKind::Slot { slot: var.slot, what });
    if stage != Stage::Fragment {
        return match (var.interp, var.slot.is_fragment_output()) {
            (Some(_), _) => wrong("only inputs of fragment shaders are interpolated"),
            (_, true) => wrong("only fragment shaders have this output"),
            _ => Ok(()),
        };
    }
    if output {
        let scalar = matches!(var.slot, IoSlot::Depth | IoSlot::StencilRef | IoSlot::SampleMask);
        let colour = matches!(var.slot, IoSlot::Location(_) | IoSlot::SecondColour(_));
        return match var.interp {
            Some(_) => wrong("only inputs of fragment shaders are interpolated"),
            None if !scalar && !colour => wrong("fragment shaders do not have this output"),
            None if var.ty.bits() != 32 => wrong("outputs of fragment shaders have 32 bits"),
            None if scalar && (var.comp, var.ty.comps(), var.count) != (0, 1, 1) => {
                wrong("the output is one scalar, in component 0")
            }
            None => Ok(()),
        };
    }
    let varying = matches!(
        var.slot,
        IoSlot::Location(_)
            | IoSlot::ClipDistances { .. }
            | IoSlot::Layer
            | IoSlot::ViewportIndex
            | IoSlot::PrimitiveId
    );
    if !varying {
        return wrong("fragment shaders do not have this input");
    }
    let integer = matches!(var.slot, IoSlot::Layer | IoSlot::ViewportIndex | IoSlot::PrimitiveId);
    match var.interp {
        None => wrong("an input of a fragment shader must say how it is interpolated"),
        Some(Interpolation { mode: InterpMode::Flat | InterpMode::PerVertex, place })
            if place != InterpPlace::Centre =>
        {
            wrong("a flat input is interpolated nowhere")
        }
        Some(Interpolation { mode: InterpMode::PerVertex, .. })
            if !matches!(var.slot, IoSlot::Location(_)) =>
        {
            wrong("only a location has the value of a vertex")
        }
        Some(Interpolation { mode: InterpMode::Smooth | InterpMode::NoPerspective, .. })
            if integer || var.ty.bits() == 64 =>
        {
            wrong("integers and doubles must be flat")
        }
        Some(_) => Ok(()),
    }
}

/// Checks the declarations of inputs or outputs. They are visited in the order of their slots.
fn declarations(vars: &[IoVar], allowed: bool, streams: bool) -> Result<()> {
    let wrong = |var: &IoVar, what| Err(VerifyErrorKind::Slot { slot: var.slot, what });
    let mut order: Vec<&IoVar> = vars.iter().collect();
    order.sort_by_key(|var| (var.slot, var.comp));
    // The earlier declarations that include the current slot: at most one for each component.
    let mut open: Vec<&IoVar> = Vec::new();
    for var in order {
        if !allowed {
            return wrong(var, "compute shaders have no inputs and outputs");
        }
        if !fits(var.comp, var.ty, 8) {
            return wrong(
                var,
                "an element must have components of 32 or 64 bits and take one or two slots",
            );
        }
        let first = match var.slot {
            IoSlot::ClipDistances { first } => first,
            _ => 0,
        };
        if !matches!(first, 0 | 4) {
            return wrong(var, "the first distance of a slot is 0 or 4");
        }
        if var.count == 0 || var.slot.plus(var.slots() - 1).is_none() {
            return wrong(var, "a declaration must have at least one element, and a slot for each");
        }
        if var.stream >= if streams { MAX_STREAMS } else { 1 } {
            return wrong(var, "streams are 0 to 3, and 0 outside geometry shaders");
        }
        open.retain(|other| other.index_of(var.slot).is_some());
        if open.iter().any(|other| overlap(other, var)) {
            return wrong(var, "two declarations have a component in common");
        }
        open.push(var);
    }
    Ok(())
}

/// Whether the components of a type, starting at component `comp`, fit `room` components of 32 bits. A type that
/// needs two slots must start at component 0.
fn fits(comp: u8, ty: Ty, room: usize) -> bool {
    let dwords = match ty.bits() {
        32 => 1,
        64 => 2,
        _ => return false,
    };
    let end = usize::from(comp) + dwords * ty.comps();
    let aligned = dwords == 1 || comp.is_multiple_of(2);
    aligned && end <= room && (end <= 4 || dwords == 2 && comp == 0)
}

/// Whether `var`, which starts in a slot of `other`, has a component in common with it.
fn overlap(other: &IoVar, var: &IoVar) -> bool {
    let Some(at) = other.index_of(var.slot) else { return false };
    // The components of both repeat with a period of at most two slots.
    (0..2.min(other.slots() - at).min(var.slots()))
        .any(|i| other.components(at + i) & var.components(i) != 0)
}

/// An access to a slot by any kind of instruction.
struct Access {
    slot: IoSlot,
    vertex: Option<Src>,
    index: Option<Src>,
    comp: u8,
    /// The type that spans the components; a mask may omit some of them.
    ty: Ty,
    output: bool,
    /// Number of sources before `vertex`.
    before: usize,
}

impl Verifier<'_> {
    /// Checks an instruction that accesses slots or emits vertices.
    pub(super) fn io(&self, kind: &InstKind, result: Option<Ty>) -> Result<()> {
        let stage = self.shader.stage.stage();
        let only = |wanted| match stage == wanted {
            true => Ok(()),
            false => Err(VerifyErrorKind::Stage("an instruction of another stage")),
        };
        match *kind {
            InstKind::LoadInput { slot, vertex, index, comp } => {
                let ty = result.unwrap_or(Ty::X32);
                self.slot(Access { slot, vertex, index, comp, ty, output: false, before: 0 })
            }
            InstKind::Interpolate { slot, weights, index, comp } => {
                self.fragment_only()?;
                self.bits(0, weights, 32)?;
                let ty = result.unwrap_or(Ty::X32);
                let interp = self.shader.input(slot).and_then(|var| var.interp);
                let smooth = interp.is_some_and(|interp| {
                    matches!(interp.mode, InterpMode::Smooth | InterpMode::NoPerspective)
                });
                if !smooth || ty.bits() != 32 {
                    let what = "`interpolate` reads 32-bit floats of an input that is interpolated";
                    return Err(VerifyErrorKind::Slot { slot, what });
                }
                let vertex = None;
                self.slot(Access { slot, vertex, index, comp, ty, output: false, before: 1 })
            }
            InstKind::LoadOutput { slot, vertex, index, comp } => {
                only(Stage::TessControl)?;
                let ty = result.unwrap_or(Ty::X32);
                self.slot(Access { slot, vertex, index, comp, ty, output: true, before: 0 })
            }
            InstKind::StoreOutput { slot, data, vertex, index, comp, mask } => {
                check_mask(mask, 4)?;
                let ty = self.shader.func.ty(data.value).with_comps(mask.width());
                self.slot(Access { slot, vertex, index, comp, ty, output: true, before: 1 })
            }
            InstKind::EmitVertex { stream } | InstKind::EndPrimitive { stream } => {
                only(Stage::Geometry)?;
                match stream < MAX_STREAMS {
                    true => Ok(()),
                    false => Err(VerifyErrorKind::Stage("streams are 0 to 3")),
                }
            }
            _ => Ok(()),
        }
    }

    /// Checks an access to a slot.
    fn slot(&self, access: Access) -> Result<()> {
        let Access { slot, vertex, index, comp, ty, output, before } = access;
        let wrong = |what| Err(VerifyErrorKind::Slot { slot, what });
        let (var, per_vertex) = match output {
            true => (self.shader.output(slot), self.shader.output_is_per_vertex(slot)),
            false => (self.shader.input(slot), self.shader.input_is_per_vertex(slot)),
        };
        if var.is_none() {
            return wrong("no declaration contains the slot");
        }
        if !fits(comp, ty, 4) {
            return wrong(
                "an access must have components of 32 or 64 bits and stay within one slot",
            );
        }
        if vertex.is_some() != per_vertex {
            return wrong(
                "`vertex` must be given for per-vertex inputs and outputs, and for no others",
            );
        }
        for (i, src) in vertex.into_iter().chain(index).enumerate() {
            self.bits(before + i, src, 32)?;
        }
        Ok(())
    }
}
