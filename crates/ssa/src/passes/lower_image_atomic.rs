//! Lets image atomics name the integer surface that they work on, and keeps them off images that are not bound where
//! the hardware does not.

use super::LowerOptions;
use super::util::image::image_ty;
use super::util::{Action, rewrite};
use crate::ir::{AluOp, Builder, ImageForm, ImageParam, InstKind, Shader, Ty, Value};

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
        if !device.typed_atomics_ignore_null_surfaces() {
            *b.func.kind_mut(inst) = atomic;
            return Action::Keep;
        }
        // The instruction becomes the conditional, with the same results.
        let zero = b.imm(0);
        let width = b.image_param(image, ImageParam::Size, 0);
        let cond = b.alu(AluOp::INe, &[width, zero]).into();
        let (then, else_) = (b.func.add_region(), b.func.add_region());
        let wanted = !data.results.is_empty();
        let mut inner = Builder::new(b.func, then);
        let results: &[Ty] = if wanted { &[Ty::X32] } else { &[] };
        let atomic = inner.inst(atomic, results);
        let old: Vec<Value> = inner.func.inst(atomic).results.to_vec();
        inner.yield_(&old);
        inner.switch_to(else_);
        inner.yield_(if wanted { std::slice::from_ref(&zero) } else { &[] });
        *b.func.kind_mut(inst) = InstKind::If { cond, then, else_ };
        Action::Keep
    });
    progress
}
