//! What passes that move computations upwards have in common: which may move, and how many registers their values fill.

use crate::analysis::{Divergence, Live};
use crate::ir::{Function, InstKind, Storages, Value};

/// The channels that a dword per channel counts for. A uniform dword counts once.
const CHANNELS: u32 = 8;

/// The weight of live values at which a shader still gets every SIMD width. 24 dwords per channel are 48 registers at
/// SIMD16, of which a thread has 128. With more, shaders of real projects lost a SIMD width.
const LIMIT: u32 = 24 * CHANNELS;

/// The weight above which a shader may need more registers than a thread has at SIMD8: 128, for everything.
const FULL: u32 = 80 * CHANNELS;

/// The weight of live values up to which further ones get longer lives. The place with most of them sets how many registers the
/// shader needs in any case, so other places may have nearly as many: 7/8 of them, because the weight is an estimate.
pub(crate) fn limit(live: &Live) -> u32 {
    LIMIT.max(live.most().min(FULL) / 8 * 7)
}

/// What a value fills, in dwords of one channel.
pub(crate) fn weight(func: &Function, divergence: &Divergence, value: Value) -> u32 {
    let ty = func.ty(value);
    if func.as_const(value).is_some() || ty.bits() == 1 {
        return 0;
    }
    let dwords = ty.comps() as u32 * ty.bits().div_ceil(32);
    if divergence.is_uniform(value) { dwords } else { CHANNELS * dwords }
}

/// Whether an instruction may run on paths where the program does not execute it: arithmetic, and reads of inputs and
/// constants.
pub(crate) fn may_move(kind: &InstKind) -> bool {
    let facts = kind.facts();
    let reads = Storages::INPUTS.and(Storages::CONSTANTS);
    facts.may_merge() && facts.may_be_parted() && facts.reads.is_within(reads)
}
