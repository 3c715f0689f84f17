//! Invariants of reads through the sampler unit.

use super::{Result, Verifier, VerifyErrorKind};
use crate::ir::{BindingKind, ImageDim, TextureOp, TextureRead};

impl Verifier<'_> {
    /// Checks a texture, its sampler, and that the operands fit the operation.
    pub(super) fn texture(&self, read: &TextureRead) -> Result<()> {
        let wrong = |what| Err(VerifyErrorKind::Memory(what));
        self.resource(&read.texture)?;
        let Some(ty) = self.shader.texture(read.texture.binding) else {
            return wrong("the binding is no texture");
        };
        let layered = ty.arrayed && read.op != TextureOp::Lod;
        if (usize::from(read.dims), read.arrayed) != (ty.dims(), layered) {
            return wrong("the number of coordinates does not match the texture");
        }
        if let Some(sampler) = &read.sampler {
            self.resource(sampler)?;
            let kind = self.shader.binding(sampler.binding).kind;
            if !matches!(kind, BindingKind::Sampler | BindingKind::Texture(_)) {
                return wrong("the binding is no sampler");
            }
        }
        let filtered = matches!(read.op, TextureOp::Sample | TextureOp::Gather(_));
        let samples = filtered || read.op == TextureOp::Lod;
        if samples != read.sampler.is_some() {
            return wrong("`sample`, `gather` and `lod`, and no others, have a sampler");
        }
        if matches!(read.op, TextureOp::Size | TextureOp::Samples) == read.coord.is_some() {
            return wrong("all but `size` and `samples` have coordinates");
        }
        if ty.multisampled {
            if samples {
                return wrong("a multisampled texture cannot be filtered");
            }
            if read.level.is_some() {
                return wrong("a multisampled texture has one level");
            }
        } else if read.op == TextureOp::Samples {
            return wrong("only a multisampled texture has a number of samples");
        }
        if read.sample.is_some() != (ty.multisampled && read.op == TextureOp::Fetch) {
            return wrong("`fetch` of a multisampled texture, and no other, has a sample");
        }
        if samples && ty.dim == ImageDim::Buffer {
            return wrong("a texel buffer cannot be filtered");
        }
        if matches!(read.op, TextureOp::Fetch) && ty.dim == ImageDim::Cube {
            return wrong("a cube map cannot be fetched");
        }
        if matches!(read.op, TextureOp::Gather(4..)) {
            return wrong("a texel has four components");
        }
        if read.compare.is_some() && !filtered {
            return wrong("`sample` and `gather`, and no others, compare");
        }
        let sample = read.op == TextureOp::Sample;
        if read.gradients.is_some() && (!sample || read.level.is_some()) {
            return wrong("only `sample` has gradients, and then no level");
        }
        let lod = read.op == TextureOp::Lod;
        if lod && !read.implicit {
            return wrong("`lod` has an implicit level");
        }
        if read.implicit {
            self.has_quads()?;
            if !(sample || lod) || read.gradients.is_some() {
                return wrong(
                    "only `sample` and `lod` have an implicit level, and then no gradients",
                );
            }
        }
        if read.min_level.is_some() && !(sample && (read.implicit || read.gradients.is_some())) {
            return wrong("only `sample` with an implicit level or gradients has a least level");
        }
        if read.level.is_some() && matches!(read.op, TextureOp::Gather(_)) {
            return wrong("`gather` reads level 0");
        }
        if read.level.is_some() && matches!(read.op, TextureOp::Samples | TextureOp::Lod) {
            return wrong("`samples` and `lod` have no level");
        }
        let moved = read.offset != [0; 3];
        if moved && (!filtered || read.offset.iter().any(|n| !(-8..=7).contains(n))) {
            return wrong("an offset is -8 to 7, of `sample` or `gather`");
        }
        let late = read.offset_at_run_time.is_some();
        if late && (moved || !matches!(read.op, TextureOp::Gather(_)) || ty.dim != ImageDim::D2) {
            return wrong(
                "only `gather` of two dimensions may have an offset that is not constant",
            );
        }
        for (index, (src, _)) in read.sources().enumerate() {
            self.bits(index, src, 32)?;
        }
        Ok(())
    }
}
