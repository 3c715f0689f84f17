//! Replaces image stores by writes in the format in which the image is bound, and by arithmetic that converts the
//! components.
//!
//! An image that the shader only writes is bound in its own format, and the hardware converts. An image that the
//! shader also reads is bound in the format in which the device can read it (see
//! [`lower_image_load`](super::lower_image_load())). Then the conversion is the reverse of that of a load: components
//! are clamped, rounded and inserted into words. Typed writes out of bounds have no effect; for addresses that the
//! shader computes, the code makes sure of this.

use super::LowerOptions;
use super::util::image::{Texel, image_ty, read_bindings, to_words};
use super::util::{Action, rewrite};
use crate::ir::{Align, Builder, ImageForm, InstKind, Shader, Src, WriteMask};

/// See the [module](self). Returns whether a store was replaced.
pub fn lower_image_store(shader: &mut Shader, options: &LowerOptions) -> bool {
    let Some(device) = &options.images else { return false };
    let read = read_bindings(&shader.func, shader.bindings.len());
    let bindings = &shader.bindings;
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let InstKind::ImageStore { image, coord, dims, data, form: ImageForm::Shader, access } =
            b.func.inst(inst).kind
        else {
            return Action::Keep;
        };
        let Some(ty) = image_ty(bindings, image.binding) else { return Action::Keep };
        let texel = match ty.format {
            Some(format) if read[image.binding.index()] => {
                Some(Texel::new(device, image, ty, coord, format, options.left_out()))
            }
            _ => None,
        };
        let typed = |data, format| {
            let form = ImageForm::Surface(format);
            InstKind::ImageStore { image, coord, dims, data, form, access }
        };
        let lowered = match &texel {
            Some(texel) if texel.is_raw() => {
                let (data, comps) = converted(b, texel, data);
                let (mask, align) = (WriteMask::all(comps), Align::to(texel.format.bytes()));
                let (memory, comps) = (texel.memory(), comps as u8);
                let store =
                    |offset| InstKind::Store { memory, offset, data, comps, mask, align, access };
                texel.raw_access(b, store, &[])
            }
            Some(texel) if texel.surface != texel.format => {
                typed(converted(b, texel, data).0, Some(texel.surface))
            }
            _ => typed(data, ty.format),
        };
        *b.func.kind_mut(inst) = lowered;
        progress = true;
        Action::Keep
    });
    progress
}

/// The words to write, and their number.
fn converted(b: &mut Builder<'_>, texel: &Texel<'_>, data: Src) -> (Src, usize) {
    let words = to_words(b, texel, data);
    let words: Vec<Src> = words.into_iter().map(Src::new).collect();
    (b.vec(&words).into(), words.len())
}
