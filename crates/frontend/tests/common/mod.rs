//! A small SPIR-V assembler for tests: enough to write broken modules too.
//!
//! One instruction per line as `spirv-as` writes it. Identifiers are enumerants of the opcode's kinds; ids are numbered
//! in the order in which they appear.

use std::collections::HashMap;
use std::str::FromStr;

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, OperandKind};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel,
    FPRoundingMode, GlslStd450Op, ImageFormat, MAGIC_NUMBER, MemoryModel, Op, StorageClass,
};

/// The words of a module. The header says version 1.5.
pub(crate) fn assemble(text: &str) -> Vec<u32> {
    let mut ids = HashMap::new();
    let mut words = vec![MAGIC_NUMBER, 0x1_0500, 0, 0, 0];
    for line in text.lines() {
        let tokens = tokens(line);
        if !tokens.is_empty() {
            instruction(&tokens, &mut ids, &mut words);
        }
    }
    words[3] = ids.len() as u32 + 1;
    words
}

fn instruction(tokens: &[String], ids: &mut HashMap<String, u32>, words: &mut Vec<u32>) {
    let mut id = |name: &str| {
        let next = ids.len() as u32 + 1;
        *ids.entry(name.to_owned()).or_insert(next)
    };
    let (result, rest) = match tokens {
        [result, equals, rest @ ..] if equals == "=" => (Some(id(&result[1..])), rest),
        rest => (None, rest),
    };
    let row = row(&rest[0]);
    let has_type = row.operands.first().is_some_and(|o| o.kind == OperandKind::IdResultType);
    let place = usize::from(has_type);
    let mut operands: Vec<u32> = Vec::new();
    for (index, token) in rest[1..].iter().enumerate() {
        if index == place {
            operands.extend(result);
        }
        if let Some(name) = token.strip_prefix('%') {
            operands.push(id(name));
        } else if let Some(text) = token.strip_prefix('"') {
            let bytes: Vec<u8> = text.bytes().chain([0; 4]).collect();
            let count = text.len() / 4 + 1;
            operands.extend(
                bytes
                    .chunks_exact(4)
                    .take(count)
                    .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])),
            );
        } else {
            operands.push(number(token).unwrap_or_else(|| enumerant(row.opcode, token)));
        }
    }
    if rest.len() - 1 <= place {
        operands.extend(result);
    }
    words.push((operands.len() as u32 + 1) << 16 | row.opcode as u32);
    words.extend(operands);
}

fn row(name: &str) -> &'static Instruction<'static> {
    let wanted = name.strip_prefix("Op").unwrap_or(name);
    INSTRUCTION_TABLE.iter().find(|r| r.opname == wanted).unwrap_or_else(|| panic!("no {name}"))
}

fn number(token: &str) -> Option<u32> {
    if let Some(hex) = token.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok();
    }
    token
        .parse::<u32>()
        .ok()
        .or_else(|| token.parse::<i32>().ok().map(|n| n as u32))
        .or_else(|| token.parse::<f32>().ok().map(f32::to_bits))
}

fn enumerant(op: Op, token: &str) -> u32 {
    let found = match op {
        Op::Capability => Capability::from_str(token).map(|e| e as u32).ok(),
        Op::MemoryModel => AddressingModel::from_str(token)
            .map(|e| e as u32)
            .or_else(|()| MemoryModel::from_str(token).map(|e| e as u32))
            .ok(),
        Op::EntryPoint => ExecutionModel::from_str(token).map(|e| e as u32).ok(),
        Op::ExecutionMode | Op::ExecutionModeId => {
            ExecutionMode::from_str(token).map(|e| e as u32).ok()
        }
        Op::Decorate | Op::MemberDecorate => Decoration::from_str(token)
            .map(|e| e as u32)
            .or_else(|()| BuiltIn::from_str(token).map(|e| e as u32))
            .or_else(|()| FPRoundingMode::from_str(token).map(|e| e as u32))
            .ok(),
        Op::TypePointer | Op::TypeForwardPointer | Op::Variable => {
            StorageClass::from_str(token).map(|e| e as u32).ok()
        }
        Op::TypeImage => Dim::from_str(&format!("Dim{token}"))
            .or_else(|()| Dim::from_str(token))
            .map(|e| e as u32)
            .or_else(|()| ImageFormat::from_str(token).map(|e| e as u32))
            .ok(),
        Op::SpecConstantOp => Some(row(token).opcode as u32),
        Op::ExtInst => (1..=81)
            .filter_map(GlslStd450Op::from_u32)
            .find(|g| format!("{g:?}") == token)
            .map(|g| g as u32),
        _ => None,
    };
    match token {
        "None" => 0,
        "Aligned" => 2,
        _ => found.unwrap_or_else(|| panic!("no enumerant {token} of Op{op:?}")),
    }
}

/// Words and strings of a line; strings keep their opening quote.
fn tokens(line: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = line.split(';').next().unwrap_or_default().trim();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"') {
            Some(inner) => inner.find('"').map_or(rest.len(), |i| i + 1),
            None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        tokens.push(rest[..end].to_owned());
        rest = rest[end..].trim_start_matches('"').trim_start();
    }
    tokens
}
