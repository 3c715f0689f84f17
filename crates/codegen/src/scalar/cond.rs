//! Booleans: flags for those that decide, masks for those that are data.
//!
//! A comparison costs one instruction wherever it is made, so it is made where its outcome is needed: with null
//! destination into a flag just before the branch or selection, predicated on the flag so far where it is a part of a
//! conjunction or disjunction. Only what is read as data (arithmetic on booleans, region results, conversions) becomes a
//! mask at its definition, 32 bits of all ones or zeros.

use crestline_isa::{CondMod, Opcode};
use crestline_ssa::ir::{AluOp, Function, InstData, InstKind, RegionId, Src, Value};

use super::Selector;
use super::operands::Class;
use crate::ir::{Builder, Flag, Op, Operand};

/// A condition in a flag: true where the bit is set, or clear if `inverse`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cond {
    pub(super) flag: Flag,
    pub(super) inverse: bool,
}

/// How a flag is written.
#[derive(Clone, Copy)]
struct Test {
    flag: Flag,
    /// For all channels, enabled or not.
    all: bool,
    /// Only for channels whose bit in the flag is set (`Some(false)`) or clear (`Some(true)`), so that the flag becomes a
    /// conjunction or disjunction.
    within: Option<bool>,
}

/// Flags that already hold a value, newest last. Few, since each entry that is used again keeps its flag busy.
#[derive(Clone, Debug, Default)]
pub(super) struct FlagCache {
    entries: Vec<(Value, Cond)>,
}

const CACHED_FLAGS: usize = 2;

impl FlagCache {
    fn get(&self, value: Value) -> Option<Cond> {
        self.entries.iter().find(|e| e.0 == value).map(|e| e.1)
    }

    fn put(&mut self, value: Value, cond: Cond) {
        if self.entries.len() == CACHED_FLAGS {
            self.entries.remove(0);
        }
        self.entries.push((value, cond));
    }
}

/// How each boolean of a function exists.
#[derive(Debug)]
pub(super) struct Booleans {
    forms: Vec<Form>,
}

/// How a boolean can be brought into a flag.
#[derive(Clone, Copy, Debug, Default)]
struct Form {
    /// It is a mask, because something reads it as data or because comparisons alone cannot tell it.
    mask: bool,
    /// Its truth can be written into a flag; its negation can.
    direct: bool,
    negated: bool,
    /// Comparisons that takes.
    size: u32,
}

/// More comparisons than this are cheaper once, as a mask.
const MAX_COMPARISONS: u32 = 6;

impl Form {
    const MASK: Form = Form { mask: true, direct: true, negated: true, size: 1 };

    /// Whether one comparison writes it (negated, if `negate`).
    fn is_leaf(self, negate: bool) -> bool {
        self.size == 1 && if negate { self.negated } else { self.direct }
    }

    fn not(self) -> Form {
        Form { direct: self.negated, negated: self.direct, ..self }
    }

    /// One part is written first, the other must be one comparison under the predicate of the first.
    fn joined(a: Form, b: Form) -> Form {
        let both = |negate: bool| {
            let ok = |f: Form| if negate { f.negated } else { f.direct };
            ok(a) && ok(b) && (a.is_leaf(negate) || b.is_leaf(negate))
        };
        Form { mask: false, direct: both(false), negated: both(true), size: a.size + b.size }
    }
}

impl Booleans {
    pub(super) fn new(func: &Function) -> Booleans {
        let mut booleans = Booleans { forms: vec![Form::default(); func.num_values()] };
        booleans.find_data(func, func.body());
        booleans.find_forms(func, func.body());
        booleans
    }

    /// Whether the value is kept as a mask.
    pub(super) fn is_mask(&self, value: Value) -> bool {
        self.forms[value.index()].mask
    }

    fn form(&self, value: Value) -> Form {
        let form = self.forms[value.index()];
        if form.mask { Form::MASK } else { form }
    }

    /// Marks what is read as data. Uses come before definitions, so that a connective knows whether it is data before
    /// its sources are asked.
    fn find_data(&mut self, func: &Function, region: RegionId) {
        for &id in func.region(region).insts.iter().rev() {
            let inst = func.inst(id);
            for &region in inst.kind.regions().iter().rev() {
                self.find_data(func, region);
            }
            match &inst.kind {
                InstKind::If { .. } => {}
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

    /// Decides the form of every boolean, definitions before uses.
    fn find_forms(&mut self, func: &Function, region: RegionId) {
        for &param in &func.region(region).params {
            self.forms[param.index()] = Form::MASK;
        }
        for &id in &func.region(region).insts {
            let inst = func.inst(id);
            for &region in &inst.kind.regions() {
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

    /// Makes a boolean a mask, and what it is computed from.
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

/// What a comparison compares: conditional modifier, class.
pub(super) fn comparison(op: AluOp) -> Option<(CondMod, Class)> {
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

/// Whether the opposite condition is the negation: of floats only for (in)equality, because of NaN.
fn is_exact(cond_mod: CondMod, class: Class) -> bool {
    class != Class::Float || matches!(cond_mod, CondMod::Z | CondMod::Nz)
}

/// The condition with its operands exchanged.
fn mirrored(cond_mod: CondMod) -> CondMod {
    match cond_mod {
        CondMod::L => CondMod::G,
        CondMod::G => CondMod::L,
        CondMod::Le => CondMod::Ge,
        CondMod::Ge => CondMod::Le,
        same => same,
    }
}

/// The opposite condition.
fn opposite(cond_mod: CondMod) -> CondMod {
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

impl Selector<'_> {
    /// The condition in a flag. Its bits of all enabled channels count; of a uniform condition all bits, so that it
    /// serves instructions of one channel too.
    pub(super) fn cond(&mut self, src: Src) -> Cond {
        let (src, inverse) = self.through_not(src);
        let cond = self.flags.get(src.value).unwrap_or_else(|| {
            let flag = self.b().flag();
            let negate = !self.booleans.form(src.value).direct;
            let test = Test { flag, all: self.uniform.is(src.value), within: None };
            self.write_flag(src, negate, test);
            let cond = Cond { flag, inverse: negate };
            self.flags.put(src.value, cond);
            cond
        });
        Cond { inverse: cond.inverse ^ inverse, ..cond }
    }

    /// The source behind negations and copies, and whether there was an odd number of negations.
    fn through_not(&self, mut src: Src) -> (Src, bool) {
        let mut inverse = false;
        while !self.booleans.is_mask(src.value)
            && let Some(inst) = self.shader.func.def(src.value)
            && let InstKind::Alu { op: op @ (AluOp::INot | AluOp::Mov), srcs, .. } = &inst.kind
        {
            inverse ^= *op == AluOp::INot;
            src = srcs[0].select(usize::from(src.swizzle[0]));
        }
        (src, inverse)
    }

    /// Writes a boolean (negated, if `negate`) to a flag.
    fn write_flag(&mut self, src: Src, negate: bool, test: Test) {
        let (src, inverse) = self.through_not(src);
        let negate = negate ^ inverse;
        let form = self.booleans.form(src.value);
        let parts = match self.shader.func.def(src.value).map(|inst| &inst.kind) {
            Some(InstKind::Alu { op: op @ (AluOp::IAnd | AluOp::IOr), srcs, .. }) if !form.mask => {
                // The negation of a conjunction is the disjunction of the negations.
                Some(((*op == AluOp::IOr) ^ negate, [srcs[0], srcs[1]]))
            }
            _ => None,
        };
        let Some((either, [a, b])) = parts else {
            return self.compare(src, negate, test);
        };
        let b_last = self.booleans.form(b.value).is_leaf(negate);
        let (first, last) = if b_last { (a, b) } else { (b, a) };
        self.write_flag(first, negate, test);
        self.write_flag(last, negate, Test { within: Some(either), ..test });
    }

    /// Writes a comparison or mask to `flag`.
    fn compare(&mut self, src: Src, negate: bool, test: Test) {
        let func = &self.shader.func;
        let compared = func.def(src.value).and_then(|inst| match &inst.kind {
            InstKind::Alu { op, srcs, .. } if !self.booleans.is_mask(src.value) => {
                comparison(*op).map(|c| (c, srcs.clone()))
            }
            _ => None,
        });
        let (a, cond_mod, b) = match compared {
            Some(((cond_mod, class), srcs)) => self.compared(&srcs, cond_mod, class),
            None => {
                let mask = self.src(src, Class::Signed);
                (self.in_register(mask), CondMod::Nz, Operand::imm_d(0))
            }
        };
        let cond_mod = if negate { opposite(cond_mod) } else { cond_mod };
        let mut b_ = Builder::new(&mut self.out);
        let mut b_ = if test.all { b_.no_mask() } else { b_ };
        let mut b_ = match test.within {
            Some(clear) => b_.predicated(test.flag, clear),
            None => b_,
        };
        b_.cmp(Operand::null(a.ty), a, cond_mod, b, test.flag);
    }

    /// The operands of a comparison, in an order the hardware takes, and the condition in that order.
    fn compared(
        &mut self,
        srcs: &[Src],
        cond_mod: CondMod,
        class: Class,
    ) -> (Operand, CondMod, Operand) {
        if self.bits(srcs[0].value) == 64 {
            return (self.double(srcs[0]), cond_mod, self.double(srcs[1]));
        }
        let a = self.src(srcs[0], class);
        let b = self.src(srcs[1], class);
        let (a, b, swapped) = self.two_sources(a, b, true);
        (a, if swapped { mirrored(cond_mod) } else { cond_mod }, b)
    }

    /// Computes a boolean as a mask of all ones or zeros, if it is kept as one.
    pub(super) fn boolean(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        if !self.booleans.is_mask(result) {
            return;
        }
        if let Some((cond_mod, class)) = comparison(op) {
            let (a, cond_mod, b) = self.compared(srcs, cond_mod, class);
            let dst = self.define(result, 0, Class::Signed);
            if a.ty.size() > dst.ty.size() {
                // The mask would be wider: the condition picks one.
                let flag = self.b().flag();
                return self.b_for(result, |b_| {
                    b_.cmp(Operand::null(a.ty), a, cond_mod, b, flag);
                    b_.mov(dst, Operand::imm_d(0));
                    b_.predicated(flag, false).mov(dst, Operand::imm_d(-1));
                });
            }
            // The mask is written in the sources' own type: no conversion, all bits set.
            let dst = if a.ty.size() == dst.ty.size() { dst.retype(a.ty) } else { dst };
            let flag = self.b().flag();
            self.b_for(result, |b_| _ = b_.cmp(dst, a, cond_mod, b, flag));
            return;
        }
        let opcode = match op {
            AluOp::IAnd => Opcode::And,
            AluOp::IOr => Opcode::Or,
            AluOp::IXor => Opcode::Xor,
            _ => Opcode::Not,
        };
        let mut operands: Vec<Operand> =
            srcs.iter().map(|&src| self.src(src, Class::Logic)).collect();
        if let [a, b] = operands[..] {
            let (a, b, _) = self.two_sources(a, b, true);
            operands = vec![a, b];
        }
        let dst = self.define(result, 0, Class::Logic);
        self.b_for(result, |b| _ = b.emit(Op::Hw(opcode), dst, &operands));
    }
}
