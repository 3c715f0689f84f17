//! Images: typed messages, and image parameters from the driver. The mid-end has lowered all operations that depend
//! on formats.

use crestline_ssa::ir::{ImageForm, InstKind, Resource, Src, Value};

use super::{SelectError, Selector};
use crate::ir::{Effect, Operand};
use crate::select::{Class, MemoryMessages};
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
                let (header, coordinates) = (self.header(), self.coordinates(*coord, *dims));
                let stable = access.readonly && !access.volatile;
                let effect = if stable { Effect::Pure } else { Effect::Read };
                let comps = form.comps() as u32;
                let b = &mut self.b();
                let texel =
                    surface::read_texel(b, target, surface, header, &coordinates, comps, effect)?;
                for (comp, dword) in texel.into_iter().enumerate() {
                    self.locate(result, comp, dword);
                }
            }
            (InstKind::ImageStore { image, coord, dims, data, form, .. }, _) => {
                let surface = self.surface(image)?;
                let (header, coordinates) = (self.header(), self.coordinates(*coord, *dims));
                let texel: Vec<Operand> =
                    (0..form.comps()).map(|c| self.src_comp(*data, c, Class::Unsigned)).collect();
                self.b_live(|b| {
                    surface::write_texel(b, target, surface, header, &coordinates, &texel)
                })?;
            }
            (InstKind::ImageAtomic { image, op, coord, dims, data, compare, .. }, _) => {
                let surface = self.surface(image)?;
                let (header, coordinates) = (self.header(), self.coordinates(*coord, *dims));
                let (op, operands) = self.texel_atomic_operands(*op, *data, *compare)?;
                self.with_old_value(result, |selector, asked| {
                    let (c, o) = (&coordinates[..], &operands[..]);
                    Ok(selector.b_live(|b| {
                        surface::atomic_texel(b, target, surface, op, header, c, o, asked)
                    })?)
                })?;
            }
            (InstKind::ImageParam { image, param, comp }, Some(result)) => {
                let Resource { binding, .. } = *image;
                let (interface, param, comp) = (self.interface, *param, u32::from(*comp));
                let place = |element| {
                    interface.image_params.get(&(binding, param, element)).map(|at| at + 4 * comp)
                };
                let missing = SelectError::NotInLayout { what: "an image parameter" };
                self.payload_dword(image, &place, missing, result)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The header of typed messages, if the target needs one.
    fn header(&mut self) -> Option<Operand> {
        let needed = self.target.messages.typed_header;
        needed.then(|| self.pool.typed_header(&mut self.out))
    }

    /// The coordinates of a texel as operands.
    fn coordinates(&mut self, coord: Src, dims: u8) -> Vec<Operand> {
        (0..usize::from(dims)).map(|comp| self.src_comp(coord, comp, Class::Unsigned)).collect()
    }
}
