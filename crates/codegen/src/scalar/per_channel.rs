//! Chooses uniform values that are computed for each channel.
//!
//! Most payloads have an element for each channel. If they read a scalar register, it must be copied to all elements.
//! An instruction with a channel for each element does not take longer than one with a single channel, or not much,
//! so values that only payloads read are computed in this form at once:
//!
//! ```text
//! before:                                     after:
//! mul(1)  g2<1>F  g0.1<0,1,0>F  g0.2<0,1,0>F  mul(8)  g3<1>F  g0.1<0,1,0>F  g0.2<0,1,0>F
//! mov(8)  g3<1>F  g2<0,1,0>F
//! ```
//!
//! Such a value may also be read by operations whose results are computed for each channel, and be passed to results and
//! parameters that are. All values that a region passes must then have this form: an accumulator of a loop whose
//! sum is stored is computed for each channel from the start. A load has it if its values are only stored: the message
//! then reads an element for each channel. Uniform loads of neighbouring dwords from memory that does not change stay,
//! because they share a message.
//!
//! A thread of a workgroup with one invocation has one channel. Scalar registers save nothing there, so each value that can
//! be computed for each channel is.

use std::ops::Range;

use crestline_ssa::analysis::Divergence;
use crestline_ssa::ir::{
    AluOp, Function, InstId, InstKind, Memory, RegionId, Shader, Src, Targets, Value, ValueDef,
};
use hashbrown::HashMap;

use super::blocks::Reuse;
use crate::ir::GRF_BYTES;

/// For each value, whether it is uniform and should be computed for each channel.
pub(super) fn choose(shader: &Shader, divergence: &Divergence) -> Vec<bool> {
    let func = &shader.func;
    let single = shader.compute().is_some_and(|compute| compute.invocations() == 1);
    let mut uses = Uses::default();
    uses.collect(func, func.body(), Targets::default());
    let mut chooser = Chooser {
        func,
        divergence,
        single,
        loads: std::mem::take(&mut uses.loads),
        chosen: vec![false; func.num_values()],
    };
    if single {
        for &value in &uses.defined {
            chooser.chosen[value.index()] = chooser.is_candidate(value);
        }
    } else {
        chooser.want(&uses);
    }
    chooser.drop_others(&uses);
    chooser.chosen
}

/// How an instruction uses a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// As an element for each channel of a payload.
    Payload,
    /// To compute this value, or as its address.
    Result(Value),
    /// As this result or parameter, to which a terminator or loop passes it.
    Passed(Value),
    /// As the condition of a branch.
    Condition,
    /// In another way, which may need a scalar.
    Other,
}

/// The uses of all values.
#[derive(Default)]
struct Uses {
    uses: Vec<(Value, Use)>,
    /// All results and parameters.
    defined: Vec<Value>,
    /// For each aligned block of 32 bytes, the number of loads that read it and may share a message.
    loads: HashMap<(Memory, u32), u32>,
}

impl Uses {
    /// Collects the uses in a region and the regions in it.
    fn collect(&mut self, func: &Function, region: RegionId, targets: Targets) {
        self.defined.extend(&func.region(region).params);
        for &id in &func.region(region).insts {
            let inst = func.inst(id);
            let kind = &inst.kind;
            self.defined.extend(&inst.results);
            self.of(func, id, targets);
            for (index, nested) in kind.regions().enumerate() {
                self.collect(func, nested, targets.inside(id, kind, index));
            }
        }
    }

    /// Records the uses by one instruction.
    fn of(&mut self, func: &Function, id: InstId, targets: Targets) {
        let inst = func.inst(id);
        let kind = &inst.kind;
        let result = inst.results.first().map(|&result| Use::Result(result));
        match kind {
            InstKind::Alu { srcs, .. } => self.add_all(srcs, result.unwrap_or(Use::Other)),
            InstKind::If { cond, .. } => self.add(*cond, Use::Condition),
            InstKind::Loop { init, body, .. } => self.passed(init, &func.region(*body).params),
            InstKind::Yield(srcs) | InstKind::Break(srcs) | InstKind::Continue(srcs) => {
                match targets.values(func, kind) {
                    Some(values) => self.passed(srcs, values),
                    None => self.add_all(srcs, Use::Other),
                }
            }
            InstKind::Load { memory, offset, .. } => {
                for window in shared_windows(func, id) {
                    *self.loads.entry((*memory, window)).or_default() += 1;
                }
                self.address(func, memory, *offset, result.unwrap_or(Use::Other));
            }
            InstKind::Store { memory, offset, data, .. } => {
                self.address(func, memory, *offset, Use::Payload);
                let scratch = *memory == Memory::Scratch;
                self.add(*data, if scratch { Use::Other } else { Use::Payload });
            }
            InstKind::Atomic { memory, offset, data, compare, .. } => {
                self.address(func, memory, *offset, Use::Payload);
                self.add(*data, Use::Payload);
                compare.iter().for_each(|&src| self.add(src, Use::Payload));
            }
            InstKind::StoreOutput { data, vertex, index, .. } => {
                self.add(*data, Use::Payload);
                vertex.iter().chain(index).for_each(|&src| self.add(src, Use::Other));
            }
            _ => kind.for_each_src(|src| self.add(src, Use::Other)),
        }
    }

    fn add(&mut self, src: Src, how: Use) {
        self.uses.push((src.value, how));
    }

    fn add_all(&mut self, srcs: &[Src], how: Use) {
        srcs.iter().for_each(|&src| self.add(src, how));
    }

    /// Records the uses as the address of an access: `how` for what is the address of each channel in the payload.
    fn address(&mut self, func: &Function, memory: &Memory, offset: Src, how: Use) {
        let in_payload = match memory {
            Memory::Ssbo(_) | Memory::Shared | Memory::Image(_) => true,
            Memory::Global(address) => func.ty(address.value).bits() == 32,
            Memory::Ubo(_) | Memory::PushConstant | Memory::Scratch | Memory::ConstData => false,
        };
        let how = if in_payload { how } else { Use::Other };
        self.add(offset, how);
        match memory {
            Memory::Global(address) => self.add(*address, how),
            _ => memory.src().into_iter().for_each(|&element| self.add(element, Use::Other)),
        }
    }

    /// Records that these sources are passed as these results or parameters.
    fn passed(&mut self, srcs: &[Src], values: &[Value]) {
        for (&src, &value) in srcs.iter().zip(values) {
            self.add(src, Use::Passed(value));
        }
    }
}

/// The numbers of the aligned blocks of 32 bytes that a load at a constant offset reads from memory that does not change.
/// Uniform loads from the same block share a message.
fn shared_windows(func: &Function, id: InstId) -> Range<u32> {
    let inst = func.inst(id);
    if let (InstKind::Load { memory, offset, access, .. }, [result]) =
        (&inst.kind, &inst.results[..])
        && Reuse::of(memory, *access) == Reuse::Always
        && let Some(bits) = func.as_const(offset.value)
    {
        let at = bits[usize::from(offset.swizzle[0])] as u32;
        let ty = func.ty(*result);
        let end = at.saturating_add(ty.comps() as u32 * ty.comp_bytes());
        return at / GRF_BYTES..end.div_ceil(GRF_BYTES);
    }
    0..0
}

/// The choice of values.
struct Chooser<'a> {
    func: &'a Function,
    divergence: &'a Divergence,
    /// Whether the workgroup has one invocation.
    single: bool,
    /// See [`Uses::loads`].
    loads: HashMap<(Memory, u32), u32>,
    chosen: Vec<bool>,
}

impl Chooser<'_> {
    /// Whether a value is uniform, and computed in a way that can be done for each channel.
    fn is_candidate(&self, value: Value) -> bool {
        let ty = self.func.ty(value);
        let sizes = if self.single { 1..=32 } else { 32..=32 };
        if !self.divergence.is_uniform(value) || !sizes.contains(&ty.bits()) {
            return false;
        }
        let ValueDef::Result { inst, .. } = self.func.value(value).def else { return true };
        match &self.func.inst(inst).kind {
            InstKind::If { .. } | InstKind::Loop { .. } => true,
            InstKind::Alu { op, srcs, .. } => {
                // At SIMD16 a conversion from a scalar of 64 bits to all channels would write more than two registers:
                // `lower_simd_width` does not split it.
                let narrow = srcs.iter().all(|src| self.func.ty(src.value).bits() <= 32);
                narrow && (self.single || is_vector(*op) || is_simple(*op))
            }
            InstKind::Load { memory, .. } => {
                let written = matches!(
                    memory,
                    Memory::Ssbo(_) | Memory::Shared | Memory::Image(_) | Memory::Global(_)
                );
                let shares =
                    |window| self.loads.get(&(*memory, window)).is_some_and(|&count| count > 1);
                written && !shared_windows(self.func, inst).any(shares)
            }
            _ => false,
        }
    }

    /// Chooses the candidates that payloads read, and those that are passed as, are components of, or are the address of
    /// one that is chosen.
    fn want(&mut self, uses: &Uses) {
        let mut sources = vec![Vec::new(); self.func.num_values()];
        let mut todo = Vec::new();
        for &(value, how) in &uses.uses {
            match how {
                Use::Payload => todo.push(value),
                Use::Passed(into) => sources[into.index()].push(value),
                Use::Result(result) if !self.is_simple_result(result) => {
                    sources[result.index()].push(value);
                }
                _ => {}
            }
        }
        while let Some(value) = todo.pop() {
            if !self.chosen[value.index()] && self.is_candidate(value) {
                self.chosen[value.index()] = true;
                todo.append(&mut sources[value.index()]);
            }
        }
    }

    /// Whether the value is computed by an operation on scalars.
    fn is_simple_result(&self, value: Value) -> bool {
        let def = self.func.def(value);
        def.is_some_and(|inst| matches!(inst.kind, InstKind::Alu { op, .. } if !is_vector(op)))
    }

    /// Removes the values that something reads which needs a scalar, and those of which a scalar would have to be copied,
    /// until none is left.
    fn drop_others(&mut self, uses: &Uses) {
        // What to look at again when a value is removed: the uses in which it is read, or as which it is passed.
        let mut related = vec![Vec::new(); self.func.num_values()];
        for (index, &(value, how)) in uses.uses.iter().enumerate() {
            if let Use::Result(result) | Use::Passed(result) = how {
                related[result.index()].push(index);
            }
            if let Use::Passed(_) = how {
                related[value.index()].push(index);
            }
        }
        let mut todo: Vec<usize> = (0..uses.uses.len()).collect();
        while let Some(index) = todo.pop() {
            let (value, how) = uses.uses[index];
            let dropped = match how {
                Use::Payload => continue,
                Use::Result(result) if self.is_per_channel(result) => continue,
                Use::Passed(into) if self.is_per_channel(into) => {
                    let scalar = !self.is_per_channel(value) && self.func.as_const(value).is_none();
                    if !scalar || self.single {
                        continue;
                    }
                    into
                }
                Use::Condition if self.single => continue,
                Use::Result(_) | Use::Passed(_) | Use::Condition | Use::Other => value,
            };
            if std::mem::take(&mut self.chosen[dropped.index()]) {
                todo.append(&mut related[dropped.index()]);
            }
        }
    }

    /// Whether a value is divergent, or is among those chosen so far.
    fn is_per_channel(&self, value: Value) -> bool {
        self.chosen[value.index()] || self.divergence.is_divergent(value)
    }
}

/// Whether an operation only collects components.
fn is_vector(op: AluOp) -> bool {
    matches!(op, AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4)
}

/// Whether an operation is one instruction, whose time does not depend on the number of channels much.
fn is_simple(op: AluOp) -> bool {
    use AluOp::{
        F2I, F2U, FAbs, FAdd, FFloor, FFma, FMax, FMin, FMul, FNeg, FSat, I2F, IAdd, IAnd, IMax,
        IMin, INeg, INot, IOr, IShl, IShr, ISub, IXor, U2F, UMax, UMin, UShr,
    };
    matches!(
        op,
        F2I | F2U
            | FAbs
            | FAdd
            | FFloor
            | FFma
            | FMax
            | FMin
            | FMul
            | FNeg
            | FSat
            | I2F
            | IAdd
            | IAnd
            | IMax
            | IMin
            | INeg
            | INot
            | IOr
            | IShl
            | IShr
            | ISub
            | IXor
            | U2F
            | UMax
            | UMin
            | UShr
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of the instructions of a shader's body that are uniform but computed for each channel.
    fn chosen(local_size: u32, body: &str) -> Vec<usize> {
        let text = format!(
            "compute \"t\" {{
                local_size {local_size}, 1, 1
                binding b0: ssbo set 0 binding 0 \"out\"
                binding b1: ubo set 0 binding 1 \"in\"
                binding b2: ssbo set 0 binding 2 \"more\"
                {body}
            }}"
        );
        let shader = crestline_ssa::text::parse(&text).expect("a shader");
        let chosen = choose(&shader, &Divergence::new(&shader));
        (0..chosen.len()).filter(|&value| chosen[value]).collect()
    }

    #[test]
    fn what_only_payloads_read() {
        // %2 is read by %3, %4 is also an offset, and %5 is no simple operation.
        let body = "%0: 32 = const 4
            %1: 32 = load ssbo b0, %0, align 4
            %2: 32 = iadd %1, %0
            %3: 32 = iadd %2, %1
            %4: 32 = iand %1, %0
            %5: 32 = frcp %1
            %6: 32x4 = vec4 %3, %4, %5, %1
            store ssbo b0, %4, %6, align 4
            return";
        assert_eq!(chosen(8, body), [3, 4, 6]);
        // All but the constant.
        assert_eq!(chosen(1, body), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn what_something_else_reads_is_a_scalar() {
        // %2 is stored, and the offset in a uniform buffer is computed from it.
        let body = "%0: 32 = sysval subgroup_id
            %1: 32 = const 4
            %2: 32 = ishl %0, %1
            %3: 32 = iadd %2, %1
            %4: 32 = load ubo b1, %3, align 4
            store ssbo b0, %2, %4, align 4
            return";
        assert!(chosen(8, body).is_empty());
        assert!(chosen(1, body).is_empty());
    }

    #[test]
    fn loads_whose_values_are_stored() {
        let body = "%0: 32 = sysval subgroup_id
            %1: 32 = const 4
            %2: 32 = ishl %0, %1
            %3: 32x2 = load ssbo b0, %2, align 4
            store ssbo b0, %2, %3, align 4
            return";
        assert_eq!(chosen(8, body), [2, 3]);
    }

    #[test]
    fn loads_that_share_a_message_are_scalars() {
        let body = |second: u32, access: &str| {
            format!(
                "%0: 32 = const 0
                %1: 32 = const {second}
                %2: 32x2 = load ssbo b2, %0, align 8{access}
                %3: 32 = load ssbo b2, %1, align 4{access}
                store ssbo b0, %1, %2, align 4
                store ssbo b0, %0, %3, align 4
                return"
            )
        };
        assert!(chosen(8, &body(28, ", readonly")).is_empty());
        assert_eq!(chosen(8, &body(32, ", readonly")), [2, 3]);
        // Memory that may change is read anew each time.
        assert_eq!(chosen(8, &body(28, "")), [2, 3]);
    }

    /// A loop that adds up what it loads at the offset that it also counts.
    fn sum(stored: &str) -> String {
        format!(
            "%0: 32 = const 0
            %1: 32 = const 64
            %2: 32, %3: 32 = loop (%4: 32 = %0, %5: 32 = %0) {{
                %6: 1 = ige %4, %1
                if %6 {{
                    break %5, %4
                }} else {{
                    yield
                }}
                %7: 32 = load ssbo b0, %4, align 4
                %8: 32 = fadd %5, %7
                %9: 32 = iadd %4, %1
                continue %9, %8
            }}
            store ssbo b0, %0, {stored}, align 4
            return"
        )
    }

    #[test]
    fn a_sum_that_is_stored() {
        // The sum is computed for each channel at all places. The counter, which a branch reads, is not.
        assert_eq!(chosen(8, &sum("%2")), [2, 5, 8]);
        assert!(chosen(8, &sum("%3")).is_empty());
    }

    #[test]
    fn one_channel_has_no_scalars() {
        assert_eq!(chosen(1, &sum("%2")), [2, 3, 4, 5, 6, 7, 8, 9]);
    }
}
