//! Prints operands: sources, paths, bindings, reads of textures, memories, options of accesses.

use std::fmt::{self, Write};

use super::Printer;
use crate::ir::{
    Access, Align, ImageForm, Memory, PathStep, Resource, Src, TextureForm, TextureOp, TextureRead,
    WriteMask,
};
use crate::text::words::{ACCESS, COMPONENTS, Field, Word};

impl<W: Write> Printer<'_, W> {
    /// A source in a list. Number 0 has no comma before it.
    pub(super) fn item(&mut self, index: usize, src: Src, comps: Option<usize>) -> fmt::Result {
        write!(self.out, "{} ", if index == 0 { "" } else { "," })?;
        self.src(src, comps)
    }

    /// A source that reads `comps` components. The swizzle is omitted only if it selects the whole value in order.
    pub(super) fn src(&mut self, src: Src, comps: Option<usize>) -> fmt::Result {
        write!(self.out, "{}", src.value)?;
        let own = self.comps(src.value);
        let comps = comps.unwrap_or(own).min(4);
        if comps != own || !src.is_identity(comps) {
            self.out.write_char('.')?;
            for &comp in &src.swizzle[..comps] {
                self.out.write_char(COMPONENTS.get(usize::from(comp)).copied().unwrap_or('?'))?;
            }
        }
        Ok(())
    }

    /// The path to a part of a variable.
    pub(super) fn path(&mut self, path: &[PathStep]) -> fmt::Result {
        for step in path {
            match step {
                PathStep::Const(index) => write!(self.out, "[{index}]")?,
                PathStep::Dyn(src) => {
                    write!(self.out, "[")?;
                    self.src(*src, Some(1))?;
                    write!(self.out, "]")?;
                }
            }
        }
        Ok(())
    }

    /// A binding with the selected array element.
    pub(super) fn resource(&mut self, resource: &Resource) -> fmt::Result {
        write!(self.out, "b{}", resource.binding.0)?;
        if let Some(element) = resource.element {
            write!(self.out, "[")?;
            self.src(element, Some(1))?;
            write!(self.out, "]")?;
        }
        Ok(())
    }

    pub(super) fn texel(&mut self, image: &Resource, coord: Src, dims: u8) -> fmt::Result {
        self.resource(image)?;
        self.item(1, coord, Some(usize::from(dims)))
    }

    /// A read through the sampler unit.
    pub(super) fn texture(&mut self, read: &TextureRead) -> fmt::Result {
        match read.op {
            TextureOp::Fetch => write!(self.out, "texture fetch ")?,
            TextureOp::Sample => write!(self.out, "texture sample ")?,
            TextureOp::Gather(comp) => write!(self.out, "texture gather {comp} ")?,
            TextureOp::Size => write!(self.out, "texture size ")?,
            TextureOp::Samples => write!(self.out, "texture samples ")?,
            TextureOp::Lod => write!(self.out, "texture lod ")?,
        }
        self.resource(&read.texture)?;
        if let Some(sampler) = &read.sampler {
            write!(self.out, ", sampler ")?;
            self.resource(sampler)?;
        }
        if let Some(coord) = read.coord {
            self.item(1, coord, Some(read.coords()))?;
        }
        if let Some(sample) = read.sample {
            write!(self.out, ", sample")?;
            self.item(0, sample, Some(1))?;
        }
        if read.implicit && read.op != TextureOp::Lod {
            write!(self.out, ", implicit")?;
        }
        let level = if read.implicit { "bias" } else { "level" };
        let scalars = [(level, read.level), ("least", read.min_level), ("compare", read.compare)];
        for (word, src) in scalars {
            if let Some(src) = src {
                write!(self.out, ", {word}")?;
                self.item(0, src, Some(1))?;
            }
        }
        let dims = usize::from(read.dims);
        if let Some([x, y]) = read.gradients {
            write!(self.out, ", gradients")?;
            self.item(0, x, Some(dims))?;
            self.item(1, y, Some(dims))?;
        }
        if let Some(offset) = read.offset_at_run_time {
            write!(self.out, ", offset")?;
            self.item(0, offset, Some(dims))?;
        }
        if read.offset != [0; 3] {
            let [x, y, z] = read.offset;
            write!(self.out, ", offset {x} {y} {z}")?;
        }
        match read.form {
            TextureForm::Shader => Ok(()),
            form => write!(self.out, ", as {}", form.word()),
        }
    }

    /// The form of an image access, unless it is that of the shader.
    pub(super) fn form(&mut self, form: ImageForm) -> fmt::Result {
        match form {
            ImageForm::Shader => Ok(()),
            ImageForm::Surface(Some(format)) => write!(self.out, ", as {format}"),
            ImageForm::Surface(None) => write!(self.out, ", as any"),
        }
    }

    /// The memory of an access.
    pub(super) fn memory(&mut self, memory: &Memory) -> fmt::Result {
        match memory {
            Memory::Ubo(resource) => {
                write!(self.out, "ubo ")?;
                self.resource(resource)
            }
            Memory::Ssbo(resource) => {
                write!(self.out, "ssbo ")?;
                self.resource(resource)
            }
            Memory::Image(resource) => {
                write!(self.out, "image ")?;
                self.resource(resource)
            }
            Memory::Global(address) => {
                write!(self.out, "global ")?;
                self.src(*address, Some(1))
            }
            Memory::PushConstant => write!(self.out, "push_constant"),
            Memory::Shared => write!(self.out, "shared"),
            Memory::Scratch => write!(self.out, "scratch"),
            Memory::ConstData => write!(self.out, "const_data"),
        }
    }

    /// A write mask, unless it selects all of `comps` components. A malformed one is printed as a number.
    pub(super) fn mask(&mut self, mask: WriteMask, comps: usize) -> fmt::Result {
        if !(1..=4).contains(&comps) || mask != WriteMask::all(comps) {
            write!(self.out, ", mask ")?;
            match mask.0 {
                0 | 16.. => write!(self.out, "{}", mask.0)?,
                _ => {
                    for comp in (0..4).filter(|&comp| mask.has(comp)) {
                        self.out.write_char(COMPONENTS[comp])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The alignment of an access.
    pub(super) fn align(&mut self, align: Align) -> fmt::Result {
        write!(self.out, ", align {}", align.mul)?;
        match align.offset {
            0 => Ok(()),
            offset => write!(self.out, "+{offset}"),
        }
    }

    pub(super) fn access(&mut self, access: Access) -> fmt::Result {
        self.flags(ACCESS, access)
    }

    /// The words of the fields that are true.
    pub(super) fn flags<T: Copy>(&mut self, fields: &[Field<T, bool>], mut of: T) -> fmt::Result {
        for (word, field) in fields {
            if *field(&mut of) {
                write!(self.out, ", {word}")?;
            }
        }
        Ok(())
    }
}
