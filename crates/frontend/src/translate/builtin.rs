//! Built-in input variables that are system values. Built-ins with slots (position, ...) are in [`io`](super::io).

use crestline_ssa::ir::{AluOp, BaryPlace, InterpMode, InterpPlace, Src, Stage, SysVal, Ty, Value};
use rspirv::spirv::{BuiltIn, Decoration};

use super::Translator;
use super::pointer::Base;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{Deco, Inst, Type};

/// How the value of a built-in variable is obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// It is this system value.
    SysVal(SysVal),
    /// It is this constant.
    Const(u32),
    /// It is a mask of invocations of the subgroup.
    Mask(Mask),
    /// Whether the invocation is a helper where the variable is read.
    IsHelper,
    /// The weights of the vertices of the primitive.
    Barycentric(InterpMode, InterpPlace),
}

/// The invocations in a mask: those whose number is equal to, at least, above, at most or below that of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mask {
    Eq,
    Ge,
    Gt,
    Le,
    Lt,
}

/// The built-in variables that are system values.
const BUILTINS: &[(BuiltIn, Builtin)] = &[
    (BuiltIn::WorkgroupId, Builtin::SysVal(SysVal::WorkgroupId)),
    (BuiltIn::NumWorkgroups, Builtin::SysVal(SysVal::NumWorkgroups)),
    (BuiltIn::WorkgroupSize, Builtin::SysVal(SysVal::WorkgroupSize)),
    (BuiltIn::LocalInvocationId, Builtin::SysVal(SysVal::LocalInvocationId)),
    (BuiltIn::GlobalInvocationId, Builtin::SysVal(SysVal::GlobalInvocationId)),
    (BuiltIn::LocalInvocationIndex, Builtin::SysVal(SysVal::LocalInvocationIndex)),
    (BuiltIn::SubgroupId, Builtin::SysVal(SysVal::SubgroupId)),
    (BuiltIn::NumSubgroups, Builtin::SysVal(SysVal::NumSubgroups)),
    (BuiltIn::SubgroupSize, Builtin::SysVal(SysVal::SubgroupSize)),
    (BuiltIn::SubgroupLocalInvocationId, Builtin::SysVal(SysVal::SubgroupInvocation)),
    (BuiltIn::SubgroupEqMask, Builtin::Mask(Mask::Eq)),
    (BuiltIn::SubgroupGeMask, Builtin::Mask(Mask::Ge)),
    (BuiltIn::SubgroupGtMask, Builtin::Mask(Mask::Gt)),
    (BuiltIn::SubgroupLeMask, Builtin::Mask(Mask::Le)),
    (BuiltIn::SubgroupLtMask, Builtin::Mask(Mask::Lt)),
    (BuiltIn::VertexIndex, Builtin::SysVal(SysVal::VertexIndex)),
    (BuiltIn::InstanceIndex, Builtin::SysVal(SysVal::InstanceIndex)),
    (BuiltIn::BaseVertex, Builtin::SysVal(SysVal::BaseVertex)),
    (BuiltIn::BaseInstance, Builtin::SysVal(SysVal::BaseInstance)),
    (BuiltIn::DrawIndex, Builtin::SysVal(SysVal::DrawIndex)),
    (BuiltIn::ViewIndex, Builtin::SysVal(SysVal::ViewIndex)),
    (BuiltIn::PrimitiveId, Builtin::SysVal(SysVal::PrimitiveId)),
    (BuiltIn::InvocationId, Builtin::SysVal(SysVal::InvocationId)),
    (BuiltIn::TessCoord, Builtin::SysVal(SysVal::TessCoord)),
    (BuiltIn::PatchVertices, Builtin::SysVal(SysVal::PatchVertices)),
    (BuiltIn::DeviceIndex, Builtin::Const(0)),
    (BuiltIn::FragCoord, Builtin::SysVal(SysVal::FragCoord)),
    (BuiltIn::FrontFacing, Builtin::SysVal(SysVal::FrontFacing)),
    (BuiltIn::PointCoord, Builtin::SysVal(SysVal::PointCoord)),
    (BuiltIn::SampleId, Builtin::SysVal(SysVal::SampleId)),
    (BuiltIn::SamplePosition, Builtin::SysVal(SysVal::SamplePosition)),
    (BuiltIn::SampleMask, Builtin::SysVal(SysVal::SampleMaskIn)),
    (BuiltIn::FullyCoveredEXT, Builtin::SysVal(SysVal::FullyCovered)),
    (BuiltIn::HelperInvocation, Builtin::SysVal(SysVal::HelperInvocation)),
    (BuiltIn::BaryCoordKHR, Builtin::Barycentric(InterpMode::Smooth, InterpPlace::Centre)),
    (
        BuiltIn::BaryCoordNoPerspKHR,
        Builtin::Barycentric(InterpMode::NoPerspective, InterpPlace::Centre),
    ),
];

impl Builtin {
    /// The meaning of a volatile variable. Only a volatile `HelperInvocation` changes after `OpDemoteToHelperInvocation`.
    pub(super) fn read_anew(self) -> Builtin {
        match self {
            Builtin::SysVal(SysVal::HelperInvocation) => Builtin::IsHelper,
            other => other,
        }
    }

    fn ty(self) -> Ty {
        match self {
            Builtin::SysVal(sysval) => sysval.ty(),
            Builtin::Const(_) => Ty::X32,
            Builtin::Mask(_) => Ty::X32.with_comps(4),
            Builtin::IsHelper => Ty::BOOL,
            Builtin::Barycentric(..) => Ty::X32.with_comps(3),
        }
    }
}

impl Translator<'_, '_> {
    /// The base of a pointer to the input variable `inst`, which is a built-in variable or a block of them.
    pub(super) fn builtin_base(&mut self, inst: &Inst<'_>, pointee: u32) -> Result<Base> {
        let own = self.module.decorations(inst.result);
        let at_inst = |error: FrontendError| error.at(inst.position());
        let Some(Type::Struct { members }) = self.globals.types.get(pointee) else {
            let builtin = self.builtin(own, pointee).map_err(at_inst)?;
            return Ok(Base::Builtin { builtin, comp: None });
        };
        let members = (0..).zip(members.iter()).map(|(number, &ty)| {
            let decorations = [own, self.module.member_decorations(pointee, number)].concat();
            self.builtin(&decorations, ty).map_err(at_inst)
        });
        Ok(Base::Builtins(members.collect::<Result<_>>()?))
    }

    /// The built-in variable that a variable or a member of a block is, which has these decorations and contains type
    /// `pointee`.
    fn builtin(&self, decorations: &[Deco<'_>], pointee: u32) -> Result<Builtin> {
        let unsupported = |detail| FrontendError::new(ErrorCode::UnsupportedBuiltin, detail);
        let number = self.module.first_word(decorations, Decoration::BuiltIn)?;
        let stage = self.shader.stage.stage();
        let exists = |builtin: Builtin| match builtin {
            Builtin::SysVal(sysval) => sysval.exists_in(stage),
            Builtin::Barycentric(..) => stage == Stage::Fragment,
            Builtin::Const(_) | Builtin::Mask(_) | Builtin::IsHelper => true,
        };
        let row = number
            .and_then(BuiltIn::from_u32)
            .and_then(|wanted| BUILTINS.iter().find(|(b, _)| *b == wanted))
            .filter(|(_, builtin)| exists(*builtin));
        let Some(&(name, builtin)) = row else {
            let found =
                number.and_then(BuiltIn::from_u32).map_or("none".into(), |b| format!("{b:?}"));
            let detail =
                format!("expected a supported built-in of {stage:?} shaders, found {found}");
            return Err(unsupported(detail));
        };
        let types = &self.globals.types;
        let fits = match builtin {
            // An array of one element. naga makes it a scalar, which has the same meaning.
            Builtin::SysVal(SysVal::SampleMaskIn) if types.leaf(pointee) == Some(Ty::X32) => true,
            Builtin::SysVal(SysVal::SampleMaskIn) => {
                types.parts(pointee) == Some(1)
                    && matches!(types.get(pointee), Some(Type::Array { .. }))
                    && types.part(pointee, 0).and_then(|elem| types.leaf(elem)) == Some(Ty::X32)
            }
            _ => types.leaf(pointee) == Some(builtin.ty()),
        };
        if !fits {
            let wanted = match (builtin, builtin.ty().comps()) {
                (Builtin::SysVal(SysVal::SampleMaskIn), _) => "an array of one integer".to_owned(),
                _ if builtin.ty() == Ty::BOOL => "a boolean".to_owned(),
                (_, comps) => format!("{comps} components of 32 bits"),
            };
            return Err(unsupported(format!("expected {wanted} for {name:?}")));
        }
        let has = |kind| decorations.iter().any(|deco| deco.kind == kind);
        if let Builtin::Barycentric(mode, _) = builtin {
            let place = match (has(Decoration::Centroid), has(Decoration::Sample)) {
                (_, true) => InterpPlace::Sample,
                (true, false) => InterpPlace::Centroid,
                (false, false) => InterpPlace::Centre,
            };
            return Ok(Builtin::Barycentric(mode, place));
        }
        Ok(if has(Decoration::Volatile) { builtin.read_anew() } else { builtin })
    }

    /// Reads a built-in variable, with all components.
    pub(super) fn load_builtin(&mut self, builtin: Builtin) -> Result<Value> {
        Ok(match builtin {
            Builtin::SysVal(sysval) => match (sysval, self.shader.compute()) {
                (SysVal::WorkgroupSize, Some(compute)) => {
                    let [x, y, z] = compute.local_size.map(u64::from);
                    self.imm_bits(Ty::X32.with_comps(3), [x, y, z, 0])
                }
                (
                    SysVal::LocalInvocationId
                    | SysVal::LocalInvocationIndex
                    | SysVal::GlobalInvocationId,
                    Some(compute),
                ) if self.square_quads => self.in_square_quads(sysval, compute.local_size),
                _ => self.sysval(sysval),
            },
            Builtin::Const(value) => self.imm(value),
            Builtin::Mask(mask) => self.subgroup_mask(mask),
            Builtin::IsHelper => self.is_helper(),
            Builtin::Barycentric(mode, place) => self.bary_coord(mode, BaryPlace::Place(place)),
        })
    }

    /// A built-in of a compute shader whose quads are squares of two by two local ids. The invocations of a quad have
    /// consecutive numbers in the thread, so the ids follow another order than the numbers: quad after quad along x, then y, then z.
    fn in_square_quads(&mut self, sysval: SysVal, [x, y, _]: [u32; 3]) -> Value {
        let number = self.sysval(SysVal::LocalInvocationIndex);
        let [one, two] = [1, 2].map(|number| self.imm(number));
        let quad = self.alu(AluOp::UShr, &[number, two]);
        let (columns, rows) = (self.imm(x / 2), self.imm(y / 2));
        let row = self.alu(AluOp::UDiv, &[quad, columns]);
        let mut place = [
            self.alu(AluOp::UMod, &[quad, columns]),
            self.alu(AluOp::UMod, &[row, rows]),
            self.alu(AluOp::UDiv, &[row, rows]),
        ];
        let next = self.alu(AluOp::UShr, &[number, one]);
        for (at, bits) in [number, next].into_iter().enumerate() {
            let own = self.alu(AluOp::IAnd, &[bits, one]);
            let first = self.alu(AluOp::IShl, &[place[at], one]);
            place[at] = self.alu(AluOp::IOr, &[first, own]);
        }
        if sysval == SysVal::LocalInvocationIndex {
            let [width, height] = [x, y].map(|size| self.imm(size));
            let rows = self.alu(AluOp::IMul, &[place[2], height]);
            let rows = self.alu(AluOp::IAdd, &[rows, place[1]]);
            let before = self.alu(AluOp::IMul, &[rows, width]);
            return self.alu(AluOp::IAdd, &[before, place[0]]);
        }
        let local = self.b().vec(&place.map(Src::new));
        if sysval == SysVal::LocalInvocationId {
            return local;
        }
        let (group, size) = (self.sysval(SysVal::WorkgroupId), self.sysval(SysVal::WorkgroupSize));
        let first = self.alu(AluOp::IMul, &[group, size]);
        self.alu(AluOp::IAdd, &[first, local])
    }

    /// The value of a subgroup mask. Subgroups have at most 32 invocations, so components 1 to 3 are zero.
    fn subgroup_mask(&mut self, mask: Mask) -> Value {
        let (low, zero) = (self.low_subgroup_mask(mask), self.imm(0));
        self.b().vec(&[low.into(), zero.into(), zero.into(), zero.into()])
    }

    /// The first component of a subgroup mask.
    pub(super) fn low_subgroup_mask(&mut self, mask: Mask) -> Value {
        let lane = self.sysval(SysVal::SubgroupInvocation);
        let one = self.imm(1);
        let bit = self.alu(AluOp::IShl, &[one, lane]);
        let below = self.alu(AluOp::ISub, &[bit, one]);
        let up_to = |t: &mut Self| t.alu(AluOp::IOr, &[bit, below]);
        let except = |t: &mut Self, lower| {
            let (all, not) = (t.all_invocations(), t.alu(AluOp::INot, &[lower]));
            t.alu(AluOp::IAnd, &[all, not])
        };
        match mask {
            Mask::Eq => bit,
            Mask::Lt => below,
            Mask::Le => up_to(self),
            Mask::Ge => except(self, below),
            Mask::Gt => {
                let lower = up_to(self);
                except(self, lower)
            }
        }
    }

    /// A mask of all invocations of the subgroup: the shift count 32 - size is below 32.
    pub(super) fn all_invocations(&mut self) -> Value {
        let size = self.sysval(SysVal::SubgroupSize);
        let (ones, width) = (self.imm(u32::MAX), self.imm(32));
        let unused = self.alu(AluOp::ISub, &[width, size]);
        self.alu(AluOp::UShr, &[ones, unused])
    }
}
