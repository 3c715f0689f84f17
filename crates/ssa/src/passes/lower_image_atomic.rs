//! Replaces image atomics of the shading language by those on a surface of a certain format. On devices on which a
//! typed atomic writes memory even if no image is bound, adds a check that an image is bound.

use super::LowerOptions;
use super::util::image::{ImageStep, guarded, image_ty};
use super::util::{Action, rewrite};
use crate::ir::{AluOp, ImageForm, ImageParam, InstKind, Shader, Ty};

/// See the [module](self). Returns whether an atomic was replaced.
pub fn lower_image_atomic(shader: &mut Shader, options: &LowerOptions) -> bool {
    let Some(device) = &options.images else { return false };
    let bindings = &shader.bindings;
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst).clone();
        let InstKind::ImageAtomic { image, form: ImageForm::Shader, .. } = data.kind else {
            return Action::Keep;
        };
        let Some(format) = image_ty(bindings, image.binding).and_then(|ty| ty.format) else {
            return Action::Keep;
        };
        let mut atomic = data.kind;
        if let InstKind::ImageAtomic { form, .. } = &mut atomic {
            *form = ImageForm::Surface(Some(device.image_surface_format(format)));
        }
        progress = true;
        let stray = device.typed_atomics_ignore_null_surfaces();
        *b.func.kind_mut(inst) = if stray && options.left_out() != Some(ImageStep::Bound) {
            let (zero, width) = (b.imm(0), b.image_param(image, ImageParam::Size, 0));
            let bound = b.alu(AluOp::INe, &[width, zero]);
            let results: Vec<Ty> = data.results.iter().map(|&old| b.func.ty(old)).collect();
            // The `If` replaces the instruction in place, so it keeps the results.
            guarded(b, bound, atomic, &results)
        } else {
            atomic
        };
        Action::Keep
    });
    progress
}
