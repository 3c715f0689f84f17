//! Textures: reads with SIMD4x2 sampler messages, which have a vector of parameters for each vertex.

use crestline_isa::{Type, WriteMask};
use crestline_ssa::ir::{Resource, Src, TextureForm, TextureRead, Value};

use super::operands::{Lanes, VectorRegister};
use super::{SelectError, Selector};
use crate::ir::{Operand, Region};
use crate::select::{Class, MemoryMessages, check_vector_texture_read};
use crate::surface::{self, Parameter, SamplerIndex, SamplerParameters};

impl Selector<'_> {
    /// Selects a texture read: gathers its parameters in registers, and emits the sampler message.
    pub(super) fn texture(&mut self, read: &TextureRead, result: Value) -> Result<(), SelectError> {
        if read.form != TextureForm::Message {
            return Err(SelectError::NotLowered { what: "a texture read" });
        }
        check_vector_texture_read(read)?;
        let target = self.target;
        let texture = self.surface(&read.texture)?;
        let sampler = match &read.sampler {
            Some(sampler) => self.sampler(sampler)?,
            None => SamplerIndex::NONE,
        };
        let dims = usize::from(read.dims);
        let zero = |src| self.known_scalar(src) == Some(0);
        let parameters = SamplerParameters {
            coordinates: if read.coord.is_some() { read.coords() } else { 0 },
            gradients: if read.gradients.is_some() { dims } else { 0 },
            offsets: if read.offset_at_run_time.is_some() { dims } else { 0 },
            level: read.level.is_some_and(|level| !zero(level)),
            compare: read.compare.is_some(),
            implicit: false,
            min_level: false,
            control: 0,
        };
        let op = surface::sampler_op(target, read.op, parameters);
        let parameters: Vec<Option<Src>> = surface::vector_parameters(op, parameters)
            .into_iter()
            .map(|parameter| source(read, parameter).filter(|&src| !zero(src)))
            .collect();
        let rows: Vec<Operand> = parameters.chunks(4).map(|row| self.row(row)).collect();
        let header = surface::sampler_header(&mut self.b().align1(), read.op, read.offset, sampler);
        let b = &mut self.b();
        let texel = surface::read_sampler_vectors(b, target, op, texture, sampler, header, &rows)?;
        self.set_vector_location(result, texel, 0);
        Ok(())
    }

    /// Moves scalars to the components of a new register; `None` becomes 0.
    fn row(&mut self, parts: &[Option<Src>]) -> Operand {
        let vector = self.vector(Type::Ud);
        let (mut to, mut sources, mut zeros) = (Vec::new(), Vec::new(), 0);
        for (register, part) in (0..).zip(parts) {
            match part {
                Some(src) => {
                    to.push(register);
                    sources.push(*src);
                }
                None => zeros |= 1 << register,
            }
        }
        if !sources.is_empty() {
            let register = VectorRegister { vector, lanes: Lanes::of(&to) };
            self.move_parts(&sources, register, Class::Unsigned);
        }
        if zeros != 0 {
            let dst = vector.with_region(Region::Mask(WriteMask(zeros)));
            self.b().mov(dst, Operand::imm_ud(0));
        }
        vector
    }

    /// The sampler index of a binding, or of one element if it is an array.
    fn sampler(&mut self, resource: &Resource) -> Result<SamplerIndex, SelectError> {
        let missing = SelectError::NotInLayout { what: "a sampler" };
        let &first = self.interface.samplers.get(&resource.binding).ok_or(missing)?;
        self.sampler_from(first, resource)
    }
}

/// The scalar source for a parameter of a read; `None` if the read does not have it.
fn source(read: &TextureRead, parameter: Parameter) -> Option<Src> {
    let along = |direction: usize| read.gradients.map(|gradients| gradients[direction]);
    let (src, comp) = match parameter {
        Parameter::Coordinate(axis) => (read.coord, axis),
        Parameter::Level => (read.level, 0),
        Parameter::MinLevel => (read.min_level, 0),
        Parameter::Sample => (read.sample, 0),
        Parameter::Compare => (read.compare, 0),
        Parameter::AlongX(axis) => (along(0), axis),
        Parameter::AlongY(axis) => (along(1), axis),
        Parameter::Offset(axis) => (read.offset_at_run_time, axis),
        Parameter::Control(_) | Parameter::Zero => (None, 0),
    };
    src.map(|src| src.select(comp))
}
