//! The scalars of a block of a SPIR-V module, with their places, so that its buffer gets values of the right types.

use std::collections::HashMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, Word};

/// The type of a scalar in a buffer, with its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A float of 2, 4 or 8 bytes.
    Float(usize),
    /// An integer of 1, 2, 4 or 8 bytes.
    Int(usize),
    /// A normalized integer of 1 or 2 bytes.
    Normal(usize),
    /// Four bytes with fields of these numbers of bits, the lowest first. The values are floats or normalized integers.
    Packed(&'static [u32]),
}

impl Scalar {
    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Scalar::Float(bytes) | Scalar::Int(bytes) | Scalar::Normal(bytes) => bytes,
            Scalar::Packed(_) => 4,
        }
    }
}

/// Scalars and their offsets in bytes.
pub type Scalars = Vec<(usize, Scalar)>;

/// The scalars of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The scalars before an array without a size.
    pub scalars: Scalars,
    /// The array without a size at the end: its offset, its stride, and the scalars of an element.
    pub tail: Option<(usize, usize, Scalars)>,
}

/// The most scalars that are listed of one block.
const MAX_SCALARS: usize = 1 << 18;

/// The types of a module, with the decorations that give them a layout.
#[derive(Debug)]
pub struct Types<'a> {
    types: HashMap<Word, &'a Instruction>,
    numbers: HashMap<Word, usize>,
    strides: HashMap<Word, usize>,
    /// By struct and member.
    offsets: HashMap<(Word, u32), usize>,
    columns: HashMap<(Word, u32), usize>,
    row_major: HashMap<(Word, u32), bool>,
}

/// An operand that is an id or a number.
pub(super) fn word(inst: &Instruction, index: usize) -> Option<Word> {
    match inst.operands.get(index)? {
        Operand::IdRef(word) | Operand::LiteralBit32(word) => Some(*word),
        _ => None,
    }
}

impl<'a> Types<'a> {
    /// The types of a module.
    pub fn new(module: &'a Module) -> Types<'a> {
        let mut found = Types {
            types: HashMap::new(),
            numbers: HashMap::new(),
            strides: HashMap::new(),
            offsets: HashMap::new(),
            columns: HashMap::new(),
            row_major: HashMap::new(),
        };
        for inst in &module.types_global_values {
            let Some(id) = inst.result_id else { continue };
            if matches!(inst.class.opcode, Op::Constant | Op::SpecConstant) {
                found.numbers.extend(word(inst, 0).map(|number| (id, number as usize)));
            }
            found.types.insert(id, inst);
        }
        for inst in &module.annotations {
            let Some(target) = word(inst, 0) else { continue };
            let number = |index| word(inst, index).unwrap_or_default();
            match (inst.class.opcode, &inst.operands[1..]) {
                (Op::Decorate, [Operand::Decoration(Decoration::ArrayStride), ..]) => {
                    found.strides.insert(target, number(2) as usize);
                }
                (Op::MemberDecorate, [_, Operand::Decoration(decoration), ..]) => {
                    let (key, value) = ((target, number(1)), number(3) as usize);
                    match decoration {
                        Decoration::Offset => _ = found.offsets.insert(key, value),
                        Decoration::MatrixStride => _ = found.columns.insert(key, value),
                        Decoration::RowMajor => _ = found.row_major.insert(key, true),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The instruction that declares a type or a variable.
    pub fn inst(&self, id: Word) -> Option<&'a Instruction> {
        self.types.get(&id).copied()
    }

    /// The layout of a type; `None` if it has parts that this file does not know.
    pub fn layout(&self, ty: Word) -> Option<Layout> {
        let mut layout = Layout::default();
        self.add(ty, 0, (0, false), &mut layout)?;
        Some(layout)
    }

    /// The scalars of a type at an offset. `matrix` is the stride of matrices, and whether it is that of rows.
    fn add(&self, ty: Word, at: usize, matrix: (usize, bool), layout: &mut Layout) -> Option<()> {
        if layout.scalars.len() > MAX_SCALARS {
            return None;
        }
        let inst = self.inst(ty)?;
        let scalar = |ty: Word| {
            let inst = self.inst(ty)?;
            let bytes = word(inst, 0)? as usize / 8;
            match inst.class.opcode {
                Op::TypeFloat => Some(Scalar::Float(bytes)),
                Op::TypeInt => Some(Scalar::Int(bytes)),
                _ => None,
            }
        };
        match inst.class.opcode {
            Op::TypeFloat | Op::TypeInt => layout.scalars.push((at, scalar(ty)?)),
            Op::TypeVector => {
                let scalar = scalar(word(inst, 0)?)?;
                let count = word(inst, 1)? as usize;
                layout.scalars.extend((0..count).map(|n| (at + n * scalar.size(), scalar)));
            }
            Op::TypeMatrix => {
                let column = self.inst(word(inst, 0)?)?;
                let scalar = scalar(word(column, 0)?)?;
                let (columns, rows) = (word(inst, 1)? as usize, word(column, 1)? as usize);
                let (outer, inner) = if matrix.1 { (rows, columns) } else { (columns, rows) };
                for n in 0..outer {
                    let at = at + n * matrix.0;
                    layout.scalars.extend((0..inner).map(|n| (at + n * scalar.size(), scalar)));
                }
            }
            Op::TypeArray => {
                let (element, count) = (word(inst, 0)?, *self.numbers.get(&word(inst, 1)?)?);
                let stride = *self.strides.get(&ty)?;
                for n in 0..count {
                    self.add(element, at + n * stride, matrix, layout)?;
                }
            }
            Op::TypeRuntimeArray => {
                let mut element = Layout::default();
                self.add(word(inst, 0)?, 0, matrix, &mut element)?;
                layout.tail = Some((at, *self.strides.get(&ty)?, element.scalars));
            }
            Op::TypeStruct => {
                for index in 0..inst.operands.len() {
                    let key = (ty, index as u32);
                    let at = at + self.offsets.get(&key).copied().unwrap_or_default();
                    let rows = self.row_major.contains_key(&key);
                    let matrix = (self.columns.get(&key).copied().unwrap_or(matrix.0), rows);
                    self.add(word(inst, index)?, at, matrix, layout)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::compile_source;
    use crestline_frontend::Language;

    /// The layout of the first block that is not a push constant.
    fn layout_of(block: &str) -> Option<Layout> {
        let source = format!("#version 450\n{block}\nvoid main() {{ o = 1.0; }}");
        let language = Language::from_extension("comp").expect("GLSL");
        let words = compile_source("a.comp", language, &source).expect("a valid shader");
        let module = rspirv::dr::load_words(words).expect("a valid module");
        let types = Types::new(&module);
        let blocks = module.types_global_values.iter();
        let ty = blocks
            .rev()
            .filter(|inst| inst.class.opcode == Op::Variable)
            .find_map(|inst| word(types.inst(inst.result_type?)?, 1))?;
        types.layout(ty)
    }

    #[test]
    fn members_have_their_offsets() {
        let layout = layout_of(
            "layout(binding = 0, std430) buffer B { float o; ivec3 a; layout(row_major) mat2x3 m; vec2 t[]; };",
        )
        .unwrap();
        let (float, int) = (Scalar::Float(4), Scalar::Int(4));
        let mut expected = vec![(0, float), (16, int), (20, int), (24, int)];
        // Rows of two columns, each aligned to two floats.
        expected.extend([32, 36, 40, 44, 48, 52].map(|at| (at, float)));
        assert_eq!(layout.scalars, expected);
        assert_eq!(layout.tail, Some((56, 8, vec![(0, float), (4, float)])));
    }

    #[test]
    fn arrays_repeat_their_element() {
        let layout =
            layout_of("layout(binding = 0, std140) buffer B { float o; uint a[3]; };").unwrap();
        let places: Vec<usize> = layout.scalars.iter().map(|scalar| scalar.0).collect();
        assert_eq!((places, layout.tail), (vec![0, 16, 32, 48], None));
    }
}
