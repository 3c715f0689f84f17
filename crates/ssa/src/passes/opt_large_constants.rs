//! Moves constant tables to the program's constant memory. A table is an array variable that is read with dynamic
//! indices and to which only constants are written:
//!
//! ```text
//! var v0: 32[4] init 1, 2, 3, 4
//! %1 = load_var v0[%0]        becomes    %1 = load const_data, OFFSET + 4 * %0
//! ```
//!
//! Each element must have one value only, from the initial value or from stores anywhere in the code. A load before
//! the store reads an undefined value, so it may return that value too.

use super::util::layout::{from_memory, in_memory, path_offset, size_align};
use super::util::{Action, const_src, rewrite, walk};
use crate::ir::{Access, InstKind, Memory, PathStep, Shader, VarTy};

/// Smallest size of a table in bytes. For smaller ones, selects are cheaper than a load.
const MIN_BYTES: u64 = 20;
/// Largest size of a table in bytes. No device has enough private memory for a larger variable.
const MAX_BYTES: u64 = 1 << 24;

/// See the [module](self). Returns whether a load was replaced.
pub fn opt_large_constants(shader: &mut Shader) -> bool {
    let mut tables = collect(shader);
    let mut bases = vec![None; tables.len()];
    for ((base, table), var) in bases.iter_mut().zip(&mut tables).zip(&shader.vars) {
        if let Some(table) = table.take_if(|table| table.dynamic)
            && shader.func.fuel.take(|| format!("variable {:?}", var.name))
        {
            *base = Some(append(&mut shader.const_data, &table.bytes));
        }
    }
    if bases.iter().all(Option::is_none) {
        return false;
    }
    let vars = &shader.vars;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let (InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. }) = &data.kind
        else {
            return Action::Keep;
        };
        let Some(base) = bases[var.index()] else { return Action::Keep };
        // Stores stay for `opt_dce`, which removes them because no load is left.
        let (InstKind::LoadVar { .. }, Some(place)) =
            (&data.kind, path_offset(&vars[var.index()].ty, path))
        else {
            return Action::Keep;
        };
        let (offset, align) = place.offset(b, base);
        let ty = in_memory(place.leaf);
        let value = b.load(Memory::ConstData, offset, align, Access::default(), ty);
        Action::Replace(from_memory(b, place.leaf, value.into()))
    })
}

/// A variable that may be a table.
struct Table {
    /// The contents; 0 where no value is known.
    bytes: Vec<u8>,
    /// For each byte, whether its value is known.
    given: Vec<bool>,
    /// Whether a load uses a dynamic index.
    dynamic: bool,
}

impl Table {
    /// A table with the initial values of a variable; `None` if the variable cannot be a table.
    fn new(ty: &VarTy, init: Option<&[u64]>) -> Option<Table> {
        let (size, _) = size_align(ty);
        if !matches!(ty, VarTy::Array(..)) || !(MIN_BYTES..=MAX_BYTES).contains(&size) {
            return None;
        }
        let size = size as usize;
        let mut table = Table { bytes: vec![0; size], given: vec![false; size], dynamic: false };
        if let Some(init) = init {
            let (VarTy::Vector(leaf), 1..) = (leaf_of(ty)?, init.len()) else { return None };
            for (i, &value) in init.iter().enumerate() {
                let bytes = leaf.comp_bytes() as usize;
                table.write(i * bytes, bytes, value);
            }
        }
        Some(table)
    }

    /// Writes `bytes` bytes of a value at byte `at`. Returns false if they are out of bounds or already have another
    /// value.
    fn write(&mut self, at: usize, bytes: usize, value: u64) -> bool {
        let range = at..at + bytes;
        let (Some(to), Some(given)) =
            (self.bytes.get_mut(range.clone()), self.given.get_mut(range))
        else {
            return false;
        };
        let value = &value.to_le_bytes()[..bytes];
        if given.contains(&true) && to != value {
            return false;
        }
        to.copy_from_slice(value);
        given.fill(true);
        true
    }
}

/// The scalar or vector type of an array's innermost elements; `None` if the array contains a structure.
fn leaf_of(ty: &VarTy) -> Option<&VarTy> {
    match ty {
        VarTy::Vector(_) => Some(ty),
        VarTy::Array(element, _) => leaf_of(element),
        VarTy::Struct(_) => None,
    }
}

/// For each variable, its contents if it may be a table.
fn collect(shader: &Shader) -> Vec<Option<Table>> {
    let mut tables: Vec<Option<Table>> =
        shader.vars.iter().map(|var| Table::new(&var.ty, var.init.as_deref())).collect();
    if tables.iter().all(Option::is_none) {
        return tables;
    }
    walk(&shader.func, |_, _, inst| match &shader.func.inst(inst).kind {
        InstKind::LoadVar { var, path } => {
            if let Some(table) = &mut tables[var.index()] {
                table.dynamic |= path.iter().any(|step| matches!(step, PathStep::Dyn(_)));
            }
        }
        InstKind::StoreVar { var, path, data, mask } => {
            let slot = &mut tables[var.index()];
            let Some(table) = slot else { return };
            let place =
                path_offset(&shader.var(*var).ty, path).filter(|place| place.scaled.is_empty());
            let constant = place.is_some_and(|place| {
                let size = place.leaf.comp_bytes() as usize;
                const_src(&shader.func, *data, place.leaf.comps()).is_some_and(|bits| {
                    (0..place.leaf.comps())
                        .filter(|&c| mask.has(c))
                        .all(|c| table.write(place.fixed as usize + c * size, size, bits[c]))
                })
            });
            if !constant {
                *slot = None;
            }
        }
        _ => {}
    });
    tables
}

/// Appends a table to the constant memory, unless it contains the same bytes already. Returns the byte offset of the
/// table, a multiple of 16.
pub(super) fn append(data: &mut Vec<u8>, table: &[u8]) -> u32 {
    let there = (0..data.len()).step_by(16).find(|&at| data[at..].starts_with(table));
    let at = there.unwrap_or_else(|| {
        data.resize(data.len().next_multiple_of(16), 0);
        let at = data.len();
        data.extend_from_slice(table);
        at
    });
    at as u32
}
