//! Numbers of trips of loops that the code shows.
//!
//! A loop has a known number if it has one exit, whose comparison is of constants and of a counter: a 32-bit integer that
//! is a constant before the loop and to which one instruction of each iteration adds a constant. The comparison of
//! channel 0 counts. Everything that is not understood makes the number unknown.

use std::collections::BTreeMap;
use std::ops::Range;

use crestline_device::Device;
use crestline_isa::{ArfKind, CondMod, Inst, Opcode, Place, PredCtrl, Predicate, Reg, Src, Type};

use crate::describe::describe;
use crate::flow::Flow;
use crate::reader::descriptor_bits;
use crate::registers::{Access, GRF_BYTES, accesses, channels, destination_bytes};

/// Greatest number of trips that is counted.
const MAX_TRIPS: u64 = 1 << 14;
/// Greatest number of loops that are examined.
const MAX_LOOPS: usize = 1 << 12;
/// Greatest number of writes of a register that are examined for one value.
const MAX_WRITES: usize = 256;
/// Greatest number of instructions that are examined, in sum of all loops.
const MAX_WORK: usize = 1 << 22;
/// Greatest depth of nesting around a constant's use, up to its write.
const MAX_DEPTH: usize = 64;
/// Greatest number of copies between a constant and its use.
const MAX_COPIES: usize = 8;

/// The numbers of trips of loops that end with `while`, by the byte offset of the loop's first instruction: the form of
/// [`Trips::Loops`](crate::Trips::Loops). Of loops that start together, none has a number.
pub fn known_trips<'i>(
    code: impl IntoIterator<Item = (usize, &'i Inst)>,
    device: &Device,
) -> BTreeMap<usize, u64> {
    let (offsets, insts): (Vec<usize>, Vec<&Inst>) = code.into_iter().unzip();
    let flow = Flow::new(&insts, &offsets);
    let mut known = BTreeMap::new();
    if flow.loops.is_empty() {
        return known;
    }
    let bodies: Vec<Range<usize>> = flow.loops.iter().map(|found| found.body.clone()).collect();
    let Some(scopes) = Scopes::new(&insts, &bodies) else { return known };
    let code = Code { writes: Writes::new(&insts, device), insts, bodies, scopes };
    let mut work = 0;
    let repeated = flow.loops.iter().enumerate().filter(|(_, found)| found.repeats);
    for (index, found) in repeated.take(MAX_LOOPS) {
        work += found.body.len();
        if work > MAX_WORK {
            break;
        }
        if let Some(trips) = code.trips(index, &found.body) {
            known.insert(offsets[found.body.start], trips);
        }
    }
    known
}

/// The byte of the general registers where a 32-bit value starts.
type At = u32;

/// The writes of each general register: index of the instruction, first and last byte.
struct Writes {
    of_register: BTreeMap<u32, Vec<(usize, Range<u32>)>>,
    /// The first instruction that writes an unknown register.
    unknown: Option<usize>,
}

impl Writes {
    fn new(insts: &[&Inst], device: &Device) -> Writes {
        let mut writes = Writes { of_register: BTreeMap::new(), unknown: None };
        let mut descriptor = 0;
        for (index, inst) in insts.iter().enumerate() {
            let mut add = |bytes: Range<u32>| {
                for register in bytes.start / GRF_BYTES..bytes.end.div_ceil(GRF_BYTES) {
                    writes.of_register.entry(register).or_default().push((index, bytes.clone()));
                }
            };
            if inst.send().is_some() {
                let (_, lengths) = describe(inst, device, descriptor);
                accesses(inst, device, lengths, &mut |slot, access| {
                    if let (Access::Write, Ok(slot)) = (access, u32::try_from(slot.index())) {
                        add(slot * GRF_BYTES..(slot + 1) * GRF_BYTES);
                    }
                });
            } else {
                match inst.dst.place {
                    Place::Direct { reg: Reg::Grf(number), sub } => {
                        let first = u32::from(number) * GRF_BYTES + u32::from(sub);
                        let count = channels(inst, device);
                        add(first..first + destination_bytes(&inst.dst, inst.access_mode, count));
                    }
                    Place::Direct { .. } => {}
                    Place::Indirect { .. } => {
                        writes.unknown.get_or_insert(index);
                    }
                }
            }
            descriptor = descriptor_bits(inst, descriptor);
        }
        writes
    }

    /// The last instructions in `range` that write a part of the value at `at`, last first. `None` if there may be others.
    fn last(&self, at: At, range: Range<usize>, count: usize) -> Option<Vec<usize>> {
        if self.unknown.is_some() {
            return None;
        }
        let mut found = Vec::new();
        let Some(writes) = self.of_register.get(&(at / GRF_BYTES)) else { return Some(found) };
        let end = writes.partition_point(|(index, _)| *index < range.end);
        for (step, (index, bytes)) in writes[..end].iter().rev().enumerate() {
            if *index < range.start || found.len() == count {
                break;
            }
            if step == MAX_WRITES {
                return None;
            }
            if bytes.start < at + 4 && at < bytes.end {
                found.push(*index);
            }
        }
        Some(found)
    }
}

/// The nesting of conditionals and loops.
struct Scopes {
    /// The innermost scope of each instruction.
    of_inst: Vec<usize>,
    /// Of each scope: the scope around it, and the loop that it is. Scope 0 is the program.
    all: Vec<(usize, Option<usize>)>,
    /// Of each scope: the innermost loop.
    loops: Vec<Option<usize>>,
    /// The scope of each loop.
    of_loop: Vec<usize>,
}

impl Scopes {
    /// `None` if the code has jumps other than those of conditionals and loops, or loops that start together.
    fn new(insts: &[&Inst], loops: &[Range<usize>]) -> Option<Scopes> {
        let mut scopes = Scopes {
            of_inst: Vec::new(),
            all: vec![(0, None)],
            loops: vec![None],
            of_loop: Vec::new(),
        };
        let mut at = 0;
        let mut starts = loops.iter().enumerate().peekable();
        for (index, inst) in insts.iter().enumerate() {
            if let Some((number, _)) = starts.next_if(|(_, body)| body.start == index) {
                scopes.all.push((at, Some(number)));
                scopes.loops.push(Some(number));
                at = scopes.all.len() - 1;
                scopes.of_loop.push(at);
            }
            if starts.peek().is_some_and(|(_, body)| body.start == index) {
                return None;
            }
            if matches!(inst.opcode, Opcode::Else | Opcode::EndIf) {
                if at == 0 || scopes.all[at].1.is_some() {
                    return None;
                }
                at = scopes.all[at].0;
            }
            scopes.of_inst.push(at);
            match inst.opcode {
                Opcode::If | Opcode::Else => {
                    scopes.all.push((at, None));
                    scopes.loops.push(scopes.loops[at]);
                    at = scopes.all.len() - 1;
                }
                Opcode::While => {
                    let (around, number) = scopes.all[at];
                    if loops.get(number?)?.end != index + 1 {
                        return None;
                    }
                    at = around;
                }
                Opcode::EndIf | Opcode::Break | Opcode::Cont | Opcode::Halt => {}
                _ if inst.branch().is_some() => return None,
                _ => {}
            }
        }
        Some(scopes)
    }
}

/// A source of a comparison.
enum Operand {
    Constant(u32),
    Counter(At),
}

struct Code<'i> {
    insts: Vec<&'i Inst>,
    /// The instructions of each loop.
    bodies: Vec<Range<usize>>,
    writes: Writes,
    scopes: Scopes,
}

impl Code<'_> {
    /// The number of trips of loop `number`.
    fn trips(&self, number: usize, body: &Range<usize>) -> Option<u64> {
        let scope = self.scopes.of_loop[number];
        let end = body.end - 1;
        let mut exit = None;
        for index in body.clone() {
            let inst = self.insts[index];
            let leaves = match inst.opcode {
                Opcode::Break | Opcode::Cont => {
                    self.scopes.loops[self.scopes.of_inst[index]] == Some(number)
                }
                Opcode::While => index == end && inst.predicate.ctrl != PredCtrl::None,
                _ => false,
            };
            if leaves {
                let usable = inst.opcode != Opcode::Cont && self.scopes.of_inst[index] == scope;
                if exit.is_some() || !usable || inst.predicate.ctrl != PredCtrl::Normal {
                    return None;
                }
                exit = Some(index);
            }
        }
        let exit = exit?;
        let compare = self.comparison(body.start, exit, scope)?;
        let compared = self.insts[compare];
        let operand = |src: &Src| self.operand(src, body, scope);
        let (left, right) = (operand(&compared.srcs[0])?, operand(&compared.srcs[1])?);
        let signed = match (compared.srcs[0].ty()?, compared.srcs[1].ty()?) {
            (Type::D, Type::D) => true,
            (Type::Ud, Type::Ud) => false,
            _ => return None,
        };
        let ((Operand::Counter(at), Operand::Constant(_))
        | (Operand::Constant(_), Operand::Counter(at))) = (&left, &right)
        else {
            return None;
        };
        let (add, step) = self.step(*at, body, scope)?;
        let mut value = self.constant(*at, body.start, self.scopes.all[scope].0, MAX_COPIES)?;
        let Predicate { inverse, .. } = self.insts[exit].predicate;
        let stays = (self.insts[exit].opcode == Opcode::While) != inverse;
        let mut done = 0;
        loop {
            if add < compare {
                value = value.wrapping_add(step);
            }
            let of = |operand: &Operand| match operand {
                Operand::Constant(bits) => *bits,
                Operand::Counter(_) => value,
            };
            if holds(compared.cond_mod, signed, of(&left), of(&right))? != stays {
                break;
            }
            if add > compare {
                value = value.wrapping_add(step);
            }
            done += 1;
            if done > MAX_TRIPS {
                return None;
            }
        }
        // The last iteration is cut short: it counts if its greater part runs.
        let partial = u64::from(2 * (exit - body.start) > body.len());
        Some((done + partial).max(1))
    }

    /// The comparison that writes the flag of a branch.
    fn comparison(&self, start: usize, exit: usize, scope: usize) -> Option<usize> {
        let branch = self.insts[exit];
        for index in (start..exit).rev().take(MAX_WRITES) {
            let inst = self.insts[index];
            let writes = inst.cond_mod != CondMod::None
                && !matches!(inst.opcode, Opcode::Sel | Opcode::Csel)
                && inst.flag == branch.flag
                && inst.group == branch.group;
            if writes {
                let plain = inst.opcode == Opcode::Cmp
                    && inst.predicate.ctrl == PredCtrl::None
                    && self.scopes.of_inst[index] == scope;
                return plain.then_some(index);
            }
            // Code that moves flags is not followed.
            if self.scopes.of_inst[index] != scope || writes_flags(inst) {
                return None;
            }
        }
        None
    }

    fn operand(&self, src: &Src, body: &Range<usize>, scope: usize) -> Option<Operand> {
        if let Some(imm) = src.as_imm() {
            return Some(Operand::Constant(imm.bits as u32));
        }
        let at = place(src)?;
        match self.writes.last(at, body.clone(), 1)?.is_empty() {
            true => {
                let around = self.scopes.all[scope].0;
                self.constant(at, body.start, around, MAX_COPIES).map(Operand::Constant)
            }
            false => Some(Operand::Counter(at)),
        }
    }

    /// The instruction of a loop that adds a constant to a counter, and the constant.
    fn step(&self, at: At, body: &Range<usize>, scope: usize) -> Option<(usize, u32)> {
        let [add] = self.writes.last(at, body.clone(), 2)?[..] else { return None };
        let inst = self.insts[add];
        let plain = inst.opcode == Opcode::Add
            && is_plain(inst)
            && self.scopes.of_inst[add] == scope
            && place(&inst.srcs[0]) == Some(at)
            && destination(inst) == Some(at);
        let imm = inst.srcs[1].as_imm()?;
        (plain && matches!(imm.ty, Type::D | Type::Ud)).then_some((add, imm.bits as u32))
    }

    /// The value at `at` before instruction `before`, which is in `scope`, if it is constant.
    fn constant(&self, at: At, before: usize, scope: usize, copies: usize) -> Option<u32> {
        let write = *self.writes.last(at, 0..before, 1)?.first()?;
        let inst = self.insts[write];
        let from = self.scopes.of_inst[write];
        // No iteration of a loop around the use, but not around the write, may change the value.
        let mut around = scope;
        for depth in 0.. {
            if around == from {
                break;
            }
            if around == 0 || depth == MAX_DEPTH {
                return None;
            }
            if let (_, Some(number)) = self.scopes.all[around]
                && !self.writes.last(at, self.bodies[number].clone(), 1)?.is_empty()
            {
                return None;
            }
            around = self.scopes.all[around].0;
        }
        let moves = inst.opcode == Opcode::Mov && is_plain(inst) && destination(inst) == Some(at);
        if !moves {
            return None;
        }
        match (&inst.srcs[0], copies.checked_sub(1)) {
            (Src::Imm(imm), _) => matches!(imm.ty, Type::D | Type::Ud).then_some(imm.bits as u32),
            (src @ Src::Reg(_), Some(copies)) => self.constant(place(src)?, write, from, copies),
            _ => None,
        }
    }
}

fn is_plain(inst: &Inst) -> bool {
    inst.predicate.ctrl == PredCtrl::None && inst.cond_mod == CondMod::None && !inst.saturate
}

fn writes_flags(inst: &Inst) -> bool {
    matches!(inst.dst.place, Place::Direct { reg: Reg::Arf(ArfKind::Flag, _), .. })
}

/// Where a plain 32-bit integer source starts.
fn place(src: &Src) -> Option<At> {
    let src = src.as_reg()?;
    let plain = matches!(src.ty, Type::D | Type::Ud) && !src.negate && !src.abs;
    plain.then(|| start(src.place)).flatten()
}

/// Where a 32-bit integer destination starts.
fn destination(inst: &Inst) -> Option<At> {
    matches!(inst.dst.ty, Type::D | Type::Ud).then(|| start(inst.dst.place)).flatten()
}

fn start(place: Place) -> Option<At> {
    match place {
        Place::Direct { reg: Reg::Grf(number), sub } => {
            Some(u32::from(number) * GRF_BYTES + u32::from(sub))
        }
        _ => None,
    }
}

/// The result of a comparison.
fn holds(condition: CondMod, signed: bool, left: u32, right: u32) -> Option<bool> {
    let order = match signed {
        true => (left as i32).cmp(&(right as i32)),
        false => left.cmp(&right),
    };
    Some(match condition {
        CondMod::Z => order.is_eq(),
        CondMod::Nz => order.is_ne(),
        CondMod::G => order.is_gt(),
        CondMod::Ge => order.is_ge(),
        CondMod::L => order.is_lt(),
        CondMod::Le => order.is_le(),
        _ => return None,
    })
}
