//! Replaces queries of an image's size by parameters that the driver supplies. This needs no message. It is also
//! right for images that are bound as raw memory, and for unbound images.

use super::LowerOptions;
use super::util::image::image_ty;
use super::util::{Action, rewrite};
use crate::ir::{AluOp, ImageDim, ImageParam, InstKind, Shader, Src};

/// Number of faces of a cube.
const FACES: u32 = 6;

/// See the [module](self). Returns whether a query was replaced.
pub fn lower_image_size(shader: &mut Shader, options: &LowerOptions) -> bool {
    if options.images.is_none() {
        return false;
    }
    let bindings = &shader.bindings;
    rewrite(&mut shader.func, |b, _, inst| {
        let InstKind::ImageSize(image) = b.func.inst(inst).kind else { return Action::Keep };
        let Some(ty) = image_ty(bindings, image.binding) else { return Action::Keep };
        let mut comps = Vec::new();
        for comp in 0..ty.size_comps() {
            let size = b.image_param(image, ImageParam::Size, comp);
            comps.push(Src::new(if ty.dim == ImageDim::Cube && comp == 2 {
                let faces = b.imm(FACES);
                b.alu(AluOp::UDiv, &[size, faces])
            } else {
                size
            }));
        }
        Action::Replace(Src::new(b.vec(&comps)))
    })
}
