//! Generates random instructions: any values that the fields of a generation can have, with types
//! and regions that may be illegal.

use crestline_isa::*;
use fastrand::Rng;

/// Random numbers that follow from a seed.
pub(crate) struct Random(Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(Rng::with_seed(seed))
    }

    pub(crate) fn rng(&mut self) -> &mut Rng {
        &mut self.0
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0.u64(..n)
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// What to generate.
#[derive(Clone, Copy)]
pub(crate) struct Wish {
    pub(crate) generation: Gen,
    pub(crate) mode: AccessMode,
}

/// A random instruction, which may or may not encode.
pub(crate) fn inst(r: &mut Random, wish: Wish) -> Inst {
    let opcode = loop {
        let opcode = r.pick(Opcode::ALL);
        if opcode.exists(wish.generation) {
            break opcode;
        }
    };
    let mut i = Inst::new(opcode);
    if opcode.form() == Form::Nullary {
        return i;
    }
    i.access_mode = wish.mode;
    i.exec_size = r.pick(&[1, 2, 4, 8, 16, 32]);
    let step = i.exec_size.clamp(4, 16);
    i.group = r.below(u64::from(32 / step)) as u8 * step;
    if i.exec_size == 32 {
        i.group = 0;
    }
    i.no_mask = r.once_in(3);
    if r.once_in(3) && opcode.flags().predicable {
        let controls: Vec<PredCtrl> =
            (1..16).filter_map(|code| PredCtrl::from_bits(wish.mode, code)).collect();
        i.predicate = Predicate { ctrl: r.pick(&controls), inverse: r.once_in(2) };
    }
    if r.once_in(3) && opcode.flags().cond_mod {
        i.cond_mod = r.pick(&CondMod::ALL[1..]);
    }
    if i.predicate.ctrl != PredCtrl::None || i.cond_mod != CondMod::None {
        let registers = if wish.generation >= Gen::Gen7 { 2 } else { 1 };
        i.flag = Flag { nr: r.below(registers) as u8, subnr: r.below(2) as u8 };
    }
    // iga64 drops the saturation of mach on gen12.
    let saturates =
        opcode.flags().saturate && !(opcode == Opcode::Mach && wish.generation >= Gen::Gen12);
    i.saturate = r.once_in(5) && saturates;
    i.breakpoint = r.once_in(20);
    if wish.generation >= Gen::Gen12 {
        i.swsb = swsb(r, wish.generation, opcode);
    } else {
        i.no_dd_clear = r.once_in(10);
        i.no_dd_check = r.once_in(10);
        i.thread_ctrl = r.pick(&[ThreadCtrl::Normal, ThreadCtrl::Normal, ThreadCtrl::Switch]);
    }
    operands(r, &mut i, wish);
    i
}

pub(crate) fn swsb(r: &mut Random, generation: Gen, opcode: Opcode) -> Swsb {
    let ooo = matches!(opcode.form(), Form::Send | Form::Math);
    let token = |r: &mut Random, mode| Some(SwsbToken { mode, id: r.below(16) as u8 });
    let distance = 1 + r.below(7) as u8;
    match r.below(5) {
        0 => Swsb { distance, ..Swsb::default() },
        1 => {
            let mode = r.pick(&[TokenMode::Src, TokenMode::Dst]);
            Swsb { token: token(r, mode), ..Swsb::default() }
        }
        2 if ooo => Swsb { token: token(r, TokenMode::Set), ..Swsb::default() },
        3 => {
            let mode = if ooo { TokenMode::Set } else { TokenMode::Dst };
            Swsb { distance, token: token(r, mode), ..Swsb::default() }
        }
        4 if generation >= Gen::Gen125 => {
            let pipes = [SwsbPipe::All, SwsbPipe::Float, SwsbPipe::Int, SwsbPipe::Long];
            Swsb { distance, pipe: r.pick(&pipes), token: None }
        }
        _ => Swsb::default(),
    }
}

fn operands(r: &mut Random, i: &mut Inst, wish: Wish) {
    let generation = wish.generation;
    match i.opcode.form() {
        Form::Wait => {
            let n0 = |sub| Place::Direct { reg: Reg::Arf(ArfKind::Notification, 0), sub };
            i.dst = Dst::new(n0(0), Type::Ud, 1);
            i.srcs[0] = Src::Reg(SrcReg::new(n0(0), Type::Ud, Region::SCALAR));
            i.access_mode = AccessMode::Align1;
            i.predicate = Predicate::NONE;
            (i.exec_size, i.group) = (1, 0);
        }
        Form::One => {
            i.dst = dst(r, wish);
            i.srcs[0] =
                if r.once_in(4) { imm(r, generation, true) } else { src(r, wish, i.opcode) };
        }
        Form::Two => {
            i.dst = dst(r, wish);
            i.srcs[0] = src(r, wish, i.opcode);
            i.srcs[1] =
                if r.once_in(4) { imm(r, generation, false) } else { src(r, wish, i.opcode) };
        }
        Form::Math => {
            let function = loop {
                let function = r.pick(MathFn::ALL);
                if function.bits(generation).is_some() && !function.is_macro() {
                    break function;
                }
            };
            i.extra = Extra::Math(function);
            i.dst = dst(r, wish);
            let ty = if function.is_int() { Type::D } else { Type::F };
            for n in 0..function.sources() {
                // Modifiers depend on the function; the other forms cover their fields.
                i.srcs[n] = match src(r, wish, Opcode::Frc) {
                    Src::Reg(reg) => {
                        let place = match reg.place {
                            Place::Direct { reg, sub } => Place::Direct { reg, sub: sub & !3 },
                            place => place,
                        };
                        Src::Reg(SrcReg { place, ty, negate: false, abs: false, ..reg })
                    }
                    other => other,
                };
            }
        }
        Form::Three if generation <= Gen::Gen9 => three_align16(r, i, generation),
        Form::Three => three_align1(r, i, generation),
        Form::Jmpi | Form::BranchJip | Form::BranchJipUip | Form::Call => branch(r, i, generation),
        Form::Send => send(r, i, generation),
        Form::Sends => sends(r, i),
        Form::Sync => {
            i.extra = Extra::Sync(r.pick(SyncFn::ALL));
            i.predicate = Predicate::NONE;
            i.flag = Flag::default();
            (i.exec_size, i.group) = (1, 0);
        }
        _ => {}
    }
}

fn reg_type(r: &mut Random, generation: Gen) -> Type {
    loop {
        let ty = r.pick(Type::ALL);
        if ty.reg_bits(generation).is_some() && ty != Type::Nf {
            return ty;
        }
    }
}

fn imm(r: &mut Random, generation: Gen, wide: bool) -> Src {
    loop {
        let ty = r.pick(Type::ALL);
        let size = imm_size(ty);
        if ty.imm_bits(generation).is_none() || size == 8 && !wide {
            continue;
        }
        return Src::imm(ty, imm_bits(r, ty));
    }
}

/// A random value of a type: any bits, small ones, or simple floats.
pub(crate) fn imm_bits(r: &mut Random, ty: Type) -> u64 {
    let bits = r.next() << 32 ^ r.next();
    let bits = match r.below(4) {
        0 => bits >> 40,
        1 if ty == Type::F => u64::from((r.below(2000) as f32 / 8.0 - 100.0).to_bits()),
        1 if ty == Type::Df => (r.below(2000) as f64 / 8.0 - 100.0).to_bits(),
        1 => 0,
        _ => bits,
    };
    bits & (u64::MAX >> (64 - 8 * imm_size(ty)))
}

fn place(r: &mut Random, wish: Wish, ty: Type) -> Place {
    let addrs = if wish.generation >= Gen::Gen8 { 16 } else { 8 };
    if r.once_in(6) {
        let offset = match wish.mode {
            AccessMode::Align1 => r.below(1024) as i16 - 512,
            AccessMode::Align16 => (r.below(64) as i16 - 32) * 16,
        };
        return Place::Indirect { addr: r.below(addrs) as u8, offset };
    }
    let reg = if r.once_in(8) {
        r.pick(&[Reg::NULL, Reg::Arf(ArfKind::Accumulator, 0), Reg::Arf(ArfKind::Accumulator, 1)])
    } else {
        Reg::Grf(r.below(128) as u8)
    };
    let sub = match (wish.mode, reg) {
        (_, Reg::Arf(ArfKind::Null, _)) => 0,
        (AccessMode::Align16, _) => r.pick(&[0, 16]),
        _ => r.below(u64::from(32 / ty.size())) as u8 * ty.size() as u8,
    };
    Place::Direct { reg, sub }
}

fn dst(r: &mut Random, wish: Wish) -> Dst {
    let ty = reg_type(r, wish.generation);
    let place = place(r, wish, ty);
    match wish.mode {
        AccessMode::Align1 => Dst::new(place, ty, r.pick(&[1, 2, 4])),
        AccessMode::Align16 => Dst::new(place, ty, 1).with_writemask(WriteMask(r.below(16) as u8)),
    }
}

fn src(r: &mut Random, wish: Wish, opcode: Opcode) -> Src {
    let ty = reg_type(r, wish.generation);
    let place = place(r, wish, ty);
    let indirect = matches!(place, Place::Indirect { .. });
    let region = match wish.mode {
        AccessMode::Align1 => {
            let vstride = match r.below(8) {
                7 if indirect => VStride::VxH,
                7 => VStride::Elements(0),
                n => VStride::Elements([0, 1, 2, 4, 8, 16, 32][n as usize]),
            };
            Region::Align1 {
                vstride,
                width: r.pick(&[1, 2, 4, 8, 16]),
                hstride: r.pick(&[0, 1, 2, 4]),
            }
        }
        AccessMode::Align16 => {
            let swizzle = Swizzle::from_bits(r.next() as u8);
            Region::Align16 { vstride: r.pick(&[0, 4]), swizzle }
        }
    };
    let mods = opcode.flags().src_mods;
    let logic = opcode.is_logic();
    Src::Reg(SrcReg {
        negate: mods && r.once_in(4),
        abs: mods && !logic && r.once_in(5),
        ..SrcReg::new(place, ty, region)
    })
}

fn three_align16(r: &mut Random, i: &mut Inst, generation: Gen) {
    i.access_mode = AccessMode::Align16;
    i.exec_size = i.exec_size.max(4);
    if i.opcode == Opcode::Madm {
        i.opcode = Opcode::Mad;
    }
    let ty = match generation {
        Gen::Gen6 => Type::F,
        Gen::Gen7 | Gen::Gen75 => r.pick(&[Type::F, Type::D, Type::Ud, Type::Df]),
        _ => r.pick(&[Type::F, Type::D, Type::Ud, Type::Df, Type::Hf]),
    };
    let mods = i.opcode.flags().src_mods;
    let unit = if ty == Type::Df { 8 } else { 4 };
    i.dst = Dst::grf(r.below(128) as u8, r.below(u64::from(32 / unit)) as u8 * unit, ty, 1)
        .with_writemask(WriteMask::XYZW);
    i.srcs = [0; 3].map(|_| {
        let rep = r.once_in(3) && ty != Type::Df;
        let sub = if rep { r.below(8) as u8 * 4 } else { r.pick(&[0, 16]) };
        let region = Region::ThreeAlign16 { rep, swizzle: Swizzle::XYZW };
        Src::Reg(SrcReg {
            negate: mods && r.once_in(4),
            abs: mods && r.once_in(4),
            ..SrcReg::new(Place::Direct { reg: Reg::Grf(r.below(128) as u8), sub }, ty, region)
        })
    });
}

fn three_align1(r: &mut Random, i: &mut Inst, generation: Gen) {
    if i.opcode == Opcode::Madm {
        i.opcode = Opcode::Mad;
    }
    let float = r.once_in(2);
    let ty = |r: &mut Random| loop {
        let ty = r.pick(Type::ALL);
        let plain = !matches!(ty, Type::Nf | Type::Bf);
        if ty.is_float() == float && plain && ty.three_align1_bits(generation).is_some() {
            return ty;
        }
    };
    let mods = i.opcode.flags().src_mods;
    let dst_ty = ty(r);
    i.dst = Dst::grf(r.below(128) as u8, r.below(4) as u8 * 8, dst_ty, r.pick(&[1, 2]));
    for n in 0..3 {
        let ty = ty(r);
        if n != 1 && r.once_in(5) && ty.size() == 2 {
            i.srcs[n] = Src::imm(ty, r.next() & 0xffff);
            continue;
        }
        let second = if generation <= Gen::Gen11 { 2 } else { 1 };
        let vstride = (n < 2).then(|| r.pick(&[0, second, 4, 8]));
        let region = Region::ThreeAlign1 { vstride, hstride: r.pick(&[0, 1, 2, 4]) };
        let sub = r.below(u64::from(32 / ty.size())) as u8 * ty.size() as u8;
        i.srcs[n] = Src::Reg(SrcReg {
            negate: mods && r.once_in(4),
            abs: mods && r.once_in(4),
            ..SrcReg::new(Place::Direct { reg: Reg::Grf(r.below(128) as u8), sub }, ty, region)
        });
    }
}

pub(crate) fn branch(r: &mut Random, i: &mut Inst, generation: Gen) {
    let mut branch = Branch::jip((r.below(2000) as i32 - 1000) * 16);
    let uip = match i.opcode {
        Opcode::If => generation >= Gen::Gen7,
        Opcode::Else => generation >= Gen::Gen8,
        Opcode::Break | Opcode::Cont | Opcode::Halt => generation >= Gen::Gen6,
        Opcode::Goto | Opcode::Brc => true,
        _ => false,
    };
    if uip {
        // Not negative: iga64 would read two numbers with a minus between them as one.
        branch.uip = Some(r.below(1000) as i32 * 16);
    }
    if matches!(i.opcode, Opcode::Goto | Opcode::If | Opcode::Else) && generation >= Gen::Gen8 {
        branch.branch_ctrl = r.once_in(2);
    }
    i.extra = Extra::Branch(branch);
    if i.opcode == Opcode::Jmpi {
        i.no_mask = true;
        (i.exec_size, i.group) = (1, 0);
    }
    i.cond_mod = CondMod::None;
    i.access_mode = AccessMode::Align1;
    if matches!(i.opcode, Opcode::Call | Opcode::Calla) {
        i.dst = Dst::grf(r.below(128) as u8, 0, Type::D, 1);
    }
}

fn sfid(r: &mut Random, generation: Gen) -> Sfid {
    loop {
        let sfid = r.pick(&Sfid::ALL[1..]);
        if sfid.bits(generation).is_some() {
            return sfid;
        }
    }
}

fn send(r: &mut Random, i: &mut Inst, generation: Gen) {
    let sfid = sfid(r, generation);
    let desc_bits = match generation {
        g if g <= Gen::Gen45 => 24,
        g if g <= Gen::Gen8 => 29,
        g if g >= Gen::Gen12 => 32,
        _ => 31,
    };
    let desc = r.next() as u32 >> (32 - desc_bits);
    let ex_desc = match generation {
        g if g >= Gen::Gen12 => r.next() as u32 & 0x3f << 6,
        g if g >= Gen::Gen9 => (r.next() as u32) << 16,
        _ => 0,
    };
    let mut send = Send::imm(sfid, desc, ex_desc);
    if r.once_in(4) {
        send.desc = DescSrc::Reg { dword: 0 };
    }
    send.eot = r.once_in(6);
    let payload = |r: &mut Random, ty| Src::grf(r.below(128) as u8, 0, ty, Region::SCALAR);
    i.cond_mod = CondMod::None;
    i.saturate = false;
    if generation == Gen::Gen75 {
        // iga64 reads the thread control of sends but does not print it.
        i.thread_ctrl = ThreadCtrl::Normal;
    }
    (i.no_dd_check, i.no_dd_clear) = (false, false);
    i.access_mode = AccessMode::Align1;
    if generation >= Gen::Gen12 {
        i.dst = Dst::grf(r.below(128) as u8, 0, Type::Ud, 1);
        i.srcs[0] = payload(r, Type::Ud);
        i.srcs[1] = payload(r, Type::Ud);
        if r.once_in(2) {
            i.srcs[1] = Src::null(Type::Ud);
            send.ex_desc = DescSrc::Imm(ex_desc & !0x7c0);
        }
    } else {
        let ty = r.pick(&[Type::Ud, Type::F, Type::Uw]);
        i.dst = Dst::grf(r.below(128) as u8, 0, ty, 1);
        let ty = r.pick(&[Type::Ud, Type::F, Type::Uw]);
        i.srcs[0] = payload(r, ty);
    }
    i.extra = Extra::Send(send);
}

fn sends(r: &mut Random, i: &mut Inst) {
    let desc = r.next() as u32 & 0x7fff_ffff;
    let mut send = Send::imm(sfid(r, Gen::Gen9), desc, r.next() as u32 & 0xffff_03c0);
    if r.once_in(4) {
        send.desc = DescSrc::Reg { dword: 0 };
    }
    send.eot = r.once_in(6);
    i.cond_mod = CondMod::None;
    (i.no_dd_check, i.no_dd_clear) = (false, false);
    i.access_mode = AccessMode::Align1;
    i.dst = Dst::grf(r.below(128) as u8, 0, r.pick(&[Type::Ud, Type::F, Type::Uw]), 1);
    let payload = |nr| Src::grf(nr, 0, Type::Ud, Region::SCALAR);
    i.srcs[0] = payload(r.below(128) as u8);
    i.srcs[1] = if r.once_in(3) { Src::null(Type::Ud) } else { payload(r.below(128) as u8) };
    i.extra = Extra::Send(send);
}

/// Moves branch targets into a program of `len` full instructions, of which this is the `n`th;
/// `iga64` refuses others.
pub(crate) fn with_targets_inside(inst: &Inst, n: usize, len: usize) -> Inst {
    let mut inst = inst.clone();
    if let Extra::Branch(branch) = &mut inst.extra {
        let inside = |target: i32| {
            let target = (target.unsigned_abs() / 16) as usize % len;
            // The target of calla is absolute.
            let from = if inst.opcode == Opcode::Calla { 0 } else { n };
            (target as i32 - from as i32) * 16
        };
        branch.jip = branch.jip.map(inside);
        branch.uip = branch.uip.map(|target| inside(target).max(0));
    }
    inst
}
