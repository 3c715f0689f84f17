//! Another form of a module: integer constants in arithmetic are computed at run time from the length of a buffer. No compiler
//! knows them, so its rules about constants do not apply.

use std::collections::HashMap;

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op};

use crestline_judges::lavapipe::Buffer;

/// A storage buffer that ends in an array without a size, and the number of the array's elements.
struct Counted {
    variable: u32,
    elements: u32,
}

/// The module in this form; `None` if it has no buffer that ends in an array without a size, or no unsigned integers.
pub fn opaque_constants(words: &[u32], buffers: &[Buffer]) -> Option<Vec<u32>> {
    let mut module = rspirv::dr::load_words(words).ok()?;
    let counted = counted(&module, buffers)?;
    let header = module.header.as_mut()?;
    let mut next = header.bound;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let is_uint = |inst: &&Instruction| {
        inst.class.opcode == Op::TypeInt
            && inst.operands == [Operand::LiteralBit32(32), Operand::LiteralBit32(0)]
    };
    let uint = module.types_global_values.iter().find(is_uint)?.result_id?;
    let elements = fresh();
    module.types_global_values.push(Instruction::new(
        Op::Constant,
        Some(uint),
        Some(elements),
        vec![Operand::LiteralBit32(counted.elements)],
    ));
    let ints: Vec<u32> = module
        .types_global_values
        .iter()
        .filter(|inst| {
            inst.class.opcode == Op::TypeInt && inst.operands[0] == Operand::LiteralBit32(32)
        })
        .filter_map(|inst| inst.result_id)
        .collect();
    let constants: HashMap<u32, u32> = module
        .types_global_values
        .iter()
        .filter(|inst| inst.class.opcode == Op::Constant)
        .filter_map(|inst| Some((inst.result_id?, inst.result_type?)))
        .filter(|(_, ty)| ints.contains(ty))
        .collect();
    for function in &mut module.functions {
        let mut computed: HashMap<u32, u32> = HashMap::new();
        let mut added = Vec::new();
        let (length, zero) = (fresh(), fresh());
        for block in &mut function.blocks {
            for inst in
                block.instructions.iter_mut().filter(|inst| is_arithmetic(inst.class.opcode))
            {
                for operand in &mut inst.operands {
                    let Operand::IdRef(id) = operand else { continue };
                    let Some(&ty) = constants.get(id) else { continue };
                    let new = *computed.entry(*id).or_insert_with(|| {
                        let new = fresh();
                        let sum = vec![Operand::IdRef(*id), Operand::IdRef(zero)];
                        added.push(Instruction::new(Op::IAdd, Some(ty), Some(new), sum));
                        new
                    });
                    *operand = Operand::IdRef(new);
                }
            }
        }
        let Some(first) = function.blocks.first_mut().filter(|_| !added.is_empty()) else {
            continue;
        };
        let start = first.instructions.iter().position(|inst| inst.class.opcode != Op::Variable)?;
        let array = vec![Operand::IdRef(counted.variable), Operand::LiteralBit32(0)];
        let difference = vec![Operand::IdRef(length), Operand::IdRef(elements)];
        let head = [
            Instruction::new(Op::ArrayLength, Some(uint), Some(length), array),
            Instruction::new(Op::ISub, Some(uint), Some(zero), difference),
        ];
        first.instructions.splice(start..start, head.into_iter().chain(added));
    }
    module.header.as_mut()?.bound = next;
    Some(module.assemble())
}

/// Whether the operands of an instruction may be any integers.
fn is_arithmetic(op: Op) -> bool {
    matches!(
        op,
        Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::ShiftLeftLogical
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::BitFieldInsert
            | Op::BitFieldUExtract
            | Op::BitFieldSExtract
    )
}

/// The first buffer whose last member is an array without a size.
fn counted(module: &Module, buffers: &[Buffer]) -> Option<Counted> {
    let ty = |id: u32| module.types_global_values.iter().find(|inst| inst.result_id == Some(id));
    let decoration = |id: u32, kind: Decoration| {
        module.annotations.iter().find_map(|inst| match &inst.operands[..] {
            [Operand::IdRef(target), Operand::Decoration(found), Operand::LiteralBit32(value)] => {
                (*target == id && *found == kind).then_some(*value)
            }
            _ => None,
        })
    };
    module.types_global_values.iter().filter(|inst| inst.class.opcode == Op::Variable).find_map(
        |inst| {
            let variable = inst.result_id?;
            let pointer = ty(inst.result_type?)?;
            let Operand::IdRef(block) = pointer.operands.get(1)? else { return None };
            let block = ty(*block).filter(|inst| inst.class.opcode == Op::TypeStruct)?;
            // With members before the array its length would depend on their sizes.
            let [Operand::IdRef(array)] = block.operands[..] else { return None };
            ty(array).filter(|inst| inst.class.opcode == Op::TypeRuntimeArray)?;
            let stride = decoration(array, Decoration::ArrayStride)?;
            let (set, binding) = (
                decoration(variable, Decoration::DescriptorSet)?,
                decoration(variable, Decoration::Binding)?,
            );
            let buffer = buffers.iter().find(|b| (b.set, b.binding) == (set, binding))?;
            let elements = u32::try_from(buffer.contents.len()).ok()? / stride;
            Some(Counted { variable, elements })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{RunTest, compile_source};
    use crate::engine::{Engine, Interpreter};
    use crate::random;
    use crestline_frontend::Language;
    use crestline_judges::ask;
    use crestline_judges::spirv::SpirvTools;

    #[test]
    fn the_form_is_another_module_with_the_same_results() {
        let Some(tools) = ask(SpirvTools::find()) else { return };
        for seed in 0..20 {
            let random::Program { source, case } = random::program(seed);
            let spirv = compile_source("a.wgsl", Language::Wgsl, &source).expect("compiles");
            let form = opaque_constants(&spirv, &case.buffers).expect("it has a buffer");
            assert_ne!(form, spirv);
            tools.validate(&form).unwrap_or_else(|error| panic!("{seed}: {error}"));
            let run = |spirv: Vec<u32>| {
                let test =
                    RunTest { name: "a".into(), source: source.clone(), case: case.clone(), spirv };
                Interpreter.run(&test).unwrap_or_else(|_| panic!("{seed} runs"))
            };
            assert_eq!(run(form), run(spirv), "{seed}");
        }
    }
}
