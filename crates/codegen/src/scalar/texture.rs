//! Textures: reads with sampler messages.

use crestline_ssa::ir::{Resource, TextureForm, TextureRead, Value};

use super::{SelectError, Selector};
use crate::ir::Operand;
use crate::select::{Class, MemoryMessages, check_texture_read};
use crate::stage::FragmentStep;
use crate::surface::{self, SamplerIndex, SamplerRead};

impl Selector<'_> {
    /// Selects a texture read: gathers its operands, and emits the sampler message.
    pub(super) fn texture(&mut self, read: &TextureRead, result: Value) -> Result<(), SelectError> {
        if read.form != TextureForm::Message {
            return Err(SelectError::NotLowered { what: "a texture read" });
        }
        let target = self.target;
        check_texture_read(target, read)?;
        let surface = self.surface(&read.texture)?;
        let sampler = match &read.sampler {
            Some(sampler) => self.sampler(sampler)?,
            None => SamplerIndex::NONE,
        };
        let dims = usize::from(read.dims);
        let mut components = |src: Option<_>, count: usize| -> Option<Vec<Operand>> {
            src.map(|src| (0..count).map(|i| self.src_comp(src, i, Class::Unsigned)).collect())
        };
        let mut first = |src| components(src, 1).and_then(|all| all.first().copied());
        let (level, compare) = (first(read.level), first(read.compare));
        let (min_level, sample) = (first(read.min_level), first(read.sample));
        let coordinates = components(read.coord, read.coords()).unwrap_or_default();
        let gradients = read
            .gradients
            .and_then(|[x, y]| Some([components(Some(x), dims)?, components(Some(y), dims)?]));
        let offset = components(read.offset_at_run_time, dims);
        let with_control_data = self.does(FragmentStep::ControlData);
        let b = &mut self.b();
        let header = surface::sampler_header(b, read.op, read.offset, sampler);
        let read = SamplerRead {
            op: read.op,
            surface,
            sampler,
            header,
            coordinates,
            level,
            implicit: read.implicit,
            min_level,
            sample,
            with_control_data,
            compare,
            gradients,
            offset,
        };
        let texel = surface::read_sampler(b, target, &read)?;
        let comps = self.shader.func.ty(result).comps();
        for (comp, dword) in texel.into_iter().take(comps).enumerate() {
            self.locate(result, comp, dword);
        }
        Ok(())
    }

    /// The sampler index of a binding, or of one element if it is an array.
    fn sampler(&mut self, resource: &Resource) -> Result<SamplerIndex, SelectError> {
        let missing = SelectError::NotInLayout { what: "a sampler" };
        let &first = self.interface.samplers.get(&resource.binding).ok_or(missing)?;
        self.sampler_from(first, resource)
    }
}
