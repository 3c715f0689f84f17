//! Replaces image loads by messages that the device has, and by arithmetic that converts the bits.
//!
//! The code depends on two formats: that of the shader, and the one in which the device can read these texels.
//!
//! 1. The read is a typed message. If no typed message supports such texels, it reads dwords at an address that the
//!    shader computes.
//! 2. Out of bounds the result must be 0. For computed addresses, an address outside the surface is used instead, or
//!    if that may hang the device, the access is skipped. Typed reads may return 1 in the fourth component; it is
//!    replaced by 0.
//! 3. If the formats differ, channels are extracted from the words that were read, sign extended and converted.
//! 4. On some devices a read also returns bits of following texels. They are removed in step 3: sign extension and the
//!    conversion of half floats ignore them, and other channels are masked anyway. If the formats are equal, a mask
//!    removes them.
//! 5. Components that the format does not have are set to 0, or 1 for the fourth.

use super::LowerOptions;
use super::util::image::{ImageStep, Texel, Word, from_words, image_ty, is_integer};
use super::util::{Action, rewrite};
use crate::ir::{Align, AluOp, Builder, ImageForm, InstKind, Shader, Src, Ty, Value};

/// See the [module](self). Returns whether a load was replaced.
pub fn lower_image_load(shader: &mut Shader, options: &LowerOptions) -> bool {
    let Some(device) = &options.images else { return false };
    let bindings = &shader.bindings;
    rewrite(&mut shader.func, |b, _, inst| {
        let InstKind::ImageLoad { image, coord, form: ImageForm::Shader, access, .. } =
            b.func.inst(inst).kind
        else {
            return Action::Keep;
        };
        let Some((ty, format)) =
            image_ty(bindings, image.binding).and_then(|ty| Some((ty, ty.format?)))
        else {
            return Action::Keep;
        };
        let texel = Texel::new(device, image, ty, coord, format, options.left_out());
        Action::Replace(Src::new(load(b, &texel, access)))
    })
}

/// Builds the load of a texel.
fn load(b: &mut Builder<'_>, texel: &Texel<'_>, access: crate::ir::Access) -> Value {
    let words = texel.words();
    let result = Ty::X32.with_comps(words.len());
    let (image, surface, steps) = (texel.image, texel.surface, texel.steps);
    let read = if texel.is_raw() {
        let (memory, align) = (texel.memory(), Align::to(texel.format.bytes()));
        let load = |offset| InstKind::Load { memory, offset, align, access };
        texel.raw_access(b, load, &[result])
    } else {
        let (coord, dims) = (texel.coord, texel.ty.coords() as u8);
        let form = ImageForm::Surface(Some(surface));
        InstKind::ImageLoad { image, coord, dims, form, access }
    };
    let read = b.inst(read, &[result]);
    let read = b.func.inst(read).results[0];
    let mut values: Vec<Value> = (0..words.len()).map(|i| b.comp(read, i)).collect();
    if values.len() == 4 && !texel.is_raw() && steps.take(ImageStep::Alpha) {
        let (inside, zero) = (texel.in_bounds(b), b.imm(0));
        values[3] = b.alu(AluOp::Select, &[inside, values[3], zero]);
    }
    let words: Vec<_> = words.into_iter().zip(values).collect();
    let mut comps = match surface == texel.format {
        true => words.into_iter().map(|(word, value)| whole(b, texel, word, value)).collect(),
        false => from_words(b, texel, &words),
    };
    let one = if is_integer(texel.format) { 1 } else { 1f32.to_bits() };
    while comps.len() < 4 {
        let missing = if comps.len() == 3 { one } else { 0 };
        let filled = steps.take(ImageStep::Pad).then(|| b.imm(missing));
        comps.push(filled.unwrap_or(comps[0]));
    }
    let comps: Vec<Src> = comps.into_iter().map(Src::new).collect();
    b.vec(&comps)
}

/// A word of a format that needs no conversion, without bits of the following texels.
fn whole(b: &mut Builder<'_>, texel: &Texel<'_>, word: Word, value: Value) -> Value {
    if !texel.reads_on(word) {
        return value;
    }
    let mask = b.imm((1 << word.bits) - 1);
    b.alu(AluOp::IAnd, &[value, mask])
}
