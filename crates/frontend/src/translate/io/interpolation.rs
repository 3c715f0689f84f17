//! How the inputs of a fragment shader are interpolated.

use crestline_ssa::ir::{InterpMode, InterpPlace, Interpolation, Stage};
use rspirv::spirv::Decoration;

use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{Deco, Type};
use crate::translate::Translator;

/// Decorations of a variable or member that say how it is interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Qualifiers {
    flat: bool,
    no_perspective: bool,
    centroid: bool,
    sample: bool,
    per_vertex: bool,
}

impl Qualifiers {
    /// Those among the decorations.
    pub(super) fn of(decorations: &[Deco<'_>]) -> Qualifiers {
        let has = |kind| decorations.iter().any(|deco| deco.kind == kind);
        Qualifiers {
            flat: has(Decoration::Flat),
            no_perspective: has(Decoration::NoPerspective),
            centroid: has(Decoration::Centroid),
            sample: has(Decoration::Sample),
            per_vertex: has(Decoration::PerVertexKHR),
        }
    }

    /// Whether the variable is an array with the values of the vertices.
    pub(super) fn is_per_vertex(self) -> bool {
        self.per_vertex
    }

    /// Those of a variable together with those of a member.
    pub(super) fn and(self, other: Qualifiers) -> Qualifiers {
        Qualifiers {
            flat: self.flat || other.flat,
            no_perspective: self.no_perspective || other.no_perspective,
            centroid: self.centroid || other.centroid,
            sample: self.sample || other.sample,
            per_vertex: self.per_vertex || other.per_vertex,
        }
    }

    /// The interpolation that the decorations state; `None` if they contradict each other.
    fn interpolation(self) -> Option<Interpolation> {
        let place = match (self.centroid, self.sample) {
            (true, true) => return None,
            (true, false) => InterpPlace::Centroid,
            (false, true) => InterpPlace::Sample,
            (false, false) => InterpPlace::Centre,
        };
        if self.per_vertex {
            return Some(Interpolation::PER_VERTEX);
        }
        match (self.flat, self.no_perspective) {
            (true, true) => None,
            // Without interpolation the place has no effect.
            (true, false) => Some(Interpolation::FLAT),
            (false, true) => Some(Interpolation { mode: InterpMode::NoPerspective, place }),
            (false, false) => Some(Interpolation { mode: InterpMode::Smooth, place }),
        }
    }
}

/// The end of a message about a variable: its name; empty if it has none.
fn named(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" for {name:?}") }
}

impl Translator<'_, '_> {
    /// How an input of the type is interpolated; `None` outside fragment shaders. The parts of structures within arrays or
    /// structures share a declaration, so they must agree.
    pub(super) fn interpolation(
        &self,
        ty: u32,
        qualifiers: Qualifiers,
        name: &str,
    ) -> Result<Option<Interpolation>> {
        if self.shader.stage.stage() != Stage::Fragment {
            return Ok(None);
        }
        let mut found = None;
        self.unite(ty, qualifiers, name, &mut found)?;
        Ok(found)
    }

    fn unite(
        &self,
        ty: u32,
        qualifiers: Qualifiers,
        name: &str,
        found: &mut Option<Interpolation>,
    ) -> Result<()> {
        let types = &self.globals.types;
        let error = |detail| Err(FrontendError::new(ErrorCode::BadInterface, detail));
        match types.get(ty) {
            Some(Type::Struct { members }) => {
                for (member, &part) in (0..).zip(members.iter()) {
                    let own = Qualifiers::of(self.module.member_decorations(ty, member));
                    self.unite(part, qualifiers.and(own), name, found)?;
                }
                return Ok(());
            }
            Some(Type::Array { elem, .. }) => return self.unite(*elem, qualifiers, name, found),
            _ => {}
        }
        let Some(this) = qualifiers.interpolation() else {
            return error(format!(
                "expected one of Flat and NoPerspective, and one of Centroid and Sample, found both{}",
                named(name)
            ));
        };
        let double = types.scalar(ty).is_some_and(|ty| matches!(ty, Type::Float { bits: 64 }));
        let is_interpolated = matches!(this.mode, InterpMode::Smooth | InterpMode::NoPerspective);
        if is_interpolated && (types.is_int(ty) || double) {
            return error(format!(
                "expected the decoration Flat for integers and doubles, found none{}",
                named(name)
            ));
        }
        if found.is_some_and(|other| other != this) {
            return error(format!(
                "expected one interpolation, found several among the parts of an input{}",
                named(name)
            ));
        }
        *found = Some(this);
        Ok(())
    }
}
