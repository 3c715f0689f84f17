//! How many components each source of an instruction reads. For terminators this depends on the enclosing regions.

use super::{
    BaryPlace, Function, InstData, InstId, InstKind, PathStep, RegionId, Shader, Src, Ty, VarTy,
    Variable,
};

/// The greatest nesting depth of regions.
///
/// Passes recurse over regions, so this bounds their stack use. The verifier rejects deeper code.
pub const MAX_DEPTH: usize = 512;

/// The targets of the terminators in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// The `If` that `Yield` ends, if the region belongs to an `If`.
    pub yields: Option<InstId>,
    /// The innermost loop, which `Break` leaves.
    pub breaks: Option<InstId>,
    /// The region to which `Continue` goes.
    pub continues: Option<RegionId>,
}

impl Targets {
    /// The targets inside region number `index` (in the order of [`InstKind::regions`]) of the instruction `inst`.
    /// `self` are the targets where `inst` itself is.
    pub fn inside(self, inst: InstId, kind: &InstKind, index: usize) -> Targets {
        match *kind {
            InstKind::If { .. } => Targets { yields: Some(inst), ..self },
            InstKind::Loop { body, continuing, .. } => {
                let continues = if index == 0 { continuing.unwrap_or(body) } else { body };
                Targets { yields: None, breaks: Some(inst), continues: Some(continues) }
            }
            _ => self,
        }
    }

    /// The results or parameters that the sources of the terminator `kind` become, in order. `None` if `kind` is no
    /// such terminator or has no target here.
    pub fn values<'f>(&self, func: &'f Function, kind: &InstKind) -> Option<&'f [super::Value]> {
        match kind {
            InstKind::Yield(_) => self.yields.map(|inst| &func.inst(inst).results[..]),
            InstKind::Break(_) => self.breaks.map(|inst| &func.inst(inst).results[..]),
            InstKind::Continue(_) => self.continues.map(|region| &func.region(region).params[..]),
            _ => None,
        }
    }
}

impl Shader {
    /// Calls `f` with every source of `inst` and the number of components that are read from it, in the order of
    /// [`InstKind::for_each_src`]. `targets` are those of the region that holds the instruction.
    ///
    /// If the number cannot be determined because the instruction is malformed, it is the component count of the
    /// source's value.
    pub fn for_each_read(&self, targets: &Targets, inst: InstId, f: impl FnMut(Src, usize)) {
        self.func.for_each_read(&self.vars, targets, inst, f);
    }
}

impl Function {
    /// Does the same as [`Shader::for_each_read`], for the function of a shader with these variables.
    pub(crate) fn for_each_read(
        &self,
        vars: &[Variable],
        targets: &Targets,
        inst: InstId,
        mut f: impl FnMut(Src, usize),
    ) {
        let func = self;
        let InstData { kind, results } = func.inst(inst);
        let own = |src: Src| func.ty(src.value).comps();
        let each =
            |srcs: &[Src], values: Option<&[super::Value]>, f: &mut dyn FnMut(Src, usize)| {
                for (i, &src) in srcs.iter().enumerate() {
                    let value = values.and_then(|values| values.get(i));
                    f(src, value.map_or_else(|| own(src), |&v| func.ty(v).comps()));
                }
            };
        match kind {
            InstKind::Alu { op, srcs, .. } => {
                let comps = results.first().map_or(1, |&v| func.ty(v).comps());
                let known = op.row().srcs.len();
                for (i, &src) in srcs.iter().enumerate() {
                    f(src, if i < known { op.src_comps(i, comps) } else { own(src) });
                }
            }
            InstKind::Loop { init, body, .. } => {
                each(init, Some(&func.region(*body).params), &mut f)
            }
            InstKind::Yield(srcs) | InstKind::Break(srcs) | InstKind::Continue(srcs) => {
                each(srcs, targets.values(func, kind), &mut f);
            }
            // The data is the last source. The sources before it are scalars: dynamic indices, an element, an offset.
            InstKind::StoreVar { var, path, data, .. } => {
                let leaf = vars.get(var.index()).and_then(|var| var.ty.leaf(path));
                scalars_then_data(kind, leaf.map_or_else(|| own(*data), Ty::comps), &mut f);
            }
            InstKind::Store { comps, .. } => scalars_then_data(kind, usize::from(*comps), &mut f),
            // The data is the first source. The vertex and the index after it are scalars.
            InstKind::StoreOutput { mask, .. } => {
                let mut comps = mask.width().clamp(1, 4);
                kind.for_each_src(|src| f(src, std::mem::replace(&mut comps, 1)));
            }
            // The order is: element of the binding, coordinates, data. The data and comparison value of atomics are
            // scalars.
            InstKind::ImageLoad { image, dims, .. }
            | InstKind::ImageStore { image, dims, .. }
            | InstKind::ImageAtomic { image, dims, .. } => {
                let coord = usize::from(image.element.is_some());
                let data = match kind {
                    InstKind::ImageStore { form, .. } => form.comps(),
                    _ => 1,
                };
                let mut at = 0;
                kind.for_each_src(|src| {
                    let comps = match at {
                        _ if at < coord => 1,
                        _ if at == coord => usize::from(*dims),
                        _ => data,
                    };
                    f(src, comps);
                    at += 1;
                });
            }
            InstKind::Derivative { src, .. } => {
                f(*src, results.first().map_or_else(|| own(*src), |&v| func.ty(v).comps()));
            }
            InstKind::Barycentric { at, .. } => match at {
                BaryPlace::Place(_) => {}
                BaryPlace::AtSample(src) => f(*src, 1),
                BaryPlace::AtOffset(src) => f(*src, 2),
            },
            // The weights are the first source, then the index.
            InstKind::Interpolate { .. } => {
                let mut comps = 2;
                kind.for_each_src(|src| f(src, std::mem::replace(&mut comps, 1)));
            }
            InstKind::Texture(read) => read.sources().for_each(|(src, comps)| f(src, comps)),
            _ => kind.for_each_src(|src| f(src, 1)),
        }
    }
}

/// Calls `f` with one component for each source except the last, which is the data with `data_comps` components.
fn scalars_then_data(kind: &InstKind, data_comps: usize, f: &mut dyn FnMut(Src, usize)) {
    let mut left = 0;
    kind.for_each_src(|_| left += 1);
    kind.for_each_src(|src| {
        left -= 1;
        f(src, if left == 0 { data_comps } else { 1 });
    });
}

impl VarTy {
    /// The scalar or vector that a path selects; `None` if the path selects something else. Dynamic indices are
    /// assumed to be in range.
    pub fn leaf(&self, path: &[PathStep]) -> Option<Ty> {
        let mut at = self;
        let mut steps = path.iter();
        loop {
            match at {
                VarTy::Vector(ty) => {
                    return match (steps.next(), steps.next()) {
                        (None, _) => Some(*ty),
                        (Some(step), None) if ty.comps() > 1 => match step {
                            PathStep::Const(i) if *i as usize >= ty.comps() => None,
                            _ => Some(ty.scalar()),
                        },
                        _ => None,
                    };
                }
                VarTy::Array(element, count) => match steps.next()? {
                    PathStep::Const(i) if i >= count => return None,
                    _ => at = element,
                },
                VarTy::Struct(members) => match steps.next()? {
                    PathStep::Const(i) => at = members.get(*i as usize)?,
                    PathStep::Dyn(_) => return None,
                },
            }
        }
    }
}
