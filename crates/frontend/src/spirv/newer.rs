//! Instructions of extensions that are newer than the grammar of `rspirv`. Numbers and operands are those of
//! `spirv.core.grammar.json` in SPIRV-Headers.

use rspirv::grammar::{Instruction, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::Op;

/// The row of an opcode number; `None` if the number is unknown. The row's opcode is that of an instruction of which this one is
/// another form, because no opcode of `rspirv` has the number.
pub(super) fn row(opcode: u16) -> Option<&'static Instruction<'static>> {
    ROWS.iter().find(|(number, _)| *number == opcode).map(|(_, row)| row)
}

const fn one(kind: OperandKind) -> LogicalOperand {
    LogicalOperand { kind, quantifier: OperandQuantifier::One }
}

/// A dot product of `SPV_VALVE_mixed_float_dot_product`: two vectors, and a number that is added.
const fn mixed_dot(opname: &'static str) -> Instruction<'static> {
    const OPERANDS: &[LogicalOperand] = &[
        one(OperandKind::IdResultType),
        one(OperandKind::IdResult),
        one(OperandKind::IdRef),
        one(OperandKind::IdRef),
        one(OperandKind::IdRef),
    ];
    Instruction {
        opname,
        opcode: Op::Dot,
        capabilities: &[],
        extensions: &["SPV_VALVE_mixed_float_dot_product"],
        operands: OPERANDS,
    }
}

static ROWS: [(u16, Instruction<'static>); 3] = [
    (6916, mixed_dot("FDot2MixAcc32VALVE")),
    (6917, mixed_dot("FDot2MixAcc16VALVE")),
    (6918, mixed_dot("FDot4MixAcc32VALVE")),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A newer `rspirv` may know an instruction. Then its row here must go.
    #[test]
    fn the_grammar_lacks_these_instructions() {
        for (number, row) in &ROWS {
            assert!(Op::from_u32(u32::from(*number)).is_none(), "{}", row.opname);
        }
    }
}
