//! Makes the index of an accessed element of a descriptor array the same for all channels of the message, because a message has one
//! surface for all of them. Accesses whose index is known to be the same in all invocations stay.
//!
//! If the binding has `nonuniform`, the access becomes a loop. In each iteration, the invocations whose index is that of the first
//! invocation that is left do the access, and leave the loop:
//!
//! ```text
//! %1 = load ssbo b0[%e], ...
//! ```
//!
//! becomes, for an array of 4 bindings:
//!
//! ```text
//! %1 = if %e < 4 {
//!     %2 = loop {
//!         %first = subgroup read_first, %e
//!         if %e == %first { %3 = load ssbo b0[%first], ...; break %3 } else { yield }
//!         continue
//!     }
//!     yield %2
//! } else {
//!     yield 0
//! }
//! ```
//!
//! Without `nonuniform`, the shader promises that all invocations that execute the access select the same element. So the index is that
//! of the first invocation:
//!
//! ```text
//! %first = subgroup read_first, %e
//! %1 = load ssbo b0[%first], ...
//! ```
//!
//! The promise does not include helper invocations. In fragment shaders that kill pixels or write memory, the first invocation may be one
//! with another index, so accesses without `nonuniform` become loops there too.
//!
//! For a back end without operations on subgroups, all these accesses become loops over all elements of the array:
//!
//! ```text
//! %1 = loop (%i = 0, %found = 0) {
//!     if %i >= 4 { break %found } else { yield }
//!     %next = if %e == %i { %2 = load ssbo b0[%i], ...; yield %2 } else { yield %found }
//!     continue %i + 1, %next
//! }
//! ```
//!
//! In a loop, with an index out of range, loads return 0 and stores have no effect.
//!
//! Invocations must execute a texture read with an implicit level of detail together. `sample` gets explicit gradients. All
//! invocations execute a query of the level of detail in each iteration of the loop over all elements, and those whose index
//! is `i` use its result.

use hashbrown::HashMap;

use super::LowerOptions;
use super::lower_texture::compute_level;
use super::util::{Action, Execute, for_each_distinct, for_each_value, rewrite, walk};
use crate::analysis::Divergence;
use crate::ir::{
    AluOp, Axis, Binding, BindingId, Builder, DerivativeRule, ImageDim, InstId, InstKind, Memory,
    RegionId, Resource, Shader, Src, Stage, TextureOp, Ty,
};

/// See the [module](self). Returns whether an access changed.
///
/// Queries of sizes and image parameters stay: their values are in registers, which each channel can index by itself.
/// Accesses to arrays without a bound become no loops.
pub fn lower_divergent_descriptors(shader: &mut Shader, options: &LowerOptions) -> bool {
    if shader.bindings.iter().all(|binding| binding.count.is_none()) {
        return false;
    }
    // A texture read can have two divergent elements, texture and sampler, and each gets a loop. The second visit is for
    // those that the first one did not reach.
    let uniform = options.subgroups && read_first(shader);
    let progress = visit(shader, options);
    if progress {
        visit(shader, options);
    }
    uniform | progress
}

/// Takes the index of the first invocation for each access to a binding without `nonuniform` whose index is not known to be
/// the same in all invocations. Returns whether an access changed.
fn read_first(shader: &mut Shader) -> bool {
    let divergence = Divergence::new(shader);
    let loops = helpers_differ(shader);
    let takes_first =
        |b: &Binding| !b.non_uniform && b.count.is_some_and(|count| count == 0 || !loops);
    let uniform: Vec<bool> = shader.bindings.iter().map(takes_first).collect();
    // Later accesses in a region are executed by no other invocations, so they may use an earlier copy of the index.
    let mut known: HashMap<(RegionId, Src), Src> = HashMap::new();
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let mut kind = b.func.inst(inst).kind.clone();
        let mut found = false;
        kind.for_each_surface_mut(|resource| {
            if let Some(element) = &mut resource.element
                && uniform[resource.binding.index()]
                && divergence.is_divergent(element.value)
            {
                let first = known.entry((b.region(), *element));
                *element = *first.or_insert_with(|| Src::new(b.read_first(*element)));
                found = true;
            }
        });
        if found {
            *b.func.kind_mut(inst) = kind;
            progress = true;
        }
        Action::Keep
    });
    progress
}

/// Whether helper invocations may have an index that no other invocation has. Invocations of killed pixels continue as helper invocations.
/// Atomics, and loads of what was stored before, have other results in helper invocations.
fn helpers_differ(shader: &Shader) -> bool {
    if shader.stage.stage() != Stage::Fragment {
        return false;
    }
    let mut found = false;
    walk(&shader.func, |_, _, inst| {
        found |= match &shader.func.inst(inst).kind {
            InstKind::Demote
            | InstKind::Atomic { .. }
            | InstKind::ImageAtomic { .. }
            | InstKind::ImageStore { .. } => true,
            InstKind::Store { memory, .. } => !matches!(memory, Memory::Scratch | Memory::Shared),
            _ => false,
        };
    });
    found
}

/// For each access: makes a loop over the first divergent element that it names.
fn visit(shader: &mut Shader, options: &LowerOptions) -> bool {
    let divergence = Divergence::new(shader);
    let known = shader.func.num_values();
    let counts: Vec<u32> = shader.bindings.iter().map(|b| b.count.unwrap_or(0)).collect();
    let cubes: Vec<bool> = (0..shader.bindings.len())
        .map(|i| shader.texture(BindingId::from_index(i)))
        .map(|ty| ty.is_some_and(|ty| ty.dim == ImageDim::Cube))
        .collect();
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        // Values made by this pass are uniform. The analysis has no information about them.
        let divergent = |e: &Src| e.value.index() < known && divergence.is_divergent(e.value);
        let mut found = None;
        let mut execute = Execute::Apart;
        if !b.func.inst(inst).kind.facts().may_be_parted() {
            let mut differs = false;
            let mut kind = b.func.inst(inst).kind.clone();
            kind.for_each_surface_mut(|r| {
                differs |=
                    counts[r.binding.index()] > 0 && r.element.as_ref().is_some_and(divergent);
            });
            if !differs {
                return Action::Keep;
            }
            if !make_explicit(b, &cubes, inst) {
                if kind.facts().has_effect() {
                    return Action::Keep;
                }
                execute = Execute::Together;
            }
        }
        b.func.kind_mut(inst).for_each_surface_mut(|resource| {
            let count = counts[resource.binding.index()];
            if let Some(element) = resource.element.filter(divergent)
                && count > 0
            {
                found = found.or(Some((*resource, element, count)));
            }
        });
        if let Some((resource, element, count)) = found {
            visit_each(b, inst, (resource, element, count), execute, options);
            progress = true;
        }
        Action::Keep
    });
    progress
}

/// Replaces the implicit level of detail of a texture read by explicit gradients, the derivatives of its coordinates. The
/// invocations of a quad may then execute the read at different times. Of cubes, it computes the level of detail from
/// these gradients. Returns whether it did; queries of the level of detail have no such form.
fn make_explicit(b: &mut Builder<'_>, cubes: &[bool], inst: InstId) -> bool {
    let InstKind::Texture(read) = &b.func.inst(inst).kind else { return false };
    let mut read = read.clone();
    let Some(coord) = read.coord.filter(|_| read.implicit) else { return false };
    if read.op != TextureOp::Sample {
        return false;
    }
    let scale = read.level.take().map(|bias| b.alu_ty(AluOp::FExp2, Ty::X32, &[bias]));
    let gradients = [Axis::X, Axis::Y].map(|axis| {
        let comps: Vec<Src> = (0..usize::from(read.dims))
            .map(|comp| {
                let rule = DerivativeRule::Any;
                let kind = InstKind::Derivative { axis, rule, src: coord.select(comp) };
                let made = b.inst(kind, &[Ty::X32]);
                let change = b.func.inst(made).results[0];
                match scale {
                    Some(scale) => b.alu(AluOp::FMul, &[change, scale]).into(),
                    None => change.into(),
                }
            })
            .collect();
        Src::new(b.vec(&comps))
    });
    read.implicit = false;
    match cubes[read.texture.binding.index()] {
        true => compute_level(b, &mut read, true, gradients),
        false => read.gradients = Some(gradients),
    }
    *b.func.kind_mut(inst) = InstKind::Texture(read);
    true
}

/// Replaces an access to the `element` of a resource with `count` elements by a loop that contains the access.
fn visit_each(
    b: &mut Builder<'_>,
    inst: InstId,
    (resource, element, count): (Resource, Src, u32),
    execute: Execute,
    options: &LowerOptions,
) {
    let choose = |access: &mut InstKind, at| {
        // A texture with a combined sampler names the same resource twice.
        access.for_each_surface_mut(|named| {
            if *named == resource {
                named.element = Some(at);
            }
        });
    };
    if execute == Execute::Apart && options.subgroups {
        for_each_distinct(b, inst, element, count, choose);
    } else {
        for_each_value(b, inst, element, count, execute, choose);
    }
}
