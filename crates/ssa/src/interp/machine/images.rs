//! Operations on images and reads through the sampler unit, one invocation after another.

use super::{Lanes, Machine, State, combine};
use crate::interp::code::{ImageAction, ImageOp, Slot, TextureSlots};
use crate::interp::image::{decode, encode, missing};
use crate::interp::texture::Read;
use crate::ir::{ImageForm, SurfaceFormat};

impl Machine<'_, '_> {
    /// Executes an image operation.
    pub(super) fn image(&mut self, state: &mut State, op: &ImageOp) {
        let (width, alpha_one) = (self.width, self.alpha_one);
        for lane in Lanes(state.active) {
            let helper = state.helpers >> lane & 1 == 1;
            let slot = |slot: Slot| state.slot(slot, width)[lane].get() as u32;
            let element = op.element.map_or(0, slot);
            let mut image = self.memory.image(op.binding, element);
            let coord = [0, 1, 2].map(|i| slot(op.coord[i]));
            let format = match (op.form, &image) {
                (ImageForm::Surface(Some(format)), _) => Some(format),
                (ImageForm::Shader, _) if op.ty.format.is_some() => op.ty.format,
                (_, Some(image)) => Some(image.format),
                (_, None) => None,
            };
            let format = format.unwrap_or(SurfaceFormat::R32_UINT);
            // An access with another texel size than that of the image has no effect.
            image = image.filter(|image| image.format.bytes() == format.bytes());
            let texel = image.as_ref().and_then(|image| image.read(op.ty, coord));
            let results = match op.action {
                ImageAction::Store | ImageAction::Atomic(_) if helper => [0; 4],
                ImageAction::Size => {
                    let size = |comp| image.as_ref().map_or(0, |i| i.size_comp(op.ty, comp));
                    [0, 1, 2, 3].map(|comp| if comp < op.comps.into() { size(comp) } else { 0 })
                }
                ImageAction::Param(param, comp) => {
                    let param = |i: &crate::interp::Image| i.param(op.ty, param, comp.into());
                    [image.as_deref().map_or(0, param); 4]
                }
                ImageAction::Load => loaded(op.form, format, texel, alpha_one),
                ImageAction::Store => {
                    let comps = op.data.map(slot);
                    let texel = encode(format, comps);
                    if let Some(image) = &mut image {
                        image.write(op.ty, coord, texel);
                    }
                    [0; 4]
                }
                ImageAction::Atomic(atomic) => {
                    let old = texel.unwrap_or(0) as u32;
                    let (data, compare) = (slot(op.data[0]).into(), slot(op.compare).into());
                    let new = combine(Some(atomic), 32, old.into(), data, compare);
                    if let Some(image) = &mut image {
                        image.write(op.ty, coord, new.into());
                    }
                    [old; 4]
                }
            };
            for (&to, bits) in op.result.iter().zip(results).take(op.comps.into()) {
                state.slot(to, width)[lane].set(bits.into());
            }
        }
    }

    /// Executes a read through the sampler unit.
    pub(super) fn texture(&mut self, state: &mut State, slots: &TextureSlots) {
        let width = self.width;
        for lane in Lanes(state.active) {
            let slot = |slot: Slot| state.slot(slot, width)[lane].get() as u32;
            let float = |at: Slot| f32::from_bits(slot(at));
            let mut offset = slots.offset.map(i32::from);
            if let Some(late) = slots.offset_at_run_time {
                offset = [slot(late[0]), slot(late[1]), 0].map(u32::cast_signed);
            }
            let mut gradients =
                slots.gradients.map(|both| both.map(|[x, y, z, _]| [x, y, z].map(float)));
            if slots.implicit
                && state.active >> (lane & !3) & 0xf == 0xf
                && let Some([x, y, z, _]) = slots.coord
            {
                // The differences in the invocation's row and column. They are undefined if an invocation of the quad is
                // not active; then no gradients are used.
                let difference = |step: usize| {
                    [x, y, z].map(|slot| {
                        let coord = |lane: usize| {
                            f32::from_bits(state.slot(slot, width)[lane].get() as u32)
                        };
                        coord(lane | step) - coord(lane & !step)
                    })
                };
                gradients = Some([difference(1), difference(2)]);
            }
            let read = Read {
                op: slots.op,
                ty: slots.ty,
                form: slots.form,
                coord: slots.coord.map_or([0; 4], |coord| coord.map(slot)),
                sample: slots.sample.map_or(0, slot),
                level: slots.level.map(slot),
                min_level: slots.min_level.map(float),
                compare: slots.compare.map(float),
                gradients,
                offset,
            };
            let element = |(_, element): (_, Option<Slot>)| element.map_or(0, slot);
            let sampler = slots.sampler.map(|s| self.memory.sampler(s.0, element(s)));
            let image = self.memory.image(slots.texture.0, element(slots.texture));
            let results = read.run(image.as_deref(), sampler.unwrap_or_default());
            for (&to, bits) in slots.result.iter().zip(results).take(slots.comps.into()) {
                state.slot(to, width)[lane].set(bits.into());
            }
        }
    }
}

/// The components that an image load returns. `texel` is the texel that was read, `None` out of bounds. `alpha_one`
/// sets the fourth component of message loads out of bounds to 1.
fn loaded(
    form: ImageForm,
    format: SurfaceFormat,
    texel: Option<u128>,
    alpha_one: bool,
) -> [u32; 4] {
    let mut comps = texel.map_or([0; 4], |texel| decode(format, texel));
    match form {
        ImageForm::Shader => {
            let channels = format.info().channels.iter().zip(missing(format));
            for (comp, (channel, missing)) in comps.iter_mut().zip(channels) {
                if channel.is_none() {
                    *comp = missing;
                }
            }
        }
        ImageForm::Surface(_) if texel.is_none() && alpha_one => comps[3] = missing(format)[3],
        ImageForm::Surface(_) => {}
    }
    comps
}
