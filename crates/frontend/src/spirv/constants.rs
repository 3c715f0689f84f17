//! Declares the types and evaluates the constants of a module, in order, with the given specialization values.

use std::rc::Rc;

use rspirv::spirv::{Decoration, Op};

use super::fold;
use super::module::{Module, is_spec_constant};
use super::reader::Inst;
use super::types::{Type, Types};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::ids::IdMap;

/// The most parts of all composite constants together.
const MAX_CONST_PARTS: usize = 1 << 22;

/// The value of a constant. Tables store it with its type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Const {
    /// A scalar, zero extended; booleans are 0 and 1.
    Scalar(u64),
    /// The parts of a vector, matrix, array or structure.
    Composite(Rc<[Const]>),
    /// All parts are zero.
    Null,
    /// Any bits.
    Undef,
}

impl Const {
    /// Part `index` of a composite. The caller has checked the index against the type.
    pub(crate) fn part(&self, index: u32) -> Const {
        match self {
            Const::Composite(parts) => parts.get(index as usize).cloned().unwrap_or(Const::Undef),
            Const::Scalar(_) | Const::Undef => Const::Undef,
            Const::Null => Const::Null,
        }
    }

    /// The bits of a scalar; 0 if it is null or undefined.
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Const::Scalar(bits) => *bits,
            _ => 0,
        }
    }
}

/// Types and constants of a module.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    /// The types.
    pub(crate) types: Types,
    consts: IdMap<(u32, Const)>,
    /// The constant decorated as the WorkgroupSize built-in.
    pub(crate) workgroup_size: Option<u32>,
}

impl Globals {
    /// Declares all types and evaluates all constants. `spec` lists specialization ids and the bits of their values.
    pub(crate) fn read(module: &Module<'_>, spec: &[(u32, u64)]) -> Result<Globals> {
        let mut globals = Globals::default();
        let mut known = vec![false; spec.len()];
        let mut made = 0;
        for &index in &module.globals {
            let inst = &module.insts[index];
            match inst.op {
                Op::Variable => {}
                op if op.is_type() || op == Op::TypeForwardPointer => {
                    let consts = &globals.consts;
                    globals.types.declare(inst, |id| length(module, consts, id))?;
                }
                _ => {
                    let value = globals.evaluate(module, inst, spec, &mut known)?;
                    if let Const::Composite(parts) = &value {
                        made += parts.len();
                    }
                    if made > MAX_CONST_PARTS {
                        let detail =
                            format!("expected at most {MAX_CONST_PARTS} parts in all constants");
                        return Err(inst.error(ErrorCode::TooManyParts, detail));
                    }
                    globals.consts.insert(inst.result, (inst.ty, value));
                    let builtin = module.decoration_word(inst.result, Decoration::BuiltIn)?;
                    if builtin == Some(rspirv::spirv::BuiltIn::WorkgroupSize as u32) {
                        globals.workgroup_size = Some(inst.result);
                    }
                }
            }
        }
        if let Some(unknown) = known.iter().position(|&k| !k) {
            let detail = format!("expected a SpecId of the module, found {}", spec[unknown].0);
            return Err(FrontendError::new(ErrorCode::UnknownSpecId, detail));
        }
        Ok(globals)
    }

    /// Type and value of a constant.
    pub(crate) fn get(&self, id: u32) -> Option<&(u32, Const)> {
        self.consts.get(&id)
    }

    /// The value of an integer constant.
    pub(crate) fn int(&self, id: u32) -> Result<u64> {
        match self.get(id) {
            Some((ty, value)) if self.types.is_int(*ty) && self.types.parts(*ty).is_none() => {
                Ok(value.bits())
            }
            _ => {
                let detail = format!("expected an integer constant, found %{id}");
                Err(FrontendError::new(ErrorCode::NotAConstant, detail))
            }
        }
    }

    /// The value of the constant that `inst` defines. Sets `known[i]` if it uses `spec[i]`.
    fn evaluate(
        &self,
        module: &Module<'_>,
        inst: &Inst<'_>,
        spec: &[(u32, u64)],
        known: &mut [bool],
    ) -> Result<Const> {
        let ty = self.types.expect(inst.ty).map_err(|e| e.at(inst.position()))?;
        let mut chosen = |default: u64| -> Result<Const> {
            let Some(id) = module.decoration_word(inst.result, Decoration::SpecId)? else {
                return Ok(Const::Scalar(default));
            };
            let mut value = default;
            for (i, _) in spec.iter().enumerate().filter(|(_, s)| s.0 == id) {
                (value, known[i]) = (spec[i].1, true);
            }
            Ok(Const::Scalar(match *ty {
                Type::Bool => u64::from(value != 0),
                Type::Int { bits, .. } | Type::Float { bits } => value & (u64::MAX >> (64 - bits)),
                _ => value,
            }))
        };
        match inst.op {
            Op::ConstantTrue | Op::ConstantFalse if *ty == Type::Bool => {
                Ok(Const::Scalar(u64::from(inst.op == Op::ConstantTrue)))
            }
            Op::SpecConstantTrue | Op::SpecConstantFalse if *ty == Type::Bool => {
                chosen(u64::from(inst.op == Op::SpecConstantTrue))
            }
            Op::Constant | Op::SpecConstant => {
                let (Type::Int { bits, .. } | Type::Float { bits }) = *ty else {
                    let detail = format!("expected a number type, found {}", ty.describe());
                    return Err(inst.error(ErrorCode::BadConstant, detail));
                };
                let high = if bits == 64 { inst.word(1)? } else { 0 };
                let value = u64::from(inst.word(0)?) | u64::from(high) << 32;
                let value = value & (u64::MAX >> (64 - bits));
                if inst.op == Op::Constant { Ok(Const::Scalar(value)) } else { chosen(value) }
            }
            Op::ConstantNull => Ok(Const::Null),
            Op::Undef => Ok(Const::Undef),
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(inst),
            Op::SpecConstantOp => fold::spec_constant_op(self, inst),
            _ => {
                let detail = format!("expected a constant of {}", ty.describe());
                Err(inst.error(ErrorCode::BadConstant, detail))
            }
        }
    }

    /// Whether a constant of type `ty` may be part `index` of a composite. The components of an integer vector may have
    /// either signedness: validators accept that, and some compilers produce it.
    fn fits(&self, composite: u32, index: u32, ty: u32) -> bool {
        let Some(part) = self.types.part(composite, index) else { return false };
        let bits = |id| match self.types.get(id) {
            Some(&Type::Int { bits, .. }) => Some(bits),
            _ => None,
        };
        let vector = matches!(self.types.get(composite), Some(Type::Vector { .. }));
        part == ty || vector && bits(part).is_some() && bits(part) == bits(ty)
    }

    /// The value of an `OpConstantComposite`: its operands must be constants of the types of the parts.
    fn composite(&self, inst: &Inst<'_>) -> Result<Const> {
        let parts = self.types.parts(inst.ty);
        if parts.is_none_or(|count| count as usize != inst.operands.len()) {
            let count = parts.unwrap_or(0);
            let detail = format!("expected {count} parts, found {}", inst.operands.len());
            return Err(inst.error(ErrorCode::BadConstant, detail));
        }
        let part = |(index, &id): (usize, &u32)| match self.get(id) {
            Some((ty, value)) if self.fits(inst.ty, index as u32, *ty) => Ok(value.clone()),
            Some(_) => Err(inst.error(
                ErrorCode::BadConstant,
                format!(
                    "expected operand {0} to have the type of part {0} of the result, found %{id}",
                    index + 1
                ),
            )),
            None => Err(inst.error(
                ErrorCode::NotAConstant,
                format!("expected a constant defined earlier, found %{id}"),
            )),
        };
        Ok(Const::Composite(inst.operands.iter().enumerate().map(part).collect::<Result<_>>()?))
    }
}

/// The value of an array length. Specialization may make a length 0 if the shader then does not access the array; such
/// an array is given one element, so that types without elements need no rules of their own.
fn length(module: &Module<'_>, consts: &IdMap<(u32, Const)>, id: u32) -> Result<u64> {
    let specialized = || module.def(id).is_some_and(|inst| is_spec_constant(inst.op));
    match consts.get(&id) {
        Some((_, Const::Scalar(0))) if specialized() => Ok(1),
        Some((_, Const::Scalar(value))) => Ok(*value),
        _ => Err(FrontendError::new(
            ErrorCode::NotAConstant,
            format!("expected an array length that is a constant, found %{id}"),
        )),
    }
}
