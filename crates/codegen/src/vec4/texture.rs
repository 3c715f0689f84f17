//! Textures: reads with SIMD4x2 sampler messages, which have a vector of parameters for each vertex.

use crestline_isa::message::SamplerOp;
use crestline_isa::{Swizzle, Type, WriteMask};
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
        let mut parameters = SamplerParameters {
            coordinates: if read.coord.is_some() { read.coords() } else { 0 },
            gradients: if read.gradients.is_some() { dims } else { 0 },
            offsets: if read.offset_at_run_time.is_some() { dims } else { 0 },
            level: read.level.is_some_and(|level| self.known_scalar(level) != Some(0)),
            compare: read.compare.is_some(),
            implicit: false,
            min_level: false,
            control: 0,
        };
        let header = surface::sampler_header(&mut self.b().align1(), read.op, read.offset, sampler);
        let message = |selector: &mut Self, op, parameters, control| {
            let rows = selector.rows(read, op, parameters, control);
            let b = &mut selector.b();
            surface::read_sampler_vectors(b, target, op, texture, sampler, header, &rows)
        };
        let texel = match read.sample {
            None => {
                let op = surface::sampler_op(target, read.op, parameters);
                message(self, op, parameters, None)?
            }
            // The control data of the texel say where its samples are.
            Some(_) => {
                let control = message(self, SamplerOp::LdMcs, parameters, None)?;
                parameters.control = target.multisample_control_dwords();
                let wide = parameters.control > 1;
                let op = if wide { SamplerOp::Ld2dmsW } else { SamplerOp::Ld2dms };
                message(self, op, parameters, Some(control))?
            }
        };
        self.set_vector_location(result, texel, 0);
        Ok(())
    }

    /// The registers with the parameters of a message. `control` is the vector with the multisample control data.
    fn rows(
        &mut self,
        read: &TextureRead,
        op: SamplerOp,
        parameters: SamplerParameters,
        control: Option<Operand>,
    ) -> Vec<Operand> {
        let parts: Vec<Part> = surface::vector_parameters(op, parameters)
            .into_iter()
            .map(|parameter| match (parameter, control, source(read, parameter)) {
                (Parameter::Control(dword), Some(control), _) => Part::Dword(control, dword as u8),
                (_, _, Some(src)) if self.known_scalar(src) != Some(0) => Part::Source(src),
                _ => Part::Zero,
            })
            .collect();
        parts.chunks(4).map(|row| self.row(row)).collect()
    }

    /// Moves scalars to the components of a new register.
    fn row(&mut self, parts: &[Part]) -> Operand {
        let vector = self.vector(Type::Ud);
        let (mut to, mut sources, mut zeros) = (Vec::new(), Vec::new(), 0);
        for (register, part) in (0..).zip(parts) {
            match *part {
                Part::Source(src) => {
                    to.push(register);
                    sources.push(src);
                }
                Part::Dword(of, dword) => {
                    let dst = vector.with_region(Region::Mask(WriteMask(1 << register)));
                    let src = of.with_region(Region::Swizzle(Swizzle([dword; 4])));
                    self.b().mov(dst, src);
                }
                Part::Zero => zeros |= 1 << register,
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

/// What a component of a payload register is filled with.
#[derive(Clone, Copy)]
enum Part {
    /// A scalar.
    Source(Src),
    /// A component of a vector.
    Dword(Operand, u8),
    /// 0.
    Zero,
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
