//! Execution of an instruction once for each value of an operand.

use crate::ir::{AluOp, Builder, InstId, InstKind, Src, Srcs, Ty, Value};

/// Which invocations execute an instruction in an iteration of [`for_each_value`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Execute {
    /// Those whose number it is.
    Apart,
    /// All; those whose number it is use the results. For instructions that read the values of neighbours, and have no
    /// effect.
    Together,
}

/// Replaces an instruction by a loop over the numbers `0..count`. In iteration `i`, the invocations whose `number` is `i`
/// get their results from the instruction, after `choose` has replaced its operand by `i`, which is the same in all
/// invocations. The results are zeros for an invocation whose number is `count` or more.
pub(crate) fn for_each_value(
    b: &mut Builder<'_>,
    inst: InstId,
    number: Src,
    count: u32,
    execute: Execute,
    choose: impl FnOnce(&mut InstKind, Src),
) {
    let mut access = b.func.inst(inst).kind.clone();
    let types: Vec<Ty> = b.func.inst(inst).results.iter().map(|&v| b.func.ty(v)).collect();
    let outer = b.region();
    let mut init: Vec<Value> = vec![b.imm(0)];
    init.extend(types.iter().map(|&ty| b.constant(ty, [0; 4])));

    let body = b.func.add_region();
    for &value in &init {
        let ty = b.func.ty(value);
        b.func.add_param(body, ty);
    }
    let params = b.func.region(body).params.to_vec();
    let (at, found) = (params[0], &params[1..]);

    b.switch_to(body);
    let end = b.imm(count);
    let over = b.alu(AluOp::UGe, &[at, end]);
    let (_, then, else_) = b.if_(over);
    b.switch_to(then);
    b.break_(found);
    b.switch_to(else_);
    b.yield_(&[]);

    b.switch_to(body);
    choose(&mut access, at.into());
    let execute_access = |b: &mut Builder<'_>| {
        let made = b.inst(access.clone(), &types);
        b.func.inst(made).results.to_vec()
    };
    let together = (execute == Execute::Together).then(|| execute_access(b));
    let mine = b.alu_ty(AluOp::IEq, Ty::BOOL, &[number, at.into()]);
    let (choice, then, else_) = b.if_(mine);
    b.switch_to(then);
    let values = together.unwrap_or_else(|| execute_access(b));
    b.yield_(&values);
    b.switch_to(else_);
    b.yield_(found);
    let mut next: Vec<Value> = types.iter().map(|&ty| b.func.add_result(choice, ty)).collect();

    b.switch_to(body);
    let one = b.imm(1);
    next.insert(0, b.alu(AluOp::IAdd, &[at, one]));
    b.continue_(&next);

    b.switch_to(outer);
    let init = init.into_iter().map(Src::new).collect();
    *b.func.kind_mut(inst) = InstKind::Loop { init, body, continuing: None };
}

/// Replaces an instruction by a loop in which the invocations with the same `number` execute it together: those with the
/// number of the first invocation that is left. `choose` replaces the instruction's operand by that number, which is the same in all
/// of them. The results are zeros for an invocation whose number is `count` or more. There are as many iterations as
/// there are numbers.
///
/// ```text
/// if %number < count {
///     loop {
///         %first = subgroup read_first, %number
///         if %number == %first { instruction; break its results } else { yield }
///         continue
///     }
/// }
/// ```
pub(crate) fn for_each_distinct(
    b: &mut Builder<'_>,
    inst: InstId,
    number: Src,
    count: u32,
    choose: impl FnOnce(&mut InstKind, Src),
) {
    let mut access = b.func.inst(inst).kind.clone();
    let types: Vec<Ty> = b.func.inst(inst).results.iter().map(|&v| b.func.ty(v)).collect();
    let outer = b.region();
    let end = b.imm(count);
    let cond = b.alu_ty(AluOp::ULt, Ty::BOOL, &[number, end.into()]);

    let body = b.func.add_region();
    b.switch_to(body);
    let first = Src::new(b.read_first(number));
    let mine = b.alu_ty(AluOp::IEq, Ty::BOOL, &[number, first]);
    let (_, own, others) = b.if_(mine);
    b.switch_to(own);
    choose(&mut access, first);
    let made = b.inst(access, &types);
    let values = b.func.inst(made).results.to_vec();
    b.break_(&values);
    b.switch_to(others);
    b.yield_(&[]);
    b.switch_to(body);
    b.continue_(&[]);

    let (then, else_) = (b.func.add_region(), b.func.add_region());
    b.switch_to(then);
    let found = b.inst(InstKind::Loop { init: Srcs::new(), body, continuing: None }, &types);
    let found = b.func.inst(found).results.to_vec();
    b.yield_(&found);
    b.switch_to(else_);
    let zeros: Vec<Value> = types.iter().map(|&ty| b.constant(ty, [0; 4])).collect();
    b.yield_(&zeros);
    b.switch_to(outer);
    *b.func.kind_mut(inst) = InstKind::If { cond: cond.into(), then, else_ };
}
