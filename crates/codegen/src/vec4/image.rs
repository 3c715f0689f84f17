//! Images: typed messages, with one channel per vertex. The mid-end has lowered all operations that depend on
//! formats.

use crestline_ssa::ir::{ImageForm, InstKind, Src, Value};

use super::{SelectError, Selector};
use crate::ir::{Effect, Operand};
use crate::select::MemoryMessages;
use crate::surface;

impl Selector<'_> {
    /// Selects an instruction on images.
    pub(super) fn image(
        &mut self,
        kind: &InstKind,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        let target = self.target;
        match (kind, result) {
            (
                InstKind::ImageLoad { form: ImageForm::Shader, .. }
                | InstKind::ImageStore { form: ImageForm::Shader, .. }
                | InstKind::ImageAtomic { form: ImageForm::Shader, .. }
                | InstKind::ImageSize(_),
                _,
            ) => return Err(SelectError::NotLowered { what: "an image access" }),
            (InstKind::ImageLoad { image, coord, dims, form, access }, Some(result)) => {
                let surface = self.surface(image)?;
                let (header, coordinates) = (self.header(), self.lanes_of(*coord, *dims));
                let stable = access.readonly && !access.volatile;
                let effect = if stable { Effect::Pure } else { Effect::Read };
                let comps = form.comps() as u32;
                let b = &mut self.b();
                let texel =
                    surface::read_texels(b, target, surface, header, &coordinates, comps, effect)?;
                self.gather(&texel, result);
            }
            (InstKind::ImageStore { image, coord, dims, data, form, .. }, _) => {
                let surface = self.surface(image)?;
                let (header, coordinates) = (self.header(), self.lanes_of(*coord, *dims));
                let texel = self.lanes_of(*data, form.comps() as u8);
                let b = &mut self.b();
                surface::write_texels(b, target, surface, header, &coordinates, &texel)?;
            }
            (InstKind::ImageAtomic { image, op, coord, dims, data, compare, .. }, _) => {
                let surface = self.surface(image)?;
                let (header, mut lanes) = (self.header(), self.lanes_of(*coord, *dims));
                let (op, operands) = self.texel_atomic_operands(*op, *data, *compare)?;
                lanes.extend(operands);
                self.with_old_value(result, |selector, asked| {
                    let b = &mut selector.b();
                    Ok(surface::atomic_texels(b, target, surface, op, header, &lanes, asked)?)
                })?;
            }
            _ => return Err(SelectError::NotLowered { what: "an instruction" }),
        }
        Ok(())
    }

    /// The header of typed messages, if the target needs one.
    fn header(&mut self) -> Option<Operand> {
        let needed = self.target.messages.typed_header;
        needed.then(|| self.pool.typed_header(&mut self.out))
    }

    /// The first `comps` components of a source, each in the first component of a register.
    fn lanes_of(&mut self, src: Src, comps: u8) -> Vec<Operand> {
        (0..usize::from(comps)).map(|comp| self.lane(src.select(comp))).collect()
    }
}
