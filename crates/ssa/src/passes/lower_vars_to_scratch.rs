//! Moves the remaining variables to scratch memory. These are mainly arrays with dynamic indices.

use super::opt_large_constants::append;
use super::util::layout::{from_memory, in_memory, path_offset, size_align};
use super::util::{Action, rewrite};
use crate::ir::{
    Access, Align, AluOp, Builder, InstKind, Memory, PathStep, Shader, Ty, VarId, VarTy, Variable,
};

/// Greatest number of bytes of scratch memory per invocation, so that the size for 32 invocations fits 32 bits.
/// Devices have much less, but only the back end knows how many invocations share it. Variables that exceed it stay,
/// and instruction selection reports them.
const MAX_BYTES: u64 = 1 << 26;

/// Greatest number of scalars for which the initial values of a variable are stored one by one. More are stored in a
/// loop.
const MAX_STORES: u64 = 128;

/// Bytes that one iteration of such a loop stores.
const ROUND: u32 = 16;

/// See the [module](self). Returns whether a variable moved.
pub fn lower_vars_to_scratch(shader: &mut Shader) -> bool {
    let bases = assign(shader);
    if bases.iter().all(Option::is_none) {
        return false;
    }
    let vars = shader.vars.clone();
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let (InstKind::LoadVar { var, path } | InstKind::StoreVar { var, path, .. }) = &data.kind
        else {
            return Action::Keep;
        };
        let Some(base) = bases[var.index()] else { return Action::Keep };
        let Some(place) = path_offset(&vars[var.index()].ty, path) else { return Action::Keep };
        let (leaf, access) = (place.leaf, Access::default());
        match data.kind.clone() {
            InstKind::StoreVar { mut data, mask, .. } => {
                let (offset, align) = place.offset(b, base);
                if leaf.is_bool() {
                    data = b.alu_ty(AluOp::B2I, in_memory(leaf), &[data]).into();
                }
                *b.func.kind_mut(inst) = InstKind::Store {
                    memory: Memory::Scratch,
                    offset,
                    data,
                    comps: leaf.comps() as u8,
                    mask,
                    align,
                    access,
                };
                Action::Keep
            }
            _ => {
                let (offset, align) = place.offset(b, base);
                let value = b.load(Memory::Scratch, offset, align, access, in_memory(leaf));
                Action::Replace(from_memory(b, leaf, value.into()))
            }
        }
    });
    initialise(shader, &bases);
    true
}

/// Assigns scratch memory to each variable that is accessed. Returns the byte offset for each variable that has a
/// place.
fn assign(shader: &mut Shader) -> Vec<Option<u32>> {
    let mut used = vec![false; shader.vars.len()];
    super::util::walk(&shader.func, |_, _, inst| {
        if let InstKind::LoadVar { var, .. } | InstKind::StoreVar { var, .. } =
            shader.func.inst(inst).kind
        {
            used[var.index()] = true;
        }
    });
    let mut bases = vec![None; used.len()];
    for ((base, used), var) in bases.iter_mut().zip(used).zip(&shader.vars) {
        let start = u64::from(shader.scratch_bytes).next_multiple_of(16);
        let mut end = start.saturating_add(size_align(&var.ty).0);
        if starts_in_a_loop(var) {
            end = end.next_multiple_of(ROUND.into());
        }
        if used && end <= MAX_BYTES {
            *base = Some(start as u32);
            shader.scratch_bytes = end as u32;
        }
    }
    bases
}

/// Whether the initial values of a variable are stored in a loop.
fn starts_in_a_loop(var: &Variable) -> bool {
    var.init.is_some() && var.ty.num_scalars() > MAX_STORES
}

/// Stores the initial values of the variables at the start of the function.
fn initialise(shader: &mut Shader, bases: &[Option<u32>]) {
    let body = shader.func.body();
    let rest = std::mem::take(&mut shader.func.region_mut(body).insts);
    for (i, base) in bases.iter().enumerate() {
        let var = shader.var(VarId::from_index(i)).clone();
        if let (Some(base), Some(init)) = (base, &var.init) {
            if starts_in_a_loop(&var) {
                let mut bytes = Vec::new();
                write_image(&var.ty, &mut init.iter(), &mut bytes);
                bytes.resize(bytes.len().next_multiple_of(ROUND as usize), 0);
                let zero = bytes.iter().all(|&byte| byte == 0);
                let from = (!zero).then(|| append(&mut shader.const_data, &bytes));
                let mut b = Builder::new(&mut shader.func, body);
                store_image(&mut b, *base, from, bytes.len() as u32);
                continue;
            }
            let mut b = Builder::new(&mut shader.func, body);
            store_leaves(&mut b, &var.ty, &var.ty, &mut Vec::new(), *base, &mut init.iter());
        }
    }
    shader.func.region_mut(body).insts.extend(rest);
}

/// Appends the initial memory contents of a variable of type `ty` to `bytes`, taking values from `init`. The start of
/// `bytes` counts as aligned for all types.
fn write_image(ty: &VarTy, init: &mut std::slice::Iter<'_, u64>, bytes: &mut Vec<u8>) {
    let (_, align) = size_align(ty);
    bytes.resize(bytes.len().next_multiple_of(align as usize), 0);
    match ty {
        VarTy::Vector(leaf) => {
            for value in init.by_ref().take(leaf.comps()) {
                let value = (value & leaf.mask()).to_le_bytes();
                bytes.extend_from_slice(&value[..leaf.comp_bytes() as usize]);
            }
        }
        VarTy::Array(element, count) => {
            for _ in 0..*count {
                write_image(element, init, bytes);
            }
        }
        VarTy::Struct(members) => {
            for member in members {
                write_image(member, init, bytes);
            }
            bytes.resize(bytes.len().next_multiple_of(align as usize), 0);
        }
    }
}

/// Builds a loop that fills `bytes` bytes of scratch memory from byte `base` on, with a copy of the constant memory at
/// byte `from`, or with zero.
fn store_image(b: &mut Builder<'_>, base: u32, from: Option<u32>, bytes: u32) {
    let outer = b.region();
    let (ty, align, access) = (Ty::X32.with_comps(4), Align::to(ROUND), Access::default());
    let first = b.imm(0);
    let end = b.imm(bytes);
    let step = b.imm(ROUND);
    let (_, round) = b.loop_(&[first]);
    b.switch_to(round);
    let at = b.func.region(round).params[0];
    let done = b.alu(AluOp::UGe, &[at, end]);
    let (_, then, else_) = b.if_(done);
    b.switch_to(then);
    b.break_(&[]);
    b.switch_to(else_);
    b.yield_(&[]);
    b.switch_to(round);
    let data = match from {
        None => b.constant(ty, [0; 4]),
        Some(from) => {
            let from = b.imm(from);
            let offset = b.alu(AluOp::IAdd, &[at, from]);
            b.load(Memory::ConstData, offset, align, access, ty)
        }
    };
    let base = b.imm(base);
    let offset = b.alu(AluOp::IAdd, &[at, base]);
    b.store(Memory::Scratch, offset, data, align, access);
    let next = b.alu(AluOp::IAdd, &[at, step]);
    b.continue_(&[next]);
    b.switch_to(outer);
}

/// Stores the initial values of the part of `whole` at `path`, which has type `ty`, taking values from `init`.
fn store_leaves(
    b: &mut Builder<'_>,
    whole: &VarTy,
    ty: &VarTy,
    path: &mut Vec<PathStep>,
    base: u32,
    init: &mut std::slice::Iter<'_, u64>,
) {
    let parts = match ty {
        VarTy::Vector(leaf) => {
            let mut bits = [0; 4];
            for (bits, &init) in bits.iter_mut().zip(init.by_ref().take(leaf.comps())) {
                *bits = init & leaf.mask();
            }
            if let Some(place) = path_offset(whole, path) {
                let data = b.constant(in_memory(*leaf), bits);
                let (offset, align) = place.offset(b, base);
                b.store(Memory::Scratch, offset, data, align, Access::default());
            }
            return;
        }
        VarTy::Array(_, count) => *count,
        VarTy::Struct(members) => members.len() as u32,
    };
    for index in 0..parts {
        if let Some(part) = ty.step(Some(index)) {
            path.push(PathStep::Const(index));
            store_leaves(b, whole, &part, path, base, init);
            path.pop();
        }
    }
}
