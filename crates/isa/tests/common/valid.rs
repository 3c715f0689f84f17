//! Generates random valid instructions in a given cell of the coverage (see `cells.rs`), and
//! determines which cells are legal.
//!
//! A generated instruction probably encodes and is valid. [`Maker`] checks it with the encoder and
//! the validator, and tries again if not. A cell is illegal if many attempts fail.

use super::cells::{Cell, Kind, Messages, Op, Slot, all, messages, of, row};
use super::random::{Random, branch, imm_bits, swsb};
use crestline_device::Device;
use crestline_isa::message::{Descriptor, Message};
use crestline_isa::validate::{Severity, Validator};
use crestline_isa::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Makes valid instructions of one generation and access mode.
pub(crate) struct Maker {
    r: Random,
    generation: Gen,
    mode: AccessMode,
    validator: Validator,
    messages: Messages,
    /// Predicate controls that the access mode has; those of a vector's components are Align16
    /// only.
    predicates: Vec<PredCtrl>,
    legal: Vec<Cell>,
    illegal: BTreeMap<Cell, String>,
    /// How many of the instructions counted were in each legal cell.
    hits: BTreeMap<Cell, u32>,
}

/// A cell counts as illegal if this many instructions for it all break the same rule, or if
/// [`ATTEMPTS`] instructions for it break any rules. If a valid instruction in the cell is found
/// later, it counts as legal.
const ENOUGH: usize = 150;
const ATTEMPTS: usize = 3000;

/// Maximum number of instructions to try for a legal cell with few valid instructions.
const PATIENCE: usize = 100_000;

/// The rules that an instruction breaks, and the encoder's error.
type Broken = Vec<Cow<'static, str>>;

impl Maker {
    pub(crate) fn new(generation: Gen, mode: AccessMode) -> Maker {
        let device = Device::new(Platform::of_generation(generation));
        let messages = messages(generation);
        let cells = all(generation, mode, &messages);
        let mut maker = Maker {
            r: Random::new(u64::from(generation.verx10()) * 2 + mode as u64),
            generation,
            mode,
            validator: Validator::new(device),
            messages,
            predicates: (1..if generation >= Gen::Gen7 { 16 } else { 12 })
                .filter_map(|code| PredCtrl::from_bits(mode, code))
                .collect(),
            legal: Vec::new(),
            illegal: BTreeMap::new(),
            hits: BTreeMap::new(),
        };
        for cell in cells {
            match maker.why_illegal(&cell) {
                None => {
                    maker.legal.push(cell);
                    maker.hits.insert(cell, 0);
                }
                Some(reason) => {
                    maker.illegal.insert(cell, reason);
                }
            }
        }
        maker
    }

    /// Cells that no instruction can be in, with the rules that forbid it.
    pub(crate) fn illegal(&self) -> &BTreeMap<Cell, String> {
        &self.illegal
    }

    /// Legal cells with the number of instructions counted that are in them.
    pub(crate) fn hits(&self) -> &BTreeMap<Cell, u32> {
        &self.hits
    }

    /// Legal cells that no instruction counted is in.
    pub(crate) fn missed(&self) -> Vec<Cell> {
        self.hits.iter().filter(|(_, hits)| **hits == 0).map(|(cell, _)| *cell).collect()
    }

    /// Whether an instruction is valid.
    fn accepts(&self, inst: &Inst) -> bool {
        let mut valid = true;
        self.validator.check_inst(inst, |rule| valid &= rule.severity != Severity::Error);
        valid && encode(inst, self.generation).is_ok()
    }

    /// What makes an instruction invalid; empty if nothing does.
    fn broken(&self, inst: &Inst) -> Broken {
        let mut broken = Broken::new();
        self.validator.check_inst(inst, |rule| {
            if rule.severity == Severity::Error {
                broken.push(rule.id.into());
            }
        });
        if let Err(error) = encode(inst, self.generation) {
            broken.push(error.to_string().into());
        }
        broken
    }

    /// Why no instruction can be in a cell; `None` if one can.
    fn why_illegal(&mut self, cell: &Cell) -> Option<String> {
        let mut attempts: Vec<Broken> = Vec::new();
        let mut common = Broken::new();
        for _ in 0..ATTEMPTS {
            let inst = self.aimed(cell);
            if !is_in(&inst, self.generation, cell) {
                continue;
            }
            let broken = self.broken(&inst);
            if broken.is_empty() {
                return None;
            }
            match attempts.is_empty() {
                true => common.clone_from(&broken),
                false => common.retain(|rule| broken.contains(rule)),
            }
            attempts.push(broken);
            if attempts.len() >= ENOUGH && !common.is_empty() {
                return Some(common.join(", "));
            }
        }
        Some(either_of(&attempts))
    }

    /// A valid instruction, aimed at some legal cell.
    pub(crate) fn next(&mut self) -> Inst {
        loop {
            let cell = self.r.pick(&self.legal);
            for _ in 0..50 {
                let inst = self.aimed(&cell);
                if self.accepts(&inst) {
                    return inst;
                }
            }
        }
    }

    /// A valid instruction in a cell, if one turns up soon.
    pub(crate) fn in_cell(&mut self, cell: &Cell) -> Option<Inst> {
        (0..PATIENCE).find_map(|_| {
            let inst = self.aimed(cell);
            (is_in(&inst, self.generation, cell) && self.accepts(&inst)).then_some(inst)
        })
    }

    /// Counts the cells of a valid instruction: they are legal, whatever the search found.
    pub(crate) fn count(&mut self, inst: &Inst) {
        let (hits, illegal, legal) = (&mut self.hits, &mut self.illegal, &mut self.legal);
        of(inst, self.generation, |cell| {
            let count = hits.entry(cell).or_insert_with(|| {
                assert!(illegal.remove(&cell).is_some(), "not in the tables: {cell}");
                legal.push(cell);
                0
            });
            *count += 1;
        });
    }

    /// An instruction that is meant to be in a cell.
    fn aimed(&mut self, cell: &Cell) -> Inst {
        let op = match *cell {
            Cell::Operand { op, .. } | Cell::Bare { op, .. } => op,
            Cell::Message { opcode, .. } => Op::Plain(opcode),
        };
        let mut i = self.frame(op);
        match *cell {
            Cell::Operand { slot, ty, kind, .. } => self.operands(&mut i, op, (slot, ty, kind)),
            Cell::Bare { operand, .. } => self.bare(&mut i, operand),
            Cell::Message { sfid, name, detail, .. } => {
                let examples = &self.messages[&(sfid, name, detail)];
                let control = examples[self.r.below(examples.len() as u64) as usize];
                self.message(&mut i, sfid, control);
            }
        }
        i
    }

    /// The operation with its controls.
    fn frame(&mut self, op: Op) -> Inst {
        let (generation, r) = (self.generation, &mut self.r);
        let opcode = op.opcode();
        let mut i = Inst::new(opcode);
        match op {
            Op::Math(function) => i.extra = Extra::Math(function),
            Op::Sync(function) => i.extra = Extra::Sync(function),
            Op::Plain(_) => {}
        }
        let form = opcode.form();
        if form == Form::Nullary {
            return i;
        }
        let three16 = form == Form::Three && generation <= Gen::Gen9;
        let macro16 = op.is_macro() && generation <= Gen::Gen9;
        let typed = matches!(form, Form::One | Form::Two | Form::Math);
        if three16 || macro16 || typed && self.mode == AccessMode::Align16 {
            i.access_mode = AccessMode::Align16;
        }
        i.exec_size = r.pick(&[1, 2, 4, 8, 8, 16, 16, 32]);
        let step = i.exec_size.clamp(if generation >= Gen::Gen7 { 4 } else { 8 }, 16);
        let groups = if generation <= Gen::Gen5 { 16 } else { 32 };
        if i.exec_size < 32 && r.once_in(2) {
            i.group = r.below(u64::from(groups / step)) as u8 * step;
        }
        i.no_mask = r.once_in(3);
        let flags = opcode.flags();
        let wants_predicate = matches!(opcode, Opcode::If | Opcode::Sel) && !r.once_in(4);
        if flags.predicable && (wants_predicate || r.once_in(4)) {
            i.predicate = Predicate { ctrl: r.pick(&self.predicates), inverse: r.once_in(2) };
        }
        let compares = matches!(opcode, Opcode::Cmp | Opcode::Cmpn | Opcode::Csel);
        if flags.cond_mod && (compares || r.once_in(4)) {
            i.cond_mod = r.pick(&CondMod::ALL[1..]);
        }
        if i.predicate.ctrl != PredCtrl::None || i.cond_mod != CondMod::None {
            let registers = if generation >= Gen::Gen7 { 2 } else { 1 };
            i.flag = Flag { nr: r.below(registers) as u8, subnr: r.below(2) as u8 };
        }
        i.saturate = flags.saturate && r.once_in(5);
        i.acc_wr_en = typed && generation >= Gen::Gen6 && r.once_in(12);
        i.breakpoint = r.once_in(20);
        if generation >= Gen::Gen12 {
            i.swsb = swsb(r, generation, opcode);
        } else {
            i.no_dd_clear = r.once_in(10);
            i.no_dd_check = r.once_in(10);
            i.thread_ctrl = r.pick(&[ThreadCtrl::Normal, ThreadCtrl::Normal, ThreadCtrl::Switch]);
        }
        i
    }

    /// The operands of an operation with types and regions, one of them as wanted.
    fn operands(&mut self, i: &mut Inst, op: Op, want: (Slot, Type, Kind)) {
        let form = op.opcode().form();
        let (want_slot, want_ty, want_kind) = want;
        match form {
            Form::Bfn => i.extra = Extra::Bfn(self.r.next() as u8),
            Form::Dpas => {
                let bits = [8, 8, 4, 2, 1];
                i.extra = Extra::Dpas(Dpas {
                    depth: self.r.pick(&[8, 8, 4, 2, 1]),
                    repeat: 1 + self.r.below(8) as u8,
                    src1_bits: self.r.pick(&bits),
                    src2_bits: self.r.pick(&bits),
                });
                i.exec_size = 8;
            }
            _ => {}
        }
        if want_kind == Kind::Masked && self.mode == AccessMode::Align1 {
            i.exec_size = 1;
        }
        if matches!(want_kind, Kind::Packed | Kind::Stride2 | Kind::Stride4 | Kind::Rows) {
            i.exec_size = i.exec_size.max(2);
        }
        let both_modes = [PredCtrl::None, PredCtrl::Normal, PredCtrl::Any4H, PredCtrl::All4H];
        if i.access_mode != self.mode && !both_modes.contains(&i.predicate.ctrl) {
            i.predicate.ctrl = PredCtrl::Normal;
        }
        if self.r.once_in(2) {
            // Few channels fit more often.
            i.exec_size = i.exec_size.min(8);
        }
        // Other operands mostly follow the wanted one.
        let base = match want_ty {
            Type::V => Type::W,
            Type::Uv => Type::Uw,
            Type::Vf => Type::F,
            ty => ty,
        };
        let shared = if self.r.once_in(4) { self.some_type(form) } else { base };
        for slot in [Slot::Dst, Slot::Src(0), Slot::Src(1), Slot::Src(2)] {
            if matches!(slot, Slot::Src(n) if n >= op.sources(self.generation)) {
                continue;
            }
            let wanted = slot == want_slot;
            let ty = match () {
                () if wanted => want_ty,
                () if self.r.once_in(4) => self.some_type(form),
                () => shared,
            };
            let kind = wanted.then_some(want_kind);
            match slot {
                Slot::Dst => self.dst(i, ty, kind),
                Slot::Src(n) => self.src(i, op, n, ty, kind),
            }
        }
        let [_, src1, src2] = i.srcs.map(|src| src.ty().is_some_and(|ty| ty.size() == 1));
        if let Extra::Dpas(dpas) = &mut i.extra {
            // Only bytes have parts.
            dpas.src1_bits = if src1 { dpas.src1_bits } else { 8 };
            dpas.src2_bits = if src2 { dpas.src2_bits } else { 8 };
        }
    }

    /// A type the form can have.
    fn some_type(&mut self, form: Form) -> Type {
        let generation = self.generation;
        let three = matches!(form, Form::Three | Form::Bfn | Form::Dpas);
        loop {
            let ty = self.r.pick(Type::ALL);
            let exists = match generation {
                _ if !three => ty.reg_bits(generation).is_some(),
                Gen::Gen6 => ty == Type::F,
                g if g <= Gen::Gen9 => ty.three_align16_bits(g).is_some(),
                g => ty.three_align1_bits(g).is_some(),
            };
            if exists {
                return ty;
            }
        }
    }

    /// A register, with an offset that is a multiple of `unit` bytes.
    fn register(&mut self, unit: u32) -> Place {
        let (generation, r) = (self.generation, &mut self.r);
        let reg = match r.below(24) {
            0 => Reg::Arf(ArfKind::Accumulator, 0),
            1 => Reg::Arf(ArfKind::Accumulator, r.below(2) as u8),
            2 => Reg::Arf(ArfKind::Address, 0),
            3 => {
                Reg::Arf(ArfKind::Flag, r.below(if generation >= Gen::Gen7 { 2 } else { 1 }) as u8)
            }
            _ => Reg::Grf(r.below(128) as u8),
        };
        let size = match reg {
            Reg::Arf(ArfKind::Flag, _) => 4,
            Reg::Arf(ArfKind::Address, _) => 16,
            _ => 32,
        };
        let whole = r.once_in(2) || unit >= size;
        let sub = if whole { 0 } else { r.below(u64::from(size / unit)) as u32 * unit };
        Place::Direct { reg, sub: sub as u8 }
    }

    fn indirect(&mut self, align16: bool) -> Place {
        let addrs = if self.generation >= Gen::Gen8 { 16 } else { 8 };
        let offset = match align16 {
            false => self.r.below(1024) as i16 - 512,
            true => (self.r.below(64) as i16 - 32) * 16,
        };
        Place::Indirect { addr: self.r.below(addrs) as u8, offset }
    }

    fn dst(&mut self, i: &mut Inst, ty: Type, kind: Option<Kind>) {
        let form = i.opcode.form();
        let align16 = i.access_mode == AccessMode::Align16;
        let three = matches!(form, Form::Three | Form::Bfn | Form::Dpas);
        let kind = kind.unwrap_or_else(|| {
            let strided = match align16 {
                true if self.mode == AccessMode::Align1 => Kind::Packed,
                true => Kind::Masked,
                false => Kind::Stride2,
            };
            match self.r.below(10) {
                _ if i.is_macro() || form == Form::Dpas => Kind::Packed,
                0 if !three => Kind::Indirect,
                1 if !three => Kind::Null,
                2 | 3 => strided,
                4 if !align16 && !three => Kind::Stride4,
                _ => Kind::Packed,
            }
        });
        let unit = match (align16, three) {
            (true, true) => 4_u32.max(ty.size()),
            (true, false) => 16,
            (false, true) if self.generation <= Gen::Gen12 => 8,
            _ => ty.size(),
        };
        let place = match kind {
            Kind::Indirect => self.indirect(align16),
            Kind::Null => Place::NULL,
            _ if i.is_macro() || form == Form::Dpas => self.grf(),
            _ if align16 && three => self.aligned_grf(unit),
            _ => self.register(unit),
        };
        let hstride = match kind {
            Kind::Stride2 => 2,
            Kind::Stride4 => 4,
            _ => 1,
        };
        i.dst = Dst::new(place, ty, hstride);
        if self.mode == AccessMode::Align1 && align16 && three && i.exec_size == 1 && !i.is_macro()
        {
            // What Align1 code knows as one channel.
            let component = self.r.below(4);
            (i.exec_size, i.dst.writemask) = match ty {
                Type::Df => (2, WriteMask(3 << (component & 2))),
                _ => (4, WriteMask(1 << component)),
            };
            let vector = if ty == Type::Hf { 8 } else { 16 };
            if let Place::Direct { sub, .. } = &mut i.dst.place {
                *sub = *sub / vector * vector;
            }
        }
        if kind == Kind::Masked && self.mode == AccessMode::Align16 {
            i.dst.writemask = WriteMask(1 + self.r.below(14) as u8);
        }
        if i.is_macro() {
            i.dst.mme = Some(self.r.below(9) as u8);
        }
    }

    fn grf(&mut self) -> Place {
        Place::Direct { reg: Reg::Grf(self.r.below(128) as u8), sub: 0 }
    }

    fn aligned_grf(&mut self, unit: u32) -> Place {
        let sub = self.r.below(u64::from(32 / unit)) as u8 * unit as u8;
        Place::Direct { reg: Reg::Grf(self.r.below(128) as u8), sub }
    }

    fn src(&mut self, i: &mut Inst, op: Op, n: usize, ty: Type, kind: Option<Kind>) {
        let form = i.opcode.form();
        let last = n + 1 == op.sources(self.generation);
        let three = matches!(form, Form::Three | Form::Bfn);
        let align16 = i.access_mode == AccessMode::Align16;
        let kind = kind.unwrap_or_else(|| match self.r.below(12) {
            _ if i.is_macro() || form == Form::Dpas => Kind::Packed,
            0 if !three && n == 0 => Kind::Indirect,
            1 | 2 if last && !align16 && ty.size() < 8 => Kind::Imm,
            3 | 4 => Kind::Scalar,
            5 if align16 && self.mode == AccessMode::Align16 => Kind::Swizzled,
            5 if !three => Kind::Stride2,
            6 if !align16 && !three => Kind::Repeated,
            7 if !align16 && !three => Kind::Rows,
            _ => Kind::Packed,
        });
        if kind == Kind::Imm
            && (three || ty.imm_bits(self.generation).is_some() || i.opcode == Opcode::Dim)
        {
            i.srcs[n] = Src::imm(ty, imm_bits(&mut self.r, ty));
            return;
        }
        let mut reg = match form {
            Form::Dpas => SrcReg::new(self.grf(), ty, Region::SCALAR),
            _ if three && align16 => self.three_align16(ty, kind),
            _ if three => self.three_align1(n, ty, kind),
            _ if align16 => self.align16(ty, kind),
            _ => self.align1(i.exec_size, ty, kind),
        };
        if i.is_macro() {
            reg.place = self.grf();
            reg.mme = Some(self.r.below(9) as u8);
            reg.region = macro_region(self.generation, form, n, ty);
        }
        let flags = i.opcode.flags();
        let modifiers = flags.src_mods && form != Form::Dpas && form != Form::Bfn;
        reg.negate = modifiers && self.r.once_in(4);
        reg.abs = modifiers && !i.opcode.is_logic() && self.r.once_in(5);
        i.srcs[n] = Src::Reg(reg);
    }

    fn align1(&mut self, es: u8, ty: Type, kind: Kind) -> SrcReg {
        let widths: Vec<u8> = [1, 2, 4, 8, 16].into_iter().filter(|w| *w <= es).collect();
        let w = self.r.pick(&widths);
        let linear = |step: u8| match w {
            1 => (step, 1, 0),
            w => (w.saturating_mul(step), w, step),
        };
        let (v, w, h) = match kind {
            Kind::Packed => linear(1),
            Kind::Stride2 => linear(2),
            Kind::Stride4 => linear(4),
            Kind::Repeated => (self.r.pick(&[1, 2, 4, 8]), w.max(2), 0),
            Kind::Rows => (self.r.pick(&[0, 1, 2, 4, 8, 16, 32]), w.max(2), self.r.pick(&[1, 2])),
            Kind::Indirect | Kind::VxH => {
                let h = if w == 1 { 0 } else { self.r.pick(&[1, 1, 2]) };
                (if h == 0 { self.r.pick(&[0, 1, 2]) } else { w * h }, w, h)
            }
            _ => (0, 1, 0),
        };
        let vstride = if kind == Kind::VxH { VStride::VxH } else { VStride::Elements(v) };
        let place = match kind {
            Kind::Indirect | Kind::VxH => self.indirect(false),
            Kind::Null => Place::NULL,
            _ => self.register(ty.size()),
        };
        SrcReg::new(place, ty, Region::Align1 { vstride, width: w, hstride: h })
    }

    fn align16(&mut self, ty: Type, kind: Kind) -> SrcReg {
        let vstride = if kind == Kind::Scalar { 0 } else { 4 };
        let swizzle = match kind {
            Kind::Swizzled => Swizzle::from_bits(self.r.next() as u8),
            _ => Swizzle::XYZW,
        };
        let place = match kind {
            Kind::Indirect => self.indirect(true),
            Kind::Null => Place::NULL,
            _ => self.register(16),
        };
        SrcReg::new(place, ty, Region::Align16 { vstride, swizzle })
    }

    fn three_align16(&mut self, ty: Type, kind: Kind) -> SrcReg {
        let (rep, unit, swizzle) = match kind {
            Kind::Scalar => (true, 4, Swizzle::XYZW),
            Kind::Swizzled => (false, 16, Swizzle::from_bits(self.r.next() as u8)),
            _ => (false, 16, Swizzle::XYZW),
        };
        let place = self.aligned_grf(unit);
        SrcReg::new(place, ty, Region::ThreeAlign16 { rep, swizzle })
    }

    fn three_align1(&mut self, n: usize, ty: Type, kind: Kind) -> SrcReg {
        let second = if self.generation <= Gen::Gen11 { 2 } else { 1 };
        let (v, h) = match kind {
            Kind::Scalar => (0, 0),
            Kind::Packed if n == 2 => (0, 1),
            Kind::Stride2 if n == 2 => (0, 2),
            Kind::Stride4 if n == 2 => (0, 4),
            Kind::Packed => (self.r.pick(&[second, 4, 8]), 1),
            Kind::Stride2 => (self.r.pick(&[4, 8]), 2),
            Kind::Stride4 => (self.r.pick(&[4, 8]), self.r.pick(&[0, 4])),
            _ => (self.r.pick(&[0, second, 4, 8]), self.r.pick(&[0, 1, 2, 4])),
        };
        let place = if kind == Kind::Null { Place::NULL } else { self.register(ty.size()) };
        let region = Region::ThreeAlign1 { vstride: (n < 2).then_some(v), hstride: h };
        SrcReg::new(place, ty, region)
    }

    /// The operand of an operation without typed ones.
    fn bare(&mut self, i: &mut Inst, operand: &str) {
        let generation = self.generation;
        let r = &mut self.r;
        match i.opcode.form() {
            Form::Wait => {
                let n0 = Place::Direct { reg: Reg::Arf(ArfKind::Notification, 0), sub: 0 };
                i.dst = Dst::new(n0, Type::Ud, 1);
                i.srcs[0] = Src::Reg(SrcReg::new(n0, Type::Ud, Region::SCALAR));
                i.predicate = Predicate::NONE;
                (i.exec_size, i.group) = (1, 0);
            }
            Form::Sync => {
                (i.exec_size, i.group) = (1, 0);
                if operand == "immediate" {
                    i.srcs[0] = Src::imm(Type::Ud, r.next() & 0xffff_ffff >> (16 * r.below(2)));
                }
            }
            Form::Send | Form::Sends => {
                let keys = self.messages.len() as u64;
                let key = *self.messages.keys().nth(r.below(keys) as usize).expect("messages");
                let control = self.messages[&key][0];
                self.message(i, key.0, control);
                if let Extra::Send(send) = &mut i.extra {
                    send.desc = DescSrc::Reg { dword: 0 };
                }
            }
            Form::Ret => {
                i.extra = Extra::Branch(Branch::default());
                let place = Place::Direct { reg: Reg::Grf(r.below(128) as u8), sub: 0 };
                let (ty, region) = match generation {
                    g if g >= Gen::Gen12 => (Type::Ub, Region::SCALAR),
                    _ => (Type::D, Region::align1(2, 2, 1)),
                };
                i.srcs[0] = Src::Reg(SrcReg::new(place, ty, region));
            }
            Form::MaskStack => {
                let pop_count = if i.opcode == Opcode::Do { 0 } else { r.below(16) as u8 };
                i.extra = Extra::Branch(Branch { pop_count, ..Branch::default() });
            }
            Form::Nullary => {}
            _ => {
                branch(r, i, generation);
                if operand == "register"
                    && let Extra::Branch(branch) = &mut i.extra
                {
                    (branch.jip, branch.uip) = (None, None);
                    let ty = if generation >= Gen::Gen12 { Type::Ub } else { Type::D };
                    let sub = r.below(8) as u8 * 4;
                    let place = Place::Direct { reg: Reg::Grf(r.below(128) as u8), sub };
                    i.srcs[0] = Src::Reg(SrcReg::new(place, ty, Region::SCALAR));
                }
            }
        }
    }

    /// A message with the given function control, and payloads that fit it.
    fn message(&mut self, i: &mut Inst, sfid: Sfid, control: u32) {
        let generation = self.generation;
        let split = i.opcode.form() == Form::Sends || generation >= Gen::Gen12;
        let r = &mut self.r;
        let mut control = control;
        let old = generation < Gen::Gen5;
        // The low byte is mostly a binding table index, otherwise the decoder objects.
        let other = control & !0xff | r.below(256) as u32;
        let decoded = |control| Descriptor::decode(generation, sfid, control, 0).ok();
        if sfid != Sfid::Urb
            && decoded(other).map(|d| row(&d.message)) == decoded(control).map(|d| row(&d.message))
        {
            control = other;
        }
        let (mut mlen, mut rlen) = (1 + r.below(4) as u32, r.below(9) as u32);
        let mut ex_len = if split { r.below(4) as u32 } else { 0 };
        match decoded(control).map(|d| d.message) {
            Some(Message::ScratchBlockRead { registers, .. }) => rlen = registers.into(),
            Some(Message::ScratchBlockWrite { registers, .. }) => {
                (mlen, ex_len) =
                    if split { (1, registers.into()) } else { (1 + u32::from(registers), 0) };
            }
            Some(Message::UrbWrite { layout: message::UrbLayout::Oword, .. }) => {
                (mlen, ex_len) = if split { (1, 1) } else { (2, 0) };
            }
            _ => {}
        }
        let header = sfid == Sfid::Urb || r.once_in(2);
        let desc = if old {
            control | mlen << 20 | rlen << 16
        } else {
            let header = u32::from(header && !matches!(sfid, Sfid::Ugm | Sfid::Slm | Sfid::Tgm));
            control | mlen << 25 | rlen << 20 | header << 19
        };
        let eot = r.once_in(6);
        let first = if eot { 112 } else { 0 };
        let nr0 = first + r.below(u64::from(126 - first - mlen)) as u32;
        let nr1 = first + r.below(u64::from(126 - first - ex_len)) as u32;
        let ty = |r: &mut Random| match split {
            true => Type::Ud,
            false => r.pick(&[Type::Ud, Type::F, Type::Uw]),
        };
        let payload = |nr: u32, ty| Src::grf(nr as u8, 0, ty, Region::SCALAR);
        let mut send = Send::imm(sfid, desc, 0);
        i.srcs[0] = payload(nr0, ty(r));
        if split {
            i.srcs[1] = if ex_len == 0 { Src::null(Type::Ud) } else { payload(nr1, Type::Ud) };
            send.ex_desc = DescSrc::Imm(ex_len << 6);
        }
        let place = match rlen {
            0 => Place::NULL,
            _ => Place::Direct { reg: Reg::Grf(r.below(u64::from(127 - rlen)) as u8), sub: 0 },
        };
        let dst_ty = if generation >= Gen::Gen12 {
            Type::Ud
        } else {
            r.pick(&[Type::Ud, Type::F, Type::Uw])
        };
        i.dst = Dst::new(place, dst_ty, 1);
        send.eot = eot;
        if generation <= Gen::Gen5 {
            send.base_mrf = r.below(16) as u8;
        }
        i.extra = Extra::Send(send);
        i.cond_mod = CondMod::None;
        i.saturate = false;
    }
}

/// The region that assemblers give a source of the IEEE macros.
fn macro_region(generation: Gen, form: Form, n: usize, ty: Type) -> Region {
    let vstride = if ty == Type::Df { 2 } else { 4 };
    match (form, generation) {
        (Form::Three, g) if g <= Gen::Gen9 => {
            Region::ThreeAlign16 { rep: false, swizzle: Swizzle::XYZW }
        }
        (_, g) if g <= Gen::Gen9 => Region::Align16 { vstride, swizzle: Swizzle::XYZW },
        (Form::Three, _) => Region::ThreeAlign1 { vstride: (n < 2).then_some(4), hstride: 1 },
        (_, Gen::Gen11) => Region::align1(2, 2, 1),
        _ => Region::align1(1, 1, 0),
    }
}

/// The two rules of which each attempt breaks at least one, or all of them if it takes more.
fn either_of(attempts: &[Broken]) -> String {
    let rules: BTreeSet<&Cow<'static, str>> = attempts.iter().flatten().collect();
    let covers = |a, b| attempts.iter().all(|broken| broken.contains(a) || broken.contains(b));
    for a in &rules {
        if let Some(b) = rules.iter().find(|b| covers(a, b)) {
            return format!("{a} or {b}");
        }
    }
    let rules: Vec<&str> = rules.into_iter().map(|rule| rule.as_ref()).collect();
    format!("one of {}", rules.join(", "))
}

/// Whether an instruction is in a cell.
pub(crate) fn is_in(inst: &Inst, generation: Gen, cell: &Cell) -> bool {
    let mut found = false;
    of(inst, generation, |other| found |= other == *cell);
    found
}
