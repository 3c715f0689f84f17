//! Decides which booleans are stored as masks in registers, and which exist only as flags at the instructions that
//! use them.
//!
//! A comparison takes one instruction wherever it is computed. So it is computed directly before its use in a branch
//! or selection, with a flag as its result. A boolean that is used as data (in arithmetic on booleans, region results
//! and conversions) is computed at its definition, as a mask of 32 bits, all ones or zeros.

use crestline_isa::CondMod;
use crestline_ssa::ir::{AluOp, Function, InstData, InstKind, RegionId, SubgroupOp, Value};

use super::Class;

/// The form of each boolean of a function.
#[derive(Debug)]
pub(crate) struct Booleans {
    forms: Vec<Form>,
}

/// The ways in which a boolean can be written to a flag.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Form {
    /// Whether the boolean is stored as a mask, because it is used as data or because comparisons alone cannot
    /// compute it in a flag.
    pub(crate) mask: bool,
    /// Whether the boolean can be written to a flag.
    pub(crate) direct: bool,
    /// Whether its negation can be written to a flag.
    negated: bool,
    /// Number of comparisons for that.
    size: u32,
}

/// With more comparisons than this, it is cheaper to compute the boolean once, as a mask.
const MAX_COMPARISONS: u32 = 6;

impl Form {
    const MASK: Form = Form { mask: true, direct: true, negated: true, size: 1 };

    /// Whether one comparison writes the boolean (its negation, if `negate`) to a flag.
    pub(crate) fn is_leaf(self, negate: bool) -> bool {
        self.size == 1 && if negate { self.negated } else { self.direct }
    }

    fn not(self) -> Form {
        Form { direct: self.negated, negated: self.direct, ..self }
    }

    /// The form of a conjunction or disjunction: one part is written to the flag first, and the other must be a
    /// single comparison, which is predicated on that flag.
    fn joined(a: Form, b: Form) -> Form {
        let both = |negate: bool| {
            let ok = |f: Form| if negate { f.negated } else { f.direct };
            ok(a) && ok(b) && (a.is_leaf(negate) || b.is_leaf(negate))
        };
        Form { mask: false, direct: both(false), negated: both(true), size: a.size + b.size }
    }
}

impl Booleans {
    /// Decides the form of every boolean of a function.
    pub(crate) fn new(func: &Function) -> Booleans {
        let mut booleans = Booleans { forms: vec![Form::default(); func.num_values()] };
        booleans.find_data(func, func.body());
        booleans.find_forms(func, func.body());
        booleans
    }

    /// Whether the value is stored as a mask.
    pub(crate) fn is_mask(&self, value: Value) -> bool {
        self.forms[value.index()].mask
    }

    /// The value's form.
    pub(crate) fn form(&self, value: Value) -> Form {
        let form = self.forms[value.index()];
        if form.mask { Form::MASK } else { form }
    }

    /// Marks the booleans that are used as data. Uses are visited before definitions, so that it is known for each
    /// connective whether it is data itself.
    fn find_data(&mut self, func: &Function, region: RegionId) {
        for &id in func.region(region).insts.iter().rev() {
            let inst = func.inst(id);
            for region in inst.kind.regions().rev() {
                self.find_data(func, region);
            }
            match &inst.kind {
                InstKind::If { .. } | InstKind::Subgroup { op: SubgroupOp::Ballot, .. } => {}
                InstKind::Alu { op: AluOp::Select, srcs, .. } => {
                    self.forms[srcs[1].value.index()].mask = true;
                    self.forms[srcs[2].value.index()].mask = true;
                }
                InstKind::Alu { op, srcs, .. } if is_connective(func, *op, inst) => {
                    let needed = self.is_mask(inst.results[0]);
                    for src in srcs {
                        self.forms[src.value.index()].mask |= needed;
                    }
                }
                kind => kind.for_each_src(|src| self.forms[src.value.index()].mask = true),
            }
        }
    }

    /// Decides the form of every boolean. Definitions are visited before uses.
    fn find_forms(&mut self, func: &Function, region: RegionId) {
        for &param in &func.region(region).params {
            self.forms[param.index()] = Form::MASK;
        }
        for &id in &func.region(region).insts {
            let inst = func.inst(id);
            for region in inst.kind.regions() {
                self.find_forms(func, region);
            }
            for &result in inst.results.iter().filter(|&&v| func.ty(v).is_bool()) {
                let form = self.form_of(func, inst, result);
                if form.direct || form.negated {
                    let mask = self.is_mask(result);
                    self.forms[result.index()] = Form { mask, ..form };
                } else {
                    self.make_mask(func, result);
                }
            }
        }
    }

    /// The form of a boolean result of an instruction.
    fn form_of(&self, func: &Function, inst: &InstData, result: Value) -> Form {
        let InstKind::Alu { op, srcs, .. } = &inst.kind else { return Form::default() };
        if self.is_mask(result) {
            return Form::MASK;
        }
        let part = |i: usize| self.form(srcs[i].value);
        if let Some((cond_mod, class)) = comparison(*op) {
            return Form { mask: false, direct: true, negated: is_exact(cond_mod, class), size: 1 };
        }
        match op {
            AluOp::Mov => part(0),
            AluOp::INot => part(0).not(),
            AluOp::IAnd | AluOp::IOr if is_connective(func, *op, inst) => {
                let form = Form::joined(part(0), part(1));
                if form.size > MAX_COMPARISONS { Form::default() } else { form }
            }
            _ => Form::default(),
        }
    }

    /// Stores a boolean as a mask, and also the booleans from which connectives compute it.
    fn make_mask(&mut self, func: &Function, value: Value) {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            self.forms[value.index()] = Form::MASK;
            let Some(inst) = func.def(value) else { continue };
            if let InstKind::Alu { op, srcs, .. } = &inst.kind
                && is_connective(func, *op, inst)
            {
                todo.extend(srcs.iter().map(|s| s.value).filter(|&v| !self.is_mask(v)));
            }
        }
    }
}

fn is_connective(func: &Function, op: AluOp, inst: &InstData) -> bool {
    matches!(op, AluOp::IAnd | AluOp::IOr | AluOp::INot | AluOp::Mov)
        && func.ty(inst.results[0]).is_bool()
}

/// The conditional modifier of a comparison and the class of its sources; `None` for other operations.
pub(crate) fn comparison(op: AluOp) -> Option<(CondMod, Class)> {
    use AluOp::{FEq, FGe, FLt, FNe, IEq, IGe, ILt, INe, UGe, ULt};
    Some(match op {
        FEq => (CondMod::Z, Class::Float),
        FNe => (CondMod::Nz, Class::Float),
        FLt => (CondMod::L, Class::Float),
        FGe => (CondMod::Ge, Class::Float),
        IEq => (CondMod::Z, Class::Signed),
        INe => (CondMod::Nz, Class::Signed),
        ILt => (CondMod::L, Class::Signed),
        IGe => (CondMod::Ge, Class::Signed),
        ULt => (CondMod::L, Class::Unsigned),
        UGe => (CondMod::Ge, Class::Unsigned),
        _ => return None,
    })
}

/// Whether the opposite condition is the exact negation. For floats, this holds only for equality and inequality,
/// because of NaN.
fn is_exact(cond_mod: CondMod, class: Class) -> bool {
    class != Class::Float || matches!(cond_mod, CondMod::Z | CondMod::Nz)
}

/// The condition with its operands exchanged.
pub(crate) fn mirrored(cond_mod: CondMod) -> CondMod {
    match cond_mod {
        CondMod::L => CondMod::G,
        CondMod::G => CondMod::L,
        CondMod::Le => CondMod::Ge,
        CondMod::Ge => CondMod::Le,
        same => same,
    }
}

/// The opposite condition.
pub(crate) fn opposite(cond_mod: CondMod) -> CondMod {
    match cond_mod {
        CondMod::Z => CondMod::Nz,
        CondMod::Nz => CondMod::Z,
        CondMod::L => CondMod::Ge,
        CondMod::Ge => CondMod::L,
        CondMod::G => CondMod::Le,
        CondMod::Le => CondMod::G,
        same => same,
    }
}
